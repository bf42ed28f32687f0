"""The reasons for many predictions are the terms and words that `explain` shows for one."""

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.model_cases import documents, models, multilabel_model, small_model, two_classes

from textsieve import Categorizer
from textsieve.arrays import CSR
from textsieve.classifiers.linear import LinearScorer
from textsieve.classifiers.sparse_linear import SparseLinearScorer
from textsieve.cli.explain import contributions_of_words
from textsieve.prediction import Model, reasons
from textsieve.prediction.reasons import Reason, Reasons

WORDS = {
    "sport": ["goalkeeper", "striker", "penalty", "hockey"],
    "politics": ["minister", "budget", "parliament", "voting"],
    "science": ["atoms", "theory", "laboratory", "hypothesis"],
}
TEXTS = [f"{words[n % 4]} and the {words[n * 3 % 4]}" for n in range(8) for words in WORDS.values()]
LABELS = [label for _ in range(8) for label in WORDS]


def reasons_of(model: Model, texts: list[str], n: int = 3) -> list[dict[Any, list[Reason]]]:
    return list(Reasons(model, n).predict(texts)[1])


def expected(model: Model, text: str, label: Any) -> dict[str, float]:
    """Return what each term or word contributes to a label, as `explain` shows it."""
    explained = model.explain(text)[label]
    if model.explains_words:
        words = contributions_of_words(text, model.spans(text), explained, lowercase=model.lowercase)
        return {word.word: word.contribution for word in words}
    values = explained.compared() if model.needs_comparing else [item.contribution for item in explained.contributions]
    return {item.term: value for item, value in zip(explained.contributions, values, strict=True)}


def assert_best(found: list[Reason], contributions: dict[str, float], n: int) -> None:
    """Check that the reasons are the n largest positive contributions."""
    best = sorted((value for value in contributions.values() if value > 1e-12), reverse=True)[:n]
    assert [reason.contribution for reason in found if reason.contribution > 1e-12] == pytest.approx(best, rel=1e-6)
    assert {reason.term: reason.contribution for reason in found} == pytest.approx(
        {reason.term: contributions[reason.term] for reason in found}, rel=1e-6
    )


@given(models(), documents, st.integers(1, 4))
def test_reasons_are_the_largest_contributions(model: Model, texts: list[str], n: int) -> None:
    made = reasons_of(model, texts, n)
    predictions = model.predict(texts)
    assert [tuple(by_label) for by_label in made] == [tuple(labels) for labels in model.label_sets(predictions.labels)]
    for text, by_label in zip(texts, made, strict=True):
        for label, found in by_label.items():
            assert_best(found, expected(model, text, label), n)


@pytest.mark.parametrize("classifier", ["svm", "nb", "cnb", "rocchio", "tcfp", "knnfp", "knn", "subspace"])
def test_reasons_of_every_classifier(classifier: str) -> None:
    options: dict[str, Any] = {"subspace": {"n_estimators": 10}, "knn": {"k": 3}}
    model = (
        Categorizer(classifier=classifier, classifier_options=options.get(classifier), n_jobs=1, char_ngram_range=None)
        .fit(TEXTS, LABELS)
        .model_
    )
    for text, by_label in zip(TEXTS[:6], reasons_of(model, TEXTS[:6], 2), strict=True):
        ((label, found),) = by_label.items()
        assert_best(found, expected(model, text, label), 2)


@pytest.fixture(scope="module")
def word_model() -> Model:
    """A model of words and n-grams of characters."""
    return Categorizer(n_jobs=1, char_ngram_range=(3, 5), max_size=None).fit(TEXTS, LABELS).model_


plain_words = st.sampled_from(
    [word for words in WORDS.values() for word in words] + ["goal", "Minister", "unheard", "ATOMIC"]
)


@given(texts=st.lists(st.lists(plain_words, max_size=12).map(" \n".join), min_size=1, max_size=4))
def test_words_are_those_of_explain(texts: list[str], word_model: Model) -> None:
    assert word_model.explains_words
    for text, by_label in zip(texts, reasons_of(word_model, texts), strict=True):
        ((label, found),) = by_label.items()
        assert_best(found, expected(word_model, text, label), 3)


odd_texts = st.text(st.sampled_from("aest\u0301Σσ\u00ad\u200b ▁…\t\x1c\x85\xa0\u2028'’-./北京한국ไทยİ5"), max_size=40)


@given(texts=st.lists(odd_texts | st.text(max_size=20), min_size=1, max_size=4))
def test_terms_of_any_words_between_spaces_are_those_of_the_text(texts: list[str], odd_model: Model) -> None:
    """`Reasons` counts the terms of each word between spaces by itself."""
    for text, counts in zip(texts, _rows(odd_model.counts(texts)), strict=True):
        assert sum(_rows(odd_model.counts(text.split())), Counter()) == counts
    assert len(reasons_of(odd_model, texts)) == len(texts)


def _rows(counts: CSR) -> list[Counter[int]]:
    """Return the count of each column, row by row."""
    return [
        Counter(dict(zip(counts.indices[begin:end].tolist(), counts.data[begin:end].tolist(), strict=True)))
        for begin, end in pairwise(counts.indptr.tolist())
    ]


@pytest.fixture(scope="module")
def odd_model() -> Model:
    """A model of many n-grams of characters, with letters, symbols and spaces of all kinds."""
    texts = ["at es'st 北京 한국 ไทย σς a-b", "ta/es. a’t st\u0301 ΣΑΣ 5a…"] * 4
    return Categorizer(n_jobs=1, char_ngram_range=(1, 4), max_size=None, n_terms=None).fit(texts, [0, 1] * 4).model_


def test_symbols_around_a_word_count_for_it(word_model: Model) -> None:
    for text in ("minister", "(minister)", "»Minister«, ...", "'minister'?!"):
        (found,) = reasons_of(word_model, [text])[0].values()
        assert [reason.term for reason in found] == ["minister"], text


def test_words_with_symbols_inside_are_split_as_in_explain(word_model: Model) -> None:
    for text in ("minister/budget", "budget@minister.parliament", "北京minister", "minister.Budget minister"):
        ((label, found),) = reasons_of(word_model, [text])[0].items()
        assert_best(found, expected(word_model, text, label), 3)
    assert {"minister", "budget"} == {
        reason.term for reason in reasons_of(word_model, ["minister/budget"])[0]["politics"]
    }


def test_words_are_the_same_however_many_texts_there_are(word_model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"{text}, {other}/x" for text, other in zip(TEXTS, reversed(TEXTS), strict=True)]
    together = reasons_of(word_model, texts)
    assert together == [by_label for text in texts for by_label in reasons_of(word_model, [text])]
    monkeypatch.setattr(reasons, "CHARACTERS_AT_ONCE", 40)
    monkeypatch.setattr(reasons, "MAX_KEPT_PIECES", 3)
    assert reasons_of(word_model, texts) == together


@pytest.mark.parametrize("settings", [{"ngram_range": (1, 2)}, {"tags": "drop"}, {"names": True}])
def test_words_of_models_that_look_at_more_than_a_word(settings: dict[str, Any]) -> None:
    model = Categorizer(n_jobs=1, char_ngram_range=(3, 4), max_size=None, **settings).fit(TEXTS, LABELS).model_
    texts = ["the <b>minister</b> and the budget", "Goalkeeper Striker and the penalty"]
    for text, by_label in zip(texts, reasons_of(model, texts), strict=True):
        ((label, found),) = by_label.items()
        assert_best(found, expected(model, text, label), 3)


def test_reasons_by_hand() -> None:
    found = reasons_of(small_model(), ["goal goal market", "xyzzy", "", "market"])
    assert [[reason.term for reason in by_label.get("sport", [])] for by_label in found] == [["goal"], [], [], []]
    assert found[1:3] == [{"money": []}, {"money": []}], "an unknown document has no reasons"
    assert [reason.term for reason in found[3]["money"]] == ["market"]


def test_each_label_of_a_multilabel_document_has_reasons() -> None:
    (by_label,) = reasons_of(multilabel_model(), ["straße"])
    assert {label: [reason.term for reason in found] for label, found in by_label.items()} == {
        "city": ["straße"],
        "money": ["straße"],
    }


def test_one_output_for_two_classes_speaks_for_both() -> None:
    positive, negative = reasons_of(two_classes(), ["goal market", "market market market new york"])
    assert [reason.term for reason in positive[1]] == ["goal"]
    assert {reason.term for reason in negative[0]} == {"market", "new york"}
    assert all(reason.contribution > 0 for reason in negative[0])


def test_coefficients_of_pairs() -> None:
    columns, outputs = np.array([0, 0, 2]), np.array([1, 2, 0])
    scorer = SparseLinearScorer.from_entries(columns, outputs, np.array([1.0, -2.0, 0.5]), 3, np.zeros(3))
    every = np.divmod(np.arange(9), 3)
    assert scorer.coefficients_of(*every).reshape(3, 3) == pytest.approx(scorer.coefficients)
    assert SparseLinearScorer.without_terms(2).coefficients_of(np.zeros(0, int), np.zeros(0, int)).tolist() == []
    linear = LinearScorer(np.arange(12, dtype=np.float32).reshape(4, 3), np.zeros(3))
    assert linear.coefficients_of(*np.divmod(np.arange(12), 3)).tolist() == list(range(12))
