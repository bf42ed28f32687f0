"""Products with centred documents, for the eigen-solver, without changing the documents.

Let X be the matrix of N documents and J = I - 11'/N, which subtracts the mean from a column. Then J X are the centred
documents. J X is never computed: J (X w) and X' (J u) are products with the unchanged X, and a mean subtracted from a
few columns.

Most terms occur in one document only. Such a term adds to J X X' J only the square of its weight at one place of the
diagonal, so products with X X' skip it; with 20 Newsgroups that leaves 56,000 terms of 130,000.

If a term is in all documents, its mean may be so much larger than its spread that the difference is lost in rounding.
Then the first document's value is subtracted from all values first. That changes nothing else, because J subtracts the
remaining mean.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ..arrays import Floats, Ints
from ..kernels.csr import multiply_rows
from ..threads import parallel_map

_PARTS_PER_THREAD = 4
_ROWS_AT_A_TIME = 256


class DocumentOperator(Protocol):
    """N centred documents with d terms, as an operator."""

    n_documents: int
    n_terms: int
    mean: Floats
    largest: float  # the largest magnitude of a value

    def to_documents(self, directions: Floats) -> Floats:
        """Return J X W: a row for each document."""

    def to_terms(self, combinations: Floats) -> Floats:
        """Return X' J U: a row for each term."""

    def gram(self, combinations: Floats) -> Floats:
        """Return J X X' J U."""

    def scatter(self) -> Floats:
        """Return X' J X, for few terms."""

    def products(self) -> Floats:
        """Return J X X' J, for few documents."""


class DenseDocuments:
    """Documents given as a dense array, which is centred directly."""

    def __init__(self, rows: Floats) -> None:
        self.n_documents, self.n_terms = rows.shape
        centred = rows - rows[0]
        rest = centred.mean(axis=0)
        centred -= rest
        self.mean = rows[0] + rest
        self._rows = centred
        self.largest = float(np.abs(rows).max(initial=0.0))

    def to_documents(self, directions: Floats) -> Floats:
        """Return J X W."""
        return np.asarray(self._rows @ directions)

    def to_terms(self, combinations: Floats) -> Floats:
        """Return X' J U."""
        return np.asarray(self._rows.T @ combinations)

    def gram(self, combinations: Floats) -> Floats:
        """Return J X X' J U."""
        return self.to_documents(self.to_terms(combinations))

    def scatter(self) -> Floats:
        """Return X' J X."""
        return np.asarray(self._rows.T @ self._rows)

    def products(self) -> Floats:
        """Return J X X' J."""
        return np.asarray(self._rows @ self._rows.T)


class SparseDocuments:
    """Documents given as sparse rows; they are also stored by term, which doubles their memory."""

    def __init__(self, rows: csr_array, n_threads: int) -> None:
        self.n_documents, self.n_terms = rows.shape
        self._n_threads = n_threads
        doc_freq = np.bincount(rows.indices, minlength=self.n_terms)
        self._doc_freq = doc_freq
        shift = np.zeros(self.n_terms)
        first = rows.indices[: rows.indptr[1]]
        shift[first] = np.where(doc_freq[first] == self.n_documents, rows.data[: len(first)], 0.0)
        if shift.any():
            rows = csr_array((rows.data - shift[rows.indices], rows.indices, rows.indptr), shape=rows.shape)
        self._rows = rows
        self._rest = np.bincount(rows.indices, rows.data, self.n_terms) / self.n_documents
        self.mean = shift + self._rest
        self.largest = float(np.abs(rows.data).max(initial=0.0))

    @cached_property
    def _by_term(self) -> csr_array:
        return csr_array(self._rows.T)

    @cached_property
    def _shared(self) -> tuple[Ints, NDArray[Any], Floats]:
        """Return the terms of several documents, the position of each value's term among them, and a diagonal.

        The diagonal is that of the skipped terms, which occur in one document only.
        """
        by_doc_freq = np.argsort(-self._doc_freq, kind="stable")  # frequent terms are adjacent in memory
        shared = by_doc_freq[: np.count_nonzero(self._doc_freq > 1)]
        place = np.full(self.n_terms, len(shared), self._rows.indices.dtype)  # the last row is all zeros
        place[shared] = np.arange(len(shared))
        places = place[self._rows.indices]
        unshared = np.where(places == len(shared), self._rows.data, 0.0)
        row_of = np.repeat(np.arange(self.n_documents), np.diff(self._rows.indptr))
        return shared, places, np.bincount(row_of, unshared * unshared, self.n_documents).astype(np.float64)

    def to_documents(self, directions: Floats) -> Floats:
        """Return J X W."""
        return _centred(self._multiply(self._rows, self._rows.indices, np.arange(self.n_documents), directions))

    def to_terms(self, combinations: Floats) -> Floats:
        """Return X' J U."""
        return self._multiply(self._by_term, self._by_term.indices, np.arange(self.n_terms), _centred(combinations))

    def gram(self, combinations: Floats) -> Floats:
        """Return J X X' J U."""
        shared, places, diagonal = self._shared
        centred = _centred(combinations)
        between = self._multiply(self._by_term, self._by_term.indices, shared, centred, spare=1)
        products = self._multiply(self._rows, places, np.arange(self.n_documents), between)
        products += diagonal[:, np.newaxis] * centred
        return _centred(products)

    def scatter(self) -> Floats:
        """Return X' J X."""
        products = (self._rows.T @ self._rows).toarray()
        products -= self.n_documents * np.outer(self._rest, self._rest)
        return np.asarray(products)

    def products(self) -> Floats:
        """Return J X X' J, computed for some documents at a time, so that no second matrix of its size is needed."""
        products = np.empty((self.n_documents, self.n_documents))
        for begin in range(0, self.n_documents, _ROWS_AT_A_TIME):
            batch = slice(begin, begin + _ROWS_AT_A_TIME)
            products[batch] = (self._rows[batch] @ self._by_term).toarray()
        products -= products.mean(axis=0)
        products -= products.mean(axis=1)[:, np.newaxis]
        return products

    def _multiply(
        self, matrix: csr_array, columns: NDArray[Any], row_numbers: Ints, block: Floats, spare: int = 0
    ) -> Floats:
        """Return the given rows times a block, followed by `spare` rows of zeros."""
        block = np.ascontiguousarray(block)
        products = np.empty((len(row_numbers) + spare, block.shape[1]))
        products[len(row_numbers) :] = 0.0
        ends = np.cumsum(matrix.indptr[row_numbers + 1] - matrix.indptr[row_numbers])
        in_parts(
            lambda begin, end: multiply_rows(
                matrix.indptr, columns, matrix.data, row_numbers, block, begin, end, products
            ),
            ends,
            self._n_threads,
        )
        return products


def in_parts(work: Callable[[int, int], None], ends: Ints, n_threads: int) -> None:
    """Distribute rows among threads, in parts with about the same number of values."""
    if n_threads == 1 or len(ends) == 0:
        work(0, len(ends))
        return
    n_parts = _PARTS_PER_THREAD * n_threads
    cuts = np.searchsorted(ends, ends[-1] * np.arange(1, n_parts) / n_parts)
    bounds = [0, *cuts.tolist(), len(ends)]
    parallel_map(lambda part: work(*bounds[part : part + 2]), n_parts, n_threads)


def _centred(columns: Floats) -> Floats:
    return np.ascontiguousarray(columns - columns.mean(axis=0))
