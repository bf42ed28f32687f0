"""Append corrections to a JSON Lines file; each is on the disk before the client gets a response.

Several services, and several worker processes of a service, may write to one file. A writer locks the file while it
appends its line. If only a part of the line fits on the disk, it also keeps the lock while it removes that part;
without the lock, this could cut off a line that another process has appended in the meantime. If a writer was killed in
the middle of a line, the next writer begins with a line feed, so that only the unfinished line is lost. `textsieve
train` and `textsieve update` read the file.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from pydantic_core import to_json

from ..errors import InputError
from ..files import check_writable, flush_folder, lock
from .workers import Abandoned, IsWanted

LOCK_SECONDS = 5.0
"""Seconds to wait until another process releases the file; writing a line to the disk takes milliseconds."""
RETRY_SECONDS = 0.005


class Feedback:
    """Writes corrections to a file."""

    def __init__(self, path: str) -> None:
        check_writable(path, what="feedback")
        self._path = path
        self._lock = threading.Lock()
        if not os.path.exists(path):
            return  # the first line creates it: an empty file would be an error in training
        try:
            os.close(self._open())
        except OSError as problem:
            reason = f"the file can't be written: {problem.strerror}"
            raise InputError(reason, place=path, hint="Choose another file.") from problem

    def write(self, correction: Mapping[str, Any], is_wanted: IsWanted = lambda: True) -> None:
        """Append a line; it is on the disk when this returns.

        Raise `OSError` if it can't be written, for example because another process keeps the file locked. Raise
        `Abandoned` if the client stops waiting before the file can be locked.
        """
        line = to_json({**correction, "time": datetime.now(UTC).isoformat(timespec="microseconds")}) + b"\n"
        with self._lock:
            is_new = not os.path.exists(self._path)
            file = self._open()
            try:
                self._wait_for_lock(file, is_wanted)
                end = os.fstat(file).st_size
                if end and _byte_at(file, end - 1) != b"\n":
                    line = b"\n" + line
                _write_all(file, line, end)
                os.fsync(file)
            finally:
                os.close(file)
            if is_new:  # the name of a new file is in its folder, which has to be written to the disk as well
                flush_folder(os.path.dirname(os.path.abspath(self._path)))

    def _wait_for_lock(self, file: int, is_wanted: IsWanted) -> None:
        """Lock the file, waiting for other processes; do nothing on file systems without locks."""
        deadline = time.monotonic() + LOCK_SECONDS
        while True:
            try:
                lock(file)
            except BlockingIOError as problem:
                if not is_wanted():
                    raise Abandoned from problem
                if time.monotonic() > deadline:
                    reason = f"another process holds its lock for more than {LOCK_SECONDS:g} seconds"
                    raise BlockingIOError(problem.errno, reason, self._path) from problem
                time.sleep(RETRY_SECONDS)
            except OSError:  # the file system has no locks
                return
            else:
                return

    def _open(self) -> int:
        """Return a file descriptor to append to the file, which is created if it does not exist."""
        # Without O_BINARY, Windows would write two bytes for a line feed.
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
        return os.open(self._path, flags, 0o600)


def _byte_at(file: int, position: int) -> bytes:
    """Return the byte at a position of an open file; Windows has no `os.pread`."""
    os.lseek(file, position, os.SEEK_SET)  # does not move where O_APPEND writes
    return os.read(file, 1)


def _write_all(file: int, line: bytes, end: int) -> None:
    """Write a line at the end of the file, or raise `OSError` and leave the file as it was."""
    n_written = os.write(file, line)
    if n_written != len(line):
        os.ftruncate(file, end)
        raise OSError(f"Only {n_written:,} of {len(line):,} bytes could be written; is the disk full?")
