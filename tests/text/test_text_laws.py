"""Properties of a counter for any documents: independent of threads, batches, order and copies."""

import copy
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from scipy.sparse import csr_matrix, vstack
from sklearn.base import clone
from tests.depth import few_examples
from tests.reference.text_checks import PATHS, assert_same, corpora, path, texts
from tests.reference.text_twins import first_seen, terms_in

from textsieve import TermCounter
from textsieve.text import tally

SETTINGS: list[dict[str, Any]] = [
    {},
    {"ngram_range": (1, 2)},
    {"ngram_range": (2, 3), "stop_words": ["ab", "the"]},
    {"binary": True, "stop_words": ["word"]},
    {"dtype": np.float32},
]
for_all_settings = pytest.mark.parametrize("options", SETTINGS, ids=str)

# Batches of documents, each with the path on which it is counted.
batches = st.lists(st.tuples(st.sampled_from(PATHS), st.lists(texts, max_size=5)), min_size=1, max_size=6)


def terms_by(options: dict[str, Any], documents: list[str]) -> list[list[str]]:
    """Return the terms of each document, under the settings that affect them."""
    relevant = {name: value for name, value in options.items() if name in ("ngram_range", "stop_words")}
    return [terms_in(text, **relevant) for text in documents]


def padded(counts: csr_matrix, n_columns: int) -> csr_matrix:
    """Return the matrix with empty columns added at the end."""
    return csr_matrix((counts.data, counts.indices, counts.indptr), shape=(counts.shape[0], n_columns))


@few_examples
@given(batches=batches)
def test_columns_are_in_the_order_of_first_use_for_any_batches(batches: list[tuple[str, list[str]]]) -> None:
    for options in SETTINGS:
        note(str(options))
        check_order_of_columns(options, batches)


def check_order_of_columns(options: dict[str, Any], batches: list[tuple[str, list[str]]]) -> None:
    documents = [text for _, batch in batches for text in batch]
    counter = TermCounter(n_jobs=2, **options)
    parts = []
    for way, batch in batches:
        with path(way):
            parts.append(counter.partial_fit_transform(batch))
            assert parts[-1].shape[1] == len(counter.vocabulary_)
    expected = first_seen(terms_by(options, documents))
    assert list(counter.vocabulary_) == expected
    assert list(counter.get_feature_names_out()) == expected
    assert list(counter.vocabulary_.values()) == list(range(len(expected)))
    in_parts = csr_matrix(vstack([padded(part, len(expected)) for part in parts], format="csr"))
    for way in PATHS:
        with path(way):
            assert_same(counter.transform(documents), in_parts)
            at_once = TermCounter(n_jobs=3, **options)
            assert_same(at_once.partial_fit_transform(documents), in_parts)
            assert list(at_once.vocabulary_) == expected


@few_examples
@given(first=corpora, more=batches)
def test_fit_then_partial_fit_grows_at_the_end(first: list[str], more: list[tuple[str, list[str]]]) -> None:
    for options in SETTINGS:
        note(str(options))
        check_growth(options, first, more)


def check_growth(options: dict[str, Any], first: list[str], more: list[tuple[str, list[str]]]) -> None:
    terms = terms_by(options, first)
    if not any(terms):
        return
    for fit_way in PATHS:
        with path(fit_way):
            counter = TermCounter(n_jobs=2, **options).fit(first)
        assert list(counter.vocabulary_) == sorted({term for text_terms in terms for term in text_terms})
        for way, batch in more:
            before = list(counter.vocabulary_)
            with path(way):
                counter.partial_fit(batch)
            assert list(counter.vocabulary_) == first_seen([before, *terms_by(options, batch)])


@few_examples
@given(fitted=corpora, others=corpora)
def test_transform_ignores_unknown_terms_and_repeats_the_counts_of_fit(fitted: list[str], others: list[str]) -> None:
    for options in SETTINGS:
        note(str(options))
        check_transform(options, fitted, others)


def check_transform(options: dict[str, Any], fitted: list[str], others: list[str]) -> None:
    if not any(terms_by(options, fitted)):
        return
    for way in PATHS:
        with path(way):
            counter = TermCounter(n_jobs=2, **options)
            counts = counter.fit_transform(fitted)
            vocabulary = dict(counter.vocabulary_)
            assert_same(counter.transform(fitted), counts)
            assert_same(TermCounter(n_jobs=2, **options).fit(fitted).transform(fitted), counts)
            counted = counter.transform(others)
            assert counter.vocabulary_ == vocabulary
        for row, terms in zip(counted.toarray(), terms_by(options, others), strict=True):
            for term, column in vocabulary.items():
                assert row[column] == (min(terms.count(term), 1) if options.get("binary") else terms.count(term))


@for_all_settings
@pytest.mark.parametrize("way", PATHS)
def test_copies_count_the_same(options: dict[str, Any], way: str) -> None:
    documents = ["ab cd the word ab cd", "Έξι ab abcdefghijk word", "the the"]
    more = ["new words ab cd", "abcdefghijk word 北京"]
    with path(way):
        original = TermCounter(n_jobs=2, **options)
        counts = original.fit_transform(documents)
        copies = [
            deepcopy(original),
            copy.copy(original),
            clone(original).fit(documents),
        ]
        for other in copies:
            assert other.vocabulary_ == original.vocabulary_
            assert_same(other.transform(documents), counts)
        grown = original.partial_fit_transform(more)
        for other in copies[:1]:
            assert_same(other.transform(documents), counts)  # it did not grow with the original
            assert_same(other.partial_fit_transform(more), grown)
            assert list(other.vocabulary_) == list(original.vocabulary_)
            again = deepcopy(other)
            assert list(again.vocabulary_) == list(original.vocabulary_)
            assert_same(again.transform(more), grown)


def test_a_clone_is_not_fitted_and_has_the_settings() -> None:
    fitted = TermCounter(vocabulary=["ab"], ngram_range=(1, 2), n_jobs=2).fit(["ab"])
    fresh = clone(fitted)
    assert fresh.get_params() == fitted.get_params()
    assert not hasattr(fresh, "vocabulary_")


def hundreds_of_documents() -> list[str]:
    random = np.random.default_rng(7)
    words = [f"w{number}" + "xyz" * (number % 5) for number in range(4000)] + ["naïve", "北京", "Straße"]
    word_numbers = random.zipf(1.3, (600, 60)) % len(words)
    return [" ".join(words[number] for number in row) for row in word_numbers]


@for_all_settings
def test_the_same_bytes_for_any_number_of_threads(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tally, "SLICE_CHARACTERS", 3000)
    documents = hundreds_of_documents()
    results = []
    for n_jobs in (1, 2, 3, 5, -1, None):
        counter = TermCounter(n_jobs=n_jobs, **options)
        fitted = counter.fit_transform(documents)
        stream = TermCounter(n_jobs=n_jobs, **options)
        streamed = [stream.partial_fit_transform(documents[first : first + 200]) for first in range(0, 600, 200)]
        matrices = [fitted, counter.transform(documents[::-1]), *streamed]
        parts = [getattr(matrix, name).tobytes() for matrix in matrices for name in ("data", "indices", "indptr")]
        results.append((parts, list(counter.vocabulary_), list(stream.vocabulary_)))
    assert all(result == results[0] for result in results)
    assert results[0][2] == first_seen(terms_by(options, documents))


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("way", PATHS)
def test_partial_fit_that_fails_in_the_middle_leaves_nothing_behind(
    way: str, n_jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaking_off() -> Iterator[str]:
        yield from (f"word{number} ab " * 5 for number in range(20))
        raise OSError("the disk is gone")

    with path(way):
        counter = TermCounter(n_jobs=n_jobs).partial_fit(["ab cd", "ef"]).partial_fit(["gh ij " * 20])
        with pytest.raises(OSError, match="the disk is gone"):
            counter.partial_fit(breaking_off())
        assert list(counter.vocabulary_) == ["ab", "cd", "ef", "gh", "ij"]
        counter.partial_fit(["word7 word3"])
        assert list(counter.vocabulary_) == ["ab", "cd", "ef", "gh", "ij", "word7", "word3"]
        assert counter.transform(["word3 cd"]).toarray().tolist() == [[0, 1, 0, 0, 0, 0, 1]]

        fresh = TermCounter(n_jobs=n_jobs)
        with pytest.raises(OSError, match="the disk is gone"):
            fresh.partial_fit(breaking_off())
        assert not hasattr(fresh, "vocabulary_")


def test_batches_may_be_empty() -> None:
    for way in PATHS:
        with path(way):
            counter = TermCounter()
            assert counter.partial_fit_transform([]).shape == (0, 0)
            assert counter.partial_fit_transform(["", "-"]).shape == (2, 0)
            assert counter.partial_fit_transform(["ab"]).shape == (1, 1)
            assert counter.partial_fit_transform([]).shape == (0, 1)
            assert counter.transform([]).shape == (0, 1)
            assert counter.transform(["", "zz"]).shape == (2, 1)


def test_a_second_fit_starts_anew() -> None:
    for way in PATHS:
        with path(way):
            counter = TermCounter().fit(["ab cd"]).partial_fit(["ef"])
            assert list(counter.fit(["gh ef"]).vocabulary_) == ["ef", "gh"]


def test_documents_may_be_a_generator() -> None:
    for way in PATHS:
        with path(way):
            counter = TermCounter(n_jobs=2)
            counts = counter.fit_transform(text for text in ["ab cd"] * 10)
            assert counts.toarray().tolist() == [[1, 1]] * 10
            assert counter.transform(iter(["cd"])).toarray().tolist() == [[0, 1]]


def test_a_given_vocabulary_needs_no_fit() -> None:
    for way in PATHS:
        with path(way):
            counter = TermCounter(vocabulary=["cd", "ab"])
            assert counter.transform(["ab ab zz"]).toarray().tolist() == [[0, 2]]
            assert counter.vocabulary_ == {"cd": 0, "ab": 1}
            assert counter.fixed_vocabulary_
    assert not TermCounter().fit(["ab"]).fixed_vocabulary_
