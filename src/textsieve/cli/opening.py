"""What a path at the command line stands for: a file, a folder, a named corpus, or - for standard input."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from ..corpus import Corpus, read
from ..corpus.named import is_name
from ..corpus.streams import read_head
from ..errors import InputError
from ..files import check_openable
from ..prediction import Model
from .ending import warn

STDIO = "-"
COLUMNS = ("text", "label")
READING = (*COLUMNS, "label_separator", "format", "encoding")
"""What a model remembers that train was told about reading."""
LIMITS = ("max_document", "max_unpacked", "follow_links")
"""Options of reading that no model remembers: they say what is safe here, not how documents are written."""
NONE: Mapping[str, str] = {}


@contextmanager
def opened(path: str, reading: Mapping[str, Any], **more: Any) -> Iterator[Corpus]:
    """The documents at a path; afterwards it is said if some of them could not be decoded."""
    options = {name: value for name, value in reading.items() if value is not None} | more
    if path != STDIO:
        corpus = read(path, **options)
        yield corpus
    else:
        from ..corpus.arriving import arriving

        with arriving(standard_input(), "standard input", **options) as corpus:
            yield corpus
    _warn_of_wrong_bytes(corpus)


@contextmanager
def opened_one_after_the_other(paths: Sequence[str], reading: Mapping[str, Any]) -> Iterator[Corpus]:
    """The documents at several paths; columns that are named are those of the first, and of others that have them."""
    if len(paths) == 1:
        with opened(paths[0], reading) as corpus:
            yield corpus
        return
    empty = [path for path in paths if has_nothing(path)]
    if len(empty) == len(paths):
        raise InputError(f"{', '.join(empty)}: no documents, the files are empty.")
    for path in empty:
        warn(f"{path}: is empty, and is passed over.")
    with ExitStack() as stack:
        parts = [
            stack.enter_context(opened(path, own, usual=usual))
            for path, own, usual in each_with(paths, reading)
            if path not in empty
        ]
        corpus = Corpus.chained(parts)
        yield corpus
        _warn_of_wrong_bytes(corpus)


def has_nothing(path: str) -> bool:
    """Whether a path is a file that nobody has written to yet."""
    return path != STDIO and os.path.isfile(path) and not read_head(Path(path)).strip()


def each_with(
    paths: Sequence[str], reading: Mapping[str, Any], usual: Mapping[str, str] = NONE
) -> Iterator[tuple[str, Mapping[str, Any], Mapping[str, str]]]:
    """Paths, each with how it is read, and what is usual: beyond the first, the columns that were named for it.

    So is what separates labels, as not all formats have columns.
    """
    yield paths[0], reading, usual
    separator = reading["label_separator"]
    named = columns_given(reading) | ({} if separator is None else {"label_separator": separator})
    others = {name: None if name in named else value for name, value in reading.items()}
    for path in paths[1:]:
        yield path, others, {**usual, **named}


def _warn_of_wrong_bytes(corpus: Corpus) -> None:
    if corpus.report is not None and corpus.report.replaced_bytes:
        hint = "" if is_name(corpus.name) else "; if its encoding is another, name it with --encoding"
        warn(f"{corpus.name}: {corpus.report.replaced_bytes:,} wrong bytes were replaced{hint}.")


def columns_given(reading: Mapping[str, Any]) -> dict[str, str]:
    """The names of columns that were given as options, for the model to remember."""
    return {part: reading[part] for part in COLUMNS if isinstance(reading[part], str)}


def columns_of(model: Model) -> dict[str, str]:
    """The names of columns that a model remembers; what is odd about them, nobody needs."""
    columns = model.about.get("columns")
    found = columns if isinstance(columns, dict) else {}
    return {part: found[part] for part in COLUMNS if isinstance(found.get(part), str)}


def usual_of(model: Model) -> dict[str, str]:
    """How files are read for a model where nothing is said: columns by the names, and labels split as in training."""
    separator = told_to(model).get("label_separator")
    return columns_of(model) | ({"label_separator": separator} if isinstance(separator, str) and separator else {})


def told_to(model: Model) -> dict[str, Any]:
    """What train was told about reading, as a model remembers it; older ones remember the names of columns alone."""
    told = model.about.get("reading")
    found = told if isinstance(told, dict) else {}
    kinds: dict[str, Any] = dict.fromkeys(COLUMNS, str | int)
    sound = {part: found[part] for part in READING if isinstance(found.get(part), kinds.get(part, str))}
    return columns_of(model) | sound


def standard_input() -> Any:
    """The bytes of standard input."""
    if sys.stdin is None:
        raise InputError("standard input: is closed. Give the name of a file, or write to the command's input.")
    return sys.stdin.buffer


def refuse_to_lose(
    output: str, *inputs: str, what: str, may_be_stream: bool = False, option: str | None = None
) -> None:
    """Raise `InputError`, before any work is done, for an output that can't be written or would spoil the inputs.

    It must not replace an input, nor lie in a folder of documents, where the next run would read it as one of them.
    `what` is written there, `option` is the one that names it; see `files.check_openable`.
    """
    check_openable(output, what=what, may_be_stream=may_be_stream)
    for path in inputs:
        if path == STDIO or not os.path.exists(path):
            continue
        if os.path.exists(output) and os.path.samefile(path, output):
            raise InputError(f"{output}: is read here, and would be overwritten. Give the result another name.")
        if os.path.isdir(path) and _is_document_of(path, output):
            way_out = f"name a file elsewhere with {option}" if option else "move it to another folder"
            raise InputError(f"{output}: would be among the documents of {path}; {way_out}.")


def _is_document_of(folder: str, output: str) -> bool:
    """Return whether a file would be read as a document of a folder; hidden ones are not."""
    inside, place = os.path.join(os.path.realpath(folder), ""), os.path.realpath(output)
    return place.startswith(inside) and not any(
        part.startswith(".") for part in place.removeprefix(inside).split(os.sep)
    )
