"""Documents of every kind: empty, without known terms, as streams, as corpora, and invalid ones."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.reference.categorizer_cases import plain_categorizer, small_texts

from textsieve import Categorizer, Corpus, InputError, read

CASE = small_texts()


@pytest.fixture(scope="module")
def model() -> Categorizer:
    return plain_categorizer(n_terms=20).fit(CASE.texts, CASE.labels)


# -- documents without known terms ---------------------------------------------------------------------------------


@pytest.mark.parametrize("classifier", ["svm", "nb", "rocchio"])
@pytest.mark.parametrize("label_format", ["single", "sets", "matrix"])
def test_documents_without_a_selected_term_get_the_most_frequent_class(classifier: str, label_format: str) -> None:
    texts, names = [*CASE.texts, "lion cage lion"], [*CASE.labels, "cook"]
    labels: Any = {
        "single": names,
        "sets": [[name] for name in names],
        "matrix": np.array([[name == other for other in ("boat", "cook", "moon")] for name in names]).astype(int),
    }[label_format]
    model = plain_categorizer(n_terms=20, classifier=classifier).fit(texts, labels)
    expected: Any = {"single": ["cook"] * 3, "sets": [("cook",)] * 3, "matrix": [[0, 1, 0]] * 3}[label_format]
    strange = ["", "of unheard-of words", " \n\t !"]
    with pytest.warns(UserWarning, match=r"3 of 4 documents are empty or have none of the selected terms") as caught:
        predicted = model.predict([*strange, "sail sail sail harbour"])
    assert caught[0].filename == __file__
    assert (predicted.tolist() if hasattr(predicted, "tolist") else predicted)[:3] == expected
    with pytest.warns(UserWarning, match=r"they get the most frequent class") as caught:
        predictions = model.predict_scores(strange)
    assert caught[0].filename == __file__
    assert predictions.n_unknown == 3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.decision_function(strange)
        assert model.evaluate(strange, labels[:3]).unknown == 3
        explanation = model.explain("")
    assert explanation.predicted == {"single": "cook", "sets": ("cook",), "matrix": (1,)}[label_format]
    assert all(class_explanation.contributions == () for class_explanation in explanation.classes)


def test_the_fallback_of_equally_frequent_classes_is_the_first() -> None:
    model = plain_categorizer().fit(["sail", "salt", "sail", "salt"], ["b", "a", "b", "a"])
    with pytest.warns(UserWarning, match="'a'"):
        assert model.predict(["strange"]).tolist() == ["a"]


def test_empty_training_documents_are_accepted_unless_all_are_empty(model: Categorizer) -> None:
    texts, labels = [*CASE.texts, "", "  ", "!"], [*CASE.labels, "boat", "cook", "moon"]
    assert plain_categorizer(n_terms=20).fit(texts, labels).score(CASE.texts, CASE.labels) > 0.8
    with pytest.raises(InputError, match="None of the 4 documents has a term"):
        plain_categorizer().fit(["", " ", "a", "!"], ["x", "y", "x", "y"])


def test_a_class_may_have_empty_documents_only() -> None:
    model = plain_categorizer().fit(["sail wind", "wind", "", ""], ["a", "a", "b", "b"])
    assert model.classes_.tolist() == ["a", "b"]
    assert model.predict(["sail"]).tolist() == ["a"]


def test_predicting_no_documents_returns_empty_results(model: Categorizer) -> None:
    assert model.predict([]).tolist() == []
    assert model.predict_scores([]).scores.shape == (0, 3)
    assert model.decision_function([]).shape == (0, 3)
    multilabel = plain_categorizer(multilabel=True, n_terms=20).fit(CASE.texts, CASE.labels)
    assert multilabel.predict([]) == []


# -- few documents -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classifier", ["svm", "logistic", "nb", "cnb", "rocchio"])
def test_two_classes_of_one_document_each_can_be_trained(classifier: str) -> None:
    model = plain_categorizer(classifier=classifier).fit(["sail wind", "salt oven"], ["boat", "cook"])
    assert model.predict(["wind", "oven salt"]).tolist() == ["boat", "cook"]
    assert model.explain("wind").predicted == "boat"


@pytest.mark.parametrize("classifier", ["svm", "logistic", "nb", "cnb", "rocchio"])
def test_classes_of_a_single_document_can_be_trained(classifier: str) -> None:
    texts, labels = [*CASE.texts, "lion cage keeper", "zebra tusk"], [*CASE.labels, "zoo", "farm"]
    model = plain_categorizer(classifier=classifier, held_out=0.3, n_terms="auto").fit(texts, labels)
    assert model.classes_.tolist() == ["boat", "cook", "farm", "moon", "zoo"]
    assert model.score(CASE.texts, CASE.labels) > 0.7
    assert model.held_out_ is not None
    assert model.held_out_["documents"] == 18


def test_one_term_is_enough() -> None:
    model = plain_categorizer().fit(["sail"] * 3 + ["sail sail sail sail x1"] * 3, ["a"] * 3 + ["b"] * 3)
    assert model.terms_[0] == "x1"
    single_term = plain_categorizer(n_terms=1).fit(["sail", "sail", "sail x1", "x1"], ["a", "a", "b", "b"])
    assert single_term.terms_ == ["x1"]
    assert single_term.predict(["x1"]).tolist() == ["b"]


# -- collections and streams -------------------------------------------------------------------------------------


def test_streams_equal_lists(model: Categorizer) -> None:
    other = plain_categorizer(n_terms=20).fit((text for text in CASE.texts), (label for label in CASE.labels))
    assert other.terms_ == model.terms_
    assert other.predict(iter(CASE.texts)).tolist() == model.predict(CASE.texts).tolist()
    assert other.score(iter(CASE.texts), iter(CASE.labels)) == model.score(CASE.texts, CASE.labels)
    assert other.decision_function(map(str, CASE.texts)).tobytes() == model.decision_function(CASE.texts).tobytes()


@pytest.mark.parametrize(
    "container", [tuple, np.array, pl.Series, lambda texts: np.array(texts, object), set, dict.fromkeys]
)
def test_any_collection_of_documents_is_accepted(container: Any) -> None:
    """All terms are used: the order of a set is random, and some documents might have none of 20 selected terms."""
    texts = list(dict.fromkeys(CASE.texts))
    given = container(texts)
    assert plain_categorizer(selector=None).fit(given, ["a", "b"] * (len(texts) // 2)).predict(given).shape == (
        len(texts),
    )


def test_bytes_are_utf_8(model: Categorizer) -> None:
    assert model.predict([text.encode() for text in CASE.texts]).tolist() == model.predict(CASE.texts).tolist()
    assert model.explain(b"sail").predicted == model.explain("sail").predicted
    with pytest.raises(InputError, match="Document 1 is not utf-8"):
        model.predict([b"fine", b"\xff\xfe"])


def test_predictions_of_a_corpus_equal_those_of_its_texts(model: Categorizer) -> None:
    corpus = Corpus.from_texts(CASE.texts, CASE.labels)
    assert model.predict(corpus).tolist() == model.predict(CASE.texts).tolist()
    assert model.predict(Corpus.from_texts(CASE.texts)).tolist() == model.predict(CASE.texts).tolist()
    assert model.decision_function(corpus).tobytes() == model.decision_function(CASE.texts).tobytes()
    assert model.evaluate(corpus) == model.evaluate(CASE.texts, CASE.labels)


@pytest.mark.parametrize(
    ("documents", "words"),
    [
        ([], "There are no documents"),
        ("sail and wind", "Got a single string; give an iterable of documents, for example"),
        (b"sail and wind", "Got a single string"),
        (None, "documents is None; give an iterable of texts"),
        (7, "documents is 7"),
        (["sail", None], r"Document 1 is None \(NoneType\), not a text"),
        (["sail", 3.5], r"Document 1 is 3\.5"),
        ([["sail"], ["wind"]], r"Document 0 is \['sail'\]"),
        (pl.DataFrame({"text": ["sail"], "label": ["a"]}), "documents is a table with columns"),
    ],
)
def test_invalid_documents_raise(documents: Any, words: str, model: Categorizer) -> None:
    with pytest.raises(InputError, match=words):
        plain_categorizer().fit(documents, ["a", "b"])
    if not isinstance(documents, list) or documents:
        for call in (model.predict, model.decision_function, model.predict_scores):
            with pytest.raises(InputError, match=words):
                call(documents)


def test_evaluating_invalid_documents_raises(model: Categorizer) -> None:
    with pytest.raises(InputError, match="documents is 'sail'; give an iterable of texts"):
        model.evaluate("sail", ["a", "b", "c", "d"])
    with pytest.raises(InputError, match="2 documents but 1 labels"):
        model.evaluate(["sail", "salt"], ["boat"])
    with pytest.raises(InputError, match="No labels were given"):
        model.score(["sail"])
    with pytest.raises(InputError, match="documents is None"):
        model.evaluate(None, ["a"])  # type: ignore[arg-type]


def test_explaining_a_list_raises(model: Categorizer) -> None:
    with pytest.raises(InputError, match="give one text"):
        model.explain(["sail"])  # type: ignore[arg-type]


def test_fitting_vectors_raises(tmp_path: Path) -> None:
    path = tmp_path / "rows.svmlight"
    path.write_text("1 1:0.5 2:1\n2 1:1 3:2\n")
    with pytest.raises(InputError, match=r"holds vectors, not texts"):
        plain_categorizer().fit(read(path))


# -- evaluation ----------------------------------------------------------------------------------------------------


def test_evaluation_accepts_labels_unknown_to_the_model(model: Categorizer) -> None:
    report = model.evaluate([*CASE.texts, "lion cage sail", "oven"], [*CASE.labels, "zoo", None])
    assert report.labels == ["boat", "cook", "moon", "zoo"]
    assert report.rows()[3].recall == 0
    assert (report.documents, report.unlabelled) == (61, 1)
    assert report.confusion()[3][0] == 1
    assert model.score(CASE.texts, CASE.labels) == (model.predict(CASE.texts) == np.array(CASE.labels)).mean()
