"""Some columns of a sparse matrix, row by row, under new numbers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .jit import Ints, kernel


@kernel
def take_columns(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: NDArray[Any],
    place: NDArray[np.int32],
    starts: Ints,
    columns: NDArray[np.int32],
    values: NDArray[Any],
) -> None:
    """Write the values whose column has a place (not negative) one after the other, and where each row starts."""
    written = 0
    starts[0] = 0
    for row in range(starts.size - 1):
        for at in range(indptr[row], indptr[row + 1]):
            column = place[indices[at]]
            columns[written] = column
            values[written] = data[at]
            written += column >= 0
        starts[row + 1] = written
