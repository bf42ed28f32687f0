"""Oscillating search against its definition, by computations without shortcuts on few terms."""

from dataclasses import replace
from itertools import combinations
from math import log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from studies.documents import Collection
from studies.measurements import Scope
from studies.oscillating import (
    SINGLE,
    ClassDistance,
    SearchFigure,
    SecondsOfSearch,
    best_single_terms,
    class_distance,
    oscillating_search,
    swing,
)
from studies.papers.testors import IG, SVM

SCOPE = Scope(n_jobs=1)
N_TERMS, N_SELECTED = 9, 4


def draw(seed: int, n_terms: int = N_TERMS) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return counts of terms in three classes, and the shares of the classes."""
    random = np.random.default_rng(seed)
    return random.poisson(random.gamma(0.7, 6.0, (3, n_terms))), np.array([0.5, 0.3, 0.2])


def by_definition(counts: Any, shares: Any, terms: Any) -> float:
    """Return J of some terms by the formula."""
    smoothed = np.asarray(counts) + 1
    probabilities = smoothed / smoothed.sum(axis=1, keepdims=True)
    total = 0.0
    for i, j in combinations(range(len(shares)), 2):
        rest_i, rest_j = (1 - sum(probabilities[number, term] for term in terms) for number in (i, j))
        shared = sum(sqrt(probabilities[i, term] * probabilities[j, term]) for term in terms)
        total -= 2 * shares[i] * shares[j] * log(shared + sqrt(max(rest_i, 0) * max(rest_j, 0)))
    return total


def as_mask(terms: Any, n_terms: int = N_TERMS) -> NDArray[np.bool_]:
    """Return the terms as one bool for each term."""
    mask = np.zeros(n_terms, np.bool_)
    mask[list(terms)] = True
    return mask


@pytest.mark.parametrize("seed", range(5))
def test_the_criterion_is_that_of_the_formula(seed: int) -> None:
    counts, shares = draw(seed)
    distance = ClassDistance(counts, shares)
    for terms in ((), (2,), (0, 3, 5), tuple(range(N_TERMS))):
        assert distance.of_set(as_mask(terms)) == pytest.approx(by_definition(counts, shares, terms), abs=1e-12)
    selected = {1, 4, 6}
    others = [term for term in range(N_TERMS) if term not in selected]
    added = distance.after(as_mask(selected), np.array(others), 1)
    assert added == pytest.approx([by_definition(counts, shares, selected | {term}) for term in others])
    removed = distance.after(as_mask(selected), np.array(sorted(selected)), -1)
    assert removed == pytest.approx([by_definition(counts, shares, selected - {term}) for term in sorted(selected)])


def test_more_terms_never_lower_the_criterion() -> None:
    counts, shares = draw(11)
    distance = ClassDistance(counts, shares)
    for first in range(N_TERMS):
        for second in range(N_TERMS):
            assert distance.of_set(as_mask({first, second})) >= distance.of_set(as_mask({first})) - 1e-12


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("is_down", [True, False])
def test_a_swing_takes_the_least_loss_and_the_largest_gain(seed: int, is_down: bool) -> None:
    counts, shares = draw(seed)
    terms = {0, 2, 5, 7}

    def value(chosen: set[int]) -> float:
        return by_definition(counts, shares, chosen)

    def without_the_least(chosen: set[int]) -> set[int]:
        return chosen - {max(chosen, key=lambda term: value(chosen - {term}))}

    def with_the_best(chosen: set[int]) -> set[int]:
        return chosen | {max(set(range(N_TERMS)) - chosen, key=lambda term: value(chosen | {term}))}

    steps = [without_the_least] * 2 + [with_the_best] * 2
    for step in steps if is_down else steps[::-1]:
        terms = step(terms)
    found = swing(ClassDistance(counts, shares), as_mask({0, 2, 5, 7}), 2, is_down=is_down)
    assert set(np.flatnonzero(found).tolist()) == terms


@pytest.mark.parametrize("seed", range(30))
def test_a_search_ends_where_no_swing_of_any_depth_helps(seed: int) -> None:
    counts, shares = draw(seed)
    distance = ClassDistance(counts, shares)
    result = oscillating_search(distance, N_SELECTED, max_depth=2)
    assert result.is_complete
    assert result.selected.sum() == N_SELECTED
    assert result.before == pytest.approx(distance.of_set(best_single_terms(distance, N_SELECTED)))
    assert result.after == pytest.approx(distance.of_set(result.selected))
    assert result.after >= result.before
    for depth in (1, 2):
        for is_down in (True, False):
            tried = swing(distance, result.selected, depth, is_down=is_down)
            assert distance.of_set(tried) <= result.after + 1e-9


def test_a_search_often_finds_the_best_set_where_single_terms_do_not() -> None:
    """Compare with all 126 sets of four of nine terms."""
    found = alone = 0
    for seed in range(40):
        counts, shares = draw(seed)
        distance = ClassDistance(counts, shares)
        best = max(distance.of_set(as_mask(terms)) for terms in combinations(range(N_TERMS), N_SELECTED))
        result = oscillating_search(distance, N_SELECTED)
        found += result.after == pytest.approx(best, rel=1e-9)
        alone += result.before == pytest.approx(best, rel=1e-9)
    assert alone < found
    assert found >= 36


def test_a_search_without_time_is_not_complete() -> None:
    result = oscillating_search(ClassDistance(*draw(0)), N_SELECTED, max_seconds=0.0)
    assert not result.is_complete
    assert (result.swings, result.after) == (0, result.before)


# -- on documents ------------------------------------------------------------------------------------------------------


@pytest.fixture
def notes(tmp_path: Path) -> Collection:
    """Return short texts of three classes, each with words of its own."""
    random = np.random.default_rng(5)
    words = {"tea": "leaf pot steep", "coffee": "bean roast grind", "cocoa": "milk sweet butter"}
    lines = ["topic,body"]
    for _ in range(60):
        for name, own in words.items():
            chosen = [*random.choice(own.split(), 2), *random.choice(["and", "the", "cup", "with", "more", "of"], 4)]
            lines.append(f"{name},{' '.join(chosen)}")
    path = tmp_path / "notes.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Collection(str(path), folds=2)


def test_counts_and_shares_are_those_of_the_training_documents(notes: Collection) -> None:
    documents = notes.documents(SCOPE)
    fold = documents.folds[0]
    distance, columns = class_distance(documents)
    labels = np.array(documents.targets(fold, fold.train))
    counts = documents.counts[fold.train][:, columns].toarray()
    expected = [counts[labels == name].sum(axis=0) for name in sorted(set(labels.tolist()))]
    shares = [float(np.mean(labels == name)) for name in sorted(set(labels.tolist()))]
    terms = as_mask({0, 1, 2}, len(columns))
    assert distance.of_set(terms) == pytest.approx(by_definition(np.array(expected), shares, (0, 1, 2)))


def test_figures_of_a_search_on_documents(notes: Collection) -> None:
    swings = SearchFigure(notes, notes, 0.9, 0.15)
    micro_f1 = replace(swings, figure="micro_f1", classifier=SVM)
    wanted = [
        *(swings, replace(swings, figure="rise"), micro_f1),
        *(replace(micro_f1, selector=selector) for selector in (SINGLE, IG)),
    ]
    estimates = dict(SearchFigure.measure_all(wanted, SCOPE, lambda _: None))
    n_swings, rise, *accuracies = [estimates[measurement].value for measurement in wanted]
    assert isinstance(n_swings, float)
    assert n_swings >= 4, "two of each depth fail at the end"
    assert isinstance(rise, float)
    assert rise >= 0.0
    assert all(isinstance(accuracy, float) and 0.6 < accuracy <= 1.0 for accuracy in accuracies)
    ((_, seconds),) = SecondsOfSearch.measure_all([SecondsOfSearch(notes, notes, 0.9, 0.15)], SCOPE, lambda _: None)
    assert isinstance(seconds.value, float)
    assert 0.0 <= seconds.value < 60.0
