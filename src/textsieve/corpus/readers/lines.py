"""Plain text, a document a line, without labels: what there is to predict, more often than not.

A blank line is an empty document, so that what is predicted has a line for each line.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..batch import Batch, Report, in_batches
from ..corpus import Corpus
from ..formats import Format
from ..source import Source


def corpus(source: Source, format: Format) -> Corpus:
    """The lines of a file."""

    def start(report: Report) -> Iterator[Batch]:
        return in_batches((line.rstrip("\r\n"), ()) for _, line in source.lines(report))

    return Corpus(str(source.path), start, multilabel=False)
