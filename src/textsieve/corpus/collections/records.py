"""Records between two tags, in lines of SGML or RDF, one at a time.

The files are no sound XML: characters that XML forbids, entities that nobody declared. So nothing but the tags of the
record is looked at, and what is broken costs one record: one that is begun anew before it ends, or not ended at all.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator

from ..batch import Report
from ..bounds import Bounds

BROKEN = "broken records"
MOST_LINES = 100_000
"""Of a record; one that has more was never ended."""
REPLACEMENT = "\ufffd"

_TAG = re.compile(r"<[^<>]+>")
_LONG_NUMBER = re.compile(r"&#[0-9]{20,};?")


def records(lines: Iterable[str], tag: str, report: Report, bounds: Bounds, name: str) -> Iterator[str]:
    """Yield the records `<tag ...>...</tag>`; what is between them is skipped. `name` is that of the file."""
    begin, end = f"<{tag}", f"</{tag}>"
    marks = re.compile(rf"{re.escape(begin)}(?![^\W_])|{re.escape(end)}")  # the name must end there too
    begun: list[str] = []
    n_characters = 0
    for line in lines:
        taken = 0
        for mark in marks.finditer(line):
            is_end = mark[0] == end
            if begun and is_end:
                yield "".join([*begun, line[taken : mark.end()]])
            elif begun:
                report.skip(BROKEN)
            begun, taken, n_characters = [] if is_end else [begin], mark.end(), 0
        if begun and len(begun) <= MOST_LINES:
            begun.append(line[taken:])
            n_characters += len(line) - taken
            bounds.check_document(n_characters, f"{name}: a record <{tag}>")
        elif begun:
            report.skip(BROKEN)
            begun = []
    if begun:
        report.skip(BROKEN)


def between(record: str, tag: str) -> str | None:
    """What is between the first such tags, None if there are none."""
    _, begin, rest = record.partition(f"<{tag}>")
    inside, end, _ = rest.partition(f"</{tag}>")
    return inside if begin and end else None


def without_tags(text: str) -> str:
    """Return a text with a space for each tag and with characters for entities."""
    # html.unescape can't read numbers of thousands of digits; no character has one of twenty.
    return html.unescape(_LONG_NUMBER.sub(REPLACEMENT, _TAG.sub(" ", text)))
