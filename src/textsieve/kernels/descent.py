"""Dual coordinate descent for a linear SVM, one class against the rest, on the rows of a sparse matrix.

The problem is liblinear's (Hsieh et al. 2008, squared hinge): min ½|w|² + Σ C_i max(0, 1 - y_i w·x_i)², where every
row has one more coordinate of value 1 whose weight is the intercept. In the dual there is one number α_i >= 0 a
document, w = Σ α_i y_i x_i, and the gradient in α_i is G_i = y_i w·x_i - 1 + α_i / 2C_i. A step sets one α_i to its
optimum, max(0, α_i - G_i / Q_i) with Q_i = |x_i|² + 1/2C_i, and moves w along x_i; documents are visited in an order
that is shuffled anew each round. An α_i that is 0 and whose gradient is larger than any that was left over in the
round before will hardly move: it is put aside, until the rest has converged and all are looked at again.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .jit import Floats, Ints, kernel

_13, _7, _17 = np.uint64(13), np.uint64(7), np.uint64(17)
_START = np.uint64(0x9E3779B97F4A7C15)
_STILL = 1e-12


@kernel
def squared_lengths(indptr: NDArray[Any], data: NDArray[Any]) -> Floats:
    """The squared length of each row."""
    squares = np.zeros(indptr.size - 1)
    for row in range(squares.size):
        for at in range(indptr[row], indptr[row + 1]):
            squares[row] += np.float64(data[at]) * np.float64(data[at])
    return squares


@kernel
def shuffle(places: Ints, size: int, state: np.uint64) -> np.uint64:
    """Shuffle the first places (Fisher and Yates) with Marsaglia's xorshift; gives the generator's next state."""
    for place in range(size - 1):
        state ^= state << _13
        state ^= state >> _7
        state ^= state << _17
        other = place + np.int64(state % np.uint64(size - place))
        places[place], places[other] = places[other], places[place]
    return state


@kernel
def descend(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: NDArray[Any],
    squares: Floats,
    signs: Floats,
    costs: Floats,
    tolerance: float,
    most_rounds: int,
    weights: Floats,
) -> tuple[float, int]:
    """Find the weights of one class, which are 0 at first; gives the intercept, and the rounds left (0: stopped)."""
    n = signs.size
    alpha = np.zeros(n)
    half = 0.5 / costs
    active = np.arange(n)
    n_active = n
    limit = np.inf
    state = _START
    intercept = 0.0
    for rounds_left in range(most_rounds, 0, -1):
        state = shuffle(active, n_active, state)
        largest, smallest = -np.inf, np.inf
        place = 0
        while place < n_active:
            row = np.uint64(active[place])
            begin, end = np.uint64(indptr[row]), np.uint64(indptr[row + np.uint64(1)])
            margin = intercept
            for at in range(begin, end):
                margin += data[at] * weights[np.uint64(indices[at])]
            gradient = signs[row] * margin - 1.0 + alpha[row] * half[row]
            projected = gradient
            if alpha[row] == 0.0:
                if gradient > limit:
                    n_active -= 1
                    active[place], active[n_active] = active[n_active], active[place]
                    continue
                projected = min(gradient, 0.0)
            largest, smallest = max(largest, projected), min(smallest, projected)
            if abs(projected) > _STILL:
                before = alpha[row]
                alpha[row] = max(before - gradient / (squares[row] + 1.0 + half[row]), 0.0)
                step = (alpha[row] - before) * signs[row]
                intercept += step
                for at in range(begin, end):
                    weights[np.uint64(indices[at])] += step * data[at]
            place += 1
        if largest - smallest > tolerance:
            limit = largest if largest > 0 else np.inf
        elif n_active == n:
            return intercept, rounds_left
        else:
            n_active = n
            limit = np.inf
    return intercept, 0
