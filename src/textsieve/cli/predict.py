"""`textsieve predict`: read documents and write a JSON line for each, in the same order."""

import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import repeat
from typing import TYPE_CHECKING, Any, TextIO

import click

from . import options

if TYPE_CHECKING:
    from ..corpus.batch import KeptValues
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
    callback=lambda _, __, names: _check_kept_columns(names),
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
    order of the documents; a model with probabilities adds these, for a folder there is "file", and where a document
    has none of the model's terms "unknown". PATH may be any file or folder that can be trained on, with labels or
    without; a .txt file of which nothing else can be told has a document a line. - is standard input, and JSON lines
    that come there are answered as they come. Columns are found by the names that were given to train, too.
    """
    from ..categorizer import load
    from ..prediction import unknown_documents_warning
    from .arguments import expecting_a_model
    from .messages import warn
    from .opening import STDIO, opened, refuse_to_lose, usual_of
    from .progress import progress, watched

    output = None if output == STDIO else output
    if output is not None:
        refuse_to_lose(output, model, path, what="a list of predictions", may_be_stream=True, option="-o")
    with expecting_a_model("predict", model, path):
        trained = load(model).model_
    documents = unknown = 0
    extra = {"keep": keep or (("file",) if os.path.isdir(path) else ()), "usual": usual_of(trained)}
    is_hidden = output is not None or not _may_be_seen(sys.stdout)
    with opened(path, reading, texts_only=True, **extra) as corpus, progress(wanted=is_hidden) as tell:
        batches = watched(corpus, "predicting", tell).text_batches()
        predicted = ((trained.predict(batch.texts, jobs), batch.kept) for batch in batches)
        with _written_to(output) as (file, encoding):
            lines = _Lines(trained, len(trained.classes) if all_scores else top, encoding)
            for predictions, columns in predicted:
                documents, unknown = documents + len(predictions.scores), unknown + predictions.n_unknown
                file.writelines(lines.of(predictions, columns))
                file.flush()
    if unknown:
        warn(unknown_documents_warning(trained, unknown, documents))


def _check_kept_columns(names: tuple[str | int, ...]) -> tuple[str | int, ...]:
    from ..prediction.records import KEYS

    for name in names:
        if name in KEYS:
            raise click.BadParameter(f"{name!r} is what the prediction is called; rename the column of the input.")
    return names


def _may_be_seen(stream: TextIO) -> bool:
    """Return whether the lines may reach the terminal, where a progress line would mix with them.

    The reader of a pipe, such as `jq` or `head`, often writes to the same terminal.
    """
    try:
        mode = os.fstat(stream.fileno()).st_mode
    except (OSError, ValueError):  # an object that has no descriptor
        return False
    return stream.isatty() or stat.S_ISFIFO(mode)


@contextmanager
def _written_to(output: str | None) -> Iterator[tuple[TextIO, str]]:
    """Yield the file for the lines and its encoding."""
    if output is None:
        yield sys.stdout, getattr(sys.stdout, "encoding", None) or "utf-8"
        return
    from ..files import naming_when_full, replacing

    if os.path.exists(output) and not os.path.isfile(output):  # a pipe or a device must not be replaced
        with naming_when_full(output), open(output, "w", encoding="utf-8", newline="\n") as file:
            yield file, "utf-8"
        return

    with replacing(output) as whole:
        lines = io.TextIOWrapper(whole, encoding="utf-8", newline="\n")
        yield lines, "utf-8"
        lines.flush()
        lines.detach()


class _Lines:
    """Converts predictions to lines of JSON."""

    def __init__(self, model: "Model", n_scores: int | None, encoding: str) -> None:
        from ..prediction.records import Records

        self._records, self._encoding = Records(model, n_scores), encoding

    def of(self, predictions: "Predictions", columns: "list[KeptValues] | None") -> Iterator[str]:
        """Yield a line for each document, with its copied columns and its prediction."""
        from .json_output import as_json

        for record, copied in zip(self._records.of(predictions), columns or repeat({}), strict=False):
            yield as_json(copied | record, encoding=self._encoding) + "\n"
