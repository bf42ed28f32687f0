"""`ClassStats`: a small table of statistics, filled by one pass over the documents, that most methods only read.

For n documents, d terms and c classes it has

- the number of documents of each class;
- for each term, over all documents: the number of documents that contain it (`doc_freq`), and the sum and the sum of
  squares of its weights;
- for each class and term: the number of documents of the class that contain the term (A_jt), and the sum of its
  weights.

A multilabel document counts once in each of its classes, so formulas about classes divide by `n_pairs`, the number of
(document, class) pairs. Unlabelled documents count in the totals over all documents only. With sample weights, all
counts and sums are weighted: a document of weight 3 counts as three copies of it.

Tables can be merged: `merge` (or `+`) of the tables of two collections is the table of both, and `ClassStats.zero()` is
the table of no documents. The result does not depend on how documents were split into parts, nor on the order in which
the parts are merged.
"""

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..arrays import Counts, Floats, Ints
from ..errors import InputError, shown
from ..settings import is_whole
from . import table as tables
from .labels import label_pairs, sort_classes
from .matrix import as_csr, sort_columns
from .onepass import from_rows, from_weighted_rows
from .table import Cells, Sums, Table, decode, encode
from .weights import check_weights, drop_weightless


class ClassStats:
    """Statistics of documents per term and per class.

    It contains the number of documents of each class; for each term, over all documents, the document frequency and the
    sum and sum of squares of its weights; for each class and term, the document frequency and the sum. A multilabel
    document counts once in each of its classes, and once in the totals. Unlabelled documents count in the totals only.
    Methods about one class take its number, which is its position in `classes`.

    Columns of arrays are terms. `class_docs` and arrays of document frequencies have integers, or floats if there are
    sample weights that are not integers.

    Examples
    --------
    >>> from textsieve import OCFS, ClassStats
    >>> X = [[2, 0, 1, 0], [1, 1, 0, 0], [0, 2, 1, 1], [0, 1, 0, 2]]  # counts: documents x terms
    >>> y = ["sport", "sport", "politics", "politics"]
    >>> first, second = ClassStats.from_matrix(X[:2], y[:2]), ClassStats.from_matrix(X[2:], y[2:])
    >>> both = first.merge(second)
    >>> both.doc_freq
    array([2, 3, 2, 2])
    >>> OCFS(k=2).fit_stats(both).scores_.round(3)
    array([0.562, 0.25 , 0.   , 0.562])
    """

    def __init__(self, table: Table | None = None) -> None:
        # The statistics are these tables merged; `_append` says why there can be several.
        self._parts = [tables.empty(0) if table is None else table]

    # -- building and merging ---------------------------------------------------------------------------------------

    @classmethod
    def zero(cls, n_terms: int = 0) -> Self:
        """Return the statistics of no documents."""
        return cls(tables.empty(n_terms))

    @classmethod
    def from_matrix(cls, X: Any, y: Any = None, *, unlabelled: Any = None, sample_weight: Any = None) -> Self:
        """Return the statistics of documents given as the rows of a (sparse) matrix, and their labels.

        The label of an unlabelled document is None, NaN, or the value of `unlabelled`. `sample_weight` has a number for
        each document: a document of weight 3 counts exactly as three copies, and one of weight 0 not at all. With
        weights that are not integers, document counts are floats.
        """
        rows = as_csr(X)
        weights = check_weights(sample_weight, rows.shape[0])
        if weights is not None:
            rows, y, weights = drop_weightless(sort_columns(rows), y, weights)
        labels = label_pairs(y, rows.shape[0], unlabelled)
        return cls(from_rows(rows, labels) if weights is None else from_weighted_rows(rows, labels, weights))

    def update(self, X: Any, y: Any = None, *, unlabelled: Any = None, sample_weight: Any = None) -> Self:
        """Add more documents in place. Their matrix may have more or fewer columns than before."""
        added = type(self).from_matrix(X, y, unlabelled=unlabelled, sample_weight=sample_weight)
        self._append(added.table)
        return self

    def merge(self, other: "ClassStats") -> "ClassStats":
        """Return the statistics of the documents of both tables, whose columns must be the same terms.

        Count both with one counter, or with counters of the same vocabulary. A table does not know its terms, but
        different numbers of terms raise `InputError`, unless one of them is 0. If one counter counted both and learned
        terms in between, widen the smaller table first, by `spread`.
        """
        if not isinstance(other, ClassStats):
            raise InputError(f"other is {shown(other)}", hint="give a ClassStats")
        sizes = self.n_terms, other.n_terms
        if sizes[0] != sizes[1] and all(sizes):
            raise InputError(
                f"The tables have {sizes[0]:,} and {sizes[1]:,} terms, so their columns are not the same terms",
                hint="count both with one TermCounter, or give both counters the same vocabulary. If one counter "
                f"learned terms in between: table.spread(np.arange({min(sizes)}), {max(sizes)}) widens the first table",
            )
        return ClassStats(tables.merge(self.table, other.table))

    def __add__(self, other: "ClassStats") -> "ClassStats":
        """Return the statistics of the documents of both tables."""
        return self.merge(other) if isinstance(other, ClassStats) else NotImplemented

    def copy(self) -> "ClassStats":
        """Return an independent copy."""
        return ClassStats(self.table)  # shared, because no method changes a table in place

    def take(self, columns: Iterable[int]) -> "ClassStats":
        """Return the statistics of some terms, numbered in the order of `columns`."""
        numbers = np.asarray(columns if isinstance(columns, np.ndarray) else list(columns))
        is_valid = numbers.dtype.kind in "iu" and _are_distinct_columns(numbers.astype(np.int64), self.n_terms)
        if len(numbers) and not is_valid:  # an empty list is allowed, although its array has the dtype float64
            raise InputError(
                setting="columns", value=columns, hint=f"use numbers from 0 to {self.n_terms - 1:,}, none twice"
            )
        return ClassStats(tables.restrict(self.table, numbers.astype(np.int64)))

    def spread(self, columns: Ints, n_terms: int) -> "ClassStats":
        """Return the same statistics with column i renumbered as columns[i], among `n_terms` columns.

        With the columns [0, 3] and 5 terms, column 1 becomes column 3, and columns 1, 2 and 4 are empty.
        `spread(np.arange(stats.n_terms), n_terms)` adds empty columns at the end. `columns` must ascend, which is not
        checked.
        """
        return ClassStats(tables.spread(self.table, columns, n_terms))

    def with_weighted_terms(self, factors: Floats) -> "ClassStats":
        """Return the statistics as if all weights of each term had been multiplied by its factor, such as its idf."""
        return ClassStats(tables.with_weighted_terms(self.table, factors))

    def decayed(self, factor: float) -> "ClassStats":
        """Return the statistics as if each sample weight had been multiplied by `factor`, above 0 and up to 1.

        Document counts become floats, unless the factor is 1, which changes nothing.
        """
        return self.copy() if factor == 1.0 else ClassStats(tables.decayed(self.table, factor))

    def without_class(self, label: Any) -> "ClassStats":
        """Return the statistics of the same documents without one class, as if no document had this label.

        The documents of the class still count in the totals over all documents, and in their other classes. If there is
        no such class, nothing changes.
        """
        return ClassStats(tables.without_class(self.table, label))

    def renamed(self, classes: Iterable[Any]) -> "ClassStats":
        """Return the same statistics with new names for the classes, given in the present order of the classes.

        The new names must be sorted, too, which is not checked.
        """
        return ClassStats(self.table._replace(classes=tuple(classes)))

    def _append(self, part: Table) -> None:
        """Add a table, and merge it at once only with tables of similar size.

        Merging a small table into a large one takes as long as copying the large one. So small tables wait until there
        are enough of them, and n updates take O(n log n) time instead of O(n squared).
        """
        # `sort_classes` is called for its error only. If the classes of the new table are text and those of the others
        # numbers, it is raised now and not later, when tables are merged. A table has classes of one type, so one class
        # of each table is enough.
        sort_classes(label for waiting in (*self._parts, part) for label in waiting.classes[:1])
        self._parts.append(part)
        # After this loop, each table has more than twice as many entries as the next one, so there are few tables.
        while len(self._parts) > 1 and _n_entries(self._parts[-2]) <= 2 * _n_entries(self._parts[-1]):
            self._merge_last_two()

    def _merge_last_two(self) -> None:
        """Replace the last two tables by their merged table."""
        self._parts[-2:] = [tables.merge(*self._parts[-2:])]

    # -- reading -------------------------------------------------------------------------------------------------

    @property
    def table(self) -> Table:
        """Return the arrays, with all pending parts merged."""
        while len(self._parts) > 1:
            self._merge_last_two()
        return self._parts[0]

    @property
    def classes(self) -> tuple[Any, ...]:
        """Return the classes, sorted."""
        return self.table.classes

    @property
    def n_terms(self) -> int:
        """Return the number of terms (columns)."""
        return self.table.n_terms

    @property
    def n_documents(self) -> Any:
        """Return the number of documents, labelled or not; a float if some weights are not integers."""
        return self.table.n_documents

    @property
    def n_pairs(self) -> Any:
        """Return the number of (document, class) pairs; a float if `n_documents` is one."""
        return self.table.class_docs.sum().item()

    @property
    def class_docs(self) -> Counts:
        """Return the number of documents of each class."""
        return self.table.class_docs

    @property
    def doc_freq(self) -> Counts:
        """Return the number of documents that contain each term."""
        totals = self.table.totals
        return self._over_all_terms(totals.terms, totals.doc_freq)

    @property
    def pair_doc_freq(self) -> Counts:
        """Return the number of (document, class) pairs that contain each term."""
        cells = self.table.cells
        return np.bincount(cells.terms, cells.doc_freq, self.n_terms).astype(cells.doc_freq.dtype)

    @property
    def pair_sums(self) -> Floats:
        """Return the sum of each term's weights over the (document, class) pairs."""
        cells = self.table.cells
        return np.bincount(cells.terms, cells.sums.value, self.n_terms).astype(np.float64)

    @property
    def sums(self) -> Floats:
        """Return the sum of each term's weights over all documents."""
        totals = self.table.totals
        return self._over_all_terms(totals.terms, totals.sums.value)

    @property
    def squares(self) -> Floats:
        """Return the sum of each term's squared weights over all documents."""
        totals = self.table.totals
        return self._over_all_terms(totals.terms, totals.squares.value)

    @property
    def precise_sums(self) -> Sums:
        """Return `sums` as two arrays: `value`, the rounded sums, and `rest`, what rounding cut off.

        Use them if you subtract sums that nearly agree, such as a squared mean and a mean of squares.
        """
        totals = self.table.totals
        return Sums(*(self._over_all_terms(totals.terms, floats) for floats in totals.sums))

    @property
    def precise_squares(self) -> Sums:
        """Return `squares` as two arrays, like `precise_sums`."""
        totals = self.table.totals
        return Sums(*(self._over_all_terms(totals.terms, floats) for floats in totals.squares))

    @property
    def cells(self) -> Cells:
        """Return the statistics of each class and each term that occurs in it."""
        return self.table.cells

    def class_doc_freq(self, number: int) -> Counts:
        """Return the number of documents of a class that contain each term."""
        cells = self._class_cells(number)
        return self._over_all_terms(self.cells.terms[cells], self.cells.doc_freq[cells])

    def class_sums(self, number: int) -> Floats:
        """Return the sum of each term's weights over the documents of a class."""
        cells = self._class_cells(number)
        return self._over_all_terms(self.cells.terms[cells], self.cells.sums.value[cells])

    def sums_outside(self, number: int) -> Floats:
        """Return the sum of each term's weights over the documents outside a class, including unlabelled ones."""
        cells, sums = self._class_cells(number), self.precise_sums
        terms, class_sums = self.cells.terms[cells], self.cells.sums.at(cells)
        # If a term occurs only in the class, the sum outside is exactly 0, and not the rounding error of a difference.
        occurs_outside = self.doc_freq[terms] > self.cells.doc_freq[cells]
        # Terms that do not occur in the class keep their sums over all documents. `sums.value` is a new array, so it
        # can be changed.
        sums_outside = sums.value
        sums_outside[terms] = np.where(occurs_outside, sums.at(terms).minus(class_sums).value, 0.0)
        return sums_outside

    def favours(self, number: int) -> NDArray[np.bool_]:
        """Return a mask (n_terms,) of the terms that are more frequent in a class than on average.

        Such a term is in a larger share of the class's documents than of all (document, class) pairs.
        """
        n_class_docs = self.class_docs[number].item()
        # The shares class_doc_freq / n_class_docs and pair_doc_freq / n_pairs are compared without division, which is
        # exact for integer counts.
        return np.asarray(self.class_doc_freq(number) * self.n_pairs > self.pair_doc_freq * n_class_docs)

    def _class_cells(self, number: int) -> slice:
        """Return the positions of a class in the arrays of `cells`; raise `InputError` if there is no such class."""
        if not (is_whole(number) and 0 <= number < len(self.classes)):
            raise InputError(
                f"There is no class number {shown(number)}",
                hint=f"numbers go from 0 to {len(self.classes) - 1}, in the order of classes",
            )
        return slice(*self.cells.class_starts[number : number + 2])

    def _over_all_terms(self, terms: Ints, values: NDArray[Any]) -> NDArray[Any]:
        """Return an array over all terms with the values of the given terms, and zeros elsewhere."""
        all_values = np.zeros(self.n_terms, values.dtype)
        all_values[terms] = values
        return all_values

    def __eq__(self, other: object) -> bool:
        """Return whether two tables are equal to the last bit."""
        return isinstance(other, ClassStats) and self.to_bytes() == other.to_bytes()

    def __repr__(self) -> str:
        """Return the sizes of the table."""
        return f"ClassStats({self.n_documents:,} documents, {self.n_terms:,} terms, {len(self.classes):,} classes)"

    # -- to and from bytes ---------------------------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        """Return the table in the safetensors format: arrays and a JSON header."""
        return encode(self.table)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return the table that `to_bytes` wrote; raise `InputError` for any other bytes."""
        return cls(decode(data))


def _are_distinct_columns(numbers: Ints, n_columns: int) -> bool:
    """Return whether numbers are columns from 0 to n_columns - 1, none of them twice."""
    if len(numbers) == 0:
        return True
    are_columns = bool(numbers.min() >= 0 and numbers.max() < n_columns)
    return are_columns and int(np.bincount(numbers, minlength=n_columns).max()) == 1


def _n_entries(table: Table) -> int:
    """Return the number of stored statistics, which the time for merging is proportional to."""
    return len(table.cells.terms) + len(table.totals.terms)
