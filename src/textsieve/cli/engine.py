"""Engines for training: this machine, or a Spark cluster that holds the documents. Both produce the same model.

An engine opens the documents at PATH and trains a `Categorizer` on them. pyspark is imported only for `--engine spark`.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Protocol

import click

from . import options

if TYPE_CHECKING:
    from ..categorizer import Categorizer
    from ..corpus import Corpus
    from ..errors import Setting
    from .progress import Tell

ENGINES = {
    "local": "this machine, with files as large as its disk",
    "spark": "a Spark cluster; needs the extra 'spark', and Java",
}


def spark_setting(value: str) -> tuple[str, str]:
    """Parse KEY=VALUE into the name and the value of a Spark setting."""
    name, equals, text = value.partition("=")
    if not (name.strip() and equals):
        raise click.BadParameter(f"{value!r}; write KEY=VALUE, for example spark.executor.memory=4g.")
    return name.strip(), text


engine = options.bundle(
    "engine",
    click.option(
        *("--engine", "name"),
        type=click.Choice(list(ENGINES)),
        default="local",
        show_default=True,
        help=f"Where it runs. {options.described(ENGINES)}.",
    ),
    click.option(
        "--master",
        metavar="URL",
        help="Spark's master, such as spark://HOST:7077, yarn or local[4], or a Connect server, sc://HOST:15002.  "
        "[default: that of SPARK_REMOTE or of Spark's own settings, or else local[*], this machine's cores]",
    ),
    click.option(
        "--conf",
        type=spark_setting,
        multiple=True,
        metavar="KEY=VALUE",
        help="A setting of Spark's, such as spark.executor.memory=4g; may be repeated.",
    ),
    click.option(
        "--most-values",
        type=click.IntRange(min=1),
        metavar="N",
        help="With Spark: how many counts of selected terms may come to the driver, for classifiers that learn from "
        "documents, at eight bytes each.  [default: 134217728, which is 1 GB]",
    ),
)


class EngineDocuments(Protocol):
    """The documents at PATH, as an engine reads them."""

    def fit(self, model: Categorizer, tell: Tell) -> Categorizer:
        """Return a categorizer with the settings of `model`, trained on all documents."""

    def summary(self, model: Categorizer) -> str:
        """Return a line about the documents, available once a model is trained."""

    def progress(self) -> AbstractContextManager[Tell]:
        """Return a context manager that yields the progress callback."""


def open_documents(
    engine: Mapping[str, Any], paths: tuple[str, ...], reading: Mapping[str, Any]
) -> AbstractContextManager[EngineDocuments]:
    """Open the documents at `paths` with the requested engine."""
    from .opening import LIMITS

    if engine["name"] == "spark":
        for option in LIMITS:
            if reading[option]:
                raise click.UsageError(
                    f"--{option.replace('_', '-')} is for files that are read on this machine; leave it out with "
                    "--engine spark."
                )
        return _open_spark(engine, paths, reading)
    for option in ("master", "conf", "most_values"):
        if engine[option]:
            raise click.UsageError(f"--{option.replace('_', '-')} is for Spark; give --engine spark with it.")
    return _open_local(paths, reading)


# -- on this machine ---------------------------------------------------------------------------------------------


class _LocalDocuments:
    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def fit(self, model: Categorizer, tell: Tell) -> Categorizer:
        return model.fit(self._corpus, progress=tell)

    def summary(self, model: Categorizer) -> str:
        return f"{self._corpus.name}: {self._corpus.report}"

    def progress(self) -> AbstractContextManager[Tell]:
        from .progress import progress

        return progress()


@contextmanager
def _open_local(paths: tuple[str, ...], reading: Mapping[str, Any]) -> Iterator[EngineDocuments]:
    from .opening import opened_one_after_the_other

    with opened_one_after_the_other(paths, reading) as corpus:
        yield _LocalDocuments(corpus)


# -- on Spark ----------------------------------------------------------------------------------------------------


class _SparkDocuments:
    def __init__(self, df: Any, name: str, most_values: int | None) -> None:
        self._df, self._name = df, name
        self._limits: dict[str, Any] = {} if most_values is None else {"most_values": most_values}

    def fit(self, model: Categorizer, tell: Tell) -> Categorizer:
        from ..spark import fit
        from .messages import warn

        trained = fit(self._df, categorizer=model, progress=tell, **self._limits)
        if not trained.model_.multilabel and (hint := _looks_joined(trained.model_.classes)):
            warn((f"{self._name}: ", *hint))
        return trained

    def summary(self, model: Categorizer) -> str:
        from ..corpus import Report

        about = model.model_.about
        return f"{self._name}: {Report(about['n_documents'], about['n_unlabelled'])}"

    def progress(self) -> AbstractContextManager[Tell]:
        return nullcontext(_StageLines() if sys.stderr.isatty() else lambda *_: None)


def _looks_joined(classes: Iterable[object]) -> tuple[str | Setting, ...]:
    """Return a hint if the classes look like several labels in one cell, as the local engine does."""
    from ..corpus.batch import JoinedLabels

    joined_labels = JoinedLabels()
    for label in classes:
        joined_labels.add(str(label))
    return joined_labels.hint()


class _StageLines:
    """Prints each stage on its own line; Spark shows its own progress bar below it."""

    def __init__(self) -> None:
        self._stage = ""

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        if stage != self._stage:
            click.echo(f"{stage} ...", err=True)
        self._stage = stage


@contextmanager
def _open_spark(
    engine: Mapping[str, Any], paths: tuple[str, ...], reading: Mapping[str, Any]
) -> Iterator[EngineDocuments]:
    from ..spark.files import read_files, shown_paths
    from ..spark.session import open_session
    from .opening import READING

    logging.getLogger().addHandler(logging.NullHandler())  # errors that libraries below Spark log are raised as well
    conf, wants_bar = dict(engine["conf"]), sys.stderr.isatty()
    with open_session(engine["master"], conf, name="textsieve train", shows_progress=wants_bar) as session:
        settings = {part: reading[part] for part in READING}
        yield _SparkDocuments(read_files(session, paths, **settings), shown_paths(paths), engine["most_values"])
