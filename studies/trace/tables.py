"""Measure weights, two stages of selection and documents without selected terms, and make the tables of them."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import mean
from typing import NamedTuple

import numpy as np

from textsieve import OCFS, Cascade, InformationGain
from textsieve.selectors import TermSelector

from ..documents import Documents
from .criteria import AUTO, CRITERIA, GRID
from .folds import SETTINGS, Fold, Score, all_labelled, auto_weight

SIZES = (50, 100, 300, 1_000)
ALLOWED = -0.5
"""Points of micro-F1 that a criterion may lose on a collection."""


class WeightScore(NamedTuple):
    """A weight, and the micro-F1 of its terms in points."""

    weight: float
    points: float


class WeightTrial(NamedTuple):
    """One fold and one number of terms."""

    corpus: str
    setting: str
    k: int
    fold: int
    grid: tuple[float, ...]  # points by weight of the grid
    criteria: dict[str, WeightScore]

    @property
    def at_one(self) -> float:
        """The points of weight 1."""
        return self.grid[GRID.index(1.0)]


def try_weights(corpus: str, setting: str, number: int, fold: Fold) -> Iterable[WeightTrial]:
    """All weights in one fold."""
    for k in (k for k in SIZES if k < fold.stats.n_terms):

        def points(weight: float, k: int = k) -> float:
            return 100 * fold.score(fold.best(weight, k)).micro

        weights = {name: find(fold.stats, fold.between, fold.total, k) for name, find in CRITERIA.items()}
        scores = {name: WeightScore(weight, points(weight)) for name, weight in weights.items()}
        yield WeightTrial(corpus, setting, k, number, tuple(points(weight) for weight in GRID), scores)


def measure_weights(corpus: str, documents: Documents) -> list[WeightTrial]:
    """Return the trials of all weights on one collection."""
    return [
        trial
        for setting, folds in SETTINGS.items()
        for number, fold in enumerate(folds(corpus, documents))
        for trial in try_weights(corpus, setting, number, fold)
    ]


# -- tables ------------------------------------------------------------------------------------------------------------


def names(trials: list[WeightTrial]) -> list[str]:
    """The collections, in order."""
    return list(dict.fromkeys(trial.corpus for trial in trials))


def group(corpus: str) -> str:
    """Subsets of one collection count as one in means."""
    return corpus.split(" subset")[0]


def of(trials: list[WeightTrial], corpus: str, setting: str) -> list[WeightTrial]:
    """What was tried on one collection in one setting."""
    return [trial for trial in trials if (trial.corpus, trial.setting) == (corpus, setting)]


def with_error(values: list[float]) -> tuple[float, float]:
    """The mean, and its standard error."""
    return mean(values), float(np.std(values, ddof=1) / np.sqrt(len(values)))


def gains(own: list[WeightTrial], criterion: str) -> list[float]:
    """By how much a criterion is ahead of weight 1, in each fold, in the mean over numbers of terms."""
    by_fold: dict[int, list[float]] = {}
    for trial in own:
        by_fold.setdefault(trial.fold, []).append(trial.criteria[criterion].points - trial.at_one)
    return [mean(points) for points in by_fold.values()]


def by_weight(trials: list[WeightTrial], setting: str) -> str:
    """Micro-F1 of each weight, the best of them, and what the criterion found."""
    heads = [f"{weight:g}" for weight in GRID]
    lines = [
        f"| {setting} | terms | {' | '.join(heads)} | best λ | auto λ | auto | auto − λ = 1 |",
        f"|---|---:|{'---:|' * (len(GRID) + 4)}",
    ]
    for corpus in names(trials):
        of_corpus = of(trials, corpus, setting)
        for k in dict.fromkeys(trial.k for trial in of_corpus):
            own = [trial for trial in of_corpus if trial.k == k]
            points = np.mean([trial.grid for trial in own], axis=0)
            best = int(points.argmax())
            cells = [f"**{value:.1f}**" if at == best else f"{value:.1f}" for at, value in enumerate(points)]
            scores = [trial.criteria[AUTO] for trial in own]
            ahead, error = with_error([trial.criteria[AUTO].points - trial.at_one for trial in own])
            weight, auto = mean(score.weight for score in scores), mean(score.points for score in scores)
            lines.append(
                f"| {corpus} | {k:,} | {' | '.join(cells)} | {GRID[best]:g} | {weight:.3f} | {auto:.1f} | "
                f"{ahead:+.2f} ± {error:.2f} |"
            )
    return "\n".join(lines)


def by_size(trials: list[WeightTrial]) -> Iterable[tuple[str, str, int, float, float]]:
    """The gain of the criterion that was kept, and its error, for each collection, setting and number of terms."""
    for corpus, setting, k in dict.fromkeys(trial[:3] for trial in trials):
        own = [trial for trial in of(trials, corpus, setting) if trial.k == k]
        yield corpus, setting, k, *with_error([trial.criteria[AUTO].points - trial.at_one for trial in own])


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


def standing(trials: list[WeightTrial], setting: str, criterion: str) -> Standing:
    """How a criterion does in one setting."""
    gain, error, weight = {}, {}, {}
    for corpus in names(trials):
        own = of(trials, corpus, setting)
        gain[corpus], error[corpus] = with_error(gains(own, criterion))
        weight[corpus] = mean(trial.criteria[criterion].weight for trial in own)
    return Standing(gain, error, weight)


def by_criterion(trials: list[WeightTrial], setting: str) -> str:
    """Each criterion's gain over weight 1 on each collection, and its mean weight there."""
    standings = {criterion: standing(trials, setting, criterion) for criterion in CRITERIA}
    lines = [
        f"| {setting} | {' | '.join(standings)} |",
        f"|---|{'---:|' * len(standings)}",
    ]
    for corpus in names(trials):
        cells = [
            f"{each.gain[corpus]:+.2f} ± {each.error[corpus]:.2f} ({each.weight[corpus]:.2f})"
            for each in standings.values()
        ]
        lines.append(f"| {corpus} | {' | '.join(cells)} |")
    lines.append(f"| **mean** | {' | '.join(f'**{each.mean():+.2f}**' for each in standings.values())} |")
    lines.append(f"| worst | {' | '.join(f'{each.worst():+.2f}' for each in standings.values())} |")
    return "\n".join(lines)


def left_out(trials: list[WeightTrial]) -> str:
    """For each collection, the criterion that the others would have chosen, and how it does there."""
    lines = [
        "| collection left out | selected by the others | all labels | a tenth of the labels |",
        "|---|---|---:|---:|",
    ]
    standings = {criterion: [standing(trials, setting, criterion) for setting in SETTINGS] for criterion in CRITERIA}
    for name in dict.fromkeys(map(group, names(trials))):

        def worth(criterion: str, name: str = name) -> tuple[bool, float]:
            both = standings[criterion]
            return min(each.worst(name) for each in both) >= ALLOWED, mean(each.mean(name) for each in both)

        best = max(CRITERIA, key=worth)
        own = [mean(g for corpus, g in each.gain.items() if group(corpus) == name) for each in standings[best]]
        lines.append(f"| {name} | {best} | {own[0]:+.2f} | {own[1]:+.2f} |")
    return "\n".join(lines)


# -- two stages of selection: OCFS selects candidates, information gain selects among them -----------------------------


STAGE_SIZES = ((5_000, 500), (1_000, 100))
"""Candidates, and how many of them are selected."""
STAGE_NAMES = ("OCFS", "information gain", "OCFS, then information gain")


class StagesTrial(NamedTuple):
    """The three ways in one fold."""

    corpus: str
    candidates: int
    selected: int
    scores: dict[str, Score]


def selectors(candidates: int, selected: int) -> dict[str, TermSelector]:
    """The three ways to keep so many terms."""
    ocfs, gain = OCFS(k=selected), InformationGain(k=selected)
    return dict(zip(STAGE_NAMES, (ocfs, gain, Cascade([OCFS(k=candidates), InformationGain(k=selected)])), strict=True))


def measure_stages(corpus: str, documents: Documents) -> list[StagesTrial]:
    """All folds in which there are more terms than candidates."""
    return [
        StagesTrial(
            corpus, *stages, {name: score_selector(fold, selector) for name, selector in selectors(*stages).items()}
        )
        for fold in all_labelled(corpus, documents)
        for stages in STAGE_SIZES
        if fold.stats.n_terms > stages[0]
    ]


def score_selector(fold: Fold, selector: TermSelector) -> Score:
    """How good the terms are that a selector keeps."""
    return fold.score(np.flatnonzero(selector.fit_stats(fold.stats).get_support()))


def stages_table(trials: list[StagesTrial]) -> str:
    """Micro- and macro-F1 of the three, and how far the third is ahead of the better one of the others."""
    lines = [
        f"| micro-F1 / macro-F1 | terms | {' | '.join(STAGE_NAMES)} | ahead of OCFS | ahead of information gain |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for candidates, selected in STAGE_SIZES:
        for corpus in dict.fromkeys(trial.corpus for trial in trials):
            own = [trial.scores for trial in trials if trial[:3] == (corpus, candidates, selected)]
            if own:
                cells = [f"{_mean(own, name, 0):.1f} / {_mean(own, name, 1):.1f}" for name in STAGE_NAMES]
                ahead = [_ahead(own, other) for other in STAGE_NAMES[:2]]
                lines.append(f"| {corpus} | {selected} of {candidates:,} | {' | '.join([*cells, *ahead])} |")
    return "\n".join(lines)


def _mean(scores: list[dict[str, Score]], name: str, which: int) -> float:
    return 100 * mean(own[name][which] for own in scores)


def _ahead(scores: list[dict[str, Score]], other: str) -> str:
    leads = []
    for which in (0, 1):
        lead, error = with_error([100 * (own[STAGE_NAMES[2]][which] - own[other][which]) for own in scores])
        leads.append(f"{lead:+.2f} ± {error:.2f}")
    return " / ".join(leads)


# -- documents without a selected term ---------------------------------------------------------------------------------


class FallbackTrial(NamedTuple):
    """How far the automatic weight is ahead of 1 in each fold, in points: without such labels, and with them."""

    corpus: str
    setting: str
    ahead: list[float]
    ahead_filled: list[float]


def measure_fallback(corpus: str, documents: Documents) -> list[FallbackTrial]:
    """Both settings of a collection, if its documents have several labels."""
    if not documents.multilabel:
        return []
    trials = []
    for setting, folds in SETTINGS.items():
        ahead, ahead_filled = [], []
        for fold in folds(corpus, documents):
            sizes = [k for k in SIZES if k < fold.stats.n_terms]
            auto = [fold.score(fold.best(auto_weight(fold.stats, k), k)) for k in sizes]
            one = [fold.score(fold.best(1.0, k)) for k in sizes]
            pairs = list(zip(auto, one, strict=True))
            ahead.append(100 * sum(a.micro - o.micro for a, o in pairs) / len(pairs))
            ahead_filled.append(100 * sum(a.filled - o.filled for a, o in pairs) / len(pairs))
        trials.append(FallbackTrial(corpus, setting, ahead, ahead_filled))
    return trials


def fallback_table(trials: list[FallbackTrial]) -> str:
    """A line a collection and setting."""
    lines = [
        "| auto - λ = 1 | labels | such documents have no label | the most frequent class |",
        "|---|---|---:|---:|",
    ]
    for each in trials:
        cells = [f"{gain:+.2f} ± {error:.2f}" for gain, error in map(with_error, (each.ahead, each.ahead_filled))]
        lines.append(f"| {each.corpus} | {each.setting} | {' | '.join(cells)} |")
    return "\n".join(lines)
