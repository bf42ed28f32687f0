"""What is kept of a ranking: energy, and the class that each term speaks for; beside slow twins."""

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
from textsieve.comparison.rankings import energy_of, some_sizes
from textsieve.evaluation import folds
from textsieve.registry import selection_scheme, selector_of

CASE = small_texts(40, 3)
WANTED: dict[str, Any] = {"n_terms": "4,9", "classifiers": "nb", "folds": 2, "n_jobs": 1}


def run(selectors: str, path: Path | None = None, **other: Any) -> Comparison:
    return compare(CASE.texts, CASE.labels, results=path, **{**WANTED, "selectors": selectors, **other})


@given(st.integers(1, 10**7))
def test_sizes_begin_with_1_and_end_with_the_last(last: int) -> None:
    sizes = some_sizes(last)
    assert sizes[0] == 1
    assert sizes[-1] == last
    assert len(sizes) <= 200
    assert all(one < other <= max(1.2 * one, one + 1) for one, other in pairwise(sizes))


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=300))
def test_energy_is_the_share_of_the_sum(values: list[float]) -> None:
    scores = np.sort(values)[::-1].astype(np.float64)
    found = energy_of(scores)
    if not sum(values) > 0:
        assert found is None
        return
    assert found is not None
    for size, share in found:
        assert share == pytest.approx(sum(scores[:size]) / sum(scores), abs=1e-5)
    assert found[-1] == (len(values), 1.0)


def test_scores_below_0_have_no_shares() -> None:
    assert energy_of(np.array([2.0, -1.0])) is None
    assert energy_of(np.array([np.inf, 1.0])) is None
    assert energy_of(np.array([])) is None


@pytest.mark.parametrize("name", ["ocfs", "ig", "chi", "df", "tofa", "mi", "ig(pooling=max)"])
def test_it_is_what_a_selector_fitted_by_hand_says(name: str) -> None:
    found = run(name)
    (ranking,) = found.rankings
    is_learned = folds(CASE.labels, 2) != 0
    both = (CASE.texts, CASE.labels)
    texts, labels = ([each for each, own in zip(all_, is_learned, strict=True) if own] for all_ in both)
    counter = TermCounter()
    counts = counter.fit_transform(texts)
    word, _, option = name.partition("(")
    selector: Any = selector_of(word, {"pooling": "max"} if option else None)
    scheme = selection_scheme(selector)
    weights = TermWeighter(**scheme._asdict()).fit_transform(counts)
    selector = selector.set_params(k=9).fit(weights, labels)
    terms = counter.get_feature_names_out()
    kept = [column for column in selector.ranking_ if selector.get_support()[column]]
    assert ranking.n_ranked == len(kept) == 9
    assert ranking.energy == energy_of(selector.scores_[selector.ranking_])
    by_class = dict(ranking.by_class)
    class_scores = [dict(zip(c.tolist(), s.tolist(), strict=True)) for c, s in selector.best_by_class(len(terms))]
    for place, column in enumerate(kept, 1):
        own = [scores.get(column, 0.0) for scores in class_scores]
        spoken = [each for label in by_class for each in by_class[label] if each.place == place]
        if max(own) <= 0:
            assert spoken == []
            continue
        assert spoken == [each for each in by_class[selector.classes_[int(np.argmax(own))]] if each.place == place]
        assert [each.term for each in spoken] == [terms[column]]
        assert spoken[0].score == pytest.approx(selector.scores_[column], rel=1e-5)


def test_testors_have_one_for_each_number_and_no_scores() -> None:
    found = run("testors")
    assert [each.n_terms for each in found.rankings] == [4, 9]
    for each in found.rankings:
        assert each.energy is None
        (chosen,) = [own.terms for own in found.selections if (own.fold, own.n_terms) == (0, each.n_terms)]
        spoken = {term.place: term for _, terms in each.by_class for term in terms}
        assert chosen is not None
        assert all(chosen[place - 1] == term.term for place, term in spoken.items())
        assert all(term.score is None for term in spoken.values())


def test_all_terms_are_no_ranking() -> None:
    assert run("all").rankings == []


def test_it_is_in_the_file_once_and_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "found.jsonl"
    first = run("ocfs,ig", path)
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert sum("ranking" in each for each in records) == 2
    assert list(read_comparison(path).rankings) == list(first.rankings)
    more = run("ocfs,ig", path, classifiers="nb,svm")
    assert more.rankings == first.rankings
    assert sum('{"ranking"' in line for line in path.read_text(encoding="utf-8").splitlines()) == 2


def test_more_terms_that_are_asked_for_later_are_in_it(tmp_path: Path) -> None:
    path = tmp_path / "found.jsonl"
    run("ig", path, n_terms="4")
    later = run("ig", path, n_terms="4,9")
    assert [each.n_ranked for each in later.rankings] == [9]
    fewer = run("ig", path, n_terms="4", classifiers="svm")
    assert [each.n_ranked for each in fewer.rankings] == [9]


def test_a_file_has_the_moment_at_which_it_was_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    assert run("ig", tmp_path / "x.jsonl").header["begun"] == "1970-01-01T00:00:00+00:00"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert run("ig,chi", tmp_path / "x.jsonl").header["begun"] == "1970-01-01T00:00:00+00:00"
    assert run("ig").header["begun"] == "1970-01-02T00:00:00+00:00"
