"""Spans, the positions of a model's terms in a text: of stored models, real documents and odd texts."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from tests.modelfile.golden_models import DOCUMENTS, FOLDER, MODELS
from tests.reference.categorizer_cases import plain_categorizer
from tests.reference.model_cases import documents, models, small_model
from tests.reference.places_cases import odd_texts

import textsieve
from textsieve import InputError
from textsieve.prediction import Model, Span
from textsieve.text.preparation import Preparation

SAMPLE = 20


def assert_as_counted(model: Model, text: str) -> list[Span]:
    """Assert that each term has as many spans as `counts` says, and return the spans."""
    spans = model.spans(text)
    n_spans = Counter(span.term for span in spans)
    counts = model.counts([text])
    terms = [model.terms[column] for column in counts.indices.tolist()]
    assert n_spans == dict(zip(terms, counts.data.tolist(), strict=True))
    assert spans == sorted(spans, key=lambda span: span[:2])
    return spans


@given(models(), documents)
def test_spans_of_any_model_equal_its_counts(model: Model, texts: list[str]) -> None:
    for text in texts:
        assert_as_counted(model, text)
        contributions = model.explain(text).classes[0].contributions
        assert Counter(span.term for span in model.spans(text)) == {
            contribution.term: contribution.count for contribution in contributions
        }


@pytest.mark.parametrize("name", MODELS)
def test_spans_of_stored_models_equal_their_counts(name: str) -> None:
    model = textsieve.load(FOLDER / f"{name}.sieve")
    spans = [assert_as_counted(model.model_, text) for text in DOCUMENTS]
    assert any(spans)
    assert model.spans(DOCUMENTS[0]) == spans[0]


@pytest.mark.parametrize("name", MODELS)
@given(text=odd_texts)
def test_spans_of_odd_texts_equal_their_counts(name: str, text: str) -> None:
    model = textsieve.load(FOLDER / f"{name}.sieve").model_
    assert_as_counted(model, f"{text} {DOCUMENTS[0][:200]}{text}")


OTHER_TERMS: list[dict[str, Any]] = [
    {"token_pattern": r"\b\w[\w'-]*\b", "strip_accents": "unicode"},
    {"analyzer": "text", "ngram_range": (1, 2), "char_ngram_range": (3, 5), "stop_words": "english"},
    {"analyzer": "text", "ngram_range": (2, 2), "char_ngram_range": (1, 1)},
    {"analyzer": "char", "ngram_range": (2, 4)},
    {"analyzer": "char_wb", "ngram_range": (1, 4)},
]


@pytest.mark.parametrize("settings", OTHER_TERMS, ids=str)
@given(text=odd_texts)
def test_spans_of_other_terms_than_words_equal_their_counts(settings: dict[str, Any], text: str) -> None:
    model = model_of_other_terms(tuple(settings.items()))
    assert_as_counted(model, f"{text} {DOCUMENTS[0][:200]}{text}")


@cache
def model_of_other_terms(settings: tuple[tuple[str, Any], ...]) -> Model:
    """Return a model with these settings and all terms."""
    labels = [str(number % 2) for number in range(len(DOCUMENTS))]
    return plain_categorizer(n_terms="all", n_jobs=1, **dict(settings)).fit(DOCUMENTS, labels).model_


@pytest.fixture(scope="module")
def sample(raw_documents: Callable[[int], list[str]]) -> list[str]:
    """Return some real documents."""
    return raw_documents(SAMPLE)


PREPARED: list[dict[str, Any]] = [
    {},
    {"tags": "drop", "strip_accents": "unicode", "ngram_range": (1, 3), "stop_words": "english"},
    {"tags": "drop", "names": True, "strip_accents": "ascii"},
    {"tags": "drop", "names": True, "normalise": "stem", "stop_words": "english", "lowercase": False},
    *OTHER_TERMS,
]


@pytest.mark.parametrize("settings", PREPARED, ids=str)
def test_spans_of_real_documents_equal_their_counts(sample: list[str], settings: dict[str, Any]) -> None:
    labels = ["a", "b"] * (SAMPLE // 2)
    model = plain_categorizer(n_terms=1000, selector="df", n_jobs=1, **settings).fit(sample, labels)
    for text in sample:
        for start, end, term in assert_as_counted(model.model_, text):
            if not settings:
                assert text[start:end].lower() == term
            elif settings.get("tags") == "drop" and "<" not in text[start:end] and "&" not in text[start:end]:
                assert text[start - 1 : start].isalnum() is False, "a word begins where it begins"


def test_spans_of_bytes_equal_those_of_the_decoded_text() -> None:
    model = small_model()
    assert model.spans("Straße: goal".encode()) == [Span(0, 6, "straße"), Span(8, 12, "goal")]
    with pytest.raises(InputError, match="not utf-8"):
        model.spans(b"\xe9")


@pytest.mark.parametrize("odd", [None, 5, ["goal"]])
def test_spans_of_anything_but_a_text_raise(odd: Any) -> None:
    with pytest.raises(InputError, match="give one text"):
        small_model().spans(odd)


def test_spans_raise_if_a_function_strips_accents() -> None:
    model = plain_categorizer(n_terms="all", strip_accents=str.swapcase, n_jobs=1)
    model.fit(["goal won", "law passed"] * 2, ["a", "b"] * 2)
    with pytest.raises(InputError, match=r"strip_accents=.* is a function"):
        model.spans("goal")


def test_a_changed_model_uses_its_new_settings() -> None:
    model = small_model()
    assert model.spans("<b>goal</b>s goal") == [Span(3, 7, "goal"), Span(13, 17, "goal")]
    assert replace(model, preparation=Preparation(tags="drop")).spans("<b>goal</b>s goal") == [Span(13, 17, "goal")]
