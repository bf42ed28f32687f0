"""The categorizer is a scikit-learn estimator, although it does not import scikit-learn.

scikit-learn's checks create numeric matrices and skip estimators of text. The checks that need no data run here; the
other tests check on texts what the remaining checks would.
"""

import copy
import inspect
import pickle

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict, cross_val_score, cross_validate
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_checks
from sklearn.utils.validation import check_is_fitted
from tests.reference.categorizer_cases import small_texts

from textsieve import OCFS, Cascade, Categorizer, ChiSquare, DocumentFrequency, InputError

TEXTS, LABELS = small_texts().texts, small_texts().labels


@pytest.fixture(scope="module")
def fitted() -> Categorizer:
    return Categorizer(n_terms=20).fit(TEXTS, LABELS)


@pytest.mark.parametrize(
    "check",
    [
        "check_estimator_cloneable",
        "check_estimator_tags_renamed",
        "check_valid_tag_types",
        "check_estimator_repr",
        "check_no_attributes_set_in_init",
        "check_do_not_raise_errors_in_init_or_set_params",
        "check_parameters_default_constructible",
        "check_get_params_invariance",
        "check_set_params",
        "check_mixin_order",
    ],
)
def test_checks_of_scikit_learn_that_need_no_data(check: str) -> None:
    for estimator in (Categorizer(), Categorizer(selector=OCFS(k=3), classifier=LogisticRegression(), n_terms="auto")):
        getattr(estimator_checks, check)("Categorizer", estimator)


def test_clone_is_an_unfitted_twin(fitted: Categorizer) -> None:
    original = Categorizer(
        selector=OCFS(k=7), classifier=LogisticRegression(C=3), class_weight={"boat": 2.0}, stop_words=["the"]
    ).fit(TEXTS, LABELS)
    twin = clone(original)
    assert not hasattr(twin, "model_")
    assert twin.selector is not original.selector
    assert twin.selector.k == 7
    assert twin.class_weight == {"boat": 2.0}
    assert twin.class_weight is not original.class_weight
    assert repr(twin) == repr(original)
    assert twin.fit(TEXTS, LABELS).model_.terms == original.model_.terms
    assert clone(fitted).get_params() == fitted.get_params()


def test_settings_are_the_arguments() -> None:
    parameters = inspect.signature(Categorizer).parameters
    assert list(Categorizer().get_params()) == list(parameters)
    assert {parameter.kind for parameter in parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}


def test_nested_settings() -> None:
    categorizer = Categorizer(selector=OCFS(k=5), classifier=LogisticRegression())
    params = categorizer.get_params()
    assert params["selector__k"] == 5
    assert params["classifier__C"] == 1.0
    assert "selector__k" not in categorizer.get_params(deep=False)
    assert categorizer.set_params(selector__k=9, n_terms=3, classifier__C=2.0) is categorizer
    assert (categorizer.selector.k, categorizer.n_terms, categorizer.classifier.C) == (9, 3, 2.0)
    categorizer.set_params(selector__k=4, selector=ChiSquare())  # in any order
    assert repr(categorizer.selector) == "ChiSquare(k=4)"
    chain = Categorizer(selector=Cascade([DocumentFrequency(min_df=2), OCFS(k=5)]))
    assert chain.set_params(selector__1__k=6).get_params()["selector__1__k"] == 6


def test_unknown_settings_raise() -> None:
    with pytest.raises(InputError, match=r"Invalid parameter 'k' for Categorizer; it has selector, selector_options"):
        Categorizer().set_params(k=3)
    with pytest.raises(InputError, match=r"'selector__k': selector is 'auto', which has no settings.*selector_options"):
        Categorizer().set_params(selector__k=3)
    with pytest.raises(ValueError, match="no_such"):
        Categorizer(selector=OCFS()).set_params(selector__no_such=3)


def test_repr_shows_changed_settings_only() -> None:
    assert repr(Categorizer()) == "Categorizer()"
    changed = Categorizer(n_terms=100, selector=OCFS(k=3), ngram_range=(1, 2), class_weight={"a": 2.0}, lowercase=True)
    expected = "Categorizer(selector=OCFS(k=3), n_terms=100, class_weight={'a': 2.0}, ngram_range=(1, 2))"
    assert repr(changed) == expected
    assert "Categorizer(n_terms=100)" in repr(make_pipeline(Categorizer(n_terms=100)))


def test_the_tags_describe_a_text_classifier(fitted: Categorizer) -> None:
    assert is_classifier(fitted)
    assert not is_regressor(fitted)
    tags = fitted.__sklearn_tags__()
    assert tags.input_tags.string
    assert not tags.input_tags.two_d_array
    assert tags.target_tags.required


def test_an_unfitted_categorizer_raises_not_fitted(fitted: Categorizer) -> None:
    check_is_fitted(fitted)
    unfitted = Categorizer()
    with pytest.raises(NotFittedError):
        check_is_fitted(unfitted)
    for call in (
        lambda: unfitted.predict(TEXTS),
        lambda: unfitted.predict_scores(TEXTS),
        lambda: unfitted.decision_function(TEXTS),
        lambda: unfitted.explain("text"),
        lambda: unfitted.class_terms(),
        lambda: unfitted.evaluate(TEXTS, LABELS),
        lambda: unfitted.score(TEXTS, LABELS),
        lambda: unfitted.save("nowhere"),
    ):
        with pytest.raises(NotFittedError, match="not fitted yet; call fit"):
            call()
    for name in ("classes_", "terms_", "thresholds_", "curve_", "held_out_", "model_"):
        assert not hasattr(unfitted, name)
        assert hasattr(fitted, name)


def test_fit_returns_itself_and_changes_neither_settings_nor_input() -> None:
    texts, labels = list(TEXTS), list(LABELS)
    options, weights = {"C": 2.0}, {"boat": 2.0}
    selector = OCFS()
    categorizer = Categorizer(classifier_options=options, class_weight=weights, selector=selector, n_terms=9)
    before = dict(vars(categorizer))
    assert categorizer.fit(texts, labels) is categorizer
    assert {name: value for name, value in vars(categorizer).items() if not name.endswith("_")} == before
    assert (texts, labels, options, weights) == (TEXTS, LABELS, {"C": 2.0}, {"boat": 2.0})
    assert not hasattr(selector, "stats_")
    assert selector.k is None


def test_predicting_changes_nothing(fitted: Categorizer) -> None:
    before = vars(fitted).copy()
    fitted.predict(TEXTS)
    fitted.decision_function(TEXTS)
    fitted.explain(TEXTS[0])
    assert vars(fitted) == before


def test_fitting_again_replaces_the_model_and_a_failed_fit_keeps_it() -> None:
    other = small_texts(n_classes=2, seed=5)
    categorizer = Categorizer(n_terms=20).fit(TEXTS, LABELS)
    categorizer.fit(other.texts, other.labels)
    assert categorizer.classes_.tolist() == ["boat", "cook"]
    assert categorizer.model_.terms == Categorizer(n_terms=20).fit(other.texts, other.labels).model_.terms
    model = categorizer.model_
    with pytest.raises(InputError):
        categorizer.fit(TEXTS, ["one"] * len(TEXTS))
    assert categorizer.model_ is model


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickles(fitted: Categorizer, protocol: int) -> None:  # as searches on several processes do
    again = pickle.loads(pickle.dumps(fitted, protocol))
    assert again.get_params() == fitted.get_params()
    assert again.predict(TEXTS).tolist() == fitted.predict(TEXTS).tolist()
    assert again.decision_function(TEXTS).tobytes() == fitted.decision_function(TEXTS).tobytes()
    assert pickle.loads(pickle.dumps(Categorizer(n_terms=3), protocol)).n_terms == 3


def test_copies_predict_the_same(fitted: Categorizer) -> None:
    for twin in (copy.deepcopy(fitted), copy.copy(fitted)):
        assert twin.decision_function(TEXTS).tobytes() == fitted.decision_function(TEXTS).tobytes()
        assert twin.terms_ == fitted.terms_


def test_cross_validation() -> None:
    scores = cross_val_score(Categorizer(), TEXTS, LABELS, cv=3)
    assert scores.shape == (3,)
    assert scores.mean() > 0.7
    by_hand = []
    for train, test in StratifiedKFold(3).split(TEXTS, LABELS):
        part = Categorizer().fit([TEXTS[at] for at in train], [LABELS[at] for at in train])
        by_hand.append(part.score([TEXTS[at] for at in test], [LABELS[at] for at in test]))
    assert scores.tolist() == by_hand
    named = cross_validate(Categorizer(), TEXTS, LABELS, cv=3, scoring=["accuracy", "f1_macro"])
    assert named["test_accuracy"].tolist() == by_hand


def test_cross_validated_predictions() -> None:
    predicted = cross_val_predict(Categorizer(), TEXTS, LABELS, cv=3)
    assert predicted.shape == (len(TEXTS),)
    assert set(predicted) == set(LABELS)
    assert (predicted == np.array(LABELS)).mean() > 0.7
    scores = cross_val_predict(Categorizer(), TEXTS, LABELS, cv=3, method="decision_function")
    assert scores.shape == (len(TEXTS), 3)
    assert (np.array(["boat", "cook", "moon"])[scores.argmax(axis=1)] == predicted).all()


def test_cross_validated_predictions_of_a_matrix() -> None:
    case = small_texts(multilabel=True)
    Y = np.array([[label in labels for label in ("boat", "cook", "moon")] for labels in case.label_sets]).astype(int)
    predicted = cross_val_predict(Categorizer(), case.texts, Y, cv=3)
    assert predicted.shape == Y.shape
    assert (predicted == Y).mean() > 0.7
    assert cross_val_score(Categorizer(), case.texts, Y, cv=3, scoring="f1_micro").tolist() == pytest.approx(
        cross_val_score(Categorizer(), case.texts, Y, cv=3).tolist()
    )


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_grid_search(n_jobs: int) -> None:
    grid = {"selector__k": [3, 15], "classifier": ["svm", "nb", LogisticRegression()], "tf": [None, "binary"]}
    with parallel_config("threading", n_jobs=n_jobs):
        search = GridSearchCV(Categorizer(selector=OCFS()), grid, cv=2).fit(TEXTS, LABELS)
    assert search.best_score_ > 0.6
    assert len(search.cv_results_["params"]) == 12
    assert not np.isnan(search.cv_results_["mean_test_score"]).any()
    best = search.best_estimator_
    assert len(best.terms_) == search.best_params_["selector__k"]
    assert search.predict(TEXTS).tolist() == best.predict(TEXTS).tolist()
    assert search.classes_.tolist() == ["boat", "cook", "moon"]


def test_in_a_pipeline() -> None:
    pipeline = Pipeline(
        [
            ("shout", FunctionTransformer(lambda texts: [text.upper() for text in texts])),
            ("categorize", Categorizer(n_terms=20)),
        ]
    ).fit(TEXTS, LABELS)
    plain = Categorizer(n_terms=20).fit([text.upper() for text in TEXTS], LABELS)
    assert pipeline.predict(TEXTS).tolist() == plain.predict(TEXTS).tolist()
    assert pipeline.score(TEXTS, LABELS) == plain.score(TEXTS, LABELS)
    assert pipeline.set_params(categorize__n_terms=5).fit(TEXTS, LABELS)[-1].model_.terms == plain.model_.terms[:5]
    assert pipeline.classes_.tolist() == plain.classes_.tolist()
    assert clone(pipeline)
    assert "Categorizer" in repr(pipeline)
    assert "Categorizer" in pipeline._repr_html_()


def test_documents_and_labels_as_arrays_of_numpy() -> None:
    from_lists = Categorizer().fit(TEXTS, LABELS)
    from_arrays = Categorizer().fit(np.array(TEXTS), np.array(LABELS))
    from_objects = Categorizer().fit(np.array(TEXTS, object), np.array(LABELS, object))
    for other in (from_arrays, from_objects):
        assert other.model_.scorer.coefficients.tobytes() == from_lists.model_.scorer.coefficients.tobytes()  # type: ignore[attr-defined]
        assert other.predict(np.array(TEXTS)).tolist() == from_lists.predict(TEXTS).tolist()


def test_documents_and_labels_can_be_passed_as_X_and_y() -> None:
    model = Categorizer(n_terms=20, probabilities="sigmoid").fit(X=TEXTS, y=LABELS)
    assert model.predict(X=TEXTS).tolist() == model.predict(TEXTS).tolist()
    assert model.predict_scores(X=TEXTS).scores.tobytes() == model.predict_scores(TEXTS).scores.tobytes()
    assert model.predict_proba(X=TEXTS).tobytes() == model.predict_proba(TEXTS).tobytes()
    assert model.decision_function(X=TEXTS).tobytes() == model.decision_function(TEXTS).tobytes()
    assert model.score(TEXTS, y=LABELS) == model.score(X=TEXTS, y=LABELS) == model.evaluate(X=TEXTS, y=LABELS).micro_f1
    again = Categorizer(n_terms=20).fit(TEXTS, y=LABELS)
    assert again.terms_ == model.terms_
