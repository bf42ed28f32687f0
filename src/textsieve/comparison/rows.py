"""The figures of one condition on one fold, and the selected terms of a fold, with their JSON forms.

`schema.py` defines the allowed values of a JSON object, and checks it before it is converted.
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
"""Fold, selector, requested number of terms, classifier."""


@dataclass(frozen=True, eq=False)
class Row:
    """The figures of one condition on one fold. If `problem` says why it could not be measured, they are None."""

    fold: int
    selector: str
    n_terms: Size
    """The requested number of terms."""
    classifier: str
    n_seen: int
    """Number of terms to select from."""
    trained_on: int
    documents: int
    """Number of test documents."""
    missing_classes: tuple[Any, ...] = ()
    """Classes of test documents that no training document has."""
    problem: str | None = None
    threads: int | None = None
    """Number of threads; times with another number, or on another machine, are not comparable."""
    cores: int | None = None
    """Number of cores of the machine."""
    n_kept: int | None = None
    micro_f1: float | None = None
    macro_f1: float | None = None
    accuracy: float | None = None
    unknown: int | None = None
    """Number of documents without any selected term."""
    selection_seconds: float | None = None
    """Time for statistics and ranking, which other rows of the selector share."""
    training_seconds: float | None = None
    prediction_seconds: float | None = None
    """Time from counts to labels."""
    model_bytes: int | None = None
    """Size of the file that a `Categorizer` would write."""
    by_class: tuple[tuple[int, int, int], ...] | None = None
    """For each class of the header: number of correctly predicted, predicted and true documents."""
    confusion: tuple[tuple[int, int, int], ...] | None = None
    """True class, predicted class and count of each pair that occurs; None if multilabel."""
    mistakes: Mistakes | None = None
    """For each test document: number of labels too many or too few."""

    @classmethod
    def about(cls, fold: int, condition: Condition, **more: Any) -> Self:
        """Return the row of a condition."""
        selector, n_terms, classifier = condition.key
        return cls(fold, selector, n_terms, classifier, **more)

    @property
    def key(self) -> Key:
        """Return the key of the row: fold, selector, number of terms and classifier."""
        return self.fold, self.selector, self.n_terms, self.classifier

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        if self.mistakes is not None:
            values["mistakes"] = base64.b64encode(self.mistakes.tobytes()).decode()
        return values

    @classmethod
    def of_dict(cls, stored: Mapping[str, Any]) -> Self:
        """Return the row of a checked JSON object; raise `ValueError` if `mistakes` can't be decoded."""
        values = dict(stored)
        if values["mistakes"] is not None:
            values["mistakes"] = np.frombuffer(base64.b64decode(values["mistakes"], validate=True), np.uint8)
            if len(values["mistakes"]) != values["documents"]:
                raise ValueError(
                    f"mistakes is of {len(values['mistakes']):,} documents, and {values['documents']:,} were tested"
                )
        for name in ("by_class", "confusion"):
            if values[name] is not None:
                values[name] = tuple(map(tuple, values[name]))
        return cls(**{**values, "missing_classes": tuple(values["missing_classes"])})


@dataclass(frozen=True)
class Selection:
    """The terms that a selector selected in a fold."""

    fold: int
    selector: str
    n_terms: Size
    n_seen: int
    terms: tuple[str, ...] | None
    """The best first; None if all terms are used."""

    @property
    def key(self) -> tuple[int, str, Size]:
        """Return the key of the selection: fold, selector and number of terms."""
        return self.fold, self.selector, self.n_terms

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def of_dict(cls, stored: Mapping[str, Any]) -> Self:
        """Return the selection of a checked JSON object."""
        return cls(**{**stored, "terms": None if stored["terms"] is None else tuple(stored["terms"])})
