"""One line for each condition: means over the folds, how sure they are, how they rank.

Of seconds it is the median: now and then a machine has something else to do.

The best of a group of conditions is the one with the highest mean micro-F1 (of equals, that with the higher macro-F1,
then the first); all others of the group are tested against it and corrected together (`significance.py`). Groups are
the conditions of one number of terms, and all conditions.

The *average rank* of a selector with a classifier is the mean of its places among all pairs, by micro-F1, over folds
and numbers of terms; of equals each has the mean of their places. Pairs that lack a row somewhere have none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
from scipy.stats import rankdata

from .plan import ALL, Condition, Size
from .rows import Row
from .significance import chance_of_lead, chance_of_mean_lead, half_width, holm

T = TypeVar("T")


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
    p_in_size: float | None = None
    """Against the best of the same number of terms, corrected; None for the best itself."""
    p_overall: float | None = None
    is_best_in_size: bool = False
    is_best: bool = False

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {name: value._asdict() if isinstance(value, Mean) else value for name, value in vars(self).items()}


class Verdict(NamedTuple):
    """What is known of a condition beside the best one; nothing if it has no figures."""

    p: float | None = None
    is_best: bool = False


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
    lead = _lead_over_folds if overlapping else _lead_over_documents
    of_all, of_size = (_against_best(lines, own, group, lead) for group in (_all_together, _by_size))
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
    problem = next((row.problem for row in rows if row.problem is not None), None)
    if problem is not None or not rows:
        return Summary(*condition.key, problem or "not measured yet")
    ratio = _ratio(rows)

    def mean(name: str) -> float:
        return float(np.mean([getattr(row, name) for row in rows]))

    def median(name: str) -> float:
        return float(np.median([getattr(row, name) for row in rows]))

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
    )


def _all_together(_: Summary) -> Size | None:
    return None


def _by_size(line: Summary) -> Size | None:
    return line.n_terms


def _against_best(
    lines: list[Summary],
    rows: dict[Any, list[Row]],
    group_of: Callable[[Summary], Size | None],
    lead: Callable[[list[Row], list[Row]], float],
) -> list[Verdict]:
    """Of each line, the p against the best of its group."""
    groups: dict[Size | None, list[int]] = {}
    for place, line in enumerate(lines):
        if line.micro_f1 is not None:
            groups.setdefault(group_of(line), []).append(place)
    found = [Verdict() for _ in lines]
    for places in groups.values():
        best = max(places, key=lambda place: (_goodness(lines[place]), -place))
        others = [place for place in places if place != best]
        own = rows[_key(lines[best])]
        corrected = holm([lead(own, rows[_key(lines[place])]) for place in others])
        found[best] = Verdict(is_best=True)
        for place, p in zip(others, corrected, strict=True):
            found[place] = Verdict(p)
    return found


def _goodness(line: Summary) -> tuple[float, float]:
    assert line.micro_f1 is not None
    assert line.macro_f1 is not None
    return round(line.micro_f1.value, 12), round(line.macro_f1.value, 12)


def _key(line: Summary) -> tuple[str, Size, str]:
    return line.selector, line.n_terms, line.classifier


def _lead_over_documents(best: list[Row], other: list[Row]) -> float:
    """The p of the mistakes on all documents, fold after fold."""
    one, two = (np.concatenate([_required(row.mistakes) for row in rows]) for rows in (best, other))
    return chance_of_lead(one, two)


def _lead_over_folds(best: list[Row], other: list[Row]) -> float:
    """The p of the leads of folds that share tested documents."""
    leads = [_required(own.micro_f1) - _required(each.micro_f1) for own, each in zip(best, other, strict=True)]
    return chance_of_mean_lead(leads, _ratio(best))


def _ratio(rows: list[Row]) -> float:
    """Tested documents to those learned from."""
    return float(np.mean([row.documents / row.trained_on for row in rows]))


def _required(value: T | None) -> T:
    assert value is not None
    return value
