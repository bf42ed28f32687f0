"""Reports equal scikit-learn's metrics, and reports of parts add up to the report of all documents."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, confusion_matrix, f1_score, precision_recall_fscore_support
from sklearn.preprocessing import MultiLabelBinarizer

from textsieve.evaluation import Report, compare_labels

CLASSES = ("a", "b", "c")
STRANGE = (*CLASSES, "new", "Neu")  # documents may have labels that the model never saw

labels = st.lists(st.tuples(st.sampled_from(STRANGE), st.sampled_from(CLASSES)), min_size=1, max_size=20)
label_sets = st.lists(
    st.tuples(
        st.lists(st.sampled_from(STRANGE), unique=True, max_size=4),
        st.lists(st.sampled_from(CLASSES), unique=True, max_size=3),
    ),
    min_size=1,
    max_size=15,
)


def report_of(pairs: Any, **options: Any) -> Report:
    options = {"multilabel": False} | options
    return compare_labels(CLASSES, [true for true, _ in pairs], [given for _, given in pairs], **options)


@given(labels)
def test_single_label_reports_equal_sklearn(pairs: list[tuple[str, str]]) -> None:
    report = report_of([((true,), (given,)) for true, given in pairs])
    true, predicted = [list(column) for column in zip(*pairs, strict=True)]
    order = [*CLASSES, *sorted(set(true) - set(CLASSES))]
    assert report.labels == order
    assert report.accuracy == pytest.approx(accuracy_score(true, predicted), abs=1e-15)
    assert report.micro_f1 == pytest.approx(f1_score(true, predicted, average="micro", zero_division=0), abs=1e-15)
    assert report.micro_f1 == pytest.approx(report.accuracy, abs=1e-15)
    assert report.macro_f1 == pytest.approx(f1_score(true, predicted, average="macro", zero_division=0), abs=1e-15)
    assert report.confusion() == confusion_matrix(true, predicted, labels=order).tolist()
    rows = precision_recall_fscore_support(true, predicted, labels=order, zero_division=0)
    figures = np.transpose([(row.precision, row.recall, row.f1, row.documents) for row in report.rows()])
    assert figures == pytest.approx(np.array(rows), abs=1e-15)
    assert [row.predicted for row in report.rows()] == [predicted.count(label) for label in order]
    assert [row.label for row in report.rows()] == order


@given(label_sets, st.booleans())
def test_multilabel_reports_equal_sklearn(pairs: list[tuple[list[str], list[str]]], no_label_is_valid: bool) -> None:
    report = report_of(pairs, multilabel=True, no_label_is_valid=no_label_is_valid)
    judged = [pair for pair in pairs if pair[0] or no_label_is_valid]
    assert report.documents == len(judged)
    assert report.unlabelled == len(pairs) - len(judged)
    if not judged:
        assert (report.accuracy, report.micro_f1, report.macro_f1) == (0, 0, 0)
        return
    binarizer = MultiLabelBinarizer(classes=report.labels)
    true, predicted = (binarizer.fit_transform(column) for column in zip(*judged, strict=True))
    assert report.accuracy == pytest.approx(accuracy_score(true, predicted), abs=1e-15)
    assert report.micro_f1 == pytest.approx(f1_score(true, predicted, average="micro", zero_division=0), abs=1e-15)
    occurs = (true.sum(axis=0) + predicted.sum(axis=0)) > 0  # scikit-learn averages over all columns
    class_f1 = f1_score(true, predicted, average=None, zero_division=0)
    assert report.macro_f1 == pytest.approx(class_f1[occurs].mean() if occurs.any() else 0, abs=1e-15)
    rows = precision_recall_fscore_support(true, predicted, zero_division=0)
    figures = np.transpose([(row.precision, row.recall, row.f1, row.documents) for row in report.rows()])
    assert figures == pytest.approx(np.array(rows), abs=1e-15)


@given(label_sets, st.data(), st.booleans())
def test_reports_of_parts_add_up(pairs: list[Any], data: st.DataObject, multilabel: bool) -> None:
    if not multilabel:
        pairs = [(true[:1], (given or ["a"])[:1]) for true, given in pairs]
    cuts = sorted(data.draw(st.sets(st.integers(0, len(pairs)))))
    parts = [pairs[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(pairs)], strict=True)]
    unknown = [data.draw(st.integers(0, 3)) for _ in parts]
    whole = report_of(pairs, multilabel=multilabel, n_unknown=sum(unknown))
    added = Report(CLASSES, multilabel)
    for part, n_unknown in zip(parts, unknown, strict=True):
        added += report_of(part, multilabel=multilabel, n_unknown=n_unknown)
    assert added == whole
    assert added.to_dict() == whole.to_dict()


def test_by_hand() -> None:
    report = report_of([("a", "a"), ("a", "b"), ("b", "b"), (["new"], "b"), ((), "c")], n_unknown=1)
    assert (report.documents, report.unlabelled, report.unknown, report.right) == (4, 1, 1, 2)
    assert report.accuracy == 0.5
    assert report.labels == ["a", "b", "c", "new"]
    a, b, c, new = report.rows()
    assert (a.precision, a.recall, a.f1, a.documents, a.predicted) == (1, 0.5, 2 / 3, 2, 1)
    assert (b.precision, b.recall, b.f1, b.documents, b.predicted) == (1 / 3, 1, 0.5, 1, 3)
    assert c == ("c", 0, 0, 0, 0, 0)
    assert new == ("new", 0, 0, 0, 1, 0)
    assert report.macro_f1 == pytest.approx((2 / 3 + 1 / 2 + 0) / 3)  # c has neither documents nor predictions
    assert report.confusion() == [[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0]]


def test_a_label_twice_counts_once() -> None:
    report = report_of([(["a", "a"], ["a"])], multilabel=True)
    assert report.true == {"a": 1}
    assert report.right == 1


def test_without_documents_all_figures_are_0() -> None:
    report = report_of([])
    assert (report.documents, report.accuracy, report.micro_f1, report.macro_f1) == (0, 0, 0, 0)
    assert report.confusion() == [[0] * 3] * 3


def test_a_document_of_several_labels_among_those_of_one_is_counted_under_its_first() -> None:
    report = report_of([(["b", "a"], ["a"]), (["a"], ["a"])])
    assert report.confusion() == [[1, 0, 0], [1, 0, 0], [0, 0, 0]]
    assert report.right == 1


def test_fewer_predictions_than_documents_raise() -> None:
    with pytest.raises(ValueError, match="shorter"):
        compare_labels(CLASSES, [["a"], ["b"]], [["a"]], multilabel=False)


def test_everything_can_be_written_as_json() -> None:
    report = report_of([("a", "a"), (["new"], "b"), ((), "c")])
    plain = json.loads(json.dumps(report.to_dict()))
    assert plain["accuracy"] == 0.5
    assert plain["labels"] == ["a", "b", "c", "new"]
    assert plain["confusion"][3][1] == 1
    assert plain["unlabelled"] == 1
    assert plain["classes"][0] == {
        "label": "a",
        "precision": 1.0,
        "recall": 1.0,
        "f1": 1.0,
        "documents": 1,
        "predicted": 1,
    }
    assert "confusion" not in report_of([(["a"], ["a"])], multilabel=True).to_dict()
    assert set(report.summary()) == {"documents", "accuracy", "micro_f1", "macro_f1"}


@pytest.mark.parametrize("classes", [(0, 1), (False, True), (0.5, 2.5)])
def test_labels_of_any_kind(classes: tuple[Any, Any]) -> None:
    report = compare_labels(classes, [classes[:1], classes[1:]], [classes[:1], classes[:1]], multilabel=False)
    assert report.confusion() == [[1, 0], [1, 0]]
    assert json.loads(json.dumps(report.to_dict()))["labels"] == list(classes)
