"""`ClassStats`: the one small table that one pass over the documents fills, and that most methods only read.

For n documents, d terms and c classes it holds: documents per class; per term the documents that have it (`doc_freq`),
the sum and the sum of squares of its weights, over all documents; per class and term the documents (`A` of the
contingency table) and the sum. Labels may be one or several a document; a document with several counts once in each
of its classes, so `n_pairs`, the number of (document, class) pairs, is what formulas about classes divide by.
Documents without a label enter the totals alone. Where documents have weights, all counts and sums are weighted: a
document of weight 3 counts as three copies of it.

Tables add up: `merge` (or `+`) of the tables of two collections is the table of both, `ClassStats.zero()` is the
table of none, and it does not matter how the documents were split or in which order the parts were added.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..arrays import Counts, Floats, Ints
from ..errors import InputError, shown
from ..settings import is_whole
from . import table as tables
from .codec import decode, encode
from .labels import label_pairs, one_kind
from .onepass import from_rows, from_weighted_rows
from .soundness import are_finite, in_order
from .sums import Sums
from .table import Cells, Table
from .weights import check_weights, drop_weightless


class Contingency(NamedTuple):
    """The four counts of (document, class) pairs for one class and each term."""

    in_class_with: Counts  # A
    elsewhere_with: Counts  # B
    in_class_without: Counts  # C
    elsewhere_without: Counts  # D


class ClassStats:
    """Statistics of documents per term and per class.

    It contains the number of documents of each class; for each term, over all documents, the document frequency and the
    sum and sum of squares of its weights; for each class and term, the document frequency and the sum. A multilabel
    document counts once in each of its classes, and once in the totals. Unlabelled documents count in the totals only.
    Methods about one class take its number, which is its position in `classes`.
    """

    def __init__(self, table: Table | None = None) -> None:
        self._parts = [tables.empty(0) if table is None else table]

    # -- making and adding ---------------------------------------------------------------------------------------

    @classmethod
    def zero(cls, n_terms: int = 0) -> Self:
        """Return the statistics of no documents."""
        return cls(tables.empty(n_terms))

    @classmethod
    def from_matrix(cls, X: Any, y: Any = None, *, unlabelled: Any = None, sample_weight: Any = None) -> Self:
        """Return the statistics of documents given as the rows of a (sparse) matrix, and their labels.

        The label of an unlabelled document is None or NaN, or what `unlabelled` names. `sample_weight` has a number for
        each document: a document of weight 3 counts exactly as three copies, and one of weight 0 not at all. With
        weights that are not integers, document counts are floats.
        """
        rows = _rows(X)
        weights = check_weights(sample_weight, rows.shape[0])
        if weights is not None:
            rows, y, weights = drop_weightless(in_order(rows), y, weights)
        labels = label_pairs(y, rows.shape[0], unlabelled)
        return cls(from_rows(rows, labels) if weights is None else from_weighted_rows(rows, labels, weights))

    def update(self, X: Any, y: Any = None, *, unlabelled: Any = None, sample_weight: Any = None) -> Self:
        """Add more documents in place. Their matrix may have more or fewer columns than before."""
        added = type(self).from_matrix(X, y, unlabelled=unlabelled, sample_weight=sample_weight)
        return self._append(added.table)

    def merge(self, other: "ClassStats") -> "ClassStats":
        """Return the statistics of the documents of both."""
        if not isinstance(other, ClassStats):
            raise InputError(f"other is {shown(other)}; give a ClassStats.")
        return ClassStats(tables.merge(self.table, other.table))

    def __add__(self, other: "ClassStats") -> "ClassStats":
        """Return the statistics of the documents of both."""
        return self.merge(other) if isinstance(other, ClassStats) else NotImplemented

    def copy(self) -> "ClassStats":
        """Return an independent copy."""
        return ClassStats(self.table)

    def take(self, columns: Iterable[int]) -> "ClassStats":
        """Return the statistics of some terms, in the order of `columns`."""
        numbers = np.asarray(columns if isinstance(columns, np.ndarray) else list(columns))
        if len(numbers) and not (numbers.dtype.kind in "iu" and _are_places(numbers.astype(np.int64), self.n_terms)):
            raise InputError(
                setting="columns", value=columns, hint=f"use numbers from 0 to {self.n_terms - 1:,}, none twice"
            )
        return ClassStats(tables.restrict(self.table, numbers.astype(np.int64)))

    def without_class(self, label: Any) -> "ClassStats":
        """Return the statistics of the same documents without the label of one class; all documents stay in the
        totals.
        """
        return ClassStats(tables.without_class(self.table, label))

    def renamed(self, classes: Iterable[Any]) -> "ClassStats":
        """Return the same statistics with other names for the classes, which messages of selectors will show."""
        return ClassStats(self.table._replace(classes=tuple(classes)))

    def _append(self, part: Table) -> Self:
        # Adding a small table to a large one costs as much as the large one. So parts wait, and two of them are
        # merged when they are of like size: n updates cost n log n instead of n squared.
        # A part that does not go with the others is refused now, and not when they are merged.
        one_kind(label for waiting in (*self._parts, part) for label in waiting.classes[:1])
        self._parts.append(part)
        while len(self._parts) > 1 and _weight(self._parts[-2]) <= 2 * _weight(self._parts[-1]):
            self._merge_last_two()
        return self

    def _merge_last_two(self) -> None:
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
        return self._spread(totals.terms, totals.doc_freq)

    @property
    def pair_doc_freq(self) -> Counts:
        """Return the number of (document, class) pairs that contain each term: A + B of the contingency table."""
        cells = self.table.cells
        return np.bincount(cells.terms, cells.doc_freq, self.n_terms).astype(cells.doc_freq.dtype)

    @property
    def pair_sums(self) -> Floats:
        """Return the sum of each term's weights over the (document, class) pairs."""
        cells = self.table.cells
        return np.bincount(cells.terms, cells.sums.value, self.n_terms).astype(np.float64)

    @property
    def sums(self) -> Sums:
        """Return the sum of each term's weights over all documents."""
        totals = self.table.totals
        return Sums(*(self._spread(totals.terms, part) for part in totals.sums))

    @property
    def squares(self) -> Sums:
        """Return the sum of each term's squared weights over all documents."""
        totals = self.table.totals
        return Sums(*(self._spread(totals.terms, part) for part in totals.squares))

    @property
    def cells(self) -> Cells:
        """Return the filled cells: the pairs of a class and a term that occurs in it."""
        return self.table.cells

    def class_doc_freq(self, number: int) -> Counts:
        """Return the number of documents of a class that contain each term."""
        cells = self._class_cells(number)
        return self._spread(self.cells.terms[cells], self.cells.doc_freq[cells])

    def class_sums(self, number: int) -> Floats:
        """Return the sum of each term's weights over the documents of a class."""
        cells = self._class_cells(number)
        return self._spread(self.cells.terms[cells], self.cells.sums.value[cells])

    def sums_outside(self, number: int) -> Floats:
        """Return the sum of each term's weights over the documents outside a class, including unlabelled ones."""
        cells, sums = self._class_cells(number), self.sums
        terms, own = self.cells.terms[cells], self.cells.sums.at(cells)
        others = self.doc_freq[terms] > self.cells.doc_freq[cells]  # where there are none, no rounding may say so
        sums.value[terms] = np.where(others, sums.at(terms).minus(own).value, 0.0)
        return sums.value

    def contingency(self, number: int) -> Contingency:
        """Return the four counts of one class and each term."""
        with_term = self.class_doc_freq(number)
        elsewhere = self.pair_doc_freq - with_term
        size = self.class_docs[number]
        return Contingency(with_term, elsewhere, size - with_term, self.n_pairs - size - elsewhere)

    def favours(self, number: int) -> NDArray[np.bool_]:
        """Return which terms are in a larger share of the class's documents than of all documents."""
        size = self.class_docs[number].item()
        return np.asarray(self.class_doc_freq(number) * self.n_pairs > self.pair_doc_freq * size)

    def _class_cells(self, number: int) -> slice:
        if not (is_whole(number) and 0 <= number < len(self.classes)):
            raise InputError(
                f"There is no class number {shown(number)}; numbers go from 0 to {len(self.classes) - 1}, in the order "
                "of classes."
            )
        return slice(*self.cells.class_starts[number : number + 2])

    def _spread(self, terms: Ints, values: NDArray[Any]) -> NDArray[Any]:
        """Return an array over all terms with the given values, and zeros elsewhere."""
        spread = np.zeros(self.n_terms, values.dtype)
        spread[terms] = values
        return spread

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
        """Read what `to_bytes` wrote; raise `InputError` for anything else."""
        return cls(decode(data))


def _are_places(numbers: Ints, end: int) -> bool:
    within = bool(numbers.min() >= 0 and numbers.max() < end)
    return within and int(np.bincount(numbers, minlength=end).max()) == 1


def _weight(table: Table) -> int:
    return len(table.cells.terms) + len(table.totals.terms)


def _rows(X: Any) -> sparse.csr_array:
    """Return the matrix in CSR format with numbers that can be added up; the order of columns is not checked here."""
    try:
        rows = sparse.csr_array(X)
    except (TypeError, ValueError) as problem:
        raise InputError(f"X is not a matrix of numbers, documents by terms: {problem}") from problem
    if rows.ndim != 2:
        raise InputError(f"X has {rows.ndim} dimensions; give a matrix of documents and terms.")
    if rows.dtype.kind not in "biuf" or rows.dtype.itemsize > 8:
        raise InputError(f"X is of dtype {rows.dtype}; use whole numbers, or floats of up to 64 bits.")
    if rows.dtype.kind == "f" and not are_finite(rows.data):
        raise InputError("X has values that are NaN, infinite, or so large (1e150) that their squares have no sum.")
    return _with_usual_types(rows)


def _with_usual_types(rows: sparse.csr_array) -> sparse.csr_array:
    """Convert the arrays of a matrix to types that the kernels are compiled for.

    A kernel is compiled anew, in seconds, for each combination of types. So values become 32- or 64-bit integers or
    floats, and both index arrays 32- or 64-bit integers. Arrays that already are of these types are not copied.
    """
    rows.data = rows.data.astype(_usual_type(rows.data), copy=False)
    index_type = np.int32 if rows.indptr.dtype == rows.indices.dtype == np.int32 else np.int64
    rows.indptr = rows.indptr.astype(index_type, copy=False)
    rows.indices = rows.indices.astype(index_type, copy=False)
    return rows


def _usual_type(data: NDArray[Any]) -> type[np.generic]:
    """Return the smallest of int32, int64, float32 and float64 that has room for all values."""
    if data.dtype.kind == "f":
        return np.float32 if data.dtype.itemsize <= 4 else np.float64
    if np.can_cast(data.dtype, np.int32):
        return np.int32
    fits = data.dtype.kind == "i" or data.max(initial=0) <= np.iinfo(np.int64).max
    return np.int64 if fits else np.float64
