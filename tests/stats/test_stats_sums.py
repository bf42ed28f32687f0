"""The sum of two floats is exact: value + rest equals the sum of the fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textsieve.stats.table import Sums

finite = st.floats(min_value=-1e200, max_value=1e200, allow_subnormal=False)


def sum_of(value: float) -> Sums:
    return Sums(np.array([value]), np.zeros(1))


def exact(sums: Sums) -> Fraction:
    return Fraction(float(sums.value[0])) + Fraction(float(sums.rest[0]))


@pytest.mark.parametrize(("first", "second"), [(1e16, 1.0), (1.0, 1e16), (1e16, -1.0), (0.1, 0.2), (1.0, -1.0)])
def test_the_rest_is_what_the_rounded_sum_loses(first: float, second: float) -> None:
    assert exact(sum_of(first).plus(sum_of(second))) == Fraction(first) + Fraction(second)
    assert exact(sum_of(first).minus(sum_of(second))) == Fraction(first) - Fraction(second)


@given(finite, finite)
def test_any_two_floats_add_up_exactly(first: float, second: float) -> None:
    assert exact(sum_of(first).plus(sum_of(second))) == Fraction(first) + Fraction(second)
