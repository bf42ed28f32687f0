"""TOFA, trace-oriented feature analysis (Yan et al. 2008), and OCFS (Yan et al. 2005), which is one weight of it.

Three ways to look for a good projection W of the documents maximise a trace tr(W' S W): principal components with S =
C, the scatter of all documents around their mean; the orthogonal centroid with S = S_b, the scatter of the class means
around it; maximum margin with S = S_b - S_w, where S_w = C - S_b is the scatter within the classes. All three are

    S(λ) = λ S_b + (1 - λ) C        at λ = 0, 1 and 2.

If W may only pick coordinates, the trace is a sum with one summand per picked term, the term's entry in the diagonal:

    score(t) = λ sum_j p_j (m_jt - m_t)^2 + (1 - λ) (1/n) sum_i (x_it - m_t)^2,        p_j = n_j/n.

So picking the largest summands is the exact optimum, for any λ. Both sums come from one pass. C needs no labels, so
documents without one count there; with no labels at all λ = 0 is left. Where classes are of uneven size, each may count
alike instead, p_j = 1/c: then the mean is that of the class means, so that more documents of the same kind in a class
change nothing of S_b. A document with several labels counts in S_b once for each, in C once.

Up to λ = 1 no score is negative. The share of all scores that the best p terms hold is then their *energy*, and says
how many terms are enough.

OCFS's paper works an example on Iris. The scores that it prints leave out the factor n_j/n = 1/3, and the fourth has
two digits swapped; the two best features are the third and the fourth, not the third and the first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..errors import InputError, shown
from ..kernels.scatter import between_classes, between_equal_classes, variances
from ..settings import as_number
from ..stats import ClassStats
from ..stats.shares import ClassWeight, class_shares, require_class_weight
from ..stats.sums import Floats, Ints
from .base import DEFAULT_K, Limit, ScoreForClass, TermSelector, limit_of
from .trace_weight import auto_weight

if TYPE_CHECKING:
    import os

    from ..plots import Chart

LARGEST_WEIGHT = 1e12
"""Beyond it nothing changes but the size of the scores, until they are too large for a float."""

_ROUNDING = float(np.finfo(np.float64).eps)

_BETWEEN: dict[ClassWeight, Callable[..., Floats]] = {None: between_classes, "balanced": between_equal_classes}
"""How much each class counts: as many documents as it has, or all alike."""


def between_class_scatter(stats: ClassStats, class_weight: ClassWeight = None) -> Floats:
    """The diagonal of S_b: how far the class means of each term are from its mean, squared, weighted by class."""
    require_class_weight(class_weight)
    if stats.n_pairs == 0:
        return np.zeros(stats.n_terms)
    cells = stats.cells
    return _BETWEEN[class_weight](cells.class_starts, stats.class_docs, cells.terms, *cells.sums, stats.n_terms)


def total_scatter(stats: ClassStats) -> Floats:
    """The diagonal of C: the variance of each term's weights over all documents, labelled or not."""
    return variances(*stats.sums, *stats.squares, float(stats.n_documents or 1))


def trace_scores(stats: ClassStats, weight: float, class_weight: ClassWeight = None) -> Floats:
    """The diagonal of S(weight); what counts nothing is not worked out."""
    if weight == 1.0:
        return between_class_scatter(stats, class_weight)
    if weight == 0.0:
        return total_scatter(stats)
    return mixed(between_class_scatter(stats, class_weight), total_scatter(stats), weight)


def mixed(between: Floats, total: Floats, weight: float) -> Floats:
    """The diagonal of S(weight), given those of S_b and C."""
    return np.asarray(weight * between + (1.0 - weight) * total)


def scatter_of_class(stats: ClassStats, number: int, class_weight: ClassWeight = None) -> Floats:
    """What one class adds to the diagonal of S_b; negative where its mean is below the mean of all."""
    shares = class_shares(stats.class_docs, class_weight)
    sizes = np.where(stats.class_docs > 0, stats.class_docs, 1)
    if class_weight is None:
        mean = stats.pair_sums / (stats.n_pairs or 1)
    else:
        factors = np.repeat(shares / sizes, np.diff(stats.cells.class_starts))
        mean = np.bincount(stats.cells.terms, stats.cells.sums.value * factors, stats.n_terms).astype(np.float64)
    apart = stats.class_sums(number) / sizes[number] - mean
    return np.asarray(shares[number] * np.copysign(apart * apart, apart))


def energy_curve(sorted_scores: Floats) -> Floats:
    """The share of all scores that the best 1, 2, 3, ... terms hold."""
    running = np.cumsum(sorted_scores)
    return running / running[-1] if len(running) and running[-1] > 0 else np.ones(len(running))


def terms_for_energy(sorted_scores: Floats, energy: float) -> int:
    """How many of the best terms it takes to hold that share of all scores; short of it by rounding alone will do."""
    n_terms = len(sorted_scores)
    if energy == 1.0:  # the last scores may be too small to be seen in the sum
        enough = int(np.count_nonzero(sorted_scores))
    else:
        enough = int(np.searchsorted(energy_curve(sorted_scores), energy - n_terms * _ROUNDING)) + 1
    return min(max(enough, 1), n_terms)


class TOFA(TermSelector):
    """Select terms by trace-oriented feature analysis: weight x between-class scatter + (1 - weight) x variance.

    It looks at weights, so it is at its best after `TermWeighter`; from bare counts it chooses frequent words.
    Documents without a label count for the variance.

    Parameters
    ----------
    weight : float or "auto"
        0 is the variance alone, as of principal components, and needs no labels; 1 the scatter of the class means
        (`OCFS`); 2 that minus the scatter within the classes, as of maximum margin. Any other number will do. "auto"
        finds a weight that suits the statistics and the number of terms: `weight_`.
    k : int, float, "all" or None
        How many terms: a number, a share of all, or all. None is 1,000, or no limit if another limit is given.
    energy : float or None
        Keep the fewest terms that together hold this share of all scores; the papers take 0.8 and 0.6. Only up to
        weight 1, above which "auto" never is.
    min_score : float or None
        Keep terms of at least this score.
    class_weight : "balanced" or None
        Whether all classes count alike in the between-class scatter, or each as its documents.
    unlabelled : label
        The label that means "no label", beside None and NaN. None: there is no such label, and NaN is refused.

    Attributes
    ----------
    weight_ : the weight that was used
    energy_ : array, the share of all scores that the best 1, 2, 3, ... terms hold; up to weight 1
    """

    _found_weight: float

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

    def _asked_weight(self) -> float | Literal["auto"]:
        """The weight, if it is one."""
        weight = self.weight
        if isinstance(weight, str) and weight == "auto":
            return "auto"
        if not abs(number := as_number(weight)) <= LARGEST_WEIGHT:
            raise InputError(f"weight={shown(weight)}; use a number up to 1e12, for example 1.0, or 'auto'.")
        return number

    def _needs_labels(self) -> bool:
        return self._asked_weight() != 0.0

    def _without_labels(self) -> str:
        never = "" if self.unlabelled is None else f" The label {self.unlabelled!r} means none, as unlabelled= says."
        return f"{never} Without labels only weight=0 can be used."

    def _score(self, stats: ClassStats) -> Floats:
        weight = self._asked_weight()
        require_class_weight(self.class_weight)
        if weight != "auto":
            self._found_weight = weight
            return trace_scores(stats, weight, self.class_weight)
        between, total = between_class_scatter(stats, self.class_weight), total_scatter(stats)
        most = limit_of(DEFAULT_K if self.k is None else self.k, stats.n_terms) or stats.n_terms
        shares = class_shares(stats.class_docs, self.class_weight)
        self._found_weight = auto_weight(between, total, stats, min(most, stats.n_terms), shares)
        return mixed(between, total, self._found_weight)

    def _class_scorer(self, stats: ClassStats) -> ScoreForClass:
        """Whatever the weight: of the two scatters, only that of the class means says for which class a term speaks."""
        return lambda number: scatter_of_class(stats, number, self.class_weight)

    def _most(self, scores: Floats, ranking: Ints) -> int | None:
        most = super()._most(scores, ranking)
        if self.energy is None:
            return most
        self._require_energy(f"energy={shown(self.energy)}", scores)
        enough = terms_for_energy(scores[ranking], _checked_energy(self.energy))
        return enough if most is None else min(most, enough)

    def _require_energy(self, asked: str, scores: Floats) -> None:
        if (scores < 0).any() or self._found_weight > 1.0:
            raise InputError(
                f"{asked} with weight={self._found_weight:g}: above weight 1 (and below 0, with several labels or few "
                "labelled documents) scores can be negative, and a share of their sum means nothing; use k, or a "
                "weight from 0 to 1."
            )

    # -- reading -------------------------------------------------------------------------------------------------

    @property
    def weight_(self) -> float:
        """The weight that was used."""
        self._fitted()
        return self._found_weight

    @property
    def energy_(self) -> Floats:
        """The share of all scores that the best 1, 2, 3, ... terms hold."""
        scores, ranking, _ = self._fitted()
        try:
            self._require_energy("energy_", scores)
        except InputError as problem:  # as of an attribute that is not there
            raise AttributeError(str(problem)) from problem
        return energy_curve(scores[ranking])

    def n_terms_for(self, energy: float) -> int:
        """How many of the best terms it takes to hold a share of all scores."""
        scores, ranking, _ = self._fitted()
        self._require_energy(f"energy={shown(energy)}", scores)
        return terms_for_energy(scores[ranking], _checked_energy(energy))

    def plot_energy(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        weights: Iterable[float] | None = None,
        level: float | None = None,
    ) -> Chart:
        """Draw the energy of the best terms for several weights, this one's among them: see `selectors.plot_energy`."""
        from .energy import plot_energy

        self._fitted()
        return plot_energy(self, path, weights=weights, level=level)


def _checked_energy(energy: Any) -> float:
    if not 0.0 < (share := as_number(energy)) <= 1.0:
        raise InputError(f"energy={shown(energy)}; use a share above 0.0 and up to 1.0, for example 0.8.")
    return share


class OCFS(TOFA):
    """Select terms by orthogonal-centroid feature selection: sum over classes of (n_j/n)(class mean - mean)^2.

    It is `TOFA` at weight 1, where only labelled documents count; no label but None means "no label". It looks at
    weights, so it is at its best after `TermWeighter`; from bare counts it chooses frequent words.

    Parameters
    ----------
    k : int, float, "all" or None
        How many terms: a number, a share of all, or all. None is 1,000, or no limit if another limit is given.
    energy : float or None
        Keep the fewest terms that together hold this share of all scores; the paper takes 0.8.
    min_score : float or None
        Keep terms of at least this score.
    class_weight : "balanced" or None
        Whether all classes count alike, or each as its documents.

    Attributes
    ----------
    energy_ : array, the share of all scores that the best 1, 2, 3, ... terms hold
    """

    weight = 1.0
    unlabelled = None

    def _without_labels(self) -> str:
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
