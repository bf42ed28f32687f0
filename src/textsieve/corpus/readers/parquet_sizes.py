"""Compute the unpacked size of the row groups of a Parquet file from its headers alone.

Polars unpacks whole pages and trusts their headers, so a file of a few kB can fill the memory before the first row is
handed out. The sizes are in two places, both in Thrift's compact protocol: the footer lists the column chunks of each
row group, and every page in a chunk has its own header. The footer's totals may be forged, so they are not used: the
headers of all pages are read, which needs no unpacking.

A page that repeats one value many times is small by its header. Each value therefore counts `VALUE` more bytes, which
is what polars needs for it in a column; a text shared by several values is stored once.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...files import open_regular
from ..bounds import ReadLimits, how_to_raise

MAGIC = b"PAR1"
VALUE = 16
PAGE_RATIO = 20
"""Maximum ratio of unpacked to packed size of a page that is larger than a document may be; text seldom exceeds it."""

Shape = dict[int, Any]
"""The fields to read of a struct by their numbers, each with the shape of its value: None for an integer, bytes for a
string, a `Shape` for a struct and a list of one shape for a list."""

_CHUNK: Shape = {3: {3: [bytes], 5: None, 7: None, 9: None, 11: None}}
_FOOTER: Shape = {3: None, 4: [{1: [_CHUNK], 3: None}]}
_PAGE: Shape = {2: None, 3: None, 5: {1: None}, 7: {1: None}, 8: {1: None}}
_PAGE_VALUES = (5, 8, 7)
"""Field numbers of the headers of data pages of both versions and of dictionary pages."""

_TRUE, _FALSE, _BYTE, _INTEGERS, _DOUBLE, _STRING, _LISTS, _MAP, _STRUCT = 1, 2, 3, (4, 5, 6), 7, 8, (9, 10), 11, 12
_DEEPEST = 30
_SMALLEST_STRUCT = 8
"""Lower bound for the bytes of a row group or column chunk; real ones have far more."""
_SKIP = object()
"""The shape of a value to skip."""


@dataclass(frozen=True, slots=True)
class RowGroup:
    """The number of rows of a row group, and the bytes of the selected columns, packed and unpacked."""

    rows: int
    packed: int
    unpacked: int


class DamagedError(ValueError):
    """Raised for headers that can't be read."""


def row_groups(path: Path, columns: Collection[str], name: str, bounds: ReadLimits) -> list[RowGroup]:
    """Return the sizes of all row groups; `name` is the file's name in error messages."""
    with open_regular(str(path), what="a Parquet file") as file:
        size = file.seek(0, 2)
        if size < 3 * len(MAGIC):
            raise DamagedError("the file is too short")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return list(_row_groups(data, {column.encode() for column in columns}, name, bounds))


def _row_groups(data: mmap.mmap, columns: Collection[bytes], name: str, bounds: ReadLimits) -> Iterator[RowGroup]:
    end = len(data) - 8
    (length,) = struct.unpack_from("<I", data, end)
    if length > end or data[-4:] != MAGIC:
        raise DamagedError("the footer is not where it should be")
    footer = _Thrift(data, end - length, end).struct(_FOOTER)
    rows = [group.get(3, -1) for group in footer.get(4, ())]
    if footer.get(3) != sum(rows) or min(rows, default=0) < 0:
        raise DamagedError("the row groups have other numbers of rows than the file")
    total = 0
    for number, group in enumerate(footer.get(4, ())):
        packed = unpacked = 0
        for chunk in group.get(1, ()):
            metadata = chunk.get(3, {})
            if (metadata.get(3) or [b""])[0] not in columns:
                continue
            for page in _pages(data, metadata):
                packed += page.packed
                unpacked += page.unpacked
                limit = max(bounds.max_document, PAGE_RATIO * page.packed)
                if page.unpacked > limit:
                    raise InputError(
                        f"{name}: a page of {page.packed:,} bytes in row group {number} unpacks to {page.unpacked:,}, "
                        f"and the limit is {limit:,}. {how_to_raise('max_document', page.unpacked)}"
                    )
        total += unpacked
        bounds.check_unpacked(total, len(data), name)
        yield RowGroup(rows[number], packed, unpacked)


@dataclass(frozen=True, slots=True)
class _Page:
    packed: int
    unpacked: int


def _pages(data: mmap.mmap, chunk: dict[int, Any]) -> Iterator[_Page]:
    """Yield the pages of a column chunk."""
    try:
        at, n_values = chunk.get(11) or chunk[9], chunk[5]
        end = at + chunk[7]
        if not 0 < at <= end <= len(data) - 8:
            raise DamagedError("a column is not where it should be")
        while n_values > 0 and at < end:
            thrift = _Thrift(data, at, end)
            header = thrift.struct(_PAGE)
            counts = [header[field][1] for field in _PAGE_VALUES if field in header]
            n_page, packed, unpacked = (counts[0] if counts else 0), header[3], header[2]
            if min(n_page, packed, unpacked) < 0:
                raise DamagedError("a page has a negative size")
            yield _Page(packed, unpacked + VALUE * n_page)
            n_values -= 0 if 7 in header else n_page
            at = thrift.at + packed
    except KeyError as error:
        raise DamagedError("a header lacks a field") from error


class _Thrift:
    """A cursor over values in Thrift's compact protocol, which skips values that are not needed."""

    def __init__(self, data: mmap.mmap, begin: int, end: int) -> None:
        self._data = data
        self._end = end
        self.at = begin

    def struct(self, shape: Shape | None, depth: int = 0) -> dict[int, Any]:
        """Read a struct, and return the fields in `shape` by their numbers."""
        if depth > _DEEPEST:
            raise DamagedError("a header is nested too deeply")
        values: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            kind, step = head & 15, head >> 4
            number = number + step if step else self._integer()
            wanted = _SKIP if shape is None else shape.get(number, _SKIP)
            value = self._value(kind, wanted, depth)
            if wanted is not _SKIP:
                values[number] = value
        return values

    def _value(self, kind: int, shape: Any, depth: int) -> Any:
        if shape is not _SKIP and kind not in _kinds_of(shape):
            raise DamagedError("a header has a value of another type than it should")
        if kind in (_TRUE, _FALSE):
            return None
        if kind in _INTEGERS:
            return self._integer()
        if kind == _STRING:
            return self._bytes(self._varint())
        if kind == _STRUCT:
            return self.struct(shape if isinstance(shape, dict) else None, depth + 1)
        if kind in _LISTS:
            return self._list(shape[0] if isinstance(shape, list) else _SKIP, depth + 1)
        if kind == _BYTE:
            return self._byte()
        if kind == _DOUBLE:
            return self._bytes(8)
        if kind == _MAP:
            return self._skip_map(depth + 1)
        raise DamagedError(f"a header has a value of unknown type {kind}")

    def _list(self, shape: Any, depth: int) -> list[Any]:
        head = self._byte()
        size = self._varint() if head >> 4 == 15 else head >> 4
        if size * (_SMALLEST_STRUCT if isinstance(shape, dict) else 1) > self._end - self.at:
            raise DamagedError("a header has a list that is too long")
        values: list[Any] = []
        for _ in range(size):
            value = self._byte() if head & 15 in (_TRUE, _FALSE) else self._value(head & 15, shape, depth)
            if shape is not _SKIP:
                values.append(value)
        return values

    def _skip_map(self, depth: int) -> None:
        size = self._varint()
        if size > self._end - self.at:
            raise DamagedError("a header has a map that is too long")
        kinds = self._byte() if size else 0
        for _ in range(size):
            self._value(kinds >> 4, _SKIP, depth)
            self._value(kinds & 15, _SKIP, depth)

    def _byte(self) -> int:
        if self.at >= self._end:
            raise DamagedError("a header is cut short")
        self.at += 1
        return self._data[self.at - 1]

    def _bytes(self, size: int) -> bytes:
        if size > self._end - self.at:
            raise DamagedError("a header is cut short")
        self.at += size
        return self._data[self.at - size : self.at]

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise DamagedError("a header has a number that is too long")

    def _integer(self) -> int:
        value = self._varint()
        return value >> 1 ^ -(value & 1)


def _kinds_of(shape: Any) -> tuple[int, ...]:
    """Return the Thrift types that a value of a shape may have."""
    if isinstance(shape, dict):
        return (_STRUCT,)
    return _LISTS if isinstance(shape, list) else (_STRING,) if shape is bytes else _INTEGERS
