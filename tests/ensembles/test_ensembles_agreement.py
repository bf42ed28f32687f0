"""`measured_diversity` equals loops over all pairs of members."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import cohen_kappa_score  # type: ignore[attr-defined]

from textsieve import InputError
from textsieve.ensembles import MeasuredDiversity, measured_diversity

from ..reference import subspace_twin as twin


def mean(values: list[float]) -> float:
    defined = [value for value in values if not math.isnan(value)]
    return sum(defined) / len(defined) if defined else math.nan


def by_loops(predictions: NDArray[np.int64], truth: NDArray[np.int64]) -> MeasuredDiversity:
    members = predictions.T.tolist()
    pairs = twin.pairwise(members, truth.tolist())
    return MeasuredDiversity(
        len(members),
        len(truth),
        float((predictions == truth[:, None]).mean()),
        mean(pairs["disagreement"]),
        mean(pairs["q"]),
        mean(pairs["kappa"]),
        twin.fleiss(members),
        mean([float(disagreement == 0) for disagreement in pairs["disagreement"]]),
        sum(map(math.isnan, pairs["q"])),
        sum(map(math.isnan, pairs["kappa"])),
    )


def random_predictions(
    n_documents: int, n_members: int, n_classes: int, seed: int = 0
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return predictions of members that are mostly correct, sometimes abstain, and are sometimes equal."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, n_classes, n_documents)
    guesses = random.integers(-1, n_classes, (n_documents, n_members))
    predictions = np.where(random.random((n_documents, n_members)) < 0.6, truth[:, None], guesses)
    predictions[:, -1] = predictions[:, 0]
    return predictions, truth


@pytest.mark.parametrize(
    ("n_documents", "n_members", "n_classes"),
    [(1, 2, 2), (7, 3, 2), (8, 5, 3), (40, 12, 15), (300, 4, 400), (2_040, 3, 2), (2_041, 3, 5), (4_500, 2, 3)],
)
def test_all_measures_equal_loops_over_pairs(n_documents: int, n_members: int, n_classes: int) -> None:
    predictions, truth = random_predictions(n_documents, n_members, n_classes)
    assert measured_diversity(predictions, truth) == pytest.approx(by_loops(predictions, truth), rel=1e-9, nan_ok=True)


def test_kappa_equals_scikit_learn() -> None:
    predictions, truth = random_predictions(200, 3, 4)
    pairs = [cohen_kappa_score(predictions[:, a], predictions[:, b]) for a, b in [(0, 1), (0, 2), (1, 2)]]
    assert measured_diversity(predictions, truth).kappa == pytest.approx(np.mean(pairs))


def test_a_small_example_computed_by_hand() -> None:
    """Both members are correct on 2 documents, neither on 1, only the first on 1, only the second on 2: Q = 0 / 4."""
    truth = np.zeros(6, int)
    predictions = np.array([[0, 0], [0, 0], [1, 1], [0, 1], [1, 0], [2, 0]])
    measures = measured_diversity(predictions, truth)
    assert measures.q_statistic == 0.0
    assert measures.disagreement == pytest.approx(0.5)
    assert measures.accuracy == pytest.approx(7 / 12)
    assert measures.identical == 0.0


def test_members_that_err_together_and_on_different_documents() -> None:
    truth = np.zeros(4, int)
    together = np.array([[0, 0], [0, 0], [1, 1], [1, 1]])
    apart = np.array([[0, 1], [0, 1], [1, 0], [1, 0]])
    assert measured_diversity(together, truth)[3:8] == (0.0, 1.0, 1.0, 1.0, 1.0)
    assert measured_diversity(apart, truth)[3:8] == (1.0, -1.0, -1.0, -1.0, 0.0)


def test_q_is_undefined_if_members_are_always_correct() -> None:
    """Without errors Q is undefined, but κ is not: the predictions agree beyond chance."""
    truth = np.array([0, 1, 1, 2])
    measures = measured_diversity(np.tile(truth[:, None], 3), truth)
    assert math.isnan(measures.q_statistic)
    assert measures.undefined_q == 3
    assert (measures.kappa, measures.undefined_kappa, measures.identical) == (1.0, 0, 1.0)


def test_undefined_pairs_are_excluded_from_the_mean() -> None:
    truth = np.array([0, 1, 0, 1])
    predictions = np.column_stack([truth, [0, 1, 1, 0], [0, 0, 0, 1]])  # the first is always right
    measures = measured_diversity(predictions, truth)
    assert measures.undefined_q == 2
    assert measures.q_statistic == mean(twin.pairwise(predictions.T.tolist(), truth.tolist())["q"])


def test_kappa_is_undefined_if_all_predictions_are_equal() -> None:
    measures = measured_diversity(np.ones((5, 4), int), np.array([0, 1, 1, 0, 1]))
    assert math.isnan(measures.kappa)
    assert math.isnan(measures.fleiss_kappa)
    assert (measures.undefined_kappa, measures.identical, measures.disagreement) == (6, 1.0, 0.0)


def test_abstaining_counts_as_a_wrong_prediction() -> None:
    measures = measured_diversity(np.array([[-1, -1], [-1, 0], [0, 0]]), np.zeros(3, int))
    assert measures.disagreement == pytest.approx(1 / 3)
    assert measures.accuracy == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("predictions", "truth", "message"),
    [
        ([[0, 1]], [0, 1], r"truth has the shape \(2,\)"),
        ([0, 1], [0, 1], r"predictions has the shape \(2,\)"),
        ([[0], [1]], [0, 1], "two members"),
        (np.zeros((0, 3), int), np.zeros(0, int), "at least one document"),
        ([[0.5, 1]], [0], "predictions="),
        ([["a", "b"]], [0], "predictions="),
        ([[0, 1]], ["a"], "truth="),
        ([[0, -2]], [0], "predictions has -2"),
        ([[0, 1]], [-1], "truth has -1"),
    ],
)
def test_invalid_predictions_and_truth_raise(predictions: Any, truth: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        measured_diversity(predictions, truth)
