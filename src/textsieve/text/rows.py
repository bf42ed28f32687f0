"""Sparse rows as plain arrays: what lies between counting, weighing and scoring, and needs no more than numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class Rows(NamedTuple):
    """The stored values of a matrix, row by row; the columns of a row ascend, and none is there twice."""

    values: NDArray[Any]
    columns: NDArray[Any]
    starts: NDArray[Any]  # the values of row i are starts[i] to starts[i + 1]
    n_columns: int

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.starts) - 1

    @property
    def sizes(self) -> NDArray[Any]:
        """How many values each row has."""
        return np.diff(self.starts)

    @property
    def is_zero(self) -> NDArray[np.bool_]:
        """Which rows have no value but 0."""
        filled = np.concatenate([[0], np.cumsum(self.values != 0)])
        return np.asarray(filled[self.starts[1:]] == filled[self.starts[:-1]])

    def part(self, rows: slice) -> Self:
        """Return some rows that follow one another, from `rows.start` to before `rows.stop`; the values are shared."""
        starts = self.starts[rows.start : rows.stop + 1]
        values = slice(starts[0], starts[-1])
        return type(self)(self.values[values], self.columns[values], starts - starts[0], self.n_columns)

    def matrix(self) -> csr_matrix:
        """The same as scipy has it; the arrays are shared."""
        from scipy.sparse import csr_matrix

        matrix = csr_matrix((self.values, self.columns, self.starts), shape=(self.n_rows, self.n_columns))
        matrix.has_canonical_format = True
        return matrix

    @classmethod
    def of(cls, matrix: csr_matrix) -> Self:
        """The rows of a matrix, which is copied only if its columns are out of order."""
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        return cls(matrix.data, matrix.indices, matrix.indptr, int(matrix.shape[1]))
