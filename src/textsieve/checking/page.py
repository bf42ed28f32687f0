"""The result of a check as HTML: a card for notebooks, and a self-contained page with all problems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..display import Column, Html, bar, card, element, facts, note, notebook_html, page_html, table
from ..evaluation.report_html import confusion_list
from ..files import replacing
from .result import CheckResult, odds_text

NOTEBOOK_ROWS = 5
"""The number of rows of each table in a notebook."""
PAGE_ROWS = 1_000
"""The largest number of rows of each table on the page; a note says how many more there are."""
MAX_PLACES = 10
"""The largest number of copies whose places are listed."""


def write_page(result: CheckResult, path: str) -> None:
    """Write a page with all problems; an old file is replaced when the new one is complete."""
    with replacing(path) as file:
        file.write(full_page(result).encode())


def full_page(result: CheckResult) -> str:
    """Return the HTML of the page."""
    title = f"Check of {result.name}"
    sections = [card(heading, *content) for heading, content in _sections(result, None)]
    return page_html(title, _summary(result, title), *sections)


def notebook_view(result: CheckResult) -> str:
    """Return a card with the kinds of problems, and the worst of each kind."""
    sections = [
        element("details", element("summary", heading), *content)
        for heading, content in _sections(result, NOTEBOOK_ROWS)
    ]
    return notebook_html(_summary(result, f"Check of {result.name}", *sections))


def _summary(result: CheckResult, title: str, *more: Html) -> Html:
    """Return a card with the size of the corpus, the accuracy, and the number of each kind of problem."""
    accuracy = "" if result.accuracy is None else f"{result.accuracy:.1%}"
    sizes = [("documents", f"{len(result.documents):,}"), ("classes", f"{len(result.class_sizes):,}")]
    numbers = facts([*sizes, ("cross-validated accuracy", accuracy)])
    problems = result.problems()
    overview = (
        table(
            [_number("count"), "problem", "what it means, or what to do"],
            [(f"{row.n_found:,}", row.problem, row.advice) for row in problems],
        )
        if problems
        else note("No problems found.")
    )
    return card(title, numbers, overview, *more, subtitle=result.heading)


def _sections(result: CheckResult, n_rows: int | None) -> Iterator[tuple[str, Sequence[Html]]]:
    """Yield the title and the content of each section; tables have at most `n_rows` rows, or all if it is None."""
    documents = result.documents
    if result.duplicates:
        copies = [
            (
                _first([documents[number].place for number in group.documents]),
                _first(result.labels_of_copies(group)),
                "exact" if group.is_exact else "near",
                documents[group.documents[0]].text,
            )
            for group in result.duplicates
        ]
        yield _section("Copies", ["where", "labels", "kind", "text"], copies, n_rows)
    if result.wrong_labels:
        wrong_labels = [
            (
                documents[wrong.document].place,
                wrong.label,
                wrong.likely_label,
                f"{wrong.probability:.2f}",
                odds_text(wrong.odds),
                documents[wrong.document].text,
            )
            for wrong in result.wrong_labels
        ]
        numbers = map(_number, ("probability", "odds"))
        columns: list[Column | str] = ["where", "label", "rather", *numbers, "text"]
        yield _section("Probably wrong labels", columns, wrong_labels, n_rows)
    if result.similar_labels or result.misspelled_labels or result.placeholders or result.small_classes:
        labels = [
            ("may be one label", ", ".join(f"{label!r} ({size:,})" for label, size in group.items()))
            for group in result.similar_labels
        ]
        labels += [
            (
                "typing error",
                f"{error.label!r} ({error.n_documents:,}), rather {error.likely_label!r} ({error.n_likely:,})",
            )
            for error in result.misspelled_labels
        ]
        labels += [("placeholder", f"{label!r} ({size:,})") for label, size in result.placeholders.items()]
        labels += [("too small to learn", f"{label!r} ({size:,})") for label, size in result.small_classes.items()]
        yield _section("Labels", ["problem", "labels, with their documents"], labels, n_rows)
    if result.giveaways:
        giveaways = [
            (
                giveaway.term,
                giveaway.label,
                f"{giveaway.n_documents:,}",
                f"{giveaway.precision:.1%}",
                f"{giveaway.recall:.1%}",
            )
            for giveaway in result.giveaways
        ]
        shares = map(_number, ("documents", "in label", "has term"))
        yield _section("Terms that give a label away", ["term", "label", *shares], giveaways, n_rows)
    yield from _document_sections(result, n_rows)
    if result.confusions:
        yield "Confused classes", [confusion_list(result.confusions[:n_rows])]
    if result.curve is not None:
        points = zip(result.curve.n_documents, result.curve.accuracy, strict=True)
        curve_rows = [(f"{n_documents:,}", f"{accuracy:.3f}", bar(accuracy)) for n_documents, accuracy in points]
        curve_columns: list[Column | str] = [_number("training documents"), _number("accuracy"), ""]
        yield "Learning curve", [table(curve_columns, curve_rows), note(str(result.curve))]
    else:
        yield "Labels were not checked", [note(result.not_cross_validated, is_warning=True)]


def _document_sections(result: CheckResult, n_rows: int | None) -> Iterator[tuple[str, Sequence[Html]]]:
    """Yield the sections for empty and short documents, and for documents in another language."""
    short = [("empty", number) for number in result.empty] + [("very short", number) for number in result.short]
    languages = [(language, number) for number, language in result.other_languages.items()]
    if short:
        yield "Empty and very short documents", [_document_table(result, "problem", short, n_rows)]
    if languages:
        counts = ", ".join(f"{language} {count:,}" for language, count in result.languages.items())
        content = [note(f"Languages: {counts}"), _document_table(result, "language", languages, n_rows)]
        yield "Documents in another language", content


def _document_table(
    result: CheckResult, fact_title: str, facts_and_numbers: Sequence[tuple[str, int]], n_rows: int | None
) -> Html:
    """Return a table of documents, with a column titled `fact_title` that says something about each of them.

    `facts_and_numbers` has a pair for each row: what the column says, such as "very short", and the document's number.
    """
    rows = []
    for fact, number in facts_and_numbers[:n_rows]:
        place, labels, text = result.documents[number]
        rows.append((place, fact, ", ".join(labels), text))
    return table(["where", fact_title, "label", "text"], rows, max_rows=PAGE_ROWS)


def _section(
    title: str, columns: Sequence[Column | str], rows: Sequence[Sequence[object]], n_rows: int | None
) -> tuple[str, Sequence[Html]]:
    """Return the heading of a section and its content, a table of the first `n_rows` rows, or of all if it is None.

    If rows are left out, the heading says so: "Copies (5 of 120)".
    """
    has_more = n_rows is not None and len(rows) > n_rows
    heading = f"{title} ({n_rows} of {len(rows):,})" if has_more else title
    return heading, [table(columns, rows[:n_rows], max_rows=PAGE_ROWS)]


def _first(places: Sequence[str]) -> str:
    """Return the first `MAX_PLACES` places or labels of documents, and how many more documents there are."""
    more = f", and {len(places) - MAX_PLACES:,} more" if len(places) > MAX_PLACES else ""
    return ", ".join(places[:MAX_PLACES]) + more


def _number(title: str) -> Column:
    """Return a table column for numbers, which are aligned to the right."""
    return Column(title, is_number=True)
