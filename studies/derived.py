"""What is read off other measurements: the best of several, where it is, their mean."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Self

from textsieve.comparison.significance import half_width

from .measurements import Measured, Measurement, Scope, Tell, measure_each


class Derived(Measurement):
    """Something about other measurements; whoever has these need not measure them again."""

    parts: tuple[Measurement, ...]

    @abstractmethod
    def read_off(self, measured: Sequence[Measured]) -> Measured:
        """What follows from what was measured, in the order of its parts; all of it is numbers."""

    def combined(self, measured: Sequence[Measured]) -> Measured:
        """The same; or what is wrong with a part, if it has no number."""
        empty = next((each for each in measured if not isinstance(each.value, float | int)), None)
        if empty is not None:
            return Measured(None, problem=empty.problem or "some of its parts have no number")
        return self.read_off(measured)

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Measured]]:
        """Measure what is needed, each of it once."""
        parts = list(dict.fromkeys(part for each in wanted for part in each.parts))
        found = dict(measure_each(parts, scope, tell))
        yield from ((each, each.combined([found[part] for part in each.parts])) for each in wanted)


@dataclass(frozen=True)
class Largest(Derived):
    """The largest of some numbers."""

    parts: tuple[Measurement, ...]

    def read_off(self, measured: Sequence[Measured]) -> Measured:
        """With its own interval."""
        return max(measured, key=_number)


@dataclass(frozen=True)
class WhereLargest(Derived):
    """Where the largest of some numbers is: the first such place."""

    parts: tuple[Measurement, ...]
    places: tuple[float, ...]

    def read_off(self, measured: Sequence[Measured]) -> Measured:
        """A place is a number, too."""
        best = max(range(len(measured)), key=lambda number: _number(measured[number]))
        return Measured(self.places[best])


@dataclass(frozen=True)
class MeanOf(Derived):
    """The mean of several, such as the same on several collections."""

    parts: tuple[Measurement, ...]
    are_draws: bool = True
    """Whether they measure the same, drawn apart from each other; then the mean has an interval."""

    def read_off(self, measured: Sequence[Measured]) -> Measured:
        """Of their numbers; their own intervals are not looked at."""
        values = list(map(_number, measured))
        return Measured(mean(values), half_width(values, 0.0) if self.are_draws else None)


def _number(measured: Measured) -> float:
    assert isinstance(measured.value, float | int)
    return float(measured.value)
