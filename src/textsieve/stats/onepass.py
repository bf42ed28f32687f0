"""Compute a table of statistics in one pass over the rows of a matrix.

Small integer counts have a faster method (`integer_counts.py`). All other matrices are processed class by class, so
that the sums of the current class stay in the processor's cache. After each class, its sums are moved to the table and
reset to zero for the next class.
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ..arrays import Counts, Floats, Ints
from ..errors import InputError
from ..kernels.class_sums import (
    add_counts,
    add_repeated_counts,
    add_repeated_weights,
    add_weights,
    drain_counts,
    drain_weights,
    seen_terms,
)
from .integer_counts import InvalidRowError, Matrix, is_suitable, sum_counts
from .labels import LabelPairs
from .matrix import sort_columns
from .table import Cells, Sums, Table, Totals, empty
from .weights import LARGEST_COUNT, are_integers


def from_rows(rows: csr_array, labels: LabelPairs) -> Table:
    """Return the statistics of documents given as sparse rows, whose columns are sorted first if necessary."""
    matrix = Matrix(rows.indptr, rows.indices, rows.data, rows.shape[1])
    try:  # the fast method for small integers, which returns None if too many values are not small
        totals_and_cells = sum_counts(matrix, labels) if is_suitable(matrix, labels) else None
    except InvalidRowError:  # sort the columns and start again; `sort_columns` raises if the arrays are inconsistent
        return from_rows(sort_columns(rows), labels)
    if totals_and_cells is None:
        # Some rows may not have been checked yet, because `sum_counts` was not called, or has stopped early.
        # `sort_columns` checks them.
        totals_and_cells = _sum_used_columns(sort_columns(rows), labels)
    class_docs = np.diff(labels.class_starts)
    return Table(labels.classes, labels.n_documents, rows.shape[1], class_docs, *totals_and_cells)


def from_weighted_rows(rows: csr_array, labels: LabelPairs, sample_weight: Floats) -> Table:
    """Return the statistics of documents with sample weights, given as sparse rows with sorted columns.

    Counts are integers if all weights are integers and no count is above `LARGEST_COUNT`, otherwise floats.
    """
    pair_weights = sample_weight[labels.documents]  # of each (document, class) pair
    largest_count = max(float(sample_weight.sum()), float(pair_weights.sum()))
    count_type = np.int64 if are_integers(sample_weight) and largest_count <= LARGEST_COUNT else np.float64
    totals, cells = _sum_used_columns(rows, labels, sample_weight.astype(count_type))
    if not all(np.isfinite(sums.value).all() for sums in (totals.sums, totals.squares, cells.sums)):
        raise InputError(
            "X has values so large that their squares, times sample_weight, have no sum", hint="scale them down"
        )
    class_numbers = np.repeat(np.arange(len(labels.classes)), np.diff(labels.class_starts))
    class_docs = np.bincount(class_numbers, pair_weights, len(labels.classes)).astype(count_type)
    n_documents = sample_weight.astype(count_type).sum().item()
    return Table(labels.classes, n_documents, rows.shape[1], class_docs, totals, cells)


def _sum_used_columns(rows: csr_array, labels: LabelPairs, sample_weight: Counts | None = None) -> tuple[Totals, Cells]:
    """Return the statistics of rows with sorted columns: totals over all documents, and cells (class, term).

    A small batch of a large vocabulary has values in few columns. Then these are renumbered, so that time and memory
    depend on the columns in use and not on all.
    """
    n_columns = rows.shape[1]
    if n_columns <= 2 * rows.nnz:  # most columns may be in use
        return _sum_by_class(Matrix(rows.indptr, rows.indices, rows.data, n_columns), labels, sample_weight)
    used_columns = _distinct_columns(rows.indices, n_columns)
    new_column = np.empty(n_columns, rows.indices.dtype)  # undefined for unused columns, which are never looked up
    new_column[used_columns] = np.arange(len(used_columns))
    matrix = Matrix(rows.indptr, new_column[rows.indices], rows.data, len(used_columns))
    # The method for small integer counts may be suitable now, because there are fewer columns. It can't raise
    # `InvalidRowError` here, because the columns are sorted.
    totals_and_cells = sum_counts(matrix, labels) if sample_weight is None and is_suitable(matrix, labels) else None
    totals, cells = totals_and_cells or _sum_by_class(matrix, labels, sample_weight)
    return totals._replace(terms=used_columns[totals.terms]), cells._replace(terms=used_columns[cells.terms])


def _distinct_columns(columns: NDArray[Any], n_columns: int) -> Ints:
    """Return the distinct columns in ascending order; marking them is faster than sorting unless there are very few."""
    if len(columns) < n_columns // 64:
        return np.unique(columns).astype(np.int64)
    is_used = np.zeros(n_columns, np.bool_)
    is_used[columns] = True
    return np.flatnonzero(is_used)


def _sum_by_class(matrix: Matrix, labels: LabelPairs, sample_weight: Counts | None) -> tuple[Totals, Cells]:
    """Return totals over all documents and cells (class, term), for any values, by adding one class after the other."""
    sums = _RunningSums(*matrix, sample_weight)
    cells_by_class = [sums.add_class(labels.of_class(number)) for number in range(len(labels.classes))]
    n_labelled = np.count_nonzero(np.bincount(labels.documents))
    is_multilabel = len(labels.documents) > n_labelled  # some document has more than one pair
    if is_multilabel:
        # The classes have added some documents to the totals more than once, so compute the totals anew.
        sums.reset_totals()
        sums.add_to_totals(np.arange(labels.n_documents))
    else:
        sums.add_to_totals(labels.unlabelled())
    return sums.totals(), _concatenate_cells(cells_by_class, sums.count_type)


class _RunningSums:
    """Document frequency, sum and sum of squares of each term, in the current class and over all documents.

    They are stored in two arrays with a row for each term: one for the current class, one for all documents. If the
    values of the matrix and the sample weights are integers and small enough, the arrays have integers, so that sums
    are exact. The four columns are document frequency, sum, sum of squares, and padding to half a cache line.
    Otherwise, the arrays have floats. The five columns are document frequency, sum and its rest (the rounding error),
    sum of squares and its rest.
    """

    def __init__(
        self,
        indptr: NDArray[Any],
        indices: NDArray[Any],
        data: NDArray[Any],
        n_terms: int,
        sample_weight: Counts | None,
    ) -> None:
        self._csr_arrays = indptr, indices, data
        self.count_type = np.dtype(np.int64) if sample_weight is None else sample_weight.dtype
        largest_weight = 1 if sample_weight is None else sample_weight.max(initial=1).item()
        has_integers = data.dtype.kind == "i" and self.count_type == np.int64
        self._is_exact = has_integers and _squares_fit(data, largest_weight)
        self._add: Any = add_counts if self._is_exact else add_weights
        if sample_weight is not None:  # add each document as often as its weight says
            self._add = partial(add_repeated_counts if self._is_exact else add_repeated_weights, sample_weight)
        self._drain: Any = drain_counts if self._is_exact else drain_weights
        sum_type, n_columns = (np.int64, 4) if self._is_exact else (np.float64, 5)
        self._class_sums = np.zeros((n_terms, n_columns), sum_type)
        self._grand_totals = np.zeros((n_terms, n_columns), sum_type)
        self._terms = np.empty(n_terms, np.int64)  # space for the terms of a class
        # 1 for each term of the current class; the size is a multiple of 8, because kernels read words of 8 bytes.
        self._seen = np.zeros(-(-n_terms // 8) * 8, np.uint8)

    def add_class(self, documents: Ints) -> tuple[Ints, Counts, Sums]:
        """Add the documents of a class to the totals; return its terms, with their document frequencies and sums."""
        self._add(documents, *self._csr_arrays, self._class_sums, self._seen)
        n_cells = seen_terms(self._seen, self._terms)
        terms, doc_freq = self._terms[:n_cells].copy(), np.empty(n_cells, self.count_type)
        # Moves the sums of the class to the totals, and resets them.
        values, rests = self._drain(terms, self._class_sums, self._grand_totals, doc_freq)
        return terms, doc_freq, Sums(values, rests)

    def add_to_totals(self, documents: Ints) -> None:
        """Add documents to the totals only.

        This must follow the last `add_class`, because it leaves marks in `_seen`.
        """
        self._add(documents, *self._csr_arrays, self._grand_totals, self._seen)

    def reset_totals(self) -> None:
        """Set the totals over all documents to zero."""
        self._grand_totals[:] = 0

    def totals(self) -> Totals:
        """Return the document frequencies, sums and sums of squares of each term over all documents."""
        columns: NDArray[Any] = self._grand_totals.T.copy()  # copied, so that each column is contiguous
        terms = np.flatnonzero(columns[0])  # the terms that occur
        if len(terms) < columns.shape[1]:
            columns = columns[:, terms]
        doc_freq = columns[0].astype(self.count_type)
        if self._is_exact:  # integers: columns 1 and 2 are sums and sums of squares
            return Totals(terms, doc_freq, Sums.from_integers(columns[1]), Sums.from_integers(columns[2]))
        # Floats: each sum is followed by its rest, the rounding error.
        return Totals(terms, doc_freq, Sums.normalised(*columns[1:3]), Sums.normalised(*columns[3:5]))


def _squares_fit(data: NDArray[Any], largest_weight: int) -> bool:
    """Return whether the weighted sum of all squares certainly fits into a 64-bit integer."""
    largest = max(-int(data.min()), int(data.max())) if data.size else 0  # the largest absolute value
    return largest * largest * data.size * largest_weight < 1 << 62


def _concatenate_cells(cells_by_class: list[tuple[Ints, Counts, Sums]], count_type: np.dtype[Any]) -> Cells:
    """Join the terms, document frequencies and sums of all classes; document frequencies are of type `count_type`."""
    if not cells_by_class:
        cells = empty(0).cells
        return cells._replace(doc_freq=cells.doc_freq.astype(count_type))
    terms, doc_freq, sums = zip(*cells_by_class, strict=True)
    class_starts = np.cumsum([0, *map(len, terms)])
    values, rests = zip(*sums, strict=True)
    all_sums = Sums(np.concatenate(values), np.concatenate(rests))
    return Cells(class_starts, np.concatenate(terms), np.concatenate(doc_freq), all_sums)
