"""Read Parquet with pyarrow, at most a thousand rows at a time: memory holds a few pages, never a row group.

Before the first row is read, `parquet_sizes.py` checks the unpacked size of the pages. It also finds values that many
rows may share, such as those of a dictionary; then fewer rows are read at once. A column of lists means multilabel.
Arrow needs a seekable file, so a compressed one is first unpacked into a temporary file that exists during the pass.
"""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import types

from ...errors import InputError, Place, Setting
from ...files import write_temporary
from ..batch import BATCH_DOCUMENTS, Batch, Document, KeptDocument, Report, in_batches
from ..corpus import Corpus
from ..formats import Format
from ..source import Source, choose, choose_kept
from ..streams import CHUNK, decode, open_bytes
from .parquet_sizes import DamagedError, RowGroup, read_leaves, row_groups

SLICE = 8 * 2**20
"""Unpacked bytes to read at once, if the rows are of equal size."""
NUMBER = 8
"""Bytes that count for a value that is no string."""

Sizes = npt.NDArray[np.integer[Any]]


class _Table(NamedTuple):
    """The columns to read of a table, by their numbers."""

    text: int
    label: int | None
    kept: dict[str, int]

    def columns(self) -> list[int]:
        """Return the numbers of all columns to read, in the order of the file."""
        return sorted({self.text, *([] if self.label is None else [self.label]), *self.kept.values()})


def corpus(source: Source, format: Format) -> Corpus:
    """Return the rows of a table as a corpus."""
    with _seekable(source) as path, _named_errors(source):
        read_leaves(path)  # raises `DamagedError` before Arrow allocates what a forged footer asks for
        with _open(path) as opened:
            schema = pq.ParquetFile(opened).schema_arrow
    text, label = choose(schema.names, source)
    _check_text(source, schema.names[text], _stored_type(schema.types[text]))
    multilabel = False
    if label is not None:
        is_list = _check_label(source, schema.names[label], _stored_type(schema.types[label]))
        multilabel = is_list or source.label_separator is not None
    kept = choose_kept(schema.names, source)
    for name, position in kept.items():
        _check_kept(source, name, _stored_type(schema.types[position]))
    table = _Table(text, label, kept)

    def start(report: Report) -> Iterator[Batch]:
        return in_batches(_documents(source, report, table))

    return Corpus(str(source.path), start, multilabel=multilabel)


def _documents(source: Source, report: Report, table: _Table) -> Iterator[Document | KeptDocument]:
    """Yield the rows of a table; raise `InputError` at the first that is too large."""
    to_labels = source.label_reader(report, place="row {}", may_be_joined=True)
    row = unpacked = 0
    with _seekable(source) as path, _named_errors(source):
        packed = path.stat().st_size
        for part in _parts(path, table.columns(), source):
            sizes = np.ones(len(part[table.text]), np.int64)
            for array in part.values():
                sizes += _sizes(array)
            n_allowed = int(np.argmax(np.append(sizes, 2**62) > source.bounds.max_document))
            texts = _texts(part[table.text][:n_allowed], source, report)
            labels = repeat(None) if table.label is None else _values(part[table.label])
            kept = zip(*(_kept_values(part[position]) for position in table.kept.values()), strict=True)
            for at, (text, value) in enumerate(zip(texts, labels, strict=False), row + 1):
                if table.kept:
                    yield text, to_labels(value, at), dict(zip(table.kept, next(kept), strict=True))
                else:
                    yield text, to_labels(value, at)
            row += n_allowed
            if n_allowed < len(sizes):
                source.bounds.check_document(int(sizes[n_allowed]), Place(str(source.path), f"row {row + 1}"))
            unpacked += int(sizes.sum())
            source.bounds.check_unpacked(unpacked, packed, source.path)


def _parts(path: Path, columns: Sequence[int], source: Source) -> Iterator[dict[int, Any]]:
    """Yield the arrays of some columns, by their numbers, for at most a thousand rows at a time."""
    leaves = [position for position, leaf in enumerate(read_leaves(path)) if leaf.column in columns]
    groups = row_groups(path, columns, str(source.path), source.bounds)
    with _open(path) as opened:
        file = pq.ParquetFile(
            opened,
            read_dictionary=sorted(frozenset().union(*(group.dictionaries for group in groups))),
            buffer_size=CHUNK,  # makes Arrow read a column page by page
            pre_buffer=False,
            page_checksum_verification=True,
        )
        for number, group in enumerate(groups):
            if not group.rows:
                continue
            n_read = 0
            for batch in file.reader.iter_batches(
                _rows_at_once(group), row_groups=[number], column_indices=leaves, use_threads=False
            ):
                batch.validate(full=True)
                n_read += len(batch)
                yield dict(zip(columns, map(_stored, batch.columns), strict=True))
            if n_read != group.rows:
                raise DamagedError("a row group has another number of rows than it should")


def _rows_at_once(group: RowGroup) -> int:
    """Return the number of rows that need about `SLICE` bytes, at least 1 and at most a batch."""
    by_size = SLICE * group.rows // max(1, group.unpacked)
    by_longest = SLICE // max(1, group.longest)
    return max(1, min(BATCH_DOCUMENTS, by_size, by_longest))


def _open(path: Path) -> Any:
    """Open a file for Arrow; as bytes, its name may be any that the system allows."""
    return pa.OSFile(os.fsencode(path))


@contextmanager
def _seekable(source: Source) -> Iterator[Path]:
    with open_bytes(source.path, source.bounds) as file:
        if isinstance(file.raw, io.FileIO):
            yield source.path
            return
        with tempfile.TemporaryDirectory(prefix="textsieve-") as folder:
            unpacked = Path(folder, "table.parquet")
            chunks = iter(lambda: file.read(CHUNK), b"")
            write_temporary(str(unpacked), chunks, what=f"the unpacked {source.path}")
            yield unpacked


@contextmanager
def _named_errors(source: Source) -> Iterator[None]:
    try:
        yield
    except (InputError, MemoryError):
        raise
    except (pa.ArrowException, DamagedError, OSError, UnicodeDecodeError) as error:
        problem = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(
            f"cannot be read as Parquet: {problem}. It is damaged, or no Parquet file",
            place=str(source.path),
            hint=("get it again or correct ", Setting("format")),
        ) from error


# -- types and values ------------------------------------------------------------------------------------------------


def _any_of(*tests: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda kind: any(test(kind) for test in tests)


_is_string = _any_of(types.is_string, types.is_large_string, types.is_string_view)
_is_binary = _any_of(types.is_binary, types.is_large_binary, types.is_binary_view, types.is_fixed_size_binary)
_is_number = _any_of(types.is_integer, types.is_floating)
_is_list = _any_of(types.is_list, types.is_large_list, types.is_fixed_size_list, types.is_list_view)


def _stored_type(kind: Any) -> Any:
    """Return the type of the values of a column, without extensions and dictionaries around it."""
    while isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    return kind.value_type if types.is_dictionary(kind) else kind


def _stored(array: Any) -> Any:
    """Return the values of a column, without extensions and dictionaries around them."""
    while isinstance(array, pa.ExtensionArray):
        array = array.storage
    return array.dictionary_decode() if types.is_dictionary(array.type) else array


def _check_text(source: Source, name: str, kind: Any) -> None:
    if not (_is_string(kind) or _is_binary(kind) or types.is_null(kind)):
        raise InputError(
            f"column {name!r} holds {kind}, not strings",
            place=str(source.path),
            hint=("name the column of the texts with ", Setting("text")),
        )


def _check_label(source: Source, name: str, kind: Any) -> bool:
    """Return whether the label column holds lists; raise `InputError` if it cannot hold labels."""
    is_list = _is_list(kind)
    inner = _stored_type(kind.value_type) if is_list else kind
    if _is_string(inner) or _is_number(inner) or types.is_boolean(inner) or types.is_null(inner):
        return is_list
    raise InputError(
        f"column {name!r} holds {kind}, which is no label. A label is a string, a number or a list of these",
        place=str(source.path),
        hint=("name the column of the labels with ", Setting("label")),
    )


def _check_kept(source: Source, name: str, kind: Any) -> None:
    is_value = _is_string(kind) or _is_number(kind) or types.is_boolean(kind) or types.is_null(kind)
    if not is_value and not types.is_temporal(kind) and not types.is_decimal(kind):
        raise InputError(
            f"it holds {kind}",
            place=str(source.path),
            setting="keep",
            value=name,
            hint="only strings, numbers and dates can be kept",
        )


def _texts(array: Any, source: Source, report: Report) -> list[str]:
    """Return the texts of a column of strings or bytes; null is an empty text."""
    values = array.to_pylist()
    if _is_binary(array.type):
        decoded = [decode(data or b"", source.encoding) for data in values]
        report.replaced_bytes += sum(replaced for _, replaced in decoded)
        return [text for text, _ in decoded]
    return [text or "" for text in values] if array.null_count else values


def _kept_values(array: Any) -> list[Any]:
    """Return a column as JSON values: numbers stay numbers, dates and times become strings."""
    if types.is_temporal(array.type) or types.is_decimal(array.type):
        array = array.cast(pa.string())
    return _values(array)


def _values(array: Any) -> list[Any]:
    """Return the values of a column, lists included, as Python objects."""
    if not _is_list(array.type):
        return list(array.to_pylist())
    items, offsets = _items(array)
    if types.is_dictionary(items.type):
        names = items.dictionary.to_pylist()
        values = [None if index is None else names[index] for index in items.indices.to_pylist()]
    else:
        values = items.to_pylist()
    bounds = offsets.tolist()
    is_valid = array.is_valid().to_pylist()
    return [
        values[begin:end] if valid else None for begin, end, valid in zip(bounds, bounds[1:], is_valid, strict=False)
    ]


def _sizes(array: Any) -> Sizes:
    """Return the size of each value of a column in bytes."""
    if not _is_list(array.type):
        return _lengths(array)
    items, offsets = _items(array)
    if types.is_dictionary(items.type):
        known = np.append(_lengths(items.dictionary), 0)
        lengths = known[items.indices.fill_null(len(known) - 1).to_numpy()]
    else:
        lengths = _lengths(items)
    sums: Sizes = np.concatenate([[0], np.cumsum(lengths + 1, dtype=np.int64)])
    return np.diff(sums[offsets])


def _lengths(array: Any) -> Sizes:
    """Return the number of bytes of each string, or `NUMBER` for another value."""
    if types.is_string_view(array.type) or types.is_binary_view(array.type):
        array = array.cast(pa.large_binary())  # Arrow has no lengths of views
    if not _is_string(array.type) and not _is_binary(array.type):
        return np.full(len(array), 0 if types.is_null(array.type) else NUMBER, np.int64)
    lengths = pc.binary_length(array)
    sizes: Sizes = (lengths.fill_null(0) if array.null_count else lengths).to_numpy()
    return sizes


def _items(array: Any) -> tuple[Any, npt.NDArray[np.int64]]:
    """Return the items of all lists of a column, and the position at which each list begins, and the last one ends."""
    lists = array.cast(pa.large_list(array.type.value_type))
    offsets = lists.offsets.to_numpy()
    return lists.values[offsets[0] : offsets[-1]], offsets - offsets[0]
