"""Measurements of classifiers on selected terms: their quality after `DROP`, and the seconds to predict.

Terms are selected and weighted with all training documents; only then does `DROP` remove documents, as a user would
apply it.

Times are processor time on one core, as in the papers. Classifiers run in turns, so that other load on the machine
affects all of them. Each predicts several copies of the test documents at once, so that fixed costs do not matter; the
seconds are those of one copy.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from time import thread_time
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from scipy.sparse import csr_matrix, vstack
from sklearn.neighbors import KNeighborsClassifier

from textsieve import DROP
from textsieve.comparison import half_width

from .documents import Collection, CollectionMeasurement, Documents, Fold
from .measurements import Estimate, Scope, group_by
from .quality import Size
from .selection import estimator_of, weighter_of

REPEATS = 3
"""The number of runs whose median time is reported, after a first one that loads compiled code."""
ENOUGH_SECONDS = 3.0
"""The seconds, without the first run, after which a classifier is not run again."""
COPIES = 6
"""The number of copies of the test documents that are predicted at once."""
EVERY_COSINE = "every cosine"
"""The search for neighbours that computes every cosine: scikit-learn's."""


class Drop(NamedTuple):
    """Which of DROP1 to DROP5, and by how many neighbours it judges a document."""

    variant: int
    k: int = 3


class Trained(NamedTuple):
    """A trained classifier, its training and test documents, and the share of training documents that it uses."""

    weighter: Any
    classifier: Any
    rows: csr_matrix
    labels: Any
    test_counts: csr_matrix
    test_labels: Any
    share_used: float

    def predict(self) -> Any:
        """Return the labels of the test documents, from their counts."""
        return self.classifier.predict(self.weighter.transform(self.test_counts))

    def accuracy(self) -> float:
        """Return the share of correct labels, which is micro-F1 for single-label documents."""
        with without_warnings():
            return float(np.mean(self.predict() == self.test_labels))


@contextmanager
def without_warnings() -> Iterator[None]:
    """Ignore warnings about classes that lose all documents, and about documents without a selected term."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


def train(documents: Documents, fold: Fold, measurement: Any, n_jobs: int | None) -> Trained:
    """Select terms, drop documents and train, as a measurement's selector, n_terms, classifier and drop say."""
    columns = documents.columns(fold)
    selector, _ = estimator_of(measurement.selector)
    classifier, weights = estimator_of(measurement.classifier)
    counts, test_counts = (csr_matrix(documents.counts[part][:, columns]) for part in (fold.train, fold.test))
    labels, test_labels = (np.array(documents.targets(fold, part)) for part in (fold.train, fold.test))
    selector.set_params(k=measurement.n_terms).fit(counts, labels)
    counts, test_counts = (csr_matrix(selector.transform(part)) for part in (counts, test_counts))
    weighter = weighter_of(weights).fit(counts)
    rows = csr_matrix(weighter.transform(counts))
    share_used = 1.0
    if measurement.drop is not None:
        with without_warnings():
            rows, remaining_labels = DROP(**measurement.drop._asdict(), n_jobs=n_jobs).fit_resample(rows, labels)
        share_used, labels = len(remaining_labels) / len(labels), remaining_labels
    if "n_jobs" in classifier.get_params():
        classifier.set_params(n_jobs=n_jobs)
    return Trained(weighter, classifier.fit(rows, labels), rows, labels, test_counts, test_labels, share_used)


FIGURES: dict[str, Callable[[Trained], float]] = {
    "micro_f1": Trained.accuracy,
    "used": lambda trained: trained.share_used,
}


@dataclass(frozen=True)
class QualityAfterDrop(CollectionMeasurement):
    """Micro-F1, or the share of documents that `DROP` leaves, for single-label documents: the mean over folds."""

    step: ClassVar[str] = "fewer documents"

    collection: Collection
    selector: str
    n_terms: Size
    classifier: str
    drop: Drop
    figure: str = "micro_f1"
    """A key of `FIGURES`."""

    @classmethod
    def measure_on(
        cls, documents: Documents, measurements: Sequence[Self], scope: Scope
    ) -> Iterator[tuple[Self, Estimate]]:
        """Train once for all figures of the same classifier and selection."""
        values: dict[Any, list[float]] = {measurement: [] for measurement in measurements}
        for fold in documents.folds:
            for group in group_by(measurements, "selector", "n_terms", "classifier", "drop").values():
                trained = train(documents, fold, group[0], scope.n_jobs)
                for measurement in group:
                    values[measurement].append(FIGURES[measurement.figure](trained))
        tested_to_trained = float(np.mean([len(fold.test) / len(fold.train) for fold in documents.folds]))
        for measurement, fold_values in values.items():
            yield measurement, Estimate(float(np.mean(fold_values)), half_width(fold_values, tested_to_trained))


@dataclass(frozen=True)
class PredictionSeconds(CollectionMeasurement):
    """The seconds to predict the test documents of the first fold, from counts to labels."""

    is_of_seconds: ClassVar[bool] = True
    step: ClassVar[str] = "seconds of prediction"

    collection: Collection
    selector: str
    n_terms: Size
    classifier: str
    """As `compare` takes it, with its weights."""
    drop: Drop | None = None
    search: str = ""
    """`EVERY_COSINE`, for comparison; by default that of the classifier."""

    @classmethod
    def measure_on(
        cls, documents: Documents, measurements: Sequence[Self], scope: Scope
    ) -> Iterator[tuple[Self, Estimate]]:
        """Train all classifiers of a number of terms, then time them in turn."""
        for group in group_by(measurements, "selector", "n_terms").values():
            jobs = {
                measurement: _job(train(documents, documents.folds[0], measurement, n_jobs=1), measurement.search)
                for measurement in group
            }
            yield from time_in_turn(jobs, scope.limit(REPEATS))


class Job(NamedTuple):
    """A call that is timed, and the number of copies of the test documents that it predicts."""

    predict: Callable[[], object]
    copies: int


def time_in_turn(jobs: dict[Any, Job], repeats: int) -> Iterator[tuple[Any, Estimate]]:
    """Yield the median seconds of each job, whose first run is ignored.

    The jobs run in turn, `repeats` + 1 times or until a job has taken `ENOUGH_SECONDS`.
    """
    seconds: dict[Any, list[float]] = {measurement: [] for measurement in jobs}
    with without_warnings():
        for measurement, job in [*jobs.items()] * (repeats + 1):
            if sum(seconds[measurement][1:]) < ENOUGH_SECONDS:
                begin = thread_time()
                job.predict()
                seconds[measurement].append((thread_time() - begin) / job.copies)
    for measurement, runs in seconds.items():
        yield measurement, Estimate(median(runs[1:]))


def _job(trained: Trained, search: str) -> Job:
    """Return the job of a trained classifier, or of scikit-learn's neighbours on the same documents."""
    if search != EVERY_COSINE:
        copies = csr_matrix(vstack([trained.test_counts] * COPIES, format="csr"))
        return Job(trained._replace(test_counts=copies).predict, COPIES)
    neighbours = KNeighborsClassifier(trained.classifier.k, metric="cosine", algorithm="brute")
    neighbours.fit(trained.rows, trained.labels)
    return Job(trained._replace(classifier=neighbours).predict, copies=1)  # slow, so that fixed costs don't matter
