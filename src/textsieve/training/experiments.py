"""Labelled counts of a corpus, and selection and weighting as one transformer, for experiments with random splits.

`SelectedTermWeights` does what a `Categorizer` does before it trains: it drops terms outside the limits on document
frequency, selects among the others, and weighs the counts. In a split of the documents, it is fitted to the training
documents only, so nothing of the test documents influences the selection.
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
from ..text.choices import SMOOTH, Scheme
from ..text.counter import TermCounter
from ..text.vocabulary import SpelledTerms
from ..text.weights import INVERSE_FREQUENCIES
from .counted_documents import CountedDocuments, Progress, count_corpus, take_columns, weigh_to_matrix
from .ranking import fitted_selector, kept_columns, with_every_label
from .targets import Targets


class LabelledCounts(NamedTuple):
    """The counts of all terms in the labelled documents of a corpus, or in a sample of them."""

    counts: csr_matrix
    """Documents x terms."""
    labels: NDArray[Any]
    """The label of each document."""
    limits: Limits
    """`min_df` and `max_df`, which are not yet applied to `counts`; for a sample, numbers of documents are scaled."""
    n_seen: int
    """The number of documents in the corpus, labelled or not."""
    n_unlabelled: int
    """The number of unlabelled documents in the corpus."""


def labelled_counts(corpus: Corpus, *, progress: Progress, n_jobs: int = -1, **reading: Any) -> LabelledCounts:
    """Count the labelled documents of a corpus, or those of a sample if not all fit into memory.

    `reading` has the settings of a `TermCounter`. Raises `InputError` for documents with several labels, and if fewer
    than two classes are left.
    """
    limits: Limits = {"min_df": reading.pop("min_df", 1), "max_df": reading.pop("max_df", 1.0)}
    counter = TermCounter(**reading, dtype=np.int32, n_jobs=n_jobs)
    documents = count_corpus(corpus, counter, limits, multilabel=None, want_stats=False, progress=progress)
    sample = documents.sample
    _require_single_labels(corpus, sample.targets)
    labelled_rows = np.flatnonzero(sample.targets.first_class >= 0)  # -1: unlabelled
    if not len(labelled_rows):
        raise InputError(
            "no document has a label, so there is nothing to learn",
            place=corpus.name,
            hint=("In a table, name the column of the labels with ", Setting("label")),
        )
    labelled = sample.take(labelled_rows)
    if not labelled.counts.nnz:
        raise InputError(
            "there is no term in any document that has a label", place=corpus.name, hint="give documents with words"
        )
    if len(set(labelled.targets.first_class.tolist())) < 2:
        label = labelled.targets.classes[int(labelled.targets.first_class[0])]
        raise InputError(
            f"all documents are of the class {label!r}", place=corpus.name, hint="give documents of another one too"
        )
    labels = np.array([labelled.targets.classes[number] for number in labelled.targets.first_class.tolist()])
    n_unlabelled = int((documents.targets.first_class < 0).sum())
    return LabelledCounts(labelled.counts, labels, labelled.limits, documents.targets.n_documents, n_unlabelled)


def _require_single_labels(corpus: Corpus, targets: Targets) -> None:
    """Raise `InputError` if documents have several labels."""
    # The number of labels of each document; the empty array is for the case of no classes.
    n_labels = np.bincount(np.concatenate([np.empty(0, np.int64), *targets.members]))
    n_multilabel = int((n_labels > 1).sum())
    if n_multilabel:
        raise InputError(
            f"{counted(n_multilabel, 'document has', 'documents have')} several labels, and what is "
            "measured here is how often one is right",
            place=corpus.name,
            hint="give documents of one label each",
        )


def default_n_terms(n_terms_seen: int) -> int:
    """Return the default number of selected terms: a quarter of all, rounded down to thousands, at least 1,000.

    The paper on random subspaces (see docs/research/papers/subspace.md) selects about as many: 5,000 of 22,244.
    """
    return max(n_terms_seen // 4 // 1000, 1) * 1000


class SelectedTermWeights(TransformerMixin, BaseEstimator):
    """Transform counts of all terms to weights of the selected terms.

    Parameters
    ----------
    selector : TermSelector
    n_terms : int or None
        The maximum number of selected terms; None: as many as the selector chooses.
    min_df, max_df : int or float
        Terms in fewer or in more documents are left out first: numbers, or shares of the documents.
    scheme : Scheme
        How the counts of the selected terms are weighted.

    Attributes
    ----------
    columns_ : the columns of the selected terms, ascending
    scores_ : the selector's score of each selected term
    idf_ : the inverse document frequency of each selected term
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
        # Selection reads the counts only, so the texts of the terms can be empty.
        terms, limits = SpelledTerms([""] * X.shape[1]), Limits(min_df=self.min_df, max_df=self.max_df)
        counted = CountedDocuments(csr_matrix(X), terms, targets, limits)
        data = counted.selection_data(selection_scheme(self.selector))
        selector = with_every_label(self.selector)
        fitted = fitted_selector(selector, data.stats, self.n_terms, data.weights, labels=data.labels)
        selected = np.sort(kept_columns(fitted, self.n_terms))  # columns among the terms within the limits
        self.columns_, self.scores_ = data.columns[selected], fitted.scores_[selected]
        doc_freq = counted.doc_freq[self.columns_]
        self.idf_ = INVERSE_FREQUENCIES[self.scheme.idf](doc_freq, targets.n_documents)
        return self

    def transform(self, X: Any) -> csr_matrix:
        """Return the weights of the selected terms (documents x terms), given the counts of all terms."""
        check_is_fitted(self)
        return weigh_to_matrix(take_columns(csr_matrix(X), self.columns_), self.scheme, self.idf_, np.float64)
