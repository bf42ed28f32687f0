"""Ways to find TOFA's weight from the statistics: the one that was kept, and those that it was compared with.

Each takes the statistics, the diagonals of S_b and C, and the number of terms. Those that try several weights take the
best of `GRID` by what they look at.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from textsieve import ClassStats
from textsieve.selectors.information import information_gain
from textsieve.selectors.trace import mixed
from textsieve.selectors.trace_weight import auto_weight, relative_noise

from .trace_folds import best_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Criterion = Callable[[ClassStats, Floats, Floats, int], float]

GRID = (-0.5, 0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0, 1.02, 1.05, 1.1, 1.2, 1.5, 2.0)


KEPT = "expected scatter (auto)"


def expected_scatter(stats: ClassStats, between: Floats, total: Floats, k: int) -> float:
    """The one that was kept."""
    return auto_weight(between, total, stats, k)


def trace_ratio(stats: ClassStats, between: Floats, total: Floats, k: int) -> float:
    """The largest ratio of between to total that k terms can hold, by Dinkelbach's iteration; 2 at the most."""
    ratio = 0.0
    while True:
        best = best_of(between - ratio * total, k)
        found = float(between[best].sum() / max(total[best].sum(), 1e-300))
        if found <= ratio * (1 + 1e-12):
            return 1.0 / (1.0 - min(ratio, 0.5))  # between - ratio total ranks as this weight
        ratio = found


def unbiased(stats: ClassStats, between: Floats, total: Floats, k: int) -> float:
    """Between minus its mean excess by chance, (c - 1)/(n - c) times what is within the classes."""
    n, c = stats.n_pairs, int((stats.class_docs > 0).sum())
    return float(min((n - 1) / max(n - c, 1), 2.0))


def noise_of(stats: ClassStats, total: Floats) -> Floats:
    """What chance adds to between."""
    return relative_noise(stats, stats.class_docs / max(stats.n_pairs, 1)) * total


def shrunken_means(stats: ClassStats, between: Floats, total: Floats, k: int) -> float:
    """Class means shrink to the common mean, as a normal prior has it that fits the k best terms.

    With ν the share of noise in their between: E[b | documents] = (1-ν)² between + ν (1-ν) r total, r = between/total.
    """
    best = best_of(between, k)
    noise = min(float(noise_of(stats, total)[best].sum() / max(between[best].sum(), 1e-300)), 1.0)
    ratio = float(between[best].sum() / max(total[best].sum(), 1e-300))
    return (1 - noise) / max(1 - noise + noise * ratio, 1e-300)


def noise_times(factor: float) -> Criterion:
    """As the one that was kept, with another ω."""

    def criterion(stats: ClassStats, between: Floats, total: Floats, k: int) -> float:
        weight = auto_weight(between, total, stats, k)
        return weight / (weight + factor * (1.0 - weight))

    return criterion


def noise_of_the_best(stats: ClassStats, between: Floats, total: Floats, k: int) -> float:
    """As the one that was kept, with the noise of the k best by between alone."""
    best = best_of(between, k)
    return float(1 / (1 + noise_of(stats, total)[best].sum() / max(total[best].sum(), 1e-300)))


def classes_by_documents(stats: ClassStats, between: Floats, total: Floats, k: int) -> float:
    """As the one that was kept, with ω = (c - 1) / n instead of the noise of some terms."""
    n, c = stats.n_pairs, int((stats.class_docs > 0).sum())
    return float(n / (n + c - 1))


def on_grid(worth: Callable[[ClassStats, Floats, Floats, Ints], float]) -> Criterion:
    """The weight of the grid whose k best terms are worth most; the nearest to 1 where several are."""

    def criterion(stats: ClassStats, between: Floats, total: Floats, k: int) -> float:
        nearest = sorted(GRID, key=lambda weight: abs(weight - 1.0))
        worths = [worth(stats, between, total, best_of(mixed(between, total, weight), k)) for weight in nearest]
        return nearest[int(np.argmax(worths))]

    return criterion


def information(stats: ClassStats, between: Floats, total: Floats, chosen: Ints) -> float:
    """The information gain of all terms together."""
    return float(information_gain(stats.take(np.sort(chosen))).sum())


def covered_scatter(stats: ClassStats, between: Floats, total: Floats, chosen: Ints) -> float:
    """Between, times the share of documents that have a chosen term if terms occur independently."""
    lacking = np.prod(1.0 - stats.doc_freq[chosen] / stats.n_documents)
    return float(between[chosen].sum() * (1.0 - lacking))


def separability(stats: ClassStats, between: Floats, total: Floats, chosen: Ints) -> float:
    """Minus the predicted error of each class against the rest, by the nearest centroid, for normal documents.

    The squared distance of the centroids is lessened by what chance adds to it.
    """
    columns = np.sort(chosen)
    cells, sizes = stats.take(columns).cells, stats.class_docs
    sums = np.zeros((len(sizes), len(columns)))
    sums[cells.classes(), cells.terms] = cells.sums.value
    some = sizes > 0
    sums, sizes = sums[some], sizes[some]
    rest = sizes.sum() - sizes
    apart = sums / sizes[:, None] - (sums.sum(axis=0) - sums) / np.maximum(rest, 1)[:, None]
    within = np.maximum(total - between, 0.0)[columns]
    distance = (apart**2).sum(axis=1) - within.sum() * (1 / sizes + 1 / np.maximum(rest, 1))
    spread = np.sqrt(np.maximum((apart**2 * within).sum(axis=1), 1e-300))
    return -float((sizes / sizes.sum()) @ ndtr(-np.maximum(distance, 0.0) / spread / 2))


def fresh_scatter(stats: ClassStats, between: Floats, total: Floats, k: int) -> float:
    """The weight of the grid at which the chosen terms have most between in other documents of the same kind.

    Between is taken as normal, with variance V. Adding a draw of that noise for the choice, and subtracting it for the
    trial, makes the two independent; the mean over draws has a closed form, so nothing is drawn.
    """
    running = np.union1d(best_of(between, 8 * k), best_of(total, 8 * k))
    between, total, noise = between[running], total[running], noise_of(stats, total)[running]
    deviation = np.sqrt(2 * noise * np.maximum(2 * between - noise, 0.0)) / np.sqrt(max(len(stats.classes) - 1, 1))
    worths = []
    nearest = sorted(GRID, key=lambda weight: abs(weight - 1.0))
    for weight in nearest:
        scores, width = mixed(between, total, weight), np.maximum(abs(weight) * deviation, 1e-12 * total.max())
        low, high = float((scores - 5 * width).min()), float((scores + 5 * width).max())
        for _ in range(30):  # the threshold that k terms are expected to pass
            middle = (low + high) / 2
            low, high = (middle, high) if ndtr((scores - middle) / width).sum() > k else (low, middle)
        passed = (scores - low) / width
        density = np.exp(-np.minimum(passed**2 / 2, 700.0)) / np.sqrt(2 * np.pi)
        worths.append(((between - noise) * ndtr(passed) - np.sign(weight) * deviation * density).sum())
    return nearest[int(np.argmax(worths))]


CRITERIA: dict[str, Criterion] = {
    KEPT: expected_scatter,
    "its noise from the k best by between": noise_of_the_best,
    "its noise as classes by documents": classes_by_documents,
    "half its noise": noise_times(0.5),
    "twice its noise": noise_times(2.0),
    "shrunken class means": shrunken_means,
    "unbiased scatter": unbiased,
    "scatter in other documents": fresh_scatter,
    "scatter times coverage": on_grid(covered_scatter),
    "information gain": on_grid(information),
    "separability": on_grid(separability),
    "trace ratio": trace_ratio,
}
