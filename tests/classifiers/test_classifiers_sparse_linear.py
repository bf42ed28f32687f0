"""`SparseLinearScorer` rounds coefficients, scores with the same bits everywhere, and is stored whole."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textsieve import InputError
from textsieve.archive import specs_of
from textsieve.arrays import CSR
from textsieve.classifiers import sparse_linear
from textsieve.classifiers.sparse_linear import SparseLinearScorer, decode_integers, encode_integers

numbers = st.one_of(st.floats(-10, 10), st.sampled_from([0.0, 1e16, -1e16, 1.0, 1 / 3, 1e-300, -7e5, 0.1]))


@st.composite
def cases(draw: st.DrawFn) -> tuple[SparseLinearScorer, CSR]:
    """Draw a scorer of any type in which every term has a coefficient, and rows for it."""
    n_terms, n_outputs = draw(st.integers(1, 12)), draw(st.integers(1, 5))
    outputs = [draw(st.sets(st.integers(0, n_outputs - 1), min_size=1)) for _ in range(n_terms)]
    pairs = [(column, output) for column, chosen in enumerate(outputs) for output in sorted(chosen)]
    dtype: Any = draw(st.sampled_from(sparse_linear.DTYPES))
    values: dict[Any, Any] = {
        np.int8: st.integers(-127, 127),
        np.float32: st.floats(-10, 10, width=32),
        np.float64: numbers,
    }
    stored = draw(st.lists(values[dtype].filter(bool), min_size=len(pairs), max_size=len(pairs)))
    scales = [1.0] * n_outputs
    if dtype == np.int8:
        scales = draw(st.lists(st.floats(1e-9, 1e3), min_size=n_outputs, max_size=n_outputs))
    intercepts = draw(st.lists(numbers, min_size=n_outputs, max_size=n_outputs))
    scorer = SparseLinearScorer(
        np.cumsum([0, *map(len, outputs)]).astype(np.int64),
        np.array([output for _, output in pairs], np.int32),
        np.array(stored, dtype),
        np.array(scales),
        np.array(intercepts),
    )
    tables = draw(st.lists(st.dictionaries(st.integers(0, n_terms - 1), numbers, max_size=n_terms), max_size=9))
    kind: Any = draw(st.sampled_from([np.int32, np.int64]))
    rows = CSR(
        np.array([table[column] for table in tables for column in sorted(table)], np.float64),
        np.array([column for table in tables for column in sorted(table)], kind),
        np.cumsum([0, *map(len, tables)]).astype(kind),
        n_terms,
    )
    return scorer, rows


def twin(scorer: SparseLinearScorer, rows: CSR) -> list[list[float]]:
    """Return the scores, adding one product after the other in Python floats."""
    scores = []
    for begin, end in pairwise(rows.indptr.tolist()):
        row = [0.0] * scorer.n_outputs
        for value, column in zip(rows.data[begin:end].tolist(), rows.indices[begin:end].tolist(), strict=True):
            for entry in range(scorer.indptr[column], scorer.indptr[column + 1]):
                output = int(scorer.outputs[entry])
                row[output] += value * (float(scorer.numbers[entry]) * float(scorer.scales[output]))
        scores.append([total + intercept for total, intercept in zip(row, scorer.intercepts.tolist(), strict=True)])
    return scores


@given(cases())
def test_scores_are_the_sums_in_column_order_by_numpy_and_by_kernels(case: tuple[SparseLinearScorer, CSR]) -> None:
    scorer, rows = case
    expected = twin(scorer, rows)
    assert scorer.scores(rows).tolist() == expected
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sparse_linear, "FEW_PRODUCTS", -1)
        patch.setattr(sparse_linear, "_ROWS_PER_TASK", 2)
        assert scorer.scores(rows, 2).tolist() == expected


@given(cases())
def test_contributions_and_intercepts_add_up_to_the_scores(case: tuple[SparseLinearScorer, CSR]) -> None:
    scorer, rows = case
    products = scorer.contributions(rows.indices, rows.data)
    for row, (begin, end) in enumerate(pairwise(rows.indptr.tolist())):
        total = np.zeros(scorer.n_outputs)
        for product in products[begin:end]:
            total = total + product
        assert (total + scorer.intercepts).tolist() == scorer.scores(rows)[row].tolist()


def test_coefficients_become_integers_of_which_the_largest_of_an_output_is_127() -> None:
    columns, outputs = np.array([0, 1, 2, 0, 2]), np.array([0, 0, 0, 1, 1])
    values = np.array([2.54, -1.0, 0.009, -0.5, 0.25])
    scorer = SparseLinearScorer.from_entries(columns, outputs, values, 3, np.array([0.5, -0.5]))
    # Scales are 2.54 / 127 = 0.02 and 0.5 / 127; 0.009 rounds to 0 and is left out; 0.25 is 63.5 steps, to even 64.
    assert scorer.scales == pytest.approx([0.02, 0.5 / 127])
    assert scorer.numbers.tolist() == [127, -127, -50, 64]
    assert scorer.outputs.tolist() == [0, 1, 0, 1]
    assert scorer.indptr.tolist() == [0, 2, 3, 4]
    assert scorer.coefficients == pytest.approx(np.array([[2.54, -0.5], [-1.0, 0.0], [0.0, 64 * 0.5 / 127]]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floats_have_scales_of_1_and_are_rounded_to_their_bits(dtype: type[np.generic]) -> None:
    columns, outputs, values = np.array([0, 1, 0, 2]), np.array([0, 0, 1, 1]), np.array([1 / 3, 0.0, -1e-5, 7.0])
    scorer = SparseLinearScorer.from_entries(columns, outputs, values, 3, np.zeros(2), dtype)
    rounded = values.astype(dtype).astype(np.float64)
    assert scorer.numbers.dtype == dtype
    assert scorer.scales.tolist() == [1.0, 1.0]
    assert scorer.coefficients.tolist() == [[rounded[0], rounded[2]], [0.0, 0.0], [0.0, rounded[3]]]
    assert np.diff(scorer.indptr).tolist() == [2, 0, 1]  # the coefficient of 0 is left out


def test_integers_are_encoded_as_leb128() -> None:
    encoded = encode_integers(np.array([0, 127, 128, 300, (1 << 28) - 1]))
    assert encoded.tolist() == [0, 127, 0x80, 1, 0xAC, 2, 0xFF, 0xFF, 0xFF, 0x7F]
    assert decode_integers(encoded, 5).tolist() == [0, 127, 128, 300, (1 << 28) - 1]


@pytest.mark.parametrize("data", [[0x80], [1, 2], [0x80] * 4 + [1], []])
def test_other_bytes_are_no_integers(data: list[int]) -> None:
    with pytest.raises(InputError, match="column_steps are not 1 numbers"):
        decode_integers(np.array(data, np.uint8), 1)


@given(cases())
def test_a_stored_scorer_is_restored(case: tuple[SparseLinearScorer, CSR]) -> None:
    scorer, rows = case
    n_classes = max(scorer.n_outputs, 2)
    settings, arrays = scorer.stored_settings(), scorer.stored_arrays()
    assert SparseLinearScorer.check_declared(settings, specs_of(arrays), n_classes) == scorer.n_terms
    restored = SparseLinearScorer.restore(settings, arrays, scorer.n_terms, n_classes)
    assert restored.scores(rows).tolist() == scorer.scores(rows).tolist()
    assert restored.numbers.dtype == scorer.numbers.dtype
    assert restored.stored_arrays().keys() == arrays.keys()
    assert all((restored.stored_arrays()[name] == array).all() for name, array in arrays.items())


SCORER = SparseLinearScorer.from_entries(
    np.array([0, 2, 1, 2]), np.array([0, 0, 1, 2]), np.array([1.0, -0.5, 2.0, 1.0]), 3, np.zeros(3)
)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"coefficients": np.array([127, 0, 127, 127], np.int8)}, "is 0 or below -127"),
        ({"coefficients": np.array([127, -128, 127, 127], np.int8)}, "is 0 or below -127"),
        ({"coefficient_counts": np.array([2, 1, 2])}, "coefficient_counts does not go from 0 to 4"),
        ({"coefficient_counts": np.array([5, -2, 1])}, "coefficient_counts does not go from 0 to 4"),
        ({"column_steps": np.array([0, 3, 1, 2], np.uint8)}, "not of 3 terms, each once"),
        ({"column_steps": np.array([0, 0, 1, 2], np.uint8)}, "not of 3 terms, each once"),
        ({"column_steps": np.array([0, 1, 1, 1], np.uint8)}, "a term has no coefficient"),
        ({"column_steps": np.array([0, 2, 1], np.uint8)}, "column_steps are not 4 numbers"),
        ({"scales": np.array([1.0, np.inf, 1.0])}, "scales are not all finite"),
        ({"intercepts": np.array([1.0, np.nan, 1.0])}, "intercepts are not all finite"),
        ({"coefficients": np.array([127, -64, 127, 127], np.int32)}, "coefficients is int32"),
        ({"scales": np.ones(2)}, "scales is float64 of shape"),
        ({"coefficients": np.array([1.0, 2.0, 3.0, 4.0])}, "floats, and one of them is 0, or a scale is not 1"),
        (
            {"coefficients": np.array([1.0, 0.0, 3.0, 4.0], np.float32), "scales": np.ones(3)},
            "floats, and one of them is 0",
        ),
        ({"coefficients": np.array([1.0, np.inf, 3.0, 4.0]), "scales": np.ones(3)}, "coefficients are not all finite"),
    ],
)
def test_invalid_arrays_raise(changes: dict[str, Any], words: str) -> None:
    arrays = SCORER.stored_arrays() | changes
    with pytest.raises(InputError, match=words):
        SparseLinearScorer.restore(SCORER.stored_settings(), arrays, 3, 3)


@pytest.mark.parametrize("n_terms", [-1, 5, 1 << 40, "3", 3.0, True, None])
def test_an_invalid_number_of_terms_raises(n_terms: Any) -> None:
    with pytest.raises(InputError, match="coefficients for"):
        SparseLinearScorer.check_declared({"n_terms": n_terms}, specs_of(SCORER.stored_arrays()), 3)


def test_the_strongest_terms_come_first_and_equal_ones_by_spelling() -> None:
    # Squared coefficients: 1 for the first term, 4 for the second, 0.25 + 1 for the third.
    order = SCORER.strongest_first(["c", "b", "a"])
    assert order.tolist() == [1, 2, 0]
    twice = SCORER.take(np.array([0, 0, 1]))
    assert twice.strongest_first(["z", "y", "x"]).tolist() == [2, 1, 0]
    assert SCORER.take(order).coefficients.tolist() == SCORER.coefficients[order].tolist()
