"""The figures of one condition on one fold, and the selected terms of a fold; both as JSON objects, too.

`schema.py` says which values a JSON object may have; it is checked before an object is made of it.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from .plan import Condition, Size
from .significance import Mistakes

Key = tuple[int, str, Size, str]
"""Fold, selector, number of terms asked for, classifier."""


@dataclass(frozen=True, eq=False)
class Row:
    """One condition on one fold. Where `problem` says why there is nothing to measure, the figures are None."""

    fold: int
    selector: str
    n_terms: Size
    """As many as were asked for."""
    classifier: str
    n_seen: int
    """Terms that there were to choose from."""
    trained_on: int
    documents: int
    """That were tested."""
    missing_classes: tuple[Any, ...] = ()
    """Tested, but in no document to learn from."""
    problem: str | None = None
    threads: int | None = None
    """That it was measured with; seconds of another number, or of another machine, can't be compared."""
    cores: int | None = None
    """That the machine had."""
    n_kept: int | None = None
    micro_f1: float | None = None
    macro_f1: float | None = None
    accuracy: float | None = None
    unknown: int | None = None
    """Documents that had none of the chosen terms."""
    selection_seconds: float | None = None
    """Statistics and ranking, which other rows of the selector share."""
    training_seconds: float | None = None
    prediction_seconds: float | None = None
    """From counts to labels."""
    model_bytes: int | None = None
    """Of the file that a `Categorizer` would write."""
    by_class: tuple[tuple[int, int, int], ...] | None = None
    """For each class of the header: documents found, predicted, true."""
    confusion: tuple[tuple[int, int, int], ...] | None = None
    """With one label a document: true class, predicted class, how often, where it occurred."""
    mistakes: Mistakes | None = None
    """Of each tested document: labels too many and too few."""

    @classmethod
    def about(cls, fold: int, condition: Condition, **more: Any) -> Self:
        """The row of a condition."""
        selector, n_terms, classifier = condition.key
        return cls(fold, selector, n_terms, classifier, **more)

    @property
    def key(self) -> Key:
        """What it is the row of."""
        return self.fold, self.selector, self.n_terms, self.classifier

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        found = {each.name: getattr(self, each.name) for each in fields(self)}
        if self.mistakes is not None:
            found["mistakes"] = base64.b64encode(self.mistakes.tobytes()).decode()
        return found

    @classmethod
    def of_dict(cls, stored: Mapping[str, Any]) -> Self:
        """Return the row of a checked JSON object; raises `ValueError` if `mistakes` can't be decoded."""
        found = dict(stored)
        if found["mistakes"] is not None:
            found["mistakes"] = np.frombuffer(base64.b64decode(found["mistakes"], validate=True), np.uint8)
            if len(found["mistakes"]) != found["documents"]:
                raise ValueError(
                    f"mistakes is of {len(found['mistakes']):,} documents, and {found['documents']:,} were tested"
                )
        for name in ("by_class", "confusion"):
            if found[name] is not None:
                found[name] = tuple(map(tuple, found[name]))
        return cls(**{**found, "missing_classes": tuple(found["missing_classes"])})


@dataclass(frozen=True)
class Selection:
    """The terms that a selector chose of a fold."""

    fold: int
    selector: str
    n_terms: Size
    n_seen: int
    terms: tuple[str, ...] | None
    """The best first; None for all that there are, which is no choice."""

    @property
    def key(self) -> tuple[int, str, Size]:
        """What it is the selection of."""
        return self.fold, self.selector, self.n_terms

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @classmethod
    def of_dict(cls, stored: Mapping[str, Any]) -> Self:
        """Return the selection of a checked JSON object."""
        return cls(**{**stored, "terms": None if stored["terms"] is None else tuple(stored["terms"])})
