"""The terms of a counter in the order of their columns, in the three forms that its users want.

A list to show, a dictionary to look one up, a table for the kernels. Each is made when it is first asked for: a model
that predicts one document never needs the table, and a stream that grows by millions of terms never needs the list.
Only the terms themselves are pickled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .table import TermTable


def columns_of(numbers: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """The column of each of `size` numbers, given the numbers in the order of their columns (-1: no number)."""
    columns = np.full(size, -1, np.int64)
    has_number = numbers >= 0
    columns[numbers[has_number]] = np.flatnonzero(has_number)
    return columns


_NONE = np.zeros(0, np.int64)


class Vocabulary:
    """Terms and their columns. It can grow at the end, by terms or by a table that learned."""

    def __init__(
        self,
        terms: Sequence[str],
        ngram_range: tuple[int, int],
        stop_words: frozenset[str],
        *,
        pruned: bool = False,
    ) -> None:
        self.ngram_range = ngram_range
        self.stop_words = stop_words
        self.pruned = pruned  # some terms of the documents were dropped on purpose
        self._terms = list(terms)
        self._size = len(self._terms)
        self._columns: dict[str, int] | None = None
        self._table: TermTable | None = None
        self._table_numbers = _NONE  # of each column; -1: no text can give the term
        self._table_columns = _NONE  # of each number; -1: it has no column

    def __len__(self) -> int:
        """How many terms there are."""
        return self._size

    def __getstate__(self) -> dict[str, Any]:
        """What a pickle holds: the terms, and how they are read off a text."""
        names = ("terms", "ngram_range", "stop_words", "pruned")
        return {name: getattr(self, name) for name in names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take up a pickled state."""
        self.__init__(**state)  # type: ignore[misc]

    @property
    def terms(self) -> list[str]:
        """The terms, in the order of their columns."""
        if len(self._terms) < self._size:
            assert self._table is not None
            self._terms += self._table.spelled(self._table_numbers[len(self._terms) :])
        return self._terms

    @property
    def columns(self) -> dict[str, int]:
        """The column of each term."""
        if self._columns is None or len(self._columns) < self._size:
            self._columns = dict(zip(self.terms, range(self._size), strict=True))
        return self._columns

    @property
    def has_table(self) -> bool:
        """Whether the kernels' table is there already."""
        return self._table is not None

    def table(self, *, fold_ascii: bool) -> TermTable:
        """The kernels' table of these terms."""
        if self._table is None:
            from .table import TermTable

            self._table = TermTable(self.ngram_range, self.stop_words, fold_ascii=fold_ascii)
            self._table_numbers = self._table.add_terms(self.terms)
            self._table_columns = columns_of(self._table_numbers, self._table.size)
        return self._table

    def drop_table(self) -> None:
        """Forget the kernels' table, and with it what it may have learned that is no term yet."""
        self._terms = self.terms
        self._table, self._table_numbers, self._table_columns = None, _NONE, _NONE

    def column_of_number(self) -> NDArray[np.int64]:
        """The column of each number of the table, -1 where it has none."""
        return self._table_columns

    def grow(self, terms: Sequence[str]) -> None:
        """Add terms that are new."""
        self.drop_table()
        self._terms = self._terms + list(terms)
        self._size = len(self._terms)

    def grow_with_table(self, size_before: int) -> None:
        """Take in what the table learned since it had that size."""
        assert self._table is not None
        learned = self._table.countable(size_before)
        columns = np.where(learned, self._size - 1 + np.cumsum(learned), -1)
        self._table_numbers = np.concatenate([self._table_numbers, np.flatnonzero(learned) + size_before])
        self._table_columns = np.concatenate([self._table_columns, columns])
        self._size = len(self._table_numbers)
