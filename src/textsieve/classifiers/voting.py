"""The base class of `TCFP` and `KNNFP`: scores are votes, and the class with the most votes wins.

A document gets no votes if no training document contains any of its terms. `predict` then returns the most frequent
class, with a warning. `CosineKNN` does the same for documents without neighbours, and shares the functions below.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, issparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import validate_data

from ..arrays import CSR, Bools, Floats, Ints
from ..errors import InputError, warn
from .scorer import Scorer
from .vote_table import require_weights

if TYPE_CHECKING:
    from sklearn.utils import Tags


class VotingEstimator(ClassifierMixin, BaseEstimator, ABC):
    """A classifier of sparse rows whose scores are votes. After fit it has `classes_` and `class_docs_`."""

    n_jobs: int | None

    @property
    @abstractmethod
    def classes_(self) -> NDArray[Any]:
        """Return the classes, sorted."""

    @property
    @abstractmethod
    def class_docs_(self) -> Ints:
        """Return the number of documents of each class."""

    @property
    @abstractmethod
    def multilabel_(self) -> bool:
        """Return whether a training document had several labels."""

    @abstractmethod
    def to_scorer(self) -> Scorer:
        """Return the scorer that a model stores, with an output for each class."""

    def votes(self, X: Any) -> Floats:
        """Return the votes for each class (documents x classes); they are sums of parts of votes for TCFP."""
        scorer = self.to_scorer()
        if not scorer.n_outputs:
            raise InputError("No document had a label so far, so there is no class to predict", hint="give some labels")
        return scorer.scores(rows_of(validate_data(self, X, accept_sparse="csr", reset=False)), self.n_jobs)

    def decision_function(self, X: Any) -> Floats:
        """Return the votes; for two classes with one label per document, second minus first."""
        votes = self.votes(X)
        return votes[:, 1] - votes[:, 0] if votes.shape[1] == 2 and not self.multilabel_ else votes

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with the most votes, the first of equals; without any vote, the most frequent class."""
        votes = self.votes(X)
        if self.multilabel_:
            raise multilabel_error()
        numbers = votes.argmax(axis=1)
        has_no_votes = votes[np.arange(len(votes)), numbers] == 0.0  # even the best class has none
        most_frequent = self.class_docs_.argmax()
        numbers[has_no_votes] = most_frequent
        warn_of_unknown_documents(has_no_votes, self.classes_[most_frequent].item())
        return np.asarray(self.classes_[numbers])

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn that sparse matrices are accepted, and negative weights are not."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags


def multilabel_error() -> InputError:
    """Return the error of `predict` after training on multilabel documents."""
    return InputError(
        "Training documents had several labels, and so may these", hint="use decision_function and thresholds"
    )


def warn_of_unknown_documents(is_unknown: Bools, most_frequent: Any) -> None:
    """Warn if some of the documents to predict share no term with any training document.

    `is_unknown` is True for each such document, and `most_frequent` is the label that these documents get.
    """
    if is_unknown.any():
        warn(
            f"{is_unknown.sum():,} of {len(is_unknown):,} documents share no term with any training document; they get "
            f"the most frequent class, {most_frequent!r}."
        )


def rows_of(matrix: Any) -> CSR:
    """Return the CSR rows of a sparse or dense matrix that scikit-learn has validated."""
    sparse_matrix: Any = matrix if issparse(matrix) else csr_matrix(matrix)
    return CSR.of(sparse_matrix)


def training_rows(matrix: Any, estimator_name: str) -> CSR:
    """Return the CSR rows of training documents; raise `InputError` for weights that are negative or too large."""
    rows = rows_of(matrix)
    require_weights(rows.data, estimator_name)
    return rows
