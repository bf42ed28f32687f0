"""How many typical testors classes have, how their number grows with that of the terms, and which pairs have none.

The union of the testors is known without them (`selectors/testors/transversals.py`), but a method that lists them takes
at least as long as there are testors. Whether that is exponential in the number of terms can be seen without a clock:
then each hundred terms more multiply the number of testors by the same factor.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from textsieve.comparison.folds import Fold
from textsieve.selectors.testors import TypicalTestors
from textsieve.selectors.testors.contrast import Representatives, contrasts
from textsieve.selectors.testors.transversals import Count, count_transversals
from textsieve.stats import ClassStats
from textsieve.text.schemes import LTC
from textsieve.training.tuning import of_some_documents

from .documents import Collection
from .measurements import Measured, Measurement, Scope, Tell, by_attributes

MOST_SECONDS = 60.0
"""For the testors of all classes."""
MORE_TERMS = 100


def stats_of(collection: Collection, scope: Scope) -> ClassStats:
    """Of the first fold's documents to learn from, by the weights that testors are chosen by."""
    within = Fold(0, collection.documents(scope)).shared.train.within_limits
    return ClassStats.from_matrix(within.weights(LTC), within.targets.for_stats())


def listed(stats: ClassStats, epsilon: float, delta: float, method: str = "mmcs", most: float = MOST_SECONDS) -> Count:
    """List the testors of each class, as far as so many seconds go; how many there were, and whether these are all."""
    end, number, complete = time.monotonic() + most, 0, True
    for each in contrasts(Representatives(stats, "max"), epsilon, delta):
        rows = each.basic_matrix()
        if len(rows):  # else it is told from no class, and the empty set is no testor
            found = count_transversals(rows, method, max_seconds=max(end - time.monotonic(), 0.001))
            number, complete = number + found.number, complete and found.complete
    return Count(number, complete)


def united(stats: ClassStats, epsilon: float, delta: float) -> Count:
    """How many terms are in some testor, without listing any."""
    with of_some_documents():
        fitted = TypicalTestors(epsilon=epsilon, delta=delta).fit_stats(stats)
    return Count(int(fitted.support_.sum()), complete=True)


class OfTestors(Measurement):
    """Something that is read off the statistics of a collection's first fold."""

    collection: Collection

    @abstractmethod
    def read_off(self, stats: ClassStats) -> Measured:
        """The number."""

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Measured]]:
        """Make the statistics of each collection once."""
        for (collection,), some in by_attributes(wanted, "collection").items():
            tell(f"{collection.corpus}: numbers of testors")
            stats = stats_of(collection, scope)
            yield from ((each, each.read_off(stats)) for each in some)


@dataclass(frozen=True)
class NumberOfTestors(OfTestors):
    """How many typical testors all classes have together; on the first fold."""

    collection: Collection
    epsilon: float
    delta: float

    def read_off(self, stats: ClassStats) -> Measured:
        """By MMCS, which is the quicker way."""
        number, complete = listed(stats, self.epsilon, self.delta)
        return Measured(float(number)) if complete else Measured(None, problem=f"more than {number:,} testors")


@dataclass(frozen=True)
class GrowthOfTestors(OfTestors):
    """By which factor a hundred terms more multiply the number of testors, between two ε; on the first fold."""

    collection: Collection
    epsilons: tuple[float, float]
    delta: float

    def read_off(self, stats: ClassStats) -> Measured:
        """As if it were the same factor for each of them."""
        counts = [listed(stats, epsilon, self.delta) for epsilon in self.epsilons]
        terms = [united(stats, epsilon, self.delta).number for epsilon in self.epsilons]
        if terms[0] >= terms[1] or not all(count.complete for count in counts):
            return Measured(None, problem="no more terms than at the ε before, or too many testors")
        return Measured(float((counts[1].number / counts[0].number) ** (MORE_TERMS / (terms[1] - terms[0]))))


@dataclass(frozen=True)
class PairsNotToldApart(OfTestors):
    """Of how many ordered pairs of classes no term sets the first apart from the second; on the first fold."""

    collection: Collection
    epsilon: float
    delta: float

    def read_off(self, stats: ClassStats) -> Measured:
        """Count empty rows."""
        found = contrasts(Representatives(stats, "max"), self.epsilon, self.delta)
        return Measured(float(sum(one.n_not_told_from for one in found)))
