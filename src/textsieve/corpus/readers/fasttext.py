"""fastText's lines: `__label__a __label__b and then the words`. A line without a label is an unlabelled
document.
"""

from __future__ import annotations

from collections.abc import Iterator

from textsieve.corpus.batch import Batch, Document, Report, in_batches
from textsieve.corpus.corpus import Corpus
from textsieve.corpus.formats import Format
from textsieve.corpus.source import Source

PREFIX = "__label__"


def corpus(source: Source, format: Format) -> Corpus:
    """The lines of a file."""

    def start(report: Report) -> Iterator[Batch]:
        return in_batches(_documents(source, report))

    return Corpus(str(source.path), start)


def _documents(source: Source, report: Report) -> Iterator[Document]:
    to_labels = source.label_reader(report)
    for number, line in source.lines(report):
        text = line.rstrip("\r\n")
        if number == 1:
            text = text.lstrip("\ufeff")
        if not text:
            report.skip("blank lines")
            continue
        found: list[str] = []
        while text.startswith(PREFIX):
            label, _, text = text.partition(" ")
            found.append(label.removeprefix(PREFIX))
        yield text, to_labels(found if len(found) > 1 else "".join(found), number)
