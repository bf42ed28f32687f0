"""Explanations: the contributions of the terms and the intercept add up to each score."""

import json
import math
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.svm import LinearSVC
from tests.reference.categorizer_cases import plain_categorizer, small_texts

from textsieve.registry import CLASSIFIERS

OWN: list[Any] = [LinearSVC(), LogisticRegression(), SGDClassifier(random_state=0), RidgeClassifier()]
TEXTS = ["sail sail sail oven the harbour", "rocket", "nothing known of it", "", "lion salt SALT wind, wind; oar-deck"]


@pytest.mark.parametrize("kind", ["two classes", "three classes", "four classes", "several labels", "matrix"])
@pytest.mark.parametrize("classifier", [*CLASSIFIERS, *OWN], ids=str)
def test_contributions_sum_up_to_the_scores(classifier: Any, kind: str) -> None:
    n_classes = {"two classes": 2, "four classes": 4}.get(kind, 3)
    case = small_texts(n_classes=n_classes, multilabel=kind in ("several labels", "matrix"))
    labels: Any = case.labels
    if kind == "several labels":
        labels = case.label_sets
    elif kind == "matrix":
        labels = np.array(
            [[label in label_set for label in ("boat", "cook", "moon")] for label_set in case.label_sets]
        ).astype(int)
    options = {"k": 5} if classifier == "knn" else None
    model = plain_categorizer(classifier=classifier, classifier_options=options, n_terms=20, folds=2).fit(
        case.texts, labels
    )
    texts = [*TEXTS, *case.texts[:10]]
    predictions = model.model_.predict(texts)
    decision = model.decision_function(texts)
    for text, label, scores, decision_row in zip(
        texts, model.model_.label_sets(predictions.labels), predictions.scores, np.atleast_2d(decision.T).T, strict=True
    ):
        explanation = model.explain(text)
        assert explanation.predicted == (label[0] if model.thresholds_ is None else label)
        assert len(explanation.classes) == len(model.classes_)
        for number, name in enumerate(model.classes_.tolist()):
            own = explanation[name]
            assert own.score == scores[number]
            summands = [contribution.contribution for contribution in own.contributions]
            assert math.fsum([*summands, own.intercept]) == pytest.approx(own.score, abs=1e-12 * max(1, abs(own.score)))
            in_order = own.in_order()
            assert list(in_order) == sorted(
                own.contributions, key=lambda contribution: model.terms_.index(contribution.term)
            )
            total = in_order[0].contribution if in_order else own.intercept
            for contribution in in_order[1:]:
                total += contribution.contribution
            assert total + (own.intercept if in_order else 0) == own.score  # to the last bit
        if model.thresholds_ is None and n_classes == 2:
            first, second = (explanation[name] for name in model.classes_.tolist())
            if model.model_.scorer.n_outputs == 1:
                assert second.score == decision_row[0]
                assert (first.score, first.intercept) == (-second.score, -second.intercept)
            else:
                assert second.score - first.score == decision_row[0]
        else:
            assert [explanation[name].score for name in model.classes_.tolist()] == decision_row.tolist()
        json.dumps(explanation.to_dict())


def test_explanations_are_sorted_and_have_known_terms_only() -> None:
    case = small_texts()
    model = plain_categorizer(n_terms=20).fit(case.texts, case.labels)
    explanation = model.explain("sail sail oven unheard-of the SAIL")
    best = explanation.classes[0]
    assert best.label == explanation.predicted == "boat"
    assert [class_explanation.score for class_explanation in explanation.classes] == sorted(
        (class_explanation.score for class_explanation in explanation.classes), reverse=True
    )
    top = best.contributions[0]
    assert (top.term, top.count) == ("sail", 3)
    assert top.contribution > 0
    assert {contribution.term for contribution in best.contributions} <= {"sail", "oven", "the"}
    assert best.threshold is None
    sizes = [abs(contribution.contribution) for contribution in best.contributions]
    assert sizes == sorted(sizes, reverse=True)


def test_explanations_of_multilabel_models_have_thresholds() -> None:
    case = small_texts(multilabel=True)
    model = plain_categorizer(n_terms=20).fit(case.texts, case.label_sets)
    explanation = model.explain(case.texts[0])
    assert model.thresholds_ is not None
    for name, threshold in zip(model.classes_.tolist(), model.thresholds_.tolist(), strict=True):
        assert explanation[name].threshold == threshold
        assert (name in explanation.predicted) == (explanation[name].score >= threshold)  # type: ignore[operator]


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_the_strongest_terms_of_a_class_are_its_own(classifier: str) -> None:
    case = small_texts(n=120)
    model = plain_categorizer(classifier=classifier, n_terms=20).fit(case.texts, case.labels)
    best = model.class_terms(3)
    assert {term for term, _ in best["boat"]} <= {"sail", "harbour", "wind", "deck", "oar"}
    assert {term for term, _ in best["cook"]} <= {"salt", "oven", "spoon", "butter", "rice"}
    for terms in best.values():
        assert len(terms) == 3
        assert [strength for _, strength in terms] == sorted((strength for _, strength in terms), reverse=True)
