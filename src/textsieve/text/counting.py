"""Count the terms of a known vocabulary: few documents in plain Python, many with the kernels.

Loading the kernels takes half a second, in which plain Python counts a few documents. Both give the same counts; the
tests compare them with each other and with scikit-learn.
"""

from collections.abc import Iterable

import numpy as np

from ..arrays import Ints
from ..settings import n_threads
from .csr import CSR
from .reading import Reading
from .vocabulary import Vocabulary
from .words import Forms, terms_of


class FewDocuments:
    """Count prepared texts in plain Python. New terms are numbered in the order of first use, after the known ones.

    All texts become one list of numbers that is counted at once: with n terms, an occurrence of term t in row r is r n
    + t, and the distinct numbers are found by sorting.
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
        """Return the learned terms in the order of their numbers."""
        return list(self.numbers)[n_known:]

    def in_order(self) -> tuple[list[str], Ints]:
        """Return all terms, sorted, and their numbers."""
        terms = sorted(self.numbers)
        return terms, np.fromiter((self.numbers[term] for term in terms), np.int64, len(terms))

    def totals(self) -> tuple[Ints, Ints]:
        """Return the document frequency and the number of occurrences of each term, by its number."""
        size = len(self.numbers)
        doc_freq = np.bincount(self._columns, minlength=size)
        occurrences = np.zeros(size, np.int64)
        np.add.at(occurrences, self._columns, self._counts)
        return doc_freq, occurrences

    def rows(self, columns: Ints | None, n_columns: int, *, dtype: type[np.number]) -> CSR:
        """Return the counts as rows; `columns` maps term numbers to columns (-1: none), or is None if they are the
        same.
        """
        indices, counts, starts = self._columns, self._counts, self._row_ends.astype(np.int32)
        if columns is not None:
            indices = columns[indices]
            is_known = indices >= 0
            starts = np.concatenate([[0], np.cumsum(is_known)])[starts].astype(np.int32)
            indices, counts = indices[is_known], counts[is_known]
            order = np.lexsort((indices, np.repeat(np.arange(len(starts) - 1), np.diff(starts))))
            indices, counts = indices[order], counts[order]
        return CSR(counts.astype(dtype), indices.astype(np.int32), starts, n_columns)


LONG_RUN = 16
"""Longer runs of words are looked for by the kernels even in a few documents: plain Python spells all of them out."""


def count_known(
    documents: Iterable[str | bytes],
    vocabulary: Vocabulary,
    reading: Reading,
    *,
    n_jobs: int | None = 1,
    dtype: type[np.number] = np.int64,
) -> CSR:
    """Return how often each term of the vocabulary occurs in each document, the same for any number of threads."""
    few, texts = reading.few_or_many(documents)
    if few is not None and vocabulary.ngram_range[1] <= LONG_RUN:
        counted = FewDocuments(
            few,
            vocabulary.columns,
            learn=False,
            ngram_range=vocabulary.ngram_range,
            stop_words=vocabulary.stop_words,
            **reading.words_are,
        )
        return counted.rows(None, len(vocabulary), dtype=dtype)
    from .tally import encoded_slices, tally

    threads = n_threads(n_jobs)
    tabled = vocabulary.tabled(reading)
    tallied = tally(encoded_slices(texts), tabled.table, learn=False, n_jobs=threads)
    return tallied.rows(tabled.columns, len(vocabulary), dtype=dtype, n_jobs=threads)
