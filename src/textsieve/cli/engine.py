"""The engines of `textsieve train`: this machine, or a Spark cluster that holds the documents.

`open_documents` returns the documents at PATH as one of two classes with the methods of `EngineDocuments`. Their `fit`
trains a `Categorizer`; both train the same model. pyspark is imported only for `--engine spark`.
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
    from ..modelfile.sources import TrainingSource
    from ..progress import Progress
    from ..spark.files import SparkDocuments
    from .sources import SourceRecorder

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
        help=f"Where training runs. {options.describe_choices(ENGINES)}.",
    ),
    click.option(
        "--master",
        metavar="URL",
        help="Spark's master, such as spark://HOST:7077, yarn or local[4], or a Connect server, sc://HOST:15002.  "
        "[default: from SPARK_REMOTE or Spark's own settings, or else local[*], all cores of this machine]",
    ),
    click.option(
        "--conf",
        type=spark_setting,
        multiple=True,
        metavar="KEY=VALUE",
        help="A Spark setting, such as spark.executor.memory=4g; may be repeated.",
    ),
    click.option(
        "--most-values",
        type=click.IntRange(min=1),
        metavar="N",
        help="With Spark: the maximum number of term counts, of eight bytes each, that are collected on the driver for "
        "classifiers that learn from documents.  [default: 134217728, which is 1 GB]",
    ),
)


class EngineDocuments(Protocol):
    """The documents at PATH, and how an engine trains on them."""

    def fit(self, model: Categorizer, on_progress: Progress, when: str | None) -> Categorizer:
        """Return a categorizer with the settings of `model`, trained on all documents.

        `when` is the option --at: the date of the documents, as `Categorizer.fit` takes it.
        """

    def summary(self, model: Categorizer) -> list[str]:
        """Return lines about the documents and their columns, given the categorizer that `fit` returned."""

    def sources(self, model_path: str) -> list[TrainingSource]:
        """Return where the documents came from, to be stored in the model at `model_path`; call it after `fit`."""

    def progress(self) -> AbstractContextManager[Progress]:
        """Return a context manager that yields the function to which `fit` reports its progress."""


def open_documents(
    engine: Mapping[str, Any], paths: tuple[str, ...], read_options: Mapping[str, Any]
) -> AbstractContextManager[EngineDocuments]:
    """Return a context manager that yields the documents at `paths`, for the engine that --engine names.

    `engine` has the values of the options in the bundle `engine`. Raise `UsageError` for options of the other engine.
    """
    from .opening import LIMITS

    if engine["name"] == "spark":
        for option in LIMITS:
            if read_options[option]:
                raise click.UsageError(
                    f"--{option.replace('_', '-')} is for files that are read on this machine; leave it out with "
                    "--engine spark."
                )
        return _open_spark(engine, paths, read_options)
    for option in ("master", "conf", "most_values"):
        if engine[option]:
            raise click.UsageError(f"--{option.replace('_', '-')} is for Spark; add --engine spark.")
    return _open_local(paths, read_options)


# -- on this machine ---------------------------------------------------------------------------------------------


class _LocalDocuments:
    """Documents of a corpus, on which this process trains; `recorder` has recorded their paths."""

    def __init__(self, corpus: Corpus, recorder: SourceRecorder) -> None:
        self._corpus, self._recorder = corpus, recorder

    def fit(self, model: Categorizer, on_progress: Progress, when: str | None) -> Categorizer:
        """Return the categorizer, trained on the corpus."""
        return model.fit(self._corpus, progress=on_progress, when=when)

    def summary(self, model: Categorizer) -> list[str]:
        """Return the report of the last pass over the corpus, and lines on the columns that were read."""
        from .opening import columns_lines

        return [f"{self._corpus.name}: {self._corpus.report}", *columns_lines(self._corpus)]

    def sources(self, model_path: str) -> list[TrainingSource]:
        """Return the recorded paths, with the digests of their documents."""
        return self._recorder.sources(model_path)

    def progress(self) -> AbstractContextManager[Progress]:
        """Return a context manager that shows one line of progress on a terminal."""
        from ..progress import progress_display

        return progress_display()


@contextmanager
def _open_local(paths: tuple[str, ...], read_options: Mapping[str, Any]) -> Iterator[EngineDocuments]:
    """Yield the documents at the paths, for training in this process."""
    from .opening import open_chained
    from .sources import SourceRecorder

    recorder = SourceRecorder()
    with open_chained(paths, read_options, recorder.watch) as corpus:
        yield _LocalDocuments(corpus, recorder)


# -- on Spark ----------------------------------------------------------------------------------------------------


class _SparkDocuments:
    """Documents in a Spark DataFrame, on which Spark trains; `most_values` is the option --most-values."""

    def __init__(self, documents: SparkDocuments, paths: tuple[str, ...], most_values: int | None) -> None:
        from ..spark.files import shown_paths

        self._df, self._columns = documents
        self._paths, self._name = paths, shown_paths(paths)
        self._limits: dict[str, Any] = {} if most_values is None else {"most_values": most_values}

    def fit(self, model: Categorizer, on_progress: Progress, when: str | None) -> Categorizer:
        """Return the categorizer, trained by Spark; warn about labels that look wrong, as reading on this machine does.

        `when` has no effect: it is for models with the statistics of all terms, which Spark does not train.
        """
        from ..corpus.labels import hint_about_spellings
        from ..spark import fit
        from .messages import warn

        trained = fit(self._df, categorizer=model, progress=on_progress, **self._limits)
        if not trained.model_.multilabel and (hint := _joined_labels_hint(trained.model_.classes)):
            warn((f"{self._name}: ", *hint))
        counts = dict(zip(map(str, trained.model_.classes), map(int, trained.model_.class_docs), strict=True))
        if hint := hint_about_spellings(counts):
            warn((f"{self._name}: ", *hint))
        return trained

    def summary(self, model: Categorizer) -> list[str]:
        """Return the numbers of documents, which the trained model has, and the columns that were read."""
        from ..corpus import Report

        about = model.model_.about
        report = Report(about["n_documents"], about["n_unlabelled"])
        return [f"{self._name}: {report}", f"Columns: {self._columns}"]

    def sources(self, model_path: str) -> list[TrainingSource]:
        """Return the paths as sources that only Spark can read, without digests."""
        from ..modelfile.sources import TrainingSource

        return [TrainingSource.on_spark(path) for path in self._paths]

    def progress(self) -> AbstractContextManager[Progress]:
        """Return a context manager that prints the stages on a terminal, and nothing elsewhere."""
        return nullcontext(_StageLines() if sys.stderr.isatty() else lambda *_: None)


def _joined_labels_hint(classes: Iterable[object]) -> tuple[str | Setting, ...]:
    """Return a hint if many classes look like several labels that were in one cell, such as "sport;politics".

    The result is empty if they do not. On this machine, the reader of a table gives this hint; Spark does not use it.
    """
    from ..corpus.labels import JoinedLabels

    joined_labels = JoinedLabels()
    for label in classes:
        joined_labels.add(str(label))
    return joined_labels.hint()


class _StageLines:
    """A function for progress that prints each stage on its own line; Spark draws its progress bar below it."""

    def __init__(self) -> None:
        self._stage = ""

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        """Print the stage if it differs from that of the last call."""
        if stage != self._stage:
            click.echo(f"{stage} ...", err=True)
        self._stage = stage


@contextmanager
def _open_spark(
    engine: Mapping[str, Any], paths: tuple[str, ...], read_options: Mapping[str, Any]
) -> Iterator[EngineDocuments]:
    """Yield the documents at the paths as a Spark DataFrame, in a session with the options of the engine."""
    from ..spark.files import read_files
    from ..spark.session import open_session
    from .opening import READ_OPTIONS

    # Without a handler, Python would print what libraries log as warnings and errors. The errors are also raised, so
    # they would be printed twice.
    logging.getLogger().addHandler(logging.NullHandler())
    conf, wants_bar = dict(engine["conf"]), sys.stderr.isatty()
    with open_session(engine["master"], conf, name="textsieve train", shows_progress=wants_bar) as session:
        if read_options["sheet"] is not None:
            raise click.UsageError("--sheet is for Excel files, which Spark does not read; leave it out.")
        settings = {option: read_options[option] for option in READ_OPTIONS if option != "sheet"}
        yield _SparkDocuments(read_files(session, paths, **settings), paths, engine["most_values"])
