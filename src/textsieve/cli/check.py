"""`textsieve check`: find out what is wrong with labelled documents, before a model is trained on them."""

from __future__ import annotations

import os
from collections.abc import Sequence, Set
from typing import TYPE_CHECKING, Any

import click

from . import options

if TYPE_CHECKING:
    from ..checking import CheckResult
    from ..checking.result import ProblemRow
    from ..corpus import Corpus
    from ..corpus.source import Keep
    from ..table_files import TableKind
    from .output import Page


@click.command(
    epilog=options.examples(
        "textsieve check tickets.csv --text body --label team",
        "textsieve check tickets.csv --output problems.csv --report problems.html",
    )
)
@click.argument("path", shell_complete=options.complete_documents)
@options.read_options
@click.option(
    *("-n", "--show", "n_shown"),
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    metavar="N",
    help="How many rows to show of each kind of problem.",
)
@click.option(
    *("-o", "--output"),
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write a row for each document with problems to this table (.csv, .tsv, .xlsx or .parquet), with all columns "
    "of the input.",
)
@click.option(
    "--report",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write an HTML page with up to 1,000 rows for each kind of problem, which needs no network.",
)
@options.jobs
@options.json_flag
def command(
    path: str,
    read_options: dict[str, Any],
    n_shown: int,
    output: str | None,
    report: str | None,
    jobs: int,
    wants_json: bool,
) -> None:
    """Find out what is wrong with labelled documents.

    Finds copies, above all those with different labels; labels that are probably wrong; labels that are written in
    several ways, have typing errors or are placeholders such as n/a; classes that are too small; empty and very short
    documents; documents in another language than most; and terms that give a label away, such as a header. Shows which
    classes are confused, and what more labelled documents would gain. PATH is what train takes.

    Labels are checked by models that were trained without the document. So a label that is reported as probably wrong
    may be right, if the document is unusual: look at it.
    """
    from ..checking import check
    from ..corpus.source import ALL_COLUMNS
    from ..progress import progress_display
    from .json_output import print_json
    from .opening import check_output, columns_lines, open_corpus
    from .output import Page

    kind = None if output is None else _require_table(output, path)
    if report is not None:
        check_output(report, path, what="a report", option="--report")
    keep: Keep = ()
    if output is not None:
        keep = ALL_COLUMNS  # they go to the table
    elif os.path.isdir(path):
        keep = ("file",)  # file names are the places of documents
    with open_corpus(path, read_options, keep=keep) as corpus, progress_display() as on_progress:
        result = check(corpus, progress=on_progress, n_jobs=jobs)
        if output is not None and kind is not None:
            _write_rows(result, corpus, output, kind)
    if report is not None:
        from ..checking.page import write_page

        write_page(result, report)
    if wants_json:
        print_json(result.to_dict())
        return
    page = Page()
    _show(page, result, columns_lines(corpus), n_shown)
    for file in filter(None, (output, report)):
        page.line(f"Written to {file}")


def _require_table(output: str, path: str) -> TableKind:
    """Return the kind of table that the ending of `output` names.

    Raise `InputError`, before any work is done, if it names none, or if the file can't be written.
    """
    from ..errors import InputError
    from ..table_files import TABLE_KINDS, table_kind
    from .opening import check_output

    check_output(output, path, what="a table of problems", option="-o")
    kind = table_kind(output)
    if kind is None:
        raise InputError("is not the name of a table", place=output, hint=f"use one of {', '.join(TABLE_KINDS)}")
    return kind


PROBLEM_COLUMNS = (
    *("place", "problem", "likely_label", "probability", "label_probability", "odds", "group", "language"),
)
"""The first columns of the table of problems; the columns of the input follow."""


def _write_rows(result: CheckResult, corpus: Corpus, path: str, kind: TableKind) -> None:
    """Write a table with a row for each document that has problems.

    A document has only one row, so that a user who corrects its label there need not do it in several rows.
    """
    from ..table_files import open_table, renamed

    problems: dict[int, list[ProblemRow]] = {}  # by the number of the document
    for row in result.rows():
        problems.setdefault(row.document, []).append(row)
    inputs = _input_values(corpus, problems.keys())
    names = renamed(list(dict.fromkeys(name for values in inputs.values() for name in values)), PROBLEM_COLUMNS)
    with open_table(path, kind, [*PROBLEM_COLUMNS, *names.values()]) as write:
        write(
            [*_problem_cells(rows), *(inputs[number].get(name) for name in names)] for number, rows in problems.items()
        )


def _input_values(corpus: Corpus, numbers: Set[int]) -> dict[int, dict[str, object]]:
    """Return the values of the input's columns for the documents with some numbers, by the number.

    Input without columns, such as a folder, has the columns "label" and "text". The documents are read again for this,
    because a result of `check` has only the beginnings of their texts.
    """
    values_by_number: dict[int, dict[str, object]] = {}
    n_before = 0  # the number of documents before the batch
    for batch in corpus.batches():
        for number in numbers & set(range(n_before, n_before + len(batch))):
            row = number - n_before
            kept = batch.kept[row] if batch.kept else {}
            has_columns = bool(kept.keys() - {"file"})
            label_and_text = {"label": ", ".join(batch.labels[row]), "text": batch.texts[row]}
            values_by_number[number] = dict(kept) if has_columns else {**kept, **label_and_text}
        n_before += len(batch)
    return values_by_number


def _problem_cells(rows: Sequence[ProblemRow]) -> list[object]:
    """Return the cells of `PROBLEM_COLUMNS` for a document, given a row for each of its problems.

    The second cell lists all problems. Each of the others has the value of the first row in which it is known.
    """
    facts = (next(filter(None, (getattr(row, name) for row in rows)), None) for name in PROBLEM_COLUMNS[2:])
    return [rows[0].place, ", ".join(row.problem for row in rows), *facts]


# -- tables --------------------------------------------------------------------------------------------------------


def _show(page: Page, result: CheckResult, columns: list[str], n_shown: int) -> None:
    """Print how often each kind of problem was found, and then at most `n_shown` of the worst of each kind.

    `columns` are lines on the columns of the input that were read.
    """
    from .output import Column, number_columns

    page.line(f"{result.name}: {result.heading}")
    for line in columns:
        page.line(line)
    problems = result.problems()
    if not problems:
        page.line("No problems found.")
    else:
        page.table(
            [*number_columns("count"), Column("problem", "terms"), Column("what it means, or what to do", "terms")],
            [(f"{row.n_found:,}", row.problem, row.advice) for row in problems],
        )
    if n_shown:
        _show_copies(page, result, n_shown)
        _show_wrong_labels(page, result, n_shown)
        _show_labels(page, result, n_shown)
        _show_languages(page, result)
        _show_giveaways(page, result, n_shown)
    _show_cross_validation(page, result, n_shown)


def _title(name: str, n_shown: int, n_all: int) -> str:
    """Return the title of a table: "Copies", or if only some of its rows are shown, "Copies (5 of 12)"."""
    return name if n_all <= n_shown else f"{name} ({n_shown} of {n_all:,})"


def _show_copies(page: Page, result: CheckResult, n_shown: int) -> None:
    """Print the first groups of copies with different labels, or if there are no such groups, of any copies."""
    from .output import Column

    groups, name = result.contradictions, "Copies with different labels"
    if not groups:
        groups, name = result.duplicates, "Copies"
    if groups:
        rows = [
            (
                _some([result.documents[number].place for number in group.documents], 3),
                _some(result.labels_of_copies(group), 3),
                result.documents[group.documents[0]].text,
            )
            for group in groups[:n_shown]
        ]
        columns = [Column("where"), Column("labels"), Column("text", "terms")]
        page.table(columns, rows, title=_title(name, n_shown, len(groups)))


def _show_wrong_labels(page: Page, result: CheckResult, n_shown: int) -> None:
    """Print the labels with the highest odds against them, and the class that is more probable."""
    from ..checking.result import odds_text
    from .output import Column, label_text, number_columns

    if result.wrong_labels:
        rows = [
            (
                result.documents[wrong.document].place,
                label_text(wrong.label),
                label_text(wrong.likely_label),
                f"{wrong.probability:.2f}",
                odds_text(wrong.odds),
                result.documents[wrong.document].text,
            )
            for wrong in result.wrong_labels[:n_shown]
        ]
        classes = [Column("label"), Column("rather"), *number_columns("prob.", "odds")]
        columns = [Column("where"), *classes, Column("text", "terms")]
        page.table(columns, rows, title=_title("Probably wrong labels", n_shown, len(result.wrong_labels)))


def _show_labels(page: Page, result: CheckResult, n_shown: int) -> None:
    """Print labels that are written in several ways, misspelled or placeholders, and classes that are too small."""
    from .output import Column, label_text, number_columns

    for group in result.similar_labels[:n_shown]:
        page.line(f"Labels that may be one: {_sizes({repr(label): size for label, size in group.items()}, 5)}")
    if result.misspelled_labels:
        rows = [
            (label_text(error.label), f"{error.n_documents:,}", label_text(error.likely_label), f"{error.n_likely:,}")
            for error in result.misspelled_labels[:n_shown]
        ]
        columns = [Column("label"), *number_columns("docs"), Column("rather"), *number_columns("docs")]
        page.table(columns, rows, title=_title("Labels with typing errors", n_shown, len(result.misspelled_labels)))
    if result.placeholders:
        sizes = {repr(label): size for label, size in result.placeholders.items()}
        page.line(f"Placeholders as labels: {_sizes(sizes, 2 * n_shown)}")
    if result.small_classes:
        sizes = {label_text(label): size for label, size in result.small_classes.items()}
        page.line(f"Classes too small to learn: {_sizes(sizes, 2 * n_shown)}")


def _show_languages(page: Page, result: CheckResult) -> None:
    """Print the languages of the documents, if there are several."""
    if result.other_languages:
        page.line(f"Languages: {_sizes(result.languages, 10)}")


def _show_giveaways(page: Page, result: CheckResult, n_shown: int) -> None:
    """Print the terms that alone predict a class almost perfectly."""
    from .messages import printable
    from .output import Column, label_text, number_columns

    if result.giveaways:
        rows = [
            (
                printable(giveaway.term),
                label_text(giveaway.label),
                f"{giveaway.n_documents:,}",
                f"{giveaway.precision:.1%}",
                f"{giveaway.recall:.1%}",
            )
            for giveaway in result.giveaways[:n_shown]
        ]
        columns = [Column("term"), Column("label"), *number_columns("docs", "in label", "has term")]
        page.table(columns, rows, title=_title("Terms that give a label away", n_shown, len(result.giveaways)))


def _show_cross_validation(page: Page, result: CheckResult, n_shown: int) -> None:
    """Print confused classes with examples, and the learning curve; or why there was no cross-validation."""
    from .messages import printable
    from .output import Column, label_text, number_columns, shorten

    if result.curve is None or result.accuracy is None:
        page.line(f"Labels were not checked: {result.not_cross_validated}")
        return
    if n_shown and result.confusions:
        rows = [
            (label_text(pair.label), label_text(pair.predicted), f"{pair.n_documents:,}", f"{pair.share:.1%}")
            for pair in result.confusions[:n_shown]
        ]
        columns = [Column("label"), Column("looks like"), *number_columns("docs", "share")]
        page.table(columns, rows, title=_title("Confused classes", n_shown, len(result.confusions)))
        for pair in result.confusions[:n_shown]:
            page.heading(f"{label_text(pair.label)} that looks like {label_text(pair.predicted)}")
            for example in pair.examples:
                page.line(shorten(printable(f"  {example.place}: {example.text}"), page.width))
    points = list(zip(result.curve.n_documents, result.curve.accuracy, strict=True))
    page.table(
        number_columns("training documents", "accuracy"),
        [(f"{n_documents:,}", f"{accuracy:.3f}") for n_documents, accuracy in points],
        title="Learning curve",
    )
    page.line(str(result.curve))


def _some(texts: Sequence[str], n_shown: int) -> str:
    """Return the first texts and the number of the others: "a, b, 3 more"."""
    more = [f"{len(texts) - n_shown:,} more"] if len(texts) > n_shown else []
    return ", ".join([*texts[:n_shown], *more])


def _sizes(sizes: dict[str, int], n_shown: int) -> str:
    """Return the first names with their numbers of documents: "sport (12), politics (7), 3 more"."""
    return _some([f"{name} ({size:,})" for name, size in sizes.items()], n_shown)
