"""Store a JSON header and arrays as one file: safetensors, with the header as its only metadata entry.

Models and tables of statistics are stored this way. Reading runs no code. The header of safetensors declares the name,
type and shape of each array, and textsieve's own header is inside it, as JSON. To open an `Archive` reads only these
headers; its arrays are read when its user asks for them. So a large file that is not what the user expects costs no
more memory than a small one, and arrays that nobody needs are never read.

The header has a checksum of itself and of the arrays that every reader reads. Additional arrays, which only some
readers read, need a checksum of their own in the header (`checksum_of`). Checksums detect damage. They are no
signature: whoever can write an archive can write its checksums.

An archive can be compressed. Then the metadata entry has three keys: the format, its version, and as `header` the whole
header, compressed by zstandard and written in base 85. Arrays that get smaller are stored as bytes compressed by
zstandard, and the header's key `compressed` has their types and shapes. Small files must not unpack to huge arrays: an
array of more than `SMALL_ARRAY` bytes that would get smaller than 1 / `MAX_COMPRESSION` of its size is stored
uncompressed. So reading an array takes at most `SMALL_ARRAY` bytes, or `MAX_COMPRESSION` times its bytes in the file.
"""

from __future__ import annotations

import json
import math
import os
from base64 import b85decode, b85encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from .errors import InputError, shown
from .files import open_regular
from .settings import is_whole
from .strict_json import parse

Header = dict[str, Any]
Arrays = dict[str, NDArray[Any]]

SIZE_BYTES = 8
"""The number of bytes at the beginning of a safetensors file that store the size of its header, which follows."""

MAX_HEADER = 8 << 20
"""The largest header in bytes: about 180 for each class with measured precision and recall, so about 40,000 classes."""

MAX_DIMENSIONS = 8
"""The largest number of dimensions of an array; textsieve writes at most two."""

MAX_ELEMENTS = 1 << 59
"""The largest number of elements of an array: 2^59 numbers of 8 bytes, whose size in bytes still fits in 64 bits."""

SMALL_ARRAY = 1 << 20
"""An array of at most this many bytes may be compressed to any size; an archive has about ten arrays."""

MAX_COMPRESSION = 4
"""The largest ratio of a larger array's size to that of its compressed bytes.

Arrays that compress by more are stored uncompressed. That is rare: those of large models compress by less than 2.
"""

COMPRESSION_LEVEL = 19
"""The level of zstandard: the smallest files without more memory for reading; about 3 MB per second for writing."""

MAX_BYTES_AT_LEVEL = 1 << 22
"""Larger arrays are compressed at zstandard's default level, which is about 100 times as fast."""

TYPES = {"U8": np.uint8, "I8": np.int8, "I32": np.int32, "I64": np.int64, "F32": np.float32, "F64": np.float64}
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

COPY_AGAIN = "copy it again from where it was whole"


class Kind(NamedTuple):
    """A kind of archive, such as a model, and the version of its format."""

    format: str
    version: int
    what: str  # description for messages, such as "a model"
    compressed_version: int | None = None  # the version that compressed archives of this kind have, if there are some

    @property
    def versions(self) -> list[int]:
        """Return the versions that can be read."""
        return [self.version] if self.compressed_version is None else [self.version, self.compressed_version]


class ArraySpec(NamedTuple):
    """The type and shape of an array, as a header declares them."""

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


def specs_of(arrays: Mapping[str, NDArray[Any]]) -> Specs:
    """Return the declarations of arrays in memory."""
    return {name: ArraySpec(array.dtype, array.shape) for name, array in arrays.items()}


class _TruncatedError(ValueError):
    """Raised for an archive whose end is missing."""


# -- writing -----------------------------------------------------------------------------------------------------

NO_ARRAYS: Mapping[str, NDArray[Any]] = {}


def pack(
    kind: Kind,
    header: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    additional: Mapping[str, NDArray[Any]] = NO_ARRAYS,
    *,
    compress: bool = False,
) -> bytes:
    """Return the bytes of an archive, compressed or not; raise `InputError` if it could not be read again.

    This adds a checksum of the header and `arrays` to the header. Not every reader reads the `additional` arrays, so
    the caller puts their checksum into the header. They are never compressed.
    """
    # safetensors requires contiguous arrays.
    contiguous = {name: np.ascontiguousarray(array) for name, array in {**arrays, **additional}.items()}
    start = {"format": kind.format, "version": kind.compressed_version if compress else kind.version}
    try:
        header_checksum = checksum({**start, **header}, {name: contiguous[name] for name in arrays})
        full_header = {**start, **header, "checksum": header_checksum}
        if compress:
            compressed = {name: smaller for name in arrays if (smaller := _compress(contiguous[name])) is not None}
            # The checksum does not cover this key: readers remove it before they compute the checksum.
            full_header["compressed"] = {
                name: {"dtype": _type_name(contiguous[name].dtype), "shape": contiguous[name].shape}
                for name in compressed
            }
            contiguous |= compressed
        text = json.dumps(full_header)
        parse(text)  # raises `ValueError` for what a reader would not accept
    except (TypeError, ValueError, RecursionError) as problem:
        raise InputError(f"the header of {kind.what} can't be written as JSON: {problem}.") from problem
    if compress:
        text = json.dumps({**start, "header": b85encode(_zstd(text.encode())).decode()})
    data = save(contiguous, metadata={"textsieve": text})
    header_size = _header_size(data)
    if header_size > MAX_HEADER:
        raise InputError(f"the header of {kind.what} would have {header_size:,} bytes; {MAX_HEADER:,} is the most.")
    return data


def _zstd(data: bytes) -> bytes:
    """Return bytes compressed by zstandard in one thread, so that the result does not depend on the number of cores."""
    from zstandard import ZstdCompressor

    is_large = len(data) > MAX_BYTES_AT_LEVEL
    return (ZstdCompressor() if is_large else ZstdCompressor(level=COMPRESSION_LEVEL)).compress(data)


def _compress(array: NDArray[Any]) -> NDArray[np.uint8] | None:
    """Return the compressed bytes of an array; None if it must be stored uncompressed (see `_may_be_compressed`)."""
    compressed = _zstd(array.tobytes())
    return np.frombuffer(compressed, np.uint8) if _may_be_compressed(array.nbytes, len(compressed)) else None


def _may_be_compressed(n_bytes: int, n_compressed: int) -> bool:
    """Return whether an array of `n_bytes` may be stored as `n_compressed` bytes: if these are fewer, but not too few.

    Readers refuse all other arrays, which might unpack to far more than the file's size.
    """
    return n_compressed < n_bytes <= max(MAX_COMPRESSION * n_compressed, SMALL_ARRAY)


def compressed_size(arrays: Mapping[str, NDArray[Any]]) -> int:
    """Return the number of bytes that arrays take in a compressed archive, without the header."""
    total = 0
    for array in arrays.values():
        contiguous = np.ascontiguousarray(array)
        compressed = _compress(contiguous)
        total += contiguous.nbytes if compressed is None else compressed.nbytes
    return total


def _decompress(data: bytes | memoryview, n_bytes: int) -> bytes:
    """Return the decompressed bytes; raise `ValueError` if they are not `n_bytes`, or if the data is damaged."""
    from zstandard import ZstdDecompressor, ZstdError, get_frame_parameters

    try:
        if get_frame_parameters(data).content_size != n_bytes:
            raise ValueError("its size is not the declared one")
        return ZstdDecompressor().decompress(data, max_output_size=n_bytes, allow_extra_data=False)
    except ZstdError as problem:
        raise ValueError(str(problem)) from problem


def _type_name(dtype: np.dtype[Any]) -> str:
    """Return the name of a type in `TYPES`."""
    return next(name for name, numpy_type in TYPES.items() if dtype == numpy_type)


def _header_size(start: bytes) -> int:
    """Return the size of the header in bytes: the integer of `SIZE_BYTES` with which a safetensors file begins."""
    return int.from_bytes(start[:SIZE_BYTES], "little")


def checksum(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> int:
    """Return the CRC-32 of a header, except for the checksum in it, and of arrays."""
    text = json.dumps({name: value for name, value in header.items() if name != "checksum"})
    return checksum_of(arrays, crc32(text.encode()))


def checksum_of(arrays: Mapping[str, NDArray[Any]], start: int = 0) -> int:
    """Return the CRC-32 of arrays and their names, which continues `start`, the CRC-32 of what comes before them."""
    value = start
    for name in sorted(arrays):
        array_bytes = np.ascontiguousarray(arrays[name]).view(np.uint8).reshape(-1)
        value = crc32(array_bytes.data, crc32(name.encode(), value))
    return value


# -- reading -----------------------------------------------------------------------------------------------------

ReadAt = Callable[[int, int], bytes | memoryview]
"""A function of a position and a number of bytes that returns the bytes there, or fewer at the end of the archive."""


class Archive:
    """An archive whose header is read, and whose arrays are read when they are asked for."""

    def __init__(self, kind: Kind, name: str, size: int, read_at: ReadAt) -> None:
        """Read the header; `name` is the name of the archive in errors, and `size` its size in bytes."""
        self.name, self.n_bytes = name, size
        self._read_at = read_at
        start = bytes(read_at(0, 16))  # enough for `check_start`
        check_start(kind, start, size, name)
        head = bytes(read_at(0, SIZE_BYTES + _header_size(start)))
        self.header, self._stored_specs, decompressed_specs = _parse_head(kind, head, size, name)
        self.specs = self._stored_specs | decompressed_specs
        """The type and shape of each array, of a compressed one those that it has when it is decompressed."""
        self._arrays_start = len(head)
        self.digest = sha256(head).hexdigest()
        """Identifies the content: the header has the checksums of all arrays."""

    def read(self, names: Iterable[str] | None = None) -> Arrays:
        """Return the named arrays, or all; raise `InputError` unless they and the header match the header's checksum.

        The checksum covers the header and what `pack` gets as `arrays`. So name all of these, and no additional arrays.
        """
        arrays = self._read_arrays(self.specs if names is None else names)
        self._check_checksum(self.header.get("checksum"), checksum(self.header, arrays))
        return arrays

    def read_additional(self, names: Iterable[str], expected: object) -> Arrays:
        """Return the named arrays; raise `InputError` unless they match the checksum `expected`."""
        arrays = self._read_arrays(names)
        self._check_checksum(expected, checksum_of(arrays))
        return arrays

    def _check_checksum(self, expected: object, actual: int) -> None:
        """Raise `InputError` if the checksum that the file stores is not that of the content that was read."""
        if expected != actual:
            raise InputError("the file is damaged: its checksum differs", place=self.name, hint=COPY_AGAIN)

    def _read_arrays(self, names: Iterable[str]) -> Arrays:
        """Return the named arrays, read in the order of the file, so that it is read from front to back."""
        in_file_order = sorted(names, key=lambda name: self._stored_specs[name].start)
        return {name: self._read_array(name) for name in in_file_order}

    def _read_array(self, name: str) -> NDArray[Any]:
        """Return an array, which shares memory with the bytes read unless these are compressed or not aligned."""
        stored, spec = self._stored_specs[name], self.specs[name]
        data = self._read_at(self._arrays_start + stored.start, stored.n_bytes)
        if len(data) != stored.n_bytes:
            raise InputError("the file became shorter while it was read", place=self.name, hint=COPY_AGAIN)
        if spec is not stored:  # the array is compressed
            try:
                data = _decompress(data, spec.n_bytes)
            except ValueError as problem:
                raise InputError(
                    f"the file is damaged: {name} can't be decompressed ({problem})", place=self.name, hint=COPY_AGAIN
                ) from problem
        array = np.frombuffer(data, spec.dtype, spec.size)
        if not array.flags.aligned:  # kernels are compiled for aligned arrays
            array = np.frombuffer(bytes(data), spec.dtype)
        return array.reshape(spec.shape)


@contextmanager
def open_archive(kind: Kind, path: str, *, max_bytes: int) -> Iterator[Archive]:
    """Open an archive file and read its header; raise `InputError` for any other file, and `OSError` as `open` does."""
    with open_regular(path, what=kind.what, max_bytes=max_bytes) as file:

        def read_at(start: int, n_bytes: int) -> bytes:
            file.seek(start)
            return file.read(n_bytes)

        yield Archive(kind, path, os.fstat(file.fileno()).st_size, read_at)


def archive_in(kind: Kind, data: bytes, name: str) -> Archive:
    """Return the archive in some bytes; its arrays are views of the bytes."""
    view = memoryview(data)
    return Archive(kind, name, len(data), lambda start, n_bytes: view[start : start + n_bytes])


def check_start(kind: Kind, start: bytes, size: int, name: str) -> None:
    """Raise `InputError` if the first bytes and the size show that this is no archive."""
    header_size = _header_size(start)
    begins_as_archive = start[SIZE_BYTES : SIZE_BYTES + 1] == b"{"  # the header is a JSON object
    # This comes first, because the size of a header can begin with the same bytes as a file of `OTHER_FILES`.
    if begins_as_archive and header_size <= min(size - SIZE_BYTES, MAX_HEADER):
        return
    for first_bytes, other in OTHER_FILES.items():
        if start.startswith(first_bytes):
            raise InputError(f"the file is not {kind.what}; it looks like {other}", place=name)
    if begins_as_archive and size - SIZE_BYTES < header_size <= MAX_HEADER:
        problem = f"the file is cut short: it has {size:,} bytes, and its header alone has more"
        raise InputError(problem, place=name, hint=COPY_AGAIN)
    if not size:
        raise InputError(f"the file is not {kind.what}: it is empty", place=name, hint=COPY_AGAIN)
    raise InputError(f"the file is not {kind.what}: it does not begin as one", place=name)


def _parse_head(kind: Kind, head: bytes, size: int, name: str) -> tuple[Header, Specs, Specs]:
    """Return the header, the specs of all arrays as stored, and the specs of the compressed arrays once decompressed.

    `head` has the bytes before the arrays. `size` is the size of the file in bytes, and `name` its name in errors.
    Raise `InputError` if the file is damaged or not a readable archive of this kind.
    """
    decompressed_specs: Specs = {}
    try:
        text, specs = _parse_safetensors(head, size)
        header = parse(text)
        version, format_ = header["version"], header["format"]
        if _is_readable(kind, version, format_) and version == kind.compressed_version:
            header, decompressed_specs = _parse_compressed_header(header, specs)
    # `_TruncatedError` and `UnicodeDecodeError` are kinds of `ValueError`, so they come before it.
    except _TruncatedError as problem:
        raise InputError(f"the file is cut short: {problem}", place=name, hint=COPY_AGAIN) from problem
    except UnicodeDecodeError as problem:
        state = "damaged" if b"textsieve" in head else f"not {kind.what}"
        raise InputError(
            f"the file is {state}: its header can't be read as text", place=name, hint=COPY_AGAIN
        ) from problem
    except (ValueError, LookupError, TypeError, RecursionError) as problem:
        reason = f"its header has no {problem}" if isinstance(problem, KeyError) else str(problem)[:200].rstrip(".")
        raise InputError(f"the file is not {kind.what}: {reason}", place=name) from problem
    if not _is_readable(kind, version, format_):
        is_newer = format_ == kind.format and isinstance(version, int) and version > max(kind.versions)
        raise InputError(
            f"the file is {shown(format_)} version {shown(version)}; this release reads {kind.format!r} version "
            f"{' or '.join(map(str, kind.versions))}",
            place=name,
            hint="Update textsieve to read it" if is_newer else "Give a file that this release wrote",
        )
    return header, specs, decompressed_specs


def _is_readable(kind: Kind, version: object, format_: object) -> bool:
    """Return whether this release reads a version of a format."""
    return format_ == kind.format and type(version) is int and version in kind.versions


def _parse_compressed_header(outer_header: Header, specs: Specs) -> tuple[Header, Specs]:
    """Return the whole header of a compressed archive, and the specs of its compressed arrays once decompressed.

    `outer_header` has the format, the version and the compressed header, and `specs` the arrays as stored. Raises
    `ValueError`, `LookupError` or `TypeError` if one of them is not valid.
    """
    header = parse(_decompress_text(outer_header["header"]))
    declared = header.pop("compressed")
    if not isinstance(declared, dict):
        raise TypeError("it does not declare its compressed arrays")
    decompressed_specs = {array: _parse_compressed(array, spec, specs) for array, spec in declared.items()}
    if (header["version"], header["format"]) != (outer_header["version"], outer_header["format"]):
        raise ValueError("its header has two versions")
    return header, decompressed_specs


def _decompress_text(encoded: Any) -> str:
    """Return the text that was compressed and written in base 85; raise an error for anything else."""
    from zstandard import ZstdError, get_frame_parameters

    if not isinstance(encoded, str):
        raise TypeError("its header is no text")
    data = b85decode(encoded)
    try:
        n_bytes = get_frame_parameters(data).content_size
    except ZstdError as problem:
        raise ValueError(f"its header can't be decompressed: {problem}") from problem
    if n_bytes > MAX_HEADER:  # also if the size is not recorded, which zstandard reports as 2^64 - 1
        raise ValueError(f"its header has more than {MAX_HEADER:,} bytes")
    return _decompress(data, n_bytes).decode()


def _parse_compressed(name: str, declared: Mapping[str, Any], specs: Specs) -> ArraySpec:
    """Return the type and shape that a compressed array has when it is decompressed, as the header declares them.

    `specs` has the arrays as stored. Raises `ValueError`, `LookupError` or `TypeError` for an invalid declaration.
    """
    stored = specs[name]
    spec = _spec_of(name, declared["dtype"], declared["shape"], stored.start)
    if stored.dtype != np.uint8 or len(stored.shape) != 1:
        raise ValueError(f"the compressed array {shown(name)} is not stored as bytes")
    if not _may_be_compressed(spec.n_bytes, stored.n_bytes):
        raise ValueError(f"the array {shown(name)} has {spec.n_bytes:,} bytes, compressed to {stored.n_bytes:,}")
    return spec


def _parse_safetensors(head: bytes, size: int) -> tuple[str, Specs]:
    """Return textsieve's header, which is inside that of safetensors, and the declared arrays.

    The arrays must fill the rest of the file exactly. Raises `ValueError`, `LookupError` or `TypeError` otherwise.
    """
    outer_header = parse(head[SIZE_BYTES:].decode())
    text = outer_header.pop("__metadata__")["textsieve"]  # what remains are the arrays
    if not isinstance(text, str):
        raise TypeError("its header is no text")
    specs = {name: _parse_spec(name, declared) for name, declared in outer_header.items()}
    declared_size = len(head) + max((spec.start + spec.n_bytes for spec in specs.values()), default=0)
    if size != declared_size:
        message = f"it has {size:,} bytes, and its header declares {declared_size:,}"
        raise _TruncatedError(message) if size < declared_size else ValueError(message)
    end = 0
    # An empty array begins where the next one does, so arrays with the same start are sorted by their sizes.
    for spec in sorted(specs.values(), key=lambda spec: (spec.start, spec.n_bytes)):
        if spec.start != end:
            raise ValueError("its arrays overlap, or there is something between them")
        end += spec.n_bytes
    return text, specs


def _parse_spec(name: str, declared: Mapping[str, Any]) -> ArraySpec:
    """Return the declaration of an array in the header of safetensors.

    Raises `ValueError`, `LookupError` or `TypeError` if it is not valid.
    """
    begin, end = declared["data_offsets"]
    if not (_is_size(begin) and _is_size(end)):
        raise ValueError(f"the array {shown(name)} is at {shown([begin, end])}")
    spec = _spec_of(name, declared["dtype"], declared["shape"], begin)
    if end - begin != spec.n_bytes:
        raise ValueError(
            f"the array {shown(name)} has {shown(end - begin)} bytes, and its shape is {shown(declared['shape'])}"
        )
    return spec


def _spec_of(name: str, type_: Any, shape: Any, begin: int) -> ArraySpec:
    """Return the type and shape of an array that begins at a position; raise `ValueError` if they are not valid."""
    if type_ not in TYPES:
        raise ValueError(f"the array {shown(name)} is of {shown(type_)}, which textsieve does not write")
    if not isinstance(shape, list) or len(shape) > MAX_DIMENSIONS or not all(map(_is_size, shape)):
        raise ValueError(f"the array {shown(name)} has the shape {shown(shape)}")
    if math.prod(max(size, 1) for size in shape) > MAX_ELEMENTS:  # also for empty arrays: numpy rejects larger shapes
        raise ValueError(f"the array {shown(name)} has the shape {shown(shape)}")
    return ArraySpec(np.dtype(TYPES[type_]), tuple(shape), begin)


def _is_size(number: object) -> bool:
    """Return whether a value from a header can be a size of an array or a position in the file."""
    return is_whole(number) and 0 <= number <= MAX_ELEMENTS
