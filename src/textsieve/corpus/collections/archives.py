"""The files in a tar or zip, packed or not, one after the other; only the one that is handed out is in memory.

An archive that was cut short or has a damaged header is an error, because silence would lose documents. A damaged file
in a zip, a link, and a file that would fill the memory are passed over and counted.
"""

from __future__ import annotations

import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

from ...errors import InputError
from ..batch import Report
from ..streams import CHUNK, open_bytes

ZIP = b"PK\x03\x04"
TAR_BLOCK = 512
LONG_HEADERS = (
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
)
MOST_BYTES = 64 * 2**20
"""Of a file; the largest of any collection has one and a half million."""
TOO_LARGE = "files that are too large"

Member = tuple[str, bytes]
"""The path of a file in the archive, and what is in it."""

_DAMAGE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError, ValueError, RuntimeError)
"""What zipfile raises for an archive or a file in it that is damaged, or packed in a way that it does not know."""


def is_zip(path: Path) -> bool:
    """Whether a file begins as a zip."""
    with open_bytes(path) as file:
        return file.peek(4)[:4] == ZIP


def members_of_zip(path: Path, wanted: Callable[[str], bool], report: Report) -> Iterator[Member]:
    """The files of a zip whose path is wanted."""
    try:
        archive = zipfile.ZipFile(path)
    except _DAMAGE as problem:
        raise _damaged(path, problem) from problem
    with archive:
        for entry in archive.infolist():
            if not entry.filename or entry.is_dir() or not wanted(entry.filename):
                continue
            if entry.file_size > MOST_BYTES:
                report.skip(TOO_LARGE)
                continue
            try:
                data = archive.read(entry)  # no more than file_size
            except _DAMAGE:
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


class _Entry(tarfile.TarInfo):
    """An entry of a tar. tarfile reads long names and pax headers whole, however long they say they are."""

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        if self.type in LONG_HEADERS and self.size > MOST_BYTES:
            raise tarfile.ReadError("a name in it is too long")
        return cast(tarfile.TarInfo, cast(Any, super())._proc_member(archive))


def members_of_tar(path: Path, wanted: Callable[[str], bool], report: Report) -> Iterator[Member]:
    """The files of a tar whose path is wanted."""
    with open_bytes(path) as file:
        watched = _Watched(file)
        try:
            with tarfile.open(fileobj=watched, mode="r|", bufsize=TAR_BLOCK, tarinfo=_Entry) as archive:
                for entry in archive:
                    cast(Any, archive).members.clear()  # it would keep what it knows of all of them
                    name = entry.name.removeprefix("./")
                    if not entry.isdir() and wanted(name) and _is_readable(entry, report):
                        yield name, cast(io.BufferedReader, archive.extractfile(entry)).read()
        except (tarfile.TarError, EOFError) as problem:
            raise _damaged(path, problem) from problem
        if watched.last.strip(b"\0"):
            raise _damaged(path, EOFError("a header in it is damaged"))
        while file.read(CHUNK):
            pass  # what packed it has a checksum at its end


def _is_readable(entry: tarfile.TarInfo, report: Report) -> bool:
    """Whether it is a file that fits into memory; one with holes has more bytes than the archive."""
    if not entry.isfile():
        report.skip("links")
    elif entry.issparse() or entry.size > MOST_BYTES:
        report.skip(TOO_LARGE)
    else:
        return True
    return False


def _damaged(path: Path, problem: Exception) -> InputError:
    return InputError(
        f"{path}: cannot be read as a tar or zip archive ({problem}). It is damaged, was cut short or is something "
        "else; get it again."
    )
