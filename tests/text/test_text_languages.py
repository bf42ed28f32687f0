"""Languages by name and by code, and the stems, lemmas and stop words that packages offer for them."""

from typing import Any

import pytest
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from tests.test_extras import without

from textsieve import InputError, TermCounter
from textsieve.text import languages
from textsieve.text.analysis import WORDS
from textsieve.text.languages import LEMMAS, NAMES, STEMS, STOP_WORDS, code_of
from textsieve.text.stop_words import stop_words_of


def test_a_language_has_a_name_and_a_code() -> None:
    assert len(set(NAMES.values())) == len(NAMES)
    for given in ("de", "german", "German", " DE ", "de-DE", "de_at"):
        assert code_of(given) == "de"
    assert code_of("nb") == code_of("norwegian") == code_of("no") == "no"
    for other in ("porter", "", "xx", None, 5, ["de"], "no-words", "de-", "de-DEU", "german-de", "xx-de"):
        assert code_of(other) is None


def test_every_language_of_the_packages_is_known_by_name() -> None:
    for service in (STEMS, LEMMAS, STOP_WORDS):
        assert {"en", "de", "es", "no"} <= service.codes() <= set(NAMES)


@pytest.mark.parametrize("code", sorted(STEMS.codes()))
def test_every_stemmer_loads(code: str) -> None:
    (stem,) = languages.stemmer(code)(["abc"])
    assert stem


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "word", "lemma"),
    [("no", "husene", "hus"), ("sr", "kuće", "kuća"), ("hr", "kuće", "kuća"), ("cy", "cathod", "cath")],
)
def test_lemmas_of_languages_with_another_code_in_simplemma(code: str, word: str, lemma: str) -> None:
    assert languages.lemmatizer(code)([word]) == [lemma]


NEEDED: dict[str, dict[str, Any]] = {
    "pystemmer": {"normalise": "stem"},
    "simplemma": {"normalise": "lemma"},
    "stopwordsiso": {"stop_words": "de"},
}


@pytest.mark.parametrize("missing", NEEDED)
def test_a_missing_package_raises_an_error_only_for_settings_that_need_it(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    without(missing, monkeypatch)
    for package, settings in NEEDED.items():
        counter = TermCounter(**settings)
        if package == missing:
            ((name, value),) = settings.items()
            with pytest.raises(InputError, match=rf"{name}='{value}' needs {missing}; pip install 'textsieve"):
                counter.fit(["some text"])
        else:
            counter.fit(["some text"])
    TermCounter().fit(["some text"])


def test_stop_words_of_a_language_by_name_and_by_code() -> None:
    text = "Der Hund und die Katze sind nicht über dem Haus"
    for given in ("german", "de", "German"):
        assert sorted(TermCounter(stop_words=given).fit([text]).vocabulary_) == ["haus", "hund", "katze"]
    assert stop_words_of("en") == stop_words_of("english") == ENGLISH_STOP_WORDS
    assert {"einer", "über"} <= stop_words_of("de")


@pytest.mark.parametrize("code", sorted(STOP_WORDS.codes() - {"en"}))
def test_every_stop_word_of_a_language_is_one_word(code: str) -> None:
    words = stop_words_of(code)
    assert all(WORDS.pattern.fullmatch(word) for word in words)
    assert words or code in {"ja", "zh", "th"}


def test_stop_words_are_stripped_of_accents_like_texts() -> None:
    for accents in (None, "unicode", "ascii"):
        counter = TermCounter(stop_words="fr", strip_accents=accents)
        assert set(counter.fit(["Même après la bataille"]).vocabulary_) == {"bataille"}
    assert "für" not in stop_words_of("de", "unicode")


def test_a_strip_accents_function_applies_to_all_stop_words_but_english_ones() -> None:
    """The English ones are CountVectorizer's, which does not strip them."""

    def strip(text: str) -> str:
        return text.replace("v", "u").replace("ü", "u")

    assert stop_words_of("english", strip) == ENGLISH_STOP_WORDS
    assert sorted(TermCounter(stop_words="english", strip_accents=strip).fit(["cat over mat"]).vocabulary_) == [
        *("cat", "mat", "ouer"),
    ]
    assert {"fur", "uom"} <= stop_words_of("de", strip)
    assert set(TermCounter(stop_words="de", strip_accents=strip).fit(["für vom Haus"]).vocabulary_) == {"haus"}


def test_stop_words_with_apostrophes_are_split_as_texts_are() -> None:
    assert {"qu", "aujourd"} <= stop_words_of("fr")
    assert "printr" in stop_words_of("ro")  # printr-
    assert TermCounter(stop_words="fr").fit(["qu'aujourd'hui voiture"]).vocabulary_ == {"voiture": 0}


def test_words_of_a_stop_phrase_are_not_stop_words() -> None:
    """The parts of `semata-mata` and of `bắt đầu từ` are words with other meanings: eye, to catch."""
    vocabulary = TermCounter(stop_words="id").fit(["sakit mata di kali itu, olah raga"]).vocabulary_
    assert set(vocabulary) == {"sakit", "mata", "kali", "olah", "raga"}
    assert not {"bắt", "biến", "công"} & stop_words_of("vi")
    assert {"rằng", "nhưng"} <= stop_words_of("vi")


def test_a_phrase_whose_words_are_stop_words_is_left_out() -> None:
    assert {"lui", "même"} <= stop_words_of("fr")
    assert TermCounter(stop_words="fr").fit(["lui-même parle voiture"]).vocabulary_ == {"voiture": 0}


@pytest.mark.parametrize("setting", ["klingon", "", "porter"])
def test_stop_words_of_an_unknown_language_raise_an_error(setting: str) -> None:
    with pytest.raises(InputError, match=rf"stop_words='{setting}'; use a language such as 'english'"):
        TermCounter(stop_words=setting).fit(["some text"])


def test_a_language_without_stop_words_raises_an_error_that_lists_languages() -> None:
    with pytest.raises(InputError, match=r"stop_words='welsh'; there are stop words for .*german \(de\)"):
        TermCounter(stop_words="welsh").fit(["some text"])


def test_only_english_needs_no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    without("stopwordsiso", monkeypatch)
    TermCounter(stop_words="en").fit(["some text"])
    with pytest.raises(InputError, match=r"stop_words='de' needs stopwordsiso; pip install 'textsieve\[words\]'"):
        TermCounter(stop_words="de").fit(["some text"])
