"""TOFA's weight from the statistics alone: what the labelled documents leave unsaid of a term, its variance says.

The score wanted is b, the scatter of the *true* class means. At hand are the means of n_j labelled documents each, off
by chance, with variance w_jt / n_j, where w_jt is the term's variance in class j. If nothing is known of a class mean
but its documents (a flat prior), it is to be expected at their mean, and its square above that one's by this variance:

    E[b_t | documents] = between_t + noise_t,        noise_t = sum_j p_j (1 - p_j) w_jt / n_j,

with p_j the share of class j, and 1 - p_j because the common mean moves with the class's. So a term may hold more than
the few documents of a class have shown, and that is not counted off, as it would be for an unbiased estimate.

*The variance in a class.* A term that a class has more often varies more in it. With df_t the documents, of all N, that
have the term, A_jt those of class j, and total_t its variance in all documents, labelled or not:

    w_jt = total_t (A_jt / n_j) / (df_t / N).

*The noise of a term.* A term that is in none of the labelled documents has no noise by this formula, and one that
happens to be in many has too much. What can be relied on is the mean over many terms; and what all documents tell of a
term is its variance. So noise_t is set to ω total_t, where ω is noise / total, both summed over the terms in the
running: the k best by between and the k best by total, the two ends of the family. Then

    between_t + ω total_t     ranks as     λ between_t + (1 - λ) total_t     with     λ = 1 / (1 + ω).

With n labelled documents of c classes ω is about (c - 1) / n. So λ is near 1 where classes have many documents, falls
with fewer, is above 0 and never above 1, and does not depend on the scale of the weights. There is no constant to set.
Without labels, or where the labels tell nothing, it is 0.
"""

import math

import numpy as np
from numpy.typing import NDArray

from ..stats import ClassStats
from ..stats.sums import Floats

_ROUNDING = 1e-9
"""Equal terms must stay equal on whatever way their scores were summed up, or the weight would depend on it."""


def auto_weight(between: Floats, total: Floats, stats: ClassStats, k: int, shares: Floats | None = None) -> float:
    """The weight for keeping k terms, given the diagonals of S_b and C; `shares` is what each class counts in S_b."""
    if stats.n_pairs == 0 or not (between > 0.0).any():
        return 0.0
    in_running = _is_among_best(between, k) | _is_among_best(total, k)
    scatter = np.where(in_running, total, 0.0)
    if not scatter.any():
        return 1.0
    scatter /= scatter.max()  # so that no sum is too large for a float
    noise = scatter * relative_noise(stats, stats.class_docs / stats.n_pairs if shares is None else shares)
    # Exact sums: however many terms are beside those in the running, the weight is the same to the last bit.
    return 1.0 / (1.0 + math.fsum(noise[in_running]) / math.fsum(scatter[in_running]))


def relative_noise(stats: ClassStats, shares: Floats) -> Floats:
    """The noise of each term's between-class scatter, in parts of its variance; 0 for terms without labelled documents.

    It is sum_j p_j (1 - p_j) / n_j times how many times as often class j has the term as all documents do.
    """
    sizes = np.where(stats.class_docs > 0, stats.class_docs, 1).astype(np.float64)
    of_class = shares * (1.0 - shares) / (sizes * sizes)
    cells = stats.cells
    summed = np.bincount(cells.terms, of_class[cells.classes()] * cells.doc_freq, stats.n_terms)
    doc_freq = stats.doc_freq
    return np.asarray(summed * stats.n_documents / np.where(doc_freq > 0, doc_freq, 1))


def _is_among_best(values: Floats, k: int) -> NDArray[np.bool_]:
    """Which values, none negative, are among the k largest; all that equal the k-th but for rounding are."""
    place = max(len(values) - k, 0)
    return np.asarray(values >= bound_of_running(float(np.partition(values, place)[place])))


def bound_of_running(kth: float) -> float:
    """The least value that is as good as the k-th largest."""
    return kth * (1.0 - _ROUNDING)
