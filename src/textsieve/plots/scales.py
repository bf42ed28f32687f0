"""Scales: domains that end in round numbers, ticks, thinned points, and labels that don't touch.

A curve of a million points looks no better than one of five hundred, so long curves are thinned: evenly on the axis as
drawn, that is evenly in the logarithm on a logarithmic axis, always with the first and the last point.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats

Domain = tuple[float, float]

MOST_POINTS = 500


def thinned(x: Floats, *, log: bool, most: int = MOST_POINTS) -> NDArray[np.int64]:
    """Return the indices of at most `most` points of an ascending x, with the first and the last."""
    if len(x) <= most:
        return np.arange(len(x))
    positions = np.log(x) if log else x
    indices = np.searchsorted(positions, np.linspace(positions[0], positions[-1], most - 1))
    return np.unique(np.append(np.minimum(indices, len(x) - 1), [0, len(x) - 1]))


def round_domain(least: float, most: float) -> Domain:
    """Return a domain that contains both numbers and ends in round ones, at most eight round steps wide."""
    if least == most:
        least, most = least - (abs(least) or 1.0) / 2, most + (abs(most) or 1.0) / 2
    rough = (most - least) / 8
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * unit for factor in (1, 2, 5, 10) if factor * unit >= rough * (1 - 1e-9))
    return math.floor(least / step + 1e-9) * step, math.ceil(most / step - 1e-9) * step


def log_domain(least: float, most: float) -> Domain:
    """Return the domain from the first to the last number, or around the number if they are equal."""
    return (least, most) if least < most else (least / 2, most * 2)


def log_ticks(domain: Domain) -> list[float]:
    """Return the powers of ten in the domain, with 2 and 5 times them if there are fewer than three."""
    first, last = math.floor(math.log10(domain[0])), math.ceil(math.log10(domain[1]))
    powers = [10.0**power for power in range(first, last + 1)]
    within = [tick for tick in powers if domain[0] <= tick <= domain[1]]
    if len(within) >= 3:
        return within
    finer = sorted(factor * power for power in powers for factor in (1, 2, 5))
    return [tick for tick in finer if domain[0] <= tick <= domain[1]] or list(domain)


def spread(wanted: Sequence[float], gap: float, end: float) -> list[float]:
    """Return positions from 0 to `end`, at least `gap` apart and as near as possible to the wanted ones. Both ascend.

    Subtracting the gaps before each position leaves only the condition that they ascend. So neighbours that are too
    close share the mean of their wanted positions (isotonic regression).
    """
    groups: list[tuple[float, int]] = []
    for number, position in enumerate(wanted):
        mean, size = position - number * gap, 1
        while groups and groups[-1][0] > mean:
            other, n_others = groups.pop()
            mean, size = (mean * size + other * n_others) / (size + n_others), size + n_others
        groups.append((mean, size))
    last = max(end - (len(wanted) - 1) * gap, 0.0)
    shared = [min(max(mean, 0.0), last) for mean, size in groups for _ in range(size)]
    return [position + number * gap for number, position in enumerate(shared)]
