"""A linear SVM for sparse text, which solves liblinear's problem for many classes at once.

scikit-learn's `LinearSVC` solves min ½|w|² + C Σ max(0, 1 - y w·x)² for one class after the other, on a copy of the
data and to a tolerance of 1e-4. The sum is over the documents x, with y = 1 for documents of the class and -1 for the
others. But the classes are independent, the rows can be shared, and a tolerance that is a hundred times larger changed
no prediction on a test set. So here compiled loops (see `svm_solvers`) solve several classes at a time on shared data.
The order in which documents are visited is the same whatever the number of threads, so the weights w do not depend on
this number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from ..arrays import Floats
from ..errors import InputError, counted, warn
from ..settings import is_whole, n_threads
from ..stats.labels import missing_as_none
from ..stats.weights import check_weights, drop_weightless
from ..svm_solvers import SignsAndCosts, SVMProblem
from .class_weights import class_factors

if TYPE_CHECKING:
    from sklearn.utils import Tags


def second_against_first(
    numbers: NDArray[np.integer], factors: Floats, C: float, sample_weight: Floats | None = None
) -> tuple[Floats, Floats]:
    """Return the sign and the cost of each document for the binary problem of two classes.

    `numbers` has the class of each document, 0 or 1. The sign is 1 for the second class and -1 for the first. The cost
    is C x the factor of the document's class x its sample weight.
    """
    costs: Any = C if sample_weight is None else C * sample_weight
    return np.where(numbers == 1, 1.0, -1.0), costs * factors[numbers]


def one_against_rest(
    numbers: NDArray[np.integer], factors: Floats, C: float, sample_weight: Floats | None = None
) -> tuple[SignsAndCosts, int]:
    """Return a function from the number of a binary problem to its signs and costs, and the number of problems.

    `numbers` has the class number of each document, and `factors` the factor of C for each class. There is a problem
    for each class against the rest; for two classes, only that of the second. As in liblinear, with more than two
    classes the factor applies to the documents of the class, and not to the rest.
    """
    if len(factors) == 2:
        return (lambda _: second_against_first(numbers, factors, C, sample_weight)), 1
    costs: Any = C if sample_weight is None else C * sample_weight

    def signs_and_costs(number: int) -> tuple[Floats, Floats]:
        """Return the signs and costs of all documents for one class against the rest."""
        is_member = numbers == number
        return np.where(is_member, 1.0, -1.0), costs * np.where(is_member, factors[number], 1.0)

    return signs_and_costs, len(factors)


def _require_labels(y: Any) -> None:
    """Raise `InputError` if a document has no label, before scikit-learn calls the labels "unknown"."""
    labels = missing_as_none(y)
    if not isinstance(labels, list | tuple | np.ndarray) or getattr(labels, "ndim", 1) != 1:
        return  # scikit-learn checks the labels
    may_miss = not isinstance(labels, np.ndarray) or labels.dtype.kind == "O"
    n_missing = sum(label is None for label in labels) if may_miss else 0
    if n_missing:
        verb = "has" if n_missing == 1 else "have"
        raise InputError(
            f"{n_missing:,} of {counted(len(labels), 'document')} {verb} no label, and LinearSVM learns only from "
            "documents with a label",
            hint="leave the others out, or use Categorizer, which does that",
        )


class LinearSVM(ClassifierMixin, BaseEstimator):
    """Linear support vector classification with the squared hinge loss, one class against the rest.

    Parameters
    ----------
    C : float
        Cost of an error; a smaller C gives smaller weights.
    class_weight : dict, "balanced", "sqrt" or None
        Factors of C for the documents of each class. "balanced" makes rare classes count as much as frequent ones;
        with "sqrt" they count more than without weights, but less than frequent ones.
    tol : float
        Tolerance of the stopping criterion: the largest remaining difference between the gradients of the dual problem
        (see `kernels.svm`). 0.01 is ten times finer than liblinear's own default.
    max_iter : int
        Maximum number of rounds over the documents.
    n_jobs : int or None
        Number of threads; -1 uses all cores. The result does not depend on it.

    Attributes
    ----------
    coef_ : array, classes x terms; a single row for two classes
    intercept_ : array of one number per row of `coef_`
    classes_ : the classes, sorted
    n_iter_ : the largest number of rounds of any class
    """

    def __init__(
        self,
        *,
        C: float = 0.5,
        class_weight: dict[Any, float] | str | None = None,
        tol: float = 0.01,
        max_iter: int = 1000,
        n_jobs: int | None = -1,
    ) -> None:
        self.C = C
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the hyperplanes of documents given as the rows of a (sparse) matrix, with their labels.

        `sample_weight` multiplies C for each document: one of weight 3 counts as three copies, and one of weight 0 is
        ignored. Weights and copies give the same hyperplanes up to the tolerance `tol`, not to the last bit.
        """
        self.check_settings()
        _require_labels(y)
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32])
        check_classification_targets(y)
        X, y, weights = drop_weightless(X, y, check_weights(sample_weight, X.shape[0]))
        rows = csr_matrix(X)
        self.classes_, numbers = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise InputError(f"Only one class, {self.classes_.tolist()[0]!r}: there is nothing to separate it from.")
        factors = class_factors(self.class_weight, self.classes_, numbers, weights)
        hyperplanes = SVMProblem(rows).solve(
            *one_against_rest(numbers, factors, self.C, weights),
            tolerance=self.tol,
            most_rounds=self.max_iter,
            n_jobs=n_threads(self.n_jobs),
        )
        if hyperplanes.n_unconverged:
            warn(
                f"{hyperplanes.n_unconverged} of {len(hyperplanes.intercepts)} problems had not converged after "
                f"max_iter={self.max_iter} rounds; increase max_iter, or decrease C.",
                ConvergenceWarning,
            )
        self.coef_, self.intercept_, self.n_iter_, _ = hyperplanes
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return the score of each class, positive on its side of the hyperplane; for two classes, of the second."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        scores: Floats = np.asarray(X @ self.coef_.T) + self.intercept_
        return scores.ravel() if len(self.intercept_) == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each document."""
        scores = self.decision_function(X)
        numbers = (scores > 0).astype(np.int64) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[numbers])

    def check_settings(self) -> None:
        """Raise `InputError` for invalid settings."""
        for name in ("C", "tol"):
            value = getattr(self, name)
            if isinstance(value, bool) or not (isinstance(value, int | float | np.number) and 0 < value < np.inf):
                raise InputError(setting=name, value=value, hint="use a number above 0")
        if not (is_whole(self.max_iter) and self.max_iter >= 1):
            raise InputError(setting="max_iter", value=self.max_iter, hint="use a number of rounds from 1")

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn that sparse matrices are accepted."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
