"""Measure what the items of a paper ask for, once each, and remember it in a file: an interrupted run goes on."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

from ..errors import InputError
from ..training.documents import Progress
from ..training.keeping import when_and_with_what
from .conditions import Asked
from .derived import Derived
from .measurements import Measured, Measurement, Scope, measure_each

Found = dict[Measurement, Measured]
FORMAT = "textsieve reproduce 1"


def measure(asked: Iterable[Asked], scope: Scope, remembered: str | None, progress: Progress) -> Found:
    """Everything that the items ask for."""
    named = list(dict.fromkeys(each.what for some in asked for item in some.items for each in item.all_conditions))
    wanted = list(dict.fromkeys(part for each in named for part in _parts(each)))
    found: Found = {}
    with _memory(remembered, scope) as (known, remember):
        found |= {each: known[each.key] for each in wanted if each.key in known}

        def tell(words: str) -> None:
            progress(words, len(found), len(wanted))

        with _few_documents_are_meant(scope):
            for each, measured in measure_each([each for each in wanted if each not in found], scope, tell):
                found[each] = measured
                remember(each, measured)
    return found | {each: _measured_of(each, found) for each in named}


def _parts(wanted: Measurement) -> tuple[Measurement, ...]:
    """What has to be measured for it."""
    if not isinstance(wanted, Derived):
        return (wanted,)
    return tuple(needed for part in wanted.parts for needed in _parts(part))


def _measured_of(wanted: Measurement, found: Found) -> Measured:
    if not isinstance(wanted, Derived):
        return found[wanted]
    return wanted.combined([_measured_of(part, found) for part in wanted.parts])


@contextmanager
def _few_documents_are_meant(scope: Scope) -> Iterator[None]:
    """In a run of a part nobody is warned that classes have few documents."""
    with warnings.catch_warnings():
        if not scope.is_full:
            warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        yield


def header_of(scope: Scope) -> dict[str, Any]:
    """What numbers are comparable by."""
    return {
        "file": FORMAT,
        "scope": scope._asdict() | {"n_jobs": None},
        "versions": when_and_with_what(None)["versions"],
    }


@contextmanager
def _memory(path: str | None, scope: Scope) -> Iterator[Any]:
    """What a file has, and a way to add to it."""
    if path is None:
        yield {}, lambda *_: None
        return
    header, known = header_of(scope), {}
    if os.path.exists(path):
        known = _read(path, header)
    with open(path, "a", encoding="utf-8") as file:
        if file.tell() == 0:
            _write(file, header)

        def remember(what: Measurement, measured: Measured) -> None:
            _write(file, {"what": what.key, **measured._asdict()})

        yield known, remember


def _write(file: IO[str], line: Mapping[str, Any]) -> None:
    file.write(json.dumps(line, ensure_ascii=False) + "\n")
    file.flush()
    os.fsync(file.fileno())


def _read(path: str, header: Mapping[str, Any]) -> dict[str, Measured]:
    with open(path, "rb+") as file:
        content = file.read()
        whole = content.rfind(b"\n") + 1
        file.truncate(whole)  # a line that was torn
    try:
        lines = [json.loads(line) for line in content[:whole].splitlines()]
    except ValueError:
        lines = [None]
    if not lines:
        return {}
    if lines[0] != json.loads(json.dumps(header)):
        raise InputError(
            f"{path}: these numbers were measured by other versions, of another part, or not by reproduce at all; "
            "delete the file, or name another."
        )
    return {line["what"]: _measured(line) for line in lines[1:]}


def _measured(line: Mapping[str, Any]) -> Measured:
    value = tuple(line["value"]) if isinstance(line["value"], list) else line["value"]
    return Measured(value, line["half_width"], line["problem"])
