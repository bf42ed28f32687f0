"""CSR arrays convert to and from scipy matrices, which are copied only if columns are out of order or repeated."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_matrix

from textsieve.arrays import CSR

dense_tables = st.tuples(st.integers(0, 5), st.integers(1, 5)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.sampled_from([0.0, 0.0, 1.0, -2.5]))
)


@given(dense_tables)
def test_a_matrix_converts_to_csr_and_back_without_copying(table: Any) -> None:
    matrix = csr_matrix(table)
    rows = CSR.of(matrix)
    assert (rows.n_rows, rows.n_columns) == table.shape
    assert rows.sizes.tolist() == (table != 0).sum(axis=1).tolist()
    again = rows.matrix()
    assert isinstance(again, csr_matrix)
    assert again.has_canonical_format
    assert np.array_equal(again.toarray(), table)
    assert np.shares_memory(rows.data, matrix.data) or not matrix.nnz


def test_unsorted_and_repeated_columns_are_sorted_and_summed() -> None:
    matrix = csr_matrix((np.array([1, 4, 2, 1, 1]), np.array([2, 0, 2, 1, 1]), np.array([0, 3, 5])), shape=(2, 3))
    rows = CSR.of(matrix)
    assert rows.indices.tolist() == [0, 2, 1]
    assert rows.data.tolist() == [4, 3, 2]
    assert rows.indptr.tolist() == [0, 2, 3]
    assert matrix.indices.tolist() == [2, 0, 2, 1, 1]


def test_is_zero_marks_rows_without_nonzero_values() -> None:
    rows = CSR(np.array([0.0, 1.0, 0.0, 0.0]), np.array([0, 1, 0, 2]), np.array([0, 0, 2, 4]), 3)
    assert rows.is_zero.tolist() == [True, False, True]
    assert CSR(np.zeros(0), np.zeros(0, int), np.zeros(1, int), 3).is_zero.tolist() == []
