"""Measurements: what is measured for a cell of a paper, such as the F1 of a selector on a corpus.

A kind of measurement is a frozen dataclass, whose fields describe it completely. Measurements that share work, such as
counting a corpus, are measured together: `measure_all` gets all requested measurements of its kind, and yields each
estimate as soon as it is known, so that an interrupted run loses little. Derived measurements are computed from others:
the largest of several, its place, or their mean.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any, ClassVar, NamedTuple, Self

from textsieve import InputError
from textsieve.comparison import half_width

Value = float | tuple[str, ...]

ReportStep = Callable[[str], None]
"""A function that is called with a short description of the current step."""


@dataclass(frozen=True)
class Scope:
    """How much is measured: everything, or a part for a first look."""

    every: int = 1
    """Use every n-th document of each class."""
    repetitions: int | None = None
    """The largest number of folds or repetitions; None: no limit."""
    n_jobs: int | None = -1

    def __post_init__(self) -> None:
        for name, value, default in (("every", self.every, 1), ("repetitions", self.repetitions, None)):
            if value != default and not (isinstance(value, int) and value >= 1):
                raise InputError(f"{name}={value!r}; use a number from 1, or {default} for all of it.")

    @property
    def is_full(self) -> bool:
        """Return whether everything is measured."""
        return self.every == 1 and self.repetitions is None

    def limit(self, repetitions: int) -> int:
        """Return the number of repetitions, limited to those of the scope."""
        return repetitions if self.repetitions is None else min(repetitions, self.repetitions)

    @property
    def in_words(self) -> str:
        """Return a description of what is measured."""
        parts = [] if self.every == 1 else [f"one document in {self.every:,} of each class"]
        if self.repetitions is not None:
            noun = "fold or repetition" if self.repetitions == 1 else "folds or repetitions"
            parts.append(f"at most {self.repetitions:,} {noun}")
        return ", and ".join(parts) or "everything"


class Estimate(NamedTuple):
    """A measured number or list of terms, with half the width of its 95 % interval; or the problem if there is none."""

    value: Value | None
    half_width: float | None = None
    problem: str | None = None


class Measurement(ABC):
    """A description of what is measured; subclasses are frozen dataclasses, whose repr is the key of the estimate."""

    is_of_seconds: ClassVar[bool] = False
    """Whether the estimate depends on the machine and the number of threads."""

    @classmethod
    @abstractmethod
    def measure_all(
        cls, requested: Sequence[Self], scope: Scope, report_step: ReportStep
    ) -> Iterator[tuple[Self, Estimate]]:
        """Yield each measurement with its estimate, in any order."""

    @property
    def key(self) -> str:
        """Return the key of the estimate in the results file."""
        return repr(self)


def group_by(requested: Sequence[Any], *names: str) -> dict[tuple[Any, ...], list[Any]]:
    """Return the measurements grouped by the values of these attributes, in their order."""
    groups: dict[tuple[Any, ...], list[Any]] = {}
    for measurement in requested:
        groups.setdefault(tuple(getattr(measurement, name) for name in names), []).append(measurement)
    return groups


def measure_kinds(
    requested: Sequence[Measurement], scope: Scope, report_step: ReportStep
) -> Iterator[tuple[Measurement, Estimate]]:
    """Yield the estimates of measurements of several kinds, one kind after the other."""
    kinds: dict[type[Measurement], list[Measurement]] = {}
    for measurement in requested:
        kinds.setdefault(type(measurement), []).append(measurement)
    for kind, measurements in kinds.items():
        yield from kind.measure_all(measurements, scope, report_step)


class Derived(Measurement):
    """A measurement that is computed from others, its parts."""

    parts: tuple[Measurement, ...]

    @abstractmethod
    def combine(self, estimates: Sequence[Estimate]) -> Estimate:
        """Return the estimate, given those of the parts, all of which are numbers."""

    def derive(self, estimates: Sequence[Estimate]) -> Estimate:
        """Return the estimate, or the problem of a part that has no number."""
        for estimate in estimates:
            if not isinstance(estimate.value, float | int):
                return Estimate(None, problem=estimate.problem or "some of its parts have no number")
        return self.combine(estimates)

    @classmethod
    def measure_all(
        cls, requested: Sequence[Self], scope: Scope, report_step: ReportStep
    ) -> Iterator[tuple[Self, Estimate]]:
        """Measure each part once."""
        parts = list(dict.fromkeys(part for measurement in requested for part in measurement.parts))
        estimates = dict(measure_kinds(parts, scope, report_step))
        for measurement in requested:
            yield measurement, measurement.derive([estimates[part] for part in measurement.parts])


@dataclass(frozen=True)
class Largest(Derived):
    """The largest of some numbers, with its own interval."""

    parts: tuple[Measurement, ...]

    def combine(self, estimates: Sequence[Estimate]) -> Estimate:
        """Return the estimate with the largest value."""
        return max(estimates, key=_number)


@dataclass(frozen=True)
class WhereLargest(Derived):
    """The place of the largest of some numbers, such as its weight λ; of equal ones, the first."""

    parts: tuple[Measurement, ...]
    places: tuple[float, ...]

    def combine(self, estimates: Sequence[Estimate]) -> Estimate:
        """Return the place of the largest value."""
        best = max(range(len(estimates)), key=lambda position: _number(estimates[position]))
        return Estimate(self.places[best])


@dataclass(frozen=True)
class MeanOf(Derived):
    """The mean of several numbers, such as the same figure on several collections."""

    parts: tuple[Measurement, ...]
    are_draws: bool = True
    """Whether the parts are independent draws of the same figure, so that the mean has an interval."""

    def combine(self, estimates: Sequence[Estimate]) -> Estimate:
        """Return the mean; intervals of the parts are ignored."""
        values = list(map(_number, estimates))
        return Estimate(mean(values), half_width(values, 0.0) if self.are_draws else None)


def _number(estimate: Estimate) -> float:
    assert isinstance(estimate.value, float | int)
    return float(estimate.value)
