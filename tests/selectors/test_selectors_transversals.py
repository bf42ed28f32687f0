"""Minimal transversals: union, both search methods and brute force agree; limits of a search."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse
from scipy.stats import spearmanr
from tests.reference.testors_twin import Testor, minimal_transversals

from textsieve import InputError
from textsieve.selectors.testors.shares import _n_testors, _shares_in_listing, shares_of_testors
from textsieve.selectors.testors.shortest import shortest_transversals
from textsieve.selectors.testors.transversals import (
    METHODS,
    Listing,
    count_transversals,
    list_transversals,
    minimal_rows,
    pack_bits,
    transversals,
    union_of_minimal_rows,
    unpack_bits,
)

Marks = NDArray[np.bool_]


@st.composite
def matrices(draw: st.DrawFn, most_rows: int = 8, most_columns: int = 8) -> Marks:
    """Draw boolean matrices of any density; rows may be empty or equal, and there may be none."""
    n_columns = draw(st.integers(1, most_columns))
    row = st.integers(0, 2**n_columns - 1)
    numbers = draw(st.lists(row, max_size=most_rows))
    numbers += draw(st.lists(st.sampled_from(numbers), max_size=2)) if numbers else []
    if draw(st.booleans()):  # an empty row would leave no transversals
        numbers = [number or 1 for number in numbers]
    return np.array([[number >> at & 1 for at in range(n_columns)] for number in numbers], bool).reshape(-1, n_columns)


def brute(rows: Marks) -> list[Testor]:
    """Return all minimal transversals by brute force."""
    return sorted(minimal_transversals([np.flatnonzero(row).tolist() for row in rows], rows.shape[1]))


def union(rows: Marks) -> Marks:
    """Return a mask of the columns that the union of the minimal rows contains."""
    mask: Marks = unpack_bits(union_of_minimal_rows(pack_bits(rows))[None], rows.shape[1])[0]
    return mask


@given(rows=matrices())
def test_union_and_both_methods_equal_brute_force(rows: Marks) -> None:
    expected = brute(rows)
    by_method = {method: list(transversals(rows, method)) for method in METHODS}
    for method, listed in by_method.items():
        assert sorted(listed) == expected  # also, none is listed twice
        assert count_transversals(rows, method) == (len(expected), True)
    assert np.flatnonzero(union(rows)).tolist() == sorted({column for testor in expected for column in testor})


@given(rows=matrices())
def test_the_transversals_of_the_transversals_are_the_minimal_rows(rows: Marks) -> None:
    of_rows = [[column in testor for column in range(rows.shape[1])] for testor in transversals(rows)]
    again = transversals(np.array(of_rows, bool).reshape(-1, rows.shape[1]))
    assert sorted(again) == sorted(tuple(np.flatnonzero(row).tolist()) for row in rows[minimal_rows(rows)])


@given(rows=matrices())
def test_minimal_rows_contain_no_other_row(rows: Marks) -> None:
    sets = [frozenset(np.flatnonzero(row).tolist()) for row in rows]
    expected = {row_set for row_set in sets if not any(other < row_set for other in sets)}
    minimal = minimal_rows(rows).tolist()
    assert len(minimal) == len(expected)
    assert {sets[number] for number in minimal} == expected
    assert all(number == sets.index(sets[number]) for number in minimal)  # of equal rows the first
    assert [len(sets[number]) for number in minimal] == sorted(len(sets[number]) for number in minimal)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (np.zeros((0, 3)), [()]),
        (np.zeros((0, 0)), [()]),
        ([[0, 0, 0]], []),
        ([[1, 1, 0], [0, 0, 0]], []),
        ([[1]], [(0,)]),
        ([[1, 0, 1]], [(0,), (2,)]),
        ([[0, 1, 1], [0, 1, 1], [0, 1, 1]], [(1,), (2,)]),
        ([[1, 0], [0, 1]], [(0, 1)]),
        ([[1, 1, 0], [0, 1, 1], [1, 0, 1]], [(0, 1), (0, 2), (1, 2)]),
        ([[1], [1], [1]], [(0,)]),
        ([[1], [0]], []),
    ],
)
def test_small_matrices_by_hand(method: str, rows: Any, expected: list[Testor]) -> None:
    search = transversals(rows, method)
    assert sorted(search) == expected
    assert search.complete


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("n_rows", "n_columns"), [(3, 130), (70, 9), (129, 12), (66, 64), (2, 65)])
def test_more_rows_and_columns_than_a_word_has_bits(method: str, n_rows: int, n_columns: int) -> None:
    """Compare with Berge's algorithm, which adds one row at a time."""
    rows = np.random.default_rng(n_rows).random((n_rows, n_columns)) < (0.06 if n_columns > 64 else 0.7)
    rows[:, 0] |= ~rows.any(axis=1)
    if n_columns == 64:
        rows[2:] |= rows[0]
    expected: set[frozenset[int]] = {frozenset()}
    for row in rows[minimal_rows(rows)]:
        columns = set(np.flatnonzero(row).tolist())
        longer = {old | {column} for old in expected if not old & columns for column in columns}
        unchanged = {old for old in expected if old & columns}
        expected = unchanged | {new for new in longer if not any(other < new for other in unchanged | longer)}
    assert {frozenset(transversal) for transversal in transversals(rows, method)} == expected
    assert union(rows).sum() == len(frozenset().union(*expected))


MANY = np.repeat(np.eye(12, dtype=bool), 3, axis=1)
"""Twelve rows of three columns each that share nothing: 3^12 = 531,441 transversals."""


@pytest.mark.parametrize("method", METHODS)
def test_many_transversals_are_listed_lazily_and_once(method: str) -> None:
    search = transversals(MANY[:9], method)
    seen = set(search)
    assert len(seen) == 3**9
    assert search.complete
    assert all(len(transversal) == 9 and list(transversal) == sorted(transversal) for transversal in seen)
    assert list(search) == []


@pytest.mark.parametrize("method", METHODS)
def test_limit(method: str) -> None:
    search = transversals(MANY, method, limit=1000)
    assert not search.complete
    assert len(set(search)) == 1000
    assert not search.complete
    assert list(transversals(MANY, method, limit=0)) == []
    every = transversals(MANY[:2], method, limit=9)
    assert len(list(every)) == 9
    assert every.complete  # there was none after the ninth
    most = transversals(MANY[:2], method, limit=8)
    assert len(list(most)) == 8
    assert not most.complete


@pytest.mark.parametrize("method", METHODS)
def test_the_search_stops_at_the_limit(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    unstarted, stopped = transversals(MANY, method, limit=0), transversals(MANY, method, limit=1)
    next(stopped)

    def fail(*_: Any) -> None:
        raise AssertionError

    for search in (unstarted, stopped):
        monkeypatch.setattr(search._search, "next_sets", fail)
        assert list(search) == []
        assert not search.complete  # there may be more
    assert list(transversals([[1, 0], [0, 0]], method, limit=0)) == []


@given(rows=matrices())
def test_sparse_rows(rows: Marks) -> None:
    wide = np.zeros((len(rows), 1000), np.int8)
    wide[:, 500 : 500 + rows.shape[1]] = rows
    given_rows = sparse.csr_array(wide)
    assert sorted(transversals(given_rows)) == sorted(transversals(wide))
    assert minimal_rows(given_rows).tolist() == minimal_rows(wide).tolist()
    assert count_transversals(given_rows) == count_transversals(wide)


def test_a_limit_does_not_change_the_order() -> None:
    every = transversals(MANY)
    first = [next(every) for _ in range(3000)]
    assert list(transversals(MANY, limit=3000)) == first


@pytest.mark.parametrize("method", METHODS)
def test_zero_seconds_end_the_search_at_once(method: str) -> None:
    search = transversals(MANY, method, max_seconds=0)
    assert list(search) == []
    assert not search.complete
    assert count_transversals(MANY, method, max_seconds=0) == (0, False)
    assert count_transversals(MANY, method) == (3**12, True)
    patient = transversals(MANY[:3], method, max_seconds=1e6)
    assert len(list(patient)) == 27
    assert patient.complete


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "LEX"}, "method='LEX'; use one of 'mmcs', 'lex'"),
        ({"method": None}, "method=None"),
        ({"limit": -1}, "limit=-1; use a number of testors"),
        ({"limit": 2.5}, "limit=2.5"),
        ({"max_seconds": -1}, "max_seconds=-1; use a number of seconds"),
        ({"max_seconds": float("nan")}, "max_seconds=nan"),
        ({"max_seconds": "1"}, "max_seconds='1'"),
    ],
)
def test_invalid_settings_raise(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        transversals([[1, 0]], **settings)


@pytest.mark.parametrize("rows", [[1, 0], [["a"]], [[[1]]]])
def test_invalid_matrices_raise(rows: Any) -> None:
    for function in (transversals, minimal_rows, count_transversals):
        with pytest.raises(InputError, match="give a matrix of yes and no"):
            function(rows)


@given(rows=matrices(most_columns=200))
def test_packing_bits_round_trips(rows: Marks) -> None:
    assert np.array_equal(unpack_bits(pack_bits(rows), rows.shape[1]), rows)


@given(rows=matrices(), repeat=st.integers(1, 3))
def test_shares_equal_those_of_all_testors(rows: Marks, repeat: int) -> None:
    rows = rows[rows.any(axis=1)]
    basic = np.tile(rows, repeat)[minimal_rows(rows)][:, :12]  # with equal columns
    shares = shares_of_testors(basic, 10_000)
    assert shares.exact
    testors = brute(basic) if len(basic) else []
    expected = [sum(column in testor for testor in testors) / max(len(testors), 1) for column in range(basic.shape[1])]
    assert shares.values == pytest.approx(expected, abs=1e-12)


def test_shares_of_many_testors_are_exact_by_parts_and_patterns() -> None:
    """There are 3^12 testors; each part has one pattern, which three terms share."""
    shares = shares_of_testors(MANY, 1)
    assert shares.exact
    assert shares.values == pytest.approx(np.full(36, 1 / 3))


def test_shares_of_more_testors_than_a_float_can_count() -> None:
    wide = np.repeat(np.eye(400, dtype=bool), 8, axis=1)  # 8^400
    wide[0, :] |= wide[1, :]
    shares = shares_of_testors(wide[minimal_rows(wide)], 10)
    assert shares.exact
    assert shares.values[8:] == pytest.approx(np.full(399 * 8, 1 / 8))


def random_basic(seed: int, n_rows: int, n_columns: int, density: float) -> Marks:
    """Return the minimal rows of a random matrix without empty rows."""
    rows = np.random.default_rng(seed).random((n_rows, n_columns)) < density
    rows[:, 0] |= ~rows.any(axis=1)
    return np.asarray(rows[minimal_rows(rows)])


def test_shares_are_exact_as_long_as_all_testors_are_within_the_limit() -> None:
    basic = random_basic(5, 9, 14, 0.5)
    n_testors = len(list(transversals(basic)))
    assert len(np.unique(basic, axis=1).T) == 14  # so each listed set is one testor
    assert shares_of_testors(basic, n_testors).exact
    assert not shares_of_testors(basic, n_testors - 1).exact
    many = random_basic(1, 40, 36, 0.3)
    assert shares_of_testors(many, 10**7, 1 << 40).exact
    assert not shares_of_testors(many, 10**7, 1).exact


@pytest.mark.parametrize("repeat", [1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_estimated_shares_are_close_to_exact_ones(seed: int, repeat: int) -> None:
    """Each column is repeated up to `repeat` times, so patterns have different numbers of terms."""
    basic = random_basic(seed, 40, 36, 0.3)
    basic = np.repeat(basic, np.random.default_rng(seed).integers(1, repeat + 1, 36), axis=1)
    every, sample = shares_of_testors(basic, 10**7, 1 << 40), shares_of_testors(basic, 10_000)
    assert every.exact
    assert not sample.exact
    assert spearmanr(every.values, sample.values).statistic > 0.9
    assert np.abs(every.values - sample.values).max() < 0.1
    assert sample.values.tolist() == shares_of_testors(basic, 10_000).values.tolist()


def test_estimated_shares_are_strictly_between_0_and_1() -> None:
    """One walk sees few sets, but no estimate is 0 or 1; only a term that is alone in a row has share 1."""
    basic = random_basic(1, 40, 36, 0.3)
    alone = np.zeros((len(basic) + 1, 37), np.bool_)
    alone[:-1, :36], alone[-1, 36] = basic, True
    shares = shares_of_testors(alone, 1)
    assert not shares.exact
    assert shares.values[36] == 1
    assert ((shares.values[:36] > 0) & (shares.values[:36] < 1)).all()


def test_equal_shares_are_equal_to_the_last_bit() -> None:
    """In a ring all columns are equivalent; products of the numbers of terms exceed exact floats."""
    for n, n_terms in [(5, 3), (9, 3), (11, 7), (12, 10**5)]:
        ring = np.eye(n, dtype=bool) | np.roll(np.eye(n, dtype=bool), 1, axis=1)
        if n_terms < 100:
            assert len(set(shares_of_testors(np.repeat(ring, n_terms, axis=1), 10**6).values.tolist())) == 1
        listing = list_transversals(ring, 10**6, 10**6)
        assert listing.complete
        assert len(set(_shares_in_listing(listing, np.full(n, n_terms)).tolist())) == 1


@given(rows=matrices(), repeat=st.integers(1, 2))
def test_shortest_testors_equal_brute_force(rows: Marks, repeat: int) -> None:
    rows = rows[rows.any(axis=1)]
    basic = np.tile(rows, repeat)[minimal_rows(rows)][:, :12]
    every = brute(basic)
    size = min(map(len, every))
    result = shortest_transversals(basic, np.zeros(basic.shape[1]), 10**6, 10**6)
    assert result.proved
    assert result.size == size
    assert result.testors == [testor for testor in every if len(testor) == size]
    some = shortest_transversals(basic, np.zeros(basic.shape[1]), 2, 10**6)
    assert (some.size, some.proved) == (size, True)
    assert len(some.testors) == min(2, len(result.testors))
    assert set(some.testors) <= set(result.testors)
    weights = (np.arange(basic.shape[1]) % 4).astype(np.float64)
    in_order = sorted((weights[list(testor)].sum() for testor in result.testors), reverse=True)
    for limit in (1, 2, 3, 7):
        heaviest = shortest_transversals(basic, weights, limit, 10**6)
        assert heaviest.heaviest
        assert [weights[list(testor)].sum() for testor in heaviest.testors] == in_order[:limit]


def test_the_heaviest_testors_combine_the_columns_of_independent_rows() -> None:
    rows = np.array([[1, 1, 0, 0], [0, 0, 1, 1]], np.bool_)
    weights = np.array([5.0, 4.0, 3.0, 0.0])
    in_order = [(0, 2), (1, 2), (0, 3), (1, 3)]  # of weight 8, 7, 5 and 4
    for limit in range(1, 5):
        assert shortest_transversals(rows, weights, limit, 10**6).testors == in_order[:limit]


def test_too_many_shortest_testors_to_compare() -> None:
    """Twelve rows of two columns, and one row that any first column hits, have 4,095 distinct shortest sets."""
    rows = np.zeros((13, 24), np.bool_)
    rows[np.repeat(np.arange(12), 2), np.arange(24)] = True
    rows[12, ::2] = True
    weights = np.where(np.arange(24) % 2 == 1, 1.0, 0.0)
    result = shortest_transversals(rows, weights, 1, 10**6)
    assert (result.proved, result.size, result.heaviest) == (True, 12, False)
    every = shortest_transversals(rows, weights, 10**4, 10**7)
    assert every.heaviest
    assert len(every.testors) == 4095
    assert weights[list(every.testors[0])].sum() == 11


def test_the_step_limit_covers_all_parts_and_sizes() -> None:
    """Steps that are enough for one of twenty equal parts are not enough for all of them."""
    ring = np.eye(7, dtype=bool) | np.roll(np.eye(7, dtype=bool), 1, axis=1)
    many = np.kron(np.eye(20, dtype=bool), ring).astype(bool)
    enough = next(n for n in range(1, 1000) if shortest_transversals(ring, np.zeros(7), 1, n).proved)
    assert enough > 1
    assert not shortest_transversals(many, np.zeros(140), 1, enough).proved
    assert shortest_transversals(many, np.zeros(140), 1, 40 * enough).proved


def test_an_unfinished_search_returns_a_short_testor() -> None:
    rows = np.random.default_rng(1).random((60, 40)) < 0.1
    rows[:, 0] |= ~rows.any(axis=1)
    basic = rows[minimal_rows(rows)]
    result = shortest_transversals(basic, np.zeros(basic.shape[1]), 3, 1)
    assert not result.proved
    (testor,) = result.testors
    assert len(testor) == result.size
    assert basic[:, list(testor)].any(axis=1).all()
    assert all(not basic[:, [column for column in testor if column != dropped]].any(axis=1).all() for dropped in testor)
    exact = shortest_transversals(basic, np.zeros(basic.shape[1]), 3, 10**7)
    assert exact.proved
    assert exact.size <= result.size


def test_numbers_of_testors_are_exact_up_to_53_bits() -> None:
    sets = Listing(np.array([2, 1]), np.array([0, 1, 2]), True)
    assert _n_testors(sets, np.array([1 << 26, 1 << 26, 1])).tolist() == [2.0**52, 1.0]
    assert _n_testors(sets, np.array([1 << 27, 1 << 27, 4])).tolist() == [2.0**52, 1.0]  # all are cut by two bits
