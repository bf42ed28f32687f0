"""The arrays behind `ClassStats`, and how two of them add up.

Only what some document filled is stored: of the totals the terms that occur, of the cells (class, term) those of terms
that occur in the class, class by class. With ten thousand classes nearly all cells are empty, and the scores know
what an empty cell is worth; and a batch of a stream touches few of the millions of terms that were seen before it, so
adding it must not cost as much as all of them. A sum is two numbers, the rounded sum and what the rounding left out,
so adding tables in any order gives the same.
"""

from typing import Any, NamedTuple

import numpy as np

from ..kernels.align import align
from .labels import one_kind, require_label
from .sums import Ints, Sums


class Totals(NamedTuple):
    """Over all documents, labelled or not, each once: the terms that occur, in ascending order."""

    terms: Ints
    doc_freq: Ints
    sums: Sums
    squares: Sums


class Cells(NamedTuple):
    """The filled cells, by class and then by term."""

    class_starts: Ints  # the cells of class j are class_starts[j] to class_starts[j + 1]
    terms: Ints
    doc_freq: Ints
    sums: Sums

    def classes(self) -> Ints:
        """The class of each cell."""
        return np.repeat(np.arange(len(self.class_starts) - 1), np.diff(self.class_starts))


class Table(NamedTuple):
    """The statistics of some documents."""

    classes: tuple[Any, ...]
    n_documents: int
    n_terms: int
    class_docs: Ints
    totals: Totals
    cells: Cells


def empty(n_terms: int) -> Table:
    """The statistics of no documents."""
    none = np.zeros(0, np.int64)
    totals = Totals(none, none, Sums.zeros(0), Sums.zeros(0))
    return Table((), 0, n_terms, none, totals, Cells(np.zeros(1, np.int64), none, none, Sums.zeros(0)))


def merge(one: Table, other: Table) -> Table:
    """The statistics of the documents of both."""
    classes = one_kind((*one.classes, *other.classes))
    n_terms = max(one.n_terms, other.n_terms)
    number = {label: at for at, label in enumerate(classes)}
    class_docs = np.zeros(len(classes), np.int64)
    keys = []
    for table in (one, other):
        numbers = np.array([number[label] for label in table.classes], np.int64)
        class_docs[numbers] += table.class_docs
        keys.append(numbers[table.cells.classes()] * n_terms + table.cells.terms)
    cells = _Alignment(*keys)
    totals = _Alignment(one.totals.terms, other.totals.terms)
    return Table(
        tuple(classes),
        one.n_documents + other.n_documents,
        n_terms,
        class_docs,
        Totals(
            totals.keys,
            totals.counts(one.totals.doc_freq, other.totals.doc_freq),
            totals.sums(one.totals.sums, other.totals.sums),
            totals.sums(one.totals.squares, other.totals.squares),
        ),
        Cells(
            np.searchsorted(cells.keys, np.arange(len(classes) + 1) * n_terms),
            cells.keys % max(n_terms, 1),
            cells.counts(one.cells.doc_freq, other.cells.doc_freq),
            cells.sums(one.cells.sums, other.cells.sums),
        ),
    )


class _Alignment:
    """Where the entries of two ascending lists of keys are in the list of both."""

    def __init__(self, one: Ints, other: Ints) -> None:
        self.keys, *self._places = align(one, other)

    def counts(self, one: Ints, other: Ints) -> Ints:
        """Add whole numbers."""
        added = np.zeros(len(self.keys), np.int64)
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
    """The statistics of some terms alone, in the given order."""
    place = np.full(table.n_terms, -1, np.int64)
    place[columns] = np.arange(len(columns))
    totals, cells = table.totals, table.cells
    terms, of_cells = place[totals.terms], place[cells.terms]
    starts = np.concatenate([[0], np.cumsum(of_cells >= 0)])[cells.class_starts]
    kept, cells_kept = np.flatnonzero(terms >= 0), np.flatnonzero(of_cells >= 0)
    if len(columns) and (np.diff(columns) < 0).any():
        kept = kept[np.argsort(terms[kept])]
        cells_kept = cells_kept[np.lexsort((of_cells[cells_kept], cells.classes()[cells_kept]))]
    return table._replace(
        n_terms=len(columns),
        totals=Totals(terms[kept], totals.doc_freq[kept], totals.sums.at(kept), totals.squares.at(kept)),
        cells=Cells(starts, of_cells[cells_kept], cells.doc_freq[cells_kept], cells.sums.at(cells_kept)),
    )


def without_class(table: Table, label: Any) -> Table:
    """The statistics of the same documents, as if those of a class had no label."""
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
