"""Explanations of a document's labels: for each class, the contribution of each known term to the score.

The contributions are computed for all classes at once, as one array (terms x classes, `TermContributions`). The
contributions to a class are listed and sorted when they are first accessed, because if there are many classes, users
read those of a few only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import counted, shown
from ..text.analysis import display_term, group_parts
from .labels import Label, as_written

if TYPE_CHECKING:
    from .model import Model

SHOWN_CLASSES, SHOWN_TERMS = 3, 6
"""The numbers of classes and of terms per class that a printed explanation shows."""

MAX_GROUPED = 1000
"""How many of the strongest terms are grouped, that is, n-grams of characters are added to the words that contain them.

The time of grouping grows with the square of this number.
"""


class Contribution(NamedTuple):
    """The contribution of one term of a document to the score of a class.

    `count` and `weight` are those of the term in the document.
    """

    term: str
    count: int  # type: ignore[assignment]  # hides tuple.count
    weight: float
    contribution: float


class TermContributions(NamedTuple):
    """The known terms of a document, in the model's order, and their contributions to all classes."""

    terms: list[str]
    counts: list[int]
    weights: list[float]
    products: NDArray[np.float64]
    """The contributions, terms x classes: for a linear model, weight x coefficient."""
    analyzer: object = "word"
    """The setting with which the terms were counted; it decides how they are printed (`display_term`)."""


@dataclass(frozen=True, eq=False, repr=False)
class ClassExplanation:
    """The explanation of a class's score, which is the sum of the contributions and the intercept.

    `contributions` lists the largest first. Floats are rounded at every addition, so their sum in this order may differ
    from the score by rounding. Added in the order of the model's terms (`in_order`), with the intercept last, they give
    the score to the last bit.
    """

    label: Label
    score: float
    intercept: float
    threshold: float | None
    term_contributions: TermContributions
    column: int
    """The column of this class in `term_contributions.products`."""
    probability: float | None = None
    """The probability of the class, if the model has probabilities."""

    @cached_property
    def _largest_first(self) -> list[int]:
        """Return the numbers of the rows of `term_contributions`, largest absolute contribution to this class first."""
        contributions = self.term_contributions.products[:, self.column]
        rows: list[int] = np.argsort(-np.abs(contributions), kind="stable").tolist()
        return rows

    @cached_property
    def contributions(self) -> tuple[Contribution, ...]:
        """Return the contribution of each known term, the largest absolute value first."""
        in_order = self.in_order()
        return tuple(in_order[row] for row in self._largest_first)

    def in_order(self) -> tuple[Contribution, ...]:
        """Return the contributions in the order of the model's terms, in which the score was added up."""
        terms, counts, weights, products, _ = self.term_contributions
        return tuple(map(Contribution, terms, counts, weights, products[:, self.column].tolist()))

    def __eq__(self, other: object) -> bool:
        """Return whether another explanation has the same score and the same contributions."""
        return isinstance(other, ClassExplanation) and self._values() == other._values()

    def __hash__(self) -> int:
        """Return the hash of the values."""
        return hash(self._values())

    def __repr__(self) -> str:
        """Return the values that users see, by name."""
        probability = () if self.probability is None else ("probability",)
        names = ("label", "score", *probability, "intercept", "threshold", "contributions")
        return f"ClassExplanation({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    def _values(self) -> tuple[Any, ...]:
        """Return the values that `==` compares."""
        return self.label, self.score, self.probability, self.intercept, self.threshold, self.contributions

    def compared(self) -> tuple[float, ...]:
        """Return how much more each term adds to this class than to all classes on average.

        The order is that of `contributions`, the largest contribution first.

        If all contributions have the same sign, as log-probabilities and votes do, only this difference shows whether a
        term speaks for the class or against it (`Model.needs_comparing`).
        """
        products = self.term_contributions.products
        difference = products[:, self.column] - products.mean(axis=1)
        return tuple(difference[self._largest_first].tolist())

    def __str__(self) -> str:
        """Return the score, its largest contributions and the sum of the others as a line of text.

        The contribution of a word includes those of its n-grams of characters.
        """
        pairs = [(item.term, item.contribution) for item in self.contributions]
        groups = group_parts(pairs[:MAX_GROUPED])
        first, others = groups[:SHOWN_TERMS], [*groups[SHOWN_TERMS:], *pairs[MAX_GROUPED:]]
        analyzer = self.term_contributions.analyzer
        parts = [f"{display_term(term, analyzer)} {contribution:+.3f}" for term, contribution in first]
        if others:
            rest = sum(contribution for _, contribution in others)
            parts.append(f"({counted(len(others), 'other term')}) {rest:+.3f}")
        parts.append(f"(intercept) {self.intercept:+.3f}")
        probability = "" if self.probability is None else f" ({self.probability:.1%})"
        return f"{as_written(self.label)}{probability}: {self.score:.3f} = {', '.join(parts)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain values."""
        plain = {
            "label": self.label,
            "score": self.score,
            **({} if self.probability is None else {"probability": self.probability}),
            "intercept": self.intercept,
            "threshold": self.threshold,
        }
        return plain | {"contributions": [contribution._asdict() for contribution in self.contributions]}


@dataclass(frozen=True)
class Explanation:
    """The explanation of a document's label or labels: all classes, the best score first."""

    predicted: Label | tuple[Label, ...]
    classes: tuple[ClassExplanation, ...]
    unknown: str | None = None
    """If no term is known: a sentence that says so, and names the class that is taken. It has no full stop."""
    text: str | bytes | None = field(default=None, repr=False, compare=False)
    """The explained text."""
    model: Model | None = field(default=None, repr=False, compare=False)
    """The model that explains it, which finds the places of the terms in the text."""

    def __repr__(self) -> str:
        """Return the predicted labels and the number of classes."""
        return f"<Explanation of {self.labels_text}: {len(self.classes):,} classes>"

    def __str__(self) -> str:
        """Return the predicted labels and the best classes with their strongest terms, as lines of text."""
        lines = [f"Predicted: {self.labels_text}"]
        if self.unknown is not None:
            lines.append(f"{self.unknown}.")
        lines += map(str, self.classes[:SHOWN_CLASSES])
        if len(self.classes) > SHOWN_CLASSES:
            lines.append(f"and {counted(len(self.classes) - SHOWN_CLASSES, 'other class', 'other classes')}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the text with its terms marked, the best classes and the strongest terms, for notebooks."""
        from .notebook_cards import explanation_html

        return explanation_html(self)

    @property
    def labels_text(self) -> str:
        """Return the predicted labels, separated by commas."""
        labels = self.predicted if isinstance(self.predicted, tuple) else (self.predicted,)
        return ", ".join(map(as_written, labels)) or "no label"

    def __getitem__(self, label: Label) -> ClassExplanation:
        """Return the explanation of one class; raise `KeyError` if there is no such class."""
        for explanation in self.classes:
            if explanation.label == label:
                return explanation
        known = ", ".join(shown(explanation.label) for explanation in self.classes[:10])
        raise KeyError(
            f"There is no class {shown(label)}; the classes are {known}{', ...' * (len(self.classes) > 10)}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain values, for JSON."""
        predicted = list(self.predicted) if isinstance(self.predicted, tuple) else self.predicted
        return {"predicted": predicted, "classes": [explanation.to_dict() for explanation in self.classes]}
