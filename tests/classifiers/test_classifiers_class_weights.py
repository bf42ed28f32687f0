"""Class weights that are computed from class sizes equal those given as a dictionary; invalid ones raise errors."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.svm import LinearSVC
from sklearn.utils.class_weight import compute_class_weight
from tests.reference.categorizer_cases import plain_categorizer, small_texts
from tests.reference.classifiers_twin import class_weight_factors
from tests.reference.subspace_members_twin import documents

from textsieve import Categorizer, InputError, RandomSubspace, compare, load
from textsieve.classifiers import LinearSVM
from textsieve.classifiers.class_weights import class_factors, factors_by_class, is_rule, rule_factors
from textsieve.registry import CLASS_WEIGHT_RULES

CASE = small_texts()
UNEVEN = [*CASE.labels[:30], *["boat" if label == "moon" else label for label in CASE.labels[30:]]]
"""The labels of the small texts with more documents of the class boat and fewer of the class moon."""


def fitted(labels: Any = UNEVEN, **settings: Any) -> Categorizer:
    return plain_categorizer(n_terms=20, **settings).fit(CASE.texts, labels)


# -- factors -----------------------------------------------------------------------------------------------------


def test_factors_by_hand() -> None:
    """The square roots of the sizes are 1, 2 and 4: 21 / (1 x 7), 21 / (2 x 7) and 21 / (4 x 7)."""
    sizes = np.array([1, 4, 16])
    assert rule_factors("sqrt", sizes).tolist() == [3.0, 1.5, 0.75]
    assert rule_factors("balanced", sizes).tolist() == [7.0, 1.75, 0.4375]


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=50))
def test_all_documents_together_weigh_as_much_as_without_weights(numbers: list[int]) -> None:
    sizes = np.array(numbers)
    totals = {rule: rule_factors(rule, sizes) * sizes for rule in CLASS_WEIGHT_RULES}
    for total in totals.values():
        assert total.sum() == pytest.approx(sizes.sum(), rel=1e-12)
    np.testing.assert_allclose(totals["balanced"], totals["balanced"][0], rtol=1e-12)
    np.testing.assert_allclose(totals["sqrt"] / np.sqrt(sizes), totals["sqrt"][0] / np.sqrt(sizes[0]), rtol=1e-12)


@given(st.lists(st.sampled_from("abcd"), min_size=1))
def test_factors_equal_the_twin_and_those_of_scikit_learn(labels: list[str]) -> None:
    classes, numbers = np.unique(labels, return_inverse=True)
    for rule in CLASS_WEIGHT_RULES:
        assert factors_by_class(rule, classes, numbers) == class_weight_factors(rule, labels)
    expected = compute_class_weight("balanced", classes=classes, y=np.array(labels))
    assert class_factors("balanced", classes, numbers).tobytes() == expected.tobytes()


def test_class_sizes_are_sums_of_sample_weights() -> None:
    classes, numbers = np.array(["a", "b"]), np.array([0, 1, 1, 0])
    weights = np.array([0.5, 4.0, 5.0, 0.5])  # sizes 1 and 9, with the square roots 1 and 3
    assert factors_by_class("sqrt", classes, numbers, weights) == {"a": 2.5, "b": 10 / 12}
    assert factors_by_class("balanced", classes, numbers, weights) == {"a": 5.0, "b": 10 / 18}


def test_only_the_registered_names_are_rules() -> None:
    assert all(is_rule(rule) for rule in CLASS_WEIGHT_RULES)
    assert not any(is_rule(value) for value in (None, "fair", "Sqrt", 1, {"sqrt": 1.0}, ["sqrt"], np.array(["sqrt"])))


# -- classifiers -------------------------------------------------------------------------------------------------

CLASSIFIERS: list[Any] = [
    *("svm", "logistic", "nb", "cnb", "subspace"),
    *(LinearSVC(), LogisticRegression(), SGDClassifier(random_state=0), RandomSubspace(estimator="logistic", n_jobs=1)),
]


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=str)
def test_a_rule_gives_the_model_of_its_factors(classifier: Any) -> None:
    by_rule = fitted(classifier=classifier, class_weight="sqrt")
    by_factors = fitted(classifier=classifier, class_weight=class_weight_factors("sqrt", UNEVEN))
    scores = by_rule.decision_function(CASE.texts)
    assert scores.tobytes() == by_factors.decision_function(CASE.texts).tobytes()
    for other in (None, "balanced"):
        assert (scores != fitted(classifier=classifier, class_weight=other).decision_function(CASE.texts)).any()


@pytest.mark.slow
@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=str)
def test_a_class_and_the_rest_are_the_two_classes_of_multilabel_documents(classifier: Any) -> None:
    case = small_texts(multilabel=True)
    settings: dict[str, Any] = {"selector": None, "n_terms": "all", "classifier": classifier}
    if isinstance(classifier, RandomSubspace):
        settings["classifier"] = clone(classifier).set_params(combine="mean")
    ours = plain_categorizer(class_weight="sqrt", cut="zero", **settings).fit(case.texts, case.label_sets)
    for label, scores in zip(ours.classes_, ours.decision_function(case.texts).T, strict=True):
        is_member = [label in label_set for label_set in case.label_sets]
        factors = class_weight_factors("sqrt", is_member)
        alone = plain_categorizer(class_weight=factors, **settings).fit(case.texts, is_member)
        assert scores.tolist() == alone.decision_function(case.texts).tolist()


def test_a_member_of_an_ensemble_may_be_an_svm_with_a_rule() -> None:
    X, y = documents(3)
    settings: dict[str, Any] = {"n_estimators": 3, "n_terms": 10, "combine": "mean", "n_jobs": 1}
    by_rule = RandomSubspace(estimator=LinearSVM(class_weight="sqrt"), **settings).fit(X, y)
    factors = class_weight_factors("sqrt", y.tolist())
    by_factors = RandomSubspace(estimator=LinearSVM(class_weight=factors), **settings).fit(X, y)
    assert by_rule.decision_function(X).tobytes() == by_factors.decision_function(X).tobytes()


INVALID: list[Any] = ["fair", "Sqrt", "", 3, True, ["sqrt"], np.array(["sqrt"])]


@pytest.mark.parametrize("class_weight", INVALID, ids=str)
def test_other_class_weights_raise_an_error_with_the_valid_ones(class_weight: Any) -> None:
    words = r"class_weight=.*; use 'balanced', 'sqrt', a factor for each class such as \{'spam': 5\.0\}, or None"
    X, y = documents(2)
    for classifier in (
        LinearSVM(class_weight=class_weight),
        RandomSubspace(class_weight=class_weight),
        RandomSubspace(class_weight=class_weight, estimator=LogisticRegression()),
        RandomSubspace(estimator=LinearSVM(class_weight=class_weight), n_jobs=1),
    ):
        with pytest.raises(InputError, match=words):
            classifier.fit(X, y)
    for name in ("svm", "nb", "logistic", "rocchio"):
        with pytest.raises(InputError, match=words):
            fitted(classifier=name, class_weight=class_weight)


# -- the setting -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classifier", ["svm", "nb", "subspace"])
def test_a_model_file_stores_the_rule(classifier: str, tmp_path: Path) -> None:
    model = fitted(classifier=classifier, class_weight="sqrt", keep_stats=classifier == "nb")
    model.save(tmp_path / "m.sieve")
    again = load(tmp_path / "m.sieve")
    assert again.class_weight == "sqrt"
    expected = model.decision_function(CASE.texts).tobytes()
    assert again.decision_function(CASE.texts).tobytes() == expected
    assert again.fit(CASE.texts, UNEVEN).decision_function(CASE.texts).tobytes() == expected


def test_a_rule_is_an_option_of_a_compared_classifier() -> None:
    comparison = compare(
        CASE.texts, UNEVEN, selectors="ig", n_terms=10, classifiers=["svm(class_weight=sqrt)"], folds=2, n_jobs=1
    )
    assert {row.classifier for row in comparison.rows} == {"svm(class_weight=sqrt)"}
    assert all(row.problem is None for row in comparison.rows)
