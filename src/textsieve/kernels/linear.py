"""The scores of many rows: products added in the order of the columns, as `LinearScorer` adds them for a few rows.

The inner loop goes over the outputs, so the compiler can do several of them at a time without changing the order in
which any one of them is added up.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .jit import Floats, kernel


@kernel
def score_rows(
    values: NDArray[Any],
    columns: NDArray[Any],
    starts: NDArray[Any],
    coefficients: NDArray[np.float32],
    intercepts: Floats,
    scores: Floats,
) -> None:
    """Write the scores of all rows, whose values are starts[0] to starts[-1]."""
    n_outputs = intercepts.size
    for row in range(starts.size - 1):
        begin, end = starts[row], starts[row + 1]
        totals = scores[row]
        if begin == end:
            totals[:] = intercepts
            continue
        value = np.float64(values[begin])
        factors = coefficients[columns[begin]]
        for output in range(n_outputs):
            totals[output] = value * np.float64(factors[output])
        for at in range(begin + 1, end):
            value = np.float64(values[at])
            factors = coefficients[columns[at]]
            for output in range(n_outputs):
                totals[output] += value * np.float64(factors[output])
        for output in range(n_outputs):
            totals[output] += intercepts[output]
