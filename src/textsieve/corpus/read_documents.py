"""`read`: open a path or a named corpus as a `Corpus`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from ..errors import InputError, MissingPackage, Setting
from ..extras import require_package
from .corpus import Corpus
from .formats import BY_NAME, Format, detect
from .named_corpora import NAMED, closest_name, is_corpus_name, open_named
from .read_limits import ReadLimits
from .source import Column, Source
from .streams import check_encoding, unreadable_error


class Reader(Protocol):
    """The interface of each module in `readers`."""

    def corpus(self, source: Source, format: Format) -> Corpus:
        """Inspect the beginning of the source, and return a `Corpus` that can start a pass."""


def read(
    path: str | os.PathLike[str],
    *,
    text: Column | None = None,
    label: Column | bool | None = None,
    label_separator: str | None = None,
    format: str | None = None,
    encoding: str = "utf-8",
    texts_only: bool = False,
    optional_labels: bool = False,
    keep: Iterable[Column] = (),
    usual: Mapping[str, str] | None = None,
    lenient: bool = False,
    max_document: int | None = None,
    max_unpacked: int | None = None,
    follow_links: bool = False,
) -> Corpus:
    """Open a folder of classes, a file (plain, gzip or zstandard), or a named corpus, such as "newsgroups:train".

    `text` and `label` are the names of a table's columns, or their numbers from 0 if it has no header; `label=False`
    says that there are no labels. If they are left out, columns with conventional names are used (text, body, content,
    ...; label, class, category, topic, ...). `label_separator` splits a label into several. `format` is parquet, jsonl,
    fasttext, svmlight, tsv, csv, lines or folder; if it is left out, it is detected from the content. Invalid bytes are
    replaced and counted. Labels read from a file are strings.

    With `texts_only`, as for prediction, labels are ignored: a table need not have any, and errors in them don't
    matter. With `optional_labels`, labels are read if there are any: a column counts as the label only if the caller
    named it or it has a conventional name. `keep` lists other columns whose values come with each batch, as
    `Batch.kept`; for a folder, it may list "file", the name of each document's file. `usual` has default options: the
    column names under "text" and "label" are tried before the conventional ones, and "label_separator" is used for
    formats with columns if the option is left out. `lenient` skips lines of JSON that can't be parsed, such as one that
    was cut off, and lists their places in `Report.unreadable`.

    `max_document` is the largest allowed size of a document in bytes, by default 100 MB, or 10 MB in a named corpus.
    `max_unpacked` is the number of bytes that one compressed file may unpack to, by default 200 times its size but at
    least `max_document`. Anything larger raises `InputError` before it fills the memory. Links that lead out of a
    folder are skipped unless `follow_links=True`. A folder is read only once, however many links lead to it.

    A name is that of a named corpus only if there is no file or folder of this name. Named corpora take these limits,
    but raise `InputError` for options about columns, format or encoding.
    """
    location = _parse_path(path)
    is_named = not _exists(location) and isinstance(path, str) and is_corpus_name(path)
    limits = ReadLimits.from_options(max_document, max_unpacked, follow_links, is_named=is_named)
    columns_to_keep = _check_keep(keep)
    if is_named:
        name = os.fspath(path)
        _check_no_options(name, text=text, label=label, label_separator=label_separator, format=format)
        # An empty `keep` and the default encoding count as not given.
        _check_no_options(name, keep=columns_to_keep or None, encoding=None if encoding == "utf-8" else encoding)
        return open_named(name, limits)
    if not _exists(location):
        raise _missing_error(location)
    if not location.is_file() and not location.is_dir():
        raise InputError(
            "is a pipe or a device, which can be read only once", place=str(location), hint="Save it to a file first"
        )
    if label_separator == "":
        raise InputError(setting="label_separator", value="", hint="give the character between two labels, such as ','")
    usual = usual or {}
    source = Source(
        path=location,
        encoding=check_encoding(encoding),
        text=text,
        label=label,
        label_separator=label_separator,
        texts_only=texts_only,
        optional_labels=optional_labels,
        keep=columns_to_keep,
        lenient=lenient,
        default_text=usual.get("text"),
        default_label=usual.get("label"),
        default_label_separator=usual.get("label_separator"),
        limits=limits,
    )
    file_format = detect(source, format)
    _check_options_fit(source, file_format)
    if file_format.has_columns and label_separator is None:
        source = replace(source, label_separator=source.default_label_separator)
    if file_format.package is not None:
        try:
            require_package(file_format.package, extra=file_format.name, what=file_format.looks_like)
        except MissingPackage as problem:
            raise problem.at(str(source.path)) from None
    reader = cast(Reader, import_module(f"textsieve.corpus.readers.{file_format.reader}"))
    return reader.corpus(source, file_format)


def _parse_path(path: str | os.PathLike[str]) -> Path:
    """Return the path with ~ expanded; raise `InputError` if it is empty, a web address or not a path at all."""
    if not isinstance(path, str | os.PathLike) or not os.fspath(path):
        raise InputError(setting="path", value=path, hint="give the name of a file, a folder or a corpus")
    if re.match(r"[a-z]+://", os.fspath(path)):
        raise InputError("is an address", place=str(path), hint="Download it, and give the name of the file")
    return Path(path).expanduser()


def _check_no_options(name: str, **options: object) -> None:
    """Raise `InputError` if an option for reading files is given for a named corpus."""
    for option, value in options.items():
        if value is not None:
            raise InputError(
                "this is for files; a named corpus needs no options",
                place=name,
                setting=option,
                value=value,
                hint="Leave it out",
            )


def _exists(path: Path) -> bool:
    """Return whether a path exists; raise `InputError` if the system does not allow to find out."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise unreadable_error(path, error if isinstance(error, OSError) else OSError(str(error))) from error
    return True


def _missing_error(path: Path) -> InputError:
    """Return the error for a path that does not exist, suggesting the name that was probably meant."""
    if path.is_symlink():
        return InputError(
            f"is a link to {path.readlink()}, which does not exist", place=str(path), hint="Mend or replace the link"
        )
    close = closest_name(str(path))
    if not close and path.parent.is_dir():
        close = next(iter(get_close_matches(path.name, os.listdir(path.parent), n=1)), None)
    return InputError(
        "there is no such file or folder.",
        place=str(path),
        hint=f"Did you mean {close!r}?" if close else f"Named corpora: {', '.join(NAMED)}.",
    )


def _check_keep(keep: Iterable[Column]) -> tuple[Column, ...]:
    """Return the columns to keep without duplicates; raise `InputError` if `keep` is one column, not a list."""
    if isinstance(keep, str | int):
        raise InputError(setting="keep", value=keep, hint=f"give a list of columns, such as [{keep!r}]")
    return tuple(dict.fromkeys(keep))


def _check_options_fit(source: Source, file_format: Format) -> None:
    """Raise `InputError` for options that the format ignores, since they are probably mistakes."""
    if file_format.has_columns:
        return  # the options below are all about columns, and the reader checks them
    formats_with_columns = ", ".join(other.name for other in BY_NAME.values() if other.has_columns)
    problem = (
        f"it is for formats with columns ({formats_with_columns}), but this is {file_format.name}: "
        f"{file_format.looks_like}"
    )
    place = str(source.path)
    for name in source.keep:
        if name not in file_format.keeps:
            names = " and ".join(map(repr, file_format.keeps))
            keep_hint = f"This format can keep {names}" if names else "Leave it out"
            raise InputError(problem, place=place, setting="keep", value=name, hint=keep_hint)
    for option in ("text", "label", "label_separator"):
        if (value := getattr(source, option)) is not None:
            hint = ("leave it out, or correct ", Setting("format"))
            raise InputError(problem, place=place, setting=option, value=value, hint=hint)
