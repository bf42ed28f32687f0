"""Training on rows that never are in memory together: Rocchio and naive Bayes learn from sums, a slice at a time.

`ClassStats` is exact, so that Rocchio learns the same from any slices. Naive Bayes adds up in floats: it gets slices of
the size that it gets where all rows are there (`linear_form.SLICE`), and learns the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack
from sklearn.base import clone
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.utils.class_weight import compute_sample_weight

from .linear_form import (
    ALWAYS,
    SLICE,
    Linear,
    indicator_of,
    linear_form,
    naming_options,
    of_all_classes,
    weight_against_rest,
)
from .rocchio import Rocchio

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Batches = Iterable[csr_matrix]


def learns_in_slices(classifier: Any, class_weight: Any) -> bool:
    """Whether a classifier can be trained by the functions below."""
    return isinstance(classifier, MultinomialNB | ComplementNB) or (
        isinstance(classifier, Rocchio) and class_weight is None
    )


def slices_of(batches: Batches, usable: Bools) -> Iterator[tuple[slice, csr_matrix]]:
    """The usable rows of batches of any size, `SLICE` at a time but for the last; and which of them these are."""
    waiting: list[csr_matrix] = []
    n_waiting = n_given = n_seen = 0
    for batch in batches:
        is_usable = usable[n_seen : n_seen + batch.shape[0]]
        n_seen += batch.shape[0]
        waiting.append(batch if is_usable.all() else batch[np.flatnonzero(is_usable)])
        n_waiting += waiting[-1].shape[0]
        while n_waiting >= SLICE:
            rows = vstack(waiting, "csr")
            waiting, n_waiting = [rows[SLICE:]], n_waiting - SLICE
            yield slice(n_given, n_given + SLICE), rows[:SLICE]
            n_given += SLICE
    if n_waiting:
        yield slice(n_given, n_given + n_waiting), vstack(waiting, "csr")


def fit_one_label_in_slices(
    classifier: Any, slices: Iterable[tuple[slice, csr_matrix]], numbers: Ints, n_classes: int, class_weight: Any
) -> Linear:
    """As `linear_form.fit_one_label`."""
    trained = clone(classifier)
    weights = None if class_weight is None else compute_sample_weight(class_weight, numbers)
    classes = np.unique(numbers)
    for part, rows in slices:
        _learn(trained, rows, numbers[part], classes, None if weights is None else weights[part])
    return of_all_classes(linear_form(trained), np.asarray(trained.classes_), n_classes)


def fit_each_class_in_slices(
    classifier: Any,
    slices: Iterable[tuple[slice, csr_matrix]],
    members: Sequence[Ints],
    n_documents: int,
    class_weight: Any,
    n_jobs: int,
) -> Linear:
    """As `linear_form.fit_each_class`."""
    is_member = indicator_of(members, n_documents)
    if isinstance(classifier, Rocchio):
        trained = clone(classifier)
        for part, rows in slices:
            trained.partial_fit(rows, is_member[part])
        return Linear(trained.coef_, trained.intercept_)
    by_class = is_member.tocsc()
    to_learn = [number for number, each in enumerate(members) if 0 < len(each) < n_documents]
    learners = {number: clone(classifier) for number in to_learn}
    factors = {number: _factors(class_weight, number, len(members[number]), n_documents) for number in to_learn}
    n_terms = 0

    def learn(part: slice, rows: csr_matrix, number: int) -> None:
        y = by_class[part, [number]].toarray().ravel().astype(np.int64)
        weights = None if factors[number] is None else factors[number][y]
        _learn(learners[number], rows, y, np.arange(2), weights)

    with ThreadPoolExecutor(n_jobs) as pool:
        for part, rows in slices:
            n_terms = rows.shape[1]
            as_learned = rows.astype(np.float64)
            list(pool.map(partial(learn, part, as_learned), to_learn))
    coefficients = np.zeros((len(members), n_terms))
    intercepts = np.array([ALWAYS if len(each) else -ALWAYS for each in members])
    for number in to_learn:
        form = linear_form(learners.pop(number))
        coefficients[number], intercepts[number] = form.coefficients[0], form.intercepts[0]
    return Linear(coefficients, intercepts)


def _factors(class_weight: Any, number: int, n_members: int, n_documents: int) -> Any:
    """The weight of a document outside and of one inside a class."""
    if class_weight is None:
        return None
    y = np.repeat([0, 1], [n_documents - n_members, n_members])
    weights = compute_sample_weight(weight_against_rest(class_weight, number), y)
    return weights[[0, -1]]


def _learn(learner: Any, rows: csr_matrix, y: Ints, classes: Ints, weights: Any) -> None:
    if isinstance(learner, Rocchio):
        learner.partial_fit(rows, y)
        return
    with naming_options(learner):
        learner.partial_fit(rows.astype(np.float64, copy=False), y, classes=classes, sample_weight=weights)
