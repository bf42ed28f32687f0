"""Compare what was measured with what the paper printed, number by number and claim by claim."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from .measurements import Estimate
from .paper import RATIO, WORDS_SHARED, Cell, Claim, Column, Item, Place, Tolerance, Verdict


class JudgedCell(NamedTuple):
    """A printed number and the measured one."""

    cell: Cell
    estimate: Estimate
    verdict: Verdict | None
    """None: nothing was printed, it can't be compared, or nothing was measured."""


class JudgedClaim(NamedTuple):
    """A claim of the paper, the measured mean difference or ratio, and in how many columns the first row is ahead."""

    claim: Claim
    value: float | None
    """None: the numbers that the claim is about are missing."""
    ahead: int
    of: int
    verdict: Verdict | None
    elsewhere: float | None = None
    """The value in the columns of `more_than_at`; `ahead` then counts the columns with a larger lead than this."""
    there: tuple[Column, ...] = ()
    """The columns of `more_than_at` that have numbers."""
    is_counted: bool = True
    """Whether the claim is about rows of the paper, not about other preparations."""


class JudgedItem(NamedTuple):
    """A table or figure with all its verdicts."""

    item: Item
    cells: tuple[JudgedCell, ...]
    trials: tuple[JudgedCell, ...]
    claims: tuple[JudgedClaim, ...]

    @property
    def all_cells(self) -> tuple[JudgedCell, ...]:
        """Return the cells of the paper and of the trials."""
        return (*self.cells, *self.trials)

    @property
    def verdicts(self) -> Counter[str]:
        """Return how many numbers and claims agree, come close and differ."""
        given = [cell.verdict for cell in self.cells] + [claim.verdict for claim in self.claims if claim.is_counted]
        return Counter(verdict for verdict in given if verdict is not None)

    @property
    def estimates(self) -> dict[Place, Estimate]:
        """Return what was measured, by row and column."""
        return {judged.cell.place: judged.estimate for judged in self.all_cells}


def judge(item: Item, estimates: Mapping[Any, Estimate]) -> JudgedItem:
    """Return the verdicts on an item, given the estimate of each measurement."""
    cells, trials = (
        tuple(_judge_cell(item, cell, estimates[cell.measurement]) for cell in cells)
        for cells in (item.cells, item.trials)
    )
    places = {judged.cell.place: judged.estimate for judged in (*cells, *trials)}
    return JudgedItem(item, cells, trials, tuple(_judge_claim(item, claim, places) for claim in item.claims))


def _judge_cell(item: Item, cell: Cell, estimate: Estimate) -> JudgedCell:
    tolerance = cell.tolerance or (cell.unit or item.unit).tolerance
    return JudgedCell(cell, estimate, _verdict(cell, estimate, tolerance))


def _verdict(cell: Cell, estimate: Estimate, tolerance: Tolerance | None) -> Verdict | None:
    printed, value = cell.printed, estimate.value
    if printed is None or value is None:
        return None
    if isinstance(printed, tuple) and isinstance(value, tuple):
        words, given = ({word.lower() for word in words} for words in (printed, value))
        return WORDS_SHARED.judge(0.0, len(words - given) / max(len(words), 1))
    if isinstance(printed, tuple) or isinstance(value, tuple):
        return None  # such as "> 3" and a number
    return None if tolerance is None else tolerance.judge(printed, value)


def _judge_claim(item: Item, claim: Claim, places: Mapping[Place, Estimate]) -> JudgedClaim:
    is_counted = not _is_about_trials(item, claim)
    leads = _leads(claim, _columns(claim, places), places)
    there = tuple(column for column in claim.more_than_at if _leads(claim, [column], places))
    elsewhere = _mean(_leads(claim, list(there), places))
    judged = leads if not claim.more_than_at else _beyond(claim, leads, elsewhere)
    value = _mean(judged)
    if value is None:
        return JudgedClaim(claim, None, 0, 0, None, is_counted=is_counted)
    neutral = 1.0 if claim.how == "ratio" else 0.0
    ahead = sum(lead > neutral for lead in judged)
    if claim.by is not None:
        verdict = _verdict_by(claim.by, value, neutral, _tolerance(item, claim))
    else:
        verdict = "agrees" if ahead == len(judged) else "close" if value > neutral else "differs"
    return JudgedClaim(claim, _mean(leads), ahead, len(judged), verdict, elsewhere, there, is_counted)


def _is_about_trials(item: Item, claim: Claim) -> bool:
    """Return whether the claim compares a row that the paper does not have."""
    rows = {cell.row for cell in item.cells}
    return any(isinstance(row, str) and row not in rows for row in (claim.row, claim.than))


def _beyond(claim: Claim, leads: list[float], elsewhere: float | None) -> list[float]:
    """Return how much larger each lead is than the lead elsewhere; nothing if that is undefined."""
    if elsewhere is None or (claim.how == "ratio" and elsewhere == 0.0):
        return []
    return [lead / elsewhere if claim.how == "ratio" else lead - elsewhere for lead in leads]


def _mean(values: list[float]) -> float | None:
    return float(np.mean(values)) if values else None


def _tolerance(item: Item, claim: Claim) -> Tolerance:
    return claim.tolerance or (RATIO if claim.how == "ratio" else item.unit.tolerance) or RATIO


def _verdict_by(by: float, value: float, neutral: float, tolerance: Tolerance) -> Verdict:
    """Return the verdict on a printed lead; a lead of the other row differs, unless the paper says there is none."""
    if by != neutral and (value - neutral) * (by - neutral) <= 0.0:
        return "differs"
    return tolerance.judge(by, value)


def _leads(claim: Claim, columns: list[Column], places: Mapping[Place, Estimate]) -> list[float]:
    """Return how far the first row is ahead in each column that both have; ratios to 0 are left out."""
    pairs = (_pair(claim, column, places) for column in columns)
    defined = [pair for pair in pairs if pair is not None and (claim.how == "difference" or pair[1] != 0.0)]
    return [lead for pair in defined if math.isfinite(lead := float(_HOW[claim.how](*pair)))]


_HOW = {
    "difference": lambda first, second: first - second,
    "ratio": lambda first, second: first / second,
    "relative": lambda first, second: first / second - 1.0,
}


def _columns(claim: Claim, places: Mapping[Place, Estimate]) -> list[Column]:
    return list(claim.columns) or [column for row, column in places if row == claim.row]


def _pair(claim: Claim, column: Column, places: Mapping[Place, Estimate]) -> tuple[float, float] | None:
    other_column = column if claim.than_column is None else claim.than_column
    estimates = [places.get((claim.row, column))]
    estimates.append(Estimate(claim.than) if isinstance(claim.than, float) else places.get((claim.than, other_column)))
    values = [estimate.value for estimate in estimates if estimate and isinstance(estimate.value, float | int)]
    return (float(values[0]), float(values[1])) if len(values) == 2 else None
