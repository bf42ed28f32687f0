"""Integer weights give the same thresholds, calibration curves and reports as repeated documents."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.reference.micro_f1 import micro_f1
from tests.reference.weight_cases import BAD_WEIGHTS

from textsieve import InputError
from textsieve.evaluation import Calibration, compare_labels
from textsieve.evaluation.thresholds import CUTS, Cut, SCutFBR, cut_at_share


@st.composite
def scored(draw: st.DrawFn) -> tuple[Any, Any, Any]:
    """Draw scores with many ties and some missing, labels, and integer weights."""
    shape = draw(st.tuples(st.integers(1, 8), st.integers(1, 4)))
    values = st.sampled_from([-1.5, -0.5, 0.0, 0.25, 1.0, 2.0, float("nan")])
    scores = draw(arrays(np.float64, shape, elements=values))
    labels = draw(arrays(np.int64, shape, elements=st.integers(0, 1)))
    weights = draw(arrays(np.int64, shape[0], elements=st.integers(0, 3)).filter(np.any))
    return scores, labels, weights


def rule(cut: Cut) -> tuple[Any, Any]:
    thresholds = None if cut.rule_.thresholds is None else cut.rule_.thresholds.tolist()
    return thresholds, cut.rule_.ranks


@pytest.mark.parametrize("name", [*CUTS, "scutfbr with a floor"])
@given(case=scored())
def test_cuts_fitted_with_whole_weights_are_those_of_repeated_documents(name: str, case: tuple[Any, Any, Any]) -> None:
    scores, labels, weights = case
    copies = np.repeat(np.arange(len(weights)), weights)

    def fresh() -> Cut:
        return SCutFBR(floor=0.6) if name not in CUTS else CUTS[name]()

    once, often = fresh().fit(scores, labels, sample_weight=weights), fresh().fit(scores[copies], labels[copies])
    assert rule(once) == rule(often)


@given(case=scored(), factor=st.sampled_from([0.1, 1e-6, 1000.5]))
def test_thresholds_of_the_best_f1_do_not_depend_on_a_common_factor(case: tuple[Any, Any, Any], factor: float) -> None:
    scores, labels, weights = case
    qualities = []
    for times in (weights, weights * factor):
        thresholds: Any = CUTS["scut"]().fit(scores, labels, sample_weight=times).thresholds_
        by_class = zip((scores >= thresholds).T, labels.T == 1, strict=True)
        qualities.append([micro_f1(predicted, true, weights) for predicted, true in by_class])
    np.testing.assert_allclose(qualities[0], qualities[1], atol=1e-9)


def test_a_share_of_weights_is_cut_between_documents() -> None:
    scores = np.array([4.0, 3.0, 2.0, 1.0])
    assert cut_at_share(scores, 0.25, np.array([0.1, 0.1, 0.1, 0.1])) == 4.0
    assert cut_at_share(scores, 0.5, np.array([0.7, 0.1, 0.1, 0.1])) == 4.0
    assert cut_at_share(scores, 0.5, np.array([0.1, 0.1, 0.1, 0.7])) == 2.0


@pytest.mark.parametrize("kind", BAD_WEIGHTS)
def test_invalid_weights_raise(kind: str) -> None:
    weights, message = BAD_WEIGHTS[kind]
    with pytest.raises(InputError, match=message):
        CUTS["pcut"]().fit(np.zeros((3, 2)), np.eye(3, 2), sample_weight=weights)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_curves_of_weighted_documents_are_those_of_repeated_ones(method: str) -> None:
    random = np.random.default_rng(0)
    scores = random.normal(size=(60, 2))
    is_member = random.random((60, 2)) < 1 / (1 + np.exp(-3 * scores))
    scores[3, 0] = np.nan
    weights = random.integers(1, 4, 60)
    copies = np.repeat(np.arange(60), weights)
    once = Calibration.fit(method, scores, is_member, weights.astype(np.float64))
    often = Calibration.fit(method, scores[copies], is_member[copies])
    grid = np.linspace(-3, 3, 50)[:, None].repeat(2, axis=1)
    np.testing.assert_allclose(
        once.probabilities(grid, sum_to_one=False), often.probabilities(grid, sum_to_one=False), atol=1e-7
    )


def test_reports_count_documents_by_their_weights() -> None:
    true, predicted = [("a",), ("b",), (), ("a",)], [("a",), ("a",), ("b",), ("b",)]
    times = [3, 1, 2, 5]
    copies = np.repeat(np.arange(4), times).tolist()
    once = compare_labels("ab", true, predicted, multilabel=False, weights=times)
    often = compare_labels("ab", [true[at] for at in copies], [predicted[at] for at in copies], multilabel=False)
    assert once == often
    halves = compare_labels("ab", true, predicted, multilabel=False, weights=[time / 2 for time in times])
    assert halves.micro_f1 == once.micro_f1
    assert halves.documents == 4.5
