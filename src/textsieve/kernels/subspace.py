"""Compute the votes of an ensemble of linear classifiers, its *members*, each of which uses only some of the terms.

The coefficients of the members are stored by term: term t is used by the members `members[term_starts[t] :
term_starts[t + 1]]`. At the same positions, `coefficients` (float32) has a row for each of these members, with its
coefficients of the term, one for each *output*. There is an output for each class in `classes`, or a single one for the
second of two classes. `member_intercepts` is (n_members, n_outputs). Documents are CSR rows.
"""

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from .jit import kernel


@kernel
def member_sums(
    data: Floats,
    indices: NDArray[np.int32],
    term_starts: Ints,
    members: NDArray[np.int32],
    coefficients: NDArray[np.float32],
    sums: Floats,
    knows: NDArray[np.bool_],
) -> None:
    """Write the scores of each member for one CSR row, without intercepts, to `sums` (n_members, n_outputs).

    `knows` (n_members,) gets whether the member knows the document, that is, uses one of its terms.
    """
    n_outputs = sums.shape[1]
    sums[:] = 0.0
    knows[:] = False
    for position in range(data.size):
        value = data[position]
        if value == 0.0:
            continue
        for pair in range(term_starts[indices[position]], term_starts[indices[position] + 1]):
            member = members[pair]
            knows[member] = True
            for output in range(n_outputs):
                sums[member, output] += value * np.float64(coefficients[pair, output])


@kernel
def choose(
    data: Floats,
    indices: NDArray[np.int32],
    indptr: Ints,
    term_starts: Ints,
    members: NDArray[np.int32],
    coefficients: NDArray[np.float32],
    member_intercepts: Floats,
    classes: NDArray[np.int32],
    choices: Ints,
) -> None:
    """Write the class that each member predicts to `choices` (n_rows, n_members), -1 if it uses no term of the row."""
    n_members, n_outputs = member_intercepts.shape
    sums = np.empty((n_members, n_outputs))
    knows = np.empty(n_members, np.bool_)
    for row in range(indptr.size - 1):
        values = slice(indptr[row], indptr[row + 1])
        member_sums(data[values], indices[values], term_starts, members, coefficients, sums, knows)
        for member in range(n_members):
            best, best_sum = 0, -np.inf  # the output with the largest score; the first of equal ones
            for output in range(n_outputs):
                total = sums[member, output] + member_intercepts[member, output]
                if total > best_sum:
                    best, best_sum = output, total
            if n_outputs == 1:  # the score of the second of two classes against the first
                best = 1 if best_sum > 0.0 else 0
            choices[row, member] = classes[best] if knows[member] else -1


@kernel
def approve(
    data: Floats,
    indices: NDArray[np.int32],
    indptr: Ints,
    term_starts: Ints,
    members: NDArray[np.int32],
    coefficients: NDArray[np.float32],
    member_intercepts: Floats,
    classes: NDArray[np.int32],
    votes: Floats,
) -> None:
    """Add to `votes` (n_rows, n_classes) 0.5 for each member whose score of the class is above 0, -0.5 for each other.

    Members that use no term of the row add nothing. This is for multilabel ensembles, which have an output for each
    class.
    """
    n_members, n_outputs = member_intercepts.shape
    sums = np.empty((n_members, n_outputs))
    knows = np.empty(n_members, np.bool_)
    for row in range(indptr.size - 1):
        values = slice(indptr[row], indptr[row + 1])
        member_sums(data[values], indices[values], term_starts, members, coefficients, sums, knows)
        for member in range(n_members):
            for output in range(n_outputs):
                total = sums[member, output] + member_intercepts[member, output]
                if knows[member]:
                    votes[row, classes[output]] += 0.5 if total > 0.0 else -0.5
