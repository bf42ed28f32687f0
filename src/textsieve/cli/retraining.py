"""The command that trains a model again: its settings as options of `textsieve train`, where they are not the usual.

What can't be said at the command line is said in a sentence: an estimator or stop words of the user's own, of which a
model file has no more than a description, and weights, which are a matter of Python.
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
"""Stands for what a model does not know: where the documents are that it was trained on."""

NOTHING: Mapping[str, Any] = {}
HELD_OUT = 0.2
"""What train holds out unless it is told otherwise."""


class Retraining(NamedTuple):
    """A command, and what it can't say."""

    command: str
    unsaid: list[str]


def _value(option: str) -> Callable[[Any], list[str]]:
    return lambda value: [option, str(value)]


def _flag(option: str) -> Callable[[Any], list[str]]:
    return lambda _: [option]


def _each(option: str) -> Callable[[Any], list[str]]:
    """Settings of a method, as JSON where they are no text."""
    return lambda settings: [
        part
        for name, value in (settings or {}).items()
        for part in (option, f"{name}={value if _is_plain(value) else json.dumps(value)}")
    ]


def _is_plain(value: Any) -> bool:
    """Whether a text is read as itself, and not as JSON."""
    if not isinstance(value, str):
        return False
    try:
        json.loads(value)
    except ValueError:
        return True
    return False


def _class_weight(value: Any) -> list[str]:
    pairs = value if isinstance(value, str) else [f"{as_written(label)}={factor}" for label, factor in value.items()]
    return [part for each in ([pairs] if isinstance(pairs, str) else pairs) for part in ("--class-weight", each)]


def _run_lengths(value: Any) -> list[str]:
    first, last = value
    return ["--ngrams", str(first) if first == last else f"{first}-{last}"]


OPTIONS: dict[str, Callable[[Any], list[str]]] = {
    "selector": lambda value: ["--selector", "none" if value is None else str(value)],
    "selector_options": _each("--selector-option"),
    "n_terms": _value("-k"),
    "projection": _value("--projection"),
    "projection_options": _each("--projection-option"),
    "classifier": _value("--classifier"),
    "classifier_options": _each("--classifier-option"),
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
    "cut_options": _each("--cut-option"),
    "probabilities": _value("--probabilities"),
    "held_out": lambda value: ["--held-out", str(value or 0)],
    "folds": _value("--folds"),
    "keep_stats": _flag("--keep-stats"),
}
"""What each setting of a `Categorizer` is at the command line."""


def retraining(
    model: Model, path: str, files: Sequence[str], reading: Mapping[str, Any] = NOTHING, **changed: Any
) -> Retraining:
    """How to train a model again, on its documents and on files that are read so, and write it where it is."""
    settings = Categorizer.of_model(model).get_params(deep=False) | changed
    usual = Categorizer().get_params(deep=False) | {"held_out": HELD_OUT}
    again = rereading(model, files, reading)
    said = list(again.options)
    for name, option in OPTIONS.items():
        if settings[name] != usual[name] and not _is_described(name, settings[name]):
            said += option(settings[name])
    words = ["textsieve", "train", DOCUMENTS, *again.files, "-o", path, *said]
    return Retraining(shlex.join(words), [*again.unsaid, *_unsaid(settings, usual)])


def say_how(model: Model, path: str, files: Sequence[str], reading: Mapping[str, Any], **changed: Any) -> None:
    """Print the command, and what there is to know of it."""
    how = retraining(model, path, files, reading, **changed)
    click.echo(printable(how.command), err=True)
    if printable(how.command) != how.command:
        say("note", "some characters of the command are spelled out, such as a tab as \\t; put in what they stand for.")
    for sentence in how.unsaid:
        say("note", f"{sentence}.")
    say("note", about_documents(model))


def about_documents(model: Model) -> str:
    """What the name in the command stands for, and what is to be done when the model is trained."""
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
    """Whether a model file has a description in the place of a setting."""
    marks = {"stop_words": ("a list",)} | dict.fromkeys(("selector", "projection", "classifier"), ("(", "<"))
    return isinstance(value, str) and any(mark in value for mark in marks.get(name, ()))


def _unsaid(settings: Mapping[str, Any], usual: Mapping[str, Any]) -> Iterator[str]:
    for name in OPTIONS:
        if not _is_described(name, settings[name]):
            continue
        if name == "stop_words":
            yield "it was trained with stop words of your own: give their file with --stop-words"
        else:
            yield f"its {name} was {settings[name]}, an object of your own: train in Python"
    for name in ("tf", "idf", "norm"):
        if settings[name] != usual[name]:
            yield f"{name}={settings[name]!r} can be said in Python alone"
