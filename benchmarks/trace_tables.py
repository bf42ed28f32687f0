"""Measurements of weights on all collections, and the tables that are made of them."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import mean
from typing import NamedTuple

import numpy as np

from textsieve.training.counted_documents import CountedDocuments

from .trace_criteria import CRITERIA, GRID, KEPT
from .trace_folds import SETTINGS, Fold

SIZES = (50, 100, 300, 1_000)
ALLOWED = -0.5
"""Points of micro-F1 that a criterion may lose on a collection."""


class Found(NamedTuple):
    """A weight, and the micro-F1 of its terms in points."""

    weight: float
    points: float


class Tried(NamedTuple):
    """One fold and one number of terms."""

    corpus: str
    setting: str
    k: int
    fold: int
    grid: tuple[float, ...]  # points by weight of the grid
    criteria: dict[str, Found]

    @property
    def at_one(self) -> float:
        """The points of weight 1."""
        return self.grid[GRID.index(1.0)]


def tried(corpus: str, setting: str, number: int, fold: Fold) -> Iterable[Tried]:
    """All weights in one fold."""
    for k in (k for k in SIZES if k < fold.stats.n_terms):

        def points(weight: float, k: int = k) -> float:
            return 100 * fold.score(fold.best(weight, k)).micro

        weights = {name: find(fold.stats, fold.between, fold.total, k) for name, find in CRITERIA.items()}
        found = {name: Found(weight, points(weight)) for name, weight in weights.items()}
        yield Tried(corpus, setting, k, number, tuple(points(weight) for weight in GRID), found)


def measured(corpus: str, documents: CountedDocuments) -> list[Tried]:
    """All weights on one collection."""
    return [
        one
        for setting, folds in SETTINGS.items()
        for number, fold in enumerate(folds(corpus, documents))
        for one in tried(corpus, setting, number, fold)
    ]


# -- tables ----------------------------------------------------------------------------------------------------------


def names(all_tried: list[Tried]) -> list[str]:
    """The collections, in order."""
    return list(dict.fromkeys(each.corpus for each in all_tried))


def group(corpus: str) -> str:
    """Subsets of one collection count as one in means."""
    return corpus.split(" subset")[0]


def of(all_tried: list[Tried], corpus: str, setting: str) -> list[Tried]:
    """What was tried on one collection in one setting."""
    return [each for each in all_tried if (each.corpus, each.setting) == (corpus, setting)]


def with_error(values: list[float]) -> tuple[float, float]:
    """The mean, and its standard error."""
    return mean(values), float(np.std(values, ddof=1) / np.sqrt(len(values)))


def gains(some: list[Tried], criterion: str) -> list[float]:
    """By how much a criterion is ahead of weight 1, in each fold, in the mean over numbers of terms."""
    by_fold: dict[int, list[float]] = {}
    for each in some:
        by_fold.setdefault(each.fold, []).append(each.criteria[criterion].points - each.at_one)
    return [mean(found) for found in by_fold.values()]


def by_weight(all_tried: list[Tried], setting: str) -> str:
    """Micro-F1 of each weight, the best of them, and what the criterion found."""
    heads = [f"{weight:g}" for weight in GRID]
    lines = [
        f"| {setting} | terms | {' | '.join(heads)} | best λ | auto λ | auto | auto − λ = 1 |",
        f"|---|---:|{'---:|' * (len(GRID) + 4)}",
    ]
    for corpus in names(all_tried):
        some = of(all_tried, corpus, setting)
        for k in dict.fromkeys(each.k for each in some):
            own = [each for each in some if each.k == k]
            points = np.mean([each.grid for each in own], axis=0)
            best = int(points.argmax())
            cells = [f"**{value:.1f}**" if at == best else f"{value:.1f}" for at, value in enumerate(points)]
            found = [each.criteria[KEPT] for each in own]
            ahead, error = with_error([each.criteria[KEPT].points - each.at_one for each in own])
            weight, auto = mean(each.weight for each in found), mean(each.points for each in found)
            lines.append(
                f"| {corpus} | {k:,} | {' | '.join(cells)} | {GRID[best]:g} | {weight:.3f} | {auto:.1f} | "
                f"{ahead:+.2f} ± {error:.2f} |"
            )
    return "\n".join(lines)


def by_size(all_tried: list[Tried]) -> Iterable[tuple[str, str, int, float, float]]:
    """The gain of the criterion that was kept, and its error, for each collection, setting and number of terms."""
    for corpus, setting, k in dict.fromkeys(each[:3] for each in all_tried):
        own = [each for each in of(all_tried, corpus, setting) if each.k == k]
        yield corpus, setting, k, *with_error([each.criteria[KEPT].points - each.at_one for each in own])


class Standing(NamedTuple):
    """A criterion in one setting: its gain on each collection, and the error of that."""

    gain: dict[str, float]
    error: dict[str, float]
    weight: dict[str, float]

    def mean(self, without: str = "") -> float:
        """Over collections, each group of subsets as one."""
        groups: dict[str, list[float]] = {}
        for corpus, gain in self.gain.items():
            groups.setdefault(group(corpus), []).append(gain)
        return mean(mean(each) for name, each in groups.items() if name != without)

    def worst(self, without: str = "") -> float:
        """Of any collection."""
        return min(gain for corpus, gain in self.gain.items() if group(corpus) != without)


def standing(all_tried: list[Tried], setting: str, criterion: str) -> Standing:
    """How a criterion does in one setting."""
    gain, error, weight = {}, {}, {}
    for corpus in names(all_tried):
        some = of(all_tried, corpus, setting)
        gain[corpus], error[corpus] = with_error(gains(some, criterion))
        weight[corpus] = mean(each.criteria[criterion].weight for each in some)
    return Standing(gain, error, weight)


def by_criterion(all_tried: list[Tried], setting: str) -> str:
    """Each criterion's gain over weight 1 on each collection, and its mean weight there."""
    standings = {criterion: standing(all_tried, setting, criterion) for criterion in CRITERIA}
    lines = [
        f"| {setting} | {' | '.join(standings)} |",
        f"|---|{'---:|' * len(standings)}",
    ]
    for corpus in names(all_tried):
        cells = [
            f"{each.gain[corpus]:+.2f} ± {each.error[corpus]:.2f} ({each.weight[corpus]:.2f})"
            for each in standings.values()
        ]
        lines.append(f"| {corpus} | {' | '.join(cells)} |")
    lines.append(f"| **mean** | {' | '.join(f'**{each.mean():+.2f}**' for each in standings.values())} |")
    lines.append(f"| worst | {' | '.join(f'{each.worst():+.2f}' for each in standings.values())} |")
    return "\n".join(lines)


def left_out(all_tried: list[Tried]) -> str:
    """For each collection, the criterion that the others would have chosen, and how it does there."""
    lines = [
        "| collection left out | chosen by the others | all labels | a tenth of the labels |",
        "|---|---|---:|---:|",
    ]
    standings = {criterion: [standing(all_tried, setting, criterion) for setting in SETTINGS] for criterion in CRITERIA}
    for name in dict.fromkeys(map(group, names(all_tried))):

        def worth(criterion: str, name: str = name) -> tuple[bool, float]:
            both = standings[criterion]
            return min(each.worst(name) for each in both) >= ALLOWED, mean(each.mean(name) for each in both)

        chosen = max(CRITERIA, key=worth)
        own = [mean(g for corpus, g in each.gain.items() if group(corpus) == name) for each in standings[chosen]]
        lines.append(f"| {name} | {chosen} | {own[0]:+.2f} | {own[1]:+.2f} |")
    return "\n".join(lines)
