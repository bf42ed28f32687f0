"""Criteria that find TOFA's weight from the statistics: the one that `TOFA` uses, and those it was compared with.

A criterion is a function of the statistics, the diagonals of S_b (`between`) and C (`total`), and the number of terms
k; it returns a weight. Criteria that try several weights return the best of `GRID`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import ndtr

from textsieve import ClassStats, InformationGain

from ..documents import Ints
from .folds import Floats, auto_weight, best_of, mix

Criterion = Callable[[ClassStats, Floats, Floats, int], float]

GRID = (-0.5, 0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0, 1.02, 1.05, 1.1, 1.2, 1.5, 2.0)


AUTO = "expected scatter (auto)"


def expected_scatter(stats: ClassStats, between: Floats, total: Floats, k: int) -> float:
    """Return the weight of `TOFA(weight="auto")`."""
    return auto_weight(stats, k)


def trace_ratio(stats: ClassStats, between: Floats, total: Floats, k: int) -> float:
    """Return the weight with the largest ratio of between to total of k terms, by Dinkelbach's iteration; at most 2."""
    ratio = 0.0
    while True:
        best = best_of(between - ratio * total, k)
        new_ratio = float(between[best].sum() / max(total[best].sum(), 1e-300))
        if new_ratio <= ratio * (1 + 1e-12):
            return 1.0 / (1.0 - min(ratio, 0.5))  # this weight gives the same ranking as between - ratio * total
        ratio = new_ratio


def unbiased(stats: ClassStats, between: Floats, total: Floats, k: int) -> float:
    """Return the weight that subtracts the mean excess of between, (c - 1)/(n - c) times the scatter within classes."""
    n, c = stats.n_pairs, int((stats.class_docs > 0).sum())
    return float(min((n - 1) / max(n - c, 1), 2.0))


def noise_of(stats: ClassStats, total: Floats) -> Floats:
    """Return what chance adds to the between-class scatter of each term; `TOFA`'s source derives it."""
    shares = stats.class_docs / max(stats.n_pairs, 1)
    sizes = np.maximum(stats.class_docs, 1).astype(np.float64)
    cells = stats.cells
    class_noise = shares * (1.0 - shares) / sizes**2
    sums = np.bincount(cells.terms, class_noise[cells.classes()] * cells.doc_freq, stats.n_terms)
    return np.asarray(sums * stats.n_documents / np.maximum(stats.doc_freq, 1) * total)


def shrunken_means(stats: ClassStats, between: Floats, total: Floats, k: int) -> float:
    """Return the weight that shrinks class means to the common mean, with a normal prior that fits the k best terms.

    With ν the share of noise in their between: E[b | documents] = (1-ν)² between + ν (1-ν) r total, r = between/total.
    """
    best = best_of(between, k)
    noise = min(float(noise_of(stats, total)[best].sum() / max(between[best].sum(), 1e-300)), 1.0)
    ratio = float(between[best].sum() / max(total[best].sum(), 1e-300))
    return (1 - noise) / max(1 - noise + noise * ratio, 1e-300)


def noise_times(factor: float) -> Criterion:
    """Return a criterion like `expected_scatter`, whose weight is 1 / (1 + ω), but with this factor times ω."""

    def criterion(stats: ClassStats, between: Floats, total: Floats, k: int) -> float:
        weight = auto_weight(stats, k)
        return weight / (weight + factor * (1.0 - weight))

    return criterion


def noise_of_the_best(stats: ClassStats, between: Floats, total: Floats, k: int) -> float:
    """Return the weight of `expected_scatter` with the noise of the k best terms by between alone."""
    best = best_of(between, k)
    return float(1 / (1 + noise_of(stats, total)[best].sum() / max(total[best].sum(), 1e-300)))


def classes_by_documents(stats: ClassStats, between: Floats, total: Floats, k: int) -> float:
    """Return the weight of `expected_scatter` with ω = (c - 1) / n instead of the noise of some terms."""
    n, c = stats.n_pairs, int((stats.class_docs > 0).sum())
    return float(n / (n + c - 1))


def on_grid(evaluate: Callable[[ClassStats, Floats, Floats, Ints], float]) -> Criterion:
    """Return a criterion that evaluates the k best terms of each weight of the grid.

    Of equally good weights, the nearest to 1 is returned.
    """

    def criterion(stats: ClassStats, between: Floats, total: Floats, k: int) -> float:
        weights = sorted(GRID, key=lambda weight: abs(weight - 1.0))
        values = [evaluate(stats, between, total, best_of(mix(between, total, weight), k)) for weight in weights]
        return weights[int(np.argmax(values))]

    return criterion


def information(stats: ClassStats, between: Floats, total: Floats, selected: Ints) -> float:
    """Return the sum of the information gain of the selected terms."""
    return float(InformationGain(k="all").fit_stats(stats.take(np.sort(selected))).scores_.sum())


def covered_scatter(stats: ClassStats, between: Floats, total: Floats, selected: Ints) -> float:
    """Return the sum of between of the selected terms, times the share of documents that have one of them.

    The share is estimated as if terms occurred independently.
    """
    share_without = np.prod(1.0 - stats.doc_freq[selected] / stats.n_documents)
    return float(between[selected].sum() * (1.0 - share_without))


def separability(stats: ClassStats, between: Floats, total: Floats, selected: Ints) -> float:
    """Return minus the predicted error of the nearest-centroid classifier, each class against the rest.

    The weights of documents are assumed to be normal. The squared distance between the centroids of a class and of the
    rest is reduced by what chance adds to it.
    """
    columns = np.sort(selected)
    cells, sizes = stats.take(columns).cells, stats.class_docs
    sums = np.zeros((len(sizes), len(columns)))
    sums[cells.classes(), cells.terms] = cells.sums.value
    has_documents = sizes > 0
    sums, sizes = sums[has_documents], sizes[has_documents]
    rest_sizes = sizes.sum() - sizes
    differences = sums / sizes[:, None] - (sums.sum(axis=0) - sums) / np.maximum(rest_sizes, 1)[:, None]
    within = np.maximum(total - between, 0.0)[columns]
    distance = (differences**2).sum(axis=1) - within.sum() * (1 / sizes + 1 / np.maximum(rest_sizes, 1))
    spread = np.sqrt(np.maximum((differences**2 * within).sum(axis=1), 1e-300))
    return -float((sizes / sizes.sum()) @ ndtr(-np.maximum(distance, 0.0) / spread / 2))


def fresh_scatter(stats: ClassStats, between: Floats, total: Floats, k: int) -> float:
    """Return the weight of the grid whose terms have most between in other documents of the same kind.

    Between is taken as normal, with variance V. Adding a draw of that noise for the selection, and subtracting it for
    the evaluation, makes the two independent; the mean over draws has a closed form, so nothing is drawn.
    """
    # Terms that are far from the best by both scores hardly matter, and would only take time.
    candidates = np.union1d(best_of(between, 8 * k), best_of(total, 8 * k))
    between, total, noise = between[candidates], total[candidates], noise_of(stats, total)[candidates]
    deviation = np.sqrt(2 * noise * np.maximum(2 * between - noise, 0.0)) / np.sqrt(max(len(stats.classes) - 1, 1))
    values = []
    weights = sorted(GRID, key=lambda weight: abs(weight - 1.0))
    for weight in weights:
        scores, width = mix(between, total, weight), np.maximum(abs(weight) * deviation, 1e-12 * total.max())
        low, high = float((scores - 5 * width).min()), float((scores + 5 * width).max())
        for _ in range(30):  # bisection for the threshold that k terms are expected to pass
            middle = (low + high) / 2
            low, high = (middle, high) if ndtr((scores - middle) / width).sum() > k else (low, middle)
        margin = (scores - low) / width
        density = np.exp(-np.minimum(margin**2 / 2, 700.0)) / np.sqrt(2 * np.pi)
        values.append(((between - noise) * ndtr(margin) - np.sign(weight) * deviation * density).sum())
    return weights[int(np.argmax(values))]


CRITERIA: dict[str, Criterion] = {
    AUTO: expected_scatter,
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
