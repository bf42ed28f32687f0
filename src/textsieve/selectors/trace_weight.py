"""Compute TOFA's weight from the statistics alone, using the variance where labelled documents are too few.

The ideal score is b, the scatter of the *true* class means. Only the means of n_j labelled documents per class are
available; their sampling error has variance w_jt / n_j, where w_jt is the term's variance in class j. With a flat prior
the expected class mean is the sample mean, and the expected square exceeds the square of the sample mean by this
variance:

    E[b_t | documents] = between_t + noise_t,        noise_t = sum_j p_j (1 - p_j) w_jt / n_j,

where between_t is the entry of term t in the diagonal of S_b, and p_j the share of class j; the factor 1 - p_j is there
because the overall mean moves with the class mean. So a term may separate the classes more than the few documents of a
class have shown. The noise is added, not subtracted as it would be for an unbiased estimate.

*The variance in a class.* A term that is more frequent in a class also varies more in it. Let df_t be the number of
documents, of all N, that contain the term, A_jt those of class j, and total_t the entry of the term in the diagonal of
C, its variance in all documents, labelled or not. We assume that the variance is proportional to the frequency:

    w_jt = total_t (A_jt / n_j) / (df_t / N).

*The noise of a term.* By this formula a term that occurs in no labelled document has no noise, and one that happens to
occur in many has too much. The mean over many terms is reliable, and the variance of a term is known from all
documents. So noise_t is set to ω total_t, where ω is noise / total, both summed over the candidate terms. If k terms
are to be selected, these are the k best by between (λ = 1) and the k best by total (λ = 0). Then

    between_t + ω total_t     ranks like     λ between_t + (1 - λ) total_t     with     λ = 1 / (1 + ω).

With n labelled documents of c classes, ω is about (c - 1) / n. So λ is near 1 if classes have many documents, and
decreases with fewer. It is above 0 and at most 1, does not depend on the scale of the weights, and has no constant to
tune. Without labels, or if the labels tell nothing, λ is 0.
"""

import math

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from ..stats import ClassStats

_TIE_TOLERANCE = 1e-9
"""Relative tolerance for equal scores. Without it the weight would depend on the order in which scores were summed."""


def auto_weight(between: Floats, total: Floats, stats: ClassStats, k: int, shares: Floats | None = None) -> float:
    """Return the weight λ for selecting k terms by λ between + (1 - λ) total, from 0 to 1.

    `between` has for each term the scatter of the class means (the diagonal of S_b), and `total` its variance (the
    diagonal of C). `shares` has the class weights in S_b; None weights classes by their number of documents.
    """
    if stats.n_pairs == 0 or not (between > 0.0).any():
        return 0.0
    is_candidate = _is_among_best(between, k) | _is_among_best(total, k)
    scatter = np.where(is_candidate, total, 0.0)
    if not scatter.any():  # the candidates have no variance, so there is nothing to mix in
        return 1.0
    scatter /= scatter.max()  # avoids overflow in the sums
    noise = scatter * relative_noise(stats, stats.class_docs / stats.n_pairs if shares is None else shares)
    # Exact sums: the weight is bitwise the same for any number of terms besides the candidates.
    return 1.0 / (1.0 + math.fsum(noise[is_candidate]) / math.fsum(scatter[is_candidate]))


def relative_noise(stats: ClassStats, shares: Floats) -> Floats:
    """Return the noise of each term's between-class scatter relative to its variance.

    It is the sum over the classes j of p_j (1 - p_j) / n_j times the frequency of the term in class j relative to all
    documents, (A_jt / n_j) / (df_t / N), and 0 for terms without labelled documents. `shares` has the class weights
    p_j. The docstring of the module explains the formula.
    """
    # The factors of A_jt, p_j (1 - p_j) / n_j². Sizes of 1 instead of 0 avoid a division by zero for empty classes.
    sizes = np.where(stats.class_docs > 0, stats.class_docs, 1).astype(np.float64)
    class_noise = shares * (1.0 - shares) / (sizes * sizes)
    cells = stats.cells
    noise_sums = np.bincount(cells.terms, class_noise[cells.classes()] * cells.doc_freq, stats.n_terms)
    doc_freq = stats.doc_freq
    return np.asarray(noise_sums * stats.n_documents / np.where(doc_freq > 0, doc_freq, 1))


def _is_among_best(values: Floats, k: int) -> NDArray[np.bool_]:
    """Return a mask of the k largest of some nonnegative values.

    All values that equal the k-th largest, up to rounding, are included.
    """
    position = max(len(values) - k, 0)  # of the k-th largest value in ascending order, or of the smallest
    return np.asarray(values >= smallest_tied_score(float(np.partition(values, position)[position])))


def smallest_tied_score(kth_largest: float) -> float:
    """Return the smallest value that counts as equal to the k-th largest."""
    return kth_largest * (1.0 - _TIE_TOLERANCE)
