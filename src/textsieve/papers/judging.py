"""The verdict on each printed number, and on what the paper says in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from .conditions import Claim, Column, Condition, Item, Place
from .measurements import Measured
from .verdicts import RATIO, WORDS_SHARED, Tolerance, Verdict

JUDGED = ("agrees", "close", "differs")


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
    ahead: int
    of: int
    verdict: Verdict | None


class Outcome(NamedTuple):
    """An item, measured."""

    item: Item
    numbers: tuple[Judged, ...]
    trials: tuple[Judged, ...]
    claims: tuple[JudgedClaim, ...]

    @property
    def verdicts(self) -> Counter[str]:
        """How many agree, come close, differ."""
        given = [*(each.verdict for each in self.numbers), *(each.verdict for each in self.claims)]
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
    values = _leads(claim, _columns(claim, places), places)
    if not values:
        return JudgedClaim(claim, None, 0, 0, None)
    neutral = 1.0 if claim.how == "ratio" else 0.0
    if claim.more_than_at:
        elsewhere = float(np.mean(_leads(claim, list(claim.more_than_at), places) or [np.nan]))
        values = [each / elsewhere if claim.how == "ratio" else each - elsewhere for each in values]
    ahead, value = sum(each > neutral for each in values), float(np.mean(values))
    if claim.by is not None:
        tolerance = claim.tolerance or (RATIO if claim.how == "ratio" else item.unit.tolerance) or RATIO
        verdict: Verdict = tolerance.judge(claim.by, value)
        if verdict == "close" and (value > neutral) != (claim.by > neutral):
            verdict = "differs"  # near, but on the other side
    else:
        verdict = "agrees" if ahead == len(values) else "close" if value > neutral else "differs"
    return JudgedClaim(claim, value, ahead, len(values), verdict)


def _leads(claim: Claim, columns: list[Column], places: Mapping[Place, Measured]) -> list[float]:
    """How far the first row is ahead in each column that both have."""
    pairs = (_pair(claim, column, places) for column in columns)
    return [float(_HOW[claim.how](*pair)) for pair in pairs if pair is not None]


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
