"""`Source`: a path and the options for reading it, as passed to the readers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .batch import Report
from .bounds import DEFAULT, ReadLimits
from .labels import LabelReader
from .streams import read_lines, read_text

Column = str | int
"""The name of a column, or its number, from 0, in a table without a header."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file or folder, and how to read it."""

    path: Path
    encoding: str = "utf-8"
    text: Column | None = None
    label: Column | bool | None = None
    label_separator: str | None = None
    texts_only: bool = False
    """Whether labels are ignored: there may be none, and invalid ones raise no error."""
    keep: tuple[Column, ...] = ()
    """Other columns to read for each document, or "file" for a folder."""
    lenient: bool = False
    """Whether to skip lines of JSON that can't be parsed, and list their places in the report."""
    usual_text: str | None = None
    usual_label: str | None = None
    """Names to try before the conventional ones if none is given, such as those of the training data."""
    usual_label_separator: str | None = None
    """Default label separator for formats with columns, such as that of the training data."""
    bounds: ReadLimits = DEFAULT

    @property
    def names(self) -> tuple[object, ...]:
        """Return the given and usual names of the text and label columns."""
        return self.text, self.label, self.usual_text, self.usual_label

    def lines(self, report: Report, *, newline: str = "\n") -> Iterator[tuple[int, str]]:
        """Yield the numbered lines of the file, each with its line ending."""
        return read_lines(self.path, self.encoding, report, self.bounds, newline=newline)

    def text_pieces(self, report: Report) -> Iterator[str]:
        """Yield the text of the file in pieces that may end anywhere."""
        return read_text(self.path, self.encoding, report, self.bounds)

    def label_reader(self, report: Report, *, place: str = "line {}", may_be_joined: bool = False) -> LabelReader:
        """Return the converter for the labels of one pass."""
        return LabelReader(
            str(self.path), place, report=report, separator=self.label_separator, may_be_joined=may_be_joined
        )
