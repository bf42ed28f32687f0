"""A trained model and what it says of documents: scores, labels and the reasons for them."""

from .explanations import ClassExplanation, Contribution, Explanation
from .labels import Label, Labels, as_written
from .model import Model, Predictions, sentence_on_unknown

__all__ = [
    "ClassExplanation",
    "Contribution",
    "Explanation",
    "Label",
    "Labels",
    "Model",
    "Predictions",
    "as_written",
    "sentence_on_unknown",
]
