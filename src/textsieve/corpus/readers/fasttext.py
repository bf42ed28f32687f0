"""fastText's lines: `__label__a __label__b and then the words`. A line without a label is an unlabelled
document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..batch import Batch, Document, Report, in_batches
from ..corpus import Corpus
from ..formats import Format
from ..source import Source

LABEL = re.compile(r"__label__(\S*+)\s*+")


def corpus(source: Source, format: Format) -> Corpus:
    """The lines of a file."""

    def start(report: Report) -> Iterator[Batch]:
        return in_batches(_documents(source, report))

    return Corpus(str(source.path), start)


def _documents(source: Source, report: Report) -> Iterator[Document]:
    to_labels = source.label_reader(report)
    for number, line in source.lines(report):
        text = line.strip()
        if not text:
            report.skip("blank lines")
            continue
        found: list[str] = []
        begin = 0
        while match := LABEL.match(text, begin):
            found.append(match[1])
            begin = match.end()
        # A single label is no list, else every file would count as one of several labels.
        yield text[begin:], to_labels(found if len(found) > 1 else "".join(found), number)
