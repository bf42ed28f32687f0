"""Measure what the items of a paper ask for, once each, and remember it in a file: an interrupted run goes on."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from textsieve.training.counted_documents import Progress

from .conditions import Asked
from .derived import Derived
from .measurements import Measured, Measurement, Scope, measure_each
from .remembering import memory

Found = dict[Measurement, Measured]


def measure(asked: Iterable[Asked], scope: Scope, remembered: str | None, progress: Progress) -> Found:
    """Everything that the items ask for."""
    named = list(dict.fromkeys(each.what for some in asked for item in some.items for each in item.all_conditions))
    wanted = list(dict.fromkeys(part for each in named for part in _parts(each)))
    found: Found = {}
    with memory(remembered, scope) as kept:
        found |= {each: known for each in wanted if (known := kept.recall(each)) is not None}

        def tell(words: str) -> None:
            progress(words, len(found), len(wanted))

        with _few_documents_are_meant(scope):
            for each, measured in measure_each([each for each in wanted if each not in found], scope, tell):
                found[each] = measured
                kept.remember(each, measured)
    return found | {each: _measured_of(each, found) for each in named}


def _parts(wanted: Measurement) -> tuple[Measurement, ...]:
    """What has to be measured for it."""
    if not isinstance(wanted, Derived):
        return (wanted,)
    return tuple(needed for part in wanted.parts for needed in _parts(part))


def _measured_of(wanted: Measurement, found: Found) -> Measured:
    if not isinstance(wanted, Derived):
        return found[wanted]
    return wanted.combined([_measured_of(part, found) for part in wanted.parts])


@contextmanager
def _few_documents_are_meant(scope: Scope) -> Iterator[None]:
    """In a run of a part nobody is warned that classes have few documents."""
    with warnings.catch_warnings():
        if not scope.is_full:
            warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        yield
