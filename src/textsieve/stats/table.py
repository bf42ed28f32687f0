"""The arrays behind `ClassStats`, and how two of them add up.

Only the cells (class, term) that some document filled are stored, class by class, each class in the order of its
terms: with ten thousand classes nearly all cells are empty, and the scores know what an empty cell is worth. A sum is
two numbers, the rounded sum and what the rounding left out, so adding tables in any order gives the same.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ..kernels.classes import add_counts, add_weights, drain_counts, drain_weights, seen_terms
from .labels import LabelPairs, one_kind
from .sums import Ints, Sums


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
    """The statistics of some documents. Totals are over all documents, labelled or not, each once."""

    classes: tuple[Any, ...]
    n_documents: int
    class_docs: Ints
    doc_freq: Ints
    sums: Sums
    squares: Sums
    cells: Cells


def empty(n_terms: int) -> Table:
    """The statistics of no documents."""
    none = np.zeros(0, np.int64)
    cells = Cells(np.zeros(1, np.int64), none, none, Sums.zeros(0))
    return Table((), 0, none, np.zeros(n_terms, np.int64), Sums.zeros(n_terms), Sums.zeros(n_terms), cells)


class _Pass:
    """What one pass adds up for each term: exactly for whole numbers, with the errors kept for other weights."""

    def __init__(self, rows: csr_array) -> None:
        self._arrays = rows.indptr, rows.indices, rows.data
        self._exact = rows.data.dtype.kind in "iub" and _squares_fit(rows.data)
        self._add: Any = add_counts if self._exact else add_weights
        self._drain: Any = drain_counts if self._exact else drain_weights
        kind, width = (np.int64, 4) if self._exact else (np.float64, 5)
        n_terms = rows.shape[1]
        self._class_totals = np.zeros((n_terms, width), kind)
        self._grand_totals = np.zeros((n_terms, width), kind)
        self._cells = np.empty((n_terms, width), kind)
        self._terms = np.empty(n_terms, np.int64)
        self._seen = np.zeros(-(-n_terms // 8) * 8, np.uint8)

    def add_class(self, documents: Ints) -> tuple[Ints, Ints, Sums]:
        """The filled cells of a class: terms, documents, sums."""
        self._add(documents, *self._arrays, self._class_totals, self._seen)
        size = seen_terms(self._seen, self._terms)
        terms, cells = self._terms[:size].copy(), self._cells[:size]
        self._drain(terms, self._class_totals, self._grand_totals, cells)
        doc_freq, sums, _ = self._read(cells)
        return terms, doc_freq, sums

    def add_documents(self, documents: Ints) -> None:
        """Add documents to the totals alone."""
        self._add(documents, *self._arrays, self._grand_totals, self._seen)

    def forget_totals(self) -> None:
        """Begin the totals over all documents anew."""
        self._grand_totals[:] = 0

    def totals(self) -> tuple[Ints, Sums, Sums]:
        """Documents, sums and sums of squares of each term over all documents."""
        return self._read(self._grand_totals)

    def _read(self, totals: NDArray[Any]) -> tuple[Ints, Sums, Sums]:
        doc_freq = totals[:, 0].astype(np.int64)
        if self._exact:
            return doc_freq, Sums.of_whole(totals[:, 1]), Sums.of_whole(totals[:, 2])
        return (
            doc_freq,
            Sums.normalised(totals[:, 1], totals[:, 2]),
            Sums.normalised(totals[:, 3], totals[:, 4]),
        )


def _squares_fit(data: NDArray[Any]) -> bool:
    """Whether the sum of all squares surely fits into 64 bits."""
    largest = int(max(-int(data.min()), int(data.max()))) if data.size else 0
    return largest * largest * data.size < 1 << 62


def from_rows(rows: csr_array, labels: LabelPairs) -> Table:
    """The statistics of documents given as sparse rows."""
    one_pass = _Pass(rows)
    filled = [one_pass.add_class(labels.of_class(number)) for number in range(len(labels.classes))]
    if len(labels.documents) == len(np.unique(labels.documents)):
        one_pass.add_documents(labels.unlabelled())
    else:  # a document with several labels was added once for each: the totals want each document once
        one_pass.forget_totals()
        one_pass.add_documents(np.arange(labels.n_documents))
    class_docs = np.diff(labels.class_starts)
    return Table(labels.classes, labels.n_documents, class_docs, *one_pass.totals(), _joined(filled))


def _joined(filled: list[tuple[Ints, Ints, Sums]]) -> Cells:
    if not filled:
        return empty(0).cells
    terms, doc_freq, sums = zip(*filled, strict=True)
    starts = np.cumsum([0, *map(len, terms)])
    values, rests = zip(*sums, strict=True)
    joined = Sums(np.concatenate(values), np.concatenate(rests))
    return Cells(starts, np.concatenate(terms), np.concatenate(doc_freq), joined)


def merge(one: Table, other: Table) -> Table:
    """The statistics of the documents of both."""
    classes = one_kind((*one.classes, *other.classes))
    n_terms = max(len(one.doc_freq), len(other.doc_freq))
    number = {label: at for at, label in enumerate(classes)}
    maps = [np.array([number[label] for label in table.classes], np.int64) for table in (one, other)]
    class_docs = np.zeros(len(classes), np.int64)
    keys = []
    for table, to in zip((one, other), maps, strict=True):
        class_docs[to] += table.class_docs
        keys.append(to[table.cells.classes()] * n_terms + table.cells.terms)
    return Table(
        tuple(classes),
        one.n_documents + other.n_documents,
        class_docs,
        _padded(one.doc_freq, n_terms) + _padded(other.doc_freq, n_terms),
        one.sums.padded(n_terms).plus(other.sums.padded(n_terms)),
        one.squares.padded(n_terms).plus(other.squares.padded(n_terms)),
        _merged_cells(one.cells, other.cells, keys, len(classes), n_terms),
    )


def _merged_cells(one: Cells, other: Cells, cell_keys: list[Ints], n_classes: int, n_terms: int) -> Cells:
    keys, other_keys = cell_keys
    both = np.concatenate([keys, other_keys])
    both.sort(kind="stable")  # two sorted runs: this is a merge
    both = both[np.concatenate([[True], both[1:] != both[:-1]])] if len(both) else both
    places, other_places = np.searchsorted(both, keys), np.searchsorted(both, other_keys)
    doc_freq = np.zeros(len(both), np.int64)
    doc_freq[places] += one.doc_freq
    doc_freq[other_places] += other.doc_freq
    sums = Sums.zeros(len(both))
    sums.value[places], sums.rest[places] = one.sums
    sums.value[other_places], sums.rest[other_places] = sums.at(other_places).plus(other.sums)
    starts = np.searchsorted(both, np.arange(n_classes + 1) * n_terms)
    return Cells(starts, both % n_terms if n_terms else both, doc_freq, sums)


def restrict(table: Table, columns: Ints) -> Table:
    """The statistics of some terms alone, given in ascending order."""
    place = np.full(len(table.doc_freq), -1, np.int64)
    place[columns] = np.arange(len(columns))
    terms = place[table.cells.terms]
    kept = terms >= 0
    starts = np.concatenate([[0], np.cumsum(kept)])[table.cells.class_starts]
    cells = Cells(starts, terms[kept], table.cells.doc_freq[kept], table.cells.sums.at(kept))
    return table._replace(
        doc_freq=table.doc_freq[columns],
        sums=table.sums.at(columns),
        squares=table.squares.at(columns),
        cells=cells,
    )


def _padded(array: NDArray[Any], size: int) -> NDArray[Any]:
    return array if len(array) == size else np.concatenate([array, np.zeros(size - len(array), array.dtype)])
