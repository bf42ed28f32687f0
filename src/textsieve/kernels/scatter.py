"""How far the class means of each term lie from its mean: the sums behind the trace scores.

A class that never has a term has the mean 0 there, so all such classes together add their share times the squared
mean; only filled cells are visited. The mean is a rounded number, which does no harm (the sum is smallest at the
true mean, so a slip there enters squared), but a class's sum must be compared with what that mean gives to the last
digit: both are known with 106 bits, and a difference of near numbers is exact.
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
    means = np.zeros(n_terms)
    for cell in range(terms.size):
        means[terms[cell]] += values[cell]
    means /= n
    scatter = np.zeros(n_terms)
    covered = np.zeros(n_terms)  # documents in classes that have the term
    for number in range(class_docs.size):
        size = np.float64(class_docs[number])
        for cell in range(class_starts[number], class_starts[number + 1]):
            term = terms[cell]
            expected = means[term] * size
            apart = (values[cell] - expected) + (rests[cell] - fused(means[term], size, -expected))
            scatter[term] += apart * apart / size
            covered[term] += size
    for term in range(n_terms):
        scatter[term] = (scatter[term] + (n - covered[term]) * (means[term] * means[term])) / n
    return scatter
