"""The terms of a model, by how much they speak for a class, and those in which a text is found."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..prediction import Label, Model


class TermList:
    """Looks terms up; `Model.strengths` says what their strength is."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._strengths = model.strengths()
        self._folded = [term.casefold() for term in model.terms]

    def page(self, label: Label | None, q: str, offset: int, n: int) -> dict[str, Any]:
        """Some of the terms that contain `q`: for a class the strongest first, or all as they were ranked."""
        found = self._containing(q)
        if label is None:
            page = found[offset : offset + n]
            columns = self._strengths[page].argmax(axis=1)
        else:
            column = self._model.classes.index(label)
            page = found[np.argsort(-self._strengths[found, column], kind="stable")][offset : offset + n]
            columns = np.full(len(page), column)
        rows = zip(page.tolist(), columns.tolist(), strict=True)
        return {"total": len(found), "terms": [self._row(place, column) for place, column in rows]}

    def _containing(self, q: str) -> np.ndarray[Any, np.dtype[np.int64]]:
        wanted = q.casefold()
        if not wanted:
            return np.arange(len(self._folded))
        return np.array([place for place, term in enumerate(self._folded) if wanted in term], np.int64)

    def _row(self, place: int, column: int) -> dict[str, Any]:
        strength = float(self._strengths[place, column])
        return {"term": self._model.terms[place], "label": self._model.classes[column], "strength": strength}
