"""Documents with the label that marks unlabelled documents count in the totals only, in any form of labels."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.reference.stats_cases import Case, any_weights, cases
from tests.reference.stats_twin import assert_is_twin, twin

from textsieve import ClassStats, InputError
from textsieve.stats.labels import label_pairs, without_class

NAN = float("nan")
ROWS = [[1, 0, 2], [0, 1, 1], [3, 0, 0], [0, 2, 1], [0, 0, 5], [7, 0, 0]]


def objects(*labels: Any) -> Any:
    array = np.empty(len(labels), object)
    array[:] = labels
    return array


class Series:
    """A stand-in for a pandas Series, which stores None as NaN."""

    ndim, shape = 1, (6,)

    def __init__(self, *values: Any) -> None:
        self._values = objects(*values)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self._values

    def __iter__(self) -> Any:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


NUMBERS: list[tuple[Any, ...]] = [(0,), (), (2,), (), (0,), ()]
TEXTS: list[tuple[Any, ...]] = [("b",), (), ("a",), (), ("b",), ()]
SEVERAL: list[tuple[Any, ...]] = [("b", "a"), (), ("a",), ("c",), (), ("b",)]
NUMBER_SETS: list[tuple[Any, ...]] = [(3, 1), (), (1,), (2,), (), (3,)]

FORMS: dict[str, tuple[Any, Any, list[tuple[Any, ...]]]] = {
    "numbers": (-1, [0, -1, 2, -1, 0, -1], NUMBERS),
    "array of numbers": (-1, np.array([0, -1, 2, -1, 0, -1]), NUMBERS),
    "array of small numbers": (-1, np.array([0, -1, 2, -1, 0, -1], np.int8), NUMBERS),
    "a column of numbers": (-1, np.array([[0], [-1], [2], [-1], [0], [-1]]), NUMBERS),
    "array of floats": (-1, np.array([0, -1, 2, NAN, 0, -1.0]), [(0.0,), (), (2.0,), (), (0.0,), ()]),
    "array of short floats": (-1, np.array([0, -1, 2, NAN, 0, -1], np.float32), [(0.0,), (), (2.0,), (), (0.0,), ()]),
    "array of objects": (-1, objects(0, -1, 2, None, 0, NAN), NUMBERS),
    "numbers with None and NaN": (-1, [0, None, 2, NAN, 0, -1], NUMBERS),
    "numbers of numpy": (-1, [np.int64(0), np.int8(-1), 2, np.float64(NAN), 0, np.float32(-1)], NUMBERS),
    "numbers without a sign": (3, np.array([0, 3, 2, 3, 0, 3], np.uint64), NUMBERS),
    "a number that is not there": (9, [0, None, 2, NAN, 0, None], NUMBERS),
    "a float that is a whole number": (-1.0, [0, -1, 2, -1, 0, -1], NUMBERS),
    "a number of numpy": (np.int64(-1), [0, -1, 2, -1, 0, -1], NUMBERS),
    "NaN alone": (NAN, [0, NAN, 2, np.nan, 0, None], NUMBERS),
    "texts and -1": (-1, ["b", -1, "a", -1, "b", -1], TEXTS),
    "texts and all ways to have none": (-1, ["b", -1, "a", None, "b", ""], TEXTS),
    "array of texts": (-1, np.array(["b", "", "a", "", "b", ""]), TEXTS),
    "texts and NaN": (-1, objects("b", NAN, "a", None, "b", -1), TEXTS),
    "a column as of pandas": (-1, Series("b", NAN, "a", NAN, "b", NAN), TEXTS),
    "a column of polars": (-1, pl.Series(["b", None, "a", None, "b", ""]), TEXTS),
    "a column of numbers of polars": (-1, pl.Series([0, -1, 2, None, 0, -1]), NUMBERS),
    "a text": ("spam", ["b", "spam", "a", "spam", "b", "spam"], TEXTS),
    "a text in an array": ("spam", np.array(["b", "spam", "a", "", "b", "spam"]), TEXTS),
    "an empty text": ("", ["b", "", "a", None, "b", ""], TEXTS),
    "truth values": (-1, [True, -1, False, None, True, NAN], [(True,), (), (False,), (), (True,), ()]),
    "one label in lists": (-1, [["b"], [-1], ["a"], [None], ["b"], []], TEXTS),
    "lists": (-1, [["b", "a"], [-1], ["a"], ["c", -1], [NAN], "b"], SEVERAL),
    "sets": (-1, [{"b", "a"}, {-1}, {"a"}, frozenset(["c", -1]), set(), {"b"}], SEVERAL),
    "tuples": (-1, [("b", "a"), (-1,), ("a",), ("c", -1), (), ("b", None)], SEVERAL),
    "arrays": (-1, [np.array([3, 1]), np.array([-1]), np.array([1]), [2, -1], np.array([-1]), [3]], NUMBER_SETS),
    "array of lists": (-1, objects([3, 1], [-1], [1], [2, NAN], None, [3]), NUMBER_SETS),
    "keys": (-1, [{3: 0, 1: 0}.keys(), {-1: 0}.keys(), [1], (2, -1), [], {3}], NUMBER_SETS),
    "a text in lists": ("none", [["b", "a"], ["none"], ["a"], ["c", "none"], [], ["b"]], SEVERAL),
    "all of them": (-1, np.full(6, -1), [()] * 6),
    "no labels": (-1, None, [()] * 6),
}


@pytest.mark.parametrize("form", FORMS)
def test_any_form_of_labels(form: str) -> None:
    unlabelled, y, label_sets = FORMS[form]
    expected = twin(ROWS, label_sets, 3)
    assert_is_twin(ClassStats.from_matrix(ROWS, y, unlabelled=unlabelled), expected)
    assert_is_twin(ClassStats.zero(3).update(ROWS, y, unlabelled=unlabelled), expected)
    pairs = label_pairs(y, 6, unlabelled)
    assert pairs.unlabelled().tolist() == [at for at, labels in enumerate(label_sets) if not labels]


INDICATOR = np.array([[1, 0, 1], [0, 0, 0], [1, 0, 0], [0, 1, 1], [0, 0, 0], [0, 0, 1]])


class Frame:
    """A stand-in for a pandas DataFrame."""

    columns, shape, ndim = ("x", "none", "y"), (6, 3), 2

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return INDICATOR


@pytest.mark.parametrize("form", [np.array, sparse.csr_array, lambda matrix: matrix.tolist(), np.float64])
def test_a_row_of_zeros_has_no_label_and_columns_are_classes(form: Any) -> None:
    sets = [(0, 2), (), (0,), (1, 2), (), (2,)]
    assert_is_twin(ClassStats.from_matrix(ROWS, form(INDICATOR), unlabelled=-1), twin(ROWS, sets, 3))
    without = ClassStats.from_matrix(ROWS, form(INDICATOR), unlabelled=1)
    assert_is_twin(without, twin(ROWS, [tuple(label for label in labels if label != 1) for labels in sets], 3))
    assert without == ClassStats.from_matrix(ROWS, form(INDICATOR)).without_class(1)


def test_an_indicator_column_that_marks_unlabelled_documents() -> None:
    stats = ClassStats.from_matrix(ROWS, Frame(), unlabelled="none")
    assert_is_twin(stats, twin(ROWS, [("x", "y"), (), ("x",), ("y",), (), ("y",)], 3))
    with pytest.raises(InputError, match="holds 0 and 1, but there is -1"):
        ClassStats.from_matrix(ROWS, INDICATOR - 1, unlabelled=-1)


def test_minus_one_is_a_class_by_default() -> None:
    labels = [0, -1, 2, -1, 0, -1]
    assert ClassStats.from_matrix(ROWS, labels).classes == (-1, 0, 2)
    assert ClassStats.from_matrix(ROWS, np.array(labels), unlabelled=None).classes == (-1, 0, 2)
    with pytest.raises(InputError, match=r"mixed kinds: document 0 has the text 'a', document 1 has the int -1"):
        ClassStats.from_matrix(ROWS, ["a", -1, "b", "b", "a", "a"])


@pytest.mark.parametrize("unlabelled", [[-1], (-1, None), {-1}, {"a": 1}, np.array([1, 2]), 1j, np.complex128(1), b"a"])
def test_invalid_markers_for_unlabelled_raise(unlabelled: Any) -> None:
    for y in ([0, 1, 2, 0, 1, 2], np.arange(6), ["a", "b", "c", "a", "b", "c"], None, INDICATOR):
        with pytest.raises(InputError, match=r"unlabelled=.*text or a number, or None"):
            ClassStats.from_matrix(ROWS, y, unlabelled=unlabelled)
    with pytest.raises(InputError, match="unlabelled="):
        ClassStats.from_matrix(ROWS, np.arange(6)).without_class(unlabelled)


def test_invalid_labels_raise_with_a_marker_too() -> None:
    for y, words in (
        (["a", 3, -1, "a", "a", "a"], "document 0 has the text 'a', document 1 has the int 3"),
        (["a", b"x", -1, "a", "a", "a"], r"document 1 is b'x' \(bytes\)"),
        (["a", {"b": 1}, -1, "a", "a", "a"], r"document 1 is \{'b': 1\} \(dict\)"),
        ([1j, -1, -1, -1, -1, -1], r"document 0 is 1j \(complex\)"),
        ([0, -1], "6 documents but 2 labels"),
        (np.array([0, -1]), "6 documents but 2 labels"),
        ("-1-1-1", "y is '-1-1-1'"),
    ):
        with pytest.raises(InputError, match=words):
            ClassStats.from_matrix(ROWS, y, unlabelled=-1)


@given(cases(any_weights, n_labels=(0, 3)), st.sampled_from(["a", "b", "c", "d"]))
def test_removing_a_class_from_the_table_or_the_labels_agrees(case: Case, label: str) -> None:
    """Removing a class from the table, from the pairs, or by `unlabelled` gives the same table."""
    stats = ClassStats.from_matrix(case.matrix(), case.label_sets)
    before = stats.to_bytes()
    others = [tuple(other for other in labels if other != label) for labels in case.label_sets]
    expected = ClassStats.from_matrix(case.matrix(), others)
    assert stats.without_class(label).classes == expected.classes
    named = ClassStats.from_matrix(case.matrix(), case.label_sets, unlabelled=label)
    assert named == expected
    removed = stats.without_class(label)
    assert removed.n_documents == len(case.rows)
    assert removed.n_pairs == expected.n_pairs == sum(map(len, others))
    np.testing.assert_array_equal(removed.doc_freq, expected.doc_freq)
    for number in range(len(expected.classes)):
        np.testing.assert_array_equal(removed.class_doc_freq(number), expected.class_doc_freq(number))
        np.testing.assert_array_equal(removed.class_sums(number), expected.class_sums(number))
    assert stats.to_bytes() == before, "the table itself stays as it was"
    assert ClassStats.from_bytes(removed.to_bytes()) == removed


def test_removing_a_class_removes_all_its_cells() -> None:
    """Remove the first, the last and a middle class, one without documents, and one whose documents have no terms."""
    rows = [[1, 0, 2], [0, 1, 1], [0, 0, 0], [0, 2, 1], [3, 0, 5]]
    indicator = np.array([[1, 0, 0, 1], [0, 0, 0, 1], [0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 1]])
    for label in range(4):
        left = [other for other in range(4) if other != label]
        pairs = without_class(label_pairs(indicator, 5), label)
        assert pairs.classes == tuple(left)
        assert [pairs.of_class(at).tolist() for at in range(3)] == [
            np.flatnonzero(indicator[:, other]).tolist() for other in left
        ]
        stats = ClassStats.from_matrix(rows, indicator).without_class(label)
        assert stats.class_docs.tolist() == indicator[:, left].sum(axis=0).tolist()
        assert stats.sums.tolist() == np.sum(rows, axis=0).tolist()
        assert stats.squares.tolist() == np.sum(np.square(rows), axis=0).tolist()
        for at, other in enumerate(left):
            of_class = np.array(rows)[indicator[:, other] == 1]
            assert stats.class_sums(at).tolist() == of_class.sum(axis=0).tolist()


def test_updates_with_and_without_labels() -> None:
    """A first batch of unlabelled documents does not determine the type of the labels."""
    stats = ClassStats()
    stats.update(ROWS[:2], [-1, -1], unlabelled=-1)
    stats.update(ROWS[2:4], ["b", -1], unlabelled=-1)
    stats.update(ROWS[4:], [NAN, "a"], unlabelled=-1)
    assert_is_twin(stats, twin(ROWS, [(), (), ("b",), (), (), ("a",)], 3))
    before = stats.to_bytes()
    with pytest.raises(InputError, match="mixed kinds"):
        stats.update(ROWS[:2], [-1, 4], unlabelled=-1)
    assert stats.to_bytes() == before
