"""Turn counts into weights: tf x idf, then optionally divided by the norm of the document.

The functions for tf, idf and norm are in tables by name below; a scheme (`choices`) names one of each. Only the stored
values of the sparse counts are read. Given idf, the weights of a document depend on its own counts only, to the last
bit, so documents can be weighed one at a time or in batches of any size.

Most counts are small integers, so their logarithms come from a table. Rows are processed in blocks that stay in the
processor's cache.
"""

import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import CSR, Floats

_BLOCK_VALUES = 1 << 15  # about the number of values in a block
_N_LOGS = 1 << 10  # the logarithms of counts below this are tabulated
_LOGS = np.array([0.0, *(1.0 + math.log(count) for count in range(1, _N_LOGS))])
_LOG_LOGS = np.array([0.0, *(1.0 + math.log(weight) for weight in _LOGS[1:].tolist())])


def one_plus_log(counts: NDArray[Any]) -> Floats:
    """Return 1 + ln of each count; a stored 0 stays 0."""
    return _with_table(counts, _LOGS, lambda others: 1.0 + np.log(others))


def one_plus_log_twice(counts: NDArray[Any]) -> Floats:
    """Return 1 + ln(1 + ln of each count) for counts from 1 on; a stored 0 stays 0."""
    return _with_table(counts, _LOG_LOGS, lambda others: 1.0 + np.log(1.0 + np.log(others)))


def _with_table(counts: NDArray[Any], table: Floats, formula: Callable[[Floats], Floats]) -> Floats:
    """Return the value of a formula for each count: from the table if the count is an integer below `_N_LOGS`.

    `table` has the values of the formula for the counts 0, 1, 2, ...
    """
    is_small = (counts >= 0) & (counts < _N_LOGS)
    if counts.dtype.kind == "f":  # floats need not be integers
        is_small &= counts == np.rint(counts)
    if is_small.all():
        return np.asarray(table[counts.astype(np.intp)])
    weights = np.empty(counts.shape)
    weights[is_small] = table[counts[is_small].astype(np.intp)]
    weights[~is_small] = formula(counts[~is_small].astype(np.float64))
    return weights


TERM_FREQUENCIES: dict[str, Callable[[NDArray[Any]], Floats]] = {
    "tf": lambda counts: counts.astype(np.float64),
    "binary": lambda counts: (counts != 0).astype(np.float64),
    "log": one_plus_log,
    "loglog": one_plus_log_twice,
}
"""The formulas from counts to term frequencies, by name."""

INVERSE_FREQUENCIES: dict[str, Callable[[NDArray[Any], float], Floats]] = {
    "none": lambda doc_freq, n: np.ones(len(doc_freq)),
    "plain": lambda doc_freq, n: np.log(n / np.where(doc_freq > 0, doc_freq, 1)),
    "smooth": lambda doc_freq, n: np.log((1 + n) / (1 + doc_freq)) + 1.0,
}
"""The formulas from document frequencies and the number of documents to idf, by name."""

MAX_IDF = 64.0
"""Idf is from 0 to below this number: even for 2^63 documents, the largest idf is 1 + ln(2^63) < 45."""

NORMS: dict[str, Callable[[Floats, NDArray[Any]], Floats] | None] = {
    "l2": lambda values, starts: np.sqrt(np.add.reduceat(values * values, starts)),
    "l1": lambda values, starts: np.add.reduceat(np.abs(values), starts),
    "none": None,
}
"""For each name, a function that returns the norms of rows, given their values and where each row starts.

"none" has no function, because rows are not divided by anything. `reduceat` adds each row by itself, in an order that
depends on nothing but the number of its values.
"""


IDF_STEPS = 8
"""Models with few coefficients store idf in a byte, as a multiple of 1 / `IDF_STEPS`."""


def round_idf(idf: Floats) -> Floats:
    """Return idf rounded to multiples of 1 / `IDF_STEPS`, from 1 to 255 times that; an idf of 0 stays 0."""
    steps = np.clip(np.rint(idf * IDF_STEPS), 1, 255)
    return np.where(idf > 0, steps, 0.0) / IDF_STEPS


def weigh(rows: CSR, *, tf: str, idf: Floats | None, norm: str) -> CSR:
    """Return the weights of rows of counts, with the same `indices` and `indptr`.

    `tf` and `norm` are names in `TERM_FREQUENCIES` and `NORMS`; `idf` has a factor for each column, None: all are 1.
    """
    weights = np.empty(len(rows.data))
    norms_of = NORMS[norm]
    for first, last in _blocks(rows.indptr):  # rows from `first` to before `last`
        values = slice(rows.indptr[first], rows.indptr[last])
        block = TERM_FREQUENCIES[tf](rows.data[values])
        if idf is not None:
            block *= idf[rows.indices[values]]
        if norms_of is not None:
            _divide_by_norms(block, rows.indptr[first : last + 1] - rows.indptr[first], norms_of)
        weights[values] = block
    return rows._replace(data=weights)


def _blocks(indptr: NDArray[Any]) -> Iterator[tuple[int, int]]:
    """Yield the first row of each block and the row after its last; blocks have about `_BLOCK_VALUES` values."""
    # A block begins with the first row that begins at or after a multiple of `_BLOCK_VALUES`. After a very long row, it
    # is the same row for several multiples, so `unique` removes repetitions.
    block_rows = np.searchsorted(indptr, np.arange(_BLOCK_VALUES, indptr[-1], _BLOCK_VALUES))
    return pairwise(np.unique([0, *block_rows.tolist(), len(indptr) - 1]).tolist())


def _divide_by_norms(values: Floats, indptr: NDArray[Any], norms_of: Callable[[Floats, NDArray[Any]], Floats]) -> None:
    """Divide the values of each row by the row's norm, in place; a row of zeros stays."""
    sizes = np.diff(indptr)
    is_filled = sizes > 0  # `reduceat`, with which norms are computed, can't add up an empty row
    norms = norms_of(values, indptr[:-1][is_filled])
    norms[norms == 0.0] = 1.0  # avoids a division by 0
    values /= np.repeat(norms, sizes[is_filled])
