"""`textsieve predict`: read documents and write their labels, in the same order, as JSON lines or as a table."""

import io
import os
import stat
import sys
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TextIO

import click

from . import options

if TYPE_CHECKING:
    from ..corpus.batch import Batch, KeptValues
    from ..corpus.source import Keep
    from ..prediction.records import RecordColumns
    from ..table_files import TableKind, WriteRows

WriteRecords = Callable[[Sequence["KeptValues"], Iterator[dict[str, Any]]], None]
"""A function that writes the predictions of a batch.

It gets the values that are kept from the input for each document, and a record for each document.
"""

TABLE_REASONS = 3
"""The default of --reasons for a table."""
HEADER_ROWS = 1_000
"""The number of documents whose keys become columns of a table: the first of the input."""
MAX_NAMES_SHOWN = 10
"""The maximum number of keys that the warning about keys without a column lists."""


@click.command(
    epilog=options.examples(
        "textsieve predict news.sieve inbox.jsonl > out.jsonl",
        "textsieve predict news.sieve inbox.csv -o labelled.xlsx --top 3",
        "tail -f tickets.jsonl | textsieve predict tickets.sieve - --keep id",
    )
)
@click.argument("model", shell_complete=options.complete_files)
@click.argument("path", shell_complete=options.complete_documents)
@options.read_options
@click.option(
    "--keep",
    multiple=True,
    callback=lambda _, __, values: options.parse_keep(values),
    metavar="COLUMNS",
    help="Copy columns or keys of the input to the output: names separated by commas, all, or none. May be repeated.  "
    "[default: all for a table, none for JSON lines]",
)
@click.option("--scores", "all_scores", is_flag=True, help="Add the scores and probabilities of all classes.")
@click.option(
    "--top", type=click.IntRange(min=1), metavar="N", help="Add the scores and probabilities of the N best classes."
)
@click.option(
    *("--reasons", "n_reasons"),
    type=click.IntRange(min=0),
    metavar="N",
    help=f"Add the N terms that spoke most for the label.  [default: {TABLE_REASONS} for a table, 0 for JSON lines]",
)
@options.abstaining
@click.option(
    *("-o", "--output"),
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write to this file instead of standard output: a table if its name ends in .csv, .tsv, .xlsx or .parquet, "
    "otherwise JSON lines. An old file is replaced when the new one is complete.",
)
@click.option("--json", "wants_json", is_flag=True, help="Write JSON lines, whatever the name of the output file is.")
@options.jobs
def command(
    model: str,
    path: str,
    read_options: dict[str, Any],
    keep: "Keep | None",
    all_scores: bool,
    top: int | None,
    n_reasons: int | None,
    abstaining: dict[str, Any],
    output: str | None,
    wants_json: bool,
    jobs: int,
) -> None:
    """Predict the labels of documents, and write a JSON line or a row of a table for each.

    Lines are {"label": ..., "score": ...}, or for a multilabel model {"labels": [...], "scores": {...}}, in the order
    of the documents. A model with probabilities adds these; for a folder, "file" is added; and "unknown" is added if a
    document has none of the model's terms. With --min-probability or --abstain-label, the label of a document of which
    the model is not sure is null or LABEL, and "best_guess" is the best class.

    A table (-o FILE.csv, .tsv, .xlsx or .parquet) has all columns of the input, the label, its probability, and the
    three terms that spoke most for it. A column of the input that predictions may have, such as the label_2 of an
    earlier prediction, is called input_label_2 in the output.

    PATH may be any file or folder that train reads, with labels or without; a .txt file has a document on each line
    unless its content shows another format. - is standard input, where each JSON line is answered as soon as it
    arrives. The column names that were given to train are the defaults.
    """
    from ..categorizer import load
    from ..corpus.source import ALL_COLUMNS
    from ..prediction import Abstention, unknown_documents_warning
    from ..prediction.reasons import Reasons
    from ..prediction.records import PredictionNames, RecordColumns, Records, choose_separator
    from ..progress import progress_display
    from .errors import exit_as_usage_error
    from .messages import print_message, warn
    from .opening import (
        STDIO,
        columns_lines,
        default_read_options,
        hint_if_not_a_model,
        open_corpus,
        with_progress,
    )

    output = None if output == STDIO else output
    kind = None if output is None else _kind_of_output(output, model, path, wants_json=wants_json)
    with hint_if_not_a_model("predict", model, path):
        trained = load(model).model_
    with exit_as_usage_error():
        abstention = Abstention.of(trained, **abstaining)
    # A table has more by default than JSON lines: all columns of the input, and reasons.
    if keep is None:
        keep = ALL_COLUMNS if kind is not None else ("file",) if os.path.isdir(path) else ()
    if n_reasons is None:
        n_reasons = 0 if kind is None else TABLE_REASONS
    # In a table, each label of a multilabel document needs its score, even if it is not among the N best.
    needs_all_scores = all_scores or (top is not None and kind is not None and trained.multilabel)
    records = Records(trained, len(trained.classes) if needs_all_scores else top, abstention)
    reasons = Reasons(trained, n_reasons, jobs) if n_reasons else None
    defaults = default_read_options(trained)
    columns = RecordColumns(
        trained,
        n_best=top,
        of_all_classes=all_scores,
        abstains=abstention is not None,
        has_reasons=reasons is not None,
        separator=choose_separator(trained, read_options["label_separator"] or defaults.get("label_separator")),
    )
    taken = PredictionNames(trained)
    writer = _open_lines(output, taken) if output is None or kind is None else _open_rows(output, kind, columns, taken)
    wants_progress = output is not None or not _may_reach_terminal(sys.stdout)
    n_documents = n_unknown = n_abstained = 0
    with (
        open_corpus(path, read_options, stream=True, texts_only=True, keep=keep, usual=defaults) as corpus,
        progress_display(enabled=wants_progress) as on_progress,
        writer as write,
    ):
        for batch in with_progress(corpus, "predicting", on_progress).text_batches():
            if not n_documents:  # now the columns are known; those of a pipe only after its first documents
                for line in columns_lines(corpus, only_choices=True):
                    print_message("note", line)
            with corpus.naming_documents(n_documents, batch.kept):
                if reasons is None:
                    predictions, terms = trained.predict(batch.texts, jobs), None
                else:
                    predictions, terms = reasons.predict(batch.texts)
            n_documents += len(predictions.scores)
            n_unknown += predictions.n_unknown
            n_abstained += 0 if abstention is None else int(abstention.applies(trained, predictions).sum())
            write(_kept_values(batch, keep), records.of(predictions, terms))
    if n_abstained:
        _warn_of_abstaining(abstaining["abstain_label"], n_documents, n_unknown, n_abstained)
    elif n_unknown and abstention is None:
        warn(unknown_documents_warning(trained, n_unknown, n_documents))


def _kind_of_output(output: str, model: str, path: str, *, wants_json: bool) -> "TableKind | None":
    """Return the kind of table that the ending of `output` names, or None for JSON lines.

    Raise `InputError`, before any work is done, if the file can't be written.
    """
    from .opening import check_output

    kind = None
    if not wants_json:
        from ..table_files import table_kind

        kind = table_kind(output)
    may_be_stream = kind is None or kind.can_be_stream
    check_output(output, model, path, what="a list of predictions", may_be_stream=may_be_stream, option="-o")
    return kind


def _warn_of_abstaining(abstain_label: str | None, n_documents: int, n_unknown: int, n_abstained: int) -> None:
    """Print a warning with the number of documents that get no label, or the label of --abstain-label."""
    from ..errors import counted
    from .messages import warn

    label = "no label" if abstain_label is None else f"the label {abstain_label!r}"
    why = f"{n_unknown:,} have none of the selected terms"
    warn(f"{n_abstained:,} of {counted(n_documents, 'document')} get {label}; {why}.")


def _kept_values(batch: "Batch", keep: "Keep") -> "Sequence[KeptValues]":
    """Return the values that are kept from the input for each document.

    If all columns are to be kept, input without columns, such as plain lines, has a column "text".
    """
    from ..corpus.source import ALL_COLUMNS

    if batch.kept is not None:
        return batch.kept
    return [{"text": text} if keep == ALL_COLUMNS else {} for text in batch.texts]


def _may_reach_terminal(stream: TextIO) -> bool:
    """Return whether output may appear on the terminal, where a progress line would mix with it.

    This is so for a terminal, and for a pipe, whose reader, such as `jq` or `head`, often writes to the same terminal.
    """
    try:
        mode = os.fstat(stream.fileno()).st_mode
    except (OSError, ValueError):  # a stream without a file descriptor, as in tests
        return False
    return stream.isatty() or stat.S_ISFIFO(mode)


@contextmanager
def _open_lines(output: str | None, taken: Container[str]) -> Iterator[WriteRecords]:
    """Yield a function that writes predictions as JSON lines to a file; to standard output if `output` is None.

    Columns of the input must not have the names that are `taken`.
    """
    if output is None:
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        yield partial(_write_lines, sys.stdout, encoding, taken)
        return
    from ..files import open_output

    with open_output(output) as binary_file:
        text_file = io.TextIOWrapper(binary_file, encoding="utf-8", newline="\n")
        yield partial(_write_lines, text_file, "utf-8", taken)
        text_file.flush()
        text_file.detach()  # `open_output` still needs the binary file, which the wrapper would close


def _write_lines(
    file: TextIO, encoding: str, taken: Container[str], kept: "Sequence[KeptValues]", records: Iterator[dict[str, Any]]
) -> None:
    """Write each record as a JSON line, with the values that are kept of its document.

    A kept value whose name is in `taken`, because predictions may have it, is renamed: "label" to "input_label".
    """
    from ..table_files import renamed
    from .json_output import as_json

    for values, record in zip(kept, records, strict=True):
        if any(name in taken for name in values):
            names = renamed(list(values), taken)
            values = {names[name]: value for name, value in values.items()}
        file.write(as_json({**values, **record}, encoding=encoding) + "\n")
    file.flush()  # a reader gets these predictions while more documents arrive


@contextmanager
def _open_rows(
    output: str, kind: "TableKind", columns: "RecordColumns", taken: Container[str]
) -> "Iterator[WriteRecords]":
    """Yield a function that writes predictions as the rows of a table, after the columns of the input.

    The columns of the input are the keys of the first `HEADER_ROWS` documents. Keys that only later JSON objects have
    are left out, with a warning. Columns whose names are in `taken`, because predictions may have them, are renamed.
    """
    from .messages import warn

    with ExitStack() as stack:
        table = _PredictionTable(stack, output, kind, columns, taken)
        yield table.write
        table.flush()
    left_out = table.left_out
    if left_out:
        shown = ", ".join(repr(name) for name in islice(left_out, MAX_NAMES_SHOWN))
        more = f" and {len(left_out) - MAX_NAMES_SHOWN:,} more" if len(left_out) > MAX_NAMES_SHOWN else ""
        warn(f"The table has no column for keys that the first {HEADER_ROWS:,} documents don't have: {shown}{more}.")


class _PredictionTable:
    """A table of predictions whose columns are known only after the first `HEADER_ROWS` documents.

    Until then, rows are pending in memory. Then the file is opened, and its header is written; the end of `stack`
    closes it.
    """

    def __init__(
        self, stack: ExitStack, path: str, kind: "TableKind", columns: "RecordColumns", taken: Container[str]
    ) -> None:
        self._stack, self._path, self._kind, self._columns, self._taken = stack, path, kind, columns, taken
        self._pending: list[tuple[Mapping[str, object], list[Any]]] = []
        """The values kept from the input, and the cells of the prediction, for each row that is not yet written."""
        self._input_names: list[str] = []
        """The columns of the input, once the file is open."""
        self._write_rows: WriteRows | None = None
        """A function that writes rows, once the file is open."""
        self.left_out: dict[str, None] = {}
        """Keys of the input that have no column, in the order in which they came."""

    def write(self, kept: "Sequence[KeptValues]", records: Iterator[dict[str, Any]]) -> None:
        """Write the predictions of a batch, or keep them until the columns are known."""
        self._pending.extend((values, self._columns.row(record)) for values, record in zip(kept, records, strict=True))
        if self._write_rows is not None or len(self._pending) >= HEADER_ROWS:
            self.flush()

    def flush(self) -> None:
        """Write all pending rows."""
        if not self._pending:
            return
        if self._write_rows is None:
            self._write_rows = self._open()
        known = set(self._input_names)
        for values, _ in self._pending:
            # The list of names is for a warning; a limit keeps it small if all documents have different keys.
            if not values.keys() <= known and len(self.left_out) < HEADER_ROWS:
                self.left_out.update(dict.fromkeys(name for name in values if name not in known))
        self._write_rows([*map(values.get, self._input_names), *cells] for values, cells in self._pending)
        self._pending.clear()

    def _open(self) -> "WriteRows":
        """Open the file with the columns of all pending rows, and return the function that writes rows."""
        from ..table_files import open_table, renamed

        self._input_names = list(dict.fromkeys(name for values, _ in self._pending for name in values))
        output_name = renamed(self._input_names, self._taken)
        header = [*(output_name[name] for name in self._input_names), *self._columns.names]
        return self._stack.enter_context(open_table(self._path, self._kind, header))
