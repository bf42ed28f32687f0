"""Calibrated probabilities compared with scikit-learn; their laws, and edge cases."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from textsieve import InputError
from textsieve.evaluation.calibration import METHODS, Calibration, fit_sigmoid, sigmoid

RNG = np.random.default_rng(0)
TRUE = RNG.random(400) < 0.3
SCORES = np.where(TRUE, 0.7, -0.4) + RNG.normal(size=400)

methods = pytest.mark.parametrize("method", METHODS)


def likelihood(slope: float, offset: float, scores: Any, is_member: Any) -> float:
    """Return minus the logarithm of Platt's likelihood, summed document by document."""
    n_in, n_out = is_member.sum(), (~is_member).sum()
    total = 0.0
    for score, member in zip(scores.tolist(), is_member.tolist(), strict=True):
        target = (n_in + 1) / (n_in + 2) if member else 1 / (n_out + 2)
        p = 1 / (1 + np.exp(-(slope * score + offset)))
        total -= target * np.log(p) + (1 - target) * np.log(1 - p)
    return float(total)


def test_the_sigmoid_is_the_most_likely_one() -> None:
    slope, offset = fit_sigmoid(SCORES, TRUE)
    least = likelihood(slope, offset, SCORES, TRUE)
    for other in ((0.01, 0.0), (-0.01, 0.0), (0.0, 0.01), (0.0, -0.01)):
        assert least < likelihood(slope + other[0], offset + other[1], SCORES, TRUE)


def test_with_many_documents_it_is_logistic_regression() -> None:
    slope, offset = fit_sigmoid(SCORES, TRUE)
    theirs = LogisticRegression(C=1e9).fit(SCORES[:, None], TRUE)
    assert slope == pytest.approx(float(theirs.coef_[0, 0]), rel=0.03)
    assert offset == pytest.approx(float(theirs.intercept_[0]), rel=0.03)


def test_isotonic_is_scikit_learns() -> None:
    fitted = Calibration.fit("isotonic", SCORES[:, None], TRUE[:, None])
    points = np.linspace(-5, 5, 101)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(SCORES, TRUE.astype(float))
    ours = fitted.probabilities(points[:, None], sum_to_one=False)[:, 0]
    np.testing.assert_allclose(ours, theirs.predict(points), rtol=1e-12)


@methods
@pytest.mark.parametrize("sum_to_one", [False, True])
def test_probabilities_are_probabilities_and_rise(method: str, sum_to_one: bool) -> None:
    scores = np.stack([SCORES, -SCORES, RNG.normal(size=400)], axis=1)
    true = np.stack([TRUE, ~TRUE, RNG.random(400) < 0.5], axis=1)
    fitted = Calibration.fit(method, scores, true)
    probabilities = fitted.probabilities(scores * 100, sum_to_one=sum_to_one)
    assert ((probabilities >= 0) & (probabilities <= 1)).all()
    if sum_to_one:
        np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-12)
    else:
        order = np.argsort(scores[:, 0])
        assert (np.diff(probabilities[order, 0]) >= 0).all()


@methods
@pytest.mark.parametrize("members", [[0, 0, 0], [1, 1, 1], [0, 0, 1]])
def test_few_documents_or_one_side_only(method: str, members: list[int]) -> None:
    scores, true = np.array([[0.1], [0.5], [0.9]]), np.array(members, bool)[:, None]
    probabilities = Calibration.fit(method, scores, true).probabilities(scores, sum_to_one=False)
    assert np.isfinite(probabilities).all()
    assert ((probabilities >= 0) & (probabilities <= 1)).all()


@methods
def test_scores_that_are_missing_do_not_count(method: str) -> None:
    with_gap = np.append(SCORES, np.nan)[:, None]
    complete = Calibration.fit(method, SCORES[:, None], TRUE[:, None])
    with_missing = Calibration.fit(method, with_gap, np.append(TRUE, True)[:, None])
    assert complete.knots.tolist() == with_missing.knots.tolist()
    nothing = Calibration.fit(method, np.full((3, 1), np.nan), np.zeros((3, 1), bool))
    assert np.isfinite(nothing.probabilities(np.zeros((2, 1)), sum_to_one=True)).all()


@given(st.floats(-1e300, 1e300))
def test_the_sigmoid_never_overflows(value: float) -> None:
    (probability,) = sigmoid(np.array([value]))
    assert 0 <= probability <= 1


@methods
def test_a_restored_calibration_gives_the_same_probabilities(method: str) -> None:
    scores, true = np.stack([SCORES, -SCORES], axis=1), np.stack([TRUE, ~TRUE], axis=1)
    fitted = Calibration.fit(method, scores, true)
    again = Calibration.restore(method, fitted.stored_arrays(), 2)
    assert (
        again.probabilities(scores, sum_to_one=True).tolist() == fitted.probabilities(scores, sum_to_one=True).tolist()
    )


@pytest.mark.parametrize(
    "change",
    [
        {"calibration_indptr": None},
        {"calibration_indptr": np.array([0, 1, 3])},
        {"calibration_indptr": np.array([0, 2, 2])},
        {"calibration_indptr": np.array([1, 1, 2])},
        {"calibration_indptr": np.array([0, 1])},
        {"calibration_indptr": np.array([0, 1, 2], np.int32)},
        {"calibration_knots": np.array([1.0, np.nan])},
        {"calibration_knots": np.array([1.0])},
        {"calibration_values": np.array([[1.0, 2.0]])},
        {"calibration_values": np.array([1.0, 2.0], np.float32)},
    ],
)
def test_invalid_stored_arrays_raise(change: dict[str, Any]) -> None:
    sound = Calibration.fit(
        "sigmoid", np.stack([SCORES, -SCORES], axis=1), np.stack([TRUE, ~TRUE], axis=1)
    ).stored_arrays()
    with pytest.raises(InputError, match="calibration"):
        Calibration.restore("sigmoid", {name: part for name, part in (sound | change).items() if part is not None}, 2)
    with pytest.raises(InputError, match="calibration"):
        Calibration.restore(["sigmoid"], sound, 2)


def test_curves_that_fall_raise() -> None:
    falling = {
        "calibration_indptr": np.array([0, 2]),
        "calibration_knots": np.array([0.0, 1.0]),
        "calibration_values": np.array([0.9, 0.1]),
    }
    with pytest.raises(InputError, match="rise"):
        Calibration.restore("isotonic", falling, 1)


def test_unknown_methods_raise() -> None:
    with pytest.raises(InputError, match="probabilities='platt'; use one of 'sigmoid', 'isotonic'"):
        Calibration.fit("platt", SCORES[:, None], TRUE[:, None])
