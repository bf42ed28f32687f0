"""How many typical testors classes have, how their number grows with that of the terms, and how long they take to find.

`TypicalTestors` finds the union of all testors without listing any. A method that lists them takes at least as long as
there are testors. If their number is exponential in the number of terms, each hundred additional terms multiply it by
the same factor, which can be seen without a clock.

Times are processor time of one thread, from the statistics of the classes to the terms. LEX, the paper's method, and
MMCS find every typical testor and store none, which favours them; the union is `TypicalTestors` as everybody uses it.
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

from .documents import Collection
from .measurements import Estimate, Measurement, Scope, Tell, group_by

MOST_SECONDS = 60.0
"""The time to list the testors of all classes."""
FEWER_SECONDS = 2.0
"""The same in a quick run: few documents may have more testors than many."""
MORE_TERMS = 100
REPEATS = 7

Method = Literal["lex", "mmcs", "union"]


class Count(NamedTuple):
    """A number of testors or terms, and whether it is complete."""

    number: int
    complete: bool


def stats_of(collection: Collection, scope: Scope) -> ClassStats:
    """Return the statistics of the first fold's training documents, with the ltc weights that testors use."""
    documents = collection.documents(scope)
    fold = documents.folds[0]
    weights = documents.weights(fold, tf="log", idf="plain", norm="l2")
    return ClassStats.from_matrix(weights, documents.targets(fold, fold.train))


def fit_testors(stats: ClassStats, epsilon: float, delta: float) -> TypicalTestors:
    """Return the fitted selector."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about classes that can't be told apart
        return TypicalTestors(epsilon=epsilon, delta=delta).fit_stats(stats)


def count_testors(
    selector: TypicalTestors, method: Literal["lex", "mmcs"] = "mmcs", most_seconds: float = MOST_SECONDS
) -> Count:
    """Return the number of testors of all classes that are found within so many seconds, and whether these are all."""
    end, number, complete = time.monotonic() + most_seconds, 0, True
    stats = selector.stats_
    for label, n_documents in zip(stats.classes, stats.class_docs.tolist(), strict=True):
        if n_documents:
            counted = selector.count_testors(label, method=method, max_seconds=max(end - time.monotonic(), 0.001))
            number, complete = number + counted.number, complete and counted.complete
    return Count(number, complete)


def count_terms(stats: ClassStats, epsilon: float, delta: float) -> Count:
    """Return the number of terms that are in some testor, without listing testors."""
    return Count(int(fit_testors(stats, epsilon, delta).support_.sum()), complete=True)


class OfStatistics(Measurement):
    """A number that is computed from the statistics of a collection's first fold."""

    collection: Collection

    @abstractmethod
    def compute(self, stats: ClassStats) -> Estimate:
        """Return the number."""

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Estimate]]:
        """Compute the statistics of each collection once."""
        for (collection,), measurements in group_by(wanted, "collection").items():
            tell(f"{collection.corpus}: numbers of testors")
            stats = stats_of(collection, scope)
            yield from ((measurement, measurement.compute(stats)) for measurement in measurements)


@dataclass(frozen=True)
class NumberOfTestors(OfStatistics):
    """The number of typical testors of all classes together, in the first fold."""

    collection: Collection
    epsilon: float
    delta: float

    def compute(self, stats: ClassStats) -> Estimate:
        """Count them by MMCS, the faster method."""
        number, complete = count_testors(fit_testors(stats, self.epsilon, self.delta))
        return Estimate(float(number)) if complete else Estimate(None, problem=f"more than {number:,} testors")


@dataclass(frozen=True)
class GrowthOfTestors(OfStatistics):
    """The factor by which a hundred more terms multiply the number of testors, between two ε; in the first fold."""

    collection: Collection
    epsilons: tuple[float, float]
    delta: float

    def compute(self, stats: ClassStats) -> Estimate:
        """Assume the same factor for each additional term."""
        fitted = [fit_testors(stats, epsilon, self.delta) for epsilon in self.epsilons]
        counts, terms = (
            [count_testors(selector) for selector in fitted],
            [int(selector.support_.sum()) for selector in fitted],
        )
        if terms[0] >= terms[1] or not all(count.complete for count in counts):
            return Estimate(None, problem="no more terms than at the ε before, or too many testors")
        return Estimate(float((counts[1].number / counts[0].number) ** (MORE_TERMS / (terms[1] - terms[0]))))


@dataclass(frozen=True)
class PairsNotToldApart(OfStatistics):
    """The number of ordered pairs of classes that no term tells apart, in the first fold."""

    collection: Collection
    epsilon: float
    delta: float

    def compute(self, stats: ClassStats) -> Estimate:
        """Count the pairs that `TypicalTestors` reports."""
        return Estimate(float(len(fit_testors(stats, self.epsilon, self.delta).indistinguishable_)))


METHODS: dict[str, Callable[..., Count]] = {
    "lex": lambda stats, fitted, most: count_testors(fitted, "lex", most),
    "mmcs": lambda stats, fitted, most: count_testors(fitted, "mmcs", most),
    "union": lambda stats, fitted, most: count_terms(stats, fitted.epsilon, fitted.delta),
}


@dataclass(frozen=True)
class SecondsOfTestors(Measurement):
    """The seconds for all classes, from statistics of ltc weights; the median of several, in the first fold."""

    is_of_seconds: ClassVar[bool] = True

    collection: Collection
    epsilon: float
    delta: float
    method: Method

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Estimate]]:
        """Run the methods in turn; ignore the first run."""
        for (collection,), measurements in group_by(wanted, "collection").items():
            tell(f"{collection.corpus}: seconds of testors")
            stats, most = stats_of(collection, scope), MOST_SECONDS if scope.is_full else FEWER_SECONDS
            jobs: dict[Any, Callable[[], Count]] = {}
            for measurement in measurements:
                fitted = fit_testors(stats, measurement.epsilon, measurement.delta)
                jobs[measurement] = partial(METHODS[measurement.method], stats, fitted, most=most)
            runs = [
                {measurement: _time(job) for measurement, job in jobs.items()} for _ in range(scope.some(REPEATS) + 1)
            ]
            for measurement in measurements:
                if all(complete for _, complete in (run[measurement] for run in runs)):
                    yield measurement, Estimate(median(run[measurement][0] for run in runs[1:]))
                else:
                    yield measurement, Estimate(None, problem=f"not ended within {most:g} seconds")


def _time(job: Callable[[], Count]) -> tuple[float, bool]:
    """Return the seconds of processor time that a job took, and whether it is complete."""
    begin = time.process_time()
    count = job()
    return time.process_time() - begin, count.complete
