"""A file of what was measured, which an interrupted run goes on with: a header, then a line for each number.

The header says what numbers are comparable by: versions, and which part of the documents. Seconds depend on threads and
cores, too, which each line of seconds names: a run takes only those that were measured as it would measure them, and
measures the others again. Lines have checksums (`comparison/appending.py`); a damaged line, and a file of something
else, raise `InputError` before anything is changed in it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

from textsieve.comparison.appending import (
    append,
    appended,
    check_place,
    damaged_line,
    decode_line,
    drop_unfinished,
    first_difference,
    read_lines,
)
from textsieve.comparison.schema import is_list, is_number
from textsieve.errors import InputError, shown
from textsieve.settings import n_threads
from textsieve.training.provenance import provenance

from .measurements import Measured, Measurement, Scope

FORMAT = "textsieve studies 1"
_BEGINNING = b'{"file": "textsieve studies '

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
    return {"file": FORMAT, "scope": part, "versions": provenance(None)["versions"]}


@contextmanager
def memory(path: str | None, scope: Scope) -> Iterator[Memory]:
    """The file at a path, to go on with; without one nothing is remembered."""
    if path is None:
        yield Memory(scope)
        return
    check_place(path)
    with appended(path) as file:
        lines, unfinished = read_lines(path)
        _require_own(lines[0] if lines else unfinished, path, is_torn=not lines)
        header: dict[str, Any] = json.loads(json.dumps(header_of(scope)))
        known = _known(lines, header, path)
        drop_unfinished(file, lines)
        if not lines:
            append(file, header)
        yield Memory(scope, file, known)


def _require_own(first: bytes, path: str, *, is_torn: bool) -> None:
    """Refuse what a study did not write; a header that is torn has at least begun."""
    if not (first.startswith(_BEGINNING) or (is_torn and _BEGINNING.startswith(first))):
        raise InputError(f"{path}: is there already, and holds no numbers of a study; choose another name for them.")


def _known(lines: list[bytes], header: Mapping[str, Any], path: str) -> Lines:
    if lines and (found := _parsed(lines[0])) != header:
        raise InputError(
            f"{path}: these numbers were measured {_otherwise(found, header)}; delete the file, or name another."
        )
    known: Lines = {}
    for number, line in enumerate(lines[1:], 2):
        try:
            what, machine, measured = _line_of(decode_line(line))
        except ValueError as problem:
            raise damaged_line(path, number, problem) from problem
        known[what, machine] = measured
    return known


def _otherwise(found: Any, header: Mapping[str, Any]) -> str:
    """What a header says that ours does not."""
    for name, words in (("versions", "by other versions"), ("scope", "of another part")):
        there, here = found.get(name) if isinstance(found, dict) else None, header[name]
        if isinstance(there, dict) and there != here:
            return f"{words} ({first_difference(there, here)})"
    return "in another format, or its first line is damaged"


def _parsed(line: bytes) -> Any:
    try:
        return decode_line(line)
    except ValueError:
        return None


def _line_of(line: Mapping[str, Any]) -> tuple[str, str | None, Measured]:
    """Return what a line says was measured, on which machine, and what came out; raises `ValueError` if it is wrong."""
    if set(line) - {"machine"} != {"what", *Measured._fields}:
        raise ValueError(f"it has the fields {shown(sorted(line))}")
    value = line["value"]
    is_right = {
        "what": isinstance(line["what"], str),
        "machine": isinstance(line.get("machine", ""), str),
        "value": value is None or is_number(value) or is_list(value, lambda word: isinstance(word, str)),
        "half_width": line["half_width"] is None or is_number(line["half_width"]),
        "problem": line["problem"] is None or isinstance(line["problem"], str),
    }
    for name, holds in is_right.items():
        if not holds:
            raise ValueError(f"{name} is {shown(line[name])}")
    measured = Measured(tuple(value) if isinstance(value, list) else value, line["half_width"], line["problem"])
    return line["what"], line.get("machine"), measured
