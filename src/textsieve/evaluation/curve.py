"""How many terms are enough, given a cross-validated score for some numbers of terms.

The numbers near the best differ by chance only. So the smallest is taken whose mean score is within one standard error
of the best one's (the rule of Breiman and others, 1984).
"""

from collections.abc import Sequence
from typing import NamedTuple


class CurvePoint(NamedTuple):
    """How good a number of terms is: the mean over the folds, and its standard error."""

    n_terms: int
    score: float
    error: float


def size_grid(most: int) -> list[int]:
    """100, 200, 500, 1,000, ... and the most there are."""
    steps = (digit * 10**power for power in range(2, 9) for digit in (1, 2, 5))
    return [*(step for step in steps if step < most), most]


def smallest_within_one_error(curve: Sequence[CurvePoint]) -> int:
    """The smallest number of terms whose score is within one standard error of the best."""
    best = max(curve, key=lambda point: point.score)
    return next(point.n_terms for point in curve if point.score >= best.score - best.error)
