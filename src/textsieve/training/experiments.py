"""Labelled counts of a corpus, and selection and weighting as one transformer, for experiments with random splits.

`ChosenTerms` does what a `Categorizer` does before it trains: it drops terms outside the limits on document frequency,
selects among the others, and weighs the counts. Everything is learned from the documents to which it is fitted, so
fitted to the training documents of a split, it has seen none of the others.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..categorizer_settings import Limits
from ..corpus import Corpus
from ..errors import InputError, Setting, counted
from ..registry import selection_scheme
from ..selectors import TermSelector
from ..text.counter import TermCounter
from ..text.schemes import SMOOTH, Scheme
from ..text.weights import INVERSE_FREQUENCIES
from .counted_documents import CountedDocuments, Progress, columns_in_order, count_corpus, weighted
from .ranking import fitted_selector, kept_columns, with_every_label
from .targets import Targets


class LabelledCounts(NamedTuple):
    """The counts of all terms, and a label for each document."""

    counts: csr_matrix
    labels: NDArray[Any]
    limits: Limits
    """Of the documents that a term may be in; not kept to yet."""
    n_seen: int
    """How many documents there were: these are a sample if there were more with a label."""
    n_unlabelled: int


def labelled_counts(corpus: Corpus, *, progress: Progress, n_jobs: int = -1, **reading: Any) -> LabelledCounts:
    """Count the labelled documents of a corpus, or a sample if they don't fit into memory.

    `reading` has the settings of a `TermCounter`. Unlabelled documents are left out.
    """
    limits: Limits = {"min_df": reading.pop("min_df", 1), "max_df": reading.pop("max_df", 1.0)}
    counter = TermCounter(**reading, dtype=np.int32, n_jobs=n_jobs)
    found = count_corpus(corpus, counter, limits, multilabel=None, want_stats=False, progress=progress)
    counts = found if isinstance(found, CountedDocuments) else found.sample
    _require_one_label(corpus, counts.targets)
    usable = np.flatnonzero(counts.targets.first >= 0)
    if not len(usable):
        raise InputError(
            "no document has a label, so there is nothing to learn",
            place=corpus.name,
            hint=("In a table, name the column of the labels with ", Setting("label")),
        )
    kept = counts.take(usable)
    if not kept.counts.nnz:
        raise InputError(
            "there is no term in any document that has a label", place=corpus.name, hint="give documents with words"
        )
    if len(set(kept.targets.first.tolist())) < 2:
        label = kept.targets.classes[int(kept.targets.first[0])]
        raise InputError(
            f"all documents are of the class {label!r}", place=corpus.name, hint="give documents of another one too"
        )
    labels = np.array([kept.targets.classes[number] for number in kept.targets.first.tolist()])
    n_unlabelled = int((found.targets.first < 0).sum())
    return LabelledCounts(kept.counts, labels, kept.limits, found.targets.n_documents, n_unlabelled)


def _require_one_label(corpus: Corpus, targets: Targets) -> None:
    with_more = np.flatnonzero(np.bincount(np.concatenate([np.empty(0, np.int64), *targets.members])) > 1)
    if len(with_more):
        raise InputError(
            f"{counted(len(with_more), 'document has', 'documents have')} several labels, and what is "
            "measured here is how often one is right",
            place=corpus.name,
            hint="give documents of one label each",
        )


def usual_n_terms(n_seen: int) -> int:
    """Return a quarter of all terms in whole thousands, as in the paper (5,000 of 22,244), at least 1,000."""
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
        """Select terms, given the counts of all terms in labelled documents (documents x terms)."""
        targets = Targets.of(y, X.shape[0], multilabel=False)
        # Selection uses only the counts, so the terms themselves are left empty.
        counted = CountedDocuments(
            csr_matrix(X), [""] * X.shape[1], targets, {"min_df": self.min_df, "max_df": self.max_df}
        )
        data = counted.selection_data(selection_scheme(self.selector))
        fitted = fitted_selector(with_every_label(self.selector), data.stats, self.n_terms, data.weights)
        kept = np.sort(kept_columns(fitted, self.n_terms))
        self.columns_, self.scores_ = data.columns[kept], fitted.scores_[kept]
        doc_freq = counted.doc_freq[self.columns_]
        self.idf_ = INVERSE_FREQUENCIES[self.scheme.idf](doc_freq, targets.n_documents)
        return self

    def transform(self, X: Any) -> csr_matrix:
        """Return the weights of the selected terms in any documents."""
        check_is_fitted(self)
        return weighted(columns_in_order(csr_matrix(X), self.columns_), self.scheme, self.idf_, np.float64)
