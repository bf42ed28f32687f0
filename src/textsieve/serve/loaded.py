"""A model that was read from its file, with what is told of it; and the swap for a newer one.

A request takes the model that is current when it begins, and keeps it to its end: so no answer is of two models, and
none is lost when they are swapped. A file that can't be read changes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import NamedTuple

from ..modelfile.reading import read_identified
from ..prediction import Model, Predictions
from ..prediction.records import Records
from .card import card
from .termlist import TermList

Count = Callable[[Model, Predictions], None]


class Signature(NamedTuple):
    """By which a file is told from the one that takes its place."""

    inode: int
    size: int
    modified: int


def signature(path: str) -> Signature | None:
    """Of the file that is there, if there is one."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return Signature(found.st_ino, found.st_size, found.st_mtime_ns)


@dataclass(frozen=True, eq=False)
class Loaded:
    """A model, and what it was read from."""

    model: Model
    id: str
    n_bytes: int
    name: str
    when: str
    _count: Count

    def count(self, found: Predictions) -> None:
        """Note what was predicted."""
        self._count(self.model, found)

    def records(self, top: int | None) -> Records:
        """What makes records of predictions, with the scores of so many classes."""
        return self._records if top is None else Records(self.model, min(top, len(self.model.classes)))

    @cached_property
    def _records(self) -> Records:
        return Records(self.model)

    @cached_property
    def terms(self) -> TermList:
        """The terms, by class."""
        return TermList(self.model)

    @cached_property
    def card(self) -> dict[str, object]:
        """What is told of the model."""
        return {"name": self.name, "id": self.id, "bytes": self.n_bytes, "loaded": self.when} | card(self.model)


class Current:
    """The model that requests get now."""

    def __init__(self, path: str, count: Count) -> None:
        self._path, self._count = path, count
        self._signature = signature(path)
        self.now = self._read()

    @property
    def has_changed(self) -> bool:
        """Whether there is another file than the one that was last read, or tried."""
        found = signature(self._path)
        return found is not None and found != self._signature

    def swap(self) -> bool:
        """Read the file again; whether it was another model. If it can't be read, the one that is there stays."""
        self._signature = signature(self._path)
        found = self._read()
        is_another = found.id != self.now.id
        if is_another:
            self.now = found
        return is_another

    def _read(self) -> Loaded:
        model, digest, n_bytes = read_identified(self._path)
        when = datetime.now(UTC).isoformat(timespec="seconds")
        loaded = Loaded(model, digest[:16], n_bytes, os.path.basename(self._path), when, self._count)
        model.predict(["A first text, for what is made when it is first needed."])
        return loaded
