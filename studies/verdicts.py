"""Printed against measured: it agrees, comes close, or differs.

What counts as the same depends on what is measured: F1 of another implementation on another reading of the
same texts is called the same within two points, and close within five; numbers of terms within a tenth and a quarter.
The limits are conventions; they are the same for all papers unless a condition says otherwise. Seconds of two machines
can't be compared at all: of a table of seconds only ratios are judged, as claims.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

Verdict = Literal["agrees", "close", "differs"]
ROUNDING = 1e-9
"""A number that misses a limit by no more is within it."""


class Tolerance(NamedTuple):
    """How far a measured number may be from the printed one, to agree and to come close."""

    agrees: float
    close: float
    is_share: bool = False
    """Of the printed number."""
    is_factor: bool = False
    """The limits are how many times the one may be the other."""

    def judge(self, printed: float, measured: float) -> Verdict:
        """The verdict on a number."""
        distance = self._distance(printed, measured)
        if distance <= self.agrees + ROUNDING:
            return "agrees"
        return "close" if distance <= self.close + ROUNDING else "differs"

    def _distance(self, printed: float, measured: float) -> float:
        if self.is_factor:
            return max(measured / printed, printed / measured) if measured > 0 < printed else math.inf
        return abs(measured - printed) / (abs(printed) or 1.0 if self.is_share else 1.0)


@dataclass(frozen=True)
class Unit:
    """What numbers of a table are."""

    name: str
    digits: str
    """How they are written."""
    tolerance: Tolerance | None
    """None: not to be compared."""
    from_zero: bool = False
    """Whether an axis of it begins at 0."""

    def written(self, value: float) -> str:
        """A number; a large one has no exponent."""
        text = format(value, self.digits)
        return f"{value:,.0f}" if "e+" in text else text


WORDS_SHARED = Tolerance(0.25, 0.6)
"""Of lists of terms: the share of printed words that were not found."""

F1 = Unit("F1", ".3f", Tolerance(0.02, 0.05))
MICRO_F1 = Unit("micro-F1", ".3f", Tolerance(0.02, 0.05))
MACRO_F1 = Unit("macro-F1", ".3f", Tolerance(0.02, 0.05))
ACCURACY = Unit("accuracy, %", ".2f", Tolerance(2.0, 5.0))
TERMS = Unit("terms", ",.0f", Tolerance(0.1, 0.25, is_share=True))
DOCUMENTS = Unit("documents", ",.0f", Tolerance(0.01, 0.1, is_share=True))
SECONDS = Unit("seconds", ".3g", None, from_zero=True)
RATIO = Tolerance(1.25, 1.6, is_factor=True)
"""Of claims such as "twice as fast"; to come close, it has to be faster at all (`judging.py`)."""
