"""Read fastText lines: `__label__a __label__b and then the words`. A line without a label is an unlabelled document."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..batch import Batch, Document, Report, in_batches
from ..corpus import Corpus
from ..formats import Format
from ..source import Source

LABEL = re.compile(r"__label__(\S*+)\s*+")


def corpus(source: Source, format: Format) -> Corpus:
    """Return the lines of a file as a corpus."""

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
        labels: list[str] = []
        begin = 0
        while match := LABEL.match(text, begin):
            labels.append(match[1])
            begin = match.end()
        # A single label is not passed as a list, or every file would count as multilabel.
        yield text[begin:], to_labels(labels if len(labels) > 1 else "".join(labels), number)
