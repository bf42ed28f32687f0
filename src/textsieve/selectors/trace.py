"""TOFA, trace-oriented feature analysis (Yan et al. 2008), and its special case OCFS (Yan et al. 2005).

Three methods find a projection W of the documents by maximising a trace tr(W' S W). Principal components use S = C, the
scatter of all documents around their mean. The orthogonal centroid uses S = S_b, the scatter of the class means around
that mean. Maximum margin uses S = S_b - S_w, where S_w = C - S_b is the scatter within the classes. All three are

    S(λ) = λ S_b + (1 - λ) C        at λ = 0, 1 and 2.

If W may only select terms, the trace is the sum of the diagonal entries of S(λ) of these terms. Such an entry is

    score(t) = λ sum_j p_j (m_jt - m_t)^2 + (1 - λ) (1/n) sum_i (x_it - m_t)^2,        p_j = n_j/n.

Here x_it is the weight of term t in document i, m_t its mean over all n documents, and m_jt its mean over the n_j
documents of class j. As the trace is such a sum, selecting the terms with the largest entries is the exact optimum, for
any λ. Both sums come from one pass. C needs no labels, so unlabelled documents count for it; without any labels, only
λ = 0 is possible. If class sizes are uneven, all c classes can get the same weight instead, p_j = 1/c. The mean m_t in
S_b is then the mean of the class means, so adding documents of the same kind to a class does not change S_b. A
multilabel document counts in S_b once for each of its labels, and in C once.

For λ from 0 to 1 no score is negative. The share of the sum of all scores that the best p terms hold is then their
*energy*, E(p). It shows how many terms are enough.

The OCFS paper gives a worked example on Iris. Its printed scores omit the factor n_j/n = 1/3, and the fourth has two
digits swapped; the two best features are the third and the fourth, not the third and the first.

**The automatic weight** of `TOFA` (`auto_weight`) lowers λ, so that the variance counts more, if labelled documents are
few. The ideal score is the scatter of the *true* class means, b_t for term t. Only the means of the n_j labelled
documents of each class j are known. Their sampling error has the variance w_jt / n_j, where w_jt is the variance of the
term within class j. With a flat prior, the expected true mean is the sample mean, and the expected square of the
true mean exceeds the square of the sample mean by this variance. So

    E[b_t | documents] = between_t + noise_t,        noise_t = sum_j p_j (1 - p_j) w_jt / n_j,

where between_t is the entry of term t in the diagonal of S_b; the factor 1 - p_j is there because the overall mean
moves with the class mean. So a term may separate the classes more than the few documents of a class have shown. (An
unbiased estimate would subtract the noise, because it asks which documents could be drawn from known class means. Here
the documents are known, and the class means are asked for.)

A term that is more frequent in a class also varies more in it. Let df_t be the number of documents, of all N, that
contain the term, A_jt that of class j, and total_t the entry of the term in the diagonal of C, its variance in all
documents, labelled or not. We assume that the variance is proportional to the frequency:

    w_jt = total_t (A_jt / n_j) / (df_t / N).

By this formula a term that occurs in no labelled document has no noise, and one that happens to occur in many has too
much. The mean over many terms is reliable, and the variance of a term is known from all documents. So noise_t is set to
ω total_t, where ω is the sum of noise_t over the candidate terms, divided by the sum of total_t over them. If k terms
are to be selected, the candidates are the k best by between (λ = 1) and the k best by total (λ = 0). Then

    between_t + ω total_t     ranks like     λ between_t + (1 - λ) total_t     with     λ = 1 / (1 + ω).

With n labelled documents of c classes, ω is about (c - 1) / n. So λ is near 1 if classes have many documents, and
decreases with fewer. It is above 0 and at most 1, does not depend on the scale of the weights, and has no constant to
tune. Without labels, or if the labels tell nothing, λ is 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..errors import InputError, Setting
from ..kernels.term_scores import between_classes, between_equal_classes, variances
from ..settings import as_number
from ..stats import ClassStats
from ..stats.weights import ClassWeight, class_shares, require_class_weight
from .base import DEFAULT_K, Limit, ScoreForClass, TermSelector, resolve_k

if TYPE_CHECKING:
    import os

    from ..plots import Chart

LARGEST_WEIGHT = 1e12
"""The largest weight allowed. Larger ones would only scale the scores, and finally overflow."""

_EPSILON = float(np.finfo(np.float64).eps)
"""The relative rounding error of a float."""

_TIE_TOLERANCE = 1e-9
"""Relative tolerance for equal scores. Without it the weight would depend on the order in which scores were summed."""

_BETWEEN: dict[ClassWeight, Callable[..., Floats]] = {None: between_classes, "balanced": between_equal_classes}
"""The scatter functions by `class_weight`: classes weighted by their number of documents, or equally."""


def between_class_scatter(stats: ClassStats, class_weight: ClassWeight = None) -> Floats:
    """Return the diagonal of S_b, the scatter of the class means: sum_j p_j (m_jt - m_t)^2 for each term t.

    It is 0 if no document has a label.
    """
    require_class_weight(class_weight)
    if stats.n_pairs == 0:
        return np.zeros(stats.n_terms)
    cells = stats.cells
    return _BETWEEN[class_weight](cells.class_starts, stats.class_docs, cells.terms, *cells.sums, stats.n_terms)


def total_scatter(stats: ClassStats) -> Floats:
    """Return the diagonal of C: the variance of each term's weights over all documents, labelled or not."""
    return variances(*stats.precise_sums, *stats.precise_squares, float(stats.n_documents or 1))


def trace_scores(stats: ClassStats, weight: float, class_weight: ClassWeight = None) -> Floats:
    """Return the diagonal of S = weight S_b + (1 - weight) C, one score per term.

    S_b is the scatter of the class means, and C that of all documents. A scatter whose factor is 0 is not computed.
    """
    if weight == 1.0:
        return between_class_scatter(stats, class_weight)
    if weight == 0.0:
        return total_scatter(stats)
    return mix_scatters(between_class_scatter(stats, class_weight), total_scatter(stats), weight)


def mix_scatters(between: Floats, total: Floats, weight: float) -> Floats:
    """Return the diagonal of S = weight S_b + (1 - weight) C, given those of S_b (`between`) and C (`total`)."""
    return np.asarray(weight * between + (1.0 - weight) * total)


def scatter_of_class(stats: ClassStats, number: int, class_weight: ClassWeight = None) -> Floats:
    """Return what the class with a number adds to the between-class scatter of each term, with a sign.

    For class j and term t, it adds p_j (m_jt - m_t)^2, where p_j is the share of the class, m_jt the mean of the term
    in it and m_t the overall mean. The sign is that of m_jt - m_t, so that a term which is rarer in the class than
    elsewhere does not count as favouring the class.
    """
    shares = class_shares(stats.class_docs, class_weight)
    sizes = np.where(stats.class_docs > 0, stats.class_docs, 1)  # 1 avoids a division by zero for empty classes
    if class_weight is None:
        mean = stats.pair_sums / (stats.n_pairs or 1)
    else:  # the mean of the class means
        factors = np.repeat(shares / sizes, np.diff(stats.cells.class_starts))  # one for each (class, term) cell
        mean = np.bincount(stats.cells.terms, stats.cells.sums.value * factors, stats.n_terms).astype(np.float64)
    difference = stats.class_sums(number) / sizes[number] - mean
    return np.asarray(shares[number] * np.copysign(difference * difference, difference))


def energy_curve(sorted_scores: Floats) -> Floats:
    """Return the energy E(p) for p = 1, 2, 3, ...: the share of the sum of all scores that the best p terms hold.

    Scores are sorted, the best first, and not negative. If all scores are 0, every share is 1.
    """
    partial_sums = np.cumsum(sorted_scores)
    has_energy = len(partial_sums) and partial_sums[-1] > 0
    return partial_sums / partial_sums[-1] if has_energy else np.ones(len(partial_sums))


def terms_for_energy(sorted_scores: Floats, energy: float) -> int:
    """Return how many of the best terms hold the share `energy` of the sum of all scores, up to rounding errors.

    Scores are sorted, the best first, and not negative. The result is at least 1, unless there are no terms.
    """
    n_terms = len(sorted_scores)
    if energy == 1.0:  # needs all positive scores, even those that are too small to change a float sum
        n_needed = int(np.count_nonzero(sorted_scores))
    else:
        rounding_error = n_terms * _EPSILON  # of the sum of so many scores
        # The position of the first term with which the energy is reached; + 1 turns it into a number of terms.
        n_needed = int(np.searchsorted(energy_curve(sorted_scores), energy - rounding_error)) + 1
    return min(max(n_needed, 1), n_terms)


# -- the automatic weight ---------------------------------------------------------------------------------------------


def auto_weight(between: Floats, total: Floats, stats: ClassStats, k: int, shares: Floats | None = None) -> float:
    """Return the automatic weight λ, from 0 to 1, for selecting k terms by λ between + (1 - λ) total.

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
    """Return noise_t / total_t for each term t: the noise of its between-class scatter relative to its variance.

    By the docstring of the module, it is the sum over the classes j of p_j (1 - p_j) / n_j times the frequency of the
    term in class j relative to all documents, (A_jt / n_j) / (df_t / N). It is 0 for terms without labelled documents.
    `shares` has the class weights p_j.
    """
    # The factors of A_jt, p_j (1 - p_j) / n_j². Sizes of 1 instead of 0 avoid a division by zero for empty classes.
    sizes = np.where(stats.class_docs > 0, stats.class_docs, 1).astype(np.float64)
    class_noise = shares * (1.0 - shares) / (sizes * sizes)
    cells = stats.cells
    noise_sums = np.bincount(cells.terms, class_noise[cells.classes()] * cells.doc_freq, stats.n_terms)
    doc_freq = stats.doc_freq
    return np.asarray(noise_sums * stats.n_documents / np.where(doc_freq > 0, doc_freq, 1))


def _is_among_best(values: Floats, k: int) -> Bools:
    """Return a mask of the k largest of some nonnegative values; of all values, if there are at most k.

    All values that equal the k-th largest, up to rounding, are included.
    """
    position = max(len(values) - k, 0)  # of the k-th largest value in ascending order; 0 if there are fewer than k
    kth_largest = float(np.partition(values, position)[position])
    return np.asarray(values >= smallest_tied_score(kth_largest))


def smallest_tied_score(kth_largest: float) -> float:
    """Return the smallest value that counts as equal to the k-th largest."""
    return kth_largest * (1.0 - _TIE_TOLERANCE)


# -- the selectors ----------------------------------------------------------------------------------------------------


class TOFA(TermSelector):
    """Select terms by trace-oriented feature analysis: weight x between-class scatter + (1 - weight) x variance.

    It uses term weights, so it works best after `TermWeighter`; from raw counts it selects frequent words. Unlabelled
    documents count for the variance.

    Parameters
    ----------
    weight : float or "auto"
        0 is the variance alone, as in principal components, and needs no labels. 1 is the scatter of the class means
        (`OCFS`). 2 is that minus the scatter within the classes, as in maximum margin. Any other number is allowed.
        "auto" computes a weight from the statistics and `k`, which the docstring of the module derives; `weight_` is
        the result.
    k : int, float, "all" or None
        How many terms to select: a number, a fraction of all terms, or "all". None is 1,000, or no limit if another
        limit is given.
    energy : float or None
        Select the fewest terms that together hold this share of the sum of all scores; the papers use 0.8 and 0.6.
        It requires a weight of at most 1; "auto" never exceeds 1.
    min_score : float or None
        Select only terms with at least this score.
    class_weight : "balanced" or None
        "balanced" weights all classes equally in the between-class scatter; None weights them by their number of
        documents.
    unlabelled : label
        The label that means "no label", in addition to None, NaN and other missing values. If it is None, there is no
        such label.

    Attributes
    ----------
    weight_ : the weight that was used
    energy_ : array, the share of the sum of all scores that the best 1, 2, 3, ... terms hold; it exists only if the
        weight is at most 1 and no score is negative

    Examples
    --------
    >>> from textsieve import TOFA
    >>> X = [[2, 0, 1, 0], [1, 1, 0, 0], [0, 2, 1, 1], [0, 1, 0, 2]]  # counts: documents x terms
    >>> y = ["sport", "sport", "politics", "politics"]
    >>> selector = TOFA(k=2).fit(X, y)
    >>> selector.scores_.round(3)
    array([0.587, 0.3  , 0.05 , 0.587])
    >>> selector.ranking_
    array([0, 3, 1, 2])
    """

    _used_weight: float

    def __init__(
        self,
        *,
        weight: float | Literal["auto"] = "auto",
        k: Limit = None,
        energy: float | None = None,
        min_score: float | None = None,
        class_weight: ClassWeight = None,
        unlabelled: Any = -1,
    ) -> None:
        self.weight = weight
        self.k = k
        self.energy = energy
        self.min_score = min_score
        self.class_weight = class_weight
        self.unlabelled = unlabelled

    # -- the method ----------------------------------------------------------------------------------------------

    def requested_weight(self) -> float | Literal["auto"]:
        """Return the `weight` setting as a number or "auto"; raise `InputError` if it is invalid."""
        weight = self.weight
        if isinstance(weight, str) and weight == "auto":
            return "auto"
        if not abs(number := as_number(weight)) <= LARGEST_WEIGHT:
            raise InputError(setting="weight", value=weight, hint="use a number up to 1e12, for example 1.0, or 'auto'")
        return number

    def _needs_labels(self) -> bool:
        """Return whether labels are needed: not at weight 0, where the score is the variance."""
        return self.requested_weight() != 0.0

    def _missing_labels_hint(self) -> str:
        """Return sentences about the label that means "no label", and about weight 0, which needs no labels."""
        marker = "" if self.unlabelled is None else f" The label {self.unlabelled!r} means none, as unlabelled= says."
        return f"{marker} Without labels only weight=0 can be used."

    def score_terms(self, stats: ClassStats) -> Floats:
        """Return the weighted scatter of each term, and remember the weight, which may be automatic, for `weight_`."""
        weight = self.requested_weight()
        require_class_weight(self.class_weight)
        if weight != "auto":
            self._used_weight = weight
            return trace_scores(stats, weight, self.class_weight)
        between, total = between_class_scatter(stats, self.class_weight), total_scatter(stats)
        # The automatic weight depends on the number of terms to select: k, the default for None, all terms for "all".
        n_selected = resolve_k(DEFAULT_K if self.k is None else self.k, stats.n_terms) or stats.n_terms
        shares = class_shares(stats.class_docs, self.class_weight)
        self._used_weight = auto_weight(between, total, stats, min(n_selected, stats.n_terms), shares)
        return mix_scatters(between, total, self._used_weight)

    def class_scorer(self, stats: ClassStats) -> ScoreForClass:
        """Return a function that gives what a class adds to the between-class scatter of each term.

        The scores are the same for all values of `weight`: the other part of a term's score, its variance, does not
        show which class the term favours.
        """
        return lambda number: scatter_of_class(stats, number, self.class_weight)

    def most_terms(self, scores: Floats, ranking: Ints) -> int | None:
        """Return the smaller of the limits `k` and `energy`, or None for no limit."""
        most = super().most_terms(scores, ranking)
        if self.energy is None:
            return most
        self._require_defined_energy(Setting("energy", self.energy), scores)
        n_needed = terms_for_energy(scores[ranking], _validate_energy(self.energy))
        return n_needed if most is None else min(most, n_needed)

    def _require_defined_energy(self, energy: Setting, scores: Floats) -> None:
        """Raise `InputError` if the energy is undefined: if a score is negative, or the weight is above 1.

        `energy` is the setting or attribute that the error names.
        """
        if (scores < 0).any() or self._used_weight > 1.0:
            raise InputError(
                (
                    energy,
                    " with ",
                    Setting("weight", self._used_weight),
                    ": above weight 1 (and below 0, with several labels or few labelled documents) scores can be "
                    "negative, and a share of their sum means nothing",
                ),
                hint="use k, or a weight from 0 to 1",
            )

    # -- reading -------------------------------------------------------------------------------------------------

    @property
    def weight_(self) -> float:
        """Return the weight that was used."""
        self._ensure_selected()
        return self._used_weight

    @property
    def energy_(self) -> Floats:
        """Return the share of the sum of all scores that the best 1, 2, 3, ... terms hold.

        Raises `AttributeError` if the energy is undefined, because the weight is above 1 or a score is negative.
        """
        scores, ranking, _ = self._fitted_selection()
        try:
            self._require_defined_energy(Setting("energy_"), scores)
        except InputError as problem:  # hasattr must return False
            raise AttributeError(str(problem)) from problem
        return energy_curve(scores[ranking])

    def n_terms_for(self, energy: float) -> int:
        """Return how many of the best terms hold the share `energy` of the sum of all scores."""
        scores, ranking, _ = self._fitted_selection()
        self._require_defined_energy(Setting("energy", energy), scores)
        return terms_for_energy(scores[ranking], _validate_energy(energy))

    def plot_energy(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        weights: Iterable[float] | None = None,
        level: float | None = None,
    ) -> Chart:
        """Plot the energy of the best terms for several weights, including this selector's.

        See `selectors.plot_energy`.
        """
        from .energy import plot_energy

        self._ensure_selected()
        return plot_energy(self, path, weights=weights, level=level)


def _validate_energy(energy: Any) -> float:
    """Return the energy as a float; raise `InputError` unless it is a share above 0 and up to 1."""
    if not 0.0 < (share := as_number(energy)) <= 1.0:
        raise InputError(setting="energy", value=energy, hint="use a share above 0.0 and up to 1.0, for example 0.8")
    return share


class OCFS(TOFA):
    """Select terms by orthogonal-centroid feature selection: sum over classes of (n_j/n)(class mean - mean)^2.

    It is `TOFA` with weight 1, for which only labelled documents count. Only None, NaN and other missing values mean
    "no label". It uses term weights, so it works best after `TermWeighter`; from raw counts it selects frequent words.

    Parameters
    ----------
    k : int, float, "all" or None
        How many terms to select: a number, a fraction of all terms, or "all". None is 1,000, or no limit if another
        limit is given.
    energy : float or None
        Select the fewest terms that together hold this share of the sum of all scores; the paper uses 0.8.
    min_score : float or None
        Select only terms with at least this score.
    class_weight : "balanced" or None
        "balanced" weights all classes equally; None weights them by their number of documents.

    Attributes
    ----------
    energy_ : array, the share of the sum of all scores that the best 1, 2, 3, ... terms hold

    Examples
    --------
    >>> from textsieve import OCFS
    >>> X = [[2, 0, 1, 0], [1, 1, 0, 0], [0, 2, 1, 1], [0, 1, 0, 2]]  # counts: documents x terms
    >>> y = ["sport", "sport", "politics", "politics"]
    >>> selector = OCFS(k=2).fit(X, y)
    >>> selector.scores_.round(3)
    array([0.562, 0.25 , 0.   , 0.562])
    >>> selector.ranking_
    array([0, 3, 1, 2])
    >>> selector.transform(X)
    array([[2, 0],
           [1, 0],
           [0, 1],
           [0, 2]])
    """

    weight = 1.0
    unlabelled = None

    def _missing_labels_hint(self) -> str:
        """Return no hint: that of TOFA is about settings that OCFS does not have."""
        return ""

    def __init__(
        self,
        *,
        k: Limit = None,
        energy: float | None = None,
        min_score: float | None = None,
        class_weight: ClassWeight = None,
    ) -> None:
        self.k = k
        self.energy = energy
        self.min_score = min_score
        self.class_weight = class_weight
