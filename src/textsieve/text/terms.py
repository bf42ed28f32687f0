"""The terms of the columns of a matrix, most of which are never needed as strings.

Documents can have millions of terms, of which a model keeps a few thousand. So training asks only for the strings of
the columns that it needs (`take`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from ..arrays import Ints


class Terms(Protocol):
    """Terms in the order of their columns."""

    def __len__(self) -> int:
        """Return the number of terms."""

    def __iter__(self) -> Iterator[str]:
        """Return an iterator over all terms as strings."""

    def take(self, columns: Ints) -> list[str]:
        """Return the terms of some columns as strings, in the order of `columns`."""

    def subset(self, columns: Ints) -> Terms:
        """Return the terms of some columns, in the order of `columns`; these need not become strings now."""


class SpelledTerms(list[str]):
    """Terms that are strings already."""

    def take(self, columns: Ints) -> list[str]:
        """Return the terms of some columns, in the order of `columns`."""
        return [self[column] for column in columns.tolist()]

    def subset(self, columns: Ints) -> SpelledTerms:
        """Return the terms of some columns, in the order of `columns`."""
        return SpelledTerms(self.take(columns))
