"""Stop words of a user's own: those that no text can have are told, once."""

import warnings
from collections.abc import Callable
from typing import Any

import pytest
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer
from tests.reference.text_checks import PATHS, path

from textsieve import Categorizer, InputError, TermCounter

TEXTS = ["Der Hund und die Katze", "Das Haus für die Leute"] * 3
LABELS = ["animal", "other"] * 3


@pytest.mark.parametrize(
    ("stop_words", "settings", "told"),
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
def test_words_that_no_text_can_have_are_told(stop_words: list[str], settings: dict[str, Any], told: str) -> None:
    methods: list[Callable[[TermCounter], object]] = [
        lambda counter: counter.fit(TEXTS),
        lambda counter: counter.fit_transform(TEXTS),
        lambda counter: counter.partial_fit(TEXTS).partial_fit(TEXTS),
        lambda counter: counter.set_params(vocabulary=["hund"]).transform(TEXTS),
    ]
    for method in methods:
        with pytest.warns(UserWarning, match=told) as seen:
            method(TermCounter(stop_words=stop_words, **settings))
        assert len(seen) == 1


def test_the_warning_names_the_line_that_asked() -> None:
    with pytest.warns(UserWarning, match="can never match") as seen:
        TermCounter(stop_words=["Der"]).fit(TEXTS)
    assert seen[0].filename == __file__


def test_training_tells_once() -> None:
    with pytest.warns(UserWarning, match="1 of 2 stop words can never match") as seen:
        model = Categorizer(stop_words=["Der", "die"], held_out=0.5, n_terms="all", n_jobs=1).fit(TEXTS, LABELS)
    assert len(seen) == 1
    assert "der" in model.terms_
    assert "die" not in model.terms_
    assert seen[0].filename == __file__


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
def test_others_are_not_told(stop_words: Any, settings: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TermCounter(stop_words=stop_words, **settings).fit(TEXTS)
        CountVectorizer(stop_words=list(stop_words), **settings).fit(TEXTS)  # which tells in the same cases


@pytest.mark.parametrize("bad", [3, None, b"der", ["der"]])
def test_what_is_no_word_is_refused(bad: Any) -> None:
    for estimator in (TermCounter(stop_words=["hello", bad]), Categorizer(stop_words=["hello", bad])):
        with pytest.raises(InputError, match=r"stop_words has .*, which is no word; give strings"):
            estimator.fit(TEXTS, LABELS)


@pytest.mark.parametrize("way_through", PATHS)
def test_where_capitals_stay_those_of_a_language_go_with_one_too(way_through: str) -> None:
    text = "Der Hund und die Katze. Über DIE Brücke, für IHN. Für alle"
    with path(way_through):
        kept = TermCounter(stop_words="de", lowercase=False).fit([text]).vocabulary_
        assert sorted(kept) == ["Brücke", "DIE", "Hund", "IHN", "Katze"]
        kept = TermCounter(stop_words="de", lowercase=False, strip_accents="unicode").fit([text]).vocabulary_
        assert sorted(kept) == ["Brucke", "DIE", "Hund", "IHN", "Katze"]
        kept = TermCounter(stop_words="tr", lowercase=False).fit(["İçin için Ve ve Kitap"]).vocabulary_
        assert sorted(kept) == ["Kitap"]
        kept = TermCounter(stop_words="english", lowercase=False).fit(["The cat the"]).vocabulary_
        assert sorted(kept) == ["The", "cat"]  # as by CountVectorizer


def test_a_model_leaves_them_out_of_runs_of_words(tmp_path: Any) -> None:
    import textsieve

    model = Categorizer(stop_words="de", lowercase=False, ngram_range=(1, 2), n_terms="all", n_jobs=1)
    model.fit(["Hund Der Katze", "Haus für Leute"] * 3, LABELS).save(tmp_path / "model.sieve")
    assert "Hund Katze" in model.terms_
    loaded = textsieve.load(tmp_path / "model.sieve")
    assert loaded.model_.stop_words == model.model_.stop_words
    (told,) = [each for each in loaded.explain("Hund Die Katze").classes if each.label == "animal"]
    assert "Hund Katze" in {each.term for each in told.contributions}
