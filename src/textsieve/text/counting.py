"""Count the terms of a known vocabulary: few documents in plain Python, many with the kernels.

Loading the kernels takes half a second, in which plain Python counts a few documents. Both give the same counts; the
tests compare them with each other and with scikit-learn.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..arrays import CSR, Ints
from ..settings import n_threads
from .reading import Reading
from .vocabulary import Vocabulary


class FewDocuments:
    """Count the terms of texts in plain Python; each text is a row and is given as the list of its terms.

    `known` has the number of each known term: 0, 1, 2, ... With `learn`, other terms get the next numbers, in the order
    in which they first occur; otherwise they are skipped. All occurrences become one array of codes, which is sorted so
    that equal codes can be counted: with n terms, an occurrence of term t in row r has the code r n + t.
    """

    def __init__(self, term_lists: Iterable[list[str]], known: dict[str, int], *, learn: bool) -> None:
        self.numbers = numbers = dict(known) if learn else known  # a copy, since terms are added
        occurrences: list[int] = []  # the term number of each occurrence
        ends = [0]  # where the occurrences of the first 0, 1, 2, ... texts end
        for terms in term_lists:
            if learn:
                for term in terms:
                    numbers.setdefault(term, len(numbers))
            occurrences += [number for number in map(numbers.get, terms) if number is not None]
            ends.append(len(occurrences))
        n_terms = max(len(numbers), 1)  # codes are divided by it below
        rows = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
        codes = rows * n_terms + np.array(occurrences, np.int64)
        codes.sort()
        is_new_code = np.ones(len(codes), np.bool_)
        np.not_equal(codes[1:], codes[:-1], out=is_new_code[1:])
        starts = np.flatnonzero(is_new_code)  # where each run of equal codes starts
        self._counts = np.diff(starts, append=len(codes))
        # `_counts` and `_term_numbers` have an element for each distinct pair of a row and a term, in sorted order.
        rows, self._term_numbers = np.divmod(codes[starts], n_terms)
        self._indptr = np.searchsorted(rows, np.arange(len(ends)))  # where each row begins, and the last one ends

    def new_terms(self, n_known: int) -> list[str]:
        """Return the learned terms in the order of their numbers; `n_known` terms were known before."""
        return list(self.numbers)[n_known:]  # the known terms come first in the dictionary

    def sorted_terms(self) -> tuple[list[str], Ints]:
        """Return all terms in alphabetical order, and their numbers."""
        terms = sorted(self.numbers)
        return terms, np.fromiter((self.numbers[term] for term in terms), np.int64, len(terms))

    def totals(self) -> tuple[Ints, Ints]:
        """Return the document frequency and the number of occurrences of each term, by its number."""
        size = len(self.numbers)
        doc_freq = np.bincount(self._term_numbers, minlength=size)
        occurrences = np.zeros(size, np.int64)
        np.add.at(occurrences, self._term_numbers, self._counts)
        return doc_freq, occurrences

    def rows(self, columns: Ints | None, n_columns: int, *, dtype: type[np.number]) -> CSR:
        """Return the counts as CSR rows.

        `columns` maps term numbers to columns (-1: the term is left out), or is None if term numbers are the columns.
        """
        indices, counts, indptr = self._term_numbers, self._counts, self._indptr.astype(np.int32)
        if columns is not None:
            indices = columns[indices]
            has_column = indices >= 0
            # The new start of a row is the number of remaining entries before its old start.
            n_remaining_before = np.concatenate([[0], np.cumsum(has_column)])
            indptr = n_remaining_before[indptr].astype(np.int32)
            indices, counts = indices[has_column], counts[has_column]
            # Sort the entries of each row by their new columns.
            row_numbers = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
            order = np.lexsort((indices, row_numbers))  # by row, then by column
            indices, counts = indices[order], counts[order]
        return CSR(counts.astype(dtype), indices.astype(np.int32), indptr, n_columns)


LONG_NGRAM = 16
"""Longer n-grams are counted by the kernels even in a few documents, since plain Python creates a string for each."""


def has_long_ngrams(reading: Reading, ngram_range: tuple[int, int]) -> bool:
    """Return whether n-grams of words or characters can be longer than `LONG_NGRAM`."""
    char_ngram_range = reading.analysis.char_ngram_range
    return max(ngram_range[1], 0 if char_ngram_range is None else char_ngram_range[1]) > LONG_NGRAM


def count_known(
    documents: Iterable[Any],
    vocabulary: Vocabulary,
    reading: Reading,
    *,
    n_jobs: int | None = 1,
    dtype: type[np.number] = np.int64,
) -> CSR:
    """Return how often each term of the vocabulary (columns) occurs in each document (rows).

    The result is the same for any number of threads.
    """
    few, texts = reading.few_or_many(documents)
    if few is not None and not has_long_ngrams(reading, vocabulary.ngram_range):
        term_lists = reading.term_lists(few, vocabulary.ngram_range, vocabulary.stop_words)
        few_counts = FewDocuments(term_lists, vocabulary.columns, learn=False)
        return few_counts.rows(columns=None, n_columns=len(vocabulary), dtype=dtype)
    from .tally import slices_for, tally

    threads = n_threads(n_jobs)
    vocabulary_table = vocabulary.table_for(reading)
    slices = slices_for(texts, reading, vocabulary.ngram_range, vocabulary.stop_words)
    tallied = tally(slices, vocabulary_table.table, learn=False, n_jobs=threads)
    return tallied.rows(vocabulary_table.columns, len(vocabulary), dtype=dtype, n_jobs=threads)
