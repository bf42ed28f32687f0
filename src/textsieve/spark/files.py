"""Files that Spark reads, as a DataFrame of texts and labels: those that one machine would read from the same files.

Spark itself finds the files (folders, wildcards, s3a://... and what else its file systems know) and shares them out.
What differs from how texts and labels are read on one machine is settled here: which columns they are is told by the
same rule (`corpus.columns`), labels are texts (`labeltexts.py`), and in CSV quotes may hold line ends, and two mean
one. So that a record can't be cut in two, a file of CSV is read by one task; those of Parquet and JSON lines are shared
out in parts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql import types as T

from ..corpus.columns import choose
from ..corpus.formats import by_ending
from ..corpus.named import is_name
from ..corpus.source import Column, Source
from ..errors import InputError
from .columns import LABEL, TEXT, documents_of
from .labeltexts import labels_as_text, not_a_list
from .session import speaks_connect

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MOST_ENDINGS = 100
"""Files of a folder that are looked at to tell what it holds."""
DELIMITERS = ";|"
"""That a table with one column may have instead of commas."""


def read_files(
    session: SparkSession,
    paths: Sequence[str],
    *,
    text: Column | None = None,
    label: Column | None = None,
    label_separator: str | None = None,
    format: str | None = None,
    encoding: str | None = None,
) -> DataFrame:
    """The documents of files as a DataFrame with the columns "text" and "label"; settings as `textsieve.read` has them.

    Formats are Parquet, JSON lines, CSV and TSV, told by the ending of the paths or of the files in a folder.
    """
    name = shown_paths(paths)
    _refuse_what_is_no_file(paths)
    if speaks_connect(session):  # its server is in another folder, if not on another machine
        paths = [os.path.abspath(path) if os.path.exists(path) else path for path in paths]
    kind = format or _format_of(session, paths)
    if kind not in READERS:
        raise _unreadable(name, f"is {kind}")
    if label_separator == "":
        raise InputError("label_separator='': give the character between two labels, such as ','.")
    table = READERS[kind](session, list(paths), _Told(text, label, encoding))
    with _named(name):
        text_at, label_at = choose(table.columns, Source(Path(name), text=text, label=label))
    if label_at is None:
        raise InputError(f"{name}: no column beside {table.columns[text_at]!r} has the labels; name it with label=.")
    documents = documents_of(table, table.columns[text_at], table.columns[label_at])
    labels = labels_as_text(F.col(LABEL), documents.schema[LABEL].dataType, label_separator)
    if kind == "jsonl" and isinstance(documents.schema[LABEL].dataType, T.StringType) and label_separator is None:
        labels = not_a_list(labels)
    return documents.select(TEXT, labels.alias(LABEL))


def shown_paths(paths: Sequence[str]) -> str:
    """Paths for a message."""
    return paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1:,} more"


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Call files by the name that they were given, which a `Path` may not keep (s3a://)."""
    try:
        yield
    except InputError as problem:
        raise InputError(str(problem).replace(str(Path(name)), name, 1)) from problem


# -- which format ------------------------------------------------------------------------------------------------


def _refuse_what_is_no_file(paths: Sequence[str]) -> None:
    for path in paths:
        if path == "-":
            raise InputError("-: Spark does not read standard input; write it to a file first.")
        if is_name(path) and not os.path.exists(path):
            raise InputError(
                f"{path}: is a corpus with a name, which Spark does not know; read it on one machine: "
                "textsieve.read(path)."
            )


def _format_of(session: SparkSession, paths: Sequence[str]) -> str:
    """What the endings of paths promise, or else those of the files that Spark finds there."""
    promised = {row.name if (row := by_ending(Path(path))) else "" for path in paths}
    if "" in promised:
        listed = session.read.format("binaryFile").option("recursiveFileLookup", True).load(list(paths)).select("path")
        endings = [row["path"] for row in listed.limit(MOST_ENDINGS).collect()]
        promised = {row.name if (row := by_ending(Path(path))) else "" for path in endings}
    if len(promised) == 1 and "" not in promised:
        return promised.pop()
    name = shown_paths(paths)
    if not promised:
        raise InputError(f"{name}: there are no files in it.")
    if any(promised):
        kinds = ", ".join(sorted(each or "others" for each in promised))
        raise _unreadable(name, f"has files of several kinds ({kinds})")
    raise _unreadable(name, "does not say by its ending what it is")


def _unreadable(name: str, problem: str) -> InputError:
    return InputError(
        f"{name}: {problem}; Spark reads {', '.join(READERS)} here. Name one of them with format=, or read "
        "it on one machine: textsieve.read(path)."
    )


# -- the readers -------------------------------------------------------------------------------------------------


class _Told:
    """What was said of the columns and the encoding."""

    def __init__(self, text: Column | None, label: Column | None, encoding: str | None) -> None:
        self.has_numbers = any(isinstance(each, int) for each in (text, label))
        self.encoding = encoding


def _parquet(session: SparkSession, paths: list[str], told: _Told) -> DataFrame:
    return session.read.parquet(*paths)


def _jsonl(session: SparkSession, paths: list[str], told: _Told) -> DataFrame:
    if told.has_numbers:
        raise InputError(f"{shown_paths(paths)}: JSON has keys, not numbers. Give the key's name.")
    return session.read.json(paths, mode="FAILFAST", encoding=told.encoding)


def _delimited(delimiter: str) -> Callable[[SparkSession, list[str], _Told], DataFrame]:
    def read(session: SparkSession, paths: list[str], told: _Told) -> DataFrame:
        def table(sep: str) -> DataFrame:
            return session.read.csv(
                paths,
                sep=sep,
                header=not told.has_numbers,
                encoding=told.encoding,
                quote='"',
                escape='"',
                multiLine=True,
                mode="FAILFAST",
            )

        found = table(delimiter)
        other = next((each for each in DELIMITERS if len(found.columns) == 1 and each in found.columns[0]), None)
        return found if other is None else table(other)

    return read


READERS: dict[str, Callable[[SparkSession, list[str], _Told], DataFrame]] = {
    "parquet": _parquet,
    "jsonl": _jsonl,
    "csv": _delimited(","),
    "tsv": _delimited("\t"),
}
"""By the names that the formats have on one machine."""
