"""Read formats with one document per line: plain text, and fastText's `__label__a __label__b and then the words`.

Documents in plain text are unlabelled, and mostly meant for prediction. A blank line is an empty document, so that
there is one prediction for each line of the input. In fastText's format, a line without a label is an unlabelled
document, and blank lines are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..batch import Document, Report, in_batches
from ..corpus import Corpus
from ..formats import Format
from ..source import Source

LABEL = re.compile(r"__label__(\S*+)\s*+")


def corpus(source: Source, format: Format) -> Corpus:
    """Return the lines of a file as a corpus."""
    is_fasttext = format.name == "fasttext"
    read_documents = _fasttext_documents if is_fasttext else _plain_documents
    multilabel = None if is_fasttext else False  # None: only a complete pass shows it
    return Corpus(str(source.path), lambda report: in_batches(read_documents(source, report)), multilabel=multilabel)


def _plain_documents(source: Source, report: Report) -> Iterator[Document]:
    """Yield each line as an unlabelled document."""
    return ((line.rstrip("\r\n"), ()) for _, line in source.lines(report))


def _fasttext_documents(source: Source, report: Report) -> Iterator[Document]:
    """Yield the text after the labels of each line, and the labels; blank lines are skipped."""
    read_labels = source.label_reader(report)
    for number, line in source.lines(report):
        text = line.strip()
        if not text:
            report.skip("blank lines")
            continue
        labels: list[str] = []
        end_of_labels = 0
        while match := LABEL.match(text, end_of_labels):
            labels.append(match[1])
            end_of_labels = match.end()
        # A single label is passed as a string, because a list would make the corpus multilabel; no label is "".
        yield text[end_of_labels:], read_labels(labels if len(labels) > 1 else "".join(labels), number)
