"""All figures of a small table equal those computed by hand; averages equal scikit-learn's."""

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import precision_score, recall_score

from textsieve.evaluation import compare_labels

# true a a a a b b b c c d, predicted a a a b b a c c c a: the confusion is
#        a  b  c  d
#   a    3  1  0  0
#   b    1  1  1  0
#   c    0  0  2  0
#   d    1  0  0  0
TRUE, PREDICTED = "aaaabbbccd", "aaabbaccca"


def test_single_label_figures_by_hand() -> None:
    report = compare_labels("abcd", TRUE, PREDICTED, multilabel=False)
    assert report.confusion() == [[3, 1, 0, 0], [1, 1, 1, 0], [0, 0, 2, 0], [1, 0, 0, 0]]
    figures = [(row.precision, row.recall, row.f1) for row in report.rows()]
    assert figures == [
        pytest.approx((3 / 5, 3 / 4, 6 / 9)),
        pytest.approx((1 / 2, 1 / 3, 2 / 5)),
        pytest.approx((2 / 3, 1.0, 4 / 5)),
        (0.0, 0.0, 0.0),  # d was never predicted: 0 / 0 is 0
    ]
    assert report.accuracy == report.micro_f1 == report.micro_precision == report.micro_recall == 0.6
    assert report.macro_precision == pytest.approx((3 / 5 + 1 / 2 + 2 / 3 + 0) / 4)
    assert report.macro_recall == pytest.approx((3 / 4 + 1 / 3 + 1 + 0) / 4)
    assert report.macro_f1 == pytest.approx((6 / 9 + 2 / 5 + 4 / 5 + 0) / 4)


def test_multilabel_figures_by_hand() -> None:
    report = compare_labels("abc", [("a",), ("a", "b"), ("c",)], [("a", "b"), ("b",), ()], multilabel=True)
    # a: 1 hit, 1 predicted, 2 true; b: 1 hit, 2 predicted, 1 true; c: none predicted, 1 true
    assert (report.micro_precision, report.micro_recall) == (2 / 3, 2 / 4)
    assert report.micro_f1 == pytest.approx(4 / 7)
    assert report.macro_precision == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert report.macro_recall == pytest.approx((1 / 2 + 1 + 0) / 3)
    assert report.macro_f1 == pytest.approx((2 / 3 + 2 / 3 + 0) / 3)
    assert report.accuracy == 0.0


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_averages_are_scikit_learns(average: str) -> None:
    rng = np.random.default_rng(5)
    true, predicted = (rng.choice(list("abcde"), 60).tolist() for _ in range(2))
    report = compare_labels("abcde", true, predicted, multilabel=False)
    options: dict[str, Any] = {"average": average, "zero_division": 0}
    assert getattr(report, f"{average}_precision") == pytest.approx(precision_score(true, predicted, **options))
    assert getattr(report, f"{average}_recall") == pytest.approx(recall_score(true, predicted, **options))
