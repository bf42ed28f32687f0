"""The arrays behind `ClassStats`: how two tables are merged, and how a table is stored.

Only nonzero statistics are stored: totals for the terms that occur in some document, and cells (class, term) for the
terms that occur in some document of the class, class by class. With ten thousand classes nearly all cells are empty.
And a batch of a stream contains few of the millions of terms seen before it. So the tables of batches are small, and
merging two of them visits only the terms that occur in them.

**Sums** are stored with twice the digits of a float: the rounded sum, and the rest that rounding cut off. Scores
subtract large numbers that nearly agree (a mean of squares and a squared mean). With 53 bits that loses all digits when
weights are near 1e6 and vary by 1e-3; with 106 bits it does not. Knuth's two-sum gives the rounding error of an
addition exactly, so merging tables in any order gives the same sums.

A table is stored as the bytes of an archive (`encode`), which runs no code when it is read (`decode`).
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..archive import Kind, Specs, archive_in, pack
from ..arrays import Counts, Floats, Ints
from ..errors import InputError, shown
from ..kernels.class_sums import align, merge_cells
from ..settings import is_whole
from ..strict_json import are_classes
from .labels import require_label, sort_classes
from .weights import LARGEST_COUNT, LARGEST_TOTAL_WEIGHT, round_counts


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


_KIND = Kind("textsieve.ClassStats", 1, "a table of statistics")

_ARRAY_NAMES = {
    *("class_docs", "doc_freq", "sums", "squares"),
    *("cell_indptr", "cell_indices", "cell_doc_freq", "cell_sums"),
}
"""The names of the arrays of a stored table (see `table_arrays`)."""


def encode(table: Table) -> bytes:
    """Return the bytes of a table."""
    return pack(_KIND, {"classes": table.classes, "n_documents": table.n_documents}, table_arrays(table))


def table_arrays(table: Table) -> dict[str, NDArray[Any]]:
    """Return the arrays of a table for an archive; the classes and the number of documents belong in its header."""
    totals, cells = table.totals, table.cells
    # This array has an entry for every term, also for those that do not occur, and so it stores the number of terms. A
    # number in the header could claim any number of terms, and reading would allocate memory for them.
    doc_freq = np.zeros(table.n_terms, totals.doc_freq.dtype)
    doc_freq[totals.terms] = totals.doc_freq
    return {
        "class_docs": table.class_docs,
        "doc_freq": doc_freq,
        "sums": np.stack(totals.sums),
        "squares": np.stack(totals.squares),
        "cell_indptr": cells.class_starts,
        "cell_indices": cells.terms,
        "cell_doc_freq": cells.doc_freq,
        "cell_sums": np.stack(cells.sums),
    }


def decode(data: bytes) -> Table:
    """Return the table that `encode` wrote; raise `InputError` for any other bytes."""
    archive = archive_in(_KIND, data, "table of statistics")
    classes, n_documents = archive.header.get("classes"), archive.header.get("n_documents")
    count_type = np.int64 if is_whole(n_documents) else np.float64  # all counts are floats if one is
    if not (are_classes(classes) and (is_whole(n_documents) or isinstance(n_documents, float))):
        raise InputError("This table of statistics is damaged: its header has no classes, or no number of documents.")
    check_declared(archive.specs, len(classes), count_type)
    return restore_table(classes, n_documents, archive.read())


def check_declared(specs: Specs, n_classes: int, count_type: type[np.int64] | type[np.float64] = np.int64) -> int:
    """Check the types and shapes of the arrays of a stored table before they are read; return its number of terms.

    Raises `InputError` if arrays are missing or unknown, or if a type or shape is not that of a table for `n_classes`
    classes whose document counts are of type `count_type`.
    """
    if set(specs) != _ARRAY_NAMES:
        raise InputError(f"This table of statistics is damaged: its arrays are {shown(sorted(specs), 200)}.")
    # Three arrays tell the sizes of the table. No more terms can occur than there are, and no more cells can be filled
    # than a full matrix (classes x terms) has; an array that is longer differs from the expected shape below.
    n_terms = specs["doc_freq"].size
    n_occurring_terms = min(specs["sums"].size // 2, n_terms)  # a sum is two floats, value and rest
    n_cells = min(specs["cell_indices"].size, n_classes * n_terms)
    expected: dict[str, tuple[type[np.generic], tuple[int, ...]]] = {
        "class_docs": (count_type, (n_classes,)),
        "doc_freq": (count_type, (n_terms,)),
        "sums": (np.float64, (2, n_occurring_terms)),
        "squares": (np.float64, (2, n_occurring_terms)),
        "cell_indptr": (np.int64, (n_classes + 1,)),
        "cell_indices": (np.int64, (n_cells,)),
        "cell_doc_freq": (count_type, (n_cells,)),
        "cell_sums": (np.float64, (2, n_cells)),
    }
    for name, (dtype, shape) in expected.items():
        if specs[name].dtype != dtype or specs[name].shape != shape:
            raise InputError(
                f"This table of statistics is damaged: its parts do not fit together, as {name} is "
                f"{specs[name].dtype} of shape {specs[name].shape}, not {np.dtype(dtype)} of {shape}."
            )
    return n_terms


def restore_table(classes: Sequence[Any], n_documents: float, arrays: Mapping[str, NDArray[Any]]) -> Table:
    """Return the table from its stored arrays, whose types and shapes `check_declared` has checked.

    Raises `InputError` if the numbers in the arrays can't be those of a table.
    """
    cells = Cells(arrays["cell_indptr"], arrays["cell_indices"], arrays["cell_doc_freq"], Sums(*arrays["cell_sums"]))
    doc_freq = arrays["doc_freq"]  # of all terms; the other totals are stored for terms that occur
    terms = np.flatnonzero(doc_freq)
    totals = Totals(terms, doc_freq[terms], Sums(*arrays["sums"]), Sums(*arrays["squares"]))
    table = Table(tuple(classes), n_documents, doc_freq.size, arrays["class_docs"], totals, cells)
    if not (_has_valid_structure(table) and _has_possible_counts(table)):
        raise InputError("This table of statistics is damaged: its parts do not fit together.")
    return table


def _has_valid_structure(table: Table) -> bool:
    """Return whether each term that occurs has a sum, and the cells are sorted by class and then by term.

    All other lengths of arrays have been compared by `check_declared`.
    """
    terms, class_starts = table.cells.terms, table.cells.class_starts
    if len(table.totals.sums.value) != len(table.totals.terms):
        return False
    are_ascending = (class_starts[1:] >= class_starts[:-1]).all()  # without differences, which could overflow
    if not (class_starts[0] == 0 and class_starts[-1] == len(terms) and are_ascending):
        return False
    if not _are_within(terms, 0, table.n_terms - 1):
        return False
    positions = table.cells.classes() * table.n_terms + terms  # of the cells in a full matrix (classes x terms)
    return bool((np.diff(positions) > 0).all())


def _has_possible_counts(table: Table) -> bool:
    """Return whether documents with these counts can exist: whether no part has more documents than the whole.

    A class may not have more documents than there are. A term of a class may not be in more documents than the class
    has, nor in more documents than contain the term in total; so each term of a cell must have totals, too. Besides,
    all counts must be within their limits, and all sums finite.
    """
    totals, cells = table.totals, table.cells
    has_integers = table.class_docs.dtype == np.int64
    largest = LARGEST_COUNT if has_integers else LARGEST_TOTAL_WEIGHT
    smallest = 1 if has_integers else np.finfo(np.float64).tiny  # zeros are not stored
    positions = np.searchsorted(totals.terms, cells.terms)  # of the cells' terms in the totals, if they are there
    if not ((positions < len(totals.terms)).all() and (totals.terms[positions] == cells.terms).all()):
        return False
    return (
        0 <= table.n_documents <= largest
        and _are_within(table.class_docs, 0, table.n_documents)
        and table.class_docs.astype(object).sum() <= largest  # as Python integers, which cannot overflow
        and _are_within(totals.doc_freq, smallest, table.n_documents)
        and _are_within(cells.doc_freq, smallest, table.class_docs[cells.classes()])
        and _are_within(cells.doc_freq, smallest, totals.doc_freq[positions])
        and all(bool(np.isfinite(floats).all()) for floats in (*totals.sums, *totals.squares, *cells.sums))
    )


def _are_within(numbers: NDArray[Any], smallest: float, largest: Any) -> bool:
    """Return whether all numbers are in a range; `largest` may be an array with a bound for each."""
    return bool(((numbers >= smallest) & (numbers <= largest)).all())
