"""The arrays behind `ClassStats`, and how two of them add up.

Only what some document filled is stored: of the totals the terms that occur, of the cells (class, term) those of terms
that occur in the class, class by class. With ten thousand classes nearly all cells are empty, and the scores know
what an empty cell is worth; and a batch of a stream touches few of the millions of terms that were seen before it, so
adding it must not cost as much as all of them. A sum is two numbers, the rounded sum and what the rounding left out,
so adding tables in any order gives the same.
"""

from typing import Any, NamedTuple

import numpy as np

from ..arrays import Counts, Floats, Ints
from ..kernels.class_sums import align, merge_cells
from .labels import one_kind, require_label
from .sums import Sums
from .weights import MOST_DOCUMENTS, round_counts


class Totals(NamedTuple):
    """The terms that occur, ascending, with their totals over all documents, labelled or not, each once."""

    terms: Ints
    doc_freq: Counts
    sums: Sums
    squares: Sums


class Cells(NamedTuple):
    """The filled cells, by class and then by term."""

    class_starts: Ints  # the cells of class j are class_starts[j] to class_starts[j + 1]
    terms: Ints
    doc_freq: Counts
    sums: Sums

    def classes(self) -> Ints:
        """Return the class of each cell."""
        return np.repeat(np.arange(len(self.class_starts) - 1), np.diff(self.class_starts))


class Table(NamedTuple):
    """The statistics of some documents."""

    classes: tuple[Any, ...]
    n_documents: float  # an int, unless some document has a weight that is not a whole number
    n_terms: int
    class_docs: Counts
    totals: Totals
    cells: Cells


def empty(n_terms: int) -> Table:
    """Return the statistics of no documents."""
    none = np.zeros(0, np.int64)
    totals = Totals(none, none, Sums.zeros(0), Sums.zeros(0))
    return Table((), 0, n_terms, none, totals, Cells(np.zeros(1, np.int64), none, none, Sums.zeros(0)))


def merge(one: Table, other: Table) -> Table:
    """Return the statistics of the documents of both tables."""
    classes = one_kind((*one.classes, *other.classes))
    n_documents = one.n_documents + other.n_documents
    class_docs = np.zeros(len(classes), np.result_type(one.class_docs, other.class_docs))
    number = {label: at for at, label in enumerate(classes)}
    for table in (one, other):
        class_docs[[number[label] for label in table.classes]] += table.class_docs
    totals = _merged_totals(one.totals, other.totals)
    cells = _merged_cells(one, other, classes)
    merged = Table(tuple(classes), n_documents, max(one.n_terms, other.n_terms), class_docs, totals, cells)
    most = max(float(n_documents), float(class_docs.sum()))
    return merged if _are_integers(merged) and most <= MOST_DOCUMENTS else _rounded(merged, most)


def _are_integers(table: Table) -> bool:
    counts = table.class_docs, table.totals.doc_freq, table.cells.doc_freq
    return not isinstance(table.n_documents, float) and all(array.dtype.kind != "f" for array in counts)


def _rounded(table: Table, most: float) -> Table:
    """Return the table with counts as floats whose sums are exact: see `weights`."""

    def rounded(counts: Counts) -> Counts:
        return round_counts(counts.astype(np.float64), most)

    return table._replace(
        n_documents=rounded(np.array([table.n_documents])).item(),
        class_docs=rounded(table.class_docs),
        totals=table.totals._replace(doc_freq=rounded(table.totals.doc_freq)),
        cells=table.cells._replace(doc_freq=rounded(table.cells.doc_freq)),
    )


def _merged_totals(one: Totals, other: Totals) -> Totals:
    both = _Alignment(one.terms, other.terms)
    doc_freq = both.counts(one.doc_freq, other.doc_freq)
    return Totals(both.keys, doc_freq, both.sums(one.sums, other.sums), both.sums(one.squares, other.squares))


def _merged_cells(one: Table, other: Table, classes: list[Any]) -> Cells:
    """Return the cells of both tables, in arrays that are large enough; unused parts of them take no memory."""
    most = len(one.cells.terms) + len(other.cells.terms)
    starts = np.zeros(len(classes) + 1, np.int64)
    count_type = np.result_type(one.cells.doc_freq, other.cells.doc_freq)
    terms, doc_freq = np.empty(most, np.int64), np.empty(most, count_type)
    sums = Sums(np.empty(most), np.empty(most))
    first, second = (_arrays(table, classes, count_type) for table in (one, other))
    merge_cells(*first, *second, starts, terms, doc_freq, *sums)
    filled = slice(starts[-1])
    return Cells(starts, terms[filled], doc_freq[filled], sums.at(filled))


def _arrays(
    table: Table, classes: list[Any], count_type: np.dtype[Any]
) -> tuple[Ints, Ints, Ints, Counts, Floats, Floats]:
    """Return the table's number of each class (-1: none) and its cells."""
    number = {label: at for at, label in enumerate(table.classes)}
    numbers = np.array([number.get(label, -1) for label in classes], np.int64)
    cells = table.cells
    return numbers, cells.class_starts, cells.terms, cells.doc_freq.astype(count_type, copy=False), *cells.sums


class _Alignment:
    """The positions of the entries of two ascending lists of keys in their union."""

    def __init__(self, one: Ints, other: Ints) -> None:
        self.keys, *self._places = align(one, other)

    def counts(self, one: Counts, other: Counts) -> Counts:
        """Add document counts."""
        added = np.zeros(len(self.keys), np.result_type(one, other))
        for places, counts in zip(self._places, (one, other), strict=True):
            added[places] += counts
        return added

    def sums(self, one: Sums, other: Sums) -> Sums:
        """Add sums."""
        added = Sums.zeros(len(self.keys))
        first, second = self._places
        added.value[first], added.rest[first] = one
        added.value[second], added.rest[second] = added.at(second).plus(other)
        return added


def restrict(table: Table, columns: Ints) -> Table:
    """Return the statistics of some terms, in the given order."""
    place = np.full(table.n_terms, -1, np.int64)
    place[columns] = np.arange(len(columns))
    totals, cells = table.totals, table.cells
    terms, of_cells = place[totals.terms], place[cells.terms]
    starts = np.concatenate([[0], np.cumsum(of_cells >= 0)])[cells.class_starts]
    selected, cells_kept = np.flatnonzero(terms >= 0), np.flatnonzero(of_cells >= 0)
    if len(columns) and (np.diff(columns) < 0).any():
        selected = selected[np.argsort(terms[selected])]
        cells_kept = cells_kept[np.lexsort((of_cells[cells_kept], cells.classes()[cells_kept]))]
    return table._replace(
        n_terms=len(columns),
        totals=Totals(
            terms[selected], totals.doc_freq[selected], totals.sums.at(selected), totals.squares.at(selected)
        ),
        cells=Cells(starts, of_cells[cells_kept], cells.doc_freq[cells_kept], cells.sums.at(cells_kept)),
    )


def without_class(table: Table, label: Any) -> Table:
    """Return the statistics of the same documents as if those of a class had no label."""
    require_label(label)
    if label not in table.classes:
        return table
    at = table.classes.index(label)
    cells = table.cells
    begin, end = cells.class_starts[at : at + 2]
    stay = np.concatenate([np.arange(begin), np.arange(end, len(cells.terms))])
    starts = np.delete(cells.class_starts, at)
    starts[at:] -= end - begin
    return table._replace(
        classes=table.classes[:at] + table.classes[at + 1 :],
        class_docs=np.delete(table.class_docs, at),
        cells=Cells(starts, cells.terms[stay], cells.doc_freq[stay], cells.sums.at(stay)),
    )
