"""Trace projections: the orthonormal directions W that maximise the trace tr(W' S W), S(λ) = λ S_b + (1 - λ) C.

C is the scatter of all N documents around their mean, and S_b that of the class means, weighted by the classes' shares.
W (terms x directions) has a column for each of p directions, and W' is its transpose. The selectors OCFS and TOFA
maximise the same trace over those W whose columns each select a single term. Over all W with W'W = I, the maximum is
the sum of the p largest eigenvalues of S, and the columns of W are their eigenvectors.

λ = 0 is principal component analysis, λ = 1 the orthogonal centroid algorithm, and λ = 2 the maximum margin criterion
S_b - S_w, where S_w = C - S_b. S_w is the scatter within the classes if each document has one label and classes are not
balanced. Unlabelled documents count in C alone, and a multilabel document counts once in C and once for each label in
S_b.

At λ = 1 the table of statistics is enough. Otherwise the directions come from a few hundred products of S with vectors
(`krylov`). These are computed from the documents, without the matrix S (`trace_operator`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

from ..arrays import Floats, Ints
from ..errors import InputError, Setting, counted, shown, warn
from ..estimators import growing, refuse_texts
from ..settings import as_number, is_whole, n_threads
from ..stats import ClassStats
from ..stats.labels import LabelPairs, label_pairs
from ..stats.matrix import LARGEST_VALUE, sort_columns, squares_are_finite
from ..stats.weights import ClassWeight, class_shares, require_class_weight
from .solving import (
    Directions,
    orthogonal_centroid,
    scale_down,
    scale_exponent,
    trace_directions,
    unscale_eigenvalues,
)
from .trace_operator import DenseDocuments, Mixture, SparseDocuments

if TYPE_CHECKING:
    from sklearn.utils import Tags

DEFAULT_COMPONENTS = 100
"""The number of directions for weights below 1, if the setting is None."""

_LARGEST_WEIGHT = 1e12  # with larger weights, the smaller part of the sum loses all its digits


class NeedsDocuments(InputError, AttributeError):
    """Raised at weights other than 1 by methods that work at weight 1 only.

    It is an `AttributeError`, so that `hasattr` returns False for such a method.
    """


class _Solution(NamedTuple):
    """The fitted directions, and the mean that is subtracted before projecting."""

    directions: Directions
    mean: Floats  # of all documents


class TraceProjection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Project documents on the directions W that maximise tr(W' S W), S = weight S_b + (1 - weight) C.

    S_b is the scatter of the class means, C that of all documents. Unlabelled documents count in C only.

    Parameters
    ----------
    weight : float
        0 is principal component analysis, which needs no labels; 1 is the orthogonal centroid (`OrthogonalCentroid`),
        and 2 the maximum margin criterion (`MaximumMargin`). Other numbers are allowed, too.
    n_components : int or None
        Number of directions. None means the number of classes - 1 for weights from 1, and 100 below. Only directions
        that raise the trace are kept; for weights from 1, these are at most the number of classes - 1. If there are
        none, the best direction between the class means is kept, with a warning.
    class_weight : "balanced" or None
        Whether all classes have the same weight in S_b ("balanced"), or weights proportional to their documents.
    unlabelled : label
        The label that means "no label". With None, there is no such label. Missing labels, such as None and NaN, always
        mean "no label".
    tol : float
        The largest allowed residual ||S w - μ w|| of a direction w with the eigenvalue μ, as a share of the largest
        eigenvalue. Weight 1, and few documents or terms, are solved directly, without `tol`.
    max_iter : int
        Maximum number of iterations of the eigen-solver, each of which fills its basis of approximate eigenvectors.
    n_jobs : int or None
        Number of threads for products with sparse documents; -1 uses all cores. The result does not depend on it.

    Attributes
    ----------
    components_ : array (directions x terms), orthonormal rows; the entry of largest magnitude in each is positive
    eigenvalues_ : array, what each direction adds to the trace, descending
    mean_ : array, the mean of all documents, which is subtracted before projecting
    n_components_ : the number of directions
    n_iter_ : the number of iterations of the eigen-solver
    classes_ : the classes, sorted

    Examples
    --------
    >>> from textsieve import TraceProjection
    >>> X = [[2, 0, 1, 0], [1, 1, 0, 0], [0, 2, 1, 1], [0, 1, 0, 2]]  # counts: documents x terms
    >>> y = ["sport", "sport", "politics", "politics"]
    >>> projection = TraceProjection(weight=1.0, n_components=1).fit(X, y)
    >>> projection.transform(X).shape
    (4, 1)
    >>> abs(projection.components_).round(2)
    array([[0.64, 0.43, 0.  , 0.64]])
    """

    stats_: ClassStats
    _classes: tuple[Any, ...]
    _solution: _Solution | None = None
    """None before fitting, and after `partial_fit` until an attribute is read."""

    def __init__(
        self,
        *,
        weight: float = 1.0,
        n_components: int | None = None,
        class_weight: ClassWeight = None,
        unlabelled: Any = -1,
        tol: float = 1e-10,
        max_iter: int = 300,
        n_jobs: int | None = -1,
    ) -> None:
        self.weight = weight
        self.n_components = n_components
        self.class_weight = class_weight
        self.unlabelled = unlabelled
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    # -- fitting -------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the directions for a (sparse) matrix of documents, with their labels."""
        self._check_settings()
        if y is None and self.weight != 0:
            raise InputError(
                f"{type(self).__name__} requires y to be passed, but the target y is None",
                hint="without labels there is TraceProjection(weight=0)",
            )
        refuse_texts(X)
        rows = _sort_columns(validate_data(self, X, accept_sparse="csr", accept_large_sparse=True, dtype=np.float64))
        if self.weight == 1:
            return self._solve_and_store(ClassStats.from_matrix(rows, y, unlabelled=self.unlabelled))
        self._reset()
        pairs = label_pairs(y, rows.shape[0], self.unlabelled)
        self._solution = self._solve(rows, pairs)
        self._classes = pairs.classes
        return self

    @property
    def partial_fit(self) -> Callable[..., Self]:
        """Add more documents: `partial_fit(X, y)`. There may be more columns than before.

        A property, so that `hasattr` returns False at weights other than 1, which need all documents at once.
        """
        self._require_weight_1("partial_fit")
        return self._partial_fit

    @property
    def fit_stats(self) -> Callable[[ClassStats], Self]:
        """Find the directions from existing statistics: `fit_stats(stats)`.

        A property, so that `hasattr` returns False at weights other than 1, which need the documents.
        """
        self._require_weight_1("fit_stats")
        return self._fit_stats

    def _partial_fit(self, X: Any, y: Any = None) -> Self:
        """Add documents to the statistics; the directions are computed when they are read."""
        self._check_settings()
        with growing(self, X) as rows:
            if hasattr(self, "stats_"):
                self.stats_.update(rows, y, unlabelled=self.unlabelled)
            else:
                self.stats_ = ClassStats.from_matrix(rows, y, unlabelled=self.unlabelled)
        self._solution = None  # `_fitted_solution` computes it when it is needed
        return self

    def _fit_stats(self, stats: ClassStats) -> Self:
        """Find the directions from a copy of the statistics, in which the label `unlabelled` is no class."""
        self._check_settings()
        if not isinstance(stats, ClassStats):
            raise InputError(f"stats is {shown(stats)}", hint="give a ClassStats, or call fit with a matrix and labels")
        self.n_features_in_ = stats.n_terms
        return self._solve_and_store(stats.copy() if self.unlabelled is None else stats.without_class(self.unlabelled))

    def _solve_and_store(self, stats: ClassStats) -> Self:
        """Find the directions of weight 1 from statistics; store directions and statistics in place of earlier ones."""
        self._reset()  # first, so that nothing of an earlier fit is left if solving raises an error
        self._solution = self._solve_stats(stats)
        self.stats_ = stats
        return self

    def _reset(self) -> None:
        """Remove the results of an earlier fit."""
        self._solution = None
        for name in ("stats_", "_classes"):
            vars(self).pop(name, None)

    # -- solving -------------------------------------------------------------------------------------------------

    def _solve_stats(self, stats: ClassStats) -> _Solution:
        """Find the directions of weight 1, for which statistics are enough."""
        n_wanted = self._n_wanted_directions(stats.class_docs, stats.n_documents, stats.n_terms)
        with threadpool_limits(limits=1, user_api="blas"):  # with more threads, sums would depend on their number
            directions = orthogonal_centroid(stats, n_wanted, self.class_weight)
        sums = stats.precise_sums  # of each term: the rounded sum, and the rest that rounding cut off
        mean = (sums.value + sums.rest) / (stats.n_documents or 1)
        return _Solution(self._require_directions(directions), mean)

    def _solve(self, rows: Any, pairs: LabelPairs) -> _Solution:
        """Find the directions of any weight from the documents and their labels.

        Very large or small values are divided by a power of two first, and eigenvalues and mean are scaled back.
        """
        class_docs = np.diff(pairs.class_starts)
        shares = class_shares(class_docs, self.class_weight)
        n_wanted = self._n_wanted_directions(class_docs, *rows.shape)
        with threadpool_limits(limits=1, user_api="blas"):  # with more threads, sums would depend on their number
            exponent = scale_exponent(_values(rows))
            documents = _centred_documents(rows, exponent, n_threads(self.n_jobs))
            mixture = Mixture(float(self.weight), pairs, shares)
            directions = trace_directions(documents, mixture, n_wanted, float(self.tol), int(self.max_iter))
        directions = self._require_directions(unscale_eigenvalues(directions, exponent))
        return _Solution(directions, scale_down(documents.mean, -exponent))  # minus: scales up again

    def _n_wanted_directions(self, class_docs: Ints, n_documents: int, n_terms: int) -> int:
        """Return the largest number of directions to compute; raise `InputError` if there are too few classes.

        It is the setting `n_components`, or the default, and at most the number of directions that can raise the trace.
        `class_docs` has the number of documents of each class.
        """
        n_classes = int(np.count_nonzero(class_docs))
        if n_classes == 0 and self.weight != 0:
            raise InputError(
                f"No document has a label, so there are no classes to tell apart.{self._on_unlabelled()} Without "
                "labels there is TraceProjection(weight=0)."
            )
        if n_classes == 1 and self.weight >= 1:
            n_unlabelled = n_documents - int(class_docs.sum())
            remark = f" ({counted(n_unlabelled, 'document')} without a label.{self._on_unlabelled()})"
            raise InputError(
                "Only one class, so there is nothing to tell apart; give documents of at least two classes, or use a "
                "TraceProjection of a weight below 1." + (remark if n_unlabelled > 0 else "")
            )
        max_directions = min(n_documents, n_terms)
        if self.weight >= 1:  # then at most n_classes - 1 directions raise the trace
            max_directions = min(max_directions, n_classes - 1)
        if self.n_components is not None:
            return min(max_directions, self.n_components)
        return max_directions if self.weight >= 1 else min(max_directions, DEFAULT_COMPONENTS)

    def _on_unlabelled(self) -> str:
        """Return a sentence about the label that means "no label"; empty if there is no such label."""
        return "" if self.unlabelled is None else f" The label {self.unlabelled!r} means none, as unlabelled= says."

    def _require_directions(self, directions: Directions) -> Directions:
        """Return the directions; raise `InputError` if there are none, and warn if they are not as requested."""
        n_directions = len(directions.eigenvalues)
        if n_directions == 0:
            raise InputError(
                (
                    "No direction raises the trace at ",
                    Setting("weight", self.weight),
                    ": all documents are equal (as with n_samples=1), or the class means are.",
                )
            )
        if directions.eigenvalues[0] <= 0.0:
            message = (
                f"No direction raises the trace at weight={self.weight!r}, because documents differ more within their "
                "classes than between them: the one between the class means that lowers it least is kept. A lower "
                "weight may suit better."
            )
            warn(message)
            return directions
        if self.n_components is not None and n_directions < self.n_components:
            warn(
                (
                    Setting("n_components", self.n_components),
                    ", but fewer directions have an eigenvalue above 0; these are kept (see n_components_).",
                )
            )
        return directions

    def _check_settings(self) -> None:
        """Raise `InputError` for invalid settings."""
        if not abs(as_number(self.weight)) <= _LARGEST_WEIGHT:
            raise InputError(
                setting="weight",
                value=self.weight,
                hint=f"use a number: 0 for principal components, 1, 2, or any other up to {_LARGEST_WEIGHT:.0e}",
            )
        if self.n_components is not None and not (is_whole(self.n_components) and self.n_components >= 1):
            raise InputError(setting="n_components", value=self.n_components, hint="use a number from 1, or None")
        if not 0 <= as_number(self.tol) < 1:
            raise InputError(setting="tol", value=self.tol, hint="use a number from 0 to below 1, for example 1e-10")
        if not (is_whole(self.max_iter) and self.max_iter >= 1):
            raise InputError(setting="max_iter", value=self.max_iter, hint="use a number from 1")
        require_class_weight(self.class_weight)
        n_threads(self.n_jobs)  # raises if it is invalid

    def _require_weight_1(self, name: str) -> None:
        """Raise `NeedsDocuments` unless the weight is 1; `name` is the method that needs it."""
        if self.weight != 1:
            raise NeedsDocuments(
                f"{name} works at weight=1 alone, and this one is {shown(self.weight)}: other weights need the scatter "
                "of all documents, which no table of sums holds",
                hint="call fit with all documents",
            )

    # -- reading -------------------------------------------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether the projection is fitted."""
        return self._solution is not None or hasattr(self, "stats_")

    def _fitted_solution(self) -> _Solution:
        """Return the solution; it is computed on first use after `partial_fit`."""
        check_is_fitted(self)
        if self._solution is None:
            self._solution = self._solve_stats(self.stats_)
        return self._solution

    @property
    def components_(self) -> Floats:
        """Return the directions, one per row."""
        return self._fitted_solution().directions.columns.T

    @property
    def eigenvalues_(self) -> Floats:
        """Return what each direction adds to the trace tr(W' S W) that the projection maximises, descending."""
        return self._fitted_solution().directions.eigenvalues

    @property
    def mean_(self) -> Floats:
        """Return the mean of all documents."""
        return self._fitted_solution().mean

    @property
    def n_components_(self) -> int:
        """Return the number of directions."""
        return len(self.eigenvalues_)

    @property
    def n_iter_(self) -> int:
        """Return the number of iterations of the eigen-solver; 1 if it was not needed."""
        return self._fitted_solution().directions.n_iter

    @property
    def _n_features_out(self) -> int:
        """Return the number of directions, for scikit-learn's names of output columns."""
        return self.n_components_

    @property
    def classes_(self) -> NDArray[Any]:
        """Return the classes, sorted."""
        check_is_fitted(self)
        return np.array(self.stats_.classes if hasattr(self, "stats_") else self._classes)

    def transform(self, X: Any) -> Floats:
        """Subtract the mean and project the documents; return a dense array (documents x directions)."""
        directions, mean = self._fitted_solution()
        columns = directions.columns
        rows: Any = validate_data(self, X, accept_sparse="csr", accept_large_sparse=True, dtype=np.float64, reset=False)
        rows = _sort_columns(rows)
        is_sparse = bool(sparse.issparse(rows))
        if is_sparse:  # rows - mean would be dense
            return np.asarray(rows @ columns - mean @ columns)
        return np.asarray((rows - mean) @ columns)

    def inverse_transform(self, X: Any) -> Floats:
        """Return a document for each row of projections, as a dense array (documents x terms).

        Many documents have the same projections; of these, the one nearest to the mean is returned.
        """
        directions, mean = self._fitted_solution()
        columns = directions.columns
        if sparse.issparse(X):
            raise InputError(
                "X is sparse", hint="inverse_transform takes what transform gives, a dense array: X.toarray()"
            )
        projected = np.asarray(X, np.float64)
        if projected.ndim != 2 or projected.shape[1] != columns.shape[1]:
            n_columns = counted(columns.shape[1], "column")
            raise InputError(f"X is of shape {projected.shape}", hint=f"give {n_columns}, as transform does")
        return np.asarray(projected @ columns.T + mean)

    def __sklearn_tags__(self) -> Tags:
        """Return the scikit-learn tags: sparse input, float64 output, and whether labels are required."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = bool(self.weight != 0)
        tags.target_tags.two_d_labels = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _sort_columns(rows: Any) -> Any:
    """Return sparse rows with sorted, unique columns; dense rows unchanged."""
    is_sparse = bool(sparse.issparse(rows))
    return sort_columns(sparse.csr_array(rows)) if is_sparse else rows


def _values(rows: Any) -> Floats:
    """Return all stored values of dense or sparse rows as a flat array."""
    return np.ravel(rows.data if bool(sparse.issparse(rows)) else rows)


def _centred_documents(rows: Any, exponent: int, threads: int) -> DenseDocuments | SparseDocuments:
    """Return the documents, divided by 2**exponent, in a form that computes products with the centred documents.

    Raises `InputError` for values so large that the sum of their squares is not finite.
    """
    is_sparse = bool(sparse.issparse(rows))
    if not squares_are_finite(_values(rows)):
        raise InputError(f"X has values so large ({LARGEST_VALUE:.0e}) that their squares have no sum.")
    if not is_sparse:
        return DenseDocuments(scale_down(rows, exponent))
    values = scale_down(rows.data, exponent)
    return SparseDocuments(sparse.csr_array((values, rows.indices, rows.indptr), shape=rows.shape), threads)


class OrthogonalCentroid(TraceProjection):
    """Project documents on the directions that separate the class means: `TraceProjection` of weight 1.

    Parameters and attributes are those of `TraceProjection`.

    Examples
    --------
    >>> from textsieve import OrthogonalCentroid
    >>> X = [[2, 0, 1, 0], [1, 1, 0, 0], [0, 2, 1, 1], [0, 1, 0, 2]]  # counts: documents x terms
    >>> y = ["sport", "sport", "politics", "politics"]
    >>> OrthogonalCentroid().fit_transform(X, y).round(2)
    array([[ 1.71],
           [ 0.64],
           [-1.07],
           [-1.28]])
    """

    weight = 1.0
    # The next three are not used at weight 1, but `_check_settings` reads them.
    tol = 1e-10
    max_iter = 300
    n_jobs = -1

    def __init__(
        self, *, n_components: int | None = None, class_weight: ClassWeight = None, unlabelled: Any = -1
    ) -> None:
        self.n_components = n_components
        self.class_weight = class_weight
        self.unlabelled = unlabelled


class MaximumMargin(TraceProjection):
    """Project documents so that classes are far apart and compact, S_b - S_w: `TraceProjection` of weight 2.

    Parameters and attributes are those of `TraceProjection`.

    Examples
    --------
    >>> from textsieve import MaximumMargin
    >>> X = [[2, 0, 1, 0], [1, 1, 0, 0], [0, 2, 1, 1], [0, 1, 0, 2]]  # counts: documents x terms
    >>> y = ["sport", "sport", "politics", "politics"]
    >>> MaximumMargin().fit_transform(X, y).shape
    (4, 1)
    """

    weight = 2.0

    def __init__(
        self,
        *,
        n_components: int | None = None,
        class_weight: ClassWeight = None,
        unlabelled: Any = -1,
        tol: float = 1e-10,
        max_iter: int = 300,
        n_jobs: int | None = -1,
    ) -> None:
        self.n_components = n_components
        self.class_weight = class_weight
        self.unlabelled = unlabelled
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
