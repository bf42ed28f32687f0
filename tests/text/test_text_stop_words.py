"""The stop words of a language are matched whatever words texts are split into."""

from pathlib import Path
from typing import Any

import pytest
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from tests.reference.categorizer_cases import plain_categorizer

import textsieve
from textsieve import TermCounter
from textsieve.text.analysis import Analysis
from textsieve.text.stop_words import stop_words_of

FRENCH = "Il y a un chat à l'école aujourd'hui."


def terms_of(text: str, language: str, **settings: Any) -> set[str]:
    """Return the terms of a text without the stop words of a language."""
    return set(TermCounter(stop_words=language, **settings).fit([text]).vocabulary_)


@pytest.mark.parametrize(
    ("language", "text", "terms"),
    [
        pytest.param("fr", FRENCH, {"chat", "école", "'", "."}, id="French: words of one letter"),
        pytest.param("zh", "我们的猫。", {"们的", "的猫", "猫"}, id="Chinese: grams and punctuation on the list"),
        pytest.param("zh", "他为什么跑", {"他为", "为什", "么跑", "跑"}, id="Chinese: no parts of longer stop words"),
        pytest.param("hi", "यह पेड़ है", {"पेड़"}, id="Hindi: words with marks"),
        pytest.param("th", "ที่บ้าน", {"ที่บ้", "บ้", "บ้า", "า", "าน", "น"}, id="Thai: a letter with its marks"),
        pytest.param("ko", "그리고 학교", {"학교", "그리", "리고"}, id="Korean: words, and no parts of them"),
    ],
)
def test_stop_words_are_split_by_the_analyzer_text(language: str, text: str, terms: set[str]) -> None:
    assert terms_of(text, language, analyzer="text") == terms


def test_stop_words_are_split_by_the_token_pattern() -> None:
    assert terms_of(FRENCH, "fr") == {"chat", "école"}
    assert terms_of("à y chat é", "fr") == {"chat"}
    assert terms_of("à y chat é", "fr", token_pattern=r"\b\w+\b") == {"chat", "é"}
    assert terms_of("à y chat é", "fr", token_pattern=r"[^ ]+") == {"chat", "é"}
    hyphens = r"\b\w[\w'-]*\b"
    assert terms_of(FRENCH, "fr", token_pattern=hyphens) == {"chat", "l'école"}
    assert terms_of("semata-mata mata", "id", token_pattern=hyphens) == {"mata"}
    assert terms_of("semata-mata mata", "id") == {"mata"}  # semata is on the list, too


def test_stop_words_are_stripped_of_accents_before_they_are_split() -> None:
    """The tone mark of `ต้อง` (must) ends a word of the default pattern, unless it is stripped."""
    assert terms_of("ต้อง บ้าน", "th", strip_accents="unicode") == {"บาน"}
    assert terms_of("Le Chat À", "fr", analyzer="text", strip_accents="ascii", lowercase=False) == {"Chat"}
    assert terms_of("Le Chat À", "fr", analyzer="text", lowercase=False) == {"Chat"}


def test_the_english_list_is_always_that_of_scikit_learn() -> None:
    for analysis in (Analysis(), Analysis("text"), Analysis(token_pattern=r"\w{5,}"), Analysis("char")):
        assert stop_words_of("english", "ascii", lowercase=False, analysis=analysis) is ENGLISH_STOP_WORDS


def test_a_function_of_the_user_is_not_called_for_stop_words() -> None:
    texts_split = []

    def split(text: str) -> list[str]:
        texts_split.append(text)
        return text.split()

    assert terms_of("à la gare", "fr", tokenizer=split) == {"à", "gare"}
    assert texts_split == ["à la gare"]


def test_a_loaded_model_leaves_out_the_same_stop_words(tmp_path: Path) -> None:
    texts, labels = ["le chat y est, à la gare", "un chien a mal à la patte"] * 3, ["gare", "chien"] * 3
    model = plain_categorizer(analyzer="text", stop_words="fr", ngram_range=(1, 2), n_terms="all", n_jobs=1)
    model.fit(texts, labels).save(tmp_path / "model.sieve")
    loaded = textsieve.load(tmp_path / "model.sieve")
    assert set(model.terms_) == {
        "chat",
        ",",
        "gare",
        "chat ,",
        ", gare",
        "chien",
        "mal",
        "patte",
        "chien mal",
        "mal patte",
    }
    # Without the stop words y, a and à, the pairs are those that training counted.
    for text, pair in (("chat y, gare", "chat ,"), ("chien a mal", "chien mal"), ("mal à patte", "mal patte")):
        assert pair in {item.term for item in loaded.explain(text).classes[0].contributions}
    assert {"y", "a", "à"} <= set(loaded.model_.stop_words)
