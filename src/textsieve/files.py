"""Write files atomically, and open only files that reading can't block on.

`replacing` writes to a new file in the same folder and renames it over the old one when all of it is on the disk, so
a reader sees either the old file or the new one. A process that is killed before the rename leaves the old file as it
was, and at worst a file `.textsieve-*.part` beside it.

`open_regular` is for our own files (models, statistics, results, lists of stop words): a pipe would block for ever and
a device may never end, so both raise `InputError`, and so does a file that is larger than its kind can be.
"""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO, cast

from .errors import InputError, shown


def check_writable(path: str, *, what: str) -> None:
    """Stop, before any long work is done, if a file could not be written; `what` it is, such as "a chart"."""
    folder = os.path.dirname(path) or "."
    if "\0" in path:
        raise InputError(f"{shown(path)} can't be written: a name has no null character.")
    if os.path.isdir(path):
        raise InputError(f"{path} is a folder; give the name of a file in it.")
    if not os.path.isdir(folder):
        raise unwritable(path, f"there is no folder {folder}; make it first")
    if os.path.exists(path) and not os.path.isfile(path):
        raise InputError(f"{path} is a device or a pipe, and {what} is written to a file; give the name of one.")
    if not os.access(os.path.dirname(os.path.realpath(path)), os.W_OK):
        raise unwritable(path, "you may not write there; choose another place")


def unwritable(path: str, reason: str) -> InputError:
    """What is said of a file that can't be written."""
    return InputError(f"{path} can't be written: {reason}.")


def open_regular(path: str, *, what: str, max_bytes: int) -> BinaryIO:
    """Open a regular file for reading; `what` it should be is named in the `InputError` for anything else."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise InputError(f"{path} is a folder, not {what}; give the name of a file.")
        if not stat.S_ISREG(status.st_mode):
            raise InputError(f"{path} is a pipe or a device, not {what}; copy its content to a file and give that.")
        if status.st_size > max_bytes:
            raise InputError(f"{path} has {status.st_size:,} bytes; {what} has at most {max_bytes:,}.")
        return cast(BinaryIO, os.fdopen(descriptor, "rb"))
    except BaseException:
        os.close(descriptor)
        raise


@contextmanager
def replacing(path: str, *, mode: int | None = None) -> Iterator[BinaryIO]:
    """Open a new file that replaces the one at the path if the block succeeds; a link stays a link to it.

    The new file gets `mode`, or by default the mode of the file that it replaces.
    """
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    part = os.path.join(folder, f".textsieve-{secrets.token_hex(8)}.part")
    mode = mode_of(target) if mode is None else mode
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


def mode_of(path: str) -> int | None:
    """Return the permission bits of a file, or None if there is no such file."""
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
