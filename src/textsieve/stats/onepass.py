"""One pass over the rows of a matrix fills a table of statistics.

Counts go the fast way (`counted.py`). For all else documents are visited class by class, so that what is added to stays
in the processor's cache; when a class is done its terms are moved to the table, and what is left is empty for the next
class.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ..kernels.classes import add_counts, add_weights, drain_counts, drain_weights, seen_terms
from .counted import DisorderError, Matrix, counted, is_for
from .labels import LabelPairs
from .soundness import in_order
from .sums import Ints, Sums
from .table import Cells, Table, Totals, empty


def from_rows(rows: csr_array, labels: LabelPairs) -> Table:
    """The statistics of documents given as sparse rows; rows that are not in order are put in order first."""
    matrix = Matrix(rows.indptr, rows.indices, rows.data, rows.shape[1])
    try:
        found = counted(matrix, labels) if is_for(matrix, labels) else None
    except DisorderError:
        return from_rows(in_order(rows), labels)
    # The fast way stops at the first value that it is not for, and nobody has looked at the rows behind it.
    totals, cells = found or _of_used_columns(in_order(rows), labels)
    class_docs = np.diff(labels.class_starts)
    return Table(labels.classes, labels.n_documents, rows.shape[1], class_docs, totals, cells)


def _of_used_columns(rows: csr_array, labels: LabelPairs) -> tuple[Totals, Cells]:
    """Totals and cells of rows that are in order.

    In a small batch of a large vocabulary, all but few columns are empty, and only those that are not are looked at.
    """
    n_columns = rows.shape[1]
    if n_columns <= 2 * rows.nnz:
        return _class_by_class(Matrix(rows.indptr, rows.indices, rows.data, n_columns), labels)
    used = _different(rows.indices, n_columns)
    place = np.empty(n_columns, np.int32)
    place[used] = np.arange(len(used))
    matrix = Matrix(rows.indptr, place[rows.indices], rows.data, len(used))
    found = counted(matrix, labels) if is_for(matrix, labels) else None
    totals, cells = found or _class_by_class(matrix, labels)
    return totals._replace(terms=used[totals.terms]), cells._replace(terms=used[cells.terms])


def _different(columns: NDArray[Any], n_columns: int) -> Ints:
    """The columns, ascending, each once. Marking them is faster than sorting if they are not very few."""
    if len(columns) < n_columns // 64:
        return np.unique(columns).astype(np.int64)
    seen = np.zeros(n_columns, np.bool_)
    seen[columns] = True
    return np.flatnonzero(seen)


def _class_by_class(matrix: Matrix, labels: LabelPairs) -> tuple[Totals, Cells]:
    """Totals and cells of any weights."""
    one_pass = _Pass(*matrix)
    filled = [one_pass.add_class(labels.of_class(number)) for number in range(len(labels.classes))]
    if len(labels.documents) == np.count_nonzero(np.bincount(labels.documents)):
        one_pass.add_documents(labels.unlabelled())
    else:  # a document with several labels was added once for each: the totals want each document once
        one_pass.forget_totals()
        one_pass.add_documents(np.arange(labels.n_documents))
    return one_pass.totals(), _joined(filled)


class _Pass:
    """What is added up for each term: exactly for whole numbers, with the errors kept for other weights."""

    def __init__(self, indptr: NDArray[Any], indices: NDArray[Any], data: NDArray[Any], n_terms: int) -> None:
        self._arrays = indptr, indices, data
        self._exact = data.dtype.kind in "iub" and _squares_fit(data)
        self._add: Any = add_counts if self._exact else add_weights
        self._drain: Any = drain_counts if self._exact else drain_weights
        kind, width = (np.int64, 4) if self._exact else (np.float64, 5)
        self._class_totals = np.zeros((n_terms, width), kind)
        self._grand_totals = np.zeros((n_terms, width), kind)
        self._terms = np.empty(n_terms, np.int64)
        self._seen = np.zeros(-(-n_terms // 8) * 8, np.uint8)

    def add_class(self, documents: Ints) -> tuple[Ints, Ints, Sums]:
        """The filled cells of a class: terms, documents, sums."""
        self._add(documents, *self._arrays, self._class_totals, self._seen)
        size = seen_terms(self._seen, self._terms)
        terms = self._terms[:size].copy()
        doc_freq, values, rests = self._drain(terms, self._class_totals, self._grand_totals)
        return terms, doc_freq, Sums(values, rests)

    def add_documents(self, documents: Ints) -> None:
        """Add documents to the totals alone."""
        self._add(documents, *self._arrays, self._grand_totals, self._seen)

    def forget_totals(self) -> None:
        """Begin the totals over all documents anew."""
        self._grand_totals[:] = 0

    def totals(self) -> Totals:
        """Documents, sums and sums of squares of each term over all documents."""
        by_part: NDArray[Any] = self._grand_totals.T.copy()  # what is wanted of all terms, one after the other
        terms = np.flatnonzero(by_part[0])
        if len(terms) < by_part.shape[1]:
            by_part = by_part[:, terms]
        doc_freq = by_part[0].astype(np.int64)
        if self._exact:
            return Totals(terms, doc_freq, Sums.of_whole(by_part[1]), Sums.of_whole(by_part[2]))
        return Totals(terms, doc_freq, Sums.normalised(*by_part[1:3]), Sums.normalised(*by_part[3:5]))


def _squares_fit(data: NDArray[Any]) -> bool:
    """Whether the sum of all squares surely fits into 64 bits."""
    largest = int(max(-int(data.min()), int(data.max()))) if data.size else 0
    return largest * largest * data.size < 1 << 62


def _joined(filled: list[tuple[Ints, Ints, Sums]]) -> Cells:
    if not filled:
        return empty(0).cells
    terms, doc_freq, sums = zip(*filled, strict=True)
    starts = np.cumsum([0, *map(len, terms)])
    values, rests = zip(*sums, strict=True)
    joined = Sums(np.concatenate(values), np.concatenate(rests))
    return Cells(starts, np.concatenate(terms), np.concatenate(doc_freq), joined)
