"""The files in an archive (tar or zip, packed or not) or in a folder, one after the other.

An archive is gone through from its beginning to its end; only the file that is handed out is in memory. One that was
cut short is an error, because silence would lose documents; a damaged file in a zip is passed over and counted.
"""

from __future__ import annotations

import io
import os
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, cast

from ...errors import InputError
from ..batch import Report
from ..streams import CHUNK, cannot_read, open_bytes

ZIP = b"PK\x03\x04"
TAR_BLOCK = 512

Member = tuple[str, bytes]
"""The path of a file in the archive, and what is in it."""


def last_part(name: str) -> str:
    """The name of a file without its folders; pathlib interns each, and a table of the whole process grows."""
    return name.rpartition("/")[2]


def members(paths: Iterable[Path], wanted: Callable[[str], bool], report: Report) -> Iterator[Member]:
    """The files whose path is wanted, in the order of the archives; those of a folder in the order of their names.

    Hidden files, which some systems leave behind, are passed over and counted.
    """

    def is_wanted(name: str) -> bool:
        if not wanted(name):
            return False
        if hidden := last_part(name).startswith("."):
            report.skip("hidden files")
        return not hidden

    for path in paths:
        if path.is_dir():
            yield from _of_folder(path, is_wanted)
        elif _is_zip(path):
            yield from _of_zip(path, is_wanted, report)
        else:
            yield from _of_tar(path, is_wanted)


def _of_folder(folder: Path, wanted: Callable[[str], bool]) -> Iterator[Member]:
    for above, folders, files in os.walk(folder, onerror=_refuse):
        folders.sort()
        for name in sorted(files):
            path = Path(above, name)
            inside = path.relative_to(folder.parent).as_posix()
            if wanted(inside):
                with open_bytes(path) as file:
                    yield inside, file.read()


def _refuse(problem: OSError) -> None:
    raise cannot_read(problem.filename, problem) from problem


def _is_zip(path: Path) -> bool:
    with open_bytes(path) as file:
        return file.peek(4)[:4] == ZIP


def _of_zip(path: Path, wanted: Callable[[str], bool], report: Report) -> Iterator[Member]:
    try:
        archive = zipfile.ZipFile(path)
    except zipfile.BadZipFile as problem:
        raise _damaged(path, problem) from problem
    with archive:
        for entry in archive.infolist():
            if entry.is_dir() or not wanted(entry.filename):
                continue
            try:
                data = archive.read(entry)
            except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError):
                report.skip("damaged files")
                continue
            yield entry.filename, data


class _Watched(io.RawIOBase):
    """A stream that remembers its last block: a tar archive that is whole ends with zeros, and is never asked for more.

    tarfile takes both a damaged header and the end of the file for the end of the archive.
    """

    def __init__(self, file: io.BufferedReader) -> None:
        self._file = file
        self.last = b""

    def read(self, size: int = -1, /) -> bytes:
        self.last = self._file.read(size)
        if size and not self.last:
            raise EOFError("it ends in the middle")
        return self.last


def _of_tar(path: Path, wanted: Callable[[str], bool]) -> Iterator[Member]:
    with open_bytes(path) as file:
        watched = _Watched(file)
        try:
            with tarfile.open(fileobj=watched, mode="r|", bufsize=TAR_BLOCK) as archive:
                for entry in archive:
                    cast(Any, archive).members.clear()  # it would keep what it knows of all of them
                    name = entry.name.removeprefix("./")
                    inside = archive.extractfile(entry) if entry.isfile() and wanted(name) else None
                    if inside is not None:
                        yield name, inside.read()
        except (tarfile.TarError, EOFError) as problem:
            raise _damaged(path, problem) from problem
        if watched.last.strip(b"\0"):
            raise _damaged(path, EOFError("a header in it is damaged"))
        while file.read(CHUNK):
            pass  # what packed it has a checksum at its end


def _damaged(path: Path, problem: Exception) -> InputError:
    return InputError(
        f"{path}: cannot be read as a tar or zip archive ({problem}). It is damaged, was cut short or is something "
        "else; get it again."
    )
