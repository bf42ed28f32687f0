"""Sparse rows as plain numpy arrays, passed between counting, weighting and scoring without scipy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class Rows(NamedTuple):
    """The stored values of a sparse matrix row by row; the columns of each row ascend without repetition."""

    values: NDArray[Any]
    columns: NDArray[Any]
    starts: NDArray[Any]  # the values of row i are starts[i] to starts[i + 1]
    n_columns: int

    @property
    def n_rows(self) -> int:
        """Return the number of rows."""
        return len(self.starts) - 1

    @property
    def sizes(self) -> NDArray[Any]:
        """Return the number of stored values in each row."""
        return np.diff(self.starts)

    @property
    def is_zero(self) -> NDArray[np.bool_]:
        """Return which rows contain no value but 0."""
        filled = np.concatenate([[0], np.cumsum(self.values != 0)])
        return np.asarray(filled[self.starts[1:]] == filled[self.starts[:-1]])

    def part(self, rows: slice) -> Self:
        """Return the rows from `rows.start` to before `rows.stop`; the values are shared."""
        starts = self.starts[rows.start : rows.stop + 1]
        values = slice(starts[0], starts[-1])
        return type(self)(self.values[values], self.columns[values], starts - starts[0], self.n_columns)

    def matrix(self) -> csr_matrix:
        """Return a scipy matrix that shares the arrays."""
        from scipy.sparse import csr_matrix

        matrix = csr_matrix((self.values, self.columns, self.starts), shape=(self.n_rows, self.n_columns))
        matrix.has_canonical_format = True
        return matrix

    @classmethod
    def of(cls, matrix: csr_matrix) -> Self:
        """Return the rows of a matrix, which is copied only if its columns are out of order."""
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        return cls(matrix.data, matrix.indices, matrix.indptr, int(matrix.shape[1]))
