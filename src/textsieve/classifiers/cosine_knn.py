"""k nearest neighbours by cosine: a document gets the classes of the training documents most similar to it.

The neighbours of a document d are the k training documents n with the largest cosines cos(d, n) above 0; of documents
with equal cosines, the one with the lower number comes first. The score s(c, d) of class c is the sum of cos(d, n) over
the neighbours that are in c (Ko and Seo 2004, formula 3), or the number of these neighbours (`votes="plain"`). The
search is exact: it finds the same neighbours as computing every cosine (`kernels.neighbours` explains how most cosines
can be skipped).

The best number of neighbours, k, can be estimated from the training documents: each is classified by its neighbours
among the others. This is done for all k at once, because the votes of k + 1 neighbours are those of k neighbours and
one more. A document may have several classes; it counts as classified correctly if the class with the best score is one
of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Self, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ..arrays import CSR, Floats, Ints
from ..errors import InputError, Setting, warn
from ..kernels.neighbours import count_correct
from ..neighbours import frozen, nearest, postings_of, rows_in, unit_rows
from ..settings import is_whole, n_threads
from ..stats.labels import LabelPairs, validate_label_pairs
from ..threads import parallel_ranges
from .cosine_knn_scorer import VOTES, CosineKNNScorer
from .voting import multilabel_error, rows_of, warn_of_unknown_documents

if TYPE_CHECKING:
    from sklearn.utils import Tags


MAX_NEIGHBOURS = 100
"""The largest k that `k="auto"` tries."""

_DOCUMENTS_PER_TASK = 1 << 8
"""The number of documents that a thread gets at a time."""


def build_scorer(rows: CSR, pairs: LabelPairs, k: int, votes: str) -> CosineKNNScorer:
    """Return the scorer of training documents, each of which has at least one (document, class) pair in `pairs`."""
    class_of_pair = np.repeat(np.arange(len(pairs.classes)), np.diff(pairs.class_starts))
    order = np.argsort(pairs.documents, kind="stable")  # pairs are sorted by class, so the classes of a document ascend
    n_labels = np.bincount(pairs.documents, minlength=rows.n_rows)
    class_indptr = np.concatenate([[0], np.cumsum(n_labels)]).astype(np.int64)
    return CosineKNNScorer(
        postings_of(rows), class_indptr, class_of_pair[order].astype(np.int32), len(pairs.classes), k, votes
    )


def count_correct_by_k(scorer: CosineKNNScorer, most_neighbours: int, threads: int) -> Ints:
    """Return how many training documents are classified correctly by their k nearest other training documents.

    The result has a number for each k from 1 to `most_neighbours`.
    """
    n_documents = scorer.postings.n_documents
    n_tasks = -(-n_documents // _DOCUMENTS_PER_TASK)  # rounded up
    # A row for each task, so that threads never write to the same one.
    n_correct = np.zeros((n_tasks, most_neighbours), np.int64)
    most_frequent = int(np.bincount(scorer.classes).argmax())  # the class of a document without neighbours
    index, class_indptr, classes = scorer.index, frozen(scorer.class_indptr), frozen(scorer.classes)
    weighted = scorer.votes == "weighted"

    def count(first: int, last: int) -> None:
        """For each k, count the documents from `first` to before `last` that are classified correctly."""
        count_correct(
            *(index, first, last, class_indptr, classes, scorer.n_outputs, most_frequent, weighted),
            n_correct[first // _DOCUMENTS_PER_TASK],
        )

    parallel_ranges(count, n_documents, _DOCUMENTS_PER_TASK, threads)
    return np.asarray(n_correct.sum(axis=0))


class CosineKNN(ClassifierMixin, BaseEstimator):
    """Classify by the votes of the k training documents with the largest cosines, found exactly.

    Documents are scaled to length 1; the weights of training documents are stored as float32. A neighbour has a cosine
    above 0, so a document that shares no term with any training document has no neighbours. Such a document scores 0
    for each class, and `predict` gives it the most frequent class, with a warning.

    Parameters
    ----------
    k : int or "auto"
        Number of neighbours that vote. "auto" selects the k from 1 to 100 that classifies the most training documents
        correctly, each by its neighbours among the others; of equally good k, the smallest. If k is larger than the
        number of training documents, all of them with a cosine above 0 vote, and `fit` warns.
    votes : "weighted" or "plain"
        How much the vote of a neighbour counts: "weighted" as much as its cosine, "plain" always 1.
    n_jobs : int or None
        Number of threads; -1 uses all cores. The result does not depend on it.

    Attributes
    ----------
    k_ : the number of neighbours that vote
    classes_ : the classes, sorted
    class_docs_ : the number of documents of each class
    multilabel_ : whether a training document had several labels
    right_by_k_ : for k="auto", the number of training documents classified correctly by 1, 2, ... neighbours; otherwise
        empty

    Examples
    --------
    >>> from textsieve import CosineKNN
    >>> X = [[2, 0, 1, 0], [1, 1, 0, 0], [0, 2, 1, 1], [0, 1, 0, 2]]  # counts: documents x terms
    >>> y = ["sport", "sport", "politics", "politics"]
    >>> CosineKNN(k=1).fit(X, y).predict([[1, 0, 0, 0], [0, 0, 0, 1]])
    array(['sport', 'politics'], dtype='<U8')
    """

    def __init__(self, *, k: int | str = 30, votes: str = "weighted", n_jobs: int | None = -1) -> None:
        self.k = k
        self.votes = votes
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Store documents given as the rows of a (sparse) matrix, with their labels; unlabelled ones are left out."""
        self._validate()
        rows = rows_of(validate_data(self, X, accept_sparse="csr", dtype=np.float64))
        pairs = validate_label_pairs(y, rows.n_rows, "CosineKNN")
        self._documents = np.unique(pairs.documents)  # the row numbers of labelled documents
        if len(self._documents) < rows.n_rows:
            rows = CSR.of(rows.matrix()[self._documents])
            pairs = pairs._replace(documents=np.searchsorted(self._documents, pairs.documents), n_documents=rows.n_rows)
        self.classes_ = np.array(pairs.classes)
        self.class_docs_ = np.diff(pairs.class_starts)
        self.multilabel_ = len(pairs.documents) > rows.n_rows
        # `_choose_k` needs a scorer to find neighbours, but does not use the scorer's k, which is set afterwards.
        scorer = build_scorer(rows, pairs, k=rows.n_rows, votes=self.votes)
        self.k_ = self._choose_k(scorer)
        self._scorer = replace(scorer, k=self.k_)
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return the score of each class; for two classes with one label per document, second minus first."""
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 and not self.multilabel_ else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with the best score, the first of equals; without a neighbour, the most frequent class."""
        numbers = self._single_label_votes(X).argmax(axis=1)
        return np.asarray(self.classes_[numbers])

    def predict_proba(self, X: Any) -> Floats:
        """Return each class's share of the votes (documents x classes); shares are not calibrated probabilities.

        Without a neighbour, they are the shares of the training documents.
        """
        votes = self._single_label_votes(X)
        return np.asarray(votes / votes.sum(axis=1, keepdims=True))

    def _single_label_votes(self, X: Any) -> Floats:
        """Return the score of each class (documents x classes); raise `InputError` for multilabel training documents.

        For a document without neighbours, the scores are the sizes of the classes in training, with a warning.
        """
        scores = self._scores(X)
        if self.multilabel_:
            raise multilabel_error()
        has_no_neighbour = np.logical_not(scores.any(axis=1))
        scores[has_no_neighbour] = self.class_docs_
        warn_of_unknown_documents(has_no_neighbour, self.classes_[self.class_docs_.argmax()].item())
        return scores

    @overload
    def kneighbors(
        self, X: Any = None, k: int | None = None, return_distance: Literal[True] = True
    ) -> tuple[Floats, Ints]: ...

    @overload
    def kneighbors(self, X: Any = None, k: int | None = None, *, return_distance: Literal[False]) -> Ints: ...

    def kneighbors(
        self, X: Any = None, k: int | None = None, return_distance: bool = True
    ) -> tuple[Floats, Ints] | Ints:
        """Return the distances, 1 - cosine, to the k nearest training documents, and their row numbers, nearest first.

        If `k` is None, it is `k_`. With `return_distance=False` only the row numbers are returned. Without X, the
        neighbours of each labelled training document are searched among the other labelled ones.

        There are always k neighbours, as in scikit-learn: if fewer than k documents have a cosine above 0, others
        follow, such as documents without a common term, which have the distance 1, in the order of their numbers.
        """
        check_is_fitted(self)
        most = len(self._documents) - (X is None)  # without X, a document is not its own neighbour
        k = self.k_ if k is None else k
        if not (is_whole(k) and 1 <= k <= most):
            others = "other documents" if X is None else "documents"
            raise InputError(
                setting="k", value=k, hint=f"use a number of neighbours from 1 to {most:,}, the number of {others}"
            )
        index, all_documents = self._scorer.index, np.arange(len(self._documents), dtype=np.int32)
        if X is None:  # each document is the only one of its group, and is excluded from its own neighbours
            queries, exclusions = rows_in(index), {"groups": all_documents, "own_groups": all_documents}
        else:
            rows = rows_of(validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False))
            queries, exclusions = unit_rows(rows), {}
        neighbours = nearest(index, queries, k, threads=n_threads(self.n_jobs), everyone=True, **exclusions)
        documents = self._documents[neighbours.documents]  # row numbers in the matrix that `fit` got
        if not return_distance:
            return documents
        return np.clip(1.0 - neighbours.cosines, 0.0, 2.0), documents  # by rounding, a cosine may be just outside ±1

    def to_scorer(self) -> CosineKNNScorer:
        """Return the scorer that a model stores."""
        check_is_fitted(self)
        return self._scorer

    def _scores(self, X: Any) -> Floats:
        """Return the score of each class (documents x classes)."""
        check_is_fitted(self)
        rows = rows_of(validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False))
        return self._scorer.scores(rows, self.n_jobs)

    def _choose_k(self, scorer: CosineKNNScorer) -> int:
        """Return the number of neighbours that vote, from the setting `k` and the number of documents.

        Sets `right_by_k_`, too, which is empty unless `k` is "auto".
        """
        n_documents = scorer.postings.n_documents
        self.right_by_k_: Ints = np.zeros(0, np.int64)
        if self.k == "auto":
            # A document has n_documents - 1 others. If there is none, 1 is the only k to try.
            most = max(1, min(MAX_NEIGHBOURS, n_documents - 1))
            self.right_by_k_ = count_correct_by_k(scorer, most, n_threads(self.n_jobs))
            return int(self.right_by_k_.argmax()) + 1
        if int(self.k) > n_documents:
            warn(
                (
                    Setting("k", self.k),
                    f", but there are {n_documents:,} training documents; all of them are neighbours.",
                )
            )
        return min(int(self.k), n_documents)

    def _validate(self) -> None:
        """Raise `InputError` for invalid settings."""
        if self.k != "auto" and not (is_whole(self.k) and self.k >= 1):
            raise InputError(setting="k", value=self.k, hint='use a number of neighbours from 1, or "auto"')
        if self.votes not in VOTES:
            raise InputError(setting="votes", value=self.votes, hint=f"use one of {', '.join(VOTES)}")
        n_threads(self.n_jobs)  # raises InputError for an invalid n_jobs

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn that sparse matrices are accepted."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
