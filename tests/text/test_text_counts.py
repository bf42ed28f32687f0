"""The counts of any text, in plain Python and with kernels, are those of scikit-learn's CountVectorizer."""

import random
import string
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, note
from sklearn.feature_extraction.text import CountVectorizer
from tests.depth import IS_DEEP, few_examples
from tests.reference.text_checks import PATHS, assert_counts_like_sklearn, assert_same, corpora, path
from tests.reference.text_twins import most_frequent, terms_in

from textsieve import TermCounter

SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "as written": {"lowercase": False},
    "ascii": {"strip_accents": "ascii"},
    "no marks": {"strip_accents": "unicode"},
    "ascii as written": {"strip_accents": "ascii", "lowercase": False},
    "own stripper": {"strip_accents": lambda text: text.replace("é", "E").replace("-", "İİ")},
    "binary": {"binary": True},
    "floats": {"dtype": np.float32},
    "bytes": {"dtype": np.uint8},
    "bigrams too": {"ngram_range": (1, 2)},
    "bigrams": {"ngram_range": (2, 2)},
    "three to five": {"ngram_range": (3, 5)},
    "to nine": {"ngram_range": (1, 9)},
    "min_df": {"min_df": 2},
    "min_df share": {"min_df": 0.3},
    "max_df": {"max_df": 2},
    "max_df share": {"max_df": 0.5},
    "both": {"min_df": 0.2, "max_df": 0.7, "ngram_range": (1, 2)},
    "stop words": {"stop_words": ["ab", "the", "of", "σσ", "北京", "abcdefghi"]},
    "stop words no text has": {"stop_words": ["AB", "x", "the of", "", "word", "e\u0301t"]},
    "stop words and runs": {"stop_words": ["ab", "the", "word"], "ngram_range": (1, 3)},
    "english": {"stop_words": "english", "ngram_range": (2, 2), "binary": True},
    "vocabulary": {"vocabulary": ["word", "ab", "北京", "abcdefgh", "abcdefghabcdefghi", "never"]},
    "vocabulary of runs": {"vocabulary": ["ab", "ab ab", "the of", "abcdefgh abcdefghi"], "ngram_range": (1, 2)},
    "vocabulary set": {"vocabulary": {"word", "ab", "never", "αα", "αβ"}},
    "vocabulary numbered": {"vocabulary": {"word": 2, "ab": 0, "the": 1}, "binary": True, "min_df": 3},
    "vocabulary no text has": {"vocabulary": ["AB", "x", "ab ab", "", " ab", "ab ", "ab-ab", "ab\n", "\ud800", "the"]},
    "vocabulary and stop words": {"vocabulary": ["the", "ab", "word"], "stop_words": ["the", "word"]},
    "vocabulary of stopped runs": {
        "vocabulary": ["ab the", "ab", "the ab", "ab  ab", "ab ab ab", "ab ab"],
        "stop_words": ["the"],
        "ngram_range": (1, 2),
    },
}


@pytest.mark.filterwarnings("ignore:.*terms of vocabulary have uppercase letters")  # one case has such a term
@pytest.mark.filterwarnings("ignore:.*stop words can never match")
@few_examples
@given(fitted=corpora, others=corpora)
def test_counts_are_sklearns(fitted: list[str], others: list[str]) -> None:
    """Every setting is tried with every path, each time on other documents; in a deep run, on the same ones, too."""
    for number, (name, settings) in enumerate(SETTINGS.items(), sum(map(len, fitted))):
        note(name)
        ways = PATHS if IS_DEEP else PATHS[number % 3 :][:1]
        assert_counts_like_sklearn(fitted, others, settings, ways=ways)


@pytest.mark.parametrize("way", PATHS)
@given(fitted=corpora)
def test_counts_are_what_a_loop_over_characters_counts(way: str, fitted: list[str]) -> None:
    expected = [Counter(terms_in(text)) for text in fitted]
    with path(way):
        if not any(expected):
            with pytest.raises(ValueError, match="has a term"):
                TermCounter().fit(fitted)
            return
        counter = TermCounter(n_jobs=2)
        counts = counter.fit_transform(fitted).toarray()
    assert list(counter.vocabulary_) == sorted(set().union(*expected))
    counted = [{term: row[column] for term, column in counter.vocabulary_.items() if row[column]} for row in counts]
    assert counted == expected


@pytest.mark.filterwarnings("ignore:Upper case characters:UserWarning")  # sklearn, for letters without a lowercase form
@pytest.mark.parametrize("binary", [False, True])
@few_examples
@given(fitted=corpora)
def test_max_features_keeps_the_most_frequent(binary: bool, fitted: list[str]) -> None:
    terms = [terms_in(text) for text in fitted]
    if not any(terms):
        return
    for n_terms, way in product((1, 2, 5, 1000), PATHS):
        with path(way):
            counter = TermCounter(max_features=n_terms, binary=binary, n_jobs=2)
            counts = counter.fit_transform(fitted)
        assert list(counter.vocabulary_) == most_frequent(terms, n_terms, binary=binary)
        theirs = CountVectorizer(max_features=n_terms, binary=binary).fit_transform(fitted)
        assert sorted(counts.sum(axis=0).tolist()[0]) == sorted(theirs.sum(axis=0).tolist()[0])  # the same up to ties
        expected = CountVectorizer(vocabulary=counter.vocabulary_, binary=binary).fit_transform(fitted)
        assert_same(counts, expected)


@pytest.mark.parametrize("way", PATHS)
def test_max_features_of_binary_counts_goes_by_documents(way: str) -> None:
    documents = ["aa aa aa aa bb", "bb", "bb"]
    with path(way):
        assert set(TermCounter(max_features=1).fit(documents).vocabulary_) == {"aa"}
        assert set(TermCounter(max_features=1, binary=True).fit(documents).vocabulary_) == {"bb"}


LETTERS = {1: "abcXYZ019_", 2: "éßΣς٣ж", 3: "北ⅷ५ก", 4: "𝔘𐐀𝟘"}


@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 2)])
def test_words_of_every_length_around_the_key(lowercase: bool, ngram_range: tuple[int, int]) -> None:
    chance = random.Random(5)
    words = []
    for n_bytes in range(1, 41):
        for _ in range(60):
            word = ""
            while (left := n_bytes - len(word.encode())) > 0:
                word += chance.choice(LETTERS[chance.choice([width for width in LETTERS if width <= left])])
            words += [word, word[:-1] + chance.choice(LETTERS[1])]
    documents = [" ".join(chance.choices(words, k=100)) for _ in range(100)]
    assert {len(word.encode()) for word in words} >= set(range(1, 41))
    with path("kernels, many slices"):
        assert_counts_like_sklearn(documents, [], {"lowercase": lowercase, "ngram_range": ngram_range})


@pytest.mark.parametrize("n_words", [2, 63, 64, 65, 200, 3000])
def test_words_that_share_their_first_eight_bytes(n_words: int) -> None:
    chance = random.Random(n_words)
    endings = {"", *("".join(chance.choices("ab_9é", k=chance.randint(1, 12))) for _ in range(3 * n_words))}
    ends = sorted(endings)[:n_words]
    words = [start + end for start in ("samestar", "samesta", "αβγδ") for end in ends]
    chance.shuffle(words)
    with path("kernels"):
        assert_counts_like_sklearn([" ".join(words)], [], {})
        assert_counts_like_sklearn([" ".join(words)], [], {"ngram_range": (1, 2)})


@pytest.mark.parametrize("length", [7, 8, 9, 15, 16, 17, 4095, 4096, 65536, 65537, 100_000, 300_000])
def test_extremely_long_words(length: int) -> None:
    word = (string.ascii_letters * (length // 52 + 1))[:length]
    wide = ("北é𝔘" * (length // 3 + 1))[:length]
    documents = [f"{word} {word}x {word[:-1]}", f"{word[:-1]}# {wide} {wide}a", f"{word} {wide[1:]}"]
    with path("kernels"):
        assert_counts_like_sklearn(documents, documents[::-1], {})
        assert_counts_like_sklearn(documents, documents[::-1], {"ngram_range": (1, 2)})


def test_a_document_of_megabytes_without_a_space() -> None:
    documents = ["x" * 5_000_000, "ab", "é" * 1_500_000, "-" * 3_000_000, "x" * 4_999_999 + "y", "\x00ab" * 300_000]
    assert_counts_like_sklearn(documents, documents[::-1], {})


def test_many_words_that_differ_in_one_place() -> None:
    words = [f"{stem}{number:05d}" for stem in ("aa", "abcdefgh", "abcdefghijklmnop") for number in range(20_000)]
    documents = [" ".join(words[start::7]) for start in range(7)]
    assert_counts_like_sklearn(documents, documents[:1], {})


@pytest.mark.parametrize("size", [0, 1, 47, 48, 49, 200, 255, 256, 257, 70_000])
def test_rows_of_every_size_are_sorted(size: int) -> None:
    chance = random.Random(size)
    words = [f"w{number:x}" for number in chance.sample(range(1 << 20), size)]
    assert_counts_like_sklearn(["zz " * 20_000, " ".join(words), "", " ".join(words[::2] * 3)], [], {})


def test_counts_that_do_not_fit_wrap_as_in_sklearn() -> None:
    for way in PATHS:
        with path(way):
            assert_counts_like_sklearn(["ab " * 300, "cd"], [], {"dtype": np.uint8})


@pytest.mark.slow
@pytest.mark.parametrize("kind", [np.int8, np.int32, np.uint64, np.float64, np.bool_])
def test_dtypes(kind: type[np.number]) -> None:
    for way in PATHS:
        with path(way):
            assert_counts_like_sklearn(["ab ab cd", "cd"], ["ab ab"], {"dtype": kind})


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16"])
def test_bytes_are_decoded(encoding: str) -> None:
    documents = ["café Straße", "naïve café", ""]
    encoded = [document.encode(encoding) for document in documents]
    for way in PATHS:
        with path(way):
            counter = TermCounter(encoding=encoding)
            assert_same(counter.fit_transform(encoded), TermCounter().fit_transform(documents))
            assert list(counter.vocabulary_) == ["café", "naïve", "straße"]


def test_bytes_with_errors_left_out_or_replaced() -> None:
    documents = [b"ab\xffcd ef"]
    assert list(TermCounter(decode_error="ignore").fit(documents).vocabulary_) == ["abcd", "ef"]
    assert list(TermCounter(decode_error="replace").fit(documents).vocabulary_) == ["ab", "cd", "ef"]


def test_ngram_range_may_be_a_list() -> None:
    for way in PATHS:
        with path(way):
            words = TermCounter(ngram_range=[1, 1]).fit(["ab cd"])  # type: ignore[arg-type]
            bigrams = TermCounter(ngram_range=[1, 2]).fit(["ab cd"])  # type: ignore[arg-type]
            assert list(words.vocabulary_) == ["ab", "cd"]
            assert list(bigrams.vocabulary_) == ["ab", "ab cd", "cd"]
