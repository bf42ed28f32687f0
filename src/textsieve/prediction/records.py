"""Predictions as plain values for JSON, one record per document: the lines that `textsieve predict` writes.

With one label, a record is `{"label": ..., "score": ...}`; with several, `{"labels": [...], "scores": {...}}`. A model
with probabilities adds these next to the scores, and a document without a known term has `"unknown": true`. Labels
have the type they had in training; as keys they are text, as in files.
"""

from collections.abc import Iterator
from itertools import repeat
from typing import Any

from ..arrays import Floats
from .labels import Label, as_written
from .model import Model, Predictions

PLURALS = {"score": "scores", "probability": "probabilities"}

KEYS = ("label", "labels", *PLURALS, *PLURALS.values(), "unknown")
"""The keys that a record may have."""


class Records:
    """Convert predictions to records, with the scores of the labels, or with the `n_scores` best scores."""

    def __init__(self, model: Model, n_scores: int | None = None) -> None:
        self._model, self._n_scores = model, n_scores
        self._names = [as_written(label) for label in model.classes]
        self._columns = {label: column for column, label in enumerate(model.classes)}

    def of(self, predictions: Predictions) -> Iterator[dict[str, Any]]:
        """Yield the record of each document, in order."""
        model = self._model
        probable = repeat(None) if model.calibration is None else model.probabilities(predictions.scores)
        documents = zip(model.label_sets(predictions.labels), predictions.scores, probable, strict=False)
        for (labels, scores, probabilities), is_unknown in zip(documents, predictions.is_unknown.tolist(), strict=True):
            record = self._record(labels, scores, probabilities)
            yield record | {"unknown": True} if is_unknown else record

    def _record(self, labels: tuple[Label, ...], scores: Floats, probabilities: Floats | None) -> dict[str, Any]:
        """Return the record of one document; `probabilities` is None if the model has none."""
        multilabel, columns = self._model.multilabel, [self._columns[label] for label in labels]
        record: dict[str, Any] = {"labels": list(labels)} if multilabel else {"label": labels[0]}
        shown = columns if self._n_scores is None else _best(scores, self._n_scores)
        for name, values in zip(PLURALS, (scores, probabilities), strict=True):
            if values is None:
                continue
            if not multilabel:
                record[name] = float(values[columns[0]])
            if multilabel or self._n_scores is not None:
                record[PLURALS[name]] = {self._names[column]: float(values[column]) for column in shown}
        return record


def _best(scores: Floats, n: int) -> list[int]:
    """Return the columns of the best scores, the best first."""
    best: list[int] = (-scores).argsort(kind="stable")[:n].tolist()
    return best
