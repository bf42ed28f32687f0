"""Intervals of a single split come from its test documents, and agree with the bootstrap."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest
from tests.reference.report_cases import compared

from textsieve.comparison.summary import half_width_of_macro_f1, half_width_of_share, summarise

ONE_SPLIT: dict[str, Any] = {"folds": None, "test_share": 0.5, "selectors": "ig", "n_terms": "4", "classifiers": "nb"}


@pytest.mark.parametrize(("n_right", "n"), [(7, 20), (0, 15), (15, 15), (930, 1000)])
def test_the_interval_of_a_share_reaches_to_the_farther_end_of_wilsons(n_right: int, n: int) -> None:
    low, high = binomtest(n_right, n).proportion_ci(0.95, method="wilson")
    share = n_right / n
    assert half_width_of_share(n_right, n) == pytest.approx(max(high - share, share - low))


def macro_f1(table: Any) -> Any:
    """Return macro-F1 of confusion matrices (..., classes, classes) over the classes that occur."""
    hits = np.einsum("...ii->...i", table)
    totals = table.sum(-1) + table.sum(-2)
    f1 = 2 * hits / np.maximum(totals, 1)
    return f1.sum(-1) / (totals > 0).sum(-1)


@pytest.mark.parametrize("seed", range(3))
def test_the_interval_of_macro_f1_is_that_of_the_bootstrap(seed: int) -> None:
    draw = np.random.default_rng(seed)
    table = draw.integers(5, 30, (4, 4)) + 200 * np.eye(4, dtype=int)
    confusion = [(row, column, int(table[row, column])) for row in range(4) for column in range(4)]
    n = int(table.sum())
    resampled = draw.multinomial(n, table.ravel() / n, size=20_000).reshape(-1, 4, 4)
    assert half_width_of_macro_f1(confusion) == pytest.approx(1.96 * macro_f1(resampled).std(), rel=0.03)


def test_macro_f1_without_mistakes_has_no_interval() -> None:
    assert half_width_of_macro_f1([(0, 0, 20), (3, 3, 5)]) is None


def test_a_single_split_has_intervals_and_says_of_what() -> None:
    comparison = compared(**ONE_SPLIT)
    (summary,) = comparison.summary
    (row,) = comparison.rows
    assert summary.micro_f1 is not None
    assert summary.macro_f1 is not None
    assert row.mistakes is not None
    n_right = int((row.mistakes == 0).sum())
    assert summary.micro_f1.half_width == half_width_of_share(n_right, row.documents)
    assert summary.macro_f1.half_width == half_width_of_macro_f1(row.confusion or ())
    assert (
        "±: half the 95 % confidence interval over other test documents, same models." in comparison.view.quality.note
    )
    assert "± micro-F1" in [column.title for column in comparison.view.conditions.columns]


def test_a_single_split_of_multilabel_documents_has_only_the_interval_of_the_accuracy() -> None:
    (summary,) = compared(multilabel=True, **ONE_SPLIT).summary
    assert summary.micro_f1 is not None
    assert summary.macro_f1 is not None
    assert summary.accuracy is not None
    assert (summary.micro_f1.half_width, summary.macro_f1.half_width) == (None, None)
    assert summary.accuracy.half_width is not None


def test_a_row_without_documents_has_no_interval() -> None:
    comparison = compared(**ONE_SPLIT)
    (row,) = comparison.rows
    empty = replace(row, documents=0, mistakes=np.zeros(0, np.uint8), confusion=(), by_class=((0, 0, 0),) * 3)
    (summary,) = summarise(comparison.conditions, [empty])
    assert summary.accuracy is not None
    assert summary.accuracy.half_width is None
