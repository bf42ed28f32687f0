"""F1 as the paper `ocfs` defines it, in which documents without any selected term are assigned to no class.

Precision is the share of all test documents that are assigned to their class, recall the share of the assigned ones.
With as many assigned documents as there are, both are the accuracy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from scipy.sparse import csr_matrix

from textsieve import TermWeighter
from textsieve.comparison import half_width

from .documents import Collection, CollectionMeasurement, Documents, Fold
from .measurements import Estimate, Scope, group_by
from .quality import select_terms
from .selection import estimator_of


class Assigned(NamedTuple):
    """Numbers of test documents of a fold."""

    documents: int
    assigned: int
    """Those with at least one selected term."""
    correct: int
    """Those that are assigned to their class."""

    @property
    def f1(self) -> float:
        """Return the harmonic mean of correct / documents and correct / assigned."""
        return 2.0 * self.correct / (self.documents + self.assigned)

    @property
    def percent_unassigned(self) -> float:
        """Return the share of documents without any selected term, in percent."""
        return 100.0 * (1.0 - self.assigned / self.documents)


@dataclass(frozen=True)
class AssignedQuality(CollectionMeasurement):
    """The F1 of the assigned documents, or the share of documents that are not: the mean over folds."""

    step: ClassVar[str] = "assigned documents"

    collection: Collection
    selector: str
    n_terms: int
    classifier: str
    figure: Literal["f1", "percent_unassigned"] = "f1"

    @classmethod
    def measure_on(
        cls, documents: Documents, measurements: Sequence[Self], scope: Scope
    ) -> Iterator[tuple[Self, Estimate]]:
        """Rank once for each selector and fold, and train once for all figures."""
        groups = group_by(measurements, "selector", "n_terms", "classifier")
        folds: list[dict[Any, Assigned]] = []
        for fold in documents.folds:
            selections = dict.fromkeys((selector, n_terms) for selector, n_terms, _ in groups)
            columns = select_terms(documents, fold, selections, scope.n_jobs)
            folds.append(
                {
                    (selector, n_terms, classifier): assign(
                        documents, fold, columns[selector, n_terms], classifier, scope
                    )
                    for selector, n_terms, classifier in groups
                }
            )
        tested_to_trained = float(np.mean([len(fold.test) / len(fold.train) for fold in documents.folds]))
        for key, group in groups.items():
            for measurement in group:
                values = [getattr(of_fold[key], measurement.figure) for of_fold in folds]
                yield measurement, Estimate(float(np.mean(values)), half_width(values, tested_to_trained))


def assign(documents: Documents, fold: Fold, columns: Sequence[int], classifier: str, scope: Scope) -> Assigned:
    """Train a classifier on the selected columns, and assign test documents that have any of these terms."""
    in_order = sorted(columns)
    counts, test_counts = (csr_matrix(documents.counts[part][:, in_order]) for part in (fold.train, fold.test))
    labels, test_labels = (np.array(documents.targets(fold, part)) for part in (fold.train, fold.test))
    estimator, weights = estimator_of(classifier)
    weighter = TermWeighter(**weights).fit(counts)
    if "n_jobs" in estimator.get_params():
        estimator.set_params(n_jobs=scope.n_jobs)
    estimator.fit(csr_matrix(weighter.transform(counts)), labels)
    is_correct = estimator.predict(csr_matrix(weighter.transform(test_counts))) == test_labels
    is_assigned = np.diff(test_counts.indptr) > 0
    return Assigned(len(test_labels), int(is_assigned.sum()), int((is_correct & is_assigned).sum()))
