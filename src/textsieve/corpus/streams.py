"""A file -> its bytes or lines, unpacked if it is packed.

Compression is told by the first bytes, never by the name. Damage that shows only while unpacking is reported
with the file's name, and a file that was cut short is damage: silence would lose documents.
"""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from ..errors import InputError
from .batch import Report
from .text import COUNTED, encoding_of, replaced_so_far

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

CHUNK = 2**18
ZSTD_PIECE = 2**12
HEAD = 2**16


def _ungzip(file: IO[bytes]) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=file) as unpacked:
        while data := unpacked.read(CHUNK):
            yield data


def _unzstd(file: IO[bytes]) -> Iterator[bytes]:
    # Frame by frame, because the library's own stream reader takes a cut file for a complete one; and in
    # small pieces, because a few bytes can unpack to a great many.
    import zstandard

    unpacker = zstandard.ZstdDecompressor().decompressobj()
    packed = file.read(ZSTD_PIECE)
    try:
        while packed:
            yield unpacker.decompress(packed)
            packed = unpacker.unused_data or file.read(ZSTD_PIECE)
            if unpacker.eof and packed:
                unpacker = zstandard.ZstdDecompressor().decompressobj()
    except zstandard.ZstdError as error:
        raise OSError(str(error)) from error
    if not unpacker.eof:
        raise EOFError("the file ends in the middle of a frame")


@dataclass(frozen=True, slots=True)
class Compression:
    """One way of packing a file."""

    name: str
    ending: str
    magic: bytes
    unpack: Callable[[IO[bytes]], Iterator[bytes]]


COMPRESSIONS = (
    Compression("gzip", ".gz", b"\x1f\x8b", _ungzip),
    Compression("zstandard", ".zst", b"\x28\xb5\x2f\xfd", _unzstd),
)


class _Unpacked(io.RawIOBase):
    """The bytes of a packed file, as a file."""

    def __init__(self, path: Path, file: IO[bytes], compression: Compression) -> None:
        self._path = path
        self._file = file
        self._kind = compression.name
        self._chunks = compression.unpack(file)
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        while not self._rest:
            chunk = self._next_chunk()
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        target = memoryview(buffer).cast("B")
        size = min(len(target), len(self._rest))
        target[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size

    def _next_chunk(self) -> bytes | None:
        try:
            return next(self._chunks, None)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(
                f"{self._path}: begins as a {self._kind} file but cannot be unpacked ({error}). "
                "It is damaged or was cut short; get it again."
            ) from error

    def close(self) -> None:
        self._file.close()
        super().close()


def open_bytes(path: Path) -> io.BufferedReader:
    """Open a file for reading, unpacked."""
    try:
        file = cast(io.BufferedReader, open(path, "rb", buffering=CHUNK))  # noqa: SIM115 - the caller closes it
        start = file.peek(4)[:4]
    except OSError as error:
        raise cannot_read(path, error) from error
    for compression in COMPRESSIONS:
        if start.startswith(compression.magic):
            return io.BufferedReader(_Unpacked(path, file, compression), CHUNK)
    return file


def cannot_read(path: Path | str, error: OSError) -> InputError:
    """The error for a file or folder that the system does not let us read."""
    return InputError(
        f"{path}: cannot be read ({error.strerror or error}). Check that it exists and that you may read it."
    )


def read_head(path: Path) -> bytes:
    """The first bytes of a file, unpacked."""
    with open_bytes(path) as file:
        return file.read(HEAD)


def read_lines(path: Path, encoding: str, report: Report, *, newline: str = "\n") -> Iterator[tuple[int, str]]:
    """Number, from 1, and text of each line, with its ending.

    Time and memory are linear in the length of a line, however long it is.
    """
    with open_bytes(path) as file:
        chunks = iter(lambda: file.read(CHUNK), b"")
        yield from chain.from_iterable(lines_of_chunks(chunks, encoding, report, newline=newline))


def lines_of_chunks(
    chunks: Iterable[bytes], encoding: str, report: Report, *, newline: str = "\n"
) -> Iterator[Iterable[tuple[int, str]]]:
    """The numbered lines that each chunk of bytes completes; the first chunk has the byte order mark, if there is one.

    The lines of a chunk must be taken before the next chunk is asked for.
    """
    number = 0
    begun: list[str] = []
    for text in _decoded(chunks, encoding, report):
        first, *lines = text.split(newline)
        begun.append(first)
        if not lines:
            continue
        lines.insert(0, "".join(begun))
        begun = [lines.pop()]
        yield enumerate((line + newline for line in lines), number + 1)
        number += len(lines)
    if last := "".join(begun):
        yield [(number + 1, last)]


def _decoded(chunks: Iterable[bytes], encoding: str, report: Report) -> Iterator[str]:
    """The text of chunks of bytes."""
    decoder = None
    for data in chain(chunks, [b""]):
        decoder = decoder or codecs.getincrementaldecoder(encoding_of(data[:4], encoding))(COUNTED)
        before = replaced_so_far()
        text = decoder.decode(data, final=not data)
        report.replaced_bytes += replaced_so_far() - before
        yield text
