"""Train classifiers, and convert them to the form in which models store them.

A classifier with a method `to_scorer` is trained once, even on multilabel documents (`fit_own_scorer`). All others must
be linear, and are converted to coefficients and intercepts (their *linear form*). If documents have one label each,
they are trained once (`fit_one_label`); for multilabel documents, they are trained for each class against the rest
(`fit_each_class`). Classifiers that learn from sums, such as naive Bayes, are trained by `from_stats.py`; the others
are trained on the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import clone

from ..arrays import Floats, Ints
from ..errors import InputError
from ..registry import list_classifiers_with_class_weight, list_classifiers_with_sample_weight, traits_of
from ..threads import parallel_map
from .class_weights import factors_by_class, is_rule, weight_against_rest
from .from_stats import fit_stats, learns_from_stats, stats_of
from .linear_form import (
    CONSTANT_SCORE,
    Linear,
    ProjectionMap,
    add_empty_classes,
    ignore_warnings_about_targets,
    reraise_option_errors,
    verified_linear_form,
)
from .rocchio import Rocchio
from .scorer import Scorer
from .svm import LinearSVM


def fit_own_scorer(
    classifier: Any, rows: csr_matrix, indicator: Any, class_weight: Any, sample_weight: Floats | None = None
) -> Scorer:
    """Train a classifier that has a method `to_scorer`, and return its scorer.

    `indicator` is a (documents x classes) matrix with 1 where a document is in a class. Raises `InputError` if the
    classifier does not support class weights or sample weights that are given.
    """
    untrained = clone(classifier)
    if class_weight is not None:
        if "class_weight" not in untrained.get_params(deep=False):
            raise InputError(
                f"{type(untrained).__name__} has no class weights",
                setting="class_weight",
                value=class_weight,
                hint=f"use {list_classifiers_with_class_weight()}",
            )
        untrained.set_params(class_weight=class_weight)
    trained = untrained.fit(rows, indicator, **sample_weight_argument(untrained, sample_weight))
    scorer: Scorer = trained.to_scorer()
    return scorer


def fit_one_label(
    classifier: Any,
    rows: csr_matrix,
    numbers: Ints,
    n_classes: int,
    class_weight: Any,
    projection: ProjectionMap | None = None,
    sample_weight: Floats | None = None,
) -> Linear:
    """Return the linear form of a classifier trained on documents with one label each.

    `numbers` has the class number of each document; the form never predicts a class without documents. `class_weight`
    is None, "balanced", "sqrt", or a dictionary with a factor for each class number. If the rows are projections of
    documents, `projection` is how they were projected, and the returned form is for the documents themselves.
    """
    if learns_from_stats(classifier, class_weight):
        # A CSR matrix (documents x classes) with a single 1 in each row.
        is_member = csr_array((np.ones(len(numbers)), numbers, np.arange(len(numbers) + 1)), (len(numbers), n_classes))
        stats = stats_of(classifier, [rows], is_member, sample_weight)
        return fit_stats(classifier, stats, class_weight, multilabel=False).after(projection)
    with ignore_warnings_about_targets(numbers):
        form, present = _fit_linear(classifier, rows, numbers, class_weight, sample_weight)
    return add_empty_classes(form.after(projection), present, n_classes)


def fit_each_class(
    classifier: Any,
    rows: csr_matrix,
    members: Sequence[Ints],
    class_weight: Any,
    n_jobs: int,
    projection: ProjectionMap | None = None,
    sample_weight: Floats | None = None,
) -> Linear:
    """Return the linear form of a classifier trained for each class against the rest.

    `members` has the row numbers of the documents of each class; a document may be in any number of classes. `n_jobs`
    is the number of threads. The other parameters are those of `fit_one_label`.
    """
    if learns_from_stats(classifier, class_weight):
        stats = stats_of(classifier, [rows], _indicator(members, rows.shape[0]), sample_weight)
        return fit_stats(classifier, stats, class_weight, multilabel=True).after(projection)
    uses_threads = traits_of(classifier).uses_threads
    # Each class is fitted in one thread; the threads are used for several classes at a time.
    single_threaded = clone(classifier).set_params(n_jobs=1) if uses_threads else classifier

    def fit_class(number: int) -> tuple[Floats, float]:
        """Return the coefficients and the intercept of a class against the rest."""
        is_member = np.zeros(rows.shape[0], np.int64)
        is_member[members[number]] = 1
        n_members = len(members[number])
        if n_members in (0, len(is_member)):  # nothing to learn: the class has no document, or every document
            return np.zeros(rows.shape[1]), CONSTANT_SCORE if n_members else -CONSTANT_SCORE
        # With two classes, the class (1) and the rest (0), the form has a single row.
        form, _ = _fit_linear(
            single_threaded, rows, is_member, weight_against_rest(class_weight, number), sample_weight
        )
        return form.coefficients[0], float(form.intercepts[0])

    # Fits of a classifier that uses threads, such as LinearSVM, share nothing, so they can run in parallel. Others run
    # one after the other: those of liblinear, for example, draw random numbers from one global source.
    fitted = parallel_map(fit_class, len(members), n_jobs if uses_threads else 1)
    coefficients = np.array([row for row, _ in fitted])
    intercepts = np.array([intercept for _, intercept in fitted])
    return Linear(coefficients, intercepts).after(projection)


def _indicator(members: Sequence[Ints], n_documents: int) -> csr_array:
    """Return a (documents x classes) matrix with 1 where a document is in a class."""
    documents = np.concatenate(members)
    classes = np.repeat(np.arange(len(members)), [len(documents_of_class) for documents_of_class in members])
    return csr_array((np.ones(len(documents)), (documents, classes)), shape=(n_documents, len(members)))


def sample_weight_argument(classifier: Any, sample_weight: Floats | None) -> dict[str, Floats]:
    """Return the keyword argument that passes sample weights to `fit`; an empty dictionary if there are no weights."""
    if sample_weight is None:
        return {}
    if not traits_of(classifier).takes_sample_weight:
        raise InputError(
            f"{type(classifier).__name__} takes no weights of documents",
            setting="sample_weight",
            hint=f"use {list_classifiers_with_sample_weight()}, or leave sample_weight out",
        )
    return {"sample_weight": sample_weight}


def _fit_linear(
    classifier: Any, rows: csr_matrix, y: Ints, class_weight: Any, sample_weight: Floats | None
) -> tuple[Linear, Ints]:
    """Train a copy of a classifier; return its linear form and the numbers of the classes that have documents.

    `y` has the class number of each document.
    """
    with reraise_option_errors(classifier):
        trained = _fit_with_weights(classifier, rows, y, class_weight, sample_weight)
    return verified_linear_form(trained, rows), np.asarray(trained.classes_)


def _fit_with_weights(
    classifier: Any, rows: csr_matrix, y: Ints, class_weight: Any, sample_weight: Floats | None
) -> Any:
    """Return a trained copy of a classifier; raise `InputError` if it doesn't support the given weights."""
    untrained = clone(classifier)
    if not isinstance(untrained, LinearSVM):  # LinearSVM calculates in float64 even on float32 rows
        rows = rows.astype(np.float64)
    weights = sample_weight_argument(untrained, sample_weight)
    if class_weight is None:
        return untrained.fit(rows, y, **weights)
    if "class_weight" not in untrained.get_params():
        raise InputError(
            f"{type(untrained).__name__} has no class weights",
            setting="class_weight",
            value=class_weight,
            hint="each class's mean counts alike already"
            if isinstance(untrained, Rocchio)
            else f"use {list_classifiers_with_class_weight()}",
        )
    if is_rule(class_weight):
        present, positions = np.unique(y, return_inverse=True)
        class_weight = factors_by_class(class_weight, present, positions, sample_weight)
    return untrained.set_params(class_weight=class_weight).fit(rows, y, **weights)
