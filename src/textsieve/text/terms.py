"""The terms of the columns of a matrix, most of which are never needed as strings.

Documents can have millions of terms, of which a model keeps a few thousand. So training asks only for the strings of
the columns that it needs (`take`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from ..arrays import Ints

if TYPE_CHECKING:
    from .vocabulary import Vocabulary


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


class VocabularyTerms:
    """The terms of a vocabulary, or of some of its columns, which become strings when they are asked for."""

    def __init__(self, vocabulary: Vocabulary, columns: Ints | None = None) -> None:
        self._vocabulary = vocabulary
        self._columns = columns

    def __len__(self) -> int:
        """Return the number of terms."""
        return len(self._vocabulary) if self._columns is None else len(self._columns)

    def __iter__(self) -> Iterator[str]:
        """Return an iterator over all terms as strings."""
        return iter(self._vocabulary.terms if self._columns is None else self._vocabulary.terms_at(self._columns))

    def take(self, columns: Ints) -> list[str]:
        """Return the terms of some columns as strings, in the order of `columns`."""
        return self._vocabulary.terms_at(columns if self._columns is None else self._columns[columns])

    def subset(self, columns: Ints) -> VocabularyTerms:
        """Return the terms of some columns, in the order of `columns`."""
        return VocabularyTerms(self._vocabulary, columns if self._columns is None else self._columns[columns])


class SpelledTerms(list[str]):
    """Terms that are strings already."""

    def take(self, columns: Ints) -> list[str]:
        """Return the terms of some columns, in the order of `columns`."""
        return [self[column] for column in columns.tolist()]

    def subset(self, columns: Ints) -> SpelledTerms:
        """Return the terms of some columns, in the order of `columns`."""
        return SpelledTerms(self.take(columns))
