"""What a reader of normal forms has read, it does not ask for again; and it has heard of all that was learned since."""

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


class Asked:
    """Forms that note which words they were asked for."""

    def __init__(self) -> None:
        self.words: list[str] = []

    def __call__(self, words: Sequence[str]) -> list[str]:
        """The first four letters."""
        self.words += words
        return [word[:4] for word in words]


@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 2)])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_word_that_was_read_is_not_asked_for_again(ngram_range: tuple[int, int], n_jobs: int) -> None:
    asked = Asked()
    table = TermTable(ngram_range, ["jumped"], forms=asked)
    table.add_terms(["walk", "jump"])
    corpus = ["walking walks jumped jumping", "talking walks"]
    for _ in range(3):
        counted = tally(encoded_slices(iter(corpus)), table, learn=False, n_jobs=n_jobs)
        counts = counted.rows(np.array([0, 1, *[-1] * (table.size - 2)]), 2, dtype=np.int64, n_jobs=1)
        assert counts.matrix().toarray().tolist() == [[2, 1], [1, 0]]
        assert asked.words == ["walking", "walks", "jumping", "talking"]


def test_readers_that_are_at_work_are_not_given_out_twice() -> None:
    table = TermTable(forms=Asked())
    table.add_terms(["walk"])
    first, second = table.reader(), table.reader()
    assert first._words is not second._words
    table.return_readers([first, second])
    assert {id(table.reader()._words) for _ in range(3)} >= {id(first._words), id(second._words)}


@few_examples
@given(corpora, st.data(), st.sampled_from([1, 2]), st.sampled_from([(1, 1), (1, 2)]))
def test_counts_between_batches_are_those_of_what_was_learned(
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
def test_what_a_reader_keeps_has_an_end(corpus: list[str], stop_words: list[str] | None) -> None:
    terms = [terms_in(text, FORMS["stem"], stop_words=stop_words or ()) for text in corpus]
    columns = ["jump", "walk", "row"]
    counter = TermCounter(normalise="stem", vocabulary=columns, stop_words=stop_words, n_jobs=1)
    with path("kernels, many slices"), pytest.MonkeyPatch.context() as patch:
        patch.setattr(word_table, "MAX_READER_WORDS", 4)
        for _ in range(3):
            assert_same(counter.transform(corpus), counts_of(terms, columns))
            counter.transform(WORDS)  # which are more than it keeps


def test_the_first_half_of_what_was_read_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_table, "MAX_READER_WORDS", 4)
    asked = Asked()
    table = TermTable((1, 1), ["stop"], forms=asked)
    table.add_terms(["walk"])
    for text in ("aa bb stop", "cc dd ee", "aa bb cc ff"):
        tally(encoded_slices(iter([text])), table, learn=False, n_jobs=1)
    assert asked.words == ["aa", "bb", "cc", "dd", "ee", "cc", "ff"]
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
            for found, twin in zip(pool.map(counter.transform, corpora * 3), expected * 3, strict=True):
                assert_same(found, twin)


def test_forms_are_looked_up_once_by_all_who_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Above what is remembered a word may be looked up again; up to there it never is."""
    preparation.shared_normaliser.cache_clear()
    forms = preparation.normaliser("stem", "en", True, None)
    asked: list[str] = []
    package = forms._package_forms

    def noted(words: list[str]) -> list[str]:
        asked.extend(words)
        return package(words)

    monkeypatch.setattr(forms, "_package_forms", noted)
    monkeypatch.setattr(preparation, "MAX_CACHED_FORMS", len(WORDS))
    with path("kernels, many slices"):
        for _ in range(2):
            TermCounter(normalise="stem", n_jobs=2).fit(WORDS * 3).transform(WORDS * 3)
    assert sorted(asked) == sorted(WORDS)
