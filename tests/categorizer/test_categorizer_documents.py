"""Documents of every kind: empty ones, unknown ones, streams of them, and what is none."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.reference.categorizer_cases import small_texts

from textsieve import Categorizer, Corpus, InputError, read

CASE = small_texts()


@pytest.fixture(scope="module")
def model() -> Categorizer:
    return Categorizer(n_terms=20).fit(CASE.texts, CASE.labels)


# -- documents that say nothing ------------------------------------------------------------------------------------


@pytest.mark.parametrize("classifier", ["svm", "nb", "rocchio"])
@pytest.mark.parametrize("label_format", ["single", "sets", "matrix"])
def test_documents_without_a_selected_term_get_the_most_frequent_class(classifier: str, label_format: str) -> None:
    texts, names = [*CASE.texts, "lion cage lion"], [*CASE.labels, "cook"]
    labels: Any = {
        "single": names,
        "sets": [[name] for name in names],
        "matrix": np.array([[name == other for other in ("boat", "cook", "moon")] for name in names]).astype(int),
    }[label_format]
    model = Categorizer(n_terms=20, classifier=classifier).fit(texts, labels)
    expected: Any = {"single": ["cook"] * 3, "sets": [("cook",)] * 3, "matrix": [[0, 1, 0]] * 3}[label_format]
    strange = ["", "of unheard-of words", " \n\t !"]
    with pytest.warns(UserWarning, match=r"3 of 4 documents are empty or have none of the selected terms") as told:
        predicted = model.predict([*strange, "sail sail sail harbour"])
    assert told[0].filename == __file__
    assert (predicted.tolist() if hasattr(predicted, "tolist") else predicted)[:3] == expected
    with pytest.warns(UserWarning, match=r"they get the most frequent class") as told:
        found = model.predict_scores(strange)
    assert told[0].filename == __file__
    assert found.n_unknown == 3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.decision_function(strange)
        assert model.evaluate(strange, labels[:3]).unknown == 3
        told_of = model.explain("")
    assert told_of.predicted == {"single": "cook", "sets": ("cook",), "matrix": (1,)}[label_format]
    assert all(each.contributions == () for each in told_of.classes)


def test_of_classes_of_equal_size_the_first() -> None:
    model = Categorizer().fit(["sail", "salt", "sail", "salt"], ["b", "a", "b", "a"])
    with pytest.warns(UserWarning, match="'a'"):
        assert model.predict(["strange"]).tolist() == ["a"]


def test_empty_documents_to_train_on(model: Categorizer) -> None:
    texts, labels = [*CASE.texts, "", "  ", "!"], [*CASE.labels, "boat", "cook", "moon"]
    assert Categorizer(n_terms=20).fit(texts, labels).score(CASE.texts, CASE.labels) > 0.8
    with pytest.raises(InputError, match="None of the 4 documents has a term"):
        Categorizer().fit(["", " ", "a", "!"], ["x", "y", "x", "y"])


def test_a_class_whose_documents_are_all_empty() -> None:
    model = Categorizer().fit(["sail wind", "wind", "", ""], ["a", "a", "b", "b"])
    assert model.classes_.tolist() == ["a", "b"]
    assert model.predict(["sail"]).tolist() == ["a"]


def test_nothing_to_predict(model: Categorizer) -> None:
    assert model.predict([]).tolist() == []
    assert model.predict_scores([]).scores.shape == (0, 3)
    assert model.decision_function([]).shape == (0, 3)
    multilabel = Categorizer(multilabel=True, n_terms=20).fit(CASE.texts, CASE.labels)
    assert multilabel.predict([]) == []


# -- few documents -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classifier", ["svm", "logistic", "nb", "cnb", "rocchio"])
def test_two_classes_of_one_document_each(classifier: str) -> None:
    model = Categorizer(classifier=classifier).fit(["sail wind", "salt oven"], ["boat", "cook"])
    assert model.predict(["wind", "oven salt"]).tolist() == ["boat", "cook"]
    assert model.explain("wind").predicted == "boat"


@pytest.mark.parametrize("classifier", ["svm", "logistic", "nb", "cnb", "rocchio"])
def test_classes_of_a_single_document(classifier: str) -> None:
    texts, labels = [*CASE.texts, "lion cage keeper", "zebra tusk"], [*CASE.labels, "zoo", "farm"]
    model = Categorizer(classifier=classifier, held_out=0.3, n_terms="auto").fit(texts, labels)
    assert model.classes_.tolist() == ["boat", "cook", "farm", "moon", "zoo"]
    assert model.score(CASE.texts, CASE.labels) > 0.7
    assert model.held_out_ is not None
    assert model.held_out_["documents"] == 18


def test_one_term_is_enough() -> None:
    model = Categorizer().fit(["sail"] * 3 + ["sail sail sail sail x1"] * 3, ["a"] * 3 + ["b"] * 3)
    assert model.terms_[0] == "x1"
    one = Categorizer(n_terms=1).fit(["sail", "sail", "sail x1", "x1"], ["a", "a", "b", "b"])
    assert one.terms_ == ["x1"]
    assert one.predict(["x1"]).tolist() == ["b"]


# -- documents as they come ----------------------------------------------------------------------------------------


def test_streams_of_documents(model: Categorizer) -> None:
    other = Categorizer(n_terms=20).fit((text for text in CASE.texts), (label for label in CASE.labels))
    assert other.terms_ == model.terms_
    assert other.predict(iter(CASE.texts)).tolist() == model.predict(CASE.texts).tolist()
    assert other.score(iter(CASE.texts), iter(CASE.labels)) == model.score(CASE.texts, CASE.labels)
    assert other.decision_function(map(str, CASE.texts)).tobytes() == model.decision_function(CASE.texts).tobytes()


@pytest.mark.parametrize(
    "container", [tuple, np.array, pl.Series, lambda texts: np.array(texts, object), set, dict.fromkeys]
)
def test_any_collection_of_documents(container: Any) -> None:
    """All terms are kept: a set has another order each time, and so other labels, and 20 terms might be in none."""
    texts = list(dict.fromkeys(CASE.texts))
    given = container(texts)
    assert Categorizer(selector=None).fit(given, ["a", "b"] * (len(texts) // 2)).predict(given).shape == (len(texts),)


def test_bytes_are_utf_8(model: Categorizer) -> None:
    assert model.predict([text.encode() for text in CASE.texts]).tolist() == model.predict(CASE.texts).tolist()
    assert model.explain(b"sail").predicted == model.explain("sail").predicted
    with pytest.raises(InputError, match="Document 1 is not utf-8"):
        model.predict([b"fine", b"\xff\xfe"])


def test_a_corpus_to_predict(model: Categorizer) -> None:
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
def test_what_is_no_documents(documents: Any, words: str, model: Categorizer) -> None:
    with pytest.raises(InputError, match=words):
        Categorizer().fit(documents, ["a", "b"])
    if not isinstance(documents, list) or documents:
        for call in (model.predict, model.decision_function, model.predict_scores):
            with pytest.raises(InputError, match=words):
                call(documents)


def test_evaluating_what_is_no_documents(model: Categorizer) -> None:
    with pytest.raises(InputError, match="documents is 'sail'; give an iterable of texts"):
        model.evaluate("sail", ["a", "b", "c", "d"])
    with pytest.raises(InputError, match="2 documents but 1 labels"):
        model.evaluate(["sail", "salt"], ["boat"])
    with pytest.raises(InputError, match="No labels were given"):
        model.score(["sail"])
    with pytest.raises(InputError, match="documents is None"):
        model.evaluate(None, ["a"])  # type: ignore[arg-type]


def test_explaining_takes_one_text(model: Categorizer) -> None:
    with pytest.raises(InputError, match="give one text"):
        model.explain(["sail"])  # type: ignore[arg-type]


def test_vectors_are_for_other_estimators(tmp_path: Path) -> None:
    path = tmp_path / "rows.svmlight"
    path.write_text("1 1:0.5 2:1\n2 1:1 3:2\n")
    with pytest.raises(InputError, match=r"holds vectors, not texts"):
        Categorizer().fit(read(path))


# -- evaluation ----------------------------------------------------------------------------------------------------


def test_labels_that_the_model_does_not_know(model: Categorizer) -> None:
    report = model.evaluate([*CASE.texts, "lion cage sail", "oven"], [*CASE.labels, "zoo", None])
    assert report.labels == ["boat", "cook", "moon", "zoo"]
    assert report.rows()[3].recall == 0
    assert (report.documents, report.unlabelled) == (61, 1)
    assert report.confusion()[3][0] == 1
    assert model.score(CASE.texts, CASE.labels) == (model.predict(CASE.texts) == np.array(CASE.labels)).mean()
