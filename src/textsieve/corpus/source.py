"""What a reader is given: a path, and how the caller said it is to be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .batch import Report
from .bounds import DEFAULT, Bounds
from .labels import LabelReader
from .streams import read_lines, read_text

Column = str | int
"""The name of a column, or its number from 0 in a table without a header."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file or folder to be read."""

    path: Path
    encoding: str = "utf-8"
    text: Column | None = None
    label: Column | bool | None = None
    label_separator: str | None = None
    texts_only: bool = False
    """Whether nobody asks for the labels: there may be none, and those that there are need not be sound."""
    keep: tuple[Column, ...] = ()
    """What else is wanted of each document: other columns, or for a folder "file"."""
    lenient: bool = False
    """Whether lines of JSON that can't be read are left out, and their places noted in the report."""
    usual_text: str | None = None
    usual_label: str | None = None
    """Names to be tried before the conventional ones, where none is given: what these columns were called before."""
    usual_label_separator: str | None = None
    """What separates labels where nothing else is said, in formats with columns: what separated them before."""
    bounds: Bounds = DEFAULT

    @property
    def names(self) -> tuple[object, ...]:
        """Those of the text's and the label's column that were given or are usual."""
        return self.text, self.label, self.usual_text, self.usual_label

    def lines(self, report: Report, *, newline: str = "\n") -> Iterator[tuple[int, str]]:
        """Yield the numbered lines of the file, each with its ending."""
        return read_lines(self.path, self.encoding, report, self.bounds, newline=newline)

    def text_pieces(self, report: Report) -> Iterator[str]:
        """Yield the text of the file in pieces that may end anywhere."""
        return read_text(self.path, self.encoding, report, self.bounds)

    def label_reader(self, report: Report, *, place: str = "line {}", may_be_joined: bool = False) -> LabelReader:
        """What converts the labels of one pass."""
        return LabelReader(
            f"{self.path}: ", place, report=report, separator=self.label_separator, may_be_joined=may_be_joined
        )
