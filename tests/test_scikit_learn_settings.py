"""scikit-learn's global settings and protocols, tested on every exported estimator.

With each setting an estimator learns the same as without it, and its output follows the setting exactly as the output
of scikit-learn's counterpart does.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import clone, is_classifier
from sklearn.ensemble import StackingClassifier
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.metadata_routing import get_routing_for_object

from tests.reference.categorizer_cases import plain_categorizer, small_texts
from tests.test_estimators import CHECKED, one_of_each_class
from textsieve import (
    Cascade,
    Categorizer,
    ChiSquare,
    DocumentFrequency,
    InputError,
    OrthogonalCentroid,
    RandomSubspace,
    TermCounter,
    TermWeighter,
    compare,
)
from textsieve.estimators import Parameters

TEXTS, LABELS = list(small_texts().texts), list(small_texts().labels)
TWO = [f"{text} {'gull' if number % 2 else 'harbour'}" for number, text in enumerate(TEXTS)]
SIDES = np.arange(len(TWO)) % 2
COUNTS = CountVectorizer().fit_transform(TEXTS)
ON_TEXT = [
    TermCounter(),
    TermCounter(ngram_range=(1, 2), binary=True),
    Categorizer(n_terms=20),
    plain_categorizer(n_terms="auto", classifier="nb", folds=2),
    Categorizer(n_terms=20, probabilities="sigmoid", folds=2),
    plain_categorizer(n_terms=20, classifier="logistic", held_out=0.3),
    plain_categorizer(n_terms=20, classifier="cnb", selector="tofa"),
    plain_categorizer(n_terms=20, classifier="rocchio", selector="chi"),
    plain_categorizer(n_terms=20, classifier="tcfp", keep_stats=True),
    plain_categorizer(n_terms=20, classifier="knnfp"),
    plain_categorizer(n_terms=20, classifier="knn", classifier_options={"k": 2}),
    plain_categorizer(n_terms=20, classifier="subspace", classifier_options={"n_estimators": 3}),
    plain_categorizer(n_terms=20, projection="centroid"),
    plain_categorizer(n_terms=20, projection=OrthogonalCentroid()),
    plain_categorizer(selector=Cascade([DocumentFrequency(min_df=2), ChiSquare(k=20)])),
    plain_categorizer(n_terms=20, classifier="subspace", classifier_options={"n_estimators": 3, "estimator": "nb"}),
]
SELECTING = make_pipeline(SelectKBest(chi2, k=3), DecisionTreeClassifier(random_state=0))
EVERY = [*CHECKED, RandomSubspace(estimator=SELECTING, n_estimators=2, n_jobs=1), *ON_TEXT]
NAMES = [f"{number} {type(estimator).__name__}" for number, estimator in enumerate(EVERY)]
QUIET = pytest.mark.filterwarnings(
    "ignore:k=:UserWarning", "ignore:No document is kept", "ignore:.*had not converged", "ignore:.*no term sets apart"
)
SETTINGS: list[dict[str, Any]] = [
    {"transform_output": "pandas"},
    {"transform_output": "polars"},
    {"enable_metadata_routing": True},
]
if "sparse_interface" in sklearn.get_config():
    SETTINGS.append({"sparse_interface": "sparray"})


def documents_for(estimator: Any) -> Any:
    takes_text = any(isinstance(estimator, type(text_estimator)) for text_estimator in ON_TEXT)
    return TEXTS if takes_text else COUNTS


def learned(estimator: Any) -> dict[str, Any]:
    """Return everything that a fitted estimator predicts for the documents that it was fitted to."""
    X = documents_for(estimator)
    results: dict[str, Any] = {}
    for method in ("transform", "predict", "decision_function", "predict_proba", "predict_log_proba"):
        if hasattr(estimator, method):
            results[method] = getattr(estimator, method)(X)
    if hasattr(estimator, "fit_resample"):
        results["sample_indices_"] = estimator.sample_indices_
    return {
        name: np.asarray(values.toarray() if hasattr(values, "toarray") else values) for name, values in results.items()
    }


@QUIET
@pytest.mark.parametrize("estimator", EVERY, ids=NAMES)
def test_no_global_setting_changes_what_is_learned(estimator: Any) -> None:
    X = documents_for(estimator)
    usual = learned(clone(estimator).fit(X, LABELS))
    assert usual, "the estimator says nothing that could be compared"
    for setting in SETTINGS:
        with sklearn.config_context(**setting):
            fitted = clone(estimator).fit(X, LABELS)
            if hasattr(fitted, "predict"):
                assert np.array_equal(fitted.predict(X), usual["predict"]), setting
        results = learned(fitted)
        assert results.keys() == usual.keys()
        for name, expected in usual.items():
            assert np.array_equal(results[name], expected), (setting, name)


@pytest.mark.parametrize("setting", SETTINGS, ids=repr)
def test_no_global_setting_changes_a_comparison(setting: dict[str, Any]) -> None:
    options: dict[str, Any] = {"n_terms": [5], "selectors": ["chi"], "classifiers": ["nb", "svm"], "folds": 2}
    usual = compare(TEXTS, LABELS, **options)
    with sklearn.config_context(**setting):
        comparison = compare(TEXTS, LABELS, **options)
    assert [row.micro_f1 for row in comparison.rows] == [row.micro_f1 for row in usual.rows]


def outcome(action: Callable[[], Any]) -> Any:
    """Return the type of the result of an action, or ValueError if it raises that."""
    try:
        return type(action())
    except ValueError:
        return ValueError


PEERS: list[tuple[Any, Any, Any]] = [
    (TermCounter(), CountVectorizer(), TEXTS),
    (TermWeighter(), TfidfTransformer(), COUNTS),
    (TermWeighter(), TfidfTransformer(), COUNTS.toarray()),
    (ChiSquare(k=5), SelectKBest(chi2, k=5), COUNTS),
    (ChiSquare(k=5), SelectKBest(chi2, k=5), COUNTS.toarray()),
    (Cascade([ChiSquare(k=5)]), SelectKBest(chi2, k=5), COUNTS),
]


@pytest.mark.parametrize("setting", [{}, *SETTINGS], ids=repr)
@pytest.mark.parametrize(("ours", "theirs", "X"), PEERS, ids=range(len(PEERS)))
def test_output_has_the_type_that_scikit_learn_gives(ours: Any, theirs: Any, X: Any, setting: dict[str, Any]) -> None:
    ours, theirs = clone(ours).fit(X, LABELS), clone(theirs).fit(X, LABELS)
    with sklearn.config_context(**setting):
        assert outcome(lambda: ours.transform(X)) is outcome(lambda: theirs.transform(X))
        both = clone(ours), clone(theirs)
        assert outcome(lambda: both[0].fit_transform(X, LABELS)) is outcome(lambda: both[1].fit_transform(X, LABELS))
        assert hasattr(ours, "set_output") == hasattr(theirs, "set_output")


OPTIONAL = ("predict_proba", "predict_log_proba", "decision_function", "transform", "predict")


@QUIET
@pytest.mark.parametrize("estimator", EVERY, ids=NAMES)
def test_a_method_is_there_exactly_if_it_can_be_called(estimator: Any) -> None:
    X = documents_for(estimator)
    fitted = clone(estimator).fit(X, LABELS)
    for method in OPTIONAL:
        assert hasattr(fitted, method) == hasattr(estimator, method), f"{method} before fit and after"
        if hasattr(fitted, method):
            getattr(fitted, method)(X)
        else:
            with pytest.raises(AttributeError, match=method):
                getattr(fitted, method)


@pytest.mark.parametrize("attribute", ["predict_proba", "predict_log_proba"])
def test_missing_probabilities_say_how_to_get_them(attribute: str) -> None:
    without = Categorizer(n_terms=5, probabilities=None)
    for categorizer, hint in (
        (without, "probabilities='auto'"),
        (clone(without).fit(TEXTS, LABELS), "probabilities='auto'"),
        (Categorizer(n_terms=5).fit(TEXTS[:8], LABELS[:8]), "train it on more documents"),
        (Categorizer(n_terms=5).fit(TEXTS, [[label] for label in LABELS]), "'sigmoid' or 'isotonic'"),
    ):
        assert not hasattr(categorizer, attribute)
        with pytest.raises(InputError, match=hint):
            getattr(categorizer, attribute)


def test_training_decides_on_probabilities_and_not_a_later_setting() -> None:
    categorizer = Categorizer(n_terms=5, probabilities=None).fit(TEXTS, LABELS).set_params(probabilities="sigmoid")
    assert not hasattr(categorizer, "predict_proba")
    categorizer = Categorizer(n_terms=5, probabilities="sigmoid", folds=2).fit(TEXTS, LABELS)
    assert hasattr(categorizer.set_params(probabilities=None), "predict_proba")


def test_log_probabilities_are_logarithms() -> None:
    categorizer = Categorizer(n_terms=20, probabilities="sigmoid", folds=2).fit(TEXTS, LABELS)
    assert np.array_equal(
        np.exp(categorizer.predict_log_proba(TEXTS)), np.exp(np.log(categorizer.predict_proba(TEXTS)))
    )


@pytest.mark.parametrize("settings", [{"probabilities": None}, {"folds": 2}], ids=repr)
def test_metaestimators_use_the_available_methods(settings: dict[str, Any]) -> None:
    categorizer = Categorizer(n_terms=5, **settings)
    stacked = StackingClassifier([("terms", categorizer)], LogisticRegression(), cv=2).fit(TWO, SIDES)
    assert stacked.stack_method_ == ["predict_proba" if "folds" in settings else "decision_function"]
    assert stacked.score(TWO, SIDES) == 1.0
    assert TunedThresholdClassifierCV(categorizer, cv=2).fit(TWO, SIDES).score(TWO, SIDES) > 0.9


@QUIET
@pytest.mark.parametrize("estimator", [*one_of_each_class(CHECKED), *ON_TEXT], ids=repr)
def test_metadata_routing_changes_no_score(estimator: Any) -> None:
    X = documents_for(estimator)
    if not is_classifier(estimator):
        with sklearn.config_context(enable_metadata_routing=True):
            assert get_routing_for_object(estimator) is not None
        return

    def scores() -> list[float]:
        pipeline = make_pipeline(clone(estimator))
        search = GridSearchCV(clone(estimator), {}, cv=2).fit(X, LABELS)
        return [
            pipeline.fit(X, LABELS).score(X, LABELS),
            *cross_val_score(pipeline, X, LABELS, cv=2, params={}),  # scikit-learn 1.6.0 takes no None
            search.best_score_,
            search.score(X, LABELS),
        ]

    usual = scores()
    with sklearn.config_context(enable_metadata_routing=True):
        assert scores() == usual


class Weighted(Categorizer):
    """A categorizer that notes the weights which its methods are given."""

    def fit(self, X: Any, y: Any = None, *, sample_weight: Any = None, progress: Any = None, when: Any = None) -> Any:
        """Note the weights."""
        self.fit_weight_ = sample_weight
        return super().fit(X, y, sample_weight=sample_weight, progress=progress, when=when)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Note the weights."""
        self.score_weight_ = sample_weight
        return super().score(X, y, sample_weight)


def test_requested_metadata_reaches_fit_and_score() -> None:
    weights = np.arange(len(TEXTS))
    with sklearn.config_context(enable_metadata_routing=True):
        categorizer = Weighted(n_terms=20).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        pipeline = clone(make_pipeline(categorizer)).fit(TEXTS, LABELS, sample_weight=weights)
        assert pipeline[-1].fit_weight_ is weights
        pipeline.score(TEXTS, LABELS, sample_weight=weights)
        assert pipeline[-1].score_weight_ is weights
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            make_pipeline(Weighted(n_terms=20)).fit(TEXTS, LABELS, sample_weight=weights)
        with pytest.raises(TypeError, match="progress"):  # it is about the call, not about the documents
            categorizer.set_fit_request(progress=True)
    with pytest.raises(RuntimeError, match="enable_metadata_routing=True"):
        categorizer.set_fit_request(sample_weight=True)


class Unweighted(Parameters):
    """An estimator whose fit takes no metadata."""

    def fit(self, X: Any, y: Any = None) -> Any:
        """Learn nothing."""
        return self


def test_metadata_can_be_requested_only_where_a_method_takes_it() -> None:
    assert hasattr(Weighted, "set_fit_request")
    assert not hasattr(Unweighted(), "set_fit_request")
    assert not hasattr(Unweighted, "set_fit_request")
