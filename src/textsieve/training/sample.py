"""As many documents of a stream as fit, spread evenly over all of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

Ints = NDArray[np.int64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""What is behind the point in the golden ratio, as a share of 2^64."""


class Sample:
    """Counts of all documents, or of a half, a quarter, ... of them, spread evenly whatever order they come in.

    Document i is at the place i x φ, without what is before the point (φ is the golden ratio): documents that follow
    one another, or every second, or every tenth of them, fall evenly all over the line from 0 to 1. Those before 1/2,
    1/4, ... are kept. Every second document would do worse: it could be every document of a class.
    """

    def __init__(self) -> None:
        self.n_values = 0
        self._halvings = 0
        self._parts: list[tuple[Ints, csr_matrix]] = []

    @property
    def has_all(self) -> bool:
        """Whether no document was dropped."""
        return self._halvings == 0

    @property
    def documents(self) -> Ints:
        """The numbers of the documents that were kept."""
        return np.concatenate([documents for documents, _ in self._parts])

    @property
    def n_documents(self) -> int:
        """How many were kept."""
        return sum(len(documents) for documents, _ in self._parts)

    def add(self, counts: csr_matrix, first: int) -> None:
        """Add a batch, whose first document has this number."""
        self._keep(np.arange(first, first + counts.shape[0]), counts)

    def thin(self) -> None:
        """Drop about every second document; the very first always stays."""
        self._halvings += 1
        parts, self._parts, self.n_values = self._parts, [], 0
        for documents, counts in parts:
            self._keep(documents, counts)

    def _keep(self, documents: Ints, counts: csr_matrix) -> None:
        if self._halvings:
            stay = np.flatnonzero(levels_of(documents) >= self._halvings)
            documents, counts = documents[stay], counts[stay]
        self._parts.append((documents, counts))
        self.n_values += counts.nnz

    def matrix(self, n_columns: int) -> csr_matrix:
        """All that was kept."""
        return _stacked([counts for _, counts in self._parts], n_columns)


def levels_of(documents: Ints) -> Ints:
    """How many halvings each document, given by its number, outlives."""
    place = documents.astype(np.uint64) * _GOLDEN  # as a share of 2^64, beyond which it begins anew
    levels = np.full(len(documents), 64, np.int64)
    for bits in range(63, -1, -1):
        levels[place >> np.uint64(63 - bits) != 0] = bits
    return levels


def _stacked(parts: list[csr_matrix], n_columns: int) -> csr_matrix:
    """Rows under rows."""
    n_rows = sum(part.shape[0] for part in parts)
    starts = np.concatenate([[0], *(np.diff(part.indptr) for part in parts)]).cumsum()
    data = np.concatenate([part.data for part in parts])
    indices = np.concatenate([part.indices for part in parts])
    return csr_matrix((data, indices, starts), shape=(n_rows, n_columns))
