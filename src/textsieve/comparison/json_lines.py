"""Append-only files of JSON lines; each line has a checksum and is on the disk before the next one begins.

A line is one JSON object. Its last member, `"checksum"`, is the CRC-32 of all bytes of the line before it, as eight
hexadecimal digits; so one flipped bit anywhere in a line is detected, and no part of a damaged line is parsed.

A run that is killed leaves complete lines and at most one unfinished line at the end of the file. Readers skip an
unfinished line. A run that resumes the file first checks that the results belong to the same comparison, and then
removes the unfinished line. Any other damage raises `InputError` with the number of the line.

A file may come from somebody else, so reading it must not exhaust memory. The size of the file, the size of a line, and
the number and nesting of the values in a line (`strict_json.parse`) are limited, and checked before a line is parsed.
No value is compressed, so memory use is proportional to the size of the file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any
from zlib import crc32

from ..errors import InputError, Place, shown
from ..files import check_openable, lock, open_regular
from ..strict_json import parse

MAX_BYTES = 1 << 30
"""Maximum bytes of a file: about 800 rows with a million test documents each (4/3 bytes per document)."""
MAX_LINE = 64 << 20
"""Maximum bytes of a line."""
MAX_VALUES = 4_000_000
"""Maximum number of JSON values in a line, such as the terms of a selection."""
_NOUN = "the line"
"""The name of a line in the errors of `parse`."""
_ENDING_SIZE = len(', "checksum": "00000000"}')


# -- lines -------------------------------------------------------------------------------------------------------


def encode_line(record: Mapping[str, Any]) -> bytes:
    """Return the line of a record; raise `ValueError` if it could not be read again."""
    text = json.dumps(record, ensure_ascii=True)
    parse(text, what=_NOUN, max_values=MAX_VALUES)  # raises `ValueError` for what a reader would not accept
    body = text[:-1].encode()  # without the closing brace, which follows the checksum
    line = body + _ending(body) + b"\n"
    if len(line) > MAX_LINE:
        raise ValueError(f"{_NOUN} has {len(line):,} bytes, and {MAX_LINE:,} is the most")
    return line


def decode_line(line: bytes) -> dict[str, Any]:
    """Return the record of a line; raise `ValueError` if it is damaged."""
    if len(line) > MAX_LINE:
        raise ValueError(f"it has more than {MAX_LINE:,} bytes")
    if not has_checksum(line):
        raise ValueError("its checksum is missing or does not match")
    record = parse(line.decode(), what=_NOUN, max_values=MAX_VALUES)
    del record["checksum"]
    return record


def has_checksum(line: bytes) -> bool:
    """Return whether a line ends with the checksum of the bytes before it."""
    return line[-_ENDING_SIZE:] == _ending(line[:-_ENDING_SIZE])


def _ending(body: bytes) -> bytes:
    """Return the end of a line: the checksum of the bytes before it, and the closing brace."""
    return b', "checksum": "%08x"}' % crc32(body)


def damaged_line(path: str, number: int, problem: Exception) -> InputError:
    """Return the error for a damaged line after the first one."""
    return InputError(
        f"damaged: {problem}",
        place=Place(path, f"line {number}"),
        hint="Remove this line and run the same command again, which measures only what is missing.",
    )


def first_difference(there: Mapping[str, Any], here: Mapping[str, Any]) -> str:
    """Return the first key with different values in two objects, and both values, as text for a message.

    `there` is a part of the header of a file, such as its settings, and `here` the same part of this run's header.
    """
    name = next(name for name in (*here, *there) if name not in here or name not in there or here[name] != there[name])
    return f"{name}: {shown(there.get(name))} there, {shown(here.get(name))} here"


# -- files -------------------------------------------------------------------------------------------------------


def check_results_path(path: str) -> None:
    """Raise `InputError`, before any work is done, if a file can't be written at this path."""
    check_openable(path, what="a list of results")


@contextmanager
def open_to_append(path: str) -> Iterator[IO[bytes]]:
    """Open a new or existing file to append lines to it; raise `InputError` if another run is writing to it."""
    try:
        file = open(path, "ab", buffering=0)  # noqa: SIM115, closed below; unbuffered, so nothing is left to write
    except OSError as problem:
        hint = "choose another place"
        raise InputError(f"can't be written ({problem.strerror})", place=path, hint=hint) from problem
    with file:
        require_lock(file, path)
        yield file


def open_results(path: str) -> IO[bytes]:
    """Open a file of results for reading."""
    try:
        return open_regular(path, what="a file of results", max_bytes=MAX_BYTES)
    except OSError as problem:
        hint = "Check that it exists."
        raise InputError(f"can't be read ({problem.strerror})", place=path, hint=hint) from problem


def read_lines(path: str) -> tuple[list[bytes], bytes]:
    """Return the complete lines of a file, and the bytes of an unfinished line at its end.

    A last line with its checksum is complete even if its line feed is missing. Two kinds of damage are returned among
    the complete lines, so that `decode_line` raises an error for them: a last line with another byte in place of its
    line feed, and the beginning of a line that is too long, after which nothing is read.
    """
    lines, unfinished = [], b""
    with open_results(path) as file:
        while line := file.readline(MAX_LINE + 1):  # the line feed is missing only at the end, or if it is too long
            if line.endswith(b"\n"):
                lines.append(line[:-1])
                continue
            is_complete, is_too_long = has_checksum(line), len(line) > MAX_LINE
            has_other_end = has_checksum(line[:-1])
            if is_complete or is_too_long or has_other_end:
                lines.append(line)
                break
            unfinished = line
    return lines, unfinished


def drop_unfinished(file: IO[bytes], lines: list[bytes]) -> None:
    """Truncate a file after its complete lines, which are given, and make it end with a line feed."""
    end = sum(len(line) + 1 for line in lines)
    size = os.fstat(file.fileno()).st_size
    if size > end:
        file.truncate(end)
    elif size < end:  # the last line is complete except for its line feed
        file.write(b"\n")


def append(file: IO[bytes], record: Mapping[str, Any]) -> None:
    """Append a line, and return when it is on the disk."""
    try:
        unwritten = encode_line(record)
        if os.fstat(file.fileno()).st_size + len(unwritten) > MAX_BYTES:
            raise ValueError(f"it would have more than {MAX_BYTES:,} bytes")
        while unwritten:  # an unbuffered file may write only a part
            unwritten = unwritten[file.write(unwritten) :]
        os.fsync(file.fileno())
    except ValueError as problem:
        raise InputError(
            f"can't be written any further, because {problem}",
            place=file.name,
            hint="Compare fewer combinations, or write the results of some to another file.",
        ) from problem
    except OSError as problem:
        raise InputError(
            f"can't be written any further ({problem.strerror}). What it has is safe",
            place=file.name,
            hint="make room, and the same command continues where it stopped",
        ) from problem


def require_lock(file: IO[bytes], path: str) -> None:
    """Lock a results file until it is closed; raise `InputError` if another run is writing to it."""
    try:
        lock(file.fileno())
    except BlockingIOError as problem:
        hint = "wait for it, or choose another file"
        raise InputError("another run is writing to it", place=path, hint=hint) from problem
    except OSError:
        return  # a system or a file system without locks
