"""A file of what was measured, which an interrupted run goes on with: a header, then a line for each number.

The header says what numbers are comparable by: versions, and which part of the documents. Seconds depend on threads and
cores, too, which each line of seconds names: a run takes only those that were measured as it would measure them, and
measures the others again. Whatever else the file holds is refused before anything is changed in it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

from ..comparison.appending import append, appended, check_place, drop_torn, split_lines
from ..errors import InputError, shown
from ..settings import n_threads
from ..training.keeping import when_and_with_what
from .measurements import Measured, Measurement, Scope

FORMAT = "textsieve reproduce 2"
_BEGINNING = b'{"file": "textsieve reproduce '

Lines = dict[tuple[str, str | None], Measured]
"""What was measured, by its key and by the machine, if that matters."""


class Memory:
    """What was measured in earlier runs, and a place for more."""

    def __init__(self, scope: Scope, file: IO[bytes] | None = None, lines: Lines | None = None) -> None:
        self._machine = machine_of(scope)
        self._file = file
        self._lines = lines or {}

    def recall(self, wanted: Measurement) -> Measured | None:
        """What is known of it; of seconds, if they were measured in the same way, or nobody noted in which."""
        named = self._lines.get((wanted.key, self._machine)) if wanted.is_of_seconds else None
        return named or self._lines.get((wanted.key, None))

    def remember(self, what: Measurement, measured: Measured) -> None:
        """Have it on the disk."""
        if self._file is not None:
            machine = {"machine": self._machine} if what.is_of_seconds else {}
            append(self._file, {"what": what.key, **measured._asdict(), **machine})


def machine_of(scope: Scope) -> str:
    """What seconds depend on."""
    return f"{n_threads(scope.n_jobs)} threads, {os.cpu_count()} cores"


def header_of(scope: Scope) -> dict[str, Any]:
    """What numbers are comparable by."""
    part = {"every": scope.every, "repetitions": scope.repetitions, "n_jobs": None}
    return {"file": FORMAT, "scope": part, "versions": when_and_with_what(None)["versions"]}


@contextmanager
def memory(path: str | None, scope: Scope) -> Iterator[Memory]:
    """The file at a path, to go on with; without one nothing is remembered."""
    if path is None:
        yield Memory(scope)
        return
    check_place(path)
    with appended(path) as file:
        lines, torn = split_lines(file)
        _require_own(lines[0] if lines else torn, path, is_torn=not lines)
        header: dict[str, Any] = json.loads(json.dumps(header_of(scope)))
        known = _known(lines, header, path)
        if torn:
            drop_torn(file, lines)
        if not lines:
            append(file, header)
        yield Memory(scope, file, known)


def _require_own(first: bytes, path: str, *, is_torn: bool) -> None:
    """Refuse what reproduce did not write; a header that is torn has at least begun."""
    if not (first.startswith(_BEGINNING) or (is_torn and _BEGINNING.startswith(first))):
        raise InputError(f"{path}: is there already, and holds no numbers of reproduce; choose another name for them.")


def _known(lines: list[bytes], header: Mapping[str, Any], path: str) -> Lines:
    if lines and (found := _parsed(lines[0])) != header:
        raise InputError(
            f"{path}: these numbers were measured {_otherwise(found, header)}; delete the file, or name another."
        )
    known: Lines = {}
    for number, line in enumerate(lines[1:], 2):
        try:
            what, machine, measured = _line_of(json.loads(line))
        except (ValueError, TypeError, KeyError) as problem:
            raise InputError(
                f"{path}, line {number}: is no number of reproduce ({shown(str(problem))}). The file is damaged; "
                "delete that line, or the file, or name another."
            ) from problem
        known[what, machine] = measured
    return known


def _otherwise(found: Any, header: Mapping[str, Any]) -> str:
    """What a header says that ours does not."""
    for name, words in (("versions", "by other versions"), ("scope", "of another part")):
        there, here = found.get(name) if isinstance(found, dict) else None, header[name]
        if isinstance(there, dict) and there != here:
            each = next(each for each in (*here, *there) if there.get(each) != here.get(each))
            return f"{words} ({each}: {shown(there.get(each))} there, {shown(here.get(each))} here)"
    return "in another format, or its first line is damaged"


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _line_of(line: Any) -> tuple[str, str | None, Measured]:
    """A line as it was written, or an error that says what is wrong."""
    what, machine, value = line["what"], line.get("machine"), line["value"]
    if isinstance(value, list):
        value = tuple(_require(each, str) for each in value)
    else:
        _require(value, float, int, type(None))
    width = _require(line["half_width"], float, int, type(None))
    problem = _require(line["problem"], str, type(None))
    return _require(what, str), _require(machine, str, type(None)), Measured(value, width, problem)


def _require(value: Any, *kinds: type) -> Any:
    if not isinstance(value, kinds) or isinstance(value, bool):
        raise ValueError(f"{shown(value)} in a wrong place")
    return value
