"""A model that is updated in any parts and any order equals the model of all documents, to the last byte."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.naive_bayes import MultinomialNB
from tests.reference.categorizer_cases import plain_categorizer, small_texts
from tests.reference.updating_twin import learned_at_once, learned_by

from textsieve import Categorizer, Corpus, InputError
from textsieve.prediction import Model
from textsieve.training import counted_documents as training_documents
from textsieve.training.statistics import ClassSums, ClassVotes, Statistics
from textsieve.training.updating import similar_class

NAIVE_BAYES = {"classifier": "nb"}
TCFP = {"classifier": "tcfp"}
CASES: list[dict[str, Any]] = [
    NAIVE_BAYES,
    {"classifier": "nb", "class_weight": "balanced", "classifier_options": {"alpha": 0.5}},
    {"classifier": "nb", "class_weight": {"moon": 3.0}},
    {"classifier": "cnb", "class_weight": {"boat": 0.5}},
    {"classifier": "cnb", "classifier_options": {"norm": True}},
    {"classifier": "rocchio"},
    TCFP,
    {"classifier": "tcfp", "classifier_options": {"balance": True}},
    {"classifier": "cnb", "class_weight": "sqrt"},
]
FIRST = 40
CASE = {multilabel: small_texts(n=100, multilabel=multilabel) for multilabel in (False, True)}
EMPTY = ["", "the the", "unseen words alone"]


CLASSES = ["boat", "cook", "moon"]


class Frame:
    """The part of a pandas DataFrame that labels need; iterating over it yields the column names."""

    def __init__(self, rows: NDArray[np.int64], columns: Sequence[str] = CLASSES) -> None:
        self._rows, self.columns = rows.reshape(-1, len(columns)), columns
        self.shape = self._rows.shape

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self._rows

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)


class Collection:
    """Texts and their labels in one of the three formats; some have no label, some have no selected term."""

    def __init__(self, label_format: str, n: int = 100) -> None:
        case = CASE[label_format != "single"]
        self.label_format = label_format
        self.texts = [EMPTY[at % 3] if at % 11 == 5 else text for at, text in enumerate(case.texts[:n])]
        self.sets = [() if at % 13 == 7 else label_set for at, label_set in enumerate(case.label_sets[:n])]

    def labels(self, documents: Sequence[int]) -> Any:
        sets = [self.sets[at] for at in documents]
        if self.label_format == "single":
            return [label_set[0] if label_set else None for label_set in sets]
        if self.label_format == "matrix":
            return Frame(np.array([[int(label in labels) for label in CLASSES] for labels in sets]))
        return sets

    def some(self, documents: Sequence[int]) -> tuple[list[str], Any]:
        return [self.texts[at] for at in documents], self.labels(documents)


def start(case: dict[str, Any], label_format: str, **more: Any) -> Categorizer:
    model = plain_categorizer(
        **case, keep_stats=True, n_terms=10, cut="rcut", cut_options={"ranks": 1}, n_jobs=1, **more
    )
    return model.fit(*Collection(label_format).some(range(FIRST)))


LABEL_FORMATS = ("single", "sets", "matrix")
STARTED: dict[tuple[str, str], Categorizer] = {}
"""Models of the first documents by case and label format, trained when a test needs them."""


def again(case: dict[str, Any], label_format: str) -> Categorizer:
    """Return a model of the first documents that has not been updated."""
    key = str(case), label_format
    if key not in STARTED:
        STARTED[key] = start(case, label_format)
    ready = STARTED[key]
    copy = plain_categorizer(**ready.get_params())
    copy.model_, copy._statistics_ = ready.model_, ready._statistics_
    return copy


@given(
    case=st.sampled_from(CASES),
    label_format=st.sampled_from(LABEL_FORMATS),
    order=st.permutations(range(FIRST, 100)),
    n=st.integers(0, 60),
    cuts=st.lists(st.integers(0, 60), max_size=4),
)
def test_any_parts_in_any_order_equal_all_at_once(
    case: dict[str, Any], label_format: str, order: list[int], n: int, cuts: list[int]
) -> None:
    collection, model = Collection(label_format), again(case, label_format)
    added = order[:n]
    for part in np.split(np.array(added, np.int64), sorted(min(cut, n) for cut in cuts)):
        model.update(*collection.some(part.tolist()))
    all_documents = [*range(FIRST), *sorted(added)]
    texts, sets = [collection.texts[at] for at in all_documents], [collection.sets[at] for at in all_documents]
    assert learned_by(model.model_) == learned_at_once(model, texts, sets)


@pytest.mark.parametrize("label_format", LABEL_FORMATS)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_without_idf_it_is_a_model_of_all_documents_with_the_same_vocabulary(
    case: dict[str, Any], label_format: str
) -> None:
    """All terms are selected, and the first document has them all."""
    collection = Collection(label_format)
    usual: dict[str, Any] = {"keep_stats": True, "selector": None, "n_terms": "all", "idf": "none", "n_jobs": 1}
    cut: dict[str, Any] = {"cut": "rcut", "cut_options": {"ranks": 1}}
    everything = " ".join(collection.texts)
    collection.texts[0] = everything
    model = plain_categorizer(**case, **usual, **cut).fit(*collection.some(range(FIRST)))
    model.update(*collection.some(range(FIRST, 70))).update(*collection.some(range(70, 100)))
    whole = plain_categorizer(**case, **usual, **cut).fit(*collection.some(range(100)))
    assert set(model.terms_) == set(whole.terms_)
    at = [model.terms_.index(term) for term in whole.terms_]
    assert model.model_.scorer.stored_arrays()["coefficients"][at].tobytes() == (
        whole.model_.scorer.stored_arrays()["coefficients"].tobytes()
    )
    assert model.model_.class_docs == whole.model_.class_docs
    assert model.model_.fallback == whole.model_.fallback


def test_an_updated_model_equals_scikit_learn_on_all_documents() -> None:
    collection, model = Collection("single"), again(CASES[0], "single")
    model.update(*collection.some(range(FIRST, 100)))
    labelled = [at for at in range(100) if collection.sets[at]]
    texts, labels = collection.some(labelled)
    twin = MultinomialNB(alpha=0.01).fit(model.model_.rows(texts).matrix(), labels)
    assert np.allclose(model.model_.scorer.stored_arrays()["coefficients"].T, twin.feature_log_prob_, rtol=1e-6)
    assert np.allclose(model.model_.scorer.intercepts, twin.class_log_prior_)


def test_keeping_statistics_changes_nothing_of_the_model() -> None:
    for case in CASES:
        for label_format in LABEL_FORMATS:
            with_stats = start(case, label_format)
            plain = plain_categorizer(**with_stats.get_params() | {"keep_stats": False}).fit(
                *Collection(label_format).some(range(FIRST))
            )
            assert learned_by(with_stats.model_) == learned_by(plain.model_)
            assert plain._statistics_ is None


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_stream_keeps_the_same_statistics(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    collection = Collection("single")
    corpus = Corpus.from_texts(*collection.some(range(FIRST)))
    inside = plain_categorizer(**case, keep_stats=True, n_terms=10, selector="df").fit(corpus)
    monkeypatch.setattr(training_documents, "MAX_VALUES", 40)
    streamed = plain_categorizer(**case, keep_stats=True, n_terms=10, selector="df").fit(corpus)
    more = collection.some(range(FIRST, 100))
    assert learned_by(streamed.update(*more).model_) == learned_by(inside.update(*more).model_)
    assert statistics_bytes(streamed) == statistics_bytes(inside)


def statistics_bytes(model: Categorizer) -> bytes:
    from textsieve.modelfile.statistics import encode_statistics

    assert isinstance(model._statistics_, Statistics)
    section, arrays = encode_statistics(model._statistics_, model.model_)
    return repr(section).encode() + b"".join(arrays[name].tobytes() for name in sorted(arrays))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_statistics_do_not_depend_on_the_order_of_updates(case: dict[str, Any]) -> None:
    collection = Collection("single")
    at_once, in_parts = again(case, "single"), again(case, "single")
    at_once.update(*collection.some(range(FIRST, 100)))
    for part in (range(80, 100), range(FIRST, 50), range(50, 80)):
        in_parts.update(*collection.some(part))
    assert statistics_bytes(at_once) == statistics_bytes(in_parts)


def test_a_corpus_updates_a_model_like_its_texts() -> None:
    collection = Collection("single")
    texts, labels = collection.some(range(FIRST, 100))
    from_texts, from_corpus = again(CASES[0], "single"), again(CASES[0], "single")
    from_texts.update(texts, labels)
    from_corpus.update(Corpus.from_texts(texts, labels))
    assert learned_by(from_texts.model_) == learned_by(from_corpus.model_)


@pytest.mark.parametrize(
    "labels", [[1, 2, 3] * 10, [1.5, 2.5, 3.5] * 10, [True, False, True] * 10], ids=["whole", "broken", "truth"]
)
def test_labels_of_a_corpus_are_compared_as_text(labels: list[Any]) -> None:
    texts = small_texts(n=30).texts
    model = plain_categorizer(classifier="nb", keep_stats=True, n_jobs=1).fit(texts, labels)
    written = [str(label).lower() for label in labels]
    model.update(Corpus.from_texts(texts, written))
    assert model.model_.class_docs == tuple(2 * labels.count(label) for label in model.model_.classes)


def test_updates_keep_terms_and_settings_and_are_recorded() -> None:
    collection, model = Collection("sets"), start(CASES[0], "sets")
    before = model.model_
    model.update(*collection.some(range(FIRST, 60))).update(*collection.some(range(60, 61)))
    after = model.model_
    assert after.terms == before.terms
    assert after.idf is before.idf
    assert after.ranks == before.ranks
    assert after.settings == before.settings
    n_labelled = sum(bool(collection.sets[at]) for at in range(FIRST, 61))
    assert after.about["updated"] | {"last": ""} == {
        "documents": n_labelled,
        "times": 2,
        "last": "",
        "since_thresholds": n_labelled,
    }
    assert after.about["updated"]["last"] >= after.about["trained"]
    assert after.about["n_documents"] == 61


# -- invalid input -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ({"classifier": "svm"}, "the classifier 'svm' learns from the documents themselves"),
        ({"classifier": "knn"}, "use one of nb, cnb, rocchio, tcfp"),
        ({"classifier": MultinomialNB()}, r"the classifier MultinomialNB\(\) learns"),
        ({"classifier": "tcfp", "classifier_options": {"context": "best"}}, r"'tcfp' with \{'context': 'best'\}"),
        ({"classifier": "svm", "projection": "margin"}, "on the projection 'margin'"),
        (
            {"classifier": "svm", "class_weight": "balanced"},
            "the classifier 'svm' learns from the documents themselves",
        ),
        (
            {"classifier": "rocchio", "class_weight": "balanced"},
            "'balanced': the classifier 'rocchio' has no class weights",
        ),
        ({"classifier": "tcfp", "class_weight": {"a": 2.0}}, "use nb or cnb, or leave the weights out"),
        ({"classifier": "nb", "classifier_options": {"class_prior": np.ones(3) / 3}}, "class_prior=array"),
    ],
    ids=str,
)
def test_models_that_cannot_be_updated_raise_before_documents_are_read(case: dict[str, Any], words: str) -> None:
    def documents() -> Any:
        raise AssertionError("documents were read")
        yield

    with pytest.raises(InputError, match=rf"keep_stats=True.*{words}"):
        plain_categorizer(**case, keep_stats=True).fit(documents(), None)


def test_an_invalid_keep_stats_raises() -> None:
    no_answer: Any = "yes"
    with pytest.raises(InputError, match="keep_stats='yes'; use True, False or 'all'"):
        plain_categorizer(classifier="nb", keep_stats=no_answer).fit(["a"], ["b"])


def test_invalid_labels_of_an_update_raise_and_change_nothing() -> None:
    model = again(CASES[0], "single")
    before = model.model_
    with pytest.raises(InputError, match=r"There is no class 'sun' in the model; its classes are .*train again on all"):
        model.update(["sail"], ["sun"])
    with pytest.raises(InputError, match="There is no class 'sun' in the model"):
        model.update(Corpus.from_texts(["sail"], ["sun"]))
    with pytest.raises(InputError, match="2 labels"):
        model.update(["sail"], [["boat", "moon"]])
    with pytest.raises(InputError, match="are 2 labels, and the model gives one"):
        model.update(Corpus.from_texts(["sail"], [["boat", "moon"]]))
    with pytest.raises(InputError, match="No labels were given"):
        model.update(["sail"])
    assert model.model_ is before


def test_a_matrix_without_a_column_for_each_class_raises() -> None:
    model = again(CASES[0], "matrix")
    with pytest.raises(InputError, match="has 2 columns, and the model 3 classes"):
        model.update(["sail"], Frame(np.array([[1, 0]]), ["boat", "moon"]))


def test_updating_a_model_without_statistics_raises() -> None:
    model = plain_categorizer(classifier="nb").fit(*Collection("single").some(range(FIRST)))
    with pytest.raises(
        InputError, match="has no statistics that documents could be added to; train it with keep_stats"
    ):
        model.update(["sail"], ["boat"])


def test_merging_statistics_of_different_classifiers_raises() -> None:
    sums, votes = again(NAIVE_BAYES, "single")._statistics_, again(TCFP, "single")._statistics_
    assert isinstance(sums, Statistics)
    assert isinstance(sums.learned, ClassSums)
    assert isinstance(votes, Statistics)
    assert isinstance(votes.learned, ClassVotes)
    with pytest.raises(TypeError, match="different classifiers"):
        sums.merged(votes)


def model_of_classes(*classes: str) -> Model:
    texts = [f"text{number}" for number in range(len(classes))]
    return plain_categorizer(classifier="nb").fit(texts, list(classes)).model_


@pytest.mark.parametrize(
    ("label", "known"),
    [
        ("female", "male"),
        ("invalid", "valid"),
        ("non-fiction", "fiction"),
        ("returns-us", "returns-eu"),
        ("class b", "class a"),
        ("type ii", "type i"),
        ("type iii", "type ii"),
        ("billing_in", "billing_out"),
        ("phase 2", "phase 1"),
    ],
)
def test_labels_that_are_similar_on_purpose_are_no_typing_errors(label: str, known: str) -> None:
    assert similar_class(label, model_of_classes(known, "weather")) is None
    assert similar_class(known, model_of_classes(label, "weather")) is None


@pytest.mark.parametrize(
    ("label", "known"),
    [
        ("sprot", "sport"),
        ("Sport", "sport"),
        ("sports", "sport"),
        ("credit crad", "credit card"),
        ("technical suport", "technical support"),
        ("tecnical support", "technical support"),
        ("malee", "male"),
        ("type-i", "type i"),
    ],
)
def test_typing_errors_have_a_similar_class(label: str, known: str) -> None:
    assert similar_class(label, model_of_classes(known, "weather")) == known


def test_a_typing_error_is_found_beside_a_related_class() -> None:
    assert similar_class("invalid", model_of_classes("valid", "inwalid")) == "inwalid"
