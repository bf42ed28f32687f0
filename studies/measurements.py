"""What is measured for a place of a table: a value that says all about it, and a way to measure many of them at once.

A kind of measurement is a frozen dataclass. Those that share work (the same corpus, the same fold) are measured
together: `measure_all` gets all that are wanted of its kind, and yields each as soon as it is known, so that an
interrupted run loses little.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

from textsieve.errors import InputError, counted, shown
from textsieve.settings import is_whole

Value = float | tuple[str, ...]


@dataclass(frozen=True)
class Scope:
    """How much of it is measured."""

    every: int = 1
    """Of each class, every so manieth document."""
    repetitions: int | None = None
    """At most so many folds or repetitions."""
    n_jobs: int | None = -1

    def __post_init__(self) -> None:
        for name, value, all_of_it in (("every", self.every, 1), ("repetitions", self.repetitions, None)):
            if value != all_of_it and not (is_whole(value) and value >= 1):
                raise InputError(f"{name}={shown(value)}; use a number from 1, or {all_of_it} for all of it.")

    @property
    def is_full(self) -> bool:
        """Whether that is all of it."""
        return self.every == 1 and self.repetitions is None

    def some(self, repetitions: int) -> int:
        """How many repetitions are made of these."""
        return repetitions if self.repetitions is None else min(repetitions, self.repetitions)

    @property
    def in_words(self) -> str:
        """What is measured of each item."""
        parts = [] if self.every == 1 else [f"one document in {self.every:,} of each class"]
        if self.repetitions is not None:
            parts.append(f"at most {counted(self.repetitions, 'fold or repetition', 'folds or repetitions')}")
        return ", and ".join(parts) or "everything"


class Measured(NamedTuple):
    """What came out: a number or some words, half of its 95 % interval if there is one; or why there is nothing."""

    value: Value | None
    half_width: float | None = None
    problem: str | None = None


Tell = Callable[[str], None]
"""Told in words what is being done."""


class Measurement(ABC):
    """What is measured; to be derived by frozen dataclasses, whose repr says all."""

    is_of_seconds: ClassVar[bool] = False
    """Whether it is another with other threads, or on another machine."""

    @classmethod
    @abstractmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Measured]]:
        """Measure all that are wanted of a kind, each of them once."""

    @property
    def key(self) -> str:
        """What it is remembered under."""
        return repr(self)


def by_attributes(wanted: Sequence[Any], *names: str) -> dict[tuple[Any, ...], list[Any]]:
    """Measurements that have some attributes in common, in their order."""
    groups: dict[tuple[Any, ...], list[Any]] = {}
    for each in wanted:
        groups.setdefault(tuple(getattr(each, name) for name in names), []).append(each)
    return groups


def measure_each(wanted: Sequence[Measurement], scope: Scope, tell: Tell) -> Iterator[tuple[Measurement, Measured]]:
    """Measure several kinds, one after the other."""
    by_kind: dict[type[Measurement], list[Measurement]] = {}
    for each in wanted:
        by_kind.setdefault(type(each), []).append(each)
    for kind, some in by_kind.items():
        yield from kind.measure_all(some, scope, tell)
