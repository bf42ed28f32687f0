"""Project documents on single terms: the sorted weights of each term, and the documents that have them.

A document counts for a term where its weight is not 0. Terms are independent of each other, so several threads each
process a range of terms.

`vote_nearest` lets the documents vote whose weight of a term is nearest to a given one, once for each of their classes.
The weights of a term are sorted, and documents of equal weight ascend. Starting where the given weight would be
inserted, two positions move apart; the nearer weight comes next, with all documents that have it, or the lowest of them
for which there is room. Whether w - a or b - w is smaller is decided exactly, by comparing 2w with a + b and its
rounding error.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Int32s, Ints
from .intrinsics import fma
from .jit import kernel

_FEW = 32


# -- rows to projections -------------------------------------------------------------------------------------------


@kernel
def count_by_term(documents: Ints, starts: Ints, columns: Int32s, values: NDArray[Any], sizes: Ints) -> None:
    """Add to each term the number of documents that have it."""
    for document in documents:
        for at in range(np.uint64(starts[document]), np.uint64(starts[document + 1])):
            sizes[np.uint64(columns[at])] += values[at] != 0


@kernel
def write_by_term(
    documents: Ints,
    starts: Ints,
    columns: Int32s,
    values: NDArray[Any],
    ends: Ints,
    weights: Floats,
    members: Int32s,
) -> None:
    """Write the weights and numbers of documents term by term, starting at `starts`, which are advanced to the ends."""
    for member, document in enumerate(documents):
        for at in range(np.uint64(starts[document]), np.uint64(starts[document + 1])):
            if values[at] != 0:
                term = np.uint64(columns[at])
                place = np.uint64(ends[term])
                weights[place] = values[at]
                members[place] = member
                ends[term] += 1


@kernel
def sort_by_weight(first: int, last: int, starts: Ints, weights: Floats, members: Int32s) -> None:
    """Sort the entries of some terms by weight; entries of equal weight keep their order."""
    for term in range(first, last):
        own, who = weights[starts[term] : starts[term + 1]], members[starts[term] : starts[term + 1]]
        if own.size > _FEW:
            order = np.argsort(own, kind="mergesort")
            own[:], who[:] = own[order], who[order]
            continue
        for at in range(1, own.size):
            weight, member = own[at], who[at]
            place = at
            while place > 0 and own[place - 1] > weight:
                own[place], who[place] = own[place - 1], who[place - 1]
                place -= 1
            own[place], who[place] = weight, member


# -- the table of TCFP: for each term the distinct (weight, class), and how many documents have them ----------------


class Entries(NamedTuple):
    """Entries sorted by term, weight and class; those of term t are starts[t] to starts[t + 1]."""

    starts: Ints
    weights: Floats
    classes: Int32s
    counts: Ints


@kernel
def squeeze(entries: Entries) -> None:
    """Add up the counts of equal adjacent entries in place, and update `starts`."""
    starts, weights, classes, counts = entries
    size = 0
    begin = starts[0]
    for term in range(starts.size - 1):
        end = starts[term + 1]
        first = size
        for at in range(begin, end):
            if size > first and weights[size - 1] == weights[at] and classes[size - 1] == classes[at]:
                counts[size - 1] += counts[at]
            else:
                weights[size], classes[size], counts[size] = weights[at], classes[at], counts[at]
                size += 1
        begin = end
        starts[term + 1] = size


@kernel
def merge(one: Entries, other: Entries, both: Entries) -> None:
    """Write the entries of two tables with the same terms in order; equal entries remain separate."""
    place = 0
    for term in range(both.starts.size - 1):
        i, i_end = one.starts[term], one.starts[term + 1]
        j, j_end = other.starts[term], other.starts[term + 1]
        while i < i_end or j < j_end:
            if i == i_end or j == j_end:
                take_one = j == j_end
            elif one.weights[i] != other.weights[j]:
                take_one = one.weights[i] < other.weights[j]
            else:
                take_one = one.classes[i] <= other.classes[j]
            if take_one:
                both.weights[place], both.classes[place] = one.weights[i], one.classes[i]
                both.counts[place] = one.counts[i]
                i += 1
            else:
                both.weights[place], both.classes[place] = other.weights[j], other.classes[j]
                both.counts[place] = other.counts[j]
                j += 1
            place += 1
        both.starts[term + 1] = place


@kernel
def first_at_mean(begin: int, end: int, weights: Floats, counts: Ints) -> int:
    """Return the first entry of a term whose weight is at least the mean: n w >= Σ w, computed with 106 bits.

    With 53 bits, the computed mean of equal weights can exceed all of them.
    """
    n = 0
    total, rest = 0.0, 0.0
    for at in range(begin, end):
        n += counts[at]
        product = weights[at] * counts[at]
        added = total + product
        part = added - total
        rest += ((total - (added - part)) + (product - part)) + fma(weights[at], float(counts[at]), -product)
        total = added
    head = total + rest
    rest -= head - total
    low, high = begin, end - 1  # the largest weight is never below the mean
    while low < high:
        middle = (low + high) >> 1
        product = weights[middle] * n
        error = fma(weights[middle], float(n), -product)
        if (product - head) + (error - rest) >= 0.0:
            high = middle
        else:
            low = middle + 1
    while low > begin and weights[low - 1] == weights[low]:
        low -= 1
    return low


@kernel
def vote_shares(first: int, last: int, entries: Entries, factors: Floats, shares: NDArray[np.float32]) -> None:
    """Write for some terms the share of each class in the sum of weights that reach the mean, times the factor of
    the class.
    """
    starts, weights, classes, counts = entries
    sums = np.zeros(factors.size)
    for term in range(first, last):
        begin, end = starts[term], starts[term + 1]
        if begin == end:
            continue
        total = 0.0
        begin = first_at_mean(begin, end, weights, counts)
        for at in range(begin, end):
            if classes[at] >= 0:
                sums[classes[at]] += weights[at] * counts[at]
                total += weights[at] * counts[at]
        for at in range(begin, end):
            number = classes[at]
            if number >= 0 and sums[number] > 0.0:
                shares[term, number] = np.float32(sums[number] / total * factors[number])
                sums[number] = 0.0


@kernel
def first_from(weights: Floats, begin: int, end: int, weight: float) -> int:
    """Return the first position from `begin` on whose weight is not below the given one."""
    while begin < end:
        middle = (begin + end) >> 1
        if weights[middle] < weight:
            begin = middle + 1
        else:
            end = middle
    return begin


@kernel
def compared(below: float, weight: float, above: float) -> float:
    """Return a positive number if the weight below is nearer, a negative one if the weight above is, 0 if both are
    equally near.
    """
    total = below + above
    if total != 2.0 * weight:
        return total - 2.0 * weight
    part = total - below
    return (below - (total - part)) + (above - part)


class SortedWeights(NamedTuple):
    """The sorted weights of each term, the documents that have them, and the labels of the documents."""

    term_starts: Ints
    weights: Floats
    documents: Int32s  # ascending where weights are equal
    label_starts: Ints
    labels: Int32s


@kernel
def let_vote(document: int, given: SortedWeights, votes: Floats) -> None:
    """Add a vote for each label of a document."""
    for at in range(np.uint64(given.label_starts[document]), np.uint64(given.label_starts[document + 1])):
        votes[np.uint64(given.labels[at])] += 1.0


@kernel
def vote_of_term(term: int, given: SortedWeights, k: int, weight: float, votes: Floats) -> None:
    """Let the k documents vote whose weights of a term are nearest; of equally near ones, those with lower numbers."""
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
def vote_nearest(columns: Int32s, values: Floats, starts: Ints, given: SortedWeights, k: int, votes: Floats) -> None:
    """Write for each row the votes of all its terms."""
    for row in range(starts.size - 1):
        votes[row] = 0.0
        for at in range(starts[row], starts[row + 1]):
            if values[at] != 0:
                vote_of_term(columns[at], given, k, values[at], votes[row])
