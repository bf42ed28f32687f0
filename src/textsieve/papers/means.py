"""The mean of several measurements, such as the same on several collections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Self

from ..comparison.significance import half_width
from .measurements import Measured, Measurement, Scope, Tell


@dataclass(frozen=True)
class MeanOf(Measurement):
    """Their mean, with an interval as if they were drawn apart from each other."""

    parts: tuple[Measurement, ...]

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Measured]]:
        """Measure all parts kind by kind, those of several means once."""
        kinds: dict[type[Measurement], dict[Measurement, None]] = {}
        for part in (part for each in wanted for part in each.parts):
            kinds.setdefault(type(part), {})[part] = None
        found = {
            part: measured
            for kind, parts in kinds.items()
            for part, measured in kind.measure_all(list(parts), scope, tell)
        }
        for each in wanted:
            yield each, mean_of([found[part] for part in each.parts])


def mean_of(parts: Sequence[Measured]) -> Measured:
    """The mean; if a part has no value, there is none."""
    problem = next((part.problem for part in parts if part.problem is not None), None)
    values = [float(part.value) for part in parts if isinstance(part.value, float | int)]
    if problem is not None or len(values) < len(parts):
        return Measured(None, problem=problem or "some of its parts have no number")
    return Measured(mean(values), half_width(values, 0.0))
