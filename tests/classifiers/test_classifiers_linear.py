"""`LinearScorer` adds products in column order, with the same bits from numpy and from kernels."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textsieve import InputError
from textsieve.arrays import CSR
from textsieve.classifiers import LinearScorer, linear

numbers = st.one_of(
    st.floats(-10, 10),
    st.sampled_from([0.0, -0.0, 1e16, -1e16, 1.0, 1 / 3, 1e-300, -7e5, 0.1]),  # sums that depend on their order
)
factors = st.one_of(st.floats(-10, 10, width=32), st.sampled_from([0.0, -0.0, 1e20, -1e20, 3.0, 2.0**-120]))


@st.composite
def cases(draw: st.DrawFn) -> tuple[LinearScorer, CSR]:
    """Draw a scorer with coefficients of 32 or 64 bits, and rows for it."""
    n_terms, n_outputs = draw(st.integers(1, 12)), draw(st.integers(1, 5))
    size = n_terms * n_outputs
    dtype: Any = draw(st.sampled_from([np.float32, np.float64]))
    values = draw(st.lists(factors if dtype == np.float32 else numbers, min_size=size, max_size=size))
    coefficients = np.array(values, dtype)
    intercepts = np.array(draw(st.lists(numbers, min_size=n_outputs, max_size=n_outputs)), np.float64)
    tables = draw(st.lists(st.dictionaries(st.integers(0, n_terms - 1), numbers, max_size=n_terms), max_size=9))
    kind: Any = draw(st.sampled_from([np.int32, np.int64]))
    rows = CSR(
        np.array([table[column] for table in tables for column in sorted(table)], np.float64),
        np.array([column for table in tables for column in sorted(table)], kind),
        np.cumsum([0, *map(len, tables)]).astype(kind),
        n_terms,
    )
    return LinearScorer(coefficients.reshape(n_terms, n_outputs), intercepts), rows


def twin(scorer: LinearScorer, rows: CSR) -> list[list[float]]:
    """Return the scores, adding one product after the other in Python floats."""
    scores = []
    for begin, end in pairwise(rows.indptr.tolist()):
        row = []
        for output in range(scorer.n_outputs):
            total = None
            for value, column in zip(rows.data[begin:end].tolist(), rows.indices[begin:end].tolist(), strict=True):
                product = value * float(scorer.coefficients[column, output])
                total = product if total is None else total + product
            intercept = float(scorer.intercepts[output])
            row.append(intercept if total is None else total + intercept)
        scores.append(row)
    return scores


def by_kernels(scorer: LinearScorer, rows: CSR, n_jobs: int, rows_a_slice: int = 1 << 12) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear, "FEW_PRODUCTS", -1)
        patch.setattr(linear, "_ROWS_PER_TASK", rows_a_slice)
        return scorer.scores(rows, n_jobs)


def bits(scores: Any) -> bytes:
    return np.asarray(scores, np.float64).tobytes()


@given(cases(), st.integers(1, 4))
def test_numpy_and_kernels_equal_the_twin_to_the_last_bit(case: tuple[LinearScorer, CSR], rows_a_slice: int) -> None:
    scorer, rows = case
    few = scorer.scores(rows)
    assert few.shape == (rows.n_rows, scorer.n_outputs)
    assert few.dtype == np.float64
    assert bits(few) == bits(twin(scorer, rows))
    for n_jobs in (1, 2, 3, -1):
        assert bits(by_kernels(scorer, rows, n_jobs, rows_a_slice)) == bits(few)


@given(cases(), st.data())
def test_scores_do_not_depend_on_batches(case: tuple[LinearScorer, CSR], data: st.DataObject) -> None:
    scorer, rows = case
    cuts = sorted({0, rows.n_rows, *data.draw(st.lists(st.integers(0, rows.n_rows), max_size=4))})
    parts = []
    for first, last in pairwise(cuts):
        begin, end = rows.indptr[first], rows.indptr[last]
        part = CSR(rows.data[begin:end], rows.indices[begin:end], rows.indptr[first : last + 1] - begin, rows.n_columns)
        parts.append(scorer.scores(part) if data.draw(st.booleans()) else by_kernels(scorer, part, 2))
    assert b"".join(map(bits, parts)) == bits(scorer.scores(rows))


@pytest.mark.parametrize("n_outputs", [1, 2, 3, 4, 5, 7, 8, 20, 33])
def test_long_rows_are_added_in_order(n_outputs: int) -> None:
    random = np.random.default_rng(n_outputs)
    n_terms, n_rows = 5000, 40
    sizes = random.integers(0, 800, n_rows)
    columns = np.concatenate([np.sort(random.choice(n_terms, size, replace=False)) for size in sizes])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    rows = CSR(random.normal(size=starts[-1]), columns.astype(np.int32), starts.astype(np.int32), n_terms)
    scorer = LinearScorer(random.normal(size=(n_terms, n_outputs)).astype(np.float32), random.normal(size=n_outputs))
    right = bits(twin(scorer, rows))
    assert bits(scorer.scores(rows)) == right
    assert bits(by_kernels(scorer, rows, 2, 7)) == right


@given(cases())
def test_contributions_are_the_products(case: tuple[LinearScorer, CSR]) -> None:
    scorer, rows = case
    products = scorer.contributions(rows.indices, rows.data)
    assert products.shape == (len(rows.data), scorer.n_outputs)
    for at, (column, value) in enumerate(zip(rows.indices.tolist(), rows.data.tolist(), strict=True)):
        assert products[at].tolist() == [value * float(factor) for factor in scorer.coefficients[column]]


def test_many_products_go_to_the_kernels_and_few_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    ways = []
    monkeypatch.setattr(LinearScorer, "_scores_of_few", lambda self, rows: ways.append("few"))
    monkeypatch.setattr(LinearScorer, "_scores_of_many", lambda self, rows, threads: ways.append("many"))
    monkeypatch.setattr(linear, "FEW_PRODUCTS", 12)
    scorer = LinearScorer(np.zeros((9, 3), np.float32), np.zeros(3))
    for size in (0, 4, 5):
        scorer.scores(CSR(np.ones(size), np.arange(size), np.array([0, size]), 9))
    assert ways == ["few", "few", "many"]


def test_rows_of_another_width_raise() -> None:
    scorer = LinearScorer(np.zeros((3, 2), np.float32), np.zeros(2))
    with pytest.raises(InputError, match="4 columns, but there are 3 terms"):
        scorer.scores(CSR(np.ones(1), np.zeros(1, np.int32), np.array([0, 1]), 4))


def test_rows_without_terms_and_no_rows() -> None:
    nothing = np.zeros(0)
    empty = CSR(nothing, nothing.astype(np.int32), np.zeros(3, np.int32), 0)
    scorer = LinearScorer(np.zeros((0, 2), np.float32), np.array([1.0, -2.0]))
    assert scorer.scores(empty).tolist() == [[1.0, -2.0]] * 2
    assert by_kernels(scorer, empty, 2).tolist() == [[1.0, -2.0]] * 2
    assert scorer.scores(empty._replace(indptr=np.zeros(1, np.int32))).shape == (0, 2)


def test_an_invalid_n_jobs_raises() -> None:
    scorer = LinearScorer(np.zeros((3, 2), np.float32), np.zeros(2))
    rows = CSR(np.ones(1), np.zeros(1, np.int32), np.array([0, 1]), 3)
    with pytest.raises(InputError, match="n_jobs=0"):
        by_kernels(scorer, rows, 0)
