"""What a ranking says beside the terms that it puts first: how fast their scores add up, and for whom each term speaks.

*Energy*: the share of all scores that the first k terms hold, at numbers of terms that grow by about a tenth, so that a
few dozen points are the curve. Where a score is negative, or none is above 0, there are no shares.

A term speaks for the class that the method gives it the highest score for, when it looks at that class alone; of
methods whose scores cost more than the choice (testors), for the class that has it in the most documents. What is kept
are the first terms of each class, with their place among all and their score.

It is that of the first fold: there are as many rankings as folds, much alike, and a page shows one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..selectors import TermSelector
from ..training.targets import NO_CLASS
from .plan import Size

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DESCRIBED_FOLD = 0
STEP = 1.1
"""From one number of terms whose energy is kept to the next."""
MOST_OF_A_CLASS, LEAST_OF_A_CLASS, ENOUGH_OF_ALL = 30, 5, 10_000
"""Terms that are kept: of each class up to 30, of many classes fewer."""


class Spoken(NamedTuple):
    """A term that speaks for a class."""

    place: int
    """Among all terms, from 1."""
    term: str
    score: float | None


@dataclass(frozen=True)
class Ranking:
    """What is known of the terms that a selector ranked in a fold."""

    fold: int
    selector: str
    n_terms: Size | None
    """The number of terms that it is for, if the selector chooses others for another number."""
    n_ranked: int
    """How many it has put in order."""
    energy: tuple[tuple[int, float], ...] | None
    """Numbers of terms, and the share of all scores that so many hold."""
    by_class: tuple[tuple[Any, tuple[Spoken, ...]], ...]
    """Classes, and the first terms that speak for each."""

    @property
    def key(self) -> tuple[int, str, Size | None]:
        """What it is the ranking of."""
        return self.fold, self.selector, self.n_terms

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @classmethod
    def of_dict(cls, stored: Mapping[str, Any]) -> Self:
        """Return the ranking of a checked JSON object."""
        energy = stored["energy"]
        by_class = tuple((label, tuple(Spoken(*each) for each in spoken)) for label, spoken in stored["by_class"])
        points = None if energy is None else tuple((size, float(share)) for size, share in energy)
        return cls(**{**stored, "energy": points, "by_class": by_class})


class Described(NamedTuple):
    """A ranking before it is known whose it is."""

    energy: tuple[tuple[int, float], ...] | None
    by_class: tuple[tuple[Any, tuple[Spoken, ...]], ...]
    n_ranked: int


def described(selector: TermSelector, columns: Ints, terms: Sequence[str]) -> Described:
    """Of a fitted selector, the columns that it kept, the best first, and what these are called."""
    with_scores = not selector.k_changes_the_method
    scores = selector.scores_ if with_scores else None
    energy = None if scores is None else energy_of(scores[selector.ranking_])
    return Described(energy, _by_class(selector, columns, terms, scores), len(columns))


def energy_of(scores: Floats) -> tuple[tuple[int, float], ...] | None:
    """Shares of all scores at some numbers of terms, the first and the last among them; scores come best first."""
    if not (np.isfinite(scores).all() and len(scores) and scores.min() >= 0.0 and scores.sum() > 0.0):
        return None
    sums = np.cumsum(scores)
    sizes = some_sizes(len(scores))
    return tuple((size, round(float(sums[size - 1] / sums[-1]), 5)) for size in sizes)


def some_sizes(last: int) -> list[int]:
    """Numbers from 1 to the last, each about a tenth more than the one before."""
    steps = int(np.ceil(np.log(last) / np.log(STEP)))
    return sorted({*np.minimum(np.round(STEP ** np.arange(steps + 1)), last).astype(int).tolist(), last})


def most_of_a_class(n_classes: int) -> int:
    """How many terms are kept of each."""
    return int(np.clip(ENOUGH_OF_ALL // max(n_classes, 1), LEAST_OF_A_CLASS, MOST_OF_A_CLASS))


def _by_class(
    selector: TermSelector, columns: Ints, terms: Sequence[str], scores: Floats | None
) -> tuple[tuple[Any, tuple[Spoken, ...]], ...]:
    labels = [label for label in selector.stats_.classes if label is not NO_CLASS]
    most = most_of_a_class(len(labels))
    speaks_for = _speaks_for(selector, columns)
    found = []
    for number, label in enumerate(selector.stats_.classes):
        if label is NO_CLASS:
            continue
        places = np.flatnonzero(speaks_for == number)[:most].tolist()
        spoken = tuple(
            Spoken(place + 1, terms[place], None if scores is None else _rounded(scores[columns[place]]))
            for place in places
        )
        found.append((label, spoken))
    return tuple(found)


def _speaks_for(selector: TermSelector, columns: Ints) -> Ints:
    """Of each column the number of the class that it speaks for most, the first of equals; -1 for none."""
    best, speaks_for = np.zeros(len(columns)), np.full(len(columns), -1, np.int64)
    for number, scores in enumerate(_class_scores(selector)):
        own = scores[columns]
        is_better = own > best
        best[is_better], speaks_for[is_better] = own[is_better], number
    return speaks_for


def _class_scores(selector: TermSelector) -> Iterator[Floats]:
    """For each class in turn one score per term, 0 where the term does not speak for it."""
    stats = selector.stats_
    if selector.k_changes_the_method:
        for number in range(len(stats.classes)):
            yield np.where(stats.favours(number), stats.class_doc_freq(number), 0.0)
        return
    for columns, scores in selector.best_by_class(stats.n_terms):
        found = np.zeros(stats.n_terms)
        found[columns] = scores
        yield found


def _rounded(score: float) -> float | None:
    """To six digits, which is more than anybody reads."""
    return float(f"{score:.6g}") if np.isfinite(score) else None
