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
    begun: list[str] = []
    for line in lines:
        rest = line
        while rest:
            start, stop = _place(rest, begin), rest.find(end)
            begins = start >= 0 and (not begun or stop < 0 or start < stop)
            if begun and (begins or _is_endless(begun)):
                report.skip(BROKEN)
                begun = []
            if begins:
                begun, rest = [begin], rest[start + len(begin) :]
            elif not begun:
                break
            elif stop < 0:
                begun.append(rest)
                break
            else:
                yield "".join([*begun, rest[: stop + len(end)]])
                begun, rest = [], rest[stop + len(end) :]
    if begun:
        report.skip(BROKEN)


def _is_endless(begun: list[str]) -> bool:
    return len(begun) > MOST_LINES


def _place(line: str, begin: str) -> int:
    """Where the tag begins in a line: the name must end there too."""
    place = line.find(begin)
    while place >= 0 and line[place + len(begin) : place + len(begin) + 1].isalnum():
        place = line.find(begin, place + 1)
    return place


def between(record: str, tag: str) -> str | None:
    """What is between the first such tags, None if there are none."""
    _, begin, rest = record.partition(f"<{tag}>")
    inside, end, _ = rest.partition(f"</{tag}>")
    return inside if begin and end else None


def without_tags(text: str) -> str:
    """What is left of marked-up text: a space for each tag, and characters for entities."""
    return html.unescape(_TAG.sub(" ", text))
