"""Positions in charts: thinned points, round limits of axes, and names that do not overlap."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textsieve.plots.scales import MAX_POINTS, log_domain, log_ticks, round_domain, separate, thin_indices


def test_short_curves_are_left_as_they_are() -> None:
    assert thin_indices(np.arange(1.0, 501.0), log=True).tolist() == list(range(500))


@pytest.mark.parametrize("n", [501, 502, 7_000, 1_000_003])
@pytest.mark.parametrize("log", [False, True])
def test_long_curves_keep_their_ends_and_few_points(n: int, log: bool) -> None:
    indices = thin_indices(np.arange(1.0, n + 1), log=log)
    assert indices[0] == 0
    assert indices[-1] == n - 1
    assert (np.diff(indices) > 0).all()
    assert 200 < len(indices) <= MAX_POINTS


def test_thinning_is_even_on_the_axis_that_is_drawn() -> None:
    x = np.arange(1.0, 1_000_001)
    steps = np.diff(x[thin_indices(x, log=False)])
    assert steps.max() / steps.min() < 1.01
    logs = np.diff(np.log(x[thin_indices(x, log=True)]))
    assert logs[200:].max() / logs[200:].min() < 1.1
    assert thin_indices(x, log=True)[:10].tolist() == list(range(10)), "none of the first is left out"


def test_points_at_the_same_position_keep_the_ends() -> None:
    assert thin_indices(np.full(1000, 3.0), log=False).tolist() == [0, 999]


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        ((0.52, 0.77), (0.5, 0.8)),
        ((0.0, 1.0), (0.0, 1.0)),
        ((-3.2, 11.0), (-4.0, 12.0)),
        ((5.0, 5.0), (2.0, 8.0)),
        ((0.0, 0.0), (-0.6, 0.6)),
        ((1234.0, 98765.0), (0.0, 100000.0)),
        ((0.0, 3029.0), (0.0, 3500.0)),
    ],
)
def test_domains_end_in_round_numbers(ends: tuple[float, float], expected: tuple[float, float]) -> None:
    assert round_domain(*ends) == pytest.approx(expected)


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9))
def test_a_domain_contains_its_numbers(a: float, b: float) -> None:
    low, high = round_domain(min(a, b), max(a, b))
    near = 1e-6 * max(abs(a), abs(b), 1e-300)
    assert low < high
    assert low <= min(a, b) + near
    assert high >= max(a, b) - near


def test_ticks_of_a_logarithmic_axis() -> None:
    assert log_ticks((1, 101_322)) == [1, 10, 100, 1_000, 10_000, 100_000]
    assert log_ticks((1, 30)) == [1, 2, 5, 10, 20]
    assert log_ticks((0.01, 10)) == pytest.approx([0.01, 0.1, 1, 10])
    assert log_ticks((3, 4)) == [3, 4]
    assert log_domain(7, 7) == (3.5, 14)


@given(st.lists(st.floats(0, 400), max_size=15))
def test_names_stand_apart_in_their_order_and_within_the_margin(wanted: list[float]) -> None:
    places = separate(sorted(wanted), 20, 400)
    assert len(places) == len(wanted)
    assert all(-1e-9 <= place <= 400 + 1e-9 for place in places)
    assert all(b - a >= 20 - 1e-9 for a, b in pairwise(places))


def test_names_with_enough_room_are_not_moved() -> None:
    assert separate([10, 50, 300], 20, 400) == [10, 50, 300]
    assert separate([100, 100, 100], 20, 400) == [80, 100, 120]
    assert separate([0, 0, 0], 20, 400) == [0, 20, 40]
    assert separate([400, 400], 20, 400) == [380, 400]
    assert separate([], 20, 400) == []
