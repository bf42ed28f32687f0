"""How far class means and weights of each term lie from its mean: the sums behind the trace scores.

A class that never has a term has the mean 0 there, so all such classes together add their share times the squared
mean; only filled cells are visited. A class's sum must be compared with what the mean gives to the last digit, for
the two may be large and nearly agree: sums and mean are kept with 106 bits, and a difference of near numbers is exact.
The same holds for a mean of squares and a squared mean, whose difference is the variance. What rounding leaves of the
variance of a number that is always the same grows with how often it was added; below that a variance is 0.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .blocks import block_ends, block_size
from .jit import Floats, Ints, kernel
from .precise import fused

_ROUNDING = 2.0**-100
"""Of the sum of squares, for each document: several times what was seen with up to ten thousand of them."""


@kernel
def between_classes(
    class_starts: Ints, class_docs: NDArray[Any], terms: Ints, values: Floats, rests: Floats, n_terms: int
) -> Floats:
    """For each term, the sum over classes of (share of the class)(class mean - mean)^2."""
    n = np.float64(class_docs.sum())
    means, mean_rests = np.zeros(n_terms), np.zeros(n_terms)  # sums at first
    scatter = np.zeros(n_terms)
    covered = np.zeros(n_terms)  # documents in classes that have the term
    begins = class_starts[:-1].copy()
    step = block_size(n_terms, class_docs.size, terms.size)
    for begin in range(0, n_terms, step):
        ends = block_ends(class_starts, terms, begins, min(begin + step, n_terms))
        for number in range(class_docs.size):
            for cell in range(np.uint64(begins[number]), np.uint64(ends[number])):
                term = np.uint64(terms[cell])
                total = means[term] + values[cell]
                part = total - means[term]
                mean_rests[term] += ((means[term] - (total - part)) + (values[cell] - part)) + rests[cell]
                means[term] = total
        for place in range(begin, min(begin + step, n_terms)):
            mean = means[place] / n
            mean_rests[place] = (mean_rests[place] - fused(mean, n, -means[place])) / n
            means[place] = mean
        for number in range(class_docs.size):
            size = np.float64(class_docs[number])
            inverse = 1.0 / size if size > 0.0 else 1.0
            for cell in range(np.uint64(begins[number]), np.uint64(ends[number])):
                term = np.uint64(terms[cell])
                expected = means[term] * size
                rest = rests[cell] - fused(means[term], size, -expected) - mean_rests[term] * size
                apart = (values[cell] - expected) + rest
                scatter[term] += apart * (apart * inverse)  # the square alone may be too large
                covered[term] += size
        begins = ends
    for place in range(n_terms):
        scatter[place] = (scatter[place] + (n - covered[place]) * (means[place] * means[place])) / n
    return scatter


@kernel
def between_equal_classes(
    class_starts: Ints, class_docs: NDArray[Any], terms: Ints, values: Floats, rests: Floats, n_terms: int
) -> Floats:
    """For each term, the mean over classes of (class mean - mean of the class means)^2; empty classes do not count."""
    n_classes = np.float64((class_docs > 0).sum())
    means, mean_rests = np.zeros(n_terms), np.zeros(n_terms)
    class_means, class_rests = np.empty(terms.size), np.empty(terms.size)
    for number in range(class_docs.size):
        size = np.float64(class_docs[number])
        for cell in range(class_starts[number], class_starts[number + 1]):
            term = terms[cell]
            mean = values[cell] / size
            rest = (rests[cell] - fused(mean, size, -values[cell])) / size
            class_means[cell], class_rests[cell] = mean, rest
            total = means[term] + mean
            part = total - means[term]
            mean_rests[term] += ((means[term] - (total - part)) + (mean - part)) + rest
            means[term] = total
    for term in range(n_terms):
        mean = means[term] / n_classes
        mean_rests[term] = (mean_rests[term] - fused(mean, n_classes, -means[term])) / n_classes
        means[term] = mean
    scatter = np.zeros(n_terms)
    filled = np.zeros(n_terms)
    for cell in range(terms.size):
        term = terms[cell]
        apart = (class_means[cell] - means[term]) + (class_rests[cell] - mean_rests[term])
        scatter[term] += apart * apart
        filled[term] += 1.0
    for term in range(n_terms):
        scatter[term] = (scatter[term] + (n_classes - filled[term]) * (means[term] * means[term])) / n_classes
    return scatter


@kernel
def variances(values: Floats, rests: Floats, squares: Floats, square_rests: Floats, n: float) -> Floats:
    """The mean squared distance from the mean, of n numbers, given their sums and the sums of their squares."""
    found = np.empty(values.size)
    for term in range(values.size):
        value, rest = values[term], rests[term]
        mean = value / n
        mean_rest = (rest - fused(mean, n, -value)) / n
        expected = mean * value  # of the sum of squares, if all numbers were the same
        expected_rest = fused(mean, value, -expected) + (mean_rest * value + mean * rest)
        spread = (squares[term] - expected) + (square_rests[term] - expected_rest)
        found[term] = spread / n if spread > squares[term] * (_ROUNDING * n) else 0.0
    return found
