"""One pass over the rows of a matrix fills a table of statistics.

Counts go the fast way (`counted.py`). For all else documents are visited class by class, so that what is added to stays
in the processor's cache; when a class is done its terms are moved to the table, and what is left is empty for the next
class.
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
from .counted import DisorderError, Matrix, counted, is_for
from .labels import LabelPairs
from .soundness import in_order
from .sums import Sums
from .table import Cells, Table, Totals, empty
from .weights import MOST_DOCUMENTS, are_whole


def from_rows(rows: csr_array, labels: LabelPairs) -> Table:
    """Return the statistics of documents given as sparse rows, which are sorted first if necessary."""
    matrix = Matrix(rows.indptr, rows.indices, rows.data, rows.shape[1])
    try:
        packed = counted(matrix, labels) if is_for(matrix, labels) else None
    except DisorderError:
        return from_rows(in_order(rows), labels)
    # The fast way stops at the first value that it is not for, and nobody has looked at the rows behind it.
    totals, cells = packed or _of_used_columns(in_order(rows), labels)
    class_docs = np.diff(labels.class_starts)
    return Table(labels.classes, labels.n_documents, rows.shape[1], class_docs, totals, cells)


def from_weighted_rows(rows: csr_array, labels: LabelPairs, weights: Floats) -> Table:
    """Return the statistics of weighted documents in rows that are in order.

    Counts are integers if all weights are integers, otherwise floats.
    """
    most = max(float(weights.sum()), float(weights[labels.documents].sum()))
    kind = np.int64 if are_whole(weights) and most <= MOST_DOCUMENTS else np.float64
    totals, cells = _of_used_columns(rows, labels, weights.astype(kind))
    if not all(np.isfinite(sums.value).all() for sums in (totals.sums, totals.squares, cells.sums)):
        raise InputError("X has values so large that their squares, times sample_weight, have no sum; scale them down.")
    numbers = np.repeat(np.arange(len(labels.classes)), np.diff(labels.class_starts))
    class_docs = np.bincount(numbers, weights[labels.documents], len(labels.classes)).astype(kind)
    return Table(labels.classes, weights.astype(kind).sum().item(), rows.shape[1], class_docs, totals, cells)


def _of_used_columns(rows: csr_array, labels: LabelPairs, weights: Counts | None = None) -> tuple[Totals, Cells]:
    """Return the totals and cells of rows that are in order.

    In a small batch with a large vocabulary most columns are empty, and only the others are visited.
    """
    n_columns = rows.shape[1]
    if n_columns <= 2 * rows.nnz:
        return _class_by_class(Matrix(rows.indptr, rows.indices, rows.data, n_columns), labels, weights)
    used = _different(rows.indices, n_columns)
    place = np.empty(n_columns, rows.indices.dtype)
    place[used] = np.arange(len(used))
    matrix = Matrix(rows.indptr, place[rows.indices], rows.data, len(used))
    packed = counted(matrix, labels) if weights is None and is_for(matrix, labels) else None
    totals, cells = packed or _class_by_class(matrix, labels, weights)
    return totals._replace(terms=used[totals.terms]), cells._replace(terms=used[cells.terms])


def _different(columns: NDArray[Any], n_columns: int) -> Ints:
    """Return the distinct columns in ascending order. Marking them is faster than sorting unless there are very few."""
    if len(columns) < n_columns // 64:
        return np.unique(columns).astype(np.int64)
    seen = np.zeros(n_columns, np.bool_)
    seen[columns] = True
    return np.flatnonzero(seen)


def _class_by_class(matrix: Matrix, labels: LabelPairs, weights: Counts | None) -> tuple[Totals, Cells]:
    """Return the totals and cells of any weights; `weights` says how many times each document counts."""
    one_pass = _Pass(*matrix, weights)
    filled = [one_pass.add_class(labels.of_class(number)) for number in range(len(labels.classes))]
    if len(labels.documents) == np.count_nonzero(np.bincount(labels.documents)):
        one_pass.add_documents(labels.unlabelled())
    else:  # a document with several labels was added once for each: the totals want each document once
        one_pass.forget_totals()
        one_pass.add_documents(np.arange(labels.n_documents))
    return one_pass.totals(), _joined(filled, one_pass.count_type)


class _Pass:
    """The sums of each term: exact for integers, with rounding errors kept for other weights."""

    def __init__(
        self,
        indptr: NDArray[Any],
        indices: NDArray[Any],
        data: NDArray[Any],
        n_terms: int,
        weights: Counts | None,
    ) -> None:
        self._arrays = indptr, indices, data
        self.count_type = np.dtype(np.int64) if weights is None else weights.dtype
        heaviest = 1 if weights is None else weights.max(initial=1).item()
        whole = data.dtype.kind == "i" and self.count_type == np.int64
        self._exact = whole and _squares_fit(data, heaviest)
        self._add: Any = add_counts if self._exact else add_weights
        if weights is not None:
            self._add = partial(add_repeated_counts if self._exact else add_repeated_weights, weights)
        self._drain: Any = drain_counts if self._exact else drain_weights
        kind, width = (np.int64, 4) if self._exact else (np.float64, 5)
        self._class_totals = np.zeros((n_terms, width), kind)
        self._grand_totals = np.zeros((n_terms, width), kind)
        self._terms = np.empty(n_terms, np.int64)
        self._seen = np.zeros(-(-n_terms // 8) * 8, np.uint8)

    def add_class(self, documents: Ints) -> tuple[Ints, Counts, Sums]:
        """Return the filled cells of a class: terms, document frequencies and sums."""
        self._add(documents, *self._arrays, self._class_totals, self._seen)
        size = seen_terms(self._seen, self._terms)
        terms, doc_freq = self._terms[:size].copy(), np.empty(size, self.count_type)
        values, rests = self._drain(terms, self._class_totals, self._grand_totals, doc_freq)
        return terms, doc_freq, Sums(values, rests)

    def add_documents(self, documents: Ints) -> None:
        """Add documents to the totals only."""
        self._add(documents, *self._arrays, self._grand_totals, self._seen)

    def forget_totals(self) -> None:
        """Reset the totals over all documents."""
        self._grand_totals[:] = 0

    def totals(self) -> Totals:
        """Return the document frequencies, sums and sums of squares of each term over all documents."""
        by_part: NDArray[Any] = self._grand_totals.T.copy()  # what is wanted of all terms, one after the other
        terms = np.flatnonzero(by_part[0])
        if len(terms) < by_part.shape[1]:
            by_part = by_part[:, terms]
        doc_freq = by_part[0].astype(self.count_type)
        if self._exact:
            return Totals(terms, doc_freq, Sums.of_whole(by_part[1]), Sums.of_whole(by_part[2]))
        return Totals(terms, doc_freq, Sums.normalised(*by_part[1:3]), Sums.normalised(*by_part[3:5]))


def _squares_fit(data: NDArray[Any], times: int) -> bool:
    """Return whether the sum of all squares, with repetitions, certainly fits into 64 bits."""
    largest = int(max(-int(data.min()), int(data.max()))) if data.size else 0
    return largest * largest * data.size * times < 1 << 62


def _joined(filled: list[tuple[Ints, Counts, Sums]], count_type: np.dtype[Any]) -> Cells:
    if not filled:
        cells = empty(0).cells
        return cells._replace(doc_freq=cells.doc_freq.astype(count_type))
    terms, doc_freq, sums = zip(*filled, strict=True)
    starts = np.cumsum([0, *map(len, terms)])
    values, rests = zip(*sums, strict=True)
    joined = Sums(np.concatenate(values), np.concatenate(rests))
    return Cells(starts, np.concatenate(terms), np.concatenate(doc_freq), joined)
