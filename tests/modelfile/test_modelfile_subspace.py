"""Ensembles in a model file: votes with all members, the mean as one linear model; the same after loading."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.reference.categorizer_cases import plain_categorizer, small_texts

import textsieve
from textsieve import Categorizer
from textsieve.classifiers.linear import LinearScorer
from textsieve.ensembles.scorer import SubspaceScorer

CASE = small_texts()
MULTILABEL = small_texts(multilabel=True).label_sets


def trained(combine: str, labels: Any, **options: Any) -> Categorizer:
    settings = {"combine": combine, "n_estimators": 7, "n_terms": 0.5} | options
    return plain_categorizer(classifier="subspace", classifier_options=settings, n_terms=20).fit(CASE.texts, labels)


@pytest.mark.parametrize("labels", [CASE.labels, MULTILABEL], ids=["single label", "multilabel"])
@pytest.mark.parametrize(("combine", "scorer"), [("vote", SubspaceScorer), ("mean", LinearScorer)])
def test_a_loaded_ensemble_predicts_the_same(combine: str, scorer: type, labels: Any, tmp_path: Path) -> None:
    model = trained(combine, labels)
    assert type(model.model_.scorer) is scorer
    model.save(tmp_path / "a.sieve")
    again = textsieve.load(tmp_path / "a.sieve")
    before, after = model.predict_scores(CASE.texts), again.predict_scores(CASE.texts)
    assert after.scores.tobytes() == before.scores.tobytes()
    assert list(after.labels) == list(before.labels)
    again.save(tmp_path / "b.sieve")
    assert (tmp_path / "a.sieve").read_bytes() == (tmp_path / "b.sieve").read_bytes()


@pytest.mark.parametrize("labels", [CASE.labels, MULTILABEL], ids=["single label", "multilabel"])
@pytest.mark.parametrize("combine", ["vote", "mean"])
def test_an_explanation_adds_up_to_the_score(combine: str, labels: Any) -> None:
    model = trained(combine, labels)
    for text in CASE.texts[:5]:
        scores = model.predict_scores([text]).scores[0]
        by_label = {class_explanation.label: class_explanation for class_explanation in model.explain(text).classes}
        for label, score in zip(model.classes_.tolist(), scores, strict=True):
            parts = sum(contribution.contribution for contribution in by_label[label].contributions)
            assert parts + by_label[label].intercept == pytest.approx(score, abs=1e-9)


def test_votes_are_counted() -> None:
    """Each member that knows a term of a document has one vote; the share of a class adds at most half a vote."""
    every, some = (
        trained("vote", CASE.labels, n_terms=n_terms).predict_scores(CASE.texts).scores for n_terms in (1.0, 0.5)
    )
    assert (np.floor(every).sum(axis=1) == 7).all()
    assert set(np.floor(some).sum(axis=1)) > {6.0, 7.0}
    shares = [CASE.labels.count(label) / len(CASE.labels) / 2 for label in sorted(set(CASE.labels))]
    for scores in (every, some):
        assert scores - np.floor(scores) == pytest.approx(np.tile(shares, (len(scores), 1)))
