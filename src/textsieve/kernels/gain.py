"""Information gain from the filled cells: two logarithms a cell, of which hardly one must be worked out.

With A documents of a class of n_j that have the term, df with the term and n in all, chance would give E = df n_j / n,
and E' = (n - df) n_j / n without the term. A cell adds A log(A / E) + (n_j - A) log((n_j - A) / E'). The two nearly
cancel where A is near E; but A - E is by how much n_j - A is below E', so taking it from the one and adding it to the
other gives

    E f(x) + E' f(-y),    f(x) = (1 + x) log(1 + x) - x,    x = (A - E) / E,    y = (A - E) / E',

and f is never negative: nothing cancels. Where x or y is small, a few terms of f's series have all digits; y is small
for all but frequent terms. Where x is large, log(1 + x) is that of A n / (df n_j), and logarithms of whole numbers can
be looked up. Classes without the term have x = -1 and add -n_j log(1 - df / n), all of them together one number.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .blocks import add_doc_freq, block_ends, block_size
from .jit import Floats, Ints, kernel

_SMALL = 1.0 / 64.0
_LARGE = 1.0 / 8.0
"""From here on the rounding of logarithms that are looked up does not matter."""

LOGARITHMS = 1 << 16
"""So many logarithms of whole numbers are looked up."""


@kernel
def _series(x: float) -> float:
    """((1 + x) log(1 + x) - x) / x to all digits, |x| < 1/64."""
    rest = 1 / 20 - x * (1 / 30 - x * (1 / 42 - x * (1 / 56 - x * (1 / 72))))
    return x * (1 / 2 - x * (1 / 6 - x * (1 / 12 - x * rest)))


@kernel
def _log1p(x: float) -> float:
    """log(1 + x), |x| < 1/8, as twice the inverse hyperbolic tangent of x / (2 + x)."""
    z = x / (2.0 + x)
    s = z * z
    rest = 1 / 7 + s * (1 / 9 + s * (1 / 11 + s * (1 / 13)))
    return 2.0 * z * (1.0 + s * (1 / 3 + s * (1 / 5 + s * rest)))


@kernel
def joint_gain(
    class_starts: Ints,
    class_docs: NDArray[Any],
    terms: Ints,
    cell_doc_freq: NDArray[Any],
    n_terms: int,
    n_logarithms: int,
) -> Floats:
    """For each term, its information gain about all classes at once, in nats and times the number of documents.

    No logarithm (`n_logarithms` = 0) can be looked up of counts that are floats.
    """
    n = class_docs.sum()
    inverse = 1.0 / n if n > 0 else 1.0
    logarithms = np.empty(min(int(class_docs.max()) + 1, n_logarithms))
    for number in range(logarithms.size):
        logarithms[number] = math.log(max(number, 1))
    doc_freq, log_doc_freq = np.zeros(n_terms, class_docs.dtype), np.zeros(n_terms)
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
                apart, x = excess * inverse, excess / expected
                if abs(x) < _SMALL:
                    added = apart * _series(x)
                elif abs(x) < _LARGE:
                    added = inside * _log1p(x) - apart
                elif inside < logarithms.size:
                    added = inside * ((logarithms[np.uint64(inside)] + log_share) - log_doc_freq[term]) - apart
                else:
                    added = inside * math.log1p(x) - apart
                if inside < size:
                    y = excess / np.float64((n - doc_freq[term]) * size)
                    if abs(y) < _SMALL:
                        added -= apart * _series(-y)
                    else:
                        log_less = _log1p(-y) if abs(y) < _LARGE else math.log1p(-y)
                        added += (size - inside) * log_less + apart
                else:
                    added += apart
                gain[term] += added
                covered[term] += size
        begins = ends
    for place in range(n_terms):
        if doc_freq[place] < n:
            without = n - doc_freq[place]
            log_without = math.log(without / n) if 2 * without < n else math.log1p(-doc_freq[place] / n)
            gain[place] -= (n - covered[place]) * log_without
    return gain
