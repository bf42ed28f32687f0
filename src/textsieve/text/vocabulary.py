"""The terms of a counter in the order of their columns, in the three forms that its users want.

A list to show, a dictionary to look one up, a table for the kernels. Each is made when it is first asked for: a model
that predicts one document never needs the table, and a stream that grows by millions of terms never needs the list.
Only the terms themselves are pickled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, shown
from .documents import Reading

if TYPE_CHECKING:
    from .table import TermTable


def columns_of(numbers: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """The column of each of `size` numbers, given the numbers in the order of their columns (-1: no number)."""
    columns = np.full(size, -1, np.int64)
    has_number = numbers >= 0
    columns[numbers[has_number]] = np.flatnonzero(has_number)
    return columns


def given_terms(vocabulary: Mapping[str, int] | Iterable[str]) -> list[str]:
    """The terms of a vocabulary that a user gives, in the order of their columns; of a set, in that of the alphabet."""
    if isinstance(vocabulary, Mapping):
        terms = sorted(vocabulary, key=vocabulary.__getitem__)
        if [vocabulary[term] for term in terms] != list(range(len(terms))):
            raise InputError("vocabulary must number its terms 0, 1, 2, ... without gaps or repetitions.")
    else:
        terms = each_once(sorted(vocabulary) if isinstance(vocabulary, set | frozenset) else vocabulary)
    if not terms:
        raise InputError("vocabulary is empty; give at least one term, or leave it out to learn them.")
    return terms


def each_once(terms: Iterable[str]) -> list[str]:
    """The terms as a list, in which none may be twice."""
    if isinstance(terms, str):
        raise InputError(f"vocabulary is the string {shown(terms)}; give a list of terms.")
    listed = list(terms)
    for term, times in Counter(listed).items():
        if not isinstance(term, str) or times > 1:
            wrong = "twice" if isinstance(term, str) else "which is no text"
            raise InputError(f"vocabulary has the term {shown(term)} {wrong}.")
    return listed


class Tabled(NamedTuple):
    """The kernels' table of a vocabulary, and how its numbers and the vocabulary's columns go together."""

    table: TermTable
    numbers: NDArray[np.int64]  # of each column; -1: no text can give the term
    columns: NDArray[np.int64]  # of each number; -1: it has no column
    reading: Reading


class Vocabulary:
    """Terms and their columns. It can grow at the end, by terms or by a table that learned.

    Several threads may read it at once; each form is made whole before it is seen.
    """

    def __init__(
        self, terms: Sequence[str], ngram_range: tuple[int, int], stop_words: frozenset[str], *, pruned: bool = False
    ) -> None:
        self.ngram_range = ngram_range
        self.stop_words = stop_words
        self.pruned = pruned  # some terms of the documents were dropped on purpose
        self._terms = list(terms)
        self._size = len(self._terms)
        self._columns: dict[str, int] | None = None
        self._tabled: Tabled | None = None

    def __len__(self) -> int:
        """How many terms there are."""
        return self._size

    def __getstate__(self) -> dict[str, Any]:
        """What a pickle holds: the terms, and how they are read off a text."""
        return {name: getattr(self, name) for name in ("terms", "ngram_range", "stop_words", "pruned")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take up a pickled state."""
        self.__dict__.update(Vocabulary(**state).__dict__)

    @property
    def terms(self) -> list[str]:
        """The terms, in the order of their columns."""
        terms, tabled = self._terms, self._tabled
        if len(terms) < self._size and tabled is not None:
            terms = self._terms = terms + tabled.table.spelled(tabled.numbers[len(terms) :])
        return terms

    @property
    def columns(self) -> dict[str, int]:
        """The column of each term."""
        columns = self._columns
        if columns is None or len(columns) < self._size:
            columns = self._columns = dict(zip(self.terms, range(self._size), strict=True))
        return columns

    @property
    def has_table(self) -> bool:
        """Whether the kernels' table is there already."""
        return self._tabled is not None

    def tabled(self, reading: Reading) -> Tabled:
        """The kernels' table of these terms, for documents that are read in this way."""
        tabled = self._tabled
        if tabled is None or tabled.reading != reading:
            from .table import TermTable

            table = TermTable.for_reading(reading, self.ngram_range, self.stop_words)
            numbers = table.add_terms(self.terms)
            tabled = self._tabled = Tabled(table, numbers, columns_of(numbers, table.size), reading)
        return tabled

    def drop_table(self) -> None:
        """Forget the kernels' table, and with it what it may have learned that is no term yet."""
        self._terms = self.terms
        self._tabled = None

    def grow(self, terms: Sequence[str]) -> None:
        """Add terms that are new."""
        self.drop_table()
        self._terms = self._terms + list(terms)
        self._size = len(self._terms)

    def grow_with_table(self, before: Tabled) -> NDArray[np.int64]:
        """Take in what the table learned since it was asked for; gives the column of each of its numbers."""
        n_known = len(before.columns)
        learned = before.table.countable(n_known)
        columns = np.concatenate([before.columns, np.where(learned, self._size - 1 + np.cumsum(learned), -1)])
        numbers = np.concatenate([before.numbers, np.flatnonzero(learned) + n_known])
        self._tabled = before._replace(numbers=numbers, columns=columns)
        self._size = len(numbers)
        return columns
