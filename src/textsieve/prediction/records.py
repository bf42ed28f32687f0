"""Predictions as plain values for JSON, one record per document: the lines that `textsieve predict` writes.

A record is `{"label": ..., "score": ...}`, or for a multilabel model `{"labels": [...], "scores": {...}}`. It may have
more keys:

- `"scores"`: if the best scores are requested (`n_scores`), records of all models have them
- `"probability"` next to `"score"`, and `"probabilities"` next to `"scores"`: for a model with probabilities
- `"unknown"`: true for a document without a selected term of nonzero weight
- `"best_guess"`: if the model abstains (`abstaining`), the best class, to which `"score"` and `"probability"` belong;
  `"label"` is then null, or that of the setting
- `"reasons"`: if they are requested, the terms that decided: `[{"term": ..., "contribution": ...}, ...]`, or for a
  multilabel model a mapping with such a list for each label

Labels have the type they had in training; as keys of a mapping they are text, as in files.

`RecordColumns` turns records into the rows of a table.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any

from ..arrays import Floats
from ..text.analysis import display_term
from .abstaining import Abstention
from .labels import Label, as_written
from .model import Model, Predictions
from .reasons import Reason

PLURALS = {"score": "scores", "probability": "probabilities"}
"""The keys for the value of a single label, and for the values of several classes."""

KEYS = ("label", "best_guess", "labels", *PLURALS, *PLURALS.values(), "unknown", "reasons")
"""The keys that a record may have."""
_RANKED_NAME = re.compile(r"(label|score|probability)_[1-9]\d*")
_NAME_OF_CLASS = re.compile(r"(score|probability)_of_(.+)", re.DOTALL)


class PredictionNames:
    """The names that columns of predictions of a model may have, with any settings of the predictions.

    A column of the input with such a name, perhaps from an earlier prediction, could be confused with a new one.
    """

    def __init__(self, model: Model) -> None:
        self._classes = set(map(as_written, model.classes))

    def __contains__(self, name: object) -> bool:
        """Return whether a column of predictions may have this name."""
        if not isinstance(name, str):
            return False
        if name in KEYS or _RANKED_NAME.fullmatch(name):
            return True
        of_class = _NAME_OF_CLASS.fullmatch(name)
        return of_class is not None and of_class[2] in self._classes


class Records:
    """Convert predictions to records.

    `n_scores` is the number of best classes whose scores a record has; None: a single label has a score, several labels
    have one each. `abstention` has the settings of abstaining; None: the model never abstains.
    """

    def __init__(self, model: Model, n_scores: int | None = None, abstention: Abstention | None = None) -> None:
        self._model, self._n_scores, self._abstention = model, n_scores, abstention
        self._names = [as_written(label) for label in model.classes]
        self._columns = {label: column for column, label in enumerate(model.classes)}

    def of(
        self, predictions: Predictions, reasons: Iterable[Mapping[Label, list[Reason]]] | None = None
    ) -> Iterator[dict[str, Any]]:
        """Yield the record of each document, in order; `reasons` has the reasons for its labels (`Reasons.predict`)."""
        model = self._model
        label_sets = model.label_sets(predictions.labels)
        all_probabilities = (
            [None] * len(label_sets)
            if model.calibration is None
            else model.probabilities(predictions.scores, predictions.is_unknown)
        )
        abstention = self._abstention
        abstains = [False] * len(label_sets) if abstention is None else abstention.applies(model, predictions).tolist()
        reasons_of = repeat(None, len(label_sets)) if reasons is None else reasons
        columns = zip(
            label_sets,
            predictions.scores,
            all_probabilities,
            predictions.is_unknown.tolist(),
            abstains,
            reasons_of,
            strict=True,
        )
        for labels, scores, probabilities, is_unknown, is_abstained, terms in columns:
            record = self._record(labels, scores, probabilities, is_unknown)
            if abstention is not None and is_abstained:
                record = {"label": abstention.label, "best_guess": record.pop("label"), **record}
            if is_unknown:
                record["unknown"] = True
            if terms is not None:
                by_label = {as_written(label): [reason._asdict() for reason in terms[label]] for label in labels}
                record["reasons"] = by_label if model.multilabel else next(iter(by_label.values()))
            yield record

    def _record(
        self, labels: tuple[Label, ...], scores: Floats, probabilities: Floats | None, is_unknown: bool
    ) -> dict[str, Any]:
        """Return the labels, scores and probabilities of one document as a record.

        `scores` and `probabilities` have a value for each class; `probabilities` is None if the model has none.
        """
        multilabel, label_columns = self._model.multilabel, [self._columns[label] for label in labels]
        record: dict[str, Any] = {"labels": list(labels)} if multilabel else {"label": labels[0]}
        n_scores = self._n_scores
        listed_columns = label_columns if n_scores is None else self._model.best_first(scores, is_unknown)[:n_scores]
        for name, values in (("score", scores), ("probability", probabilities)):
            if values is None:
                continue
            if not multilabel:
                record[name] = float(values[label_columns[0]])
            if multilabel or n_scores is not None:
                record[PLURALS[name]] = {self._names[column]: float(values[column]) for column in listed_columns}
        return record


class RecordColumns:
    """Turn records into the rows of a table.

    A model with one label per document has the columns `label` and `probability`, or `score` if it has no
    probabilities. If the model may abstain, `best_guess` follows. With `n_best`, the columns `label_2`,
    `probability_2`, ... have the next best classes. A multilabel model has the columns `labels` and `probabilities` (or
    `scores`), with `separator` between several; with `n_best`, the best classes are in `label_1`, `probability_1`, ...
    With `of_all_classes`, each class has a column, such as `probability_of_sport`. The last column is `reasons`: the
    terms that decided, separated by commas.
    """

    def __init__(
        self,
        model: Model,
        *,
        n_best: int | None = None,
        of_all_classes: bool = False,
        abstains: bool = False,
        has_reasons: bool = False,
        separator: str = "|",
    ) -> None:
        self._model, self._separator = model, separator
        self._value = "score" if model.calibration is None else "probability"
        self._abstains, self._has_reasons = abstains, has_reasons
        # The ranks of the classes with columns of their own. Unless multilabel, the label is the class of rank 1.
        ranks = range(1 if model.multilabel else 2, min(n_best or 0, len(model.classes)) + 1)
        self._n_ranks = len(ranks)
        self._classes = list(map(as_written, model.classes)) if of_all_classes else []
        label_columns = ["labels", PLURALS[self._value]] if model.multilabel else ["label", self._value]
        self.names = [
            *label_columns,
            *(["best_guess"] if abstains else []),
            *(f"{name}_{rank}" for rank in ranks for name in ("label", self._value)),
            *(f"{self._value}_of_{name}" for name in self._classes),
            *(["reasons"] if has_reasons else []),
        ]

    def row(self, record: Mapping[str, Any]) -> list[Any]:
        """Return the cells of a record; it must have the values of all classes that the table shows."""
        values: Mapping[str, float] = record.get(PLURALS[self._value], {})
        if self._model.multilabel:
            labels = list(map(as_written, record["labels"]))
            numbers = [str(values[label]) for label in labels]
            cells: list[Any] = [self._separator.join(labels), self._separator.join(numbers)]
            ranked = list(values.items())
        else:
            cells = [record["label"], record[self._value]]
            best = as_written(record.get("best_guess", record["label"]))
            ranked = [pair for pair in values.items() if pair[0] != best] if self._n_ranks else []
        if self._abstains:
            cells.append(record.get("best_guess"))
        for label_and_value in ranked[: self._n_ranks]:
            cells += label_and_value
        cells += [values[name] for name in self._classes]
        if self._has_reasons:
            cells.append(self._reasons_text(record["reasons"]))
        return cells

    def _reasons_text(self, reasons: Sequence[Mapping[str, Any]] | Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
        """Return the terms that decided, as text; those of several labels after the label."""
        if isinstance(reasons, Mapping):
            return "; ".join(f"{label}: {self._reasons_text(terms)}" for label, terms in reasons.items() if terms)
        analyzer = self._model.settings.get("analyzer")
        return ", ".join(display_term(reason["term"], analyzer) for reason in reasons)


def choose_separator(model: Model, given: str | None = None) -> str:
    """Return the separator of several labels in a cell: the given one, or a mark that no class contains."""
    if given is not None:
        return given
    names = list(map(as_written, model.classes))
    return next((mark for mark in ("|", ";", ",") if not any(mark in name for name in names)), "\n")
