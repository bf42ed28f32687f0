"""Stems and lemmas, looked up once for each distinct word, equal those looked up for each word of each document."""

import gc
import pickle
import time
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.depth import few_examples
from tests.reference import text_checks
from tests.reference.preparation_twin import FORMS, counts_of, terms_in
from tests.reference.text_checks import PATHS, assert_same, path
from tests.reference.text_twins import first_seen, words_of

from textsieve import InputError, TermCounter
from textsieve.text import languages, preparation

WORDS = "run running runs ran mouse mice was be is better good goods The Houses house the x 1990s _a us ΟΔΟΣ été"
texts = st.lists(st.sampled_from(WORDS.split()), max_size=12).map(" ".join)
corpora = st.lists(texts, min_size=1, max_size=8)
lengths = st.sampled_from([(1, 1), (1, 2), (2, 3)])
ways = st.sampled_from(list(FORMS))
every_path = pytest.mark.parametrize("way_through", PATHS)


@every_path
@few_examples
@given(corpora, ways, lengths, st.sampled_from([None, ["running", "the"]]), st.sampled_from([1, 2]))
def test_counts_are_those_of_words_normalised_one_by_one(
    way_through: str, corpus: list[str], way: str, ngram_range: tuple[int, int], stop_words: Any, n_jobs: int
) -> None:
    terms = [terms_in(text, FORMS[way], ngram_range, stop_words or ()) for text in corpus]
    columns = sorted(set().union(*terms))
    counter = TermCounter(normalise=way, ngram_range=ngram_range, stop_words=stop_words, n_jobs=n_jobs)
    with path(way_through):
        if not columns:
            with pytest.raises(InputError, match="None of the"):
                counter.fit_transform(corpus)
            return
        assert_same(counter.fit_transform(corpus), counts_of(terms, columns))
        assert counter.get_feature_names_out().tolist() == columns
        assert counter.vocabulary_ == {term: column for column, term in enumerate(columns)}
        assert_same(counter.transform(corpus), counts_of(terms, columns))
        others = ["running mice in other houses", *corpus[:2]]
        expected = counts_of([terms_in(text, FORMS[way], ngram_range, stop_words or ()) for text in others], columns)
        assert_same(counter.transform(others), expected)


@every_path
@few_examples
@given(text_checks.corpora, ways)
def test_texts_of_any_characters(way_through: str, corpus: list[str], way: str) -> None:
    corpus = [*corpus, "running"]
    terms = [terms_in(text, FORMS[way]) for text in corpus]
    with path(way_through):
        counter = TermCounter(normalise=way, n_jobs=2)
        assert_same(counter.fit_transform(corpus), counts_of(terms, sorted(set().union(*terms))))
        assert_same(counter.transform(corpus), counts_of(terms, sorted(set().union(*terms))))


@every_path
@few_examples
@given(corpora, ways, lengths, st.data(), st.sampled_from([1, 2]))
def test_any_split_of_a_stream_gives_the_same(
    way_through: str, corpus: list[str], way: str, ngram_range: tuple[int, int], data: st.DataObject, n_jobs: int
) -> None:
    terms = [terms_in(text, FORMS[way], ngram_range) for text in corpus]
    counter = TermCounter(normalise=way, ngram_range=ngram_range, n_jobs=n_jobs)
    begin = 0
    while begin < len(corpus):
        end = data.draw(st.integers(begin + 1, len(corpus)))
        with path(data.draw(st.sampled_from([way_through, *PATHS[:2]]))):
            counts = counter.partial_fit_transform(corpus[begin:end])
        columns = first_seen(terms[:end])
        assert counter.get_feature_names_out().tolist() == columns
        assert_same(counts, counts_of(terms[begin:end], columns))
        begin = end
    resumed = TermCounter(normalise=way, ngram_range=ngram_range, n_jobs=n_jobs).resume(columns)
    with path(way_through):
        more = ["ran running horses", "horse"]
        all_terms = [*terms, *(terms_in(text, FORMS[way], ngram_range) for text in more)]
        assert_same(resumed.partial_fit_transform(more), counts_of(all_terms[-2:], first_seen(all_terms)))
        assert resumed.get_feature_names_out().tolist() == first_seen(all_terms)


@every_path
def test_a_document_with_two_words_of_a_stem_counts_once(way_through: str) -> None:
    corpus = ["run running", "running dogs", "cats runs", "cat"]
    with path(way_through):
        pruned = TermCounter(normalise="stem", min_df=2).fit(corpus)
        assert pruned.vocabulary_ == {"cat": 0, "run": 1}
        assert TermCounter(normalise="stem", max_df=2).fit(corpus).vocabulary_ == {"cat": 0, "dog": 1}
        assert TermCounter(normalise="stem", max_features=1).fit(corpus).vocabulary_ == {"run": 0}
        assert TermCounter(normalise="stem", min_df=3).fit(corpus).vocabulary_ == {"run": 0}
        counts = TermCounter(normalise="stem", binary=True).fit_transform(corpus)
        assert counts.toarray().tolist() == [[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 0, 0]]


@every_path
def test_a_given_vocabulary_consists_of_forms(way_through: str) -> None:
    with path(way_through):
        counter = TermCounter(normalise="stem", vocabulary=["run", "running", "hous"])
        assert counter.transform(["running houses", "run ran"]).toarray().tolist() == [[1, 0, 1], [1, 0, 0]]
        pairs = TermCounter(normalise="stem", vocabulary=["run hous", "hous", "hous run x"], ngram_range=(1, 2))
        assert pairs.transform(["running houses"]).toarray().tolist() == [[1, 1, 0]]
        lemmas = TermCounter(
            normalise="lemma", vocabulary=["x", "nineteen-nineties"]
        )  # these are not words, but forms of words
        assert lemmas.transform(["_x _x 1990s x"]).toarray().tolist() == [[2, 1]]


def test_stop_words_are_compared_as_they_are_written() -> None:
    assert TermCounter(normalise="stem", stop_words=["running"]).fit(["runs running run"]).transform(
        ["running runs"]
    ).toarray().tolist() == [[1]]
    assert list(TermCounter(normalise="stem", stop_words=["hous"]).fit(["houses"]).vocabulary_) == ["hous"]


def test_forms_are_lowercased_and_stripped_like_texts() -> None:
    german: dict[str, Any] = {"normalise": "lemma", "language": "german"}
    assert set(TermCounter(**german).fit(["Häuser"]).vocabulary_) == {"haus"}
    assert set(TermCounter(**german, lowercase=False).fit(["Häuser"]).vocabulary_) == {"Haus"}
    french: dict[str, Any] = {"normalise": "lemma", "language": "fr"}
    assert set(TermCounter(**french).fit(["étaient été"]).vocabulary_) == {"être"}
    assert set(TermCounter(**french, strip_accents="unicode").fit(["etre"]).vocabulary_) == {"etre"}


def test_a_word_with_an_invalid_form_is_its_own_form() -> None:
    package_forms = {
        "aa": "",
        "bb": " ",
        "cc": "two words",
        "dd": "A\nB",
        "ee": "Ok",
        "new york": "york",
        "ff": "ΟΔΟΣ",
        "gg": "X",
    }
    for batches in (
        ([word] for word in package_forms),
        [list(package_forms)],
        [["ee", "gg"], ["ff", "gg"], ["aa", "cc"], ["dd", "aa"]],
    ):
        for batch in batches:
            forms = preparation.Normaliser("stem", "en", True, None)
            forms._package_forms = lambda words: [package_forms[word] for word in words]
            as_one_word = {"ee": "ok", "ff": "οδος", "gg": "x"}
            assert forms(batch) == [as_one_word.get(word, word) for word in batch]


def test_a_strip_accents_function_gives_the_same_form_alone_and_among_others() -> None:
    """The result of the function for a word must not depend on which other words are looked up with it."""
    strips: list[Callable[[str], str]] = [
        lambda text: text.strip("rg"),
        lambda text: text[:3],
        lambda text: text.replace("\n", ""),
        lambda text: text.replace("i", "\ud800"),
        lambda text: text.replace("i", " "),
    ]
    words = ["running", "ring", "rig", "mice", "grinding"]
    for strip in strips:
        together = preparation.Normaliser("stem", "en", True, strip)
        alone = [preparation.Normaliser("stem", "en", True, strip)([word])[0] for word in words]
        assert together(words) == alone


class Unhashable:
    """A function that strips accents and can't be hashed, because it defines equality."""

    def __eq__(self, other: object) -> bool:
        """Return whether the other is an instance, too."""
        return isinstance(other, Unhashable)

    def __call__(self, text: str) -> str:
        """Return the text without its accents."""
        return text.replace("é", "e")


@every_path
@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("strip", [Unhashable(), lambda text: text.replace("é", "e").replace("g", "G")])
def test_counts_with_a_function_that_strips_accents(
    way_through: str, lowercase: bool, strip: Callable[[str], str]
) -> None:
    corpus = ["Éclairs RUNNING éclair", "running eclairs", "Été mice"]

    def form(word: str) -> str:
        (stem,) = languages.stemmer("en")([word])
        return strip(stem.lower() if lowercase else stem)

    terms = [[form(word) for word in words_of(strip(text.lower() if lowercase else text))] for text in corpus]
    columns = sorted(set().union(*terms))
    with path(way_through):
        counter = TermCounter(normalise="stem", lowercase=lowercase, strip_accents=strip, n_jobs=2)
        assert_same(counter.fit_transform(corpus), counts_of(terms, columns))
        assert counter.get_feature_names_out().tolist() == columns
        assert_same(counter.transform(corpus), counts_of(terms, columns))
        counter.partial_fit(["a new word"])
        assert_same(counter.transform(corpus), counts_of(terms, [*columns, "new", "word"]))


def test_a_strip_accents_function_is_not_kept_alive_by_caches() -> None:
    strip = Unhashable()
    TermCounter(normalise="stem", strip_accents=strip).fit(["running"])
    reference = weakref.ref(strip)
    del strip
    gc.collect()
    assert reference() is None


@every_path
def test_names_forms_and_capitals_together(way_through: str) -> None:
    corpus = ["we saw Running Waters running", "he was Running in running Waters"]
    with path(way_through):
        counter = TermCounter(names=True, normalise="stem", lowercase=False, stop_words=["he", "in"], n_jobs=2)
        counts = counter.fit_transform(corpus)
        assert counter.get_feature_names_out().tolist() == ["Run", "Running Waters", "Water", "run", "saw", "was", "we"]
        assert counts.toarray().tolist() == [[0, 1, 0, 1, 1, 0, 1], [1, 0, 1, 1, 0, 1, 0]]


def test_a_very_long_word_is_its_own_form() -> None:
    """Lemmas of Esperanto take time that grows with the square of the length, while all other threads wait."""
    looked_up: list[str] = []

    def recording(words: list[str]) -> list[str]:
        looked_up.extend(words)
        return [word.removesuffix("s") for word in words]

    forms = preparation.Normaliser("lemma", "eo", True, None)
    forms._package_forms = recording
    words = ["x" * 99 + "s", "x" * 100 + "s", "x" * 1_000_000 + "s", "new yorks"]
    assert forms(words) == ["x" * 99, *words[1:]]
    assert looked_up == words[:1]
    assert list(forms._cache) == words[:1]


def test_each_distinct_word_is_lemmatised_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up: list[str] = []

    def cut_off(words: list[str]) -> list[str]:
        looked_up.extend(words)
        return [word[:3] for word in words]

    monkeypatch.setitem(languages.NORMALISERS, "lemma", (languages.NORMALISERS["lemma"][0], lambda _: cut_off))
    preparation.shared_normaliser.cache_clear()
    corpus = ["abcd abce abcd xyz" * 3, "abcd qwerty"] * 50
    for way_through in PATHS:
        with path(way_through):
            counter = TermCounter(normalise="lemma", n_jobs=2).fit(corpus)
            counter.transform(corpus)
            TermCounter(normalise="lemma", n_jobs=2).partial_fit(corpus).partial_fit(corpus)
    assert sorted(looked_up) == sorted(set(looked_up))
    preparation.shared_normaliser.cache_clear()


@pytest.mark.parametrize("method", ["stem", "lemma"])
def test_forms_of_new_words_are_those_of_any_words(method: str) -> None:
    forms = preparation.Normaliser(method, "en", True, "unicode")
    usual = ["houses", "running", "a", "cats", "houses"]
    unusual = ["new yorks", "x" * 150 + "s", "naïves", "\ud800s", "Cafés"]
    for words in (usual, unusual, [*usual, *unusual], []):
        assert forms.of_new_words(words) == forms(words)
        assert forms.of_new_words(words) == forms(words)


def test_threads_look_up_a_shared_word_once() -> None:
    forms = preparation.Normaliser("stem", "en", True, None)
    looked_up: list[str] = []
    barrier = Barrier(4)

    def slow(words: list[str]) -> list[str]:
        looked_up.extend(words)
        time.sleep(0.01)
        return [word.upper() for word in words]

    def request(begin: int) -> list[str]:
        barrier.wait()
        return forms([f"Word{number}" for number in range(begin, begin + 30)])

    forms._package_forms = slow
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(request, (0, 10, 20, 0)))
    assert results == [[f"word{number}" for number in range(begin, begin + 30)] for begin in (0, 10, 20, 0)]
    assert sorted(looked_up) == sorted(set(looked_up))


def test_the_cache_of_forms_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation, "MAX_CACHED_FORMS", 5)
    forms = preparation.Normaliser("stem", "en", True, None)
    for begin in range(0, 40, 3):
        words = [f"word{number}s" for number in range(begin, begin + 4)]
        assert forms(words) == [f"word{number}" for number in range(begin, begin + 4)]
        assert len(forms._cache) <= 5
    assert forms([f"word{number}s" for number in range(20)]) == [f"word{number}" for number in range(20)]
    assert len(forms._cache) <= 5


def test_a_full_cache_of_forms_keeps_its_first_half(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation, "MAX_CACHED_FORMS", 6)
    forms = preparation.Normaliser("stem", "en", True, None)
    for word in ("a1", "b2", "c3", "d4", "e5", "f6", "g7"):
        forms([word])
    assert list(forms._cache) == ["a1", "b2", "c3", "g7"]


@every_path
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_pickle_contains_forms_but_no_words_as_written(way_through: str, n_jobs: int) -> None:
    """Words as written are only in the learning table and in the caches of readers, which are not pickled."""
    corpus = ["running houses", "a secretive man"]
    with path(way_through):
        counter = TermCounter(normalise="stem", n_jobs=n_jobs).partial_fit(corpus)
        counts = counter.transform([*corpus, "unheardings"])
        data = pickle.dumps(counter)
        for word in (b"running", b"houses", b"secretive", b"unheard"):
            assert word not in data
        assert b"secret" in data
        again = pickle.loads(data)
        assert np.array_equal(again.transform([*corpus, "unheardings"]).toarray(), counts.toarray())


@every_path
@pytest.mark.parametrize(
    ("settings", "forms"),
    [
        ({"stop_words": "german"}, ["haus", "hund"]),
        ({"stop_words": "de-DE", "lowercase": False}, ["Haus", "Hund"]),
        ({"stop_words": "german", "language": "english"}, ["hund", "häuser"]),
        ({"stop_words": "english"}, ["die", "hund", "häuser", "und"]),
        ({"stop_words": ["und", "die"]}, ["hund", "häuser"]),
        ({}, ["die", "hund", "häuser", "und"]),
    ],
    ids=str,
)
def test_the_language_defaults_to_that_of_the_stop_words(
    way_through: str, settings: dict[str, Any], forms: list[str]
) -> None:
    with path(way_through):
        assert sorted(TermCounter(normalise="stem", **settings).fit(["die Häuser und Hund"]).vocabulary_) == forms


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"normalise": "stems"}, r"normalise='stems'; use one of 'stem', 'lemma', None\."),
        ({"normalise": True}, "normalise=True"),
        ({"normalise": "stem", "language": "klingon"}, r"language='klingon'; there are stems for .*german \(de\)"),
        ({"normalise": "lemma", "language": "tamil"}, r"language='tamil'; there are lemmas for .*welsh \(cy\)\."),
        ({"normalise": "stem", "stop_words": "zulu"}, r"language='zulu'; there are stems for .*german \(de\)"),
        ({"normalise": "stem", "language": "porter"}, "language='porter'"),
        ({"language": "klingon"}, "language='klingon'; use the name or the code of a language, such as 'german' or"),
        ({"language": 5}, "language=5; use the name or"),
        ({"language": ["de"]}, r"language=\['de'\]; use the name or"),
    ],
)
def test_invalid_settings_raise_an_error(setting: dict[str, Any], message: str) -> None:
    for method in ("fit", "partial_fit", "resume"):
        with pytest.raises(InputError, match=message):
            getattr(TermCounter(**setting), method)(["some text"])
    with pytest.raises(InputError, match=message):
        TermCounter(**setting, vocabulary=["some"]).transform(["some text"])
