"""How many terms hold a share of all trace scores, their energy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Self

from textsieve.comparison.folds import Fold
from textsieve.selectors import TOFA
from textsieve.text.schemes import Scheme

from .documents import Collection
from .measurements import Measured, Measurement, Scope, Tell, by_attributes


@dataclass(frozen=True)
class TermsForEnergy(Measurement):
    """The fewest terms that hold that share of the sum of all scores of `TOFA`; the mean over folds."""

    collection: Collection
    weight: float
    energy: float
    scheme: Scheme
    """The weights that documents have."""
    is_share: bool = False
    """Of all terms, in percent."""

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Measured]]:
        """Score once for each weight and fold."""
        for (collection, scheme), some in by_attributes(wanted, "collection", "scheme").items():
            tell(f"{collection.corpus}: energy")
            documents = collection.documents(scope)
            trained = [Fold(number, documents).shared.train.within_limits for number in range(len(documents.tested))]
            for (weight,), group in by_attributes(some, "weight").items():
                fitted = [
                    TOFA(weight=weight, k="all", unlabelled=None).fit(each.weights(scheme), each.targets.for_stats())
                    for each in trained
                ]
                for each in group:
                    yield each, Measured(float(mean(_n_terms(each, selector) for selector in fitted)))


def _n_terms(wanted: TermsForEnergy, selector: TOFA) -> float:
    n_terms = selector.n_terms_for(wanted.energy)
    return 100.0 * n_terms / len(selector.scores_) if wanted.is_share else float(n_terms)
