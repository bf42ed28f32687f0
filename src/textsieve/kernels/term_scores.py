"""Score terms from the table of statistics: chi-square, information gain, variance between classes.

All scores visit only the *filled cells* of the table, the pairs of a class and a term that occurs in it. Cells are
stored class by class, and by term within a class. Scores need all cells of a term before a second look at each of them,
so terms are processed in blocks that fit into the processor's cache. Classes come in a fixed order, so no sum depends
on the blocks.

**Chi-square**, weighted by class probability. The statistic of class j is (A n - df n_j)² / ((n - n_j) df (n - df)) for
A documents of the class with the term. A class without the term adds df² n_j² / (n - n_j) to the numerator, so all
such classes together need one number per term: the sum over all classes minus the sum over the classes with the term.
If one class has nearly all documents, the two sums nearly agree, so both are computed with 106 bits.

**Information gain.** With E = df n_j / n documents expected by chance, and E' = (n - df) n_j / n without the term, a
cell adds A log(A / E) + (n_j - A) log((n_j - A) / E'). The two nearly cancel where A is close to E. Moving A - E from
one to the other gives

    E f(x) + E' f(-y),    f(x) = (1 + x) log(1 + x) - x,    x = (A - E) / E,    y = (A - E) / E',

where f is never negative, so nothing cancels. For small x or y, a few terms of the series of f give all digits; y is
small for all but frequent terms. For large x, log(1 + x) is that of A n / (df n_j), and logarithms of integers come
from a table. Classes without the term have x = -1 and together add -log(1 - df / n) times their number of documents.

**Variance between classes**, for the trace scores. A class without a term has the mean 0 there, so all such classes
together add their share times the squared mean. A class's sum and what the overall mean predicts for it can be large
and nearly agree, so sums and means are kept with 106 bits, and the difference of near numbers is exact. The same holds
for the variance as a difference of the mean of squares and the squared mean. The rounding error that remains for a
constant number grows with the number of additions; a variance below it counts as 0.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from .intrinsics import fma
from .jit import kernel

_TERMS = 2048
_CELLS = 16
"""Cells of a class in a block, on average and at least: to look for its end must not cost more than to visit it."""


@kernel
def block_size(n_terms: int, n_classes: int, n_cells: int) -> int:
    """Return the number of terms in a block."""
    n_blocks = min(-(-n_terms // _TERMS), n_cells // (_CELLS * max(n_classes, 1)))
    return max(1, -(-n_terms // max(n_blocks, 1)))


@kernel
def block_ends(class_starts: Ints, terms: Ints, begins: Ints, limit: int) -> Ints:
    """Return for each class where the cells of terms below `limit` end, searching from `begins`."""
    ends = np.empty_like(begins)
    for number in range(begins.size):
        rest = terms[begins[number] : class_starts[number + 1]]
        ends[number] = begins[number] + np.searchsorted(rest, limit)
    return ends


@kernel
def add_doc_freq(begins: Ints, ends: Ints, terms: Ints, cell_doc_freq: NDArray[Any], doc_freq: NDArray[Any]) -> None:
    """Add the document frequencies of the cells of a block to those of their terms."""
    for number in range(begins.size):
        for cell in range(np.uint64(begins[number]), np.uint64(ends[number])):
            doc_freq[np.uint64(terms[cell])] += cell_doc_freq[cell]


@kernel
def _exact_sum(one: float, other: float) -> tuple[float, float]:
    """Return the sum and its rounding error."""
    total = one + other
    part = total - one
    return total, (one - (total - part)) + (other - part)


@kernel
def _of_empty(size: float, n: float) -> float:
    """Return what a class without the term adds, apart from the factor df²."""
    return np.float64(size) * size / (n - size)


@kernel
def mean_chi_square(
    class_starts: Ints, class_docs: NDArray[Any], terms: Ints, cell_doc_freq: NDArray[Any], n_terms: int
) -> Floats:
    """Return for each term the mean of its chi-square statistics, weighted by class probability."""
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


_SMALL = 1.0 / 64.0
_LARGE = 1.0 / 8.0
"""From here on the rounding of logarithms that are looked up does not matter."""

LOGARITHMS = 1 << 16
"""So many logarithms of whole numbers are looked up."""


@kernel
def _series(x: float) -> float:
    """Return ((1 + x) log(1 + x) - x) / x to all digits, for |x| < 1/64."""
    rest = 1 / 20 - x * (1 / 30 - x * (1 / 42 - x * (1 / 56 - x * (1 / 72))))
    return x * (1 / 2 - x * (1 / 6 - x * (1 / 12 - x * rest)))


@kernel
def _log1p(x: float) -> float:
    """Return log(1 + x) for |x| < 1/8, as twice the inverse hyperbolic tangent of x / (2 + x)."""
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
    """Return for each term its information gain about all classes at once, in nats times the number of documents.

    With counts that are floats, `n_logarithms` is 0, since only logarithms of integers are tabulated.
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


_ROUNDING = 2.0**-100
"""Of the sum of squares, for each document: several times what was seen with up to ten thousand of them."""


@kernel
def between_classes(
    class_starts: Ints, class_docs: NDArray[Any], terms: Ints, values: Floats, rests: Floats, n_terms: int
) -> Floats:
    """Return for each term the sum over classes of (share of the class) x (class mean - mean)²."""
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
            mean_rests[place] = (mean_rests[place] - fma(mean, n, -means[place])) / n
            means[place] = mean
        for number in range(class_docs.size):
            size = np.float64(class_docs[number])
            inverse = 1.0 / size if size > 0.0 else 1.0
            for cell in range(np.uint64(begins[number]), np.uint64(ends[number])):
                term = np.uint64(terms[cell])
                expected = means[term] * size
                rest = rests[cell] - fma(means[term], size, -expected) - mean_rests[term] * size
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
    """Return for each term the mean over nonempty classes of (class mean - mean of the class means)²."""
    n_classes = np.float64((class_docs > 0).sum())
    means, mean_rests = np.zeros(n_terms), np.zeros(n_terms)
    class_means, class_rests = np.empty(terms.size), np.empty(terms.size)
    for number in range(class_docs.size):
        size = np.float64(class_docs[number])
        for cell in range(class_starts[number], class_starts[number + 1]):
            term = terms[cell]
            mean = values[cell] / size
            rest = (rests[cell] - fma(mean, size, -values[cell])) / size
            class_means[cell], class_rests[cell] = mean, rest
            total = means[term] + mean
            part = total - means[term]
            mean_rests[term] += ((means[term] - (total - part)) + (mean - part)) + rest
            means[term] = total
    for term in range(n_terms):
        mean = means[term] / n_classes
        mean_rests[term] = (mean_rests[term] - fma(mean, n_classes, -means[term])) / n_classes
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
    """Return the variance of n numbers for each term, from the sums of the numbers and of their squares."""
    variances = np.empty(values.size)
    for term in range(values.size):
        value, rest = values[term], rests[term]
        mean = value / n
        mean_rest = (rest - fma(mean, n, -value)) / n
        expected = mean * value  # of the sum of squares, if all numbers were the same
        expected_rest = fma(mean, value, -expected) + (mean_rest * value + mean * rest)
        spread = (squares[term] - expected) + (square_rests[term] - expected_rest)
        variances[term] = spread / n if spread > squares[term] * (_ROUNDING * n) else 0.0
    return variances


@kernel
def means_apart(
    class_starts: Ints, class_docs: NDArray[Any], terms: Ints, values: Floats, rests: Floats, n_terms: int
) -> Floats:
    """Return for each class and term the class mean minus approximately the overall mean, exact to the last digit.

    The means of a term can be large and nearly agree. So each class's sum, kept with 106 bits, is compared with the sum
    that a common point would give, and only the difference is rounded. It is 0 for a class without documents.
    """
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
            rest = rests[cell] - fma(common[term], size, -expected)
            apart[number, term] = ((values[cell] - expected) + rest) / size
    return apart


@kernel
def round_robin(rankings: Ints, k: int, n_terms: int) -> Ints:
    """Return k terms, where each class in turn picks its best term that is not yet picked.

    `rankings` has the terms of each class, best first. Returns fewer terms if some class runs out of them.
    """
    taken = np.zeros(n_terms, np.bool_)
    selected = np.empty(k, np.int64)
    position = np.zeros(len(rankings), np.int64)
    size = 0
    while size < k:
        for row in range(len(rankings)):
            while position[row] < rankings.shape[1] and taken[rankings[row, position[row]]]:
                position[row] += 1
            if position[row] == rankings.shape[1]:
                return selected[:size]
            term = rankings[row, position[row]]
            taken[term] = True
            selected[size] = term
            size += 1
            if size == k:
                break
    return selected
