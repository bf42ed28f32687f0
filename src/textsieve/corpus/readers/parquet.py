"""Read Parquet with pyarrow, at most a thousand rows at a time.

A Parquet file consists of row groups. A row group has a chunk of each column, and a chunk consists of pages, which are
compressed one by one. Memory holds a few unpacked pages, never a row group.

Before the first row is read, `parquet_sizes.py` checks the unpacked size of the pages. It also finds values that many
rows may share, such as those of a dictionary; if these are long, fewer rows are read at once. If the column of the
labels holds lists, the corpus is multilabel. Arrow needs a seekable file, so a file that is compressed as a whole, such
as `.parquet.gz`, is first unpacked into a temporary file: once to read the names of the columns, and for each pass.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise, repeat
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import types

from ...errors import InputError, Place, Setting, warn
from ..batch import BATCH_DOCUMENTS, Document, KeptDocument, Report, in_batches
from ..corpus import SAMPLED_ROWS, Corpus
from ..formats import Format
from ..source import ALL_COLUMNS, Source, choose_columns, choose_kept_columns, join_parts, used_columns
from ..streams import CHUNK, decode, seekable
from .parquet_sizes import DamagedError, RowGroup, read_leaves, row_groups

BYTES_AT_ONCE = 8 * 2**20
"""About how many unpacked bytes to read at once; `_rows_at_once` estimates how many rows that is."""
NUMBER_SIZE = 8
"""Bytes that are counted for a value that is not a string."""

Sizes = npt.NDArray[np.integer[Any]]


class _ColumnNumbers(NamedTuple):
    """The numbers of the columns to read."""

    text: tuple[int, ...]
    label: int | None
    kept: dict[str, int]

    def all(self) -> list[int]:
        """Return the numbers of all columns to read, in the order of the file."""
        return sorted({*self.text, *([] if self.label is None else [self.label]), *self.kept.values()})


def corpus(source: Source, format: Format) -> Corpus:
    """Return the rows of a table as a corpus."""
    with seekable(source.path, source.limits) as path, _name_file_in_errors(source):
        read_leaves(path)  # raises `DamagedError` before Arrow allocates what a forged footer asks for
        with _open(path) as opened:
            schema = pq.ParquetFile(opened).schema_arrow
    chosen = choose_columns(schema.names, source)
    text, label = chosen
    for position in text:
        _check_text(source, schema.names[position], _stored_type(schema.types[position]))
    multilabel = False
    if label is not None:
        is_list = _check_label(source, schema.names[label], _stored_type(schema.types[label]))
        multilabel = is_list or source.label_separator is not None
    kept = choose_kept_columns(schema.names, source)
    if source.keep == ALL_COLUMNS:
        kept = _without_nested(kept, text, schema.types, source)
    else:
        for name, position in kept.items():
            _check_kept(source, name, _stored_type(schema.types[position]))
    columns = _ColumnNumbers(text, label, kept)
    return Corpus(
        str(source.path),
        lambda report: in_batches(_documents(source, report, columns)),
        multilabel=multilabel,
        sample_columns=lambda: _sample_columns(source, schema, columns),
        tables=[used_columns(schema.names, chosen, kept, source)],
    )


def _sample_columns(source: Source, schema: Any, columns: _ColumnNumbers) -> dict[str, list[object]]:
    """Return the first values of the columns that could be the label but are not used (see `SampleColumns`)."""
    n_columns_named = Counter(schema.names)  # a name that two columns have can't be given
    names = {
        number: name
        for number, name in enumerate(schema.names)
        if number not in (*columns.text, columns.label)
        and n_columns_named[name] == 1
        and _can_be_label(_stored_type(schema.types[number]))
    }
    sample: dict[str, list[object]] = {name: [] for name in names.values()}
    if not names:
        return sample
    n_rows = 0
    with seekable(source.path, source.limits) as path, _name_file_in_errors(source):
        for arrays in _arrays(path, list(names), source):
            for number, array in arrays.items():
                sample[names[number]] += _values(array)
            n_rows += len(next(iter(arrays.values())))  # all have as many rows
            if n_rows >= SAMPLED_ROWS:
                break
    return sample


def _documents(source: Source, report: Report, columns: _ColumnNumbers) -> Iterator[Document | KeptDocument]:
    """Yield the rows of a table as documents; raise `InputError` at the first that is too large."""
    read_labels = source.label_reader(report, place_format="row {}", warns_if_joined=True)
    n_rows = unpacked_size = 0
    with seekable(source.path, source.limits) as path, _name_file_in_errors(source):
        packed_size = path.stat().st_size
        for arrays in _arrays(path, columns.all(), source):
            row_sizes = np.ones(len(arrays[columns.text[0]]), np.int64)  # in bytes; even an empty row counts as 1
            for array in arrays.values():
                row_sizes += _sizes(array)
            too_large_rows = np.flatnonzero(row_sizes > source.limits.max_document)
            n_allowed = int(too_large_rows[0]) if len(too_large_rows) else len(row_sizes)  # rows before the first such
            parts = {number: _texts(arrays[number][:n_allowed], source, report) for number in columns.text}
            texts = parts[columns.text[0]] if len(parts) == 1 else map(join_parts, zip(*parts.values(), strict=True))
            labels = repeat(None) if columns.label is None else _values(arrays[columns.label])
            # If a column of the text is kept, its values are the decoded texts, also if the file has bytes.
            kept_columns = (parts.get(number) or _kept_values(arrays[number]) for number in columns.kept.values())
            kept_rows = zip(*kept_columns, strict=False)
            # The texts end before the first row that is too large; labels and kept values may go on.
            for row, (text, label) in enumerate(zip(texts, labels, strict=False), n_rows + 1):
                if columns.kept:
                    yield text, read_labels(label, row), dict(zip(columns.kept, next(kept_rows), strict=True))
                else:
                    yield text, read_labels(label, row)
            n_rows += n_allowed
            if n_allowed < len(row_sizes):  # the next row is too large, so this call raises
                source.limits.check_document(int(row_sizes[n_allowed]), Place(str(source.path), f"row {n_rows + 1}"))
            unpacked_size += int(row_sizes.sum())
            source.limits.check_unpacked(unpacked_size, packed_size, source.path)


def _arrays(path: Path, columns: Sequence[int], source: Source) -> Iterator[dict[int, Any]]:
    """Yield the values of some columns as Arrow arrays by the columns' numbers, at most a thousand rows at a time.

    `columns` must be ascending, because Arrow returns columns in the order of the file.
    """
    # Arrow's `column_indices` are numbers of leaves (see `Leaf`), of which a nested column may have several.
    leaves = [position for position, leaf in enumerate(read_leaves(path)) if leaf.column in columns]
    groups = row_groups(path, columns, str(source.path), source.limits)
    with _open(path) as opened:
        file = pq.ParquetFile(
            opened,
            # Lists keep references to these dictionaries: copies of a long value in many rows could fill the memory.
            read_dictionary=sorted(frozenset().union(*(group.list_dictionaries for group in groups))),
            buffer_size=CHUNK,  # makes Arrow read a column page by page
            pre_buffer=False,
            page_checksum_verification=True,
        )
        for number, group in enumerate(groups):
            if not group.n_rows:
                continue  # `row_groups` does not check the pages of an empty group
            n_read = 0
            for batch in file.reader.iter_batches(
                _rows_at_once(group), row_groups=[number], column_indices=leaves, use_threads=False
            ):
                batch.validate(full=True)  # raises an error of Arrow for damaged values, such as invalid UTF-8
                n_read += len(batch)
                yield dict(zip(columns, map(_stored, batch.columns), strict=True))
            if n_read != group.n_rows:
                raise DamagedError("a row group has another number of rows than it should")


def _rows_at_once(group: RowGroup) -> int:
    """Return the number of rows of a group that need about `BYTES_AT_ONCE`, at least 1 and at most a batch.

    So many rows fit if all have the average size of the group, and also if each has the longest value that rows may
    share.
    """
    n_rows_of_average_size = BYTES_AT_ONCE * group.n_rows // max(1, group.unpacked_size)
    n_rows_with_longest_value = BYTES_AT_ONCE // max(1, group.longest_shared_value)
    return max(1, min(BATCH_DOCUMENTS, n_rows_of_average_size, n_rows_with_longest_value))


def _open(path: Path) -> Any:
    """Open a file for Arrow; its name is passed as bytes, because not every name can be decoded."""
    return pa.OSFile(os.fsencode(path))


@contextmanager
def _name_file_in_errors(source: Source) -> Iterator[None]:
    """Raise `InputError` with the file's name for errors of Arrow and of damaged headers."""
    try:
        yield
    except MemoryError:  # that of Arrow is also an `ArrowException`, but the file is not to blame for it
        raise
    except (pa.ArrowException, DamagedError, OSError, UnicodeDecodeError) as error:
        problem = (str(error).splitlines() or [type(error).__name__])[0]  # the class's name if there is no message
        raise InputError(
            f"cannot be read as Parquet: {problem}. It is damaged, or no Parquet file",
            place=str(source.path),
            hint=("get it again or correct ", Setting("format")),
        ) from error


# -- types and values ------------------------------------------------------------------------------------------------


def _any_of(*tests: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Return a function that returns whether one of the tests is true for an Arrow type."""
    return lambda kind: any(test(kind) for test in tests)


_is_string = _any_of(types.is_string, types.is_large_string, types.is_string_view)
_is_binary = _any_of(types.is_binary, types.is_large_binary, types.is_binary_view, types.is_fixed_size_binary)
_is_number = _any_of(types.is_integer, types.is_floating)
_is_list = _any_of(types.is_list, types.is_large_list, types.is_fixed_size_list, types.is_list_view)


def _stored_type(kind: Any) -> Any:
    """Return the Arrow type of a column's plain values; `kind` may be an extension type or a dictionary of them."""
    while isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    return kind.value_type if types.is_dictionary(kind) else kind


def _stored(array: Any) -> Any:
    """Return a column as an Arrow array of plain values: without extension types, and with dictionaries decoded."""
    while isinstance(array, pa.ExtensionArray):
        array = array.storage
    return array.dictionary_decode() if types.is_dictionary(array.type) else array


def _check_text(source: Source, name: str, kind: Any) -> None:
    """Raise `InputError` if a column of this Arrow type can't hold texts."""
    if not (_is_string(kind) or _is_binary(kind) or types.is_null(kind)):
        raise InputError(
            f"column {name!r} holds {kind}, not strings",
            place=str(source.path),
            hint=("name the column of the texts with ", Setting("text")),
        )


def _can_be_label(kind: Any) -> bool:
    """Return whether a column of this Arrow type, which is no list, can hold labels."""
    return bool(_is_string(kind) or _is_number(kind) or types.is_boolean(kind))


def _check_label(source: Source, name: str, kind: Any) -> bool:
    """Raise `InputError` if a column of this Arrow type can't hold labels; return whether it holds lists of labels."""
    is_list = _is_list(kind)
    inner = _stored_type(kind.value_type) if is_list else kind
    if _can_be_label(inner) or types.is_null(inner):
        return is_list
    raise InputError(
        f"column {name!r} holds {kind}, which is no label. A label is a string, a number or a list of these",
        place=str(source.path),
        hint=("name the column of the labels with ", Setting("label")),
    )


def _check_kept(source: Source, name: str, kind: Any) -> None:
    """Raise `InputError` if the values of a column of this Arrow type can't be kept."""
    if not _can_be_kept(kind):
        raise InputError(
            f"it holds {kind}",
            place=str(source.path),
            setting="keep",
            value=name,
            hint="only strings, numbers, dates and lists of strings or numbers can be kept",
        )


def _can_be_kept(kind: Any) -> bool:
    """Return whether the values of a column of this Arrow type can be kept."""
    if _is_list(kind):
        inner = _stored_type(kind.value_type)
        return _can_be_label(inner) or types.is_null(inner)
    is_value = _can_be_label(kind) or types.is_null(kind)
    return bool(is_value or types.is_temporal(kind) or types.is_decimal(kind))


def _without_nested(kept: dict[str, int], text: Sequence[int], kinds: Sequence[Any], source: Source) -> dict[str, int]:
    """Return the columns that can be kept, given the types of all; the others are left out with a warning."""
    can_be_kept = {
        name: position
        for name, position in kept.items()
        if position in text or _can_be_kept(_stored_type(kinds[position]))
    }
    if len(can_be_kept) < len(kept):
        names = ", ".join(repr(name) for name in kept if name not in can_be_kept)
        warn(f"{source.path}: columns of objects or bytes are not kept: {names}.")
    return can_be_kept


def _texts(array: Any, source: Source, report: Report) -> list[str]:
    """Return the texts of a column of strings or bytes; null is an empty text."""
    values = array.to_pylist()
    if _is_binary(array.type):
        decoded = [decode(data or b"", source.encoding.name) for data in values]
        report.replaced_bytes += sum(n_replaced for _, n_replaced in decoded)
        return [text for text, _ in decoded]
    return [text or "" for text in values] if array.null_count else values


def _kept_values(array: Any) -> list[Any]:
    """Return the values of a kept column: numbers stay numbers; dates, times and decimals become strings."""
    if types.is_temporal(array.type) or types.is_decimal(array.type):
        array = array.cast(pa.string())
    return _values(array)


def _values(array: Any) -> list[Any]:
    """Return the values of a column, which may be lists, as Python objects; None for null.

    If lists refer to a dictionary of strings, equal items are the same Python object, so that a long string that is in
    many lists takes memory only once.
    """
    if not _is_list(array.type):
        return list(array.to_pylist())
    items, offsets = _items(array)
    if types.is_dictionary(items.type):
        entries = items.dictionary.to_pylist()
        values = [None if index is None else entries[index] for index in items.indices.to_pylist()]
    else:
        values = items.to_pylist()
    ranges = pairwise(offsets.tolist())
    is_valid = array.is_valid().to_pylist()
    return [values[begin:end] if valid else None for (begin, end), valid in zip(ranges, is_valid, strict=True)]


def _sizes(array: Any) -> Sizes:
    """Return the size of each value of a column in bytes; the size of a list is that of its items, and 1 for each."""
    if not _is_list(array.type):
        return _lengths(array)
    items, offsets = _items(array)
    if types.is_dictionary(items.type):
        entry_lengths = np.append(_lengths(items.dictionary), 0)  # the last is the length of null
        lengths = entry_lengths[items.indices.fill_null(len(entry_lengths) - 1).to_numpy()]
    else:
        lengths = _lengths(items)
    size_before: Sizes = np.concatenate([[0], np.cumsum(lengths + 1, dtype=np.int64)])  # of all items before item i
    return np.diff(size_before[offsets])  # the size before the end of each list, minus that before its beginning


def _lengths(array: Any) -> Sizes:
    """Return the number of bytes of each string, or `NUMBER_SIZE` for another value.

    It is 0 for null in a column of strings or bytes, and for all values of a column of Arrow's type null.
    """
    if types.is_string_view(array.type) or types.is_binary_view(array.type):
        array = array.cast(pa.large_binary())  # Arrow has no lengths of views
    if not _is_string(array.type) and not _is_binary(array.type):
        return np.full(len(array), 0 if types.is_null(array.type) else NUMBER_SIZE, np.int64)
    lengths = pc.binary_length(array)
    sizes: Sizes = (lengths.fill_null(0) if array.null_count else lengths).to_numpy()
    return sizes


def _items(array: Any) -> tuple[Any, npt.NDArray[np.int64]]:
    """Return the items of all lists of a column, and the offsets: list i has items[offsets[i] : offsets[i + 1]]."""
    lists = array.cast(pa.large_list(array.type.value_type))
    offsets = lists.offsets.to_numpy()
    # A slice of an array has the items of the whole array, so its first offset need not be 0.
    return lists.values[offsets[0] : offsets[-1]], offsets - offsets[0]
