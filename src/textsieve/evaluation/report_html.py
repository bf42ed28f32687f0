"""The report of an evaluation as HTML: a card for notebooks, and a page that needs no network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..display import Column, Html, bar, card, element, facts, note, table
from ..errors import counted
from .confidence import Confidence
from .confusions import ConfusedClasses

if TYPE_CHECKING:
    from .metrics import Report


def report_card(report: Report, title: str = "Evaluation") -> Html:
    """Return a card with the overall figures, the classes, tables on probabilities, and the confused classes."""
    figures = [
        ("documents", f"{report.documents:,}"),
        *([] if report.multilabel else [("accuracy", f"{report.accuracy:.3f}")]),
        ("micro-F1", f"{report.micro_f1:.3f}"),
        ("macro-F1", f"{report.macro_f1:.3f}"),
    ]
    content = [facts(figures), _class_table(report)]
    if report.confidence is not None:
        content.append(confidence_tables(report.confidence))
    if report.confusions:
        caption = element("div", "Confused classes", class_="caption")
        content += [caption, confusion_list(report.confusions)]
    for count, singular, plural in (
        (report.unlabelled, "document without a label was left out.", "documents without a label were left out."),
        (report.unknown, "document has no term of the model.", "documents have no term of the model."),
    ):
        if count:
            content.append(note(counted(count, singular, plural)))
    return card(title, *content)


def _class_table(report: Report) -> Html:
    """Return a table with a row for each class: its numbers of documents, precision, recall and F1."""
    rows = [
        (
            row.label,
            f"{row.documents:,}",
            f"{row.predicted:,}",
            *(f"{share:.3f}" for share in (row.precision, row.recall, row.f1)),
            bar(row.f1),
        )
        for row in report.rows()
    ]
    numbers = (Column(title, is_number=True) for title in ("documents", "predicted", "precision", "recall", "F1"))
    return table(["class", *numbers, ""], rows, title="Classes")


def confidence_tables(confidence: Confidence) -> Html:
    """Return two tables: how many labels are right by their probability, and by a minimum of their probability."""
    return element("div", _band_table(confidence), _coverage_table(confidence), class_="columns")


def _band_table(confidence: Confidence) -> Html:
    """Return a table with a row for each band of probabilities: how many labels are in it, and how many are right."""
    rows = [
        (
            f"{band.min_probability:g} to {band.max_probability:g}",
            f"{band.documents:,}",
            f"{band.accuracy:.1%}" if band.documents else "",
            bar(band.accuracy) if band.documents else "",
        )
        for band in confidence.bands()
    ]
    numbers = (Column("documents", is_number=True), Column("right", is_number=True))
    return table(["probability", *numbers, ""], rows, title="Labels by probability")


def _coverage_table(confidence: Confidence) -> Html:
    """Return a table with a row for each minimum: how many labels are at least as probable, and how many are right."""
    rows = [
        (f"{row.min_probability:g}", f"{row.accuracy:.1%}" if row.share else "", f"{row.share:.1%}", bar(row.share))
        for row in confidence.rows()
    ]
    numbers = (Column("right", is_number=True), Column("documents", is_number=True))
    return table(["at least", *numbers, ""], rows, title="Labels with a minimum probability")


def confusion_list(confusions: Sequence[ConfusedClasses]) -> Html:
    """Return a line for each pair of confused classes, which opens to show its example documents."""
    return element("div", *map(_confusion, confusions))


def _confusion(pair: ConfusedClasses) -> Html:
    """Return a line on a pair of confused classes, with its examples if it has some."""
    documents = counted(int(pair.n_documents), "document")
    line = f"{pair.label} taken for {pair.predicted}: {documents}, {pair.share:.1%} of {pair.label}"
    if not pair.examples:
        return note(line)
    examples = [(example.place, example.text) for example in pair.examples]
    return element("details", element("summary", line), table(["where", "text"], examples))
