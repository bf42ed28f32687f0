"""Measure TOFA's weights, two stages of selection, and documents without selected terms; return tables of them."""

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
    """The micro-F1 of all weights in one fold with one number of terms."""

    corpus: str
    setting: str
    """A key of `SETTINGS`."""
    k: int
    """The number of terms."""
    fold: int
    grid: tuple[float, ...]
    """The points of each weight of `GRID`."""
    criteria: dict[str, WeightScore]
    """The weight that each criterion finds, and its points."""

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


def corpora_of(trials: list[WeightTrial]) -> list[str]:
    """Return the corpora of the trials, in their order."""
    return list(dict.fromkeys(trial.corpus for trial in trials))


def collection_of(corpus: str) -> str:
    """Return the collection to which a corpus belongs; in means, the subsets of RCV1 count as one."""
    return corpus.split(" subset")[0]


def trials_on(trials: list[WeightTrial], corpus: str, setting: str) -> list[WeightTrial]:
    """Return the trials on one corpus in one setting."""
    return [trial for trial in trials if (trial.corpus, trial.setting) == (corpus, setting)]


def with_error(values: list[float]) -> tuple[float, float]:
    """Return the mean and its standard error."""
    return mean(values), float(np.std(values, ddof=1) / np.sqrt(len(values)))


def gains_by_fold(trials: list[WeightTrial], criterion: str) -> list[float]:
    """Return the lead of a criterion over weight 1 in each fold: the mean over numbers of terms."""
    by_fold: dict[int, list[float]] = {}
    for trial in trials:
        by_fold.setdefault(trial.fold, []).append(trial.criteria[criterion].points - trial.at_one)
    return [mean(points) for points in by_fold.values()]


def by_weight(trials: list[WeightTrial], setting: str) -> str:
    """Return a table of the micro-F1 of each weight of the grid, of the best weight, and of the automatic weight."""
    heads = [f"{weight:g}" for weight in GRID]
    lines = [
        f"| {setting} | terms | {' | '.join(heads)} | best λ | auto λ | auto | auto − λ = 1 |",
        f"|---|---:|{'---:|' * (len(GRID) + 4)}",
    ]
    for corpus in corpora_of(trials):
        corpus_trials = trials_on(trials, corpus, setting)
        for k in dict.fromkeys(trial.k for trial in corpus_trials):
            size_trials = [trial for trial in corpus_trials if trial.k == k]
            points = np.mean([trial.grid for trial in size_trials], axis=0)
            best = int(points.argmax())
            cells = [
                f"**{value:.1f}**" if position == best else f"{value:.1f}" for position, value in enumerate(points)
            ]
            scores = [trial.criteria[AUTO] for trial in size_trials]
            ahead, error = with_error([trial.criteria[AUTO].points - trial.at_one for trial in size_trials])
            weight, auto = mean(score.weight for score in scores), mean(score.points for score in scores)
            lines.append(
                f"| {corpus} | {k:,} | {' | '.join(cells)} | {GRID[best]:g} | {weight:.3f} | {auto:.1f} | "
                f"{ahead:+.2f} ± {error:.2f} |"
            )
    return "\n".join(lines)


def by_size(trials: list[WeightTrial]) -> Iterable[tuple[str, str, int, float, float]]:
    """Yield the gain of the automatic weight and its error, by collection, setting and number of terms."""
    for corpus, setting, k in dict.fromkeys(trial[:3] for trial in trials):
        size_trials = [trial for trial in trials_on(trials, corpus, setting) if trial.k == k]
        yield corpus, setting, k, *with_error([trial.criteria[AUTO].points - trial.at_one for trial in size_trials])


class Standing(NamedTuple):
    """The results of a criterion in one setting, by corpus."""

    gain: dict[str, float]
    """The mean lead over weight 1, in points of micro-F1."""
    error: dict[str, float]
    """The standard error of the gain."""
    weight: dict[str, float]
    """The mean weight that the criterion finds."""

    def mean(self, without: str = "") -> float:
        """Return the mean gain over all collections except `without`."""
        gains: dict[str, list[float]] = {}
        for corpus, gain in self.gain.items():
            gains.setdefault(collection_of(corpus), []).append(gain)
        return mean(mean(corpus_gains) for name, corpus_gains in gains.items() if name != without)

    def worst(self, without: str = "") -> float:
        """Return the smallest gain on any corpus, except those of the collection `without`."""
        return min(gain for corpus, gain in self.gain.items() if collection_of(corpus) != without)


def standing_of(trials: list[WeightTrial], setting: str, criterion: str) -> Standing:
    """Return the results of a criterion in one setting."""
    gain, error, weight = {}, {}, {}
    for corpus in corpora_of(trials):
        corpus_trials = trials_on(trials, corpus, setting)
        gain[corpus], error[corpus] = with_error(gains_by_fold(corpus_trials, criterion))
        weight[corpus] = mean(trial.criteria[criterion].weight for trial in corpus_trials)
    return Standing(gain, error, weight)


def by_criterion(trials: list[WeightTrial], setting: str) -> str:
    """Return a table of the gain of each criterion over weight 1 on each collection, with its mean weight."""
    standings = {criterion: standing_of(trials, setting, criterion) for criterion in CRITERIA}
    lines = [
        f"| {setting} | {' | '.join(standings)} |",
        f"|---|{'---:|' * len(standings)}",
    ]
    for corpus in corpora_of(trials):
        cells = [
            f"{standing.gain[corpus]:+.2f} ± {standing.error[corpus]:.2f} ({standing.weight[corpus]:.2f})"
            for standing in standings.values()
        ]
        lines.append(f"| {corpus} | {' | '.join(cells)} |")
    lines.append(f"| **mean** | {' | '.join(f'**{standing.mean():+.2f}**' for standing in standings.values())} |")
    lines.append(f"| worst | {' | '.join(f'{standing.worst():+.2f}' for standing in standings.values())} |")
    return "\n".join(lines)


def left_out(trials: list[WeightTrial]) -> str:
    """Return a table with a row for each collection: the best criterion on the others, and its gain on this one."""
    lines = [
        "| collection left out | selected by the others | all labels | a tenth of the labels |",
        "|---|---|---:|---:|",
    ]
    standings = {criterion: [standing_of(trials, setting, criterion) for setting in SETTINGS] for criterion in CRITERIA}
    for name in dict.fromkeys(map(collection_of, corpora_of(trials))):

        def worth(criterion: str, name: str = name) -> tuple[bool, float]:
            """Return whether a criterion is within the limit without the collection, and its mean gain."""
            by_setting = standings[criterion]
            is_allowed = min(standing.worst(name) for standing in by_setting) >= ALLOWED
            return is_allowed, mean(standing.mean(name) for standing in by_setting)

        best = max(CRITERIA, key=worth)
        all_labels, a_tenth = (
            mean(gain for corpus, gain in standing.gain.items() if collection_of(corpus) == name)
            for standing in standings[best]
        )
        lines.append(f"| {name} | {best} | {all_labels:+.2f} | {a_tenth:+.2f} |")
    return "\n".join(lines)


# -- two stages of selection: OCFS selects candidates, information gain selects among them -----------------------------


STAGE_SIZES = ((5_000, 500), (1_000, 100))
"""The numbers of candidates and of selected terms."""
STAGE_NAMES = ("OCFS", "information gain", "OCFS, then information gain")


class StagesTrial(NamedTuple):
    """The scores of the three ways to select terms, in one fold."""

    corpus: str
    candidates: int
    selected: int
    scores: dict[str, Score]
    """By the names in `STAGE_NAMES`."""


def selectors(candidates: int, selected: int) -> dict[str, TermSelector]:
    """Return the selectors of `STAGE_NAMES`; the one of two stages selects from so many `candidates`."""
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
    """Return a table of the micro- and macro-F1 of the selectors of `STAGE_NAMES`, and of the lead of the last one."""
    lines = [
        f"| micro-F1 / macro-F1 | terms | {' | '.join(STAGE_NAMES)} | ahead of OCFS | ahead of information gain |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for candidates, selected in STAGE_SIZES:
        for corpus in dict.fromkeys(trial.corpus for trial in trials):
            scores = [trial.scores for trial in trials if trial[:3] == (corpus, candidates, selected)]
            if scores:
                cells = [f"{_mean(scores, name, 0):.1f} / {_mean(scores, name, 1):.1f}" for name in STAGE_NAMES]
                ahead = [_lead_over(scores, other) for other in STAGE_NAMES[:2]]
                lines.append(f"| {corpus} | {selected} of {candidates:,} | {' | '.join([*cells, *ahead])} |")
    return "\n".join(lines)


def _mean(scores: list[dict[str, Score]], name: str, metric: int) -> float:
    """Return the mean micro-F1 (`metric` 0) or macro-F1 (1) over folds, in points."""
    return 100 * mean(fold_scores[name][metric] for fold_scores in scores)


def _lead_over(scores: list[dict[str, Score]], other: str) -> str:
    """Return as text the lead of two stages over another selector, in micro-F1 and macro-F1, with standard errors."""
    two_stages = STAGE_NAMES[2]
    leads = []
    for metric in (0, 1):
        lead, error = with_error(
            [100 * (fold_scores[two_stages][metric] - fold_scores[other][metric]) for fold_scores in scores]
        )
        leads.append(f"{lead:+.2f} ± {error:.2f}")
    return " / ".join(leads)


# -- documents without a selected term ---------------------------------------------------------------------------------


class FallbackTrial(NamedTuple):
    """The lead of the automatic weight over weight 1 in each fold, in points of micro-F1."""

    corpus: str
    setting: str
    ahead: list[float]
    """The lead if documents without a selected term get no label."""
    ahead_filled: list[float]
    """The lead if such documents get the most frequent class."""


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
            at_one = [fold.score(fold.best(1.0, k)) for k in sizes]
            pairs = list(zip(auto, at_one, strict=True))
            ahead.append(100 * sum(best.micro - other.micro for best, other in pairs) / len(pairs))
            ahead_filled.append(100 * sum(best.filled - other.filled for best, other in pairs) / len(pairs))
        trials.append(FallbackTrial(corpus, setting, ahead, ahead_filled))
    return trials


def fallback_table(trials: list[FallbackTrial]) -> str:
    """Return a table of the lead of the automatic weight, with a row for each collection and setting."""
    lines = [
        "| auto - λ = 1 | labels | such documents have no label | the most frequent class |",
        "|---|---|---:|---:|",
    ]
    for trial in trials:
        cells = [f"{gain:+.2f} ± {error:.2f}" for gain, error in map(with_error, (trial.ahead, trial.ahead_filled))]
        lines.append(f"| {trial.corpus} | {trial.setting} | {' | '.join(cells)} |")
    return "\n".join(lines)
