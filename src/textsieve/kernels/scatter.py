"""How far the class means of each term lie from its mean: the sums behind the trace scores.

A class that never has a term has the mean 0 there, so all such classes together add their share times the squared
mean; only filled cells are visited. A class's sum must be compared with what the mean gives to the last digit, for
the two may be large and nearly agree: sums and mean are kept with 106 bits, and a difference of near numbers is exact.
"""

import numpy as np

from .jit import Floats, Ints, kernel
from .precise import fused


@kernel
def between_classes(
    class_starts: Ints, class_docs: Ints, terms: Ints, values: Floats, rests: Floats, n_terms: int
) -> Floats:
    """For each term, the sum over classes of (share of the class)(class mean - mean)^2."""
    n = np.float64(class_docs.sum())
    means, mean_rests = np.zeros(n_terms), np.zeros(n_terms)  # sums at first
    for cell in range(terms.size):
        term = terms[cell]
        total = means[term] + values[cell]
        part = total - means[term]
        mean_rests[term] += ((means[term] - (total - part)) + (values[cell] - part)) + rests[cell]
        means[term] = total
    for term in range(n_terms):
        mean = means[term] / n
        mean_rests[term] = (mean_rests[term] - fused(mean, n, -means[term])) / n
        means[term] = mean
    scatter = np.zeros(n_terms)
    covered = np.zeros(n_terms)  # documents in classes that have the term
    for number in range(class_docs.size):
        size = np.float64(class_docs[number])
        for cell in range(class_starts[number], class_starts[number + 1]):
            term = terms[cell]
            expected = means[term] * size
            rest = rests[cell] - fused(means[term], size, -expected) - mean_rests[term] * size
            apart = (values[cell] - expected) + rest
            scatter[term] += apart * apart / size
            covered[term] += size
    for term in range(n_terms):
        scatter[term] = (scatter[term] + (n - covered[term]) * (means[term] * means[term])) / n
    return scatter
