"""One line for each condition: means over the folds, how sure they are, how they rank.

Of seconds it is the median: now and then a machine has something else to do. If a run went on with another number of
threads, or on another machine, there is none.

All others are tested against the best (`verdicts.py`), of the conditions of one number of terms, and of all.

The *average rank* of a selector with a classifier is the mean of its places among all pairs, by micro-F1, over folds
and numbers of terms; of equals each has the mean of their places. Pairs that lack a row somewhere have none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata

from .plan import ALL, Condition, Size
from .rows import Row
from .significance import half_width
from .verdicts import Goodness, against_best, tested_to_trained


class Mean(NamedTuple):
    """The mean over the folds, and half of its 95 % interval (None for a single one)."""

    value: float
    half_width: float | None


@dataclass(frozen=True)
class Summary:
    """A condition over all folds."""

    selector: str
    n_terms: Size
    classifier: str
    problem: str | None
    """Why there are no figures, if in some fold there were none."""
    n_kept: float | None = None
    micro_f1: Mean | None = None
    macro_f1: Mean | None = None
    accuracy: Mean | None = None
    selection_seconds: float | None = None
    training_seconds: float | None = None
    prediction_seconds: float | None = None
    model_bytes: float | None = None
    threads: int | None = None
    """That all of it was measured with; seconds of different ones, or of different machines, have no median."""
    cores: int | None = None
    p_in_size: float | None = None
    """Against the best of the same number of terms, corrected; None for the best itself."""
    p_overall: float | None = None
    is_best_in_size: bool = False
    is_best: bool = False

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {name: value._asdict() if isinstance(value, Mean) else value for name, value in vars(self).items()}


class Rank(NamedTuple):
    """The average rank of a selector with a classifier; 1 is the best."""

    selector: str
    classifier: str
    rank: float


def summaries(conditions: Sequence[Condition], rows: Sequence[Row], *, overlapping: bool = False) -> list[Summary]:
    """A line for each condition, in their order; folds may share tested documents."""
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
    """Selectors with classifiers, the best first; baselines of all terms have one size alone, and are left out."""
    pairs = list(
        dict.fromkeys((each.selector.name, each.classifier.name) for each in conditions if not _is_baseline(each))
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
    """The first problem, and in which fold it is, if not in all."""
    found = {row.fold: row.problem for row in rows if row.problem is not None}
    first = next(iter(found))
    return f"{found[first]}" if len(found) == len(rows) else f"{found[first]} (in fold {first + 1} of {len(rows)})"


def _only(values: Iterable[int | None]) -> int | None:
    found = set(values)
    return found.pop() if len(found) == 1 else None


def _goodness(line: Summary) -> Goodness | None:
    if line.micro_f1 is None or line.macro_f1 is None:
        return None
    return round(line.micro_f1.value, 12), round(line.macro_f1.value, 12)
