"""The served model: its predictions, explanations, terms and description as JSON, and its replacement by a newer one.

A request keeps the `ServedModel` that is current when it begins. So no response mixes two models, and a reload loses no
request. If the newer file can't be read, the current model stays in use.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from pydantic_core import to_json

from ..arrays import Ints
from ..classifiers.linear import LinearScorer
from ..errors import shown
from ..modelfile.reading import read_stored
from ..modelfile.sources import UpdateMethod, update_method
from ..prediction import Abstention, ClassExplanation, Explanation, Label, Model, Predictions, Span, as_written
from ..prediction.records import Records
from ..presentation import PRESENTATION, presentation_of
from ..text.analysis import display_term, is_marked
from .api_errors import ApiError

CountPredictions = Callable[[Model, Predictions, float | None], None]
"""Function that adds predictions to the metrics; the number is the least probability of a label, or None."""

MAX_SPANS = 500_000
"""The largest number of positions in an explanation. N-grams of characters have several for each character."""

MAX_LIGHT_CLASSES = 100
"""The largest number of classes of a light model (`ServedModel.is_light`)."""

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")


# -- labels in requests ----------------------------------------------------------------------------------------------


def find_class(model: Model, label: Label, field: str = "label") -> Label:
    """Return the class of the model that a request means by `label`, or raise `ApiError`, which names the `field`.

    If no class has the same type and value, a class that is written in the same way is returned: the class 1 for the
    text "1", and the class True for the text "true". Clients write numbers in different ways (a browser writes 1e-05 as
    0.00001), so a number also matches a class that is a number of the same value, if there is only one.
    """
    for cls in model.classes:
        if type(cls) is type(label) and cls == label:
            return cls
    for cls in model.classes:
        if as_written(cls) == as_written(label):
            return cls
    value = _number(as_written(label))
    if value is not None:
        matches = [cls for cls in model.classes if not isinstance(cls, str) and _number(cls) == value]
        if len(matches) == 1:
            return matches[0]
    known = shown(list(map(as_written, model.classes)), 200)
    problem = f"The model has no class {shown(label)}; its classes are {known}."
    raise ApiError("unknown_label", problem, setting=field, value=label, allowed=model.classes)


def _number(label: Label) -> float | None:
    """Return the value of a label that is a number or the text of a JSON number.

    Return None for other labels, and for numbers that are too large for a float.
    """
    if isinstance(label, bool) or (isinstance(label, str) and not _NUMBER.fullmatch(label)):
        return None
    try:
        return float(label)
    except OverflowError:
        return None


# -- predictions and explanations as JSON ----------------------------------------------------------------------------


def predictions_json(records: Iterable[dict[str, Any]]) -> bytes:
    """Return the JSON response with one record for each document."""
    return to_json({"predictions": list(records)}, inf_nan_mode="null")


def explanation_record(
    model: Model,
    model_id: str,
    text: str,
    label: Label | None,
    min_probability: float | None = None,
    check_wanted: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """Return why a text gets its label, and where its terms occur, with the keys of `schemas.ExplainResponse`.

    The contributions are those to the class `label`. If that is None, they are those to the best of the predicted
    classes, or to the best class if none is predicted. The model abstains if it is less sure than `min_probability`.
    `check_wanted` is called between two steps and may raise an exception to stop.
    """
    explanation = model.explain(text)
    check_wanted()
    spans = model.spans(text, MAX_SPANS)
    check_wanted()
    predicted = list(explanation.predicted) if isinstance(explanation.predicted, tuple) else [explanation.predicted]
    if label is None:
        explained = next((cls for cls in explanation.classes if cls.label in predicted), explanation.classes[0])
    else:
        explained = explanation[find_class(model, label)]
    positions = {contribution.term: position for position, contribution in enumerate(explained.contributions)}
    classes = [
        {
            "label": cls.label,
            "score": cls.score,
            "threshold": cls.threshold,
            "probability": cls.probability,
            "predicted": cls.label in predicted,
        }
        for cls in explanation.classes
    ]
    contributions = [
        {**contribution._asdict(), "compared": compared}
        for contribution, compared in zip(explained.contributions, _compared(model, explained), strict=True)
    ]
    return {
        "model": model_id,
        "predicted": predicted,
        "unknown": None if explanation.unknown is None else f"{explanation.unknown}.",
        "abstains": min_probability is not None
        and (explanation.unknown is not None or _best_probability(explanation) < min_probability),
        "words": _known_words(text, spans),
        "classes": classes,
        "label": explained.label,
        "score": explained.score,
        "intercept": explained.intercept,
        "compared": model.needs_comparing,
        "contributions": contributions,
        "spans": [[start, end, positions[term]] for start, end, term in spans],
    }


def explanation_json(record: Mapping[str, Any]) -> bytes:
    """Return the result of `explanation_record` as JSON."""
    return to_json(record, inf_nan_mode="null")  # thresholds may be infinite, and JSON has no infinite numbers


def _best_probability(explanation: Explanation) -> float:
    """Return the probability of the predicted class, or 1 if the model has no probabilities.

    The model must not be multilabel.
    """
    probabilities = [cls.probability for cls in explanation.classes if cls.label == explanation.predicted]
    return 1.0 if probabilities[0] is None else probabilities[0]


_WORD = re.compile(r"\w+")


def _known_words(text: str, spans: list[Span]) -> dict[str, int]:
    """Return how many words a text has, and how many of them overlap with a term of the model.

    A word is a sequence of letters, digits and underscores.
    """
    is_known = bytearray(len(text))  # 1 for each character that is part of a term
    for start, end, _ in spans:
        is_known[start:end] = b"\x01" * (end - start)
    known = [1 in is_known[match.start() : match.end()] for match in _WORD.finditer(text)]
    return {"known": sum(known), "total": len(known)}


def _compared(model: Model, explained: ClassExplanation) -> Iterable[float | None]:
    """Return how much more each term adds to the class than to all classes on average.

    If the model needs no such comparison (`Model.needs_comparing`), return None for each term.
    """
    return explained.compared() if model.needs_comparing else repeat(None, len(explained.contributions))


# -- terms and description -------------------------------------------------------------------------------------------


class TermList:
    """Searches the terms of a model; see `Model.strengths` for the meaning of a strength."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._strengths = model.strengths()  # terms x classes
        analyzer = model.settings.get("analyzer")
        self._searched = [_searched_text(term, display_term(term, analyzer)) for term in model.terms]
        has_both = model.analysis.char_ngram_range is not None  # words, and n-grams of characters
        self._is_part = np.array([has_both and is_marked(term) for term in model.terms], bool)

    def page(self, label: Label | None, q: str, offset: int, n: int, *, words_first: bool = False) -> dict[str, Any]:
        """Return the number of all terms that contain `q`, and `n` of these terms, after the first `offset` ones.

        The terms of a class come strongest first. Without a class, terms come in selection order, each with the class
        for which it is strongest. With `words_first`, n-grams of characters come after all words.
        """
        rows = self._matching(q)
        column = None if label is None else self._model.classes.index(label)
        if column is not None:
            rows = rows[np.argsort(-self._strengths[rows, column], kind="stable")]
        if words_first:
            rows = rows[np.argsort(self._is_part[rows], kind="stable")]
        page_rows = rows[offset : offset + n]
        columns = self._strengths[page_rows].argmax(axis=1) if column is None else np.full(len(page_rows), column)
        terms = [self._entry(row, column) for row, column in zip(page_rows.tolist(), columns.tolist(), strict=True)]
        return {"total": len(rows), "terms": terms}

    def _matching(self, q: str) -> Ints:
        """Return the positions of the terms that contain `q`, ignoring case."""
        folded = q.casefold()
        if not folded:
            return np.arange(len(self._searched))
        return np.array([row for row, text in enumerate(self._searched) if folded in text], np.int64)

    def _entry(self, row: int, column: int) -> dict[str, Any]:
        """Return a term and its strength for a class, given their positions in the model."""
        strength = float(self._strengths[row, column])
        return {"term": self._model.terms[row], "label": self._model.classes[column], "strength": strength}


def _searched_text(term: str, displayed: str) -> str:
    """Return the text in which a term is searched for: as it is stored, and as the page shows it if that differs."""
    return (term if displayed == term else f"{term}\n{displayed}").casefold()


def describe(model: Model) -> dict[str, Any]:
    """Return a description of the model in plain values.

    It contains no training text. Terms come from training texts, so it has only their number. Title, description and
    examples are those that the owner of the model gave.
    """
    about, settings = model.about, {name: model.settings[name] for name in model.settings if name not in PRESENTATION}
    class_sizes = zip(model.classes, model.class_docs, strict=True)
    return {
        **presentation_of(model.settings),
        "multilabel": model.multilabel,
        "classes": [{"label": label, "documents": n_documents} for label, n_documents in class_sizes],
        "terms": len(model.terms),
        "terms_seen": about.get("n_terms_seen"),
        "classifier": settings.get("classifier"),
        "selector": settings.get("selector"),
        "analysis": model.analysis.describe(),
        "trained": about.get("trained"),
        "updated": about.get("updated"),
        "documents": about.get("n_documents"),
        "held_out": about.get("held_out"),
        "probabilities": model.calibration is not None,
        "confidence": about.get("confidence"),
        "settings": settings,
        "text_columns": _text_columns(about),
    }


def _text_columns(about: Mapping[str, Any]) -> list[str]:
    """Return the names of the columns of the text that training got, or [] if there are none."""
    columns = about.get("columns")
    text = columns.get("text") if isinstance(columns, dict) else None
    names = text if isinstance(text, list) else [text]
    return [name for name in names if isinstance(name, str)]


# -- the model in use ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ServedModel:
    """A model and its file: `id` is the start of the file's digest, and `loaded` the time when it was read."""

    model: Model
    id: str
    n_bytes: int
    name: str
    loaded: str
    update_method: UpdateMethod
    """What `textsieve update` does with the model and corrections."""
    _count: CountPredictions

    def count(self, predictions: Predictions, min_probability: float | None) -> None:
        """Add predictions to the metrics; a document of which the model is less sure than the minimum has no label."""
        self._count(self.model, predictions, min_probability)

    def records(
        self, predictions: Predictions, top: int | None, min_probability: float | None = None
    ) -> Iterable[dict[str, Any]]:
        """Return a record for each prediction, with the scores of the `top` best classes if `top` is given.

        A document of which the model is less sure than `min_probability` has no label.
        """
        if top is None and min_probability is None:
            return self._records.of(predictions)
        n_scores = None if top is None else min(top, len(self.model.classes))
        abstention = Abstention.of(self.model, min_probability, None)
        return Records(self.model, n_scores, abstention).of(predictions)

    @cached_property
    def _records(self) -> Records:
        """Return the converter for requests without settings; most have none, and creating it takes time."""
        return Records(self.model)

    @cached_property
    def is_light(self) -> bool:
        """Return whether the model predicts a batch of short texts in a few milliseconds, and without compiled code.

        So it is if terms are words or pairs of words, and scores are a few sums of their coefficients.
        """
        model = self.model
        return (
            isinstance(model.scorer, LinearScorer)
            and len(model.classes) <= MAX_LIGHT_CLASSES
            and model.ngram_range[1] <= 2
            and not (model.analysis.counts_characters or model.preparation.normalise or model.preparation.names)
        )

    @cached_property
    def terms(self) -> TermList:
        """Return the searchable list of terms."""
        return TermList(self.model)

    @cached_property
    def description(self) -> dict[str, object]:
        """Return the description of the model and its file."""
        of_file = {"name": self.name, "id": self.id, "bytes": self.n_bytes, "loaded": self.loaded}
        update = {"method": self.update_method.name, "description": self.update_method.description}
        return of_file | describe(self.model) | {"update": update}


class FileSignature(NamedTuple):
    """File metadata that changes when a file is replaced or written."""

    inode: int
    size: int
    modified: int

    @classmethod
    def of(cls, path: str) -> FileSignature | None:
        """Return the signature of a file, or None if there is no file or it can't be accessed."""
        try:
            status = os.stat(path)
        except OSError:
            return None
        return cls(status.st_ino, status.st_size, status.st_mtime_ns)


class ModelHolder:
    """Holds the model that new requests use."""

    model: ServedModel

    def __init__(self, path: str, count: CountPredictions) -> None:
        self._path, self._count = path, count
        self._signature = FileSignature.of(path)
        self.model = self._read()

    @property
    def has_changed(self) -> bool:
        """Return whether the file has changed, appeared or disappeared since the last attempt to read it."""
        return FileSignature.of(self._path) != self._signature

    def reload(self) -> bool:
        """Read the file again and return whether it contains another model.

        If it can't be read, raise the error and keep the current model.
        """
        self._signature = FileSignature.of(self._path)
        served = self._read()
        is_other_model = served.id != self.model.id
        if is_other_model:
            self.model = served
        return is_other_model

    def _read(self) -> ServedModel:
        """Return the model of the file, ready for fast predictions."""
        # Predictions run in threads, in which nothing could stop a slow regular expression.
        model, file = read_stored(self._path, only_fast_patterns=True)
        loaded = datetime.now(UTC).isoformat(timespec="seconds")
        model.predict(["A first prediction fills the caches of the model."])
        return ServedModel(
            model,
            file.digest[:16],
            file.n_bytes,
            os.path.basename(self._path),
            loaded,
            update_method(model, has_statistics=file.has_statistics),
            self._count,
        )
