"""Compute the products of terms over all documents, and select terms by forward selection on them.

A document adds to the products of each two of its terms, so the work is the sum of the squared row lengths, whatever
the number of products. Products are centred when all documents have been added. They are symmetric, so only those on
and right of the diagonal are computed.

Selection is a Cholesky factorisation whose order is found on the way, a few dozen terms at a time. The caller then
subtracts the effect of these terms from all products at once, as a product of matrices. Its last digits may depend on
the machine, so terms whose gains agree to nine digits count as equal.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from .jit import kernel


@kernel
def add_term_products(
    starts: NDArray[Any],
    columns: NDArray[Any],
    values: NDArray[Any],
    place: Ints,
    row_weights: Floats,
    products: Floats,
) -> None:
    """Add the products of rows on and right of the diagonal, for columns whose place is not negative.

    Columns and their places ascend in each row without repetition. Each row is multiplied by its weight, if there are
    any.
    """
    places, weights = np.empty(products.shape[0], np.int64), np.empty(products.shape[0])
    for row in range(starts.size - 1):
        size = 0
        for at in range(starts[row], starts[row + 1]):
            if place[columns[at]] >= 0:
                places[size], weights[size] = place[columns[at]], values[at]
                size += 1
        times = row_weights[row] if row_weights.size else 1.0
        for one in range(size):
            weight, sums = times * weights[one], products[places[one]]
            for other in range(one, size):
                sums[places[other]] += weight * weights[other]


@kernel
def centre(products: Floats, means: Floats, n: int, ridge: float) -> None:
    """Subtract the products of the means, and add the ridge to the diagonal."""
    for row in range(means.size):
        for column in range(row, means.size):
            products[row, column] -= n * (means[row] * means[column])
        products[row, row] = max(products[row, row], 0.0) + ridge


_EQUAL = 1.0 - 1e-9
"""The part of the largest gain from which on a gain is as large."""


@kernel
def choose_some(
    products: Floats, factor: Floats, pulls: Floats, left: Floats, ridge: float, selected: Ints, gains: Floats
) -> None:
    """Select a term for each row of `factor` and fill the row; update `pulls` (terms x classes) and `left` (0:
    selected).
    """
    n_terms, n_classes = pulls.shape
    gain = np.empty(n_terms)
    for step in range(selected.size):
        best = _first_of_the_best(pulls, left, gain)
        selected[step], gains[step] = best, gain[best]
        row, root = factor[step], np.sqrt(left[best])
        for term in range(n_terms):
            row[term] = products[best, term] if term >= best else products[term, best]
        for before in range(step):
            part, other = factor[before, best], factor[before]
            for term in range(n_terms):
                row[term] -= part * other[term]
        left[best] = 0.0
        for term in range(n_terms):
            row[term] /= root
            if left[term] > 0.0:
                part = row[term] / root
                for number in range(n_classes):
                    pulls[term, number] -= part * pulls[best, number]
                left[term] = max(left[term] - row[term] * row[term], ridge)


@kernel
def _first_of_the_best(pulls: Floats, left: Floats, gain: Floats) -> int:
    """Return the first term whose gain equals the largest, up to rounding."""
    most = 0.0
    for term in range(left.size):
        gain[term] = -1.0
        if left[term] > 0.0:
            total = 0.0
            for number in range(pulls.shape[1]):
                total += pulls[term, number] * pulls[term, number]
            gain[term] = total / left[term]
            most = max(most, gain[term])
    for term in range(left.size):
        if gain[term] >= most * _EQUAL:
            return term
    return 0
