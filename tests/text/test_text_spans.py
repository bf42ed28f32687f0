"""Spans of terms: as many as the term is counted, and at the places where a reader sees the term."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.places_cases import odd_texts, settings_of_reading
from tests.reference.text_checks import PATHS, path

from textsieve.text.counting import count_known
from textsieve.text.places import Span, TermFinder
from textsieve.text.preparation import Preparation
from textsieve.text.reading import Reading
from textsieve.text.vocabulary import Vocabulary

PIECES = (
    *("goal", "Goal", "goals", "the", "of", "New", "York", "zz", "Zz", "top", "café", "cafe\u0301", "İstanbul", "Łódź"),
    *(" ", " ", " ", " ", "\n", "-", "ß", ". In ", "<b>", "</td>", "&eacute;", "\xad", "ΟΔΟΣ", "\ufdfa", "I\u0307z"),
)
word_texts = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
ranges = st.sampled_from([(1, 1), (1, 2), (2, 2), (1, 4), (3, 20)])


def all_terms(text: str, reading: Reading, ngram_range: tuple[int, int], stop_words: frozenset[str]) -> list[str]:
    """Return all terms of a text."""
    prepared, _ = reading.few_or_many([text])
    assert prepared is not None
    (terms,) = reading.term_lists(prepared, ngram_range, stop_words)
    return terms


def counts_of_terms(text: str, vocabulary: Vocabulary, reading: Reading) -> Counter[str]:
    """Return the counts of the vocabulary's terms in a text."""
    rows = count_known([text], vocabulary, reading)
    terms = [vocabulary.terms[column] for column in rows.indices.tolist()]
    return Counter(dict(zip(terms, rows.data.tolist(), strict=True)))


@pytest.mark.parametrize("way_through", PATHS[:2])
@given(
    text=odd_texts | word_texts,
    reading=settings_of_reading,
    normalise=st.sampled_from([None, None, "stem", "lemma"]),
    ngram_range=ranges,
    stop_words=st.sampled_from([frozenset[str](), frozenset({"the", "of", "york"})]),
    data=st.data(),
)
def test_a_term_has_as_many_spans_as_it_is_counted(
    way_through: str,
    text: str,
    reading: Reading,
    normalise: str | None,
    ngram_range: tuple[int, int],
    stop_words: frozenset[str],
    data: st.DataObject,
) -> None:
    preparation = reading.preparation.to_dict() | {"language": reading.preparation.language, "normalise": normalise}
    reading = Reading(reading.lowercase, reading.strip_accents, "utf-8", "strict", Preparation(**preparation))
    ngram_range = (1, 1) if reading.joins_names else ngram_range  # names can't be combined with n-grams
    every_term = all_terms(text, reading, ngram_range, stop_words)
    distinct = sorted(set(every_term))
    known = data.draw(st.lists(st.sampled_from(distinct), unique=True)) if distinct else []
    for terms in (distinct, [*known, "goal", "new york", "of", "zz top", ""]):
        vocabulary = Vocabulary(list(dict.fromkeys(terms)), ngram_range, stop_words)
        spans = TermFinder(vocabulary, reading).spans(text)
        with path(way_through):
            assert Counter(span.term for span in spans) == counts_of_terms(text, vocabulary, reading)
        assert [span[:2] for span in spans] == sorted(span[:2] for span in spans)
        assert all(0 <= span.start < span.end <= len(text) for span in spans)


@given(
    st.text("abC_éÉİﬁßłŁ가中\u0301\u0323\u093f -“", max_size=30),
    st.booleans(),
    st.sampled_from([None, "ascii", "unicode"]),
)
def test_the_text_of_a_span_reads_as_its_term(text: str, lowercase: bool, strip_accents: str | None) -> None:
    reading = Reading(lowercase, strip_accents, "utf-8", "strict")
    terms = all_terms(text, reading, (1, 1), frozenset())
    spans = TermFinder(Vocabulary(sorted(set(terms)), (1, 1), frozenset()), reading).spans(text)
    assert [span.term for span in spans] == terms
    last_end = 0
    for start, end, term in spans:
        assert all_terms(text[start:end], reading, (1, 1), frozenset()) == [term]
        assert start >= last_end, "words do not overlap"
        assert text[end : end + 1] not in ("\u0301", "\u0323", "\u093f"), "a mark is with its letter"
        last_end = end


def spans_as_text(text: str, terms: list[str], **settings: Any) -> list[str]:
    """Return each span as the text that a reader sees and its term, in order."""
    longest = settings.pop("longest", 1)
    stop_words = frozenset(settings.pop("stop_words", ()))
    reading = Reading(
        settings.pop("lowercase", True), settings.pop("strip", None), "utf-8", "strict", Preparation(**settings)
    )
    spans = TermFinder(Vocabulary(terms, (1, longest), stop_words), reading).spans(text)
    return [f"{text[start:end]} = {term}" for start, end, term in spans]


@pytest.mark.parametrize(
    ("settings", "text", "terms", "expected"),
    [
        ({}, "Goal! The GOAL, goals", ["goal"], ["Goal = goal", "GOAL = goal"]),
        ({"lowercase": False}, "Goal goal", ["Goal"], ["Goal = Goal"]),
        ({}, "ΟΔΟΣ οδος οδοσ", ["οδος"], ["ΟΔΟΣ = οδος", "οδος = οδος"]),
        ({}, "aa İstanbul bb", ["stanbul", "bb"], ["stanbul = stanbul", "bb = bb"]),
        ({}, "ABİ bb", ["abi", "bb"], ["ABİ = abi", "bb = bb"]),
        ({"strip": "unicode"}, "İİ İstanbul", ["istanbul", "ii"], ["İİ = ii", "İstanbul = istanbul"]),
        ({"language": "tr"}, "IŞIK I\u0307z İz", ["ışık", "iz"], ["IŞIK = ışık", "I\u0307z = iz", "İz = iz"]),
        ({"strip": "unicode"}, "cafe\u0301s café\u0323, x", ["cafes", "cafe"],
         ["cafe\u0301s = cafes", "café\u0323 = cafe"]),
        ({}, "cafe\u0301s", ["cafe"], ["cafe\u0301 = cafe"]),
        ({"strip": "unicode"}, "ﬁne ﬃ ½", ["fine", "ffi"], ["ﬁne = fine", "ﬃ = ffi"]),
        ({"strip": "ascii"}, "Łódź, Maß “foo” ﬁ中", ["odz", "ma", "foo", "fi"],
         ["Łódź = odz", "Maß = ma", "foo = foo", "ﬁ中 = fi"]),
        ({"strip": "ascii"}, "foo–bar \u0301baz", ["foobar", "baz"], ["foo–bar = foobar", "baz = baz"]),
        ({"strip": "unicode"}, "\uac01 \uac00\uac01", ["\u1100\u1161\u11a8"], ["\uac01 = \u1100\u1161\u11a8"]),
        ({"strip": "unicode", "longest": 2}, "x ﷺ y", ["صلى", "الله عليه"], ["ﷺ = صلى", "ﷺ = الله عليه"]),
        ({"strip": "unicode", "longest": 5}, "ﷺ yy", ["صلى الله عليه وسلم yy", "عليه"],
         ["ﷺ = عليه", "ﷺ yy = صلى الله عليه وسلم yy"]),
        ({"longest": 2, "stop_words": ["of", "the"]}, "wall of the House", ["wall house", "house"],
         ["wall of the House = wall house", "House = house"]),
        ({"longest": 3}, "aa aa aa aa", ["aa aa", "aa aa aa"],
         ["aa aa = aa aa", "aa aa aa = aa aa aa", "aa aa = aa aa", "aa aa aa = aa aa aa", "aa aa = aa aa"]),
        ({"tags": "drop"}, "<font size=7>W</font>elcome <p title='Welcome'>", ["welcome"],
         ["W</font>elcome = welcome"]),
        ({"tags": "drop"}, "wel<p>come &eacute;t&eacute; caf&eacute;", ["welcome", "été", "café"],
         ["&eacute;t&eacute; = été", "caf&eacute; = café"]),
        ({"tags": "drop"}, "AT&ampT &lt;bold&gt; co&shy;op co\xadop", ["bold", "coop"],
         ["bold = bold", "co&shy;op = coop", "co\xadop = coop"]),
        ({"tags": "drop"}, "&#x39z &#1zz &notzz", ["9z", "zz"], ["&#x39z = 9z", "zz = zz", "zz = zz"]),
        ({"tags": "drop", "strip": "unicode"}, "caf<b>e</b>&#769;!", ["cafe"], ["caf<b>e</b>&#769; = cafe"]),
        ({"tags": "drop", "longest": 2}, "<td>aa</td><td>bb</td>", ["aa bb"], ["aa</td><td>bb = aa bb"]),
        ({"names": True}, "in Santiago  de\xa0Cuba. Santiago", ["santiago de cuba", "santiago"],
         ["Santiago  de\xa0Cuba = santiago de cuba", "Santiago = santiago"]),
        ({"names": True}, "in New York City and new york city", ["new york city", "york"],
         ["New York City = new york city", "york = york"]),
        ({"names": True}, "in İnce Memed", ["ince memed"], ["İnce Memed = ince memed"]),
        ({"normalise": "stem"}, "Goals, scoring goal", ["goal", "score"],
         ["Goals = goal", "scoring = score", "goal = goal"]),
        ({"normalise": "lemma"}, "the mice ran", ["mouse", "run"], ["mice = mouse", "ran = run"]),
    ],
)  # fmt: skip
def test_spans_of_examples(settings: dict[str, Any], text: str, terms: list[str], expected: list[str]) -> None:
    assert spans_as_text(text, terms, **settings) == expected


def test_offsets_are_code_points_beyond_the_first_plane() -> None:
    reading = Reading(True, None, "utf-8", "strict")
    finder = TermFinder(Vocabulary(["goal"], (1, 1), frozenset()), reading)
    assert finder.spans("😀😀 goal 👍🏽") == [Span(3, 7, "goal")]
    assert finder.spans("") == []


def test_very_long_terms_take_linear_time() -> None:
    """All n-grams of up to that many words, as strings, would have billions of characters."""
    words = [f"w{number}" for number in range(3000)]
    reading = Reading(True, None, "utf-8", "strict")
    long_term = " ".join(words)
    finder = TermFinder(Vocabulary([long_term, "w0 w1", "w2999"], (1, 3000), frozenset()), reading)
    assert finder.spans(long_term + " w0") == [
        Span(0, 5, "w0 w1"), Span(0, len(long_term), long_term), Span(len(long_term) - 5, len(long_term), "w2999"),
    ]  # fmt: skip
