"""The n-grams of characters of any text, in plain Python and with kernels, are those of scikit-learn."""

import pickle
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from scipy.sparse import csr_matrix, vstack
from sklearn.feature_extraction.text import CountVectorizer
from tests.depth import IS_DEEP, few_examples
from tests.reference.text_checks import (
    PATHS,
    assert_counts_like_sklearn,
    assert_same,
    documents_of,
    path,
    spaced_corpora,
    spaced_texts,
    varied_code_points,
)
from tests.reference.text_twins import character_ngrams_in, first_seen

from textsieve import TermCounter
from textsieve.text import tally, term_table, word_table

ANALYZERS = ("char", "char_wb")
for_both = pytest.mark.parametrize("analyzer", ANALYZERS)

SETTINGS: dict[str, dict[str, Any]] = {
    "characters": {},
    "three to five": {"ngram_range": (3, 5)},
    "two and three": {"ngram_range": (2, 3)},
    "nine": {"ngram_range": (9, 9)},
    "one to twenty": {"ngram_range": (1, 20)},
    "any length": {"ngram_range": (4, 10**9)},
    "as written": {"lowercase": False, "ngram_range": (2, 4)},
    "ascii": {"strip_accents": "ascii", "ngram_range": (2, 4)},
    "no marks": {"strip_accents": "unicode", "ngram_range": (2, 4)},
    "own stripper": {"strip_accents": lambda text: text.replace("é", "E\n").replace("-", "\0 "), "ngram_range": (1, 3)},
    "own preprocessor": {"preprocessor": lambda text: text.replace("a", " \0 X"), "ngram_range": (1, 3)},
    "binary": {"binary": True, "ngram_range": (1, 2)},
    "floats": {"dtype": np.float32, "ngram_range": (1, 2)},
    "min_df": {"min_df": 2, "ngram_range": (1, 3)},
    "both limits": {"min_df": 0.2, "max_df": 0.7, "ngram_range": (1, 3)},
    "vocabulary": {
        "vocabulary": ["ab", " a", "b ", "\n", "\0", "\0a", "", "\ud800", "abcdefghi", "bc\n", "北"],
        "ngram_range": (1, 9),
    },
}


@pytest.mark.filterwarnings("ignore:Upper case characters:UserWarning")
@for_both
@few_examples
@given(fitted=spaced_corpora, others=spaced_corpora)
def test_counts_are_sklearns(analyzer: str, fitted: list[str], others: list[str]) -> None:
    """Every setting is tried with every path, each time on other documents; in a deep run, on the same ones, too."""
    for number, (name, settings) in enumerate(SETTINGS.items(), sum(map(len, fitted))):
        note(name)
        ways = PATHS if IS_DEEP else PATHS[number % 3 :][:1]
        assert_counts_like_sklearn(fitted, others, {"analyzer": analyzer, **settings}, ways=ways)


@for_both
def test_max_features_keeps_the_most_frequent(analyzer: str) -> None:
    documents = ["aab\naa  ab", "ab b", "cc\0c"]
    for way in PATHS:
        with path(way):
            counter = TermCounter(analyzer=analyzer, ngram_range=(1, 2), max_features=3)
            counts = counter.fit_transform(documents)
            theirs = CountVectorizer(analyzer=analyzer, ngram_range=(1, 2), vocabulary=counter.vocabulary_)
            assert_same(counts, theirs.transform(documents))
            every = CountVectorizer(analyzer=analyzer, ngram_range=(1, 2)).fit_transform(documents).sum(axis=0)
            assert sorted(counts.sum(axis=0).tolist()[0]) == sorted(every.tolist()[0])[-3:]


@pytest.mark.slow
@pytest.mark.pairwise
@for_both
@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize(("ngram_range", "n_points"), [((1, 1), None), ((2, 3), 0x4000)])
def test_every_code_point_is_counted_as_in_sklearn(
    analyzer: str, lowercase: bool, ngram_range: tuple[int, int], n_points: int | None
) -> None:
    documents = documents_of(varied_code_points()[:n_points], "a{c}b {c}{c}")
    settings: dict[str, Any] = {"analyzer": analyzer, "ngram_range": ngram_range, "lowercase": lowercase}
    theirs = CountVectorizer(**settings)
    expected = theirs.fit_transform(documents)
    for way in PATHS[:2]:
        with path(way):
            counter = TermCounter(**settings)
            assert_same(counter.fit_transform(documents), expected)
            assert counter.vocabulary_ == theirs.vocabulary_


@pytest.mark.parametrize("length", [1, 2, 3, 7, 8, 9, 15, 16, 17, 33])
@for_both
def test_ngrams_of_every_length_around_the_key(analyzer: str, length: int) -> None:
    chance = random.Random(length)
    documents = ["".join(chance.choices("abc é北𝔘\0\n ", k=400)) for _ in range(30)]
    settings = {"analyzer": analyzer, "ngram_range": (max(1, length - 2), length)}
    with path("kernels, many slices"):
        assert_counts_like_sklearn(documents, documents[::-1], settings)


@for_both
def test_long_documents_and_long_words(analyzer: str) -> None:
    documents = ["x" * 100_000, "ab", "é" * 50_000, " " * 70_000, "\u3000 " * 30_000 + "x", "ab\n" * 50_000, ""]
    assert_counts_like_sklearn(documents, documents[::-1], {"analyzer": analyzer, "ngram_range": (3, 5)})


# Batches of documents, each with the path on which it is counted.
batches = st.lists(st.tuples(st.sampled_from(PATHS), st.lists(spaced_texts, max_size=5)), min_size=1, max_size=5)


def padded(counts: csr_matrix, n_columns: int) -> csr_matrix:
    """Return the matrix with empty columns added at the end."""
    return csr_matrix((counts.data, counts.indices, counts.indptr), shape=(counts.shape[0], n_columns))


@for_both
@pytest.mark.parametrize("ngram_range", [(1, 1), (2, 4), (5, 9)])
@few_examples
@given(batches=batches)
def test_columns_are_in_the_order_of_first_use_for_any_batches(
    analyzer: str, ngram_range: tuple[int, int], batches: list[tuple[str, list[str]]]
) -> None:
    documents = [text for _, batch in batches for text in batch]
    settings: dict[str, Any] = {"analyzer": analyzer, "ngram_range": ngram_range}
    counter = TermCounter(n_jobs=2, **settings)
    parts = []
    for way, batch in batches:
        with path(way):
            parts.append(counter.partial_fit_transform(batch))
    expected = first_seen([character_ngrams_in(text, **settings) for text in documents])
    assert list(counter.vocabulary_) == expected
    in_parts = csr_matrix(vstack([padded(part, len(expected)) for part in parts], format="csr"))
    for way in PATHS:
        with path(way):
            assert_same(counter.transform(documents), in_parts)
            at_once = TermCounter(n_jobs=3, **settings)
            assert_same(at_once.partial_fit_transform(documents), in_parts)
            assert list(at_once.vocabulary_) == expected


def many_documents() -> list[str]:
    chance = random.Random(3)
    words = ["".join(chance.choices("abcdeé北\0", k=chance.randint(1, 12))) for _ in range(900)]
    return [chance.choice([" ", "\n", "  "]).join(chance.choices(words, k=40)) for _ in range(400)]


@for_both
def test_the_same_bytes_for_any_number_of_threads(analyzer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tally, "SLICE_CHARACTERS", 3000)
    documents = many_documents()
    results = []
    for n_jobs in (1, 2, 3, 5):
        counter = TermCounter(analyzer=analyzer, ngram_range=(2, 5), n_jobs=n_jobs)
        fitted = counter.fit_transform(documents)
        stream = TermCounter(analyzer=analyzer, ngram_range=(2, 5), n_jobs=n_jobs)
        streamed = [stream.partial_fit_transform(documents[first : first + 150]) for first in range(0, 400, 150)]
        matrices = [fitted, counter.transform(documents[::-1]), *streamed]
        parts = [getattr(matrix, name).tobytes() for matrix in matrices for name in ("data", "indices", "indptr")]
        results.append((parts, list(counter.vocabulary_), list(stream.vocabulary_)))
    assert all(result == results[0] for result in results)


@for_both
def test_results_do_not_depend_on_the_seed(analyzer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    results = []
    for seed in (0, 1, 2**64 - 1):
        for module in (word_table, term_table):
            monkeypatch.setattr(module, "SEED", np.uint64(seed))
        with path("kernels, many slices"):
            counter = TermCounter(analyzer=analyzer, ngram_range=(7, 12), n_jobs=2)
            counts = counter.fit_transform(many_documents()[:60])
            results.append((counts.data.tobytes(), counts.indices.tobytes(), list(counter.vocabulary_)))
    assert results[0] == results[1] == results[2]


@for_both
def test_a_pickled_counter_counts_the_same(analyzer: str) -> None:
    documents = ["ab\0c \n é", "\ud800 ab  c"]
    for way in PATHS:
        with path(way):
            counter = TermCounter(analyzer=analyzer, ngram_range=(1, 3)).fit(documents)
            copied = pickle.loads(pickle.dumps(counter))
            assert copied.vocabulary_ == counter.vocabulary_
            assert_same(copied.transform(documents), counter.transform(documents))


@for_both
def test_pruned_ngrams_are_never_spelled(analyzer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    split_terms: Callable[..., list[str]] = word_table.split_terms
    spelled: list[str] = []

    def record(*arguments: Any) -> list[str]:
        terms = split_terms(*arguments)
        spelled.extend(terms)
        return terms

    monkeypatch.setattr(term_table, "split_terms", record)
    with path("kernels"):
        counter = TermCounter(analyzer=analyzer, ngram_range=(3, 3), min_df=2).fit(["abcd xyz", "abce uvw", "qqqq"])
        assert list(counter.vocabulary_) == (["abc"] if analyzer == "char" else [" ab", "abc"])
    assert spelled == list(counter.vocabulary_)


@for_both
def test_a_reader_of_known_ngrams_does_not_grow(analyzer: str) -> None:
    with path("kernels"):
        counter = TermCounter(analyzer=analyzer, ngram_range=(2, 3), n_jobs=2).fit(["ab cd"])
        counter.transform(["ab"])
        table = counter._vocabulary.table_for(counter._reading()).table
        size = table.size
        for number in range(20):
            counter.transform([f"{number} new words {number * 7919}"])
        assert table.size == size


def test_tags_are_removed_before_characters_are_counted() -> None:
    for way in PATHS:
        with path(way):
            counter = TermCounter(analyzer="char", ngram_range=(2, 2), tags="drop").fit(["<b>ab</b>"])
            assert list(counter.vocabulary_) == ["ab"]


@for_both
def test_build_analyzer_lists_ngrams_as_sklearn_does(analyzer: str) -> None:
    text = "Jumpy  fox\njumps\0 a"
    settings: dict[str, Any] = {"analyzer": analyzer, "ngram_range": (2, 5)}
    assert TermCounter(**settings).build_analyzer()(text) == CountVectorizer(**settings).build_analyzer()(text)


@pytest.mark.filterwarnings("error")
@for_both
def test_stop_words_have_no_effect_and_a_warning_says_so(analyzer: str) -> None:
    with pytest.warns(UserWarning, match=f"stop_words='english' has no effect because of analyzer='{analyzer}'"):
        counter = TermCounter(analyzer=analyzer, ngram_range=(3, 3), stop_words="english").fit(["the"])
    assert "the" in counter.vocabulary_
