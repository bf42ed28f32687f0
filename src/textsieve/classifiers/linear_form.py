"""Convert trained classifiers to coefficients and intercepts: one row per class, or a single row for two classes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.naive_bayes import ComplementNB, MultinomialNB

from ..arrays import Floats, Ints
from ..errors import InputError, shown
from .linear import LinearScorer

ALWAYS = 1000.0
"""The score of a class that contains every training document, and minus the score of a class that contains none.

Only used where each class has its own threshold. It is larger than any score of rows of length 1, so that a class with
every document is also the best class of each document.
"""

_PROBED = 100


class ProjectionMap(NamedTuple):
    """The projection that rows were mapped by: (X - mean) @ components.T."""

    components: Floats
    mean: Floats


class Linear(NamedTuple):
    """Coefficients and intercepts; scores are X @ coefficients.T + intercepts."""

    coefficients: Floats
    intercepts: Floats

    def before(self, projected: ProjectionMap) -> Linear:
        """Return the form that gives documents the scores that this form gives their projections."""
        coefficients = self.coefficients @ projected.components
        return Linear(coefficients, self.intercepts - coefficients @ projected.mean)


def linear_form(classifier: Any) -> Linear:
    """Return the linear form of a trained classifier; for two classes one row, positive for the second."""
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
    """Return the form with a single row, second class minus first, if it has two; raise `InputError` if not finite."""
    if not (np.isfinite(form.coefficients).all() and np.isfinite(form.intercepts).all()):
        raise InputError(f"{classifier!r} learned coefficients that are not finite; use a larger alpha, or another C.")
    if len(form.intercepts) == 2:
        return Linear(form.coefficients[1:] - form.coefficients[:1], form.intercepts[1:] - form.intercepts[:1])
    return form


class NotLinear(InputError):
    """Raised for a classifier that can't be written as coefficients and intercepts."""


def _not_linear(classifier: Any, reason: str) -> NotLinear:
    return NotLinear(
        f"{type(classifier).__name__} is not a linear classifier: {reason}, so its decisions could be neither "
        "explained nor stored. Use svm, logistic, nb, cnb, rocchio or the like."
    )


def checked_form(trained: Any, rows: csr_matrix) -> Linear:
    """Return the linear form of a trained classifier, after checking on some rows that both give the same scores."""
    form = linear_form(trained)
    if hasattr(trained, "decision_function"):  # coef_ may mean something else: SVC has a row for each pair of classes
        sample = rows[:_PROBED]
        expected, scores = np.asarray(trained.decision_function(sample)), sample @ form.coefficients.T + form.intercepts
        if expected.size != scores.size or not np.allclose(
            expected.reshape(scores.shape), scores, rtol=1e-3, atol=1e-3
        ):
            raise _not_linear(trained, "its scores are not weights x coef_ + intercept_")
    return form


def scorer_of(form: Linear) -> LinearScorer:
    """Return the scorer of a linear form: float32 coefficients, one row per term."""
    coefficients, intercepts = form
    return LinearScorer(np.ascontiguousarray(coefficients.T, np.float32), intercepts.astype(np.float64))


def of_all_classes(form: Linear, present: Ints, n_classes: int, *, signed: bool = False) -> Linear:
    """Return a form for all classes, in which classes without training documents can't win.

    If weights are not negative, such a class gets the lowest coefficient of each term and an intercept below all
    others: its score is always lower than any other, and stays in the usual range. If weights may be negative
    (`signed`), it gets the coefficients of the class with the lowest intercept, and a lower intercept.
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
    """Re-raise scikit-learn's `ValueError` about a classifier's options as `InputError`."""
    try:
        yield
    except InputError:
        raise
    except ValueError as problem:
        if not type(classifier).__module__.startswith("sklearn."):
            raise
        message = f"{shown(classifier, 200)} can't be trained: {problem}"
        raise InputError(message, setting="classifier_options") from problem


@contextmanager
def few_documents_of_each_class() -> Iterator[None]:
    """Silence scikit-learn's warning that class numbers with few documents each look like regression targets."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The number of unique classes is greater than 50%", UserWarning)
        yield
