"""Thresholds that turn scores into label sets: examples by hand, brute force, and edge cases."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array
from tests.reference.micro_f1 import micro_f1

from textsieve import InputError
from textsieve.evaluation.thresholds import (
    CUTS,
    FACTORS,
    PCut,
    RCut,
    SCut,
    SCutFBR,
    ZeroCut,
    best_ranks,
    cut_at_share,
    cut_of,
)

SCORES = np.array([[0.9, 0.2, 0.1], [0.8, 0.7, 0.3], [0.4, 0.6, 0.2], [0.1, 0.5, 0.9], [0.3, 0.1, 0.0]])
LABELS = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 1, 0], [0, 0, 0]])


@st.composite
def scored(draw: st.DrawFn) -> tuple[Any, Any]:
    """Draw scores with many ties, and labels."""
    shape = draw(st.tuples(st.integers(1, 8), st.integers(1, 4)))
    scores = draw(arrays(np.float64, shape, elements=st.sampled_from([-1.5, -0.5, 0.0, 0.25, 1.0, 2.0])))
    return scores, draw(arrays(np.int64, shape, elements=st.integers(0, 1)))


def test_scut_by_hand() -> None:
    cut = SCut().fit(SCORES, LABELS)
    # a: 0.9 and 0.8 are in, 0.4 is out; b: 0.7, 0.6, 0.5 in, 0.2 out; c has no member: above its best score, 0.9
    assert cut.thresholds_ is not None
    assert cut.thresholds_[:2].tolist() == pytest.approx([0.6, 0.35])
    assert cut.thresholds_[2] == np.nextafter(0.9, 1)
    assert cut.predict(SCORES).tolist() == LABELS.tolist()


def f1_of_class(predicted: Any, true: Any) -> float:
    both = int((predicted & true).sum())
    return 2 * both / max(int(predicted.sum() + true.sum()), 1)


@given(scored())
def test_scut_is_the_best_threshold_of_each_class(case: tuple[Any, Any]) -> None:
    scores, labels = case
    predicted = SCut().fit(scores, labels).predict(scores).astype(bool)
    for own, true, class_scores in zip(predicted.T, labels.T.astype(bool), scores.T, strict=True):
        candidates = [class_scores >= threshold for threshold in [*class_scores, np.inf]]
        assert f1_of_class(own, true) == max(f1_of_class(candidate, true) for candidate in candidates)


def test_scutfbr_does_not_trust_a_bad_threshold() -> None:
    scores = np.array([[0.9], [0.8], [0.7], [0.6], [0.5], [0.4]])
    labels = np.array([[0], [0], [0], [0], [0], [1]])  # the best F1 is 2 / 7, with all six in
    assert SCutFBR(floor=2 / 7).fit(scores, labels).predict(scores).sum() == 6
    top = SCutFBR(floor=0.3).fit(scores, labels)
    assert top.thresholds_ is not None
    assert top.thresholds_.tolist() == [0.9]
    never = SCutFBR(floor=0.3, fallback="never").fit(scores, labels)
    assert never.predict([[1e300]]).tolist() == [[0]]


def test_scutfbr_predicts_no_class_whose_held_out_scores_are_all_equal() -> None:
    scores, labels = np.zeros((30, 1)), np.eye(30, 1)  # such as k-NN scores of a class without neighbours
    assert SCutFBR().fit(scores, labels).predict(scores).sum() == 0
    assert SCutFBR().fit(scores, labels).predict([[0.1]]).tolist() == [[1]]
    assert PCut().fit(scores, labels).predict(scores).sum() == 0


@given(scored())
def test_scutfbr_without_a_floor_is_scut(case: tuple[Any, Any]) -> None:
    plain, floored = SCut().fit(*case), SCutFBR(floor=0.0).fit(*case)
    assert plain.thresholds_ is not None
    assert floored.thresholds_ is not None
    assert plain.thresholds_.tolist() == floored.thresholds_.tolist()


def test_rcut_by_hand() -> None:
    assert RCut(ranks=2).fit(SCORES, LABELS).predict(SCORES).tolist() == [
        *([1, 1, 0], [1, 1, 0], [1, 1, 0], [0, 1, 1], [1, 1, 0]),
    ]
    assert best_ranks(np.array([[0.5, 0.7, 0.7, 0.5]]), 3).tolist() == [[True, True, True, False]]
    # one: 3 hits of 5, 2 * 3 / 10; two: 5 hits of 10, 2 * 5 / 15
    assert RCut().fit(SCORES, LABELS).rule_.ranks == 2
    assert RCut(ranks=9).fit(SCORES, LABELS).predict(SCORES).all()


@given(scored())
def test_rcut_takes_the_best_number_of_ranks(case: tuple[Any, Any]) -> None:
    scores, labels = case
    ranks = RCut().fit(scores, labels).rule_.ranks
    assert ranks is not None
    reached = [
        micro_f1(best_ranks(scores, n_ranks), labels.astype(bool))
        for n_ranks in range(1, max(labels.sum(1).max(), 1) + 1)
    ]
    assert reached[ranks - 1] == max(reached)
    assert all(f1 < reached[ranks - 1] for f1 in reached[: ranks - 1])


def test_pcut_by_hand() -> None:
    cut = PCut(factor=1.0).fit(SCORES, LABELS)
    assert cut.shares_.tolist() == [0.4, 0.6, 0.0]
    assert cut.thresholds_ is not None
    assert cut.thresholds_.tolist() == [0.8, 0.5, np.inf]
    later = SCORES - 1.0  # predict keeps the shares of a whole collection; the fixed thresholds give none
    assert cut.predict(later).tolist() == LABELS.tolist()
    assert not cut.rule_(later).any()


def test_pcut_takes_the_best_factor() -> None:
    cut = PCut().fit(SCORES, LABELS)
    reached = {
        factor: micro_f1(PCut(factor=factor).fit(SCORES, LABELS).rule_(SCORES), LABELS.astype(bool))
        for factor in FACTORS
    }
    assert reached[cut.factor_] == max(reached.values())


def test_zero_by_hand() -> None:
    cut = ZeroCut().fit(SCORES - 0.5, LABELS)
    assert cut.predict(SCORES - 0.5).tolist() == [[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 1, 1], [0, 0, 0]]
    assert cut.thresholds_ is not None
    assert cut.thresholds_.tolist() == [0.0, 0.0, 0.0]


def test_rules_that_need_no_tuning_equal_the_fitted_ones() -> None:
    for name in ("scut", "scutfbr", "rcut", "pcut"):
        assert cut_of(name, None).untuned_rule(3) is None
    for cut in (ZeroCut(), RCut(ranks=2)):
        known, fitted = cut.untuned_rule(3), cut.fit(SCORES - 0.5, LABELS).rule_
        assert known is not None
        assert known(SCORES - 0.5).tolist() == fitted(SCORES - 0.5).tolist()


@pytest.mark.parametrize(
    ("scores", "share", "threshold"),
    [
        ([3.0, 2.0, 1.0], 0.0, np.inf),
        ([3.0, 2.0, 1.0], 1 / 3, 3.0),
        ([3.0, 2.0, 1.0], 5.0, 1.0),
        ([2.0, 2.0, 2.0, 1.0], 0.25, 2.0),  # three are tied for best: all three are in
        ([0.0, 0.0, 0.0, 0.0], 0.25, np.nextafter(0.0, 1.0)),  # all are tied, and few are wanted: none is in
        ([0.0, 0.0, 0.0, 0.0], 0.75, 0.0),  # all are tied, and most are wanted: all are in
        ([3.0, 2.0, 2.0, 2.0], 0.5, 3.0),  # one too few is nearer than two too many
        ([3.0, 2.0, 2.0, 1.0], 0.5, 2.0),  # one too many is as near as one too few
    ],
)
def test_shares_are_met_as_closely_as_ties_allow(scores: list[float], share: float, threshold: float) -> None:
    assert cut_at_share(np.array(scores), share) == threshold


@pytest.mark.parametrize("name", CUTS)
def test_documents_without_a_score_change_no_threshold(name: str) -> None:
    with_gap = np.vstack([SCORES, [[np.nan, np.nan, np.nan]]])
    labels = np.vstack([LABELS, [[0, 0, 0]]])
    if name != "rcut":
        complete, with_missing = cut_of(name, None).fit(SCORES, LABELS), cut_of(name, None).fit(with_gap, labels)
        assert complete.thresholds_ is not None
        assert with_missing.thresholds_ is not None
        assert complete.thresholds_.tolist() == with_missing.thresholds_.tolist()
    assert cut_of(name, None).fit(SCORES, csr_array(LABELS)).predict(SCORES).shape == LABELS.shape


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: cut_of("median", None), "cut='median'; use one of scut, scutfbr, rcut, pcut, zero"),
        (lambda: cut_of(3, None), "cut=3"),
        (lambda: cut_of("rcut", {"rank": 3}), "rank"),
        (lambda: RCut(ranks=0).fit(SCORES, LABELS), "ranks=0"),
        (lambda: PCut(factor=-1).fit(SCORES, LABELS), "factor=-1"),
        (lambda: SCutFBR(floor=2).fit(SCORES, LABELS), "floor=2"),
        (lambda: SCutFBR(fallback="x").fit(SCORES, LABELS), "fallback='x'"),
        (lambda: SCut().fit(SCORES, LABELS[:2]), r"\(5, 3\).*\(2, 3\)"),
        (lambda: SCut().fit(SCORES, LABELS * 2), "0 and 1"),
    ],
)
def test_invalid_settings_raise(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()
