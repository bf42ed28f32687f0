"""Fisher's irises, the example of `ocfs`: scores of the four features, and how well two of them separate classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_iris

from textsieve import OCFS

from .measurements import Estimate, Measurement, ReportStep, Scope


@dataclass(frozen=True)
class IrisScore(Measurement):
    """The score of a feature, numbered from 1, by `OCFS`; multiplied by the number of classes if n_j/n is left out."""

    feature: int
    is_left_out: bool

    @classmethod
    def measure_all(
        cls, requested: Sequence[Self], scope: Scope, report_step: ReportStep
    ) -> Iterator[tuple[Self, Estimate]]:
        """Score all features once."""
        report_step("irises: scores")
        rows, labels = load_iris(return_X_y=True)
        scores = OCFS(k="all").fit(rows, labels).scores_
        for measurement in requested:
            factor = len(np.unique(labels)) if measurement.is_left_out else 1
            yield measurement, Estimate(float(factor * scores[measurement.feature - 1]))


@dataclass(frozen=True)
class IrisAccuracy(Measurement):
    """The accuracy of the nearest class mean in two features, leaving one flower out, in percent."""

    features: tuple[int, int]

    @classmethod
    def measure_all(
        cls, requested: Sequence[Self], scope: Scope, report_step: ReportStep
    ) -> Iterator[tuple[Self, Estimate]]:
        """Classify each flower by the others."""
        report_step("irises: accuracy")
        rows, labels = load_iris(return_X_y=True)
        for measurement in requested:
            columns = rows[:, [feature - 1 for feature in measurement.features]]
            yield measurement, Estimate(100.0 * float(np.mean(_guess_each(columns, labels) == labels)))


def _guess_each(rows: NDArray[np.floating], labels: NDArray[np.integer]) -> NDArray[np.integer]:
    """Return the class of each flower whose mean is nearest, with means of the other flowers."""
    guesses = []
    for position in range(len(labels)):
        is_other = np.arange(len(labels)) != position
        means = np.array([rows[is_other & (labels == label)].mean(axis=0) for label in np.unique(labels)])
        guesses.append(np.linalg.norm(means - rows[position], axis=1).argmin())
    return np.array(guesses)
