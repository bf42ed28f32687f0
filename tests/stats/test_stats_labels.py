"""Labels in any common form give the same table; invalid labels raise an error with a clear message."""

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.reference.stats_twin import assert_is_twin, twin

from textsieve import ClassStats, InputError
from textsieve.stats.labels import label_pairs, validate_label_pairs, validate_labels

ROWS = [[1, 0, 2], [0, 1, 1], [3, 0, 0], [0, 2, 1], [0, 0, 0]]


def objects(*labels: Any) -> Any:
    array = np.empty(len(labels), object)
    array[:] = labels
    return array


def masked(labels: Any, *documents: int) -> Any:
    array = np.ma.array(labels)
    array[list(documents)] = np.ma.masked
    return array


TEXTS = [("b",), ("a",), ("b",), ("c",), ("a",)]
NUMBERS = [(10,), (-3,), (10,), (7,), (-3,)]
SEVERAL = [("b", "a"), (), ("b",), ("c", "a", "b"), ("a",)]
SOME = [("b",), (), ("b",), (), ("a",)]
SOME_NUMBERS = [(1,), (), (0,), (), (1,)]
ALL_UNLABELLED: list[tuple[Any, ...]] = [()] * 5
SETS_OF_NUMBERS = [(0, 2), (), (0,), (1, 2), (2,)]
INDICATOR = np.array([[1, 0, 1], [0, 0, 0], [1, 0, 0], [0, 1, 1], [0, 0, 1]])

FORMS: dict[str, tuple[Any, list[tuple[Any, ...]]]] = {
    "texts": (["b", "a", "b", "c", "a"], TEXTS),
    "tuple of texts": (("b", "a", "b", "c", "a"), TEXTS),
    "array of texts": (np.array(["b", "a", "b", "c", "a"]), TEXTS),
    "texts one by one": ((label for label in "babca"), TEXTS),
    "objects": (objects("b", "a", "b", "c", "a"), TEXTS),
    "a column of texts": (np.array([["b"], ["a"], ["b"], ["c"], ["a"]]), TEXTS),
    "numpy texts": ([np.str_("b"), "a", np.str_("b"), "c", "a"], TEXTS),
    "numbers": ([10, -3, 10, 7, -3], NUMBERS),
    "array of numbers": (np.array([10, -3, 10, 7, -3]), NUMBERS),
    "array of small numbers": (np.array([10, -3, 10, 7, -3], np.int8), NUMBERS),
    "a column of numbers": (np.array([[10], [-3], [10], [7], [-3]]), NUMBERS),
    "numpy numbers": ([np.int64(10), np.int32(-3), 10, 7, -3], NUMBERS),
    "large numbers": (np.array([2**64 - 1, 0, 0, 1, 1], np.uint64), [(2**64 - 1,), (0,), (0,), (1,), (1,)]),
    "truth values": (np.array([True, False, True, True, False]), [(True,), (False,), (True,), (True,), (False,)]),
    "floats": (np.array([0.5, 1.0, 0.5, 2.0, 1.0]), [(0.5,), (1.0,), (0.5,), (2.0,), (1.0,)]),
    "lists": ([["b", "a"], [], ["b"], ["c", "a", "b"], ["a"]], SEVERAL),
    "lists with repeats": ([["b", "a", "b"], [], ["b", "b"], ["c", "a", "b"], ["a"]], SEVERAL),
    "tuples": ([("b", "a"), (), ("b",), ("c", "a", "b"), ("a",)], SEVERAL),
    "sets": ([{"b", "a"}, set(), frozenset("b"), {"c", "a", "b"}, {"a"}], SEVERAL),
    "arrays": ([np.array(["b", "a"]), np.array([]), np.array(["b"]), ["c", "a", "b"], {"a"}], SEVERAL),
    "objects that are lists": (objects(["b", "a"], [], ["b"], ["c", "a", "b"], ["a"]), SEVERAL),
    "lists and single labels": ([["b", "a"], None, "b", ["c", "a", "b"], "a"], SEVERAL),
    "lists with nothing in them": ([["b", "a"], [None, ""], ["b", ""], ["c", "a", "b"], ["a", None]], SEVERAL),
    "None where there is no label": (["b", None, "b", None, "a"], SOME),
    "empty texts": (["b", "", "b", "", "a"], SOME),
    "array with empty texts": (np.array(["b", "", "b", "", "a"]), SOME),
    "all ways to have none": (["b", "", "b", None, "a"], SOME),
    "NaN where there is no label": (["b", float("nan"), "b", np.nan, "a"], SOME),
    "NaN in an array of objects": (objects("b", np.nan, "b", np.float32("nan"), "a"), SOME),
    "NaN in an array of floats": (np.array([1.0, np.nan, 0.0, np.nan, 1.0]), [(1.0,), (), (0.0,), (), (1.0,)]),
    "NaN in a list of labels": ([["b"], [np.nan], ["b", np.nan], [], ["a"]], SOME),
    "NaN instead of a list of labels": ([["b"], np.nan, ["b"], [], ["a"]], SOME),
    "NaN among rows of 0 and 1": ([[1, 0], np.nan, [1, 1], None, [1, 0]], [(0,), (), (0, 1), (), (0,)]),
    "NA of pandas": (["b", pd.NA, "b", pd.NaT, "a"], SOME),
    "a column of texts of pandas": (pd.Series(["b", None, "b", pd.NA, "a"]), SOME),
    "a column of strings of pandas": (pd.Series(["b", None, "b", pd.NA, "a"], dtype="string"), SOME),
    "a column of categories of pandas": (pd.Series(["b", None, "b", pd.NA, "a"], dtype="category"), SOME),
    "a column of whole numbers of pandas": (pd.Series([1, None, 0, pd.NA, 1], dtype="Int64"), SOME_NUMBERS),
    "a column of floats of pandas": (pd.Series([1, None, 0, np.nan, 1]), [(1.0,), (), (0.0,), (), (1.0,)]),
    "a frame of one column of pandas": (pd.DataFrame({"label": ["b", None, "b", pd.NA, "a"]}), SOME),
    "an array of pyarrow": (pa.array(["b", None, "b", "", "a"]), SOME),
    "a column of pyarrow": (pa.chunked_array([["b", None], ["b", "", "a"]]), SOME),
    "lists of pyarrow": (pa.array([["b"], None, ["b"], [], ["a"]]), SOME),
    "a column of polars": (pl.Series(["b", None, "b", None, "a"]), SOME),
    "-1 is a label": ([1, -1, 0, -1, 1], [(1,), (-1,), (0,), (-1,), (1,)]),
    "-1 in an array is a label": (np.array([1, -1, 0, -1, 1]), [(1,), (-1,), (0,), (-1,), (1,)]),
    "numpy -1": ([1, np.int64(-1), 0, None, 1], [(1,), (-1,), (0,), (), (1,)]),
    "lists of 0 and 1 are an indicator": ([[1, 0], [0, 1], [1, 1], [0, 0], [1, 0]], [(0,), (1,), (0, 1), (), (0,)]),
    "any other lists are lists of labels": ([[1, 0], [0, 1], [1, 2], [], [0]], [(1, 0), (0, 1), (1, 2), (), (0,)]),
    "a collection of another kind": ([{"b": 1}.keys(), [], ("a",), None, "b"], [("b",), (), ("a",), (), ("b",)]),
    "-1 in a list is a label": ([[1], [-1], [0], [], [1]], [(1,), (-1,), (0,), (), (1,)]),
    "nobody": ([None] * 5, ALL_UNLABELLED),
    "no labels": (None, ALL_UNLABELLED),
    "a matrix of no classes": (np.zeros((5, 0)), ALL_UNLABELLED),
    "lists of numbers": ([[0, 2], [], [0], [1, 2], [2]], SETS_OF_NUMBERS),
    "indicator": (INDICATOR, SETS_OF_NUMBERS),
    "indicator of truth values": (INDICATOR.astype(bool), SETS_OF_NUMBERS),
    "indicator of floats": (INDICATOR.astype(float), SETS_OF_NUMBERS),
    "sparse indicator": (sparse.csr_array(INDICATOR), SETS_OF_NUMBERS),
    "sparse indicator by columns": (sparse.csc_matrix(INDICATOR), SETS_OF_NUMBERS),
    "masked numbers": (masked([1, 10**6, 0, -(10**6), 1], 1, 3), SOME_NUMBERS),
    "masked numbers, all near": (masked([1, 7, 0, 9, 1], 1, 3), SOME_NUMBERS),
    "masked small numbers": (masked(np.array([1, 255, 0, 255, 1], np.uint8), 1, 3), SOME_NUMBERS),
    "masked floats": (
        masked([1.0, np.nan, 0.0, 9.5, 1.0], 1, 3),
        [(1.0,), (), (0.0,), (), (1.0,)],
    ),
    "masked truth values": (
        masked([True, True, False, False, True], 1, 3),
        [(True,), (), (False,), (), (True,)],
    ),
    "masked texts": (masked(["b", "x", "b", "y", "a"], 1, 3), SOME),
    "masked objects": (masked(objects("b", 5, "b", 1j, "a"), 1, 3), SOME),
    "a masked column": (masked([[1], [9], [0], [9], [1]], 1, 3), SOME_NUMBERS),
    "a list of what a masked array holds": (list(masked([1, 9, 0, 9, 1], 1, 3)), SOME_NUMBERS),
    "lists, masked in part": ([masked([1, 9], 1), None, [0], [], [1]], SOME_NUMBERS),
    "a mask that masks nothing": (np.ma.array([10, -3, 10, 7, -3]), NUMBERS),
    "everything masked": (np.ma.array([10, -3, 10, 7, -3], mask=True), ALL_UNLABELLED),
    "masked indicator": (
        masked(INDICATOR | [[0], [1], [0], [0], [0]], 1),
        SETS_OF_NUMBERS,
    ),
    "rows of 0 and 1, and None": ([[1, 0], [0, 1], None, (1, 1), None], [(0,), (1,), (), (0, 1), ()]),
    "rows of 0 and 1, and of None": ([[1, 0], [0, 1], [None, None], [1, 1], [0, 0]], [(0,), (1,), (), (0, 1), ()]),
    "lists of 0 and 1, and an empty one": ([[1, 0], [0, 1], [], None, [0, 1]], [(0, 1), (0, 1), (), (), (0, 1)]),
    "lists of 0, 1 and others": ([[1, 0], [0, 1], None, [0, -1], [2, 3]], [(0, 1), (0, 1), (), (0, -1), (2, 3)]),
    "sparse indicator of truth values": (sparse.coo_array(INDICATOR.astype(bool)), SETS_OF_NUMBERS),
}


@pytest.mark.parametrize("form", FORMS)
def test_any_form_of_labels(form: str) -> None:
    y, label_sets = FORMS[form]
    assert_is_twin(ClassStats.from_matrix(ROWS, y), twin(ROWS, label_sets, 3))


class OnlyAnArray:
    """An object that is not iterable but can be converted to an array."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self._array, dtype)


class Frame(OnlyAnArray):
    """A data frame: iterating over it gives the names of its columns, not its rows."""

    shape = INDICATOR.shape

    def __iter__(self) -> Any:
        return iter(["x", "y", "z"])


@pytest.mark.parametrize("y", [OnlyAnArray(INDICATOR), Frame(INDICATOR)])
def test_objects_that_convert_to_an_array(y: Any) -> None:
    assert_is_twin(ClassStats.from_matrix(ROWS, y), twin(ROWS, SETS_OF_NUMBERS, 3))


def test_a_class_without_documents_is_still_a_class_of_the_matrix() -> None:
    stats = ClassStats.from_matrix(ROWS, INDICATOR * [1, 0, 1])
    assert stats.classes == (0, 1, 2)
    assert stats.class_docs.tolist() == [2, 0, 3]


def test_a_sparse_indicator_is_left_as_it_was() -> None:
    indicator = sparse.csr_array(INDICATOR)
    indicator.data[0] = 0
    before = indicator.copy()
    stats = ClassStats.from_matrix(ROWS, indicator)
    assert stats.class_docs.tolist() == [1, 1, 3]
    assert indicator.nnz == before.nnz
    for name in ("data", "indices", "indptr"):
        assert getattr(indicator, name).tolist() == getattr(before, name).tolist()


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (["a", "b", "a", 3, "b"], r"document 0 has the text 'a', document 3 has the int 3"),
        ([1, 2, ["x"], 1, 2], r"document 2 has the text 'x', document 0 has the int 1"),
        ([None, 2.5, "x", 1, 2], r"document 2 has the text 'x', document 1 has the float 2.5"),
        (["a", "b", "a"], r"5 documents but 3 labels"),
        (np.arange(6), r"5 documents but 6 labels"),
        (INDICATOR[:4], r"5 documents but 4 rows of labels"),
        (sparse.csr_array(INDICATOR[:4]), r"5 documents but 4 rows of labels"),
        ([b"a", "b", "a", "b", "a"], r"document 0 is b'a' \(bytes\); use text"),
        (["a", {"b": 1}, "a", "b", "a"], r"document 1 is \{'b': 1\} \(dict\)"),
        (["a", [["b"]], "a", "b", "a"], r"document 1 is \['b'\] \(list\)"),
        ([object, "b", "a", "b", "a"], r"document 0 is .*type"),
        ([1j, 2j, 1j, 2j, 1j], r"document 0 is 1j \(complex\)"),
        ([1, 2, Decimal(1), 2, 1], r"document 2 is Decimal\('1'\)"),
        (np.array(["2020-01-01"] * 5, "datetime64[D]"), r"document 0 is datetime"),
        (INDICATOR * 2, r"holds 0 and 1, but there is .*2"),
        (INDICATOR * 0.5, r"holds 0 and 1, but there is .*0.5"),
        (INDICATOR - 1, r"holds 0 and 1, but there is .*-1"),
        (INDICATOR * np.nan, r"holds 0 and 1, but there is .*nan"),
        (INDICATOR.astype(str), r"holds 0 and 1, but this one is of dtype <U"),
        (INDICATOR.astype(object), r"dtype object.*list of lists"),
        (
            sparse.csr_array((np.ones(2, int), np.zeros(2, int), np.array([0, 2, 2, 2, 2, 2])), shape=(5, 2)),
            r"holds 0 and 1, but there is .*2",
        ),
        ([[0, 1], [1, 0], [-1, -1], None, [0, 0]], r"lists of 0 and 1.*document 2 is \[-1, -1\]; .*use None"),
        ([[0, 1], [1, 0], [0, 0], None, [1, None]], r"lists of 0 and 1.*document 4 is \[1, None\]; .*use None"),
        ("babca", r"y is 'babca' \(str\); give a label"),
        (b"babca", r"\(bytes\); give a label"),
        (5, r"y is 5 \(int\)"),
        (np.array(5), r"y is array\(5\)"),
        (np.ones((5, 1, 1), int), r"y is array.*ndarray"),
    ],
)
def test_invalid_labels_raise(y: Any, words: str) -> None:
    with pytest.raises(InputError, match=f"(?s){words}"):
        ClassStats.from_matrix(ROWS, y)


@pytest.mark.parametrize("name", [None, float("nan"), pd.NA, ""], ids=repr)
def test_a_label_matrix_with_an_unnamed_column_raises(name: Any) -> None:
    for names in (["a", "b", name], [1, 2, name], [name] * 3):
        with pytest.raises(InputError, match=r"Column [02] of the label matrix has no name.*name the column"):
            ClassStats.from_matrix(ROWS, pd.DataFrame(INDICATOR, columns=names))


def test_a_label_matrix_with_two_columns_of_one_name_raises() -> None:
    with pytest.raises(InputError, match=r"Columns 0 and 2 of the label matrix have the same name, 'a'; rename one"):
        ClassStats.from_matrix(ROWS, pd.DataFrame(INDICATOR, columns=["a", "b", "a"]))


def test_a_long_label_is_cut_short_in_the_message() -> None:
    with pytest.raises(InputError) as caught:
        ClassStats.from_matrix(ROWS, [b"x" * 1000, "b", "a", "b", "a"])
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    "missing", [[-1, -1], (-1, -1), [None, None], [float("nan"), float("nan")], [np.int64(-1), -1], None], ids=repr
)
def test_an_indicator_row_of_missing_values_is_unlabelled(missing: Any) -> None:
    stats = ClassStats.from_matrix(ROWS, [[1, 0], [0, 1], missing, [1, 1], missing], unlabelled=-1)
    assert_is_twin(stats, twin(ROWS, [(0,), (1,), (), (0, 1), ()], 3))


@pytest.mark.parametrize("row", [[0, -1], [-1, 1], [None, 0], [float("nan"), 1]], ids=repr)
def test_an_indicator_row_with_some_missing_values_raises(row: Any) -> None:
    with pytest.raises(InputError, match=r"(?s)document 2 is .*without a label use None"):
        ClassStats.from_matrix(ROWS, [[1, 0], [0, 1], row, [1, 1], None], unlabelled=-1)


def test_masked_labels_together_with_a_marker_for_unlabelled() -> None:
    y = masked([1, 9, 0, -1, 1], 1)
    assert_is_twin(ClassStats.from_matrix(ROWS, y, unlabelled=-1), twin(ROWS, SOME_NUMBERS, 3))


@pytest.mark.parametrize("kind", [np.int64, np.float64, np.str_])
def test_masked_labels_of_estimators(kind: Any) -> None:
    y = masked(np.array([1, 9, 0, 9, 1], kind), 1, 3)
    pairs = validate_label_pairs(y, 5, "who learns")
    assert [pairs.of_class(number).tolist() for number in range(2)] == [[2], [0, 4]]
    with pytest.raises(InputError, match="Only one class"):
        validate_label_pairs(masked(y, 2), 5, "who learns")
    with pytest.raises(ValueError, match=r"continuous"):
        validate_labels(masked([0.5, 1.0, 9.0], 2))


LABEL_SETS = st.lists(st.lists(st.sampled_from(["", "a", "b", "ba", "ç", "0"]), max_size=4).map(tuple), max_size=30)


@given(LABEL_SETS)
def test_tuples_of_texts_give_the_pairs_of_lists_of_texts(label_sets: list[tuple[str, ...]]) -> None:
    """Tuples, which a corpus has, are converted by way of the distinct ones."""
    from_tuples = label_pairs(label_sets, len(label_sets))
    from_lists = label_pairs([list(labels) for labels in label_sets], len(label_sets))
    assert from_tuples.classes == from_lists.classes
    assert from_tuples.documents.tolist() == from_lists.documents.tolist()
    assert from_tuples.class_starts.tolist() == from_lists.class_starts.tolist()


def test_tuples_with_labels_that_are_no_texts_raise_the_usual_error() -> None:
    with pytest.raises(InputError, match=r"The label of document 0 is \['a'\] \(list\)"):
        label_pairs([(["a"],), ("b",)], 2)
    assert label_pairs([(1,), (2, 1)], 2).classes == (1, 2)
