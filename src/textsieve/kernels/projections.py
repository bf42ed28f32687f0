"""Documents projected on each term: the weights that the term has, sorted, and who has them.

A document counts where its weight of the term is not 0. Terms are independent of one another, so that all of this is
done for a range of terms at a time, on several threads.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .jit import Floats, Ints, kernel
from .precise import fused

Numbers = NDArray[np.int32]

_FEW = 32


# -- rows to projections -------------------------------------------------------------------------------------------


@kernel
def count_by_term(documents: Ints, starts: Ints, columns: Numbers, values: NDArray[Any], sizes: Ints) -> None:
    """Add to each term how many of the documents have it."""
    for document in documents:
        for at in range(np.uint64(starts[document]), np.uint64(starts[document + 1])):
            sizes[np.uint64(columns[at])] += values[at] != 0


@kernel
def write_by_term(
    documents: Ints,
    starts: Ints,
    columns: Numbers,
    values: NDArray[Any],
    ends: Ints,
    weights: Floats,
    members: Numbers,
) -> None:
    """Write each document's weights, and its place among the documents, where the terms' parts begin (then: end)."""
    for member, document in enumerate(documents):
        for at in range(np.uint64(starts[document]), np.uint64(starts[document + 1])):
            if values[at] != 0:
                term = np.uint64(columns[at])
                place = np.uint64(ends[term])
                weights[place] = values[at]
                members[place] = member
                ends[term] += 1


@kernel
def sort_by_weight(first: int, last: int, starts: Ints, weights: Floats, members: Numbers) -> None:
    """Sort the parts of some terms by weight; members of equal weight stay in their order."""
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
    """By term, then by weight, then by class; the entries of term t are starts[t] to starts[t + 1]."""

    starts: Ints
    weights: Floats
    classes: Numbers
    counts: Ints


@kernel
def squeeze(entries: Entries) -> None:
    """Add up, in place, the counts of entries that follow one another and are equal; `starts` is brought up to date."""
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
    """Write the entries of two tables of the same terms, in order; equal entries come twice."""
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
    """The first entry of a term whose weight is at least the mean: n w >= Σ w, calculated with 106 bits.

    With 53, the mean of equal weights may come out above them all.
    """
    n = 0
    total, rest = 0.0, 0.0
    for at in range(begin, end):
        n += counts[at]
        product = weights[at] * counts[at]
        added = total + product
        part = added - total
        rest += ((total - (added - part)) + (product - part)) + fused(weights[at], float(counts[at]), -product)
        total = added
    head = total + rest
    rest -= head - total
    low, high = begin, end - 1  # the largest weight is never below the mean
    while low < high:
        middle = (low + high) >> 1
        product = weights[middle] * n
        error = fused(weights[middle], float(n), -product)
        if (product - head) + (error - rest) >= 0.0:
            high = middle
        else:
            low = middle + 1
    while low > begin and weights[low - 1] == weights[low]:
        low -= 1
    return low


@kernel
def vote_shares(first: int, last: int, entries: Entries, factors: Floats, shares: NDArray[np.float32]) -> None:
    """Write for some terms and each class: its sum of weights from the mean upwards / that of all classes, x factor."""
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
