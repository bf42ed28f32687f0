"""Compute the votes of an ensemble of linear classifiers, each of which knows some of the terms."""

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from .jit import kernel


@kernel
def member_sums(
    values: Floats,
    columns: NDArray[np.int32],
    term_starts: Ints,
    members: NDArray[np.int32],
    coefficients: NDArray[np.float32],
    sums: Floats,
    knows: NDArray[np.bool_],
) -> None:
    """Write the score of each member for one row, without its intercept, and whether the member knows a term of the
    row.
    """
    n_outputs = sums.shape[1]
    sums[:] = 0.0
    knows[:] = False
    for at in range(values.size):
        value = values[at]
        if value == 0.0:
            continue
        for place in range(term_starts[columns[at]], term_starts[columns[at] + 1]):
            member = members[place]
            knows[member] = True
            for output in range(n_outputs):
                sums[member, output] += value * np.float64(coefficients[place, output])


@kernel
def choose(
    values: Floats,
    columns: NDArray[np.int32],
    starts: Ints,
    term_starts: Ints,
    members: NDArray[np.int32],
    coefficients: NDArray[np.float32],
    member_intercepts: Floats,
    classes: NDArray[np.int32],
    choices: Ints,
) -> None:
    """Write the class for which each member votes in each row (rows x members), or -1 if it knows no term of the row.

    `coefficients` has a row for each pair of a term and a member, whose number is in `members`. Its columns are the
    member's outputs for the classes in `classes`, or a single output for the second of two classes.
    """
    n_members, n_outputs = member_intercepts.shape
    sums = np.empty((n_members, n_outputs))
    knows = np.empty(n_members, np.bool_)
    for row in range(starts.size - 1):
        own = slice(starts[row], starts[row + 1])
        member_sums(values[own], columns[own], term_starts, members, coefficients, sums, knows)
        for member in range(n_members):
            best, best_sum = 0, -np.inf
            for output in range(n_outputs):
                total = sums[member, output] + member_intercepts[member, output]
                if total > best_sum:
                    best, best_sum = output, total
            if n_outputs == 1:
                best = 1 if best_sum > 0.0 else 0
            choices[row, member] = classes[best] if knows[member] else -1


@kernel
def approve(
    values: Floats,
    columns: NDArray[np.int32],
    starts: Ints,
    term_starts: Ints,
    members: NDArray[np.int32],
    coefficients: NDArray[np.float32],
    member_intercepts: Floats,
    classes: NDArray[np.int32],
    votes: Floats,
) -> None:
    """Add to `votes` (rows x classes) half a vote for or against each class, for each member that knows a term of
    the row.
    """
    n_members, n_outputs = member_intercepts.shape
    sums = np.empty((n_members, n_outputs))
    knows = np.empty(n_members, np.bool_)
    for row in range(starts.size - 1):
        own = slice(starts[row], starts[row + 1])
        member_sums(values[own], columns[own], term_starts, members, coefficients, sums, knows)
        for member in range(n_members):
            for output in range(n_outputs):
                total = sums[member, output] + member_intercepts[member, output]
                if knows[member]:
                    votes[row, classes[output]] += 0.5 if total > 0.0 else -0.5
