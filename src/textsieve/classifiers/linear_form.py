"""Trained classifiers to coefficients and intercepts: a class a row, or a single row for two classes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.naive_bayes import ComplementNB, MultinomialNB

from ..errors import InputError, shown
from .linear import LinearScorer

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ALWAYS = 1000.0
"""The score of a class that every document is in, minus this that of a class that none is in, where each class is cut
by itself: more than weights of length 1 come to, so that it is the best of a document's classes too."""

_PROBED = 100


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
    return one_row_for_two(form, classifier)


def one_row_for_two(form: Linear, classifier: Any) -> Linear:
    """The rows of classes, or where there are two, by how much the second is ahead; what is not finite is refused."""
    if not (np.isfinite(form.coefficients).all() and np.isfinite(form.intercepts).all()):
        raise InputError(f"{classifier!r} learned coefficients that are not finite; use a larger alpha, or another C.")
    if len(form.intercepts) == 2:
        return Linear(form.coefficients[1:] - form.coefficients[:1], form.intercepts[1:] - form.intercepts[:1])
    return form


class NotLinear(InputError):
    """Raised for a classifier that does not come down to coefficients."""


def _not_linear(classifier: Any, reason: str) -> NotLinear:
    return NotLinear(
        f"{type(classifier).__name__} is not a linear classifier: {reason}, so its decisions could be neither "
        "explained nor stored. Use svm, logistic, nb, cnb, rocchio or the like."
    )


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


@contextmanager
def few_documents_of_each_class() -> Iterator[None]:
    """Classes are numbers here, which scikit-learn takes for a regression's if they have few documents each."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The number of unique classes is greater than 50%", UserWarning)
        yield
