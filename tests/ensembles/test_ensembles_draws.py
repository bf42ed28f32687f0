"""`subset`: nested subsets with equally likely terms; `size_of` and `seed_of`: valid and invalid settings."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from textsieve import InputError
from textsieve.ensembles.members import seed_of, size_of, subset

seeds = st.integers(0, 2**70)


@given(st.integers(1, 60), st.data())
def test_a_subset_is_ascending_and_without_repetition(n: int, data: st.DataObject) -> None:
    size, member, seed = data.draw(st.integers(1, n)), data.draw(st.integers(0, 10**6)), data.draw(seeds)
    drawn = subset(n, size, member=member, seed=seed)
    assert drawn.dtype == np.int64
    assert len(drawn) == size
    assert (np.diff(drawn) > 0).all()
    assert 0 <= drawn[0] <= drawn[-1] < n
    assert subset(n, size, member=member, seed=seed).tolist() == drawn.tolist()


@given(st.integers(2, 60), st.data())
def test_smaller_subsets_are_contained_in_larger_ones(n: int, data: st.DataObject) -> None:
    small, large = sorted(data.draw(st.tuples(st.integers(1, n), st.integers(1, n))))
    member, seed = data.draw(st.integers(0, 100)), data.draw(seeds)
    own = {size: set(subset(n, size, member=member, seed=seed).tolist()) for size in (small, large, n)}
    assert own[small] <= own[large] <= own[n] == set(range(n))


def test_members_and_seeds_give_different_subsets() -> None:
    drawn = {tuple(subset(1000, 20, member=member, seed=seed)) for member in range(30) for seed in range(10)}
    assert len(drawn) == 300


@pytest.mark.parametrize("by", ["member", "seed"])
def test_each_term_is_equally_likely(by: str) -> None:
    """5 of 20 terms are drawn 4,000 times: each term about 1,000 times, and each pair about 210 times."""
    counts, pairs = np.zeros(20), np.zeros((20, 20))
    for number in range(4000):
        drawn = subset(20, 5, **({"member": 0, "seed": 1} | {by: number}))
        counts[drawn] += 1
        pairs[np.ix_(drawn, drawn)] += 1
    assert counts.sum() == 20_000
    assert chisquare(counts).pvalue > 0.01  # draws without replacement vary less than chi-square assumes
    assert chisquare(pairs[np.triu_indices(20, 1)]).pvalue > 0.01


def test_each_term_is_equally_likely_in_a_subset_of_one() -> None:
    counts = np.bincount([subset(10, 1, member=member, seed=3)[0] for member in range(3000)], minlength=10)
    assert chisquare(counts).pvalue > 0.01


def test_members_are_independent() -> None:
    """Two members with 50 of 100 terms have 25 in common on average, with a standard deviation of 2.5."""
    shared = [
        len(np.intersect1d(subset(100, 50, member=member, seed=7), subset(100, 50, member=member + 1, seed=7)))
        for member in range(400)
    ]
    assert np.mean(shared) == pytest.approx(25, abs=4 * 2.5 / 20)
    assert np.std(shared) == pytest.approx(2.5, rel=0.15)


# -- sizes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "n", "size"),
    [
        (1, 10, 1),
        (10, 10, 10),
        (np.int32(3), 10, 3),
        (0.4, 5000, 2000),
        (1.0, 7, 7),
        (np.float32(0.5), 10, 5),
        (0.25, 10, 2),  # round half to even
        (1e-9, 10, 1),  # at least 1
        (0.05, 3, 1),
        (0.999, 1, 1),
    ],
)
def test_sizes_and_fractions(value: Any, n: int, size: int) -> None:
    result = size_of("n_terms", value, n, n)
    assert result == size
    assert type(result) is int


@given(st.floats(0, 1, exclude_min=True), st.integers(1, 10**6))
def test_a_fraction_is_at_least_one_and_at_most_all(share: float, n: int) -> None:
    assert 1 <= size_of("n_terms", share, n, n) <= n
    assert size_of("n_terms", share, n, n) == pytest.approx(share * n, abs=1)


def test_there_may_be_more_members_than_terms() -> None:
    assert size_of("n_estimators", 400, 10) == 400
    with pytest.raises(
        InputError, match=r"n_terms=11; there are 10 terms: use a whole number from 1 up to 10, or a share"
    ):
        size_of("n_terms", 11, 10, 10)


BAD: list[Any] = [
    0,
    -1,
    0.0,
    -0.5,
    1.5,
    float("nan"),
    float("inf"),
    True,
    False,
    None,
    "0.4",
    [0.4],
    1j,
    np.array([1, 2]),
]


@pytest.mark.parametrize("value", BAD, ids=repr)
def test_invalid_sizes_raise(value: Any) -> None:
    with pytest.raises(InputError, match=r"^n_estimators=.*there are 10 terms: use a whole number from 1, or a share"):
        size_of("n_estimators", value, 10)


# -- seeds -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1, np.int8(7), np.uint64(2**63), 2**80])
def test_integers_are_their_own_seeds(seed: Any) -> None:
    result = seed_of(seed)
    assert result == int(seed)
    assert type(result) is int
    subset(5, 2, member=0, seed=result)


def test_other_random_states_draw_a_seed() -> None:
    assert seed_of(np.random.RandomState(5)) == seed_of(np.random.RandomState(5))
    state = np.random.RandomState(5)
    assert seed_of(state) != seed_of(state)
    assert len({seed_of(None) for _ in range(5)}) > 1


@pytest.mark.parametrize("value", [-1, 1.5, "0", True, False, float("nan"), [1], np.random.default_rng(0)], ids=str)
def test_invalid_random_states_raise(value: Any) -> None:
    with pytest.raises(InputError, match=r"random_state=.*; use a whole number from 0, or None"):
        seed_of(value)
