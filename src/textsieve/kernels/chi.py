"""The mean of chi-square over classes from the filled cells.

Weighted by class probability, the statistic of class j is (A n - df n_j)^2 / ((n - n_j) df (n - df)). A class that
never has the term adds df^2 n_j^2 / (n - n_j) above the line, so all such classes together need one number a term:
what all classes would add, less what those would that have the term. If one of these holds nearly all documents, the
two nearly agree, so both are added up with 106 bits.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .blocks import add_doc_freq, block_ends, block_size
from .jit import Floats, Ints, kernel


@kernel
def _exact_sum(one: float, other: float) -> tuple[float, float]:
    """The sum, and what its rounding left out."""
    total = one + other
    part = total - one
    return total, (one - (total - part)) + (other - part)


@kernel
def _of_empty(size: float, n: float) -> float:
    """What a class that never has the term adds, but for df^2; it is the same number wherever it is added."""
    return np.float64(size) * size / (n - size)


@kernel
def mean_chi_square(
    class_starts: Ints, class_docs: NDArray[Any], terms: Ints, cell_doc_freq: NDArray[Any], n_terms: int
) -> Floats:
    """For each term, the mean of its chi-square statistics, weighted by class probability."""
    n = class_docs.sum()
    doc_freq = np.zeros(n_terms, class_docs.dtype)
    scores, of_filled, filled_rests = np.zeros(n_terms), np.zeros(n_terms), np.zeros(n_terms)
    n_filled = np.zeros(n_terms, np.int64)
    of_all, all_rest, n_classes = 0.0, 0.0, 0  # classes with documents, but not all of them
    for size in class_docs:
        if 0 < size < n:
            of_all, error = _exact_sum(of_all, _of_empty(size, n))
            all_rest += error
            n_classes += 1
    begins = class_starts[:-1].copy()
    step = block_size(n_terms, class_docs.size, terms.size)
    for begin in range(0, n_terms, step):
        ends = block_ends(class_starts, terms, begins, min(begin + step, n_terms))
        add_doc_freq(begins, ends, terms, cell_doc_freq, doc_freq)
        for number in range(class_docs.size):
            size = class_docs[number]
            if size == n or size == 0:
                continue
            factor, of_empty = 1.0 / (n - size), _of_empty(size, n)
            for cell in range(np.uint64(begins[number]), np.uint64(ends[number])):
                term = np.uint64(terms[cell])
                excess = np.float64(cell_doc_freq[cell] * n - doc_freq[term] * size)
                scores[term] += excess * excess * factor
                of_filled[term], error = _exact_sum(of_filled[term], of_empty)
                filled_rests[term] += error
                n_filled[term] += 1
        begins = ends
    for place in range(n_terms):
        df = np.float64(doc_freq[place])
        if n_filled[place] < n_classes:
            of_others = (of_all - of_filled[place]) + (all_rest - filled_rests[place])
            scores[place] += df * df * of_others
        scores[place] = scores[place] / (df * (n - df)) if 0 < df < n else 0.0
    return scores
