"""An explanation as HTML for notebooks: the text with its terms marked, the best classes, and the strongest terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..display import Column, Html, TermSpan, bar, card, element, marked_text, note, notebook_html, signed_bar, table
from ..errors import InputError, counted
from ..text.analysis import display_term, group_parts
from .explanations import MAX_GROUPED
from .labels import as_written

if TYPE_CHECKING:
    from .explanations import ClassExplanation, Explanation

MAX_CLASSES, MAX_TERMS = 5, 12
"""The numbers of classes and of terms that are shown."""
MAX_SPANS = 10_000
"""The number of places of terms that are marked, those that come first."""


def explanation_html(explanation: Explanation) -> str:
    """Return an explanation as HTML.

    The terms are those of the predicted class, or of the best class if no label or several labels are predicted.
    """
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
            "div", _classes_table(explanation), _terms_table(explanation, explained, contributions), class_="columns"
        )
    )
    return notebook_html(card(f"Predicted: {explanation.labels_text}", *content))


def _explained_class(explanation: Explanation) -> ClassExplanation:
    """Return the class whose terms are shown."""
    labels = explanation.predicted if isinstance(explanation.predicted, tuple) else (explanation.predicted,)
    return explanation[labels[0]] if labels else explanation.classes[0]


def _shown_contributions(explanation: Explanation, explained: ClassExplanation) -> dict[str, float]:
    """Return what each term contributes to a class, the largest absolute value first.

    If all contributions have the same sign, they are compared with the mean over the classes.
    """
    terms = [contribution.term for contribution in explained.contributions]
    if explanation.model is not None and explanation.model.needs_comparing:
        shown = dict(zip(terms, explained.compared(), strict=True))
        return dict(sorted(shown.items(), key=lambda item: -abs(item[1])))
    return {item.term: item.contribution for item in explained.contributions}


def _classes_table(explanation: Explanation) -> Html:
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
