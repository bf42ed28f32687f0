"""What is read off other measurements: the best of several, where it is, their mean."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Self

from .measurements import Measured, Measurement, Scope, Tell, measure_each


class Derived(Measurement):
    """Something about other measurements; whoever has these need not measure them again."""

    of: tuple[Measurement, ...]

    @abstractmethod
    def read_off(self, parts: Sequence[Measured]) -> Measured:
        """What follows from what was measured, in the order of `of`; all of it is numbers."""

    def combined(self, parts: Sequence[Measured]) -> Measured:
        """The same, or what is wrong with one of them."""
        problem = next((each for each in parts if not isinstance(each.value, float | int)), None)
        return self.read_off(parts) if problem is None else Measured(None, problem=problem.problem)

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Measured]]:
        """Measure what is needed, each of it once."""
        parts = list(dict.fromkeys(part for each in wanted for part in each.of))
        found = dict(measure_each(parts, scope, tell))
        yield from ((each, each.combined([found[part] for part in each.of])) for each in wanted)


@dataclass(frozen=True)
class Largest(Derived):
    """The largest of some numbers."""

    of: tuple[Measurement, ...]

    def read_off(self, parts: Sequence[Measured]) -> Measured:
        """With its own interval."""
        return max(parts, key=_number)


@dataclass(frozen=True)
class WhereLargest(Derived):
    """Where the largest of some numbers is: the first such place."""

    of: tuple[Measurement, ...]
    places: tuple[float, ...]

    def read_off(self, parts: Sequence[Measured]) -> Measured:
        """A place is a number, too."""
        best = max(range(len(parts)), key=lambda number: _number(parts[number]))
        return Measured(self.places[best])


@dataclass(frozen=True)
class Mean(Derived):
    """The mean of some numbers."""

    of: tuple[Measurement, ...]

    def read_off(self, parts: Sequence[Measured]) -> Measured:
        """Without an interval: they are no repetitions."""
        return Measured(mean(map(_number, parts)))


def _number(measured: Measured) -> float:
    assert isinstance(measured.value, float | int)
    return float(measured.value)
