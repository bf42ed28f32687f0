"""Probabilities of models with one label per document: the default, few documents, and agreement with labels."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.reference.categorizer_cases import small_texts

from textsieve import Categorizer, Corpus, InputError, load
from textsieve.prediction.records import Records
from textsieve.registry import CLASSIFIERS
from textsieve.training import tuning

CASE = small_texts(60)
OTHERS = [
    *CASE.texts,
    "nothing known",
    "",
    *(f"{one} {two}" for one, two in zip(CASE.texts, CASE.texts[7:], strict=False)),
]


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_labels_are_the_most_probable_classes(classifier: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {"classifier_options": {"n_estimators": 3}} if classifier == "subspace" else {}
    trained = Categorizer(n_terms=12, classifier=classifier, folds=2, **options).fit(CASE.texts, CASE.labels)
    trained.save(tmp_path / "m.sieve")
    for model in (trained, load(tmp_path / "m.sieve")):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*none of the selected terms")
            predictions = model.predict_scores(OTHERS)
        assert predictions.is_unknown.any()
        assert not predictions.is_unknown.all()
        probabilities = model.predict_proba(OTHERS)
        assert model.classes_[probabilities.argmax(axis=1)].tolist() == predictions.labels.tolist()
        records = list(Records(model.model_, 3).of(predictions))
        for text, label, record in zip(OTHERS, predictions.labels.tolist(), records, strict=True):
            explained = model.explain(text).classes
            order = [str(cls.label) for cls in explained]
            assert record["label"] == explained[0].label == label
            assert list(record["probabilities"]) == list(record["scores"]) == order[:3]
            assert list(record["probabilities"].values()) == [cls.probability for cls in explained[:3]]
            assert record["probability"] == max(record["probabilities"].values())


def test_probabilities_are_the_default_and_can_be_left_out() -> None:
    model = Categorizer(n_terms=12, folds=2).fit(CASE.texts, CASE.labels).model_
    assert model.calibration is not None
    assert model.about["confidence"]["documents"] == len(CASE.texts)
    without = Categorizer(n_terms=12, folds=2, probabilities=None).fit(CASE.texts, CASE.labels)
    assert without.model_.calibration is None
    assert without.model_.about["confidence"] is None
    assert "scoring held-out documents" not in without.seconds_


def test_multilabel_models_have_probabilities_only_on_demand() -> None:
    label_sets = [[label] for label in CASE.labels]
    assert Categorizer(n_terms=12, folds=2).fit(CASE.texts, label_sets).model_.calibration is None
    fitted = Categorizer(n_terms=12, folds=2, probabilities="sigmoid").fit(CASE.texts, label_sets).model_
    assert fitted.calibration is not None
    assert fitted.calibration.method == "sigmoid"


@pytest.mark.parametrize("labels", [["a", "b"] * 3, ["a"] * 24 + ["b"]], ids=["few documents", "a single document"])
def test_too_few_documents_give_a_model_without_probabilities(labels: list[str]) -> None:
    texts = [f"{label}{label} word{number}" for number, label in enumerate(labels)]
    model = Categorizer().fit(texts, labels)
    assert model.predict(["aa"]).tolist() == ["a"]
    assert not hasattr(model, "predict_proba")
    on_demand = Categorizer(probabilities="sigmoid", folds=2)
    if labels.count("b") > 1:
        assert on_demand.fit(texts, labels).predict_proba(["aa"])[0, 0] > 0.5
        return
    with pytest.raises(InputError, match="too few"):
        on_demand.fit(texts, labels)


def test_folds_are_scored_until_there_are_enough_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "ENOUGH_DOCUMENTS", 20)
    reports: list[Any] = []
    model = Categorizer(n_terms=12, folds=4).fit(CASE.texts, CASE.labels, progress=lambda *item: reports.append(item))
    assert [done for stage, done, _ in reports if stage == "scoring held-out documents" and done] == [1, 2]
    assert model.model_.about["confidence"]["documents"] == 30


def test_a_corpus_and_texts_have_the_same_probabilities() -> None:
    in_memory = Categorizer(n_terms=12, folds=2).fit(CASE.texts, CASE.labels)
    of_corpus = Categorizer(n_terms=12, folds=2).fit(Corpus.from_texts(CASE.texts, CASE.labels))
    assert in_memory.predict_proba(CASE.texts).tobytes() == of_corpus.predict_proba(CASE.texts).tobytes()


def test_a_weight_of_0_is_as_if_the_document_were_not_there() -> None:
    weights = np.ones(len(CASE.texts))
    settings: dict[str, Any] = {"n_terms": 12, "folds": 2, "idf": "none"}
    weighted = Categorizer(**settings).fit(
        [*CASE.texts, "odd"], [*CASE.labels, CASE.labels[0]], sample_weight=[*weights, 0]
    )
    plain = Categorizer(**settings).fit(CASE.texts, CASE.labels)
    np.testing.assert_allclose(weighted.predict_proba(CASE.texts), plain.predict_proba(CASE.texts), rtol=1e-9)


def test_updates_keep_labels_and_probabilities_together() -> None:
    settings: dict[str, Any] = {"n_terms": 3, "folds": 2, "classifier": "nb", "keep_stats": True}
    model = Categorizer(**settings).fit(CASE.texts, CASE.labels)
    before = model.model_.fallback_class
    other = next(label for label in model.classes_.tolist() if label != model.classes_[before])
    model.update(["unheard of"] * 99, [other] * 99)
    assert model.model_.fallback_class != before
    with pytest.warns(match="none of the selected terms"):
        assert model.predict([""]).tolist() == [other]
    assert model.classes_[model.predict_proba(["", *CASE.texts]).argmax(axis=1)][0] == other


def test_a_fold_that_can_not_be_trained_leaves_probabilities_out_with_a_warning() -> None:
    texts, labels = ["same"] * 23 + ["same other"], ["a", "b"] * 12
    with pytest.warns(UserWarning, match="The model has no probabilities, because no model could be trained without"):
        model = Categorizer(projection="centroid").fit(texts, labels)
    assert model.model_.calibration is None
    with pytest.raises(InputError, match="No direction raises the trace"):
        Categorizer(projection="centroid", probabilities="sigmoid").fit(texts, labels)
