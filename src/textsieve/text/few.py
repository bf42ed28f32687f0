"""One or a few documents, counted in plain Python.

The kernels take half a second to load, and a single document is split faster than that. The result is the same;
the tests hold the two ways against each other, and against scikit-learn.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from .rows import Rows
from .words import Forms, terms_of

Ints = NDArray[np.int64]


class FewDocuments:
    """The counts of some prepared texts. Terms are numbered in the order of their first use, after the known ones.

    All texts are put into one list of numbers, and counted at once: an occurrence of term t in row r is r n + t, with n
    terms, and of these the different ones are looked for, in order.
    """

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
        self.numbers = numbers = dict(known) if learn else known
        occurring: list[int] = []
        ends = [0]
        for text in texts:
            terms = terms_of(text, ngram_range, stop_words, forms, joins_names=joins_names)
            if learn:
                for term in terms:
                    numbers.setdefault(term, len(numbers))
            occurring += [number for number in map(numbers.get, terms) if number is not None]
            ends.append(len(occurring))
        size = max(len(numbers), 1)
        rows = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
        places = rows * size + np.array(occurring, np.int64)
        places.sort()
        is_first = np.ones(len(places), np.bool_)
        np.not_equal(places[1:], places[:-1], out=is_first[1:])
        firsts = np.flatnonzero(is_first)
        self._counts = np.diff(firsts, append=len(places))
        rows, self._columns = np.divmod(places[firsts], size)
        self._row_ends = np.searchsorted(rows, np.arange(len(ends)))

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
        indices, counts, starts = self._columns, self._counts, self._row_ends.astype(np.int32)
        if columns is not None:
            indices = columns[indices]
            kept = indices >= 0
            starts = np.concatenate([[0], np.cumsum(kept)])[starts].astype(np.int32)
            indices, counts = indices[kept], counts[kept]
            order = np.lexsort((indices, np.repeat(np.arange(len(starts) - 1), np.diff(starts))))
            indices, counts = indices[order], counts[order]
        return Rows(counts.astype(dtype), indices.astype(np.int32), starts, n_columns)
