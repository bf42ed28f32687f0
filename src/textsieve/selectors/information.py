"""Information gain and mutual information, in bits.

**Information gain** is what knowing whether a document has the term tells of its class: H(C) - P(t) H(C|t) - P(not t)
H(C|not t), over all classes at once (Yan et al. 2005; Gangeh et al.). As a sum over the cells of the table {term, no
term} x classes it is sum P(t,c) log(P(t,c) / P(t)P(c)). With A documents of class j that have the term, n_j of the
class, df with the term and n in all, the ratio in the logarithm is 1 + Δ / (row total x column total) with Δ = ±(A n
- df n_j), a whole number; so `log1p` keeps the digits of terms that hardly tell anything. Cells that no document
filled need no look: for them A = 0, and their part depends on df alone.

**Per class** (Pons-Porrata et al.) the table is 2 x 2, {class, other} x {term, no term}; one score per term comes
from pooling.

**Mutual information** is pointwise: log P(t,c) / (P(t)P(c)), pooled over classes. A class that never has the term
would give minus infinity, and with it nearly every term; such a cell counts 0, as the evidence it is: none.
"""

from typing import ClassVar

import numpy as np

from ..kernels.gain import LOGARITHMS, joint_gain
from ..stats import ClassStats
from ..stats.sums import Counts, Floats
from .base import Limit
from .pooled import GainPooling, PooledSelector

_PER_BIT = 1.0 / np.log(2.0)


def information_gain(stats: ClassStats) -> Floats:
    """The information gain of each term about the class, in bits."""
    n = stats.n_pairs
    if n == 0:
        return np.zeros(stats.n_terms)
    cells = stats.cells
    n_logs = 0 if stats.class_docs.dtype.kind == "f" else LOGARITHMS
    gain = joint_gain(cells.class_starts, stats.class_docs, cells.terms, cells.doc_freq, stats.n_terms, n_logs)
    return np.asarray(np.clip(gain * (_PER_BIT / n), 0.0, class_entropy(stats)))


def class_entropy(stats: ClassStats) -> float:
    """H(C): the bits that the class of a document has."""
    shares = stats.class_docs[stats.class_docs > 0] / (stats.n_pairs or 1)
    return float(-(shares * np.log2(shares)).sum())


def information_gain_of_class(with_term: Counts, doc_freq: Counts, size: float, n: float) -> Floats:
    """The information gain of each term about being in one class or not, in bits."""
    excess = (with_term * n - doc_freq * size).astype(np.float64)

    def part(count: Counts, row: Counts, column: float, sign: float) -> Floats:
        expected = row.astype(np.float64) * column
        filled = (count > 0) & (expected > 0)
        ratio = np.divide(sign * excess, expected, out=np.zeros_like(excess), where=filled)
        return np.asarray(count * np.log1p(ratio, out=ratio, where=filled))

    without = n - doc_freq
    # Added in pairs, so that a class and all others, of which one is as well told as the other, get the same score.
    with_it = part(with_term, doc_freq, size, 1.0) + part(doc_freq - with_term, doc_freq, n - size, -1.0)
    without_it = part(size - with_term, without, size, -1.0) + part(without - size + with_term, without, n - size, 1.0)
    return np.asarray(np.maximum((with_it + without_it) * (_PER_BIT / (n or 1)), 0.0))


def mutual_information_of_class(with_term: Counts, doc_freq: Counts, size: float, n: float) -> Floats:
    """The pointwise mutual information of each term and one class, in bits; 0 where they never meet."""
    scores = np.zeros(len(with_term))
    filled = with_term > 0
    # One division of whole numbers: equal ratios give equal scores to the last bit, and ties stay ties.
    scores[filled] = np.log2((with_term[filled] * n) / (doc_freq[filled] * size))
    return scores


class InformationGain(PooledSelector):
    """Select terms by information gain, in bits: what the presence of a term tells of the class.

    Parameters
    ----------
    k : int, float, "all" or None
        How many terms: a number, a share of all, or all. None is 1,000, or no limit if `min_score` is given.
    min_score : float or None
        Keep terms of at least this score.
    pooling : {"joint", "mean", "max", "round-robin"}
        "joint" is the gain about all classes at once; the others pool the gains about each class: the mean weighted by
        class probability, the best, or a ranking in which the classes take turns.
    """

    _own_poolings: ClassVar = {"joint": information_gain}
    _score_class = staticmethod(information_gain_of_class)

    def __init__(self, *, k: Limit = None, min_score: float | None = None, pooling: GainPooling = "joint") -> None:
        self.k = k
        self.min_score = min_score
        self.pooling = pooling


class MutualInformation(PooledSelector):
    """Select terms by pointwise mutual information, log2 P(t,c) / (P(t)P(c)), which favours rare terms.

    Parameters
    ----------
    k : int, float, "all" or None
        How many terms: a number, a share of all, or all. None is 1,000, or no limit if `min_score` is given.
    min_score : float or None
        Keep terms of at least this score.
    pooling : {"mean", "max", "round-robin"}
        How the scores of a term in each class become one.
    """

    _score_class = staticmethod(mutual_information_of_class)
