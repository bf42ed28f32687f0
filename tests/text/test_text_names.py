"""Proper names: the rule by examples, and both implementations against a slow twin."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.names_twin import is_word_character, names_in, runs_of_names
from tests.reference.preparation_twin import counts_of, stem, stem_as_written
from tests.reference.text_checks import CHARACTERS, PATHS, assert_same, path
from tests.reference.text_twins import first_seen, words_of

from textsieve import InputError, TermCounter
from textsieve.text.names import join_names, join_names_fast, kind_bits, replace_dotted_capital_i
from textsieve.text.words import JOINER

both_implementations = pytest.mark.parametrize("join", [join_names, join_names_fast])


@both_implementations
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("he was in Santiago de Cuba", "Santiago de Cuba"),
        ("with Ursula von der Leyen today", "Ursula von der Leyen"),
        ("at the Bank of America of old", "Bank of America"),
        ("to New York City, New Jersey", "New York City|New Jersey"),
        ("by IBM Corp and the USA", "IBM Corp"),
        ("in São Paulo and Ürümqi Şehri", "São Paulo|Ürümqi Şehri"),
        ("the New \t York Times", "New York Times"),
        ("with Bill\xa0Clinton, Charles\u202fde \xa0Gaulle", "Bill Clinton|Charles de Gaulle"),
        # a hyphen or apostrophe
        ("met Jean-Paul Sartre and D'Arcy Wentworth Thompson", "Jean Paul Sartre|D Arcy Wentworth Thompson"),
        ("met Mary Smith-Jones of Al\u2011Qaeda at O\u2019Hare", "Mary Smith Jones of Al Qaeda|O Hare"),
        ("Bill Clinton's wife met Boris Yeltsin's", "Boris Yeltsin"),
        ("a New York-based firm, ex-President Bush, l'Union Postale", "New York|President Bush|Union Postale"),
        ("the 'New York' of New- York or New -York or New--York", "New York"),
        ("Jean-Paul Sartre came. O'Brien-Smith Pear Inn", "Pear Inn"),
        ("the F-16 and I'm of Rio-de-Janeiro", "Rio de Janeiro"),
        # the beginning of a sentence
        ("Santiago de Cuba is old", ""),
        ("The New York Times", "New York Times"),
        ("A New York man. New York is far! Los Angeles too? La Paz", "New York"),
        ("they left… Then He Came", "He Came"),
        ("fue．New York City, dijo ¿Quién Sabe Eso? ¡Qué Cosa Es։ Los Dos Son", "York City|Sabe Eso|Cosa Es|Dos Son"),
        ("some words\nNew York City", "New York City"),
        ("some words\n \t\r\nNew York City", "York City"),
        ("some words\r\xa0\rNew York City", "York City"),
        ("said: New York. (San Jose)", "New York"),
        # lines
        ("lives in New\nYork", ""),
        ("NEW YORK IN CAPITALS\nand New York", "New York"),
        ("and\nNEW YORK\nand", ""),
        ("we met\rNEW YORK TIMES\rand New\rYork\r\nNEW YORK\r\nand", ""),
        ("from NEW YORK again", "NEW YORK"),
        # what breaks a name
        ("the John F. Kennedy", ""),
        ("a John, Mary and Sartre", ""),
        ("in York of the World", ""),
        ("in York of", ""),
        ("of York de la los Mar", ""),
        ("the Bank OF America", "Bank OF America"),
        ("the Route 66 Inn", ""),
        # its length
        ("in Ab Cd Ef Gh Ij Kl Mn Op Qr de la St", "Ab Cd Ef Gh Ij Kl Mn Op Qr de la St"),
        ("in Ab Cd Ef Gh Ij Kl Mn Op Qr St Uv, then New York", "New York"),
        ("in" + " Aa" * 1000, ""),
        ("", ""),
    ],
)
def test_names_of_examples(join: Any, text: str, names: str) -> None:
    joined = join(text)
    joined_names = [name.replace(JOINER, " ") for name in _names_of(joined)]
    assert joined_names == [name for name in names.split("|") if name]
    assert names_in(text) == joined_names
    assert words_of(joined.replace(JOINER, " ")) == words_of(text)


PIECES = [
    *("New", "York", "Cuba", "IBM", "Élan", "ǅabc", "A", "I", "of", "de", "la", "von", "the", "runs", "x", "66", "Of"),
    *(".", "! ", "…", ", ", "\n", "\n\n", "\n \r\n", "\t", " - ", JOINER, "。"),
    *("-", "'", "\u2019", "\u2011", "\xa0", "\u202f", "\r", "\r\n", "．", "¿", "İzmir", "D'", "-Ab"),
]
texts = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join),
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
    st.lists(st.sampled_from(["Ab", "Cd", "Ef", "de", "-Gh", "ij,"]), max_size=40).map(" ".join),
    st.text(CHARACTERS + "AAaa  ", max_size=40),
    st.text("ABab de\n.-'\r", max_size=40),
)


@given(texts)
def test_both_implementations_equal_the_slow_twin(text: str) -> None:
    joined = join_names(text)
    assert joined == join_names_fast(text)
    joined_names = Counter(" ".join(name.split(JOINER)) for name in _names_of(joined))
    assert joined_names == Counter(names_in(text))


def _names_of(joined: str) -> list[str]:
    """Return the names in a text whose names are joined."""
    return [run for run in _runs_with_joiners(joined) if JOINER in run]


def _runs_with_joiners(joined: str) -> list[str]:
    """Return the sequences of word characters and joiners."""
    runs, run = [], ""
    for character in joined + " ":
        if is_word_character(character) or character == JOINER:
            run += character
        else:
            runs += [run] if run else []
            run = ""
    return runs


def terms_in(text: str, stop_words: Any = (), *, lowercase: bool = True) -> list[str]:
    """Return the terms of a text in order: words, and the names that the slow twin finds."""
    marked = list(text.replace(JOINER, " "))
    for name in runs_of_names(text):
        for position in range(name[0][0], name[-1][1]):
            if not is_word_character(text[position]):
                marked[position] = JOINER
            elif lowercase and text[position] == "İ":
                marked[position] = "i"
    joined = "".join(marked).lower() if lowercase else "".join(marked)
    runs = [run for run in _runs_with_joiners(joined) if len(run) > 1 and run not in stop_words]
    return [" ".join(word for word in run.split(JOINER) if word) for run in runs]


@pytest.mark.filterwarnings("ignore:.*stop words can never match")
@pytest.mark.parametrize("way_through", PATHS)
@given(
    st.lists(texts, min_size=1, max_size=6),
    st.sampled_from([1, 2]),
    st.sampled_from([None, ["the", "york", "new york"]]),
)
def test_a_name_is_a_term_in_place_of_its_words(
    way_through: str, corpus: list[str], n_jobs: int, stop_words: Any
) -> None:
    corpus = [*corpus, "in New York City"]
    terms = [terms_in(text, stop_words or ()) for text in corpus]
    columns = sorted(set().union(*terms))
    with path(way_through):
        counter = TermCounter(names=True, stop_words=stop_words, n_jobs=n_jobs)
        assert_same(counter.fit_transform(corpus), counts_of(terms, columns))
        assert counter.get_feature_names_out().tolist() == columns
        assert_same(counter.transform(corpus), counts_of(terms, columns))
        grown = TermCounter(names=True, stop_words=stop_words, n_jobs=n_jobs)
        for number, text in enumerate(corpus):
            grown.partial_fit([text])
            assert grown.get_feature_names_out().tolist() == first_seen(terms[: number + 1])
        again = TermCounter(names=True, stop_words=stop_words, n_jobs=n_jobs).resume(columns)
        assert_same(again.partial_fit_transform(corpus), counts_of(terms, columns))


@pytest.mark.parametrize("way_through", PATHS)
def test_names_are_not_stemmed_and_words_are(way_through: str) -> None:
    with path(way_through):
        counter = TermCounter(names=True, normalise="stem").fit(
            ["he was running in United States", "united states run"]
        )
        assert set(counter.vocabulary_) == {"he", "was", "run", "in", "united states", stem("united"), stem("states")}


@pytest.mark.parametrize("way_through", PATHS)
def test_names_with_case_kept_and_accents_stripped(way_through: str) -> None:
    text = ["er war in São Paulo, in Київ Plage"]
    with path(way_through):
        assert "São Paulo" in TermCounter(names=True, lowercase=False).fit(text).vocabulary_
        assert "sao paulo" in TermCounter(names=True, strip_accents="unicode").fit(text).vocabulary_
        vocabulary = (
            TermCounter(names=True, strip_accents="ascii").fit(text).vocabulary_
        )  # after losing a word, it is no longer a name
        assert set(vocabulary) == {"er", "war", "in", "sao paulo", "plage"}


@pytest.mark.parametrize("way_through", PATHS)
def test_a_dotted_capital_i_does_not_split_a_name(way_through: str) -> None:
    text = ["at Kent İstanbul Bank today, in İİ Ankara"]
    with path(way_through):
        lowercased = TermCounter(names=True).fit(text).vocabulary_
        assert set(lowercased) == {"at", "kent istanbul bank", "today", "in", "ii ankara"}
        with_case = TermCounter(names=True, lowercase=False).fit(text).vocabulary_
        assert set(with_case) == {"at", "Kent İstanbul Bank", "today", "in", "İİ Ankara"}
        stripped = TermCounter(names=True, lowercase=False, strip_accents="unicode").fit(text).vocabulary_
        assert set(stripped) == {"at", "Kent Istanbul Bank", "today", "in", "II Ankara"}


@pytest.mark.parametrize("way_through", PATHS)
def test_names_with_a_function_that_strips_accents(way_through: str) -> None:
    """The function gets the text with joined names; if it removes a word of a name, that is no longer a name."""
    text = ["he was in São Paulo and in QQQ Paulo, Qualle Quarta Inn, Über Über"]
    with path(way_through):
        counter = TermCounter(names=True, strip_accents=lambda text: text.replace("q", "").replace("ü", "ue")).fit(text)
        names = {"são paulo", "ualle uarta inn", "ueber ueber"}
        assert set(counter.vocabulary_) == {"he", "was", "in", "and", "paulo", *names}


@pytest.mark.parametrize("way_through", PATHS)
@given(st.lists(texts, min_size=1, max_size=6), st.sampled_from([(True, stem), (False, stem_as_written)]))
def test_case_and_stems_of_texts_with_names(
    way_through: str, corpus: list[str], case_and_form: tuple[bool, Callable[[str], str]]
) -> None:
    corpus = [*corpus, "he runs in New York City, Runs running"]
    lowercase, form = case_and_form
    unstemmed = [terms_in(text, lowercase=lowercase) for text in corpus]
    terms = [[term if " " in term else form(term) for term in text_terms] for text_terms in unstemmed]
    columns = sorted(set().union(*terms))
    with path(way_through):
        counter = TermCounter(names=True, lowercase=lowercase, normalise="stem")
        assert_same(counter.fit_transform(corpus), counts_of(terms, columns))
        assert counter.get_feature_names_out().tolist() == columns


def test_ascii_texts_use_a_table_of_128_characters() -> None:
    kind_bits.cache_clear()
    join_names_fast("in New York City")
    assert kind_bits.cache_info().currsize == 1
    small = kind_bits(128)
    assert kind_bits.cache_info().hits == 1
    assert np.array_equal(small, kind_bits(0x110000)[:128])


def test_names_with_ngrams_raise_an_error() -> None:
    for ngram_range in ((1, 2), (2, 2)):
        with pytest.raises(InputError, match=r"names=True with ngram_range=\((1|2), 2\): a name is a run of words"):
            TermCounter(names=True, ngram_range=ngram_range).fit(["aa bb"])
    for invalid in ("yes", 1, None):
        with pytest.raises(InputError, match=r"names=.*; use one of False, True"):
            TermCounter(names=invalid).fit(["aa"])  # type: ignore[arg-type]


@both_implementations
@pytest.mark.parametrize(
    "part",
    ["Aa ", "Aa de ", "de ", "A", "AA\n", "\n", ". Aa", "\n \t", "é Aa ", "Aa-", "A'", "\r", "\xa0\r", "İ", "İi Aa "],
)
def test_joining_names_takes_linear_time(join: Any, part: str) -> None:
    text = part * 100_000
    assert len(replace_dotted_capital_i(join(text))) == len(text)
