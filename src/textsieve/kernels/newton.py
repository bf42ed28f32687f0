"""A linear SVM on few terms, by Newton's method on the sum itself.

The sum f(w) = ½|w|² + Σ C_i max(0, 1 - y_i w·x_i)² is smooth, and a quadratic as long as the same documents are on the
wrong side of their margin. Its gradient is w - Σ α_i y_i x_i with α_i = 2 C_i max(0, 1 - y_i w·x_i), its second
derivative I + 2 Σ C_i x_i x_iᵀ over those documents. A step to the optimum of the quadratic, shortened until the sum is
smaller, soon finds the documents that matter, and then the optimum itself. That takes a handful of rounds where the
dual, with more documents than terms, takes thousands; but each round solves as many equations as there are terms.

The end is that of the dual: with these α, its gradients are at most g·x_i away from what they are at the optimum, where
g is the gradient of the sum.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .jit import Floats, kernel

ENOUGH = 1e-4
"""A step must win this part of what the gradient at its start promises."""

ROUNDING = 1e-14
"""By this part of itself a sum may seem larger than it is."""


@kernel
def solve_positive(matrix: Floats, right: Floats) -> None:
    """Solve matrix · x = right for 1 + a sum of squares, by Cholesky; both are overwritten, `right` by x.

    Of the matrix the upper half is read. Each row is taken off those below it in one walk over consecutive numbers.
    """
    n = right.size
    for row in range(n):
        of_row = matrix[row]
        pivot = np.sqrt(max(of_row[row], 1.0))  # it is no less, but for rounding
        of_row[row] = pivot
        for column in range(row + 1, n):
            of_row[column] /= pivot
        for other in range(row + 1, n):
            factor, of_other = of_row[other], matrix[other]
            for column in range(other, n):
                of_other[column] -= factor * of_row[column]
    for row in range(n):
        right[row] /= matrix[row, row]
        for column in range(row + 1, n):
            right[column] -= matrix[row, column] * right[row]
    for row in range(n - 1, -1, -1):
        for column in range(row + 1, n):
            right[row] -= matrix[row, column] * right[column]
        right[row] /= matrix[row, row]


@kernel
def along_rows(indptr: NDArray[Any], indices: NDArray[Any], data: NDArray[Any], weights: Floats, found: Floats) -> None:
    """The product of each row with weights, the last of which is that of one more coordinate of value 1."""
    for row in range(found.size):
        total = weights[-1]
        for at in range(indptr[row], indptr[row + 1]):
            total += data[at] * weights[indices[at]]
        found[row] = total


@kernel
def errors(margins: Floats, signs: Floats, costs: Floats) -> float:
    """Σ C_i max(0, 1 - y_i f_i)²."""
    total = 0.0
    for row in range(margins.size):
        short = 1.0 - signs[row] * margins[row]
        if short > 0.0:
            total += costs[row] * short * short
    return total


@kernel
def slope_and_curve(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: NDArray[Any],
    signs: Floats,
    costs: Floats,
    margins: Floats,
    gradient: Floats,
    curve: Floats,
) -> None:
    """The gradient, which has the weights at first, and the upper half of the second derivative."""
    last = gradient.size - 1
    curve[:] = 0.0
    for at in range(gradient.size):
        curve[at, at] = 1.0
    for row in range(margins.size):
        short = 1.0 - signs[row] * margins[row]
        if short <= 0.0:
            continue
        pull, twice = 2.0 * costs[row] * short * signs[row], 2.0 * costs[row]
        for at in range(indptr[row], indptr[row + 1]):
            gradient[indices[at]] -= pull * data[at]
            of_term, scaled = curve[indices[at]], twice * data[at]
            for after in range(at, indptr[row + 1]):
                of_term[indices[after]] += scaled * data[after]
            of_term[last] += scaled
        gradient[last] -= pull
        curve[last, last] += twice


@kernel
def newton(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: NDArray[Any],
    signs: Floats,
    costs: Floats,
    tolerance: float,
    most_rounds: int,
    weights: Floats,
) -> tuple[float, int]:
    """Find the weights of one class, which are 0 at first; gives the intercept, and the rounds left (0: stopped).

    The columns of a row ascend. The problem is that of `descent.descend`, and so is the end.
    """
    n_terms = weights.size
    found = np.zeros(n_terms + 1)
    tried = np.empty(n_terms + 1)
    step = np.empty(n_terms + 1)
    curve = np.empty((n_terms + 1, n_terms + 1))
    margins = np.zeros(signs.size)
    moved = np.empty(signs.size)
    rounds_left = most_rounds
    while rounds_left > 0:
        gradient = found.copy()
        slope_and_curve(indptr, indices, data, signs, costs, margins, gradient, curve)
        along_rows(indptr, indices, data, gradient, moved)
        if rounds_left < most_rounds and np.abs(moved).max() <= 0.5 * tolerance:
            break  # not before a step: weights of 0 are the end where all gradients are small, and tell nothing apart
        step[:] = -gradient
        solve_positive(curve, step)
        along_rows(indptr, indices, data, step, moved)
        before = (1.0 + ROUNDING) * (0.5 * np.sum(found * found) + errors(margins, signs, costs))
        promised = np.sum(gradient * step)
        length = 1.0
        while length > 1e-12:
            tried[:] = found + length * step
            if (
                0.5 * np.sum(tried * tried) + errors(margins + length * moved, signs, costs)
                <= before + ENOUGH * length * promised
            ):
                break
            length *= 0.5
        else:  # what is to be gained is lost in rounding
            rounds_left = 0
            break
        found[:] = tried
        along_rows(indptr, indices, data, found, margins)
        rounds_left -= 1
    weights[:] = found[:n_terms]
    return found[n_terms], rounds_left
