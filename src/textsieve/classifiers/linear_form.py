"""Trained classifiers to coefficients and intercepts: a class a row, or a single row for two classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.utils.class_weight import compute_sample_weight

from ..errors import InputError, shown
from .linear import LinearScorer
from .rocchio import Rocchio
from .scorer import Scorer
from .svm import LinearSVM

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ALWAYS = 1000.0
"""The score of a class that every document is in, minus this that of a class that none is in, where each class is cut
by itself: more than weights of length 1 come to, so that it is the best of a document's classes too."""

_SHARE_NOTHING = LinearSVM | MultinomialNB | ComplementNB
"""Classifiers of which several can be trained at a time; liblinear's draw random numbers from one common source."""

_PROBED = 100

SLICE = 1 << 14
"""Documents that naive Bayes learns from at a time."""


class Projected(NamedTuple):
    """How rows came to be: (X - mean) @ components.T."""

    components: Floats
    mean: Floats


class Linear(NamedTuple):
    """Scores are X @ coefficients.T + intercepts."""

    coefficients: Floats
    intercepts: Floats

    def before(self, projected: Projected) -> Linear:
        """What gives the same scores to documents that this gives to their projections."""
        coefficients = self.coefficients @ projected.components
        return Linear(coefficients, self.intercepts - coefficients @ projected.mean)


def linear_form(classifier: Any) -> Linear:
    """What a trained classifier comes down to; for two classes one row, which speaks for the second."""
    if not hasattr(classifier, "classes_"):
        raise _not_linear(classifier, "after fit it has no classes_")
    if isinstance(classifier, ComplementNB):
        form = Linear(classifier.feature_log_prob_, np.zeros(len(classifier.classes_)))
    elif isinstance(classifier, MultinomialNB):
        form = Linear(classifier.feature_log_prob_, classifier.class_log_prior_)
    elif hasattr(classifier, "coef_") and hasattr(classifier, "intercept_"):
        coefficients = classifier.coef_
        if hasattr(coefficients, "toarray"):  # after sparsify()
            coefficients = coefficients.toarray()
        rows = np.atleast_2d(np.asarray(coefficients, np.float64))
        form = Linear(rows, np.broadcast_to(np.asarray(classifier.intercept_, np.float64), len(rows)).copy())
    else:
        raise _not_linear(classifier, "after fit it has no coef_ and intercept_")
    n_classes = len(classifier.classes_)
    if len(form.intercepts) not in ((1, 2) if n_classes == 2 else (n_classes,)):
        raise _not_linear(classifier, f"coef_ has {len(form.intercepts)} rows for {n_classes} classes")
    if not (np.isfinite(form.coefficients).all() and np.isfinite(form.intercepts).all()):
        raise InputError(f"{classifier!r} learned coefficients that are not finite; use a larger alpha, or another C.")
    if n_classes == 2 and len(form.intercepts) == 2:
        return Linear(form.coefficients[1:] - form.coefficients[:1], form.intercepts[1:] - form.intercepts[:1])
    return form


class NotLinear(InputError):
    """Raised for a classifier that does not come down to coefficients."""


def _not_linear(classifier: Any, reason: str) -> NotLinear:
    return NotLinear(
        f"{type(classifier).__name__} is not a linear classifier: {reason}, so its decisions could be neither "
        "explained nor stored. Use svm, logistic, nb, cnb, rocchio or the like."
    )


def _fit_linear(classifier: Any, rows: csr_matrix, y: Ints, class_weight: Any) -> tuple[Linear, Ints]:
    """Train; gives what was learned, and the numbers of the classes that were there."""
    trained = _fit(classifier, rows, y, class_weight)
    return checked_form(trained, rows), np.asarray(trained.classes_)


def checked_form(trained: Any, rows: csr_matrix) -> Linear:
    """What a trained classifier comes down to, compared with what it says itself of some rows."""
    form = linear_form(trained)
    if hasattr(trained, "decision_function"):  # coef_ may also mean something else: SVC has a row for each two classes
        some = rows[:_PROBED]
        told, ours = np.asarray(trained.decision_function(some)), some @ form.coefficients.T + form.intercepts
        if told.size != ours.size or not np.allclose(told.reshape(ours.shape), ours, rtol=1e-3, atol=1e-3):
            raise _not_linear(trained, "its scores are not weights x coef_ + intercept_")
    return form


def scorer_of(form: Linear) -> LinearScorer:
    """Coefficients as they are kept: with 32 bits, a term a row."""
    coefficients, intercepts = form
    return LinearScorer(np.ascontiguousarray(coefficients.T, np.float32), intercepts.astype(np.float64))


def fit_own(classifier: Any, rows: csr_matrix, indicator: Any, class_weight: Any) -> Scorer:
    """Train a classifier that has a scorer of its own, on labels as documents x classes."""
    fresh = clone(classifier)
    if class_weight is not None:
        if "class_weight" not in fresh.get_params(deep=False):
            raise InputError(f"class_weight={class_weight!r}: {type(fresh).__name__} has no class weights; use svm.")
        fresh.set_params(class_weight=class_weight)
    scorer: Scorer = fresh.fit(rows, indicator).to_scorer()
    return scorer


def fit_one_label(
    classifier: Any,
    rows: csr_matrix,
    numbers: Ints,
    n_classes: int,
    class_weight: Any,
    projected: Projected | None = None,
) -> Linear:
    """Train on documents of one label each, given by number; a class without documents can't win.

    Class weights are "balanced", or a factor for each number.
    """
    form, present = _fit_linear(classifier, rows, numbers, class_weight)
    return of_all_classes(form if projected is None else form.before(projected), present, n_classes)


def of_all_classes(form: Linear, present: Ints, n_classes: int, *, signed: bool = False) -> Linear:
    """What was learned of the classes that had documents, with those that can't win beside them.

    Where weights are not negative, a class that has the least of all coefficients of a term, and an intercept below
    all, has a lower score than any other, and no odd one. Where they may be (`signed`), it has the coefficients of a
    class that had documents, and a lower intercept.
    """
    if len(present) == n_classes:
        return form
    if len(form.intercepts) == 1:
        form = Linear(np.vstack([-form.coefficients, form.coefficients]), np.append(-form.intercepts, form.intercepts))
    lowest = form.coefficients[form.intercepts.argmin()] if signed else form.coefficients.min(axis=0)
    coefficients = np.tile(lowest, (n_classes, 1))
    intercepts = np.full(n_classes, form.intercepts.min() - 1.0)
    coefficients[present], intercepts[present] = form
    return Linear(coefficients, intercepts)


def fit_each_class(
    classifier: Any,
    rows: csr_matrix,
    members: Sequence[Ints],
    class_weight: Any,
    n_jobs: int,
    projected: Projected | None = None,
) -> Linear:
    """Train each class against the rest; a document may be a member of several, or of none."""
    if isinstance(classifier, Rocchio) and class_weight is None:  # its classes need no rest of their own
        return _fit_prototypes(classifier, rows, members)

    def one(number: int) -> tuple[Floats, float]:
        is_member = np.zeros(rows.shape[0], np.int64)
        is_member[members[number]] = 1
        n_members = len(members[number])
        if n_members in (0, len(is_member)):  # nothing to learn: never, or always
            return np.zeros(rows.shape[1]), ALWAYS if n_members else -ALWAYS
        form, _ = _fit_linear(one_job, rows, is_member, weight_against_rest(class_weight, number))
        return form.coefficients[0], float(form.intercepts[0])

    one_job = clone(classifier).set_params(n_jobs=1) if isinstance(classifier, LinearSVM) else classifier
    with ThreadPoolExecutor(n_jobs if isinstance(classifier, _SHARE_NOTHING) else 1) as pool:
        found = list(pool.map(one, range(len(members))))
    form = Linear(np.array([each[0] for each in found]), np.array([each[1] for each in found]))
    return form if projected is None else form.before(projected)


def weight_against_rest(class_weight: Any, number: int) -> Any:
    """The class weights for a class (1) against the rest (0)."""
    return {0: 1.0, 1: class_weight.get(number, 1.0)} if isinstance(class_weight, dict) else class_weight


def _fit_prototypes(classifier: Rocchio, rows: csr_matrix, members: Sequence[Ints]) -> Linear:
    trained = clone(classifier).fit(rows, indicator_of(members, rows.shape[0]))
    return Linear(trained.coef_, trained.intercept_)


def indicator_of(members: Sequence[Ints], n_documents: int) -> csr_matrix:
    """Documents x classes, 1 where a document is in a class."""
    documents = np.concatenate(members)
    classes = np.repeat(np.arange(len(members)), [len(each) for each in members])
    return csr_matrix((np.ones(len(documents)), (documents, classes)), shape=(n_documents, len(members)))


@contextmanager
def naming_options(classifier: Any) -> Iterator[None]:
    """What scikit-learn says of options that it can't train with, as an error of the input."""
    try:
        yield
    except InputError:
        raise
    except ValueError as problem:
        if not type(classifier).__module__.startswith("sklearn."):
            raise
        raise InputError(f"classifier_options: {shown(classifier, 200)} can't be trained: {problem}") from problem


def _fit(classifier: Any, rows: csr_matrix, y: Ints, class_weight: Any) -> Any:
    with naming_options(classifier):
        return _fit_as_it_is(classifier, rows, y, class_weight)


def _fit_as_it_is(classifier: Any, rows: csr_matrix, y: Ints, class_weight: Any) -> Any:
    fresh = clone(classifier)
    if isinstance(fresh, MultinomialNB | ComplementNB):
        return _fit_in_slices(fresh, rows, y, class_weight)
    if not isinstance(fresh, LinearSVM | Rocchio):  # which calculate with 64 bits whatever comes
        rows = rows.astype(np.float64)
    if class_weight is None:
        return fresh.fit(rows, y)
    if "class_weight" in fresh.get_params():
        return fresh.set_params(class_weight=class_weight).fit(rows, y)
    raise InputError(
        f"class_weight={class_weight!r}: {type(fresh).__name__} has no class weights"
        + ("; each class's mean counts alike already." if isinstance(fresh, Rocchio) else "; use svm or logistic.")
    )


def _fit_in_slices(bayes: Any, rows: csr_matrix, y: Ints, class_weight: Any) -> Any:
    """Naive Bayes learns from sums, so a slice at a time gives the same, and no copy of all rows is made."""
    weights = None if class_weight is None else compute_sample_weight(class_weight, y)
    classes = np.unique(y)
    for begin in range(0, rows.shape[0], SLICE):
        part = slice(begin, begin + SLICE)
        weight = None if weights is None else weights[part]
        bayes.partial_fit(rows[part].astype(np.float64), y[part], classes=classes, sample_weight=weight)
    return bayes
