"""Compute the products of terms over all documents, and select terms by forward selection on them.

The product of two terms is the sum over all documents of the product of their weights. A document adds only to the
products of each two of its terms, so the work is the sum of the squared row lengths, however many terms there are. When
all documents have been added, products are centred, that is, turned into n times the covariances. They are symmetric,
so only those on and right of the diagonal are computed.

Selection is a Cholesky factorisation in which each step selects the term that becomes the next row. After a few dozen
terms, the caller subtracts their effect from all products at once, as a matrix product. The last digits of that matrix
product may depend on the machine, so terms whose gains agree to nine digits count as equal.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from .jit import kernel


@kernel
def add_term_products(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: NDArray[Any],
    positions: Ints,
    doc_weights: Floats,
    products: Floats,
) -> None:
    """Add the products of the terms of each CSR row to the upper triangle of `products` (n_terms, n_terms).

    `positions` (n_columns,) has the row of each column in `products`, or -1 if it has none. Columns and their positions
    ascend in each row without repetition. Row r counts `doc_weights[r]` times, or once if these are empty.
    """
    row_positions, weights = np.empty(products.shape[0], np.int64), np.empty(products.shape[0])
    for row in range(indptr.size - 1):
        size = 0
        for entry in range(indptr[row], indptr[row + 1]):
            if positions[indices[entry]] >= 0:
                row_positions[size], weights[size] = positions[indices[entry]], data[entry]
                size += 1
        doc_weight = doc_weights[row] if doc_weights.size else 1.0
        for first in range(size):
            weight, term_products = doc_weight * weights[first], products[row_positions[first]]
            for second in range(first, size):
                term_products[row_positions[second]] += weight * weights[second]


@kernel
def centre(products: Floats, means: Floats, n: int, ridge: float) -> None:
    """Turn sums of products (n_terms, n_terms) over n documents into n times the covariances, in place.

    `means` (n_terms,) has the mean of each term over the documents. The ridge is added to the diagonal. Only the upper
    triangle is used.
    """
    for row in range(means.size):
        for column in range(row, means.size):
            products[row, column] -= n * (means[row] * means[column])
        products[row, row] = max(products[row, row], 0.0) + ridge  # rounding errors can make a variance negative


_TIE = 1.0 - 1e-9
"""A gain that is at least this part of the largest gain counts as equal to it, since its last digits may depend on the
machine (see above)."""


@kernel
def select_terms(
    products: Floats, factor: Floats, pulls: Floats, residuals: Floats, ridge: float, selected: Ints, gains: Floats
) -> None:
    """Select a term for each row of `factor` (n_steps, n_terms), and fill the row with its row of the Cholesky factor.

    `pulls` (n_terms, n_classes) has the difference between the mean of each term in a class and in all documents, as
    `selectors.forward.class_pulls` weighs it, minus what the selected terms explain of it. `residuals` (n_terms,) has n
    times the variance of each term plus `ridge`, minus what the selected terms explain of it, but at least `ridge`; it
    is 0 for selected terms. `pulls` and `residuals` are updated. The gain of a term is the sum of its squared pulls,
    divided by its residual. `selected` and `gains` get the terms and their gains. `products` has in its upper triangle
    the centred products of terms, from which the caller has subtracted the effect of terms selected in earlier calls.
    """
    n_terms, n_classes = pulls.shape
    all_gains = np.empty(n_terms)
    for step in range(selected.size):
        best = _first_best(pulls, residuals, all_gains)
        selected[step], gains[step] = best, all_gains[best]
        # The term's row of the Cholesky factor is its row of products, minus what earlier rows explain of it, divided
        # by the pivot. `products` is symmetric, and only its upper triangle is filled.
        row, pivot = factor[step], np.sqrt(residuals[best])
        for term in range(n_terms):
            row[term] = products[best, term] if term >= best else products[term, best]
        for earlier in range(step):
            ratio, earlier_row = factor[earlier, best], factor[earlier]
            for term in range(n_terms):
                row[term] -= ratio * earlier_row[term]
        residuals[best] = 0.0  # so `pulls[best]` is not changed below
        for term in range(n_terms):
            row[term] /= pivot
            if residuals[term] > 0.0:
                ratio = row[term] / pivot
                for class_number in range(n_classes):
                    pulls[term, class_number] -= ratio * pulls[best, class_number]
                residuals[term] = max(residuals[term] - row[term] * row[term], ridge)


@kernel
def _first_best(pulls: Floats, residuals: Floats, all_gains: Floats) -> int:
    """Write the gain of each term to `all_gains`, -1 for selected terms; return the first term with the largest gain.

    Gains that are nearly as large as the largest count as equal to it (see `_TIE`).
    """
    largest = 0.0
    for term in range(residuals.size):
        all_gains[term] = -1.0
        if residuals[term] > 0.0:
            total = 0.0
            for class_number in range(pulls.shape[1]):
                total += pulls[term, class_number] * pulls[term, class_number]
            all_gains[term] = total / residuals[term]
            largest = max(largest, all_gains[term])
    for term in range(residuals.size):
        if all_gains[term] >= largest * _TIE:
            return term
    return 0  # not reached: the caller selects no more terms than there are, and gains are 0 or more
