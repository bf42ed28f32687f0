"""Whether the rows of a matrix are in order: columns that are there, in ascending order, none twice."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ..errors import InputError
from ..kernels.csr import UNORDERED, UNSOUND, all_within, rows_state

LARGEST = 1e150
"""Squares of larger weights have no sum."""


def in_order(rows: csr_array) -> csr_array:
    """Return rows with sorted columns, copied only if necessary; raise `InputError` for an invalid matrix."""
    state = rows_state(rows.indptr, rows.indices, len(rows.data), rows.shape[1])
    if state == UNORDERED:
        _require_columns(rows)
        rows = rows.copy()
        rows.sum_duplicates()
    elif state == UNSOUND:
        _require_columns(rows)
        raise InputError("X is not sound: its rows do not end where its values do.")
    return rows


def _require_columns(rows: csr_array) -> None:
    if rows.indices.size and not 0 <= rows.indices.min() <= rows.indices.max() < rows.shape[1]:
        raise InputError(f"X is not sound: it has values in columns that are not among its {rows.shape[1]:,}.")


def are_finite(data: NDArray[Any]) -> bool:
    """Return whether no weight is NaN, infinite or too large."""
    if data.dtype == np.float16:  # which kernels do not know
        return bool(np.isfinite(data).all())
    return all_within(data, LARGEST)
