"""Usability, coverage and diversity compared with exact fractions, with all draws, and with simulations."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from textsieve import InputError
from textsieve.ensembles import bounds, coverage, diversity, expected_difference, usability
from textsieve.ensembles.theory import log_coverage, log_diversity, log_usability

from ..reference import subspace_twin as twin

Probability = Callable[[int, int, int, int], Any]

LOGARITHMS: dict[str, tuple[Probability, Callable[[int, int, int, int], Fraction]]] = {
    "usability": (log_usability, twin.usability),
    "coverage": (log_coverage, twin.coverage),
    "diversity": (log_diversity, twin.diversity),
}
FUNCTIONS: list[Probability] = [usability, coverage, diversity]

SMALL = [(n, m, q) for n in range(1, 9) for m in range(1, n + 1) for q in range(1, n + 1)]
LARGE = [
    (n, m, q)
    for n in (50, 5_000, 1_000_000)
    for m in (1, 2, n // 10, 2 * n // 5, n // 2, n // 2 + 1, 9 * n // 10, n - 2, n - 1, n)
    for q in (1, 2, 12)
]
MANY_IMPORTANT = [(200, m, q) for m in (1, 20, 80, 180, 199) for q in (50, 150, 199, 200)]


def assert_close(value: float, exact: Fraction) -> None:
    """Assert a relative error of at most 1e-9, unless the number is too small for a float."""
    if exact < Fraction(1, 10**290):
        assert value <= 1e-289
    else:
        assert abs(Fraction(value) - exact) <= Fraction(1, 10**9) * exact


@pytest.mark.parametrize("name", LOGARITHMS)
@pytest.mark.parametrize("cases", [SMALL, LARGE, MANY_IMPORTANT], ids=["small", "large", "many important"])
def test_probability_of_success_and_of_failure_to_nine_digits(name: str, cases: list[tuple[int, int, int]]) -> None:
    logarithm, exact = LOGARITHMS[name]
    for (n, m, q), members in product(cases, (1, 2, 3)):
        log_probability, expected = float(logarithm(n, m, members, q)), exact(n, m, members, q)
        assert_close(math.exp(log_probability), expected)
        assert_close(-math.expm1(log_probability), 1 - expected)


def test_many_members_are_powers_of_few() -> None:
    """With many members, fractions would take too long, so powers of the results for few members are compared."""
    n, m, q = 5_000, 30, 20
    assert log_usability(n, m, 400, q) == pytest.approx(400 * log_usability(n, m, 1, q), rel=1e-12)
    assert log_diversity(n, m, 400, q) == pytest.approx(79_800 * log_diversity(n, m, 2, q), rel=1e-12)
    assert coverage(n, m, 400, q) == pytest.approx((1 - (1 - m / n) ** 400) ** q, rel=1e-12)


@pytest.mark.parametrize(
    ("n", "m", "members", "q"), [(5, 2, 2, 2), (5, 3, 3, 2), (6, 2, 3, 3), (4, 2, 4, 4), (5, 4, 3, 3)]
)
def test_probabilities_equal_trying_all_draws(n: int, m: int, members: int, q: int) -> None:
    """The slow twins equal all draws: usability, diversity of two members, and the true probabilities."""
    usable, covered, diverse = twin.tried(n, m, members, q)
    assert usable == twin.usability(n, m, members, q)
    assert covered == twin.true_coverage(n, m, members, q)
    assert diverse == twin.true_diversity(n, m, members, q)
    assert twin.tried(n, m, 2, q)[2] == twin.diversity(n, m, 2, q)
    assert usability(n, m, members, q) == pytest.approx(float(usable), rel=1e-12)
    assert diversity(n, m, 2, q) == pytest.approx(float(twin.tried(n, m, 2, q)[2]), rel=1e-12)


RUNS = 4_000
SIMULATED = [(60, 10, 6, 12), (60, 24, 8, 6), (200, 20, 20, 15), (200, 100, 6, 8), (40, 4, 30, 30)]


@pytest.mark.parametrize(("n", "m", "members", "q"), SIMULATED)
def test_probabilities_agree_with_simulations(n: int, m: int, members: int, q: int) -> None:
    """True probabilities are within four standard errors of simulations, and the formulas are near them."""
    shares = twin.drawn_at_random(n, m, members, q, runs=RUNS, seed=7)
    true = (
        twin.usability(n, m, members, q),
        twin.true_coverage(n, m, members, q),
        twin.true_diversity(n, m, members, q),
    )
    for share, probability, exact in zip(shares, FUNCTIONS, true, strict=True):
        error = math.sqrt(float(exact * (1 - exact)) / RUNS)
        assert abs(share - float(exact)) <= 4 * error + 1e-12
        assert probability(n, m, members, q) == pytest.approx(float(exact), abs=0.025)
    assert usability(n, m, members, q) == pytest.approx(float(true[0]), rel=1e-12)


def test_simulated_probabilities_are_not_all_near_0_or_1() -> None:
    """In some simulations, each of the three probabilities is far from 0 and from 1."""
    for probability in FUNCTIONS:
        assert any(0.05 < probability(*sizes) < 0.95 for sizes in SIMULATED), probability


def test_the_true_probabilities_are_within_their_bounds() -> None:
    for (n, m, q), members in product([sizes for sizes in SMALL if sizes[0] > 4], (1, 2, 3, 5)):
        covered, diverse = twin.true_coverage(n, m, members, q), twin.true_diversity(n, m, members, q)
        limits = bounds(n, m, members, q)
        assert limits.least_coverage - 1e-12 <= covered <= limits.most_coverage + 1e-12
        assert limits.least_diversity - 1e-12 <= diverse <= limits.most_diversity + 1e-12


def test_the_formula_of_diversity_errs_in_both_directions() -> None:
    """The formula is too large for some sizes and too small for others, so it is not a bound."""
    assert diversity(10, 5, 5, 3) > float(twin.true_diversity(10, 5, 5, 3))
    assert diversity(12, 1, 4, 8) < float(twin.true_diversity(12, 1, 4, 8))


def test_diversity_bounds_are_0_with_more_members_than_sets() -> None:
    """With one important term, two of three members must be alike, which the formula ignores."""
    assert diversity(100, 50, 3, 1) == pytest.approx(0.125, abs=1e-3)
    assert bounds(100, 50, 3, 1)[2:] == (0.0, 0.0)


def test_the_formula_in_the_paper_is_not_a_probability() -> None:
    """Without the square the sum exceeds 1, and from j = 1 it ignores two members without important terms."""
    n, m, q = 20, 8, 5
    assert twin.printed_sum(n, m, q) > 4_000
    assert 0 < twin.same(n, m, q) < 1
    printed = twin.printed_sum(500, 200, 50)
    assert math.log10(printed.numerator) - math.log10(printed.denominator) > 100
    squared_from_one = twin.printed_sum(n, 1, q) / math.comb(n, 1)
    assert twin.same(n, 1, q) - squared_from_one == Fraction(15, 20) ** 2


def test_expected_difference_agrees_with_simulations() -> None:
    random = np.random.default_rng(3)
    n, m, q, runs = 50, 20, 12, 20_000
    has = random.random((2, runs, n)).argsort(axis=2)[:, :, :q] < m
    differ = (has[0] != has[1]).sum(axis=1)
    assert expected_difference(n, m, q) == pytest.approx(2 * q * 0.4 * 0.6)
    assert abs(differ.mean() - expected_difference(n, m, q)) < 4 * differ.std() / math.sqrt(runs)


@pytest.mark.parametrize("probability", FUNCTIONS)
def test_arrays_broadcast_and_equal_single_numbers(probability: Callable[..., Any]) -> None:
    """Arrays give the results of their numbers one by one; single numbers give a float."""
    M, L, Q = np.array([1, 7, 40, 93, 100]), np.array([1, 2, 30]), np.array([3, 60])
    surface = probability(100, M[:, None, None], L[:, None], Q)
    assert surface.shape == (5, 3, 2)
    for a, b, c in np.ndindex(5, 3, 2):
        single = probability(100, int(M[a]), int(L[b]), int(Q[c]))
        assert type(single) is float
        assert surface[a, b, c] == pytest.approx(single, rel=1e-12, abs=1e-300)


def test_many_sizes_are_computed_in_parts_with_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    from textsieve.ensembles import theory

    M = np.arange(1, 301)
    whole = log_diversity(300, M, 2, 120)
    monkeypatch.setattr(theory, "_MAX_SUMMANDS", 1_000)
    assert (log_diversity(300, M, 2, 120) == whole).all()


def test_diversity_rises_to_half_of_the_terms() -> None:
    for n, q in [(9, 2), (30, 7), (31, 31), (400, 50)]:
        logarithms = log_diversity(n, np.arange(1, n), 2, q)
        assert (np.diff(logarithms[: n // 2]) > 0).all()
        assert logarithms == pytest.approx(logarithms[::-1], rel=1e-12)


def test_one_member_has_diversity_1() -> None:
    assert diversity(10, 10, 1, 3) == 1.0
    assert diversity(10, 10, 2, 3) == 0.0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((10, 11, 1, 1), "M=11 terms of a member with n=10"),
        ((10, 0, 1, 1), "M=0 "),
        ((10, 1, 0, 1), "L=0 members"),
        ((10, 1, 1, 0), "Q=0 important terms"),
        ((10, 1, 1, 11), "Q=11 important terms"),
        ((0, 1, 1, 1), "n=0 "),
        ((10**10, 1, 1, 1), "n=10,000,000,000 "),
        ((10, 2.0, 1, 1), "M=2.0 "),
        ((10, True, 1, 1), "M=True "),
        ((10, 1, float("nan"), 1), "L=nan "),
        ((10, 1, 1, "3"), "Q='3' "),
        ((10, [1, 12, 3], 1, 1), "M=12 "),
        ((10, [1, 2, 3], [1, 2], 1), "can't be broadcast together"),
    ],
)
@pytest.mark.parametrize("probability", [*FUNCTIONS, bounds])
def test_invalid_numbers_raise(probability: Callable[..., Any], given: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        probability(*given)
