"""Build the `textsieve train` command that trains a model again, on its documents and on those of an update.

`textsieve update` prints it if the model can't learn the documents in another way. The command has all settings of the
model that differ from the default. Notes explain what it can't express: the user's own estimators or stop words, of
which the stored settings have only a description, and settings without an option, such as `tf`, `idf` and `norm`,
which can be set only in Python.

The command has one set of options for reading, which must suit the old documents and the files of the update. The
model stores the options for the old documents. If the files were read with different ones, such as another encoding,
no single command can read both. Wrong options need not even lead to an error: without its label separator, a cell with
two labels is read as one class. So the command then leaves the files out, and a note says why.
"""

from __future__ import annotations

import os
from codecs import lookup
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import click

from ..categorizer_settings import SETTINGS, ObjectDescription, Settings
from ..corpus.named_corpora import is_corpus_name
from ..errors import InputError, counted
from ..modelfile.sources import SPARK, sources_of
from ..prediction import Model
from .errors import FAILED
from .messages import error_text, print_message, printable, shell_join
from .opening import COLUMNS, READ_OPTIONS, STDIO, given_options, remembered_read_options
from .options import arguments_of

DOCUMENTS = "YOUR-DOCUMENTS"
"""A placeholder for the documents that a model was trained on."""
DEFAULT_ENCODING = "utf-8"

NO_OPTIONS: Mapping[str, Any] = {}


class RetrainCommand(NamedTuple):
    """A command, and notes about what it can't express."""

    command: str
    notes: list[str]
    has_files: bool
    """Whether the command has files of the update."""


def retrain_command(
    model: Model, path: str, files: Sequence[str], read_options: Mapping[str, Any] = NO_OPTIONS, **changed: Any
) -> RetrainCommand:
    """Return the command that trains a model again on its documents and `files`, and saves it to `path`.

    `read_options` are the options with which `files` were read, and `changed` has settings of the model to replace.
    """
    settings = retrain_settings(model) | changed
    reading = _reading_of_both(model, files, read_options)
    arguments = list(reading.arguments)
    # A model stores the selector that "auto" stood for.
    default_selector = Settings(keep_stats=settings["keep_stats"]).resolve().selector
    for name, spec in SETTINGS.items():
        value = settings[name]
        # The number of threads depends on the machine, and the user's own object can't be written as an option.
        is_default = value == (default_selector if name == "selector" else spec.option_default)  # of the option
        if name != "n_jobs" and not is_default and not isinstance(value, ObjectDescription):
            arguments += arguments_of(name, value)
    if any(source.kind == SPARK for source in sources_of(model) or ()):
        arguments += ["--engine", "spark"]
    words = ["textsieve", "train", DOCUMENTS, *reading.files, "-o", path, *arguments]
    return RetrainCommand(shell_join(words), [*reading.notes, *_settings_notes(settings)], bool(reading.files))


def retrain_settings(model: Model) -> dict[str, Any]:
    """Return the settings with which a model was trained, in a form that training still accepts."""
    settings = Settings.of_stored(model.settings).as_dict()
    if settings["probabilities"] == "isotonic" and not model.multilabel:
        # Earlier versions allowed "isotonic" for models with one label per document; training now rejects it.
        settings["probabilities"] = "sigmoid"
    return settings


@contextmanager
def print_retrain_command_on_error(
    model: Model,
    path: str,
    files: Sequence[str],
    read_options: Mapping[str, Any],
    *,
    only: type[InputError] = InputError,
    **changed: Any,
) -> Iterator[None]:
    """If the block raises an error of the class `only`, print it and the command that trains the model again, and exit.

    The other parameters are those of `retrain_command`.
    """
    try:
        yield
    except only as problem:
        print_message("error", error_text(problem))
        keeps_stats = changed.get("keep_stats", retrain_settings(model)["keep_stats"])
        _print_command(model, path, retrain_command(model, path, files, read_options, **changed), keeps_stats)
        raise click.exceptions.Exit(FAILED) from problem


def _print_command(model: Model, path: str, retrain: RetrainCommand, keeps_stats: bool) -> None:
    """Print the command and all notes on standard error.

    `keeps_stats` says whether the command trains a model with statistics.
    """
    click.echo(printable(retrain.command), err=True)
    if printable(retrain.command) != retrain.command:
        print_message("note", "some characters of the command are escaped, such as a tab as \\t; replace these.")
    for note in retrain.notes:
        print_message("note", f"{note}.")
    print_message("note", _documents_note(model, path))
    if retrain.has_files:
        print_message(
            "note",
            'train learns withdrawn corrections, too: for each line with "withdrawn": true in these files, delete the '
            "earlier lines with its text.",
        )
    if keeps_stats:
        print_message(
            "note",
            "after training, begin a new file of corrections: the new model has learned those of the old file, and "
            "would count them twice.",
        )


def _documents_note(model: Model, path: str) -> str:
    """Return a note that says which documents the placeholder in the command stands for, and where they came from."""
    updates = model.about.get("updated")
    of_updates = ""
    if updates:
        n, times = counted(updates["documents"], "document"), counted(updates["times"], "update")
        of_updates = f", including those of earlier updates ({n} in {times})"
    sources = sources_of(model)
    where = (
        "; the model does not know where they are"
        if sources is None
        else f": {', '.join(source.location(path) for source in sources)}"
    )
    return f"{DOCUMENTS} stands for all documents that the model has learned{of_updates}{where}."


def _settings_notes(settings: Mapping[str, Any]) -> Iterator[str]:
    """Yield a note for each setting that the command can't express."""
    for name, spec in SETTINGS.items():
        value = settings[name]
        if name == "stop_words" and isinstance(value, ObjectDescription):
            yield "it was trained with stop words of your own: give their file with --stop-words"
        elif isinstance(value, ObjectDescription):
            yield f"its {name} was {value}, an object of your own: train in Python"
        elif spec.option is None and value != spec.default:
            yield f"{name}={value!r} can be set only in Python"


# -- options for reading and files -------------------------------------------------------------------------------


class _Reading(NamedTuple):
    """The part of a command that is about reading documents."""

    arguments: list[str]
    """The options that read the model's documents."""
    files: list[str]
    """The files of the update that these options can read, too."""
    notes: list[str]
    """Why other files of the update are left out."""


def _reading_of_both(model: Model, files: Sequence[str], read_options: Mapping[str, Any]) -> _Reading:
    """Return how to read a model's documents again together with `files`, which were read with `read_options`."""
    train_options, update_options = remembered_read_options(model), given_options(read_options)
    has_train_options = "reading" in model.about
    if not has_train_options:  # an older model, or one trained in Python: assume the options of the update
        train_options |= {name: update_options[name] for name in update_options if name not in COLUMNS}
    arguments = [
        argument for name in READ_OPTIONS if name in train_options for argument in _arguments(name, train_options[name])
    ]
    readable_files = [file for file in files if file != STDIO and (os.path.exists(file) or is_corpus_name(file))]
    notes = [_missing_note(file) for file in dict.fromkeys(files) if file not in readable_files]
    differing = [
        name for name in READ_OPTIONS if not _suits_both(name, train_options.get(name), update_options.get(name))
    ]
    # Standard input is named as well: saved to a file, it would need the same options as before.
    update_names = ["standard input" if file == STDIO else file for file in files if file in (STDIO, *readable_files)]
    if update_names and differing:
        notes.append(
            f"{', '.join(update_names)}: read with {_options_text(differing, update_options)}, and the model's "
            f"documents with {_options_text(differing, train_options)}. No command reads both; convert the new "
            "documents to the format of the old ones, and add their file to the command"
        )
    if not has_train_options and model.multilabel and "label_separator" not in train_options:
        notes.append(
            "the model does not know how its labels were written; if one cell had several, add --label-separator"
        )
    return _Reading(arguments, [] if differing else readable_files, notes)


def _option(name: str) -> str:
    """Return the option of `train` for an option for reading: --label-separator for label_separator."""
    return f"--{name.replace('_', '-')}"


def _arguments(name: str, value: Any) -> list[str]:
    """Return an option for reading with its value, as arguments of `train`; a list of columns repeats the option."""
    if value is True:
        return [_option(name)]
    return [
        argument for item in (value if isinstance(value, list) else [value]) for argument in (_option(name), str(item))
    ]


def _missing_note(file: str) -> str:
    """Return a note on a file that is not there to be read again."""
    if file == STDIO:
        return "standard input can't be read again; save it to a file, and add that to the command"
    return f"there is no file or folder {file}, so it is left out"


def _suits_both(name: str, train_value: Any, update_value: Any) -> bool:
    """Return whether an option with the value that `train` got also reads the files of `update` rightly.

    A value is None if the option was not given. Without an option of its own, `update` reads with some of those that
    `train` got: the label separator, the sheet, the folding of labels, and column names, but not column numbers.
    """
    if name == "encoding":
        return _canonical_encoding(train_value) == _canonical_encoding(update_value)
    is_name_of_column = name in COLUMNS and isinstance(train_value, str | list)
    is_inherited = is_name_of_column or name in ("label_separator", "sheet", "fold_labels")
    if update_value is None and is_inherited:
        return True
    return bool(update_value == train_value)


def _canonical_encoding(name: str | None) -> str | None:
    """Return Python's canonical name of an encoding; Latin-1, for example, has several names."""
    try:
        return lookup(name or DEFAULT_ENCODING).name
    except LookupError:
        return name


def _options_text(names: Sequence[str], values: Mapping[str, Any]) -> str:
    """Return the options of these names as text, such as "--encoding latin-1 no --sheet" if no sheet was given."""
    defaults = {"encoding": DEFAULT_ENCODING}
    texts = []
    for name in names:
        value = values.get(name, defaults.get(name))
        texts.append(f"no {_option(name)}" if value is None else shell_join(_arguments(name, value)))
    return " ".join(texts)
