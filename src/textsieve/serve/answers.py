"""Build the JSON responses with predictions and explanations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import repeat
from typing import Any

import numpy as np
from pydantic_core import to_json

from ..errors import shown
from ..prediction import ClassExplanation, Label, Model, as_written
from .api_errors import ApiError

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")


def predictions_json(records: Iterable[dict[str, Any]]) -> bytes:
    """Return the JSON response with the records of some documents."""
    return to_json({"predictions": list(records)}, inf_nan_mode="null")


def explanation_json(
    model: Model, model_id: str, text: str, label: Label | None, go_on: Callable[[], None] = lambda: None
) -> bytes:
    """Return the JSON that explains why a text has its label, and where its terms occur.

    It explains the class `label`, or if that is None, the best of the predicted classes, or the best class if none is
    predicted. `go_on` is called between two steps and may raise an exception to stop.
    """
    explanation = model.explain(text)
    go_on()
    spans = model.spans(text)
    go_on()
    predicted = list(explanation.predicted) if isinstance(explanation.predicted, tuple) else [explanation.predicted]
    if label is None:
        explained_class = next((cls for cls in explanation.classes if cls.label in predicted), explanation.classes[0])
    else:
        explained_class = explanation[class_named(model, label)]
    positions = {contribution.term: position for position, contribution in enumerate(explained_class.contributions)}
    probabilities = _probabilities(
        model, [cls.score for cls in explanation.classes], [cls.label for cls in explanation.classes]
    )
    return to_json(
        {
            "model": model_id,
            "predicted": predicted,
            "unknown": None if explanation.unknown is None else f"{explanation.unknown}.",
            "classes": [
                {
                    "label": cls.label,
                    "score": cls.score,
                    "threshold": cls.threshold,
                    "probability": probability,
                    "predicted": cls.label in predicted,
                }
                for cls, probability in zip(explanation.classes, probabilities, strict=True)
            ],
            "label": explained_class.label,
            "score": explained_class.score,
            "intercept": explained_class.intercept,
            "compared": model.needs_comparing,
            "contributions": [
                {**contribution._asdict(), "compared": more}
                for contribution, more in zip(
                    explained_class.contributions, _comparisons(model, explained_class), strict=True
                )
            ],
            "spans": [[start, end, positions[term]] for start, end, term in spans],
        },
        inf_nan_mode="null",  # thresholds may be infinite, and JSON has no infinite numbers
    )


def _comparisons(model: Model, explained: ClassExplanation) -> Iterable[float | None]:
    """Return how much more each term adds to the class than to all on average, or None for each if not needed."""
    return explained.compared() if model.needs_comparing else repeat(None, len(explained.contributions))


def _probabilities(model: Model, scores: list[float], labels: list[Label]) -> list[float | None]:
    """Return the probabilities of classes in the order of `labels`, or None for each if the model has none."""
    if model.calibration is None:
        return [None] * len(scores)
    columns = [model.classes.index(label) for label in labels]
    in_order = np.empty((1, len(scores)))
    in_order[0, columns] = scores
    probabilities: list[float] = model.probabilities(in_order)[0, columns].tolist()
    return list(probabilities)


def class_named(model: Model, label: Label) -> Label:
    """Return the class of the model that a request means by `label`, or raise `ApiError`.

    The label of a class that is a number or a boolean may be given as text. Clients write numbers in different ways (a
    browser writes 1e-05 as 0.00001), so a number also matches the class of the same value, if there is only one.
    """
    for cls in model.classes:
        if type(cls) is type(label) and cls == label:
            return cls
    for cls in model.classes:
        if as_written(cls) == as_written(label):
            return cls
    value = _value(as_written(label))
    matches = [cls for cls in model.classes if value is not None and not isinstance(cls, str) and _value(cls) == value]
    if len(matches) == 1:
        return matches[0]
    known = shown(list(map(as_written, model.classes)), 200)
    raise ApiError("unknown_label", f"There is no class {shown(label)}; the classes are {known}.")


def _value(label: Label) -> float | None:
    """Return the value of a label that is a number or the text of a JSON number.

    Return None for other labels, and for numbers that are too large for a float.
    """
    if isinstance(label, bool) or (isinstance(label, str) and not _NUMBER.fullmatch(label)):
        return None
    try:
        return float(label)
    except OverflowError:
        return None
