"""Parquet, streamed by polars: memory holds a few row groups, never the table.

A column of lists means several labels. Polars needs a file it can seek in, so a packed one is first unpacked
into a temporary file, for the time of the pass.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path

import polars as pl

from ...errors import InputError
from ...files import write_temporary
from ..batch import BATCH_DOCUMENTS, Batch, Document, KeptDocument, Report, in_batches
from ..columns import choose, choose_kept
from ..corpus import Corpus
from ..formats import Format
from ..source import Source
from ..streams import CHUNK, COMPRESSIONS, open_bytes
from ..text import decode

NAMED_STRINGS = (pl.Categorical, pl.Enum)


def corpus(source: Source, format: Format) -> Corpus:
    """The rows of a table."""
    with _seekable(source.path) as path, _named_errors(source):
        schema = _scan(path).collect_schema()
    columns = schema.names()
    text_at, label_at = choose(columns, source)
    text, label = columns[text_at], None if label_at is None else columns[label_at]
    _check_text(source, text, schema[text])
    several = False
    if label is not None:
        several = _check_label(source, label, schema[label]) or source.label_separator is not None
    kept = {name: _kept(source, name, schema[name]) for name in choose_kept(columns, source)}

    def start(report: Report) -> Iterator[Batch]:
        return in_batches(_documents(source, report, text, label, kept))

    return Corpus(str(source.path), start, multilabel=several)


def _documents(
    source: Source, report: Report, text: str, label: str | None, kept: dict[str, pl.Expr]
) -> Iterator[Document | KeptDocument]:
    to_labels = source.label_reader(report, place="row {}", may_be_joined=True)
    row = 0
    with _seekable(source.path) as path, _named_errors(source):
        as_bytes = _scan(path).collect_schema()[text] == pl.Binary
        texts_column = pl.col(text) if as_bytes else pl.col(text).cast(pl.String)
        others = [each.alias(f"kept {name}") for name, each in kept.items()]
        table = _scan(path).select(
            texts_column.alias("text"), *([] if label is None else [pl.col(label).alias("label")]), *others
        )
        for chunk in table.collect_batches(chunk_size=BATCH_DOCUMENTS, maintain_order=True):
            texts = chunk["text"].to_list()
            labels = [None] * len(texts) if label is None else chunk["label"].to_list()
            rows = zip(*(chunk[f"kept {name}"].to_list() for name in kept), strict=True) if kept else repeat(())
            for document, value, values in zip(texts, labels, rows, strict=False):
                row += 1
                if as_bytes:
                    document, replaced = decode(document or b"", source.encoding)
                    report.replaced_bytes += replaced
                if kept:
                    yield document or "", to_labels(value, row), dict(zip(kept, values, strict=True))
                else:
                    yield document or "", to_labels(value, row)


def _scan(path: Path) -> pl.LazyFrame:
    # A path is a path: no wildcards in it, and no columns made of its folders' names.
    return pl.scan_parquet(path, glob=False, hive_partitioning=False)


@contextmanager
def _seekable(path: Path) -> Iterator[Path]:
    with path.open("rb") as file:
        start = file.read(4)
    if not any(start.startswith(each.magic) for each in COMPRESSIONS):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="textsieve-") as folder:
        unpacked = Path(folder, "table.parquet")
        with open_bytes(path) as packed:
            write_temporary(str(unpacked), iter(lambda: packed.read(CHUNK), b""), what=f"the unpacked {path}")
        yield unpacked


@contextmanager
def _named_errors(source: Source) -> Iterator[None]:
    try:
        yield
    except pl.exceptions.PolarsError as error:
        raise InputError(
            f"{source.path}: cannot be read as Parquet: {str(error).splitlines()[0]}. "
            "It is damaged, or no Parquet file; get it again or correct format=."
        ) from error


def _check_text(source: Source, name: str, kind: pl.DataType) -> None:
    if kind not in (pl.String, pl.Binary, pl.Null, *NAMED_STRINGS):
        raise InputError(f"{source.path}: column {name!r} holds {kind}, not strings. Name the text's with text=.")


def _kept(source: Source, name: str, kind: pl.DataType) -> pl.Expr:
    """A column as JSON can hold it: numbers stay numbers, dates and times are written out."""
    if kind in (pl.String, pl.Boolean, pl.Null) or kind.is_integer() or kind.is_float():
        return pl.col(name)
    if kind in NAMED_STRINGS or kind.is_temporal() or kind.is_decimal():
        return pl.col(name).cast(pl.String)
    raise InputError(f"{source.path}: keep={name!r} holds {kind}; only strings, numbers and dates can be kept.")


def _check_label(source: Source, name: str, kind: pl.DataType) -> bool:
    """Whether the column holds lists."""
    several = isinstance(kind, pl.List | pl.Array)
    inner = kind.inner if isinstance(kind, pl.List | pl.Array) else kind
    if inner in (pl.String, pl.Boolean, pl.Null, *NAMED_STRINGS) or inner.is_numeric():
        return several
    raise InputError(
        f"{source.path}: column {name!r} holds {kind}, which is no label. "
        "A label is a string, a number or a list of these. Name the label's column with label=."
    )
