"""The fast method for counts gives the same table as the method class by class, and rejects invalid rows."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse
from tests.reference.stats_cases import Case, cases
from tests.reference.stats_twin import assert_is_twin, twin

from textsieve import ClassStats, InputError
from textsieve.kernels import class_sums, packed_counts
from textsieve.stats import onepass
from textsieve.stats.labels import label_pairs
from textsieve.stats.onepass import run_bounds
from textsieve.stats.table import Table

AROUND_THE_LIMITS = st.sampled_from([0, 1, 1, 1, 2, 3, 62, 63, 64, -1, -63, 1000, (1 << 20) - 1, 1 - (1 << 20)])
KINDS = (np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64, np.bool_)


def fast(case: Case) -> ClassStats | None:
    """Return the table of the fast method, or None if it is not suitable for these documents."""
    rows = case.matrix()
    labels = label_pairs(case.label_sets, len(case.rows))
    matrix = onepass.Matrix(rows.indptr, rows.indices, rows.data, rows.shape[1])
    sums = onepass.sum_counts(matrix, labels)
    if sums is None:
        return None
    sizes = np.diff(labels.class_starts)
    return ClassStats(Table(labels.classes, labels.n_documents, rows.shape[1], sizes, *sums))


def random_documents(n: int, *, n_terms: int = 40, most: int = 70, seed: int = 0) -> NDArray[np.int64]:
    numbers = np.random.default_rng(seed)
    return numbers.integers(1, most, (n, n_terms)) * (numbers.random((n, n_terms)) < 0.3)


def class_by_class(X: Any, y: Any, monkeypatch: pytest.MonkeyPatch) -> ClassStats:
    with monkeypatch.context() as patch:
        patch.setattr(onepass, "is_suitable", lambda *_: False)
        return ClassStats.from_matrix(X, y)


@given(cases(AROUND_THE_LIMITS))
def test_small_and_large_values_equal_the_twin(case: Case) -> None:
    stats = fast(case)
    assert stats is not None
    assert_is_twin(stats, twin(case.rows.tolist(), case.label_sets, case.rows.shape[1]))


@pytest.mark.parametrize("value", [1 << 20, -(1 << 20), 1 << 40, -(1 << 62)])
def test_a_value_too_large_to_list_is_summed_class_by_class(value: int) -> None:
    case = Case(np.array([[1, value, 2], [3, 1, 0]]), [("a",), ("b",)])
    assert fast(case) is None
    expected = twin(case.rows.tolist(), case.label_sets, 3)
    assert_is_twin(ClassStats.from_matrix(case.rows, ["a", "b"]), expected)


def test_many_large_values_are_summed_class_by_class() -> None:
    rows = np.full((60, 40), 64)
    assert fast(Case(rows, [("a",)] * 60)) is None
    assert ClassStats.from_matrix(rows, ["a"] * 60).sums.tolist() == [60 * 64.0] * 40


def test_unsigned_numbers_beyond_int64_stay_positive() -> None:
    stats = ClassStats.from_matrix(sparse.csr_array(np.array([[1 << 63, 1]], np.uint64)), ["a"])
    assert stats.sums.tolist() == [2.0**63, 1.0]


@pytest.mark.parametrize("labels", ["one", "several", "some"])
@pytest.mark.parametrize("most", [1, 3, 1000])
def test_small_groups_and_buffers_give_the_same_table(labels: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    X = sparse.csr_array(random_documents(200))
    numbers = np.random.default_rng(1)
    low, high = {"one": (1, 2), "several": (2, 4), "some": (0, 3)}[labels]
    y = [numbers.choice(5, numbers.integers(low, high), replace=False).tolist() for _ in range(200)]
    expected = class_by_class(X, y, monkeypatch)
    monkeypatch.setattr(packed_counts, "MAX_DOCUMENTS", most)
    monkeypatch.setattr(onepass, "_BUFFER_SIZE", 10 * most)
    monkeypatch.setattr(onepass, "_CELLS_PER_VALUE", 10**6)
    monkeypatch.setattr(onepass, "_sum_by_class", None)
    assert ClassStats.from_matrix(X, y) == expected


@pytest.mark.parametrize("min_values", [0, 1, 10**9])
def test_groups_of_several_classes_give_the_same_table(min_values: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, numbers = random_documents(300, most=64), np.random.default_rng(2)
    rows[::17, 3] = -5
    rows[::31, 5] = (1 << 20) - 1
    X = sparse.csr_array(rows)
    common = [("a", "b"), ("b",), ("a", "b", "c"), (), ("d", "b")]
    y = [common[number] for number in numbers.integers(0, len(common), 290)]
    y += [tuple(numbers.choice(list("abcdef"), numbers.integers(0, 6), replace=False)) for _ in range(10)]
    expected = class_by_class(X, y, monkeypatch)
    groupings: list[onepass.Grouping] = []
    one_table = onepass._sum_in_one_table

    def seen(matrix: Any, labels: Any, grouping: onepass.Grouping) -> Any:
        groupings.append(grouping)
        return one_table(matrix, labels, grouping)

    monkeypatch.setattr(onepass, "_sum_in_one_table", seen)
    monkeypatch.setattr(onepass, "_sum_by_class", None)
    monkeypatch.setattr(onepass, "_MIN_VALUES_PER_CELL", min_values)
    assert ClassStats.from_matrix(X, y) == expected
    (grouping,) = groupings
    n_groups_of_documents = np.diff(grouping.starts)
    n_labels = np.array([max(len(labels), 1) for labels in y])
    if min_values == 10**9:
        assert n_groups_of_documents.tolist() == n_labels.tolist()
    else:  # the sets of the first documents are frequent
        assert (n_groups_of_documents[:290] == 1).all()
        assert (n_groups_of_documents <= n_labels).all()
    if min_values == 0:  # every set has a group
        assert (n_groups_of_documents == 1).all()


def test_packed_fields_do_not_overflow() -> None:
    n = packed_counts.MAX_DOCUMENTS * 2 + 5
    stats = ClassStats.from_matrix(sparse.csr_array(np.full((n, 2), 63)), np.zeros(n, np.int64))
    assert stats.cells.doc_freq.tolist() == [n, n]
    assert stats.cells.sums.value.tolist() == [63.0 * n] * 2
    assert stats.squares.tolist() == [63.0**2 * n] * 2


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("index_kind", [np.int32, np.int64])
def test_any_integer_type_gives_the_same_table(kind: Any, index_kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X = sparse.csr_array(random_documents(50).astype(kind))
    X.indices, X.indptr = X.indices.astype(index_kind), X.indptr.astype(index_kind)
    y = np.arange(50) % 3
    expected = class_by_class(X, y, monkeypatch)
    monkeypatch.setattr(onepass, "_sum_by_class", None)
    assert ClassStats.from_matrix(X, y) == expected


@pytest.mark.slow
def test_kernels_are_compiled_for_the_usual_types_only() -> None:
    y = np.arange(50) % 3
    for kind in (*KINDS, np.float32, np.float64):
        for index_kind in (np.int32, np.int64):
            X = sparse.csr_array(random_documents(50).astype(kind))
            X.indptr, X.indices = X.indptr.astype(index_kind), X.indices.astype(np.int32)
            ClassStats.from_matrix(X, y)
    of_counts: Any = packed_counts.add_rows
    of_weights: Any = class_sums.add_weights
    arrays = [signature[2:5] for signature in of_counts.signatures] + [
        signature[1:4] for signature in of_weights.signatures
    ]
    compiled = {tuple(str(array.dtype) for array in matrix) for matrix in arrays}
    values = {"int32", "int64", "float32", "float64"}
    assert compiled <= {(index, index, value) for index in ("int32", "int64") for value in values}


def test_duplicates_in_a_row_do_not_overflow_their_type() -> None:
    X = sparse.csr_array((np.array([100, 100], np.int8), np.array([0, 0]), np.array([0, 2])), shape=(1, 1))
    assert ClassStats.from_matrix(X, ["a"]).sums.tolist() == [200.0]


@pytest.mark.parametrize("kind", [np.int64, np.float64])
def test_unsorted_rows_are_sorted_in_a_copy(kind: Any) -> None:
    indices, data = np.array([2, 0, 2, 1, 0]), np.array([1, 2, 3, 4, 5], kind)
    X = sparse.csr_array((data, indices, np.array([0, 3, 5])), shape=(2, 3))
    stats = ClassStats.from_matrix(X, ["a", "b"])
    assert stats.sums.tolist() == [7.0, 4.0, 4.0]
    assert stats.doc_freq.tolist() == [2, 1, 1]
    assert X.indices.tolist() == [2, 0, 2, 1, 0]


@pytest.mark.parametrize("kind", [np.int64, np.float64])
@pytest.mark.parametrize(
    ("indptr", "indices"),
    [
        ([0, 2, 4], [0, 3, 0, 1]),
        ([0, 2, 4], [0, 1, -1, 1]),
        ([0, 2, 4], [1, 0, 0, 3]),
        ([0, 2, 9], [0, 1, 0, 1]),
        ([0, 4, 2], [0, 1, 0, 1]),
        ([0, 3, 2, 4], [1, 0, 0, 1]),
        ([0, 9, 4], [0, 1, 0, 1]),
        ([-2, 2, 4], [0, 1, 0, 1]),
    ],
)
def test_an_inconsistent_matrix_raises(kind: Any, indptr: list[int], indices: list[int]) -> None:
    n = len(indptr) - 1
    X = sparse.csr_array((n, 3), dtype=kind)
    X.indptr, X.indices, X.data = np.array(indptr, np.int32), np.array(indices, np.int32), np.ones(4, kind)
    with pytest.raises(InputError, match=r"not sound|not a matrix"):
        ClassStats.from_matrix(X, list("abc"[:n]))


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.int64, np.uint64])
def test_labels_of_any_integer_type(kind: Any) -> None:
    info = np.iinfo(kind)
    least, most = max(int(info.min), -(1 << 63)), int(info.max)
    pairs = label_pairs(np.array([most, least, most - 1, most], kind), 4)
    assert pairs.classes == (least, most - 1, most)
    assert [pairs.of_class(number).tolist() for number in range(3)] == [[1], [2], [0, 3]]
    near = label_pairs(np.array([most, most - 3, most], kind), 3)
    assert near.classes == (most - 3, most)
    assert [near.of_class(number).tolist() for number in range(2)] == [[1], [0, 2]]


# -- after a value that is too large for the fast method -----------------------------------------------------------

LARGE = 1 << 21


def many_of_64(n: int) -> NDArray[np.int64]:
    """Return more values of 64 and above than the fast method can list."""
    return np.full(n, 64)


@pytest.mark.parametrize("first", [np.array([LARGE, 1]), many_of_64(2000)], ids=["a large value", "a full list"])
@pytest.mark.parametrize("columns", [[2, 0], [1, 1], [2, 1, 2]], ids=str)
def test_unsorted_rows_after_an_unsuitable_value_are_sorted(first: NDArray[Any], columns: list[int]) -> None:
    n = max(len(first), 3)
    data = np.concatenate([first, np.arange(3, 3 + len(columns)), [1, 1]])
    indices = np.concatenate([np.arange(len(first)), columns, [0, 1]])
    indptr = np.cumsum([0, len(first), len(columns), 2])
    stats = ClassStats.from_matrix(sparse.csr_array((data, indices, indptr), shape=(3, n)), [0, 1, 0])
    dense = np.zeros((3, n), np.int64)
    np.add.at(dense, (np.repeat([0, 1, 2], np.diff(indptr)), indices), data)
    assert_is_twin(stats, twin(dense.tolist(), [(0,), (1,), (0,)], n))


@pytest.mark.parametrize("columns", [[0, 7], [-1, 1], [0, 10**9], [7, 0]], ids=str)
def test_an_invalid_column_after_a_large_value_raises(columns: list[int]) -> None:
    X = sparse.csr_array((3, 2), dtype=np.int64)
    X.indptr, X.indices = np.array([0, 2, 4, 6], np.int32), np.array([0, 1, *columns, 0, 1], np.int32)
    X.data = np.array([LARGE, 1, 3, 4, 1, 1])
    with pytest.raises(InputError, match="not sound"):
        ClassStats.from_matrix(X, [0, 1, 0])


@pytest.mark.parametrize("indptr", [[0, 2, 9, 6], [0, 4, 2, 6], [0, 2, -1, 6]], ids=str)
def test_an_inconsistent_indptr_after_a_large_value_raises(indptr: list[int]) -> None:
    X = sparse.csr_array((3, 2), dtype=np.int64)
    X.indptr, X.indices = np.array(indptr, np.int32), np.array([0, 1, 0, 1, 0, 1], np.int32)
    X.data = np.array([LARGE, 1, 3, 4, 1, 1])
    with pytest.raises(InputError, match="not sound"):
        ClassStats.from_matrix(X, [0, 1, 0])


# -- in runs -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("labels", ["one", "several", "some", "none"])
@pytest.mark.parametrize("most", [1, 3, 40])
def test_runs_of_documents_give_the_same_to_the_last_bit(
    labels: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = random_documents(200, most=90)
    rows[::17, 3] = -5
    rows[::31, 5] = (1 << 20) - 1
    X, numbers = sparse.csr_array(rows), np.random.default_rng(1)
    low, high = {"one": (1, 2), "several": (2, 4), "some": (0, 3), "none": (0, 1)}[labels]
    y = [numbers.choice(5, numbers.integers(low, high), replace=False).tolist() for _ in range(200)]
    expected = ClassStats.from_matrix(X, y)
    heights: list[int] = []
    one_table = onepass._sum_in_one_table

    def seen(matrix: Any, own: Any, grouping: Any) -> Any:
        heights.append(grouping.n_groups)
        return one_table(matrix, own, grouping)

    monkeypatch.setattr(onepass, "_sum_in_one_table", seen)
    monkeypatch.setattr(onepass, "MAX_CELLS", 40 * 4)
    monkeypatch.setattr(packed_counts, "MAX_DOCUMENTS", most)
    monkeypatch.setattr(onepass, "_sum_by_class", None)
    assert ClassStats.from_matrix(X, y) == expected
    kinds = 11  # of five classes, seen before or not, and none
    assert len(heights) > 1
    assert max(heights) <= max(4, kinds + kinds // 2) + 1


def test_a_large_value_in_a_later_run(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, y = random_documents(60), np.arange(60) % 3
    rows[50, 0] = LARGE
    expected = ClassStats.from_matrix(rows.astype(np.float64), y)
    monkeypatch.setattr(onepass, "MAX_CELLS", 1)
    monkeypatch.setattr(packed_counts, "MAX_DOCUMENTS", 5)
    assert ClassStats.from_matrix(sparse.csr_array(rows), y) == expected


def test_unsorted_rows_in_a_later_run_are_sorted(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = sparse.csr_array(random_documents(60)), np.arange(60) % 3
    expected = ClassStats.from_matrix(X, y)
    last = slice(*X.indptr[-2:])
    X.indices[last], X.data[last] = X.indices[last][::-1].copy(), X.data[last][::-1].copy()
    monkeypatch.setattr(onepass, "MAX_CELLS", 1)
    monkeypatch.setattr(packed_counts, "MAX_DOCUMENTS", 5)
    assert ClassStats.from_matrix(X, y) == expected


def test_runs_cover_all_documents_without_gaps() -> None:
    pairs_before = np.array([0, 1, 2, 5, 6, 16, 17])
    assert run_bounds(pairs_before, 2, 4, 3) == [0, 4, 5, 6]  # a document of ten labels is a run of its own
    assert run_bounds(pairs_before, 2, 4, 100) == [0, 6]
    assert run_bounds(np.array([0]), 0, 4, 3) == [0]
