"""What notebooks show of a categorizer, an explanation, an evaluation and a comparison; all text is escaped."""

from __future__ import annotations

import re
from copy import deepcopy
from html import unescape
from typing import Any

import pytest

from tests.reference.categorizer_cases import plain_categorizer, small_texts
from tests.reference.report_cases import HOSTILE, compared, of_many_classes
from textsieve import Categorizer, Corpus, compare
from textsieve.comparison import Comparison

CASE = small_texts(90, 3)
TEXT = "a harbour has a deck <b>and</b> a sail, an oven & salt"


@pytest.fixture(scope="module")
def model() -> Categorizer:
    return plain_categorizer(held_out=0.3, probabilities="auto").fit(CASE.texts, CASE.labels)


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compared()


def body_of(html: str) -> str:
    """Return the HTML without its style."""
    return html.partition("</style>")[2]


def text_of(html: str) -> str:
    """Return the visible text."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body_of(html))).split())


def marks_of(html: str) -> dict[str, str]:
    """Return the kind of each marked text."""
    return {
        unescape(text): kind for kind, text in re.findall(r'<mark class="(\w+)"[^>]*>(.*?)</mark>', html, re.DOTALL)
    }


def test_a_fitted_categorizer_shows_classes_terms_quality_and_size(model: Categorizer) -> None:
    text = text_of(model._repr_html_())
    assert "forward selection · linear SVM · trained" in text
    assert "3 classes" in text
    assert f"{len(model.terms_):,} of" in text
    assert "90 documents" in text
    assert model.held_out_ is not None
    assert f"{model.held_out_['micro_f1']:.3f} micro-F1, held out" in text
    assert re.search(r"[\d.]+ kB file", text)
    for label in model.classes_:
        best = next(iter(model.class_terms(1)[label]))[0]
        assert re.search(rf"{label} 30 (?:[\d.]+|–) .*?{best}", text)


def test_a_categorizer_that_measured_nothing_says_how_to() -> None:
    text = text_of(plain_categorizer().fit(CASE.texts, CASE.labels)._repr_html_())
    assert "Quality was not measured: set held_out, or call evaluate." in text


def test_an_unfitted_categorizer_is_shown_by_scikit_learn() -> None:
    html = Categorizer(n_terms=77)._repr_html_()
    assert "sk-container" in html
    assert "n_terms=77" in html


def test_a_categorizer_with_a_function_has_no_size() -> None:
    model = plain_categorizer(analyzer=str.split).fit(CASE.texts, CASE.labels)
    assert "file" not in text_of(model._repr_html_())
    assert "The text is not marked." in text_of(model.explain(TEXT)._repr_html_())


def test_an_explanation_marks_the_terms_in_the_text(model: Categorizer) -> None:
    explanation = model.explain(TEXT)
    html = explanation._repr_html_()
    assert isinstance(explanation.predicted, str)
    marks, predicted = marks_of(html), explanation[explanation.predicted]
    contributions = {item.term: item.contribution for item in predicted.contributions}
    assert len(contributions) > 2
    assert {"for", "against"} == set(marks.values())
    for term, kind in marks.items():
        assert kind == ("for" if contributions[term] > 0 else "against")
    (marked,) = re.findall(r'<div class="marked">(.*?)</div>', html, re.DOTALL)
    assert unescape(re.sub(r"</?mark[^>]*>", "", marked)) == TEXT
    text = text_of(html)
    assert f"Predicted: {explanation.predicted}" in text
    strongest = predicted.contributions[0]
    assert f"{strongest.term} {strongest.count} {strongest.contribution:+.3f}" in text


def test_the_probabilities_of_the_best_classes_are_shown(model: Categorizer) -> None:
    explanation = model.explain(TEXT)
    text = text_of(explanation._repr_html_())
    for item in explanation.classes:
        assert item.probability is not None
        assert f"{item.label} {item.probability:.1%}" in text


@pytest.mark.parametrize("classifier", ["nb", "knn", "tcfp"])
def test_contributions_of_one_sign_are_compared(classifier: str) -> None:
    model = plain_categorizer(classifier=classifier).fit(CASE.texts, CASE.labels)
    explanation = model.explain(TEXT)
    html = explanation._repr_html_()
    assert "Contributions are compared with the mean over the classes." in text_of(html)
    assert {"for", "against"} <= set(marks_of(html).values())


def test_a_text_without_known_terms_says_so(model: Categorizer) -> None:
    explanation = model.explain("xyzzy")
    text = text_of(explanation._repr_html_())
    assert f"{explanation.unknown}." in text
    assert "Strongest terms" not in text


def test_bytes_and_emoji_are_marked_at_their_places(model: Categorizer) -> None:
    html = model.explain("🚤 sail 🚤".encode())._repr_html_()
    assert set(marks_of(html)) == {"sail"}
    assert "🚤 <mark" in html


def test_a_multilabel_explanation_has_all_labels() -> None:
    case = small_texts(90, 3, multilabel=True)
    model = plain_categorizer(probabilities=None).fit(case.texts, [list(labels) for labels in case.label_sets])
    explanation = model.explain(TEXT)
    text = text_of(explanation._repr_html_())
    assert isinstance(explanation.predicted, tuple)
    assert f"Predicted: {', '.join(map(str, explanation.predicted)) or 'no label'}" in text
    assert "class score" in text


def test_explanations_are_still_equal_and_can_be_copied(model: Categorizer) -> None:
    explanation = model.explain(TEXT)
    assert explanation == model.explain(TEXT)
    assert deepcopy(explanation) == explanation
    assert "harbour has" not in repr(explanation)


def test_an_evaluation_shows_figures_classes_and_mistakes(model: Categorizer) -> None:
    report = model.evaluate(CASE.texts, ["boat"] * 45 + CASE.labels[45:])
    text = text_of(report._repr_html_())
    assert f"90 documents {report.accuracy:.3f} accuracy {report.micro_f1:.3f} micro-F1" in text
    for row in report.rows():
        assert f"{row.label} {row.documents} {row.predicted} {row.precision:.3f} {row.recall:.3f} {row.f1:.3f}" in text
    (worst, count), *_ = [item for item in report.pairs.most_common() if item[0][0] != item[0][1]]
    assert f"{worst[0]} taken for {worst[1]}: {count} documents" in text
    assert "documents have no term of the model" not in text
    assert "1 document has no term of the model." in text_of(model.evaluate(["xyzzy"], ["boat"])._repr_html_())


def test_a_comparison_shows_findings_and_the_best_first(comparison: Comparison) -> None:
    text = text_of(comparison._repr_html_())
    view = comparison.with_full_names().view
    for finding in view.findings:
        assert finding.combination in text
        assert finding.about in text
    rows = [" ".join(cell.text for cell in row.cells[:3]) for row in view.conditions.rows]
    places = [text.index(row) for row in rows]
    assert places == sorted(places)
    assert comparison._repr_html_().count('class="interval"') == 14
    assert "60 documents" not in text.partition("Comparison on texts")[0]


def test_a_comparison_shows_how_certain_the_labels_of_the_best_are() -> None:
    compared_more = compared(90, selectors="all", classifiers="nb")
    text = text_of(compared_more._repr_html_())
    ((combination, confidence),) = compared_more.with_full_names().view.confidence
    certainty = text.partition(f"{combination} How certain labels are")[2]
    band, row = confidence.bands()[0], confidence.rows()[0]
    assert f"0 to 0.5 {band.documents} {band.accuracy:.1%}" in certainty
    assert f"0.5 {row.accuracy:.1%} {row.share:.1%}" in certainty
    assert certainty.endswith(compared_more.view.confidence_note)
    assert "How certain" not in text_of(compared(selectors="all", classifiers="nb")._repr_html_())


def test_a_comparison_without_figures_is_shown_too() -> None:
    text = text_of(compared(selectors="ig(min_score=9)", classifiers="nb")._repr_html_())
    assert "keeps none of the" in text


def test_a_long_list_of_classes_scrolls() -> None:
    many = of_many_classes(3)
    labels = [f"class {number}" for number in range(40)]
    model = plain_categorizer().fit([f"word{number} {number}" for number in range(40)] * 3, labels * 3)
    assert "Classes (40)" in text_of(model._repr_html_())
    assert 'class="scroll long"' in model._repr_html_()
    assert 'class="scroll long"' not in many._repr_html_()


def hostile_objects() -> dict[str, Any]:
    """Return objects whose texts, terms, labels and names would run as a script if they were not escaped."""
    texts = [f"{HOSTILE} {'onerror' if number % 2 else 'window'}" for number in range(40)]
    labels = [f"{HOSTILE}{number % 2}" for number in range(40)]
    model = plain_categorizer(analyzer="char", ngram_range=(3, 6), n_terms=50).fit(texts, labels)
    wanted: dict[str, Any] = {"selectors": "ig", "n_terms": "2", "classifiers": "nb", "folds": 2, "n_jobs": 1}
    return {
        "categorizer": model,
        "explanation": model.explain(f"{HOSTILE} <script>window.hacked = 1</script>"),
        "report": model.evaluate(texts, labels[::-1]),
        "comparison": compare(Corpus.from_texts(texts, labels, name=HOSTILE), **wanted),
    }


def test_nothing_hostile_becomes_markup() -> None:
    for name, displayed in hostile_objects().items():
        body = body_of(displayed._repr_html_())
        assert not re.search(r"<(?:script|img|/script)", body), name
        tags = set(re.findall(r"<(\w+)", body))
        assert tags <= {
            *("div", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td", "span", "i", "mark", "p"),
            *("details", "summary"),
        }, name
        assert "&lt;img" in body, name
