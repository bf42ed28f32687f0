"""A trained model and what it says of documents: scores, labels the reasons for them, and where these stand."""

from ..text.spans import Span
from .explanations import ClassExplanation, Contribution, Explanation
from .labels import Label, Labels, as_written, by_writing
from .model import Model, Predictions, sentence_on_unknown

__all__ = [
    "ClassExplanation",
    "Contribution",
    "Explanation",
    "Label",
    "Labels",
    "Model",
    "Predictions",
    "Span",
    "as_written",
    "by_writing",
    "sentence_on_unknown",
]
