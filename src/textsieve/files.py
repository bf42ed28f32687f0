"""Write files atomically, and open only files that reading can't block on.

`replacing` writes to a new file in the same folder and renames it over the old one when all of it is on the disk, so
a reader sees either the old file or the new one. A process that is killed before the rename leaves the old file as it
was, and at worst a file `.textsieve-*.part` beside it.

`open_regular` is for files that are read: a pipe would block for ever and a device may never end, so both raise
`InputError`, and so does a file that is larger than its kind can be. Some files of the kernel look regular and block
all the same (`/proc/kmsg`); reading them raises `InputError` too.
"""

from __future__ import annotations

import io
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO

from .errors import InputError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


def check_writable(path: str, *, what: str) -> None:
    """Stop, before any long work is done, if a file could not be written; `what` it is, such as "a chart"."""
    folder = os.path.dirname(path) or "."
    if os.path.isdir(path):
        raise InputError(f"{path} is a folder; give the name of a file in it.")
    if not os.path.isdir(folder):
        raise unwritable(path, f"there is no folder {folder}; make it first")
    if os.path.exists(path) and not os.path.isfile(path):
        raise InputError(f"{path} is a device or a pipe, and {what} is written to a file; give the name of one.")
    if not os.access(folder, os.W_OK):
        raise unwritable(path, "you may not write there; choose another place")


def unwritable(path: str, reason: str) -> InputError:
    """What is said of a file that can't be written."""
    return InputError(f"{path} can't be written: {reason}.")


class _NeverWaiting(io.FileIO):
    """A file opened with O_NONBLOCK that raises `InputError` where reading it would have to wait."""

    def __init__(self, descriptor: int, path: str) -> None:
        super().__init__(descriptor, "rb")
        self._path = path

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        count = super().readinto(buffer)
        if count is None:
            raise self._would_wait()
        return count

    def readall(self) -> bytes:
        parts: list[bytes] = []
        while part := super().readall():
            parts.append(part)
        if part is None:
            raise self._would_wait()
        return b"".join(parts)

    def _would_wait(self) -> InputError:
        return InputError(
            f"{self._path} is a file of the system that waits for more to come; copy its content to another file and "
            "give that."
        )


def open_regular(path: str, *, what: str, max_bytes: int | None = None, buffer: int = 2**17) -> io.BufferedReader:
    """Open a regular file for reading; `what` it should be is named in the `InputError` for anything else."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise InputError(f"{path} is a folder, not {what}; give the name of a file.")
        if not stat.S_ISREG(status.st_mode):
            raise InputError(f"{path} is a pipe or a device, not {what}; copy its content to a file and give that.")
        if max_bytes is not None and status.st_size > max_bytes:
            raise InputError(f"{path} has {status.st_size:,} bytes; {what} has at most {max_bytes:,}.")
        return io.BufferedReader(_NeverWaiting(descriptor, path), buffer)
    except BaseException:
        os.close(descriptor)
        raise


@contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """A new file that takes the place of the one at the path if all goes well; a link stays a link to it."""
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    part = os.path.join(folder, f".textsieve-{secrets.token_hex(8)}.part")
    mode = _mode(target)
    new = open(part, "xb", opener=None if mode is None else _private)  # noqa: SIM115, nothing to remove if it fails
    try:
        with new:
            yield new
            new.flush()
            if mode is not None:
                os.chmod(part, mode)
            os.fsync(new.fileno())
        os.replace(part, target)
    except BaseException:
        with suppress(OSError):  # what went wrong before is what is to be told
            os.unlink(part)
        raise
    settle(folder)


def _mode(path: str) -> int | None:
    """Who may read and write a file, if there is one."""
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        return None


def _private(path: str, flags: int) -> int:
    """Open a file that nobody else may read as long as it is not known to have the old one's mode."""
    return os.open(path, flags, 0o600)


def settle(folder: str) -> None:
    """Have the new name on the disk too, where the file system can do that; the file is whole either way."""
    if hasattr(os, "O_DIRECTORY"):
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
