"""Predictions equal those of the slow twin in every label format; unknown documents get the fallback class."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.categorizer_cases import plain_categorizer
from tests.reference.model_cases import documents, models, multilabel_model, small_model, two_classes
from tests.reference.model_twin import predicted, scored
from tests.reference.text_checks import path

from textsieve import InputError, load
from textsieve.classifiers.linear import LinearScorer
from textsieve.prediction import Model
from textsieve.prediction.records import Records

TEXTS = ["Goal! goal by the striker", "The market of New York", "", "nothing known", "a new of the york", "straße"]


def as_tuples(model: Model, labels: Any) -> list[tuple[Any, ...]]:
    """Return labels of any format as tuples of labels."""
    if not model.multilabel:
        return [(label,) for label in labels.tolist()]
    if not model.has_label_matrix:
        return list(labels)
    assert labels.dtype == np.int64
    assert set(np.unique(labels)) <= {0, 1}
    return [tuple(label for label, has in zip(model.classes, row, strict=True) if has) for row in labels.tolist()]


@given(models(), documents)
def test_predictions_equal_the_twin(model: Model, texts: list[str]) -> None:
    predictions = model.predict(texts)
    expected = [scored(model, text) for text in texts]
    assert predictions.scores.shape == (len(texts), len(model.classes))
    for row, right in zip(predictions.scores, expected, strict=True):
        np.testing.assert_allclose(row, right.scores, rtol=1e-9, atol=1e-9)
    assert predictions.n_unknown == sum(not any(document.weights.values()) for document in expected)
    assert np.array_equal(model.scores(texts), predictions.scores)
    clear = [at for at, document in enumerate(expected) if _is_clear(model, document.scores)]
    labels = as_tuples(model, predictions.labels)
    assert len(labels) == len(texts)
    assert [labels[at] for at in clear] == [predicted(model, texts[at]) for at in clear]


def _is_clear(model: Model, scores: list[float]) -> bool:
    """Return whether the last digits of the scores can't change the prediction."""
    if not model.multilabel:
        best, *others = sorted(scores, reverse=True)
        return not others or abs(best - others[0]) > 1e-6 * max(1.0, abs(best))
    assert model.thresholds is not None
    pairs = zip(scores, model.thresholds.tolist(), strict=True)
    return all(abs(score - limit) > 1e-6 * max(1.0, abs(score)) for score, limit in pairs)


@given(models(), documents, st.data())
def test_batches_threads_and_kernels_change_no_bit(model: Model, texts: list[str], data: st.DataObject) -> None:
    whole = model.predict(texts)
    cut = data.draw(st.integers(0, len(texts)))
    halves = [model.predict(texts[:cut]), model.predict(texts[cut:], n_jobs=2)]
    assert b"".join(half.scores.tobytes() for half in halves) == whole.scores.tobytes()
    with path("kernels"):
        by_kernels = model.predict(texts, n_jobs=2)
    assert by_kernels.scores.tobytes() == whole.scores.tobytes()
    assert as_tuples(model, by_kernels.labels) == as_tuples(model, whole.labels)
    assert sum(half.n_unknown for half in halves) == whole.n_unknown == by_kernels.n_unknown


def test_single_label_predictions_computed_by_hand() -> None:
    predictions = small_model().predict(TEXTS)
    assert predictions.labels.tolist() == ["sport", "city", "money", "money", "city", "city"]
    assert predictions.labels.dtype.kind == "U"
    assert predictions.n_unknown == 2
    assert predictions.scores[2].tolist() == [-0.5, 0.25, -0.25]


def test_multilabel_predictions_computed_by_hand() -> None:
    model = multilabel_model()
    labels = model.predict(TEXTS).labels
    assert labels == [("sport",), ("city", "money"), ("money",), ("money",), ("city", "money"), ("city", "money")]
    as_matrix = multilabel_model(has_label_matrix=True).predict(TEXTS).labels
    assert as_matrix.tolist() == [[0, 0, 1], [1, 1, 0], [0, 1, 0], [0, 1, 0], [1, 1, 0], [1, 1, 0]]


def test_a_multilabel_document_may_have_no_label() -> None:
    model = multilabel_model(thresholds=np.array([np.inf, 1e9, 50.0]))
    assert model.predict(["goal", "unheard of"]).labels == [(), ("money",)]
    assert model.explain("goal").predicted == ()


def test_a_score_at_the_threshold_is_enough() -> None:
    model = multilabel_model()
    score = model.scores(["goal market"])[0]
    assert multilabel_model(thresholds=score).predict(["goal market"]).labels == [model.classes]
    assert multilabel_model(thresholds=np.nextafter(score, 99)).predict(["goal market"]).labels == [()]


any_labels = pytest.mark.parametrize(
    "labels",
    [
        {"multilabel": False},
        {"multilabel": True, "thresholds": np.zeros(3)},
        {"multilabel": True, "has_label_matrix": True, "thresholds": np.zeros(3)},
    ],
    ids=["single label", "multilabel", "label matrix"],
)


@any_labels
def test_unknown_documents_get_the_most_frequent_class(labels: dict[str, Any]) -> None:
    for class_docs, expected in [((1, 2, 3), "sport"), ((4, 2, 4), "city"), ((0, 0, 0), "city")]:
        model = small_model(**labels, class_docs=class_docs)
        predictions = model.predict(["", "??", "new", "york new"])
        assert as_tuples(model, predictions.labels) == [(expected,)] * 4
        assert predictions.n_unknown == 4


@any_labels
def test_unknown_documents_get_the_fallback_class_if_there_is_one(labels: dict[str, Any]) -> None:
    for fallback, expected in enumerate(["city", "money", "sport"]):
        model = small_model(**labels, class_docs=(4, 2, 4), fallback=fallback)
        predictions = model.predict(["", "new york", "york new"])
        assert as_tuples(model, predictions.labels)[::2] == [(expected,)] * 2
        without = replace(model, fallback=None)
        assert as_tuples(model, predictions.labels)[1:2] == as_tuples(without, without.predict(["new york"]).labels)
        assert model.explain("").predicted == ((expected,) if model.multilabel else expected)


def test_of_equal_scores_the_first_class_is_predicted() -> None:
    equal = LinearScorer(np.ones((4, 3), np.float32), np.zeros(3))
    assert small_model(scorer=equal, class_docs=(1, 1, 9)).predict(["goal"]).labels.tolist() == ["city"]


def test_two_classes_share_one_output() -> None:
    model = two_classes()
    texts = ["goal", "market", "new york", ""]
    predictions = model.predict(texts)
    assert np.array_equal(predictions.scores[:, 0], -predictions.scores[:, 1])
    assert predictions.labels.tolist() == [1, 0, 0, 0]
    assert predictions.labels.dtype.kind == "i"
    assert np.array_equal(model.decision(texts), predictions.scores[:, 1])
    undecided = two_classes(scorer=LinearScorer(np.zeros((4, 1), np.float32), np.zeros(1)))
    assert undecided.predict(["goal"]).labels.tolist() == [0]


def test_decision_has_the_shape_of_scikit_learn() -> None:
    texts = ["goal", "market"]
    three = small_model()
    assert np.array_equal(three.decision(texts), three.scores(texts))
    scorer = LinearScorer(np.array([[1, 2], [3, -4], [5, 6], [7, 8]], np.float32), np.array([0.5, -0.5]))
    two_outputs = two_classes(scorer=scorer)
    scores = two_outputs.scores(texts)
    assert np.array_equal(two_outputs.decision(texts), scores[:, 1] - scores[:, 0])
    assert ((two_outputs.decision(texts) > 0) == (two_outputs.predict(texts).labels == 1)).all()
    two_labels = two_classes(scorer=scorer, multilabel=True, thresholds=np.zeros(2))
    assert np.array_equal(two_labels.decision(texts), scores)


@pytest.mark.parametrize(
    "classes",
    [
        ("a", "b", "c"),
        (1, 2, 3),
        (-1.5, 0.0, float("inf")),
        ("", "x\0", "x\0\0"),
        ("\ud800", "é", "北"),
        (0, 1, 10**30),
    ],
)
def test_predicted_labels_equal_the_classes(classes: tuple[Any, ...]) -> None:
    ordered = tuple(sorted(classes))
    best = LinearScorer(np.eye(4, 3, dtype=np.float32), np.zeros(3))
    model = small_model(classes=ordered, scorer=best)
    labels = model.predict(["goal", "market", "straße"]).labels
    assert labels.tolist() == list(ordered)
    assert [model.explain(text).predicted for text in ("goal", "market", "straße")] == list(ordered)


def test_booleans_stay_booleans() -> None:
    labels = two_classes(classes=(False, True)).predict(["goal", "market"]).labels
    assert labels.dtype == np.bool_
    assert labels.tolist() == [True, False]


def test_bytes_are_utf8() -> None:
    model = small_model()
    assert model.predict(["Straße".encode()]).labels.tolist() == model.predict(["Straße"]).labels.tolist()
    with pytest.raises(InputError, match="not utf-8"):
        model.predict(["Straße".encode("latin-1")])


@pytest.mark.parametrize("documents", ["goal", b"goal", None, 5, [None], [["goal"]]])
def test_invalid_documents_raise(documents: Any) -> None:
    with pytest.raises(InputError, match=r"iterable|not a text"):
        small_model().predict(documents)


def test_no_documents_give_no_predictions() -> None:
    for model in (small_model(), multilabel_model(), two_classes(), multilabel_model(has_label_matrix=True)):
        predictions = model.predict([])
        assert len(predictions.labels) == 0
        assert predictions.scores.shape == (0, len(model.classes))
        assert predictions.n_unknown == 0


def test_a_multilabel_model_needs_thresholds_or_ranks() -> None:
    with pytest.raises(InputError, match="A multilabel model needs a threshold for each class"):
        multilabel_model(thresholds=None).predict(["goal"])


def test_the_settings_of_the_tokenizer_are_used() -> None:
    accents = small_model(terms=("cafe", "market", "strasse", "new york"), strip_accents="unicode")
    assert accents.counts(["Café"]).indices.tolist() == [0]
    cased = small_model(terms=("Goal", "market", "straße", "new york"), lowercase=False)
    assert cased.counts(["goal", "Goal"]).sizes.tolist() == [0, 1]
    shout = small_model(lowercase=False, strip_accents=lambda text: text.replace("!", "goal"))
    assert shout.counts(["!"]).indices.tolist() == [0]


def test_n_grams_skip_stop_words() -> None:
    text = "new the york"
    assert small_model().counts([text]).indices.tolist() == [3]
    assert small_model(stop_words=frozenset()).counts([text]).indices.tolist() == []
    assert small_model(stop_words="english").counts(["new the york"]).indices.tolist() == [3]


def test_n_grams_longer_than_any_term_are_not_searched() -> None:
    """A model with n-grams of any length searches only n-grams as long as its longest term."""
    model = small_model(ngram_range=(1, 10**9))
    long_text = " ".join(f"word{number}" for number in range(3000)) + " new york"
    assert model.counts([long_text]).indices.tolist() == [3]
    assert small_model(ngram_range=(2, 10**9)).counts([long_text + " goal"]).indices.tolist() == [3]


@pytest.mark.parametrize("multilabel", [False, True])
@pytest.mark.parametrize(
    "classes",
    [(2, 3, 2**63), (-1, 3, 12345678901234567890), (2**63, 2**63 + 1, 2**64 - 1), (2, 3, 2**70), (1, 2**53 + 1, 2**62)],
    ids=str,
)
def test_large_numbers_stay_the_numbers_they_are(classes: tuple[int, ...], multilabel: bool, tmp_path: Path) -> None:
    """No integer type of numpy holds small numbers together with numbers from 2^63 on, so numpy would round them."""
    texts = ["alpha beta", "gamma delta", "eps zeta"]
    labels: list[Any] = [[label] for label in classes] if multilabel else list(classes)
    trained = plain_categorizer(classifier="nb", n_jobs=1).fit(texts * 5, labels * 5)
    trained.save(tmp_path / "a.sieve")
    expected = [(label,) for label in classes]
    for categorizer in (trained, load(tmp_path / "a.sieve")):
        model = categorizer.model_
        predictions = model.predict(texts)
        assert repr(model.label_sets(predictions.labels)) == repr(expected)
        assert repr(categorizer.classes_.tolist()) == repr(list(classes))
        recorded = [record["labels"] if multilabel else [record["label"]] for record in Records(model).of(predictions)]
        assert repr(recorded) == repr([[label] for label in classes])
