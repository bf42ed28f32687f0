"""Explanations and models as HTML for notebooks, each on a card.

The card of an explanation has the text with its terms marked, the best classes, and the strongest terms. The card of a
model has its classes, terms, quality and size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.filesize import decimal

from ..display import (
    Column,
    Html,
    TermSpan,
    bar,
    card,
    element,
    facts,
    marked_text,
    note,
    notebook_html,
    signed_bar,
    table,
)
from ..errors import InputError, counted
from ..registry import CLASSIFIERS, SELECTORS
from ..text.analysis import display_term, group_parts
from .explanations import MAX_GROUPED
from .labels import as_written

if TYPE_CHECKING:
    from .explanations import ClassExplanation, Explanation
    from .model import Model

MAX_CLASSES, MAX_TERMS = 5, 12
"""The numbers of classes and of terms on the card of an explanation."""
MAX_SPANS = 10_000
"""The number of places of terms that are marked, those that come first."""
CLASS_TERMS = 6
"""The number of strongest terms of each class on the card of a model."""

# -- explanations ----------------------------------------------------------------------------------------------------


def explanation_html(explanation: Explanation) -> str:
    """Return an explanation as HTML; its terms are those that speak for and against one class (`_explained_class`)."""
    explained = _explained_class(explanation)
    content: list[object] = [] if explanation.unknown is None else [note(f"{explanation.unknown}.", is_warning=True)]
    contributions = _shown_contributions(explanation, explained)
    if explanation.model is not None and explanation.text is not None:
        text = explanation.text if isinstance(explanation.text, str) else explanation.text.decode("utf-8", "replace")
        try:
            spans = explanation.model.spans(explanation.text, MAX_SPANS)
        except InputError as problem:  # a user's function prepares texts, so nobody knows where terms come from
            content.append(note(f"The text is not marked. {problem}"))
        else:
            content.append(marked_text(text, [TermSpan(*span) for span in spans], contributions))
    content.append(
        element(
            "div",
            _best_classes_table(explanation),
            _terms_table(explanation, explained, contributions),
            class_="columns",
        )
    )
    return notebook_html(card(f"Predicted: {explanation.labels_text}", *content))


def _explained_class(explanation: Explanation) -> ClassExplanation:
    """Return the class whose terms are shown: the first predicted one, or the best if none is predicted."""
    labels = explanation.predicted if isinstance(explanation.predicted, tuple) else (explanation.predicted,)
    return explanation[labels[0]] if labels else explanation.classes[0]


def _shown_contributions(explanation: Explanation, explained: ClassExplanation) -> dict[str, float]:
    """Return what each term contributes to a class, the largest absolute value first.

    If all contributions of the model have the same sign, the term's mean over the classes is subtracted.
    """
    terms = [contribution.term for contribution in explained.contributions]
    if explanation.model is not None and explanation.model.needs_comparing:
        shown = dict(zip(terms, explained.compared(), strict=True))
        return dict(sorted(shown.items(), key=lambda item: -abs(item[1])))
    return {item.term: item.contribution for item in explained.contributions}


def _best_classes_table(explanation: Explanation) -> Html:
    """Return the best classes with their probabilities, or with their scores if there are none."""
    best = explanation.classes[:MAX_CLASSES]
    largest = max((abs(item.score) for item in explanation.classes), default=0.0) or 1.0
    rows = [
        (
            as_written(item.label),
            f"{item.score:.3f}" if item.probability is None else f"{item.probability:.1%}",
            bar(item.score / largest if item.probability is None else item.probability),
        )
        for item in best
    ]
    figure = "score" if not best or best[0].probability is None else "probability"
    n_others = len(explanation.classes) - len(best)
    others = [note(f"and {counted(n_others, 'other class', 'other classes')}")] if n_others else []
    return element("div", table(["class", Column(figure, is_number=True), ""], rows, title="Best classes"), *others)


def _terms_table(explanation: Explanation, explained: ClassExplanation, contributions: dict[str, float]) -> Html:
    """Return the strongest terms for or against a class, with bars.

    The contribution of a word includes those of its n-grams of characters, as in `str`.
    """
    analyzer = None if explanation.model is None else explanation.model.settings.get("analyzer")
    if not contributions:
        return Html()
    counts = {item.term: item.count for item in explained.contributions}
    pairs = list(contributions.items())
    groups = [*group_parts(pairs[:MAX_GROUPED]), *pairs[MAX_GROUPED:]]
    strongest = groups[:MAX_TERMS]
    largest = max((abs(value) for _, value in strongest), default=0.0) or 1.0
    rows = [
        (display_term(term, analyzer), f"{counts[term]:,}", f"{value:+.3f}", signed_bar(value / largest))
        for term, value in strongest
    ]
    n_others = len(groups) - len(strongest)
    notes = [note(f"and {counted(n_others, 'other term')}")] if n_others else []
    if explanation.model is not None and explanation.model.needs_comparing:
        notes.append(note("Contributions are compared with the mean over the classes."))
    columns = (Column("term"), Column("count", is_number=True), Column("contribution", is_number=True), Column(""))
    title = f"Strongest terms for and against {as_written(explained.label)}"
    return element("div", table(columns, rows, title=title), *notes)


# -- models ----------------------------------------------------------------------------------------------------------


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
        card("Categorizer", facts(figures), _classes_table(model, held_out), *notes, subtitle=_training_summary(model))
    )


def _training_summary(model: Model) -> str:
    """Return selector, classifier and time of training in a line: `Chi square · Rocchio · trained 2026-01-31 12:00`."""
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
