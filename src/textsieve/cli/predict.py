"""`textsieve predict`: documents in, a JSON line for each out, in the same order."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import repeat
from typing import TYPE_CHECKING, Any, TextIO

import click

from . import options

if TYPE_CHECKING:
    from ..corpus.batch import Kept
    from ..prediction import Model, Predictions


@click.command(
    epilog=options.examples(
        "textsieve predict news.sieve inbox.jsonl > out.jsonl",
        "tail -f tickets.jsonl | textsieve predict tickets.sieve - --keep id",
    )
)
@click.argument("model")
@click.argument("path")
@options.reading
@click.option(
    "--keep",
    type=options.column,
    multiple=True,
    callback=lambda _, __, names: _kept(names),
    metavar="COLUMN",
    help="Copy a column or key of the input into the line; may be repeated.",
)
@click.option("--scores", "all_scores", is_flag=True, help="Add the scores of all classes.")
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="Add the scores of the N best classes.")
@click.option(
    *("-o", "--output"),
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write there, not to standard output; what was there is replaced when all lines are written.",
)
@click.option("--json", "is_json_anyway", is_flag=True, help="As elsewhere; the lines are JSON without it too.")
@options.jobs
def command(
    model: str,
    path: str,
    reading: dict[str, Any],
    keep: tuple[str | int, ...],
    all_scores: bool,
    top: int | None,
    output: str | None,
    is_json_anyway: bool,
    jobs: int,
) -> None:
    """Predict the labels of documents, a JSON line each.

    Lines are {"label": ..., "score": ...}, or for a model of several labels {"labels": [...], "scores": {...}}, in the
    order of the documents; a model with probabilities adds these, and for a folder there is "file". PATH may be any
    file or folder that can be trained on, with labels or without; a .txt file of which nothing else can be told has a
    document a line. - is standard input, and JSON lines that come there are answered as they come. Columns are found by
    the names that were given to train, too.
    """
    from ..categorizer import load
    from ..prediction import sentence_on_unknown
    from .ending import warn
    from .opening import STDIO, columns_of, opened, refuse_to_lose
    from .progress import progress, watched

    output = None if output == STDIO else output
    if output is not None:
        refuse_to_lose(output, model, path)
    trained = load(model).model_
    documents = unknown = 0
    is_hidden = output is not None or not sys.stdout.isatty()  # lines that are seen say enough
    more = {"keep": keep or (("file",) if os.path.isdir(path) else ()), "usual": columns_of(trained)}
    with opened(path, reading, texts_only=True, **more) as corpus, progress(wanted=is_hidden) as tell:
        batches = watched(corpus, "predicting", tell).text_batches()
        predicted = ((trained.predict(batch.texts, jobs), batch.kept) for batch in batches)
        with _written_to(output) as (file, encoding):
            lines = _Lines(trained, len(trained.classes) if all_scores else top, encoding)
            for found, kept in predicted:
                documents, unknown = documents + len(found.scores), unknown + found.n_unknown
                file.writelines(lines.of(found, kept))
                file.flush()
    if unknown:
        warn(sentence_on_unknown(trained, unknown, documents))


PREDICTED = ("label", "labels", "score", "scores", "probability", "probabilities")


def _kept(names: tuple[str | int, ...]) -> tuple[str | int, ...]:
    for name in names:
        if name in PREDICTED:
            raise click.BadParameter(f"{name!r} is what the prediction is called; rename the column of the input.")
    return names


@contextmanager
def _written_to(output: str | None) -> Iterator[tuple[TextIO, str]]:
    """Where lines go, and in which encoding."""
    if output is None:
        yield sys.stdout, getattr(sys.stdout, "encoding", None) or "utf-8"
        return
    if os.path.exists(output) and not os.path.isfile(output):  # a pipe or a device, which is not to be replaced
        with open(output, "w", encoding="utf-8", newline="\n") as file:
            yield file, "utf-8"
        return

    from ..replacing import replacing

    with replacing(output) as whole:
        lines = io.TextIOWrapper(whole, encoding="utf-8", newline="\n")
        yield lines, "utf-8"
        lines.flush()
        lines.detach()


class _Lines:
    """Predictions to lines of JSON; `n_scores` is how many scores each has, None for the predicted ones alone."""

    def __init__(self, model: "Model", n_scores: int | None, encoding: str) -> None:
        from ..prediction import as_written

        self._model, self._n_scores, self._encoding = model, n_scores, encoding
        self._names = [as_written(label) for label in model.classes]
        self._columns = {label: column for column, label in enumerate(model.classes)}

    def of(self, found: "Predictions", kept: "list[Kept] | None") -> Iterator[str]:
        """A line a document: what was kept of it, and what was found."""
        from .json_output import as_json

        model = self._model
        probable = repeat(None) if model.calibration is None else model.probabilities(found.scores)
        documents = zip(model.label_sets(found.labels), found.scores, probable, kept or repeat({}), strict=False)
        for labels, scores, each, own in documents:
            yield as_json(own | self._record(labels, scores, each), encoding=self._encoding) + "\n"

    def _record(self, labels: tuple[Any, ...], scores: Any, probabilities: Any) -> dict[str, Any]:
        """What is said of one document; probabilities are None if the model has none."""
        predicted = [self._columns[label] for label in labels]
        shown = predicted if self._n_scores is None else (-scores).argsort(kind="stable")[: self._n_scores].tolist()
        one, record = self._model.labels == "one", dict[str, Any]()
        record["label" if one else "labels"] = labels[0] if one else list(labels)
        for name, values in (("score", scores), ("probability", probabilities)):
            if values is None:
                continue
            if one:
                record[name] = float(values[predicted[0]])
            if not one or self._n_scores is not None:
                plural = {"score": "scores", "probability": "probabilities"}[name]
                record[plural] = {self._names[column]: float(values[column]) for column in shown}
        return record
