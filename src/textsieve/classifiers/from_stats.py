"""Train naive Bayes and Rocchio from `ClassStats`: both need only class sizes, and sums per class and term.

*Naive Bayes.* The model is a function of n_j, the number of documents of class j, and s_jt, the sum of the weights of
term t over these documents. With the smoothing parameter α (`alpha`) and n documents in all, the coefficients are
log((s_jt + α) / Σ_u (s_ju + α)), where u runs over all terms, and the intercept is log(n_j / n). Complement naive Bayes
is built from the sums over all classes other than j instead of s_jt, and has no intercept. A class weight f_j counts
each document of the class f_j times: s_jt and n_j become f_j s_jt and f_j n_j.

The formulas are not written here again; scikit-learn's own classifier computes them, with all its options and their
errors. It expects documents, so it gets one for each class, whose weights are the sums s_jt and whose sample weight is
f_j. The class priors n_j / n can't be derived from these documents, so they are passed as `class_prior`.

*Rocchio.* See `rocchio.py`: class means, from sums and n_j.

*Each class against the rest.* The sums of the rest are those of all documents minus those of the class. `ClassStats`
stores a sum with twice the digits of a float, so the difference is as precise as a float. If rounding errors make it
negative, it is set to 0.

`ClassStats` does not depend on the order of the documents, on how they were split, or on which process read them. So
neither does the trained classifier, to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from scipy.sparse import csr_array, csr_matrix, vstack
from sklearn.base import clone
from sklearn.naive_bayes import ComplementNB, MultinomialNB

from ..arrays import Floats, Ints
from ..errors import InputError, shown
from ..registry import traits_of
from ..stats import ClassStats
from .class_weights import rule_factors, weight_against_rest
from .linear_form import (
    CONSTANT_SCORE,
    Linear,
    add_empty_classes,
    ignore_warnings_about_targets,
    join_two_rows,
    linear_form,
    reraise_option_errors,
)

Batches = Iterable[csr_matrix]

NAIVE_BAYES = MultinomialNB | ComplementNB

_MAX_CELLS = 1 << 22
"""The largest size of the (rows x classes) table that scikit-learn allocates in one call; it takes 32 MB."""

_BATCH_VALUES = 1 << 21
"""Batches are merged until they have this many nonzero weights."""


def learns_from_stats(classifier: Any, class_weight: Any) -> bool:
    """Return whether `fit_stats` can train a classifier, because the classifier needs only sums by class and term.

    If there are class weights but the classifier takes none, the result is False, so that the classifier is trained on
    rows, which raises the error.
    """
    traits = traits_of(classifier)
    return traits.statistics == "sums" and (class_weight is None or traits.takes_class_weight)


def stats_of(classifier: Any, batches: Batches, is_member: csr_array, weights: Floats | None = None) -> ClassStats:
    """Return the statistics, for `fit_stats`, of rows that come in batches.

    `is_member` (documents x classes) is 1 where a document is in a class. `weights` has the sample weight of each
    document. For naive Bayes, values below 0 in the rows raise `InputError`; they can't be detected in the sums later.
    Without any batch, the statistics are those of no documents and no terms.
    """
    stats: ClassStats | None = None
    begin = 0
    for rows in _merge_batches(batches):
        if isinstance(classifier, NAIVE_BAYES):
            _refuse_negative_weights(classifier, rows)
        batch = slice(begin, begin + rows.shape[0])
        batch_weights = None if weights is None else weights[batch]
        if stats is None:
            stats = ClassStats.from_matrix(rows, is_member[batch], sample_weight=batch_weights)
        else:
            stats.update(rows, is_member[batch], sample_weight=batch_weights)
        begin += rows.shape[0]
    return ClassStats.zero() if stats is None else stats


def _merge_batches(batches: Batches) -> Iterator[csr_matrix]:
    """Yield the same rows in fewer, larger batches.

    Each batch becomes a table of statistics, which is merged with the table of the batches before it. With small
    batches, merging would take longer than adding up the documents, because the table of a few documents is hardly
    smaller than that of many.
    """
    waiting: list[csr_matrix] = []
    n_values = 0
    for rows in batches:
        waiting.append(rows)
        n_values += rows.nnz
        if n_values >= _BATCH_VALUES:
            yield _stack(waiting)
            waiting, n_values = [], 0
    if waiting:
        yield _stack(waiting)


def _stack(batches: list[csr_matrix]) -> csr_matrix:
    """Return the rows of all batches as one matrix; a single batch is not copied."""
    return vstack(batches, "csr") if len(batches) > 1 else batches[0]


def _refuse_negative_weights(classifier: Any, rows: csr_matrix) -> None:
    """Raise `InputError` if a weight is below 0, with the message of scikit-learn's naive Bayes."""
    least = rows.data.min(initial=0)
    if least < 0:
        raise InputError(
            f"{shown(classifier, 200)} can't be trained: Negative values in data passed to "
            f"{type(classifier).__name__}: {least:g}",
            setting="classifier_options",
        )


def fit_stats(classifier: Any, stats: ClassStats, class_weight: Any, *, multilabel: bool) -> Linear:
    """Return the linear form of a classifier that is trained on the statistics of documents.

    A classifier with a method `fit_stats`, such as `Rocchio`, is trained by it; any other is a naive Bayes of
    scikit-learn.

    The classes of `stats` are numbers from 0, including classes without documents. Without `multilabel`, a class
    without documents can't win. With it, naive Bayes is trained for each class against the rest, which includes
    documents without a label. `Rocchio` leaves these out, and contrasts each class with the rest in any case.
    `class_weight`, which only naive Bayes uses here, is None, "balanced", "sqrt", or a dictionary with a factor for
    each class number.
    """
    if not multilabel:
        return _fit_one_label(classifier, stats, class_weight)
    if hasattr(classifier, "fit_stats"):  # it contrasts each class with the rest itself, as Rocchio does
        trained = clone(classifier).fit_stats(stats)
        return Linear(trained.coef_, trained.intercept_)
    return _fit_each_class(classifier, stats, class_weight)


def _fit_one_label(classifier: Any, stats: ClassStats, class_weight: Any) -> Linear:
    """Return the linear form trained on the classes that have documents; the other classes can't win."""
    present = np.flatnonzero(stats.class_docs)
    if len(present) < 2:
        raise InputError(
            "Fewer than two classes have documents, so there is nothing to tell apart",
            hint="give documents of others too",
        )
    if hasattr(classifier, "fit_stats"):
        trained = clone(classifier).fit_stats(stats)
        form = join_two_rows(Linear(trained.coef_[present], trained.intercept_[present]), classifier)
    else:
        sizes = stats.class_docs[present]
        factors = _factors(class_weight, present, sizes)
        with ignore_warnings_about_targets(present):  # naive Bayes gets a single row of each class
            form = _fit_naive_bayes(classifier, _class_sums(stats)[present], sizes, factors)
    return add_empty_classes(form, present, len(stats.classes))


def _fit_each_class(classifier: Any, stats: ClassStats, class_weight: Any) -> Linear:
    """Return the linear form of naive Bayes trained for each class against the rest.

    A class with all documents or none gets a constant score.
    """
    n_documents, class_docs = stats.n_documents, stats.class_docs
    coefficients = np.zeros((len(class_docs), stats.n_terms))
    # The constant scores of classes with all documents or none; those of the others are overwritten.
    intercepts = np.where(class_docs > 0, CONSTANT_SCORE, -CONSTANT_SCORE)
    for number in np.flatnonzero((class_docs > 0) & (class_docs < n_documents)).tolist():
        rest_sums = np.maximum(stats.sums_outside(number), 0.0)  # float64 weights may leave a difference below 0
        sizes = np.array([n_documents - class_docs[number], class_docs[number]])
        weight = weight_against_rest(class_weight, number)
        sums = np.stack([rest_sums, stats.class_sums(number)])  # two classes: the rest is 0, the class is 1
        form = _fit_naive_bayes(classifier, sums, sizes, _factors(weight, np.arange(2), sizes))
        # The form of two classes has a single row, which is positive for the second.
        coefficients[number], intercepts[number] = form.coefficients[0], form.intercepts[0]
    return Linear(coefficients, intercepts)


def _class_sums(stats: ClassStats) -> csr_matrix:
    """Return the sum of each term's weights in each class: classes x terms."""
    cells = stats.cells  # the (class, term) pairs that occur
    return csr_matrix((cells.sums.value, cells.terms, cells.class_starts), shape=(len(stats.classes), stats.n_terms))


def _factors(class_weight: Any, numbers: Ints, sizes: Ints) -> Floats | None:
    """Return the weight of a document of each class, given the numbers and sizes of the classes.

    The result is None if `class_weight` is None: then all documents weigh 1.
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, str):
        return rule_factors(class_weight, sizes)
    return np.array([class_weight.get(number, 1.0) for number in numbers.tolist()])


def _fit_naive_bayes(classifier: Any, sums: Any, sizes: Ints, factors: Floats | None) -> Linear:
    """Return the linear form of naive Bayes trained on the sums (classes x terms) and sizes of some classes."""
    bayes = clone(classifier)
    with reraise_option_errors(classifier):
        # scikit-learn would derive the priors from the rows, and there is one row for each class.
        if bayes.class_prior is None and bayes.fit_prior:
            weighted_sizes = sizes if factors is None else sizes * factors
            bayes.set_params(class_prior=weighted_sizes / weighted_sizes.sum())
        _fit_one_row_per_class(bayes, sums, factors)
    # Errors of `linear_form` show the settings of the classifier, so `class_prior` is set back to the user's.
    return linear_form(bayes.set_params(class_prior=classifier.class_prior))


def _fit_one_row_per_class(bayes: Any, sums: Any, factors: Floats | None) -> None:
    """Fit naive Bayes on one row per class, the sums of its documents.

    `factors` has the sample weight of each row, or is None. If there are many classes, the rows are fitted in batches,
    because `fit` allocates a dense (rows x classes) table.
    """
    classes = np.arange(sums.shape[0])
    n_rows = max(_MAX_CELLS // len(classes), 1)
    if n_rows >= len(classes):
        bayes.fit(sums, classes, sample_weight=factors)
        return
    for first in range(0, len(classes), n_rows):
        batch = slice(first, first + n_rows)
        weights = None if factors is None else factors[batch]
        bayes.partial_fit(sums[batch], classes[batch], classes=classes, sample_weight=weights)
