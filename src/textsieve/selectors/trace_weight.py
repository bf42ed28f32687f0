"""The weight of TOFA from the statistics alone."""

from ..stats import ClassStats
from ..stats.sums import Floats


def auto_weight(between: Floats, total: Floats, stats: ClassStats, k: int) -> float:
    """The weight at which the k best terms hold the largest ratio of between-class scatter to scatter."""
    ratio = 0.0
    while True:
        scores = between - ratio * total
        best = (-scores).argsort(kind="stable")[:k]
        held = float(total[best].sum())
        found = float(between[best].sum()) / held if held > 0 else 0.0
        if found <= ratio:
            return 1.0 / (1.0 - min(ratio, 0.9))
        ratio = found
