"""Sample weights of statistics: integer weights equal repeated documents exactly; other weights are summed."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from safetensors.numpy import load
from scipy import sparse
from tests.reference.stats_cases import Case, cases
from tests.reference.stats_twin import contingency
from tests.reference.weight_cases import BAD_WEIGHTS, repeated, whole_weights

from textsieve import ClassStats, InputError

short = st.integers(-(1 << 20), 1 << 20).map(lambda number: number / 1024)
"""Floats with so few digits that sums of them and of their squares are exact."""
fractions = st.floats(1e-6, 1e6, allow_subnormal=False)


class Column:
    """A stand-in for a pandas Series whose index does not start at 0."""

    def __init__(self, *values: Any) -> None:
        self._values = np.array(values)
        self.shape = self._values.shape

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self._values, dtype)

    def __iter__(self) -> Any:
        return iter(self._values.tolist())

    def __getitem__(self, name: Any) -> Any:
        raise KeyError(name)

    @property
    def iloc(self) -> Any:
        return self._values


def weighted(case: Case, weights: Any) -> ClassStats:
    return ClassStats.from_matrix(case.matrix(), case.label_sets, sample_weight=weights)


@pytest.mark.parametrize("values", [st.integers(0, 5), st.integers(-(1 << 40), 1 << 40), short], ids=repr)
@given(data=st.data())
def test_integer_weights_equal_repeated_documents(values: Any, data: st.DataObject) -> None:
    case = data.draw(cases(values, n_labels=(0, 3)))
    assume(len(case.rows))
    weights = whole_weights(data, len(case.rows))
    copies = repeated(case, weights)
    expected = ClassStats.from_matrix(copies.matrix(), copies.label_sets)
    assert weighted(case, weights).to_bytes() == expected.to_bytes()
    assert weighted(case, weights.astype(np.float64).tolist()).to_bytes() == expected.to_bytes()


@given(cases(n_labels=(0, 2)), st.data())
def test_weighted_parts_merge_to_the_table_of_all(case: Case, data: st.DataObject) -> None:
    assume(len(case.rows) > 1)
    weights = whole_weights(data, len(case.rows)) + 1
    cut = data.draw(st.integers(1, len(case.rows) - 1))
    stats = ClassStats.zero()
    for some in (range(cut), range(cut, len(case.rows))):
        part = case.part(list(some))
        stats.update(part.matrix(), part.label_sets, sample_weight=weights[list(some)])
    assert stats == weighted(case, weights)


@given(cases(n_labels=(0, 3)), st.data())
def test_float_weights_do_not_depend_on_the_order(case: Case, data: st.DataObject) -> None:
    n = len(case.rows)
    assume(n)
    weights = np.array(data.draw(st.lists(fractions, min_size=n, max_size=n)))
    order = np.array(data.draw(st.permutations(range(n))))
    stats, shuffled = weighted(case, weights), weighted(case.part(order.tolist()), weights[order])
    assert stats == shuffled
    assert stats.n_documents == pytest.approx(weights.sum(), rel=1e-12)
    np.testing.assert_allclose(stats.doc_freq, weights @ (case.rows != 0), rtol=1e-9, atol=1e-12 * weights.sum())
    np.testing.assert_allclose(stats.sums, weights @ case.rows, rtol=1e-9, atol=1e-9 * weights.sum())
    np.testing.assert_allclose(stats.squares, weights @ case.rows**2, rtol=1e-9, atol=1e-9 * weights.sum())


@given(cases(n_labels=(0, 3)), st.data())
def test_no_count_exceeds_a_count_that_includes_it(case: Case, data: st.DataObject) -> None:
    """The tables are merged from parts whose weights differ by orders of magnitude."""
    n = len(case.rows)
    assume(n > 1)
    weights = np.array(data.draw(st.lists(fractions, min_size=n, max_size=n)))
    parts = [(case.part([document]), weights[document] * 10.0 ** -(document % 9)) for document in range(n)]
    stats = sum((weighted(part, [weight]) for part, weight in parts), ClassStats.zero())
    assert (stats.doc_freq <= stats.n_documents).all()
    assert (stats.pair_doc_freq <= stats.n_pairs).all()
    for number in range(len(stats.classes)):
        assert all((part >= 0).all() for part in contingency(stats, number))
        assert (stats.class_doc_freq(number) <= stats.doc_freq).all()


def test_rounding_of_weights_stays_far_below_their_total() -> None:
    weights = np.random.default_rng(0).random(1000)
    stats = ClassStats.from_matrix(np.eye(1000), np.arange(1000) % 2, sample_weight=weights)
    total = sum(map(Fraction, weights.tolist()))
    assert max(abs(stats.doc_freq - weights)) <= float(total) * 2.0**-49
    assert sum(map(Fraction, stats.doc_freq.tolist())) == Fraction(stats.n_documents)


def test_weights_of_one_equal_no_weights() -> None:
    rows, labels = [[1, 0], [2, 3]], ["a", "b"]
    assert ClassStats.from_matrix(rows, labels, sample_weight=[1.0, 1.0]) == ClassStats.from_matrix(rows, labels)


@pytest.mark.parametrize("form", [np.array, lambda values: Column(*values), tuple], ids=["array", "column", "tuple"])
def test_weights_of_any_sequence_type_are_not_changed(form: Any) -> None:
    weights = form([3.0, 0.0, 1.0])
    stats = ClassStats.from_matrix([[1], [1], [1]], ["a", "b", "c"], sample_weight=weights)
    assert (stats.classes, stats.class_docs.tolist(), stats.n_documents) == (("a", "c"), [3, 1], 4)
    assert list(weights) == [3.0, 0.0, 1.0]


LABELS = {
    "array": np.array([0, 1, 2]),
    "list": ["x", "y", "z"],
    "lists": [["x"], ["y", "z"], []],
    "tuple": ("x", "y", None),
    "column": Column("x", "y", "z"),
    "matrix": np.array([[1, 0], [0, 1], [1, 1]]),
    "sparse": sparse.coo_array([[1, 0], [0, 1], [1, 1]]),
    "masked": np.ma.array(["x", "y", "z"], mask=[False, True, False]),
    "none": None,
}


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_documents_of_weight_0_are_left_out_with_their_labels(labels: Any) -> None:
    rows = np.array([[1.0, 2.0], [5.0, 0.0], [0.0, 3.0]])
    documents = [0, 2]
    left: Any = None if labels is None else labels
    if isinstance(labels, list | tuple):
        left = [labels[at] for at in documents]
    elif labels is not None:
        left = (labels.tocsr() if hasattr(labels, "tocsr") else getattr(labels, "iloc", labels))[documents]
    expected = ClassStats.from_matrix(rows[documents], left)
    assert ClassStats.from_matrix(rows, labels, sample_weight=[1, 0, 1]) == expected


def test_a_wrong_number_of_labels_raises_with_weights_too() -> None:
    with pytest.raises(InputError, match="3 documents but 4 labels"):
        ClassStats.from_matrix([[1], [1], [1]], ["a", "b", "c", "d"], sample_weight=[1, 0, 1])


@pytest.mark.parametrize("name", BAD_WEIGHTS)
def test_invalid_weights_raise(name: str) -> None:
    weights, message = BAD_WEIGHTS[name]
    with pytest.raises(InputError, match=message):
        ClassStats.from_matrix([[1], [2], [3]], ["a", "b", "a"], sample_weight=weights)


def test_weighted_values_that_overflow_raise() -> None:
    with pytest.raises(InputError, match="times sample_weight, have no sum"):
        ClassStats.from_matrix([[1e149], [1.0]], ["a", "b"], sample_weight=[1e60, 1.0])


def test_totals_beyond_the_largest_integer_count_become_floats() -> None:
    huge = ClassStats.from_matrix([[1], [1]], ["a", "b"], sample_weight=[2.0**40, 1.0])
    assert huge.class_docs.tolist() == [2.0**40, 1.0]
    half = ClassStats.from_matrix([[1], [1]], ["a", "b"], sample_weight=[2**30, 2**30 - 1])
    assert half.class_docs.dtype == np.int64
    assert (half + half).class_docs.tolist() == [2.0**31, 2.0**31 - 2]
    assert (half + half).favours(0).tolist() == [False]


@given(cases(n_labels=(0, 2)), st.data())
def test_tables_of_other_weights_can_be_written_and_read(case: Case, data: st.DataObject) -> None:
    n = len(case.rows)
    assume(n)
    stats = weighted(case, data.draw(st.lists(fractions, min_size=n, max_size=n)))
    assert ClassStats.from_bytes(stats.to_bytes()) == stats


def test_counts_of_weighted_documents_are_written_as_integers_if_they_are_whole() -> None:
    for weights, dtype in (([2, 5], np.int64), ([2, 0.5], np.float64)):
        stats = ClassStats.from_matrix([[1], [1]], [0, 1], sample_weight=weights)
        arrays = load(stats.to_bytes())
        assert {arrays[name].dtype for name in ("class_docs", "doc_freq", "cell_doc_freq")} == {np.dtype(dtype)}
        assert ClassStats.from_bytes(stats.to_bytes()) == stats


@pytest.mark.parametrize("y", ["ab", b"ab", 7])
def test_a_single_value_as_labels_raises_with_weights_too(y: Any) -> None:
    with pytest.raises(InputError, match="give a label, or a list of labels, for each document"):
        ClassStats.from_matrix(np.eye(2), y, sample_weight=[1, 0])
