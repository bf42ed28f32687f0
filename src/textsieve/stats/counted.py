"""Compute the statistics of integer counts the fast way: all documents in matrix order, with a table row per group.

See `kernels/packed_counts.py` for the method. It is for integers that are mostly small, and enough of them for a table
of classes and terms; other matrices are processed class by class.

**Runs.** The table has a row for each group: one for each kind of group (a class, and whether its documents were seen
before) and one more for about every 32,767 documents. With millions of documents and terms, the rows of the second sort
would take more memory than everything else. So documents are processed in runs that need few of these, each with a
table of its own, and the results are merged, which is exact for integers. Each run needs the rows of the first sort
again, so it has at least half as many of the second. Then all runs together have at most three times as many rows as
one table would have, or fit easily into memory.
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
from .sums import Sums
from .table import Cells, Table, Totals, merge

CELLS = 1 << 25
"""A table of so many cells, 256 MB, fits into memory, unless the matrix is much smaller."""


def run_bounds(pairs_before: Ints, n_kinds: int, most_rows: int, most_documents: int) -> list[int]:
    """Return the documents at which runs begin and end.

    `pairs_before` has the number of (document, group) pairs before each document, and their total at the end;
    `most_rows` is the wanted number of table rows, and `most_documents` the number of documents in a group.
    """
    more_rows = max(most_rows - n_kinds, n_kinds // 2, 1)
    n_documents, most_pairs = len(pairs_before) - 1, more_rows * most_documents
    bounds = [0]
    while bounds[-1] < n_documents:
        end = int(np.searchsorted(pairs_before, pairs_before[bounds[-1]] + most_pairs, side="right")) - 1
        bounds.append(max(end, bounds[-1] + 1))
    return bounds


def runs_of(labels: LabelPairs, bounds: list[int]) -> Iterator[tuple[slice, LabelPairs]]:
    """Yield the documents of each run and their labels; every run has all classes."""
    for begin, end in pairwise(bounds):
        inside = np.flatnonzero((labels.documents >= begin) & (labels.documents < end))
        class_starts = np.searchsorted(inside, labels.class_starts)
        yield slice(begin, end), LabelPairs(labels.classes, labels.documents[inside] - begin, class_starts, end - begin)


_ROOM = 1 << 24
"""Packed values that are kept at a time, 64 MB: longer lists are added up faster, but there is more to go through."""

_CELLS_PER_VALUE = 4
"""A table of classes and terms may be so many times as large as the matrix."""


class Matrix(NamedTuple):
    """The CSR arrays of a matrix and its number of columns."""

    indptr: NDArray[Any]
    indices: NDArray[Any]
    data: NDArray[Any]
    n_terms: int


class Grouping(NamedTuple):
    """The groups of each document, the class of each group, and whether its documents are in no earlier group."""

    starts: Ints
    groups: Groups
    class_of: Ints
    is_first: NDArray[np.bool_]


class DisorderError(Exception):
    """A row has columns that don't ascend, or that the matrix doesn't have."""


def is_for(matrix: Matrix, labels: LabelPairs) -> bool:
    """Return whether the fast way may be tried."""
    n_cells = (len(labels.classes) + 1) * matrix.n_terms
    whole = matrix.data.dtype.kind == "i"
    return whole and matrix.n_terms <= packed_counts.MOST_TERMS and n_cells <= _CELLS_PER_VALUE * len(matrix.data)


def counted(matrix: Matrix, labels: LabelPairs) -> tuple[Totals, Cells] | None:
    """Return totals and cells, or None if too many values are not small.

    Raises `DisorderError` for rows that are not in order; with None, some rows may not have been checked.
    """
    grouping = _grouping(labels)
    most_rows = min(_CELLS_PER_VALUE * len(matrix.data), CELLS) // max(matrix.n_terms, 1)
    if len(grouping.class_of) <= most_rows:
        return _in_one_table(matrix, labels, grouping)
    n_kinds = len(np.unique(2 * grouping.class_of + grouping.is_first))
    bounds = run_bounds(grouping.starts, n_kinds, most_rows, packed_counts.MOST_DOCUMENTS)
    if len(bounds) <= 2:
        return _in_one_table(matrix, labels, grouping)
    del grouping
    parts = []
    for documents, own in runs_of(labels, bounds):
        part = matrix._replace(indptr=matrix.indptr[documents.start : documents.stop + 1])
        totals_and_cells = _in_one_table(part, own, _grouping(own))
        if totals_and_cells is None:
            return None
        parts.append(Table(own.classes, own.n_documents, matrix.n_terms, np.diff(own.class_starts), *totals_and_cells))
        while len(parts) > 1 and parts[-2].n_documents <= parts[-1].n_documents:  # so few merges are of large tables
            parts[-2:] = [merge(*parts[-2:])]
    whole = reduce(merge, reversed(parts))
    return whole.totals, whole.cells


def _grouping(labels: LabelPairs) -> Grouping:
    documents = labels.documents, labels.class_starts, labels.n_documents
    return Grouping(*group_documents(*documents, packed_counts.MOST_DOCUMENTS))


def _in_one_table(matrix: Matrix, labels: LabelPairs, grouping: Grouping) -> tuple[Totals, Cells] | None:
    n_groups = len(grouping.class_of)
    row_sizes = np.clip(np.diff(matrix.indptr), 0, len(matrix.data))  # nobody has looked at it yet
    sizes = group_sizes(grouping.starts, grouping.groups, row_sizes, n_groups)
    list_starts = _list_starts(sizes, int(row_sizes.max(initial=0)))
    entries = np.empty(list_starts[-1], np.uint32)
    table = np.zeros((n_groups, -(-matrix.n_terms // 8) * 8), np.uint64)
    listed = np.empty((min(1000 + len(matrix.data) // 32, 1 << 20), 3), np.int64)
    n_listed = packed_counts.add_rows(grouping.starts, grouping.groups, *matrix, table, entries, list_starts, listed)
    if n_listed == packed_counts.TOO_MANY:
        return None
    if n_listed < 0:
        raise DisorderError
    del entries
    return _read(table, matrix.n_terms, sizes, grouping, listed[:n_listed], len(labels.classes))


def _list_starts(sizes: Ints, longest: int) -> Ints:
    """Return where the list of each group starts. Lengths are proportional to the square roots of the group sizes,
    which minimises how often lists are added up.
    """
    roots = np.sqrt(sizes)
    shares = (roots * (_ROOM / max(roots.sum(), 1.0))).astype(np.int64)
    lengths = np.minimum(sizes, np.maximum(shares, longest))
    return np.concatenate([[0], np.cumsum(lengths)])


def _read(
    table: NDArray[np.uint64], n_terms: int, sizes: Ints, grouping: Grouping, listed: Ints, n_classes: int
) -> tuple[Totals, Cells]:
    """Return the sums of the groups of each class, and of the first groups of all documents."""
    of_class = np.bincount(grouping.class_of, sizes, n_classes + 1)[:n_classes]
    most_cells = int(np.minimum(of_class, n_terms).sum()) + 1  # what is not written to takes no memory
    terms, doc_freq, values = np.empty(most_cells, np.int64), np.empty(most_cells, np.int64), np.empty(most_cells)
    class_starts = np.zeros(n_classes + 1, np.int64)
    totals = np.zeros((3, n_terms), np.int64)
    for number in range(n_classes + 1):
        groups = np.flatnonzero(grouping.class_of == number)
        for group in groups[grouping.is_first[groups]]:
            packed_counts.add_to_totals(table[group], totals)
        if number < n_classes:
            begin = class_starts[number]
            class_starts[number + 1] = packed_counts.move_filled_cells(
                table, groups, n_terms, begin, terms, doc_freq, values
            )
    n_cells = class_starts[-1]
    cells = Cells(class_starts, terms[:n_cells], doc_freq[:n_cells], Sums(values[:n_cells], np.zeros(n_cells)))
    if len(listed):
        _add_listed(listed, grouping, totals, cells)
    return _totals(totals), cells


def _add_listed(listed: Ints, grouping: Grouping, totals: Ints, cells: Cells) -> None:
    """Add the listed values to the sums; their documents have been counted already."""
    documents, terms, values = listed.T
    np.add.at(totals[1], terms, values)
    np.add.at(totals[2], terms, values**2)
    begins = grouping.starts[documents]
    counts = grouping.starts[documents + 1] - begins
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    classes = grouping.class_of[grouping.groups[np.repeat(begins, counts) + within]]
    terms, values = np.repeat(terms, counts), np.repeat(values, counts)
    for number in np.unique(classes[classes < len(cells.class_starts) - 1]):
        begin, end = cells.class_starts[number : number + 2]
        mine = classes == number
        places = begin + np.searchsorted(cells.terms[begin:end], terms[mine])
        np.add.at(cells.sums.value, places, values[mine])


def _totals(all_documents: Ints) -> Totals:
    terms = np.flatnonzero(all_documents[0])
    doc_freq, sums, squares = all_documents if len(terms) == all_documents.shape[1] else all_documents[:, terms]
    return Totals(terms, doc_freq, Sums.of_whole(sums), Sums.of_whole(squares))
