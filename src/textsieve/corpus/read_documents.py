"""`read`: open a path or a named corpus as a `Corpus`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

from ..errors import InputError, MissingPackage, Setting
from ..extras import require_package
from .corpus import Corpus
from .encodings import DEFAULT, FileEncoding
from .formats import BY_NAME, Format, detect, detect_by_content
from .named_corpora import NAMED, closest_name, is_corpus_name, open_named
from .read_limits import ReadLimits
from .source import ALL_COLUMNS, Column, Source, check_keep, check_text_columns, default_fields
from .streams import check_encoding, unreadable_error


class Reader(Protocol):
    """The interface of each module in `readers`."""

    def corpus(self, source: Source, format: Format) -> Corpus:
        """Inspect the beginning of the source, and return a `Corpus` that can start a pass."""


def read(
    path: str | os.PathLike[str],
    *,
    text: Column | Sequence[Column] | None = None,
    label: Column | bool | None = None,
    label_separator: str | None = None,
    format: str | None = None,
    sheet: str | None = None,
    encoding: str | None = None,
    fold_labels: bool | Iterable[str] = False,
    texts_only: bool = False,
    optional_labels: bool = False,
    keep: Iterable[Column] = (),
    usual: Mapping[str, Any] | None = None,
    lenient: bool = False,
    max_document: int | None = None,
    max_unpacked: int | None = None,
    follow_links: bool = False,
) -> Corpus:
    r"""Open a folder of classes, a file (plain, gzip or zstandard), or a named corpus, such as "newsgroups:train".

    `text` and `label` are the names of a table's columns, or their numbers from 0 if it has no header; `label=False`
    says that there are no labels. If they are left out, columns with conventional names are used (text, body, content,
    ...; label, class, category, topic, ...). If `text` is a list of columns, such as ["title", "description"], they are
    joined, with a blank line between two parts; empty parts are left out. `label_separator` splits a label into
    several. `fold_labels=True` merges labels that differ only in case or in white space around them into the most
    frequent spelling; if it is a list of labels, such as the classes of a model, these are the spellings to use. Labels
    read from a file are strings.

    `format` is parquet, excel, jsonl, fasttext, svmlight, tsv, csv, lines or folder; if it is left out, it is detected
    from the content. `sheet` is the name of a sheet in an Excel file, by default the first visible one. If no
    `encoding` is given, a file that is not UTF-8 is read in the encoding that its content suggests, with a warning.
    Other invalid bytes are replaced and counted.

    With `texts_only`, as for prediction, labels are ignored: a table need not have any, and errors in them don't
    matter. With `optional_labels`, labels are read if there are any: a column counts as the label only if the caller
    named it or it has a conventional name. `keep` lists columns whose values come with each batch, as `Batch.kept`;
    "all" is all columns. For a folder, it may list "file", the name of each document's file. `lenient` skips lines of
    JSON that can't be parsed, such as one that was cut off, and lists their places in `Report.unreadable`.

    `usual` has defaults for options that are left out, such as those of the documents that a model learned from. The
    column names under "text" and "label" are tried before the conventional ones, and "label_separator" and "sheet" are
    used for formats that have them. Two more keys are about JSON objects of another origin among these documents, such
    as corrections: "fixed_keys" is a list of sets of keys, and objects with exactly the keys of one of these sets are
    read by conventional names, without the defaults; if "fixed_over_given" is true, also without `text` and `label`.

    `max_document` is the largest allowed size of a document in bytes, by default 100 MB, or 10 MB in a named corpus.
    `max_unpacked` is the number of bytes that one compressed file may unpack to, by default 200 times its size but at
    least `max_document`. Anything larger raises `InputError` before it fills the memory. Links that lead out of a
    folder are skipped unless `follow_links=True`. A folder is read only once, however many links lead to it.

    A name is that of a named corpus only if there is no file or folder of this name. Named corpora take these limits
    and `fold_labels`, but raise `InputError` for options about columns, format or encoding.

    Examples
    --------
    >>> import tempfile
    >>> import textsieve
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "news.csv"
    >>> _ = path.write_text("text,label\nthe striker scored,sport\na new law,politics\n")
    >>> corpus = textsieve.read(path)
    >>> list(corpus.texts())
    ['the striker scored', 'a new law']
    """
    location = _parse_path(path)
    is_named = not _exists(location) and isinstance(path, str) and is_corpus_name(path)
    limits = ReadLimits.from_options(max_document, max_unpacked, follow_links, is_named=is_named)
    columns_to_keep = check_keep(keep)
    if is_named:
        name = os.fspath(path)
        _check_no_options(
            name,
            text=text,
            label=label,
            label_separator=label_separator,
            format=format,
            sheet=sheet,
            keep=None if columns_to_keep in ((), ALL_COLUMNS) else columns_to_keep,  # it has no columns: all are none
            encoding=None if encoding == DEFAULT else encoding,
        )
        return _fold(open_named(name, limits), fold_labels)
    _check_can_be_read(location)
    if label_separator == "":
        raise InputError(setting="label_separator", value="", hint="give the character between two labels, such as ','")
    source = Source(
        path=location,
        encoding=FileEncoding(str(location), None if encoding is None else check_encoding(encoding)),
        text=check_text_columns(text),
        label=label,
        label_separator=label_separator,
        texts_only=texts_only,
        optional_labels=optional_labels,
        keep=columns_to_keep,
        sheet=sheet,
        lenient=lenient,
        limits=limits,
        **default_fields(usual),
    )
    file_format = detect(source, format)
    _check_options_fit(source, file_format)
    if file_format.has_columns and label_separator is None:  # only now is it known whether the default applies
        source = replace(source, label_separator=source.default_label_separator)
    reader = _import_reader(file_format, location)
    with _hint_at_other_format(source, format):
        corpus = reader.corpus(source, file_format)
    return _fold(corpus, fold_labels)


def _import_reader(file_format: Format, path: Path) -> Reader:
    """Import the module that reads a format; raise `MissingPackage` at this path if a package for it is missing."""
    if file_format.package is not None:
        try:
            require_package(file_format.package, extra=file_format.name, what=file_format.looks_like)
        except MissingPackage as problem:
            raise problem.at(str(path)) from None
    return cast(Reader, import_module(f"textsieve.corpus.readers.{file_format.reader}"))


def _fold(corpus: Corpus, fold_labels: bool | Iterable[str]) -> Corpus:
    """Return the corpus with labels merged as the option `fold_labels` says, and let it warn of those that are not."""
    corpus.reports_spellings = True
    if isinstance(fold_labels, str):
        raise InputError(setting="fold_labels", value=fold_labels, hint="use True, or a list of labels")
    if fold_labels is False:
        return corpus
    return corpus.with_folded_labels(None if fold_labels is True else fold_labels)


@contextmanager
def _hint_at_other_format(source: Source, format: str | None) -> Iterator[None]:
    """If opening a file in the given format raises `InputError`, name in its hint the format that the file looks like.

    The `with` block opens the file. If no format is given, or the content looks like no other, the error is unchanged.
    """
    try:
        yield
    except InputError as problem:
        if format is None or (other := detect_by_content(source)) is None or other.name == format:
            raise
        hint = (f"The content looks like {other.name} ({other.looks_like}); correct ", Setting("format"))
        raise problem.with_fields(hint=hint) from problem


def _parse_path(path: str | os.PathLike[str]) -> Path:
    """Return the path with ~ expanded; raise `InputError` if it is empty, a web address or not a path at all."""
    if not isinstance(path, str | os.PathLike) or not os.fspath(path):
        raise InputError(setting="path", value=path, hint="give the name of a file, a folder or a corpus")
    if re.match(r"[a-z]+://", os.fspath(path)):
        raise InputError("is an address", place=str(path), hint="Download it, and give the name of the file")
    return Path(path).expanduser()


def _check_no_options(name: str, **options: object) -> None:
    """Raise `InputError` if one of these options for reading files is given for a named corpus; None is not given."""
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


def _check_can_be_read(path: Path) -> None:
    """Raise `InputError` unless the path leads to a file or a folder that can be read any number of times."""
    if not _exists(path):
        raise _missing_error(path)
    if not path.is_file() and not path.is_dir():
        raise InputError(
            "is a pipe or a device, which can be read only once", place=str(path), hint="Save it to a file first"
        )


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


def _check_options_fit(source: Source, file_format: Format) -> None:
    """Raise `InputError` if an option is given that the format of the file has no use for: probably a mistake."""
    place = str(source.path)
    if source.sheet is not None and file_format.name != "excel":
        raise InputError(
            f"it is for Excel files, but this is {file_format.name}: {file_format.looks_like}",
            place=place,
            setting="sheet",
            value=source.sheet,
            hint="leave it out",
        )
    if file_format.has_columns:
        return  # the options below are all about columns, and the reader checks them
    formats_with_columns = ", ".join(other.name for other in BY_NAME.values() if other.has_columns)
    problem = (
        f"it is for formats with columns ({formats_with_columns}), but this is {file_format.name}: "
        f"{file_format.looks_like}"
    )
    for name in () if source.keep == ALL_COLUMNS else source.keep:
        if name not in file_format.keeps:
            names = " and ".join(map(repr, file_format.keeps))
            keep_hint = f"This format can keep {names}" if names else "Leave it out"
            raise InputError(problem, place=place, setting="keep", value=name, hint=keep_hint)
    for setting in (
        source.text_setting,
        Setting("label", source.label),
        Setting("label_separator", source.label_separator),
    ):
        if setting.value not in (None, ()):
            hint = ("leave it out, or correct ", Setting("format"))
            raise InputError(problem, place=place, setting=setting.name, value=setting.value, hint=hint)
