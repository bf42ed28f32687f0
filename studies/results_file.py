"""A file of measured numbers, so that an interrupted run can be resumed: a header, then a line for each number.

Numbers are comparable only if versions and scope are the same, so the header has both. Seconds also depend on the
numbers of threads and cores. Each line of seconds has them, and a run reuses only seconds that were measured with its
own. Lines have checksums. A damaged line or a file of another kind raises `InputError`, and the file is not changed.

A line also names the commit of the code that measured it, so that a page can name the commits behind its numbers.
"""

from __future__ import annotations

import json
import math
import os
import platform
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any, NamedTuple

from textsieve import InputError
from textsieve.comparison.json_lines import (
    append,
    check_results_path,
    damaged_line,
    decode_line,
    drop_unfinished,
    first_difference,
    open_to_append,
    read_lines,
)

from .measurements import Estimate, Measurement, Scope

FORMAT = "textsieve studies 1"
_BEGINNING = b'{"file": "textsieve studies '
PACKAGES = ("textsieve", "numpy", "scipy", "scikit-learn", "numba")


class Line(NamedTuple):
    """An estimate, the commit of the code that measured it, and for seconds the machine."""

    estimate: Estimate
    commit: str | None
    machine: str | None


Lines = dict[tuple[str, str | None], Line]
"""Lines by the key of the measurement, and for seconds also by the machine."""


class Provenance(NamedTuple):
    """What some numbers were measured with."""

    versions: Mapping[str, str]
    commits: tuple[str, ...]
    """Commits of the code, sorted."""
    machines: tuple[str, ...]
    """For seconds: numbers of threads and cores."""

    @property
    def in_words(self) -> str:
        """Return a sentence about versions, commits and machines."""
        versions = ", ".join(f"{name} {number}" for name, number in self.versions.items())
        noun = "commit" if len(self.commits) == 1 else "commits"
        commits = f" at {noun} {', '.join(self.commits)}" if self.commits else ""
        named = "; ".join(machine.replace("1 threads", "1 thread") for machine in self.machines)
        machines = f" Seconds: {named}." if self.machines else ""
        newest = " The versions are those of the newest numbers." if len(self.commits) > 1 else ""
        return f"Measured with {versions}{commits}.{newest}{machines}"


class ResultsFile:
    """The numbers of earlier runs, and the file to which new ones are appended."""

    def __init__(self, scope: Scope, file: IO[bytes] | None = None, lines: Lines | None = None) -> None:
        self._machine = machine_of(scope)
        self._versions = header_of(scope)["versions"]
        self._file = file
        self._lines = lines or {}

    def find(self, measurement: Measurement) -> Estimate | None:
        """Return a known estimate; seconds only if they were measured with the same threads and cores."""
        line = self._lines.get(self._key_of(measurement))
        return None if line is None else line.estimate

    def add(self, measurement: Measurement, estimate: Estimate) -> None:
        """Remember an estimate, and append it to the file, if there is one."""
        key, machine = self._key_of(measurement)
        self._lines[key, machine] = line = Line(estimate, current_commit(), machine)
        if self._file is not None:
            more = {"commit": line.commit, "machine": machine}
            present = {name: value for name, value in more.items() if value is not None}
            append(self._file, {"measurement": key, **estimate._asdict(), **present})

    def provenance_of(self, measurements: Iterable[Measurement]) -> Provenance:
        """Return what these measurements were made with."""
        lines = [self._lines[key] for measurement in measurements if (key := self._key_of(measurement)) in self._lines]
        commits = {line.commit for line in lines if line.commit is not None}
        machines = {line.machine for line in lines if line.machine is not None}
        return Provenance(self._versions, tuple(sorted(commits)), tuple(sorted(machines)))

    def _key_of(self, measurement: Measurement) -> tuple[str, str | None]:
        return measurement.key, self._machine if measurement.is_of_seconds else None


class Recorded(ResultsFile):
    """The numbers of a file, whatever versions and machine measured them; nothing is added to it."""

    def __init__(self, path: str) -> None:
        self.path = path
        lines, _ = read_lines(path)
        header = _decode_header(lines[0])
        super().__init__(Scope(), lines=_read_estimates(lines, header, path))
        self._versions = header["versions"]
        self._by_name = {key: (key, machine) for key, machine in self._lines}

    def _key_of(self, measurement: Measurement) -> tuple[str, str | None]:
        return self._by_name.get(measurement.key, (measurement.key, None))


def made_today() -> str:
    """Return a sentence about the versions, the commit and the date of a run, for a page that is measured in one go."""
    commit = current_commit()
    made = Provenance(header_of(Scope())["versions"], () if commit is None else (commit,), ())
    return f"{made.in_words.removesuffix('.')} on {datetime.now(UTC):%Y-%m-%d}."


@lru_cache(maxsize=1)
def current_commit() -> str | None:
    """Return the commit of this clone, followed by + if code was changed since; None outside of a clone."""
    root = Path(__file__).parents[1]
    try:
        commit = _git(root, "rev-parse", "--short=8", "HEAD")
        changes = _git(root, "status", "--porcelain", "--", "src", "studies")
    except (OSError, subprocess.CalledProcessError):
        return None
    return f"{commit}+" if changes else commit


def _git(root: Path, *arguments: str) -> str:
    """Return the output of git in a folder."""
    done = subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def machine_of(scope: Scope) -> str:
    """Return the numbers of threads and cores as text; seconds depend on them."""
    cores = os.cpu_count()
    threads = cores if scope.n_jobs == -1 else scope.n_jobs or 1
    return f"{threads} threads, {cores} cores"


def header_of(scope: Scope) -> dict[str, Any]:
    """Return the header of the file of a run; numbers in files with different headers are not comparable."""
    versions = {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}}
    scope_fields = {"every": scope.every, "repetitions": scope.repetitions}
    return {"file": FORMAT, "scope": scope_fields, "versions": versions}


@contextmanager
def open_results(path: str | None, scope: Scope) -> Iterator[ResultsFile]:
    """Open the results file at a path, to find numbers of earlier runs and to add new ones.

    An unfinished last line, of an interrupted run, is dropped. Without a path, nothing is stored.
    """
    if path is None:
        yield ResultsFile(scope)
        return
    check_results_path(path)
    with open_to_append(path) as file:
        lines, unfinished = read_lines(path)
        _require_own(lines[0] if lines else unfinished, path, is_unfinished=not lines)
        header = header_of(scope)
        known = _read_estimates(lines, header, path)
        drop_unfinished(file, lines)
        if not lines:
            append(file, header)
        yield ResultsFile(scope, file, known)


def _require_own(first: bytes, path: str, *, is_unfinished: bool) -> None:
    """Raise `InputError` if the file does not begin with a header of studies, or with a part of one."""
    if not (first.startswith(_BEGINNING) or (is_unfinished and _BEGINNING.startswith(first))):
        raise InputError(f"{path}: the file exists, and is not a results file of studies; choose another name.")


def _read_estimates(lines: list[bytes], header: Mapping[str, Any], path: str) -> Lines:
    """Return the estimates of a file; raise `InputError` if its header differs from that of this run."""
    if lines and (stored := _decode_header(lines[0])) != header:
        raise InputError(
            f"{path}: these numbers were measured {_difference(stored, header)}; delete the file, or name another."
        )
    estimates: Lines = {}
    for number, line in enumerate(lines[1:], 2):
        try:
            key, parsed = _parse_line(decode_line(line))
        except ValueError as problem:
            raise damaged_line(path, number, problem) from problem
        estimates[key, parsed.machine] = parsed
    return estimates


def _difference(stored: Any, header: Mapping[str, Any]) -> str:
    """Describe the first difference between the header of a file, which may be damaged, and that of this run."""
    for name, words in (("versions", "by other versions"), ("scope", "of another part")):
        in_file, in_run = stored.get(name) if isinstance(stored, dict) else None, header[name]
        if isinstance(in_file, dict) and in_file != in_run:
            return f"{words} ({first_difference(in_file, in_run)})"
    return "in another format, or its first line is damaged"


def _decode_header(line: bytes) -> Any:
    """Return the header of a file, or None if it is damaged."""
    try:
        return decode_line(line)
    except ValueError:
        return None


def _parse_line(line: Mapping[str, Any]) -> tuple[str, Line]:
    """Return the key and the content of a line; raise `ValueError` if it is invalid."""
    if set(line) - {"machine", "commit"} != {"measurement", *Estimate._fields}:
        raise ValueError(f"it has the fields {json.dumps(sorted(line))}")
    value = line["value"]
    is_valid = {
        "measurement": isinstance(line["measurement"], str),
        "machine": isinstance(line.get("machine", ""), str),
        "commit": isinstance(line.get("commit", ""), str),
        "value": value is None or _is_number(value) or _are_words(value),
        "half_width": line["half_width"] is None or _is_number(line["half_width"]),
        "problem": line["problem"] is None or isinstance(line["problem"], str),
    }
    for name, is_field_valid in is_valid.items():
        if not is_field_valid:
            raise ValueError(f"{name} is {str(line[name])[:50]}")
    estimate = Estimate(tuple(value) if isinstance(value, list) else value, line["half_width"], line["problem"])
    return line["measurement"], Line(estimate, line.get("commit"), line.get("machine"))


def _is_number(value: Any) -> bool:
    return isinstance(value, float | int) and not isinstance(value, bool) and -math.inf < value < math.inf


def _are_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)
