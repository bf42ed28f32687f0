"""Sample weights of classifiers equal repeated documents and scikit-learn's results; invalid weights raise."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from tests.reference.classifiers_twin import class_weight_factors
from tests.reference.weight_cases import BAD_WEIGHTS

from textsieve import KNNFP, TCFP, InputError, RandomSubspace, Rocchio
from textsieve.classifiers import CosineKNN, LinearSVM
from textsieve.classifiers.fitting import fit_each_class, fit_one_label
from textsieve.classifiers.linear_form import Linear
from textsieve.classifiers.svm import one_against_rest
from textsieve.svm_solvers import SOLVERS, SVMProblem

TIGHT: dict[str, Any] = {"tol": 1e-9, "max_iter": 100_000}
MEAN_OF_FEW: dict[str, Any] = {"combine": "mean", "n_estimators": 3, "n_jobs": 1}
RIDGE = RidgeClassifier().set_params(solver="sparse_cg", tol=1e-12)


def table(seed: int = 0, n: int = 40, n_terms: int = 25, n_classes: int = 3) -> tuple[csr_matrix, Any, Any]:
    """Return rows of length 1, their classes, and weights from 0 to 3."""
    random = np.random.default_rng(seed)
    classes = random.integers(n_classes, size=n)
    chances = np.where(np.arange(n_terms) % 5 == classes[:, None], 0.6, 0.2)
    rows = (random.random((n, n_terms)) < chances) * (0.1 + random.random((n, n_terms)))
    rows[:, 0] += 0.1
    rows /= np.sqrt((rows**2).sum(axis=1, keepdims=True))
    return csr_matrix(rows), classes, random.integers(0, 4, n)


def copies_of(weights: NDArray[Any]) -> NDArray[Any]:
    return np.repeat(np.arange(len(weights)), weights)


CLASSIFIERS: dict[str, tuple[Any, float]] = {
    "Rocchio": (Rocchio(), 1e-12),
    "LinearSVM": (LinearSVM(**TIGHT), 1e-6),
    "LinearSVM, balanced": (LinearSVM(class_weight="balanced", C=10.0, **TIGHT), 1e-6),
    "LinearSVM, sqrt": (LinearSVM(class_weight="sqrt", C=10.0, **TIGHT), 1e-6),
    "LinearSVM, weighted classes": (LinearSVM(class_weight={0: 1.0, 1: 3.0, 2: 0.5}, **TIGHT), 1e-6),
    "votes of nb": (RandomSubspace(estimator="nb", n_estimators=5, n_jobs=1), 1e-12),
    "mean of svm": (RandomSubspace(estimator=LinearSVM(**TIGHT), combine="mean", n_estimators=3, n_jobs=1), 1e-6),
    "votes of svm": (RandomSubspace(estimator=LinearSVM(**TIGHT), n_estimators=7, n_jobs=1), 1e-12),
    "balanced mean of ridge": (RandomSubspace(estimator=RIDGE, class_weight="balanced", **MEAN_OF_FEW), 1e-6),
    "sqrt mean of ridge": (RandomSubspace(estimator=RIDGE, class_weight="sqrt", **MEAN_OF_FEW), 1e-6),
    "mean of cnb": (RandomSubspace(estimator="cnb", combine="mean", n_estimators=3, n_jobs=1), 1e-6),
}
"""Classifiers, and the largest allowed difference of scores: an SVM stops at a tolerance, sums are nearly exact."""


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(2))
def test_whole_weights_equal_repetition(name: str, n_classes: int, seed: int) -> None:
    classifier, tolerance = CLASSIFIERS[name]
    if n_classes == 2 and "weighted classes" in name:
        classifier = clone(classifier).set_params(class_weight={0: 1.0, 1: 3.0})
    rows, classes, weights = table(seed, n_classes=n_classes)
    copies = copies_of(weights)
    once = clone(classifier).fit(rows, classes, sample_weight=weights)
    often = clone(classifier).fit(rows[copies], classes[copies])
    np.testing.assert_allclose(once.decision_function(rows), often.decision_function(rows), rtol=0, atol=tolerance)
    assert once.predict(rows).tolist() == often.predict(rows).tolist()
    assert once.score(rows, classes, sample_weight=weights) == often.score(rows[copies], classes[copies])


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_class_whose_documents_have_weight_0_is_ignored(name: str) -> None:
    classifier, _ = CLASSIFIERS[name]
    if "weighted classes" in name:
        classifier = clone(classifier).set_params(class_weight={0: 1.0, 1: 3.0})
    rows, classes, _ = table()
    fitted = clone(classifier).fit(rows, classes, sample_weight=classes != 2)
    assert fitted.classes_.tolist() == [0, 1]
    with pytest.raises(InputError, match=r"Only one class|One class alone"):
        clone(classifier).fit(rows, classes, sample_weight=classes == 2)


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("kind", BAD_WEIGHTS)
def test_invalid_sample_weights_raise(name: str, kind: str) -> None:
    weights, message = BAD_WEIGHTS[kind]
    with pytest.raises(InputError, match=message):
        clone(CLASSIFIERS[name][0]).fit(np.eye(3), ["a", "b", "a"], sample_weight=weights)


# -- against scikit-learn ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("class_weight", [None, "balanced", "sqrt", {0: 2.0, 1: 1.0, 2: 0.3}])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_svm_with_weights_equals_scikit_learn(n_classes: int, class_weight: Any) -> None:
    rows, classes, _ = table(5, n_classes=n_classes)
    weights = np.random.default_rng(1).random(rows.shape[0]) * 3
    if isinstance(class_weight, dict):
        class_weight = {number: class_weight[number] for number in range(n_classes)}
    ours = LinearSVM(C=2.0, class_weight=class_weight, **TIGHT).fit(rows, classes, sample_weight=weights)
    factors = class_weight_factors(class_weight, classes.tolist(), weights.tolist())
    theirs: Any = LinearSVC(C=2.0, class_weight=factors, tol=1e-10, max_iter=1_000_000)
    theirs.fit(rows, classes, sample_weight=weights)
    np.testing.assert_allclose(ours.decision_function(rows), theirs.decision_function(rows), atol=1e-5)


@pytest.mark.parametrize("way", SOLVERS)
def test_every_svm_method_supports_a_cost_for_each_document(way: str) -> None:
    rows, classes, weights = table(2, n_classes=2)
    weights = weights + 0.5
    rounds: dict[str, Any] = {"tolerance": 1e-9, "most_rounds": 100_000, "n_jobs": 1}
    hyperplanes = SVMProblem(rows, way).solve(*one_against_rest(classes, np.ones(2), 1.0, weights), **rounds)
    theirs: Any = LinearSVC(C=1.0, tol=1e-10, max_iter=1_000_000)
    theirs.fit(rows, classes, sample_weight=weights)
    np.testing.assert_allclose(hyperplanes.coefficients, theirs.coef_, atol=1e-5)


LINEAR: dict[str, Any] = {
    "nb": MultinomialNB(alpha=0.01),
    "cnb": ComplementNB(alpha=0.1),
    "logistic": LogisticRegression(C=10.0, max_iter=10_000).set_params(tol=1e-10),
    "svm": LinearSVM(**TIGHT),
}


@pytest.mark.parametrize("name", LINEAR)
@pytest.mark.parametrize("class_weight", [None, "balanced", "sqrt"])
def test_weights_of_linear_forms_equal_repetition(name: str, class_weight: Any) -> None:
    rows, classes, weights = table(3)
    positive = np.flatnonzero(weights)
    rows, classes, weights = rows[positive], classes[positive], weights[positive].astype(np.float64)
    copies = copies_of(weights.astype(np.int64))
    tolerance: dict[str, Any] = {"rtol": 0.0, "atol": 1e-5 if name in ("svm", "logistic") else 1e-12}

    def one_label(own: Any, numbers: Any, times: Any) -> Linear:
        return fit_one_label(LINEAR[name], own, numbers, 3, class_weight, sample_weight=times)

    def each_class(own: Any, numbers: Any, times: Any) -> Linear:
        members = [np.flatnonzero(numbers == number) for number in range(3)]
        return fit_each_class(LINEAR[name], own, members, class_weight, 1, sample_weight=times)

    for fit in (one_label, each_class):
        once, often = fit(rows, classes, weights), fit(rows[copies], classes[copies], None)
        np.testing.assert_allclose(once.coefficients, often.coefficients, **tolerance)
        np.testing.assert_allclose(once.intercepts, often.intercepts, **tolerance)


@pytest.mark.parametrize("name", ["nb", "cnb"])
def test_naive_bayes_with_weights_equals_scikit_learn(name: str) -> None:
    rows, classes, _ = table(4)
    weights = np.random.default_rng(2).random(rows.shape[0]) * 3
    ours = fit_one_label(LINEAR[name], rows, classes, 3, None, sample_weight=weights)
    theirs = clone(LINEAR[name]).fit(rows, classes, sample_weight=weights)
    scores = rows @ ours.coefficients.T + ours.intercepts
    logs = theirs.predict_joint_log_proba(rows)
    if name == "cnb":  # ComplementNB uses no class priors, except for a single class
        logs = rows @ theirs.feature_log_prob_.T
    np.testing.assert_allclose(scores - scores[:, :1], logs - logs[:, :1], atol=1e-9)


# -- which classifiers accept weights ----------------------------------------------------------------------------


def test_members_without_sample_weights_raise_with_their_name() -> None:
    rows, classes, weights = table()
    ensemble = RandomSubspace(estimator=KNeighborsClassifier(), n_estimators=2, n_jobs=1)
    with pytest.raises(InputError, match="KNeighborsClassifier takes no weights of documents"):
        ensemble.fit(rows, classes, sample_weight=weights)


@pytest.mark.parametrize("classifier", [TCFP(), KNNFP(), CosineKNN()], ids=repr)
def test_knn_and_voting_classifiers_accept_weights_in_score_only(classifier: Any) -> None:
    """scikit-learn's nearest neighbours do the same."""
    rows, classes, weights = table()
    copies = copies_of(weights)
    fitted = classifier.fit(rows, classes)
    assert fitted.score(rows, classes, sample_weight=weights) == pytest.approx(
        fitted.score(rows[copies], classes[copies]), rel=1e-12
    )
    with pytest.raises(TypeError, match="sample_weight"):
        classifier.fit(rows, classes, sample_weight=weights)


def test_weights_of_multilabel_documents_equal_repetition() -> None:
    rows, classes, weights = table(6)
    labels = np.array([[number == 0, number == 1, number == 2 or at % 5 == 0] for at, number in enumerate(classes)])
    labels[7] = False
    labels = labels.astype(np.int64)
    copies = copies_of(weights)
    balanced, sqrt = (LinearSVM(class_weight=rule, **TIGHT) for rule in ("balanced", "sqrt"))
    for estimator in (LinearSVM(**TIGHT), balanced, sqrt, "nb"):
        ensemble = RandomSubspace(estimator=estimator, n_estimators=3, combine="mean", n_jobs=1)
        once = clone(ensemble).fit(rows, labels, sample_weight=weights)
        often = clone(ensemble).fit(rows[copies], labels[copies])
        np.testing.assert_allclose(once.decision_function(rows), often.decision_function(rows), rtol=0, atol=1e-5)


def test_rocchio_partial_fit_accepts_weights() -> None:
    rows, classes, weights = table(8)
    parts = Rocchio()
    for part in (slice(0, 10), slice(10, 40)):
        parts.partial_fit(rows[part], classes[part], sample_weight=weights[part])
    whole = Rocchio().fit(rows, classes, sample_weight=weights)
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-12, atol=1e-15)
