"""How long the union of all typical testors takes: by listing them, as the paper does, or without.

All ways begin with the statistics of the classes, compare their mean documents, and go from class to class. By LEX or
MMCS every typical testor of the class is found; what they have in common with the third way, and would be quicker
without, is that nothing is kept of them but their number. The union is `TypicalTestors`, as everybody uses it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Literal, Self

from ..comparison.folds import Fold, timed
from ..selectors.comparison import Representatives, contrasts
from ..selectors.testors import TypicalTestors
from ..selectors.transversals import Count, count_transversals
from ..stats import ClassStats
from ..text.schemes import LTC
from ..training.tuning import of_some_documents
from .documents import Collection
from .measurements import Measured, Measurement, Scope, Tell, by_attributes

Way = Literal["lex", "mmcs", "union"]

REPEATS = 5
MOST_SECONDS = 20.0
"""For all classes; what has not ended then has no time."""


@dataclass(frozen=True)
class TestorSeconds(Measurement):
    """Seconds for all classes, from statistics of ltc weights: the median of several, on the first fold."""

    collection: Collection
    epsilon: float
    delta: float
    way: Way

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Measured]]:
        """In turns, so that what else the machine does falls on all of them; the first does not count."""
        for (collection,), some in by_attributes(wanted, "collection").items():
            tell(f"{collection.corpus}: seconds of testors")
            stats = stats_of(collection, scope)
            work = {each: partial(_WAYS[each.way], stats, each.epsilon, each.delta) for each in some}
            turns = [{each: timed(do) for each, do in work.items()} for _ in range(scope.some(REPEATS) + 1)]
            for each in some:
                if turns[0][each].made.complete:
                    yield each, Measured(median(turn[each].seconds for turn in turns[1:]))
                else:
                    yield each, Measured(None, problem=f"not ended within {MOST_SECONDS:g} seconds")


@dataclass(frozen=True)
class TestorsCounted(Measurement):
    """How many typical testors all classes have together; on the first fold."""

    collection: Collection
    epsilon: float
    delta: float

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Measured]]:
        """By MMCS, which is the quicker way."""
        for (collection,), some in by_attributes(wanted, "collection").items():
            tell(f"{collection.corpus}: numbers of testors")
            stats = stats_of(collection, scope)
            for each in some:
                number, complete = listed(stats, each.epsilon, each.delta, "mmcs")
                problem = None if complete else f"more than {number:,}"
                yield each, Measured(float(number) if complete else None, problem=problem)


def stats_of(collection: Collection, scope: Scope) -> ClassStats:
    """Of the documents to learn from, by the weights that testors are chosen by."""
    within = Fold(0, collection.documents(scope)).shared.train.within_limits
    return ClassStats.from_matrix(within.weights(LTC), within.targets.for_stats())


def listed(stats: ClassStats, epsilon: float, delta: float, way: Way) -> Count:
    """List the testors of each class; how many there were, and whether these are all."""
    end, number, complete = time.monotonic() + MOST_SECONDS, 0, True
    for each in contrasts(Representatives(stats, "max"), epsilon, delta):
        left = max(end - time.monotonic(), 0.001)
        found = count_transversals(each.basic_matrix(), way, max_seconds=left)
        number, complete = number + found.number, complete and found.complete
    return Count(number, complete)


def united(stats: ClassStats, epsilon: float, delta: float) -> Count:
    """The terms of all testors, and none of these."""
    with of_some_documents():
        fitted = TypicalTestors(epsilon=epsilon, delta=delta).fit_stats(stats)
    return Count(int(fitted.support_.sum()), complete=True)


_WAYS = {"lex": partial(listed, way="lex"), "mmcs": partial(listed, way="mmcs"), "union": united}
