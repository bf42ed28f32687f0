"""Build the `textsieve train` command that trains a model again, with all settings that are not the default as options.

Sentences describe the settings that have no command-line option: the user's own estimators or stop words, of which a
model file stores only a description, and weights, which can be set only in Python.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import click

from ..categorizer_settings import SETTINGS, ObjectDescription, Settings
from ..errors import counted
from ..prediction import Model
from .messages import printable, say
from .options import arguments_of
from .rereading import rereading

DOCUMENTS = "YOUR-DOCUMENTS"
"""A placeholder for the documents that a model was trained on; the model doesn't know where they are."""

NOTHING: Mapping[str, Any] = {}


class Retraining(NamedTuple):
    """A command, and sentences about what it can't express."""

    command: str
    unsaid: list[str]


def retraining(
    model: Model, path: str, files: Sequence[str], reading: Mapping[str, Any] = NOTHING, **changed: Any
) -> Retraining:
    """Return how to train a model again on its documents and `files`, and save it to `path`.

    `reading` has the options with which `files` were read, and `changed` settings of the model to replace.
    """
    settings = Settings.of_stored(model.settings).as_dict() | changed
    reread = rereading(model, files, reading)
    arguments = list(reread.options)
    for name, spec in SETTINGS.items():
        value = settings[name]
        if name != "n_jobs" and value != spec.option_default and not isinstance(value, ObjectDescription):
            arguments += arguments_of(name, value)
    words = ["textsieve", "train", DOCUMENTS, *reread.files, "-o", path, *arguments]
    return Retraining(shlex.join(words), [*reread.unsaid, *_unsaid(settings)])


def say_how(model: Model, path: str, files: Sequence[str], reading: Mapping[str, Any], **changed: Any) -> None:
    """Print the command and the notes about it."""
    retrained = retraining(model, path, files, reading, **changed)
    click.echo(printable(retrained.command), err=True)
    if printable(retrained.command) != retrained.command:
        say("note", "some characters of the command are spelled out, such as a tab as \\t; put in what they stand for.")
    for sentence in retrained.unsaid:
        say("note", f"{sentence}.")
    say("note", about_documents(model))


def about_documents(model: Model) -> str:
    """Return a note on the placeholder in the command, and on what to do once the model is trained."""
    updates = model.about.get("updated")
    of_updates = ""
    if updates:
        n, times = counted(updates["documents"], "document"), counted(updates["times"], "update")
        of_updates = f", those of earlier updates too ({n} in {times})"
    return (
        f"{DOCUMENTS} stands for all documents that the model has learned{of_updates}; it can't tell where they are. "
        "Once it is trained, begin a new file of corrections: those of the old one are learned, and would count twice."
    )


def _unsaid(settings: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence about each setting that the command can't express."""
    for name, spec in SETTINGS.items():
        value = settings[name]
        if name == "stop_words" and isinstance(value, ObjectDescription):
            yield "it was trained with stop words of your own: give their file with --stop-words"
        elif isinstance(value, ObjectDescription):
            yield f"its {name} was {value}, an object of your own: train in Python"
        elif spec.option is None and value != spec.default:
            yield f"{name}={value!r} can be said in Python alone"
