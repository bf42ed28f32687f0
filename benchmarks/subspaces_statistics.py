"""Means over splits with their confidence intervals, paired differences, and which of many can be believed.

Splits of one collection share documents. The plain interval takes them as independent: it says what another draw of as
many splits *of these documents* would give. For *other documents of the kind*, Nadeau and Bengio (2003) widen the
variance from 1/J of that of a split to 1/J + (tested / trained); with J = 20 and a fifth held out that makes the
interval 2.4 times as wide. Both are given for the gains.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t as student

LEVEL = 0.95


class Interval(NamedTuple):
    """A mean in points, half the width of its 95 % interval, that for other documents, and p of it being 0."""

    mean: float
    half: float
    wide: float
    p: float

    def __str__(self) -> str:
        """Signed, for a difference."""
        return f"{self.mean:+.2f} ± {self.half:.2f}"

    def level(self) -> str:
        """Without a sign."""
        return f"{self.mean:.2f} ± {self.half:.2f}"


def interval(shares: ArrayLike, test_per_train: float = 0.25) -> Interval:
    """Of shares, one a split, in points of a hundred."""
    points = 100 * np.asarray(shares, np.float64)
    n, spread = len(points), float(points.std(ddof=1))
    quantile = float(student.ppf((1 + LEVEL) / 2, n - 1))
    error, wide = spread * np.sqrt(1 / n), spread * np.sqrt(1 / n + test_per_train)
    p = 2 * float(student.sf(abs(points.mean()) / error, n - 1)) if error > 0 else float(points.mean() == 0)
    return Interval(float(points.mean()), quantile * error, quantile * wide, p)


def holm(probabilities: list[float]) -> list[float]:
    """Probabilities adjusted for how many there are (Holm 1979): below 0.05 one can be believed among all of them."""
    order = np.argsort(probabilities)
    factors = len(order) - np.arange(len(order))
    adjusted = np.minimum(np.maximum.accumulate(factors * np.asarray(probabilities)[order]), 1.0)
    found = np.empty(len(order))
    found[order] = adjusted
    return [float(each) for each in found]
