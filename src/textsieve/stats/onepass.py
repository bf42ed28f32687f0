"""Compute a table of statistics in one pass over the rows of a matrix.

There are two methods. Most matrices are processed **class by class**, so that the sums of the current class stay in the
processor's cache. After each class, its sums are moved to the table and reset to zero for the next class.

Small **integer counts** have a faster method, which reads all documents in matrix order. `kernels/packed_counts.py`
describes its kernel. It needs integers that are mostly below 64, and a matrix with enough values to justify a dense
table of groups x terms.

- **Groups.** Each row of the dense table has the sums of a group of documents. A document is in a first group of
  documents that share many classes with it, and in a further group for each of its other classes
  (`kernels/document_groups.py`). So a multilabel document is added to fewer rows than it has classes. The sums of a
  class are those over all its groups, and totals over all documents add up the first groups. The packed fields of a
  cell overflow beyond 32,767 documents, so a kind of group that has more documents is split into additional groups.
- **Runs.** Millions of documents need many such additional groups, and with millions of terms, their rows would take
  more memory than everything else. So the documents are divided into runs. Each run fills a table of its own, which
  needs few additional groups, and the tables of the runs are merged, which is exact for integers. But each run needs a
  row for every kind again, so runs must not be too short: every run may have at least half as many additional groups as
  there are kinds. All runs together then have at most about three times as many rows as a single table would have.
"""

from collections.abc import Iterator
from functools import partial, reduce
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ..arrays import Counts, Floats, Int32s, Ints
from ..errors import InputError
from ..kernels import packed_counts
from ..kernels.class_sums import (
    add_counts,
    add_repeated_counts,
    add_repeated_weights,
    add_weights,
    drain_counts,
    drain_weights,
    seen_terms,
)
from ..kernels.document_groups import (
    class_set_tree,
    classes_of_groups,
    frequent_ancestors,
    group_sizes,
    nodes_of_documents,
    split_nodes,
)
from ..kernels.packed_counts import sorted_by_class
from .labels import LabelPairs
from .matrix import sort_columns
from .table import Cells, Sums, Table, Totals, empty, merge
from .weights import LARGEST_COUNT, are_integers


class Matrix(NamedTuple):
    """The CSR arrays of a matrix and its number of columns."""

    indptr: NDArray[Any]
    indices: NDArray[Any]
    data: NDArray[Any]
    n_terms: int


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


MAX_CELLS = 1 << 25
"""The largest size of the table in cells of 8 bytes (256 MB); small matrices have a lower limit, `_CELLS_PER_VALUE`."""

_CELLS_PER_VALUE = 4
"""The largest number of cells of the table for each stored value of the matrix; a larger table would not pay off."""

_MIN_VALUES_PER_CELL = 2
"""A group of several classes has at least this many values for each cell of its row."""

_ONE_CLASS = 1 << 62
"""As `min_documents`: no group has several classes."""

_BUFFER_SIZE = 1 << 24
"""The number of packed values in all buffers (64 MB). Larger buffers are emptied less often, but stay less in cache."""


class Grouping(NamedTuple):
    """The groups of documents that have a row in the table (see the module's docstring)."""

    starts: Ints  # the groups of document i are groups[starts[i]] to groups[starts[i + 1]]
    groups: Int32s
    is_first: NDArray[np.bool_]  # whether this is the first group of its documents
    class_starts: Ints  # the groups of class j are class_groups[class_starts[j]] to class_groups[class_starts[j + 1]]
    class_groups: Ints
    n_kinds: int  # the number of groups if none was split

    @property
    def n_groups(self) -> int:
        """Return the number of groups."""
        return len(self.is_first)

    def of_class(self, number: int) -> Ints:
        """Return the groups of a class."""
        return self.class_groups[self.class_starts[number] : self.class_starts[number + 1]]


class InvalidRowError(Exception):
    """Raised if the columns of a row don't ascend or don't exist, or if `indptr` is inconsistent."""


def is_suitable(matrix: Matrix, labels: LabelPairs) -> bool:
    """Return whether `sum_counts` should be tried: for integers, if its table is not much larger than the matrix."""
    n_cells = (len(labels.classes) + 1) * matrix.n_terms  # with one more row for unlabelled documents
    return (
        matrix.data.dtype.kind == "i"
        and matrix.n_terms <= packed_counts.MAX_TERMS
        and n_cells <= _CELLS_PER_VALUE * len(matrix.data)
    )


def sum_counts(matrix: Matrix, labels: LabelPairs) -> tuple[Totals, Cells] | None:
    """Return totals over all documents and cells (class, term), or None if too many values can't be packed.

    Values from 1 to 63 can be packed, and zeros are skipped. A limited number of other values is allowed, if their
    absolute values are below 2^20.

    Raises `InvalidRowError` for rows whose columns are not sorted or out of range; if it returns None, some rows were
    not checked.
    """
    max_rows = min(_CELLS_PER_VALUE * len(matrix.data), MAX_CELLS) // max(matrix.n_terms, 1)  # of a table
    # A group of several classes saves adding its documents to each class, but its row must be read for each class.
    min_values = _MIN_VALUES_PER_CELL * matrix.n_terms
    min_documents = min_values * labels.n_documents // max(len(matrix.data), 1) + 1
    # More groups take less time but more rows, so take fewer if the table would be too large.
    grouping = _group(labels, min_documents)
    if grouping.n_groups > max_rows:
        grouping = _group(labels, _ONE_CLASS)
    if grouping.n_groups <= max_rows:
        return _sum_in_one_table(matrix, labels, grouping)
    # Otherwise divide the documents into runs that have a table each, with at least one row for each kind of group.
    bounds = run_bounds(grouping.starts, grouping.n_kinds, max_rows, packed_counts.MAX_DOCUMENTS)
    if len(bounds) <= 2:  # a single run has all documents
        return _sum_in_one_table(matrix, labels, grouping)
    del grouping  # frees memory
    return _sum_in_runs(matrix, labels, bounds)


def _sum_in_runs(matrix: Matrix, labels: LabelPairs, bounds: list[int]) -> tuple[Totals, Cells] | None:
    """Return the same as `sum_counts`, computed with a table for each run of documents; see `run_bounds`."""
    tables: list[Table] = []
    for documents, run_labels in _split_labels(labels, bounds):
        # `indptr` alone selects the rows; all runs share `data` and `indices`.
        run_matrix = matrix._replace(indptr=matrix.indptr[documents.start : documents.stop + 1])
        totals_and_cells = _sum_in_one_table(run_matrix, run_labels, _group(run_labels, _ONE_CLASS))
        if totals_and_cells is None:
            return None
        class_docs = np.diff(run_labels.class_starts)
        tables.append(Table(labels.classes, run_labels.n_documents, matrix.n_terms, class_docs, *totals_and_cells))
        # Merge tables of similar size, so that few merges involve a large table.
        while len(tables) > 1 and tables[-2].n_documents <= tables[-1].n_documents:
            tables[-2:] = [merge(*tables[-2:])]
    merged = reduce(merge, reversed(tables))  # the last tables are the smallest
    return merged.totals, merged.cells


def run_bounds(pairs_before: Ints, n_kinds: int, most_rows: int, most_documents: int) -> list[int]:
    """Divide the documents into runs, and return the bounds: run r is from bounds[r] to bounds[r + 1].

    `pairs_before` has the number of (document, group) pairs before each document, and their total at the end.
    `most_rows` is the number of rows that the table of a run should not exceed if possible, and `most_documents` the
    largest number of documents in a group. Each of the `n_kinds` kinds of groups needs a row in every run.
    """
    # The rows that are left go to additional groups, of kinds with too many documents for one group. At least half as
    # many of them as kinds are allowed, so that there are not too many runs (see the module's docstring).
    n_additional_groups = max(most_rows - n_kinds, n_kinds // 2, 1)
    # A kind gets an additional group only when its last one is full, that is, after `most_documents` pairs. So a run
    # with at most this many pairs can't need more additional groups:
    most_pairs = n_additional_groups * most_documents
    bounds, n_documents = [0], len(pairs_before) - 1
    while bounds[-1] < n_documents:
        # The run ends before the document with which it would have more than `most_pairs` pairs, but has at least one
        # document.
        end = int(np.searchsorted(pairs_before, pairs_before[bounds[-1]] + most_pairs, side="right")) - 1
        bounds.append(max(end, bounds[-1] + 1))
    return bounds


def _split_labels(labels: LabelPairs, bounds: list[int]) -> Iterator[tuple[slice, LabelPairs]]:
    """Yield for each run the range of its documents, and their labels.

    Every run has all classes, some perhaps without documents.
    """
    for begin, end in pairwise(bounds):
        # The positions in `labels` of the pairs with these documents; they ascend, so pairs stay sorted by class.
        positions = np.flatnonzero((labels.documents >= begin) & (labels.documents < end))
        documents = labels.documents[positions] - begin  # numbered from 0 in each run
        class_starts = np.searchsorted(positions, labels.class_starts)  # how many of these pairs come before each class
        yield slice(begin, end), LabelPairs(labels.classes, documents, class_starts, end - begin)


def _group(labels: LabelPairs, min_documents: int) -> Grouping:
    """Assign documents to groups of at most 32,767 documents.

    A first group of several classes has at least `min_documents`, unless it is split.
    """
    n_classes = len(labels.classes)
    class_order = np.argsort(-np.diff(labels.class_starts), kind="stable")  # large classes first
    pairs_by_class = labels.documents, labels.class_starts, class_order
    nodes, parents, node_classes = class_set_tree(*pairs_by_class, labels.n_documents)
    first_nodes = frequent_ancestors(nodes, parents, min_documents)[nodes]
    starts, document_nodes = nodes_of_documents(*pairs_by_class, first_nodes, parents)
    groups, group_nodes = split_nodes(document_nodes, len(parents) + n_classes, packed_counts.MAX_DOCUMENTS)
    pair_groups, pair_classes = classes_of_groups(group_nodes, parents, node_classes)
    class_groups, class_starts = sorted_by_class(pair_classes, pair_groups, n_classes)
    is_first = group_nodes < len(parents)
    return Grouping(starts, groups, is_first, class_starts, class_groups, len(np.unique(group_nodes)))


def _sum_in_one_table(matrix: Matrix, labels: LabelPairs, grouping: Grouping) -> tuple[Totals, Cells] | None:
    """Return the same as `sum_counts`, computed with a single table of groups x terms."""
    row_sizes = np.clip(np.diff(matrix.indptr), 0, len(matrix.data))  # clipped, because indptr was not checked yet
    n_values = group_sizes(grouping.starts, grouping.groups, row_sizes, grouping.n_groups)
    table = np.zeros((grouping.n_groups, -(-matrix.n_terms // 8) * 8), np.uint64)  # each row in whole cache lines
    unpacked = _fill_table(table, matrix, grouping, _buffer_starts(n_values, int(row_sizes.max(initial=0))))
    return None if unpacked is None else _read_table(table, matrix.n_terms, n_values, grouping, unpacked, labels)


def _fill_table(table: NDArray[np.uint64], matrix: Matrix, grouping: Grouping, buffer_starts: Ints) -> Ints | None:
    """Add all documents to the rows of their groups.

    Returns the values that do not fit into a packed cell (negative or above 63), as rows of document, term and value;
    or None if there are too many.
    """
    buffers = np.empty(buffer_starts[-1], np.uint32)
    unpacked = np.empty((min(1000 + len(matrix.data) // 32, 1 << 20), 3), np.int64)
    # The kernel calls the buffers lists of `entries`, and the unpacked values `listed`.
    n_unpacked = packed_counts.add_rows(
        grouping.starts, grouping.groups, *matrix, table, buffers, buffer_starts, unpacked
    )
    if n_unpacked == packed_counts.TOO_MANY:
        return None
    if n_unpacked < 0:
        raise InvalidRowError
    return unpacked[:n_unpacked]


def _buffer_starts(n_values: Ints, longest_row: int) -> Ints:
    """Return where the buffer of each group starts, given the number of values of each group.

    The lengths of buffers are proportional to the square roots of these numbers, which minimises how often buffers are
    emptied. But each buffer has room for at least the longest row, and none is longer than all values of its group. The
    returned array has the end of the last buffer as an additional element.
    """
    roots = np.sqrt(n_values)
    shares = (roots * (_BUFFER_SIZE / max(roots.sum(), 1.0))).astype(np.int64)
    lengths = np.minimum(n_values, np.maximum(shares, longest_row))
    return np.concatenate([[0], np.cumsum(lengths)])


def _read_table(
    table: NDArray[np.uint64], n_terms: int, n_values: Ints, grouping: Grouping, unpacked: Ints, labels: LabelPairs
) -> tuple[Totals, Cells]:
    """Unpack the table of groups x terms; return totals over all documents and cells (class, term).

    `n_values` has the number of values of each group, and `unpacked` the values that are not in the table. The cells of
    a class are the sums over all its groups, and totals those over all first groups.
    """
    totals = np.zeros((3, n_terms), np.int64)  # document frequencies, sums, sums of squares
    n_classes = len(labels.classes)
    class_values = [n_values[grouping.of_class(number)].sum() for number in range(n_classes)]
    # The arrays have the largest possible size; memory that is never written to is not allocated. There is one
    # more cell, because the kernel writes each term to the next free cell before it knows whether the term occurs.
    most_cells = int(np.minimum(class_values, n_terms).sum()) + 1
    terms, doc_freq, sums = np.empty(most_cells, np.int64), np.empty(most_cells, np.int64), np.empty(most_cells)
    class_starts = np.zeros(n_classes + 1, np.int64)

    for group in np.flatnonzero(grouping.is_first):
        packed_counts.add_to_totals(table[group], totals)
    for number in range(n_classes):
        class_starts[number + 1] = packed_counts.move_filled_cells(
            table, grouping.of_class(number), n_terms, class_starts[number], terms, doc_freq, sums
        )
    n_cells = class_starts[-1]
    cells = Cells(class_starts, terms[:n_cells], doc_freq[:n_cells], Sums(sums[:n_cells], np.zeros(n_cells)))
    if len(unpacked):
        _add_unpacked(unpacked, labels, totals, cells)
    return _as_totals(totals), cells


def _add_unpacked(unpacked: Ints, labels: LabelPairs, totals: Ints, cells: Cells) -> None:
    """Add the values that were not packed to the sums, in place; document frequencies include them already.

    A row of `unpacked` is a document, a term and a value. The rows of `totals` are document frequencies, sums and sums
    of squares.
    """
    documents, terms, values = unpacked.T  # each value is there once, even if its document has several classes
    np.add.at(totals[1], terms, values)
    np.add.at(totals[2], terms, values**2)
    is_in_class = np.zeros(labels.n_documents, np.bool_)
    for number in range(len(labels.classes)):
        begin, end = cells.class_starts[number : number + 2]
        is_in_class[labels.of_class(number)] = True
        added = np.flatnonzero(is_in_class[documents])  # the values of documents of the class
        positions = begin + np.searchsorted(cells.terms[begin:end], terms[added])
        np.add.at(cells.sums.value, positions, values[added])
        is_in_class[labels.of_class(number)] = False


def _as_totals(totals: Ints) -> Totals:
    """Return an array of document frequencies, sums and squares (3 x terms) as `Totals` of the terms that occur."""
    terms = np.flatnonzero(totals[0])
    doc_freq, sums, squares = totals if len(terms) == totals.shape[1] else totals[:, terms]
    return Totals(terms, doc_freq, Sums.from_integers(sums), Sums.from_integers(squares))
