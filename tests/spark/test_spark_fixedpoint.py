"""Sums as whole numbers: nothing is lost on the way, and the order of adding does not matter."""

import operator
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textsieve import InputError
from textsieve.spark.fixedpoint import N_LIMBS, limbs_of, sums_of
from textsieve.stats.sums import Sums

weights = st.floats(2.0**-30, 1.0, width=32)
squarable = st.floats(2.0**-22, 1.0, width=32)
"""Weights whose squares are exact, too."""
wide = st.floats(2.0**-38, 2.0**20, width=32)
"""Numbers without binary digits below 2^-93, which are dropped."""
numbers = st.one_of(wide, wide.map(operator.neg), st.integers(-(2**53), 2**53).map(float))


def exact(limbs: tuple[np.ndarray, ...]) -> Fraction:
    return sum((Fraction(int(limb[0]), 1 << (31 * place)) for place, limb in enumerate(limbs)), Fraction())


def sums(value: float, rest: float = 0.0) -> Sums:
    return Sums(np.array([value]), np.array([rest]))


@given(weights, weights)
def test_limbs_of_weights_are_exact(one: float, other: float) -> None:
    total = sums(one).plus(sums(other))
    assert exact(limbs_of(total)) == Fraction(one) + Fraction(other)


@given(squarable, squarable)
def test_limbs_of_their_squares_are_exact(one: float, other: float) -> None:
    squares = sums(one * one).plus(sums(other * other))
    assert exact(limbs_of(squares)) == Fraction(one) ** 2 + Fraction(other) ** 2


@given(st.lists(numbers, min_size=1, max_size=30).flatmap(lambda each: st.tuples(st.just(each), st.permutations(each))))
def test_the_order_of_parts_does_not_matter(orders: tuple[list[float], list[float]]) -> None:
    values, shuffled = orders

    def added(order: list[float]) -> Sums:
        parts = [limbs_of(sums(value)) for value in order]
        return sums_of(tuple(np.sum([part[place] for part in parts], axis=0) for place in range(N_LIMBS)))

    one, other = added(values), added(shuffled)
    assert (one.value[0], one.rest[0]) == (other.value[0], other.rest[0])
    assert one.value[0] == float(sum(map(Fraction, values), Fraction()))


@given(st.lists(squarable, min_size=2, max_size=50), st.data())
def test_it_does_not_matter_where_documents_are_cut(values: list[float], data: st.DataObject) -> None:
    def cut(places: list[int]) -> tuple[float, float]:
        limbs = np.zeros((N_LIMBS, 1), np.int64)
        for begin, end in pairwise([0, *sorted(places), len(values)]):
            part = sums(0.0)
            for value in values[begin:end]:
                part = part.plus(sums(value * value))
            limbs += np.array(limbs_of(part))
        found = sums_of(tuple(limbs))
        return float(found.value[0]), float(found.rest[0])

    places = data.draw(st.lists(st.integers(0, len(values)), max_size=5))
    assert cut(places) == cut([])


def test_a_sum_that_is_too_large_is_refused() -> None:
    with pytest.raises(InputError, match=r"above 2\^61"):
        limbs_of(sums(2.0**62))


def test_many_parts_fit_into_64_bits() -> None:
    limbs = limbs_of(sums(1.0 - 2.0**-24, 2.0**-60))
    assert all(abs(int(limb[0])) < 1 << 32 for limb in limbs[1:])
    many = tuple(limb * (1 << 30) for limb in limbs)
    assert sums_of(many).value[0] == (1.0 - 2.0**-24) * 2.0**30
