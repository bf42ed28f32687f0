"""One or a few documents, counted in plain Python.

The kernels take half a second to load, and a single document is split faster than that. The result is the same;
the tests hold the two ways against each other, and against scikit-learn.
"""

from collections import Counter
from collections.abc import Iterable
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from .rows import Rows
from .words import Forms, terms_of

Ints = NDArray[np.int64]

_NONE = np.zeros(0, np.int64)


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
        forms: Forms | None = None,
        joins_names: bool = False,
    ) -> None:
        self.numbers = dict(known) if learn else known
        self._row_ends = [0]
        columns: list[Ints] = [_NONE]
        counts: list[Ints] = [_NONE]
        for text in texts:
            counted = Counter(terms_of(text, ngram_range, stop_words, forms, joins_names=joins_names))
            if learn:
                for term in counted:
                    self.numbers.setdefault(term, len(self.numbers))
            numbers = np.fromiter(map(self.numbers.get, counted, repeat(-1)), np.int64, len(counted))
            known_terms = numbers >= 0
            columns.append(numbers[known_terms])
            counts.append(np.fromiter(counted.values(), np.int64, len(counted))[known_terms])
            self._row_ends.append(self._row_ends[-1] + len(columns[-1]))
        self._columns = np.concatenate(columns)
        self._counts = np.concatenate(counts)

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
        doc_freq = np.bincount(self._columns, minlength=size)
        occurrences = np.zeros(size, np.int64)
        np.add.at(occurrences, self._columns, self._counts)
        return doc_freq, occurrences

    def rows(self, columns: Ints | None, n_columns: int, *, dtype: type[np.number]) -> Rows:
        """The counts as rows, a term's number giving its column (-1: none; None: the number itself)."""
        indices, counts, starts = self._columns, self._counts, np.array(self._row_ends, np.int32)
        if columns is not None:
            indices = columns[indices]
            kept = indices >= 0
            starts = np.concatenate([[0], np.cumsum(kept)])[starts].astype(np.int32)
            indices, counts = indices[kept], counts[kept]
        order = np.lexsort((indices, np.repeat(np.arange(len(starts) - 1), np.diff(starts))))
        return Rows(counts[order].astype(dtype), indices[order].astype(np.int32), starts, n_columns)
