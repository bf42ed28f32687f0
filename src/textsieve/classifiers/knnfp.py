"""k-NNFP: the k nearest neighbours on each feature projection (Akkus and Guvenir 1996; here as in Ko and Seo 2004).

The training documents are projected on each term, so that a document is represented by its weight of that term alone.
For each term t of a document d, k of the training documents that contain t have one vote each: those documents i with
the smallest distance |w(t, d) - w(t, i)| between the weights of t. If fewer than k documents contain the term, all of
them vote. The votes of all terms are added up.

At equal distances, the document with the lower number comes first. Distances are compared exactly, not as rounded. A
multilabel document votes for each of its labels. A weight of 0 means that the term is absent, and a term that no
training document contains has no vote.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from ..arrays import CSR, Ints
from ..errors import InputError
from ..settings import is_whole, n_threads
from ..stats.labels import LabelPairs, validate_label_pairs
from .knnfp_scorer import KNNFPScorer
from .vote_table import project
from .voting import VotingEstimator, training_rows


def build_scorer(rows: CSR, pairs: LabelPairs, k: int, threads: int) -> KNNFPScorer:
    """Return the scorer of labelled documents; unlabelled documents are left out."""
    # The labelled documents, and the document of each (document, class) pair as a position among them.
    labelled, new_number = np.unique(pairs.documents, return_inverse=True)
    class_of_pair = np.repeat(np.arange(len(pairs.classes), dtype=np.int32), np.diff(pairs.class_starts))
    labels = class_of_pair[np.argsort(new_number, kind="stable")]  # pairs are sorted by class; sort them by document
    label_indptr = np.concatenate([[0], np.cumsum(np.bincount(new_number, minlength=len(labelled)))]).astype(np.int64)
    projections = project(rows, labelled, threads)
    return KNNFPScorer(
        projections.indptr, projections.weights, projections.positions, label_indptr, labels, len(pairs.classes), k
    )


class KNNFP(VotingEstimator):
    """Classify by the votes of the training documents whose weights of each term are nearest.

    Weights must be 0 or more, such as those of `TermWeighter` (log x plain x l2 in the paper). Documents may have one
    label or several; unlabelled documents are left out.

    Parameters
    ----------
    k : int
        Number of documents that vote for each term. If fewer contain the term, all of them vote.
    n_jobs : int or None
        Number of threads; -1 uses all cores. The result does not depend on it.

    Attributes
    ----------
    classes_ : the classes, sorted
    class_docs_ : the number of documents of each class

    Examples
    --------
    >>> from textsieve import KNNFP
    >>> X = [[2, 0, 1, 0], [1, 1, 0, 0], [0, 2, 1, 1], [0, 1, 0, 2]]  # counts: documents x terms
    >>> y = ["sport", "sport", "politics", "politics"]
    >>> KNNFP(k=1).fit(X, y).predict([[1, 0, 0, 0], [0, 0, 0, 1]])
    array(['sport', 'politics'], dtype='<U8')
    """

    def __init__(self, *, k: int = 20, n_jobs: int | None = -1) -> None:
        self.k = k
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from documents given as the rows of a (sparse) matrix, with their labels."""
        if not (is_whole(self.k) and self.k >= 1):
            raise InputError(setting="k", value=self.k, hint="use a number of documents from 1")
        threads = n_threads(self.n_jobs)
        rows = training_rows(validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32]), "KNNFP")
        pairs = validate_label_pairs(y, rows.n_rows, "KNNFP")
        self._scorer = build_scorer(rows, pairs, int(self.k), threads)
        self._classes, self._class_docs = np.array(pairs.classes), np.diff(pairs.class_starts)
        return self

    @property
    def classes_(self) -> NDArray[Any]:
        """Return the classes, sorted."""
        check_is_fitted(self, "_scorer")
        return self._classes

    @property
    def class_docs_(self) -> Ints:
        """Return the number of documents of each class."""
        check_is_fitted(self, "_scorer")
        return self._class_docs

    @property
    def multilabel_(self) -> bool:
        """Return whether a training document had several labels."""
        check_is_fitted(self, "_scorer")
        return len(self._scorer.labels) > len(self._scorer.label_indptr) - 1

    def to_scorer(self) -> KNNFPScorer:
        """Return the scorer that a model stores."""
        check_is_fitted(self, "_scorer")
        return self._scorer
