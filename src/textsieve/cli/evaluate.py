"""`textsieve evaluate`: compare predictions with true labels, class by class, and show the confusions."""

import os
from typing import TYPE_CHECKING, Any

import click

from . import options

if TYPE_CHECKING:
    from ..corpus import Corpus
    from ..evaluation import Report
    from ..prediction import Model
    from .output import Page

MAX_PAIRS_SHOWN = 10
"""The maximum number of pairs of classes for which examples are printed; --json has more."""
MAX_NAME_WIDTH = 20
"""The maximum width of a class name as the title of a column."""
CORNER = "true \\ predicted"
"""The title of the first column of the confusion matrix."""


@click.command(
    epilog=options.examples(
        "textsieve evaluate news.sieve test.csv",
        "textsieve evaluate news.sieve test.csv --examples 10 --report test.html",
    )
)
@click.argument("model", shell_complete=options.complete_files)
@click.argument("path", shell_complete=options.complete_documents)
@options.read_options
@click.option(
    *("--examples", "n_examples"),
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    metavar="N",
    help="Show at most N documents of each pair of confused classes; 0 shows none.",
)
@click.option(
    *("--report", "report_path"),
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write the result to this HTML page, too, which needs no network.",
)
@options.jobs
@options.json_flag
def command(
    model: str,
    path: str,
    read_options: dict[str, Any],
    n_examples: int,
    report_path: str | None,
    jobs: int,
    wants_json: bool,
) -> None:
    """Compare the predictions of a model with the true labels.

    Prints micro- and macro-F1, how many labels are certain and how many of these are right, a row for each class, and
    which classes are confused with which, with the place and the beginning of some of the documents. PATH has
    documents with labels, as for train; documents without a label are left out. The column names and the label
    separator that were given to train are the defaults.
    """
    from ..categorizer import load
    from ..corpus.batch import CorpusDigest
    from ..errors import InputError, Setting
    from ..progress import progress_display
    from .json_output import print_json
    from .opening import (
        check_output,
        columns_lines,
        default_read_options,
        hint_if_not_a_model,
        label_spellings,
        open_corpus,
        with_progress,
    )

    if report_path is not None:
        check_output(report_path, model, path, what="a report", option="--report")
    with hint_if_not_a_model("evaluate", model, path):
        categorizer = load(model)
    categorizer.n_jobs = jobs
    defaults = default_read_options(categorizer.model_)
    extra: dict[str, Any] = {}
    if os.path.isdir(path):
        extra["keep"] = ("file",)  # file names are the places of the examples
    spellings = label_spellings(categorizer.model_, read_options)
    if spellings is not None:
        extra["fold_labels"] = spellings
    with open_corpus(path, read_options, usual=defaults, **extra) as corpus, progress_display() as on_progress:
        digest = CorpusDigest()
        documents = with_progress(corpus, "predicting", on_progress).mapped(digest)
        report = categorizer.evaluate(documents, n_examples=n_examples)
    if not report.documents:
        raise InputError(
            "no document has a label, so there is nothing to compare the predictions with",
            place=corpus.name,
            hint=("In a table, name the column of the labels with ", Setting("label")),
        )
    _warn_if_all_labels_are_unknown(report, corpus)
    _warn_if_trained_on(categorizer.model_, path, digest.digest)
    if report_path is not None:
        _write_page(report, f"Evaluation on {corpus.name}", report_path)
    if wants_json:
        print_json(report.to_dict())
    else:
        _show(report, corpus.name, columns_lines(corpus), categorizer.model_)


def _warn_if_trained_on(model: "Model", path: str, digest: str | None) -> None:
    """Print a warning if the model was trained on the documents with this digest, where it looks better than it is."""
    from ..modelfile.sources import sources_of
    from .messages import warn

    if digest is not None and any(source.digest == digest for source in sources_of(model) or []):
        warn(
            f"{path}: the model was trained on these documents, so it looks better here than it is. Evaluate it on "
            "documents that it has not seen."
        )


def _warn_if_all_labels_are_unknown(report: "Report", corpus: "Corpus") -> None:
    """Print a warning if no true label is a class of the model, with a hint if another column has such labels.

    The cause may be that the labels were read from the wrong column. The hint names the column in which most values, of
    a sample of the documents, are classes of the model.
    """
    from ..errors import InputError, Setting
    from .messages import warn

    classes = set(map(str, report.classes))
    if any(row.documents and str(row.label) in classes for row in report.rows()):
        return
    try:
        columns = corpus.sample_columns() if corpus.sample_columns is not None else {}
    except InputError:  # a column that `evaluate` does not read is damaged or too large: then there is no hint
        columns = {}
    n_known = {name: sum(str(value) in classes for value in values) for name, values in columns.items()}
    likely = max(n_known, key=lambda name: n_known[name], default=None)
    hint = (" Did you mean ", Setting("label", likely), "?") if likely is not None and n_known[likely] else ()
    warn((f"{corpus.name}: no label is a class of the model.", *hint))


def _write_page(report: "Report", title: str, path: str) -> None:
    """Write the report as an HTML page to the file `path`."""
    from ..display import page_html
    from ..evaluation.report_html import report_card
    from ..files import replacing

    with replacing(path) as file:
        file.write(page_html(title, report_card(report, title)).encode())


def _show(report: "Report", name: str, columns: list[str], model: "Model") -> None:
    """Print an evaluation: the number of documents, the measures over all classes, and the tables.

    `name` is that of the corpus, and `columns` are lines on the columns that were read.
    """
    from ..errors import counted
    from .description import measures_text, show_bands, show_confidence
    from .output import Page, label_text

    page = Page()
    verb = "is" if report.unlabelled == 1 else "are"
    left_out = f"; {report.unlabelled:,} without a label {verb} left out" if report.unlabelled else ""
    page.line(f"{name}: {counted(report.documents, 'document')}{left_out}")
    for line in columns:
        page.line(line)
    if report.unknown:
        fallback = f"{model.fallback_description}, {label_text(model.classes[model.fallback_class])}"
        unknown = counted(report.unknown, "document is empty or has", "documents are empty or have")
        page.line(f"{unknown} no term of the model: {'it gets' if report.unknown == 1 else 'they get'} {fallback}")
    unknown_classes = [label_text(label) for label in report.labels if label not in report.classes]
    if unknown_classes:
        listed = ", ".join(unknown_classes[:5]) + (", ..." if len(unknown_classes) > 5 else "")
        page.line(f"The model does not know {len(unknown_classes):,} of the classes: {listed}")
    page.line(measures_text(report.summary(), multilabel=report.multilabel))
    if report.confidence is not None:
        show_confidence(page, report.confidence.to_dict(), "document")
        show_bands(page, report.confidence)
    _show_classes(page, report)
    if not report.multilabel:
        _show_confusion(page, report)
        _show_examples(page, report)


def _show_classes(page: "Page", report: "Report") -> None:
    """Print a row for each class: its true and predicted documents, precision, recall and F1."""
    from .description import class_measures
    from .output import Column, label_text, number_columns

    rows = [
        [label_text(row.label), f"{row.documents:,}", f"{row.predicted:,}", *class_measures(row._asdict())]
        for row in report.rows()
    ]
    page.table([Column("class"), *number_columns("docs", "predicted", "precision", "recall", "F1")], rows)


def _show_confusion(page: "Page", report: "Report") -> None:
    """Print the confusion matrix, or if it doesn't fit into the width of the page, the most frequent confusions.

    The titles of its columns are the names of the classes, or if these don't fit, numbers.
    """
    from .output import GAP, Column, label_text, number_columns, shorten

    names = [label_text(label) for label in report.labels]
    positions = [str(position) for position in range(1, len(names) + 1)]
    numbered = [f"{position} {name}" for position, name in zip(positions, names, strict=True)]
    max_count_width = max(len(f"{count:,}") for count in report.pairs.values())  # there is at least one document
    short_names = [shorten(name, MAX_NAME_WIDTH) for name in names]
    for row_titles, column_titles in ((names, short_names), (numbered, positions)):
        # The width that the columns of counts leave for the titles of rows.
        room = page.width - sum(GAP + max(len(title), max_count_width) for title in column_titles)
        if room >= len(CORNER):
            rows = [
                [shorten(title, room), *(f"{count:,}" if count else "." for count in counts)]
                for title, counts in zip(row_titles, report.confusion(), strict=True)
            ]
            page.table([Column(CORNER), *number_columns(*column_titles)], rows, title="Confusion")
            return
    rows = [[label_text(pair.label), label_text(pair.predicted), f"{pair.n_documents:,}"] for pair in report.confusions]
    page.table([Column("true"), Column("predicted"), *number_columns("docs")], rows, title="Most frequent confusions")


def _show_examples(page: "Page", report: "Report") -> None:
    """Print, for the pairs of classes that are confused most, the places and the beginnings of some documents."""
    from ..errors import counted
    from .messages import printable
    from .output import label_text, shorten

    for pair in report.confusions[:MAX_PAIRS_SHOWN]:
        if not pair.examples:
            continue
        label, predicted = label_text(pair.label), label_text(pair.predicted)
        page.heading(
            f"{label} taken for {predicted}: {counted(pair.n_documents, 'document')}, {pair.share:.1%} of {label}"
        )
        for example in pair.examples:
            probability = "" if example.probability is None else f" ({example.probability:.0%})"
            page.line(shorten(printable(f"  {example.place}{probability}: {example.text}"), page.width))
