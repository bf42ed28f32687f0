"""Numbers of terms to try, and the smallest number whose score is within one standard error of the best."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textsieve.evaluation import CurvePoint, size_grid, smallest_within_one_error


def test_sizes() -> None:
    assert size_grid(5) == [5]
    assert size_grid(100) == [100]
    assert size_grid(101) == [100, 101]
    assert size_grid(1500) == [100, 200, 500, 1000, 1500]
    assert size_grid(20_000) == [100, 200, 500, 1000, 2000, 5000, 10_000, 20_000]


@given(st.integers(1, 10**8))
def test_sizes_ascend_and_end_with_all(most: int) -> None:
    sizes = size_grid(most)
    assert sizes == sorted(set(sizes))
    assert sizes[-1] == most


def test_the_rule_by_hand() -> None:
    curve = [
        CurvePoint(100, 0.70, 0.5),  # its own error is large, but only the error of the best counts
        CurvePoint(200, 0.849, 0.0),
        CurvePoint(500, 0.85, 0.0),
        CurvePoint(1000, 0.90, 0.05),
        CurvePoint(2000, 0.89, 0.2),
    ]
    assert smallest_within_one_error(curve) == 500
    assert smallest_within_one_error(curve[:2]) == 200
    assert smallest_within_one_error([CurvePoint(7, 0.0, 0.0)]) == 7
    no_error = [point._replace(error=0.0) for point in curve]
    assert smallest_within_one_error(no_error) == 1000


def test_of_equal_scores_the_smallest_size_is_returned() -> None:
    assert smallest_within_one_error([CurvePoint(size, 0.5, 0.0) for size in (1, 2, 3)]) == 1


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 0.1)), min_size=1, max_size=8))
def test_the_returned_size_is_near_the_best_and_no_smaller_one_is(points: list[tuple[float, float]]) -> None:
    curve = [CurvePoint(size, *point) for size, point in enumerate(points)]
    smallest = smallest_within_one_error(curve)
    best = max(score for _, score, _ in curve)
    error = next(error for _, score, error in curve if score == best)
    assert curve[smallest].score >= best - error
    assert all(curve[size].score < best - error for size in range(smallest))


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_scores_of_0_and_1_return_the_smallest_size(score: float) -> None:
    assert smallest_within_one_error([CurvePoint(1, score, 0.0), CurvePoint(2, score, 0.0)]) == 1
