"""The group lasso of the benchmark of model sizes meets the conditions of a minimum."""

import numpy as np
import pytest
from benchmarks.model_sizes import Problem, fit_group_lasso
from scipy.sparse import csr_matrix

from benchmarks import model_sizes
from textsieve.classifiers.sieve import one_label_problems
from textsieve.classifiers.svm import LinearSVM


def test_group_lasso_has_no_direction_of_descent(monkeypatch: pytest.MonkeyPatch) -> None:
    """At a minimum, the gradient of the errors has the length of the penalty for terms with coefficients.

    It points in the opposite direction of the coefficients; for other terms it is at most as long as the penalty.
    """
    monkeypatch.setattr(model_sizes, "GROUP_ROUNDS", 5000)
    random = np.random.default_rng(0)
    numbers = np.arange(90) % 3
    dense = (random.random((90, 30)) < np.where(np.arange(30) % 6 == numbers[:, None], 0.6, 0.15)).astype(np.float32)
    rows = csr_matrix(dense / np.maximum(np.linalg.norm(dense, axis=1, keepdims=True), 1))
    svm = LinearSVM(C=1.0, class_weight="sqrt")
    problems = one_label_problems(svm, numbers, 3, "sqrt", None)
    signs, costs = (
        np.transpose(arrays) for arrays in zip(*map(problems.signs_and_costs, range(3)), strict=True)
    )  # documents x classes

    def gradient(coefficients: np.ndarray, intercepts: np.ndarray) -> np.ndarray:
        slacks = np.maximum(0, 1 - signs * (rows @ coefficients + intercepts))
        return np.asarray(rows.T @ (-2 * costs * signs * slacks))

    without_terms = gradient(np.zeros((30, 3)), (signs * costs).sum(axis=0) / costs.sum(axis=0))
    largest_penalty = np.linalg.norm(without_terms, axis=1).max()
    n_terms = []
    fits = fit_group_lasso(Problem(rows, numbers, rows, numbers), problems)
    for share, form in zip(model_sizes.GROUP_PENALTIES, fits, strict=True):
        penalty, coefficients = share * largest_penalty, form.coefficients.T
        slope, norms = gradient(coefficients, form.intercepts), np.linalg.norm(coefficients, axis=1)
        is_left = norms > 0
        n_terms.append(is_left.sum())
        assert np.linalg.norm(slope[~is_left], axis=1).max(initial=0) <= 1.05 * penalty
        expected = -penalty * coefficients[is_left] / norms[is_left, None]
        assert slope[is_left] == pytest.approx(expected, abs=0.15 * penalty)
    assert 0 < n_terms[0] < n_terms[-1]  # a smaller penalty leaves more terms
