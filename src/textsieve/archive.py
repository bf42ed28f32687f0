"""A JSON header and arrays as one sequence of bytes: safetensors, with the header as its one piece of metadata.

Tables of statistics and models are kept so. Reading runs no code, and no number in the bytes is trusted before it was
held against how many bytes there are: what is declared must be what is there. A header is small, because what Python
makes of JSON can be forty times as large; it is refused if it has very many values, is nested deeply, says something
twice, or has NaN. It can be read and checked before the arrays are (`header_of`), so that a large file which is no
archive costs no more than a small one.

The checksum finds damage. It is no seal: whoever can write an archive can write its checksum.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeGuard
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from .errors import InputError, shown

Header = dict[str, Any]
Arrays = dict[str, NDArray[Any]]

MOST_HEADER = 8 << 20
"""Bytes of a header: about 180 for each class whose precision and recall were measured, so some 40,000 classes."""

MOST_VALUES = 400_000
"""Numbers, texts, lists and objects in a header: eight for each such class."""

MOST_DEEP = 40
"""Lists in lists, or objects in objects, of a header."""

KINDS = {"U8", "I32", "I64", "F32", "F64"}
"""What safetensors calls the numbers that we write."""

OTHER_FILES = {
    b"\x80": "a pickle, which may run any code when it is loaded, so textsieve never does",
    b"PK": "a zip file",
    b"\x1f\x8b": "a gzip file",
    b"\x28\xb5\x2f\xfd": "a zstandard file",
    b"\x89HDF": "an HDF5 file",
    b"\x93NUMPY": "a numpy array",
}
"""What people have models in, by its first bytes."""

AGAIN = "Copy it again from where it was whole."

_MARKS = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[\[{]|[\]}]|,', re.DOTALL)


class Kind(NamedTuple):
    """What an archive holds, and in which version this release writes it; those from the oldest on are read."""

    format: str
    version: int
    what: str  # in words
    oldest: int = 1


class _CutShort(ValueError):
    """Raised for an archive of which the end is missing."""


# -- writing -----------------------------------------------------------------------------------------------------


def pack(kind: Kind, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Write an archive. What could not be read again is refused."""
    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}  # safetensors takes that for granted
    full = {"format": kind.format, "version": kind.version, **header}
    try:
        text = json.dumps(full | {"checksum": checksum(full, whole)})
        parse(text)
    except (TypeError, ValueError, RecursionError) as problem:
        raise InputError(f"The header of {kind.what} can't be written as JSON: {problem}.") from problem
    data = save(whole, metadata={"textsieve": text})
    n_header = int.from_bytes(data[:8], "little")
    if n_header > MOST_HEADER:
        raise InputError(f"The header of {kind.what} would have {n_header:,} bytes; {MOST_HEADER:,} is the most.")
    return data


def checksum(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> int:
    """A number that a damaged archive will hardly have."""
    sum_ = crc32(json.dumps({name: value for name, value in header.items() if name != "checksum"}).encode())
    for name in sorted(arrays):
        sum_ = crc32(np.ascontiguousarray(arrays[name]).view(np.uint8).reshape(-1).data, crc32(name.encode(), sum_))
    return sum_


# -- reading -----------------------------------------------------------------------------------------------------


def unpack(kind: Kind, data: bytes, name: str = "This") -> tuple[Header, Arrays]:
    """Read an archive of that kind; anything else is refused, by the name that it is known by."""
    check_start(kind, data[:16], len(data), name)
    header = header_of(kind, data[: header_end(data)], len(data), name)
    return header, arrays_of(kind, header, data, name)


def header_end(start: bytes) -> int:
    """Where the arrays of an archive begin, by its first 8 bytes."""
    return 8 + int.from_bytes(start[:8], "little")


def header_of(kind: Kind, head: bytes, size: int, name: str) -> Header:
    """What is before the arrays of an archive of so many bytes, if it is of that kind and says what is there."""
    try:
        header = parse(_metadata(head, size))
        version, format_ = header["version"], header["format"]
    except _CutShort as problem:
        raise InputError(f"{name} is cut short: {problem}. {AGAIN}") from problem
    except UnicodeDecodeError as problem:
        what = "is damaged" if b"textsieve" in head else f"is not {kind.what}"
        raise InputError(f"{name} {what}: its header can't be read as text. {AGAIN}") from problem
    except (ValueError, LookupError, TypeError, RecursionError) as problem:
        raise InputError(f"{name} is not {kind.what}: {_said(problem)}.") from problem
    known = range(kind.oldest, kind.version + 1)
    if format_ != kind.format or type(version) is not int or version not in known:
        newer = format_ == kind.format and isinstance(version, int) and version > kind.version
        raise InputError(
            f"{name} is {shown(format_)} version {shown(version)}; this release reads {kind.format!r} version "
            f"{_numbers(known)}. "
            f"{'Update textsieve to read it.' if newer else 'Give one that this release wrote.'}"
        )
    return header


def _numbers(versions: range) -> str:
    """Versions in words: 1, or 1 or 2, or 1 to 3."""
    between = " or " if len(versions) == 2 else " to "
    return between.join(map(str, dict.fromkeys((versions[0], versions[-1]))))


def arrays_of(kind: Kind, header: Header, data: bytes, name: str) -> Arrays:
    """The arrays of an archive with this header, which has its checksum."""
    try:
        arrays = load(data)
    except (SafetensorError, ValueError, LookupError, TypeError, OverflowError) as problem:
        raise InputError(f"{name} is not {kind.what}: {_said(problem)}.") from problem
    if header.get("checksum") != checksum(header, arrays):
        raise InputError(f"{name} is damaged: its checksum is another. {AGAIN}")
    return arrays


def check_start(kind: Kind, start: bytes, size: int, name: str) -> None:
    """Refuse what is no archive by its first bytes and its size alone."""
    declared = int.from_bytes(start[:8], "little")
    if start[8:9] == b"{" and declared <= min(size - 8, MOST_HEADER):
        return
    for first_bytes, other in OTHER_FILES.items():
        if start.startswith(first_bytes):
            raise InputError(f"{name} is not {kind.what}; it looks like {other}.")
    if start[8:9] == b"{" and size - 8 < declared <= MOST_HEADER:
        raise InputError(f"{name} is cut short: it is only its beginning, {size:,} bytes and no whole header. {AGAIN}")
    if not size:
        raise InputError(f"{name} is not {kind.what}: it is empty. {AGAIN}")
    raise InputError(f"{name} is not {kind.what}: it does not begin as one.")


def _metadata(head: bytes, size: int) -> str:
    """Our header within that of safetensors, which must say of each array what we would say, once."""
    outer = parse(head[8:].decode())
    text = outer.pop("__metadata__")["textsieve"]
    ends, n_bytes = [0], 0
    for name, array in outer.items():
        if array["dtype"] not in KINDS:
            raise ValueError(f"the array {shown(name)} is of {shown(array['dtype'])}, which textsieve does not write")
        begin, end = array["data_offsets"]
        ends.append(end)
        n_bytes += end - begin
    if not isinstance(text, str):
        raise TypeError("its header is no text")
    whole = len(head) + max(ends)
    if size != whole:
        said = f"it has {size:,} bytes where its header speaks of {whole:,}"
        raise _CutShort(said) if size < whole else ValueError(said)
    if n_bytes != max(ends):
        raise ValueError("its arrays overlap, or there is something between them")
    return text


def parse(text: str, *, what: str = "its header", max_values: int = MOST_VALUES) -> Header:
    """Read a JSON object; raise `ValueError` for NaN, a key that is there twice, and objects that are too large."""
    _check_shape(text, what=what, max_values=max_values)

    def once(pairs: list[tuple[str, Any]]) -> Header:
        found = dict(pairs)
        if len(found) < len(pairs):
            ((twice, _),) = Counter(key for key, _ in pairs).most_common(1)
            raise ValueError(f"{what} has {shown(twice)} twice")
        return found

    def constant(name: str) -> float:
        if name == "NaN":
            raise ValueError(f"{what} has NaN, which is no number")
        return float(name)

    header = json.loads(text, object_pairs_hook=once, parse_constant=constant)
    if not isinstance(header, dict):
        raise ValueError(f"{what} is no JSON object")
    return header


def _check_shape(text: str, *, what: str, max_values: int) -> None:
    """Raise `ValueError` for JSON that is nested too deeply or has too many values, before any object is made of it."""
    n_opened = text.count("[") + text.count("{")
    if n_opened <= MOST_DEEP and n_opened + text.count(",") <= max_values:
        return  # also if none of these marks were part of a string
    depth = n_values = 0
    for mark in _MARKS.finditer(text):
        first = text[mark.start()]
        depth += (first in "[{") - (first in "]}")
        n_values += first in "[{,"  # a value is the first of a list or an object, or comes after a comma
        if depth > MOST_DEEP:
            raise ValueError(f"{what} is nested more than {MOST_DEEP} deep")
        if n_values > max_values:
            raise ValueError(f"{what} has more than {max_values:,} values")


def _said(problem: Exception) -> str:
    return f"its header has no {problem}" if isinstance(problem, KeyError) else str(problem)[:200].rstrip(".")


def are_classes(labels: object) -> TypeGuard[Sequence[Any]]:
    """Whether a list from a header is one of classes: all text or all numbers, sorted, none twice."""
    if not isinstance(labels, list | tuple):
        return False
    if not (
        all(isinstance(label, str) for label in labels)
        or all(isinstance(label, int | float) and label == label for label in labels)  # NaN is not itself
    ):
        return False
    return all(one < other for one, other in pairwise(labels))
