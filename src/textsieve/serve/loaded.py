"""The served model with its description and its list of terms, and the swap for a newer one.

A request uses the model that is current when it begins, up to its end. So no response mixes two models, and no request
is lost during a swap. A file that can't be read changes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..modelfile.reading import read_identified
from ..prediction import Label, Model, Predictions
from ..prediction.records import Records


def card(model: Model) -> dict[str, Any]:
    """Return a description of the model in plain values.

    It contains no training text: the terms, which come from training texts, are only counted here.
    """
    about, settings = model.about, model.settings
    documents = zip(model.classes, model.class_docs, strict=True)
    return {
        "labels": model.labels,
        "classes": [{"label": label, "documents": n_documents} for label, n_documents in documents],
        "terms": len(model.terms),
        "terms_seen": about.get("n_terms_seen"),
        "classifier": settings.get("classifier"),
        "selector": settings.get("selector"),
        "trained": about.get("trained"),
        "updated": about.get("updated"),
        "documents": about.get("n_documents"),
        "held_out": about.get("held_out"),
        "probabilities": model.calibration is not None,
        "settings": settings,
    }


class TermList:
    """Searches the terms of a model; see `Model.strengths` for what a strength is."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._strengths = model.strengths()
        self._folded = [term.casefold() for term in model.terms]

    def page(self, label: Label | None, q: str, offset: int, n: int) -> dict[str, Any]:
        """Return a page of the terms that contain `q`: the strongest for a class first, or all in the order of rank."""
        matching = self._containing(q)
        if label is None:
            page = matching[offset : offset + n]
            columns = self._strengths[page].argmax(axis=1)
        else:
            column = self._model.classes.index(label)
            page = matching[np.argsort(-self._strengths[matching, column], kind="stable")][offset : offset + n]
            columns = np.full(len(page), column)
        rows = zip(page.tolist(), columns.tolist(), strict=True)
        return {"total": len(matching), "terms": [self._row(row, column) for row, column in rows]}

    def _containing(self, q: str) -> np.ndarray[Any, np.dtype[np.int64]]:
        folded = q.casefold()
        if not folded:
            return np.arange(len(self._folded))
        return np.array([row for row, term in enumerate(self._folded) if folded in term], np.int64)

    def _row(self, row: int, column: int) -> dict[str, Any]:
        strength = float(self._strengths[row, column])
        return {"term": self._model.terms[row], "label": self._model.classes[column], "strength": strength}


Count = Callable[[Model, Predictions], None]


class Signature(NamedTuple):
    """File metadata that shows when a file is replaced or changed."""

    inode: int
    size: int
    modified: int


def signature(path: str) -> Signature | None:
    """Return the signature of a file, or None if there is no file."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return Signature(status.st_ino, status.st_size, status.st_mtime_ns)


@dataclass(frozen=True, eq=False)
class ServedModel:
    """A model, and where and when it was read."""

    model: Model
    id: str
    n_bytes: int
    name: str
    when: str
    _count: Count

    def count(self, found: Predictions) -> None:
        """Add predictions to the metrics."""
        self._count(self.model, found)

    def records(self, top: int | None) -> Records:
        """Return the converter from predictions to records, which has the scores of the `top` best classes if given."""
        return self._records if top is None else Records(self.model, min(top, len(self.model.classes)))

    @cached_property
    def _records(self) -> Records:
        return Records(self.model)

    @cached_property
    def terms(self) -> TermList:
        """Return the searchable list of terms."""
        return TermList(self.model)

    @cached_property
    def card(self) -> dict[str, object]:
        """Return the description of the model."""
        return {"name": self.name, "id": self.id, "bytes": self.n_bytes, "loaded": self.when} | card(self.model)


class ModelHolder:
    """The model that new requests use."""

    def __init__(self, path: str, count: Count) -> None:
        self._path, self._count = path, count
        self._signature = signature(path)
        self.now = self._read()

    @property
    def has_changed(self) -> bool:
        """Return whether the file differs from the one that was last read, or tried."""
        current = signature(self._path)
        return current is not None and current != self._signature

    def swap(self) -> bool:
        """Read the file again and return whether it has another model.

        If it can't be read, raise the error and keep the current model.
        """
        self._signature = signature(self._path)
        loaded = self._read()
        is_another = loaded.id != self.now.id
        if is_another:
            self.now = loaded
        return is_another

    def _read(self) -> ServedModel:
        model, digest, n_bytes = read_identified(self._path)
        when = datetime.now(UTC).isoformat(timespec="seconds")
        loaded = ServedModel(model, digest[:16], n_bytes, os.path.basename(self._path), when, self._count)
        model.predict(["A first text, for what is made when it is first needed."])
        return loaded
