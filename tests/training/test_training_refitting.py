"""Thresholds are refitted on the documents of an update, with scores of models not trained on these documents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.reference.categorizer_cases import plain_categorizer, small_texts, tables_of
from tests.reference.model_cases import small_model
from tests.reference.updating_twin import learned_by, targets_of

from textsieve import Categorizer, InputError
from textsieve.evaluation import folds
from textsieve.evaluation.thresholds import cut_of
from textsieve.training.statistics import Statistics
from textsieve.training.updating import encode_label_sets, held_out_scores, is_stale, plan_for_update

CASE = small_texts(n=160, n_classes=4, multilabel=True)
FIRST, MORE = slice(60), slice(60, 160)
CLASSIFIERS = ["nb", "cnb", "rocchio", "tcfp"]


def trained(classifier: str, **more: Any) -> Categorizer:
    made = plain_categorizer(classifier=classifier, keep_stats=True, n_terms=15, n_jobs=1, **more)
    return made.fit(CASE.texts[FIRST], CASE.label_sets[FIRST])


def obvious_scores(model: Categorizer, texts: list[str], sets: list[tuple[str, ...]]) -> Any:
    """Return the scores of each fold by a model that is trained on all other documents."""
    plan = plan_for_update(model.settings(), 1)
    classes = model.model_.classes
    fold_of = folds([min(map(classes.index, own_labels)) for own_labels in sets], model.folds)
    scores = np.zeros((len(texts), len(classes)))
    for fold in range(model.folds):
        train = [at for at in range(len(texts)) if fold_of[at] != fold]
        learned = [*CASE.texts[FIRST], *(texts[at] for at in train)]
        labels = [*CASE.label_sets[FIRST], *(sets[at] for at in train)]
        rows = model.model_.rows(learned).matrix().astype(plan.dtype)
        scorer = plan.fit_weights(rows, targets_of(labels, model.model_))
        own = [at for at in range(len(texts)) if fold_of[at] == fold]
        scores[own] = scorer.scores(model.model_.rows([texts[at] for at in own]))
    return scores


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_scores_are_of_models_that_have_not_learned_the_document(classifier: str) -> None:
    model = trained(classifier)
    texts, sets = CASE.texts[MORE], CASE.label_sets[MORE]
    plan, targets = plan_for_update(model.settings(), 1), encode_label_sets(model.model_, sets)
    assert isinstance(model._statistics_, Statistics)
    scores = held_out_scores(model.model_, model._statistics_, plan, model.model_.rows(texts), targets, model.folds)
    assert np.array_equal(tables_of(scores)[0], obvious_scores(model, texts, sets))


@pytest.mark.parametrize("cut", ["pcut", "scut", "rcut"])
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_the_thresholds_are_fitted_on_these_scores(classifier: str, cut: str) -> None:
    model, plain = trained(classifier, cut=cut), trained(classifier, cut=cut)
    texts, sets = CASE.texts[MORE], CASE.label_sets[MORE]
    scores = obvious_scores(model, texts, sets)
    true = np.array([[label in own_labels for label in model.model_.classes] for own_labels in sets])
    rule = cut_of(cut, None).fit(scores, true).rule_
    model.update(texts, sets, fit_thresholds=True)
    plain.update(texts, sets)
    assert learned_by(model.model_) == learned_by(plain.model_)
    assert model.model_.ranks == rule.ranks
    if rule.thresholds is not None:
        assert model.thresholds_ is not None
        assert plain.thresholds_ is not None
        assert np.array_equal(model.thresholds_, rule.thresholds)
        assert not np.array_equal(plain.thresholds_, rule.thresholds)


def test_the_threshold_of_a_class_without_documents_stays() -> None:
    model = trained("nb")
    before = model.thresholds_
    documents = [at for at in range(60, 160) if "zoo" not in CASE.label_sets[at]]
    model.update([CASE.texts[at] for at in documents], [CASE.label_sets[at] for at in documents], fit_thresholds=True)
    assert before is not None
    assert model.thresholds_ is not None
    is_zoo = model.classes_ == "zoo"
    assert model.thresholds_[is_zoo] == before[is_zoo]
    assert (model.thresholds_[~is_zoo] != before[~is_zoo]).all()


@pytest.mark.parametrize(("since", "expected"), [(0, False), (10, False), (11, True)])
def test_thresholds_are_stale_after_more_than_a_tenth_of_their_documents(since: int, expected: bool) -> None:
    about = {
        "n_documents": 100 + since,
        "updated": {"documents": since, "times": 1, "last": "", "since_thresholds": since},
    }
    assert is_stale(small_model(about=about)) is expected


def test_the_number_of_documents_since_thresholds_were_fitted_is_stored() -> None:
    model = trained("nb")
    model.update(CASE.texts[60:65], CASE.label_sets[60:65])
    assert model.model_.about["updated"]["since_thresholds"] == 5
    assert not is_stale(model.model_)
    model.update(CASE.texts[65:80], CASE.label_sets[65:80])
    assert model.model_.about["updated"]["since_thresholds"] == 20
    assert is_stale(model.model_)
    model.update(CASE.texts[80:100], CASE.label_sets[80:100], fit_thresholds=True)
    assert model.model_.about["updated"]["since_thresholds"] == 0
    assert model.model_.about["updated"]["documents"] == 40
    assert not is_stale(model.model_)


@pytest.mark.parametrize("more", [{"cut": "zero"}, {"cut": "rcut", "cut_options": {"ranks": 1}}], ids=str)
def test_refitting_a_cut_without_fitted_values_raises(more: dict[str, Any]) -> None:
    model = trained("nb", **more)
    before = model.model_
    with pytest.raises(InputError, match="fit_thresholds=True: this model has no thresholds or ranks that were fitted"):
        model.update(CASE.texts[MORE], CASE.label_sets[MORE], fit_thresholds=True)
    assert model.model_ is before


def test_refitting_a_single_label_model_raises() -> None:
    model = plain_categorizer(classifier="nb", keep_stats=True).fit(CASE.texts, CASE.labels)
    with pytest.raises(InputError, match="nothing to refit"):
        model.update(CASE.texts, CASE.labels, fit_thresholds=True)


def test_refitting_on_too_few_documents_raises() -> None:
    with pytest.raises(InputError, match="fitting thresholds needs at least 10 labelled documents, not 9"):
        trained("nb").update(CASE.texts[60:69], CASE.label_sets[60:69], fit_thresholds=True)


@pytest.mark.parametrize("classifier", ["nb", "cnb", "rocchio"])
def test_the_thresholds_are_fitted_to_weighted_documents(classifier: str) -> None:
    model = trained(classifier)
    texts, sets = CASE.texts[MORE], CASE.label_sets[MORE]
    weights = np.arange(len(texts)) % 4 + 1
    plan, targets = plan_for_update(model.settings(), 1), encode_label_sets(model.model_, sets)
    assert isinstance(model._statistics_, Statistics)
    targets = targets.with_weights(weights.tolist())
    held_out = held_out_scores(model.model_, model._statistics_, plan, model.model_.rows(texts), targets, model.folds)
    scores, true = tables_of(held_out)
    rule = cut_of("pcut", None).fit(scores, true, weights).rule_
    model.update(texts, sets, fit_thresholds=True, sample_weight=weights)
    unweighted = cut_of("pcut", None).fit(scores, true).rule_
    assert model.thresholds_ is not None
    assert rule.thresholds is not None
    assert unweighted.thresholds is not None
    assert np.array_equal(model.thresholds_, rule.thresholds)
    assert not np.array_equal(model.thresholds_, unweighted.thresholds)
