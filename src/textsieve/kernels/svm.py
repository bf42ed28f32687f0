"""Train linear support vector machines, one class against the rest: three solvers for the same problem.

The problem is liblinear's (Hsieh et al. 2008, squared hinge loss): min ½|w|² + Σ C_i max(0, 1 - y_i w·x_i)². Here x_i
is the row of document i with an additional coordinate of value 1, whose weight is the intercept; y_i is +1 for
documents of the class and -1 for the others, and C_i is the cost of document i. All three solvers stop when the
projected gradients of the dual differ by no more than the tolerance.

**Dual coordinate descent** (`descend`), for many documents and terms. The dual has one variable α_i >= 0 for each
document, with w = Σ α_i y_i x_i and the gradient G_i = y_i w·x_i - 1 + α_i / (2 C_i). The *projected* gradient is G_i,
or 0 if α_i = 0 and G_i > 0, where α_i can't decrease further. A step sets one α_i to its optimum, max(0, α_i - G_i /
Q_i) with Q_i = |x_i|² + 1 / (2 C_i), and updates w along x_i. Documents are visited in a new random order in each
round. An α_i of 0 whose gradient exceeds the largest projected gradient of the round before (if that is above 0) will
hardly move: its document is set aside until the others have converged.

**Descent on products** (`descend_on_products`), for few documents with long rows. The dual needs only the products K_ij
= x_i·x_j of the rows. With K, the margins f_i = w·x_i of all documents are updated instead of w: a step of α_i by s
adds s y_i times row i of K to them, and the gradient of any document is known at once. So documents that would hardly
move cost almost nothing: in each round only those move whose gradient is a good part of the largest in the round
before. A step is longer than the one to the optimum of its α_i, by a factor below 2 (over-relaxation). Each step then
still decreases the objective, and a quarter fewer steps are needed. All classes share K. K is the sum over terms of the
products of their postings; frequent terms are stored as dense rows, four of which are added in one pass, and the others
are added pair by pair. The kernel gets K without the additional coordinate, and keeps the intercept separately.

**Pairs.** A step of α_i also changes the intercept, so its length is that of the gradient divided by K_ii + 1 + 1/(2
C_i). If the row is short and C_i is large, most of this curvature is the 1 of the intercept, and steps are many times
shorter than K alone would have them: rows of a tenth of the terms, with C = 100, take hundreds of rounds. There a step
first moves two documents, α_i y_i by s and α_j y_j by -s, which leaves the intercept as it is; j is the last document
with α > 0 that moved. The curvature of such a step is |x_i - x_j|² + 1/(2 C_i) + 1/(2 C_j), and s is the optimum
within α_i, α_j >= 0. The step of α_i alone follows. Both reach the optimum without over-relaxation, and neither
increases the objective.

**Newton's method** (`newton`), for few terms. The objective is smooth, and quadratic as long as the same documents
violate their margin. Its gradient is w - Σ α_i y_i x_i with α_i = 2 C_i max(0, 1 - y_i w·x_i), its second derivative I
+ 2 Σ C_i x_i x_iᵀ over those documents. A step to the optimum of the quadratic, shortened until the objective
decreases, soon finds the documents that matter, and then the optimum. That takes a handful of rounds where the dual,
with more documents than terms, takes thousands, but each round solves as many equations as there are terms. It stops
when |g·x_i| is small for all documents i, where g is the gradient of the objective: with these α, the projected
gradient of document i in the dual is no larger.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from .jit import kernel

_13, _7, _17 = np.uint64(13), np.uint64(7), np.uint64(17)  # the shifts of xorshift
SEED = np.uint64(0x9E3779B97F4A7C15)

_NEGLIGIBLE_GRADIENT = 1e-12
"""A document whose projected gradient is no larger than this doesn't move."""


@kernel
def squared_lengths(indptr: NDArray[Any], data: NDArray[Any]) -> Floats:
    """Return the squared norm of each CSR row."""
    squared_norms = np.zeros(indptr.size - 1)
    for row in range(squared_norms.size):
        for position in range(indptr[row], indptr[row + 1]):
            squared_norms[row] += np.float64(data[position]) * np.float64(data[position])
    return squared_norms


@kernel
def shuffle(numbers: Ints, size: int, state: np.uint64) -> np.uint64:
    """Shuffle the first `size` numbers (Fisher-Yates with Marsaglia's xorshift); return the generator's next state."""
    for position in range(size - 1):
        state ^= state << _13
        state ^= state >> _7
        state ^= state << _17
        other = position + np.int64(state % np.uint64(size - position))
        numbers[position], numbers[other] = numbers[other], numbers[position]
    return state


@kernel
def descend(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: NDArray[Any],
    squared_norms: Floats,
    signs: Floats,
    costs: Floats,
    tolerance: float,
    max_rounds: int,
    alpha: Floats,
    weights: Floats,
) -> tuple[float, int]:
    """Solve the problem of one class by dual coordinate descent; return the intercept and the number of rounds left.

    0 rounds are left if it has not converged. `signs` (y_i, +1 or -1), `costs` (C_i) and `alpha` (α_i) are
    (n_documents,), and `weights` (n_terms,) has w. It starts from any `alpha` and the `weights` that belong to it, and
    overwrites both. The first `n_active` of `active` are the documents that are not set aside.
    """
    n = signs.size
    half_inverse_costs = 0.5 / costs
    active = np.arange(n)
    n_active = n
    shrinking_limit = np.inf
    state = SEED
    intercept = np.sum(alpha * signs)
    for rounds_left in range(max_rounds, 0, -1):
        state = shuffle(active, n_active, state)
        largest, smallest = -np.inf, np.inf
        position = 0
        while position < n_active:
            row = np.uint64(active[position])
            begin, end = np.uint64(indptr[row]), np.uint64(indptr[row + np.uint64(1)])
            margin = intercept
            for entry in range(begin, end):
                margin += data[entry] * weights[np.uint64(indices[entry])]
            gradient = signs[row] * margin - 1.0 + alpha[row] * half_inverse_costs[row]
            projected_gradient = gradient  # 0 if α is 0 and the gradient would make it negative
            if alpha[row] == 0.0:
                if gradient > shrinking_limit:  # set the document aside; the last active one takes its position
                    n_active -= 1
                    active[position], active[n_active] = active[n_active], active[position]
                    continue
                projected_gradient = min(gradient, 0.0)
            largest, smallest = max(largest, projected_gradient), min(smallest, projected_gradient)
            if abs(projected_gradient) > _NEGLIGIBLE_GRADIENT:
                before = alpha[row]
                alpha[row] = max(before - gradient / (squared_norms[row] + 1.0 + half_inverse_costs[row]), 0.0)
                step = (alpha[row] - before) * signs[row]
                intercept += step
                for entry in range(begin, end):
                    weights[np.uint64(indices[entry])] += step * data[entry]
            position += 1
        if largest - smallest > tolerance:
            shrinking_limit = largest if largest > 0 else np.inf
        elif n_active == n:
            return intercept, rounds_left
        else:  # only the active documents have converged: check those that were set aside, too
            n_active = n
            shrinking_limit = np.inf
    return intercept, 0


MIN_GRADIENT = 0.3
"""A document moves if its gradient is larger than this part of the largest one in the round before."""

OVER_RELAXATION = 1.4
"""The length of a step, where 1 reaches the optimum of its α; 1.2 to 1.6 are nearly as quick, 1.8 is slower."""

MAX_CURVATURE_OF_PAIRS = 0.3
"""Documents move in pairs if K_ii + 1/(2 C_i) is below this; the intercept adds 1 to it. Above it, pairs don't pay."""


@kernel
def document_products(
    term_starts: Ints,
    documents: NDArray[np.int32],
    weights: Floats,
    dense_row: NDArray[np.int32],
    dense: Floats,
    terms: Ints,
    products: Floats,
) -> None:
    """Write the products of all pairs of documents over some terms to `products` (n_documents, n_documents).

    The postings of term t are `documents` and `weights` from `term_starts[t]` to `term_starts[t + 1]`. A term with a
    `dense_row` of 0 or more is also stored as that row of `dense` (n_dense_terms, n_documents), which is used instead.
    Only the upper triangle is computed and then mirrored.
    """
    n = products.shape[0]
    products[:] = 0.0
    dense_rows = np.empty(terms.size, np.int64)
    n_dense = 0
    for term in terms:
        if dense_row[term] >= 0:
            dense_rows[n_dense] = dense_row[term]
            n_dense += 1
            continue
        end = np.uint64(term_starts[term + 1])
        for first in range(np.uint64(term_starts[term]), end):
            weight, row = weights[first], products[np.uint64(documents[first])]
            for second in range(first, end):
                row[np.uint64(documents[second])] += weight * weights[second]
    _add_dense(dense, dense_rows, n_dense, products)
    for row in range(n):
        for column in range(row):
            products[row, column] = products[column, row]


@kernel
def _add_dense(dense: Floats, dense_rows: Ints, n_dense: int, products: Floats) -> None:
    """Add the products over dense terms on and right of the diagonal, four terms in one pass.

    The rows of `dense` to use are the first `n_dense` of `dense_rows`. Slices of them begin at the current document, so
    element 0 of a slice is the weight of the term in this document.
    """
    n = products.shape[0]
    for document in range(n):
        row = products[document, document:]
        n_in_fours = n_dense - n_dense % 4
        for position in range(0, n_in_fours, 4):
            a, b = dense[dense_rows[position], document:], dense[dense_rows[position + 1], document:]
            c, d = dense[dense_rows[position + 2], document:], dense[dense_rows[position + 3], document:]
            weight_a, weight_b, weight_c, weight_d = a[0], b[0], c[0], d[0]
            for other in range(row.size):
                row[other] += (weight_a * a[other] + weight_b * b[other]) + (weight_c * c[other] + weight_d * d[other])
        for position in range(n_in_fours, n_dense):
            a = dense[dense_rows[position], document:]
            weight_a = a[0]
            for other in range(row.size):
                row[other] += weight_a * a[other]


@kernel
def shift_of_pair(
    first: int,
    second: int,
    products: Floats,
    signs: Floats,
    half_inverse_costs: Floats,
    margins: Floats,
    alpha: Floats,
) -> float:
    """Move α y of a document by a shift, and that of a second one by minus it, to the optimum; return the shift.

    The arguments are those of `descend_on_products`; `alpha` is changed, `margins` are not.
    """
    difference = (
        (margins[second] - signs[second])
        - (margins[first] - signs[first])
        + alpha[second] * half_inverse_costs[second] * signs[second]
        - alpha[first] * half_inverse_costs[first] * signs[first]
    )
    curvature = products[first, first] + products[second, second] - 2.0 * products[first, second]
    shift = difference / (max(curvature, 0.0) + half_inverse_costs[first] + half_inverse_costs[second])
    shift = max(shift, -alpha[first]) if signs[first] > 0.0 else min(shift, alpha[first])
    shift = min(shift, alpha[second]) if signs[second] > 0.0 else max(shift, -alpha[second])
    alpha[first] = max(alpha[first] + shift * signs[first], 0.0)
    alpha[second] = max(alpha[second] - shift * signs[second], 0.0)
    return float(shift)


@kernel
def descend_on_products(
    products: Floats,
    signs: Floats,
    costs: Floats,
    orders: Ints,
    tolerance: float,
    max_rounds: int,
    signed_alpha: Floats,
) -> tuple[float, int]:
    """Solve the problem of one class from products of documents; return the intercept and the number of rounds left.

    0 rounds are left if it has not converged. `products` is (n_documents, n_documents), `signs` and `costs` are those
    of `descend`. Each row of `orders` is a random order of the documents; rounds use one after the other.
    `signed_alpha` (n_documents,) gets α_i y_i.
    """
    n = signs.size
    alpha = np.zeros(n)
    margins = np.zeros(n)
    half_inverse_costs = 0.5 / costs
    step_factors = np.empty(n)
    for document in range(n):
        step_factors[document] = OVER_RELAXATION / (products[document, document] + 1.0 + half_inverse_costs[document])
    intercept, least_gradient = 0.0, 0.0
    partner = -1  # the last document that moved to an α above 0
    rounds_left = max_rounds
    while rounds_left > 0:
        order = orders[(max_rounds - rounds_left) % orders.shape[0]]
        largest = 0.0
        for position in range(n):
            row = np.uint64(order[position])
            before = alpha[row]
            gradient = signs[row] * (margins[row] + intercept) - 1.0 + before * half_inverse_costs[row]
            after = max(before - step_factors[row] * gradient, 0.0)
            size = abs(gradient) if after != before else 0.0  # 0 if α stays at its bound
            largest = max(largest, size)
            if size > least_gradient:
                row_products = products[row]
                curvature = row_products[row] + half_inverse_costs[row]
                if curvature < MAX_CURVATURE_OF_PAIRS and partner >= 0 and partner != order[position]:
                    partner_products = products[partner]
                    shift = shift_of_pair(order[position], partner, products, signs, half_inverse_costs, margins, alpha)
                    gradient += shift * signs[row] * (curvature - row_products[partner])
                    after = max(alpha[row] - gradient / (curvature + 1.0), 0.0)
                    step = (after - alpha[row]) * signs[row]
                    for other in range(n):
                        margins[other] += (step + shift) * row_products[other] - shift * partner_products[other]
                else:
                    step = (after - before) * signs[row]
                    for other in range(n):
                        margins[other] += step * row_products[other]
                alpha[row] = after
                intercept += step
                if after > 0.0:
                    partner = order[position]
        # Then no two projected gradients of this round, each at the visit to its document, differ by more than the
        # tolerance.
        if largest <= 0.5 * tolerance:
            break
        least_gradient = MIN_GRADIENT * largest
        rounds_left -= 1
    for document in range(n):
        signed_alpha[document] = alpha[document] * signs[document]
    return intercept, rounds_left


@kernel
def weights_of_terms(
    term_starts: Ints,
    documents: NDArray[np.int32],
    weights: Floats,
    terms: Ints,
    signed_alphas: Floats,
    coefficients: Floats,
) -> None:
    """Write the entries of w = Σ α_i y_i x_i for some terms and all classes to `coefficients` (terms.size, n_classes).

    `signed_alphas` (n_documents, n_classes) has α_i y_i; see `document_products` for the postings.
    """
    n_classes = signed_alphas.shape[1]
    coefficients[:] = 0.0
    for row in range(terms.size):
        term_coefficients = coefficients[row]
        for posting in range(term_starts[terms[row]], term_starts[terms[row] + 1]):
            weight, document_alphas = weights[posting], signed_alphas[np.uint64(documents[posting])]
            for class_number in range(n_classes):
                term_coefficients[class_number] += weight * document_alphas[class_number]


SUFFICIENT_DECREASE = 1e-4
"""A step must decrease the objective by this part of what the gradient at its start predicts (Armijo's rule)."""

ROUNDING = 1e-14
"""The relative rounding error that is allowed for the objective."""


@kernel
def solve_cholesky(matrix: Floats, solution: Floats) -> None:
    """Solve matrix · x = solution in place by Cholesky factorisation; the matrix is I plus a positive semidefinite one.

    `solution` has the right-hand side at first and x at the end. Only the upper triangle of the matrix is read; it is
    overwritten by the factor U, with matrix = Uᵀ U. Each row is subtracted from those below it in one pass over
    consecutive numbers.
    """
    n = solution.size
    for row in range(n):
        pivot_row = matrix[row]
        pivot = np.sqrt(max(pivot_row[row], 1.0))  # because of the I, it is below 1 only by rounding errors
        pivot_row[row] = pivot
        for column in range(row + 1, n):
            pivot_row[column] /= pivot
        for other in range(row + 1, n):
            factor, other_row = pivot_row[other], matrix[other]
            for column in range(other, n):
                other_row[column] -= factor * pivot_row[column]
    for row in range(n):  # forward substitution with Uᵀ
        solution[row] /= matrix[row, row]
        for column in range(row + 1, n):
            solution[column] -= matrix[row, column] * solution[row]
    for row in range(n - 1, -1, -1):  # back substitution with U
        for column in range(row + 1, n):
            solution[row] -= matrix[row, column] * solution[column]
        solution[row] /= matrix[row, row]


@kernel
def multiply_rows_by_weights(
    indptr: NDArray[Any], indices: NDArray[Any], data: NDArray[Any], weights: Floats, products: Floats
) -> None:
    """Write the product of each CSR row with the weights, the last of which is the intercept, to `products`."""
    for row in range(products.size):
        total = weights[-1]
        for position in range(indptr[row], indptr[row + 1]):
            total += data[position] * weights[indices[position]]
        products[row] = total


@kernel
def hinge_loss(margins: Floats, signs: Floats, costs: Floats) -> float:
    """Return the squared hinge loss Σ C_i max(0, 1 - y_i f_i)², where f_i are the margins."""
    total = 0.0
    for row in range(margins.size):
        shortfall = 1.0 - signs[row] * margins[row]
        if shortfall > 0.0:
            total += costs[row] * shortfall * shortfall
    return total


@kernel
def gradient_and_hessian(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: NDArray[Any],
    signs: Floats,
    costs: Floats,
    margins: Floats,
    gradient: Floats,
    hessian: Floats,
) -> None:
    """Compute the gradient and the upper triangle of the Hessian of the objective, both with the intercept last.

    `gradient` (n_terms + 1,) has the weights at first, which are the gradient of ½|w|². `margins` (n_documents,) are
    f_i = w·x_i. The columns of each row must ascend, so that only the upper triangle is written.
    """
    last = gradient.size - 1
    hessian[:] = 0.0
    for column in range(gradient.size):
        hessian[column, column] = 1.0
    for row in range(margins.size):
        shortfall = 1.0 - signs[row] * margins[row]
        if shortfall <= 0.0:
            continue
        signed_alpha, double_cost = 2.0 * costs[row] * shortfall * signs[row], 2.0 * costs[row]
        for position in range(indptr[row], indptr[row + 1]):
            gradient[indices[position]] -= signed_alpha * data[position]
            term_row, scaled_value = hessian[indices[position]], double_cost * data[position]
            for other_position in range(position, indptr[row + 1]):
                term_row[indices[other_position]] += scaled_value * data[other_position]
            term_row[last] += scaled_value
        gradient[last] -= signed_alpha
        hessian[last, last] += double_cost


@kernel
def newton(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: NDArray[Any],
    signs: Floats,
    costs: Floats,
    tolerance: float,
    max_rounds: int,
    weights: Floats,
) -> tuple[float, int]:
    """Solve the problem of one class by Newton's method; return the intercept and the number of rounds left.

    See `descend` for the arguments. 0 rounds are left if it has not converged: after `max_rounds`, or when no step
    decreases the objective any more. The columns of each row must ascend.
    """
    n_terms = weights.size
    solution = np.zeros(n_terms + 1)
    candidate = np.empty(n_terms + 1)
    step = np.empty(n_terms + 1)
    hessian = np.empty((n_terms + 1, n_terms + 1))
    margins = np.zeros(signs.size)
    margin_change = np.empty(signs.size)
    rounds_left = max_rounds
    while rounds_left > 0:
        gradient = solution.copy()
        gradient_and_hessian(indptr, indices, data, signs, costs, margins, gradient, hessian)
        # Test for convergence: `margin_change` holds g·x_i here, for the gradient g. The projected gradient of document
        # i in the dual is no larger. If all are at most half the tolerance, no two differ by more than the tolerance.
        multiply_rows_by_weights(indptr, indices, data, gradient, margin_change)
        if rounds_left < max_rounds and np.abs(margin_change).max() <= 0.5 * tolerance:
            break  # not in the first round: with a large tolerance, weights of 0 would already count as converged
        step[:] = -gradient
        solve_cholesky(hessian, step)
        multiply_rows_by_weights(indptr, indices, data, step, margin_change)
        # The objective before the step, slightly increased to allow for rounding errors.
        objective = (1.0 + ROUNDING) * (0.5 * np.sum(solution * solution) + hinge_loss(margins, signs, costs))
        predicted_change = np.sum(gradient * step)
        step_length = 1.0
        while step_length > 1e-12:  # halve the step until it decreases the objective enough; 40 lengths at most
            candidate[:] = solution + step_length * step
            if (
                0.5 * np.sum(candidate * candidate) + hinge_loss(margins + step_length * margin_change, signs, costs)
                <= objective + SUFFICIENT_DECREASE * step_length * predicted_change
            ):
                break
            step_length *= 0.5
        else:  # no step decreases the objective beyond rounding errors
            rounds_left = 0
            break
        solution[:] = candidate
        multiply_rows_by_weights(indptr, indices, data, solution, margins)
        rounds_left -= 1
    weights[:] = solution[:n_terms]
    return solution[n_terms], rounds_left
