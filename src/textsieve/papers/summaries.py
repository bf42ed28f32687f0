"""One number of several that are measured: the best of all sizes, the mean over them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

from .measurements import Measured, Measurement


@dataclass(frozen=True)
class Summary:
    """What is calculated once its parts are measured, each of them once for all that need it."""

    how: str
    """A row of `WAYS`."""
    of: tuple[Measurement, ...]

    @property
    def key(self) -> str:
        """What it is, in words."""
        return repr(self)

    def settled(self, found: Mapping[Any, Measured]) -> Measured:
        """The number, of the parts that have one; if none has, why."""
        parts = [found[each] for each in self.of]
        numbers = [each for each in parts if isinstance(each.value, float | int)]
        return WAYS[self.how](numbers) if numbers else parts[0]


def _best(numbers: Sequence[Measured]) -> Measured:
    return max(numbers, key=_value)


def _mean(numbers: Sequence[Measured]) -> Measured:
    return Measured(mean(map(_value, numbers)))


def _value(measured: Measured) -> float:
    assert isinstance(measured.value, float | int)
    return float(measured.value)


WAYS: dict[str, Callable[[Sequence[Measured]], Measured]] = {"best": _best, "mean": _mean}
"""The best comes with its interval, which does not know that it is the best of several."""


def parts_of(what: Measurement | Summary) -> tuple[Measurement, ...]:
    """What has to be measured for it."""
    return what.of if isinstance(what, Summary) else (what,)
