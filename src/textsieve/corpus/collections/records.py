"""Records between two tags, in lines of SGML or RDF, one at a time.

The files are no sound XML: characters that XML forbids, entities that nobody declared. So nothing but the tags of the
record is looked at, and what is broken costs one record: one that is begun anew before it ends, or not ended at all.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator

from ..batch import Report

BROKEN = "broken records"
MOST_LINES = 100_000
"""Of a record; one that has more was never ended."""

_TAG = re.compile(r"<[^<>]+>")


def records(lines: Iterable[str], tag: str, report: Report) -> Iterator[str]:
    """The records `<tag ...>...</tag>`; what is between them is passed over."""
    begin, end = f"<{tag}", f"</{tag}>"
    marks = re.compile(rf"{re.escape(begin)}(?![^\W_])|{re.escape(end)}")  # the name must end there too
    begun: list[str] = []
    for line in lines:
        taken = 0
        for mark in marks.finditer(line):
            is_end = mark[0] == end
            if begun and is_end:
                yield "".join([*begun, line[taken : mark.end()]])
            elif begun:
                report.skip(BROKEN)
            begun, taken = [] if is_end else [begin], mark.end()
        if begun and len(begun) <= MOST_LINES:
            begun.append(line[taken:])
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
    """What is left of marked-up text: a space for each tag, and characters for entities."""
    return html.unescape(_TAG.sub(" ", text))
