"""How good a classifier is that knows only the documents that DROP keeps, and how many these are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from textsieve.comparison.folds import Fold
from textsieve.comparison.plan import Size
from textsieve.comparison.significance import half_width

from .documents import Collection
from .learning import Drop, Learned, Learner
from .measurements import Measured, Measurement, Scope, Tell, by_attributes

FIGURES: dict[str, Callable[[Learned], float]] = {
    "micro_f1": Learned.micro_f1,
    "kept": lambda learned: learned.n_documents / learned.split.train.shape[0],
}


@dataclass(frozen=True)
class QualityAfterDrop(Measurement):
    """The mean over the folds of micro-F1, or of the share of documents that are kept; one label a document."""

    collection: Collection
    selector: str
    n_terms: Size
    classifier: str
    drop: Drop
    figure: str = "micro_f1"
    """A row of `FIGURES`."""

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Measured]]:
        """Documents are dropped once for all figures."""
        for (collection,), some in by_attributes(wanted, "collection").items():
            tell(f"{collection.corpus}: fewer documents")
            yield from _measured(collection, some, scope)


def _measured(collection: Collection, wanted: Sequence[Any], scope: Scope) -> Iterator[tuple[Any, Measured]]:
    documents = collection.documents(scope)
    learner = Learner(wanted, collection.settings, scope.n_jobs)
    values: dict[Any, list[float]] = {each: [] for each in wanted}
    ratios = []
    for number in range(len(documents.tested)):
        shared = Fold(number, documents).shared
        ratios.append(shared.test.targets.n_documents / shared.train.targets.n_documents)
        for group in by_attributes(wanted, "selector", "n_terms", "classifier", "drop").values():
            learned = learner.learn(shared, group[0])
            for each in group:
                values[each].append(FIGURES[each.figure](learned))
    for each, found in values.items():
        yield each, Measured(float(np.mean(found)), half_width(found, float(np.mean(ratios))))
