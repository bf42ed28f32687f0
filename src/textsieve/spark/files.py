"""Read files with Spark into a DataFrame with the texts and labels that one machine would read from them.

Spark finds the files (folders, wildcards, s3a://... and whatever else its file systems support) and distributes them.
This module makes the result the same as on one machine:

- Columns are found by the same rule (`corpus.source.choose_columns`), and labels become text (`columns.py`).
- In CSV, quoted fields may contain line ends, and two quotes in them mean one. So a CSV file is read by one task, which
  can't split a record. Files of Parquet and JSON Lines are distributed in parts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import functions as F
from pyspark.sql import types as T

from ..corpus.formats import by_ending
from ..corpus.named_corpora import is_corpus_name
from ..corpus.source import Column, Source, UsedColumns, check_text_columns, choose_columns, used_columns
from ..errors import InputError, Setting
from .columns import LABEL, TEXT, labels_as_text, merge_spellings, reject_lists, select_documents
from .session import is_connect_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MAX_LISTED = 100
"""Number of files in a folder that are listed to detect the format."""
OTHER_DELIMITERS = ";|"
"""A table that has only one column is read again with the first of these delimiters that its first line contains."""


class SparkDocuments(NamedTuple):
    """Documents in files."""

    df: DataFrame
    """The documents, with the columns "text" and "label"."""
    columns: UsedColumns
    """The columns of the files from which texts and labels come."""


def read_files(
    session: SparkSession,
    paths: Sequence[str],
    *,
    text: Column | Sequence[Column] | None = None,
    label: Column | None = None,
    label_separator: str | None = None,
    fold_labels: bool = False,
    format: str | None = None,
    encoding: str | None = None,
) -> SparkDocuments:
    """Return the documents of files as a DataFrame with the columns "text" and "label".

    Settings are as in `textsieve.read`. Formats are Parquet, JSON Lines, CSV and TSV, detected by the extension of the
    paths or of the files in a folder. An encoding is not guessed.
    """
    name = shown_paths(paths)
    _require_files(paths)
    if is_connect_session(session):  # the server runs in another folder, or on another machine
        paths = [os.path.abspath(path) if os.path.exists(path) else path for path in paths]
    kind = format or _format_of(session, paths)
    if kind not in READERS:
        raise _unreadable(name, f"is {kind}")
    if label_separator == "":
        raise InputError("give the character between two labels, such as ','", setting="label_separator", value="")
    source = Source(Path(name), text=check_text_columns(text), label=label)
    has_numbered_columns = any(isinstance(column, int) for column in (*source.text, source.label))
    table = READERS[kind](session, list(paths), _Options(has_numbered_columns, encoding))
    with _errors_naming(name):
        chosen = choose_columns(table.columns, source)
    columns = used_columns(table.columns, chosen, {}, source)
    if columns.label is None:
        raise InputError(
            f"no column beside {' and '.join(map(repr, columns.text))} has the labels",
            place=name,
            hint=("name it with ", Setting("label")),
        )
    documents = select_documents(table, columns.text, columns.label)
    label_type = documents.schema[LABEL].dataType
    labels = labels_as_text(F.col(LABEL), label_type, label_separator)
    if kind == "jsonl" and isinstance(label_type, T.StringType) and label_separator is None:
        labels = reject_lists(labels)
    documents = documents.select(TEXT, labels.alias(LABEL))
    return SparkDocuments(merge_spellings(documents) if fold_labels else documents, columns)


def shown_paths(paths: Sequence[str]) -> str:
    """Return the paths as text for a message."""
    return paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1:,} more"


@contextmanager
def _errors_naming(name: str) -> Iterator[None]:
    """Let errors that are raised in this block name the files as the user did: a `Path` turns s3a:// into s3a:/."""
    try:
        yield
    except InputError as problem:
        if problem.place is None:
            raise
        raise problem.at(replace(problem.place, source=name)) from problem


# -- formats -----------------------------------------------------------------------------------------------------


def _require_files(paths: Sequence[str]) -> None:
    """Raise `InputError` for standard input and for names of corpora, which can only be read without Spark."""
    for path in paths:
        if path == "-":
            raise InputError("Spark does not read standard input", place="-", hint="write it to a file first")
        if is_corpus_name(path) and not os.path.exists(path):
            raise InputError(
                "is a corpus with a name, which Spark does not know",
                place=path,
                hint="read it on one machine, without Spark",
            )


def _format_of(session: SparkSession, paths: Sequence[str]) -> str:
    """Return the format by the extensions of the paths, or else of the files that Spark finds there."""
    formats = _known_formats(paths)
    if None in formats:  # some paths may be folders, or have wildcards
        files = session.read.format("binaryFile").option("recursiveFileLookup", True).load(list(paths)).select("path")
        formats = _known_formats(row["path"] for row in files.limit(MAX_LISTED).collect())
    name = shown_paths(paths)
    if not formats:
        raise InputError("there are no files in it.", place=name)
    if len(formats) > 1:
        kinds = ", ".join(sorted(kind or "others" for kind in formats))
        raise _unreadable(name, f"has files of several kinds ({kinds})")
    (kind,) = formats
    if kind is None:
        raise _unreadable(name, "has no file name extension of a known format")
    return kind


def _known_formats(paths: Iterable[str]) -> set[str | None]:
    """Return the names of the formats by the extensions of paths; None stands for an unknown extension."""
    formats = (by_ending(Path(path)) for path in paths)
    return {None if file_format is None else file_format.name for file_format in formats}


def _unreadable(name: str, problem: str) -> InputError:
    """Return the error for files in a format that Spark does not read here."""
    return InputError(
        f"{problem}; Spark reads {', '.join(READERS)} here",
        place=name,
        hint=("Name one of them with ", Setting("format"), ", or read it on one machine, without Spark"),
    )


# -- readers -----------------------------------------------------------------------------------------------------

Reader = Callable[["SparkSession", list[str], "_Options"], "DataFrame"]
"""A function that reads the files at some paths into a table."""


class _Options(NamedTuple):
    """Settings of the readers."""

    has_numbered_columns: bool
    """Whether columns are given by number; then a CSV file has no header."""
    encoding: str | None


def _read_parquet(session: SparkSession, paths: list[str], options: _Options) -> DataFrame:
    """Read Parquet files."""
    return session.read.parquet(*paths)


def _read_jsonl(session: SparkSession, paths: list[str], options: _Options) -> DataFrame:
    """Read files of JSON Lines; raise `InputError` for columns that are given by number."""
    if options.has_numbered_columns:
        raise InputError("JSON has keys, not numbers", place=shown_paths(paths), hint="Give the key's name.")
    return session.read.json(paths, mode="FAILFAST", encoding=options.encoding)


def _delimited_reader(delimiter: str) -> Reader:
    """Return the reader of tables with a delimiter, which tries `OTHER_DELIMITERS` if there is only one column."""

    def read(session: SparkSession, paths: list[str], options: _Options) -> DataFrame:
        def read_with(separator: str) -> DataFrame:
            return session.read.csv(
                paths,
                sep=separator,
                header=not options.has_numbered_columns,
                encoding=options.encoding,
                quote='"',
                escape='"',
                multiLine=True,
                mode="FAILFAST",
            )

        table = read_with(delimiter)
        if len(table.columns) == 1:
            # With a header, the first line of the file has become the name of the only column.
            first_row = table.first() if options.has_numbered_columns else table.columns
            first_line = (first_row[0] if first_row else None) or ""
            for other in OTHER_DELIMITERS:
                if other in first_line:
                    return read_with(other)
        return table

    return read


READERS: dict[str, Reader] = {
    "parquet": _read_parquet,
    "jsonl": _read_jsonl,
    "csv": _delimited_reader(","),
    "tsv": _delimited_reader("\t"),
}
"""Readers by the names of formats in `textsieve.read`."""
