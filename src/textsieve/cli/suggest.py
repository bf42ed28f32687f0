"""`textsieve suggest`: write the documents of a pool whose labels would help a model most."""

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from . import options

if TYPE_CHECKING:
    from ..prediction import Model
    from ..suggesting import Suggestions
    from ..table_files import TableKind


@click.command(
    epilog=options.examples(
        "textsieve suggest news.sieve inbox.csv -n 50 -o todo.jsonl",
        "textsieve suggest news.sieve inbox.jsonl --exclude feedback.jsonl --keep id -o todo.jsonl",
    )
)
@click.argument("model", shell_complete=options.complete_files)
@click.argument("pool", shell_complete=options.complete_documents)
@click.option(
    *("-n", "--number", "n"),
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    metavar="N",
    help="The number of documents to suggest.",
)
@options.read_options
@click.option(
    "--ignore-labels", is_flag=True, help="Also suggest documents that have a label; without this, they are skipped."
)
@click.option(
    "--exclude",
    multiple=True,
    metavar="PATH",
    shell_complete=options.complete_files,
    help="Suggest no document whose text is in this file, such as the corrections that the service writes; may be "
    "repeated.",
)
@click.option(
    "--keep",
    multiple=True,
    callback=lambda _, __, values: _check_kept_columns(values),
    metavar="COLUMN,...",
    help="Copy columns or keys of the pool to the output; may be repeated.",
)
@click.option(
    *("-o", "--output"),
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write to this file instead of standard output; a table if its name ends in .csv, .tsv, .xlsx or .parquet.",
)
@options.jobs
def command(
    model: str,
    pool: str,
    n: int,
    read_options: dict[str, Any],
    ignore_labels: bool,
    exclude: tuple[str, ...],
    keep: tuple[str | int, ...],
    output: str | None,
    jobs: int,
) -> None:
    """Suggest which documents to label next, and print a JSON line for each.

    The documents are those about which the model is least sure, unlike each other, and of all predicted classes. Lines
    are {"text": ..., "number": ..., "predicted": ..., "probability": ..., "why": ...}, the most useful document first.
    The page of "textsieve serve --feedback" can go through them, and "train" and "update" read what it saves.

    POOL may be any file or folder that train reads; most of its documents have no label, and those that have one are
    skipped. Copies of a document are suggested once, and documents that an update has added to the model are not
    suggested again.
    """
    from ..categorizer import load
    from ..progress import progress_display
    from ..suggesting import suggest_documents
    from ..table_files import table_kind
    from .opening import (
        STDIO,
        check_output,
        default_read_options,
        hint_if_not_a_model,
        label_spellings,
        open_corpus,
    )

    output = None if output == STDIO else output
    if output is not None:
        check_output(output, model, pool, *exclude, what="a list of documents", option="-o")
    kind = None if output is None else table_kind(output)
    with hint_if_not_a_model("suggest", model, pool):
        categorizer = load(model)
    usual = default_read_options(categorizer.model_)
    pool_options: dict[str, Any] = {
        "keep": keep or (("file",) if os.path.isdir(pool) else ()),
        "usual": usual,
        "texts_only": ignore_labels,
        "optional_labels": not ignore_labels,
    }
    spellings = label_spellings(categorizer.model_, read_options)
    if spellings is not None:
        pool_options["fold_labels"] = spellings
    with open_corpus(pool, read_options, **pool_options) as corpus, progress_display() as on_progress:
        learned = _learned_files(categorizer.model_, model)
        known = _texts_at((*exclude, *learned), read_options, usual)
        suggestions = suggest_documents(categorizer, corpus, n, exclude=known, n_jobs=jobs, progress=on_progress)
    _require_suggestions(suggestions, pool)
    _write(suggestions, output, kind)
    _print_summary(suggestions, output)


def _write(suggestions: "Suggestions", output: str | None, kind: "TableKind | None") -> None:
    """Write a JSON line for each suggestion, or the rows of a table."""
    from ..files import replacing
    from ..table_files import open_table
    from .json_output import as_json

    records = [suggestion.as_dict() for suggestion in suggestions]
    if output is None:
        click.echo("".join(as_json(record) + "\n" for record in records), nl=False)
    elif kind is None:
        with replacing(output) as file:
            file.write("".join(as_json(record, encoding="utf-8") + "\n" for record in records).encode())
    else:
        columns = list(dict.fromkeys(name for record in records for name in record))
        with open_table(output, kind, columns) as write:
            write([record.get(name) for name in columns] for record in records)


def _check_kept_columns(values: tuple[str, ...]) -> tuple[str | int, ...]:
    """Parse the values of --keep; raise `BadParameter` for "all", and for a column named like a key of the output."""
    from ..suggesting import KEYS

    names = options.parse_keep(values) or ()
    if isinstance(names, str):  # all columns would have the text, which is in the output anyway
        raise click.BadParameter("name the columns to keep, such as id,date.")
    for name in names:
        if name in KEYS:
            raise click.BadParameter(f"{name!r} is a key of the suggestions; rename the column of the pool.")
    return names


def _learned_files(model: "Model", path: str) -> list[str]:
    """Return the files of corrections that the model at `path` has learned from, if they still exist."""
    from ..modelfile.sources import PATH, sources_of

    files = [source.location(path) for source in sources_of(model) or () if source.corrections and source.kind == PATH]
    return [file for file in files if os.path.exists(file)]


def _texts_at(paths: tuple[str, ...], read_options: Mapping[str, Any], usual: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts at some paths, without lines that can't be parsed; an empty file has no texts yet.

    The columns of the text are those of the pool, but only as defaults: the paths may have others. Of `read_options`,
    only the limits and the encoding are for these paths, too.
    """
    from .opening import LIMITS, is_empty_file, named_columns, open_corpus

    columns = named_columns(read_options)
    defaults = {**usual, **({"text": columns["text"]} if "text" in columns else {})}
    for path in paths:
        if is_empty_file(path):
            continue
        same_options = {name: read_options[name] for name in (*LIMITS, "encoding")}
        path_options = {**dict.fromkeys(read_options), **same_options}
        with open_corpus(path, path_options, usual=defaults, texts_only=True, lenient=True) as corpus:
            yield from corpus.texts()


def _require_suggestions(suggestions: "Suggestions", pool: str) -> None:
    """Raise an `InputError` that counts the skipped documents, if there is no document to suggest."""
    from ..errors import InputError
    from ..suggesting import LABELLED

    if suggestions:
        return
    raise InputError(
        f"no document is left to label: {_describe_skipped(suggestions)}",
        place=pool,
        hint="--ignore-labels suggests labelled documents, too." if suggestions.skipped[LABELLED] else "",
    )


def _describe_skipped(suggestions: "Suggestions") -> str:
    """Return how many documents were read and skipped: "20 documents read, 3 skipped (2 labelled, 1 empty)"."""
    from ..errors import counted

    reasons = ", ".join(f"{number:,} {reason}" for reason, number in suggestions.skipped.items() if number)
    n_skipped = sum(suggestions.skipped.values())
    return f"{counted(suggestions.n_read, 'document')} read" + (
        f", {n_skipped:,} skipped ({reasons})" if reasons else ""
    )


def _print_summary(suggestions: "Suggestions", output: str | None) -> None:
    """Print on standard error how many documents were read, skipped and written.

    Nothing is printed if no document was skipped and the suggestions went to standard output, where they can be seen.
    """
    from ..errors import counted
    from .messages import print_message

    if output is None and not any(suggestions.skipped.values()):
        return
    where = "" if output is None else f" to {output}"
    number = counted(len(suggestions), "document")
    print_message("note", f"{_describe_skipped(suggestions)}; {number} to label written{where}.")
