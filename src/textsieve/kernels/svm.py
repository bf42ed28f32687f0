"""Train linear support vector machines, one class against the rest: three solvers for the same problem.

The problem is liblinear's (Hsieh et al. 2008, squared hinge loss): min ½|w|² + Σ C_i max(0, 1 - y_i w·x_i)², where each
row has an additional coordinate of value 1 whose weight is the intercept. All three solvers stop when the gradients of
the dual differ by no more than the tolerance.

**Dual coordinate descent** (`descend`), for many documents and terms. The dual has one variable α_i >= 0 for each
document, with w = Σ α_i y_i x_i and the gradient G_i = y_i w·x_i - 1 + α_i / 2C_i. A step sets one α_i to its optimum,
max(0, α_i - G_i / Q_i) with Q_i = |x_i|² + 1/2C_i, and updates w along x_i. Documents are visited in a new random order
in each round. An α_i of 0 whose gradient exceeds the largest one left over from the round before will hardly move: it
is set aside until the others have converged.

**Descent on products** (`descend_on_products`), for few documents with long rows. The dual needs of the rows only K_ij
= x_i·x_j. With K, the margins f_i = w·x_i of all documents are updated instead of w: a step of α_i by s adds s K_i, and
the gradient of any document is known at once. So documents that would hardly move cost nothing: in each round only
those move whose gradient is a good part of the largest in the round before. A step goes beyond the optimum of its α_i
by a factor below 2, with which each step still decreases the objective (over-relaxation) and a quarter fewer are
needed. All classes share K. K is the sum over terms of the products of their postings; frequent terms are stored as
dense rows, four of which are added in one pass, and the others are added pair by pair.

**Newton's method** (`newton`), for few terms. The objective is smooth, and quadratic as long as the same documents
violate their margin. Its gradient is w - Σ α_i y_i x_i with α_i = 2 C_i max(0, 1 - y_i w·x_i), its second derivative I
+ 2 Σ C_i x_i x_iᵀ over those documents. A step to the optimum of the quadratic, shortened until the objective
decreases, soon finds the documents that matter, and then the optimum. That takes a handful of rounds where the dual,
with more documents than terms, takes thousands, but each round solves as many equations as there are terms. With these
α, the gradients of the dual are at most g·x_i from those at the optimum, where g is the gradient of the objective.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from .jit import kernel

_13, _7, _17 = np.uint64(13), np.uint64(7), np.uint64(17)
_START = np.uint64(0x9E3779B97F4A7C15)
_STILL = 1e-12


@kernel
def squared_lengths(indptr: NDArray[Any], data: NDArray[Any]) -> Floats:
    """Return the squared length of each row."""
    squares = np.zeros(indptr.size - 1)
    for row in range(squares.size):
        for at in range(indptr[row], indptr[row + 1]):
            squares[row] += np.float64(data[at]) * np.float64(data[at])
    return squares


@kernel
def shuffle(places: Ints, size: int, state: np.uint64) -> np.uint64:
    """Shuffle the first `size` entries (Fisher and Yates, Marsaglia's xorshift); return the next state of the
    generator.
    """
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
    """Compute the weights of one class, which start at 0; return the intercept and the rounds left (0: not
    converged).
    """
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
    """Compute the products of documents over some terms; terms with a `dense_place` of 0 or more are rows of
    `dense`.
    """
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
    """Add the products over dense terms, on and right of the diagonal."""
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
    """Solve the problem of one class; return the intercept and the rounds left (0: not converged). `pull` gets α_i
    y_i.
    """
    n = signs.size
    alpha = np.zeros(n)
    margins = np.zeros(n)
    half = 0.5 / costs
    reach = np.empty(n)
    for document in range(n):
        reach[document] = BEYOND / (products[document, document] + 1.0 + half[document])
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
    for document in range(n):
        pull[document] = alpha[document] * signs[document]
    return intercept, rounds_left


@kernel
def weights_of_terms(
    term_starts: Ints, documents: NDArray[np.int32], weights: Floats, terms: Ints, pull: Floats, coefficients: Floats
) -> None:
    """Compute W = Σ α_i y_i x_i over some terms (terms x classes), where `pull` has α_i y_i (documents x classes)."""
    n_classes = pull.shape[1]
    coefficients[:] = 0.0
    for place in range(terms.size):
        of_term = coefficients[place]
        for at in range(term_starts[terms[place]], term_starts[terms[place] + 1]):
            weight, of_document = weights[at], pull[np.uint64(documents[at])]
            for number in range(n_classes):
                of_term[number] += weight * of_document[number]


ENOUGH = 1e-4
"""A step must win this part of what the gradient at its start promises."""

ROUNDING = 1e-14
"""By this part of itself a sum may seem larger than it is."""


@kernel
def solve_positive(matrix: Floats, right: Floats) -> None:
    """Solve matrix · x = right by Cholesky for I plus a positive semidefinite matrix; overwrite both, `right` by x.

    Only the upper half of the matrix is read. Each row is subtracted from those below it in one pass over consecutive
    numbers.
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
def along_rows(
    indptr: NDArray[Any], indices: NDArray[Any], data: NDArray[Any], weights: Floats, products: Floats
) -> None:
    """Compute the product of each row with weights, the last of which belongs to the additional coordinate of value
    1.
    """
    for row in range(products.size):
        total = weights[-1]
        for at in range(indptr[row], indptr[row + 1]):
            total += data[at] * weights[indices[at]]
        products[row] = total


@kernel
def errors(margins: Floats, signs: Floats, costs: Floats) -> float:
    """Return the loss Σ C_i max(0, 1 - y_i f_i)²."""
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
    """Compute the gradient, which contains the weights at first, and the upper half of the second derivative."""
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
    """Compute the weights of one class; return the intercept and the rounds left (0: not converged).

    The columns of each row must ascend.
    """
    n_terms = weights.size
    solution = np.zeros(n_terms + 1)
    tried = np.empty(n_terms + 1)
    step = np.empty(n_terms + 1)
    curve = np.empty((n_terms + 1, n_terms + 1))
    margins = np.zeros(signs.size)
    moved = np.empty(signs.size)
    rounds_left = most_rounds
    while rounds_left > 0:
        gradient = solution.copy()
        slope_and_curve(indptr, indices, data, signs, costs, margins, gradient, curve)
        along_rows(indptr, indices, data, gradient, moved)
        if rounds_left < most_rounds and np.abs(moved).max() <= 0.5 * tolerance:
            break  # not before a step: weights of 0 are the end where all gradients are small, and tell nothing apart
        step[:] = -gradient
        solve_positive(curve, step)
        along_rows(indptr, indices, data, step, moved)
        before = (1.0 + ROUNDING) * (0.5 * np.sum(solution * solution) + errors(margins, signs, costs))
        promised = np.sum(gradient * step)
        length = 1.0
        while length > 1e-12:
            tried[:] = solution + length * step
            if (
                0.5 * np.sum(tried * tried) + errors(margins + length * moved, signs, costs)
                <= before + ENOUGH * length * promised
            ):
                break
            length *= 0.5
        else:  # what is to be gained is lost in rounding
            rounds_left = 0
            break
        solution[:] = tried
        along_rows(indptr, indices, data, solution, margins)
        rounds_left -= 1
    weights[:] = solution[:n_terms]
    return solution[n_terms], rounds_left
