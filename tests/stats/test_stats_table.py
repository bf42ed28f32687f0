"""The table equals a slow twin in exact fractions, for any form of matrix and labels."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.reference.stats_cases import Case, any_weights, cancelling, cases, counts, near_a_million
from tests.reference.stats_twin import assert_is_twin, contingency, contingency_twin, exact_sums, twin

from textsieve import ClassStats, InputError


def expected_of(case: Case) -> Any:
    return twin(case.rows.tolist(), case.label_sets, case.rows.shape[1])


@given(cases())
def test_counts_are_exact(case: Case) -> None:
    assert_is_twin(ClassStats.from_matrix(case.matrix(), case.label_sets), expected_of(case))


@pytest.mark.parametrize("values", [any_weights, near_a_million], ids=["any", "near a million"])
@given(st.data())
def test_weights_keep_thirty_digits(values: st.SearchStrategy[float], data: st.DataObject) -> None:
    case = data.draw(cases(values))
    stats = ClassStats.from_matrix(case.matrix(), case.label_sets)
    expected = expected_of(case)
    assert stats.doc_freq.tolist() == expected.doc_freq
    for sums, exact in ((stats.precise_sums, expected.sums), (stats.precise_squares, expected.squares)):
        for value, exact_value in zip(exact_sums(sums), exact, strict=True):
            assert abs(value - exact_value) <= 1e-12 * 2.0**-53 * abs(exact_value) + 1e-30 * 8e5


@given(cases(cancelling))
def test_sums_and_squares_are_arrays_of_the_rounded_precise_sums(case: Case) -> None:
    stats = ClassStats.from_matrix(case.matrix(), case.label_sets)
    for rounded, precise in ((stats.sums, stats.precise_sums), (stats.squares, stats.precise_squares)):
        assert isinstance(rounded, np.ndarray)
        assert (rounded.dtype.name, rounded.shape) == ("float64", (stats.n_terms,))
        assert rounded.tolist() == precise.value.tolist() == [float(exact) for exact in exact_sums(precise)]


@given(cases(cancelling))
def test_sums_that_cancel_keep_what_is_left(case: Case) -> None:
    assert_is_twin(ClassStats.from_matrix(case.matrix(), case.label_sets), expected_of(case), relative=1e-12)


@pytest.mark.parametrize("kind", [np.bool_, np.int8, np.uint8, np.int32, np.int64, np.uint64, np.float32, np.float64])
@pytest.mark.parametrize("index_kind", [np.int32, np.int64])
def test_any_kind_of_number(kind: type, index_kind: type) -> None:
    rows: Any = np.array([[1, 0, 2, 0], [0, 0, 3, 0], [1, 1, 0, 0], [0, 0, 0, 0]]).astype(kind)
    matrix = sparse.csr_array(rows)
    matrix.indices, matrix.indptr = matrix.indices.astype(index_kind), matrix.indptr.astype(index_kind)
    labels = [("x",), ("y",), ("x", "y"), ()]
    stats = ClassStats.from_matrix(matrix, labels)
    assert_is_twin(stats, twin(rows.astype(float).tolist(), labels, 4))
    kinds = [array.dtype for array in (stats.class_docs, stats.doc_freq, stats.cells.terms, stats.cells.doc_freq)]
    assert kinds == [np.int64] * 4


@pytest.mark.parametrize(
    "form",
    [np.asarray, np.ndarray.tolist, sparse.csr_matrix, sparse.csc_matrix, sparse.coo_array, sparse.lil_array],
)
def test_any_form_of_matrix(form: Any) -> None:
    rows = np.array([[1.0, 0.0, 2.5], [0.0, 0.0, -1.0]])
    assert_is_twin(ClassStats.from_matrix(form(rows), ["b", "a"]), twin(rows.tolist(), [("b",), ("a",)], 3))


def test_read_only_memory_is_enough() -> None:
    matrix = sparse.csr_array(np.array([[1.0, 2.0], [0.0, 3.0]]))
    for array in (matrix.data, matrix.indices, matrix.indptr):
        array.setflags(write=False)
    assert ClassStats.from_matrix(matrix, ["a", "b"]).sums.tolist() == [1.0, 5.0]


def test_duplicate_entries_are_added_and_stored_zeros_do_not_count() -> None:
    # Row 0: column 1 twice (1 + 2), column 0 twice with sum 0; row 1: an explicit 0; columns out of order.
    matrix = sparse.csr_array(
        (np.array([2, 5, 1, -5, 0, 7]), np.array([1, 0, 1, 0, 2, 1]), np.array([0, 4, 6])), shape=(2, 3)
    )
    before = matrix.copy()
    stats = ClassStats.from_matrix(matrix, ["a", "b"])
    assert_is_twin(stats, twin([[0, 3, 0], [0, 7, 0]], [("a",), ("b",)], 3))
    assert matrix.indices.tolist() == before.indices.tolist()
    assert matrix.data.tolist() == before.data.tolist()


@pytest.mark.parametrize("value", [2**31, 2**32 + 1, 3_037_000_500, 2**53])
@pytest.mark.parametrize("sign", [1, -1])
def test_squares_beyond_64_bits(value: int, sign: int) -> None:
    rows = [[sign * value, 1], [sign * value, 0], [sign * (value - 1), 1]]
    stats = ClassStats.from_matrix(np.array(rows, np.int64), ["a", "b", "a"])
    assert_is_twin(stats, twin(rows, [("a",), ("b",), ("a",)], 2), relative=2.0**-104)


def test_many_sums_beyond_53_bits() -> None:
    rows = np.full((1000, 1), 2**25 + 1, np.int64)
    stats = ClassStats.from_matrix(rows, ["a", "b"] * 500)
    assert exact_sums(stats.precise_squares) == [1000 * (2**25 + 1) ** 2]


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (1, 1)])
def test_matrices_without_documents_or_terms(shape: tuple[int, int]) -> None:
    stats = ClassStats.from_matrix(np.zeros(shape), ["a"] * shape[0])
    labels = [("a",)] * shape[0]
    assert_is_twin(stats, twin(np.zeros(shape).tolist(), labels, shape[1]))
    assert stats.cells.terms.size == 0


@pytest.mark.parametrize("n_terms", [7, 8, 9, 64, 65])
def test_the_last_term_of_any_width_is_seen(n_terms: int) -> None:
    rows = np.zeros((2, n_terms), np.int64)
    rows[1, -1] = 1
    assert ClassStats.from_matrix(rows, ["a", "b"]).class_doc_freq(1).tolist() == rows[1].tolist()


@given(cases(n_labels=(0, 3)))
def test_contingency_counts_pairs_one_by_one(case: Case) -> None:
    stats = ClassStats.from_matrix(case.matrix(), case.label_sets)
    for number, of_class in enumerate(contingency_twin(case.rows.tolist(), case.label_sets)):
        four_counts = contingency(stats, number)
        assert list(zip(*(counts.tolist() for counts in four_counts), strict=True)) == of_class
        assert (np.sum(four_counts, axis=0) == stats.n_pairs).all()
        assert all((counts >= 0).all() for counts in four_counts)


@given(cases(counts), st.data())
def test_take_is_the_table_of_those_columns(case: Case, data: st.DataObject) -> None:
    n_terms = case.rows.shape[1]
    columns = data.draw(st.lists(st.integers(0, n_terms - 1), unique=True))
    stats = ClassStats.from_matrix(case.matrix(), case.label_sets)
    taken = stats.take(columns)
    assert taken.to_bytes() == ClassStats.from_matrix(case.matrix()[:, columns], case.label_sets).to_bytes()
    assert (
        taken.to_bytes() == stats.take(np.array(columns, np.int32)).to_bytes() == stats.take(iter(columns)).to_bytes()
    )


@pytest.mark.parametrize(
    "columns", [[0, 0], [1, 2, 1], [3], [-1], [-1, 0], np.array([True, False, True]), [0.0, 1.0], ["a"]]
)
def test_take_raises_for_invalid_columns(columns: Any) -> None:
    with pytest.raises(InputError, match=r"columns=.*from 0 to 2, none twice"):
        ClassStats.from_matrix(np.eye(3), ["a", "b", "a"]).take(columns)


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        (np.ones(3), "1 dimension"),
        (np.ones((2, 2, 2)), "not a matrix"),
        (np.array([["a", "b"]]), "not a matrix of numbers"),
        (np.array([[None, 1]]), "not a matrix of numbers"),
        (np.array([[1j, 1]]), "complex128"),
        (np.array([[1, 2]], np.longdouble), np.longdouble(1).dtype.name),
        (np.array([[1, np.nan]]), "NaN"),
        (sparse.csr_array(np.array([[1, np.inf]])), "infinite"),
        (np.array([[1, 1e200]]), "squares"),
        (np.array([[1, np.nan]], np.float32), "NaN"),
    ],
)
def test_invalid_matrices_raise(matrix: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        ClassStats.from_matrix(matrix)


def test_repr_shows_the_sizes() -> None:
    stats = ClassStats.from_matrix(np.ones((1200, 2)), ["a", "b"] * 600)
    assert repr(stats) == "ClassStats(1,200 documents, 2 terms, 2 classes)"


@pytest.mark.parametrize("values", [counts, any_weights, cancelling], ids=["counts", "any", "cancelling"])
@given(st.data())
def test_sums_outside_a_class_are_those_of_the_other_documents(
    values: st.SearchStrategy[float], data: st.DataObject
) -> None:
    """The result is rounded only once, as if only the other documents had been added."""
    case = data.draw(cases(values))
    stats = ClassStats.from_matrix(case.matrix(), case.label_sets)
    for number, label in enumerate(stats.classes):
        others = case.part([at for at, labels in enumerate(case.label_sets) if label not in labels])
        expected = ClassStats.from_matrix(others.matrix(), [()] * len(others.label_sets))
        largest = np.abs(case.rows).max(initial=0.0)
        assert stats.sums_outside(number) == pytest.approx(expected.sums, rel=1e-15, abs=1e-27 * largest)
        assert not stats.sums_outside(number)[expected.doc_freq == 0].any()


def test_statistics_of_no_documents_are_empty_and_change_nothing() -> None:
    none = ClassStats.zero(3)
    assert (none.n_documents, none.n_terms, none.classes) == (0, 3, ())
    assert [len(none.class_docs), none.n_pairs] == [0, 0]
    assert ClassStats.from_bytes(none.to_bytes()).n_terms == 3
    some = ClassStats.from_matrix(np.array([[1.0, 0, 2], [0, 1, 0]]), ["a", "b"])
    for merged in (none.merge(some), some.merge(none)):
        assert merged.to_bytes() == some.to_bytes()
