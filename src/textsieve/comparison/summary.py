"""Summarise each condition: means over the folds, their precision, ranks, and tests against the best.

Times are medians, since machines are sometimes busy with something else. They are None if a run was resumed with
another number of threads or on another machine.

The best condition of a group has the highest mean micro-F1 (ties: higher macro-F1, then the first). All others of the
group are tested against it and corrected together (`significance.py`): document by document, or fold by fold if folds
share test documents. Groups are the conditions with the same number of terms, and all conditions.

The *average rank* of a selector with a classifier is its mean rank by micro-F1 among all pairs, over folds and numbers
of terms; ties share the mean of their ranks. Pairs without a row for some fold and number of terms have no average
rank.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
from scipy.stats import rankdata

from .plan import ALL, Condition, Size
from .rows import Row
from .significance import chance_of_lead, chance_of_mean_lead, half_width, holm

Goodness = tuple[float, float]
"""Micro-F1, then macro-F1."""
T = TypeVar("T")


class Verdict(NamedTuple):
    """The comparison of a condition with the best of its group; p is None if it has no figures or is the best."""

    p: float | None = None
    is_best: bool = False


def against_best(
    goodness: Sequence[Goodness | None], rows: Sequence[list[Row]], group: Sequence[Hashable], *, overlapping: bool
) -> list[Verdict]:
    """Return p of each condition against the best of its group."""
    lead = _lead_over_folds if overlapping else _lead_over_documents
    groups: dict[Hashable, list[int]] = {}
    for place, own in enumerate(goodness):
        if own is not None:
            groups.setdefault(group[place], []).append(place)
    verdicts = [Verdict() for _ in goodness]
    for places in groups.values():
        best = max(places, key=lambda place: (_required(goodness[place]), -place))
        others = [place for place in places if place != best]
        corrected = holm([lead(rows[best], rows[place]) for place in others])
        verdicts[best] = Verdict(is_best=True)
        for place, p in zip(others, corrected, strict=True):
            verdicts[place] = Verdict(p)
    return verdicts


def tested_to_trained(rows: Sequence[Row]) -> float:
    """Return the mean ratio of test to training documents."""
    return float(np.mean([row.documents / row.trained_on for row in rows]))


def _lead_over_documents(best: list[Row], other: list[Row]) -> float:
    """Return p of the mistakes on the test documents of all folds."""
    one, two = (np.concatenate([_required(row.mistakes) for row in rows]) for rows in (best, other))
    return chance_of_lead(one, two)


def _lead_over_folds(best: list[Row], other: list[Row]) -> float:
    """Return p of the differences in folds that share test documents."""
    leads = [_required(best_row.micro_f1) - _required(row.micro_f1) for best_row, row in zip(best, other, strict=True)]
    return chance_of_mean_lead(leads, tested_to_trained(best))


def _required(value: T | None) -> T:
    assert value is not None
    return value


class Mean(NamedTuple):
    """The mean over the folds, and half the width of its 95 % interval (None for a single fold)."""

    value: float
    half_width: float | None


@dataclass(frozen=True)
class Summary:
    """The figures of a condition over all folds."""

    selector: str
    n_terms: Size
    classifier: str
    problem: str | None
    """Why there are no figures, if some fold has none."""
    n_kept: float | None = None
    micro_f1: Mean | None = None
    macro_f1: Mean | None = None
    accuracy: Mean | None = None
    selection_seconds: float | None = None
    training_seconds: float | None = None
    prediction_seconds: float | None = None
    model_bytes: float | None = None
    threads: int | None = None
    """The number of threads, if it was the same for all rows; times of different ones have no median."""
    cores: int | None = None
    p_in_size: float | None = None
    """Corrected p against the best condition of the same number of terms; None for the best itself."""
    p_overall: float | None = None
    is_best_in_size: bool = False
    is_best: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return {name: value._asdict() if isinstance(value, Mean) else value for name, value in vars(self).items()}


class Rank(NamedTuple):
    """The average rank of a selector with a classifier; 1 is the best."""

    selector: str
    classifier: str
    rank: float


def summaries(conditions: Sequence[Condition], rows: Sequence[Row], *, overlapping: bool = False) -> list[Summary]:
    """Return a summary of each condition, in their order; `overlapping` says whether folds share test documents."""
    own: dict[Any, list[Row]] = {condition.key: [] for condition in conditions}
    for row in rows:
        own[row.key[1:]].append(row)
    lines = [_summary(condition, own[condition.key]) for condition in conditions]
    all_together, by_size = [None] * len(lines), [line.n_terms for line in lines]
    of_all, of_size = (
        against_best([_goodness(line) for line in lines], list(own.values()), group, overlapping=overlapping)
        for group in (all_together, by_size)
    )
    return [
        replace(line, p_overall=all_.p, is_best=all_.is_best, p_in_size=size.p, is_best_in_size=size.is_best)
        for line, all_, size in zip(lines, of_all, of_size, strict=True)
    ]


def average_ranks(conditions: Sequence[Condition], rows: Sequence[Row]) -> list[Rank]:
    """Return the average rank of each selector with each classifier, the best first.

    The baselines of all terms have only one number of terms, and are left out.
    """
    pairs = list(
        dict.fromkeys(
            (condition.selector.name, condition.classifier.name)
            for condition in conditions
            if not _is_baseline(condition)
        )
    )
    blocks: dict[tuple[int, Size], dict[tuple[str, str], float]] = {}
    for row in rows:
        if row.micro_f1 is not None and (row.selector, row.classifier) in pairs:
            blocks.setdefault((row.fold, row.n_terms), {})[row.selector, row.classifier] = row.micro_f1
    whole = [pair for pair in pairs if blocks and all(pair in block for block in blocks.values())]
    if not whole:
        return []
    scores = np.array([[block[pair] for pair in whole] for block in blocks.values()])
    means = rankdata(-np.round(scores, 12), axis=1).mean(axis=0)
    order = np.argsort(means, kind="stable").tolist()
    return [Rank(whole[place][0], whole[place][1], float(means[place])) for place in order]


def _is_baseline(condition: Condition) -> bool:
    return condition.selector.name == ALL


def _summary(condition: Condition, rows: list[Row]) -> Summary:
    if any(row.problem is not None for row in rows):
        return Summary(*condition.key, _problem(rows))
    ratio = tested_to_trained(rows)

    def mean(name: str) -> float:
        return float(np.mean([getattr(row, name) for row in rows]))

    machines = {(row.threads, row.cores) for row in rows}

    def median(name: str) -> float | None:
        return float(np.median([getattr(row, name) for row in rows])) if len(machines) == 1 else None

    def with_interval(name: str) -> Mean:
        return Mean(mean(name), half_width([getattr(row, name) for row in rows], ratio))

    return Summary(
        *condition.key,
        problem=None,
        n_kept=mean("n_kept"),
        micro_f1=with_interval("micro_f1"),
        macro_f1=with_interval("macro_f1"),
        accuracy=with_interval("accuracy"),
        selection_seconds=median("selection_seconds"),
        training_seconds=median("training_seconds"),
        prediction_seconds=median("prediction_seconds"),
        model_bytes=mean("model_bytes"),
        threads=_only(threads for threads, _ in machines),
        cores=_only(cores for _, cores in machines),
    )


def _problem(rows: list[Row]) -> str:
    """Return the first problem, with its fold if not all folds have one."""
    problems = {row.fold: row.problem for row in rows if row.problem is not None}
    first = next(iter(problems))
    return (
        f"{problems[first]}"
        if len(problems) == len(rows)
        else f"{problems[first]} (in fold {first + 1} of {len(rows)})"
    )


def _only(values: Iterable[int | None]) -> int | None:
    distinct = set(values)
    return distinct.pop() if len(distinct) == 1 else None


def _goodness(line: Summary) -> Goodness | None:
    if line.micro_f1 is None or line.macro_f1 is None:
        return None
    return round(line.micro_f1.value, 12), round(line.macro_f1.value, 12)
