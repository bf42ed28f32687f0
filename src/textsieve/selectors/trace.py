"""OCFS, optimal orthogonal-centroid feature selection (Yan et al. 2005).

The orthogonal centroid algorithm looks for the projection W that keeps the class centroids as far from the common
centroid as it can: it maximises tr(W' S_b W) with S_b = sum_j (n_j/n)(m_j - m)(m_j - m)'. If W may only pick
coordinates, that trace is a sum with one summand per picked term, so picking the largest summands is the exact
optimum: score(t) = sum_j (n_j/n)(m_jt - m_t)^2.

The share of all scores that the best p terms hold is their *energy*, and says how many terms are enough.

The paper works an example on Iris. The scores that it prints leave out the factor n_j/n = 1/3, and the fourth has
two digits swapped; the two best features are the third and the fourth, not the third and the first.
"""

import numpy as np

from ..errors import InputError
from ..kernels.scatter import between_classes
from ..stats import ClassStats
from ..stats.sums import Floats, Ints
from .base import Limit, ScoreForClass, TermSelector


def between_class_scatter(stats: ClassStats) -> Floats:
    """The diagonal of S_b: how far the class means of each term are from its mean, squared, weighted by class."""
    if stats.n_pairs == 0:
        return np.zeros(stats.n_terms)
    cells = stats.cells
    return between_classes(cells.class_starts, stats.class_docs, cells.terms, *cells.sums, stats.n_terms)


def scatter_of_class(stats: ClassStats, number: int) -> Floats:
    """What one class adds to the diagonal of S_b; negative where its mean is below the mean of all."""
    apart = stats.class_sums(number) / max(stats.class_docs[number], 1) - stats.pair_sums / max(stats.n_pairs, 1)
    share = stats.class_docs[number] / max(stats.n_pairs, 1)
    return np.asarray(share * np.copysign(apart * apart, apart))


def energy_curve(sorted_scores: Floats) -> Floats:
    """The share of all scores that the best 1, 2, 3, ... terms hold."""
    running = np.cumsum(sorted_scores)
    return running / running[-1] if len(running) and running[-1] > 0 else np.ones(len(running))


def terms_for_energy(sorted_scores: Floats, energy: float) -> int:
    """How many of the best terms it takes to hold that share of all scores."""
    return min(int(np.searchsorted(energy_curve(sorted_scores), energy)) + 1, len(sorted_scores))


class OCFS(TermSelector):
    """Select terms by orthogonal-centroid feature selection: sum over classes of (n_j/n)(class mean - mean)^2.

    It looks at weights, so it is at its best after `TermWeighter`; from bare counts it chooses frequent words.

    Parameters
    ----------
    k : int, float, "all" or None
        How many terms: a number, a share of all, or all. None is 1,000, or no limit if another limit is given.
    energy : float or None
        Keep the fewest terms that together hold this share of all scores; the paper takes 0.8.
    min_score : float or None
        Keep terms of at least this score.
    """

    def __init__(self, *, k: Limit = None, energy: float | None = None, min_score: float | None = None) -> None:
        self.k = k
        self.energy = energy
        self.min_score = min_score

    def _score(self, stats: ClassStats) -> Floats:
        return between_class_scatter(stats)

    def _class_scorer(self, stats: ClassStats) -> ScoreForClass:
        return lambda number: scatter_of_class(stats, number)

    def _most(self, scores: Floats, ranking: Ints) -> int | None:
        most = super()._most(scores, ranking)
        if self.energy is None:
            return most
        if isinstance(self.energy, bool) or not (isinstance(self.energy, float | int) and 0.0 < self.energy <= 1.0):
            raise InputError(f"energy={self.energy!r}; use a share above 0.0 and up to 1.0, for example 0.8.")
        enough = terms_for_energy(scores[ranking], self.energy)
        return enough if most is None else min(most, enough)
