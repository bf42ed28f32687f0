"""Labels in every supported format; predictions have the format and the type of the labels."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from tests.reference.categorizer_cases import plain_categorizer, small_texts

from textsieve import Categorizer, Corpus, InputError

CASE = small_texts()
MULTILABEL = small_texts(multilabel=True)
CLASSES = ["boat", "cook", "moon"]
NUMBER = {label: at for at, label in enumerate(CLASSES)}
MATRIX = np.array([[label in labels for label in CLASSES] for labels in MULTILABEL.label_sets]).astype(np.int64)


class Series:
    """The part of a pandas Series that labels need."""

    def __init__(self, values: list[Any]) -> None:
        self._values = np.array(values)
        self.dtype, self.ndim, self.shape = self._values.dtype, 1, self._values.shape

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self._values

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


class Frame:
    """The part of a pandas DataFrame that labels need; iterating over it yields the column names."""

    def __init__(self, values: Any, columns: list[str]) -> None:
        self._values, self.columns, self.shape, self.ndim = values, columns, values.shape, 2

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self._values)


@pytest.fixture(scope="module")
def plain() -> Categorizer:
    return plain_categorizer(n_terms=20).fit(CASE.texts, CASE.labels)


# -- single-label documents ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [tuple, np.array, lambda labels: np.array(labels, object), Series, pl.Series, iter])
def test_any_collection_of_labels_is_accepted(form: Callable[[Any], Any], plain: Categorizer) -> None:
    model = plain_categorizer(n_terms=20).fit(CASE.texts, form(CASE.labels))
    assert model.predict(CASE.texts).tolist() == plain.predict(CASE.texts).tolist()
    assert model.score(CASE.texts, form(CASE.labels)) == plain.score(CASE.texts, CASE.labels)


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (["x", "y", "z"], "U"),
        ([3, 10, 20], "i"),
        ([-1, 0, 1], "i"),
        ([0.5, 1.5, 2.25], "f"),
        ([1, 2, 2.5], "f"),
        (np.array([5, 6, 7], np.uint8), "i"),
        (np.array([0.5, 1, 2], np.float32), "f"),
        (np.array([1, 2, 300], np.int16), "i"),
        (["a b", "ä", "日本"], "U"),
    ],
)
def test_predictions_have_the_type_of_the_labels(names: Any, kind: str, plain: Categorizer) -> None:
    labels = [names[NUMBER[label]] for label in CASE.labels]
    for given in (labels, np.array(labels)):
        model = plain_categorizer(n_terms=20).fit(CASE.texts, given)
        predicted = model.predict(CASE.texts)
        assert predicted.dtype.kind == kind
        assert predicted.tolist() == [names[NUMBER[label]] for label in plain.predict(CASE.texts)]
        assert model.classes_.tolist() == list(names)
        assert model.classes_.dtype == predicted.dtype
        assert {type(label) for label in model.model_.classes} in ({str}, {int}, {float})
        assert model.score(CASE.texts, given) == plain.score(CASE.texts, CASE.labels)
        assert model.explain(CASE.texts[0]).predicted == predicted[0]


@pytest.mark.parametrize("names", [[False, True], ["no", "yes"], [0, 1], [-1, 1], np.array([False, True]), [0.0, 1.0]])
def test_two_classes_have_one_decision_value(names: Any) -> None:
    """The decision function has one value per document; a positive value means the second class."""
    case = small_texts(n_classes=2)
    labels = [names[NUMBER[label]] for label in case.labels]
    for classifier in ("svm", "logistic", "nb", "cnb", "rocchio"):
        model = plain_categorizer(classifier=classifier).fit(case.texts, labels)
        decision, (predicted, scores, _) = model.decision_function(case.texts), model.predict_scores(case.texts)
        assert decision.shape == (60,)
        assert predicted.tolist() == [names[int(score > 0)] for score in decision]
        assert predicted.dtype.kind == np.array(names).dtype.kind
        assert scores.shape == (60, 2)
        assert (scores[:, 1] == decision).all()
        assert (scores[:, 0] == -decision).all()
        assert model.score(case.texts, labels) > 0.8


def test_many_classes_have_one_score_each(plain: Categorizer) -> None:
    decision, (labels, scores, _) = plain.decision_function(CASE.texts), plain.predict_scores(CASE.texts)
    assert decision.shape == (60, 3)
    assert decision.tobytes() == scores.tobytes()
    assert labels.tolist() == plain.classes_[scores.argmax(axis=1)].tolist()


def test_none_and_empty_text_mean_no_label() -> None:
    labels = [[None, "", label][at % 3] for at, label in enumerate(["a", "b"] * 30)]
    model = plain_categorizer(n_terms=20).fit(CASE.texts, labels)
    assert model.classes_.tolist() == ["a", "b"]
    assert model.model_.about["n_unlabelled"] == 40
    assert model.model_.class_docs == (10, 10)
    assert model.model_.about["n_documents"] == 60
    report = model.evaluate(CASE.texts, labels)
    assert (report.documents, report.unlabelled) == (20, 40)


def test_a_column_vector_of_labels_is_accepted(plain: Categorizer) -> None:
    model = plain_categorizer(n_terms=20).fit(CASE.texts, np.array(CASE.labels)[:, None])
    assert model.predict(CASE.texts).tolist() == plain.predict(CASE.texts).tolist()


# -- multilabel documents ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [list, tuple, set, frozenset, np.array])
@pytest.mark.parametrize("names", [CLASSES, [10, 20, 30], [0.5, 1.5, 2.5]])
def test_label_sets_give_multilabel_predictions(form: Callable[[Any], Any], names: list[Any]) -> None:
    label_sets = [form([names[NUMBER[label]] for label in labels]) for labels in MULTILABEL.label_sets]
    model = plain_categorizer(n_terms=20).fit(MULTILABEL.texts, label_sets)
    predicted = model.predict(MULTILABEL.texts)
    assert isinstance(predicted, list)
    assert all(isinstance(labels, tuple) for labels in predicted)
    plain = plain_categorizer(n_terms=20).fit(MULTILABEL.texts, MULTILABEL.label_sets).predict(MULTILABEL.texts)
    assert predicted == [tuple(names[NUMBER[label]] for label in labels) for labels in plain]
    assert {type(label) for labels in predicted for label in labels} == {type(names[0])}
    assert model.thresholds_ is not None
    assert model.thresholds_.shape == (3,)
    assert model.decision_function(MULTILABEL.texts).shape == (60, 3)
    assert model.score(MULTILABEL.texts, label_sets) > 0.8
    assert set(model.explain(MULTILABEL.texts[0]).predicted) == set(predicted[0])  # type: ignore[arg-type]


def test_two_classes_can_be_multilabel() -> None:
    case = small_texts(n_classes=2, multilabel=True)
    model = plain_categorizer().fit(case.texts, case.label_sets)
    assert model.decision_function(case.texts).shape == (60, 2)
    assert {len(labels) for labels in model.predict(case.texts)} >= {1, 2}


def test_an_empty_list_means_no_label() -> None:
    label_sets = [() if at % 6 == 0 else labels for at, labels in enumerate(MULTILABEL.label_sets)]
    model = plain_categorizer(n_terms=20).fit(MULTILABEL.texts, label_sets)
    assert model.model_.about["n_unlabelled"] == 10
    assert model.evaluate(MULTILABEL.texts, label_sets).unlabelled == 10


@pytest.mark.parametrize(
    "form",
    [
        np.array,
        lambda Y: Y.astype(bool),
        lambda Y: Y.astype(float),
        lambda Y: Y.astype(np.uint8),
        sparse.csr_matrix,
        sparse.csr_array,
        sparse.csc_array,
        sparse.coo_matrix,
        lambda Y: Y.tolist(),
        lambda Y: list(map(tuple, Y.tolist())),
        np.asfortranarray,
    ],
)
def test_indicator_matrices_give_indicator_predictions(form: Callable[[Any], Any]) -> None:
    model = plain_categorizer(n_terms=20).fit(MULTILABEL.texts, form(MATRIX))
    predicted = model.predict(MULTILABEL.texts)
    assert isinstance(predicted, np.ndarray)
    assert predicted.shape == MATRIX.shape
    assert set(np.unique(predicted).tolist()) == {0, 1}
    by_name = plain_categorizer(n_terms=20).fit(MULTILABEL.texts, MULTILABEL.label_sets).predict(MULTILABEL.texts)
    assert predicted.tolist() == [[int(label in labels) for label in CLASSES] for labels in by_name]
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.score(MULTILABEL.texts, form(MATRIX)) > 0.8


@pytest.mark.parametrize("form", [lambda: Frame(MATRIX, CLASSES), lambda: pl.DataFrame(MATRIX, schema=CLASSES)])
def test_columns_of_indicator_tables_are_class_names(form: Callable[[], Any]) -> None:
    model = plain_categorizer(n_terms=20).fit(MULTILABEL.texts, form())
    assert model.classes_.tolist() == CLASSES
    predicted = model.predict(MULTILABEL.texts)
    assert predicted.shape == MATRIX.shape
    assert model.score(MULTILABEL.texts, form()) > 0.8
    assert model.score(MULTILABEL.texts, MULTILABEL.label_sets) > 0.8


def test_indicator_tables_with_unsorted_columns_raise() -> None:
    with pytest.raises(InputError, match=r"columns of labels are \['moon', 'boat', 'cook'\]; sort them"):
        plain_categorizer().fit(MULTILABEL.texts, Frame(MATRIX, ["moon", "boat", "cook"]))


def test_rows_of_zeros_are_negative_examples() -> None:
    """Without them, the selector would see documents of a single class."""
    case = small_texts(n_classes=2, n=80)
    is_boat = np.array([[int(label == "boat"), 0] for label in case.labels])
    for selector in ("ocfs", "ig", "chi"):
        model = plain_categorizer(n_terms=8, selector=selector).fit(case.texts, is_boat)
        assert len({"sail", "harbour", "wind", "deck", "oar"} & set(model.terms_)) >= 4
        report = model.evaluate(case.texts, is_boat)
        assert (report.documents, report.unlabelled) == (80, 0)
        assert report.accuracy > 0.8


# -- the setting multilabel ----------------------------------------------------------------------------------------


def test_the_setting_multilabel_overrides_the_labels() -> None:
    multilabel = plain_categorizer(n_terms=20, multilabel=True).fit(CASE.texts, CASE.labels)
    assert isinstance(multilabel.predict(CASE.texts)[0], tuple)
    assert multilabel.thresholds_ is not None
    single = plain_categorizer(n_terms=20, multilabel=False).fit(CASE.texts, [[label] for label in CASE.labels])
    plain = plain_categorizer(n_terms=20).fit(CASE.texts, CASE.labels)
    assert single.predict(CASE.texts).tolist() == plain.predict(CASE.texts).tolist()
    assert single.thresholds_ is None
    matrix = np.array([[label == other for other in CLASSES] for label in CASE.labels]).astype(int)
    numbers = plain_categorizer(n_terms=20, multilabel=False).fit(CASE.texts, matrix)
    assert numbers.predict(CASE.texts).tolist() == [NUMBER[label] for label in plain.predict(CASE.texts)]


def test_the_setting_multilabel_overrides_a_corpus() -> None:
    corpus = Corpus.from_texts(CASE.texts, CASE.labels)
    assert isinstance(plain_categorizer(n_terms=20, multilabel=True).fit(corpus).predict(CASE.texts), list)
    lists = Corpus.from_texts(CASE.texts, [[label] for label in CASE.labels])
    assert isinstance(plain_categorizer(n_terms=20).fit(lists).predict(CASE.texts), list)
    assert plain_categorizer(n_terms=20, multilabel=False).fit(lists).predict(CASE.texts).shape == (60,)


def test_a_wrong_multilabel_setting_raises() -> None:
    at = next(at for at, labels in enumerate(MULTILABEL.label_sets) if len(labels) > 1)
    with pytest.raises(InputError, match=f"Document {at} has 2 labels, but multilabel=False"):
        plain_categorizer(multilabel=False).fit(MULTILABEL.texts, MULTILABEL.label_sets)
    with pytest.raises(InputError, match="multilabel='yes'; use True, False, or None"):
        plain_categorizer(multilabel="yes").fit(CASE.texts, CASE.labels)


# -- invalid labels ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (None, r"No labels were given; give fit\(texts, labels\) one for each text"),
        (["a", "b", "a"], "4 documents but 3 labels"),
        (["a"] * 5, "4 documents but 5 labels"),
        ([], "4 documents but 0 labels"),
        ("abab", "y is 'abab'"),
        (7, "y is 7"),
        (["a", "b", 3, "a"], "mixed kinds: document 0 has the text 'a', document 2 has the int 3"),
        ([["a"], ["b"], [3], ["a"]], "mixed kinds"),
        ([True, 2, False, 3], "mixed kinds: True or False, and the number 2"),
        ([1.0, 1.0, float("nan"), 1.0], r"Only one class, 1.0.*\(1 document has no label\)"),
        (np.array([1.0, 1.0, np.nan, 1.0]), r"Only one class, 1.0.*\(1 document has no label\)"),
        ([1.0, float("inf"), 2.0, 1.0], "The label of document 1 is inf, and an infinite number is no class; use text"),
        (["spam"] * 4, "Only one class, 'spam', so there is nothing to tell apart"),
        (["spam", None, None, "spam"], r"Only one class, 'spam'.*\(2 documents have no label\)"),
        ([1, 1, 1, 1], "Only one class, 1,"),
        ([["a"], ["a"], [], ["a"]], r"Only one class, 'a'.*\(1 document has no label\)"),
        ([["a", "b"]] * 4, r"All documents have the same labels, \['a', 'b'\]"),
        ([None] * 4, "No document has a label"),
        ([[], [], [], []], "No document has a label"),
        (np.zeros((4, 3), int), "No document has a label"),
        (np.ones((4, 2), int), "All documents have the same labels"),
        (np.array([[1, 0]] * 4), "Only one class, 0"),
        (np.array([[1, 0], [2, 0], [0, 1], [1, 1]]), "A label matrix holds 0 and 1, but there is 2"),
        (np.eye(3, dtype=int), "4 documents but 3 rows of labels"),
        (np.zeros((4, 2, 2)), "give a label, or a list of labels"),
        ([{"a": 1}, "b", "a", "b"], "document 0 is {'a': 1}"),
        ([b"a", b"b", b"a", b"b"], "document 0 is b'a'"),
        ([object(), "b", "a", "b"], "document 0 is <object"),
    ],
)
def test_invalid_labels_raise(labels: Any, words: str) -> None:
    texts = ["sail wind", "salt oven", "sail deck", "salt spoon"]
    with pytest.raises(InputError, match=words):
        plain_categorizer().fit(texts, labels)


def test_labels_beside_a_corpus_raise() -> None:
    corpus = Corpus.from_texts(CASE.texts, CASE.labels)
    model = plain_categorizer(n_terms=20).fit(corpus)
    for call in (model.fit, model.evaluate, model.score):
        with pytest.raises(InputError, match="A corpus has its own labels; leave labels out"):
            call(corpus, CASE.labels)
    with pytest.raises(InputError, match="No document has a label"):
        plain_categorizer().fit(Corpus.from_texts(CASE.texts))
    with pytest.raises(InputError, match="Only one class, 'a'"):
        plain_categorizer().fit(Corpus.from_texts(CASE.texts, ["a"] * 60))


def test_a_corpus_of_numbers_is_evaluated_by_a_model_of_numbers() -> None:
    """A corpus has labels as text, so 10 and "10" are the same class."""
    for names in ([3, 10, 20], [0.5, 1.0, 2.0], [False, True]):
        case = small_texts(n_classes=len(names))
        labels = [names[NUMBER[label]] for label in case.labels]
        model = plain_categorizer(n_terms=20).fit(case.texts, labels)
        assert model.score(Corpus.from_texts(case.texts, labels)) == model.score(case.texts, labels) > 0.8
