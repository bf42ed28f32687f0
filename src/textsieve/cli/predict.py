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
    from ..prediction import Predictions
    from ..prediction.records import Records


@click.command(
    epilog=options.examples(
        "textsieve predict news.sieve inbox.jsonl > out.jsonl",
        "tail -f tickets.jsonl | textsieve predict tickets.sieve - --keep id",
    )
)
@click.argument("model")
@click.argument("path")
@options.read_options
@click.option(
    "--keep",
    type=options.column,
    multiple=True,
    callback=lambda _, __, names: _check_kept_columns(names),
    metavar="COLUMN",
    help="Copy a column or key of the input to the output; may be repeated.",
)
@click.option("--scores", "all_scores", is_flag=True, help="Add the scores of all classes.")
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="Add the scores of the N best classes.")
@options.abstaining
@click.option(
    *("-o", "--output"),
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write to this file instead of standard output; an old file is replaced when all lines are written.",
)
@click.option("--json", "is_json_anyway", is_flag=True, help="Has no effect: the output is always JSON lines.")
@options.jobs
def command(
    model: str,
    path: str,
    read_options: dict[str, Any],
    keep: tuple[str | int, ...],
    all_scores: bool,
    top: int | None,
    abstaining: dict[str, Any],
    output: str | None,
    is_json_anyway: bool,
    jobs: int,
) -> None:
    """Predict the labels of documents, and print a JSON line for each.

    Lines are {"label": ..., "score": ...}, or for a multilabel model {"labels": [...], "scores": {...}}, in the order
    of the documents. A model with probabilities adds these; for a folder, "file" is added; and "unknown" is added if a
    document has none of the model's terms. With --min-probability or --abstain-label, the label of a document of which
    the model is not sure is null or LABEL, and "best_guess" is the best class.

    PATH may be any file or folder that train reads, with labels or without; a .txt file has a document on each line
    unless its content shows another format. - is standard input, where each JSON line is answered as soon as it
    arrives. The column names that were given to train are the defaults.
    """
    from ..categorizer import load
    from ..errors import counted
    from ..prediction import Abstention, unknown_documents_warning
    from ..prediction.records import Records
    from .errors import exit_as_usage_error
    from .messages import print_message, warn
    from .opening import STDIO, check_output, columns_lines, default_read_options, hint_if_not_a_model, open_corpus
    from .progress import progress, with_progress

    output = None if output == STDIO else output
    if output is not None:
        check_output(output, model, path, what="a list of predictions", may_be_stream=True, option="-o")
    with hint_if_not_a_model("predict", model, path):
        trained = load(model).model_
    n_documents = n_unknown = n_abstained = 0
    with exit_as_usage_error():
        abstention = Abstention.of(trained, **abstaining)
    records = Records(trained, len(trained.classes) if all_scores else top, abstention)
    extra = {"keep": keep or (("file",) if os.path.isdir(path) else ()), "usual": default_read_options(trained)}
    wants_progress = output is not None or not _may_reach_terminal(sys.stdout)
    with (
        open_corpus(path, read_options, texts_only=True, **extra) as corpus,
        progress(enabled=wants_progress) as on_progress,
        _open_output(output) as (file, encoding),
    ):
        for batch in with_progress(corpus, "predicting", on_progress).text_batches():
            if not n_documents:  # the columns of a pipe are known with its first documents
                for line in columns_lines(corpus, only_choices=True):
                    print_message("note", line)
            with corpus.naming_documents(n_documents, batch.kept):
                predictions = trained.predict(batch.texts, jobs)
            n_documents += len(predictions.scores)
            n_unknown += predictions.n_unknown
            n_abstained += 0 if abstention is None else int(abstention.applies(trained, predictions).sum())
            file.writelines(_json_lines(records, predictions, batch.kept, encoding))
            file.flush()  # a reader gets these predictions while more documents arrive
    if n_abstained:
        why = f"{n_unknown:,} have none of the selected terms"
        label = "no label" if abstaining["abstain_label"] is None else f"the label {abstaining['abstain_label']!r}"
        warn(f"{n_abstained:,} of {counted(n_documents, 'document')} get {label}; {why}.")
    elif n_unknown and abstention is None:
        warn(unknown_documents_warning(trained, n_unknown, n_documents))


def _check_kept_columns(names: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Return the columns; raise `BadParameter` for one that would overwrite a key of the predictions."""
    from ..prediction.records import KEYS

    for name in names:
        if name in KEYS:
            raise click.BadParameter(f"{name!r} is a key of the predictions; rename the column of the input.")
    return names


def _may_reach_terminal(stream: TextIO) -> bool:
    """Return whether output may appear on the terminal, where a progress line would mix with it.

    The reader of a pipe, such as `jq` or `head`, often writes to the same terminal.
    """
    try:
        mode = os.fstat(stream.fileno()).st_mode
    except (OSError, ValueError):  # a stream without a file descriptor, as in tests
        return False
    return stream.isatty() or stat.S_ISFIFO(mode)


@contextmanager
def _open_output(output: str | None) -> Iterator[tuple[TextIO, str]]:
    """Yield the file to write to and its encoding; None is standard output."""
    if output is None:
        yield sys.stdout, getattr(sys.stdout, "encoding", None) or "utf-8"
        return
    from ..files import naming_when_full, replacing

    if os.path.exists(output) and not os.path.isfile(output):  # a pipe or a device must not be replaced
        with naming_when_full(output), open(output, "w", encoding="utf-8", newline="\n") as file:
            yield file, "utf-8"
        return

    with replacing(output) as binary_file:
        text_file = io.TextIOWrapper(binary_file, encoding="utf-8", newline="\n")
        yield text_file, "utf-8"
        text_file.flush()
        text_file.detach()  # `replacing` still needs the binary file, which the wrapper would close


def _json_lines(
    records: "Records", predictions: "Predictions", kept: "list[KeptValues] | None", encoding: str
) -> Iterator[str]:
    """Yield a JSON line for each document: the values kept from the input, if there are any, and its prediction."""
    from .json_output import as_json

    # `repeat` has no end, so the lengths of the two can't be required to be equal.
    for record, values in zip(records.of(predictions), kept or repeat({}), strict=False):
        yield as_json(values | record, encoding=encoding) + "\n"
