"""Open a path of the command line: a file, a folder, a named corpus, or - for standard input."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from ..corpus import Corpus, read
from ..corpus.named_corpora import is_name
from ..corpus.streams import read_head
from ..errors import InputError
from ..prediction import Model
from ..writability import check_openable
from .messages import warn

STDIO = "-"
COLUMNS = ("text", "label")
READING = (*COLUMNS, "label_separator", "format", "encoding")
"""The options of `train` for reading that a model stores."""
LIMITS = ("max_document", "max_unpacked", "follow_links")
"""The options for reading that a model doesn't store: they say what is safe here, not how documents are written."""
NONE: Mapping[str, str] = {}


@contextmanager
def opened(path: str, reading: Mapping[str, Any], **more: Any) -> Iterator[Corpus]:
    """Open the documents at a path; afterwards, print a warning if some bytes could not be decoded."""
    options = {name: value for name, value in reading.items() if value is not None} | more
    if path != STDIO:
        corpus = read(path, **options)
        yield corpus
    else:
        from ..corpus.pipes import read_pipe

        with read_pipe(standard_input(), "standard input", **options) as corpus:
            yield corpus
    _warn_of_wrong_bytes(corpus)


@contextmanager
def opened_one_after_the_other(paths: Sequence[str], reading: Mapping[str, Any]) -> Iterator[Corpus]:
    """Open the documents at several paths as one corpus.

    Column names given as options apply to the first path, and to the others if they have such columns.
    """
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
            stack.enter_context(opened(path, options, usual=defaults))
            for path, options, defaults in each_with(paths, reading)
            if path not in empty
        ]
        corpus = Corpus.chained(parts)
        yield corpus
        _warn_of_wrong_bytes(corpus)


def has_nothing(path: str) -> bool:
    """Return whether a path is an empty file."""
    return path != STDIO and os.path.isfile(path) and not read_head(Path(path)).strip()


def each_with(
    paths: Sequence[str], reading: Mapping[str, Any], usual: Mapping[str, str] = NONE
) -> Iterator[tuple[str, Mapping[str, Any], Mapping[str, str]]]:
    """Yield each path, its options for reading, and its default names.

    Column names given as options are required of the first path, and are defaults for the others. The same holds for
    the label separator, as not all formats have columns.
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
    """Return the column names given as options, for the model to store."""
    return {part: reading[part] for part in COLUMNS if isinstance(reading[part], str)}


def columns_of(model: Model) -> dict[str, str]:
    """Return the column names that a model stores, without invalid entries."""
    columns = model.about.get("columns")
    stored = columns if isinstance(columns, dict) else {}
    return {part: stored[part] for part in COLUMNS if isinstance(stored.get(part), str)}


def usual_of(model: Model) -> dict[str, str]:
    """Return the defaults for reading files for a model: the column names and the label separator of its training."""
    separator = told_to(model).get("label_separator")
    return columns_of(model) | ({"label_separator": separator} if isinstance(separator, str) and separator else {})


def told_to(model: Model) -> dict[str, Any]:
    """Return the options for reading that `train` got, as a model stores them; older models store only column names."""
    stored = model.about.get("reading")
    options = stored if isinstance(stored, dict) else {}
    kinds: dict[str, Any] = dict.fromkeys(COLUMNS, str | int)
    valid = {part: options[part] for part in READING if isinstance(options.get(part), kinds.get(part, str))}
    return columns_of(model) | valid


def standard_input() -> Any:
    """Return the binary stream of standard input; raise `InputError` if it is closed."""
    if sys.stdin is None:
        raise InputError("standard input: is closed. Give the name of a file, or write to the command's input.")
    return sys.stdin.buffer


def refuse_to_lose(
    output: str, *inputs: str, what: str, may_be_stream: bool = False, option: str | None = None
) -> None:
    """Raise `InputError`, before any work is done, for an output that can't be written or would spoil the inputs.

    It must not replace an input, nor be inside a folder of documents, where the next run would read it as one of them.
    `what` describes the output, and `option` is the option that names it; see `writability.check_openable`.
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
    """Return whether a file would be read as a document of a folder; hidden files are not."""
    inside, place = os.path.join(os.path.realpath(folder), ""), os.path.realpath(output)
    return place.startswith(inside) and not any(
        part.startswith(".") for part in place.removeprefix(inside).split(os.sep)
    )
