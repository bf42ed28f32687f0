"""Terms chosen and weighted as some documents say, and others by the same terms and weights: one step of a pipeline.

What a `Categorizer` does before it trains, for experiments that train otherwise: terms in too few or too many documents
are left out, a selector chooses among the others, and what is left is weighted. Everything is learned from the
documents that it is fitted to, so that fitted to the training documents of a split it has seen none of the others.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..selectors import TermSelector
from ..selectors.named import scheme_for
from ..stats import ClassStats
from ..text.schemes import SMOOTH, Scheme
from ..text.weights import INVERSE_FREQUENCIES
from .documents import Counted, columns_in_order, weighted
from .ranking import fitted_selector, kept_columns, with_every_label
from .targets import Targets


def usual_n_terms(n_seen: int) -> int:
    """The thousands in a quarter of all terms, as the paper has it (5,000 of 22,244); at least 1,000."""
    return max(n_seen // 4 // 1000, 1) * 1000


class ChosenTerms(TransformerMixin, BaseEstimator):
    """Counts of all terms to weights of the best ones.

    Parameters
    ----------
    selector : TermSelector
    n_terms : int or None
        How many terms are kept at the most; None: as many as the selector says.
    min_df, max_df : int or float
        Terms in fewer or in more documents are left out first: numbers, or shares of the documents.
    scheme : Scheme
        How the counts of the chosen terms are weighted.

    Attributes
    ----------
    columns_ : the columns of the chosen terms, ascending
    scores_ : the selector's score of each
    """

    def __init__(
        self,
        *,
        selector: TermSelector,
        n_terms: int | None = None,
        min_df: float = 0.01,
        max_df: float = 1.0,
        scheme: Scheme = SMOOTH,
    ) -> None:
        self.selector = selector
        self.n_terms = n_terms
        self.min_df = min_df
        self.max_df = max_df
        self.scheme = scheme

    def fit(self, X: Any, y: Any) -> Self:
        """Choose among the terms of labelled documents, given by their counts."""
        targets = Targets.of(y, X.shape[0], multilabel=False)
        counted = Counted(csr_matrix(X), [], targets, {"min_df": self.min_df, "max_df": self.max_df})
        within = counted.columns_within_limits
        counts = columns_in_order(counted.counts, within)
        weights = Counted(counts, [], targets, counted.limits).weights(scheme_for(self.selector))
        stats = ClassStats.from_matrix(weights, targets.for_stats())
        fitted = fitted_selector(with_every_label(self.selector), stats, self.n_terms, lambda: [weights])
        kept = np.sort(kept_columns(fitted, self.n_terms))
        self.columns_, self.scores_ = within[kept], fitted.scores_[kept]
        doc_freq = np.bincount(counts.indices, minlength=counts.shape[1])[kept]
        self.idf_ = INVERSE_FREQUENCIES[self.scheme.idf](doc_freq, targets.n_documents)
        return self

    def transform(self, X: Any) -> csr_matrix:
        """The weights of the chosen terms, of any documents."""
        check_is_fitted(self)
        return weighted(columns_in_order(csr_matrix(X), self.columns_), self.scheme, self.idf_, np.float64)
