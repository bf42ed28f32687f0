"""Cuts (rules that turn scores into label sets) and probabilities: fitted in training, stored in the model file."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.reference.categorizer_cases import plain_categorizer, small_texts, tables_of

from textsieve import InputError, load
from textsieve.evaluation import CurvePoint, PCut, RCut, SCut, SCutFBR, ZeroCut
from textsieve.evaluation.names import CUTS
from textsieve.text.counter import TermCounter
from textsieve.training.counted_documents import count_texts
from textsieve.training.plan import TrainingPlan
from textsieve.training.tuning import Tuning

MULTILABEL = small_texts(90, multilabel=True)
SINGLE = small_texts(90)
WAYS: dict[str, Any] = {
    "scut": SCut(),
    "scutfbr": SCutFBR(floor=0.9),
    "rcut": RCut(),
    "pcut": PCut(),
    "zero": ZeroCut(),
}
OPTIONS: dict[str, Any] = {"scutfbr": {"floor": 0.9}}


@cache
def held_out_scores(**settings: Any) -> tuple[Any, Any]:
    """Return the scores of held-out documents, and their classes as an indicator matrix."""
    plan = TrainingPlan.of(plain_categorizer(**settings).settings(), 1)
    limits: Any = {"min_df": 1, "max_df": 1.0}
    counted = count_texts(MULTILABEL.texts, MULTILABEL.label_sets, TermCounter(dtype=np.int32), limits, multilabel=None)
    return tables_of(Tuning(counted, plan, 4, lambda *_: None).held_out_scores(20))


def test_every_cut_is_tested() -> None:
    assert WAYS.keys() == CUTS.keys()


@pytest.mark.parametrize("cut", CUTS)
def test_cuts_are_fitted_on_held_out_scores(cut: str, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"n_terms": 20, "folds": 4, "cut": cut, "cut_options": OPTIONS.get(cut)}
    model = plain_categorizer(**settings).fit(MULTILABEL.texts, MULTILABEL.label_sets)
    rule = WAYS[cut].fit(*held_out_scores(n_terms=20)).rule_
    predictions = model.predict_scores(MULTILABEL.texts)
    expected = [tuple(model.classes_[row].tolist()) for row in rule(predictions.scores)]
    assert predictions.labels == expected
    assert (model.thresholds_ is None) == (cut == "rcut")
    assert model.model_.ranks == rule.ranks
    model.save(tmp_path / "model.sieve")
    again = load(tmp_path / "model.sieve")
    assert again.predict(MULTILABEL.texts) == expected
    assert again.cut == cut
    assert again.explain(MULTILABEL.texts[0]).predicted == expected[0]


def test_ranks_can_be_given() -> None:
    model = plain_categorizer(cut="rcut", cut_options={"ranks": 2}).fit(MULTILABEL.texts, MULTILABEL.label_sets)
    assert {len(labels) for labels in model.predict(MULTILABEL.texts)} == {2}


@pytest.mark.parametrize("options", [{"cut": "zero"}, {"cut": "rcut", "cut_options": {"ranks": 2}}])
def test_cuts_that_need_no_fitting_hold_out_no_documents(options: Any) -> None:
    stages: list[str] = []
    model = plain_categorizer(**options, n_terms=20)
    model.fit(MULTILABEL.texts, MULTILABEL.label_sets, progress=lambda stage, *_: stages.append(stage))
    assert "training" in stages
    assert "scoring held-out documents" not in stages


@pytest.mark.parametrize("classifier", ["svm", "logistic", "nb", "cnb", "subspace"])
def test_cut_zero_separates_each_class_from_the_rest(classifier: str) -> None:
    model = plain_categorizer(classifier=classifier, n_terms=20, cut="zero").fit(
        MULTILABEL.texts, MULTILABEL.label_sets
    )
    right = [
        set(predicted) == set(true)
        for predicted, true in zip(model.predict(MULTILABEL.texts), MULTILABEL.label_sets, strict=True)
    ]
    assert np.mean(right) > 0.5
    scores = model.predict_scores(MULTILABEL.texts).scores
    assert (scores < 0).any(axis=0).all()
    assert (scores > 0).any(axis=0).all()


@pytest.mark.parametrize(
    ("classifier", "options"),
    [("knn", None), ("knnfp", None), ("tcfp", None), ("rocchio", None), ("subspace", {"combine": "vote"})],
)
def test_cut_zero_raises_for_classifiers_without_a_border_at_0(classifier: str, options: Any) -> None:
    model = plain_categorizer(classifier=classifier, classifier_options=options, cut="zero")
    with pytest.raises(InputError, match=f"cut='zero': .*{classifier}.* no border at 0; use svm.*'scut'"):
        model.fit(MULTILABEL.texts, MULTILABEL.label_sets)


@pytest.mark.parametrize("classifier", ["svm", "nb", "rocchio"])
def test_single_label_probabilities_sum_to_1_and_are_stored(classifier: str, tmp_path: Path) -> None:
    model = plain_categorizer(n_terms=20, classifier=classifier, probabilities="auto").fit(SINGLE.texts, SINGLE.labels)
    probabilities = model.predict_proba(SINGLE.texts)
    assert probabilities.shape == (90, 3)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-12)
    assert ((probabilities >= 0) & (probabilities <= 1)).all()
    right = np.mean(model.classes_[probabilities.argmax(axis=1)] == np.array(SINGLE.labels))
    assert right > 0.8
    model.save(tmp_path / "model.sieve")
    assert load(tmp_path / "model.sieve").predict_proba(SINGLE.texts).tobytes() == probabilities.tobytes()


def test_probabilities_of_two_classes_ascend_with_the_decision_function() -> None:
    case = small_texts(60, 2)
    model = plain_categorizer(n_terms=15, probabilities="auto").fit(case.texts, case.labels)
    probabilities, decision = model.predict_proba(case.texts), model.decision_function(case.texts)
    assert probabilities.shape == (60, 2)
    order = np.argsort(decision, kind="stable")
    assert (np.diff(probabilities[order, 1]) >= -1e-12).all()


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_multilabel_probabilities_do_not_sum_to_1(method: str) -> None:
    model = plain_categorizer(n_terms=20, probabilities=method).fit(MULTILABEL.texts, MULTILABEL.label_sets)
    probabilities = model.predict_proba(MULTILABEL.texts)
    assert ((probabilities >= 0) & (probabilities <= 1)).all()
    assert not np.allclose(probabilities.sum(axis=1), 1)
    is_member = np.array([[label in labels for label in model.classes_] for labels in MULTILABEL.label_sets])
    assert probabilities[is_member].mean() > probabilities[~is_member].mean() + 0.3


def test_the_number_of_terms_is_tuned_with_the_given_cut() -> None:
    curves: list[list[CurvePoint] | None] = [
        plain_categorizer(n_terms="auto", cut=cut, folds=3, ngram_range=(1, 2))
        .fit(MULTILABEL.texts, MULTILABEL.label_sets)
        .curve_
        for cut in ("scut", "rcut")
    ]
    assert curves[0] != curves[1]


def test_invalid_cuts_and_calibrations_raise() -> None:
    for settings, words in (
        ({"cut": "best"}, "cut='best'; use one of scut, scutfbr, rcut, pcut, zero"),
        ({"cut": "rcut", "cut_options": {"floor": 1}}, "floor"),
        ({"probabilities": "platt"}, "probabilities='platt'"),
        ({"probabilities": True}, "probabilities=True"),
        ({"probabilities": "isotonic"}, "probabilities='isotonic': with one label per document, .*use 'auto'"),
    ):
        with pytest.raises(InputError, match=words):
            plain_categorizer(**settings).fit(SINGLE.texts, SINGLE.labels)
    with pytest.raises(InputError, match="trained without probabilities"):
        plain_categorizer(probabilities=None).fit(SINGLE.texts, SINGLE.labels).predict_proba(SINGLE.texts)
