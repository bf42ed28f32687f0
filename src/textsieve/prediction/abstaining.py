"""Abstaining: a document gets no label, or a label of the user's choice, if the model is not sure of its class.

The model is not sure of a document that has no selected term, or whose best class is less probable than
`min_probability`. By default, a model never abstains: a document without a selected term gets the fallback class.
`evaluation.confidence` shows how many documents keep their label with a given minimum, and how many of these are right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..settings import is_whole
from .labels import Label, exact_array
from .model import Model, Predictions


@dataclass(frozen=True)
class Abstention:
    """The settings of abstaining, for a model with one label per document."""

    min_probability: float = 0.0
    """The least probability of a label. With 0, the model abstains only for documents without a selected term."""
    label: Label | None = None
    """The label of the documents for which the model abstains; None: they get no label."""

    @classmethod
    def of(cls, model: Model, min_probability: Any, abstain_label: Any) -> Abstention | None:
        """Return the settings for a model after checking them, or None if neither is given.

        Raise `InputError` for invalid settings, and for a model that can't abstain.
        """
        if min_probability is None and abstain_label is None:
            return None
        minimum = 0.0 if min_probability is None else checked_probability(min_probability)
        if model.multilabel:
            is_minimum_given = min_probability is not None
            raise InputError(
                "a multilabel model assigns labels by thresholds, and may assign none",
                setting="min_probability" if is_minimum_given else "abstain_label",
                value=min_probability if is_minimum_given else abstain_label,
                hint="leave it out",
            )
        is_label = is_whole(abstain_label) or isinstance(abstain_label, str | bool | float)
        if not (is_label or abstain_label is None):
            raise InputError(setting="abstain_label", value=abstain_label, hint="use a text, a number or None")
        if minimum > 0 and model.calibration is None:
            raise InputError(
                "this model has no probabilities",
                setting="min_probability",
                value=min_probability,
                hint=model.probabilities_hint,
            )
        return cls(minimum, int(abstain_label) if is_whole(abstain_label) else abstain_label)

    def applies(self, model: Model, predictions: Predictions) -> NDArray[np.bool_]:
        """Return, for each document, whether the model abstains."""
        if self.min_probability == 0:
            return predictions.is_unknown
        is_unlikely: NDArray[np.bool_] = model.label_probabilities(predictions) < self.min_probability
        return predictions.is_unknown | is_unlikely

    def labels(self, model: Model, predictions: Predictions) -> NDArray[Any]:
        """Return the predicted labels, with `self.label` for the documents for which the model abstains."""
        abstains = self.applies(model, predictions).tolist()
        labels = [
            self.label if is_abstained else label
            for is_abstained, label in zip(abstains, predictions.labels.tolist(), strict=True)
        ]
        # The type of the array does not depend on whether the model abstains for any of these documents.
        is_label_of_same_type = type(self.label) is type(model.classes[0])
        return exact_array(labels) if is_label_of_same_type else np.array(labels, dtype=object)


def checked_probability(value: Any) -> float:
    """Return the value of `min_probability`; raise `InputError` unless it is a number from 0 to 1."""
    is_number = isinstance(value, float | int | np.floating | np.integer) and not isinstance(value, bool)
    if not (is_number and 0 <= value <= 1):
        raise InputError(setting="min_probability", value=value, hint="use a number from 0 to 1")
    return float(value)
