"""A post to a newsgroup: its header, its signature, and what it quotes.

The header ends at the first empty line; a line that begins with white space continues the one before. Which rules take
out header, footer and quotes is what people know from scikit-learn's `remove=`, so that results can be compared:

- the footer is what follows the last line that is empty or made of hyphens, unless that is the first line;
- a quote is a line that begins with > or |, or one that introduces somebody else's words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

END_OF_HEADER = "\n\n"

TELLING = ("newsgroups", "xref", "followup-to", "followups-to", "path", "x-to", "x-apparently-to")
"""The header's lines that name the group, or the way that a post took to it."""

SUBJECT = "subject"

_FIELD = re.compile(r"([^\s:]+):")
_BEGINS_A_QUOTE = (">", "|", "In article", "Quoted from")
_INTRODUCES_A_QUOTE = ("writes in", "writes:", "wrote:", "says:", "said:")


def without_telling(post: str) -> str:
    """The post without the lines of its header that name the group."""
    header, blank, body = post.partition(END_OF_HEADER)
    return "\n".join(line for field, line in _lines(header) if field not in TELLING) + blank + body


def _lines(header: str) -> Iterator[tuple[str, str]]:
    """Each line, and the name of the field that it begins or continues; "" where there is none."""
    name = ""
    for line in header.split("\n"):
        if not line[:1].isspace():
            field = _FIELD.match(line)
            name = "" if field is None else field[1].lower()
        yield name, line


def without_header(post: str) -> str:
    """What follows the first empty line."""
    return post.partition(END_OF_HEADER)[2]


def with_subject_alone(post: str) -> str:
    """The words of the subject, and what follows the first empty line; with no such line, nothing follows."""
    header, _, body = post.partition(END_OF_HEADER)
    subject = "\n".join(line for field, line in _lines(header) if field == SUBJECT)
    return _FIELD.sub("", subject, count=1).strip() + END_OF_HEADER + body


def without_footer(post: str) -> str:
    """What precedes the last line that is empty or a rule of hyphens."""
    lines = post.strip().split("\n")
    rules = [at for at, line in enumerate(lines) if not line.strip().strip("-")]
    return "\n".join(lines[: rules[-1]]) if rules and rules[-1] > 0 else post


def without_quotes(post: str) -> str:
    """The lines that quote nobody."""
    return "\n".join(line for line in post.split("\n") if not _is_quote(line))


def _is_quote(line: str) -> bool:
    return line.startswith(_BEGINS_A_QUOTE) or any(words in line for words in _INTRODUCES_A_QUOTE)


REMOVERS: Mapping[str, Callable[[str], str]] = {
    "no-headers": without_header,
    "subject-only": with_subject_alone,
    "no-footers": without_footer,
    "no-quotes": without_quotes,
}
"""What a word takes out, in the order in which it is done."""
