"""What is predicted and explained, as the JSON that is answered."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import repeat
from typing import Any

import numpy as np
from pydantic_core import to_json

from ..errors import shown
from ..prediction import ClassExplanation, Label, Model, as_written
from .refusals import Refused

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")


def predictions_json(records: Iterable[dict[str, Any]]) -> bytes:
    """The records of some documents."""
    return to_json({"predictions": list(records)}, inf_nan_mode="null")


def explanation_json(
    model: Model, model_id: str, text: str, label: Label | None, go_on: Callable[[], None] = lambda: None
) -> bytes:
    """Why a text has its label, and where its terms stand; of a class, or of the predicted one, or of the best.

    Between two steps `go_on` is called, which may raise.
    """
    found = model.explain(text)
    go_on()
    spans = model.spans(text)
    go_on()
    predicted = list(found.predicted) if isinstance(found.predicted, tuple) else [found.predicted]
    if label is None:
        explained = next((each for each in found.classes if each.label in predicted), found.classes[0])
    else:
        explained = found[class_named(model, label)]
    places = {each.term: place for place, each in enumerate(explained.contributions)}
    probable = _probabilities(model, [each.score for each in found.classes], [each.label for each in found.classes])
    return to_json(
        {
            "model": model_id,
            "predicted": predicted,
            "unknown": None if found.unknown is None else f"{found.unknown}.",
            "classes": [
                {
                    "label": each.label,
                    "score": each.score,
                    "threshold": each.threshold,
                    "probability": probability,
                    "predicted": each.label in predicted,
                }
                for each, probability in zip(found.classes, probable, strict=True)
            ],
            "label": explained.label,
            "score": explained.score,
            "intercept": explained.intercept,
            "compared": model.needs_comparing,
            "contributions": [
                {**each._asdict(), "compared": more}
                for each, more in zip(explained.contributions, _compared(model, explained), strict=True)
            ],
            "spans": [[start, end, places[term]] for start, end, term in spans],
        },
        inf_nan_mode="null",  # thresholds may be infinite, which JSON has no number for
    )


def _compared(model: Model, explained: ClassExplanation) -> Iterable[float | None]:
    """How much more each term adds to the class than to others, where that is needed to understand it."""
    return explained.compared() if model.needs_comparing else repeat(None, len(explained.contributions))


def _probabilities(model: Model, scores: list[float], labels: list[Label]) -> list[float | None]:
    """Of classes in the order of the explanation."""
    if model.calibration is None:
        return [None] * len(scores)
    columns = [model.classes.index(label) for label in labels]
    in_order = np.empty((1, len(scores)))
    in_order[0, columns] = scores
    found: list[float] = model.probabilities(in_order)[0, columns].tolist()
    return list(found)


def class_named(model: Model, label: Label) -> Label:
    """The class that is meant: labels that were numbers or truth values may be asked for as they are written.

    Others write numbers in other ways (a browser has 0.00001 for 1e-05): the one class of that value is meant.
    """
    for each in model.classes:
        if type(each) is type(label) and each == label:
            return each
    for each in model.classes:
        if as_written(each) == as_written(label):
            return each
    value = _value(as_written(label))
    same = [each for each in model.classes if value is not None and not isinstance(each, str) and _value(each) == value]
    if len(same) == 1:
        return same[0]
    known = shown(list(map(as_written, model.classes)), 200)
    raise Refused("unknown_label", f"There is no class {shown(label)}; the classes are {known}.")


def _value(label: Label) -> float | None:
    """The number that a label is, or that a text is in JSON; None if it is none, or too large for one."""
    if isinstance(label, bool) or (isinstance(label, str) and not _NUMBER.fullmatch(label)):
        return None
    try:
        return float(label)
    except OverflowError:
        return None
