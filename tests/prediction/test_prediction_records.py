"""Predictions as records, which are one dict of plain values for each document."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from tests.reference.model_cases import documents, models, multilabel_model, small_model, two_classes

from textsieve.evaluation.calibration import Calibration
from textsieve.prediction import Model, as_written
from textsieve.prediction.records import KEYS, Records

TEXTS = ["goal goal market", "xyzzy", "straße"]


def records(model: Model, texts: list[str], n_scores: int | None = None) -> list[dict[str, Any]]:
    return list(Records(model, n_scores).of(model.predict(texts)))


def calibrated(model: Model) -> Model:
    n_classes = len(model.classes)
    return replace(
        model, calibration=Calibration("sigmoid", np.arange(n_classes + 1), np.ones(n_classes), np.zeros(n_classes))
    )


@given(models(), documents)
def test_records_equal_the_predictions(model: Model, texts: list[str]) -> None:
    predictions = model.predict(texts)
    made = list(Records(model, len(model.classes)).of(predictions))
    assert len(made) == len(texts)
    names = list(map(as_written, model.classes))
    for record, labels, scores, is_unknown in zip(
        made, model.label_sets(predictions.labels), predictions.scores, predictions.is_unknown, strict=True
    ):
        assert set(record) <= set(KEYS)
        assert (record["label"],) == labels if not model.multilabel else record["labels"] == list(labels)
        assert record.get("unknown", False) is bool(is_unknown)
        assert record["scores"] == dict(zip(names, scores.tolist(), strict=True))
        json.dumps(record)


def test_single_label_records_computed_by_hand() -> None:
    model = small_model()
    scores = model.scores(TEXTS)
    assert records(model, TEXTS) == [
        {"label": "sport", "score": scores[0, 2]},
        {"label": "money", "score": 0.25, "unknown": True},
        {"label": "city", "score": scores[2, 0]},
    ]
    best = records(model, TEXTS, 2)[1]
    assert best == {"label": "money", "score": 0.25, "scores": {"money": 0.25, "sport": -0.25}, "unknown": True}
    assert list(best["scores"]) == ["money", "sport"]
    assert records(model, TEXTS, 99)[1]["scores"] == {"money": 0.25, "sport": -0.25, "city": -0.5}


@pytest.mark.parametrize("has_label_matrix", [False, True])
def test_multilabel_records_computed_by_hand(has_label_matrix: bool) -> None:
    model = multilabel_model(has_label_matrix=has_label_matrix)
    scores = model.scores(TEXTS)
    assert records(model, TEXTS)[1:] == [
        {"labels": ["money"], "scores": {"money": 0.25}, "unknown": True},
        {"labels": ["city", "money"], "scores": {"city": scores[2, 0], "money": scores[2, 1]}},
    ]


def test_labels_keep_their_type_and_keys_are_text() -> None:
    (record,) = records(two_classes(), ["goal"], 2)
    assert record["label"] == 1
    assert type(record["label"]) is int
    assert record["scores"] == {"1": record["score"], "0": -record["score"]}


def test_records_have_probabilities_beside_scores() -> None:
    model = calibrated(small_model())
    predictions = model.predict(TEXTS)
    probable = model.probabilities(predictions.scores, predictions.is_unknown)
    assert [list(record) for record in records(model, TEXTS)] == [
        ["label", "score", "probability"],
        ["label", "score", "probability", "unknown"],
        ["label", "score", "probability"],
    ]
    whole = records(model, TEXTS, 1)
    assert [record["probability"] for record in whole] == [probable[0, 2], probable[1, 1], probable[2, 0]]
    assert whole[0]["probabilities"] == {"sport": probable[0, 2]}


def test_documents_without_known_terms_are_unknown() -> None:
    predictions = small_model().predict([*TEXTS, ""])
    assert predictions.is_unknown.tolist() == [False, True, False, True]
    assert predictions.n_unknown == 2
    assert type(predictions.n_unknown) is int
