"""Read plain text with one unlabelled document per line, mostly for prediction.

A blank line is an empty document, so that predictions have a line for each input line.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..batch import Batch, Report, in_batches
from ..corpus import Corpus
from ..formats import Format
from ..source import Source


def corpus(source: Source, format: Format) -> Corpus:
    """Return the lines of a file as a corpus."""

    def start(report: Report) -> Iterator[Batch]:
        return in_batches((line.rstrip("\r\n"), ()) for _, line in source.lines(report))

    return Corpus(str(source.path), start, multilabel=False)
