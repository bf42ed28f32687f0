"""Store a JSON header and arrays as one sequence of bytes: safetensors, with the header as its only metadata entry.

Models and tables of statistics are stored this way. Reading runs no code. The header declares the name, type and shape
of each array, and `read_head` returns these before any array is read. So a large file that is not what the caller
expects costs no more memory than a small one. A header is limited in size, number of values and depth, because parsed
JSON can take forty times its size in memory; NaN and duplicate names raise `InputError`.

The checksum detects damage. It is not a signature: whoever can write an archive can write its checksum.
"""

import json
import math
import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, BinaryIO, NamedTuple, TypeGuard
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from .errors import InputError, shown
from .files import open_regular
from .settings import is_whole

Header = dict[str, Any]
Arrays = dict[str, NDArray[Any]]

MOST_HEADER = 8 << 20
"""The largest header in bytes: about 180 for each class with measured precision and recall, so about 40,000 classes."""

MOST_VALUES = 400_000
"""The largest number of numbers, texts, lists and objects in a header: eight for each such class."""

MOST_DEEP = 40
"""The deepest nesting of lists and objects in a header."""

MOST_DIMENSIONS = 8
"""The largest number of dimensions of an array; textsieve writes at most two."""

MOST_ELEMENTS = 1 << 59
"""The largest number of elements of an array: 2^59 numbers of 8 bytes, whose size in bytes still fits in 64 bits."""

TYPES = {"U8": np.uint8, "I32": np.int32, "I64": np.int64, "F32": np.float32, "F64": np.float64}
"""The types of the arrays that textsieve writes, by their names in safetensors."""

OTHER_FILES = {
    b"\x80": "a pickle, which may run any code when it is loaded, so textsieve never does",
    b"PK": "a zip file",
    b"\x1f\x8b": "a gzip file",
    b"\x28\xb5\x2f\xfd": "a zstandard file",
    b"\x89HDF": "an HDF5 file",
    b"\x93NUMPY": "a numpy array",
}
"""Other file formats that models are often stored in, by their first bytes."""

AGAIN = "Copy it again from where it was whole."

_MARKS = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[\[{]|[\]}]|,', re.DOTALL)


class Kind(NamedTuple):
    """A kind of archive and the version that this release writes; versions from `oldest` on can be read."""

    format: str
    version: int
    what: str  # description for messages
    oldest: int = 1


class ArraySpec(NamedTuple):
    """The declaration of an array in a header."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    start: int = 0  # position of its first byte, counted from the end of the header

    @property
    def size(self) -> int:
        """Return the number of elements."""
        return math.prod(self.shape)

    @property
    def n_bytes(self) -> int:
        """Return the number of bytes."""
        return self.size * self.dtype.itemsize


Specs = dict[str, ArraySpec]


class ArchiveHeader(NamedTuple):
    """The header of an archive, the arrays that it declares, and the size of these declarations in bytes."""

    header: Header
    specs: Specs
    n_bytes: int


def specs_of(arrays: Mapping[str, NDArray[Any]]) -> Specs:
    """Return the declarations of arrays in memory."""
    return {name: ArraySpec(array.dtype, array.shape) for name, array in arrays.items()}


class _CutShort(ValueError):
    """Raised for an archive whose end is missing."""


# -- writing -----------------------------------------------------------------------------------------------------


def pack(kind: Kind, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the bytes of an archive; raise `InputError` if it could not be read again."""
    # safetensors requires contiguous arrays.
    contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    full = {"format": kind.format, "version": kind.version, **header}
    try:
        text = json.dumps(full | {"checksum": checksum(full, contiguous)})
        parse(text)
    except (TypeError, ValueError, RecursionError) as problem:
        raise InputError(f"The header of {kind.what} can't be written as JSON: {problem}.") from problem
    data = save(contiguous, metadata={"textsieve": text})
    n_header = int.from_bytes(data[:8], "little")
    if n_header > MOST_HEADER:
        raise InputError(f"The header of {kind.what} would have {n_header:,} bytes; {MOST_HEADER:,} is the most.")
    return data


def checksum(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> int:
    """Return the CRC-32 of a header and arrays, to detect damage."""
    sum_ = crc32(json.dumps({name: value for name, value in header.items() if name != "checksum"}).encode())
    for name in sorted(arrays):
        sum_ = crc32(np.ascontiguousarray(arrays[name]).view(np.uint8).reshape(-1).data, crc32(name.encode(), sum_))
    return sum_


# -- reading -----------------------------------------------------------------------------------------------------


def unpack(kind: Kind, data: bytes, name: str = "This") -> tuple[Header, Arrays]:
    """Return the header and the arrays of an archive; `name` is its name in errors."""
    head = head_of(kind, data, name)
    return head.header, arrays_of(head, data, name)


def head_of(kind: Kind, data: bytes, name: str) -> ArchiveHeader:
    """Return the header of an archive in memory, and the arrays that it declares."""
    check_start(kind, data[:16], len(data), name)
    return _parse_head(kind, data[: header_end(data)], len(data), name)


def read_head(kind: Kind, file: BinaryIO, name: str) -> ArchiveHeader:
    """Return the header of an archive file, and the arrays that it declares, without reading the arrays."""
    size = os.fstat(file.fileno()).st_size
    start = file.read(16)
    check_start(kind, start, size, name)
    file.seek(0)
    return _parse_head(kind, file.read(header_end(start)), size, name)


def read_file(
    kind: Kind, path: str, *, max_bytes: int, check: Callable[[ArchiveHeader], None]
) -> tuple[ArchiveHeader, bytes]:
    """Return the header of an archive file, and all bytes of the file.

    `check` raises `InputError` for a header that the caller can't use; then the arrays are not read.
    """
    with open_regular(path, what=kind.what, max_bytes=max_bytes) as file:
        head = read_head(kind, file, path)
        check(head)
        file.seek(0)
        n_bytes = head.n_bytes + sum(spec.n_bytes for spec in head.specs.values())
        data = file.read(n_bytes)
    if len(data) != n_bytes:
        raise InputError(f"{path} became shorter while it was read. {AGAIN}")
    return head, data


def header_end(start: bytes) -> int:
    """Return the position at which the arrays of an archive begin, from its first 8 bytes."""
    return 8 + int.from_bytes(start[:8], "little")


def _parse_head(kind: Kind, head: bytes, size: int, name: str) -> ArchiveHeader:
    try:
        text, specs = _metadata(head, size)
        header = parse(text)
        version, format_ = header["version"], header["format"]
    except _CutShort as problem:
        raise InputError(f"{name} is cut short: {problem}. {AGAIN}") from problem
    except UnicodeDecodeError as problem:
        state = "is damaged" if b"textsieve" in head else f"is not {kind.what}"
        raise InputError(f"{name} {state}: its header can't be read as text. {AGAIN}") from problem
    except (ValueError, LookupError, TypeError, RecursionError) as problem:
        raise InputError(f"{name} is not {kind.what}: {_describe(problem)}.") from problem
    known = range(kind.oldest, kind.version + 1)
    if format_ != kind.format or type(version) is not int or version not in known:
        newer = format_ == kind.format and isinstance(version, int) and version > kind.version
        raise InputError(
            f"{name} is {shown(format_)} version {shown(version)}; this release reads {kind.format!r} version "
            f"{_numbers(known)}. "
            f"{'Update textsieve to read it.' if newer else 'Give one that this release wrote.'}"
        )
    return ArchiveHeader(header, specs, len(head))


def _numbers(versions: range) -> str:
    """Return versions as text: 1, or 1 or 2, or 1 to 3."""
    between = " or " if len(versions) == 2 else " to "
    return between.join(map(str, dict.fromkeys((versions[0], versions[-1]))))


def arrays_of(head: ArchiveHeader, data: bytes, name: str) -> Arrays:
    """Return the arrays of an archive with this header, as views of its bytes; raise if the checksum differs."""
    arrays = {array_name: _array(spec, head.n_bytes + spec.start, data) for array_name, spec in head.specs.items()}
    if head.header.get("checksum") != checksum(head.header, arrays):
        raise InputError(f"{name} is damaged: its checksum is another. {AGAIN}")
    return arrays


def _array(spec: ArraySpec, start: int, data: bytes) -> NDArray[Any]:
    array = np.frombuffer(data, spec.dtype, spec.size, start)
    if not array.flags.aligned:  # kernels are compiled for aligned arrays
        array = np.frombuffer(data[start : start + spec.n_bytes], spec.dtype)
    return array.reshape(spec.shape)


def check_start(kind: Kind, start: bytes, size: int, name: str) -> None:
    """Raise `InputError` if the first bytes and the size show that this is no archive."""
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


def _metadata(head: bytes, size: int) -> tuple[str, Specs]:
    """Return our header inside that of safetensors, and the declared arrays, which must fill the file exactly."""
    outer = parse(head[8:].decode())
    text = outer.pop("__metadata__")["textsieve"]
    if not isinstance(text, str):
        raise TypeError("its header is no text")
    specs = {name: _spec(name, declared) for name, declared in outer.items()}
    declared_size = len(head) + max((spec.start + spec.n_bytes for spec in specs.values()), default=0)
    if size != declared_size:
        message = f"it has {size:,} bytes where its header speaks of {declared_size:,}"
        raise _CutShort(message) if size < declared_size else ValueError(message)
    end = 0
    for spec in sorted(specs.values(), key=lambda spec: (spec.start, spec.n_bytes)):
        if spec.start != end:
            raise ValueError("its arrays overlap, or there is something between them")
        end += spec.n_bytes
    return text, specs


def _spec(name: str, declared: Mapping[str, Any]) -> ArraySpec:
    type_, shape, (begin, end) = declared["dtype"], declared["shape"], declared["data_offsets"]
    if type_ not in TYPES:
        raise ValueError(f"the array {shown(name)} is of {shown(type_)}, which textsieve does not write")
    if not isinstance(shape, list) or len(shape) > MOST_DIMENSIONS or not all(map(_is_size, [*shape, begin, end])):
        raise ValueError(f"the array {shown(name)} has the shape {shown(shape)} at {shown([begin, end])}")
    if math.prod(max(size, 1) for size in shape) > MOST_ELEMENTS:  # also for empty arrays: numpy rejects larger shapes
        raise ValueError(f"the array {shown(name)} has the shape {shown(shape)}")
    spec = ArraySpec(np.dtype(TYPES[type_]), tuple(shape), begin)
    if end - begin != spec.n_bytes:
        raise ValueError(f"the array {shown(name)} has {shown(end - begin)} bytes, and its shape is {shown(shape)}")
    return spec


def _is_size(number: object) -> bool:
    return is_whole(number) and 0 <= number <= MOST_ELEMENTS


def parse(text: str, *, what: str = "its header", max_values: int = MOST_VALUES) -> Header:
    """Return a parsed JSON object; raise `ValueError` for NaN, duplicate keys and objects that are too large."""
    _check_shape(text, what=what, max_values=max_values)

    def once(pairs: list[tuple[str, Any]]) -> Header:
        parsed = dict(pairs)
        if len(parsed) < len(pairs):
            ((duplicate, _),) = Counter(key for key, _ in pairs).most_common(1)
            raise ValueError(f"{what} has {shown(duplicate)} twice")
        return parsed

    def constant(name: str) -> float:
        if name == "NaN":
            raise ValueError(f"{what} has NaN, which is no number")
        return float(name)

    header = json.loads(text, object_pairs_hook=once, parse_constant=constant)
    if not isinstance(header, dict):
        raise ValueError(f"{what} is no JSON object")
    return header


def _check_shape(text: str, *, what: str, max_values: int) -> None:
    """Raise `ValueError` for JSON that is nested too deeply or has too many values, before it is parsed."""
    n_opened = text.count("[") + text.count("{")
    if n_opened <= MOST_DEEP and n_opened + text.count(",") <= max_values:
        return  # even if all of these characters are outside of strings
    depth = n_values = 0
    for mark in _MARKS.finditer(text):
        first = text[mark.start()]
        depth += (first in "[{") - (first in "]}")
        n_values += first in "[{,"  # a value comes first in a list or an object, or after a comma
        if depth > MOST_DEEP:
            raise ValueError(f"{what} is nested more than {MOST_DEEP} deep")
        if n_values > max_values:
            raise ValueError(f"{what} has more than {max_values:,} values")


def _describe(problem: Exception) -> str:
    return f"its header has no {problem}" if isinstance(problem, KeyError) else str(problem)[:200].rstrip(".")


def are_classes(labels: object) -> TypeGuard[Sequence[Any]]:
    """Return whether a value from a header is a list of classes: all text or all numbers, sorted and unique."""
    if not isinstance(labels, list | tuple):
        return False
    if not (
        all(isinstance(label, str) for label in labels)
        or all(isinstance(label, int | float) and label == label for label in labels)  # rejects NaN
    ):
        return False
    return all(label < next_label for label, next_label in pairwise(labels))
