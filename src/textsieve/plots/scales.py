"""From numbers to places on paper: domains that end in round numbers, ticks, fewer points, labels that do not touch.

A curve of a million points is drawn no better than one of five hundred, so long ones are thinned: evenly on the axis as
it is drawn, that is evenly in the logarithm on a logarithmic one, and never losing the first and the last point.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Domain = tuple[float, float]

MOST_POINTS = 500


def thinned(x: Floats, *, log: bool, most: int = MOST_POINTS) -> NDArray[np.int64]:
    """The places of at most so many points of an ascending x, the first and the last among them."""
    if len(x) <= most:
        return np.arange(len(x))
    along = np.log(x) if log else x
    evenly = np.searchsorted(along, np.linspace(along[0], along[-1], most - 1))
    return np.unique(np.append(np.minimum(evenly, len(x) - 1), [0, len(x) - 1]))


def round_domain(least: float, most: float) -> Domain:
    """A domain that holds both numbers and ends in round ones, at most eight round steps apart."""
    if least == most:
        least, most = least - (abs(least) or 1.0) / 2, most + (abs(most) or 1.0) / 2
    rough = (most - least) / 8
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * unit for factor in (1, 2, 5, 10) if factor * unit >= rough * (1 - 1e-9))
    return math.floor(least / step + 1e-9) * step, math.ceil(most / step - 1e-9) * step


def log_domain(least: float, most: float) -> Domain:
    """From the first to the last number, if there are two."""
    return (least, most) if least < most else (least / 2, most * 2)


def log_ticks(domain: Domain) -> list[float]:
    """The powers of ten; and 2 and 5 times them, where there would be fewer than three."""
    first, last = math.floor(math.log10(domain[0])), math.ceil(math.log10(domain[1]))
    powers = [10.0**power for power in range(first, last + 1)]
    within = [tick for tick in powers if domain[0] <= tick <= domain[1]]
    if len(within) >= 3:
        return within
    finer = sorted(factor * power for power in powers for factor in (1, 2, 5))
    return [tick for tick in finer if domain[0] <= tick <= domain[1]] or list(domain)


def spread(wanted: Sequence[float], gap: float, end: float) -> list[float]:
    """Ascending places from 0 to end, at least a gap apart and as near as can be to the (ascending) wanted ones.

    Less the gaps before them, places need only ascend; so neighbours that are in each other's way share the mean of
    what they want (isotonic regression).
    """
    groups: list[tuple[float, int]] = []
    for number, place in enumerate(wanted):
        mean, size = place - number * gap, 1
        while groups and groups[-1][0] > mean:
            other, n_others = groups.pop()
            mean, size = (mean * size + other * n_others) / (size + n_others), size + n_others
        groups.append((mean, size))
    last = max(end - (len(wanted) - 1) * gap, 0.0)
    shared = [min(max(mean, 0.0), last) for mean, size in groups for _ in range(size)]
    return [place + number * gap for number, place in enumerate(shared)]
