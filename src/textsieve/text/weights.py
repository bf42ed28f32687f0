"""Turn counts into weights: tf x idf, then optionally scaled by the length of the document.

Each of the three factors is a function in a table below; `schemes` names one of each. Only stored values are touched.
The weights of a document depend on its own counts only, to the last bit, so documents can arrive one at a time or by
the million, in batches of any size.

Most counts are small integers, so their logarithms come from a table. Rows are processed in blocks that stay in the
processor's cache.
"""

import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from .csr import CSR

_BLOCK = 1 << 15
_N_LOGS = 1 << 10
_LOGS = np.array([0.0, *(1.0 + math.log(count) for count in range(1, _N_LOGS))])
_LOG_LOGS = np.array([0.0, *(1.0 + math.log(weight) for weight in _LOGS[1:].tolist())])


def one_plus_log(counts: NDArray[Any]) -> Floats:
    """Return 1 + ln of each count; a stored 0 stays 0."""
    return _looked_up(counts, _LOGS, lambda others: 1.0 + np.log(others))


def one_plus_log_twice(counts: NDArray[Any]) -> Floats:
    """Return 1 + ln(1 + ln of each count) for counts from 1 on; a stored 0 stays 0."""
    return _looked_up(counts, _LOG_LOGS, lambda others: 1.0 + np.log(1.0 + np.log(others)))


def _looked_up(counts: NDArray[Any], table: Floats, formula: Callable[[Floats], Floats]) -> Floats:
    """Return the value of a formula for each count, from a table where counts are small integers."""
    small = (counts >= 0) & (counts < _N_LOGS)
    if counts.dtype.kind == "f":
        small &= counts == np.rint(counts)
    if small.all():
        return np.asarray(table[counts.astype(np.intp)])
    weights = np.empty(counts.shape)
    weights[small] = table[counts[small].astype(np.intp)]
    weights[~small] = formula(counts[~small].astype(np.float64))
    return weights


TERM_FREQUENCIES: dict[str, Callable[[NDArray[Any]], Floats]] = {
    "tf": lambda counts: counts.astype(np.float64),
    "binary": lambda counts: (counts != 0).astype(np.float64),
    "log": one_plus_log,
    "loglog": one_plus_log_twice,
}
"""What a count is worth, by name."""

INVERSE_FREQUENCIES: dict[str, Callable[[NDArray[Any], float], Floats]] = {
    "none": lambda doc_freq, n: np.ones(len(doc_freq)),
    "plain": lambda doc_freq, n: np.log(n / np.where(doc_freq > 0, doc_freq, 1)),
    "smooth": lambda doc_freq, n: np.log((1 + n) / (1 + doc_freq)) + 1.0,
}
"""What it is worth that a term is in few documents, by name."""

MOST_IDF = 64.0
"""No idf is larger, and none is negative: for 2^63 documents the largest is 1 + ln(2^63) < 45."""

NORMS: dict[str, Callable[[Floats, NDArray[Any]], Floats] | None] = {
    "l2": lambda values, starts: np.sqrt(np.add.reduceat(values * values, starts)),
    "l1": lambda values, starts: np.add.reduceat(np.abs(values), starts),
    "none": None,
}
"""The length that each row is divided by, by name: the root of the sum of squares, the sum of absolute values, or 1.

reduceat adds each row by itself, in an order that depends on nothing but the number of its values.
"""


def weigh(rows: CSR, *, tf: str, idf: Floats | None, norm: str) -> CSR:
    """Return the weights of counted rows for named formulas; `idf` has a factor for each column, or is None."""
    weights = np.empty(len(rows.data))
    for first, last in _blocks(rows.indptr):
        place = slice(rows.indptr[first], rows.indptr[last])
        block = TERM_FREQUENCIES[tf](rows.data[place])
        if idf is not None:
            block *= idf[rows.indices[place]]
        length_of = NORMS[norm]
        if length_of is not None:
            _scale_to_length_one(block, rows.indptr[first : last + 1] - rows.indptr[first], length_of)
        weights[place] = block
    return rows._replace(data=weights)


def _blocks(starts: NDArray[Any]) -> Iterator[tuple[int, int]]:
    """Yield the first and last row of blocks with about equally many values; a row is never split."""
    full = np.searchsorted(starts, np.arange(_BLOCK, starts[-1], _BLOCK))
    return pairwise(np.unique([0, *full.tolist(), len(starts) - 1]).tolist())


def _scale_to_length_one(
    values: Floats, starts: NDArray[Any], length_of: Callable[[Floats, NDArray[Any]], Floats]
) -> None:
    """Divide the values of each row by the row's length in place; a row of zeros stays."""
    sizes = np.diff(starts)
    filled = sizes > 0
    lengths = length_of(values, starts[:-1][filled])
    lengths[lengths == 0.0] = 1.0
    values /= np.repeat(lengths, sizes[filled])
