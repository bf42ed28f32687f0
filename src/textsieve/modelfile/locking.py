"""The lock that a process holds while it changes a model file and its statistics.

The lock is on a file next to the model, `news.sieve.lock`; the operating system releases it if the process is killed.
The file is removed before the lock is released. So a file that another process opened just before may be deleted by
the time that process locks it: then the process creates a new one.

Only a model with statistics next to it can be updated. So a process that writes a model without statistics takes the
lock only if such a file, or a lock, exists, and otherwise writes without a lock.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import InputError
from ..files import is_at, lock


@contextmanager
def locked(path: str) -> Iterator[None]:
    """Lock a model file against changes by others; raise `InputError` if another process holds the lock."""
    place = f"{os.path.realpath(path)}.lock"
    try:
        descriptor = _hold(place)
    except BlockingIOError as problem:
        raise InputError(
            f"{path} is being written or updated by another process; try again when that is done."
        ) from problem
    except OSError as problem:
        raise InputError(f"{path} can't be written: {place}: {problem.strerror or problem}.") from problem
    try:
        yield
    finally:
        os.unlink(place)
        os.close(descriptor)


def may_be_updated(path: str) -> bool:
    """Return whether another process might be updating the model at a path."""
    place = os.path.realpath(path)
    return any(os.path.exists(f"{place}{suffix}") for suffix in (".stats", ".stats.new", ".lock"))


def _hold(place: str) -> int:
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    while True:
        if os.path.islink(place):
            raise _not_a_lock(place, "a link")
        descriptor = os.open(place, flags, 0o666)
        try:
            _require_lock_file(descriptor, place)
            _lock(descriptor)
            if is_at(descriptor, place):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _require_lock_file(descriptor: int, place: str) -> None:
    """Raise `InputError` for a file that textsieve did not create, since it would be removed with the lock."""
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise _not_a_lock(place, "a pipe or a device")
    if status.st_size > 0:
        raise _not_a_lock(place, f"a file of {status.st_size:,} bytes")


def _not_a_lock(place: str, what: str) -> InputError:
    return InputError(f"{place} is {what}, and textsieve uses this name for an empty lock file; move it away.")


def _lock(descriptor: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        lock(descriptor)
