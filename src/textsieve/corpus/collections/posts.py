"""A post to a newsgroup: its header, its signature, and what it quotes.

The header ends at the first empty line; a line that begins with white space continues the one before. Which rules take
out header, footer and quotes is what people know from scikit-learn's `remove=`, so that results can be compared:

- the footer is what follows the last line that is empty or made of hyphens, unless that is the first line;
- a quote is a line that begins with > or |, or one that introduces somebody else's words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

END_OF_HEADER = "\n\n"

TELLING = ("newsgroups", "xref", "followup-to", "followups-to", "path", "x-to", "x-apparently-to")
"""The header's lines that name the group, or the way that a post took to it."""

_FIELD = re.compile(r"([^\s:]+):")
_BEGINS_A_QUOTE = (">", "|", "In article", "Quoted from")
_INTRODUCES_A_QUOTE = ("writes in", "writes:", "wrote:", "says:", "said:")


def without_telling(post: str) -> str:
    """The post without the lines of its header that name the group."""
    header, blank, body = post.partition(END_OF_HEADER)
    kept: list[str] = []
    telling = False
    for line in header.split("\n"):
        if not line[:1].isspace():
            field = _FIELD.match(line)
            telling = field is not None and field[1].lower() in TELLING
        if not telling:
            kept.append(line)
    return "\n".join(kept) + blank + body


def without_header(post: str) -> str:
    """What follows the first empty line."""
    return post.partition(END_OF_HEADER)[2]


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
    "no-footers": without_footer,
    "no-quotes": without_quotes,
}
"""What a word takes out, in the order in which it is done."""
