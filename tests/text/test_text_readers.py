"""Readers of normal forms look each word up once, and know all forms that were learned since."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.depth import few_examples
from tests.reference.preparation_twin import FORMS, counts_of, terms_in
from tests.reference.text_checks import assert_same, path
from tests.reference.text_twins import first_seen

from textsieve import TermCounter
from textsieve.text import preparation, word_table
from textsieve.text.tally import encoded_slices, tally
from textsieve.text.term_table import TermTable
from textsieve.text.word_table import FormTable

WORDS = [f"{stem}{end}" for stem in ("walk", "jump", "talk", "kick", "row") for end in ("", "s", "ing", "ed")]
corpora = st.lists(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join), min_size=1, max_size=8)


class RecordingForms:
    """Forms that record the words that were looked up."""

    def __init__(self) -> None:
        self.words: list[str] = []

    def __call__(self, words: Sequence[str]) -> list[str]:
        """Return the first four letters of each word."""
        self.words += words
        return [word[:4] for word in words]


@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 2)])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_reader_looks_up_each_word_once(ngram_range: tuple[int, int], n_jobs: int) -> None:
    forms = RecordingForms()
    table = TermTable(ngram_range, ["jumped"], forms=forms)
    table.add_terms(["walk", "jump"])
    corpus = ["walking walks jumped jumping", "talking walks"]
    for _ in range(3):
        tallied = tally(encoded_slices(iter(corpus)), table, learn=False, n_jobs=n_jobs)
        counts = tallied.rows(np.array([0, 1, *[-1] * (table.size - 2)]), 2, dtype=np.int64, n_jobs=1)
        assert counts.matrix().toarray().tolist() == [[2, 1], [1, 0]]
        assert forms.words == ["walking", "walks", "jumping", "talking"]


def test_a_reader_in_use_is_not_given_to_another_thread() -> None:
    table = TermTable(forms=RecordingForms())
    table.add_terms(["walk"])
    first, second = table.reader(), table.reader()
    assert first._words is not second._words
    table.return_readers([first, second])
    assert {id(table.reader()._words) for _ in range(3)} >= {id(first._words), id(second._words)}


@few_examples
@given(corpora, st.data(), st.sampled_from([1, 2]), st.sampled_from([(1, 1), (1, 2)]))
def test_transform_between_batches_counts_all_learned_terms(
    corpus: list[str], data: st.DataObject, n_jobs: int, ngram_range: tuple[int, int]
) -> None:
    terms = [terms_in(text, FORMS["stem"], ngram_range) for text in corpus]
    counter = TermCounter(normalise="stem", ngram_range=ngram_range, n_jobs=n_jobs)
    begin = 0
    with path("kernels, many slices"):
        while begin < len(corpus):
            end = data.draw(st.integers(begin + 1, len(corpus)))
            counter.partial_fit(corpus[begin:end])
            for _ in range(2):
                assert_same(counter.transform(corpus), counts_of(terms, first_seen(terms[:end])))
            begin = end


@few_examples
@given(corpora, st.sampled_from([None, WORDS[:7]]))
def test_a_reader_with_bounded_words_counts_correctly(corpus: list[str], stop_words: list[str] | None) -> None:
    terms = [terms_in(text, FORMS["stem"], stop_words=stop_words or ()) for text in corpus]
    columns = ["jump", "walk", "row"]
    counter = TermCounter(normalise="stem", vocabulary=columns, stop_words=stop_words, n_jobs=1)
    with path("kernels, many slices"), pytest.MonkeyPatch.context() as patch:
        patch.setattr(word_table, "MAX_READER_WORDS", 4)
        for _ in range(3):
            assert_same(counter.transform(corpus), counts_of(terms, columns))
            counter.transform(WORDS)  # more words than it keeps


def test_a_full_reader_keeps_the_first_half_of_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_table, "MAX_READER_WORDS", 4)
    forms = RecordingForms()
    table = TermTable((1, 1), ["stop"], forms=forms)
    table.add_terms(["walk"])
    for text in ("aa bb stop", "cc dd ee", "aa bb cc ff"):
        tally(encoded_slices(iter([text])), table, learn=False, n_jobs=1)
    assert forms.words == ["aa", "bb", "cc", "dd", "ee", "cc", "ff"]
    reader = table.reader()._words
    assert isinstance(reader, FormTable)
    assert reader._written.size == 1 + 4


def test_threads_may_count_with_one_vocabulary() -> None:
    rng = np.random.default_rng(5)
    corpora = [[" ".join(rng.choice(WORDS, 30)) for _ in range(40)] for _ in range(6)]
    with path("kernels, many slices"):
        counter = TermCounter(normalise="stem", n_jobs=2).fit([" ".join(WORDS)])
        columns = counter.get_feature_names_out().tolist()
        expected = [counts_of([terms_in(text, FORMS["stem"]) for text in corpus], columns) for corpus in corpora]
        with ThreadPoolExecutor(4) as pool:
            for counts, expected_counts in zip(pool.map(counter.transform, corpora * 3), expected * 3, strict=True):
                assert_same(counts, expected_counts)


def test_counters_share_the_cache_of_lemmas(monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to the size of the cache, a word is never looked up twice."""
    preparation.shared_normaliser.cache_clear()
    forms = preparation.normaliser("lemma", "en", True, None)
    looked_up: list[str] = []
    package = forms._package_forms

    def recording(words: list[str]) -> list[str]:
        looked_up.extend(words)
        return package(words)

    monkeypatch.setattr(forms, "_package_forms", recording)
    monkeypatch.setattr(preparation, "MAX_CACHED_FORMS", len(WORDS))
    with path("kernels, many slices"):
        for _ in range(2):
            TermCounter(normalise="lemma", n_jobs=2).fit(WORDS * 3).transform(WORDS * 3)
    assert sorted(looked_up) == sorted(WORDS)
