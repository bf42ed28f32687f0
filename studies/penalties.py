"""Accuracy of a linear SVM by C, what an error costs, in five-fold cross-validation; and the best C.

Folds are taken class by class. Terms are chosen and weighted anew in each of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np

from textsieve.classifiers import LinearSVM
from textsieve.comparison.significance import half_width
from textsieve.ensembles.trial import RandomSplit

from .documents import Collection
from .measurements import Measured, Measurement, Scope, Tell
from .preparations import Preparation
from .random_splits import Rows, rows_of

PENALTIES = tuple(2.0 ** (step / 2) for step in range(-8, 17))
"""Steps by the root of 2, as in the paper, whose best is 11.31."""


@dataclass(frozen=True)
class AccuracyAtC(Measurement):
    """The accuracy with a C of `PENALTIES`, the mean over folds."""

    collection: Collection
    preparation: Preparation
    C: float

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Measured]]:
        """Prepare each fold once for all C."""
        for each in wanted:
            tell(f"{each.collection.corpus}: C")
            values = curve(each.collection, each.preparation, scope)[each.C]
            n_folds = each.collection.folds or 1
            yield each, Measured(float(np.mean(values)), half_width(values, 1 / max(n_folds - 1, 1)))


def best_penalty(collection: Collection, preparation: Preparation, scope: Scope) -> float:
    """The C with the highest accuracy, the smallest of equals."""
    means = {C: float(np.mean(values)) for C, values in curve(collection, preparation, scope).items()}
    return max(means, key=lambda C: (round(means[C], 9), -C))


@lru_cache(maxsize=64)
def curve(collection: Collection, preparation: Preparation, scope: Scope) -> dict[float, list[float]]:
    """For each C, the accuracy of each fold in percent."""
    found: dict[float, list[float]] = {C: [] for C in PENALTIES}
    for rows in _folds(collection, preparation, scope):
        for C, values in found.items():
            svm = LinearSVM(C=C, n_jobs=scope.n_jobs).fit(rows.train, rows.train_numbers)
            values.append(100.0 * float(np.mean(svm.predict(rows.test) == rows.test_numbers)))
    return found


def _folds(collection: Collection, preparation: Preparation, scope: Scope) -> Iterator[Rows]:
    documents = collection.documents(scope)
    counts, numbers = documents.counted.counts, documents.counted.targets.first
    pipeline = preparation.pipeline(counts, numbers)
    for is_train, is_test in zip(documents.trained, documents.tested, strict=True):
        split = RandomSplit(np.flatnonzero(is_train), np.flatnonzero(is_test), 0)
        yield rows_of(counts, numbers, split, pipeline)
