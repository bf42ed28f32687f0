"""Threads can share a counter, documents are read by the calling thread, and other properties of `TermCounter`."""

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from threading import current_thread

import numpy as np
import pytest
from tests.reference.text_checks import assert_same

from textsieve import InputError, TermCounter
from textsieve.text import reading


@pytest.fixture(autouse=True)
def _always_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "FEW_CHARACTERS", -1)


TEXTS = [" ".join(f"word{(seed * place) % 997}" for place in range(1, 400)) for seed in range(1, 60)]


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 2)])
def test_threads_may_share_a_counter(n_jobs: int, ngram_range: tuple[int, int]) -> None:
    counter = TermCounter(n_jobs=n_jobs, ngram_range=ngram_range).fit(TEXTS)
    parts = [TEXTS[start::7] for start in range(7)] * 6
    expected = [counter.transform(part) for part in parts]
    for _ in range(3):
        copied = deepcopy(counter)
        with ThreadPoolExecutor(8) as pool:
            for counts, expected_counts in zip(pool.map(copied.transform, parts), expected, strict=True):
                assert_same(counts, expected_counts)


def test_documents_are_read_by_the_calling_thread() -> None:
    threads = set()

    def rows() -> Iterator[str]:
        with sqlite3.connect(":memory:") as connection:  # sqlite3 refuses other threads
            connection.execute("create table mail (body text)")
            connection.executemany("insert into mail values (?)", [(text,) for text in TEXTS * 40])
            for (body,) in connection.execute("select body from mail"):
                threads.add(current_thread())
                yield body
        connection.close()

    assert_same(TermCounter(n_jobs=2).fit_transform(rows()), TermCounter(n_jobs=1).fit_transform(TEXTS * 40))
    assert threads == {current_thread()}


def test_ngrams_longer_than_any_text_cost_nothing() -> None:
    texts = ["one two three four", "two three four five"]
    short = TermCounter(ngram_range=(1, 4)).fit(texts)
    long = TermCounter(ngram_range=(1, 10**9)).fit(texts)
    assert long.vocabulary_ == short.vocabulary_
    assert_same(long.transform(texts), short.transform(texts))


def test_settings_changed_after_fit_apply_with_and_without_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = TermCounter().fit(["Apple pie", "apple"])
    counter.transform(["apple"])
    counter.set_params(lowercase=False)
    by_kernels = counter.transform(["Apple pie apple"])
    monkeypatch.setattr(reading, "FEW_CHARACTERS", 1000)
    assert_same(counter.transform(["Apple pie apple"]), by_kernels)
    assert by_kernels.toarray().tolist() == [[1, 1]]


def test_a_given_vocabulary_needs_no_fit() -> None:
    counter = TermCounter(vocabulary=["bb", "aa"])
    assert counter.get_feature_names_out().tolist() == ["bb", "aa"]
    assert counter.transform(["aa aa bb"]).toarray().tolist() == [[1, 2]]


def test_a_pruned_vocabulary_does_not_grow() -> None:
    counter = TermCounter(min_df=2).fit(["aa bb", "aa cc"])
    counter.set_params(min_df=1)
    with pytest.raises(InputError, match="pruned"):
        counter.partial_fit(["bb"])


def test_resume_continues_a_vocabulary() -> None:
    first = TermCounter().partial_fit(["aa bb", "cc"])
    again = TermCounter().resume(first.get_feature_names_out())
    assert_same(again.partial_fit_transform(["dd aa"]), first.partial_fit_transform(["dd aa"]))
    assert again.vocabulary_ == first.vocabulary_ == {"aa": 0, "bb": 1, "cc": 2, "dd": 3}
    with pytest.raises(InputError, match="'aa' twice"):
        TermCounter().resume(["aa", "aa"])


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"dtype": str}, "dtype"), ({"encoding": "nope"}, "encoding='nope'.*utf-8")],
)
def test_invalid_settings_raise_an_error(settings: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        TermCounter(**settings).fit(["aa bb"])  # type: ignore[arg-type]


def test_many_empty_documents_are_counted() -> None:
    counts = TermCounter().fit_transform(["aa"] + [""] * 5000)
    assert counts.shape == (5001, 1)
    assert np.diff(counts.indptr).sum() == 1


def test_a_data_frame_raises_an_error() -> None:
    class Frame:
        columns = ("text",)

        def __iter__(self) -> Iterator[str]:
            return iter(self.columns)

    with pytest.raises(InputError, match="columns"):
        TermCounter().fit(Frame())
    with pytest.raises(InputError, match="documents is None"):
        TermCounter().fit(None)  # type: ignore[arg-type]
