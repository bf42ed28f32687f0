"""Rocchio's classifier: a document gets the class whose prototype has the largest cosine with it.

The prototype of class j is β m_j - γ m_¬j, where m_j is the mean of its documents, and m_¬j that of all other
documents. The score of a document is the cosine of the angle between it and the prototype. Ko and Seo (2004) use β = 16
and γ = 4.

Both means come from the sums per class and term of `ClassStats`, so one pass is enough, and documents can be added at
any time. A multilabel document counts once in each of its classes, so m_¬j is then the mean over the (document, class)
pairs of other classes. Unlabelled documents are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ..arrays import Floats
from ..errors import InputError, shown
from ..estimators import growing
from ..stats import ClassStats
from ..stats.labels import validate_labels

if TYPE_CHECKING:
    from sklearn.utils import Tags


_ROUNDING_ERROR = 1e-14
"""Two numbers count as equal if they differ by no more than this, relative to their size.

Their difference is then set to 0. Otherwise a prototype might consist of nothing but rounding errors, and scaling it to
length 1 would make them large.
"""


def prototypes(stats: ClassStats, beta: float, gamma: float) -> Floats:
    """Return the prototype of each class, scaled to length 1: classes x terms.

    Each is `beta` x the mean of the class - `gamma` x the mean of all others, where a mean of no documents is 0.
    """
    # `rows` holds the sums of the classes first, and then their prototypes, so that one array of this size is enough.
    rows = np.empty((len(stats.classes), stats.n_terms))
    for number in range(len(rows)):
        rows[number] = stats.class_sums(number)
    total = rows.sum(axis=0)
    for row, n_documents in zip(rows, stats.class_docs.tolist(), strict=True):
        n_others = stats.n_pairs - n_documents
        class_part, rest_part = beta * row / (n_documents or 1), gamma * (total - row) / (n_others or 1)
        np.subtract(class_part, rest_part, out=row)
        # Differences that are only rounding errors become 0.
        row[np.abs(row) <= _ROUNDING_ERROR * (np.abs(class_part) + np.abs(rest_part))] = 0.0
        row /= np.sqrt((row * row).sum()) or 1.0  # a prototype of zeros stays 0
    return rows


class Rocchio(ClassifierMixin, BaseEstimator):
    """Classify by the cosine with class prototypes, `beta` x the class's mean - `gamma` x the mean of all others.

    Parameters
    ----------
    beta, gamma : float
        Weights of the mean of the class and of the mean of all other documents.

    Attributes
    ----------
    coef_ : array, classes x terms: the prototypes, of length 1
    intercept_ : array of zeros
    classes_ : the classes, sorted
    stats_ : the `ClassStats` that the prototypes come from

    Examples
    --------
    >>> from textsieve import Rocchio
    >>> X = [[2, 0, 1, 0], [1, 1, 0, 0], [0, 2, 1, 1], [0, 1, 0, 2]]  # counts: documents x terms
    >>> y = ["sport", "sport", "politics", "politics"]
    >>> Rocchio().fit(X, y).predict([[1, 0, 0, 0], [0, 0, 0, 1]])
    array(['sport', 'politics'], dtype='<U8')
    """

    _prototypes: Floats | None = None

    def __init__(self, *, beta: float = 16.0, gamma: float = 4.0) -> None:
        self.beta = beta
        self.gamma = gamma

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the prototypes of documents given as the rows of a (sparse) matrix, with their labels.

        A document of `sample_weight` 3 counts as three copies, and one of weight 0 is ignored.
        """
        self._validate()
        if y is None:
            raise InputError("Rocchio requires y to be passed, but the target y is None.")
        rows = validate_data(self, X, accept_sparse="csr", accept_large_sparse=True)
        return self._set_stats(ClassStats.from_matrix(rows, validate_labels(y), sample_weight=sample_weight))

    def fit_stats(self, stats: ClassStats) -> Self:
        """Learn the prototypes from existing statistics."""
        self._validate()
        if not isinstance(stats, ClassStats):
            raise InputError(f"stats is {shown(stats)}", hint="give a ClassStats, or call fit with a matrix and labels")
        self.n_features_in_ = stats.n_terms
        return self._set_stats(stats.copy())

    def _set_stats(self, stats: ClassStats) -> Self:
        """Store the statistics and compute the prototypes; raise `InputError` if there are fewer than two classes.

        No other object may use these statistics, because `partial_fit` changes them in place.
        """
        if len(stats.classes) < 2:
            problem = f"Only one class, {stats.classes[0]!r}" if stats.classes else "No document has a label"
            raise InputError(
                f"{problem}: there is nothing to tell apart", hint="give documents of at least two classes"
            )
        self.stats_, self._prototypes = stats, prototypes(stats, self.beta, self.gamma)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add more documents, which may have new columns and classes; `classes` is not needed."""
        self._validate()
        with growing(self, X) as rows:
            labels = validate_labels(y)
            if hasattr(self, "stats_"):
                self.stats_.update(rows, labels, sample_weight=sample_weight)
            else:
                self.stats_ = ClassStats.from_matrix(rows, labels, sample_weight=sample_weight)
        self._prototypes = None  # `coef_` computes them when they are needed
        return self

    @property
    def coef_(self) -> Floats:
        """Return the prototypes: classes x terms."""
        check_is_fitted(self, "stats_")
        if self._prototypes is None:
            self._prototypes = prototypes(self.stats_, self.beta, self.gamma)
        return self._prototypes

    @property
    def intercept_(self) -> Floats:
        """Return zeros: a cosine has no intercept."""
        return np.zeros(len(self.classes_))

    @property
    def classes_(self) -> NDArray[Any]:
        """Return the classes, sorted."""
        check_is_fitted(self, "stats_")
        return np.array(self.stats_.classes)

    def cosines(self, X: Any) -> Floats:
        """Return the cosine of each document with each class's prototype; 0 for an empty document."""
        check_is_fitted(self, "stats_")
        if not self.stats_.classes:
            raise InputError("No document had a label so far, so there is no class to predict", hint="give some labels")
        rows = csr_matrix(validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False))
        lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)))
        lengths[lengths == 0.0] = 1.0  # no division by 0 for empty documents
        return np.asarray(rows @ self.coef_.T) / lengths

    def decision_function(self, X: Any) -> Floats:
        """Return the cosines; for two classes, second minus first."""
        cosines = self.cosines(X)
        return cosines[:, 1] - cosines[:, 0] if cosines.shape[1] == 2 else cosines

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with the largest cosine; of equals, the first in the order of classes."""
        return np.asarray(self.classes_[self.cosines(X).argmax(axis=1)])

    def _validate(self) -> None:
        """Raise `InputError` for invalid settings."""
        for name in ("beta", "gamma"):
            value = getattr(self, name)
            if isinstance(value, bool) or not (isinstance(value, int | float | np.number) and 0 <= value < np.inf):
                raise InputError(setting=name, value=value, hint="use a number from 0")
        if self.beta == self.gamma == 0:
            raise InputError(
                "beta and gamma are both 0, so that no document would count", hint="use a number above 0 for one"
            )

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn that sparse matrices are accepted."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
