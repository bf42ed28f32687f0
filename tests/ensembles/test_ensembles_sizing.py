"""`suggest` compared with trying all sizes; `important_terms` by energy and by the knee."""

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

from textsieve import Cascade, DocumentFrequency, InformationGain, InputError
from textsieve.ensembles import coverage, diversity, important_terms, sizing, suggest, usability
from textsieve.ensembles.sizing import EnsembleSizes, Suggestion
from textsieve.ensembles.theory import log_diversity

from ..reference import subspace_twin as twin


def worst(suggestion: Suggestion) -> float:
    return min(suggestion.usability, suggestion.coverage, suggestion.diversity)


@pytest.mark.parametrize("within", [1e-6, 1e-3, 0.05])
@pytest.mark.parametrize("cost", [2, 17, 60, 150])
def test_the_suggestion_equals_trying_all_sizes(cost: int, within: float) -> None:
    """The suggestion is exactly the cheapest size near the best one, among all sizes up to the cost."""
    for n in (1, 2, 3, 5, 9, 16):
        for q in {1, 2, n // 2, n} - {0}:
            if q <= n:
                suggestion = suggest(n, q, cost=cost, within=within)
                assert (suggestion.n_terms, suggestion.n_estimators) == twin.best_sizes(n, q, cost, within), (n, q)


def test_no_other_size_has_a_better_worst_probability() -> None:
    """With within=0, the suggestion is the best of all sizes."""
    for n, q in [(40, 6), (60, 25), (80, 3)]:
        suggestion = suggest(n, q, within=0)
        m, members = np.arange(1, n + 1)[:, None], np.arange(2, 161)
        surface = np.minimum.reduce([probability(n, m, members, q) for probability in (usability, coverage, diversity)])
        surface = np.where(m * members <= 160 * n, surface, 0.0)
        assert worst(suggestion) == pytest.approx(float(surface.max()), rel=1e-12)


def test_negligible_probabilities_are_taken_as_0() -> None:
    """Only probabilities below 10^-45 that two members are alike are taken as 0."""
    sizes = np.arange(1, 1_001)
    full, short = log_diversity(1_000, sizes, 2, 400), sizing._log_pair_diversity(1_000, 400, sizes)
    assert (short == 0).sum() > 500
    assert ((short == full) | ((short == 0) & (full > -sizing.NEGLIGIBLE))).all()
    assert np.isneginf(short[-1])


@pytest.mark.parametrize("cost", [2**40, 2**53])
def test_a_huge_cost_is_allowed(cost: int) -> None:
    suggestion = suggest(20, 3, cost=cost, within=0)
    assert (suggestion.n_terms, suggestion.n_estimators) == twin.best_sizes(20, 3, 2_000, 0.0)


def test_the_probabilities_are_those_of_the_suggested_size() -> None:
    suggestion = suggest(5_000, 500)
    sizes = (5_000, suggestion.n_terms, suggestion.n_estimators, 500)
    assert (suggestion.usability, suggestion.coverage, suggestion.diversity) == (
        usability(*sizes),
        coverage(*sizes),
        diversity(*sizes),
    )
    assert suggestion.n_terms * suggestion.n_estimators <= 160 * 5_000
    assert worst(suggestion) >= 1 - 2e-6


def test_the_cheapest_of_nearly_equal_sizes_is_suggested() -> None:
    """The best worst probability is 1.0; the cheapest size within a millionth of it costs far less than the limit."""
    cheap, best = suggest(5_000, 500), suggest(5_000, 500, within=0)
    assert worst(best) == 1.0
    assert worst(cheap) < 1.0
    assert cheap.n_terms * cheap.n_estimators < best.n_terms * best.n_estimators
    assert cheap.n_terms * cheap.n_estimators < 0.1 * 160 * 5_000


def test_fixed_settings_are_kept() -> None:
    by_share, by_number = suggest(5_000, 500, n_terms=0.4), suggest(5_000, 500, n_terms=2_000)
    assert by_share == by_number
    assert by_share.n_terms == 2_000
    fewest = next(members for members in range(2, 400) if coverage(5_000, 2_000, members, 500) >= 1 - 1e-6)
    assert by_share.n_estimators == fewest
    assert suggest(5_000, 500, n_estimators=400).n_estimators == 400
    both = suggest(5_000, 500, n_terms=2_000, n_estimators=400)
    assert (both.n_terms, both.n_estimators) == (2_000, 400)


def test_neighbours_are_half_to_twice_the_size() -> None:
    suggestion = suggest(5_000, 500, n_terms=2_000, n_estimators=400)
    assert len(suggestion.neighbours) == 25
    own = [row for row in suggestion.neighbours if row[:2] == (2_000, 400)]
    assert own == [EnsembleSizes(2_000, 400, suggestion.usability, suggestion.coverage, suggestion.diversity)]
    assert own[0].cost == 800_000
    assert own[0].worst == worst(suggestion)
    assert {row.n_terms for row in suggestion.neighbours} == {1_000, 1_600, 2_000, 2_500, 4_000}
    for row in suggestion.neighbours[::7]:
        assert row.coverage == pytest.approx(coverage(5_000, row.n_terms, row.n_estimators, 500), rel=1e-12)
    with pytest.raises(dataclasses.FrozenInstanceError):
        suggestion.n_terms = 3  # type: ignore[misc]


def test_str_is_a_table() -> None:
    lines = str(suggest(5_000, 500, n_terms=0.4)).splitlines()
    assert lines[0] == "40 members of 2,000 terms, for 500 important terms of 5,000"
    assert lines[1].split() == ["terms", "members", "cost", "usability", "coverage", "diversity"]
    assert [line.split()[1:4] for line in lines if line.startswith("*")] == [["2,000", "40", "80,000"]]
    assert len({len(line) for line in lines[1:]}) == 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n": 0, "Q": 1}, "n=0"),
        ({"n": 10, "Q": 0}, "Q=0"),
        ({"n": 10, "Q": 11}, "Q=11"),
        ({"n": 10, "Q": 2.5}, "Q=2.5"),
        ({"n": [10, 20], "Q": 2}, "one number each"),
        ({"n": 10, "Q": 2, "cost": 1}, "cost=1"),
        ({"n": 10, "Q": 2, "cost": 5.5}, "cost=5.5"),
        ({"n": 10, "Q": 2, "cost": 10**30}, "cost=1000"),
        ({"n": 10, "Q": 2, "n_estimators": 10**30}, "cost more than cost=1600"),
        ({"n": 10, "Q": 2, "n_terms": 11}, "n_terms=11"),
        ({"n": 10, "Q": 2, "n_terms": 0.0}, "n_terms=0.0"),
        ({"n": 10, "Q": 2, "n_terms": True}, "n_terms=True"),
        ({"n": 10, "Q": 2, "n_estimators": 1}, "n_estimators=1"),
        ({"n": 10, "Q": 2, "cost": 15, "n_terms": 8}, "cost more than cost=15"),
        ({"n": 10, "Q": 2, "cost": 15, "n_estimators": 16}, "16 members cost more"),
        ({"n": 10, "Q": 2, "within": 1.0}, "within=1.0"),
        ({"n": 10, "Q": 2, "within": math.nan}, "within=nan"),
    ],
)
def test_invalid_settings_raise(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        suggest(**settings)


# -- how many terms are important ------------------------------------------------------------------------------------


def farthest_from_the_chord(scores: list[float]) -> int:
    """Return the number of terms whose cumulative score is farthest above the straight line; ties take the largest."""
    best_first = sorted((score for score in scores if score > 0), reverse=True)
    total, count = sum(best_first), len(best_first)
    above = [sum(best_first[:p]) - total * p / count for p in range(1, count + 1)]
    return max(range(count), key=lambda at: (round(above[at] / total, 9), at)) + 1


def test_energy_counts_the_terms_up_to_a_share() -> None:
    assert important_terms([5, 3, 1, 1]) == 2
    assert important_terms([1, 5, 1, 3], level=0.81) == 3
    assert important_terms([5, 3, 1, 1], level=1.0) == 4


def test_knee_counts_the_terms_above_the_mean() -> None:
    assert important_terms([10.0, 9.0, 8.0, 1.0, 1.0, 1.0], "knee") == 3
    random = np.random.default_rng(0)
    for size in (1, 2, 5, 40, 300):
        scores = random.pareto(1.5, size)
        assert important_terms(scores, "knee") == farthest_from_the_chord(scores.tolist())


@pytest.mark.parametrize("way", ["energy", "knee"])
def test_scores_of_0_or_less_are_ignored(way: Any) -> None:
    scores = np.random.default_rng(1).pareto(1.5, 100)
    more = np.concatenate([[-np.inf, -3.0, 0.0], scores, [-np.inf]])
    assert important_terms(more, way) == important_terms(scores, way)
    assert important_terms(scores * 1e300, way) == important_terms(scores, way)


def test_equal_scores() -> None:
    """If all scores are equal, the knee counts all terms, and energy the share of them."""
    for value in (0.1, 1.0, 1e-300):
        assert important_terms([value] * 30, "knee") == 30
        assert important_terms([value] * 30, "energy", 0.8) == 24


def test_terms_that_a_cascade_removed_are_ignored() -> None:
    rows = np.random.default_rng(2).poisson(0.7, (60, 40))
    labels = (rows[:, 0] + rows[:, 1] > 1).astype(int)
    selector = Cascade([DocumentFrequency(k=20), InformationGain(k=10)]).fit(rows, labels)
    assert np.isneginf(selector.scores_).sum() == 20
    reached = selector.scores_[np.isfinite(selector.scores_)]
    assert important_terms(selector.scores_) == important_terms(reached) < 20


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        ([0.0, 0.0], {}, "None of 2 scores is above 0"),
        ([-1.0, -math.inf], {}, "None of 2 scores"),
        ([], {}, "None of 0 scores"),
        ([1.0, math.nan], {}, "NaN or infinity"),
        ([1.0, math.inf], {}, "NaN or infinity"),
        ([[1.0]], {}, "one number for each term"),
        (["a"], {}, "one number for each term"),
        ([1.0], {"way": "elbow"}, "way='elbow'; use 'energy' or 'knee'"),
        ([1.0], {"level": 0.0}, "level=0.0"),
        ([1.0], {"level": math.nan}, "level=nan"),
        ([1.0], {"level": 80}, "level=80"),
    ],
)
def test_invalid_scores_raise(scores: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        important_terms(scores, **options)
