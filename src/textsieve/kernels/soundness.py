"""Checks of a sparse matrix's arrays that read each of them once, many values at a time."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .jit import kernel

UNSOUND, UNORDERED = -1, -2
"""A row is not within the matrix; its columns do not ascend."""


@kernel
def row_state(row: NDArray[Any], n_columns: int) -> int:
    """0 if the columns of a row ascend and are among those of the matrix."""
    if row.size == 0:
        return 0
    disorder = False
    for at in range(row.size - 1):
        disorder |= row[at] >= row[at + 1]
    if disorder:
        return UNORDERED
    return 0 if row[0] >= 0 and row[row.size - 1] < n_columns else UNSOUND


@kernel
def rows_state(indptr: NDArray[Any], indices: NDArray[Any], n_values: int, n_columns: int) -> int:
    """Return 0 if the columns of all rows ascend, UNSOUND if some row is not within the matrix, or else UNORDERED."""
    found = 0
    for number in range(indptr.size - 1):
        begin, end = np.int64(indptr[number]), np.int64(indptr[number + 1])
        if not 0 <= begin <= end <= min(indices.size, n_values):
            return UNSOUND
        state = row_state(indices[begin:end], n_columns)
        if state == UNSOUND:
            return UNSOUND
        found = min(found, state)
    return found


@kernel
def all_within(data: NDArray[Any], end: float) -> bool:
    """Whether all numbers are between -end and end, and none is NaN."""
    outside = False
    for at in range(data.size):
        outside |= not abs(np.float64(data[at])) < end
    return not outside
