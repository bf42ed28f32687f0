"""Predictions as plain values for JSON, one record per document: the lines that `textsieve predict` writes.

A record is `{"label": ..., "score": ...}`, or for a multilabel model `{"labels": [...], "scores": {...}}`. If the best
scores are requested (`n_scores`), all records have `"scores"`. A model with probabilities adds `"probability"` next to
`"score"`, and `"probabilities"` next to `"scores"`. A document without a selected term of nonzero weight has
`"unknown": true`. If the model abstains (`abstaining`), the label is null or that of the setting, and `"best_guess"` is
the best class, to which `"score"` and `"probability"` belong. Labels have the type they had in training; as keys of a
mapping they are text, as in files.
"""

from collections.abc import Iterator
from typing import Any

from ..arrays import Floats
from .abstaining import Abstention
from .labels import Label, as_written
from .model import Model, Predictions

PLURALS = {"score": "scores", "probability": "probabilities"}
"""The keys for the value of a single label, and for the values of several classes."""

KEYS = ("label", "best_guess", "labels", *PLURALS, *PLURALS.values(), "unknown")
"""The keys that a record may have."""


class Records:
    """Convert predictions to records, with the scores of the labels, or with the `n_scores` best scores.

    `abstention` says when the model abstains; None: never.
    """

    def __init__(self, model: Model, n_scores: int | None = None, abstention: Abstention | None = None) -> None:
        self._model, self._n_scores, self._abstention = model, n_scores, abstention
        self._names = [as_written(label) for label in model.classes]
        self._columns = {label: column for column, label in enumerate(model.classes)}

    def of(self, predictions: Predictions) -> Iterator[dict[str, Any]]:
        """Yield the record of each document, in order."""
        model = self._model
        label_sets = model.label_sets(predictions.labels)
        all_probabilities = (
            [None] * len(label_sets)
            if model.calibration is None
            else model.probabilities(predictions.scores, predictions.is_unknown)
        )
        abstention = self._abstention
        abstains = [False] * len(label_sets) if abstention is None else abstention.applies(model, predictions).tolist()
        for labels, scores, probabilities, is_unknown, is_abstained in zip(
            label_sets, predictions.scores, all_probabilities, predictions.is_unknown.tolist(), abstains, strict=True
        ):
            record = self._record(labels, scores, probabilities, is_unknown)
            if abstention is not None and is_abstained:
                record = {"label": abstention.label, "best_guess": record.pop("label"), **record}
            yield record | {"unknown": True} if is_unknown else record

    def _record(
        self, labels: tuple[Label, ...], scores: Floats, probabilities: Floats | None, is_unknown: bool
    ) -> dict[str, Any]:
        """Return the record of one document, given its labels and the score and probability of each class.

        `probabilities` is None if the model has none. The score of a single label is a number. The scores of several
        classes are a mapping from class to score, for the labels of a multilabel document or the `n_scores` best
        classes.
        """
        multilabel, label_columns = self._model.multilabel, [self._columns[label] for label in labels]
        record: dict[str, Any] = {"labels": list(labels)} if multilabel else {"label": labels[0]}
        n_scores = self._n_scores
        listed_columns = label_columns if n_scores is None else self._model.best_first(scores, is_unknown)[:n_scores]
        for name, values in zip(PLURALS, (scores, probabilities), strict=True):
            if values is None:
                continue
            if not multilabel:
                record[name] = float(values[label_columns[0]])
            if multilabel or self._n_scores is not None:
                record[PLURALS[name]] = {self._names[column]: float(values[column]) for column in listed_columns}
        return record
