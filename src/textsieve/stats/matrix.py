"""Validate a document-term matrix, and convert it to sorted CSR rows of types that the kernels are compiled for."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ..errors import InputError
from ..kernels.csr import UNORDERED, UNSOUND, all_within, rows_state

LARGEST_VALUE = 1e150
"""The sum of the squares of larger values may overflow."""


def as_csr(X: Any) -> csr_array:
    """Return a matrix of numbers in CSR format; columns may still be unsorted or out of range (see `sort_columns`)."""
    try:
        rows = csr_array(X)  # a new object, which shares the arrays of a CSR matrix X
    except (TypeError, ValueError) as problem:
        raise InputError(f"X is not a matrix of numbers, documents by terms: {problem}") from problem
    if rows.ndim != 2:
        raise InputError(f"X has {rows.ndim} dimensions", hint="give a matrix of documents and terms")
    if rows.dtype.kind not in "biuf" or rows.dtype.itemsize > 8:
        raise InputError(f"X is of dtype {rows.dtype}", hint="use whole numbers, or floats of up to 64 bits")
    if rows.dtype.kind == "f" and not squares_are_finite(rows.data):
        raise InputError("X has values that are NaN, infinite, or so large (1e150) that their squares have no sum.")
    return _with_compiled_types(rows)


def squares_are_finite(values: NDArray[Any]) -> bool:
    """Return whether no value is NaN, infinite or too large for a sum of squares."""
    if values.dtype == np.float16:  # kernels do not support float16, and all its finite values are small
        return bool(np.isfinite(values).all())
    return all_within(values, LARGEST_VALUE)


def _with_compiled_types(rows: csr_array) -> csr_array:
    """Convert the arrays of a matrix, in place, to types that the kernels are compiled for; return the matrix.

    A kernel is compiled anew, in seconds, for each combination of types. So values become 32- or 64-bit integers or
    floats, and both index arrays 32- or 64-bit integers. Arrays that already are of these types are not copied.
    """
    rows.data = rows.data.astype(_compiled_type(rows.data), copy=False)
    index_type = np.int32 if rows.indptr.dtype == rows.indices.dtype == np.int32 else np.int64
    rows.indptr = rows.indptr.astype(index_type, copy=False)
    rows.indices = rows.indices.astype(index_type, copy=False)
    return rows


def _compiled_type(values: NDArray[Any]) -> type[np.generic]:
    """Return int32 or int64 for integers, float32 or float64 for floats, whichever the dtype of the values fits into.

    Unsigned integers that are too large for int64 become float64, which may round them.
    """
    if values.dtype.kind == "f":
        return np.float32 if values.dtype.itemsize <= 4 else np.float64
    if np.can_cast(values.dtype, np.int32):
        return np.int32
    fits_int64 = values.dtype.kind == "i" or values.max(initial=0) <= np.iinfo(np.int64).max
    return np.int64 if fits_int64 else np.float64


def sort_columns(rows: csr_array) -> csr_array:
    """Return rows whose columns ascend without duplicates; duplicates are added up.

    The matrix is copied only if it has to be changed. Raises `InputError` if its arrays are inconsistent.
    """
    state = rows_state(rows.indptr, rows.indices, len(rows.data), rows.shape[1])
    if state == UNORDERED:  # some columns do not ascend
        _require_valid_columns(rows)
        rows = rows.copy()
        rows.sum_duplicates()
    elif state == UNSOUND:  # the arrays contradict each other
        _require_valid_columns(rows)  # first, because its error is more specific
        raise InputError("X is not sound: its rows do not end where its values do.")
    return rows


def _require_valid_columns(rows: csr_array) -> None:
    """Raise `InputError` if a column number is negative or beyond the last column."""
    if rows.indices.size and not 0 <= rows.indices.min() <= rows.indices.max() < rows.shape[1]:
        raise InputError(f"X is not sound: it has values in columns that are not among its {rows.shape[1]:,}.")
