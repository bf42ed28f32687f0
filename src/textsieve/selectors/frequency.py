"""Document frequency: the number of documents with a term. It needs no labels and counts unlabelled documents too."""

import math

import numpy as np

from ..arrays import Floats
from ..errors import InputError
from ..settings import is_whole
from ..stats import ClassStats
from .base import Limit, ScoreForClass, TermSelector


def document_frequency(stats: ClassStats) -> Floats:
    """Return the document frequency of each term."""
    return stats.doc_freq.astype(np.float64)


class DocumentFrequency(TermSelector):
    """Select terms by document frequency.

    Parameters
    ----------
    min_df : int or float
        Select terms that occur in at least this many documents: a number, or a fraction of the documents.
    k : int, float, "all" or None
        Select at most this many of them: a number, or a fraction of all terms. "all" and None mean no limit.

    Examples
    --------
    >>> from textsieve import DocumentFrequency
    >>> X = [[2, 0, 1, 0], [1, 1, 0, 0], [0, 2, 1, 1], [0, 1, 0, 2]]  # counts: documents x terms
    >>> y = ["sport", "sport", "politics", "politics"]
    >>> selector = DocumentFrequency(k=2).fit(X, y)
    >>> selector.scores_.round(3)
    array([2., 3., 2., 2.])
    >>> selector.ranking_
    array([1, 0, 2, 3])
    """

    def __init__(self, *, min_df: float = 1, k: Limit = None) -> None:
        self.min_df = min_df
        self.k = k

    def _needs_labels(self) -> bool:
        """Return False: document frequencies do not depend on labels."""
        return False

    def score_terms(self, stats: ClassStats) -> Floats:
        """Return the document frequency of each term."""
        return document_frequency(stats)

    def class_scorer(self, stats: ClassStats) -> ScoreForClass:
        """Return a function that gives the number of documents of a class with each term.

        It returns 0 for a term that is no more frequent in the class than in all labelled documents.
        """
        return lambda number: np.where(stats.favours(number), stats.class_doc_freq(number), 0.0)

    def least_score(self, stats: ClassStats) -> float | None:
        """Return the setting `min_df`, which may be a fraction of the documents, as a number of documents."""
        if is_whole(self.min_df) and self.min_df >= 0:
            return float(self.min_df)
        if isinstance(self.min_df, float) and 0.0 <= self.min_df <= 1.0:
            if isinstance(stats.n_documents, float):  # sums of sample weights, with a tolerance for rounding
                return float(self.min_df * stats.n_documents * (1.0 - 1e-9))
            # Rounded first: as floats, 0.14 x 50 is slightly above 7.
            return float(math.ceil(round(self.min_df * stats.n_documents, 9)))
        raise InputError(
            setting="min_df", value=self.min_df, hint="use a number of documents, or a share from 0.0 to 1.0"
        )
