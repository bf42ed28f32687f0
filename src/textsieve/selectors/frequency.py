"""Document frequency: in how many documents a term is. It needs no labels, and counts unlabelled documents too."""

import math

import numpy as np

from ..errors import InputError
from ..settings import is_whole
from ..stats import ClassStats
from ..stats.sums import Floats
from .base import Limit, TermSelector


def document_frequency(stats: ClassStats) -> Floats:
    """The number of documents that have each term."""
    return stats.doc_freq.astype(np.float64)


class DocumentFrequency(TermSelector):
    """Select terms by the number of documents that have them.

    Parameters
    ----------
    min_df : int or float
        Keep terms that are in at least this many documents: a number, or a share of the documents.
    k : int, float, "all" or None
        Keep this many of them at the most: a number, a share of all terms, or (all, None) no limit.
    """

    def __init__(self, *, min_df: float = 1, k: Limit = None) -> None:
        self.min_df = min_df
        self.k = k

    def _needs_labels(self) -> bool:
        return False

    def _score(self, stats: ClassStats) -> Floats:
        return document_frequency(stats)

    def _least_score(self, stats: ClassStats) -> float | None:
        if is_whole(self.min_df) and self.min_df >= 0:
            return float(self.min_df)
        if isinstance(self.min_df, float) and 0.0 <= self.min_df <= 1.0:
            if isinstance(stats.n_documents, float):
                return float(self.min_df * stats.n_documents * (1.0 - 1e-9))
            return float(math.ceil(round(self.min_df * stats.n_documents, 9)))  # 0.14 x 50 is a little more than 7
        raise InputError(f"min_df={self.min_df!r}; use a number of documents, or a share from 0.0 to 1.0.")
