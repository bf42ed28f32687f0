"""A linear SVM on few documents, from the products of the documents with one another.

Where documents are few and their rows long, most of the time of `descent` goes into w·x_i and into moving w, row by
row. All that the dual needs of the rows is K_ij = x_i·x_j. With K at hand the margins f_i = w·x_i of all documents are
kept up to date instead of w: a step of α_i by s adds s K_i to them, which is one walk over consecutive numbers, and the
gradient of any document is known without calculating. So documents that would hardly move are passed over at no cost:
in each round only those move whose gradient is a good part of the largest one of the round before. And a step goes
beyond the optimum of its α_i, by a factor below 2, with which each step still makes the sum smaller (over-relaxation):
that takes a quarter fewer of them. All classes share K and the orders in which documents are visited.

K of some of the terms is the sum over these terms of the products of their postings. Terms that many documents have are
kept as dense rows, four of which are added in one walk; the others are added pair by pair.
"""

import numpy as np
from numpy.typing import NDArray

from .jit import Floats, Ints, kernel

WORTH_A_STEP = 0.3
"""A document moves if its gradient is this part of the largest in the round before."""

BEYOND = 1.4
"""How far a step goes, where 1 is the optimum of its document; 1.2 to 1.6 are nearly as quick, 1.8 is slower."""


@kernel
def document_products(
    term_starts: Ints,
    documents: NDArray[np.int32],
    weights: Floats,
    dense_place: NDArray[np.int32],
    dense: Floats,
    terms: Ints,
    products: Floats,
) -> None:
    """The products of documents over some terms; `dense` has the rows of those whose `dense_place` is not negative."""
    n = products.shape[0]
    products[:] = 0.0
    places = np.empty(terms.size + 3, np.int64)
    n_places = 0
    for term in terms:
        if dense_place[term] >= 0:
            places[n_places] = dense_place[term]
            n_places += 1
            continue
        end = np.uint64(term_starts[term + 1])
        for first in range(np.uint64(term_starts[term]), end):
            weight, row = weights[first], products[np.uint64(documents[first])]
            for second in range(first, end):
                row[np.uint64(documents[second])] += weight * weights[second]
    _add_dense(dense, places, n_places, products)
    for row in range(n):
        for column in range(row):
            products[row, column] = products[column, row]


@kernel
def _add_dense(dense: Floats, places: Ints, n_places: int, products: Floats) -> None:
    """Add the products over terms that are kept as dense rows, to the right of the diagonal."""
    n = products.shape[0]
    for document in range(n):
        row = products[document, document:]
        whole = n_places - n_places % 4
        for at in range(0, whole, 4):
            a, b = dense[places[at], document:], dense[places[at + 1], document:]
            c, d = dense[places[at + 2], document:], dense[places[at + 3], document:]
            of_a, of_b, of_c, of_d = a[0], b[0], c[0], d[0]
            for other in range(row.size):
                row[other] += (of_a * a[other] + of_b * b[other]) + (of_c * c[other] + of_d * d[other])
        for at in range(whole, n_places):
            a = dense[places[at], document:]
            of_a = a[0]
            for other in range(row.size):
                row[other] += of_a * a[other]


@kernel
def descend_on_products(
    products: Floats, signs: Floats, costs: Floats, orders: Ints, tolerance: float, most_rounds: int, pull: Floats
) -> tuple[float, int]:
    """Solve one class's problem; gives the intercept, and the rounds left (0: stopped). `pull` gets α_i y_i.

    The problem is that of `descent.descend`, and so is the end: gradients that differ by no more than the tolerance.
    """
    n = signs.size
    alpha = np.zeros(n)
    margins = np.zeros(n)
    half = 0.5 / costs
    reach = np.empty(n)
    for each in range(n):
        reach[each] = BEYOND / (products[each, each] + 1.0 + half[each])
    intercept, worth = 0.0, 0.0
    rounds_left = most_rounds
    while rounds_left > 0:
        order = orders[(most_rounds - rounds_left) % orders.shape[0]]
        largest = 0.0
        for place in range(n):
            row = np.uint64(order[place])
            before = alpha[row]
            gradient = signs[row] * (margins[row] + intercept) - 1.0 + before * half[row]
            after = max(before - reach[row] * gradient, 0.0)
            size = abs(gradient) if after != before else 0.0
            largest = max(largest, size)
            if size > worth:
                alpha[row] = after
                step = (after - before) * signs[row]
                intercept += step
                of_row = products[row]
                for other in range(n):
                    margins[other] += step * of_row[other]
        if largest <= 0.5 * tolerance:
            break
        worth = WORTH_A_STEP * largest
        rounds_left -= 1
    for each in range(n):
        pull[each] = alpha[each] * signs[each]
    return intercept, rounds_left


@kernel
def weights_of_terms(
    term_starts: Ints, documents: NDArray[np.int32], weights: Floats, terms: Ints, pull: Floats, found: Floats
) -> None:
    """W = Σ α_i y_i x_i over some terms (terms x classes), where `pull` has α_i y_i (documents x classes)."""
    n_classes = pull.shape[1]
    found[:] = 0.0
    for place in range(terms.size):
        of_term = found[place]
        for at in range(term_starts[terms[place]], term_starts[terms[place] + 1]):
            weight, of_document = weights[at], pull[np.uint64(documents[at])]
            for number in range(n_classes):
                of_term[number] += weight * of_document[number]
