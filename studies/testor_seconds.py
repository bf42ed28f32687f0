"""How long it takes to find the terms that are in some typical testor: by listing testors, or without.

Each way begins with the statistics of the classes, compares their mean documents, and goes from class to class. By LEX,
the paper's, and by MMCS every typical testor is found and none is kept, which favours them; the union is
`TypicalTestors` as everybody uses it. All of it is done by one thread, and seconds are those of the processor, so that
what else the machine does is not counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any, ClassVar, Literal, Self

from textsieve.comparison.folds import Timed
from textsieve.selectors.testors.transversals import Count

from .documents import Collection
from .measurements import Measured, Measurement, Scope, Tell, by_attributes
from .testor_numbers import MOST_SECONDS, listed, stats_of, united

REPEATS = 7
Way = Literal["lex", "mmcs", "union"]

FEWER_SECONDS = 2.0
"""In a run of a part: few documents may well have more testors than many."""

_WAYS: dict[str, Callable[..., Count]] = {
    "lex": partial(listed, method="lex"),
    "mmcs": partial(listed, method="mmcs"),
    "union": lambda stats, epsilon, delta, most: united(stats, epsilon, delta),
}


def _timed(do: Callable[[], Count]) -> Timed[Count]:
    """What was found, and the seconds of the processor that it took."""
    begin = time.process_time()
    found = do()
    return Timed(found, time.process_time() - begin)


@dataclass(frozen=True)
class SecondsOfTestors(Measurement):
    """Seconds for all classes, from statistics of ltc weights: the median of several, on the first fold."""

    is_of_seconds: ClassVar[bool] = True

    collection: Collection
    epsilon: float
    delta: float
    way: Way

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Measured]]:
        """In turns; the first does not count."""
        for (collection,), some in by_attributes(wanted, "collection").items():
            tell(f"{collection.corpus}: seconds of testors")
            stats, most = stats_of(collection, scope), MOST_SECONDS if scope.is_full else FEWER_SECONDS
            work: dict[Any, Callable[[], Count]] = {
                each: partial(_WAYS[each.way], stats, each.epsilon, each.delta, most=most) for each in some
            }
            turns = [{each: _timed(do) for each, do in work.items()} for _ in range(scope.some(REPEATS) + 1)]
            for each in some:
                if all(turn[each].made.complete for turn in turns):
                    yield each, Measured(median(turn[each].seconds for turn in turns[1:]))
                else:
                    yield each, Measured(None, problem=f"not ended within {most:g} seconds")
