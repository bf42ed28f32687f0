"""Compute statistics of small integer counts with the fast kernel, which reads all documents in matrix order.

`kernels/packed_counts.py` describes the method. It needs integers that are mostly below 64, and a matrix with enough
values to justify a dense table of groups x terms. Other matrices are processed class by class (`onepass.py`).

**Groups.** Each row of the dense table has the sums of a group of documents, which all have the same class. A
multilabel document is in a group for each of its classes, but must count only once in the totals over all documents.
So the documents for which this is their first class, and those for which it is a further class, are in different
groups, and totals add up the groups of first classes only. For example, a document with the classes "law" and "sport"
is in a group of the kind (law, first) and in one of the kind (sport, further). The packed fields of a cell overflow
beyond 32,767 documents, so a kind with more documents has several groups.

**Runs.** Millions of documents need many such additional groups, and with millions of terms, their rows would take more
memory than everything else. So the documents are divided into runs. Each run fills a table of its own, which needs few
additional groups, and the tables of the runs are merged, which is exact for integers. But each run needs a row for
every kind again, so runs must not be too short: every run may have at least half as many additional groups as there are
kinds. All runs together then have at most about three times as many rows as a single table would have.
"""

from collections.abc import Iterator
from functools import reduce
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Ints
from ..kernels import packed_counts
from ..kernels.packed_counts import Groups, group_documents, group_sizes
from .labels import LabelPairs
from .table import Cells, Sums, Table, Totals, merge

MAX_CELLS = 1 << 25
"""The largest size of the table in cells of 8 bytes (256 MB); small matrices have a lower limit, `_CELLS_PER_VALUE`."""

_CELLS_PER_VALUE = 4
"""The largest number of cells of the table for each stored value of the matrix; a larger table would not pay off."""

_BUFFER_SIZE = 1 << 24
"""The number of packed values in all buffers (64 MB). Larger buffers are emptied less often, but stay less in cache."""


class Matrix(NamedTuple):
    """The CSR arrays of a matrix and its number of columns."""

    indptr: NDArray[Any]
    indices: NDArray[Any]
    data: NDArray[Any]
    n_terms: int


class Grouping(NamedTuple):
    """The groups of documents that have a row in the table (see the module's docstring)."""

    starts: Ints  # the groups of document i are groups[starts[i]] to groups[starts[i + 1]]
    groups: Groups
    class_of: Ints  # the class of each group; a group of unlabelled documents has the number of classes instead
    is_first: NDArray[np.bool_]  # whether this is the first class of the documents in the group


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
    grouping = _group(labels)
    max_rows = min(_CELLS_PER_VALUE * len(matrix.data), MAX_CELLS) // max(matrix.n_terms, 1)  # of a table
    n_groups = len(grouping.class_of)  # each group of documents has a row in the table
    if n_groups <= max_rows:
        return _sum_in_one_table(matrix, labels, grouping)
    # Otherwise divide the documents into runs that have a table each, with at least one row for each kind of group:
    # each class, and whether it is the first class of the documents.
    n_kinds = len(np.unique(2 * grouping.class_of + grouping.is_first))
    bounds = run_bounds(grouping.starts, n_kinds, max_rows, packed_counts.MAX_DOCUMENTS)
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
        totals_and_cells = _sum_in_one_table(run_matrix, run_labels, _group(run_labels))
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


def _group(labels: LabelPairs) -> Grouping:
    """Assign documents to groups of at most 32,767 documents."""
    most_documents = packed_counts.MAX_DOCUMENTS
    return Grouping(*group_documents(labels.documents, labels.class_starts, labels.n_documents, most_documents))


def _sum_in_one_table(matrix: Matrix, labels: LabelPairs, grouping: Grouping) -> tuple[Totals, Cells] | None:
    """Return the same as `sum_counts`, computed with a single table of groups x terms."""
    n_groups = len(grouping.class_of)
    row_sizes = np.clip(np.diff(matrix.indptr), 0, len(matrix.data))  # clipped, because indptr was not checked yet
    n_values = group_sizes(grouping.starts, grouping.groups, row_sizes, n_groups)
    buffer_starts = _buffer_starts(n_values, int(row_sizes.max(initial=0)))
    buffers = np.empty(buffer_starts[-1], np.uint32)
    table = np.zeros((n_groups, -(-matrix.n_terms // 8) * 8), np.uint64)  # each row in whole cache lines
    # Space for values that do not fit into a packed cell (negative or above 63): rows of document, term and value.
    # If there are more, the kernel returns TOO_MANY.
    unpacked = np.empty((min(1000 + len(matrix.data) // 32, 1 << 20), 3), np.int64)
    # The kernel calls the buffers lists of `entries`, and the unpacked values `listed`.
    n_unpacked = packed_counts.add_rows(
        grouping.starts, grouping.groups, *matrix, table, buffers, buffer_starts, unpacked
    )
    if n_unpacked == packed_counts.TOO_MANY:
        return None
    if n_unpacked < 0:  # the code of another error
        raise InvalidRowError
    del buffers  # frees memory
    return _read_table(table, matrix.n_terms, n_values, grouping, unpacked[:n_unpacked], len(labels.classes))


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
    table: NDArray[np.uint64], n_terms: int, n_values: Ints, grouping: Grouping, unpacked: Ints, n_classes: int
) -> tuple[Totals, Cells]:
    """Unpack the table of groups x terms; return totals over all documents and cells (class, term).

    `n_values` has the number of values of each group, and `unpacked` the values that are not in the table. The cells of
    a class are the sums over all its groups. Totals are the sums over the groups of documents that are in their first
    class, so that a multilabel document counts once.
    """
    # The number of values of each class; unlabelled documents, which have the last number, are left out.
    class_values = np.bincount(grouping.class_of, n_values, n_classes + 1)[:n_classes]
    # The arrays have the largest possible size; memory that is never written to is not allocated. There is one
    # more cell, because the kernel writes each term to the next free cell before it knows whether the term occurs.
    most_cells = int(np.minimum(class_values, n_terms).sum()) + 1
    terms, doc_freq, sums = np.empty(most_cells, np.int64), np.empty(most_cells, np.int64), np.empty(most_cells)
    class_starts = np.zeros(n_classes + 1, np.int64)
    totals = np.zeros((3, n_terms), np.int64)  # document frequencies, sums, sums of squares
    for number in range(n_classes + 1):  # the last number is that of unlabelled documents
        groups = np.flatnonzero(grouping.class_of == number)
        for group in groups[grouping.is_first[groups]]:
            packed_counts.add_to_totals(table[group], totals)
        if number < n_classes:
            begin = class_starts[number]
            class_starts[number + 1] = packed_counts.move_filled_cells(
                table, groups, n_terms, begin, terms, doc_freq, sums
            )
    n_cells = class_starts[-1]
    cells = Cells(class_starts, terms[:n_cells], doc_freq[:n_cells], Sums(sums[:n_cells], np.zeros(n_cells)))
    if len(unpacked):
        _add_unpacked(unpacked, grouping, totals, cells)
    return _as_totals(totals), cells


def _add_unpacked(unpacked: Ints, grouping: Grouping, totals: Ints, cells: Cells) -> None:
    """Add the values that were not packed to the sums, in place; document frequencies include them already.

    A row of `unpacked` is a document, a term and a value. The rows of `totals` are document frequencies, sums and sums
    of squares.
    """
    documents, terms, values = unpacked.T  # each value is there once, even if its document has several classes
    np.add.at(totals[1], terms, values)
    np.add.at(totals[2], terms, values**2)
    # Repeat each value for every group of its document, that is, for every class. If the document of the first value
    # has two groups and that of the second has one, then `offsets` is [0, 1, 0].
    begins = grouping.starts[documents]
    n_groups = grouping.starts[documents + 1] - begins
    offsets = np.arange(n_groups.sum()) - np.repeat(np.cumsum(n_groups) - n_groups, n_groups)
    classes = grouping.class_of[grouping.groups[np.repeat(begins, n_groups) + offsets]]
    terms, values = np.repeat(terms, n_groups), np.repeat(values, n_groups)
    n_classes = len(cells.class_starts) - 1
    for number in np.unique(classes[classes < n_classes]):  # without the group of unlabelled documents
        begin, end = cells.class_starts[number : number + 2]
        in_class = classes == number
        positions = begin + np.searchsorted(cells.terms[begin:end], terms[in_class])
        np.add.at(cells.sums.value, positions, values[in_class])


def _as_totals(totals: Ints) -> Totals:
    """Return an array of document frequencies, sums and squares (3 x terms) as `Totals` of the terms that occur."""
    terms = np.flatnonzero(totals[0])
    doc_freq, sums, squares = totals if len(terms) == totals.shape[1] else totals[:, terms]
    return Totals(terms, doc_freq, Sums.from_integers(sums), Sums.from_integers(squares))
