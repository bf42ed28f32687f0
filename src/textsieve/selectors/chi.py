"""Chi-square: how far the counts of a term and a class deviate from those expected by chance.

Let A be the number of documents of the class with the term, B that of other classes with it, and C and D the numbers
without it, of the class and of other classes. Let n_j = A + C be the documents of the class, df = A + B those with the
term, and n all documents. The statistic of the 2 x 2 table is

    n (AD - CB)^2 / ((A+C)(B+D)(A+B)(C+D)) = n (A n - df n_j)^2 / (n_j (n - n_j) df (n - df)).

If counts are integers, the difference A n - df n_j is exact. If the denominator is 0 (a class with no or all documents,
or a term in no or in every document), the score is 0, because the term cannot distinguish anything. To get one score
per term, Yan et al. (2005) take the mean of its scores for the classes, weighted by class probability; the maximum is
also common.
"""

from typing import ClassVar

import numpy as np

from ..arrays import Counts, Floats
from ..kernels.term_scores import mean_chi_square
from ..stats import ClassStats
from .pooled import PooledSelector


def chi_square_of_class(with_term: Counts, doc_freq: Counts, size: float, n: float) -> Floats:
    """Return the chi-square statistic of each term for one class; 0 where its denominator is 0.

    Arguments are numbers of documents: `with_term` of the class with the term (A), `doc_freq` of all classes with the
    term (df), `size` of the class (n_j), `n` of all classes.
    """
    excess = (with_term * n - doc_freq * size).astype(np.float64)  # n times (A - the number expected by chance)
    # Dividing the denominator by n replaces the factor n of the numerator.
    denominator = (
        (doc_freq * (n - doc_freq)).astype(np.float64) * (size / n * (n - size)) if n else np.zeros(len(doc_freq))
    )
    return np.divide(excess * excess, denominator, out=np.zeros_like(excess), where=denominator > 0)


def chi_square(stats: ClassStats) -> Floats:
    """Return the mean chi-square statistic of each term over the classes, weighted by class probability."""
    cells = stats.cells
    return mean_chi_square(cells.class_starts, stats.class_docs, cells.terms, cells.doc_freq, stats.n_terms)


class ChiSquare(PooledSelector):
    """Select terms by chi-square: n (AD - CB)^2 / ((A+C)(B+D)(A+B)(C+D)) for each class, then pooled.

    A and B are the numbers of documents with the term, in the class and in other classes; C and D those without it.
    scikit-learn's `chi2` instead sums the term counts of each class and compares the sums with those expected from
    class probabilities, so its values differ.

    Parameters
    ----------
    k : int, float, "all" or None
        How many terms to select: a number, a fraction of all terms, or "all". None is 1,000, or no limit if `min_score`
        is given.
    min_score : float or None
        Select only terms with at least this score.
    pooling : {"mean", "max", "round-robin"}
        How the class scores of a term are combined: the mean weighted by class probability, the maximum, or a ranking
        in which the classes take turns.

    Examples
    --------
    >>> from textsieve import ChiSquare
    >>> X = [[2, 0, 1, 0], [1, 1, 0, 0], [0, 2, 1, 1], [0, 1, 0, 2]]  # counts: documents x terms
    >>> y = ["sport", "sport", "politics", "politics"]
    >>> selector = ChiSquare(k=2).fit(X, y)
    >>> selector.scores_.round(3)
    array([4.   , 1.333, 0.   , 4.   ])
    >>> selector.ranking_
    array([0, 3, 1, 2])
    """

    _own_poolings: ClassVar = {"mean": chi_square}
    score_class = staticmethod(chi_square_of_class)
