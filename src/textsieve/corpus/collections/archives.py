"""Stream the documents of a collection: files in archives (tar or zip, compressed or not) or folders, and records.

Only the current file is in memory. A truncated archive or a damaged header raises `InputError`, because otherwise
documents would be lost unnoticed. So does a file that is larger than a document may be. Damaged files in a zip, links
and sparse files in a tar, and links that lead out of a folder are skipped and counted.

A *record* is the text `<tag ...>...</tag>` in lines of SGML or RDF. The files are not valid XML: they contain
characters that XML forbids and undeclared entities. So only the tags around a record are parsed. A record is broken if
the next one begins before it ends, or if it never ends; broken records are skipped and counted.
"""

from __future__ import annotations

import html
import io
import lzma
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, cast

from ...errors import InputError, Place
from ..batch import Report
from ..read_limits import ReadLimits
from ..readers.folder import walk
from ..streams import REPLACEMENT, chunks_of, open_bytes, read_document

ZIP = b"PK\x03\x04"
TAR_BLOCK = 512
LONG_HEADERS = (  # types of tar entries that hold a long name or attributes of the next entry
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
)
MAX_LONG_HEADER = 2**20
"""Maximum bytes of a long name or a pax header in a tar; an ordinary one has a few hundred."""

Member = tuple[str, bytes]
"""The path of a file in the archive, and its content."""

_ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,
)
"""Exceptions that zipfile raises for a damaged archive, a damaged file in it, or an unknown compression method."""


def is_zip(path: Path) -> bool:
    """Return whether a file begins with the signature of a zip."""
    with open_bytes(path) as file:
        return file.peek(4)[:4] == ZIP


def read_zip(path: Path, is_wanted: Callable[[str], bool], report: Report, limits: ReadLimits) -> Iterator[Member]:
    """Yield the files of a zip for whose path `is_wanted` returns true; links and damaged files are skipped."""
    packed_size, unpacked_size = path.stat().st_size, 0
    try:
        archive = zipfile.ZipFile(path)
    except _ZIP_ERRORS as problem:
        raise _damaged_error(path, problem) from problem
    with archive:
        for entry in archive.infolist():
            if not entry.filename or entry.is_dir() or not is_wanted(entry.filename):
                continue
            # The upper 16 bits are the mode of the file on Unix. The content of a link is only the path it leads to.
            if stat.S_ISLNK(entry.external_attr >> 16):
                report.skip("links")
                continue
            limits.check_document(entry.file_size, Place(str(path), entry.filename))
            unpacked_size += entry.file_size
            limits.check_unpacked(unpacked_size, packed_size, path)
            try:
                data = archive.read(entry)  # reads at most file_size bytes
            except _ZIP_ERRORS:
                report.skip("damaged files")
                continue
            yield entry.filename, data


class _LastBlockReader(io.RawIOBase):
    """A stream that remembers the last block that tarfile has read, to check that a tar archive is complete.

    A complete archive ends with a block of zeros, at which tarfile stops. But without an error, tarfile also stops at a
    damaged header and at the end of a truncated file. So if the last block has other bytes than zeros, a header is
    damaged; and if tarfile reads on at the end of the file, the file is truncated.
    """

    def __init__(self, file: io.BufferedReader) -> None:
        self._file = file
        self.last_block = b""

    def read(self, size: int = -1, /) -> bytes:
        """Return the next block, and keep it in `last_block`; raise `EOFError` at the end of the file."""
        self.last_block = self._file.read(size)
        if size and not self.last_block:
            raise EOFError("it ends in the middle")
        return self.last_block


class _LimitedTarInfo(tarfile.TarInfo):
    """A tar entry whose name and headers may not be long: tarfile would read them whole, whatever their size."""

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        """Process an entry as tarfile does, but raise `ReadError` for a name or header that is too long."""
        if self.type in LONG_HEADERS and self.size > MAX_LONG_HEADER:
            raise tarfile.ReadError("a name in it is too long")
        return cast(tarfile.TarInfo, cast(Any, super())._proc_member(archive))


def read_tar(path: Path, is_wanted: Callable[[str], bool], report: Report, limits: ReadLimits) -> Iterator[Member]:
    """Yield the files of a tar for whose path `is_wanted` returns true."""
    with open_bytes(path, limits) as file:
        block_reader = _LastBlockReader(file)
        try:
            with tarfile.open(fileobj=block_reader, mode="r|", bufsize=TAR_BLOCK, tarinfo=_LimitedTarInfo) as archive:
                for entry in archive:
                    cast(Any, archive).members.clear()  # otherwise it keeps the headers of all entries
                    name = entry.name.removeprefix("./")
                    if not entry.isdir() and is_wanted(name) and _is_file(entry, report):
                        limits.check_document(entry.size, Place(str(path), name))
                        yield name, cast(io.BufferedReader, archive.extractfile(entry)).read()
        except (tarfile.TarError, EOFError) as problem:
            raise _damaged_error(path, problem) from problem
        if block_reader.last_block.strip(b"\0"):
            raise _damaged_error(path, EOFError("a header in it is damaged"))
        for _ in chunks_of(file):
            pass  # read to the end, where the compression has its checksum


def _is_file(entry: tarfile.TarInfo, report: Report) -> bool:
    """Return whether an entry is an ordinary file; if not, count it as skipped.

    A sparse file is not ordinary, since it may be larger than the archive. Devices and pipes are counted as links.
    """
    if not entry.isfile():
        report.skip("links")
    elif entry.issparse():
        report.skip("files with holes")
    else:
        return True
    return False


def _damaged_error(path: Path, problem: Exception) -> InputError:
    """Return the error for an archive that can't be read to its end."""
    return InputError(
        f"cannot be read as a tar or zip archive ({problem}). It is damaged, was cut short or is something else",
        place=str(path),
        hint="get it again",
    )


def base_name(name: str) -> str:
    """Return the name of a file without its folders.

    pathlib is not used: it would intern each name in a process-wide table that only grows.
    """
    return name.rpartition("/")[2]


def read_members(
    paths: Iterable[Path], is_wanted: Callable[[str], bool], report: Report, limits: ReadLimits
) -> Iterator[Member]:
    """Yield the files of archives and folders for whose path `is_wanted` returns true.

    Files of an archive come in its order, those of a folder sorted by name. Hidden files, such as the `.DS_Store` of
    macOS, are skipped and counted.
    """

    def is_wanted_and_visible(name: str) -> bool:
        """Return whether to read a file; count a hidden one as skipped."""
        if not is_wanted(name):
            return False
        if is_hidden := base_name(name).startswith("."):
            report.skip("hidden files")
        return not is_hidden

    for path in paths:
        if path.is_dir():
            yield from _read_folder(path, is_wanted_and_visible, report, limits)
        elif is_zip(path):
            yield from read_zip(path, is_wanted_and_visible, report, limits)
        else:
            yield from read_tar(path, is_wanted_and_visible, report, limits)


def _read_folder(
    folder: Path, is_wanted: Callable[[str], bool], report: Report, limits: ReadLimits
) -> Iterator[Member]:
    """Yield the files of a folder for whose path, beginning with the folder's name, `is_wanted` returns true."""
    for file in walk(folder, report, follow_links=limits.follow_links):
        if is_wanted(name := f"{folder.name}/{file.name}"):
            yield name, read_document(file.path, limits)


BROKEN = "broken records"
MAX_LINES = 100_000
"""Maximum number of lines of a record; one that has more counts as never closed, and is skipped as broken."""

_TAG = re.compile(r"<[^<>]+>")
_LONG_NUMBER = re.compile(r"&#[0-9]{20,};?")


def records(lines: Iterable[str], tag: str, report: Report, limits: ReadLimits, name: str) -> Iterator[str]:
    """Yield each record with its tags, `<tag ...>...</tag>`, without what is between records.

    `tag` is the name of the tag, and `name` that of the file, for errors.
    """
    opening, closing = f"<{tag}", f"</{tag}>"
    tags = re.compile(rf"{re.escape(opening)}(?![^\W_])|{re.escape(closing)}")  # the tag's name must end there
    record: list[str] = []  # the pieces of the current record, beginning with its opening tag; empty between records
    n_characters = 0
    for line in lines:
        position = 0  # in this line, after the last tag
        for match in tags.finditer(line) if tag in line else ():  # most lines have no tag, which `in` finds out faster
            if match[0] == closing:
                if record:
                    yield "".join([*record, line[position : match.end()]])
                record = []
            else:
                if record:  # the record before has not ended
                    report.skip(BROKEN)
                record = [opening]
            position, n_characters = match.end(), 0
        if len(record) > MAX_LINES:
            report.skip(BROKEN)
            record = []
        elif record:
            record.append(line[position:])
            n_characters += len(line) - position
            if n_characters > limits.max_document:  # only then is a `Place` created for the error
                limits.check_document(n_characters, Place(name, f"a record <{tag}>"))
    if record:  # the last record never ends
        report.skip(BROKEN)


def between(record: str, tag: str) -> str | None:
    """Return the text between the first `<tag>` and `</tag>`, or None if one of them is missing."""
    _, begin, rest = record.partition(f"<{tag}>")
    inside, end, _ = rest.partition(f"</{tag}>")
    return inside if begin and end else None


def without_tags(text: str) -> str:
    """Return the text with a space in place of each tag and with entities decoded."""
    # html.unescape can't parse numbers of thousands of digits; no character's number has twenty.
    return html.unescape(_LONG_NUMBER.sub(REPLACEMENT, _TAG.sub(" ", text)))
