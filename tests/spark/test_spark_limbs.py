"""Sums as integers lose no digits, and do not depend on the order of adding."""

import operator
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textsieve import InputError
from textsieve.spark.counting import N_LIMBS, from_limbs, to_limbs
from textsieve.stats.table import Sums

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
def test_limbs_of_weights_are_exact(first: float, second: float) -> None:
    total = sums(first).plus(sums(second))
    assert exact(to_limbs(total)) == Fraction(first) + Fraction(second)


@given(squarable, squarable)
def test_limbs_of_squares_are_exact(first: float, second: float) -> None:
    squares = sums(first * first).plus(sums(second * second))
    assert exact(to_limbs(squares)) == Fraction(first) ** 2 + Fraction(second) ** 2


@given(
    st.lists(numbers, min_size=1, max_size=30).flatmap(
        lambda values: st.tuples(st.just(values), st.permutations(values))
    )
)
def test_sums_do_not_depend_on_the_order_of_parts(orders: tuple[list[float], list[float]]) -> None:
    values, shuffled = orders

    def added(order: list[float]) -> Sums:
        parts = [to_limbs(sums(value)) for value in order]
        return from_limbs(tuple(np.sum([part[place] for part in parts], axis=0) for place in range(N_LIMBS)))

    first, second = added(values), added(shuffled)
    assert (first.value[0], first.rest[0]) == (second.value[0], second.rest[0])
    assert first.value[0] == float(sum(map(Fraction, values), Fraction()))


@given(st.lists(squarable, min_size=2, max_size=50), st.data())
def test_sums_do_not_depend_on_how_documents_are_split(values: list[float], data: st.DataObject) -> None:
    def cut(places: list[int]) -> tuple[float, float]:
        limbs = np.zeros((N_LIMBS, 1), np.int64)
        for begin, end in pairwise([0, *sorted(places), len(values)]):
            part = sums(0.0)
            for value in values[begin:end]:
                part = part.plus(sums(value * value))
            limbs += np.array(to_limbs(part))
        total = from_limbs(tuple(limbs))
        return float(total.value[0]), float(total.rest[0])

    places = data.draw(st.lists(st.integers(0, len(values)), max_size=5))
    assert cut(places) == cut([])


def test_a_sum_above_2_to_the_61_raises() -> None:
    with pytest.raises(InputError, match=r"above 2\^61"):
        to_limbs(sums(2.0**62))


def test_many_parts_fit_into_64_bits() -> None:
    limbs = to_limbs(sums(1.0 - 2.0**-24, 2.0**-60))
    assert all(abs(int(limb[0])) < 1 << 32 for limb in limbs[1:])
    many = tuple(limb * (1 << 30) for limb in limbs)
    assert from_limbs(many).value[0] == (1.0 - 2.0**-24) * 2.0**30
