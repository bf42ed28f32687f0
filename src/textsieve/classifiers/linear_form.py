"""Convert trained classifiers to coefficients and intercepts: one row per class, or a single row for two classes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.utils.multiclass import check_classification_targets

from ..arrays import Floats, Ints
from ..errors import InputError, shown
from ..registry import list_linear_classifiers
from .linear import LinearScorer

CONSTANT_SCORE = 1000.0
"""The score of every document for a class that contains all training documents; an empty class gets its negative.

It is used only for multilabel documents, where each class is decided separately. It is larger than usual scores of rows
of length 1, so that a class that contains all training documents also has the best score of each document.
"""

_ROWS_TO_COMPARE = 100
"""The number of documents for which the scores of a linear form are compared with those of its classifier."""


class ProjectionMap(NamedTuple):
    """A linear projection of rows: (X - mean) @ components.T."""

    components: Floats  # directions x terms
    mean: Floats  # a number for each term


class Linear(NamedTuple):
    """A linear function of documents: scores are X @ coefficients.T + intercepts."""

    coefficients: Floats  # a row for each class, or a single row for the second of two classes
    intercepts: Floats

    def after(self, projection: ProjectionMap | None) -> Linear:
        """Return the function that projects documents and then applies `self`; `self` if `projection` is None."""
        if projection is None:
            return self
        coefficients = self.coefficients @ projection.components
        return Linear(coefficients, self.intercepts - coefficients @ projection.mean)


def linear_form(classifier: Any) -> Linear:
    """Return the linear form of a trained classifier; for two classes one row, positive for the second.

    Raises `NotLinear` if the classifier has no coefficients, or if the number of their rows does not fit the classes.
    """
    if not hasattr(classifier, "classes_"):
        raise _not_linear(classifier, "after fit it has no classes_")
    if isinstance(classifier, ComplementNB):  # it does not use class priors
        form = Linear(classifier.feature_log_prob_, np.zeros(len(classifier.classes_)))
    elif isinstance(classifier, MultinomialNB):
        form = Linear(classifier.feature_log_prob_, classifier.class_log_prior_)
    elif hasattr(classifier, "coef_") and hasattr(classifier, "intercept_"):
        coefficients = classifier.coef_
        if hasattr(coefficients, "toarray"):  # after sparsify()
            coefficients = coefficients.toarray()
        rows = np.atleast_2d(np.asarray(coefficients, np.float64))
        # `intercept_` may be a single number, such as 0.0 for a classifier without intercepts.
        form = Linear(rows, np.broadcast_to(np.asarray(classifier.intercept_, np.float64), len(rows)).copy())
    else:
        raise _not_linear(classifier, "after fit it has no coef_ and intercept_")
    n_classes = len(classifier.classes_)
    if len(form.intercepts) not in ((1, 2) if n_classes == 2 else (n_classes,)):
        raise _not_linear(classifier, f"coef_ has {len(form.intercepts)} rows for {n_classes} classes")
    return join_two_rows(form, classifier)


def join_two_rows(form: Linear, classifier: Any) -> Linear:
    """Return a linear form with its two rows joined into one, second class minus first; unchanged if it has not two.

    Raises `InputError` for coefficients that are not finite; the message shows the settings of the classifier.
    """
    if not (np.isfinite(form.coefficients).all() and np.isfinite(form.intercepts).all()):
        raise InputError(
            f"{classifier!r} learned coefficients that are not finite", hint="use a larger alpha, or another C"
        )
    if len(form.intercepts) == 2:
        return Linear(form.coefficients[1:] - form.coefficients[:1], form.intercepts[1:] - form.intercepts[:1])
    return form


class NotLinear(InputError):
    """Raised for a classifier that can't be written as coefficients and intercepts."""


def _not_linear(classifier: Any, reason: str) -> NotLinear:
    """Return the error for a classifier that is not linear, for the given reason."""
    return NotLinear(
        f"{type(classifier).__name__} is not a linear classifier: {reason}, so its decisions could be neither "
        "explained nor stored",
        hint=f"Use {list_linear_classifiers()}, or another linear classifier",
    )


def verified_linear_form(trained: Any, rows: csr_matrix) -> Linear:
    """Return the linear form of a trained classifier, after a check that both give the same scores for the first rows.

    Raises `NotLinear` if they don't. The check needs a `decision_function`; naive Bayes, for example, has none and is
    not checked.
    """
    form = linear_form(trained)
    if hasattr(trained, "decision_function"):  # coef_ may mean something else: SVC has a row for each pair of classes
        sample = rows[:_ROWS_TO_COMPARE]
        expected, scores = np.asarray(trained.decision_function(sample)), sample @ form.coefficients.T + form.intercepts
        if expected.size != scores.size or not np.allclose(
            expected.reshape(scores.shape), scores, rtol=1e-3, atol=1e-3
        ):
            raise _not_linear(trained, "its scores are not weights x coef_ + intercept_")
    return form


def linear_scorer(form: Linear, dtype: type[np.floating] = np.float32) -> LinearScorer:
    """Return the scorer of a linear form: coefficients of float32 or float64, one row per term."""
    coefficients, intercepts = form
    return LinearScorer(np.ascontiguousarray(coefficients.T, dtype), intercepts.astype(np.float64))


def add_empty_classes(form: Linear, present: Ints, n_classes: int, *, signed: bool = False) -> Linear:
    """Return a form for all `n_classes` classes, from that of the classes with training documents (`present`).

    A class without training documents must never be predicted, so it must score lower than another class for every
    document, but its score must be finite. If no term weight is negative, it gets the lowest coefficient of each term
    and an intercept below all others. If weights may be negative (`signed`), it gets the coefficients of the class with
    the lowest intercept, and a lower intercept, so it always scores below that class.
    """
    if len(present) == n_classes:
        return form
    if len(form.intercepts) == 1:  # a single row for two classes becomes two rows
        form = Linear(np.vstack([-form.coefficients, form.coefficients]), np.append(-form.intercepts, form.intercepts))
    lowest = form.coefficients[form.intercepts.argmin()] if signed else form.coefficients.min(axis=0)
    coefficients = np.tile(lowest, (n_classes, 1))
    intercepts = np.full(n_classes, form.intercepts.min() - 1.0)
    coefficients[present], intercepts[present] = form
    return Linear(coefficients, intercepts)


@contextmanager
def reraise_option_errors(classifier: Any) -> Iterator[None]:
    """Re-raise a `ValueError` of scikit-learn's own classifiers as `InputError`: it is about their options.

    The errors of other classifiers may have any reason and are not changed.
    """
    try:
        yield
    except InputError:  # it is a ValueError, too, and stays as it is
        raise
    except ValueError as problem:
        if not type(classifier).__module__.startswith("sklearn."):
            raise
        message = f"{shown(classifier, 200)} can't be trained: {problem}"
        raise InputError(message, setting="classifier_options") from problem


@contextmanager
def ignore_warnings_about_targets(y: Ints) -> Iterator[None]:
    """Within the block, silence the warnings of scikit-learn's check of the class numbers `y`, and show all others.

    If classes have few documents each, the check warns that `y` could be the targets of a regression, which is never
    the case here. A filter by category (`UserWarning`) or by module (that of the classifier) would also silence
    warnings that users must see, such as "Setting penalty=None will ignore the C". So `y` is checked beforehand, and
    the warnings of this check are left out when the classifier checks `y` again.
    """
    with warnings.catch_warnings(record=True) as about_targets:
        warnings.simplefilter("always")
        check_classification_targets(y)
    if not about_targets:
        yield
        return
    left_out = {(warning.category, str(warning.message)) for warning in about_targets}
    with warnings.catch_warnings(record=True) as recorded:
        warnings.simplefilter("always")
        yield
    registry: dict[Any, Any] = {}  # so that a warning that occurs many times at one place is shown once
    for warning in recorded:
        if (warning.category, str(warning.message)) not in left_out:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno, registry=registry
            )
