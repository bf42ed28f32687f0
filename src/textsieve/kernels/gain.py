"""Information gain from the filled cells: two logarithms a cell, of which hardly one must be worked out.

With A documents of a class of n_j that have the term, df with the term and n in all, a cell adds A log(1 + x) + (n_j -
A) log(1 - y), x = (A n - df n_j) / (df n_j), y = (A n - df n_j) / ((n - df) n_j). The first logarithm is that of A n /
(df n_j), and logarithms of whole numbers can be looked up; y is small for all but frequent terms. Where x or y is
small, a few terms of the series have all digits, which a difference of logarithms would not.
"""

import math

import numpy as np

from .blocks import add_doc_freq, block_ends, block_size
from .jit import Floats, Ints, kernel

_SMALL = 1.0 / 64.0
_LOGARITHMS = 1 << 16


@kernel
def _log1p_of_small(x: float) -> float:
    """log(1 + x) to all digits, |x| < 1/64."""
    square = x * x
    odd = 1.0 + square * (1 / 3 + square * (1 / 5 + square * (1 / 7 + square * (1 / 9))))
    even = 1 / 2 + square * (1 / 4 + square * (1 / 6 + square * (1 / 8)))
    return x * (odd - x * even)


@kernel
def joint_gain(class_starts: Ints, class_docs: Ints, terms: Ints, cell_doc_freq: Ints, n_terms: int) -> Floats:
    """For each term, its information gain about all classes at once, in nats and times the number of documents."""
    n = class_docs.sum()
    logarithms = np.empty(min(class_docs.max() + 1, _LOGARITHMS))
    for number in range(logarithms.size):
        logarithms[number] = math.log(max(number, 1))
    doc_freq, log_doc_freq = np.zeros(n_terms, np.int64), np.zeros(n_terms)
    gain, covered = np.zeros(n_terms), np.zeros(n_terms)  # covered: documents in classes that have the term
    begins = class_starts[:-1].copy()
    step = block_size(n_terms, class_docs.size, terms.size)
    for begin in range(0, n_terms, step):
        end = min(begin + step, n_terms)
        ends = block_ends(class_starts, terms, begins, end)
        add_doc_freq(begins, ends, terms, cell_doc_freq, doc_freq)
        for place in range(begin, end):
            log_doc_freq[place] = math.log(max(doc_freq[place], 1))
        for number in range(class_docs.size):
            size = class_docs[number]
            if size == 0:
                continue
            log_share = math.log(n / size)
            for cell in range(np.uint64(begins[number]), np.uint64(ends[number])):
                term, inside = np.uint64(terms[cell]), cell_doc_freq[cell]
                excess = np.float64(inside * n - doc_freq[term] * size)
                expected = np.float64(doc_freq[term] * size)
                if abs(excess) < _SMALL * expected:
                    ratio = _log1p_of_small(excess / expected)
                elif inside < logarithms.size:
                    ratio = (logarithms[np.uint64(inside)] + log_share) - log_doc_freq[term]
                else:
                    ratio = math.log1p(excess / expected)
                added = np.float64(inside) * ratio
                if inside < size:
                    less = excess / np.float64((n - doc_freq[term]) * size)
                    without = _log1p_of_small(-less) if abs(less) < _SMALL else math.log1p(-less)
                    added += np.float64(size - inside) * without
                gain[term] += added
                covered[term] += size
        begins = ends
    for place in range(n_terms):
        if doc_freq[place] < n:
            gain[place] -= (n - covered[place]) * math.log1p(-doc_freq[place] / n)
    return gain
