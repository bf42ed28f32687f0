"""A trained model as HTML for notebooks: its classes, terms, quality and size on a card."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.filesize import decimal

from ..display import Column, bar, card, facts, note, notebook_html, table
from ..registry import CLASSIFIERS, SELECTORS
from ..text.analysis import display_term
from .labels import as_written

if TYPE_CHECKING:
    from .model import Model

CLASS_TERMS = 6
"""The number of strongest terms of each class."""


def model_html(model: Model, n_bytes: int | None) -> str:
    """Return a model as HTML; `n_bytes` is the size of its file, or None if it can't be saved."""
    about = model.about
    n_documents = about.get("n_documents", sum(model.class_docs))
    held_out: dict[str, Any] = about.get("held_out") or {}
    quality = [
        (name, f"{held_out[key]:.3f}")
        for name, key in (("micro-F1, held out", "micro_f1"), ("macro-F1, held out", "macro_f1"))
        if held_out
    ]
    figures = [
        ("classes", f"{len(model.classes):,}"),
        (f"of {about.get('n_terms_seen', len(model.terms)):,} terms", f"{len(model.terms):,}"),
        ("documents", f"{n_documents:,}"),
        *quality,
        ("file", "" if n_bytes is None else decimal(n_bytes)),
    ]
    notes = [] if held_out else [note("Quality was not measured: set held_out, or call evaluate.")]
    return notebook_html(
        card("Categorizer", facts(figures), _classes_table(model, held_out), *notes, subtitle=_method(model))
    )


def _method(model: Model) -> str:
    """Return the selector, the classifier and the time of training in words."""
    selector, classifier = model.settings.get("selector"), model.settings.get("classifier")
    parts = [
        "all terms" if selector is None else SELECTORS.title_of(str(selector)),
        CLASSIFIERS.title_of(str(classifier)),
        "several labels per document" if model.multilabel else "",
        f"trained {str(model.about['trained']).replace('T', ' ')[:16]}" if "trained" in model.about else "",
    ]
    return " · ".join(filter(None, parts))


def _classes_table(model: Model, held_out: dict[str, Any]) -> Any:
    """Return a row for each class: its documents, its F1 on held-out documents, and its strongest terms."""
    f1_of = {row["label"]: row["f1"] for row in held_out.get("classes", ()) if row["documents"] or row["predicted"]}
    terms = model.grouped_class_terms(CLASS_TERMS)
    analyzer = model.settings.get("analyzer")
    rows = []
    for label, n_documents in zip(model.classes, model.class_docs, strict=True):
        strongest = [display_term(term, analyzer) for term in terms[label]]
        f1 = f1_of.get(label)
        measured = [("–" if f1 is None else f"{f1:.3f}"), "" if f1 is None else bar(f1)] if f1_of else []
        rows.append([as_written(label), f"{n_documents:,}", *measured, ", ".join(strongest)])
    measured_columns = [Column("F1", is_number=True), Column("")] if f1_of else []
    columns = [Column("class"), Column("documents", is_number=True), *measured_columns, Column("strongest terms")]
    return table(columns, rows, title="Classes")
