"""How good a selector with a classifier is, as `textsieve compare` measures it; and what it costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from textsieve.comparison.folds import Fold
from textsieve.comparison.measuring import measure
from textsieve.comparison.plan import ALL, Plan, Size
from textsieve.comparison.rows import Row
from textsieve.comparison.significance import half_width

from .choosing import chooser
from .documents import Collection
from .measurements import Measured, Measurement, Scope, Tell, by_attributes

PERCENT = "%"


class AsManyAs(NamedTuple):
    """A number of terms: as many as another selector keeps of the same documents, by itself."""

    selector: str


@dataclass(frozen=True)
class Quality(Measurement):
    """A figure of a row of `compare`, the mean over the folds."""

    collection: Collection
    selector: str
    """A variant, as `compare` takes it; "all" is no selection."""
    n_terms: Size | AsManyAs
    classifier: str
    """A variant, with its weights: "svm(C=1,tf=tf,idf=plain)"."""
    figure: str = "micro_f1"
    """A field of a row; with % after it, times a hundred."""
    settings: tuple[tuple[str, Any], ...] = ()
    """Of a `Categorizer`, about several labels."""

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Measured]]:
        """Count each collection once, and measure each combination of it once for all figures."""
        for (collection, settings), some in by_attributes(wanted, "collection", "settings").items():
            tell(f"{collection.corpus}: {len(some)} numbers")
            yield from _measured(collection, settings, some, scope)


def _measured(
    collection: Collection, settings: Any, wanted: Sequence[Any], scope: Scope
) -> Iterator[tuple[Any, Measured]]:
    documents, settled = collection.documents(scope), {**dict(collection.settings), **dict(settings)}
    combinations = by_attributes(wanted, "selector", "n_terms", "classifier")
    rows: dict[Any, list[Row]] = {key: [] for key in combinations}
    for number in range(len(documents.tested)):
        fold = Fold(number, documents)
        sizes = _sizes(fold, list(combinations), settled, scope.n_jobs)
        plan = _plan(list(sizes.values()), settled, scope.n_jobs)
        by_key = {each.key: each for each in plan.conditions()}
        conditions = {given: by_key[_key(plan, own)] for given, own in sizes.items()}
        for given, found in rows.items():
            found.append(measure(fold, conditions[given], plan).row)
            if len(found) == len(documents.tested):
                yield from ((each, mean_of(found, each.figure)) for each in combinations[given])


def _sizes(
    fold: Fold, combinations: list[Any], settings: dict[str, Any], n_jobs: int | None
) -> dict[Any, tuple[str, Size, str]]:
    """The combinations, with the numbers of terms that others keep of this fold."""
    others = list(dict.fromkeys(size.selector for _, size, _ in combinations if isinstance(size, AsManyAs)))
    choose = chooser(others, [ALL], settings, n_jobs) if others else None
    found = {}
    for selector, size, classifier in combinations:
        if choose is not None and isinstance(size, AsManyAs):
            number: Size = len(choose(fold.shared, size.selector, ALL).columns)
        else:
            number = size
        found[selector, size, classifier] = selector, number, classifier
    return found


def _plan(combinations: list[tuple[str, Size, str]], settings: dict[str, Any], n_jobs: int | None) -> Plan:
    selectors, sizes, classifiers = (list(dict.fromkeys(part)) for part in zip(*combinations, strict=True))
    return Plan.of(selectors, sizes, classifiers, settings, n_jobs)


def _key(plan: Plan, given: tuple[str, Size, str]) -> tuple[str, Size, str]:
    """What the plan calls a combination: options of a variant are sorted there."""
    one = _plan([given], {}, plan.n_jobs)
    (condition,) = one.conditions()
    return condition.key


def mean_of(rows: Sequence[Row], figure: str) -> Measured:
    """The mean over folds, and half of its interval; or why there is none."""
    problem = next((row.problem for row in rows if row.problem is not None), None)
    if problem is not None:
        return Measured(None, problem=problem)
    factor = 100.0 if figure.endswith(PERCENT) else 1.0
    values = [factor * getattr(row, figure.removesuffix(PERCENT)) for row in rows]
    ratio = float(np.mean([row.documents / row.trained_on for row in rows]))
    return Measured(float(np.mean(values)), half_width(values, ratio))
