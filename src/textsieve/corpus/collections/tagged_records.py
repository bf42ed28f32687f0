"""Stream records between two tags in lines of SGML or RDF.

The files are not valid XML: they contain characters that XML forbids and undeclared entities. So only the tags of the
record are parsed, and an error costs only one record: one that begins anew before it ends, or never ends.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator

from ...errors import Place
from ..batch import Report
from ..bounds import ReadLimits

BROKEN = "broken records"
MOST_LINES = 100_000
"""Maximum number of lines of a record; one that has more was never closed."""
REPLACEMENT = "\ufffd"

_TAG = re.compile(r"<[^<>]+>")
_LONG_NUMBER = re.compile(r"&#[0-9]{20,};?")


def records(lines: Iterable[str], tag: str, report: Report, bounds: ReadLimits, name: str) -> Iterator[str]:
    """Yield the records `<tag ...>...</tag>`, skipping what is between them; `name` is the file's name for errors."""
    begin, end = f"<{tag}", f"</{tag}>"
    marks = re.compile(rf"{re.escape(begin)}(?![^\W_])|{re.escape(end)}")  # the tag's name must end there
    begun: list[str] = []
    n_characters = 0
    for line in lines:
        taken = 0
        for mark in marks.finditer(line) if tag in line else ():  # most lines have no tag, and `in` is faster
            is_end = mark[0] == end
            if begun and is_end:
                yield "".join([*begun, line[taken : mark.end()]])
            elif begun:
                report.skip(BROKEN)
            begun, taken, n_characters = [] if is_end else [begin], mark.end(), 0
        if begun and len(begun) <= MOST_LINES:
            begun.append(line[taken:])
            n_characters += len(line) - taken
            if n_characters > bounds.max_document:
                bounds.check_document(n_characters, Place(name, f"a record <{tag}>"))
        elif begun:
            report.skip(BROKEN)
            begun = []
    if begun:
        report.skip(BROKEN)


def between(record: str, tag: str) -> str | None:
    """Return the text between the first pair of such tags, or None if there is none."""
    _, begin, rest = record.partition(f"<{tag}>")
    inside, end, _ = rest.partition(f"</{tag}>")
    return inside if begin and end else None


def without_tags(text: str) -> str:
    """Return the text with a space in place of each tag and with entities decoded."""
    # html.unescape can't parse numbers of thousands of digits; no character's number has twenty.
    return html.unescape(_LONG_NUMBER.sub(REPLACEMENT, _TAG.sub(" ", text)))
