"""Open files so that reading never blocks, replace files atomically, and check in time that they can be written.

`replacing` writes to a new file in the same folder and renames it over the old one when all of it is on the disk, so
a reader sees either the old file or the new one. A process that is killed before the rename leaves the old file as it
was, and a file `.textsieve-*.part` beside it. The next `replacing` of the same file removes that leftover: a writer
holds a lock on its part file until the rename, and the kernel releases the lock of a process that dies, so a part file
that can be locked belongs to nobody.

`open_regular` opens a file for reading, and `read_small` reads a small file by a single read. Both raise `InputError`
for pipes, which could block for ever, and for devices, which may never end; `open_regular` also for files that are
larger than `max_bytes`. Some files of the Linux kernel look regular but block (`/proc/kmsg`); reading them raises
`InputError`, too.

`check_writable` and `check_openable` are called before long work, and raise `InputError` if its result could not be
written. The first is for files that `replacing` writes, which needs permission to write to their folder; the second is
for files that are written in place, and a first check of all outputs of the command line.
"""

from __future__ import annotations

import errno
import io
import os
import platform
import secrets
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO

from .errors import InputError, shown

OUT_OF_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Error numbers of a write that fails because a disk, quota or limit is full."""
MAX_SCANNED = 10_000
"""The largest number of folder entries among which `replacing` looks for leftovers."""
_NON_BLOCKING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Flags to open a file for reading; O_NONBLOCK is missing on Windows, and O_BINARY elsewhere."""

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


class _NonBlockingFile(io.FileIO):
    """A file opened with O_NONBLOCK that raises `InputError` where reading it would have to wait."""

    def __init__(self, descriptor: int, path: str) -> None:
        super().__init__(descriptor, "rb")
        self._path = path

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Read bytes into the buffer and return their number; raise `InputError` if there are none yet."""
        count = super().readinto(buffer)
        if count is None:  # reading would have to wait
            raise self._blocking_error()
        return count

    def readall(self) -> bytes:
        """Return all bytes up to the end; raise `InputError` if more may come."""
        parts: list[bytes] = []
        while part := super().readall():
            parts.append(part)
        if part is None:  # reading would have to wait; b"" is the end
            raise self._blocking_error()
        return b"".join(parts)

    def _blocking_error(self) -> InputError:
        """Return the error for a file whose reader would have to wait."""
        return InputError(
            "this is a file of the system that waits for more to come",
            place=self._path,
            hint="copy its content to another file and give that",
        )


def open_regular(path: str, *, what: str, max_bytes: int | None = None, buffer: int = 2**17) -> io.BufferedReader:
    """Open a regular file for reading; raise `InputError` for anything else, and for more than `max_bytes`.

    `what` names in the error what the file should be. `buffer` is the size of the read buffer in bytes.
    """
    descriptor = _open_to_read(path, what)
    try:
        size = _regular_size(descriptor, path, what)
        if max_bytes is not None and size > max_bytes:
            raise InputError(f"the file has {size:,} bytes; {what} has at most {max_bytes:,}.", place=path)
        return io.BufferedReader(_NonBlockingFile(descriptor, path), buffer)
    except BaseException:
        os.close(descriptor)
        raise


def read_small(path: str, *, what: str, max_bytes: int) -> bytes | None:
    """Return the bytes of a regular file with a single read, which takes half the time of `open_regular`.

    Return None if the file must be read by `open_regular` instead: if it has more than `max_bytes`, if its stated size
    is 0, which may be wrong for files of the Linux kernel, or if it changes while it is read.
    """
    descriptor = _open_to_read(path, what)
    try:
        size = _regular_size(descriptor, path, what)
        if not 0 < size <= max_bytes:
            return None
        data = os.read(descriptor, size + 1)  # one byte more, to notice that the file has grown
        return data if len(data) == size else None
    finally:
        os.close(descriptor)


def _open_to_read(path: str, what: str) -> int:
    """Open a file for reading without waiting, and return its descriptor."""
    try:
        return os.open(path, _NON_BLOCKING)
    except PermissionError as problem:
        if os.path.isdir(path):  # Windows opens no folders
            raise _folder_error(path, what) from problem
        raise


def _folder_error(path: str, what: str) -> InputError:
    """Return the error for a folder in place of a file."""
    return InputError(f"this is a folder, not {what}", place=path, hint="give the name of a file")


def _regular_size(descriptor: int, path: str, what: str) -> int:
    """Return the size of an open file; raise `InputError` if it is not a regular one."""
    status = os.fstat(descriptor)
    if stat.S_ISDIR(status.st_mode):
        raise _folder_error(path, what)
    if not stat.S_ISREG(status.st_mode):
        raise InputError(
            f"this is a pipe or a device, not {what}", place=path, hint="copy its content to a file and give that"
        )
    return status.st_size


def lock(descriptor: int) -> None:
    """Lock an open file against other processes until it is closed.

    Raises `BlockingIOError` if another process holds the lock, and another `OSError` on systems and file systems that
    have no locks.
    """
    try:
        import fcntl
    except ImportError as problem:
        raise OSError(errno.ENOTSUP, "this system has no file locks") from problem
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_at(descriptor: int, path: str) -> bool:
    """Return whether the path still leads to the open file, which another process may have removed or replaced."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


@contextmanager
def _name_file_when_full(path: str) -> Iterator[None]:
    """Add the path to an `OSError` of the `with` block about missing space, because Python does not name the file."""
    try:
        yield
    except OSError as problem:
        if problem.errno in OUT_OF_SPACE and problem.filename is None:
            problem.filename = path
        raise


@contextmanager
def temporary_folder() -> Iterator[str]:
    """Create a folder for temporary files, and remove it at the end of the `with` block.

    Windows removes no open files. If an error leaves one open, the error is raised, and the file stays.
    """
    with tempfile.TemporaryDirectory(prefix="textsieve-", ignore_cleanup_errors=True) as folder:
        yield folder


def write_temporary(path: str, chunks: Iterable[bytes], *, what: str) -> None:
    """Write a temporary file; raise `InputError`, which names its content as `what`, if there is no space for it."""
    with explain_no_space(path, what=what), open(path, "wb") as file:
        file.writelines(chunks)


@contextmanager
def explain_no_space(path: str, *, what: str) -> Iterator[None]:
    """Raise `InputError` instead of `OSError` if there is no space for `what` in a temporary file or folder."""
    try:
        yield
    except OSError as problem:
        if problem.errno not in OUT_OF_SPACE:
            raise
        raise InputError(
            f"there is no space for {what}, which is stored there temporarily ({problem.strerror})",
            place=path,
            hint="Free some space, or set TMPDIR to a folder that has more",
        ) from problem


@contextmanager
def replacing(path: str, *, mode: int | None = None) -> Iterator[BinaryIO]:
    """Open a new file that replaces the file at the path if the `with` block succeeds.

    If the path is a link, the file that it leads to is replaced. The new file gets the permissions `mode`, or by
    default those of the file that it replaces, or those of any new file if there is no file to replace.
    """
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    mode = mode_of(target) if mode is None else mode
    prefix = _part_prefix(target)
    _remove_leftovers(folder, prefix)
    try:
        # Until the part file gets the permissions `mode`, only its owner can read it.
        part_file, part_path = _create_part(os.path.join(folder, prefix), private=mode is not None)
    except OSError as problem:
        problem.filename = path  # and not the name of the part file
        raise
    lock_holder = None
    try:
        with _name_file_when_full(path), part_file:
            if os.name == "posix":
                # This copy of the descriptor keeps the lock after `part_file` is closed, until the file is renamed.
                # (Windows has no such locks, and renames no open file.)
                lock_holder = os.dup(part_file.fileno())
            yield part_file
            part_file.flush()
            if mode is not None:
                os.chmod(part_path, mode)
            os.fsync(part_file.fileno())
        os.replace(part_path, target)
    except BaseException:
        with suppress(OSError):  # report the first error, not this one
            os.unlink(part_path)
        raise
    finally:
        if lock_holder is not None:
            os.close(lock_holder)
    flush_folder(folder)


@contextmanager
def open_output(path: str) -> Iterator[BinaryIO]:
    """Open a file for writing: a pipe or a device as it is, and any other so that it is replaced (`replacing`)."""
    if os.path.exists(path) and not os.path.isfile(path):
        with _name_file_when_full(path), open(path, "wb") as file:
            yield file
        return
    with replacing(path) as file:
        yield file


def _part_prefix(target: str) -> str:
    """Return the prefix of the names of a target's part files: `.textsieve-`, a digest and a hyphen.

    The digest is of the target's name and of the host. So a host does not touch the part files of another one, whose
    locks it does not see on some network file systems.
    """
    host_and_name = f"{platform.node()}\n{os.path.basename(target)}"
    return f".textsieve-{sha256(host_and_name.encode('utf-8', 'surrogateescape')).hexdigest()[:12]}-"


def _create_part(prefix: str, *, private: bool) -> tuple[BinaryIO, str]:
    """Create and lock a part file, and return it with its path; if `private`, only its owner can read it.

    Before it is locked, another process may take the file for a leftover and remove it. Then another file is created.
    """
    while True:
        path = f"{prefix}{secrets.token_hex(8)}.part"
        file = open(path, "xb", opener=_open_private if private else None)  # noqa: SIM115, nothing to remove if it fails
        try:
            lock(file.fileno())
            if is_at(file.fileno(), path):
                return file, path
        except BlockingIOError:
            pass  # the process that holds the lock is about to remove the file
        except OSError:
            return file, path  # there are no locks here, so no process can remove it
        except BaseException:
            with suppress(OSError):
                os.unlink(path)
            file.close()
            raise
        file.close()


def _remove_leftovers(folder: str, prefix: str) -> None:
    """Remove the part files of killed processes from a folder, that is, those that are not locked."""
    with suppress(OSError), os.scandir(folder) as entries:
        for name in [entry.name for entry in islice(entries, MAX_SCANNED) if entry.name.startswith(prefix)]:
            with suppress(OSError):
                _remove_unlocked(os.path.join(folder, name))


def _remove_unlocked(part: str) -> None:
    """Remove a part file unless a living process has locked it."""
    descriptor = os.open(part, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    try:
        lock(descriptor)  # raises `BlockingIOError` if a process has locked it
        if is_at(descriptor, part):
            os.unlink(part)
    finally:
        os.close(descriptor)


def mode_of(path: str) -> int | None:
    """Return the permission bits of a file, or None if there is no such file."""
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        return None


def _open_private(path: str, flags: int) -> int:
    """Open a file that only its owner can read, until `replacing` sets its permissions; an opener for `open`."""
    return os.open(path, flags, 0o600)


def flush_folder(folder: str) -> None:
    """Flush a folder to disk, if the file system supports that, so that a rename in it survives a power failure."""
    if hasattr(os, "O_DIRECTORY"):
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


# -- checks before long work ---------------------------------------------------------------------------------------


def check_writable(path: str, *, what: str) -> None:
    """Raise `InputError` if a file can't be created or replaced; `what` names its content, such as "a chart"."""
    _check_target(path, what=what)
    if not os.access(os.path.dirname(os.path.realpath(path)), os.W_OK):
        raise _not_permitted(path)


def check_openable(path: str, *, what: str, may_be_stream: bool = False) -> None:
    """Raise `InputError` if a file can't be created or opened for writing; `what` names its content.

    With `may_be_stream`, a pipe or a device is allowed, too.
    """
    _check_target(path, what=what, may_be_stream=may_be_stream)
    if not os.access(path if os.path.exists(path) else os.path.dirname(path) or ".", os.W_OK):
        raise _not_permitted(path)


def unwritable(path: str, reason: str, hint: str = "") -> InputError:
    """Return the error for a file that can't be written for this reason."""
    return InputError(f"can't be written: {reason}" + ("" if hint else "."), place=path, hint=hint)


def _check_target(path: str, *, what: str, may_be_stream: bool = False) -> None:
    """Raise `InputError` if no file can be written at a path, whatever the permissions are."""
    folder = os.path.dirname(path) or "."
    if "\0" in path:
        raise unwritable(shown(path), "file names can't contain null characters")
    try:
        mode = os.stat(path).st_mode
    except OSError as problem:
        if problem.errno == errno.ELOOP:
            link = "it" if os.path.islink(path) else f"its folder {folder}"
            reason = f"{link} is a symbolic link that ends in a loop of links"
            raise unwritable(path, reason, "remove that link or give another name") from problem
        mode = None  # the file does not exist yet; its folder, which is checked next, may not exist either
    if not os.path.isdir(folder):
        raise unwritable(path, f"there is no folder {folder}", "make it first")
    if mode is None or stat.S_ISREG(mode):
        return
    if stat.S_ISDIR(mode):
        raise InputError("this is a folder", place=path, hint="give the name of a file in it")
    if stat.S_ISSOCK(mode) or not may_be_stream:
        kind = "a socket" if stat.S_ISSOCK(mode) else "a device or a pipe"
        raise InputError(f"this is {kind}, and {what} is written to a file", place=path, hint="give the name of a file")


def _not_permitted(path: str) -> InputError:
    """Return the error for a file that the user may not write."""
    return unwritable(path, "you don't have permission to write there", "choose another place")
