"""Project documents on single terms: the sorted weights of each term, and the documents that have them.

A document has an entry for a term if the weight of the term in it is not 0. Terms are independent of each other, so
several threads each process a range of terms, `first` to before `last`. The arrays of a projection have the entries of
term t at `starts[t]` to `starts[t + 1]`.

For each term of a query, `vote_nearest` finds the k training documents whose weight of the term is nearest to the
query's; these vote for their classes. The entries of a term are sorted by weight, and those of equal weight by document
number. The search starts where the query's weight would be inserted. Each step compares the next smaller with the next
larger weight, and the documents with the nearer one vote; if both are equally near, the documents of both vote. If a
step has more documents than may still vote, those with the lowest numbers do. For a query's weight w between the
weights a <= w <= b, whether w - a or b - w is smaller is decided exactly, by comparing 2w with a + b and its rounding
error.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Int32s, Ints
from .jit import fma, kernel

_INSERTION_SORT_SIZE = 32
"""Terms with up to this many entries are sorted by insertion."""


# -- rows to projections -------------------------------------------------------------------------------------------


@kernel
def count_by_term(documents: Ints, indptr: Ints, indices: Int32s, data: NDArray[Any], sizes: Ints) -> None:
    """Add to `sizes` (n_terms,) the number of the given CSR rows that contain each term; rows may be repeated."""
    for document in documents:
        for position in range(np.uint64(indptr[document]), np.uint64(indptr[document + 1])):
            sizes[np.uint64(indices[position])] += data[position] != 0


@kernel
def write_by_term(
    documents: Ints,
    indptr: Ints,
    indices: Int32s,
    data: NDArray[Any],
    ends: Ints,
    weights: Floats,
    row_positions: Int32s,
) -> None:
    """Write the weights of the given CSR rows term by term, each with the position of its row in `documents`.

    `ends` has at first where the entries of each term start, and is advanced to where they end.
    """
    for row_position, document in enumerate(documents):
        for position in range(np.uint64(indptr[document]), np.uint64(indptr[document + 1])):
            if data[position] != 0:
                term = np.uint64(indices[position])
                entry = np.uint64(ends[term])
                weights[entry] = data[position]
                row_positions[entry] = row_position
                ends[term] += 1


@kernel
def sort_by_weight(first: int, last: int, starts: Ints, weights: Floats, row_positions: Int32s) -> None:
    """Sort the entries of each term, `first` to before `last`, by weight in place; equal weights keep their order."""
    for term in range(first, last):
        term_weights = weights[starts[term] : starts[term + 1]]
        term_rows = row_positions[starts[term] : starts[term + 1]]
        if term_weights.size > _INSERTION_SORT_SIZE:
            order = np.argsort(term_weights, kind="mergesort")
            term_weights[:], term_rows[:] = term_weights[order], term_rows[order]
            continue
        for entry in range(1, term_weights.size):
            weight, row_position = term_weights[entry], term_rows[entry]
            target = entry
            while target > 0 and term_weights[target - 1] > weight:
                term_weights[target], term_rows[target] = term_weights[target - 1], term_rows[target - 1]
                target -= 1
            term_weights[target], term_rows[target] = weight, row_position


# -- the vote table of TCFP: for each term, the distinct (weight, class) pairs and their numbers of documents -------


class Entries(NamedTuple):
    """Documents counted by term, weight and class, in this order; term t has the entries starts[t] to starts[t + 1]."""

    starts: Ints  # (n_terms + 1,)
    weights: Floats
    # A document with m > 1 classes is counted once for each of them, and 1 - m times for the class -1, so that in total
    # it counts once in the mean weight of the term.
    classes: Int32s
    counts: Ints  # documents; below 0 in entries of the class -1


@kernel
def sum_equal_entries(entries: Entries) -> None:
    """Replace entries with the same term, weight and class by one with the sum of their counts, in place.

    `starts` is updated. The result has `starts[-1]` entries; the arrays keep their sizes, but their ends are unused.
    """
    starts, weights, classes, counts = entries
    size = 0
    begin = starts[0]  # where the term's entries were before; `starts` is overwritten
    for term in range(starts.size - 1):
        end = starts[term + 1]
        first = size  # where the term's entries are written
        for entry in range(begin, end):
            if size > first and weights[size - 1] == weights[entry] and classes[size - 1] == classes[entry]:
                counts[size - 1] += counts[entry]
            else:
                weights[size], classes[size], counts[size] = weights[entry], classes[entry], counts[entry]
                size += 1
        begin = end
        starts[term + 1] = size


@kernel
def merge(left: Entries, right: Entries, merged: Entries) -> None:
    """Write the entries of two tables with the same terms to `merged`, in order; equal entries remain separate."""
    entry = 0
    for term in range(merged.starts.size - 1):
        i, i_end = left.starts[term], left.starts[term + 1]
        j, j_end = right.starts[term], right.starts[term + 1]
        while i < i_end or j < j_end:
            if i == i_end or j == j_end:
                take_left = j == j_end
            elif left.weights[i] != right.weights[j]:
                take_left = left.weights[i] < right.weights[j]
            else:
                take_left = left.classes[i] <= right.classes[j]
            if take_left:
                merged.weights[entry], merged.classes[entry] = left.weights[i], left.classes[i]
                merged.counts[entry] = left.counts[i]
                i += 1
            else:
                merged.weights[entry], merged.classes[entry] = right.weights[j], right.classes[j]
                merged.counts[entry] = right.counts[j]
                j += 1
            entry += 1
        merged.starts[term + 1] = entry


@kernel
def first_at_mean(begin: int, end: int, weights: Floats, counts: Ints) -> int:
    """Return the first entry of a term, from `begin` to before `end`, whose weight is at least the mean weight.

    To compare a weight with the mean, n times the weight is compared with the sum of the weights of all n documents,
    both with 106 bits (TwoSum and fused multiply-add). With 53 bits, the computed mean of equal weights can exceed all
    of them.
    """
    n = 0
    total, total_rest = 0.0, 0.0
    for entry in range(begin, end):
        n += counts[entry]
        product = weights[entry] * counts[entry]
        added = total + product
        absorbed = added - total
        total_rest += ((total - (added - absorbed)) + (product - absorbed)) + fma(
            weights[entry], float(counts[entry]), -product
        )
        total = added
    head = total + total_rest  # absorbs as much of the rest as it can
    total_rest -= head - total
    low, high = begin, end - 1  # the largest weight is never below the mean
    while low < high:
        middle = (low + high) >> 1
        product = weights[middle] * n
        error = fma(weights[middle], float(n), -product)
        if (product - head) + (error - total_rest) >= 0.0:
            high = middle
        else:
            low = middle + 1
    # The search never tests the last entry. If rounding puts the mean above the largest weight, the search ends at the
    # last entry, and other entries of the same weight (for other classes) are before it.
    while low > begin and weights[low - 1] == weights[low]:
        low -= 1
    return low


@kernel
def vote_shares(first: int, last: int, entries: Entries, factors: Floats, shares: NDArray[np.float32]) -> None:
    """Write the share of each class in the weights of each term, from `first` to before `last`, to `shares`.

    Weights below the mean weight of the term are ignored. The share of a class is the sum of the other weights over its
    documents, divided by their sum over all classes, times the factor of the class in `factors` (n_classes,). `shares`
    is (n_terms, n_classes) and 0 at first.
    """
    starts, weights, classes, counts = entries
    sums = np.zeros(factors.size)
    for term in range(first, last):
        begin, end = starts[term], starts[term + 1]
        if begin == end:
            continue
        total = 0.0
        begin = first_at_mean(begin, end, weights, counts)
        for entry in range(begin, end):
            if classes[entry] >= 0:  # other entries only correct the mean
                sums[classes[entry]] += weights[entry] * counts[entry]
                total += weights[entry] * counts[entry]
        for entry in range(begin, end):
            class_number = classes[entry]
            if class_number >= 0 and sums[class_number] > 0.0:
                shares[term, class_number] = np.float32(sums[class_number] / total * factors[class_number])
                sums[class_number] = 0.0  # so a class with several entries is written once; ready for the next term


@kernel
def first_not_below(weights: Floats, begin: int, end: int, weight: float) -> int:
    """Return the first position from `begin` on whose weight is not below the given one, or `end` if there is none.

    The weights from `begin` to before `end` ascend.
    """
    while begin < end:
        middle = (begin + end) >> 1
        if weights[middle] < weight:
            begin = middle + 1
        else:
            end = middle
    return begin


@kernel
def compare_distances(below: float, weight: float, above: float) -> float:
    """Return a number > 0 if `below` is nearer to the weight, < 0 if `above` is, 0 if both are equally near.

    It has the sign of (above - weight) - (weight - below), which is below + above - 2 x weight.
    """
    total = below + above
    if total != 2.0 * weight:
        return total - 2.0 * weight
    absorbed = total - below  # the rounded sum is 2w, so its rounding error decides (TwoSum)
    return (below - (total - absorbed)) + (above - absorbed)


class SortedWeights(NamedTuple):
    """The sorted weights of each term, the training documents that have them, and the labels of the documents."""

    term_starts: Ints  # (n_terms + 1,)
    weights: Floats
    documents: Int32s  # the document of each weight; ascending where weights are equal
    label_starts: Ints  # (n_documents + 1,)
    labels: Int32s  # the labels of all documents, one document after the other


@kernel
def add_votes(document: int, training: SortedWeights, votes: Floats) -> None:
    """Add one vote for each label of a training document to `votes` (n_classes,)."""
    for position in range(np.uint64(training.label_starts[document]), np.uint64(training.label_starts[document + 1])):
        votes[np.uint64(training.labels[position])] += 1.0


@kernel
def vote_by_term(term: int, training: SortedWeights, k: int, weight: float, votes: Floats) -> None:
    """Add the votes of the k documents whose weights of a term are nearest to `weight`.

    If more documents are equally near than may still vote, those with the lowest numbers do. All entries from `left` to
    before `right` have voted; each round adds those with the next nearest weight: the entries from `first` to before
    `left`, or from `right` to before `last`, or both.
    """
    weights, documents = training.weights, training.documents
    begin, end = training.term_starts[term], training.term_starts[term + 1]
    if end - begin <= k:  # all documents with the term vote
        for position in range(begin, end):
            add_votes(documents[position], training, votes)
        return
    right = first_not_below(weights, begin, end, weight)
    left = right
    while k > 0:
        # > 0: the next weight to the left is nearer, or the only one; < 0: to the right; 0: both are equally near.
        comparison = 1.0 if right == end else -1.0
        if begin < left and right < end:
            comparison = compare_distances(weights[left - 1], weight, weights[right])
        first, last = left, right
        if comparison >= 0.0:
            first = left - 1  # look back over k + 1 entries of equal weight at most
            while begin < first and left - first <= k and weights[first - 1] == weights[left - 1]:
                first -= 1
            if left - first > k:  # only the k lowest numbers vote, and they are where the run of equal weights begins
                first = first_not_below(weights, begin, left, weights[left - 1])
        if comparison <= 0.0:
            last = right + 1  # here the lowest numbers come first, so k entries are enough
            while last < end and last - right < k and weights[last] == weights[right]:
                last += 1
        lower, upper = first, right  # merge both sides by document number, so that the lowest numbers vote first
        while k > 0 and (lower < left or upper < last):
            if upper == last or (lower < left and documents[lower] < documents[upper]):
                add_votes(documents[lower], training, votes)
                lower += 1
            else:
                add_votes(documents[upper], training, votes)
                upper += 1
            k -= 1
        left, right = first, last


@kernel
def vote_nearest(indices: Int32s, data: Floats, indptr: Ints, training: SortedWeights, k: int, votes: Floats) -> None:
    """Write the votes for each CSR row to `votes` (n_rows, n_classes): for each of its terms, those of k documents."""
    for row in range(indptr.size - 1):
        votes[row] = 0.0
        for position in range(indptr[row], indptr[row + 1]):
            if data[position] != 0:
                vote_by_term(indices[position], training, k, data[position], votes[row])
