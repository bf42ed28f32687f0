"""Read the bytes, the text or the lines of a file, unpacked if it is compressed.

Compression is detected from the first bytes, never from the name. Damage that shows only while unpacking raises an
`InputError` with the file's name. A truncated file counts as damaged: ignoring it would lose documents. `ReadLimits`
limits the unpacked size of a file and the length of a document or line.

Invalid bytes are replaced *and counted*. Python's own "replace" error handler does not count replacements. This one
does; the count is thread-local and read before and after each call of the decoder, so that concurrent passes do not
mix.
"""

from __future__ import annotations

import codecs
import gzip
import io
import os
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING

from ..errors import InputError, Place
from ..files import open_regular, read_small
from .batch import Report
from .bounds import DEFAULT_LIMITS, ReadLimits

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

COUNTED = "textsieve.counted"
"""The name of the error handler, for use as `errors=`."""

REPLACEMENT = "\ufffd"

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is a prefix of this one
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class _Replacements(threading.local):
    count = 0


_replacements = _Replacements()


def _replace_and_count(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    _replacements.count += 1
    return REPLACEMENT, error.end


codecs.register_error(COUNTED, _replace_and_count)


def replaced_so_far() -> int:
    """Return the number of replacements made in this thread; only differences between two calls are meaningful."""
    return _replacements.count


def encoding_of(start: bytes, declared: str) -> str:
    """Return the encoding given by a byte order mark, else the declared one."""
    return next((encoding for mark, encoding in BYTE_ORDER_MARKS if start.startswith(mark)), declared)


def decode(data: bytes, encoding: str) -> tuple[str, int]:
    """Return the decoded text and the number of replacements in it."""
    before = _replacements.count
    text = data.decode(encoding_of(data[:4], encoding), COUNTED)
    return text, _replacements.count - before


def check_encoding(encoding: str) -> str:
    """Return the encoding, or raise `InputError` if Python has no such text encoding."""
    try:
        "".encode(encoding)
        b"".decode(encoding)
    except LookupError as error:
        raise InputError(
            f"{error}. Give one that Python knows, such as 'utf-8', 'latin-1' or 'cp1252'.",
            setting="encoding",
            value=encoding,
        ) from error
    return encoding


def without_surrogates(text: str) -> tuple[str, int]:
    """Return the text with lone surrogates replaced, and their number.

    JSON can spell half of a UTF-16 pair, and Python's strings can hold it, but no encoding can write it.
    """
    if text.isascii():
        return text, 0
    try:
        text.encode()
    except UnicodeEncodeError:
        # Encoding as UTF-16 joins two halves that belong together.
        return decode(text.encode("utf-16-le", "surrogatepass"), "utf-16-le")
    return text, 0


CHUNK = 2**18
HEAD = 2**16
WHAT = "a file of documents"
ZSTD_PIECES = 2**6, 2**10
"""Minimum and maximum number of compressed bytes that are unpacked at once."""
ZSTD_WINDOW = 2**27
"""Maximum window of a zstandard frame in bytes: the limit of the tool `zstd`, and the largest that level 22 uses."""


def _ungzip(file: IO[bytes]) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=file) as unpacked:
        while data := unpacked.read(CHUNK):
            yield data


def _unzstd(file: IO[bytes]) -> Iterator[bytes]:
    # Unpack frame by frame, because the library's own stream reader does not notice a truncated file; and in small
    # pieces, because 4 bytes can unpack to 128 kB.
    import zstandard

    decompressor = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW)
    frame = decompressor.decompressobj()
    smallest, largest = ZSTD_PIECES
    size = smallest
    packed = file.read(size)
    try:
        while packed:
            data = frame.decompress(packed)
            size = max(smallest, size // 2) if len(data) > CHUNK else min(largest, size * 2)
            yield data
            packed = frame.unused_data or file.read(size)
            if frame.eof and packed:
                frame = decompressor.decompressobj()
    except zstandard.ZstdError as error:
        raise OSError(str(error)) from error
    if not frame.eof:
        raise EOFError("the file ends in the middle of a frame")


@dataclass(frozen=True, slots=True)
class Compression:
    """A compression format."""

    name: str
    ending: str
    magic: bytes
    unpack: Callable[[IO[bytes]], Iterator[bytes]]


COMPRESSIONS = (
    Compression("gzip", ".gz", b"\x1f\x8b", _ungzip),
    Compression("zstandard", ".zst", b"\x28\xb5\x2f\xfd", _unzstd),
)
MAGICS = tuple(compression.magic for compression in COMPRESSIONS)


class _Unpacked(io.RawIOBase):
    """A file object for the unpacked bytes of a compressed file."""

    def __init__(self, path: Path | str, file: io.BufferedReader, compression: Compression, bounds: ReadLimits) -> None:
        self._path = path
        self._file = file
        self._kind = compression.name
        self._chunks = compression.unpack(file)
        self._rest = memoryview(b"")
        self._bounds = bounds
        self._packed = os.fstat(file.fileno()).st_size
        self._size = 0

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
            chunk = next(self._chunks, None)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(
                f"begins as a {self._kind} file but cannot be unpacked ({error}). "
                "It is damaged or was cut short; get it again.",
                place=str(self._path),
            ) from error
        if chunk is not None:
            self._size += len(chunk)
            self._bounds.check_unpacked(self._size, self._packed, self._path)
        return chunk

    def close(self) -> None:
        self._file.close()
        super().close()


def open_bytes(path: Path | str, bounds: ReadLimits = DEFAULT_LIMITS) -> io.BufferedReader:
    """Open a regular file for reading, unpacking it if it is compressed."""
    try:
        file = open_regular(str(path), what=WHAT, buffer=CHUNK)
        start = file.peek(4)[:4]
    except OSError as error:
        raise cannot_read(path, error) from error
    for compression in COMPRESSIONS:
        if start.startswith(compression.magic):
            return io.BufferedReader(_Unpacked(path, file, compression, bounds), CHUNK)
    return file


def cannot_read(path: Path | str, error: OSError) -> InputError:
    """Return the error for a file or folder that the system does not let us read."""
    return InputError(
        f"cannot be read ({error.strerror or error}). Check that it exists and that you may read it.", place=str(path)
    )


def read_head(path: Path) -> bytes:
    """Return the first bytes of a file, unpacked."""
    with open_bytes(path) as file:
        return file.read(HEAD)


def read_document(path: Path | str, bounds: ReadLimits) -> bytes:
    """Return all bytes of a file that is one document, unpacked."""
    name = str(path)
    try:
        data = read_small(name, what=WHAT, max_bytes=min(CHUNK, bounds.max_document))
    except OSError as error:
        raise cannot_read(path, error) from error
    if data is not None and not data.startswith(MAGICS):
        return data
    parts: list[bytes] = []
    size = 0
    with open_bytes(path, bounds) as file:
        for part in _chunks_of(file):
            parts.append(part)
            size += len(part)
            bounds.check_document(size, Place(name))
    return b"".join(parts)


def read_text(path: Path, encoding: str, report: Report, bounds: ReadLimits) -> Iterator[str]:
    """Yield the text of a file in pieces that may end anywhere."""
    with open_bytes(path, bounds) as file:
        yield from _decode_chunks(_chunks_of(file), encoding, report)


def read_lines(
    path: Path, encoding: str, report: Report, bounds: ReadLimits, *, newline: str = "\n"
) -> Iterator[tuple[int, str]]:
    """Yield number, from 1, and text of each line, with its ending.

    Time and memory are linear in the length of a line, which `bounds` limits.
    """
    with open_bytes(path, bounds) as file:
        chunks = _chunks_of(file)
        lines = lines_of_chunks(chunks, encoding, report, name=str(path), bounds=bounds, newline=newline)
        yield from chain.from_iterable(lines)


def lines_of_chunks(
    chunks: Iterable[bytes], encoding: str, report: Report, *, name: str, bounds: ReadLimits, newline: str = "\n"
) -> Iterator[Iterable[tuple[int, str]]]:
    """Yield, for each chunk of bytes, the numbered lines that it completes.

    A byte order mark must be complete in the first chunk. The lines of a chunk must be consumed before the next chunk
    is requested.
    """
    number = 0
    unfinished: list[str] = []
    n_unfinished = 0
    for text in _decode_chunks(chunks, encoding, report):
        first, *lines = text.split(newline)
        unfinished.append(first)
        n_unfinished += len(first)
        if n_unfinished > bounds.max_document:
            bounds.check_document(n_unfinished, Place(name, f"line {number + 1}"))
        if not lines:
            continue
        lines.insert(0, "".join(unfinished))
        unfinished = [lines.pop()]
        n_unfinished = len(unfinished[0])
        numbered = enumerate((line + newline for line in lines), number + 1)
        yield numbered if len(text) <= bounds.max_document else _check_lines(numbered, name, bounds)
        number += len(lines)
    if last := "".join(unfinished):
        yield [(number + 1, last)]


def _check_lines(lines: Iterable[tuple[int, str]], name: str, bounds: ReadLimits) -> Iterator[tuple[int, str]]:
    """Yield the lines of a chunk that is larger than a document may be, checking the length of each."""
    for number, line in lines:
        bounds.check_document(len(line) - 1, Place(name, f"line {number}"))
        yield number, line


def _chunks_of(file: io.BufferedReader) -> Iterator[bytes]:
    return iter(lambda: file.read(CHUNK), b"")


def _decode_chunks(chunks: Iterable[bytes], encoding: str, report: Report) -> Iterator[str]:
    """Yield the text of each chunk of bytes."""
    decoder = None
    for data in chain(chunks, [b""]):
        decoder = decoder or codecs.getincrementaldecoder(encoding_of(data[:4], encoding))(COUNTED)
        before = replaced_so_far()
        text = decoder.decode(data, final=not data)
        report.replaced_bytes += replaced_so_far() - before
        yield text
