"""A file that grows by lines of JSON, each on the disk before work goes on: whatever ends a run, whole lines are left,
and at most one that is torn.

Whoever goes on with such a file looks first whether it is its own, and only then drops a torn line: a file of somebody
else stays as it is.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

from ..errors import InputError


def check_place(path: str) -> None:
    """Stop before any work is done if a file could not be written there."""
    folder = os.path.dirname(path) or "."
    if os.path.isdir(path):
        raise InputError(f"{path} is a folder; give the name of a file in it.")
    if not os.path.isdir(folder):
        raise InputError(f"{path}: can't be written, because there is no folder {folder}; make it first.")
    if not os.access(path if os.path.exists(path) else folder, os.W_OK):
        raise InputError(f"{path}: can't be written, because you may not write there; choose another place.")
    if os.path.exists(path) and not os.path.isfile(path):
        raise InputError(f"{path} is a device or a pipe, and results are kept in a file; give the name of one.")


@contextmanager
def appended(path: str) -> Iterator[IO[bytes]]:
    """The file at a path, or a new one, to be read and then added to by nobody else."""
    try:
        file = open(path, "a+b", buffering=0)  # noqa: SIM115, closed below, with nothing left to be written then
    except OSError as problem:
        raise InputError(f"{path}: can't be written ({problem.strerror}); choose another place.") from problem
    with file:
        lock(file, path)
        yield file


def split_lines(file: IO[bytes]) -> tuple[list[bytes], bytes]:
    """All whole lines, and what there is of a torn one."""
    file.seek(0)
    *lines, torn = file.read().split(b"\n")
    return lines, torn


def drop_torn(file: IO[bytes], lines: list[bytes]) -> None:
    """Leave the whole lines alone."""
    file.truncate(sum(len(line) + 1 for line in lines))


def append(file: IO[bytes], record: Mapping[str, Any]) -> None:
    """Have a line on the disk."""
    try:
        left = json.dumps(record, ensure_ascii=True).encode() + b"\n"
        while left:
            left = left[file.write(left) :]
        os.fsync(file.fileno())
    except OSError as problem:
        raise InputError(
            f"{file.name}: can't be written any further ({problem.strerror}). What it has is safe; make "
            "room, and the same command goes on where it was."
        ) from problem


def lock(file: IO[bytes], path: str) -> None:
    """Refuse to write where another run does, as far as the system can tell."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as problem:
        raise InputError(f"{path}: another run is writing to it; wait for it, or choose another file.") from problem
    except OSError:
        return  # a file system that knows no locks
