"""Compare measured numbers with those that the paper printed, cell by cell and claim by claim."""

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
    """A claim of the paper, the measured mean lead of the first row over the second, and the verdict."""

    claim: Claim
    value: float | None
    """The mean difference or ratio; None if the numbers that the claim is about are missing."""
    ahead: int
    """The number of columns in which the first row is ahead, or has a larger lead than `elsewhere`."""
    of: int
    """The number of columns that are compared."""
    verdict: Verdict | None
    elsewhere: float | None = None
    """The mean lead in the columns of `more_than_at`."""
    elsewhere_columns: tuple[Column, ...] = ()
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
        verdicts = [cell.verdict for cell in self.cells] + [claim.verdict for claim in self.claims if claim.is_counted]
        return Counter(verdict for verdict in verdicts if verdict is not None)

    @property
    def estimates(self) -> dict[Place, Estimate]:
        """Return the estimates by row and column."""
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
    """Judge a cell by its own tolerance, or else by that of its unit or of the item's unit."""
    tolerance = cell.tolerance or (cell.unit or item.unit).tolerance
    return JudgedCell(cell, estimate, _verdict(cell, estimate, tolerance))


def _verdict(cell: Cell, estimate: Estimate, tolerance: Tolerance | None) -> Verdict | None:
    """Return the verdict on a number or a list of terms; None if the two can't be compared."""
    printed, value = cell.printed, estimate.value
    if printed is None or value is None:
        return None
    if isinstance(printed, tuple) and isinstance(value, tuple):
        printed_terms, selected_terms = ({term.lower() for term in terms} for terms in (printed, value))
        share_missing = len(printed_terms - selected_terms) / max(len(printed_terms), 1)
        return WORDS_SHARED.judge(0.0, share_missing)
    if isinstance(printed, tuple) or isinstance(value, tuple):
        return None  # "> 3" was printed, and a number was measured
    return None if tolerance is None else tolerance.judge(printed, value)


def _judge_claim(item: Item, claim: Claim, places: Mapping[Place, Estimate]) -> JudgedClaim:
    """Return whether the estimates (by row and column) support a claim, such as that one row leads over another."""
    is_counted = not _is_about_trials(item, claim)
    leads = _leads(claim, _columns(claim, places), places)
    elsewhere_columns = tuple(column for column in claim.more_than_at if _leads(claim, [column], places))
    elsewhere = _mean(_leads(claim, list(elsewhere_columns), places))
    compared = _compare_leads(claim, leads, elsewhere) if claim.more_than_at else leads
    mean_lead = _mean(compared)
    if mean_lead is None:
        return JudgedClaim(claim, None, 0, 0, None, is_counted=is_counted)
    no_lead = 1.0 if claim.how == "ratio" else 0.0
    ahead = sum(lead > no_lead for lead in compared)
    if claim.by is not None:
        verdict = _verdict_by(claim.by, mean_lead, no_lead, _tolerance(item, claim))
    else:
        verdict = "agrees" if ahead == len(compared) else "close" if mean_lead > no_lead else "differs"
    return JudgedClaim(claim, _mean(leads), ahead, len(compared), verdict, elsewhere, elsewhere_columns, is_counted)


def _is_about_trials(item: Item, claim: Claim) -> bool:
    """Return whether the claim compares a row that the paper does not have."""
    rows = {cell.row for cell in item.cells}
    return any(isinstance(row, str) and row not in rows for row in (claim.row, claim.than))


def _compare_leads(claim: Claim, leads: list[float], elsewhere: float | None) -> list[float]:
    """Return how much larger each lead is than `elsewhere`, the mean lead in other columns.

    Return an empty list if there is no such mean, or if a ratio to it is undefined.
    """
    if elsewhere is None or (claim.how == "ratio" and elsewhere == 0.0):
        return []
    return [lead / elsewhere if claim.how == "ratio" else lead - elsewhere for lead in leads]


def _mean(values: list[float]) -> float | None:
    return float(np.mean(values)) if values else None


def _tolerance(item: Item, claim: Claim) -> Tolerance:
    """Return the tolerance of a claim: its own, that of ratios, or that of the item's unit if it has one."""
    return claim.tolerance or (RATIO if claim.how == "ratio" else item.unit.tolerance) or RATIO


def _verdict_by(by: float, measured: float, no_lead: float, tolerance: Tolerance) -> Verdict:
    """Return the verdict on a lead: `by` is printed in the paper, and `no_lead` is the value for equal rows.

    If the paper has a lead, and there is none here or the other row is ahead, the verdict is "differs".
    """
    if by != no_lead and (measured - no_lead) * (by - no_lead) <= 0.0:
        return "differs"
    return tolerance.judge(by, measured)


def _leads(claim: Claim, columns: list[Column], places: Mapping[Place, Estimate]) -> list[float]:
    """Return how far the claim's first row is ahead of the second in each column that both rows have.

    Ratios to 0 are left out.
    """
    pairs = (_pair(claim, column, places) for column in columns)
    defined = [pair for pair in pairs if pair is not None and (claim.how == "difference" or pair[1] != 0.0)]
    return [lead for pair in defined if math.isfinite(lead := float(_LEAD_FORMULAS[claim.how](*pair)))]


_LEAD_FORMULAS = {
    "difference": lambda first, second: first - second,
    "ratio": lambda first, second: first / second,
    "relative": lambda first, second: first / second - 1.0,
}


def _columns(claim: Claim, places: Mapping[Place, Estimate]) -> list[Column]:
    """Return the columns that a claim is about."""
    return list(claim.columns) or [column for row, column in places if row == claim.row]


def _pair(claim: Claim, column: Column, places: Mapping[Place, Estimate]) -> tuple[float, float] | None:
    """Return the numbers of the two rows in a column, or None if one is missing."""
    other_column = column if claim.than_column is None else claim.than_column
    first = places.get((claim.row, column))
    second = Estimate(claim.than) if isinstance(claim.than, float) else places.get((claim.than, other_column))
    estimates = (first, second)
    values = [estimate.value for estimate in estimates if estimate and isinstance(estimate.value, float | int)]
    return (float(values[0]), float(values[1])) if len(values) == 2 else None
