"""Information gain and mutual information, in bits.

**Information gain** is how much the presence or absence of a term t tells about the class C of a document, over all
classes at once (Yan et al. 2005; Gangeh et al.):

    H(C) - P(t) H(C|t) - P(not t) H(C|not t).

It is the sum of P(t,c) log(P(t,c) / P(t)P(c)) over the cells of the table {term, no term} x classes. Let A be the
number of documents of class j that contain the term, n_j the documents of the class, df the documents with the term,
and n all documents. With Δ = A n - df n_j, the ratio in the logarithm is 1 + Δ / (df n_j) for the documents of class j
with the term, and 1 - Δ / ((n - df) n_j) for those without it. Δ is an integer, so `log1p` stays accurate for terms
with very little information. Classes without the term need not be visited: their A is 0, so their contribution depends
only on df, n_j and n.

**Per class** (Pons-Porrata et al.) the table is 2 x 2, {class, other} x {term, no term}; pooling turns the class scores
into one score per term.

**Mutual information** is pointwise: log(P(t,c) / (P(t)P(c))), pooled over classes. A class that never contains the term
would contribute minus infinity, and nearly every term is missing in some class. Such a class contributes 0 instead,
because the term is no evidence for it.
"""

from typing import ClassVar

import numpy as np

from ..arrays import Counts, Floats
from ..kernels.term_scores import N_LOGARITHMS, joint_gain
from ..stats import ClassStats
from .base import Limit
from .pooled import GainPooling, PooledSelector

_BITS_PER_NAT = 1.0 / np.log(2.0)
"""The factor that converts natural logarithms to logarithms to base 2."""


def information_gain(stats: ClassStats) -> Floats:
    """Return the information gain of each term about the class, in bits."""
    n = stats.n_pairs
    if n == 0:
        return np.zeros(stats.n_terms)
    cells = stats.cells  # statistics of each class and each term that occurs in it
    # The kernel looks up logarithms of integer counts in a table of this size; sums of sample weights are floats.
    n_logs = 0 if stats.class_docs.dtype.kind == "f" else N_LOGARITHMS
    gain = joint_gain(cells.class_starts, stats.class_docs, cells.terms, cells.doc_freq, stats.n_terms, n_logs)
    bits = gain * (_BITS_PER_NAT / n)  # `gain` is in nats, times n
    # A gain is between 0 and the entropy of the class; rounding errors may be just outside.
    return np.asarray(np.clip(bits, 0.0, class_entropy(stats)))


def class_entropy(stats: ClassStats) -> float:
    """Return H(C), the entropy of the class of a document, in bits; 0 if no document has a label."""
    shares = stats.class_docs[stats.class_docs > 0] / (stats.n_pairs or 1)
    return float(-(shares * np.log2(shares)).sum())


def information_gain_of_class(with_term: Counts, doc_freq: Counts, size: float, n: float) -> Floats:
    """Return the information gain of each term about membership in one class, in bits.

    Arguments are numbers of documents: `with_term` of the class with the term (A), `doc_freq` of all classes with the
    term (df), `size` of the class (n_j), `n` of all classes.
    """
    excess = (with_term * n - doc_freq * size).astype(np.float64)  # n times (A - the number expected by chance)

    def cell(count: Counts, row_total: Counts, column_total: float, sign: float) -> Floats:
        """Return what one cell of the 2 x 2 table adds: count log(1 + sign excess / (row total x column total)).

        It is 0 if the cell is empty. Rows are with and without the term, columns are the class and the others.
        """
        product = row_total.astype(np.float64) * column_total
        is_filled = (count > 0) & (product > 0)
        ratio = np.divide(sign * excess, product, out=np.zeros_like(excess), where=is_filled)
        return np.asarray(count * np.log1p(ratio, out=ratio, where=is_filled))  # in empty cells, the ratio stays 0

    without_term = n - doc_freq
    # `present` is about documents with the term, of the class and of other classes; `absent` about those without it.
    # Cells are added in pairs, so that a class and its complement, which are equally predictable, get exactly the same
    # score.
    present = cell(with_term, doc_freq, size, sign=1.0) + cell(doc_freq - with_term, doc_freq, n - size, sign=-1.0)
    absent = cell(size - with_term, without_term, size, sign=-1.0) + cell(
        without_term - size + with_term, without_term, n - size, sign=1.0
    )
    # `n or 1` avoids a division by zero. Rounding errors could make a gain of 0 negative.
    return np.asarray(np.maximum((present + absent) * (_BITS_PER_NAT / (n or 1)), 0.0))


def mutual_information_of_class(with_term: Counts, doc_freq: Counts, size: float, n: float) -> Floats:
    """Return the pointwise mutual information of each term and one class, in bits; 0 if they never occur together.

    The arguments are those of `information_gain_of_class`.
    """
    scores = np.zeros(len(with_term))
    occurs = with_term > 0
    # A single division of integers: equal ratios give bitwise equal scores, so ties remain ties.
    scores[occurs] = np.log2((with_term[occurs] * n) / (doc_freq[occurs] * size))
    return scores


class InformationGain(PooledSelector):
    """Select terms by information gain, in bits: how much the presence of a term tells about the class.

    Parameters
    ----------
    k : int, float, "all" or None
        How many terms to select: a number, a fraction of all terms, or "all". None is 1,000, or no limit if `min_score`
        is given.
    min_score : float or None
        Select only terms with at least this score.
    pooling : {"joint", "mean", "max", "round-robin"}
        "joint" is the gain about all classes at once. The others pool the gains about each class: the mean weighted by
        class probability, the maximum, or a ranking in which the classes take turns.

    Examples
    --------
    >>> from textsieve import InformationGain
    >>> X = [[2, 0, 1, 0], [1, 1, 0, 0], [0, 2, 1, 1], [0, 1, 0, 2]]  # counts: documents x terms
    >>> y = ["sport", "sport", "politics", "politics"]
    >>> selector = InformationGain(k=2).fit(X, y)
    >>> selector.scores_.round(3)
    array([1.   , 0.311, 0.   , 1.   ])
    >>> selector.ranking_
    array([0, 3, 1, 2])
    """

    _own_poolings: ClassVar = {"joint": information_gain}
    score_class = staticmethod(information_gain_of_class)

    def __init__(self, *, k: Limit = None, min_score: float | None = None, pooling: GainPooling = "joint") -> None:
        self.k = k
        self.min_score = min_score
        self.pooling = pooling


class MutualInformation(PooledSelector):
    """Select terms by pointwise mutual information, log2 P(t,c) / (P(t)P(c)), which favours rare terms.

    Parameters
    ----------
    k : int, float, "all" or None
        How many terms to select: a number, a fraction of all terms, or "all". None is 1,000, or no limit if `min_score`
        is given.
    min_score : float or None
        Select only terms with at least this score.
    pooling : {"mean", "max", "round-robin"}
        How the class scores of a term are combined, as for `ChiSquare`.

    Examples
    --------
    >>> from textsieve import MutualInformation
    >>> X = [[2, 0, 1, 0], [1, 1, 0, 0], [0, 2, 1, 1], [0, 1, 0, 2]]  # counts: documents x terms
    >>> y = ["sport", "sport", "politics", "politics"]
    >>> selector = MutualInformation(k=2).fit(X, y)
    >>> selector.scores_.round(3)
    array([ 0.5  , -0.085,  0.   ,  0.5  ])
    >>> selector.ranking_
    array([0, 3, 2, 1])
    """

    score_class = staticmethod(mutual_information_of_class)
