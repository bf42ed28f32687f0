"""What becomes of counts before a classifier sees them: which terms are kept, how they are weighted, in which order.

Terms come first and their weights after that, but for one weighting, which weighs all terms, makes documents of length
1 of these, and cuts terms off afterwards: what is left of a document then says by its length how many rare words it
had. Terms are chosen from the documents to learn from; chosen from all documents, those that are tested too, they are
a peek at the answers, which some experiments have taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler

from textsieve.arrays import Ints
from textsieve.selectors import Cascade, DocumentFrequency, InformationGain
from textsieve.selectors.base import TermSelector
from textsieve.text import TermWeighter

N_TERMS = 5_000
MIN_DF = 0.01

Weighting = Callable[[Any], Any]


def chosen_terms(k: int = N_TERMS) -> TermSelector:
    """Terms in less than 1 % of the documents out, then the k of most information gain."""
    return Cascade([DocumentFrequency(min_df=MIN_DF), InformationGain(k=k)])


STAGES: dict[str, Callable[[], TermSelector]] = {
    "all": lambda: DocumentFrequency(min_df=1),
    "DF": lambda: DocumentFrequency(min_df=MIN_DF),
    "DF + IG": chosen_terms,
}
"""Which terms are kept."""


def _after(tf: str, idf: str, norm: str) -> Weighting:
    return lambda terms: make_pipeline(terms, TermWeighter(tf=tf, idf=idf, norm=norm))


CUT = "tf-idf of all terms, then cut"
WEIGHTINGS: dict[str, Weighting] = {
    "counts": _after("tf", "none", "none"),
    "counts / their largest": lambda terms: make_pipeline(terms, MaxAbsScaler()),
    "binary": _after("binary", "none", "none"),
    "tf, length 1": _after("tf", "none", "l2"),
    "log tf, length 1": _after("log", "none", "l2"),
    "tf-idf, length 1": _after("tf", "plain", "l2"),
    "ltc": _after("log", "plain", "l2"),
    "loglog, smooth idf": _after("loglog", "smooth", "l2"),
    CUT: lambda terms: make_pipeline(TermWeighter(tf="tf", idf="plain", norm="l2"), terms),
}
"""By name: what makes a pipeline of chosen terms."""


@dataclass(frozen=True)
class Preparation:
    """Terms, their weights, and whom the terms are chosen from."""

    terms: str = "DF + IG"
    """A row of `STAGES`."""
    weights: str = "counts"
    """A row of `WEIGHTINGS`."""
    chosen_from: Literal["training", "all"] = "training"

    def pipeline(self, counts: csr_matrix, numbers: Ints) -> Any:
        """What is to be fitted to documents to learn from; it is given all of them, to choose terms from or not."""
        if self.chosen_from == "training":
            return WEIGHTINGS[self.weights](STAGES[self.terms]())
        columns = np.flatnonzero(STAGES[self.terms]().fit(counts, numbers).get_support())
        return WEIGHTINGS[self.weights](FunctionTransformer(partial(_taken, columns=columns)))


def _taken(rows: csr_matrix, columns: Ints) -> csr_matrix:
    return csr_matrix(rows[:, columns])
