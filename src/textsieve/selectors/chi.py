"""Chi-square: how far the counts of a term and a class are from what chance would give.

With A documents of the class that have the term, n_j of the class, df with the term and n in all, the statistic of
the 2 x 2 table is n (AD - CB)^2 / ((A+C)(B+D)(A+B)(C+D)) = n (A n - df n_j)^2 / (n_j (n - n_j) df (n - df)). The
difference is a whole number and exact. A zero below the line (no such class, a term in no or in every document)
scores 0: there is nothing to tell apart. Yan et al. (2005) pool by the mean weighted with class probability; `max` is
common too.
"""

from typing import ClassVar

import numpy as np

from ..kernels.chi import mean_chi_square
from ..stats import ClassStats
from ..stats.sums import Counts, Floats
from .pooled import PooledSelector


def chi_square_of_class(with_term: Counts, doc_freq: Counts, size: float, n: float) -> Floats:
    """The chi-square statistic of each term and one class."""
    excess = (with_term * n - doc_freq * size).astype(np.float64)
    spread = (doc_freq * (n - doc_freq)).astype(np.float64) * (size / n * (n - size)) if n else np.zeros(len(doc_freq))
    return np.divide(excess * excess, spread, out=np.zeros_like(excess), where=spread > 0)


def chi_square(stats: ClassStats) -> Floats:
    """The mean of each term's statistics over the classes, weighted by class probability."""
    cells = stats.cells
    return mean_chi_square(cells.class_starts, stats.class_docs, cells.terms, cells.doc_freq, stats.n_terms)


class ChiSquare(PooledSelector):
    """Select terms by chi-square: n (AD - CB)^2 / ((A+C)(B+D)(A+B)(C+D)) of each class, then pooled.

    A to D count documents with and without the term, in the class and elsewhere; scikit-learn's `chi2` adds up counts
    of the term instead, and compares them with class probabilities, so its figures are others.

    Parameters
    ----------
    k : int, float, "all" or None
        How many terms: a number, a share of all, or all. None is 1,000, or no limit if `min_score` is given.
    min_score : float or None
        Keep terms of at least this score.
    pooling : {"mean", "max", "round-robin"}
        How the scores of a term in each class become one: the mean weighted by class probability, the best, or a
        ranking in which the classes take turns.
    """

    _own_poolings: ClassVar = {"mean": chi_square}
    _score_class = staticmethod(chi_square_of_class)
