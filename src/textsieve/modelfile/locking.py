"""One at a time: who changes a model file together with its statistics holds a lock.

The lock is on a file beside the model, `news.sieve.lock`, and the system takes it back from whoever is killed. The file
is removed before the lock is let go. So one that was opened just before may be gone by the time it is locked: then it
is nobody's, and another is made.

Only a model with statistics beside it can be updated. So whoever writes a model without any takes the lock where such
a file is found, and elsewhere writes as if there were no locks.
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
    """Keep others from changing a model file; who comes second is refused."""
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
    """Whether somebody might be updating the model at a path."""
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
    """Raise `InputError` for a file that we did not make, since it would be removed with the lock."""
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
