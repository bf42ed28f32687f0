"""Variants of the classifiers and documents of the paper `tcfp` that `compare` does not have.

- "tf=log10" among the weights of a classifier: 1 + log10 tf instead of 1 + ln tf.
- "formula 9": votes of a class multiplied by the largest class size / its own, which the paper does for TCFP alone.
- "irrelevant N": N % more terms in each document, drawn at random from as many new terms as were selected. They say
  nothing about the class.

Growth is the slope of log seconds over log size: 1 is linear, 2 quadratic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from time import thread_time
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack, vstack
from sklearn.metrics import f1_score

from textsieve.comparison import half_width

from .documents import Collection, CollectionMeasurement, Documents, Fold
from .measurements import Estimate, Scope, group_by
from .prediction import without_warnings
from .quality import Size
from .selection import estimator_of, weighter_of

FORMULA_9, IRRELEVANT = "formula 9", "irrelevant"
REPEATS = 3
JOINED = (1, 2, 4, 8)
"""How many test documents are joined into one, so that it has more terms."""
CLASSES = (5, 10, 20)


@dataclass(frozen=True)
class VariantQuality(CollectionMeasurement):
    """A figure of a classifier or a variant of it, for single-label documents: the mean over folds."""

    step: ClassVar[str] = "variants"

    collection: Collection
    selector: str
    n_terms: Size
    classifier: str
    variants: tuple[str, ...] = ()
    figure: str = "micro_f1"
    """A key of `F1_OF`."""

    @classmethod
    def measure_on(
        cls, documents: Documents, measurements: Sequence[Self], scope: Scope
    ) -> Iterator[tuple[Self, Estimate]]:
        """Select terms once for each fold and number of terms, and train once for all figures."""
        values: dict[Any, list[float]] = {measurement: [] for measurement in measurements}
        for fold in documents.folds:
            test_labels = np.array(documents.targets(fold, fold.test))
            for group in group_by(measurements, "selector", "n_terms").values():
                parts = selected_counts(documents, fold, group[0].selector, group[0].n_terms)
                for figures in group_by(group, "classifier", "variants").values():
                    predicted = figures[0]._predict(documents, fold, parts, scope)
                    for measurement in figures:
                        values[measurement].append(F1_OF[measurement.figure](test_labels, predicted))
        tested_to_trained = float(np.mean([len(fold.test) / len(fold.train) for fold in documents.folds]))
        for measurement, of_folds in values.items():
            yield measurement, Estimate(float(np.mean(of_folds)), half_width(of_folds, tested_to_trained))

    def _predict(
        self, documents: Documents, fold: Fold, parts: tuple[csr_matrix, csr_matrix], scope: Scope
    ) -> NDArray[Any]:
        """Return the predicted labels of the test documents of a fold, given the counts of the selected terms."""
        share = next((float(variant.split()[1]) / 100 for variant in self.variants if IRRELEVANT in variant), 0.0)
        if share:
            parts = add_irrelevant_terms(parts[0], share, 1), add_irrelevant_terms(parts[1], share, 2)
        labels = np.array(documents.targets(fold, fold.train))
        rows, test_rows = weigh(*parts, self.classifier)
        classifier, _ = estimator_of(self.classifier)
        if "n_jobs" in classifier.get_params():
            classifier.set_params(n_jobs=scope.n_jobs)
        with without_warnings():
            classifier.fit(rows, labels)
            if FORMULA_9 in self.variants:
                return predict_by_formula_9(classifier, test_rows)
            return np.asarray(classifier.predict(test_rows))


F1_OF: dict[str, Callable[[NDArray[Any], NDArray[Any]], float]] = {
    "micro_f1": lambda true, predicted: float(np.mean(predicted == true)),
    "macro_f1": lambda true, predicted: float(f1_score(true, predicted, average="macro")),
}
"""Micro-F1, which is the accuracy of single-label documents, and the mean F1 of the classes of the test documents."""


def selected_counts(documents: Documents, fold: Fold, selector: str, n_terms: Size) -> tuple[csr_matrix, csr_matrix]:
    """Return the counts of the selected terms in the training and test documents of a fold."""
    columns = documents.columns(fold)
    train, test = (csr_matrix(documents.counts[part][:, columns]) for part in (fold.train, fold.test))
    estimator, _ = estimator_of(selector)
    estimator.set_params(k=n_terms).fit(train, documents.targets(fold, fold.train))
    return csr_matrix(estimator.transform(train)), csr_matrix(estimator.transform(test))


def weigh(train: csr_matrix, test: csr_matrix, classifier: str) -> tuple[csr_matrix, csr_matrix]:
    """Return the weights of training and test documents, as the variant of a classifier says."""
    _, weights = estimator_of(classifier)
    weighter = weighter_of(weights).fit(train)
    return csr_matrix(weighter.transform(train)), csr_matrix(weighter.transform(test))


def add_irrelevant_terms(counts: csr_matrix, share: float, seed: int) -> csr_matrix:
    """Return counts with as many new columns, of which each document has a share of its number of terms, at random."""
    random = np.random.default_rng(seed)
    numbers = np.minimum(np.round(share * np.diff(counts.indptr)).astype(np.int64), counts.shape[1])
    indices = [random.choice(counts.shape[1], size=number, replace=False) for number in numbers.tolist()]
    indptr = np.concatenate([[0], np.cumsum(numbers)])
    data = np.ones(int(indptr[-1]), counts.dtype)
    return csr_matrix(hstack([counts, csr_matrix((data, np.concatenate(indices), indptr), counts.shape)], format="csr"))


def predict_by_formula_9(classifier: Any, rows: csr_matrix) -> NDArray[Any]:
    """Return the classes with the most votes, if votes are multiplied by the largest class size / the class's own."""
    votes = classifier.votes(rows) * (classifier.class_docs_.max() / classifier.class_docs_)
    guessed = classifier.classes_[votes.argmax(axis=1)]
    return np.asarray(np.where(votes.max(axis=1) > 0, guessed, classifier.predict(rows)))


@dataclass(frozen=True)
class GrowthOfPrediction(CollectionMeasurement):
    """The slope of log seconds of prediction over log size: of the terms of a document, or of the number of classes."""

    is_of_seconds: ClassVar[bool] = True
    step: ClassVar[str] = "growth of seconds"

    collection: Collection
    selector: str
    n_terms: Size
    classifier: str
    over: Literal["terms", "classes"]

    @classmethod
    def measure_on(
        cls, documents: Documents, measurements: Sequence[Self], scope: Scope
    ) -> Iterator[tuple[Self, Estimate]]:
        """Use the first fold, on one thread."""
        fold = documents.folds[0]
        labels = np.array(documents.targets(fold, fold.train))
        for measurement in measurements:
            train, test = selected_counts(documents, fold, measurement.selector, measurement.n_terms)
            jobs: dict[float, Callable[[], object]] = {}
            if measurement.over == "terms":
                for joined in JOINED:
                    tests = join_rows(test, joined)
                    rows, test_rows = weigh(train, tests, measurement.classifier)
                    size = len(test_rows.indices) / tests.shape[0]
                    jobs[size] = _prediction(measurement.classifier, rows, labels, test_rows)
            else:
                rows, test_rows = weigh(train, test, measurement.classifier)
                numbers = np.arange(len(labels))  # the time does not depend on what the classes are
                for n_classes in CLASSES:
                    jobs[n_classes] = _prediction(measurement.classifier, rows, numbers % n_classes, test_rows)
            yield measurement, Estimate(slope(list(jobs), [_time(job, scope) for job in jobs.values()]))


def join_rows(counts: csr_matrix, joined: int) -> csr_matrix:
    """Return as many documents as there are, each the sum of `joined` ones."""
    total = counts
    for shift in range(1, joined):
        total = csr_matrix(total + vstack([counts[shift:], counts[:shift]], format="csr"))
    return total


def _prediction(variant: str, rows: csr_matrix, labels: Any, test_rows: csr_matrix) -> Callable[[], object]:
    """Return the call that predicts test documents, on one thread."""
    classifier, _ = estimator_of(variant)
    if "n_jobs" in classifier.get_params():
        classifier.set_params(n_jobs=1)
    classifier.fit(rows, labels)
    return lambda: classifier.predict(test_rows)


def _time(job: Callable[[], object], scope: Scope) -> float:
    """Return the median processor time of a job, without its first run."""
    seconds = []
    with without_warnings():
        for _ in range(scope.limit(REPEATS) + 1):
            begin = thread_time()
            job()
            seconds.append(thread_time() - begin)
    return median(seconds[1:])


def slope(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Return the slope of the line through log seconds over log sizes."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
