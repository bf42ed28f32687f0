"""Every exported estimator passes scikit-learn's own checks of estimators."""

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

import textsieve
import textsieve.classifiers
from tests.depth import IS_DEEP, IS_QUICK
from textsieve import (
    KNNFP,
    OCFS,
    TCFP,
    TOFA,
    Cascade,
    Categorizer,
    ChiSquare,
    DocumentFrequency,
    ForwardSelection,
    InformationGain,
    InputError,
    MaximumMargin,
    MutualInformation,
    OrthogonalCentroid,
    RandomSubspace,
    Rocchio,
    TermCounter,
    TermWeighter,
    TraceProjection,
    TypicalTestors,
    WeightSelection,
)
from textsieve.classifiers import CosineKNN, LinearSVM
from textsieve.reducers import DROP

# A number of terms is a share here: the checks' matrices have 1 to 10 columns, and asking for more than there are
# warns, on purpose.
CHECKED: list[BaseEstimator] = [
    TermWeighter(),
    TermWeighter(tf="tf", idf="plain", norm="none"),
    TermWeighter(tf="binary", idf="none"),
    TermWeighter(norm="l1"),
    DocumentFrequency(),
    DocumentFrequency(min_df=0.1, k=0.5),
    InformationGain(),
    InformationGain(k=0.5, pooling="mean"),
    InformationGain(k=0.5, pooling="round-robin"),
    ChiSquare(),
    ChiSquare(k="all", pooling="max"),
    MutualInformation(),
    MutualInformation(k="all", pooling="max"),
    OCFS(),
    OCFS(k=1),
    OCFS(energy=0.8),
    TOFA(),
    TOFA(weight=0.0, k=1),
    TOFA(weight=2.0, class_weight="balanced"),
    TOFA(weight=0.5, energy=0.8),
    ForwardSelection(),
    ForwardSelection(k=1, candidates=3, ridge=0.1),
    WeightSelection(),
    WeightSelection(k=0.5, C=1, candidates=3, n_jobs=1),
    TypicalTestors(epsilon=1e-6, delta=1e-6, scale="none"),  # labels at random: at the defaults nothing sets them apart
    TypicalTestors(k=0.5, delta=1e-6, scale="none", score_limit=5),
    Cascade([DocumentFrequency(min_df=1), OCFS(k=0.5)]),
    TraceProjection(),
    TraceProjection(weight=0),
    TraceProjection(weight=0.5, class_weight="balanced", n_jobs=1),
    OrthogonalCentroid(),
    OrthogonalCentroid(n_components=1, class_weight="balanced"),
    TraceProjection(weight=1.01),
    MaximumMargin(),
    Rocchio(),
    Rocchio(beta=1, gamma=0),
    LinearSVM(),
    LinearSVM(C=10, class_weight="balanced", tol=1e-4, max_iter=100_000, n_jobs=1),
    LinearSVM(class_weight="sqrt", tol=1e-4, max_iter=100_000, n_jobs=1),
    CosineKNN(k=1),
    CosineKNN(k="auto", votes="plain", n_jobs=1),
    TCFP(),
    TCFP(context="best", balance=True),
    TCFP(context="mean", min_co=2, n_jobs=1),
    KNNFP(),
    KNNFP(k=3, n_jobs=1),
    RandomSubspace(n_estimators=5),
    RandomSubspace(n_estimators=5, n_terms=0.9, n_jobs=1),
    RandomSubspace(n_estimators=3, n_terms=1.0, combine="mean", class_weight="balanced", n_jobs=1),
    RandomSubspace(estimator="nb", n_estimators=3, n_terms=0.9, n_jobs=1),
    RandomSubspace(estimator=DecisionTreeClassifier(), n_estimators=3, n_terms=0.9, n_jobs=1),
    DROP(),
    DROP(variant=1),
    DROP(variant=5, k=1, n_jobs=1),
]

TAKE_TEXT: list[Any] = [TermCounter(), Categorizer()]
"""Scikit-learn's checks create numeric matrices, and skip estimators of text with a warning; see below, and the
tests of the categorizer."""


def test_the_tested_set_is_the_exported_set() -> None:
    packages = textsieve, textsieve.classifiers
    exported = {getattr(package, name) for package in packages for name in package.__all__}
    estimators = {item for item in exported if isinstance(item, type) and hasattr(item, "get_params")}
    assert {item for item in exported if hasattr(item, "fit")} == estimators
    assert {item for item in exported if isinstance(item, type) and issubclass(item, BaseEstimator)} <= estimators
    assert {type(estimator) for estimator in [*CHECKED, *TAKE_TEXT]} == estimators


EQUIVALENCE = [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")]


def cannot_pass(estimator: Any) -> dict[str, str]:
    """Return the checks that an estimator fails on purpose, and why."""
    if isinstance(estimator, LinearSVM) or getattr(estimator, "combine", None) == "mean":  # as scikit-learn's LinearSVC
        return dict.fromkeys(EQUIVALENCE, "weights and repetition agree to the tolerance of the SVM")
    if isinstance(estimator, RandomSubspace) and estimator.estimator == "nb":
        return {
            "check_class_weight_classifiers": "naive Bayes has no class weights, and an ensemble of it says so",
            "check_decision_proba_consistency": "it has negative values, whatever the tags say",
        }
    return {}


def one_of_each_class(estimators: list[BaseEstimator]) -> list[BaseEstimator]:
    """Return the first estimator of each class."""
    return list({type(estimator): estimator for estimator in reversed(estimators)}.values())


OF_THE_CLASS = {
    f"check_{name}"
    for name in (
        # construction, parameters and tags
        *("estimator_cloneable", "estimator_repr", "estimator_tags_renamed", "valid_tag_types", "mixin_order"),
        *("get_params_invariance", "set_params", "no_attributes_set_in_init", "parameters_default_constructible"),
        *("do_not_raise_errors_in_init_or_set_param", "do_not_raise_errors_in_init_or_set_params"),
        # invalid matrices, labels and weights, which raise before anything is learned
        *("array_api_input", "complex_data", "dtype_object", "estimators_empty_data_messages", "estimators_nan_inf"),
        *("fit1d", "n_features_in", "n_features_in_after_fitting", "positive_only_tag_during_fit", "requires_y_none"),
        *("supervised_y_no_nan", "classifiers_regression_target", "sample_weights_shape"),
        *("estimators_unfitted", "transformers_unfitted", "fit_check_is_fitted", "estimators_fit_returns_self"),
        # matrices, labels and weights of other types, which the same functions convert with all settings
        *("classifier_data_not_an_array", "sample_weights_list", "sample_weights_not_an_array"),
        *("sample_weights_pandas_series", "estimator_sparse_tag"),
    )
}
"""Checks of what no setting of an estimator changes. They run for the first estimator of each class."""


def checks_of(estimators: list[BaseEstimator]) -> pytest.MarkDecorator:
    """Return all pairs of an estimator and a check in a deep run, and otherwise `OF_THE_CLASS` once for each class."""
    every: Any = parametrize_with_checks(
        one_of_each_class(estimators) if IS_QUICK else estimators, expected_failed_checks=cannot_pass
    )
    names, pairs = every.args
    if IS_DEEP:
        return pytest.mark.parametrize(names, pairs, **every.kwargs)
    first = {id(estimator) for estimator in one_of_each_class(estimators)}
    selected = [pair for pair in pairs if id(values_of(pair)[0]) in first or name_of(pair) not in OF_THE_CLASS]
    assert {name_of(pair) for pair in pairs} == {name_of(pair) for pair in selected}
    return pytest.mark.parametrize(names, selected, **every.kwargs)


def values_of(pair: Any) -> tuple[Any, Any]:
    """Return the estimator and the check; a check that fails on purpose is wrapped with a mark."""
    estimator, check = getattr(pair, "values", pair)
    return estimator, check


def name_of(pair: Any) -> str:
    """Return the name of the function of a check."""
    name: str = values_of(pair)[1].func.__name__
    return name


# Some checks have columns of numbers near 100, on which the descent takes long, as that of scikit-learn's LinearSVC.
@pytest.mark.every_case
@pytest.mark.filterwarnings("ignore:.*had not converged:sklearn.exceptions.ConvergenceWarning")
# Some rows of the checks are empty, and some have labels at random, which no document near them has.
@pytest.mark.filterwarnings("ignore:.*share no term with any training document", "ignore:No document is kept of")
# Labels at random lie no further apart than documents of one class do.
@pytest.mark.filterwarnings("ignore:No direction raises the trace")
@pytest.mark.filterwarnings("ignore:.*no term sets apart")
@checks_of(CHECKED)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


PRECISE = LinearSVM(tol=1e-11, max_iter=1_000_000, n_jobs=1)


@pytest.mark.parametrize("check", EQUIVALENCE)
@pytest.mark.parametrize(
    "estimator",
    [
        PRECISE,
        LinearSVM(C=10, class_weight="balanced", tol=1e-11, max_iter=1_000_000, n_jobs=1),
        RandomSubspace(estimator=PRECISE, n_estimators=3, n_terms=1.0, combine="mean", n_jobs=1),
    ],
    ids=repr,
)
def test_weights_equal_repetition_to_all_digits_that_a_tolerance_allows(estimator: Any, check: str) -> None:
    getattr(estimator_checks, check)(type(estimator).__name__, estimator)


@pytest.mark.parametrize("estimator", [*CHECKED, *TAKE_TEXT], ids=repr)
def test_constructor_only_stores(estimator: Any) -> None:
    assert set(vars(estimator)) == set(type(estimator)(**estimator.get_params(deep=False)).get_params(deep=False))


TEXTS = ["one fish two fish", "red fish blue fish", "one two"]


def fitted_counter() -> TermCounter:
    return TermCounter(min_df=2).fit(TEXTS)


def test_text_estimators_say_that_they_take_text() -> None:
    tags = TermCounter().__sklearn_tags__()
    assert tags.input_tags.string
    assert not tags.input_tags.two_d_array


def test_counter_clones_to_an_unfitted_twin() -> None:
    original = TermCounter(ngram_range=(1, 2), stop_words=["red"], min_df=0.1, n_jobs=2)
    copy = clone(original.fit(TEXTS))
    assert copy is not original
    assert copy.get_params() == original.get_params()
    assert not hasattr(copy, "vocabulary_")


def test_counter_settings_can_be_read_and_changed() -> None:
    counter = TermCounter()
    params = counter.get_params()
    assert {"lowercase", "stop_words", "ngram_range", "min_df", "max_df", "n_jobs"} <= set(params)
    for name, value in params.items():
        assert getattr(counter, name) is value
    assert counter.set_params(binary=True, min_df=2) is counter
    assert (counter.binary, counter.min_df) == (True, 2)
    with pytest.raises(ValueError, match="no_such_setting"):
        counter.set_params(no_such_setting=1)


def test_counter_shows_what_was_changed() -> None:
    assert repr(TermCounter()) == "TermCounter()"
    assert repr(TermCounter(min_df=2, binary=True)) == "TermCounter(binary=True, min_df=2)"


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_counter_pickles(protocol: int) -> None:  # as scikit-learn's searches on several processes do with estimators
    counter = fitted_counter()
    again = pickle.loads(pickle.dumps(counter, protocol))
    assert again.get_params() == counter.get_params()
    assert again.get_feature_names_out().tolist() == counter.get_feature_names_out().tolist() == ["fish", "one", "two"]
    assert (again.transform(TEXTS) != counter.transform(TEXTS)).nnz == 0
    unfitted = pickle.loads(pickle.dumps(TermCounter(min_df=2), protocol))
    assert unfitted.get_params() == counter.get_params()


def test_counter_must_be_fitted() -> None:
    with pytest.raises(NotFittedError, match="not fitted"):
        TermCounter().transform(TEXTS)
    with pytest.raises(NotFittedError, match="not fitted"):
        TermCounter().get_feature_names_out()


def test_counter_fits_twice_alike_and_does_not_change_its_settings() -> None:
    counter = fitted_counter()
    before = counter.get_params()
    first = counter.transform(TEXTS).toarray()
    second = counter.fit(TEXTS).transform(TEXTS).toarray()
    assert np.array_equal(first, second)
    assert counter.get_params() == before
    assert np.array_equal(TermCounter(min_df=2).fit_transform(TEXTS).toarray(), first)


def test_counter_checks_settings_when_fitted_not_when_made() -> None:
    counter = TermCounter(min_df=-3)
    with pytest.raises(InputError, match="min_df=-3"):
        counter.fit(TEXTS)


INFINITE: dict[str, Any] = {
    "list": [1.0, float("inf"), 1.0, 2.0],
    "array": np.array([1.0, -np.inf, 1.0, 2.0]),
    "float32": np.array([1.0, np.inf, 1.0, 2.0], np.float32),
    "column": np.array([[1.0], [np.inf], [1.0], [2.0]]),
    "beside a missing label": [None, float("inf"), 1.0, 2.0],
    "one of several": [[1.0], [2.0, float("inf")], [1.0], [2.0]],
}

LABELLED = sorted(
    {type(estimator) for estimator in CHECKED} - {TermWeighter, LinearSVM}, key=lambda kind: kind.__name__
)
"""Estimators that take labels, without the one whose labels scikit-learn validates."""


@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
@pytest.mark.parametrize("labels", INFINITE.values(), ids=INFINITE)
@pytest.mark.parametrize("kind", LABELLED)
def test_an_infinite_number_is_no_label_for_any_estimator(kind: type[Any], labels: Any) -> None:
    estimator: Any = next(clone(candidate) for candidate in CHECKED if type(candidate) is kind)
    rows = np.array([[1.0, 0, 2], [0, 1, 1], [1, 1, 0], [0, 2, 1]])
    with pytest.raises(
        InputError, match=r"The label of document 1 is -?inf, and an infinite number is no class; use text"
    ):
        estimator.fit(rows, labels)
