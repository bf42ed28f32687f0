"""Categorizers with a projection, with or without a selector; the trained model still scores terms."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from tests.reference.categorizer_cases import Texts, plain_categorizer, small_texts

from textsieve import (
    Categorizer,
    Corpus,
    InputError,
    MaximumMargin,
    OrthogonalCentroid,
    TermCounter,
    TermWeighter,
    TraceProjection,
    load,
)
from textsieve.classifiers import LinearSVM
from textsieve.registry import PROJECTIONS
from textsieve.training import counted_documents as training_documents

CASE = small_texts()
FINE: dict[str, Any] = {"tol": 1e-8, "max_iter": 1_000_000}


def weights_of(model: Categorizer, texts: list[str], documents: list[str]) -> Any:
    """Return the weights that the classifier gets, with the idf of `documents`."""
    counter = TermCounter(vocabulary=model.terms_)
    weighter = TermWeighter(tf=model.model_.tf, idf="smooth", norm=model.model_.norm)
    weighter.fit(counter.fit_transform(documents))
    return weighter.transform(counter.transform(texts))


@pytest.mark.parametrize("projection", [*PROJECTIONS, TraceProjection(weight=0.5, n_components=4)], ids=str)
@pytest.mark.parametrize("selector", ["ocfs", None])
def test_a_projection_equals_the_separate_steps(projection: Any, selector: str | None) -> None:
    model = plain_categorizer(
        selector=selector, n_terms=15 if selector else None, projection=projection, classifier_options=FINE
    ).fit(CASE.texts, CASE.labels)
    rows = weights_of(model, CASE.texts, CASE.texts)
    made: Any = clone(projection) if not isinstance(projection, str) else PROJECTIONS[projection].make()
    projected = made.fit_transform(rows, CASE.labels)
    classifier = LinearSVM(**FINE).fit(projected, CASE.labels)
    expected = classifier.decision_function(projected)
    assert model.decision_function(CASE.texts) == pytest.approx(expected, abs=2e-5 * np.abs(expected).max())
    assert len(model.terms_) == (15 if selector else 26)
    assert model.model_.scorer.n_terms == len(model.terms_)
    assert model.score(CASE.texts, CASE.labels) > 0.8


@pytest.mark.parametrize("multilabel", [False, True])
@pytest.mark.parametrize("projection", PROJECTIONS)
def test_contributions_of_terms_sum_up_to_the_scores(projection: str, multilabel: bool) -> None:
    case = small_texts(multilabel=multilabel)
    model = plain_categorizer(projection=projection, folds=2).fit(
        case.texts, case.label_sets if multilabel else case.labels
    )
    scores = model.predict_scores(case.texts).scores
    for text, of_text in zip(case.texts, scores, strict=True):
        explanation = model.explain(text)
        for label, score in zip(model.classes_.tolist(), of_text, strict=True):
            own = explanation[label]
            assert own.score == score
            assert {contribution.term for contribution in own.contributions} <= set(text.lower().split())
            assert math.fsum(
                [own.intercept, *(contribution.contribution for contribution in own.contributions)]
            ) == pytest.approx(score)
    assert {term for terms in model.class_terms(3).values() for term, _ in terms} <= set(model.terms_)


def test_a_projection_can_be_saved_and_loaded(tmp_path: Path) -> None:
    model = plain_categorizer(projection="centroid", projection_options={"n_components": 1}).fit(
        CASE.texts, CASE.labels
    )
    model.save(tmp_path / "model.sieve")
    loaded = load(tmp_path / "model.sieve")
    assert (loaded.decision_function(CASE.texts) == model.decision_function(CASE.texts)).all()
    assert (loaded.projection, loaded.projection_options) == ("centroid", {"n_components": 1})
    again = loaded.fit(CASE.texts, CASE.labels)
    assert (again.decision_function(CASE.texts) == model.decision_function(CASE.texts)).all()


def test_refitting_a_loaded_model_with_an_own_projection_raises(tmp_path: Path) -> None:
    model = plain_categorizer(projection=MaximumMargin(n_components=1)).fit(CASE.texts, CASE.labels)
    model.save(tmp_path / "model.sieve")
    with pytest.raises(InputError, match="trained with a projection of your own"):
        load(tmp_path / "model.sieve").fit(CASE.texts, CASE.labels)


def test_unlabelled_documents_are_used_by_the_projection() -> None:
    labels = [label if at % 3 else None for at, label in enumerate(CASE.labels)]
    model = plain_categorizer(
        selector=None, projection="pca", projection_options={"n_components": 3}, classifier_options=FINE
    ).fit(CASE.texts, labels)
    rows = weights_of(model, CASE.texts, CASE.texts)
    has_label = np.array([label is not None for label in labels])
    projected = TraceProjection(weight=0.0, n_components=3).fit(rows).transform(rows)
    classifier = LinearSVM(**FINE).fit(projected[has_label], [label for label in labels if label])
    expected = classifier.decision_function(projected)
    assert model.decision_function(CASE.texts) == pytest.approx(expected, abs=2e-5 * np.abs(expected).max())


def test_minus_one_is_an_ordinary_label_of_a_categorizer() -> None:
    numbers = [{"boat": -1, "cook": 0, "moon": 1}[label] for label in CASE.labels]
    numbered = plain_categorizer(projection="centroid").fit(CASE.texts, numbers)
    named = plain_categorizer(projection="centroid").fit(CASE.texts, CASE.labels)
    assert numbered.classes_.tolist() == [-1, 0, 1]
    assert (numbered.decision_function(CASE.texts) == named.decision_function(CASE.texts)).all()


def test_multilabel_matrices_are_accepted() -> None:
    case = small_texts(multilabel=True, n_classes=4)
    matrix = np.array(
        [[label in label_set for label in ("boat", "cook", "moon", "zoo")] for label_set in case.label_sets]
    )
    matrix[:5] = False
    model = plain_categorizer(projection="centroid", folds=2).fit(case.texts, matrix.astype(int))
    assert (model.predict(case.texts) == matrix).mean() > 0.8


@pytest.mark.parametrize("multilabel", [False, True])
@pytest.mark.parametrize("projection", ["centroid", "pca"])
def test_a_stream_gives_the_model_of_its_texts(
    projection: str, multilabel: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = small_texts(multilabel=multilabel)
    labels: Any = case.label_sets if multilabel else case.labels
    settings: dict[str, Any] = {"projection": projection, "n_terms": 15, "multilabel": multilabel, "folds": 2}
    from_texts = plain_categorizer(**settings).fit(case.texts, labels)
    monkeypatch.setattr(training_documents, "MAX_VALUES", 60)
    streamed = plain_categorizer(**settings).fit(Corpus.from_texts(case.texts, labels))
    assert streamed.terms_ == from_texts.terms_
    expected = from_texts.decision_function(case.texts)
    assert streamed.decision_function(case.texts) == pytest.approx(expected, abs=1e-5)


def test_a_class_without_documents_in_a_fold_cannot_win() -> None:
    """Coordinates can be negative, so its losing score is set for the terms, whose weights are not negative."""
    texts, labels = [*CASE.texts, "tomato"], [*CASE.labels, "rare"]
    model = plain_categorizer(projection="margin", n_terms="auto", folds=3, held_out=0.3).fit(texts, labels)
    assert model.held_out_ is not None
    assert model.held_out_["accuracy"] > 0.7
    assert model.curve_ is not None


@pytest.mark.parametrize("n_terms", [3, "all", 0.5, None])
def test_without_a_selector_the_most_frequent_terms_are_selected(n_terms: Any) -> None:
    model = plain_categorizer(selector=None, n_terms=n_terms).fit(CASE.texts, CASE.labels)
    by_frequency = plain_categorizer(selector="df", n_terms="all" if n_terms is None else n_terms)
    assert model.terms_ == by_frequency.fit(CASE.texts, CASE.labels).terms_
    assert len(model.terms_) == {3: 3, 0.5: 13}.get(n_terms, 26)


def test_projection_settings_can_be_searched() -> None:
    categorizer = plain_categorizer(projection=OrthogonalCentroid(), classifier=LogisticRegression())
    assert clone(categorizer).set_params(projection__n_components=2).projection.n_components == 2
    assert categorizer.projection.n_components is None


@pytest.mark.parametrize("classifier", ["nb", "cnb", "rocchio", "tcfp", "knnfp", "knn", "subspace"])
def test_classifiers_that_need_the_weights_of_terms_raise(classifier: str) -> None:
    with pytest.raises(
        InputError, match=rf"projection='pca': the classifier '{classifier}' needs the weights of terms"
    ):
        plain_categorizer(projection="pca", classifier=classifier).fit(CASE.texts, CASE.labels)


@pytest.mark.parametrize("projection", ["lda", "", 3, TraceProjection, LinearSVM(), TermWeighter()], ids=str)
def test_invalid_projections_raise(projection: Any) -> None:
    with pytest.raises(InputError, match="use one of centroid, margin, pca, trace, a projection such as"):
        plain_categorizer(projection=projection).fit(CASE.texts, CASE.labels)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"projection": "pca", "projection_options": {"weight": 2}},
            "projection_options: 'pca' has no option 'weight'; it has",
        ),
        (
            {"projection": MaximumMargin(), "projection_options": {"n_components": 2}},
            "projection_options are for a projection given by name",
        ),
        (
            {"projection_options": {"n_components": 2}},
            "no projection is asked for; name one with projection, of centroid",
        ),
        ({"projection": "trace", "projection_options": {"weight": math.nan}}, "weight=nan"),
        ({"projection": "pca", "projection_options": {"unlabelled": "boat"}}, "unlabelled='boat' has no meaning here"),
        (
            {"selector": "tofa", "selector_options": {"unlabelled": -1}},
            "selector_options: unlabelled=-1 has no",
        ),
        ({"selector": None, "selector_options": {"energy": 0.5}}, "there is no selector that"),
    ],
)
def test_invalid_projection_options_raise(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        plain_categorizer(**settings).fit(CASE.texts, CASE.labels)


def test_the_case_has_26_terms() -> None:
    assert isinstance(CASE, Texts)
    assert len({word.lower() for text in CASE.texts for word in text.split()}) == 26
