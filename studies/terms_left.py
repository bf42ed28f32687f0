"""How many terms a collection has, and how many are left when rare ones and those of little gain are taken away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from .documents import Collection
from .measurements import Measured, Measurement, Scope, Tell
from .preparations import STAGES
from .random_splits import counts_of


@dataclass(frozen=True)
class TermsLeft(Measurement):
    """Of all documents at once."""

    collection: Collection
    terms: str
    """A row of `STAGES`."""

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Measured]]:
        """Count each collection once, if they come one after the other."""
        for each in wanted:
            tell(f"{each.collection.corpus}: numbers of terms")
            selector = STAGES[each.terms]().fit(*counts_of(each.collection, scope))
            yield each, Measured(float(selector.get_support().sum()))
