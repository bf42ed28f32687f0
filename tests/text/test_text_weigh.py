"""`weigh` equals the formulas to 1e-12, and the weights of a row depend on that row alone, to the last bit."""

import math
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.depth import few_examples
from tests.reference.text_twins import length_of, weights_of

from textsieve.arrays import CSR
from textsieve.text import weights
from textsieve.text.weights import NORMS, TERM_FREQUENCIES, one_plus_log, weigh

N_COLUMNS = 30
IDF = np.random.default_rng(5).uniform(0.5, 9.0, N_COLUMNS)

NAMES = list(product(TERM_FREQUENCIES, [None, IDF], NORMS))
every_way = pytest.mark.parametrize(("tf", "idf", "norm"), NAMES)

counts = st.sampled_from([0, 1, 1, 1, 2, 3, 50, 1022, 1023, 1024, 1025, 10**6, 2**40])


@st.composite
def rows_of_counts(draw: st.DrawFn) -> CSR:
    """Draw some rows, including empty ones and stored zeros."""
    tables = draw(st.lists(st.dictionaries(st.integers(0, N_COLUMNS - 1), counts, max_size=12), max_size=8))
    return rows_from(tables)


def rows_from(tables: list[dict[int, int]]) -> CSR:
    indptr = np.cumsum([0, *map(len, tables)]).astype(np.int32)
    indices = np.array([column for table in tables for column in sorted(table)], np.int32)
    data = np.array([table[column] for table in tables for column in sorted(table)], np.int64)
    return CSR(data, indices, indptr, N_COLUMNS)


def part_of(rows: CSR, first: int, last: int) -> CSR:
    """Return the rows from `first` to before `last`."""
    begin, end = rows.indptr[first], rows.indptr[last]
    return CSR(rows.data[begin:end], rows.indices[begin:end], rows.indptr[first : last + 1] - begin, rows.n_columns)


@few_examples
@given(rows=rows_of_counts())
def test_weights_are_the_formulas(rows: CSR) -> None:
    for tf, idf, norm in NAMES:
        assert_weights_are_the_formulas(tf, idf, norm, rows)


def assert_weights_are_the_formulas(tf: str, idf: Any, norm: str, rows: CSR) -> None:
    weighed = weigh(rows, tf=tf, idf=idf, norm=norm)
    assert weighed.data.dtype == np.float64
    for row in range(rows.n_rows):
        row_values = slice(rows.indptr[row], rows.indptr[row + 1])
        plain = weights_of([rows.data[row_values].tolist()], [], tf=tf, idf="none", norm="none")[0]
        if idf is not None:
            plain = [value * idf[column] for value, column in zip(plain, rows.indices[row_values], strict=True)]
        length = length_of(plain, norm)
        if length > 0:
            plain = [value / length for value in plain]
        np.testing.assert_allclose(
            weighed.data[row_values], plain, rtol=1e-13, atol=0, err_msg=f"{tf}, {norm}, {idf is not None}"
        )


@few_examples
@given(rows=rows_of_counts(), data=st.data())
def test_a_row_depends_on_nothing_but_itself(rows: CSR, data: st.DataObject) -> None:
    cuts = sorted({0, rows.n_rows, *data.draw(st.lists(st.integers(0, rows.n_rows), max_size=4))})
    n_values = data.draw(st.integers(1, 9))
    for tf, idf, norm in NAMES:
        whole = weigh(rows, tf=tf, idf=idf, norm=norm)
        parts = [weigh(part_of(rows, *cut), tf=tf, idf=idf, norm=norm) for cut in pairwise(cuts)]
        assert b"".join(part.data.tobytes() for part in parts) == whole.data.tobytes(), (tf, norm)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(weights, "_BLOCK_VALUES", n_values)
            assert weigh(rows, tf=tf, idf=idf, norm=norm).data.tobytes() == whole.data.tobytes(), (tf, norm)


@every_way
def test_long_rows_have_the_same_weights_alone_and_together(tf: str, idf: Any, norm: str) -> None:
    """The rows are long enough for several blocks, and for sums that numpy adds in parts."""
    random = np.random.default_rng(1)
    sizes = random.choice([0, 1, 7, 8, 9, 100, 127, 128, 129, 1000, 9000, 70_000], 60)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    n_columns = 100_000
    columns = np.concatenate([np.sort(random.choice(n_columns, size, replace=False)) for size in sizes])
    values = random.zipf(1.6, starts[-1]).clip(max=10**7)
    rows = CSR(values, columns, starts, n_columns)
    factors = None if idf is None else random.uniform(0.5, 9.0, n_columns)
    whole = weigh(rows, tf=tf, idf=factors, norm=norm)
    alone = [weigh(part_of(rows, row, row + 1), tf=tf, idf=factors, norm=norm).data for row in range(rows.n_rows)]
    assert np.concatenate(alone).tobytes() == whole.data.tobytes()
    if norm == "l2" and tf != "tf":
        lengths = np.sqrt([np.square(row_weights).sum() for row_weights in alone if row_weights.size])
        np.testing.assert_allclose(lengths, 1.0, rtol=1e-12)


@every_way
@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.int32, np.uint64, np.float32, np.float64])
def test_the_type_of_the_counts_changes_no_bit(tf: str, idf: Any, norm: str, kind: type[np.number]) -> None:
    rows = rows_from([{0: 1, 5: 200, 7: 0}, {}, {3: 2, 4: 9, 29: 255}])
    right = weigh(rows, tf=tf, idf=idf, norm=norm).data
    assert weigh(rows._replace(data=rows.data.astype(kind)), tf=tf, idf=idf, norm=norm).data.tobytes() == (
        right.tobytes()
    )


def test_truth_values_are_counts_too() -> None:
    rows = rows_from([{0: 1, 5: 0}, {3: 1}])
    weighed = weigh(rows._replace(data=rows.data.astype(bool)), tf="log", idf=IDF, norm="none")
    assert weighed.data.tolist() == [IDF[0], 0.0, IDF[3]]


@given(st.lists(st.one_of(st.floats(0, 2000), st.integers(0, 3000).map(float), st.floats(1, 1e300)), max_size=20))
def test_logarithms_of_fractions_and_integers(values: list[float]) -> None:
    values = [value for value in values if value == 0 or value > 1e-300]
    expected = [1.0 + math.log(value) if value else 0.0 for value in values]
    np.testing.assert_allclose(one_plus_log(np.array(values)), expected, rtol=1e-14, atol=1e-15)


@every_way
def test_weigh_does_not_change_its_input(tf: str, idf: Any, norm: str) -> None:
    rows = rows_from([{0: 3, 5: 0}, {}, {3: 2, 4: 5000}])
    for kind in (np.int64, np.float64):
        given_rows = rows._replace(data=rows.data.astype(kind))
        before = [part.copy() for part in given_rows[:3]]
        weighed = weigh(given_rows, tf=tf, idf=idf, norm=norm)
        weighed.data[:] = -1
        assert all(np.array_equal(part, original) for part, original in zip(given_rows[:3], before, strict=True))


@pytest.mark.parametrize("n_rows", [0, 1, 5])
def test_rows_without_values(n_rows: int) -> None:
    rows = rows_from([{}] * n_rows)
    weighed = weigh(rows, tf="log", idf=IDF, norm="l2")
    assert weighed.n_rows == n_rows
    assert weighed.data.size == 0


def test_a_row_of_zeros_stays() -> None:
    rows = rows_from([{0: 0, 1: 0}, {2: 4}])
    assert weigh(rows, tf="tf", idf=None, norm="l2").data.tolist() == [0.0, 0.0, 1.0]
    no_weight = np.zeros(N_COLUMNS)
    assert weigh(rows, tf="log", idf=no_weight, norm="l2").data.tolist() == [0.0, 0.0, 0.0]
