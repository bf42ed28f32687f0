"""The lock that a process holds while it changes a model that can be updated.

The lock is on an empty file next to the model, such as `news.sieve.lock` for `news.sieve`, and is taken by the library
`filelock`. The operating system releases it if the process is killed. The file is removed before the lock is released.
If another process opened the file just before, and locks it after that, `filelock` notices that the file is gone, and
tries again.

Only a model with statistics or sources can be updated. So a process that writes a model without statistics takes the
lock only if it would replace a model with statistics or sources, or if there is a lock file already.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ..errors import InputError
from ..files import unwritable
from .reading import open_model

SECONDS = 0.2
"""Seconds to try to get the lock: enough for a second attempt, and too little to wait for another process."""


@contextmanager
def locked(path: str) -> Iterator[None]:
    """Hold the lock of a model file inside this context; raise `InputError` if another process holds it.

    The lock file is created, and removed at the end.
    """
    from filelock import FileLock, Timeout  # its import takes longer than reading a model

    lock_path = _lock_path(path)
    folder = os.path.dirname(lock_path)
    if not os.path.isdir(folder):  # filelock would create it
        raise unwritable(path, f"there is no folder {folder}", "make it first")
    _check_lock_file(lock_path)
    lock = FileLock(lock_path, timeout=SECONDS)
    try:
        lock.acquire()
    except Timeout as problem:
        raise InputError(
            "the model is being written or updated by another process", place=path, hint="try again when that is done"
        ) from problem
    except (OSError, NotImplementedError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise InputError(f"can't be locked: {lock_path}: {reason}.", place=path) from problem
    try:
        yield
    finally:
        with suppress(OSError):  # Windows removes no open file
            os.unlink(lock_path)
        lock.release()


def may_be_updated(path: str) -> bool:
    """Return whether another process might be updating the model at a path.

    That is possible if there is a lock file, or a model with statistics or sources.
    """
    if os.path.lexists(_lock_path(path)):
        return True
    try:
        with open_model(path) as archive:
            about = archive.header.get("about")
            return archive.header.get("statistics") is not None or (isinstance(about, dict) and "sources" in about)
    except InputError:  # there is no model at the path
        return False


def _lock_path(path: str) -> str:
    """Return the path of the lock file; links to one model share it."""
    return f"{os.path.realpath(path)}.lock"


def _check_lock_file(path: str) -> None:
    """Raise `InputError` for a file that textsieve did not create, since it would be removed with the lock."""
    try:
        status = os.lstat(path)
    except OSError:
        return  # there is no such file
    if stat.S_ISLNK(status.st_mode):
        what = "a link"
    elif not stat.S_ISREG(status.st_mode):
        what = "a pipe or a device"
    elif status.st_size > 0:
        what = f"a file of {status.st_size:,} bytes"
    else:
        return
    raise InputError(
        f"this is {what}, and textsieve uses the name for an empty lock file", place=path, hint="move it away"
    )
