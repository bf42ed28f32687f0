"""The threshold with the best F1 equals the best of all possible thresholds."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textsieve.evaluation import best_f1_threshold

scores = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(-1e300, 1e300, allow_nan=False),
    st.sampled_from([0.1, 0.1 + 2**-56, np.nextafter(0.1, 1), 1e-320, 0.0, -0.0, 1e300, -1e300]),
)
cases = st.lists(st.tuples(scores, st.booleans()), min_size=1, max_size=15)


def f1(pairs: list[tuple[float, bool]], is_in: list[bool]) -> Fraction:
    hits = sum(member and taken for (_, member), taken in zip(pairs, is_in, strict=True))
    return Fraction(2 * hits, sum(is_in) + sum(member for _, member in pairs))


@given(cases)
def test_no_threshold_has_a_better_f1_or_the_same_with_fewer_documents(pairs: list[tuple[float, bool]]) -> None:
    values = np.array([score for score, _ in pairs])
    members = np.array([member for _, member in pairs])
    threshold = best_f1_threshold(values, members)
    assert np.isfinite(threshold)
    taken = (values >= threshold).tolist()
    if not members.any():
        assert not any(taken)
        assert threshold <= np.nextafter(values.max(), np.inf)
        return
    cuts = [(values >= least).tolist() for least in values]
    best = max(f1(pairs, cut) for cut in cuts)
    assert f1(pairs, taken) == best
    assert sum(taken) == min(sum(cut) for cut in cuts if f1(pairs, cut) == best)


def test_half_way_between_the_last_in_and_the_first_out() -> None:
    assert best_f1_threshold(np.array([3.0, 2.0, 1.0]), np.array([True, False, False])) == 2.5
    assert best_f1_threshold(np.array([1.0, 3.0, 2.0]), np.array([False, True, True])) == 1.5


def test_if_all_documents_are_in_the_lowest_score_is_the_threshold() -> None:
    assert best_f1_threshold(np.array([3.0, 2.0, 1.0]), np.array([True, False, True])) == 1.0
    assert best_f1_threshold(np.array([-7.0]), np.array([True])) == -7.0


def test_equal_scores_are_in_or_out_together() -> None:
    threshold = best_f1_threshold(np.array([1.0, 1.0, 0.0]), np.array([True, False, False]))
    assert threshold == 0.5


def test_adjacent_floats_are_separated() -> None:
    above = np.nextafter(1.0, 2.0)
    threshold = best_f1_threshold(np.array([above, 1.0]), np.array([True, False]))
    assert threshold == above


def test_without_members_and_without_documents() -> None:
    assert best_f1_threshold(np.array([1.0, 2.0]), np.array([False, False])) == np.nextafter(2.0, np.inf)
    assert best_f1_threshold(np.array([]), np.array([], np.bool_)) == 0.0


def test_the_order_of_documents_does_not_matter() -> None:
    rng = np.random.default_rng(0)
    values, members = rng.integers(0, 5, 40).astype(float), rng.random(40) < 0.4
    order = rng.permutation(40)
    assert best_f1_threshold(values, members) == best_f1_threshold(values[order], members[order])


@pytest.mark.parametrize("largest", [1e308, 1.7e308])
def test_large_scores(largest: float) -> None:
    threshold = best_f1_threshold(np.array([largest, largest / 2]), np.array([True, False]))
    assert largest / 2 < threshold <= largest
