"""What was measured, as rows: all figures of one condition on one fold, or the terms chosen; and rows as JSON."""

from __future__ import annotations

import base64
import zlib
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
            found["mistakes"] = base64.b64encode(zlib.compress(self.mistakes.tobytes(), 9)).decode()
        return found

    @classmethod
    def of_dict(cls, stored: Mapping[str, Any]) -> Self:
        """The same again."""
        found = dict(stored)
        _require_types(found)
        if found["mistakes"] is not None:
            found["mistakes"] = np.frombuffer(zlib.decompress(base64.b64decode(found["mistakes"])), np.uint8)
        for name in ("by_class", "confusion"):
            if found[name] is not None:
                found[name] = tuple(map(tuple, found[name]))
        return cls(**{**found, "missing_classes": tuple(found["missing_classes"])})


def _require_types(stored: Mapping[str, Any]) -> None:
    """Refuse what is no row: names are texts, and a row has all figures or a problem."""
    if not (
        isinstance(stored["fold"], int) and all(isinstance(stored[each], str) for each in ("selector", "classifier"))
    ):
        raise TypeError("fold, selector and classifier are no names")
    figures = [stored[each] is not None for each in _FIGURES]
    if any(figures) != (stored.get("problem") is None) or any(figures) != all(figures):
        raise ValueError("there are neither all figures nor a problem")
    numbers = [stored[each] for each in ("n_seen", "trained_on", "documents", *(_NUMBERS if all(figures) else ()))]
    if not all(isinstance(each, int | float) for each in numbers):
        raise TypeError("a figure is no number")


_NUMBERS = (
    *("n_kept", "micro_f1", "macro_f1", "accuracy", "unknown", "model_bytes"),
    *("selection_seconds", "training_seconds", "prediction_seconds"),
)
_FIGURES = (*_NUMBERS, "by_class", "mistakes")


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
        """The same again."""
        return cls(**{**stored, "terms": None if stored["terms"] is None else tuple(stored["terms"])})
