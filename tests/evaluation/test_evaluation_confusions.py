"""Examples of confused classes: few for each pair, the same however the documents are split into batches."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textsieve import Categorizer, Corpus, InputError
from textsieve.evaluation import ConfusionExamples, Report, compare_labels
from textsieve.evaluation.confusions import (
    MAX_CONFUSIONS,
    MAX_EXAMPLE_CHARACTERS,
    MAX_PAIRS_WITH_EXAMPLES,
    beginning,
)

TEXTS = ["good goal", "bad vote", "good keeper", "bad budget"] * 5
LABELS = ["sport", "politics"] * 10


def report_of(labels: list[tuple[str, str]], probabilities: list[float] | None, n_each: int, first: int = 0) -> Report:
    """Return the report on documents with a true and a predicted label; the text of each document is its number."""
    true, predicted = ([(pair[side],) for pair in labels] for side in (0, 1))
    numbers = [str(first + number) for number in range(len(labels))]
    examples = ConfusionExamples.of_batch(n_each, numbers, numbers, true, predicted, probabilities)
    return compare_labels("abc", true, predicted, multilabel=False, examples=examples)


label = st.sampled_from("abc")


@given(st.lists(st.tuples(label, label, st.sampled_from([0.25, 0.5, 1.0])), max_size=30), st.data())
def test_examples_do_not_depend_on_batches(documents: list[tuple[str, str, float]], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(documents)))
    labels, probabilities = [(true, given) for true, given, _ in documents], [number for _, _, number in documents]
    for given_probabilities in (probabilities, None):
        whole = report_of(labels, given_probabilities, 2)
        parts = [
            report_of(
                labels[part], None if given_probabilities is None else given_probabilities[part], 2, part.start or 0
            )
            for part in (slice(cut), slice(cut, None))
        ]
        assert (parts[0] + parts[1]).confusions == whole.confusions
    for pair in whole.confusions:
        wrong = [str(number) for number, labels_of in enumerate(labels) if labels_of == (pair.label, pair.predicted)]
        assert [example.text for example in pair.examples] == wrong[:2], "without probabilities, the first are taken"
        assert pair.n_documents == len(wrong)
        assert pair.share == len(wrong) / sum(true == pair.label for true, _ in labels)


def test_the_most_frequent_pairs_come_first_and_are_bounded() -> None:
    labels = [("a", "b")] * 2 + [("b", "c")] * 3 + [("c", "c")] * 9
    assert [(pair.label, pair.n_documents) for pair in report_of(labels, None, 1).confusions] == [("b", 3), ("a", 2)]
    many = [(f"x{number}", f"y{number}") for number in range(MAX_PAIRS_WITH_EXAMPLES + 50)]
    report = report_of([*many, *many[-2:]], None, 1) + report_of([], None, 1)
    assert len(report.examples.by_pair) == MAX_PAIRS_WITH_EXAMPLES
    assert len(report.confusions) == MAX_CONFUSIONS
    assert [pair.label for pair in report.confusions[:2]] == [true for true, _ in many[-2:]]
    assert all(pair.examples for pair in report.confusions[:2])


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("short", "short"),
        (" white \n\t space ", "white space"),
        ("x" * MAX_EXAMPLE_CHARACTERS, "x" * MAX_EXAMPLE_CHARACTERS),
        ("x" * (MAX_EXAMPLE_CHARACTERS + 1), "x" * (MAX_EXAMPLE_CHARACTERS - 1) + "…"),
        ("word " * 100, ("word " * 40)[: MAX_EXAMPLE_CHARACTERS - 1].rstrip() + "…"),
        ("a" + " " * 100_000 + "b", "a…"),
        ("", ""),
    ],
)
def test_a_text_is_cut_after_200_characters(text: str, start: str) -> None:
    assert beginning(text) == start


def test_the_beginning_of_a_text_is_short_and_on_one_line() -> None:
    assert beginning(" a\n\tb ") == "a b"
    assert beginning(b"caf\xe9 \xc3\xa9") == "caf\ufffd é"
    for text in ("a" * 201, "a " * 5000, "a" * 10**6):
        assert len(beginning(text)) <= MAX_EXAMPLE_CHARACTERS
        assert beginning(text).endswith("a…")
    assert beginning("a" * MAX_EXAMPLE_CHARACTERS) == "a" * MAX_EXAMPLE_CHARACTERS
    assert beginning(" " * 10**6) == "…"


@pytest.fixture(scope="module")
def categorizer() -> Categorizer:
    return Categorizer(n_jobs=1).fit(TEXTS, LABELS)


def test_places_are_positions_or_those_of_the_corpus(categorizer: Categorizer) -> None:
    texts, labels = ["good goal", "bad vote", "good keeper"], ["sport", "sport", "sport"]
    for report in (categorizer.evaluate(texts, labels), categorizer.evaluate(texts, labels, [1, 2, 0])):
        ((*_, examples),) = report.confusions
        assert [(example.place, example.text) for example in examples] == [("texts[1]", "bad vote")]
    weighted = categorizer.evaluate(texts, labels, [0, 2, 0])
    assert weighted.confusions[0].examples[0].place == "texts[1]", "a text of weight 0 keeps its position"
    assert weighted.confusions[0].n_documents == 2
    corpus = categorizer.evaluate(Corpus.from_texts(texts, labels))
    assert corpus.confusions[0].examples[0].place == "document 2"


def test_the_number_of_examples_is_a_setting(categorizer: Categorizer) -> None:
    texts, labels = ["bad vote"] * 5, ["sport"] * 5
    assert [len(categorizer.evaluate(texts, labels, n_examples=n).confusions[0].examples) for n in (0, 1, 5, 9)] == [
        0,
        1,
        5,
        5,
    ]
    wrong: list[Any] = [-1, 1.5, "all"]
    for n_examples in wrong:
        with pytest.raises(InputError, match="n_examples"):
            categorizer.evaluate(texts, labels, n_examples=n_examples)


def test_a_printed_report_has_no_texts(categorizer: Categorizer) -> None:
    report = categorizer.evaluate(["bad vote"], ["sport"])
    assert "vote" not in str(report)
    assert "vote" not in repr(report)


def test_bands_count_every_document_once(categorizer: Categorizer) -> None:
    report = categorizer.evaluate([*TEXTS, "xyzzy"], [*LABELS, "sport"])
    assert sum(band.documents for band in report.bands) == 21
    assert sum(band.documents * band.accuracy for band in report.bands) == pytest.approx(report.right)
    assert report.bands[0].documents >= 1, "a document without a known term is never certain"
    assert Report(("a", "b"), documents=3, pairs=Counter({("a", "a"): 3})).bands == []


def test_a_notebook_shows_confused_classes_with_examples_and_probability_bands(categorizer: Categorizer) -> None:
    texts = [*TEXTS, "<b>good</b> goal"]
    html = categorizer.evaluate(texts, [*LABELS, "politics"])._repr_html_()
    assert "Labels by probability" in html
    assert "Labels with a minimum probability" in html
    assert "Confused classes" in html
    assert "texts[20]" in html
    assert "&lt;b&gt;good" in html
    assert "<b>good" not in html
    without_mistakes = categorizer.evaluate(TEXTS, LABELS)._repr_html_()
    assert "Confused classes" not in without_mistakes
