"""The verdict on each printed number, and on what the paper says in words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from .conditions import Claim, Column, Condition, Item, Place
from .measurements import Measured
from .verdicts import RATIO, WORDS_SHARED, Tolerance, Verdict


class Judged(NamedTuple):
    """A printed number beside the measured one."""

    condition: Condition
    measured: Measured
    verdict: Verdict | None
    """None: nothing was printed, or it can't be compared, or nothing was measured."""


class JudgedClaim(NamedTuple):
    """A sentence of the paper beside what was measured: the mean difference or ratio, and in how many columns ahead."""

    claim: Claim
    value: float | None
    """None: nothing was measured that it could be held against."""
    ahead: int
    of: int
    verdict: Verdict | None
    elsewhere: float | None = None
    """The same in the columns that it is said to be farther ahead than in; `ahead` then counts where it is farther."""
    there: tuple[Column, ...] = ()
    """Which of these columns have a number."""
    is_counted: bool = True
    """Not if it is about other preparations, of which the paper says nothing."""


class Outcome(NamedTuple):
    """An item, measured."""

    item: Item
    numbers: tuple[Judged, ...]
    trials: tuple[Judged, ...]
    claims: tuple[JudgedClaim, ...]

    @property
    def verdicts(self) -> Counter[str]:
        """How many agree, come close, differ."""
        counted = [each for each in self.claims if each.is_counted]
        given = [*(each.verdict for each in self.numbers), *(each.verdict for each in counted)]
        return Counter(verdict for verdict in given if verdict is not None)

    @property
    def places(self) -> dict[Place, Measured]:
        """What was measured, by where it stands."""
        return {each.condition.place: each.measured for each in (*self.numbers, *self.trials)}


def judge(item: Item, found: Mapping[Any, Measured]) -> Outcome:
    """Hold all that was measured against what was printed."""
    numbers = tuple(_judged(item, each, found[each.what]) for each in item.conditions)
    trials = tuple(_judged(item, each, found[each.what]) for each in item.trials)
    places = {each.condition.place: each.measured for each in (*numbers, *trials)}
    return Outcome(item, numbers, trials, tuple(_judged_claim(item, claim, places) for claim in item.claims))


def _judged(item: Item, condition: Condition, measured: Measured) -> Judged:
    tolerance = condition.tolerance or (condition.unit or item.unit).tolerance
    return Judged(condition, measured, _verdict(condition, measured, tolerance))


def _verdict(condition: Condition, measured: Measured, tolerance: Tolerance | None) -> Verdict | None:
    printed, value = condition.printed, measured.value
    if printed is None or value is None:
        return None
    if isinstance(printed, tuple) and isinstance(value, tuple):
        words, given = ({word.lower() for word in each} for each in (printed, value))
        return WORDS_SHARED.judge(0.0, len(words - given) / max(len(words), 1))
    if isinstance(printed, tuple) or isinstance(value, tuple):
        return None  # "> 3" beside a number
    return None if tolerance is None else tolerance.judge(printed, value)


def _judged_claim(item: Item, claim: Claim, places: Mapping[Place, Measured]) -> JudgedClaim:
    is_counted = not _is_of_trials(item, claim)
    values = _leads(claim, _columns(claim, places), places)
    there = tuple(column for column in claim.more_than_at if _leads(claim, [column], places))
    elsewhere = _mean(_leads(claim, list(there), places))
    more = values if not claim.more_than_at else _farther(claim, values, elsewhere)
    value = _mean(more)
    if value is None:
        return JudgedClaim(claim, None, 0, 0, None, is_counted=is_counted)
    neutral = 1.0 if claim.how == "ratio" else 0.0
    ahead = sum(each > neutral for each in more)
    if claim.by is not None:
        verdict = _verdict_by(claim.by, value, neutral, _tolerance(item, claim))
    else:
        verdict = "agrees" if ahead == len(more) else "close" if value > neutral else "differs"
    return JudgedClaim(claim, _mean(values), ahead, len(more), verdict, elsewhere, there, is_counted)


def _is_of_trials(item: Item, claim: Claim) -> bool:
    """Whether a row that it compares is none of the paper's."""
    own = {each.row for each in item.conditions}
    return any(isinstance(row, str) and row not in own for row in (claim.row, claim.than))


def _farther(claim: Claim, values: list[float], elsewhere: float | None) -> list[float]:
    """How much farther ahead each is than elsewhere; nothing, if that can't be said."""
    if elsewhere is None or (claim.how == "ratio" and elsewhere == 0.0):
        return []
    return [each / elsewhere if claim.how == "ratio" else each - elsewhere for each in values]


def _mean(values: list[float]) -> float | None:
    return float(np.mean(values)) if values else None


def _tolerance(item: Item, claim: Claim) -> Tolerance:
    return claim.tolerance or (RATIO if claim.how == "ratio" else item.unit.tolerance) or RATIO


def _verdict_by(by: float, value: float, neutral: float, tolerance: Tolerance) -> Verdict:
    """Near is not enough on the other side of no difference at all, unless the paper says that there is none."""
    if by != neutral and (value - neutral) * (by - neutral) <= 0.0:
        return "differs"
    return tolerance.judge(by, value)


def _leads(claim: Claim, columns: list[Column], places: Mapping[Place, Measured]) -> list[float]:
    """How far the first row is ahead in each column that both have; of nothing there are no ratios and shares."""
    pairs = (_pair(claim, column, places) for column in columns)
    has_lead = [pair for pair in pairs if pair is not None and (claim.how == "difference" or pair[1] != 0.0)]
    return [lead for pair in has_lead if math.isfinite(lead := float(_HOW[claim.how](*pair)))]


_HOW = {
    "difference": lambda one, other: one - other,
    "ratio": lambda one, other: one / other,
    "relative": lambda one, other: one / other - 1.0,
}


def _columns(claim: Claim, places: Mapping[Place, Measured]) -> list[Column]:
    return list(claim.columns) or [column for row, column in places if row == claim.row]


def _pair(claim: Claim, column: Column, places: Mapping[Place, Measured]) -> tuple[float, float] | None:
    other_column = column if claim.than_column is None else claim.than_column
    known = [places.get((claim.row, column))]
    known.append(Measured(claim.than) if isinstance(claim.than, float) else places.get((claim.than, other_column)))
    values = [each.value for each in known if each is not None and isinstance(each.value, float | int)]
    return (float(values[0]), float(values[1])) if len(values) == 2 else None
