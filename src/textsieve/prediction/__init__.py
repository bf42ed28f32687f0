"""Trained models and their predictions: scores, labels, explanations, and the positions of terms in a text."""

from ..text.places import Span
from .abstaining import Abstention
from .explanations import ClassExplanation, Contribution, Explanation
from .labels import Label, as_written, classes_by_text
from .model import Model, Predictions, unknown_documents_warning

__all__ = [
    "Abstention",
    "ClassExplanation",
    "Contribution",
    "Explanation",
    "Label",
    "Model",
    "Predictions",
    "Span",
    "as_written",
    "classes_by_text",
    "unknown_documents_warning",
]
