"""Remove headers, footers and quotes from posts to a newsgroup.

The header ends at the first empty line; a line that begins with white space continues the one before. The rules are
those of scikit-learn's `remove=`, so that results can be compared:

- the footer is what follows the last line that is empty or made of hyphens, unless that is the first line;
- a quote is a line that begins with > or |, or one that introduces somebody else's words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

END_OF_HEADER = "\n\n"

TELLING = ("newsgroups", "xref", "followup-to", "followups-to", "path", "x-to", "x-apparently-to")
"""Header fields that name the group or the route of the post to it."""

SUBJECT = "subject"

_FIELD = re.compile(r"([^\s:]+):")
_BEGINS_A_QUOTE = (">", "|", "In article", "Quoted from")
_INTRODUCES_A_QUOTE = ("writes in", "writes:", "wrote:", "says:", "said:")


def without_telling(post: str) -> str:
    """Return the post without the header lines that name the group."""
    header, blank, body = post.partition(END_OF_HEADER)
    return "\n".join(line for field, line in _lines(header) if field not in TELLING) + blank + body


def _lines(header: str) -> Iterator[tuple[str, str]]:
    """Yield each header line with the name of the field that it begins or continues; "" if there is none."""
    name = ""
    for line in header.split("\n"):
        if not line[:1].isspace():
            field = _FIELD.match(line)
            name = "" if field is None else field[1].lower()
        yield name, line


def without_header(post: str) -> str:
    """Return the text after the first empty line."""
    return post.partition(END_OF_HEADER)[2]


def with_subject_alone(post: str) -> str:
    """Return the words of the subject and the text after the first empty line, if there is one."""
    header, _, body = post.partition(END_OF_HEADER)
    subject = "\n".join(line for field, line in _lines(header) if field == SUBJECT)
    return _FIELD.sub("", subject, count=1).strip() + END_OF_HEADER + body


def without_footer(post: str) -> str:
    """Return the text before the last line that is empty or a rule of hyphens."""
    lines = post.strip().split("\n")
    rules = [at for at, line in enumerate(lines) if not line.strip().strip("-")]
    return "\n".join(lines[: rules[-1]]) if rules and rules[-1] > 0 else post


def without_quotes(post: str) -> str:
    """Return the post without quoted lines."""
    return "\n".join(line for line in post.split("\n") if not _is_quote(line))


def _is_quote(line: str) -> bool:
    return line.startswith(_BEGINS_A_QUOTE) or any(words in line for words in _INTRODUCES_A_QUOTE)


REMOVERS: Mapping[str, Callable[[str], str]] = {
    "no-headers": without_header,
    "subject-only": with_subject_alone,
    "no-footers": without_footer,
    "no-quotes": without_quotes,
}
"""The functions that the words select, in the order in which they are applied."""
