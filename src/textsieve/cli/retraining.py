"""Build the `textsieve train` command that trains a model again, with all settings that are not the default as options.

Sentences describe the settings that have no command-line option: the user's own estimators or stop words, of which a
model file stores only a description, and weights, which can be set only in Python.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import click

from ..categorizer import Categorizer
from ..errors import counted
from ..prediction import Model, as_written
from .ending import say
from .rereading import rereading
from .wording import printable

DOCUMENTS = "YOUR-DOCUMENTS"
"""A placeholder for the documents that a model was trained on; the model doesn't know where they are."""

NOTHING: Mapping[str, Any] = {}
HELD_OUT = 0.2
"""The default of --held-out."""


class Retraining(NamedTuple):
    """A command, and sentences about what it can't express."""

    command: str
    unsaid: list[str]


def _value(option: str) -> Callable[[Any], list[str]]:
    return lambda value: [option, str(value)]


def _flag(option: str) -> Callable[[Any], list[str]]:
    return lambda _: [option]


def _repeated(option: str) -> Callable[[Any], list[str]]:
    """Return a function that writes a method's settings as repeated options, with values that are not text as JSON."""
    return lambda settings: [
        part
        for name, value in (settings or {}).items()
        for part in (option, f"{name}={value if _is_plain(value) else json.dumps(value)}")
    ]


def _is_plain(value: Any) -> bool:
    """Return whether a value is text that would be read back as the same text, and not as JSON."""
    if not isinstance(value, str):
        return False
    try:
        json.loads(value)
    except ValueError:
        return True
    return False


def _class_weight(value: Any) -> list[str]:
    pairs = value if isinstance(value, str) else [f"{as_written(label)}={factor}" for label, factor in value.items()]
    return [part for pair in ([pairs] if isinstance(pairs, str) else pairs) for part in ("--class-weight", pair)]


def _run_lengths(value: Any) -> list[str]:
    first, last = value
    return ["--ngrams", str(first) if first == last else f"{first}-{last}"]


OPTIONS: dict[str, Callable[[Any], list[str]]] = {
    "selector": lambda value: ["--selector", "none" if value is None else str(value)],
    "selector_options": _repeated("--selector-option"),
    "n_terms": _value("-k"),
    "projection": _value("--projection"),
    "projection_options": _repeated("--projection-option"),
    "classifier": _value("--classifier"),
    "classifier_options": _repeated("--classifier-option"),
    "class_weight": _class_weight,
    "lowercase": _flag("--keep-case"),
    "strip_accents": _value("--strip-accents"),
    "stop_words": _value("--stop-words"),
    "tags": _flag("--drop-tags"),
    "names": _flag("--names"),
    "normalise": _value("--normalise"),
    "language": _value("--language"),
    "ngram_range": _run_lengths,
    "min_df": _value("--min-df"),
    "max_df": _value("--max-df"),
    "multilabel": lambda value: ["--multilabel" if value else "--no-multilabel"],
    "cut": _value("--cut"),
    "cut_options": _repeated("--cut-option"),
    "probabilities": _value("--probabilities"),
    "held_out": lambda value: ["--held-out", str(value or 0)],
    "folds": _value("--folds"),
    "keep_stats": _flag("--keep-stats"),
}
"""For each setting of a `Categorizer`, a function that writes its value as command-line options."""


def retraining(
    model: Model, path: str, files: Sequence[str], reading: Mapping[str, Any] = NOTHING, **changed: Any
) -> Retraining:
    """Return how to train a model again on its documents and `files`, and save it to `path`.

    `reading` has the options with which `files` were read, and `changed` settings of the model to replace.
    """
    settings = Categorizer.of_model(model).get_params(deep=False) | changed
    defaults = Categorizer().get_params(deep=False) | {"held_out": HELD_OUT}
    reread = rereading(model, files, reading)
    arguments = list(reread.options)
    for name, option in OPTIONS.items():
        if settings[name] != defaults[name] and not _is_described(name, settings[name]):
            arguments += option(settings[name])
    words = ["textsieve", "train", DOCUMENTS, *reread.files, "-o", path, *arguments]
    return Retraining(shlex.join(words), [*reread.unsaid, *_unsaid(settings, defaults)])


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


def _is_described(name: str, value: Any) -> bool:
    """Return whether a model file stores only a description of a setting."""
    marks = {"stop_words": ("a list",)} | dict.fromkeys(("selector", "projection", "classifier"), ("(", "<"))
    return isinstance(value, str) and any(mark in value for mark in marks.get(name, ()))


def _unsaid(settings: Mapping[str, Any], defaults: Mapping[str, Any]) -> Iterator[str]:
    for name in OPTIONS:
        if not _is_described(name, settings[name]):
            continue
        if name == "stop_words":
            yield "it was trained with stop words of your own: give their file with --stop-words"
        else:
            yield f"its {name} was {settings[name]}, an object of your own: train in Python"
    for name in ("tf", "idf", "norm"):
        if settings[name] != defaults[name]:
            yield f"{name}={settings[name]!r} can be said in Python alone"
