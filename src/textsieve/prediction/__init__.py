"""Trained models and their predictions: scores, labels, explanations, and the positions of terms in a text."""

from ..text.places import Span
from .explanations import ClassExplanation, Contribution, Explanation
from .labels import Label, as_written, by_writing
from .model import Model, Predictions, sentence_on_unknown

__all__ = [
    "ClassExplanation",
    "Contribution",
    "Explanation",
    "Label",
    "Model",
    "Predictions",
    "Span",
    "as_written",
    "by_writing",
    "sentence_on_unknown",
]
