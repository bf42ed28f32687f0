"""Measurements of typical testors: their number, its growth with the number of terms, and the seconds to find them.

`TypicalTestors` finds the union of all testors without listing any. The time of a method that lists them is at least
proportional to their number. If that is exponential in the number of terms, each hundred additional terms multiply it
by the same factor, which needs no clock to measure.

Times are processor time of one thread, from the statistics of the classes to the terms. LEX, the paper's method, and
MMCS find every typical testor and store none, which favours them; the union is found by `TypicalTestors` as users call
it.
"""

from __future__ import annotations

import time
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any, ClassVar, Literal, NamedTuple, Self

from textsieve import ClassStats, TypicalTestors

from .documents import Collection, CollectionMeasurement, Documents
from .measurements import Estimate, Scope

MAX_SECONDS = 60.0
"""The time limit for listing the testors of all classes."""
QUICK_SECONDS = 2.0
"""The time limit in a quick run, in which few documents may have more testors than many."""
MORE_TERMS = 100
"""The number of additional terms for which growth is measured."""
REPEATS = 7
"""The number of runs whose median time is reported."""

Method = Literal["lex", "mmcs", "union"]


class Count(NamedTuple):
    """A number of testors or terms, and whether it is complete."""

    number: int
    complete: bool


def compute_stats(documents: Documents) -> ClassStats:
    """Return the statistics of the first fold's training documents, with the ltc weights that testors use."""
    fold = documents.folds[0]
    weights = documents.weights(fold, tf="log", idf="plain", norm="l2")
    return ClassStats.from_matrix(weights, documents.targets(fold, fold.train))


def fit_testors(stats: ClassStats, epsilon: float, delta: float) -> TypicalTestors:
    """Return a selector fitted to the statistics."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about classes that can't be told apart
        return TypicalTestors(epsilon=epsilon, delta=delta).fit_stats(stats)


def count_testors(
    selector: TypicalTestors, method: Literal["lex", "mmcs"] = "mmcs", most_seconds: float = MAX_SECONDS
) -> Count:
    """Count the testors of all classes; the count is incomplete if that takes more than `most_seconds`."""
    end, number, complete = time.monotonic() + most_seconds, 0, True
    stats = selector.stats_
    for label, n_documents in zip(stats.classes, stats.class_docs.tolist(), strict=True):
        if n_documents:
            seconds_left = max(end - time.monotonic(), 0.001)  # a limit must be positive
            counted = selector.count_testors(label, method=method, max_seconds=seconds_left)
            number, complete = number + counted.number, complete and counted.complete
    return Count(number, complete)


def count_terms(stats: ClassStats, epsilon: float, delta: float) -> Count:
    """Return the number of terms that are in some testor, without listing testors."""
    return Count(int(fit_testors(stats, epsilon, delta).support_.sum()), complete=True)


class StatisticsMeasurement(CollectionMeasurement):
    """A number that is computed from the statistics of a collection's first fold."""

    step: ClassVar[str] = "numbers of testors"

    @abstractmethod
    def compute(self, stats: ClassStats) -> Estimate:
        """Return the number."""

    @classmethod
    def measure_on(
        cls, documents: Documents, measurements: Sequence[Self], scope: Scope
    ) -> Iterator[tuple[Self, Estimate]]:
        """Compute the statistics once."""
        stats = compute_stats(documents)
        yield from ((measurement, measurement.compute(stats)) for measurement in measurements)


@dataclass(frozen=True)
class NumberOfTestors(StatisticsMeasurement):
    """The number of typical testors of all classes together, in the first fold."""

    collection: Collection
    epsilon: float
    delta: float

    def compute(self, stats: ClassStats) -> Estimate:
        """Count them by MMCS, the faster method."""
        number, complete = count_testors(fit_testors(stats, self.epsilon, self.delta))
        return Estimate(float(number)) if complete else Estimate(None, problem=f"more than {number:,} testors")


@dataclass(frozen=True)
class GrowthOfTestors(StatisticsMeasurement):
    """The factor by which a hundred more terms multiply the number of testors, between two ε; in the first fold."""

    collection: Collection
    epsilons: tuple[float, float]
    delta: float

    def compute(self, stats: ClassStats) -> Estimate:
        """Return the factor for `MORE_TERMS`, assuming that each additional term has the same factor."""
        selectors = [fit_testors(stats, epsilon, self.delta) for epsilon in self.epsilons]
        before, after = (count_testors(selector) for selector in selectors)
        terms_before, terms_after = (int(selector.support_.sum()) for selector in selectors)
        if terms_before >= terms_after or not (before.complete and after.complete):
            return Estimate(None, problem="no more terms than at the ε before, or too many testors")
        return Estimate(float((after.number / before.number) ** (MORE_TERMS / (terms_after - terms_before))))


@dataclass(frozen=True)
class PairsNotToldApart(StatisticsMeasurement):
    """The number of ordered pairs of classes that no term tells apart, in the first fold."""

    collection: Collection
    epsilon: float
    delta: float

    def compute(self, stats: ClassStats) -> Estimate:
        """Count the pairs that `TypicalTestors` reports."""
        return Estimate(float(len(fit_testors(stats, self.epsilon, self.delta).indistinguishable_)))


METHODS: dict[str, Callable[[ClassStats, Any, float], Count]] = {
    "lex": lambda stats, selector, most_seconds: count_testors(selector, "lex", most_seconds),
    "mmcs": lambda stats, selector, most_seconds: count_testors(selector, "mmcs", most_seconds),
    "union": lambda stats, selector, most_seconds: count_terms(stats, selector.epsilon, selector.delta),
}
"""The methods to find testors, or the terms that are in any of them."""


@dataclass(frozen=True)
class SecondsOfTestors(CollectionMeasurement):
    """The seconds for all classes, from statistics of ltc weights; the median of several, in the first fold."""

    is_of_seconds: ClassVar[bool] = True
    step: ClassVar[str] = "seconds of testors"

    collection: Collection
    epsilon: float
    delta: float
    method: Method

    @classmethod
    def measure_on(
        cls, documents: Documents, measurements: Sequence[Self], scope: Scope
    ) -> Iterator[tuple[Self, Estimate]]:
        """Run the methods in turn; ignore the first run."""
        stats, most_seconds = compute_stats(documents), MAX_SECONDS if scope.is_full else QUICK_SECONDS
        jobs: dict[Any, Callable[[], Count]] = {}
        for measurement in measurements:
            selector = fit_testors(stats, measurement.epsilon, measurement.delta)
            jobs[measurement] = partial(METHODS[measurement.method], stats, selector, most_seconds)
        runs = [{measurement: _time(job) for measurement, job in jobs.items()} for _ in range(scope.limit(REPEATS) + 1)]
        for measurement in measurements:
            if all(complete for _, complete in (run[measurement] for run in runs)):
                yield measurement, Estimate(median(run[measurement][0] for run in runs[1:]))
            else:
                yield measurement, Estimate(None, problem=f"not ended within {most_seconds:g} seconds")


def _time(job: Callable[[], Count]) -> tuple[float, bool]:
    """Return the seconds of processor time that a job took, and whether it is complete."""
    begin = time.process_time()
    count = job()
    return time.process_time() - begin, count.complete
