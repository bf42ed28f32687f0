"""Stream the records `<tag ...>...</tag>` in lines of SGML or RDF.

The files are not valid XML: they contain characters that XML forbids and undeclared entities. So only the tags around a
record are parsed. A record is broken if the next one begins before it ends, or if it never ends; broken records are
skipped and counted.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator

from ...errors import Place
from ..batch import Report
from ..read_limits import ReadLimits
from ..streams import REPLACEMENT

BROKEN = "broken records"
MAX_LINES = 100_000
"""Maximum number of lines of a record; one that has more counts as never closed, and is skipped as broken."""

_TAG = re.compile(r"<[^<>]+>")
_LONG_NUMBER = re.compile(r"&#[0-9]{20,};?")


def records(lines: Iterable[str], tag: str, report: Report, limits: ReadLimits, name: str) -> Iterator[str]:
    """Yield each record with its tags, `<tag ...>...</tag>`, without what is between records.

    `tag` is the name of the tag, and `name` that of the file, for errors.
    """
    opening, closing = f"<{tag}", f"</{tag}>"
    tags = re.compile(rf"{re.escape(opening)}(?![^\W_])|{re.escape(closing)}")  # the tag's name must end there
    record: list[str] = []  # the pieces of the current record, beginning with its opening tag; empty between records
    n_characters = 0
    for line in lines:
        position = 0  # in this line, after the last tag
        for match in tags.finditer(line) if tag in line else ():  # most lines have no tag, which `in` finds out faster
            if match[0] == closing:
                if record:
                    yield "".join([*record, line[position : match.end()]])
                record = []
            else:
                if record:  # the record before has not ended
                    report.skip(BROKEN)
                record = [opening]
            position, n_characters = match.end(), 0
        if len(record) > MAX_LINES:
            report.skip(BROKEN)
            record = []
        elif record:
            record.append(line[position:])
            n_characters += len(line) - position
            if n_characters > limits.max_document:  # only then is a `Place` created for the error
                limits.check_document(n_characters, Place(name, f"a record <{tag}>"))
    if record:  # the last record never ends
        report.skip(BROKEN)


def between(record: str, tag: str) -> str | None:
    """Return the text between the first `<tag>` and `</tag>`, or None if one of them is missing."""
    _, begin, rest = record.partition(f"<{tag}>")
    inside, end, _ = rest.partition(f"</{tag}>")
    return inside if begin and end else None


def without_tags(text: str) -> str:
    """Return the text with a space in place of each tag and with entities decoded."""
    # html.unescape can't parse numbers of thousands of digits; no character's number has twenty.
    return html.unescape(_LONG_NUMBER.sub(REPLACEMENT, _TAG.sub(" ", text)))
