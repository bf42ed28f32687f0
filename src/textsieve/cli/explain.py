"""`textsieve explain`: show which terms of a text speak for and against its classes."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import groupby, takewhile
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

import click

from . import options

if TYPE_CHECKING:
    from rich.text import Text

    from ..categorizer import Categorizer
    from ..prediction import ClassExplanation, Explanation, Model, Span
    from .output import Page

FOR, AGAINST = "bold green", "underline red"
"""The styles of terms that speak for a class and against it."""
MAX_SHOWN = 4000
"""The maximum number of characters of the text that are shown; a longer text would push the tables off the screen."""


@click.command(
    epilog=options.examples(
        'textsieve explain news.sieve "The striker scored twice"',
    )
)
@click.argument("model", shell_complete=options.complete_files)
@click.argument("text")
@click.option(
    *("--classes", "n_classes"),
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    metavar="N",
    help="Explain the N best classes.",
)
@click.option("--label", help="Explain this class instead.")
@options.shown_terms(
    "--terms",
    default=15,
    help="How many terms or words to show, those that contribute most; the others are summed up.",
)
@options.json_flag
def command(model: str, text: str, n_classes: int, label: str | None, n_terms: int, wants_json: bool) -> None:
    """Show which terms of a text speak for which class, and how much.

    A term's contribution is its weight in the text times the model's coefficient for the class; contributions and
    intercept sum up to the class's score. If the model has n-grams of characters, the table has words, each with the
    sum of the terms in it. TEXT is the text itself, or - for standard input. A terminal also shows the
    text, with the terms that speak for the first class in bold, and those that speak against it underlined; where terms
    overlap, their sum counts.
    """
    from ..categorizer import load
    from .json_output import print_json

    categorizer, text = load(model), _read_text(text)
    explanation = categorizer.explain(text)
    classes = explanation.classes[:n_classes] if label is None else (_find_class(explanation, label),)
    if wants_json:
        print_json(explanation.to_dict() | {"classes": [explained.to_dict() for explained in classes]})
    else:
        _show(categorizer, text, explanation, classes, n_terms)


def _read_text(text: str) -> str:
    """Return the argument TEXT, or if it is -, the text on standard input."""
    from ..corpus.streams import decode
    from .opening import STDIO, standard_input

    return decode(standard_input().read(), "utf-8")[0] if text == STDIO else text


def _find_class(explanation: "Explanation", label: str) -> "ClassExplanation":
    """Return the explanation of the class with this label; raise `InputError` if the model has no such class."""
    from ..errors import InputError, shown
    from ..prediction import as_written

    for explained in explanation.classes:
        if as_written(explained.label) == label:
            return explained
    known = sorted(as_written(explained.label) for explained in explanation.classes)
    raise InputError(
        "there is no such class", setting="label", value=label, hint=f"the classes are {shown(known, 200)}"
    )


def _show(
    categorizer: "Categorizer",
    text: str,
    explanation: "Explanation",
    classes: tuple["ClassExplanation", ...],
    n_terms: int,
) -> None:
    """Print the predicted labels, on a terminal the text with its terms in colour, and a table for each class.

    The tables have `n_terms` terms each, or words if the model explains words.
    """
    from ..text.analysis import is_marked
    from .output import Page, show_marks

    page, model = Page(), categorizer.model_
    _show_predicted(page, explanation, has_terms=bool(classes[0].contributions))
    spans = categorizer.spans(text) if model.explains_words or page.has_styles else []
    if page.has_styles:
        page.styled(highlight(text, spans, _strengths(classes[0], model.needs_comparing)))
    # Terms may have marks such as ▁. In a table of words, only n-grams that are in no word have them.
    has_marks = not model.explains_words
    for explained in classes:
        if model.explains_words:
            words = contributions_of_words(text, spans, explained, lowercase=model.lowercase)
            has_marks |= any(is_marked(word.word) for word in words[:n_terms])
            _show_words(page, explained, words[:n_terms], words[n_terms:])
        else:
            _show_class(page, explained, n_terms, model)
    if model.needs_comparing:
        page.line("Contributions of this model all have one sign; “beside others” is how much more a term adds to the")
        page.line("class than to all classes on average, and says whether it speaks for the class or against it.")
    if model.explains_words:
        page.line("The contribution of a word is the sum of its own and its n-grams'; --json lists all terms.")
    if has_marks:
        show_marks(page, model.analysis.to_dict())


def _show_predicted(page: "Page", explanation: "Explanation", *, has_terms: bool) -> None:
    """Print the predicted labels, and if they do not follow from the scores, why.

    `has_terms` says whether there are contributions of terms to show below.
    """
    from .output import label_text

    predicted = explanation.predicted if isinstance(explanation.predicted, tuple) else (explanation.predicted,)
    page.line(f"Predicted: {', '.join(map(label_text, predicted)) or 'no label'}")
    if explanation.unknown is not None:
        no_terms = "" if has_terms else "; there are no terms to show"
        page.line(f"{explanation.unknown}, whatever the scores of the classes are{no_terms}.")


def _strengths(explained: "ClassExplanation", compares_classes: bool) -> dict[str, float]:
    """Return for each term how much it speaks for the class; a negative strength speaks against it.

    The strength is the term's contribution to the score of the class. With `compares_classes`, the mean of its
    contributions to all classes is subtracted, for models whose contributions all have one sign.
    """
    contributions = [contribution.contribution for contribution in explained.contributions]
    strengths = explained.compared() if compares_classes else contributions
    return {
        contribution.term: strength for contribution, strength in zip(explained.contributions, strengths, strict=True)
    }


def highlight(text: str, spans: "Iterable[Span]", strengths: Mapping[str, float]) -> "Text":
    """Return the text in styles that show which terms speak for a class, and which against it.

    Where terms overlap, a character has the style of the sum of their strengths (see `_strengths`). `spans` must be
    sorted by their starts. Only the first `MAX_SHOWN` characters are returned.
    """
    from rich.text import Text

    from .messages import printable

    covering_terms: list[set[str]] = [set() for _ in text[:MAX_SHOWN]]  # for each character, the terms that cover it
    for start, end, term in takewhile(lambda span: span.start < len(covering_terms), spans):
        for terms in covering_terms[start:end]:
            terms.add(term)
    styles = [_style(fsum(strengths[term] for term in terms)) for terms in covering_terms]
    styled = Text()
    for style, group in groupby(zip(text, styles, strict=False), key=lambda pair: pair[1]):  # `styles` may be shorter
        styled.append("".join("\n" if character == "\n" else printable(character) for character, _ in group), style)
    return styled.append("…") if len(text) > MAX_SHOWN else styled


def _style(strength: float) -> str:
    """Return the style of a character, given how much its terms speak for the class."""
    return FOR if strength > 0 else AGAINST if strength < 0 else ""


class WordContribution(NamedTuple):
    """The contribution of a word to the score of a class."""

    word: str
    n_terms: int
    """The number of known terms in the word: itself, and n-grams of its characters."""
    contribution: float


def contributions_of_words(
    text: str, spans: "Iterable[Span]", explained: "ClassExplanation", *, lowercase: bool = True
) -> list[WordContribution]:
    """Return the contribution of each word of a text to a class, the largest absolute value first.

    The contribution of a word is the sum of the contributions of the terms in it, over all places where the word
    occurs. A term that occurs `count` times in the text contributes the same part of its contribution each time. Terms
    that are not inside one word are listed by themselves, like words: n-grams of words, and n-grams of scripts without
    spaces.
    """
    from ..prediction.reasons import words_of_spans

    by_term = {contribution.term: contribution for contribution in explained.contributions}
    parts: dict[str, list[float]] = defaultdict(list)  # for each word, what each place of each term contributes
    terms: dict[str, set[str]] = defaultdict(set)
    for word, term in words_of_spans(text, spans, lowercase=lowercase):
        parts[word].append(by_term[term].contribution / by_term[term].count)
        terms[word].add(term)
    words = [WordContribution(word, len(terms[word]), fsum(parts_of_word)) for word, parts_of_word in parts.items()]
    return sorted(words, key=lambda word: -abs(word.contribution))


def _show_words(
    page: "Page", explained: "ClassExplanation", first: list[WordContribution], others: list[WordContribution]
) -> None:
    """Print the first words of a text with their contributions to a class, the sum of the others, and the score."""
    from ..errors import counted
    from .messages import printable
    from .output import Column, number_columns

    rows = [[printable(word), f"{n_terms:,}", f"{contribution:+.4f}"] for word, n_terms, contribution in first]
    if others:
        rest = fsum(other.contribution for other in others)
        rows.append([f"({counted(len(others), 'other word')})", "", f"{rest:+.4f}"])
    rows.append(["(intercept)", "", f"{explained.intercept:+.4f}"])
    rows.append(["= score", "", f"{explained.score:+.4f}"])
    page.table([Column("word"), *number_columns("terms", "contribution")], rows, title=_title(explained))


def _title(explained: "ClassExplanation") -> str:
    """Return the title of a table: the class, its probability if the model has any, its score and its threshold."""
    from .output import label_text

    threshold = "" if explained.threshold is None else f"; threshold {explained.threshold:.4f}"
    probability = "" if explained.probability is None else f"probability {explained.probability:.1%}, "
    return f"{label_text(explained.label)}: {probability}score {explained.score:.4f}{threshold}"


def _show_class(page: "Page", explained: "ClassExplanation", n_terms: int, model: "Model") -> None:
    """Print the first `n_terms` terms of a class with their contributions, the sum of the others, and the score.

    If all contributions of the model have one sign, a further column has the strengths of the terms (`_strengths`).
    """
    from ..errors import counted
    from .output import Column, number_columns, term_text

    compares_classes = model.needs_comparing
    first, others = explained.contributions[:n_terms], explained.contributions[n_terms:]
    strengths = _strengths(explained, compares_classes)
    rows = [
        [
            term_text(term, model.settings),
            f"{count:,}",
            f"{weight:.4f}",
            f"{contribution:+.4f}",
            f"{strengths[term]:+.4f}",
        ]
        for term, count, weight, contribution in first
    ]
    if others:
        contribution_sum = sum(other.contribution for other in others)
        strength_sum = sum(strengths[other.term] for other in others)
        title = f"({counted(len(others), 'other term')})"
        rows.append([title, "", "", f"{contribution_sum:+.4f}", f"{strength_sum:+.4f}"])
    rows.append(["(intercept)", "", "", f"{explained.intercept:+.4f}", ""])
    rows.append(["= score", "", "", f"{explained.score:+.4f}", ""])
    columns = [
        Column("term"),
        *number_columns("count", "weight", "contribution", *(["beside others"] if compares_classes else [])),
    ]
    # Each row has a strength as its last cell, which is left out if there is no column for it.
    page.table(columns, [row[: len(columns)] for row in rows], title=_title(explained))
