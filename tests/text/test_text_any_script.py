"""The analyzer "text" splits texts of any script into words, symbols and grams, in plain Python and with kernels."""

import random
import unicodedata
from collections import Counter
from itertools import chain
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer
from tests.depth import few_examples
from tests.reference.categorizer_cases import plain_categorizer
from tests.reference.text_checks import PATHS, assert_same, code_points, path, texts
from tests.reference.text_twins import first_seen, is_hangul, text_terms_in, tokens_in

from textsieve import TermCounter
from textsieve.text.tokens import character_kinds, kind_of, split_text, token_places

EXAMPLES: dict[str, tuple[str, list[str]]] = {
    "words of one letter": ("a b2 c_d", ["a", "b2", "c_d"]),
    "punctuation": ("Don't!! 5 $", ["don", "'", "t", "!", "!", "5", "$"]),
    "emoji with a skin colour": ("ok 👍🏽", ["ok", "👍", "🏽"]),
    "a variation selector is dropped": ("❤\ufe0f", ["❤"]),
    "Hindi words keep their marks": ("हिन्दी में", ["हिन्दी", "में"]),
    "Tamil words keep their marks": ("தமிழ் மொழி", ["தமிழ்", "மொழி"]),
    "Persian words keep their joiners": ("می\u200cخواهم", ["می\u200cخواهم"]),
    "decomposed accents stay": ("cafe\u0301!", ["cafe\u0301", "!"]),
    "Chinese": ("我爱你。", ["。", "我", "我爱", "爱", "爱你", "你"]),
    "one Chinese character": ("是 的", ["是", "的"]),
    "Japanese": ("東京タワー", ["東", "東京", "京", "京タ", "タ", "タワ", "ワ", "ワー", "ー"]),
    "Thai units have marks": ("ที่นี่", ["ที่", "ที่นี่", "นี่"]),
    "Korean words and bigrams": ("한국어는 좋다", ["한국어는", "좋다", "한국", "국어", "어는"]),
    "a Korean word of one syllable": ("2024년 책", ["2024년", "책"]),
    "Latin letters beside Chinese": ("iphone手机壳x", ["iphone", "x", "手", "手机", "机", "机壳", "壳"]),
    "Hangul beside Chinese": ("한국中", ["한국", "中"]),
    "control characters separate words": ("a\x00b\x07c\u200bd", ["a", "b", "c", "d"]),
    "marks without a letter are dropped": ("\u0301 a", ["a"]),
    "the mark of spaces is dropped": ("a▁b", ["a", "b"]),
    "nothing": (" \n\t", []),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_tokens_of_a_text(name: str) -> None:
    text, tokens = EXAMPLES[name]
    assert TermCounter(analyzer="text").build_analyzer()(text) == tokens
    assert text_terms_in(text) == tokens  # the twin agrees


def test_stripping_accents_splits_korean_syllables_as_in_sklearn() -> None:
    """The words stay whole, but have no pairs of syllables, since there are only letters."""
    texts = ["한국어 학교에", "학교에 が!"]
    letters = {unicodedata.normalize("NFD", word) for word in ("한국어", "학교에")}
    counter = TermCounter(strip_accents="unicode")
    expected = CountVectorizer(strip_accents="unicode").fit_transform(texts)
    assert counter.fit_transform(texts).toarray().tolist() == expected.toarray().tolist()
    assert set(counter.vocabulary_) == letters
    split = TermCounter(strip_accents="unicode", analyzer="text").fit(texts)
    assert set(split.vocabulary_) == {*letters, "か", "!"}


# Letters, marks, joiners, symbols, separators and characters of all kinds of scripts, next to each other in any order.
SCRIPTS = st.text("aAé_1 \n,!…▁\x00\x1f\u0301\u200d\ufe0f👍हि\u0947中国𠀀々カーㄱ한국어ไที่ລາမြန်ខ្មែ½\ud800", max_size=25)
any_texts = st.one_of(SCRIPTS, texts)
any_corpora = st.lists(any_texts, min_size=1, max_size=8)


@given(any_texts)
def test_tokens_are_those_of_a_plain_loop(text: str) -> None:
    assert tuple(split_text(text)) == tokens_in(text)


@given(any_texts)
def test_places_of_tokens(text: str) -> None:
    places, tokens = token_places(text), split_text(text)
    assert [text[begin:end] for sequence in places.sequences for begin, end in sequence] == list(
        chain(*tokens.sequences)
    )
    assert [text[begin:end] for begin, end in places.grams] == tokens.grams


def test_the_table_of_kinds_agrees_with_the_function() -> None:
    kinds = character_kinds().tolist()
    assert len(kinds) == 0x110000
    assert [kind_of(chr(code)) for code in range(0x110000)] == kinds


SETTINGS: dict[str, dict[str, Any]] = {
    "words": {},
    "pairs": {"ngram_range": (1, 2)},
    "two and three": {"ngram_range": (2, 3)},
    "stop words": {"stop_words": ["a", "中", "한국어", "国", "!"], "ngram_range": (1, 2)},
    "as written": {"lowercase": False, "ngram_range": (1, 2)},
}


@pytest.mark.filterwarnings("ignore:.* can never match:UserWarning")
@pytest.mark.parametrize("way", PATHS)
@pytest.mark.parametrize("name", SETTINGS)
@few_examples
@given(documents=any_corpora, others=any_corpora)
def test_counts_are_those_of_a_plain_loop(name: str, way: str, documents: list[str], others: list[str]) -> None:
    settings = dict(SETTINGS[name])
    prepare = str.lower if settings.get("lowercase", True) else str
    twin = {**{name: value for name, value in settings.items() if name != "lowercase"}, "prepare": prepare}
    term_lists = [text_terms_in(document, **twin) for document in documents]
    if not any(term_lists):
        return
    with path(way):
        counter = TermCounter(analyzer="text", n_jobs=2, **settings)
        counts = counter.fit_transform(documents)
        terms = counter.get_feature_names_out().tolist()
        assert terms == sorted({term for term_list in term_lists for term in term_list})
        for row, term_list in zip(counts.toarray().tolist(), term_lists, strict=True):
            assert {term: count for term, count in zip(terms, row, strict=True) if count} == Counter(term_list)
        known = set(terms)
        for row, document in zip(counter.transform(others).toarray().tolist(), others, strict=True):
            expected = Counter(term for term in text_terms_in(document, **twin) if term in known)
            assert {term: count for term, count in zip(terms, row, strict=True) if count} == expected


@pytest.mark.parametrize("way", PATHS)
@few_examples
@given(documents=any_corpora, n_first=st.integers(0, 8))
def test_columns_do_not_depend_on_batches(way: str, documents: list[str], n_first: int) -> None:
    with path(way):
        counter = TermCounter(analyzer="text", ngram_range=(1, 2), n_jobs=2)
        counter.partial_fit(documents[:n_first]).partial_fit(documents[n_first:])
    term_lists = [text_terms_in(document, ngram_range=(1, 2)) for document in documents]
    assert counter.get_feature_names_out().tolist() == first_seen(term_lists)


@pytest.mark.slow
def test_every_code_point_is_split_as_in_a_plain_loop() -> None:
    rng = random.Random(0)
    characters = code_points().copy()
    rng.shuffle(characters)
    documents = ["".join(characters[first : first + 1000]) for first in range(0, len(characters), 1000)]
    expected = [Counter(text_terms_in(document, prepare=str)) for document in documents]
    counts = {}
    for way in PATHS:
        with path(way):
            counter = TermCounter(analyzer="text", lowercase=False, n_jobs=2)
            counts[way] = counter.fit_transform(documents)
    terms = counter.get_feature_names_out()
    for row, counted in enumerate(expected):
        of_row = slice(*counts["kernels"].indptr[row : row + 2])
        columns, values = counts["kernels"].indices[of_row], counts["kernels"].data[of_row]
        assert dict(zip(terms[columns].tolist(), values.tolist(), strict=True)) == counted
    for way in PATHS[1:]:
        assert_same(counts[way], counts[PATHS[0]])


@pytest.mark.parametrize("way", PATHS)
def test_stems_of_words_and_grams_that_stay(way: str) -> None:
    with path(way):
        counter = TermCounter(analyzer="text", normalise="stem", ngram_range=(1, 2))
        counter.fit(["Cats running, 猫咪 한국어는"])
    terms = counter.get_feature_names_out().tolist()
    assert terms == sorted(
        ["cat", "cat run", "run", "run ,", ",", "猫", "猫咪", "咪", "한국어는", "한국", "국어", "어는"]
    )


@pytest.mark.parametrize("way", PATHS)
def test_names_are_one_word(way: str) -> None:
    with path(way):
        counter = TermCounter(analyzer="text", names=True).fit(["We flew to Santiago de Cuba, then home."])
    assert {"santiago de cuba", ",", "then", "."} <= set(counter.get_feature_names_out())
    assert "cuba" not in counter.get_feature_names_out()


@pytest.mark.parametrize("way", PATHS)
def test_stop_words_that_contain_symbols_are_named_in_a_warning(way: str) -> None:
    with path(way), pytest.warns(UserWarning, match="1 of 2 stop words can never match.*don't"):
        TermCounter(analyzer="text", stop_words=["don't", "the"]).fit(["the cat doesn't"])


def test_the_tokenizer_lists_words_symbols_and_grams() -> None:
    assert TermCounter(analyzer="text").build_tokenizer()("a, 你好") == ["a", ",", "你", "你好", "好"]


def test_pairs_of_words_leave_grams_out_if_single_words_do_not_count() -> None:
    counter = TermCounter(analyzer="text", ngram_range=(2, 2)).fit(["good day 你好 my friend"])
    assert counter.get_feature_names_out().tolist() == ["good day", "my friend"]


def test_the_twin_knows_hangul() -> None:
    assert is_hangul("한")
    assert not is_hangul(unicodedata.normalize("NFD", "한")[0])


@pytest.mark.parametrize("word", ["그리고", "我们", "ไม่"])
def test_stop_words_of_several_units_are_left_out_without_a_warning(word: str) -> None:
    documents, labels = [f"{word} good", f"{word} bad"] * 4, ["a", "b"] * 4
    assert word not in TermCounter(analyzer="text", stop_words=[word]).fit(documents).vocabulary_
    trained = plain_categorizer(analyzer="text", stop_words=[word]).fit(documents, labels)
    assert word not in trained.model_.terms


@pytest.mark.filterwarnings("ignore:.* can never match:UserWarning")
@pytest.mark.parametrize("way", PATHS)
def test_a_mark_among_the_stop_words_changes_nothing(way: str) -> None:
    with path(way):
        counter = TermCounter(analyzer="text", ngram_range=(1, 2), stop_words=["▁"]).fit(["ab北cd"])
    assert counter.get_feature_names_out().tolist() == ["ab", "cd", "北"]


def test_a_token_pattern_without_effect_does_not_keep_names_from_being_joined() -> None:
    with pytest.warns(UserWarning, match="token_pattern=.* has no effect"):
        counter = TermCounter(analyzer="text", names=True, token_pattern=r"\w+").fit(["We saw Santiago de Cuba."])
    assert "santiago de cuba" in counter.vocabulary_
