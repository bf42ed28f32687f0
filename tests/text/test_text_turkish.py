"""In Turkish, the lowercase of `I` is `ı` and that of `İ` is `i`: in texts, stop words, names and saved models."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.categorizer_cases import plain_categorizer
from tests.reference.text_checks import PATHS, path
from tests.reference.text_twins import words_of

import textsieve
from textsieve import InputError, TermCounter
from textsieve.text.preparation import Preparation

every_path = pytest.mark.parametrize("way_through", PATHS)


def lower(text: str) -> str:
    """Return the lowercase of a text in Turkish, by hand."""
    return "".join({"I": "ı", "İ": "i"}.get(letter, letter) for letter in text).lower()


@every_path
@given(st.lists(st.text("IİiıABab Σşé.", max_size=12), min_size=1, max_size=6), st.sampled_from(["tr", "az"]))
def test_texts_are_lowercased_by_the_rules_of_turkish(way_through: str, corpus: list[str], language: str) -> None:
    corpus = [*corpus, "IŞIK İstanbul DIŞ"]
    expected = sorted({word for text in corpus for word in words_of(lower(text))})
    with path(way_through):
        counter = TermCounter(language=language, n_jobs=2).fit(corpus)
        assert sorted(counter.vocabulary_) == expected
        assert counter.transform(["ışık IŞIK"]).sum() == 2


@every_path
@pytest.mark.parametrize(
    ("settings", "terms"),
    [
        ({}, ["işik", "stanbul", "çin"]),  # as by CountVectorizer
        ({"stop_words": "turkish"}, ["istanbul", "ışık"]),
        ({"stop_words": "turkish", "language": "en"}, ["işik", "stanbul", "çin"]),
        ({"language": "turkish"}, ["istanbul", "için", "ışık"]),
        ({"language": "tr", "normalise": "stem"}, ["istanbul", "iç", "ışık"]),
        ({"language": "tr", "lowercase": False}, ["IŞIK", "İstanbul", "İçin"]),
    ],
)
def test_turkish_rules_follow_from_the_language(way_through: str, settings: dict[str, Any], terms: list[str]) -> None:
    with path(way_through):
        assert sorted(TermCounter(**settings).fit(["İçin IŞIK İstanbul"]).vocabulary_) == terms


@every_path
def test_a_combining_dot_is_part_of_the_dotted_i(way_through: str) -> None:
    with path(way_through):
        assert list(TermCounter(language="tr").fit(["I\u0307stanbul"]).vocabulary_) == ["istanbul"]


@every_path
def test_names_are_lowercased_by_the_rules_of_turkish(way_through: str) -> None:
    with path(way_through):
        terms = TermCounter(language="tr", names=True).fit(["bir Işık İnce ve IŞIL Kara"]).vocabulary_
    assert {"ışık ince", "ışıl kara"} <= set(terms)


TEXTS = ["İstanbul için IŞIK", "Kitap DIŞ kapı"] * 3


@every_path
@pytest.mark.parametrize(
    "settings", [{"stop_words": "tr"}, {"language": "az"}, {"normalise": "stem", "stop_words": "tr"}], ids=str
)
def test_a_saved_model_keeps_the_rules_of_turkish(way_through: str, settings: dict[str, Any], tmp_path: Path) -> None:
    with path(way_through):
        model = plain_categorizer(n_terms="all", n_jobs=1, **settings).fit(TEXTS, ["a", "b"] * 3)
        assert "ışık" in model.terms_
        model.save(tmp_path / "model.sieve")
        loaded = textsieve.load(tmp_path / "model.sieve")
        assert loaded.model_.preparation == model.model_.preparation
        (best, *_) = loaded.explain("IŞIK İSTANBUL").classes
        assert {item.term for item in best.contributions} == {"ışık", "istanbul"}
        assert loaded.predict(["IŞIK", "DIŞ"]).tolist() == ["a", "b"]


def test_without_normalising_only_turkish_languages_are_stored() -> None:
    assert Preparation(language="turkish").checked() == Preparation(language="tr")
    assert Preparation(language="german").checked() == Preparation()
    assert Preparation(language="tr").to_dict() == {"language": "tr"}
    with pytest.raises(InputError, match="there are stems for"):
        Preparation(language="az", normalise="stem").checked()
