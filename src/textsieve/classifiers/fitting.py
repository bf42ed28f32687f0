"""Training classifiers, and bringing them into the form in which they are kept.

With one label a document a classifier is trained once. With several, each class is trained against the rest. What
learns from sums is handed to `from_stats.py`, all else gets the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import clone

from ..errors import InputError
from .from_stats import fit_stats, learns_from_stats, stats_of
from .linear_form import (
    ALWAYS,
    Linear,
    Projected,
    checked_form,
    few_documents_of_each_class,
    naming_options,
    of_all_classes,
)
from .rocchio import Rocchio
from .scorer import Scorer
from .svm import LinearSVM, class_factors

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def fit_own(
    classifier: Any, rows: csr_matrix, indicator: Any, class_weight: Any, sample_weight: Floats | None = None
) -> Scorer:
    """Train a classifier that has a scorer of its own, on labels as documents x classes."""
    fresh = clone(classifier)
    if class_weight is not None:
        if "class_weight" not in fresh.get_params(deep=False):
            raise InputError(f"class_weight={class_weight!r}: {type(fresh).__name__} has no class weights; use svm.")
        fresh.set_params(class_weight=class_weight)
    scorer: Scorer = fresh.fit(rows, indicator, **as_argument(fresh, sample_weight)).to_scorer()
    return scorer


def fit_one_label(
    classifier: Any,
    rows: csr_matrix,
    numbers: Ints,
    n_classes: int,
    class_weight: Any,
    projected: Projected | None = None,
    sample_weight: Floats | None = None,
) -> Linear:
    """Train on documents of one label each, given by number; a class without documents can't win.

    Class weights are "balanced", or a factor for each number.
    """
    if learns_from_stats(classifier, class_weight):
        is_member = csr_array((np.ones(len(numbers)), numbers, np.arange(len(numbers) + 1)), (len(numbers), n_classes))
        stats = stats_of(classifier, [rows], is_member, sample_weight)
        form = fit_stats(classifier, stats, class_weight, several=False)
        return form if projected is None else form.before(projected)
    with few_documents_of_each_class():
        form, present = _fit_linear(classifier, rows, numbers, class_weight, sample_weight)
    return of_all_classes(form if projected is None else form.before(projected), present, n_classes)


def fit_each_class(
    classifier: Any,
    rows: csr_matrix,
    members: Sequence[Ints],
    class_weight: Any,
    n_jobs: int,
    projected: Projected | None = None,
    sample_weight: Floats | None = None,
) -> Linear:
    """Train each class against the rest; a document may be a member of several, or of none."""
    if learns_from_stats(classifier, class_weight):
        stats = stats_of(classifier, [rows], _indicator(members, rows.shape[0]), sample_weight)
        form = fit_stats(classifier, stats, class_weight, several=True)
        return form if projected is None else form.before(projected)

    def one(number: int) -> tuple[Floats, float]:
        is_member = np.zeros(rows.shape[0], np.int64)
        is_member[members[number]] = 1
        n_members = len(members[number])
        if n_members in (0, len(is_member)):  # nothing to learn: never, or always
            return np.zeros(rows.shape[1]), ALWAYS if n_members else -ALWAYS
        form, _ = _fit_linear(one_job, rows, is_member, weight_against_rest(class_weight, number), sample_weight)
        return form.coefficients[0], float(form.intercepts[0])

    one_job = clone(classifier).set_params(n_jobs=1) if isinstance(classifier, LinearSVM) else classifier
    # Several at a time share nothing; liblinear's draw random numbers from one common source, so they take turns.
    with ThreadPoolExecutor(n_jobs if isinstance(classifier, LinearSVM) else 1) as pool:
        found = list(pool.map(one, range(len(members))))
    form = Linear(np.array([each[0] for each in found]), np.array([each[1] for each in found]))
    return form if projected is None else form.before(projected)


def weight_against_rest(class_weight: Any, number: int) -> Any:
    """The class weights for a class (1) against the rest (0)."""
    return {0: 1.0, 1: class_weight.get(number, 1.0)} if isinstance(class_weight, dict) else class_weight


def _indicator(members: Sequence[Ints], n_documents: int) -> csr_array:
    """Documents x classes, 1 where a document is in a class."""
    documents = np.concatenate(members)
    classes = np.repeat(np.arange(len(members)), [len(each) for each in members])
    return csr_array((np.ones(len(documents)), (documents, classes)), shape=(n_documents, len(members)))


def takes_weights(classifier: Any) -> bool:
    """Whether a classifier can be given a weight for each document."""
    return "sample_weight" in signature(classifier.fit).parameters


def as_argument(classifier: Any, sample_weight: Floats | None) -> dict[str, Floats]:
    """Return the argument by which a classifier is given sample weights; none, if there are no weights."""
    if sample_weight is None:
        return {}
    if not takes_weights(classifier):
        raise InputError(
            f"sample_weight: {type(classifier).__name__} takes no weights of documents; use svm, logistic, nb, cnb, "
            "rocchio or subspace, or leave sample_weight out."
        )
    return {"sample_weight": sample_weight}


def _fit_linear(
    classifier: Any, rows: csr_matrix, y: Ints, class_weight: Any, sample_weight: Floats | None
) -> tuple[Linear, Ints]:
    """Train; gives what was learned, and the numbers of the classes that were there."""
    with naming_options(classifier):
        trained = _fit(classifier, rows, y, class_weight, sample_weight)
    return checked_form(trained, rows), np.asarray(trained.classes_)


def _fit(classifier: Any, rows: csr_matrix, y: Ints, class_weight: Any, sample_weight: Floats | None) -> Any:
    fresh = clone(classifier)
    if not isinstance(fresh, LinearSVM):  # which calculates with 64 bits whatever comes
        rows = rows.astype(np.float64)
    weights = as_argument(fresh, sample_weight)
    if class_weight is None:
        return fresh.fit(rows, y, **weights)
    if "class_weight" in fresh.get_params():
        if weights and class_weight == "balanced":  # older releases of scikit-learn balance documents, not weights
            present = np.unique(y)
            factors = class_factors(class_weight, present, y, sample_weight)
            class_weight = dict(zip(present.tolist(), factors.tolist(), strict=True))
        return fresh.set_params(class_weight=class_weight).fit(rows, y, **weights)
    raise InputError(
        f"class_weight={class_weight!r}: {type(fresh).__name__} has no class weights"
        + ("; each class's mean counts alike already." if isinstance(fresh, Rocchio) else "; use svm or logistic.")
    )
