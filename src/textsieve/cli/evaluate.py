"""`textsieve evaluate`: compare predictions with true labels, class by class, and show the confusions."""

from typing import TYPE_CHECKING, Any

import click

from . import options

if TYPE_CHECKING:
    from ..evaluation import Report
    from ..prediction import Model
    from .output import Page

MOST_CONFUSIONS = 20
LONGEST_NAME = 20
CORNER = "true \\ predicted"


@click.command(
    epilog=options.examples(
        "textsieve evaluate news.sieve test.csv",
    )
)
@click.argument("model")
@click.argument("path")
@options.reading
@options.jobs
@options.json_wanted
def command(model: str, path: str, reading: dict[str, Any], jobs: int, wants_json: bool) -> None:
    """Compare what a model predicts with what is right.

    Prints micro- and macro-F1, a row a class, and which classes are taken for which others. PATH has documents with
    labels, as for train; those without are left out. Columns are found by the names that were given to train, too.
    """
    from ..categorizer import load
    from ..errors import InputError
    from .arguments import expecting_a_model
    from .json_output import print_json
    from .opening import opened, usual_of
    from .progress import progress, watched

    with expecting_a_model("evaluate", model, path):
        categorizer = load(model)
    categorizer.n_jobs = jobs
    usual = usual_of(categorizer.model_)
    with opened(path, reading, usual=usual) as corpus, progress() as tell:
        report = categorizer.evaluate(watched(corpus, "predicting", tell))
    if not report.documents:
        raise InputError(
            "no document has a label, so there is nothing to compare the predictions with",
            place=corpus.name,
            hint="In a table, name the column of the labels with --label",
        )
    if wants_json:
        print_json(report.to_dict())
    else:
        _show(report, corpus.name, categorizer.model_)


def _show(report: "Report", name: str, model: "Model") -> None:
    from .description import figures
    from .output import Page, label_text

    page = Page()
    left_out = f"; {report.unlabelled:,} without a label are left out" if report.unlabelled else ""
    page.line(f"{name}: {report.documents:,} documents{left_out}")
    if report.unknown:
        fallback = f"{model.fallback_description}, {label_text(model.classes[model.fallback_class])}"
        page.line(f"{report.unknown:,} documents are empty or have no term of the model: they get {fallback}")
    unknown_classes = [label_text(label) for label in report.labels if label not in report.classes]
    if unknown_classes:
        listed = ", ".join(unknown_classes[:5]) + ", ..." * (len(unknown_classes) > 5)
        page.line(f"The model does not know {len(unknown_classes):,} of the classes: {listed}")
    page.line(figures(report.summary(), multilabel=report.multilabel))
    _show_classes(page, report)
    if not report.multilabel:
        _show_confusion(page, report)


def _show_classes(page: "Page", report: "Report") -> None:
    from .description import shares
    from .output import Column, label_text, numbers

    rows = [
        [label_text(row.label), f"{row.documents:,}", f"{row.predicted:,}", *shares(row._asdict())]
        for row in report.rows()
    ]
    page.table([Column("class"), *numbers("docs", "predicted", "precision", "recall", "F1")], rows)


def _show_confusion(page: "Page", report: "Report") -> None:
    """Print the confusion matrix if it fits, with columns titled by class names or else by numbers.

    If it doesn't fit, print the most frequent confusions.
    """
    from .output import GAP, Column, cut, label_text, numbers

    names = [label_text(label) for label in report.labels]
    positions = [str(position) for position in range(1, len(names) + 1)]
    numbered = [f"{position} {name}" for position, name in zip(positions, names, strict=True)]
    widest = max(len(f"{count:,}") for count in report.pairs.values())
    for row_titles, titles in ((names, [cut(name, LONGEST_NAME) for name in names]), (numbered, positions)):
        room = page.width - sum(GAP + max(len(title), widest) for title in titles)
        if room >= len(CORNER):
            rows = [
                [cut(title, room), *(f"{count:,}" if count else "." for count in counts)]
                for title, counts in zip(row_titles, report.confusion(), strict=True)
            ]
            page.table([Column(CORNER), *numbers(*titles)], rows, title="Confusion")
            return
    worst = [(pair, count) for pair, count in report.pairs.most_common() if pair[0] != pair[1]][:MOST_CONFUSIONS]
    listed = [[label_text(true), label_text(other), f"{count:,}"] for (true, other), count in worst]
    page.table([Column("true"), Column("predicted"), *numbers("docs")], listed, title="Most frequent confusions")
