"""Sets of labels and probabilities, from training to the model file."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.reference.categorizer_cases import small_texts, tables_of

from textsieve import Categorizer, InputError, load
from textsieve.evaluation import CurvePoint, PCut, RCut, SCut, SCutFBR, ZeroCut
from textsieve.evaluation.names import CALIBRATIONS, CUTS
from textsieve.text.counter import TermCounter
from textsieve.training.counted_documents import count_texts
from textsieve.training.plan import TrainingPlan
from textsieve.training.tuning import Tuning

SEVERAL = small_texts(90, multilabel=True)
ONE = small_texts(90)
WAYS: dict[str, Any] = {
    "scut": SCut(),
    "scutfbr": SCutFBR(floor=0.9),
    "rcut": RCut(),
    "pcut": PCut(),
    "zero": ZeroCut(),
}
OPTIONS: dict[str, Any] = {"scutfbr": {"floor": 0.9}}


def held_out_scores(**settings: Any) -> tuple[Any, Any]:
    """The scores of documents when they were held out, and which classes they are in."""
    plan = TrainingPlan.of(Categorizer(**settings).settings(), 1)
    limits: Any = {"min_df": 1, "max_df": 1.0}
    counted = count_texts(SEVERAL.texts, SEVERAL.label_sets, TermCounter(dtype=np.int32), limits, multilabel=None)
    return tables_of(Tuning(counted, plan, 4, lambda *_: None).held_out_scores(20))


def test_every_way_is_tested() -> None:
    assert WAYS.keys() == CUTS.keys()


@pytest.mark.parametrize("cut", CUTS)
def test_labels_are_cut_as_held_out_documents_say(cut: str, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"n_terms": 20, "folds": 4, "cut": cut, "cut_options": OPTIONS.get(cut)}
    model = Categorizer(**settings).fit(SEVERAL.texts, SEVERAL.label_sets)
    rule = WAYS[cut].fit(*held_out_scores(n_terms=20)).rule_
    found = model.predict_scores(SEVERAL.texts)
    expected = [tuple(model.classes_[row].tolist()) for row in rule(found.scores)]
    assert found.labels == expected
    assert (model.thresholds_ is None) == (cut == "rcut")
    assert model.model_.ranks == rule.ranks
    model.save(tmp_path / "model.sieve")
    again = load(tmp_path / "model.sieve")
    assert again.predict(SEVERAL.texts) == expected
    assert again.cut == cut
    assert again.explain(SEVERAL.texts[0]).predicted == expected[0]


def test_ranks_can_be_given() -> None:
    model = Categorizer(cut="rcut", cut_options={"ranks": 2}).fit(SEVERAL.texts, SEVERAL.label_sets)
    assert {len(labels) for labels in model.predict(SEVERAL.texts)} == {2}


@pytest.mark.parametrize("options", [{"cut": "zero"}, {"cut": "rcut", "cut_options": {"ranks": 2}}])
def test_what_needs_no_held_out_documents_holds_none_out(options: Any) -> None:
    stages: list[str] = []
    model = Categorizer(**options, n_terms=20)
    model.fit(SEVERAL.texts, SEVERAL.label_sets, progress=lambda stage, *_: stages.append(stage))
    assert "training" in stages
    assert "scoring held-out documents" not in stages


@pytest.mark.parametrize("classifier", ["svm", "logistic", "nb", "cnb", "subspace"])
def test_zero_is_the_border_of_each_class_against_the_rest(classifier: str) -> None:
    model = Categorizer(classifier=classifier, n_terms=20, cut="zero").fit(SEVERAL.texts, SEVERAL.label_sets)
    right = [
        set(found) == set(true) for found, true in zip(model.predict(SEVERAL.texts), SEVERAL.label_sets, strict=True)
    ]
    assert np.mean(right) > 0.5
    scores = model.predict_scores(SEVERAL.texts).scores
    assert (scores < 0).any(axis=0).all()
    assert (scores > 0).any(axis=0).all()


@pytest.mark.parametrize(
    ("classifier", "options"),
    [("knn", None), ("knnfp", None), ("tcfp", None), ("rocchio", None), ("subspace", {"combine": "vote"})],
)
def test_zero_is_refused_where_it_is_no_border(classifier: str, options: Any) -> None:
    model = Categorizer(classifier=classifier, classifier_options=options, cut="zero")
    with pytest.raises(InputError, match=f"cut='zero': .*{classifier}.* no border at 0; use svm.*'scut'"):
        model.fit(SEVERAL.texts, SEVERAL.label_sets)


@pytest.mark.parametrize("method", CALIBRATIONS)
@pytest.mark.parametrize("classifier", ["svm", "nb", "rocchio"])
def test_probabilities_of_one_label_sum_to_one_and_outlive_a_file(method: str, classifier: str, tmp_path: Path) -> None:
    model = Categorizer(n_terms=20, classifier=classifier, probabilities=method).fit(ONE.texts, ONE.labels)
    found = model.predict_proba(ONE.texts)
    assert found.shape == (90, 3)
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-12)
    assert ((found >= 0) & (found <= 1)).all()
    right = np.mean(model.classes_[found.argmax(axis=1)] == np.array(ONE.labels))
    assert right > 0.8
    model.save(tmp_path / "model.sieve")
    assert load(tmp_path / "model.sieve").predict_proba(ONE.texts).tobytes() == found.tobytes()


@pytest.mark.parametrize("method", CALIBRATIONS)
def test_probabilities_of_two_classes_go_with_the_decision(method: str) -> None:
    case = small_texts(60, 2)
    model = Categorizer(n_terms=15, probabilities=method).fit(case.texts, case.labels)
    found, decision = model.predict_proba(case.texts), model.decision_function(case.texts)
    assert found.shape == (60, 2)
    order = np.argsort(decision, kind="stable")
    assert (np.diff(found[order, 1]) >= -1e-12).all()


def test_probabilities_of_several_labels_stand_alone() -> None:
    model = Categorizer(n_terms=20, probabilities="sigmoid").fit(SEVERAL.texts, SEVERAL.label_sets)
    found = model.predict_proba(SEVERAL.texts)
    assert ((found >= 0) & (found <= 1)).all()
    assert not np.allclose(found.sum(axis=1), 1)
    is_member = np.array([[label in labels for label in model.classes_] for labels in SEVERAL.label_sets])
    assert found[is_member].mean() > found[~is_member].mean() + 0.3


def test_the_number_of_terms_is_chosen_with_the_cut_that_is_used() -> None:
    curves: list[list[CurvePoint] | None] = [
        Categorizer(n_terms="auto", cut=cut, folds=3, ngram_range=(1, 2)).fit(SEVERAL.texts, SEVERAL.label_sets).curve_
        for cut in ("scut", "rcut")
    ]
    assert curves[0] != curves[1]


def test_what_makes_no_sense_is_said() -> None:
    for settings, said in (
        ({"cut": "best"}, "cut='best'; use one of scut, scutfbr, rcut, pcut, zero"),
        ({"cut": "rcut", "cut_options": {"floor": 1}}, "floor"),
        ({"probabilities": "platt"}, "probabilities='platt'"),
        ({"probabilities": True}, "probabilities=True"),
    ):
        with pytest.raises(InputError, match=said):
            Categorizer(**settings).fit(ONE.texts, ONE.labels)
    with pytest.raises(InputError, match="trained without probabilities"):
        Categorizer().fit(ONE.texts, ONE.labels).predict_proba(ONE.texts)
