"""The stored description of a ranking (its energy, and the class that each term indicates) equals slow twins."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.categorizer_cases import small_texts

from textsieve import TermCounter, TermWeighter, compare
from textsieve.comparison import Comparison, read_comparison
from textsieve.comparison.rankings import energy_of, growing_sizes
from textsieve.evaluation import folds
from textsieve.registry import selection_scheme, selector_of

CASE = small_texts(40, 3)
WANTED: dict[str, Any] = {"n_terms": "4,9", "classifiers": "nb", "folds": 2, "n_jobs": 1}


def run(selectors: str, path: Path | None = None, **other: Any) -> Comparison:
    return compare(CASE.texts, CASE.labels, results=path, **{**WANTED, "selectors": selectors, **other})


@given(st.integers(1, 10**7))
def test_sizes_begin_with_1_and_end_with_the_last(last: int) -> None:
    sizes = growing_sizes(last)
    assert sizes[0] == 1
    assert sizes[-1] == last
    assert len(sizes) <= 200
    assert all(size < following <= max(1.2 * size, size + 1) for size, following in pairwise(sizes))


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=300))
def test_energy_is_the_share_of_the_sum(values: list[float]) -> None:
    scores = np.sort(values)[::-1].astype(np.float64)
    energy = energy_of(scores)
    if not sum(values) > 0:
        assert energy is None
        return
    assert energy is not None
    for size, share in energy:
        assert share == pytest.approx(sum(scores[:size]) / sum(scores), abs=1e-5)
    assert energy[-1] == (len(values), 1.0)


def test_negative_or_infinite_scores_have_no_energy() -> None:
    assert energy_of(np.array([2.0, -1.0])) is None
    assert energy_of(np.array([np.inf, 1.0])) is None
    assert energy_of(np.array([])) is None


@pytest.mark.parametrize("name", ["ocfs", "ig", "chi", "df", "tofa", "mi", "ig(pooling=max)"])
def test_the_description_equals_a_selector_fitted_by_hand(name: str) -> None:
    comparison = run(name)
    (ranking,) = comparison.rankings
    is_learned = folds(CASE.labels, 2) != 0
    both = (CASE.texts, CASE.labels)
    texts, labels = ([item for item, own in zip(items, is_learned, strict=True) if own] for items in both)
    counter = TermCounter()
    counts = counter.fit_transform(texts)
    word, _, option = name.partition("(")
    selector: Any = selector_of(word, {"pooling": "max"} if option else None)
    scheme = selection_scheme(selector)
    weights = TermWeighter(**scheme._asdict()).fit_transform(counts)
    selector = selector.set_params(k=9).fit(weights, labels)
    terms = counter.get_feature_names_out()
    selected = [column for column in selector.ranking_ if selector.get_support()[column]]
    assert ranking.n_ranked == len(selected) == 9
    assert ranking.energy == energy_of(selector.scores_[selector.ranking_])
    by_class = dict(ranking.by_class)
    class_scores = [dict(zip(c.tolist(), s.tolist(), strict=True)) for c, s in selector.best_by_class(len(terms))]
    for rank, column in enumerate(selected, 1):
        own = [scores.get(column, 0.0) for scores in class_scores]
        indicating = [term for label in by_class for term in by_class[label] if term.rank == rank]
        if max(own) <= 0:
            assert indicating == []
            continue
        best_class = selector.classes_[int(np.argmax(own))]
        assert indicating == [term for term in by_class[best_class] if term.rank == rank]
        assert [term.term for term in indicating] == [terms[column]]
        assert indicating[0].score == pytest.approx(selector.scores_[column], rel=1e-5)


def test_testors_have_a_ranking_for_each_number_of_terms_and_no_scores() -> None:
    comparison = run("testors")
    assert [ranking.n_terms for ranking in comparison.rankings] == [4, 9]
    for ranking in comparison.rankings:
        assert ranking.energy is None
        (selected,) = [
            selection.terms
            for selection in comparison.selections
            if (selection.fold, selection.n_terms) == (0, ranking.n_terms)
        ]
        by_rank = {term.rank: term for _, terms in ranking.by_class for term in terms}
        assert selected is not None
        assert all(selected[rank - 1] == term.term for rank, term in by_rank.items())
        assert all(term.score is None for term in by_rank.values())


def test_all_terms_have_no_ranking() -> None:
    assert run("all").rankings == []


def test_a_ranking_is_stored_once_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    first = run("ocfs,ig", path)
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert sum("ranking" in record for record in records) == 2
    assert list(read_comparison(path).rankings) == list(first.rankings)
    more = run("ocfs,ig", path, classifiers="nb,svm")
    assert more.rankings == first.rankings
    assert sum('{"ranking"' in line for line in path.read_text(encoding="utf-8").splitlines()) == 2


def test_a_later_run_with_more_terms_extends_the_ranking(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    run("ig", path, n_terms="4")
    later = run("ig", path, n_terms="4,9")
    assert [ranking.n_ranked for ranking in later.rankings] == [9]
    fewer = run("ig", path, n_terms="4", classifiers="svm")
    assert [ranking.n_ranked for ranking in fewer.rankings] == [9]


def test_a_file_has_the_time_at_which_it_was_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    assert run("ig", tmp_path / "x.jsonl").header["started"] == "1970-01-01T00:00:00+00:00"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert run("ig,chi", tmp_path / "x.jsonl").header["started"] == "1970-01-01T00:00:00+00:00"
    assert run("ig").header["started"] == "1970-01-02T00:00:00+00:00"
