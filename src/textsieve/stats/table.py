"""The arrays behind `ClassStats`, and how two tables are merged.

Only nonzero statistics are stored: totals for the terms that occur in some document, and cells (class, term) for the
terms that occur in some document of the class, class by class. With ten thousand classes nearly all cells are empty.
And a batch of a stream contains few of the millions of terms seen before it. So the tables of batches are small, and
merging two of them visits only the terms that occur in them.

**Sums** are stored with twice the digits of a float: the rounded sum, and the rest that rounding cut off. Scores
subtract large numbers that nearly agree (a mean of squares and a squared mean). With 53 bits that loses all digits when
weights are near 1e6 and vary by 1e-3; with 106 bits it does not. Knuth's two-sum gives the rounding error of an
addition exactly, so merging tables in any order gives the same sums.
"""

from typing import Any, NamedTuple

import numpy as np

from ..arrays import Counts, Floats, Ints
from ..kernels.class_sums import align, merge_cells
from .labels import require_label, sort_classes
from .weights import LARGEST_COUNT, round_counts


class Sums(NamedTuple):
    """An array of sums with twice the precision of a float: each sum is `value` + `rest`."""

    value: Floats  # the sums, rounded
    rest: Floats  # what rounding cut off

    @classmethod
    def zeros(cls, size: int) -> "Sums":
        """Return sums of 0."""
        return cls(np.zeros(size), np.zeros(size))

    @classmethod
    def from_integers(cls, numbers: Ints) -> "Sums":
        """Return integers as sums; those above 2^53, which a float cannot represent, keep their last digits."""
        value = numbers.astype(np.float64)
        return cls(value, (numbers - value.astype(np.int64)).astype(np.float64))

    @classmethod
    def normalised(cls, value: Floats, rest: Floats) -> "Sums":
        """Return the sums value + rest, in which each new rest is the rounding error of the new value.

        This is exact if no given rest is larger than its value in size (Dekker's fast two-sum).
        """
        total = value + rest
        return cls(total, rest - (total - value))

    def at(self, positions: Any) -> "Sums":
        """Return the sums at some positions (indices or a slice)."""
        return Sums(self.value[positions], self.rest[positions])

    def plus(self, other: "Sums") -> "Sums":
        """Add elementwise; Knuth's two-sum gives the rounding error of adding the values."""
        value = self.value + other.value
        other_part = value - self.value
        rounding_error = (self.value - (value - other_part)) + (other.value - other_part)
        return Sums.normalised(value, rounding_error + (self.rest + other.rest))

    def minus(self, other: "Sums") -> "Sums":
        """Subtract elementwise."""
        return self.plus(Sums(-other.value, -other.rest))

    def times(self, factors: Floats | float) -> "Sums":
        """Multiply elementwise; the product has the precision of a float."""
        return Sums.normalised(self.value * factors, self.rest * factors)


class Totals(NamedTuple):
    """Statistics over all documents, labelled or not, for each term that occurs; a multilabel document counts once."""

    terms: Ints  # ascending columns; the other arrays are parallel to it
    doc_freq: Counts
    sums: Sums
    squares: Sums


class Cells(NamedTuple):
    """Statistics of each class and each term that occurs in it, sorted by class and then by term."""

    class_starts: Ints  # the cells of class j are class_starts[j] to class_starts[j + 1]
    terms: Ints
    doc_freq: Counts
    sums: Sums

    def classes(self) -> Ints:
        """Return the class number of each cell."""
        return np.repeat(np.arange(len(self.class_starts) - 1), np.diff(self.class_starts))


class Table(NamedTuple):
    """The statistics of some documents."""

    classes: tuple[Any, ...]  # labels, sorted
    n_documents: float  # an int, or a float if document counts are floats (see `_has_integer_counts`)
    n_terms: int
    class_docs: Counts  # number of documents of each class
    totals: Totals
    cells: Cells


def empty(n_terms: int) -> Table:
    """Return the statistics of no documents."""
    no_entries = np.zeros(0, np.int64)
    totals = Totals(no_entries, no_entries, Sums.zeros(0), Sums.zeros(0))
    cells = Cells(np.zeros(1, np.int64), no_entries, no_entries, Sums.zeros(0))
    return Table((), 0, n_terms, no_entries, totals, cells)


def merge(left: Table, right: Table) -> Table:
    """Return the table of the documents of two tables; classes and terms that only one of them has are included."""
    classes = sort_classes((*left.classes, *right.classes))
    n_documents = left.n_documents + right.n_documents
    class_docs = np.zeros(len(classes), np.result_type(left.class_docs, right.class_docs))
    number_of = {label: number for number, label in enumerate(classes)}
    for table in (left, right):
        class_docs[[number_of[label] for label in table.classes]] += table.class_docs
    totals = _merge_totals(left.totals, right.totals)
    cells = _merge_cells(left, right, classes)
    merged = Table(tuple(classes), n_documents, max(left.n_terms, right.n_terms), class_docs, totals, cells)
    # Integers that became too large are converted to floats. Floats are rounded to the step of the larger total.
    largest_count = max(float(n_documents), float(class_docs.sum()))
    if _has_integer_counts(merged) and largest_count <= LARGEST_COUNT:
        return merged
    return _with_rounded_counts(merged, largest_count)


def _has_integer_counts(table: Table) -> bool:
    """Return whether all document counts of a table are integers.

    They are floats if some sample weights are not integers, or if counts became larger than `LARGEST_COUNT`.
    """
    counts = table.class_docs, table.totals.doc_freq, table.cells.doc_freq
    return not isinstance(table.n_documents, float) and all(array.dtype.kind != "f" for array in counts)


def _with_rounded_counts(table: Table, largest_count: float) -> Table:
    """Return the table with float counts, rounded so that sums of them are exact (see `weights`).

    No count of the table is above `largest_count`.
    """

    def rounded(counts: Counts) -> Counts:
        return round_counts(counts.astype(np.float64), largest_count)

    return table._replace(
        n_documents=rounded(np.array([table.n_documents])).item(),
        class_docs=rounded(table.class_docs),
        totals=table.totals._replace(doc_freq=rounded(table.totals.doc_freq)),
        cells=table.cells._replace(doc_freq=rounded(table.cells.doc_freq)),
    )


def _merge_totals(left: Totals, right: Totals) -> Totals:
    """Return the totals of the documents of two tables, for the terms of either."""
    # The merged terms, and the positions of each table's terms among them.
    terms, left_positions, right_positions = align(left.terms, right.terms)

    def add_sums(left_sums: Sums, right_sums: Sums) -> Sums:
        """Return the sums of both tables for the merged terms."""
        added = Sums.zeros(len(terms))
        added.value[left_positions], added.rest[left_positions] = left_sums
        added.value[right_positions], added.rest[right_positions] = added.at(right_positions).plus(right_sums)
        return added

    doc_freq = np.zeros(len(terms), np.result_type(left.doc_freq, right.doc_freq))
    doc_freq[left_positions] += left.doc_freq
    doc_freq[right_positions] += right.doc_freq
    return Totals(terms, doc_freq, add_sums(left.sums, right.sums), add_sums(left.squares, right.squares))


def _merge_cells(left: Table, right: Table, classes: list[Any]) -> Cells:
    """Return the merged cells (class, term) of two tables, sorted by the merged classes and then by term."""
    # The kernel writes to arrays of the largest possible size. Memory that is never written to is not allocated.
    most_cells = len(left.cells.terms) + len(right.cells.terms)
    class_starts = np.zeros(len(classes) + 1, np.int64)
    count_type = np.result_type(left.cells.doc_freq, right.cells.doc_freq)
    terms, doc_freq = np.empty(most_cells, np.int64), np.empty(most_cells, count_type)
    sums = Sums(np.empty(most_cells), np.empty(most_cells))
    left_arrays, right_arrays = (_kernel_arrays(table, classes, count_type) for table in (left, right))
    merge_cells(*left_arrays, *right_arrays, class_starts, terms, doc_freq, *sums)
    filled = slice(class_starts[-1])
    return Cells(class_starts, terms[filled], doc_freq[filled], sums.at(filled))


def _kernel_arrays(
    table: Table, classes: list[Any], count_type: np.dtype[Any]
) -> tuple[Ints, Ints, Ints, Counts, Floats, Floats]:
    """Return the arguments of the kernel `merge_cells` for one table: the numbers of its classes, and its cells.

    The first array has the table's own number of each merged class, or -1 if the table does not have the class.
    """
    number_of = {label: number for number, label in enumerate(table.classes)}
    own_numbers = np.array([number_of.get(label, -1) for label in classes], np.int64)
    cells = table.cells
    return own_numbers, cells.class_starts, cells.terms, cells.doc_freq.astype(count_type, copy=False), *cells.sums


def restrict(table: Table, columns: Ints) -> Table:
    """Return the statistics of the given distinct columns, renumbered in the given order.

    With the columns [5, 2], column 5 becomes column 0, column 2 becomes column 1, and all others are left out.
    """
    new_column = np.full(table.n_terms, -1, np.int64)  # -1 for columns that are left out
    new_column[columns] = np.arange(len(columns))
    totals, cells = table.totals, table.cells
    new_totals_terms, new_cell_terms = new_column[totals.terms], new_column[cells.terms]
    # The new start of a class is the number of selected cells before its old start.
    class_starts = np.concatenate([[0], np.cumsum(new_cell_terms >= 0)])[cells.class_starts]
    selected_totals, selected_cells = np.flatnonzero(new_totals_terms >= 0), np.flatnonzero(new_cell_terms >= 0)
    if len(columns) and (np.diff(columns) < 0).any():  # the order changes, so terms must be sorted again
        selected_totals = selected_totals[np.argsort(new_totals_terms[selected_totals])]
        classes = cells.classes()[selected_cells]
        selected_cells = selected_cells[np.lexsort((new_cell_terms[selected_cells], classes))]
    return table._replace(
        n_terms=len(columns),
        totals=Totals(
            new_totals_terms[selected_totals],
            totals.doc_freq[selected_totals],
            totals.sums.at(selected_totals),
            totals.squares.at(selected_totals),
        ),
        cells=Cells(
            class_starts,
            new_cell_terms[selected_cells],
            cells.doc_freq[selected_cells],
            cells.sums.at(selected_cells),
        ),
    )


def spread(table: Table, columns: Ints, n_terms: int) -> Table:
    """Return the table with column i renumbered as columns[i], among `n_terms`; `columns` must ascend.

    With the columns [0, 3] and 5 terms, column 1 becomes column 3, and columns 1, 2 and 4 are empty.
    """
    totals, cells = table.totals, table.cells
    return table._replace(
        n_terms=n_terms,
        totals=totals._replace(terms=columns[totals.terms]),
        cells=cells._replace(terms=columns[cells.terms]),
    )


def with_weighted_terms(table: Table, factors: Floats) -> Table:
    """Return the table as if all weights of a term had been multiplied by its factor; document counts stay."""
    totals, cells = table.totals, table.cells
    of_totals = factors[totals.terms]
    return table._replace(
        totals=totals._replace(sums=totals.sums.times(of_totals), squares=totals.squares.times(of_totals**2)),
        cells=cells._replace(sums=cells.sums.times(factors[cells.terms])),
    )


def decayed(table: Table, factor: float) -> Table:
    """Return the table as if each document had been given the sample weight `factor`; all counts become floats."""
    totals, cells = table.totals, table.cells
    scaled = table._replace(
        n_documents=table.n_documents * factor,
        class_docs=table.class_docs * factor,
        totals=Totals(totals.terms, totals.doc_freq * factor, totals.sums.times(factor), totals.squares.times(factor)),
        cells=cells._replace(doc_freq=cells.doc_freq * factor, sums=cells.sums.times(factor)),
    )
    return _with_rounded_counts(scaled, max(float(scaled.n_documents), float(scaled.class_docs.sum())))


def without_class(table: Table, label: Any) -> Table:
    """Return the statistics of the same documents without one class, as if no document had this label.

    The table itself is returned if it has no such class. Raises `InputError` for a value that can't be a label.
    """
    require_label(label)
    if label not in table.classes:
        return table
    number = table.classes.index(label)
    cells = table.cells
    begin, end = cells.class_starts[number : number + 2]
    other_cells = np.concatenate([np.arange(begin), np.arange(end, len(cells.terms))])
    class_starts = np.delete(cells.class_starts, number)
    class_starts[number:] -= end - begin
    return table._replace(
        classes=table.classes[:number] + table.classes[number + 1 :],
        class_docs=np.delete(table.class_docs, number),
        cells=Cells(class_starts, cells.terms[other_cells], cells.doc_freq[other_cells], cells.sums.at(other_cells)),
    )
