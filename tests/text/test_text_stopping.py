"""Stop words of the user that can't match any text are named in one warning."""

import warnings
from collections.abc import Callable
from typing import Any

import pytest
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer
from tests.reference.categorizer_cases import plain_categorizer
from tests.reference.text_checks import PATHS, path

from textsieve import InputError, TermCounter

TEXTS = ["Der Hund und die Katze", "Das Haus für die Leute"] * 3
LABELS = ["animal", "other"] * 3


@pytest.mark.parametrize(
    ("stop_words", "settings", "message"),
    [
        (["Der", "die"], {}, "1 of 2 stop words can never match, .*: 'Der' as 'der'\\. Write"),
        (["für"], {"strip_accents": "unicode"}, "1 of 1 .* 'für' as 'fur'"),
        (
            ["qu'", "don't", "well-known"],
            {},
            """3 of 3 .*: "don't" as 'don', "qu'" as 'qu', 'well-known' as 'well' '""",
        ),
        (["new york"], {"names": True}, "'new york' as 'new' 'york'"),
        ([f"Word{number}" for number in range(9)], {}, "9 of 9 .*'Word4' as 'word4', and so on\\."),
        (["IŞIK"], {"language": "tr"}, "'IŞIK' as 'ışık'"),
    ],
)
def test_stop_words_that_cannot_match_are_named_in_a_warning(
    stop_words: list[str], settings: dict[str, Any], message: str
) -> None:
    methods: list[Callable[[TermCounter], object]] = [
        lambda counter: counter.fit(TEXTS),
        lambda counter: counter.fit_transform(TEXTS),
        lambda counter: counter.partial_fit(TEXTS).partial_fit(TEXTS),
        lambda counter: counter.set_params(vocabulary=["hund"]).transform(TEXTS),
    ]
    for method in methods:
        with pytest.warns(UserWarning, match=message) as warned:
            method(TermCounter(stop_words=stop_words, **settings))
        assert len(warned) == 1


def test_the_warning_points_to_the_calling_line() -> None:
    with pytest.warns(UserWarning, match="can never match") as warned:
        TermCounter(stop_words=["Der"]).fit(TEXTS)
    assert warned[0].filename == __file__


def test_training_warns_once() -> None:
    with pytest.warns(UserWarning, match="1 of 2 stop words can never match") as warned:
        model = plain_categorizer(stop_words=["Der", "die"], held_out=0.5, n_terms="all", n_jobs=1).fit(TEXTS, LABELS)
    assert len(warned) == 1
    assert "der" in model.terms_
    assert "die" not in model.terms_
    assert warned[0].filename == __file__


@pytest.mark.parametrize(
    ("stop_words", "settings"),
    [
        (["Der", "der"], {}),
        (["I", "a", "l'", "_"], {}),
        (["don't", "don"], {}),
        (["Der", "für"], {"lowercase": False}),
        (["fur"], {"strip_accents": "unicode"}),
        (ENGLISH_STOP_WORDS, {}),
        ([], {}),
    ],
)
def test_stop_words_that_can_match_give_no_warning(stop_words: Any, settings: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TermCounter(stop_words=stop_words, **settings).fit(TEXTS)
        CountVectorizer(stop_words=list(stop_words), **settings).fit(TEXTS)  # it warns in the same cases


@pytest.mark.parametrize("bad", [3, None, b"der", ["der"]])
def test_a_stop_word_that_is_not_a_string_raises_an_error(bad: Any) -> None:
    for estimator in (TermCounter(stop_words=["hello", bad]), plain_categorizer(stop_words=["hello", bad])):
        with pytest.raises(InputError, match=r"stop_words has .*, which is no word; give strings"):
            estimator.fit(TEXTS, LABELS)


@pytest.mark.parametrize("way_through", PATHS)
def test_without_lowercasing_capitalised_stop_words_are_left_out_too(way_through: str) -> None:
    text = "Der Hund und die Katze. Über DIE Brücke, für IHN. Für alle"
    with path(way_through):
        vocabulary = TermCounter(stop_words="de", lowercase=False).fit([text]).vocabulary_
        assert sorted(vocabulary) == ["Brücke", "DIE", "Hund", "IHN", "Katze"]
        vocabulary = TermCounter(stop_words="de", lowercase=False, strip_accents="unicode").fit([text]).vocabulary_
        assert sorted(vocabulary) == ["Brucke", "DIE", "Hund", "IHN", "Katze"]
        vocabulary = TermCounter(stop_words="tr", lowercase=False).fit(["İçin için Ve ve Kitap"]).vocabulary_
        assert sorted(vocabulary) == ["Kitap"]
        vocabulary = TermCounter(stop_words="english", lowercase=False).fit(["The cat the"]).vocabulary_
        assert sorted(vocabulary) == ["The", "cat"]  # as by CountVectorizer


def test_a_model_leaves_stop_words_out_of_ngrams(tmp_path: Any) -> None:
    import textsieve

    model = plain_categorizer(stop_words="de", lowercase=False, ngram_range=(1, 2), n_terms="all", n_jobs=1)
    model.fit(["Hund Der Katze", "Haus für Leute"] * 3, LABELS).save(tmp_path / "model.sieve")
    assert "Hund Katze" in model.terms_
    loaded = textsieve.load(tmp_path / "model.sieve")
    assert loaded.model_.stop_words == model.model_.stop_words
    (explanation,) = [item for item in loaded.explain("Hund Die Katze").classes if item.label == "animal"]
    assert "Hund Katze" in {item.term for item in explanation.contributions}
