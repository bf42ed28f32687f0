"""Open the paths of the command line: a file, a folder, a named corpus, or - for standard input.

This module has three groups of functions. The first opens documents. The second is for options for reading, such as
--text: `train` stores them in the model, so that other commands can read later documents in the same way. The third
checks paths before any work is done.
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from ..corpus import Batch, Corpus, Report, read
from ..corpus.named_corpora import is_corpus_name
from ..corpus.source import UsedColumns
from ..corpus.streams import read_head
from ..errors import InputError, counted, shown
from ..files import check_openable
from ..prediction import Model
from ..progress import Progress
from .messages import shell_join, warn

STDIO = "-"
COLUMNS = ("text", "label")
"""The options for reading whose values are names or numbers of columns."""
READ_OPTIONS = (*COLUMNS, "label_separator", "fold_labels", "format", "sheet", "encoding")
"""The options for reading that `train` stores in the model: they say how the documents are written."""
LIMITS = ("max_document", "max_unpacked", "follow_links")
"""The options for reading that are not stored: they say what is safe on this machine."""
FEEDBACK_KEYS = tuple(
    frozenset({"text", label, "predicted", "model", "time", *withdrawn})
    for label in ("label", "labels")
    for withdrawn in ((), ("withdrawn",))
)
"""The keys of a correction that the service writes, for single-label and for multilabel models, and of a withdrawal."""

BatchTransform = Callable[[Iterator[Batch]], Iterator[Batch]]
"""A function through which all batches of a corpus go, such as a `CorpusDigest`; see `Corpus.mapped`."""
Watch = Callable[[str, Mapping[str, Any], Mapping[str, str]], BatchTransform]
"""A function that gets a path, its options for reading and its defaults, and returns the transform of its batches."""


# -- documents ---------------------------------------------------------------------------------------------------


@contextmanager
def open_corpus(path: str, read_options: Mapping[str, Any], **more: Any) -> Iterator[Corpus]:
    """Yield the documents at a path; afterwards, print a warning if some bytes could not be decoded.

    `read_options` has the values of the options for reading, such as --encoding; `more` has other arguments of `read`.
    With `stream=True`, only the texts of JSON lines on standard input are read, as they arrive, and only once.

    The argument `usual` of `read` has default columns, such as those of the documents that a model learned from. They
    are not used for corrections that the service wrote, which always have the keys `FEEDBACK_KEYS`. Otherwise, for a
    model that learned its labels from a column "model", the label of a correction would be read from its key "model",
    which has the version of the model. Columns that the user names with options are used for corrections, too, with a
    warning if the label is read from the wrong key.
    """
    more["usual"] = {"fixed_keys": FEEDBACK_KEYS, **(more.get("usual") or {})}
    stream = more.pop("stream", False)
    arguments = {name: value for name, value in read_options.items() if value is not None} | more
    if path != STDIO:
        corpus = read(path, **arguments)
        _warn_of_misread_corrections(corpus)
        yield corpus
    else:
        from ..corpus.pipes import read_pipe

        with read_pipe(standard_input(), "standard input", stream=stream, **arguments) as corpus:
            _warn_of_misread_corrections(corpus)
            yield corpus
    warn_of_replaced_bytes(corpus)


@contextmanager
def open_chained(paths: Sequence[str], read_options: Mapping[str, Any], watch: Watch) -> Iterator[Corpus]:
    """Yield the documents at one or more paths as one corpus.

    If there are several paths, empty files are skipped with a warning; if all are empty, raise `InputError`. `watch` is
    called for each path before it is read, and the batches of the path go through the function that it returns.
    """
    empty = [path for path in paths if is_empty_file(path)] if len(paths) > 1 else []
    if empty and len(empty) == len(paths):
        raise InputError("no documents, the files are empty.", place=", ".join(empty))
    for path in empty:
        warn(f"{path}: is empty, and is skipped.")
    # Labels are folded in all files together, so that they get the same spelling.
    unfolded_options = {**read_options, "fold_labels": False}
    with ExitStack() as stack:
        corpora = []
        for path, path_options, defaults in read_options_by_path(paths, unfolded_options, defaults={}):
            transform = watch(path, path_options, defaults)
            if path not in empty:
                corpus = stack.enter_context(open_corpus(path, path_options, usual=also_for_corrections(defaults)))
                corpora.append(corpus.mapped(transform))
        corpus = corpora[0] if len(corpora) == 1 else Corpus.chained(corpora)
        if read_options["fold_labels"]:
            corpus = corpus.with_folded_labels()
        yield corpus
        warn_of_replaced_bytes(corpus)
        warn_of_withdrawals(corpus)


def read_options_by_path(
    paths: Sequence[str], read_options: Mapping[str, Any], defaults: Mapping[str, Any]
) -> Iterator[tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    """Yield each path with its options for reading and its defaults for options that are not given.

    The first path must have the columns that the options name. The other paths need not have them, because some formats
    have no columns. So for the other paths, column names, the label separator and the sheet become defaults: with
    `{"text": "body", "encoding": "latin-1"}`, the options of the second path are `{"text": None, "encoding":
    "latin-1"}`, and `"text": "body"` is added to its defaults.
    """
    yield paths[0], read_options, defaults
    options = {option: read_options[option] for option in ("label_separator", "sheet")}
    new_defaults = named_columns(read_options) | {name: value for name, value in options.items() if value is not None}
    other_options = {name: None if name in new_defaults else value for name, value in read_options.items()}
    for path in paths[1:]:
        yield path, other_options, {**defaults, **new_defaults}


def also_for_corrections(defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return default columns so that `open_corpus` uses them for corrections of the service, too.

    This is for columns that the user has named with options, rather than columns that a model remembers.
    """
    return {**defaults, "fixed_keys": ()}


def with_progress(corpus: Corpus, stage: str, on_progress: Progress) -> Corpus:
    """Return a corpus of the same documents that calls `on_progress` after each batch, in every pass.

    A pass over the new corpus is also a pass over `corpus`, and sets its `report`. From that report, `open_corpus`
    prints its warning about replaced bytes. The report of the new corpus does not count these.
    """

    def start(report: Report) -> Iterator[Batch]:
        done = 0
        for batch in corpus.batches(places=report.places):
            yield batch
            done += len(batch)
            on_progress(stage, done, None)

    return Corpus(
        corpus.name,
        start,
        multilabel=corpus.multilabel,
        sample_columns=corpus.sample_columns,
        tables=corpus.tables,
    )


def is_empty_file(path: str) -> bool:
    """Return whether a path is a file without content: nothing but white space in its first 64 kB, unpacked."""
    return path != STDIO and os.path.isfile(path) and not read_head(Path(path)).strip()


def standard_input() -> Any:
    """Return the binary stream of standard input; raise `InputError` if it is closed."""
    if sys.stdin is None:
        raise InputError(
            "is closed", place="standard input", hint="Give the name of a file, or write to the command's input."
        )
    return sys.stdin.buffer


def _warn_of_misread_corrections(corpus: Corpus) -> None:
    """Print a warning for each file of corrections of the service whose labels are read from the wrong key."""
    for table in corpus.tables:
        if is_from_service(table) and table.label not in ("label", "labels"):
            right = "labels" if "labels" in {*table.text, *table.kept, *table.left_out} else "label"
            name = corpus.name if len(corpus.tables) == 1 else table.source
            warn(
                f"{name}: this file has corrections of the service, whose right labels are under {right!r}, not "
                f"{table.label!r}. Leave out --label, or name {right!r}; or give the file to textsieve update."
            )


def is_from_service(table: UsedColumns) -> bool:
    """Return whether a table has the keys of the corrections that the service writes."""
    return {*table.text, table.label, *table.kept, *table.left_out} in FEEDBACK_KEYS


def warn_of_replaced_bytes(corpus: Corpus) -> None:
    """Print a warning if the last pass replaced bytes that are invalid in the encoding."""
    if corpus.report is not None and corpus.report.replaced_bytes:
        hint = "" if is_corpus_name(corpus.name) else "; if it has another encoding, name it with --encoding"
        replaced = counted(corpus.report.replaced_bytes, "wrong byte was", "wrong bytes were")
        warn(f"{corpus.name}: {replaced} replaced{hint}.")


def warn_of_withdrawals(corpus: Corpus) -> None:
    """Print a warning if documents to train on, as the last pass read them, have withdrawals of corrections."""
    if corpus.report is not None and corpus.report.withdrawals:
        lines = counted(corpus.report.withdrawals, "line withdraws corrections", "lines withdraw corrections")
        warn(
            f"{corpus.name}: {lines}, but training learns these all the same. Leave the file of corrections out and "
            "give it to textsieve update, or delete the lines with these texts."
        )


# -- options for reading that a model remembers ------------------------------------------------------------------


def given_options(read_options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options for reading that the user gave, without flags that are not set, for the model to store."""
    values = {option: read_options.get(option) for option in READ_OPTIONS}
    return {option: value for option, value in values.items() if value is not None and value is not False}


def named_columns(read_options: Mapping[str, Any]) -> dict[str, str | list[str]]:
    """Return the columns that the options give by name, not by number, for the model to store."""
    return {option: read_options[option] for option in COLUMNS if _is_named(option, read_options[option])}


def _is_named(option: str, value: object) -> bool:
    """Return whether the value of --text or --label is the name of a column, or for --text a list of names."""
    if option == "text" and isinstance(value, list):
        return bool(value) and all(isinstance(name, str) for name in value)
    return isinstance(value, str)


def remembered_read_options(model: Model) -> dict[str, Any]:
    """Return the options for reading that `train` got, from the model; older models store only columns."""
    return _stored_columns(model) | valid_read_options(model.about.get("reading"))


def valid_read_options(stored: object) -> dict[str, Any]:
    """Return the options for reading in `stored`, without invalid ones; a model file may have any JSON value there."""
    options = stored if isinstance(stored, dict) else {}
    return {option: options[option] for option in READ_OPTIONS if _is_valid_option(option, options.get(option))}


def _is_valid_option(option: str, value: object) -> bool:
    """Return whether a model can have stored this value of an option for reading."""
    if option == "fold_labels":
        return value is True
    if option == "text" and isinstance(value, list):
        return bool(value) and all(isinstance(column, str | int) for column in value)
    return isinstance(value, str | int if option in COLUMNS else str)  # columns may have numbers


def default_read_options(model: Model) -> dict[str, Any]:
    """Return the defaults for reading files for a model: column names, label separator and sheet of its training."""
    remembered = remembered_read_options(model)
    return _stored_columns(model) | {
        option: remembered[option] for option in ("label_separator", "sheet") if remembered.get(option)
    }


def label_spellings(model: Model, read_options: Mapping[str, Any]) -> list[str] | None:
    """Return the classes of a model, as the spellings that folded labels get, or None if labels are not folded.

    Labels are folded if --fold-labels is given, or was given to `train`. The largest class comes first: if some classes
    differ only in case, labels get the spelling of the first of them.
    """
    if not read_options["fold_labels"] and not remembered_read_options(model).get("fold_labels"):
        return None
    classes = sorted(zip(model.class_docs, model.classes, strict=True), key=lambda pair: -pair[0])
    return [label for _, label in classes if isinstance(label, str)]


def _stored_columns(model: Model) -> dict[str, Any]:
    """Return the column names that a model stores, without invalid entries."""
    columns = model.about.get("columns")
    stored = columns if isinstance(columns, dict) else {}
    return {option: stored[option] for option in COLUMNS if _is_named(option, stored.get(option))}


def columns_lines(corpus: Corpus, *, only_choices: bool = False, names_file: bool = False) -> list[str]:
    """Return a line for each table of a corpus: which columns were read, and which columns and sheets were not.

    With `only_choices`, there are lines only for tables where the reader had to choose: those with several text
    columns, with columns that were not read, or with other sheets. A line has the name of its file if there are several
    tables, or with `names_file`.
    """
    lines = []
    for table in corpus.tables:
        if only_choices and not (len(table.text) > 1 or table.left_out or table.other_sheets):
            continue
        of_table = f" of {table.source}" if names_file or len(corpus.tables) > 1 else ""
        sheets = ", ".join(shown(name, 40) for name in table.other_sheets)
        lines.append(f"Columns{of_table}: {table}" + (f"; other sheets, for --sheet: {sheets}" if sheets else ""))
    return lines


# -- checks ------------------------------------------------------------------------------------------------------


def check_output(output: str, *inputs: str, what: str, may_be_stream: bool = False, option: str | None = None) -> None:
    """Raise `InputError`, before any work is done, for an output that can't be written or would damage the inputs.

    An output must not replace an input. It must not be in a folder of documents, where the next run would read it as a
    document. `what` describes the output in messages, such as "a model", `option` is the option that names it, and
    `may_be_stream` allows a pipe or device instead of a file.
    """
    check_openable(output, what=what, may_be_stream=may_be_stream)
    for path in inputs:
        if path == STDIO or not os.path.exists(path):
            continue
        if os.path.exists(output) and os.path.samefile(path, output):
            raise InputError(
                "is read here, and would be overwritten", place=output, hint="Give the result another name."
            )
        if os.path.isdir(path) and _is_document_of(path, output):
            hint = f"name a file elsewhere with {option}" if option else "move it to another folder"
            raise InputError(f"would be among the documents of {path}", place=output, hint=hint)


def check_chart(file: str, path: str, *, option: str) -> None:
    """Raise an error, before any work is done, if a chart of the documents at `path` can't be drawn to a file.

    `option` is the option that names the file, such as "--plot".
    """
    from ..extras import require_extra

    require_extra("plots", what=option)
    from ..plots import check_target

    check_target(file)
    check_output(file, path, what="a chart", option=option)


def _is_document_of(folder: str, output: str) -> bool:
    """Return whether a file would be read as a document of a folder: if it is below it, and not hidden."""
    prefix, target = os.path.join(os.path.realpath(folder), ""), os.path.realpath(output)
    names = target.removeprefix(prefix).split(os.sep)
    return target.startswith(prefix) and not any(name.startswith(".") for name in names)


@contextmanager
def hint_if_not_a_model(verb: str, model: str, *others: str) -> Iterator[None]:
    """Add a hint to an `InputError` raised in this block if the file at `model` is not a model.

    `verb` is the name of the running command, and `others` are its other paths; users often give the model and the
    documents in the wrong order.
    """
    try:
        yield
    except InputError as problem:
        hint = _wrong_file_hint(verb, model, others)
        if hint is not None:
            problem.add_note(hint)
        raise


def _wrong_file_hint(verb: str, model: str, others: tuple[str, ...]) -> str | None:
    """Return a hint for a file that is not a model, or None if there is no likely mistake.

    If one of `others` is a model, the hint is the command with the paths in the right order. If the file at `model` has
    the ending of a file of documents, the hint is a command that trains a model on it, or the same command with the
    model of that name if there is one.
    """
    from ..corpus.formats import by_ending

    if not os.path.isfile(model) or _begins_as_model(model):
        return None
    model_file = next(filter(_begins_as_model, others), None)
    if model_file is not None:
        documents = [model, *(other for other in others if other != model_file)]
        return f"The model comes first: {shell_join(['textsieve', verb, model_file, *documents])}"
    if by_ending(Path(model)) is None:
        return None
    name = Path(model).name.partition(".")[0] or "model"
    if _begins_as_model(f"{name}.sieve"):
        return f"{name}.sieve is a model: {shell_join(['textsieve', verb, f'{name}.sieve', *others])}"
    while os.path.exists(f"{name}.sieve"):
        name += "-model"
    command = shell_join(["textsieve", "train", model, "-o", f"{name}.sieve"])
    return f"If it has documents, train a model on it first: {command}"


def _begins_as_model(path: str) -> bool:
    """Return whether the first bytes of a file are those of a model."""
    from ..archive import check_start
    from ..files import open_regular
    from ..modelfile.header import KIND, MAX_BYTES

    try:
        with open_regular(path, what=KIND.what, max_bytes=MAX_BYTES) as file:
            # `check_start` raises unless these are the first bytes of a model.
            check_start(KIND, file.read(16), os.fstat(file.fileno()).st_size, path)
    except (OSError, InputError):
        return False
    return True
