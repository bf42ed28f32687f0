"""Sample weights of the categorizer: a text of weight 3 counts like three texts, from counting to the model."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from tests.reference.categorizer_cases import plain_categorizer
from tests.reference.weight_cases import BAD_WEIGHTS

from textsieve import Categorizer, InputError, read

WORDS = [f"{letter}{number}" for letter in "abc" for number in range(12)]
CLASSES = ("first", "second", "third")

Some = tuple[list[str], list[Any]]


def texts(seed: int, n: int) -> Some:
    """Return texts in which a word of their class is four times as likely as another word, and the classes."""
    random = np.random.default_rng(seed)
    numbers = random.integers(3, size=n)
    chances = np.where(np.arange(36) // 12 == numbers[:, None], 4.0, 1.0)
    generated = [" ".join(random.choice(WORDS, random.integers(2, 12), p=own / own.sum()).tolist()) for own in chances]
    return generated, [CLASSES[number] for number in numbers]


TEXTS, LABELS = texts(0, 70)
OTHERS, TRUE = texts(1, 40)
WEIGHTS = np.random.default_rng(2).integers(0, 4, 70)
COPIES = np.repeat(np.arange(70), WEIGHTS).tolist()
REPEATED, THEIR_LABELS = [TEXTS[at] for at in COPIES], [LABELS[at] for at in COPIES]
SETS = [[label] if at % 4 else [label, "fourth"] for at, label in enumerate(LABELS)]
TIGHT: dict[str, Any] = {"svm": {"tol": 1e-9}, "logistic": {"tol": 1e-10}}
unknown = pytest.mark.filterwarnings("ignore:.*none of the selected terms")

SETTINGS: list[dict[str, Any]] = [
    {},
    {"n_terms": 9, "min_df": 6, "max_df": 0.5},
    {"n_terms": 8, "selector": "chi"},
    {"n_terms": 10, "selector": "ig", "selector_options": {"pooling": "round-robin"}},
    {"n_terms": 12, "idf": "plain"},
]


@unknown
@pytest.mark.parametrize("classifier", ["svm", "logistic", "nb", "cnb", "rocchio", "subspace"])
@pytest.mark.parametrize("settings", SETTINGS, ids=repr)
def test_whole_weights_equal_repetition(classifier: str, settings: dict[str, Any]) -> None:
    fresh: dict[str, Any] = {"classifier": classifier, "classifier_options": TIGHT.get(classifier), **settings}
    once = plain_categorizer(**fresh).fit(TEXTS, LABELS, sample_weight=WEIGHTS)
    often = plain_categorizer(**fresh).fit(REPEATED, THEIR_LABELS)
    assert once.terms_ == often.terms_
    assert (once.model_.class_docs, once.model_.fallback) == (often.model_.class_docs, often.model_.fallback)
    scores, others = once.decision_function(OTHERS), often.decision_function(OTHERS)
    if classifier in ("nb", "cnb", "rocchio"):
        assert scores.tobytes() == others.tobytes()
    np.testing.assert_allclose(scores, others, rtol=0, atol=1e-6)
    assert once.predict(OTHERS).tolist() == often.predict(OTHERS).tolist()


@unknown
@pytest.mark.parametrize("classifier", ["svm", "nb", "rocchio"])
def test_several_labels_with_whole_weights_equal_repetition(classifier: str) -> None:
    cut: dict[str, Any] = {"cut": "rcut", "cut_options": {"ranks": 1}}  # needs no held-out documents
    fresh: dict[str, Any] = {
        "classifier": classifier,
        "classifier_options": TIGHT.get(classifier),
        "n_terms": 10,
        **cut,
    }
    once = plain_categorizer(**fresh).fit(TEXTS, SETS, sample_weight=WEIGHTS)
    often = plain_categorizer(**fresh).fit(REPEATED, [SETS[at] for at in COPIES])
    assert once.terms_ == often.terms_
    scores, others = once.predict_scores(OTHERS).scores, often.predict_scores(OTHERS).scores
    np.testing.assert_allclose(scores, others, rtol=0, atol=1e-6)


def test_texts_of_weight_0_change_nothing() -> None:
    weights = [1] * 70 + [0, 0]
    more = ["onlyhere onlyhere a1", "neverelse b2"]
    once = plain_categorizer(classifier="nb").fit([*TEXTS, *more], [*LABELS, "another", "first"], sample_weight=weights)
    without = plain_categorizer(classifier="nb").fit(TEXTS, LABELS)
    assert once.classes_.tolist() == without.classes_.tolist()
    assert once.terms_ == without.terms_
    assert once.decision_function(OTHERS).tobytes() == without.decision_function(OTHERS).tobytes()


@unknown
@pytest.mark.parametrize("classifier", ["svm", "nb", "rocchio"])
@pytest.mark.parametrize("total", [1.0, 12345.6])
def test_weights_of_any_total_train_a_model(classifier: str, total: float, tmp_path: Path) -> None:
    weights = np.random.default_rng(3).random(70)
    weights *= total / weights.sum()
    trained = plain_categorizer(classifier=classifier, n_terms=20).fit(TEXTS, LABELS, sample_weight=weights)
    assert trained.score(OTHERS, TRUE) > 0.6
    assert sum(trained.model_.class_docs) == 70  # a model file stores numbers of documents, not sums of weights
    trained.save(tmp_path / "m.sieve")
    again = Categorizer.load(tmp_path / "m.sieve")
    assert again.predict(OTHERS).tolist() == trained.predict(OTHERS).tolist()


def test_limits_with_fractional_weights() -> None:
    some, labels, weights = ["both one", "both two", "both one"], ["a", "b", "a"], [0.25, 1.5, 0.25]
    rare = plain_categorizer(classifier="nb", n_terms="all", min_df=1).fit(some, labels, sample_weight=weights)
    assert set(rare.terms_) == {"both", "one", "two"}  # the weights of "one" add up to 0.5, but it is in a text
    common = plain_categorizer(classifier="nb", n_terms="all", min_df=1.0).fit(some, labels, sample_weight=weights)
    assert common.terms_ == ["both"]  # 1.0 is a share: all texts


def test_a_larger_weight_changes_the_prediction() -> None:
    """Of three equal texts, two are "wet" and one is "grey"; a weight of 2.5 makes "grey" win."""
    given, labels = ["rain rain", "rain rain", "rain rain", "sun"], ["wet", "wet", "grey", "dry"]
    plain = plain_categorizer(classifier="nb").fit(given, labels)
    weighted = plain_categorizer(classifier="nb").fit(given, labels, sample_weight=[1, 1, 2.5, 1])
    assert plain.predict(["rain"]).tolist() == ["wet"]
    assert weighted.predict(["rain"]).tolist() == ["grey"]


# -- tuning on held-out documents ---------------------------------------------------------------------------------


@unknown
def test_tuning_accepts_weights() -> None:
    weights = 0.25 + WEIGHTS
    tuned = plain_categorizer(n_terms="auto", probabilities="sigmoid", held_out=0.3, folds=3)
    tuned.fit(TEXTS, LABELS, sample_weight=weights)
    assert np.isfinite(tuned.predict_proba(OTHERS)).all()
    assert tuned.held_out_ is not None
    assert 0.0 < tuned.held_out_["share"] < 1.0
    multilabel = plain_categorizer(n_terms=20, folds=3).fit(TEXTS, SETS, sample_weight=weights)
    assert multilabel.thresholds_ is not None
    assert np.isfinite(multilabel.thresholds_).all()


@unknown
def test_a_common_whole_weight_changes_neither_folds_nor_thresholds() -> None:
    """All folds get the same documents, and all documents have the same weight."""
    settings: dict[str, Any] = {
        "selector": "ig",
        "classifier": "rocchio",
        "n_terms": 20,
        "folds": 3,
        "idf": "none",
        "cut": "scut",
    }
    plain = plain_categorizer(**settings).fit(TEXTS, SETS)
    double = plain_categorizer(**settings).fit(TEXTS, SETS, sample_weight=[2] * 70)
    assert plain.thresholds_ is not None
    assert double.thresholds_ is not None
    np.testing.assert_allclose(double.thresholds_, plain.thresholds_, rtol=1e-9)


# -- score, evaluate, update ---------------------------------------------------------------------------------------


@unknown
def test_score_and_report_with_weights_are_those_of_repeated_texts() -> None:
    trained = plain_categorizer(n_terms=10).fit(TEXTS, LABELS)
    times = np.random.default_rng(4).integers(0, 4, 40)
    copies = np.repeat(np.arange(40), times).tolist()
    often = [OTHERS[at] for at in copies], [TRUE[at] for at in copies]
    assert trained.evaluate(OTHERS, TRUE, sample_weight=times) == trained.evaluate(*often)
    assert trained.score(OTHERS, TRUE, sample_weight=times) == trained.score(*often)
    assert trained.score(OTHERS, TRUE, sample_weight=times * 0.1) == pytest.approx(trained.score(*often))
    assert trained.score(OTHERS, TRUE, sample_weight=[1] * 40) == trained.score(OTHERS, TRUE)


@unknown
@pytest.mark.parametrize("classifier", ["nb", "rocchio"])
def test_updates_with_weights_are_those_of_repeated_texts(classifier: str, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"classifier": classifier, "n_terms": 15, "keep_stats": True}
    once = plain_categorizer(**settings).fit(TEXTS, LABELS, sample_weight=WEIGHTS)
    often = plain_categorizer(**settings).fit(REPEATED, THEIR_LABELS)
    times = np.random.default_rng(5).integers(0, 3, 40)
    copies = np.repeat(np.arange(40), times).tolist()
    once.save(tmp_path / "m.sieve")
    once = Categorizer.load(tmp_path / "m.sieve").update(OTHERS, TRUE, sample_weight=times)
    often.update([OTHERS[at] for at in copies], [TRUE[at] for at in copies])
    assert once.decision_function(OTHERS).tobytes() == often.decision_function(OTHERS).tobytes()
    assert once.model_.class_docs == often.model_.class_docs
    assert once.model_.about["n_documents"] == often.model_.about["n_documents"]
    with pytest.raises(InputError, match=r"use whole numbers"):
        once.update(OTHERS, TRUE, sample_weight=times + 0.5)


# -- invalid weights -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", BAD_WEIGHTS)
def test_invalid_weights_raise(kind: str) -> None:
    weights, message = BAD_WEIGHTS[kind]
    given = ["a1 a2", "b1 b2", "a1 a3"], ["x", "y", "x"]
    with pytest.raises(InputError, match=message):
        plain_categorizer().fit(*given, sample_weight=weights)
    trained = plain_categorizer(classifier="nb", keep_stats=True).fit(*given)
    with pytest.raises(InputError, match=message):
        trained.score(*given, sample_weight=weights)
    with pytest.raises(InputError, match=message):
        trained.update(*given, sample_weight=weights)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"classifier": "tcfp"}, r"sample_weight: the classifier TCFP\(\) takes no weights of documents; use svm"),
        ({"classifier": "knn"}, r"sample_weight: the classifier CosineKNN\(\) takes no weights"),
        ({"classifier": KNeighborsClassifier()}, r"KNeighborsClassifier\(\) takes no weights"),
        ({"projection": "centroid"}, "sample_weight: a projection takes no weights"),
    ],
    ids=["tcfp", "knn", "of a user", "projection"],
)
def test_classifiers_and_projections_without_weights_raise(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        plain_categorizer(**settings).fit(TEXTS, LABELS, sample_weight=WEIGHTS)


def test_keeping_statistics_of_fractional_weights_raises() -> None:
    with pytest.raises(InputError, match=r"sample_weight with keep_stats: .*use whole numbers"):
        plain_categorizer(classifier="nb", keep_stats=True).fit(TEXTS, LABELS, sample_weight=WEIGHTS + 0.5)


@pytest.mark.parametrize("weight", [2**31, 10**18, 10**30])
def test_weights_too_large_for_statistics_raise(weight: int) -> None:
    weights: list[Any] = [1] * (len(TEXTS) - 1) + [weight]
    plain_categorizer(classifier="nb", n_terms=5).fit(TEXTS, LABELS, sample_weight=weights)
    categorizer = plain_categorizer(classifier="nb", n_terms=5, keep_stats=True)
    reason = r"sample_weight has the sum [\d.e+]+; with keep_stats the sum is at most 2,147,483,647\. Divide"
    with pytest.raises(InputError, match=reason):
        categorizer.fit(TEXTS, LABELS, sample_weight=weights)
    categorizer.fit(TEXTS, LABELS)
    with pytest.raises(InputError, match=reason):
        categorizer.update(TEXTS, LABELS, sample_weight=weights)


def test_an_update_beyond_the_limit_of_statistics_leaves_a_model_that_can_be_saved(tmp_path: Path) -> None:
    categorizer = plain_categorizer(classifier="nb", n_terms=5, keep_stats=True)
    weights = [2**30] + [1] * (len(TEXTS) - 1)
    categorizer.fit(TEXTS, LABELS, sample_weight=weights)
    with pytest.raises(InputError, match=r"1,073,\d+,\d+ more would be above the limit of 2,147,483,647; use smaller"):
        categorizer.update(TEXTS, LABELS, sample_weight=weights)
    categorizer.update(TEXTS, LABELS).save(tmp_path / "model.sieve")


def test_weights_of_a_corpus_raise(tmp_path: Path) -> None:
    lines = "".join(f"{label},{text}\n" for text, label in zip(TEXTS, LABELS, strict=True))
    (tmp_path / "texts.csv").write_text(f"label,text\n{lines}")
    corpus = read(tmp_path / "texts.csv")
    with pytest.raises(InputError, match="sample_weight: a corpus can't have sample weights"):
        plain_categorizer().fit(corpus, sample_weight=WEIGHTS)
    with pytest.raises(InputError, match="sample_weight: a corpus can't have sample weights"):
        plain_categorizer().fit(TEXTS, LABELS).score(corpus, sample_weight=WEIGHTS)


def test_a_single_text_raises() -> None:
    with pytest.raises(InputError, match="give an iterable of texts"):
        plain_categorizer().fit("a1 a2", ["x"], sample_weight=[1])
