"""Types of arrays that all packages share: aliases for numpy arrays, and sparse matrices as plain CSR arrays.

Counting, weighting and scoring pass on CSR arrays, because importing scipy would take longer than predicting a
document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Int32s = NDArray[np.int32]
Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
Codes = NDArray[np.uint64]
"""Numbers packed into 64 bits, or sets of bits."""
Counts = NDArray[Any]
"""Numbers of documents: int64, or float64 where documents have weights that are not integers."""


class CSR(NamedTuple):
    """The CSR arrays of a sparse matrix; the columns of each row ascend without repetition.

    Row i has the values `data[indptr[i] : indptr[i + 1]]`, and their columns are at the same positions of `indices`.
    """

    data: NDArray[Any]
    indices: NDArray[Any]
    indptr: NDArray[Any]
    n_columns: int

    @property
    def n_rows(self) -> int:
        """Return the number of rows."""
        return len(self.indptr) - 1

    @property
    def sizes(self) -> NDArray[Any]:
        """Return the number of stored values in each row."""
        return np.diff(self.indptr)

    @property
    def is_zero(self) -> NDArray[np.bool_]:
        """Return for each row whether all its values are 0."""
        n_nonzero = np.concatenate([[0], np.cumsum(self.data != 0)])  # among the first 0, 1, 2, ... values of `data`
        return np.asarray(n_nonzero[self.indptr[1:]] == n_nonzero[self.indptr[:-1]])

    def part(self, rows: slice) -> Self:
        """Return the rows from `rows.start` to before `rows.stop`; they share `data` and `indices` with this matrix."""
        indptr = self.indptr[rows.start : rows.stop + 1]
        values = slice(indptr[0], indptr[-1])
        return type(self)(self.data[values], self.indices[values], indptr - indptr[0], self.n_columns)

    def matrix(self) -> csr_matrix:
        """Return a scipy matrix that shares the arrays."""
        from scipy.sparse import csr_matrix

        matrix = csr_matrix((self.data, self.indices, self.indptr), shape=(self.n_rows, self.n_columns))
        matrix.has_canonical_format = True  # columns ascend without repetition, which scipy need not check
        return matrix

    @classmethod
    def of(cls, matrix: csr_matrix) -> Self:
        """Return the CSR arrays of a matrix, which is copied only if columns are out of order or repeated."""
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        return cls(matrix.data, matrix.indices, matrix.indptr, int(matrix.shape[1]))
