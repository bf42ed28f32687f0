"""How far the class means lie from a common point, to the last digit.

The means of a term may be large and nearly agree. So each class's sum, which is kept with 106 bits, is compared with
what the common point would give, and only the difference is rounded.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .jit import Floats, Ints, kernel
from .precise import fused


@kernel
def means_apart(
    class_starts: Ints, class_docs: NDArray[Any], terms: Ints, values: Floats, rests: Floats, n_terms: int
) -> Floats:
    """For each class and term, the class mean minus about the mean of all; 0 for a class without documents."""
    total = np.float64(class_docs.sum())
    n = total if total > 0.0 else np.float64(1.0)
    common = np.zeros(n_terms)
    for cell in range(terms.size):
        common[terms[cell]] += values[cell]
    for term in range(n_terms):
        common[term] /= n
    apart = np.zeros((class_docs.size, n_terms))
    for number in range(class_docs.size):
        size = np.float64(class_docs[number])
        if size == 0.0:
            continue
        for term in range(n_terms):
            apart[number, term] = -common[term]
        for cell in range(class_starts[number], class_starts[number + 1]):
            term = terms[cell]
            expected = common[term] * size
            rest = rests[cell] - fused(common[term], size, -expected)
            apart[number, term] = ((values[cell] - expected) + rest) / size
    return apart
