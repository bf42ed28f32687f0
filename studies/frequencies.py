"""In how many documents the chosen terms are: figures of their distribution, the mean over folds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from textsieve.arrays import Ints
from textsieve.comparison.documents import ComparisonDocuments
from textsieve.comparison.folds import Fold, FoldCache
from textsieve.comparison.plan import Size

from .choosing import chooser
from .documents import Collection
from .measurements import Measured, Measurement, Scope, Tell, by_attributes

RARE = 20
"""In fewer documents than that: k of k-NNFP, so that all of its documents vote."""


FIGURES: dict[str, Callable[[Ints], float]] = {
    "mean": lambda doc_freq: float(doc_freq.mean()),
    "maximum": lambda doc_freq: int(doc_freq.max()),
    "minimum": lambda doc_freq: int(doc_freq.min()),
    f"below {RARE}": lambda doc_freq: int((doc_freq < RARE).sum()),
    "terms": len,
}


@dataclass(frozen=True)
class DocumentFrequency(Measurement):
    """A figure of the document frequencies of the terms that a selector keeps."""

    collection: Collection
    selector: str
    n_terms: Size
    figure: str
    """A row of `FIGURES`."""
    of: Literal["folds", "all documents"] = "folds"
    """Whether only documents to learn from are looked at."""

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Measured]]:
        """Rank once for each selector and fold."""
        for (collection, of), some in by_attributes(wanted, "collection", "of").items():
            tell(f"{collection.corpus}: document frequencies")
            names, sizes = [each.selector for each in some], [each.n_terms for each in some]
            choose = chooser(names, sizes, collection.settings, scope.n_jobs)
            parts = _parts(collection.documents(scope), of)
            for (selector, n_terms), group in by_attributes(some, "selector", "n_terms").items():
                chosen = [part.train.doc_freq[choose(part, selector, n_terms).columns] for part in parts]
                for each in group:
                    yield each, Measured(float(np.mean([FIGURES[each.figure](part) for part in chosen])))


def _parts(documents: ComparisonDocuments, of: str) -> list[FoldCache]:
    if of == "folds":
        return [Fold(number, documents).shared for number in range(len(documents.tested))]
    counted = documents.counted
    return [FoldCache(counted, counted, np.arange(counted.targets.n_documents))]
