"""Scales: domains that end in round numbers, ticks, thinned points, and labels that don't touch.

A curve of a million points looks no better than one of five hundred, so long curves are thinned. The remaining points
are evenly distributed along the axis as drawn (for a logarithmic axis, evenly in the logarithm), and include the first
and the last.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats

Domain = tuple[float, float]

MAX_POINTS = 500


def thin_indices(x: Floats, *, log: bool, max_points: int = MAX_POINTS) -> NDArray[np.int64]:
    """Return the indices of at most `max_points` evenly distributed points of an ascending x."""
    if len(x) <= max_points:
        return np.arange(len(x))
    positions = np.log(x) if log else x
    # One point less than `max_points`, because the last point is added below if it is not among them.
    indices = np.searchsorted(positions, np.linspace(positions[0], positions[-1], max_points - 1))
    return np.unique(np.append(np.minimum(indices, len(x) - 1), [0, len(x) - 1]))


def round_domain(low: float, high: float) -> Domain:
    """Return a domain that contains both numbers and ends in multiples of a round step.

    The step is 1, 2 or 5 times a power of ten, and at least an eighth of the distance between the numbers. The small
    constants keep rounding errors from adding a step.
    """
    if low == high:  # widen the domain by half the number to both sides, or from -0.5 to 0.5 around 0
        low, high = low - (abs(low) or 1.0) / 2, high + (abs(high) or 1.0) / 2
    min_step = (high - low) / 8
    unit = 10.0 ** math.floor(math.log10(min_step))
    step = next(factor * unit for factor in (1, 2, 5, 10) if factor * unit >= min_step * (1 - 1e-9))
    return math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step


def log_domain(low: float, high: float) -> Domain:
    """Return the domain from `low` to `high`, or from half the number to twice the number if they are equal."""
    return (low, high) if low < high else (low / 2, high * 2)


def log_ticks(domain: Domain) -> list[float]:
    """Return the powers of ten in the domain, and if there are fewer than three, also 2 and 5 times each power.

    If there is none of these in the domain, return its ends.
    """
    first, last = math.floor(math.log10(domain[0])), math.ceil(math.log10(domain[1]))
    powers = [10.0**power for power in range(first, last + 1)]
    within = [tick for tick in powers if domain[0] <= tick <= domain[1]]
    if len(within) >= 3:
        return within
    finer = sorted(factor * power for power in powers for factor in (1, 2, 5))
    return [tick for tick in finer if domain[0] <= tick <= domain[1]] or list(domain)


def separate(positions: Sequence[float], gap: float, end: float) -> list[float]:
    """Return ascending positions from 0 to `end`, at least `gap` apart and as near as possible to the given ones.

    The given positions ascend. If `number * gap` is subtracted from position number 0, 1, 2, ..., then positions that
    are at least `gap` apart become positions that do not descend. Finding the nearest of these is isotonic regression:
    neighbours in the wrong order are merged into groups, whose members get the mean of the group. If there are too many
    positions for `end`, they keep the gap and go beyond it.
    """
    groups: list[tuple[float, int]] = []  # the mean and the size of each group
    for number, position in enumerate(positions):
        mean, size = position - number * gap, 1
        while groups and groups[-1][0] > mean:
            other_mean, other_size = groups.pop()
            mean, size = (mean * size + other_mean * other_size) / (size + other_size), size + other_size
        groups.append((mean, size))
    # The largest possible value after the subtraction; 0 if there are too many positions for `end`.
    last = max(end - (len(positions) - 1) * gap, 0.0)
    reduced = [min(max(mean, 0.0), last) for mean, size in groups for _ in range(size)]
    return [position + number * gap for number, position in enumerate(reduced)]
