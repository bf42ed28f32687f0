"""`subspace_trial` gives the same accuracies as the grid, and those of one classifier on all terms."""

import numpy as np
import pytest
from tests.reference.subspace_grid_twin import all_scores, documents

from textsieve import InputError
from textsieve.classifiers.svm import LinearSVM
from textsieve.ensembles.agreement import ABSTAINED
from textsieve.ensembles.grid import subspace_grid
from textsieve.ensembles.trial import SubspaceTrial, subspace_trial

MEMBER = LinearSVM(C=0.5, tol=1e-4)
X, Y = documents()


@pytest.mark.parametrize("combine", ["vote", "mean"])
def test_accuracies_equal_those_of_the_grid(combine: str) -> None:
    grid = subspace_grid(X, Y, n_terms=[6, 30], n_estimators=[1, 7], estimator=MEMBER, combine=combine, repeats=3)
    tried = subspace_trial(X, Y, n_terms=6, n_estimators=7, estimator=MEMBER, combine=combine, repeats=3)
    np.testing.assert_array_equal(tried.accuracy, grid.accuracy[:, 0, 1])
    np.testing.assert_array_equal(tried.single, grid.accuracy[:, 1, 0])
    np.testing.assert_array_equal(tried.by_rule[combine], tried.accuracy)
    assert (tried.n_terms, tried.n_estimators) == (6, 7)


def test_answers_equal_those_of_separately_trained_members() -> None:
    tried = subspace_trial(X, Y, n_terms=2, n_estimators=5, estimator=MEMBER, repeats=2, n_jobs=1)
    for split, answers, true in zip(tried.splits, tried.answers, tried.true, strict=True):
        scores, silent = all_scores(
            *(MEMBER, X[split.train], Y[split.train], X[split.test]), n_terms=2, n_members=5, seed=split.seed
        )
        expected = np.where(silent, ABSTAINED, np.array(scores).argmax(axis=2))
        np.testing.assert_array_equal(answers, expected)
        assert (answers == ABSTAINED).any()
        assert [f"class {number}" for number in true] == Y[split.test].tolist()


def test_fractions_are_of_all_terms() -> None:
    tried = subspace_trial(X, Y, n_terms=0.5, n_estimators=0.1, estimator=MEMBER, repeats=1)
    assert (tried.n_terms, tried.n_estimators) == (15, 3)


def test_a_class_without_training_documents_counts_as_errors() -> None:
    labels = Y.copy()
    tested = subspace_trial(X, Y, n_terms=3, n_estimators=2, estimator=MEMBER, repeats=1).splits[0].test
    labels[tested[0]] = "zzz"
    tried = subspace_trial(X, labels, n_terms=3, n_estimators=2, estimator=MEMBER, repeats=1)
    assert tried.true[0][0] == -1
    assert (tried.true[0][1:] >= 0).all()


def test_the_gain_by_hand() -> None:
    tried = SubspaceTrial(1, 1, np.array([0.5, 0.7]), np.array([0.4, 0.5]), [], [], (), {})
    assert tried.gain == pytest.approx((0.15, 0.05))
    assert np.isnan(tried._replace(accuracy=np.array([0.5]), single=np.array([0.5])).gain[1])


def test_invalid_settings_raise() -> None:
    with pytest.raises(InputError, match="n_terms=31; there are 30 terms"):
        subspace_trial(X, Y, n_terms=31, n_estimators=2)
    with pytest.raises(InputError, match="n_estimators=0"):
        subspace_trial(X, Y, n_terms=3, n_estimators=0)
    with pytest.raises(InputError, match="combine='sum'"):
        subspace_trial(X, Y, n_terms=3, n_estimators=2, combine="sum")
