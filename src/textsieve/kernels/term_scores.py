"""Score terms from the table of statistics: chi-square, information gain, variance between classes.

All scores visit only the *filled cells* of the table, the pairs of a class and a term that occurs in it. Cells are
stored class by class, and by term within a class: class j has the cells `class_starts[j]` to `class_starts[j + 1]`, and
`terms`, `cell_doc_freq`, `values` and `rests` have an element for each cell (the sum of a cell is value + rest, see
`class_sums`). `class_docs` (n_classes,) has the number of documents n_j of each class. All scores are (n_terms,). In
the formulas, n is the number of all documents, df that of documents with the term, and A that of documents of class j
with the term.

A score first needs a sum over all cells of a term and then visits each of these cells again, so terms are processed in
blocks that fit into the processor's cache. Classes come in a fixed order, so no sum depends on the blocks.

**Chi-square**, weighted by class probability. The statistic of class j times its probability n_j / n is
(A n - df n_j)² / ((n - n_j) df (n - df)). The factor df (n - df) is the same for all classes, so it divides their sum
at the end. Before that, a class without the term adds df² n_j² / (n - n_j), so all such classes together need one
number per term: the sum of n_j² / (n - n_j) over all classes minus that over the classes with the term. If one class
has nearly all documents, the two sums nearly agree, so both are computed with 106 bits.

**Information gain.** Of the documents of a class, E = df n_j / n are expected by chance with the term, and E' =
(n - df) n_j / n without it. A cell adds A log(A / E) + (n_j - A) log((n_j - A) / E'). These two summands nearly cancel
where A is close to E. Moving A - E from one to the other gives

    E f(x) + E' f(-y),    f(x) = (1 + x) log(1 + x) - x,    x = (A - E) / E,    y = (A - E) / E',

where f is never negative, so nothing cancels. For small x or y, a few terms of the series of f give all digits; y is
small for all but frequent terms. For large x, log(1 + x) = log A + log(n / n_j) - log df, and the logarithms of
integers A come from a table. Classes without the term have x = -1 and together add -log(1 - df / n) times their number
of documents.

**Variance between classes**, for the trace scores. A class without a term has the mean 0 for it, so all such classes
together add their share of the documents times the squared overall mean. The sum of a class and the sum that the
overall mean predicts for it can be large and nearly agree, so sums and means are kept with 106 bits, and the difference
of near numbers is exact. The same holds for the variance, the difference of the mean of squares and the squared mean.
If a term has the same weight in all documents, its variance should be 0, but a rounding error remains that grows with
the number of additions; a variance below this error counts as 0.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from .jit import fma, kernel

_BLOCK_TERMS = 2048
"""About the number of terms in a block."""

_MIN_CELLS = 16
"""The least number of cells of a class in a block, on average. With fewer, finding the end of the class's cells in the
block would cost more than visiting them.
"""


@kernel
def block_size(n_terms: int, n_classes: int, n_cells: int) -> int:
    """Return the number of terms in a block: about `_BLOCK_TERMS`, or more if classes would have too few cells."""
    # -(-a // b) is a / b rounded up.
    n_blocks = min(-(-n_terms // _BLOCK_TERMS), n_cells // (_MIN_CELLS * max(n_classes, 1)))
    return max(1, -(-n_terms // max(n_blocks, 1)))


@kernel
def block_ends(class_starts: Ints, terms: Ints, begins: Ints, end_term: int) -> Ints:
    """Return for each class where its cells of terms below `end_term` end; the search starts at `begins`."""
    ends = np.empty_like(begins)
    for class_number in range(begins.size):
        remaining = terms[begins[class_number] : class_starts[class_number + 1]]
        ends[class_number] = begins[class_number] + np.searchsorted(remaining, end_term)
    return ends


@kernel
def add_doc_freq(begins: Ints, ends: Ints, terms: Ints, cell_doc_freq: NDArray[Any], doc_freq: NDArray[Any]) -> None:
    """Add the document frequencies of a block's cells, `begins` to `ends` of each class, to those of their terms."""
    for class_number in range(begins.size):
        for cell in range(np.uint64(begins[class_number]), np.uint64(ends[class_number])):
            doc_freq[np.uint64(terms[cell])] += cell_doc_freq[cell]


@kernel
def _exact_sum(a: float, b: float) -> tuple[float, float]:
    """Return a sum and its rounding error (Knuth's TwoSum)."""
    total = a + b
    absorbed = total - a
    return total, (a - (total - absorbed)) + (b - absorbed)


@kernel
def _empty_class_term(class_size: float, n: float) -> float:
    """Return n_j² / (n - n_j): what a class without the term adds to chi-square's numerator, divided by df²."""
    return np.float64(class_size) * class_size / (n - class_size)


@kernel
def mean_chi_square(
    class_starts: Ints, class_docs: NDArray[Any], terms: Ints, cell_doc_freq: NDArray[Any], n_terms: int
) -> Floats:
    """Return for each term the mean of its chi-square statistics, weighted by class probability."""
    n = class_docs.sum()
    doc_freq = np.zeros(n_terms, class_docs.dtype)
    scores, filled_sums, filled_rests = np.zeros(n_terms), np.zeros(n_terms), np.zeros(n_terms)
    n_filled = np.zeros(n_terms, np.int64)
    # The numerator divided by df² if no class had the term, as sum and rest. Classes with no or all documents don't
    # count.
    all_sum, all_rest, n_classes = 0.0, 0.0, 0
    for class_size in class_docs:
        if 0 < class_size < n:
            all_sum, error = _exact_sum(all_sum, _empty_class_term(class_size, n))
            all_rest += error
            n_classes += 1
    begins = class_starts[:-1].copy()
    step = block_size(n_terms, class_docs.size, terms.size)
    for begin in range(0, n_terms, step):
        ends = block_ends(class_starts, terms, begins, min(begin + step, n_terms))
        add_doc_freq(begins, ends, terms, cell_doc_freq, doc_freq)
        for class_number in range(class_docs.size):
            class_size = class_docs[class_number]
            if class_size == n or class_size == 0:
                continue
            factor, empty_term = 1.0 / (n - class_size), _empty_class_term(class_size, n)
            for cell in range(np.uint64(begins[class_number]), np.uint64(ends[class_number])):
                term = np.uint64(terms[cell])
                excess = np.float64(cell_doc_freq[cell] * n - doc_freq[term] * class_size)  # A n - df n_j
                scores[term] += excess * excess * factor
                filled_sums[term], error = _exact_sum(filled_sums[term], empty_term)
                filled_rests[term] += error
                n_filled[term] += 1
        begins = ends
    for term_number in range(n_terms):
        df = np.float64(doc_freq[term_number])
        if n_filled[term_number] < n_classes:  # otherwise the difference would be nothing but rounding errors
            empty_sum = (all_sum - filled_sums[term_number]) + (all_rest - filled_rests[term_number])
            scores[term_number] += df * df * empty_sum
        scores[term_number] = scores[term_number] / (df * (n - df)) if 0 < df < n else 0.0
    return scores


_SERIES_LIMIT = 1.0 / 64.0
"""Below this |x|, a few terms of a series give all digits of f(x)."""

_TABLE_LIMIT = 1.0 / 8.0
"""From this |x| on, the rounding errors of tabulated logarithms don't matter."""

N_LOGARITHMS = 1 << 16
"""The logarithms of integers below this are tabulated."""


@kernel
def _series(x: float) -> float:
    """Return f(x) / x = ((1 + x) log(1 + x) - x) / x to all digits, for |x| < 1/64."""
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

    Logarithms of integers below `n_logarithms` are tabulated; `n_logarithms` must be 0 if counts are floats. In the
    loop, `n_with` is A, `expected` / n is E, and `difference` is A - E.
    """
    n = class_docs.sum()
    inverse = 1.0 / n if n > 0 else 1.0
    logarithms = np.empty(min(int(class_docs.max()) + 1, n_logarithms))
    for integer in range(logarithms.size):
        logarithms[integer] = math.log(max(integer, 1))  # the logarithm of 0 is never used
    doc_freq, log_doc_freq = np.zeros(n_terms, class_docs.dtype), np.zeros(n_terms)
    gain, covered_docs = np.zeros(n_terms), np.zeros(n_terms)  # covered_docs: documents of classes with the term
    begins = class_starts[:-1].copy()
    step = block_size(n_terms, class_docs.size, terms.size)
    for begin in range(0, n_terms, step):
        end = min(begin + step, n_terms)
        ends = block_ends(class_starts, terms, begins, end)
        add_doc_freq(begins, ends, terms, cell_doc_freq, doc_freq)
        for term_number in range(begin, end):
            # Used together with tabulated logarithms, so only if counts are integers; 1 is for terms without documents.
            log_doc_freq[term_number] = math.log(max(doc_freq[term_number], 1))
        for class_number in range(class_docs.size):
            class_size = class_docs[class_number]
            if class_size == 0:
                continue
            log_inverse_share = math.log(n / class_size)  # the share of the class is n_j / n
            for cell in range(np.uint64(begins[class_number]), np.uint64(ends[class_number])):
                term, n_with = np.uint64(terms[cell]), cell_doc_freq[cell]
                excess = np.float64(n_with * n - doc_freq[term] * class_size)
                expected = np.float64(doc_freq[term] * class_size)
                difference, x = excess * inverse, excess / expected
                if abs(x) < _SERIES_LIMIT:
                    added = difference * _series(x)
                elif abs(x) < _TABLE_LIMIT:
                    added = n_with * _log1p(x) - difference
                elif n_with < logarithms.size:
                    added = (
                        n_with * ((logarithms[np.uint64(n_with)] + log_inverse_share) - log_doc_freq[term]) - difference
                    )
                else:
                    added = n_with * math.log1p(x) - difference
                if n_with < class_size:
                    y = excess / np.float64((n - doc_freq[term]) * class_size)
                    if abs(y) < _SERIES_LIMIT:
                        added -= difference * _series(-y)
                    else:
                        log_ratio = _log1p(-y) if abs(y) < _TABLE_LIMIT else math.log1p(-y)
                        added += (class_size - n_with) * log_ratio + difference
                else:  # all documents of the class have the term: y = 1, and f(-1) = 1
                    added += difference
                gain[term] += added
                covered_docs[term] += class_size
        begins = ends
    for term_number in range(n_terms):
        if doc_freq[term_number] < n:
            n_without = n - doc_freq[term_number]
            # log(1 - df / n), by the formula that is precise for this size of df
            log_share_without = math.log(n_without / n) if 2 * n_without < n else math.log1p(-doc_freq[term_number] / n)
            gain[term_number] -= (n - covered_docs[term_number]) * log_share_without  # classes without the term
    return gain


_VARIANCE_ROUNDING = 2.0**-100
"""The rounding error of a variance over n documents is taken to be this number x n x the mean of squares, several times
the largest error seen with up to ten thousand documents.
"""


@kernel
def between_classes(
    class_starts: Ints, class_docs: NDArray[Any], terms: Ints, values: Floats, rests: Floats, n_terms: int
) -> Floats:
    """Return for each term the sum over classes of (share of the class) x (class mean - mean)²."""
    n = np.float64(class_docs.sum())
    means, mean_rests = np.zeros(n_terms), np.zeros(n_terms)  # sums, until they are divided by n
    scatter = np.zeros(n_terms)
    covered_docs = np.zeros(n_terms)  # documents of classes with the term
    begins = class_starts[:-1].copy()
    step = block_size(n_terms, class_docs.size, terms.size)
    for begin in range(0, n_terms, step):
        ends = block_ends(class_starts, terms, begins, min(begin + step, n_terms))
        for class_number in range(class_docs.size):
            for cell in range(np.uint64(begins[class_number]), np.uint64(ends[class_number])):
                term = np.uint64(terms[cell])
                total = means[term] + values[cell]  # TwoSum: the rounding error is added to the rest
                absorbed = total - means[term]
                mean_rests[term] += ((means[term] - (total - absorbed)) + (values[cell] - absorbed)) + rests[cell]
                means[term] = total
        for term_number in range(begin, min(begin + step, n_terms)):
            # The mean is rounded: mean x n exceeds the sum by fma(mean, n, -sum), which the rest makes up for.
            mean = means[term_number] / n
            mean_rests[term_number] = (mean_rests[term_number] - fma(mean, n, -means[term_number])) / n
            means[term_number] = mean
        for class_number in range(class_docs.size):
            class_size = np.float64(class_docs[class_number])
            inverse = 1.0 / class_size if class_size > 0.0 else 1.0
            for cell in range(np.uint64(begins[class_number]), np.uint64(ends[class_number])):
                term = np.uint64(terms[cell])
                # The sum of the class minus the sum that it would have with the overall mean: of the values, then with
                # the rests of both sums.
                expected = means[term] * class_size
                rest = rests[cell] - fma(means[term], class_size, -expected) - mean_rests[term] * class_size
                difference = (values[cell] - expected) + rest
                scatter[term] += difference * (difference * inverse)  # the square alone could overflow
                covered_docs[term] += class_size
        begins = ends
    for term_number in range(n_terms):
        scatter[term_number] = (
            scatter[term_number] + (n - covered_docs[term_number]) * (means[term_number] * means[term_number])
        ) / n
    return scatter


@kernel
def between_equal_classes(
    class_starts: Ints, class_docs: NDArray[Any], terms: Ints, values: Floats, rests: Floats, n_terms: int
) -> Floats:
    """Return for each term the mean over nonempty classes of (class mean - mean of the class means)²."""
    n_classes = np.float64((class_docs > 0).sum())
    means, mean_rests = np.zeros(n_terms), np.zeros(n_terms)
    class_means, class_rests = np.empty(terms.size), np.empty(terms.size)
    for class_number in range(class_docs.size):
        class_size = np.float64(class_docs[class_number])
        for cell in range(class_starts[class_number], class_starts[class_number + 1]):
            term = terms[cell]
            mean = values[cell] / class_size
            # What the rounded mean lacks: the rest of the sum, minus what mean x class_size exceeds the value by.
            rest = (rests[cell] - fma(mean, class_size, -values[cell])) / class_size
            class_means[cell], class_rests[cell] = mean, rest
            total = means[term] + mean  # TwoSum: the rounding error is added to the rest
            absorbed = total - means[term]
            mean_rests[term] += ((means[term] - (total - absorbed)) + (mean - absorbed)) + rest
            means[term] = total
    for term in range(n_terms):
        mean = means[term] / n_classes
        mean_rests[term] = (mean_rests[term] - fma(mean, n_classes, -means[term])) / n_classes
        means[term] = mean
    scatter = np.zeros(n_terms)
    n_filled = np.zeros(n_terms)
    for cell in range(terms.size):
        term = terms[cell]
        difference = (class_means[cell] - means[term]) + (class_rests[cell] - mean_rests[term])
        scatter[term] += difference * difference
        n_filled[term] += 1.0
    for term in range(n_terms):
        scatter[term] = (scatter[term] + (n_classes - n_filled[term]) * (means[term] * means[term])) / n_classes
    return scatter


@kernel
def variances(values: Floats, rests: Floats, squares: Floats, square_rests: Floats, n: float) -> Floats:
    """Return the variance of each term over n documents, from the sums of its weights and of their squares.

    `values` + `rests` are the sums, `squares` + `square_rests` the sums of squares, all (n_terms,). n times the
    variance is the sum of squares minus mean x sum; both are computed with rests, because they can nearly agree.
    """
    variances = np.empty(values.size)
    for term in range(values.size):
        value, rest = values[term], rests[term]
        mean = value / n
        mean_rest = (rest - fma(mean, n, -value)) / n
        expected = mean * value  # the sum of squares if all weights were equal
        expected_rest = fma(mean, value, -expected) + (mean_rest * value + mean * rest)
        spread = (squares[term] - expected) + (square_rests[term] - expected_rest)  # n times the variance
        variances[term] = spread / n if spread > squares[term] * (_VARIANCE_ROUNDING * n) else 0.0
    return variances


@kernel
def means_apart(
    class_starts: Ints, class_docs: NDArray[Any], terms: Ints, values: Floats, rests: Floats, n_terms: int
) -> Floats:
    """Return each class mean minus a common point near the overall mean, (n_classes, n_terms), exact to the last digit.

    The class means of a term can be large and nearly agree. So the sum of a class, kept with 106 bits, is compared with
    the sum that it would have if its mean were the common point, and only the difference is rounded. The result is 0
    for a class without documents.
    """
    total = np.float64(class_docs.sum())
    n = total if total > 0.0 else np.float64(1.0)
    common = np.zeros(n_terms)
    for cell in range(terms.size):
        common[terms[cell]] += values[cell]
    for term in range(n_terms):
        common[term] /= n
    differences = np.zeros((class_docs.size, n_terms))
    for class_number in range(class_docs.size):
        class_size = np.float64(class_docs[class_number])
        if class_size == 0.0:
            continue
        for term in range(n_terms):
            differences[class_number, term] = -common[term]  # the mean is 0, unless the class has a cell for the term
        for cell in range(class_starts[class_number], class_starts[class_number + 1]):
            term = terms[cell]
            expected = common[term] * class_size
            rest = rests[cell] - fma(common[term], class_size, -expected)
            differences[class_number, term] = ((values[cell] - expected) + rest) / class_size
    return differences


@kernel
def round_robin(rankings: Ints, k: int, n_terms: int) -> Ints:
    """Return k terms, where each class in turn picks its best term that is not yet selected.

    `rankings` (n_classes, length) has the terms of each class, best first. As soon as a class has no term left in its
    ranking, the terms selected so far are returned, which are fewer than k.
    """
    is_selected = np.zeros(n_terms, np.bool_)
    selected = np.empty(k, np.int64)
    cursors = np.zeros(len(rankings), np.int64)
    n_selected = 0
    while n_selected < k:
        for row in range(len(rankings)):
            while cursors[row] < rankings.shape[1] and is_selected[rankings[row, cursors[row]]]:
                cursors[row] += 1
            if cursors[row] == rankings.shape[1]:
                return selected[:n_selected]
            term = rankings[row, cursors[row]]
            is_selected[term] = True
            selected[n_selected] = term
            n_selected += 1
            if n_selected == k:
                break
    return selected
