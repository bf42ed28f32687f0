"""Why a document has its labels: for each class, what each known term added to the score.

An explanation is made for all classes at once, as one product of terms and classes (`Spoken`). The contributions to a
class are listed and sorted when somebody asks for them: of many classes, few are ever looked at.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import counted, shown
from .labels import Label, as_written

SHOWN_CLASSES, SHOWN_TERMS = 3, 6
"""Of an explanation, when it is printed."""


class Contribution(NamedTuple):
    """What one term of a document adds to the score of a class."""

    term: str
    count: int  # type: ignore[assignment]  # tuples have a method of that name, which nobody wants here
    weight: float
    contribution: float


class Spoken(NamedTuple):
    """The known terms of a document, and what each adds to each class (terms x classes)."""

    terms: list[str]
    counts: list[int]
    weights: list[float]
    products: NDArray[np.float64]

    def of(self, column: int) -> tuple[tuple[Contribution, ...], tuple[int, ...]]:
        """The contributions to a class, the largest first, and the place of each among the terms."""
        added = self.products[:, column]
        listed = list(map(Contribution, self.terms, self.counts, self.weights, added.tolist()))
        order = np.argsort(-np.abs(added), kind="stable").tolist()
        return tuple(listed[at] for at in order), tuple(order)


@dataclass(frozen=True)
class ClassExplanation:
    """Why a class has its score: the contributions, the largest first, and the intercept sum up to it.

    Floats are rounded at every step, so in any order they do up to rounding; in the order of the model's terms, and the
    intercept last, to the last bit (`in_order`).
    """

    label: Label
    score: float
    intercept: float
    threshold: float | None
    contributions: tuple[Contribution, ...]
    _places: tuple[int, ...] = field(repr=False, compare=False)  # of the contributions, in the order of the terms

    @classmethod
    def later(
        cls, label: Label, score: float, intercept: float, threshold: float | None, spoken: Spoken, column: int
    ) -> ClassExplanation:
        """An explanation whose contributions are listed when they are asked for: of many classes, few ever are."""
        made = cls.__new__(cls)
        made.__dict__.update(label=label, score=score, intercept=intercept, threshold=threshold)
        made.__dict__.update(_spoken=spoken, _column=column)
        return made

    def __getattr__(self, name: str) -> Any:
        """What is not there yet."""
        if name not in ("contributions", "_places") or "_spoken" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
        contributions, places = self._spoken.of(self._column)
        self.__dict__.update(contributions=contributions, _places=places)
        return self.__dict__[name]

    def in_order(self) -> tuple[Contribution, ...]:
        """The contributions in the order of the model's terms, in which the score was added up."""
        ordered = sorted(zip(self._places, self.contributions, strict=True), key=lambda placed: placed[0])
        return tuple(contribution for _, contribution in ordered)

    def compared(self) -> tuple[float, ...]:
        """How much more each contribution, in their order, adds to this class than to all classes on average.

        Where all contributions have one sign, as logarithms of probabilities and votes do, only this says whether a
        term speaks for the class or against it (`Model.needs_comparing`).
        """
        products = self._spoken.products
        more = products[:, self._column] - products.mean(axis=1)
        return tuple(more[list(self._places)].tolist())

    def __str__(self) -> str:
        """The score, and what it is the sum of, for a person."""
        first, others = self.contributions[:SHOWN_TERMS], self.contributions[SHOWN_TERMS:]
        parts = [f"{each.term} {each.contribution:+.3f}" for each in first]
        if others:
            rest = sum(each.contribution for each in others)
            parts.append(f"({counted(len(others), 'other term')}) {rest:+.3f}")
        parts.append(f"(intercept) {self.intercept:+.3f}")
        return f"{as_written(self.label)}: {self.score:.3f} = {', '.join(parts)}"

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        plain = {"label": self.label, "score": self.score, "intercept": self.intercept, "threshold": self.threshold}
        return plain | {"contributions": [each._asdict() for each in self.contributions]}


@dataclass(frozen=True)
class Explanation:
    """Why a document has its label or labels: every class, the best score first."""

    predicted: Label | tuple[Label, ...]
    classes: tuple[ClassExplanation, ...]
    unknown: str | None = None  # if no term spoke for any class, that, and which class is predicted then

    def __repr__(self) -> str:
        """The answer alone."""
        return f"<Explanation of {self._answer()}: {len(self.classes):,} classes>"

    def __str__(self) -> str:
        """The answer, and the best classes with their strongest terms, for a person."""
        lines = [f"Predicted: {self._answer()}"]
        if self.unknown is not None:
            lines.append(f"{self.unknown}.")
        lines += map(str, self.classes[:SHOWN_CLASSES])
        if len(self.classes) > SHOWN_CLASSES:
            lines.append(f"and {counted(len(self.classes) - SHOWN_CLASSES, 'other class', 'other classes')}")
        return "\n".join(lines)

    def _answer(self) -> str:
        labels = self.predicted if isinstance(self.predicted, tuple) else (self.predicted,)
        return ", ".join(map(as_written, labels)) or "no label"

    def __getitem__(self, label: Label) -> ClassExplanation:
        """The explanation of one class."""
        for each in self.classes:
            if each.label == label:
                return each
        known = ", ".join(shown(each.label) for each in self.classes[:10])
        raise KeyError(
            f"There is no class {shown(label)}; the classes are {known}{', ...' * (len(self.classes) > 10)}."
        )

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values, for JSON."""
        predicted = list(self.predicted) if isinstance(self.predicted, tuple) else self.predicted
        return {"predicted": predicted, "classes": [each.to_dict() for each in self.classes]}
