"""Read the bytes, the text or the lines of a file, unpacked if it is compressed.

Compression is detected from the first bytes, never from the name. Damage that shows only while unpacking raises an
`InputError` with the file's name. A truncated file counts as damaged, because reading only what is left of it would
lose documents. `ReadLimits` limits the unpacked size of a file and the length of a document or line.

Without a given encoding, a file that is not UTF-8 is read in the encoding that `encodings.py` guesses. Bytes that are
invalid in the encoding are replaced *and counted*. Python's own error handler "replace" does not count replacements;
the one registered here does. Its counter is thread-local, and is read before and after each call of a decoder, so that
passes in different threads do not count each other's replacements.
"""

from __future__ import annotations

import codecs
import gzip
import io
import os
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING

from ..errors import InputError, Place
from ..files import open_regular, read_small, temporary_folder, write_temporary
from .batch import GuessedEncoding, Report
from .encodings import FileEncoding
from .read_limits import DEFAULT_LIMITS, ReadLimits

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

REPLACE_AND_COUNT = "textsieve.counted"
"""The name of the error handler that replaces and counts invalid bytes, for the `errors` argument of decoders."""

REPLACEMENT = "\ufffd"

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is a prefix of this one
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class _Replacements(threading.local):
    """The number of replacements made in this thread; only differences between two readings are meaningful."""

    count = 0


_replacements = _Replacements()


def _replace_and_count(error: UnicodeError) -> tuple[str, int]:
    """Replace invalid bytes by one replacement character, and count it: an error handler, which decoders call."""
    if not isinstance(error, UnicodeDecodeError):  # this handler is not for encoders
        raise error
    _replacements.count += 1
    return REPLACEMENT, error.end  # the decoder continues at this position


codecs.register_error(REPLACE_AND_COUNT, _replace_and_count)


def encoding_of(start: bytes, declared: str) -> str:
    """Return the encoding of the byte order mark with which a file begins; `declared` if there is none."""
    return next((encoding for mark, encoding in BYTE_ORDER_MARKS if start.startswith(mark)), declared)


def decode(data: bytes, encoding: str) -> tuple[str, int]:
    """Return the decoded text and the number of replacements in it."""
    before = _replacements.count
    text = data.decode(encoding_of(data[:4], encoding), REPLACE_AND_COUNT)
    return text, _replacements.count - before


def check_encoding(encoding: str) -> str:
    """Return the encoding, or raise `InputError` if Python has no such text encoding."""
    try:
        # Unlike `codecs.lookup`, these calls also raise `LookupError` for codecs that are not for text, such as "hex".
        "".encode(encoding)
        b"".decode(encoding)
        _decoder(encoding).decode(b"a")  # raises `UnicodeError` for codecs without error handlers, such as "idna"
    except (LookupError, UnicodeError) as error:
        raise InputError(
            str(error),
            setting="encoding",
            value=encoding,
            hint="Give one that Python knows, such as 'utf-8', 'latin-1' or 'cp1252'",
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
        # Encoding as UTF-16 joins two halves that belong together; decoding replaces those that are alone.
        return decode(text.encode("utf-16-le", "surrogatepass"), "utf-16-le")
    return text, 0


CHUNK = 2**18
"""Number of bytes to read at once."""
HEAD = 2**16
"""Number of unpacked bytes at the beginning of a file from which its format is detected."""
FILE_KIND = "a file of documents"
"""What a file should be, for errors."""
ZSTD_PIECES = 2**6, 2**10
"""Minimum and maximum number of bytes of a zstandard file that are unpacked at once."""
ZSTD_WINDOW = 2**27
"""Maximum window of a zstandard frame in bytes: the limit of the tool `zstd`, and the largest that level 22 uses."""


def _unpack_gzip(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the unpacked bytes of a gzip file."""
    with gzip.GzipFile(fileobj=file) as unpacked:
        while data := unpacked.read(CHUNK):
            yield data


def _unpack_zstandard(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the unpacked bytes of a zstandard file.

    The file is a sequence of frames. They are unpacked one by one, because the library's own stream reader does not
    notice a truncated file. The compressed bytes are read in small pieces, because 4 of them can unpack to 128 kB. If a
    piece unpacks to more than `CHUNK` bytes, the next piece is half as large, otherwise twice as large, within the
    limits of `ZSTD_PIECES`.
    """
    import zstandard

    decompressor = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW)
    frame = decompressor.decompressobj()
    smallest, largest = ZSTD_PIECES
    piece_size = smallest
    packed = file.read(piece_size)
    try:
        while packed:
            data = frame.decompress(packed)
            piece_size = max(smallest, piece_size // 2) if len(data) > CHUNK else min(largest, piece_size * 2)
            yield data
            packed = frame.unused_data or file.read(piece_size)  # unused data is the beginning of the next frame
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
    """The first bytes of every file in this format."""
    unpack: Callable[[IO[bytes]], Iterator[bytes]]


COMPRESSIONS = (
    Compression("gzip", ".gz", b"\x1f\x8b", _unpack_gzip),
    Compression("zstandard", ".zst", b"\x28\xb5\x2f\xfd", _unpack_zstandard),
)
MAGICS = tuple(compression.magic for compression in COMPRESSIONS)
"""The first bytes of compressed files."""


class _Unpacked(io.RawIOBase):
    """A file object for the unpacked bytes of a compressed file."""

    def __init__(self, path: Path | str, file: io.BufferedReader, compression: Compression, limits: ReadLimits) -> None:
        self._path = path
        self._file = file
        self._kind = compression.name
        self._chunks = compression.unpack(file)
        self._unread = memoryview(b"")  # the rest of the last chunk
        self._limits = limits
        self._packed_size = os.fstat(file.fileno()).st_size
        self._unpacked_size = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Copy the next unpacked bytes into the buffer, and return their number; 0 at the end of the file."""
        while not self._unread:
            chunk = self._next_chunk()
            if chunk is None:
                return 0
            self._unread = memoryview(chunk)
        target = memoryview(buffer).cast("B")
        size = min(len(target), len(self._unread))
        target[:size] = self._unread[:size]
        self._unread = self._unread[size:]
        return size

    def _next_chunk(self) -> bytes | None:
        """Return the next unpacked bytes, or None at the end; raise `InputError` if they are damaged or too many."""
        try:
            chunk = next(self._chunks, None)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(
                f"begins as a {self._kind} file but cannot be unpacked ({error}). It is damaged or was cut short",
                place=str(self._path),
                hint="get it again",
            ) from error
        if chunk is not None:
            self._unpacked_size += len(chunk)
            self._limits.check_unpacked(self._unpacked_size, self._packed_size, self._path)
        return chunk

    def close(self) -> None:
        self._file.close()
        super().close()


def open_bytes(path: Path | str, limits: ReadLimits = DEFAULT_LIMITS) -> io.BufferedReader:
    """Open a regular file for reading, unpacking it if it is compressed."""
    try:
        file = open_regular(str(path), what=FILE_KIND, buffer=CHUNK)
        start = file.peek(4)[:4]
    except OSError as error:
        raise unreadable_error(path, error) from error
    for compression in COMPRESSIONS:
        if start.startswith(compression.magic):
            return io.BufferedReader(_Unpacked(path, file, compression, limits), CHUNK)
    return file


def unreadable_error(path: Path | str, error: OSError) -> InputError:
    """Return the error for a file or folder that the system does not let us read."""
    return InputError(
        f"cannot be read ({error.strerror or error})",
        place=str(path),
        hint="Check that it exists and that you may read it",
    )


@contextmanager
def seekable(path: Path, limits: ReadLimits) -> Iterator[Path]:
    """Yield the path of a file that can be read at any position: an unpacked temporary copy if it is compressed."""
    with open_bytes(path, limits) as file:
        if isinstance(file.raw, io.FileIO):  # not compressed
            yield path
            return
        with temporary_folder() as folder:
            unpacked = Path(folder, "unpacked")
            write_temporary(str(unpacked), chunks_of(file), what=f"the unpacked {path}")
            yield unpacked


def read_head(path: Path) -> bytes:
    """Return the first `HEAD` bytes of a file, unpacked."""
    with open_bytes(path) as file:
        return file.read(HEAD)


def read_document(path: Path | str, limits: ReadLimits) -> bytes:
    """Return all bytes of a file that is one document, unpacked; raise `InputError` if it is too large."""
    name = str(path)
    try:
        data = read_small(name, what=FILE_KIND, max_bytes=min(CHUNK, limits.max_document))
    except OSError as error:
        raise unreadable_error(path, error) from error
    if data is not None and not data.startswith(MAGICS):
        return data
    # The file is compressed, or `read_small` returned None: mostly because the file is larger than `max_bytes`.
    chunks: list[bytes] = []
    size = 0
    with open_bytes(path, limits) as file:
        for chunk in chunks_of(file):
            chunks.append(chunk)
            size += len(chunk)
            limits.check_document(size, Place(name))
    return b"".join(chunks)


def read_text(path: Path, encoding: str | FileEncoding, report: Report, limits: ReadLimits) -> Iterator[str]:
    """Yield the text of a file in pieces that may end anywhere."""
    with open_bytes(path, limits) as file:
        yield from _decode_chunks(chunks_of(file), encoding, report)


def read_lines(
    path: Path, encoding: str | FileEncoding, report: Report, limits: ReadLimits, *, newline: str = "\n"
) -> Iterator[tuple[int, str]]:
    """Yield the number (from 1) and the text of each line, with its line ending; the last line may have none.

    Time and memory are linear in the length of a line, which `ReadLimits.max_document` limits.
    """
    with open_bytes(path, limits) as file:
        groups = lines_of_chunks(chunks_of(file), encoding, report, name=str(path), limits=limits, newline=newline)
        yield from chain.from_iterable(groups)


def lines_of_chunks(
    chunks: Iterable[bytes],
    encoding: str | FileEncoding,
    report: Report,
    *,
    name: str,
    limits: ReadLimits,
    newline: str = "\n",
) -> Iterator[Iterable[tuple[int, str]]]:
    r"""Yield the lines that each chunk of bytes completes, with their numbers, as one group.

    The chunks b"a\nb" and b"c\nd\n" give the groups [(1, "a\n")] and [(2, "bc\n"), (3, "d\n")]. A chunk that completes
    no line gives no group. A byte order mark must be complete in the first chunk. Consume a group before requesting the
    next, so that errors come in the order of the lines.
    """
    n_lines = 0  # yielded so far
    unfinished: list[str] = []  # the pieces of the current line, whose end has not arrived
    n_unfinished = 0  # number of characters in these pieces
    for text in _decode_chunks(chunks, encoding, report):
        # The first part of the text belongs to the unfinished line, and the last one begins the next unfinished line.
        first, *lines = text.split(newline)
        unfinished.append(first)
        n_unfinished += len(first)
        if n_unfinished > limits.max_document:  # only then is a `Place` created for the error
            limits.check_document(n_unfinished, Place(name, f"line {n_lines + 1}"))
        if not lines:
            continue
        lines.insert(0, "".join(unfinished))
        unfinished = [lines.pop()]
        n_unfinished = len(unfinished[0])
        numbered_lines = enumerate([line + newline for line in lines], n_lines + 1)
        # The first line was checked above. The others are no longer than `text`, so a short text needs no more checks.
        yield numbered_lines if len(text) <= limits.max_document else _check_lines(numbered_lines, name, limits)
        n_lines += len(lines)
    if last_line := "".join(unfinished):
        yield [(n_lines + 1, last_line)]


def _check_lines(lines: Iterable[tuple[int, str]], name: str, limits: ReadLimits) -> Iterator[tuple[int, str]]:
    """Yield the lines, and raise `InputError` at the first that is too long, not counting its line ending."""
    for number, line in lines:
        limits.check_document(len(line) - 1, Place(name, f"line {number}"))
        yield number, line


def chunks_of(file: io.BufferedReader) -> Iterator[bytes]:
    """Yield the bytes of a file, a chunk at a time."""
    return iter(lambda: file.read(CHUNK), b"")


def _decode_chunks(chunks: Iterable[bytes], encoding: str | FileEncoding, report: Report) -> Iterator[str]:
    """Yield the text of each chunk of bytes; count replacements, and note a guessed encoding, in the report."""
    decoder = None  # made for the first chunk, which may begin with a byte order mark
    file_encoding = encoding if isinstance(encoding, FileEncoding) else FileEncoding(given=encoding)
    held_back = b""  # bytes that do not yet show the encoding
    for chunk in chain(chunks, [b""]):  # the empty chunk is the end, where an incomplete character is replaced
        if decoder is None:
            marked_encoding = encoding_of(chunk[:4], "")
            must_decide = file_encoding.may_be_guessed and not marked_encoding
            decoder = _decoder(marked_encoding or file_encoding.name)
        data = held_back + chunk
        if must_decide and not data.isascii():
            if not file_encoding.decide(data, is_complete=not chunk):
                held_back = data
                continue
            must_decide, held_back = False, b""
            decoder = _decoder(file_encoding.name)  # the decoder so far has only seen ASCII, so nothing is lost
        before = _replacements.count
        try:
            text = decoder.decode(data, final=not chunk)
        except UnicodeError as error:  # the handler replaces invalid bytes, but not a missing byte order mark
            raise InputError(
                f"can't be decoded: {error}", setting="encoding", value=file_encoding.name, hint="name another one"
            ) from error
        report.replaced_bytes += _replacements.count - before
        yield text
    if file_encoding.is_guessed:
        report.guessed_encodings[GuessedEncoding(file_encoding.source, file_encoding.name)] += 1


def _decoder(encoding: str) -> codecs.IncrementalDecoder:
    """Return a decoder that replaces and counts invalid bytes."""
    return codecs.getincrementaldecoder(encoding)(REPLACE_AND_COUNT)
