"""The categorizer equals its twin of scikit-learn's parts and plain loops, for every selector and classifier."""

from typing import Any

import numpy as np
import pytest
from tests.reference.categorizer_cases import Texts, plain_categorizer, small_texts
from tests.reference.categorizer_twin import (
    SELECTION_WEIGHTS,
    TRACE_WEIGHT,
    Weights,
    check_terms,
    class_without_terms,
    counted,
    term_scores,
    trained,
    weighed,
)
from tests.reference.forward_twin import check_order

from textsieve import Categorizer
from textsieve.classifiers import LinearSVM
from textsieve.registry import CLASSIFIERS, SELECTORS

FINE: dict[str, dict[str, Any]] = {
    "svm": {"tol": 1e-8, "max_iter": 1_000_000},
    "logistic": {"tol": 1e-12, "max_iter": 100_000},
    "knn": {"k": 7},
    "knnfp": {"k": 3},
    "subspace": {
        "estimator": LinearSVM(C=100, tol=1e-8, max_iter=1_000_000),
        "n_estimators": 5,
        "n_terms": 0.5,
    },
}
"""Options that find the optimum to more digits than are compared, and use fewer neighbours than documents."""

SCORING = [name for name in SELECTORS if name != "testors"]
"""Selectors that select the terms with the best scores; testors are tested beside their own twin."""

NEW = [
    *("the harbour and the oven", "lion lion salt sail", "crater rocket orbit dust moon the", "naïve butter time time"),
    "",
]


def fitted(case: Texts, labels: Any, classifier: str, **settings: Any) -> Categorizer:
    options = FINE.get(classifier, {}) | settings.pop("classifier_options", {})
    if settings.get("selector") == "tofa":
        settings["selector_options"] = {"weight": TRACE_WEIGHT}
    if settings.get("selector") == "weights":
        settings["selector_options"] = {"tol": 1e-9}
    return plain_categorizer(classifier=classifier, classifier_options=options, **settings).fit(case.texts, labels)


def check(
    model: Categorizer, case: Texts, label_sets: Any, multilabel: bool, n_terms: int, reading: dict[str, Any]
) -> None:
    """Assert that terms, idf, scores and labels equal those of the twin."""
    # -- terms
    rows, terms = counted(case.texts, **reading)
    selector = model.model_.settings["selector"]
    if selector == "forward" and n_terms < len(terms):
        weighted = weighed(rows, rows, Weights(*SELECTION_WEIGHTS["forward"]))
        assert len(set(model.terms_)) == n_terms
        check_order(weighted, label_sets, [terms.index(term) for term in model.terms_], 1e-5)
    else:
        check_terms(model.terms_, terms, term_scores(selector, rows, label_sets), n_terms)
    # -- weights
    own_reading = {name: value for name, value in reading.items() if name not in ("min_df", "max_df")}
    counts, _ = counted(case.texts, model.terms_, **own_reading)
    row = CLASSIFIERS[model.classifier]
    weights = Weights(*(getattr(model, name) or getattr(row.scheme, name) for name in ("tf", "idf", "norm")))
    doc_freq = (np.array(counts) != 0).sum(axis=0)
    if weights.idf == "none":
        assert model.model_.idf is None
    else:
        n = len(counts)
        idf = np.log(n / doc_freq) if weights.idf == "plain" else np.log((1 + n) / (1 + doc_freq)) + 1
        assert model.model_.idf == pytest.approx(idf, rel=1e-15)
    # -- scores
    labelled = [at for at, labels in enumerate(label_sets) if labels]
    train_rows = weighed([counts[at] for at in labelled], counts, weights)
    options = {**row.options, **(model.classifier_options or {})}
    twin = trained(model.classifier, options, train_rows, [label_sets[at] for at in labelled], multilabel)
    assert model.classes_.tolist() == twin.classes
    other_counts, _ = counted([*case.texts, *NEW], model.terms_, **own_reading)
    expected = twin.scores(weighed(other_counts, counts, weights))
    known = np.array(other_counts).any(axis=1)
    assert known.sum() > 30
    with pytest.warns(UserWarning, match="none of the selected terms"):
        predictions = model.predict_scores([*case.texts, *NEW])
    scores = predictions.scores
    scale = max(1.0, np.abs(expected[known]).max())
    assert scores[known] == pytest.approx(expected[known], abs=2e-5 * scale)
    # -- labels
    if multilabel:
        limits = model.thresholds_
        assert limits is not None
        clear = (np.abs(expected - limits) > 1e-4 * scale).all(axis=1) & known
        labels = [tuple(np.array(twin.classes)[is_label].tolist()) for is_label in expected >= limits]
        assert [labels[at] for at in np.flatnonzero(clear)] == [predictions.labels[at] for at in np.flatnonzero(clear)]
    else:
        best_two = np.sort(expected, axis=1)[:, -2:]
        clear = (best_two[:, 1] - best_two[:, 0] > 1e-4 * scale) & known
        assert (predictions.labels == np.array(twin.classes)[expected.argmax(axis=1)])[clear].all()
    assert clear.sum() > 20
    # -- documents without a term
    fallback = class_without_terms(train_rows, [label_sets[at] for at in labelled])
    answers = {predictions.labels[at] for at in np.flatnonzero(~known).tolist()}
    assert answers == {(fallback,) if multilabel else fallback}


def test_every_name_has_a_twin() -> None:
    from tests.reference import categorizer_twin

    assert set(categorizer_twin.SELECTORS) == set(SCORING)
    assert set(CLASSIFIERS) == {"svm", "logistic", "nb", "cnb", "rocchio", "subspace", *categorizer_twin.VOTERS}


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("selector", SCORING)
def test_one_label(selector: str, classifier: str, n_classes: int) -> None:
    case = small_texts(n_classes=n_classes, seed=n_classes)
    model = fitted(case, case.labels, classifier, selector=selector, n_terms=12)
    check(model, case, [[label] for label in case.labels], False, 12, {})


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("selector", ["forward", "ocfs", "tofa", "chi"])
def test_several_labels(selector: str, classifier: str) -> None:
    case = small_texts(n_classes=4, multilabel=True, seed=9)
    model = fitted(case, case.label_sets, classifier, selector=selector, n_terms=14)
    check(model, case, case.label_sets, True, 14, {})


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("selector", ["forward", "ocfs", "tofa", "ig"])
def test_documents_without_a_label_count_for_idf_and_variance_alone(selector: str, classifier: str) -> None:
    case = small_texts(seed=3)
    labels = [None if at % 5 == 0 else label for at, label in enumerate(case.labels)]
    model = fitted(case, labels, classifier, selector=selector, n_terms=12)
    check(model, case, [[label] if label else [] for label in labels], False, 12, {})
    assert model.model_.about["n_unlabelled"] == 12


@pytest.mark.parametrize(
    "reading",
    [
        {"ngram_range": (1, 2)},
        {"ngram_range": (2, 3), "stop_words": ["the", "and"]},
        {"min_df": 3, "max_df": 0.4},
        {"min_df": 0.1},
        {"lowercase": False, "strip_accents": "unicode"},
        {"strip_accents": "ascii", "stop_words": "english"},
    ],
    ids=str,
)
@pytest.mark.parametrize("selector", ["ocfs", "df"])
def test_terms_equal_the_twin_with_any_tokenizer_settings(selector: str, reading: dict[str, Any]) -> None:
    case = small_texts(seed=4)
    model = fitted(case, case.labels, "nb", selector=selector, n_terms=15, **reading)
    check(model, case, [[label] for label in case.labels], False, 15, reading)


@pytest.mark.parametrize("weights", [("tf", "none", "none"), ("binary", "smooth", "none"), ("loglog", "plain", "l2")])
@pytest.mark.parametrize("classifier", ["svm", "nb", "cnb"])
def test_any_weights(classifier: str, weights: tuple[str, str, str]) -> None:
    case = small_texts(seed=6)
    tf, idf, norm = weights
    model = fitted(case, case.labels, classifier, n_terms=12, tf=tf, idf=idf, norm=norm)
    check(model, case, [[label] for label in case.labels], False, 12, {})


@pytest.mark.parametrize(
    ("classifier", "options"),
    [("svm", {"C": 20.0}), ("nb", {"alpha": 1.0}), ("cnb", {"norm": True}), ("rocchio", {"beta": 1, "gamma": 0})],
)
def test_classifier_options_are_passed(classifier: str, options: dict[str, Any]) -> None:
    case = small_texts(seed=7)
    model = fitted(case, case.labels, classifier, n_terms=12, classifier_options=options)
    model.classifier_options = options
    check(model, case, [[label] for label in case.labels], False, 12, {})
