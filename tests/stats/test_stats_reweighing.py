"""Statistics whose columns are renumbered, whose terms are weighted, or whose documents are half forgotten."""

from __future__ import annotations

import numpy as np
import pytest

from textsieve import ClassStats

DRAW = np.random.default_rng(0)
ROWS = np.where(DRAW.random((30, 6)) < 0.4, DRAW.random((30, 6)).astype(np.float32), 0)
LABELS = [["a", "b", "c"][number % 3] for number in range(30)]
STATS = ClassStats.from_matrix(ROWS, LABELS)


def test_spread_statistics_equal_those_of_a_matrix_with_empty_columns() -> None:
    columns = np.array([1, 2, 4, 5, 7, 9])
    wider = np.zeros((30, 11), ROWS.dtype)
    wider[:, columns] = ROWS
    assert STATS.spread(columns, 11) == ClassStats.from_matrix(wider, LABELS)


def test_weighted_terms_equal_those_of_a_matrix_with_weighted_columns() -> None:
    factors = np.array([0.0, 1.0, 2.0, 0.5, 3.0, 0.1])
    weighted, expected = STATS.with_weighted_terms(factors), ClassStats.from_matrix(ROWS * factors, LABELS)
    assert weighted.sums == pytest.approx(expected.sums)
    assert weighted.squares == pytest.approx(expected.squares)
    for number in range(3):
        assert weighted.class_sums(number) == pytest.approx(expected.class_sums(number))
    assert weighted.doc_freq.tolist() == STATS.doc_freq.tolist()


def test_decayed_statistics_equal_those_of_documents_with_this_weight() -> None:
    decayed, expected = STATS.decayed(0.3), ClassStats.from_matrix(ROWS, LABELS, sample_weight=[0.3] * 30)
    assert decayed.n_documents == pytest.approx(9)
    for ours, theirs in (
        (decayed.class_docs, expected.class_docs),
        (decayed.doc_freq, expected.doc_freq),
        (decayed.sums, expected.sums),
        (decayed.squares, expected.squares),
        (decayed.cells.doc_freq, expected.cells.doc_freq),
    ):
        assert ours == pytest.approx(theirs)
    assert ClassStats.from_bytes(decayed.to_bytes()) == decayed
    assert STATS.decayed(1.0) == STATS
