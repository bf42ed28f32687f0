"""Documents of which a model is not sure get no label, or the label of the setting, beside a best guess."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.reference.model_cases import multilabel_model, small_model, two_classes

from textsieve import Categorizer, InputError
from textsieve.evaluation.calibration import JointCalibration
from textsieve.prediction import Abstention, Model
from textsieve.prediction.records import Records

TEXTS = ["goal goal", "nothing known", "goal market"]


def calibrated() -> Model:
    """Return a small model with probabilities."""
    model = small_model()
    return replace(model, calibration=JointCalibration(1.0, -2.0, np.zeros(len(model.classes))))


def predict(model: Model, **settings: Any) -> list[Any]:
    labels: list[Any] = Categorizer.of_model(model).predict(TEXTS, **settings).tolist()
    return labels


def test_labels_below_the_minimum_and_unknown_documents_are_left_out() -> None:
    model = calibrated()
    predictions = model.predict(TEXTS)
    sure, _, unsure = model.label_probabilities(predictions).tolist()
    assert sure > unsure
    guesses = predictions.labels.tolist()
    minimum = (sure + unsure) / 2
    assert predict(model, min_probability=minimum) == [guesses[0], None, None]
    assert predict(model, min_probability=minimum, abstain_label="?") == [guesses[0], "?", "?"]
    assert predict(model, min_probability=unsure, abstain_label=0) == [guesses[0], 0, guesses[2]]
    assert predict(model, min_probability=0) == predict(model, min_probability=0.0) == [guesses[0], None, guesses[2]]
    assert predict(model, min_probability=1) == [None, None, None]


def test_only_an_abstain_label_leaves_out_unknown_documents_without_probabilities() -> None:
    guesses = small_model().predict(TEXTS).labels.tolist()
    assert predict(small_model(), abstain_label="none") == [guesses[0], "none", guesses[2]]


def test_a_numeric_abstain_label_keeps_an_array_of_numbers() -> None:
    labels = Categorizer.of_model(two_classes()).predict(["goal", ""], abstain_label=-1)
    assert labels.dtype.kind == "i"
    assert labels.tolist() == [1, -1]


def test_labels_stay_integers_if_some_are_too_large_for_a_signed_integer() -> None:
    model = replace(two_classes(), classes=(1, 2**63))
    for texts in (["goal", "market"], ["goal", "market", ""]):
        labels = Categorizer.of_model(model).predict(texts, abstain_label=-1).tolist()
        assert [(type(label), label) for label in labels[:2]] == [(int, 2**63), (int, 1)], texts


def test_records_have_the_best_guess() -> None:
    model = calibrated()
    plain = list(Records(model).of(model.predict(TEXTS)))
    minimum = plain[0]["probability"]
    records = list(Records(model, None, Abstention(minimum)).of(model.predict(TEXTS)))
    assert records[0] == plain[0]
    assert records[1] == {**plain[1], "label": None, "best_guess": plain[1]["label"]}
    assert list(records[2]) == ["label", "best_guess", "score", "probability"]
    with_scores = list(Records(model, 2, Abstention(minimum, "?")).of(model.predict(TEXTS)))
    assert with_scores[2]["label"] == "?"
    assert with_scores[2]["best_guess"] == next(iter(with_scores[2]["probabilities"]))


@pytest.mark.parametrize("minimum", [2, -0.1, float("nan"), "0.5", True])
def test_an_invalid_minimum_raises(minimum: Any) -> None:
    with pytest.raises(InputError, match=r"min_probability=.*use a number from 0 to 1"):
        predict(calibrated(), min_probability=minimum)


def test_models_that_can_not_abstain_raise() -> None:
    with pytest.raises(InputError, match=r"min_probability=0.5: this model has no probabilities"):
        predict(small_model(), min_probability=0.5)
    with pytest.raises(InputError, match=r"min_probability=0.5: a multilabel model"):
        predict(multilabel_model(), min_probability=0.5)
    with pytest.raises(InputError, match=r"abstain_label='x': a multilabel model"):
        predict(multilabel_model(), abstain_label="x")
    with pytest.raises(InputError, match=r"abstain_label=.*use a text, a number or None"):
        predict(calibrated(), abstain_label=["x"])


def test_an_evaluation_counts_certain_and_right_labels() -> None:
    model = calibrated()
    guesses = model.predict(TEXTS).labels.tolist()
    report = Categorizer.of_model(model).evaluate(TEXTS, [guesses[0], guesses[1], "wrong"])
    assert report.confidence is not None
    assert report.confidence.documents == 3
    first, *_ = report.confidence.rows()
    probabilities = model.label_probabilities(model.predict(TEXTS))
    n_certain = int((probabilities[[0, 2]] >= 0.5).sum())
    assert first == (0.5, n_certain / 3, 1 / n_certain)
    assert report.to_dict()["confidence"]["rows"][0]["min_probability"] == 0.5
    assert Categorizer.of_model(small_model()).evaluate(TEXTS, guesses).confidence is None
