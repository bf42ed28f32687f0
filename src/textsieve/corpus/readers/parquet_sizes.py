"""Compute how much memory the row groups of a Parquet file need, before Arrow unpacks them.

Arrow unpacks whole pages and trusts their headers, so a file of a few kB can fill the memory before the first row is
returned. The sizes are in two places, both in Thrift's compact protocol: the footer at the end of the file lists the
columns and the column chunks of each row group, and every page in a chunk has its own header. The footer's totals may
be forged, so they are not used: the headers of all pages are read, which needs no unpacking.

Three things need more memory than the pages that hold them:

- A page that repeats one value many times. Each value therefore counts `VALUE_OVERHEAD` more bytes.
- A dictionary: many rows can refer to one long value in it. The dictionaries of text columns are unpacked, a page at a
  time, to find the longest value.
- Values with a prefix: if a value begins like the value before, only the length of the common prefix and the rest are
  stored (`DELTA_BYTE_ARRAY`). So each value may be as long as its page.

Values of the last two kinds are called shared, because many rows may have the same bytes in the file.
`RowGroup.longest_shared_value` is an upper bound for their size, so that a reader can limit the number of rows that it
reads at once. That is not enough for lists, where one row may have any number of values. There, Arrow must keep the
dictionary instead of copying its values (`RowGroup.list_dictionaries`), and each value with a prefix counts as if it
were as long as its page.

Names of fields, such as `num_values`, are those of Parquet's specification (parquet.thrift).
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InputError
from ...files import open_regular
from ..read_limits import ReadLimits, hint_to_raise_limit

MAGIC = b"PAR1"
VALUE_OVERHEAD = 16
"""Bytes that each value counts in addition to its page."""
PAGE_RATIO = 20
"""Maximum ratio of unpacked to packed size of a page that is larger than a document may be; text seldom exceeds it."""
SMALL_DICTIONARY = 2**13
"""Bytes of a dictionary whose longest value need not be known: even a thousand copies of that value are small."""

Shape = dict[int, tuple[str, Any]]
"""The fields to read of a Thrift struct: their numbers, names and the types of their values.

A type is int, bytes for a string, a `Shape` for a struct, or a list of one type for a list.
"""

_SCHEMA_ELEMENT: Shape = {1: ("type", int), 2: ("type_length", int), 4: ("name", bytes), 5: ("num_children", int)}
_COLUMN_METADATA: Shape = {
    4: ("codec", int),
    5: ("num_values", int),
    7: ("total_compressed_size", int),
    9: ("data_page_offset", int),
    11: ("dictionary_page_offset", int),
}
_ROW_GROUP: Shape = {1: ("columns", [{3: ("meta_data", _COLUMN_METADATA)}]), 3: ("num_rows", int)}
_FOOTER: Shape = {2: ("schema", [_SCHEMA_ELEMENT]), 3: ("num_rows", int), 4: ("row_groups", [_ROW_GROUP])}
_PAGE_HEADER: Shape = {
    2: ("uncompressed_page_size", int),
    3: ("compressed_page_size", int),
    5: ("data_page_header", {1: ("num_values", int), 2: ("encoding", int)}),
    7: ("dictionary_page_header", {1: ("num_values", int)}),
    8: ("data_page_header_v2", {1: ("num_values", int), 4: ("encoding", int)}),
}
_PAGES_WITH_VALUES = ("data_page_header", "data_page_header_v2", "dictionary_page_header")
"""The headers of pages that have values; other pages, such as those of an index, have none of these."""
_DELTA_BYTE_ARRAY = 7
"""The encoding that stores the length of the prefix that a value shares with the value before, and the rest."""
_BYTE_ARRAY, _FIXED_LENGTH = 6, 7
"""The numbers of Parquet's physical types whose values may be long."""
_CODECS = {0: None, 1: "snappy", 2: "gzip", 4: "brotli", 6: "zstd", 7: "lz4_raw"}
"""Arrow's names of the compression codecs; None for uncompressed."""

_TRUE, _FALSE, _BYTE, _INTEGERS, _DOUBLE, _STRING, _LISTS, _MAP, _STRUCT = 1, 2, 3, (4, 5, 6), 7, 8, (9, 10), 11, 12
"""The numbers of the types in Thrift's compact protocol."""
_MAX_DEPTH = 30
_SMALLEST_STRUCT = 4
"""Lower bound for the bytes of a column, a row group or a column chunk; real ones have more."""
_SKIP = object()
"""Stands for the type of a value that is not needed."""


class DamagedError(ValueError):
    """Raised for headers that can't be read."""


class Leaf(NamedTuple):
    """A column of values in the file: a column of the table, or one part of a nested column, such as a list."""

    column: int
    """The number of the column of the table that it belongs to."""
    is_nested: bool
    physical_type: int | None
    type_length: int
    """The size of each value in bytes, if the physical type is `_FIXED_LENGTH`."""


@dataclass(frozen=True, slots=True)
class RowGroup:
    """The number of rows of a row group, and the sizes of its selected columns in bytes."""

    n_rows: int
    unpacked_size: int = 0
    longest_shared_value: int = 0
    """The largest size of a value that many rows may share; 0 if there is none."""
    list_dictionaries: frozenset[int] = frozenset()
    """The positions, among all leaves, of those that are in lists and have a dictionary."""


class _Page(NamedTuple):
    """A page of a column chunk; sizes are in bytes."""

    begin: int
    """The position of its content in the file."""
    packed: int
    content: int
    """The unpacked size of its content, which is what its header says."""
    unpacked: int
    """The estimated size of its values in memory: `content`, `VALUE_OVERHEAD` for each value, and more for prefixes."""
    is_dictionary: bool = False
    has_prefixes: bool = False
    """Whether its values are encoded as `_DELTA_BYTE_ARRAY`."""


def read_leaves(path: Path) -> list[Leaf]:
    """Return the leaves of a file, in the order of the column chunks in each row group."""
    with _map(path) as data:
        return _leaves(_parse_footer(data))


def row_groups(path: Path, columns: Collection[int], name: str, limits: ReadLimits) -> list[RowGroup]:
    """Return the sizes of all row groups for some columns of the table; raise `InputError` if they exceed the limits.

    Raise `DamagedError` if the headers can't be read. `name` is the file's name in error messages.
    """
    with _map(path) as data:
        return list(_row_groups(data, columns, name, limits))


def _map(path: Path) -> mmap.mmap:
    """Return the bytes of a file as a memory map."""
    with open_regular(str(path), what="a Parquet file") as file:
        if file.seek(0, os.SEEK_END) < 3 * len(MAGIC):  # at least `MAGIC`, the footer's length and `MAGIC` again
            raise DamagedError("the file is too short")
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _parse_footer(data: mmap.mmap) -> dict[str, Any]:
    """Return the footer, which stands before its length and the last `MAGIC`, of four bytes each."""
    end = len(data) - 8
    (length,) = struct.unpack_from("<I", data, end)
    if length > end or data[-4:] != MAGIC:
        raise DamagedError("the footer is not where it should be")
    return _ThriftReader(data, end - length, end).struct(_FOOTER)


def _leaves(footer: dict[str, Any]) -> list[Leaf]:
    """Return the leaves of the tree of columns, which the footer lists depth first."""
    root, *elements = footer.get("schema") or [{}]  # the children of the root are the columns of the table
    remaining = iter(elements)
    leaves: list[Leaf] = []
    for column in range(root.get("num_children", 0)):
        is_nested = False
        n_expected = 1  # elements of this column still to come: first its own, and then those below it
        while n_expected:
            element = next(remaining, None)
            if element is None:
                raise DamagedError("the list of columns is cut short")
            n_children = max(0, element.get("num_children", 0))
            if n_children:  # a group; depth first, it comes before all leaves of the column
                is_nested = True
            else:
                leaves.append(Leaf(column, is_nested, element.get("type"), element.get("type_length", 0)))
            n_expected += n_children - 1
    return leaves


def _row_groups(data: mmap.mmap, columns: Collection[int], name: str, limits: ReadLimits) -> Iterator[RowGroup]:
    """Yield the sizes of each row group; raise `InputError` if a page, or all groups together, unpack to too much."""
    footer = _parse_footer(data)
    leaves = _leaves(footer)
    groups = footer.get("row_groups", ())
    n_rows_of_groups = [group.get("num_rows", -1) for group in groups]  # -1, if it is missing, is an error below
    if footer.get("num_rows") != sum(n_rows_of_groups) or min(n_rows_of_groups, default=0) < 0:
        raise DamagedError("the row groups have other numbers of rows than the file")
    total_unpacked = 0
    for number, (group, n_rows) in enumerate(zip(groups, n_rows_of_groups, strict=True)):
        chunks = group.get("columns", ())  # one for each leaf
        if len(chunks) != len(leaves):
            raise DamagedError("a row group has another number of columns than the file")
        if not n_rows:
            yield RowGroup(n_rows=0)  # the caller does not read it, so its pages need no check
            continue
        unpacked_size = longest = 0
        list_dictionaries = set()
        for position, (leaf, chunk) in enumerate(zip(leaves, chunks, strict=True)):
            if leaf.column not in columns:
                continue
            metadata = chunk.get("meta_data", {})
            if leaf.physical_type == _FIXED_LENGTH:
                longest = max(longest, leaf.type_length)  # all values have this length, also those in a dictionary
            for page in _pages(data, metadata, leaf):
                _check_page(page, number, name, limits)
                unpacked_size += page.unpacked
                longest = max(longest, _longest_shared_value(data, page, leaf, metadata.get("codec")))
                if page.is_dictionary and _is_string_list(leaf):
                    list_dictionaries.add(position)
        total_unpacked += unpacked_size
        limits.check_unpacked(total_unpacked, len(data), name)
        yield RowGroup(n_rows, unpacked_size, longest, frozenset(list_dictionaries))


def _is_string_list(leaf: Leaf) -> bool:
    """Return whether a leaf has strings or bytes of any length inside a nested column, such as a list."""
    return leaf.is_nested and leaf.physical_type == _BYTE_ARRAY


def _longest_shared_value(data: mmap.mmap, page: _Page, leaf: Leaf, codec: int | None) -> int:
    """Return an upper bound for the size of the shared values in a page; 0 if there are none or it is not needed."""
    if page.has_prefixes:
        return page.content  # each value may repeat nearly the whole page
    if not page.is_dictionary or leaf.physical_type != _BYTE_ARRAY:
        return 0  # values are stored once for each row, or have a fixed length
    if leaf.is_nested:
        return 0  # Arrow keeps the dictionary instead of copying its values into lists
    if page.content <= SMALL_DICTIONARY:
        return 0  # even a thousand copies of the longest value are small
    return _longest_value(data, page, codec)


def _check_page(page: _Page, row_group: int, name: str, limits: ReadLimits) -> None:
    """Raise `InputError` if a page unpacks to too much."""
    limit = max(limits.max_document, PAGE_RATIO * page.packed)
    if page.unpacked > limit:
        raise InputError(
            f"a page of {page.packed:,} bytes in row group {row_group} unpacks to {page.unpacked:,}, "
            f"and the limit is {limit:,}",
            place=name,
            hint=hint_to_raise_limit("max_document", page.unpacked),
        )


def _pages(data: mmap.mmap, metadata: dict[str, Any], leaf: Leaf) -> Iterator[_Page]:
    """Yield the pages of a column chunk, which its metadata describe."""
    try:
        position, n_values_left = metadata["data_page_offset"], metadata["num_values"]
        if 0 < metadata.get("dictionary_page_offset", 0) < position:  # some writers store 0 for no dictionary
            position = metadata["dictionary_page_offset"]
        end = position + metadata["total_compressed_size"]
        if not 0 < position <= end <= len(data) - 8:  # the file ends with the footer's length and `MAGIC`
            raise DamagedError("a column is not where it should be")
        while n_values_left > 0 and position < end:
            reader = _ThriftReader(data, position, end)
            header = reader.struct(_PAGE_HEADER)
            begin, packed, content = reader.position, header["compressed_page_size"], header["uncompressed_page_size"]
            kind = next((name for name in _PAGES_WITH_VALUES if name in header), None)
            n_values = 0 if kind is None else header[kind]["num_values"]
            if min(n_values, packed, content) < 0 or packed > end - begin:
                raise DamagedError("a page has an impossible size")
            unpacked = content + VALUE_OVERHEAD * n_values
            if kind == "dictionary_page_header":  # its values are not among the `num_values` of the chunk
                yield _Page(begin, packed, content, unpacked, is_dictionary=True)
            else:
                n_values_left -= n_values
                has_prefixes = kind is not None and header[kind].get("encoding") == _DELTA_BYTE_ARRAY
                if has_prefixes and leaf.is_nested:
                    unpacked *= n_values  # as if every value were as long as its page
                yield _Page(begin, packed, content, unpacked, has_prefixes=has_prefixes)
            position = begin + packed
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
    longest = position = 0
    while position + 4 <= len(values):
        (length,) = struct.unpack_from("<I", values, position)
        longest = max(longest, length)
        position += 4 + length
    return min(longest, page.content)  # a forged length may exceed the page


class _ThriftReader:
    """Reads values in Thrift's compact protocol, and skips those that are not needed."""

    def __init__(self, data: mmap.mmap, begin: int, end: int) -> None:
        self._data = data
        self._end = end
        self.position = begin

    def struct(self, shape: Shape, depth: int = 0) -> dict[str, Any]:
        """Read a struct, and return the fields in `shape` by their names."""
        if depth > _MAX_DEPTH:
            raise DamagedError("a header is nested too deeply")
        values: dict[str, Any] = {}
        number = 0
        # A field begins with a byte, with the field's type in its lower four bits. The upper four have its number minus
        # that of the field before, or 0 if its number follows. A byte of 0 ends the struct.
        while first_byte := self._byte():
            kind, step = first_byte & 15, first_byte >> 4
            number = number + step if step else self._integer()
            name, expected = shape.get(number, ("", _SKIP))
            value = self._value(kind, expected, depth)
            if expected is not _SKIP:
                values[name] = value
        return values

    def _value(self, kind: int, expected: Any, depth: int) -> Any:
        """Read a value of a Thrift type; `expected` is the type it should have (see `Shape`), or `_SKIP`."""
        if expected is not _SKIP and kind not in _thrift_types(expected):
            raise DamagedError("a header has a value of another type than it should")
        if kind in (_TRUE, _FALSE):
            return None  # there are two types, for true and false, and no more bytes; no truth value is needed here
        if kind in _INTEGERS:
            return self._integer()
        if kind == _STRING:
            return self._bytes(self._varint())
        if kind == _STRUCT:
            return self.struct(expected if isinstance(expected, dict) else {}, depth + 1)
        if kind in _LISTS:
            return self._list(expected[0] if isinstance(expected, list) else _SKIP, depth + 1)
        if kind == _BYTE:
            return self._byte()
        if kind == _DOUBLE:
            return self._bytes(8)
        if kind == _MAP:
            return self._skip_map(depth + 1)
        raise DamagedError(f"a header has a value of unknown type {kind}")

    def _list(self, expected: Any, depth: int) -> list[Any]:
        """Read a list; its first byte has the type of the items and their number, or 15 if the number follows."""
        first_byte = self._byte()
        kind, size = first_byte & 15, first_byte >> 4
        if size == 15:
            size = self._varint()
        # The items need at least this many bytes; a forged number must not fill the memory.
        if size * (_SMALLEST_STRUCT if isinstance(expected, dict) else 1) > self._end - self.position:
            raise DamagedError("a header has a list that is too long")
        values: list[Any] = []
        for _ in range(size):
            # A truth value in a list has a byte of its own. That of a field has none: its type is its value.
            value = self._byte() if kind in (_TRUE, _FALSE) else self._value(kind, expected, depth)
            if expected is not _SKIP:
                values.append(value)
        return values

    def _skip_map(self, depth: int) -> None:
        """Skip a map: its size, a byte with the types of keys and values unless it is empty, and then the pairs."""
        size = self._varint()
        if size > self._end - self.position:
            raise DamagedError("a header has a map that is too long")
        kinds = self._byte() if size else 0  # of the keys in the upper half, of the values in the lower
        for _ in range(size):
            self._value(kinds >> 4, _SKIP, depth)
            self._value(kinds & 15, _SKIP, depth)

    def _byte(self) -> int:
        """Read one byte, as an integer."""
        if self.position >= self._end:
            raise DamagedError("a header is cut short")
        self.position += 1
        return self._data[self.position - 1]

    def _bytes(self, size: int) -> bytes:
        """Read `size` bytes."""
        if size > self._end - self.position:
            raise DamagedError("a header is cut short")
        self.position += size
        return self._data[self.position - size : self.position]

    def _varint(self) -> int:
        """Read an unsigned integer of variable length: 7 bits a byte, the highest bit set in all but the last."""
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
        """Read a signed integer in zigzag encoding: 0, -1, 1, -2, ... are stored as 0, 1, 2, 3, ..."""
        value = self._varint()
        return value >> 1 ^ -(value & 1)


def _thrift_types(expected: Any) -> tuple[int, ...]:
    """Return the Thrift types that a value of an expected type (see `Shape`) may have."""
    if isinstance(expected, dict):
        return (_STRUCT,)
    if isinstance(expected, list):
        return _LISTS
    return (_STRING,) if expected is bytes else _INTEGERS
