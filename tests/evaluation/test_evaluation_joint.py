"""One curve for all classes: the most likely parameters, the order of the scores, and what a file may contain."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import logsumexp

from textsieve import InputError
from textsieve.evaluation.calibration import JOINT, LARGEST, JointCalibration, check_declared, fit_joint, restore
from textsieve.evaluation.confidence import Confidence
from textsieve.evaluation.scores import HeldOutScores

RNG = np.random.default_rng(5)
SCORES = RNG.normal(size=(300, 4)) - 0.5
CURVE = 1 / (1 + np.exp(-(5 * SCORES + 1)))
CLASSES = np.array([RNG.choice(4, p=row / row.sum()) for row in CURVE])
TRUE = np.eye(4, dtype=bool)[CLASSES]


def held_out(scores: Any = SCORES, true: Any = TRUE, weights: Any = None, unknown: Any = ()) -> HeldOutScores:
    """Return held-out scores; `unknown` are the numbers of documents without a selected term."""
    result = HeldOutScores.of(scores, true, weights)
    result.is_unknown[list(unknown)] = True
    return result


def log_loss(slope: float, offset: float, scores: Any, classes: Any, weights: Any) -> float:
    """Return the mean negative log-likelihood, with one document in all that has a random label, in a loop."""
    total, smoothing = 0.0, 1 / (sum(weights) + 1)
    for row, number, weight in zip(scores.tolist(), classes.tolist(), weights, strict=True):
        values = [1 / (1 + np.exp(-(slope * score + offset))) for score in row]
        logs = [np.log(value / sum(values)) for value in values]
        total -= weight * ((1 - smoothing) * logs[number] + smoothing * sum(logs) / len(logs))
    return float(total / sum(weights))


@pytest.mark.parametrize("weights", [None, RNG.uniform(0.2, 3, 300)], ids=["no weights", "weights"])
def test_the_curve_is_the_most_likely_one(weights: Any) -> None:
    each = np.ones(300) if weights is None else weights
    slope, offset = fit_joint(held_out(weights=weights))
    least = log_loss(slope, offset, SCORES, CLASSES, each)

    def loss(x: Any) -> float:
        return log_loss(np.exp(x[0]), x[1], SCORES, CLASSES, each)

    found = minimize(loss, [np.log(slope) + 0.3, offset - 0.5], tol=1e-9)
    assert least <= found.fun + 1e-9
    assert slope == pytest.approx(float(np.exp(found.x[0])), rel=1e-3)
    assert offset == pytest.approx(float(found.x[1]), abs=1e-2)


KINDS = {
    "margins": SCORES,
    "log-likelihoods": 30 * SCORES - 1000 * RNG.random((300, 1)),
    "votes": np.round(3 * SCORES),
    "one score": np.zeros((300, 4)),
    "one score, but for one document": np.where(np.arange(300)[:, np.newaxis] == 7, TRUE, 0.0),
    "two classes": np.where(np.arange(4) < 2, SCORES, np.nan),
}


@pytest.mark.every_case
@pytest.mark.parametrize("kind", KINDS)
def test_no_curve_of_a_grid_is_more_likely(kind: str) -> None:
    scores = KINDS[kind]
    is_scored = ~np.isnan(scores[np.arange(300), CLASSES])
    known, classes = scores[is_scored][:, ~np.isnan(scores[0])], CLASSES[is_scored]
    targets = np.eye(known.shape[1])[classes] * (1 - 1 / (len(known) + 1)) + 1 / (len(known) + 1) / known.shape[1]

    def loss(slope: float, offset: float) -> float:
        """Return the mean negative log-likelihood."""
        logs = -np.logaddexp(0.0, -(slope * known + offset))
        return float(-(targets * (logs - logsumexp(logs, axis=1, keepdims=True))).sum() / len(known))

    # The curve is 1/2 at a quantile of the scores, or far above them: temperature scaling.
    borders = [*np.quantile(known, np.linspace(0, 1, 9)), *(known.max() + np.array([1, 10, 100, 1000]))]
    grid = [loss(slope, -slope * border) for slope in 10.0 ** np.arange(-3, 3, 0.25) for border in borders]
    assert loss(*fit_joint(held_out(scores))) <= min(grid) + 1e-4


def test_scores_of_any_scale_and_place_give_the_same_probabilities() -> None:
    expected = JointCalibration.fit_held_out(held_out()).curve(SCORES)
    moved = SCORES * 1000 + 5000
    np.testing.assert_allclose(JointCalibration.fit_held_out(held_out(moved)).curve(moved), expected, atol=1e-4)


def test_parameters_do_not_depend_on_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = fit_joint(held_out())
    monkeypatch.setattr("textsieve.evaluation.scores.BLOCK_CELLS", 28)
    assert fit_joint(held_out()) == expected


def test_perfect_scores_have_a_finite_slope() -> None:
    fitted = JointCalibration.fit_held_out(held_out(np.where(TRUE, 1.0, -1.0)))
    probabilities = fitted.curve(np.array([[1.0, -1.0, -1.0, -1.0]]))
    # The one document in 301 with a random label is right for one class of four.
    assert probabilities[0, 0] == pytest.approx(1 - 0.75 / 301, abs=1e-4)


def test_unlearned_classes_and_unknown_documents_do_not_change_the_curve() -> None:
    more_scores = np.vstack([SCORES, [[np.nan, 1.0, 0.0, 0.0]], [[9.0, 0.0, 0.0, 0.0]], np.full((1, 4), np.nan)])
    more_true = np.vstack([TRUE, np.eye(4, dtype=bool)[[0, 3, 1]]])
    fitted = JointCalibration.fit_held_out(held_out(more_scores, more_true, unknown=[301]))
    assert (fitted.slope, fitted.offset) == fit_joint(held_out())
    assert fitted.unknown_docs.tolist() == [0, 0, 0, 1]


def test_without_documents_the_curve_still_rises() -> None:
    slope, _ = fit_joint(held_out(np.full((2, 4), np.nan), TRUE[:2]))
    assert slope > 0


def test_worthless_scores_keep_their_order() -> None:
    fitted = JointCalibration.fit_held_out(held_out(SCORES[RNG.permutation(300)]))
    assert fitted.slope > 0
    assert fitted.curve(SCORES).max() < 0.5


numbers = st.floats(-1e6, 1e6)


@given(
    st.lists(st.lists(numbers, min_size=3, max_size=3), min_size=1, max_size=4),
    st.floats(1e-9, 1e9),
    numbers,
    st.integers(0, 2),
)
def test_the_label_is_the_most_probable_class(rows: list[list[float]], slope: float, offset: float, last: int) -> None:
    scores = np.array([*rows, rows[-1]])
    is_unknown = np.arange(len(scores)) == len(scores) - 1
    calibration = JointCalibration(slope, offset, np.array([3.0, 0.0, 1.0]))
    probabilities = calibration.probabilities(scores, is_unknown, last, (5, 4, 9))
    assert probabilities.argmax(axis=1).tolist() == [*scores[:-1].argmax(axis=1).tolist(), last]
    assert ((probabilities >= 0) & (probabilities <= 1)).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-12)


def test_equal_probabilities_of_different_scores_are_told_apart() -> None:
    calibration = JointCalibration(1e-300, 0.0, np.zeros(3))
    probabilities = calibration.probabilities(np.array([[1.0, 3.0, 2.0]]), np.zeros(1, bool), 0, (1, 1, 1))
    assert probabilities.argmax() == 1


def test_documents_without_terms_get_shares_computed_by_hand() -> None:
    calibration = JointCalibration(1.0, 0.0, np.array([1.0, 2.0, 0.0]))
    unknown = np.ones(1, bool)
    shares = calibration.probabilities(np.zeros((1, 3)), unknown, 1, (2, 1, 1))[0]
    assert shares.tolist() == [1.5 / 4, 2.25 / 4, 0.25 / 4]
    swapped = calibration.probabilities(np.zeros((1, 3)), unknown, 2, (2, 1, 1))[0]
    assert swapped.tolist() == [1.5 / 4, 0.25 / 4, 2.25 / 4]


def test_a_stored_calibration_is_restored() -> None:
    fitted = JointCalibration.fit_held_out(held_out(unknown=[3]))
    again = restore(JOINT, fitted.stored_arrays(), 4)
    assert isinstance(again, JointCalibration)
    assert (again.slope, again.offset) == (fitted.slope, fitted.offset)
    assert again.unknown_docs.tolist() == fitted.unknown_docs.tolist()


@pytest.mark.parametrize(
    "change",
    [
        {"calibration_knots": np.array([0.0, 1.0])},
        {"calibration_knots": np.array([-1.0, 1.0])},
        {"calibration_knots": np.array([np.nan, 1.0])},
        {"calibration_knots": np.array([1.0, np.inf])},
        {"calibration_knots": np.array([1.0, -2 * LARGEST])},
        {"calibration_knots": np.array([1.0])},
        {"calibration_knots": np.array([1, 2])},
        {"calibration_values": np.array([1.0, -1.0])},
        {"calibration_values": np.array([1.0, np.nan])},
        {"calibration_values": np.array([1.0, 2.0, 3.0])},
        {"calibration_indptr": np.array([0, 1, 2])},
    ],
    ids=str,
)
def test_invalid_arrays_raise(change: dict[str, Any]) -> None:
    sound = JointCalibration(2.0, -1.0, np.array([1.0, 0.0])).stored_arrays()
    check_declared(JOINT, {name: array_spec(array) for name, array in sound.items()}, 2)
    with pytest.raises(InputError, match="calibration"):
        restore(JOINT, sound | change, 2)


def array_spec(array: Any) -> Any:
    """Return the type and shape of an array as a file declares them."""
    from textsieve.archive import specs_of

    return specs_of({"array": array})["array"]


def test_confidence_computed_by_hand_and_added() -> None:
    probabilities = np.array([0.95, 0.8, 0.8, 0.55, 0.97])
    is_right, is_unknown = np.array([True, True, False, False, True]), np.array([False] * 4 + [True])
    whole = Confidence.of(probabilities, is_right, is_unknown)
    rows = {row.min_probability: (row.share, row.accuracy) for row in whole.rows()}
    assert rows[0.5] == (4 / 5, 2 / 4)
    assert rows[0.8] == (3 / 5, 2 / 3)
    assert rows[0.95] == (1 / 5, 1.0)
    assert rows[0.99] == (0.0, 0.0)
    parts = [Confidence.of(probabilities[part], is_right[part], is_unknown[part]) for part in (slice(2), slice(2, 5))]
    assert parts[0] + parts[1] == whole
    weighted = Confidence.of(probabilities, is_right, is_unknown, np.array([0.5, 1, 1, 0, 0]))
    assert {row.min_probability: row.accuracy for row in weighted.rows()}[0.8] == 1.5 / 2.5
