"""Read Parquet with polars in slices of rows: memory holds part of a row group, never the table.

Before the first row is read, `parquet_sizes.py` checks the unpacked size of the pages. A column of lists means
multilabel. Polars needs a seekable file, so a compressed one is first unpacked into a temporary file that exists during
the pass.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path

import polars as pl

from ...errors import InputError
from ...files import write_temporary
from ..batch import BATCH_CHARACTERS, BATCH_DOCUMENTS, Batch, Document, KeptDocument, Report, in_batches
from ..columns import choose, choose_kept
from ..corpus import Corpus
from ..formats import Format
from ..source import Source
from ..streams import CHUNK, open_bytes
from ..text import decode
from .parquet_sizes import DamagedError, RowGroup, row_groups

NAMED_STRINGS = (pl.Categorical, pl.Enum)
SLICE = 32 * 2**20
"""Unpacked bytes to read at once, or the packed size of the row group if larger: polars loads that each time."""
SIZE = "size"


def corpus(source: Source, format: Format) -> Corpus:
    """Return the rows of a table as a corpus."""
    with _seekable(source) as path, _named_errors(source):
        schema = _scan(path).collect_schema()
    columns = schema.names()
    text_at, label_at = choose(columns, source)
    text, label = columns[text_at], None if label_at is None else columns[label_at]
    _check_text(source, text, schema[text])
    multilabel = False
    if label is not None:
        multilabel = _check_label(source, label, schema[label]) or source.label_separator is not None
    kept = {name: _kept(source, name, schema[name]) for name in choose_kept(columns, source)}

    def start(report: Report) -> Iterator[Batch]:
        return in_batches(_documents(source, report, text, label, kept))

    return Corpus(str(source.path), start, multilabel=multilabel)


def _documents(
    source: Source, report: Report, text: str, label: str | None, kept: dict[str, pl.Expr]
) -> Iterator[Document | KeptDocument]:
    to_labels = source.label_reader(report, place="row {}", may_be_joined=True)
    row = 0
    columns = [text, *([] if label is None else [label]), *kept]
    with _seekable(source) as path, _named_errors(source):
        schema = _scan(path).collect_schema()
        as_bytes = schema[text] == pl.Binary
        texts_column = pl.col(text) if as_bytes else pl.col(text).cast(pl.String)
        others = [expression.alias(f"kept {name}") for name, expression in kept.items()]
        expressions = [
            texts_column.alias("text"),
            *([] if label is None else [pl.col(label).alias("label")]),
            *others,
            pl.sum_horizontal(1, *(_size_of(name, schema[name]) for name in columns)).alias(SIZE),
        ]
        for part in _parts(path, expressions, row_groups(path, columns, str(source.path), source.bounds), source):
            texts = part["text"].to_list()
            labels = [None] * len(texts) if label is None else part["label"].to_list()
            rows = zip(*(part[f"kept {name}"].to_list() for name in kept), strict=True) if kept else repeat(())
            for document, value, values in zip(texts, labels, rows, strict=False):
                row += 1
                if as_bytes:
                    document, replaced = decode(document or b"", source.encoding)
                    report.replaced_bytes += replaced
                if kept:
                    yield document or "", to_labels(value, row), dict(zip(kept, values, strict=True))
                else:
                    yield document or "", to_labels(value, row)


def _parts(path: Path, wanted: Sequence[pl.Expr], groups: Sequence[RowGroup], source: Source) -> Iterator[pl.DataFrame]:
    """Yield the rows in parts whose values also fit in memory as Python strings.

    A value that many rows share is stored once by polars, but once per row by Python.
    """
    table = _scan(path)
    packed = path.stat().st_size
    row = unpacked = 0
    for begin, n_rows in _slices(groups):
        rows = table.slice(begin, n_rows).select(wanted).collect()
        sizes = rows[SIZE].to_list()
        first = in_part = 0
        for at, size in enumerate(sizes):
            row += 1
            if size > source.bounds.max_document:
                yield rows[first:at]
                source.bounds.check_document(size, f"{source.path}: row {row}")
            in_part += size
            if in_part >= BATCH_CHARACTERS or at + 1 - first >= BATCH_DOCUMENTS or at + 1 == len(sizes):
                unpacked += in_part
                source.bounds.check_unpacked(unpacked, packed, source.path)
                yield rows[first : at + 1]
                first, in_part = at + 1, 0


def _slices(groups: Sequence[RowGroup]) -> Iterator[tuple[int, int]]:
    """Yield the first row and the number of rows of each slice: part of a large row group, or several small ones."""
    begin = n_rows = size = 0
    for group in groups:
        if n_rows and size + group.unpacked > SLICE:
            yield begin, n_rows
            begin, n_rows, size = begin + n_rows, 0, 0
        n_rows += group.rows
        size += group.unpacked
        n_parts = -(-size // max(SLICE, group.packed))
        step = max(1, -(-n_rows // max(1, n_parts)))
        while n_parts > 1 and n_rows:
            yield begin, min(step, n_rows)
            begin, n_rows, size = begin + min(step, n_rows), n_rows - min(step, n_rows), 0
    if n_rows:
        yield begin, n_rows


def _size_of(name: str, kind: pl.DataType) -> pl.Expr:
    """Return the expression for the size in bytes of each value of a column."""
    column = pl.col(name)
    if isinstance(kind, pl.Array):
        column, kind = column.arr.to_list(), pl.List(kind.inner)
    if isinstance(kind, pl.List):
        bytes_of_each = pl.element().cast(pl.String).str.len_bytes()
        size = column.list.eval(bytes_of_each).list.sum().cast(pl.Int64) + column.list.len()
    elif kind == pl.Binary:
        size = column.bin.size()
    elif kind == pl.String or kind in NAMED_STRINGS:
        size = column.cast(pl.String).str.len_bytes()
    else:
        size = pl.lit(8)
    return size.cast(pl.Int64).fill_null(0)


def _scan(path: Path) -> pl.LazyFrame:
    # Take the path literally: no wildcards in it, and no columns made of its folders' names.
    return pl.scan_parquet(path, glob=False, hive_partitioning=False)


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
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, DamagedError) as error:
        problem = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(
            f"{source.path}: cannot be read as Parquet: {problem}. "
            "It is damaged, or no Parquet file; get it again or correct format=."
        ) from error


def _check_text(source: Source, name: str, kind: pl.DataType) -> None:
    if kind not in (pl.String, pl.Binary, pl.Null, *NAMED_STRINGS):
        raise InputError(f"{source.path}: column {name!r} holds {kind}, not strings. Name the text's with text=.")


def _kept(source: Source, name: str, kind: pl.DataType) -> pl.Expr:
    """Return the expression for a column as JSON values: numbers stay numbers, dates and times become strings."""
    if kind in (pl.String, pl.Boolean, pl.Null) or kind.is_integer() or kind.is_float():
        return pl.col(name)
    if kind in NAMED_STRINGS or kind.is_temporal() or kind.is_decimal():
        return pl.col(name).cast(pl.String)
    raise InputError(f"{source.path}: keep={name!r} holds {kind}; only strings, numbers and dates can be kept.")


def _check_label(source: Source, name: str, kind: pl.DataType) -> bool:
    """Return whether the label column holds lists; raise `InputError` if it cannot hold labels."""
    is_list = isinstance(kind, pl.List | pl.Array)
    inner = kind.inner if isinstance(kind, pl.List | pl.Array) else kind
    if inner in (pl.String, pl.Boolean, pl.Null, *NAMED_STRINGS) or inner.is_numeric():
        return is_list
    raise InputError(
        f"{source.path}: column {name!r} holds {kind}, which is no label. "
        "A label is a string, a number or a list of these. Name the label's column with label=."
    )
