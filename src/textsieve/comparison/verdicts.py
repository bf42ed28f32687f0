"""Each condition against the best of its group.

The best is the one with the highest mean micro-F1 (of equals, that with the higher macro-F1, then the first); all
others of the group are tested against it and corrected together (`significance.py`): document by document, or, where
folds share tested documents, fold by fold.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from .rows import Row
from .significance import chance_of_lead, chance_of_mean_lead, holm

Goodness = tuple[float, float]
"""Micro-F1, then macro-F1."""
T = TypeVar("T")


class Verdict(NamedTuple):
    """What is known of a condition beside the best one; nothing if it has no figures."""

    p: float | None = None
    is_best: bool = False


def against_best(
    goodness: Sequence[Goodness | None], rows: Sequence[list[Row]], group: Sequence[Hashable], *, overlapping: bool
) -> list[Verdict]:
    """Of each condition, the p against the best of its group."""
    lead = _lead_over_folds if overlapping else _lead_over_documents
    groups: dict[Hashable, list[int]] = {}
    for place, own in enumerate(goodness):
        if own is not None:
            groups.setdefault(group[place], []).append(place)
    found = [Verdict() for _ in goodness]
    for places in groups.values():
        best = max(places, key=lambda place: (_required(goodness[place]), -place))
        others = [place for place in places if place != best]
        corrected = holm([lead(rows[best], rows[place]) for place in others])
        found[best] = Verdict(is_best=True)
        for place, p in zip(others, corrected, strict=True):
            found[place] = Verdict(p)
    return found


def tested_to_trained(rows: Sequence[Row]) -> float:
    """Tested documents to those learned from."""
    return float(np.mean([row.documents / row.trained_on for row in rows]))


def _lead_over_documents(best: list[Row], other: list[Row]) -> float:
    """The p of the mistakes on all documents, fold after fold."""
    one, two = (np.concatenate([_required(row.mistakes) for row in rows]) for rows in (best, other))
    return chance_of_lead(one, two)


def _lead_over_folds(best: list[Row], other: list[Row]) -> float:
    """The p of the leads of folds that share tested documents."""
    leads = [_required(own.micro_f1) - _required(each.micro_f1) for own, each in zip(best, other, strict=True)]
    return chance_of_mean_lead(leads, tested_to_trained(best))


def _required(value: T | None) -> T:
    assert value is not None
    return value
