"""Compute how much memory the row groups of a Parquet file need, before anything of them is unpacked.

Arrow unpacks whole pages and trusts their headers, so a file of a few kB can fill the memory before the first row is
handed out. The sizes are in two places, both in Thrift's compact protocol: the footer lists the columns and the column
chunks of each row group, and every page in a chunk has its own header. The footer's totals may be forged, so they are
not used: the headers of all pages are read, which needs no unpacking.

Three things need more memory than the pages that hold them:

- A page that repeats one value many times. Each value therefore counts `VALUE` more bytes.
- A dictionary: many rows can refer to one long value in it. The dictionaries of text columns are unpacked, a page at a
  time, to find the longest value.
- Values stored as a prefix of the value before (`DELTA_BYTE_ARRAY`): each may be as long as its page.

`RowGroup.longest` is the largest size of a value of the last two kinds, so that a reader can limit the number of rows
that it reads at once. In lists, where one row may have any number of values, the dictionary must be read as such
(`RowGroup.dictionaries`), and prefixes count as if they were written out.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InputError
from ...files import open_regular
from ..bounds import ReadLimits, how_to_raise

MAGIC = b"PAR1"
VALUE = 16
PAGE_RATIO = 20
"""Maximum ratio of unpacked to packed size of a page that is larger than a document may be; text seldom exceeds it."""
SMALL_DICTIONARY = 2**13
"""Bytes of a dictionary whose longest value need not be known: a thousand copies of it fit in memory."""

Shape = dict[int, Any]
"""The fields to read of a struct by their numbers, each with the shape of its value: None for an integer, bytes for a
string, a `Shape` for a struct and a list of one shape for a list."""

_SCHEMA_ELEMENT: Shape = {1: None, 2: None, 4: bytes, 5: None}
_CHUNK: Shape = {3: {4: None, 5: None, 7: None, 9: None, 11: None}}
_FOOTER: Shape = {2: [_SCHEMA_ELEMENT], 3: None, 4: [{1: [_CHUNK], 3: None}]}
_PAGE: Shape = {2: None, 3: None, 5: {1: None, 2: None}, 7: {1: None}, 8: {1: None, 4: None}}
_DATA_PAGES = {5: 2, 8: 4}
"""Field numbers of the headers of data pages of both versions, and of the encoding in each."""
_DICTIONARY_PAGE = 7
_DELTA_BYTE_ARRAY = 7
_BYTE_ARRAY, _FIXED_LENGTH = 6, 7
"""The physical types whose values may be long."""
_CODECS = {0: None, 1: "snappy", 2: "gzip", 4: "brotli", 6: "zstd", 7: "lz4_raw"}
"""Arrow's names of the compression codecs; None for uncompressed."""

_TRUE, _FALSE, _BYTE, _INTEGERS, _DOUBLE, _STRING, _LISTS, _MAP, _STRUCT = 1, 2, 3, (4, 5, 6), 7, 8, (9, 10), 11, 12
_DEEPEST = 30
_SMALLEST_STRUCT = 4
"""Lower bound for the bytes of a column, a row group or a column chunk; real ones have more."""
_SKIP = object()
"""The shape of a value to skip."""


class DamagedError(ValueError):
    """Raised for headers that can't be read."""


class Leaf(NamedTuple):
    """A column of values: a column of the table, or one part of a nested column."""

    column: int
    """The number of the column of the table that it belongs to."""
    is_nested: bool
    physical_type: int | None
    type_length: int


@dataclass(frozen=True, slots=True)
class RowGroup:
    """The number of rows of a row group, and the sizes of its selected columns in bytes."""

    rows: int
    unpacked: int
    longest: int
    """The largest size of a value that many rows may share; 0 if there is none."""
    dictionaries: frozenset[int]
    """The leaves in lists that have a dictionary."""


class _Page(NamedTuple):
    begin: int
    """The position of its content in the file."""
    packed: int
    content: int
    """The unpacked size of its content, which is what its header says."""
    unpacked: int
    """The size of its values in memory."""
    is_dictionary: bool = False
    has_prefixes: bool = False


def read_leaves(path: Path) -> list[Leaf]:
    """Return the leaves of a file, in the order of the column chunks in each row group."""
    with _mapped(path) as data:
        return _leaves(_footer(data))


def row_groups(path: Path, columns: Collection[int], name: str, bounds: ReadLimits) -> list[RowGroup]:
    """Return the sizes of all row groups for some columns of the table.

    `name` is the file's name in error messages.
    """
    with _mapped(path) as data:
        return list(_row_groups(data, columns, name, bounds))


def _mapped(path: Path) -> mmap.mmap:
    with open_regular(str(path), what="a Parquet file") as file:
        if file.seek(0, 2) < 3 * len(MAGIC):
            raise DamagedError("the file is too short")
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _footer(data: mmap.mmap) -> dict[int, Any]:
    end = len(data) - 8
    (length,) = struct.unpack_from("<I", data, end)
    if length > end or data[-4:] != MAGIC:
        raise DamagedError("the footer is not where it should be")
    return _Thrift(data, end - length, end).struct(_FOOTER)


def _leaves(footer: dict[int, Any]) -> list[Leaf]:
    """Return the leaves of the tree of columns, which the footer lists depth first."""
    elements = footer.get(2) or [{}]
    leaves: list[Leaf] = []
    at = 1
    for column in range(elements[0].get(5, 0)):
        is_nested = False
        missing = 1
        while missing:
            if at >= len(elements):
                raise DamagedError("the list of columns is cut short")
            element = elements[at]
            n_children = max(0, element.get(5, 0))
            if n_children:
                is_nested = True
            else:
                leaves.append(Leaf(column, is_nested, element.get(1), element.get(2, 0)))
            missing += n_children - 1
            at += 1
    return leaves


def _row_groups(data: mmap.mmap, columns: Collection[int], name: str, bounds: ReadLimits) -> Iterator[RowGroup]:
    footer = _footer(data)
    leaves = _leaves(footer)
    groups = footer.get(4, ())
    rows = [group.get(3, -1) for group in groups]
    if footer.get(3) != sum(rows) or min(rows, default=0) < 0:
        raise DamagedError("the row groups have other numbers of rows than the file")
    total = 0
    for number, group in enumerate(groups):
        chunks = group.get(1, ())
        if len(chunks) != len(leaves):
            raise DamagedError("a row group has another number of columns than the file")
        if not rows[number]:
            yield RowGroup(0, 0, 0, frozenset())
            continue
        unpacked = longest = 0
        dictionaries = set()
        for position, (leaf, chunk) in enumerate(zip(leaves, chunks, strict=True)):
            if leaf.column not in columns:
                continue
            metadata = chunk.get(3, {})
            if leaf.physical_type == _FIXED_LENGTH:
                longest = max(longest, leaf.type_length)
            for page in _pages(data, metadata, leaf):
                _check_page(page, number, name, bounds)
                unpacked += page.unpacked
                if page.has_prefixes:
                    longest = max(longest, page.content)
                if not page.is_dictionary or leaf.physical_type != _BYTE_ARRAY:
                    continue
                if leaf.is_nested:
                    dictionaries.add(position)
                elif page.content > SMALL_DICTIONARY:
                    longest = max(longest, _longest_value(data, page, metadata.get(4)))
        total += unpacked
        bounds.check_unpacked(total, len(data), name)
        yield RowGroup(rows[number], unpacked, longest, frozenset(dictionaries))


def _check_page(page: _Page, row_group: int, name: str, bounds: ReadLimits) -> None:
    limit = max(bounds.max_document, PAGE_RATIO * page.packed)
    if page.unpacked > limit:
        raise InputError(
            f"a page of {page.packed:,} bytes in row group {row_group} unpacks to {page.unpacked:,}, "
            f"and the limit is {limit:,}",
            place=name,
            hint=how_to_raise("max_document", page.unpacked),
        )


def _pages(data: mmap.mmap, chunk: dict[int, Any], leaf: Leaf) -> Iterator[_Page]:
    """Yield the pages of a column chunk."""
    try:
        at, n_values = chunk[9], chunk[5]
        if 0 < chunk.get(11, 0) < at:
            at = chunk[11]
        end = at + chunk[7]
        if not 0 < at <= end <= len(data) - 8:
            raise DamagedError("a column is not where it should be")
        while n_values > 0 and at < end:
            thrift = _Thrift(data, at, end)
            header = thrift.struct(_PAGE)
            begin, packed, content = thrift.at, header[3], header[2]
            kind = next((field for field in (*_DATA_PAGES, _DICTIONARY_PAGE) if field in header), None)
            n_page = 0 if kind is None else header[kind][1]
            if min(n_page, packed, content) < 0 or packed > end - begin:
                raise DamagedError("a page has an impossible size")
            unpacked = content + VALUE * n_page
            if kind == _DICTIONARY_PAGE:
                yield _Page(begin, packed, content, unpacked, is_dictionary=True)
            else:
                n_values -= n_page
                has_prefixes = kind is not None and header[kind].get(_DATA_PAGES[kind]) == _DELTA_BYTE_ARRAY
                written_out = unpacked * n_page if has_prefixes and leaf.is_nested else unpacked
                yield _Page(begin, packed, content, written_out, has_prefixes=has_prefixes)
            at = begin + packed
    except KeyError as error:
        raise DamagedError("a header lacks a field") from error


def _longest_value(data: mmap.mmap, page: _Page, codec: int | None) -> int:
    """Return the size of the longest value in a dictionary page, or of the page if its compression is not known here.

    Each value is stored after its length, a number of four bytes.
    """
    import pyarrow as pa

    if codec not in _CODECS:
        return page.content
    name = _CODECS[codec]
    packed = data[page.begin : page.begin + page.packed]
    values = packed if name is None else pa.Codec(name).decompress(packed, page.content, asbytes=True)
    longest = at = 0
    while at + 4 <= len(values):
        (length,) = struct.unpack_from("<I", values, at)
        longest = max(longest, length)
        at += 4 + length
    return min(longest, page.content)


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
