"""One or a few documents, counted in plain Python.

The kernels take half a second to load, and a single document is split faster than that. The result is the same;
the tests hold the two ways against each other, and against scikit-learn.
"""

from collections import Counter
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from .words import terms_of

Ints = NDArray[np.int64]


class FewDocuments:
    """The counts of some prepared texts. Terms are numbered in the order of their first use, after the known ones."""

    def __init__(
        self,
        texts: Iterable[str],
        known: dict[str, int],
        *,
        learn: bool,
        ngram_range: tuple[int, int],
        stop_words: frozenset[str],
    ) -> None:
        self.numbers = dict(known) if learn else known
        self._row_ends = [0]
        self._columns: list[int] = []
        self._counts: list[int] = []
        for text in texts:
            counted = Counter(terms_of(text, ngram_range, stop_words))
            if learn:
                for term in counted:
                    self.numbers.setdefault(term, len(self.numbers))
            numbers = list(map(self.numbers.get, counted))
            self._columns += [number for number in numbers if number is not None]
            self._counts += [
                count for count, number in zip(counted.values(), numbers, strict=True) if number is not None
            ]
            self._row_ends.append(len(self._columns))

    def new_terms(self, n_known: int) -> list[str]:
        """The terms that were learned, in the order of their numbers."""
        return list(self.numbers)[n_known:]

    def in_order(self) -> tuple[list[str], Ints]:
        """All terms, sorted, and their numbers."""
        terms = sorted(self.numbers)
        return terms, np.fromiter((self.numbers[term] for term in terms), np.int64, len(terms))

    def totals(self) -> tuple[Ints, Ints]:
        """In how many documents each term is, and how often in all, by its number."""
        size = len(self.numbers)
        doc_freq = np.bincount(np.array(self._columns, np.int64), minlength=size)
        occurrences = np.zeros(size, np.int64)
        np.add.at(occurrences, self._columns, self._counts)
        return doc_freq, occurrences

    def matrix(self, columns: Ints | None, n_columns: int, *, dtype: type[np.number]) -> csr_matrix:
        """The counts as a matrix, a term's number giving its column (-1: none; None: the number itself)."""
        row_ends = np.array(self._row_ends, np.int32)
        indices = np.array(self._columns, np.int32)
        data = np.array(self._counts, np.int64).astype(dtype)
        if columns is not None:
            indices = columns[indices].astype(np.int32)
            kept = indices >= 0
            row_ends = np.concatenate([np.zeros(1, np.int32), np.cumsum(kept, dtype=np.int32)])[row_ends]
            indices, data = indices[kept], data[kept]
        counts = csr_matrix((data, indices, row_ends), shape=(len(row_ends) - 1, n_columns))
        counts.sort_indices()
        return counts
