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
        """Return the points of weight 1."""
        return self.grid[GRID.index(1.0)]


def try_weights(corpus: str, setting: str, number: int, fold: Fold) -> Iterable[WeightTrial]:
    """Yield a trial for each number of terms in a fold."""
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
    """Return the collections in their order."""
    return list(dict.fromkeys(trial.corpus for trial in trials))


def group(corpus: str) -> str:
    """Return the collection that a corpus counts as in means; subsets count as one."""
    return corpus.split(" subset")[0]


def of(trials: list[WeightTrial], corpus: str, setting: str) -> list[WeightTrial]:
    """Return the trials on one collection in one setting."""
    return [trial for trial in trials if (trial.corpus, trial.setting) == (corpus, setting)]


def with_error(values: list[float]) -> tuple[float, float]:
    """Return the mean and its standard error."""
    return mean(values), float(np.std(values, ddof=1) / np.sqrt(len(values)))


def gains(own: list[WeightTrial], criterion: str) -> list[float]:
    """Return the lead of a criterion over weight 1 in each fold: the mean over numbers of terms."""
    by_fold: dict[int, list[float]] = {}
    for trial in own:
        by_fold.setdefault(trial.fold, []).append(trial.criteria[criterion].points - trial.at_one)
    return [mean(points) for points in by_fold.values()]


def by_weight(trials: list[WeightTrial], setting: str) -> str:
    """Return a table of the micro-F1 of each weight of the grid, the best one, and the automatic weight."""
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
    """Yield the gain of the automatic weight and its error, by collection, setting and number of terms."""
    for corpus, setting, k in dict.fromkeys(trial[:3] for trial in trials):
        own = [trial for trial in of(trials, corpus, setting) if trial.k == k]
        yield corpus, setting, k, *with_error([trial.criteria[AUTO].points - trial.at_one for trial in own])


class Standing(NamedTuple):
    """A criterion in one setting: its gain on each collection, and the error of that."""

    gain: dict[str, float]
    error: dict[str, float]
    weight: dict[str, float]

    def mean(self, without: str = "") -> float:
        """Return the mean gain over collections; subsets of one collection count as one."""
        groups: dict[str, list[float]] = {}
        for corpus, gain in self.gain.items():
            groups.setdefault(group(corpus), []).append(gain)
        return mean(mean(own) for name, own in groups.items() if name != without)

    def worst(self, without: str = "") -> float:
        """Return the smallest gain on any collection."""
        return min(gain for corpus, gain in self.gain.items() if group(corpus) != without)


def standing(trials: list[WeightTrial], setting: str, criterion: str) -> Standing:
    """Return the standing of a criterion in one setting."""
    gain, error, weight = {}, {}, {}
    for corpus in names(trials):
        own = of(trials, corpus, setting)
        gain[corpus], error[corpus] = with_error(gains(own, criterion))
        weight[corpus] = mean(trial.criteria[criterion].weight for trial in own)
    return Standing(gain, error, weight)


def by_criterion(trials: list[WeightTrial], setting: str) -> str:
    """Return a table of the gain of each criterion over weight 1 on each collection, with its mean weight."""
    standings = {criterion: standing(trials, setting, criterion) for criterion in CRITERIA}
    lines = [
        f"| {setting} | {' | '.join(standings)} |",
        f"|---|{'---:|' * len(standings)}",
    ]
    for corpus in names(trials):
        cells = [
            f"{own.gain[corpus]:+.2f} ± {own.error[corpus]:.2f} ({own.weight[corpus]:.2f})"
            for own in standings.values()
        ]
        lines.append(f"| {corpus} | {' | '.join(cells)} |")
    lines.append(f"| **mean** | {' | '.join(f'**{own.mean():+.2f}**' for own in standings.values())} |")
    lines.append(f"| worst | {' | '.join(f'{own.worst():+.2f}' for own in standings.values())} |")
    return "\n".join(lines)


def left_out(trials: list[WeightTrial]) -> str:
    """Return a table: for each collection, the criterion that the others would select, and its gain there."""
    lines = [
        "| collection left out | selected by the others | all labels | a tenth of the labels |",
        "|---|---|---:|---:|",
    ]
    standings = {criterion: [standing(trials, setting, criterion) for setting in SETTINGS] for criterion in CRITERIA}
    for name in dict.fromkeys(map(group, names(trials))):

        def worth(criterion: str, name: str = name) -> tuple[bool, float]:
            both = standings[criterion]
            return min(own.worst(name) for own in both) >= ALLOWED, mean(own.mean(name) for own in both)

        best = max(CRITERIA, key=worth)
        own = [
            mean(gain for corpus, gain in setting.gain.items() if group(corpus) == name) for setting in standings[best]
        ]
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
    """Return the three ways to select so many terms."""
    ocfs, gain = OCFS(k=selected), InformationGain(k=selected)
    return dict(zip(STAGE_NAMES, (ocfs, gain, Cascade([OCFS(k=candidates), InformationGain(k=selected)])), strict=True))


def measure_stages(corpus: str, documents: Documents) -> list[StagesTrial]:
    """Return the trials of all folds that have more terms than candidates."""
    return [
        StagesTrial(
            corpus, *stages, {name: score_selector(fold, selector) for name, selector in selectors(*stages).items()}
        )
        for fold in all_labelled(corpus, documents)
        for stages in STAGE_SIZES
        if fold.stats.n_terms > stages[0]
    ]


def score_selector(fold: Fold, selector: TermSelector) -> Score:
    """Return the score of the terms that a selector selects."""
    return fold.score(np.flatnonzero(selector.fit_stats(fold.stats).get_support()))


def stages_table(trials: list[StagesTrial]) -> str:
    """Return a table of the micro- and macro-F1 of the three ways, and of the lead of the third."""
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
    """Return the trials of both settings of a collection, or nothing if it is not multilabel."""
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
    """Return a table with a row for each collection and setting."""
    lines = [
        "| auto - λ = 1 | labels | such documents have no label | the most frequent class |",
        "|---|---|---:|---:|",
    ]
    for trial in trials:
        cells = [f"{gain:+.2f} ± {error:.2f}" for gain, error in map(with_error, (trial.ahead, trial.ahead_filled))]
        lines.append(f"| {trial.corpus} | {trial.setting} | {' | '.join(cells)} |")
    return "\n".join(lines)
