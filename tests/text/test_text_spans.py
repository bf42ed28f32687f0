"""Spans of terms: as many as the term is counted, and at the places where a reader sees the term."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.places_cases import odd_texts, settings_of_reading
from tests.reference.text_checks import PATHS, path

from textsieve import InputError
from textsieve.text.analysis import WORDS, Analysis, analysis_of
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


ANALYSES = {
    "one character or more": analysis_of("word", r"\b\w+\b"),
    "hyphens": analysis_of("word", r"\b\w[\w'-]*\b"),
    "not white space": analysis_of("word", r"\S+"),
    "letters": analysis_of("word", r"[a-z]+"),
    "two words": analysis_of("word", r"\w+[ \n]\w+"),
    "first letter": analysis_of("word", r"(\w)\w*"),
    "after a letter": analysis_of("word", r"[ag](\w*)"),
    "perhaps after a letter": analysis_of("word", r"[aeg](\w)?"),
    "nothing of a word": analysis_of("word", r"\b()\w+"),
    "text": analysis_of("text"),
    "text and characters": analysis_of("text", char_ngram_range=(3, 5)),
    "words and characters": analysis_of("word", char_ngram_range=(1, 2)),
    "words and long n-grams": analysis_of("word", r"\w+", char_ngram_range=(4, 20)),
    "char": analysis_of("char"),
    "char_wb": analysis_of("char_wb"),
}
DEPEND_ON_NEIGHBOURS = ("two words", "after a letter", "perhaps after a letter", "nothing of a word")
"""Analyses whose words depend on the characters before them."""
NOT_COUNTED = (
    *("goal", "new york", "of", "zz top", "", " ", "a", " a "),
    *("▁", "▁a▁", "▁a…", "…", "▁go…", "…oa…", "▁…", "……"),
)
"""Terms of a given vocabulary, some of which can't occur with some analyzers."""

scripts = st.text("aAé\u0301 \n\t\x1f▁…'-❤\ufe0f中国のカ゛กำ가각한 \u200da\u093fक", max_size=25)


@pytest.mark.parametrize("way_through", PATHS[:2])
@pytest.mark.parametrize("name", ANALYSES)
@given(
    text=odd_texts | word_texts | scripts,
    reading=settings_of_reading,
    normalise=st.sampled_from([None, None, None, "stem"]),
    ngram_range=ranges,
    stop_words=st.sampled_from([frozenset[str](), frozenset({"the", "of", "a", "中", "…", "'"})]),
    data=st.data(),
)
def test_terms_of_any_analyzer_have_as_many_spans_as_they_are_counted(
    name: str,
    way_through: str,
    text: str,
    reading: Reading,
    normalise: str | None,
    ngram_range: tuple[int, int],
    stop_words: frozenset[str],
    data: st.DataObject,
) -> None:
    analysis = ANALYSES[name]
    can_join_names = analysis.has_words and analysis.token_pattern == WORDS.token_pattern
    preparation = replace(
        reading.preparation,
        names=reading.joins_names and can_join_names,
        normalise=normalise if analysis.has_words else None,
        language="en",
    )
    reading = replace(reading, analysis=analysis, preparation=preparation)
    reading.check()
    ngram_range = (1, 1) if reading.joins_names else ngram_range
    distinct = sorted(set(all_terms(text, reading, ngram_range, stop_words)))
    known = data.draw(st.lists(st.sampled_from(distinct), unique=True)) if distinct else []
    for terms in (distinct, [*known, *NOT_COUNTED]):
        vocabulary = Vocabulary(list(dict.fromkeys(terms)), ngram_range, stop_words)
        spans = TermFinder(vocabulary, reading).spans(text)
        with path(way_through):
            assert Counter(span.term for span in spans) == counts_of_terms(text, vocabulary, reading)
        assert [span[:2] for span in spans] == sorted(span[:2] for span in spans)
        for start, end, term in spans:
            assert 0 <= start <= end <= len(text)
            assert start < end or not term.strip(" "), "only a term without characters has an empty place"
        first = TermFinder(vocabulary, reading).spans(text, 3)
        assert [span.start for span in first] == [span.start for span in spans[:3]]
        assert not Counter(first) - Counter(spans)


@pytest.mark.parametrize("name", [name for name in ANALYSES if name not in DEPEND_ON_NEIGHBOURS])
@given(
    text=word_texts.filter(lambda text: "Σ" not in text) | scripts,
    lowercase=st.booleans(),
    strip_accents=st.sampled_from([None, "ascii", "unicode"]),
    ngram_range=ranges,
    stop_words=st.sampled_from([frozenset[str](), frozenset({"the", "of", "a"})]),
)
def test_the_text_of_a_span_of_any_analyzer_contains_the_term(
    name: str,
    text: str,
    lowercase: bool,
    strip_accents: str | None,
    ngram_range: tuple[int, int],
    stop_words: frozenset[str],
) -> None:
    reading = Reading(lowercase, strip_accents, "utf-8", "strict", analysis=ANALYSES[name])
    terms = all_terms(text, reading, ngram_range, stop_words)
    for start, end, term in TermFinder(Vocabulary(sorted(set(terms)), ngram_range, stop_words), reading).spans(text):
        if start < end:
            assert term in all_terms(text[start:end], reading, ngram_range, stop_words)


def spans_as_text(text: str, terms: list[str], **settings: Any) -> list[str]:
    """Return each span as the text that a reader sees and its term, in order."""
    ngram_range = settings.pop("shortest", 1), settings.pop("longest", 1)
    stop_words = frozenset(settings.pop("stop_words", ()))
    reading = Reading(
        settings.pop("lowercase", True),
        settings.pop("strip", None),
        "utf-8",
        "strict",
        analysis=settings.pop("analysis", WORDS),
        preparation=Preparation(**settings),
    )
    spans = TermFinder(Vocabulary(terms, ngram_range, stop_words), reading).spans(text)
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


CHARACTERS = {"longest": 3, "shortest": 2}
TEXT, CHAR, CHAR_WB = Analysis("text"), Analysis("char"), Analysis("char_wb")


@pytest.mark.parametrize(
    ("settings", "text", "terms", "expected"),
    [
        ({"analysis": Analysis(token_pattern=r"#(\w+)"), "longest": 2}, "A #Big day #out!", ["big", "big out"],
         ["Big = big", "Big day #out = big out"]),
        ({"analysis": Analysis(token_pattern=r"\b\w[\w'-]*\b")}, "Don't co-op-", ["don't", "co-op"],
         ["Don't = don't", "co-op = co-op"]),
        ({"analysis": TEXT, "longest": 2}, "I ❤\ufe0f it!", ["i", "❤", "❤ it", "!"],
         ["I = i", "❤\ufe0f = ❤", "❤\ufe0f it = ❤ it", "! = !"]),
        ({"analysis": TEXT, "longest": 2}, "So 中国の go, go", ["so go", "中", "国の", "so", "go , go"],
         ["So = so", "中 = 中", "国の = 国の"]),
        ({"analysis": TEXT, "stop_words": ["the"], "longest": 2, "normalise": "stem"}, "Find the goals", ["find goal"],
         ["Find the goals = find goal"]),
        ({"analysis": CHAR, **CHARACTERS}, "A  \n b", ["a ", " b", "a b"],
         ["A  \n  = a ", "A  \n b = a b", "  \n b =  b"]),
        ({"analysis": CHAR, **CHARACTERS, "tags": "drop"}, "a<br>&amp;", [" &", "a "],
         ["a<br> = a ", "<br>&amp; =  &"]),
        ({"analysis": CHAR_WB, **CHARACTERS}, "The  other\tth", [" th", "he ", "th", "the"],
         ["Th =  th", "Th = th", "The = the", "he = he ", "th = th", "the = the", "th =  th", "th = th"]),
        ({"analysis": CHAR_WB, "shortest": 5, "longest": 6}, "an ant", [" an ", " ant "], ["an =  an ", "ant =  ant "]),
        ({"analysis": CHAR_WB}, "ab", [" ", "b"], ["a =  ", "b = b", "b =  "]),
        ({"analysis": Analysis("text", char_ngram_range=(3, 4))}, "The other", ["the", "▁th…", "…the…", "…the▁", "he"],
         ["Th = ▁th…", "The = the", "The = …the…", "The = …the▁", "the = …the…"]),
        ({"analysis": Analysis("text", char_ngram_range=(1, 3))}, "a▁…", ["▁a▁", "…", "▁", "▁…▁"],
         ["a = ▁", "a = ▁a▁", "a = ▁", "… = …", "… = ▁", "… = ▁…▁", "… = ▁"]),
        ({"analysis": Analysis(char_ngram_range=(3, 3)), "names": True}, "in New York", ["new york", "▁yo…", "…ew▁"],
         ["New York = new york", "ew = …ew▁", "Yo = ▁yo…"]),
    ],
)  # fmt: skip
def test_spans_of_other_analyzers(settings: dict[str, Any], text: str, terms: list[str], expected: list[str]) -> None:
    assert spans_as_text(text, terms, **settings) == expected


def test_terms_that_only_look_like_spelled_ngrams_have_no_spans() -> None:
    settings = {"analysis": Analysis("text", char_ngram_range=(1, 2))}
    assert spans_as_text("a", ["▁", "▁…", "……", "…a", "▁a", "a▁", "▁▁"], **settings) == ["a = ▁", "a = ▁"]


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("analyzer", {"analysis": Analysis(str.split)}),
        ("tokenizer", {"analysis": Analysis(tokenizer=str.split)}),
        ("preprocessor", {"preprocessor": str.lower}),
    ],
)
def test_a_user_function_raises_an_error_that_names_it(name: str, settings: dict[str, Any]) -> None:
    finder = TermFinder(Vocabulary(["goal"], (1, 1), frozenset()), Reading(True, None, "utf-8", "strict", **settings))
    with pytest.raises(InputError, match=f"{name}=.* is a function.*can't be traced back"):
        finder.spans("goal")


def test_a_function_without_effect_raises_no_error() -> None:
    reading = Reading(True, None, "utf-8", "strict", analysis=Analysis("text", tokenizer=str.split))
    assert TermFinder(Vocabulary(["goal"], (1, 1), frozenset()), reading).spans("Goal!") == [Span(0, 4, "goal")]


def test_a_pattern_that_takes_too_long_raises_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("textsieve.text.analysis.PATTERN_SECONDS", 1.0)
    reading = Reading(True, None, "utf-8", "strict", analysis=Analysis(token_pattern=r"(?:a+)+b"))
    with pytest.raises(InputError, match="takes more than 1 seconds"):
        TermFinder(Vocabulary(["ab"], (1, 1), frozenset()), reading).spans("a" * 60)
