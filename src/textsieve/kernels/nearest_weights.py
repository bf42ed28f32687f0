"""The documents whose weight of a term is nearest to a given one: one vote each, for each of their classes.

A term's weights are sorted, and documents of equal weight ascend. From where the given weight would be, two places move
apart; the nearer weight is taken next, with all documents that have it, or with the lowest of them that there is still
room for. Whether w - a or b - w is smaller is decided exactly, by comparing 2w with a + b and its rounding error.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .jit import Floats, Ints, kernel

Numbers = NDArray[np.int32]


@kernel
def first_from(weights: Floats, begin: int, end: int, weight: float) -> int:
    """The first place from `begin` whose weight is not below the given one."""
    while begin < end:
        middle = (begin + end) >> 1
        if weights[middle] < weight:
            begin = middle + 1
        else:
            end = middle
    return begin


@kernel
def compared(below: float, weight: float, above: float) -> float:
    """Positive if the weight below is the nearer, negative if the one above is, 0 if both are equally near."""
    total = below + above
    if total != 2.0 * weight:
        return total - 2.0 * weight
    part = total - below
    return (below - (total - part)) + (above - part)


class Projected(NamedTuple):
    """The weights of each term, sorted, who has them, and the labels of those."""

    term_starts: Ints
    weights: Floats
    documents: Numbers  # ascending where weights are equal
    label_starts: Ints
    labels: Numbers


@kernel
def let_vote(document: int, given: Projected, votes: Floats) -> None:
    """Add a vote for each label of a document."""
    for at in range(np.uint64(given.label_starts[document]), np.uint64(given.label_starts[document + 1])):
        votes[np.uint64(given.labels[at])] += 1.0


@kernel
def vote_of_term(term: int, given: Projected, k: int, weight: float, votes: Floats) -> None:
    """Let the k documents of a term vote whose weights are nearest; of equally near ones, the lower."""
    weights, documents = given.weights, given.documents
    begin, end = given.term_starts[term], given.term_starts[term + 1]
    if end - begin <= k:
        for at in range(begin, end):
            let_vote(documents[at], given, votes)
        return
    right = first_from(weights, begin, end, weight)
    left = right
    while k > 0:
        nearer = 1.0 if right == end else -1.0
        if begin < left and right < end:
            nearer = compared(weights[left - 1], weight, weights[right])
        first, last = left, right
        if nearer >= 0.0:
            first = left - 1
            while begin < first and left - first <= k and weights[first - 1] == weights[left - 1]:
                first -= 1
            if left - first > k:  # more than there is room for: the lowest are at the beginning
                first = first_from(weights, begin, left, weights[left - 1])
        if nearer <= 0.0:
            last = right + 1
            while last < end and last - right < k and weights[last] == weights[right]:
                last += 1
        i, j = first, right
        while k > 0 and (i < left or j < last):
            if j == last or (i < left and documents[i] < documents[j]):
                let_vote(documents[i], given, votes)
                i += 1
            else:
                let_vote(documents[j], given, votes)
                j += 1
            k -= 1
        left, right = first, last


@kernel
def vote_nearest(columns: Numbers, values: Floats, starts: Ints, given: Projected, k: int, votes: Floats) -> None:
    """Write the votes of the terms of each row."""
    for row in range(starts.size - 1):
        votes[row] = 0.0
        for at in range(starts[row], starts[row + 1]):
            if values[at] != 0:
                vote_of_term(columns[at], given, k, values[at], votes[row])
