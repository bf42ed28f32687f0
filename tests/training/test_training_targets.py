"""`Targets`, the labels as training uses them, compared with sets of labels."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textsieve import ClassStats, InputError
from textsieve.training.targets import Targets

label_sets = st.lists(st.lists(st.sampled_from("abc"), unique=True, max_size=3).map(tuple), min_size=1, max_size=12)


def targets_of(sets: list[tuple[str, ...]], label_format: str) -> Targets:
    if label_format == "matrix":
        return Targets.of(np.array([[int(label in labels) for label in "abc"] for labels in sets]), len(sets))
    if label_format == "single":
        return Targets.of([labels[0] if labels else None for labels in sets], len(sets))
    return Targets.of(sets, len(sets), True)


@given(label_sets, st.sampled_from(["single", "sets", "matrix"]), st.data())
def test_targets_equal_the_sets_of_labels(sets: list[tuple[str, ...]], label_format: str, data: st.DataObject) -> None:
    targets = targets_of(sets, label_format)
    names: Any = (0, 1, 2) if label_format == "matrix" else targets.classes
    if label_format == "single":
        sets = [labels[:1] for labels in sets]
    elif label_format == "matrix":
        sets = [tuple("abc".index(label) for label in labels) for labels in sets]  # type: ignore[misc]
    assert targets.multilabel == (label_format != "single")
    assert targets.has_label_matrix == (label_format == "matrix")
    assert targets.classes == names
    check(targets, sets)
    documents = np.array(sorted(data.draw(st.sets(st.integers(0, len(sets) - 1)))), np.int64)
    part = targets.take(documents)
    assert part.classes == targets.classes  # including classes without documents
    assert (part.multilabel, part.has_label_matrix) == (targets.multilabel, targets.has_label_matrix)
    check(part, [sets[document] for document in documents])


@pytest.mark.parametrize(("weights", "class_docs"), [([2.0, 3.0, 1.0], (3, 3)), ([0.5, 3.0, 1.0], (2, 1))])
def test_a_model_file_has_integer_weights_and_counts_documents_if_weights_are_fractions(
    weights: list[float], class_docs: tuple[int, int]
) -> None:
    targets = replace(Targets.of(["a", "b", "a"], 3), weights=np.array(weights))
    assert tuple(targets.sizes_for_file.class_docs) == class_docs
    assert targets.sizes_for_file.n_documents == sum(class_docs)


def check(targets: Targets, sets: Any) -> None:
    assert targets.n_documents == len(sets)
    assert [set(labels) for labels in targets.label_sets()] == [set(labels) for labels in sets]
    assert [list(labels) for labels in targets.label_sets()] == [sorted(labels) for labels in sets]
    is_member = [[label in labels for label in targets.classes] for labels in sets]
    assert (targets.indicator().toarray() == 1).tolist() == is_member
    assert targets.class_docs.tolist() == [sum(label in labels for labels in sets) for label in targets.classes]
    numbers = {label: at for at, label in enumerate(targets.classes)}
    assert targets.first_class.tolist() == [min((numbers[label] for label in labels), default=-1) for labels in sets]
    usable = [bool(labels) or targets.has_label_matrix for labels in sets]
    assert targets.usable.tolist() == usable
    learnable = [0 < sum(label in labels for labels in sets) < sum(usable) for label in targets.classes]
    assert targets.can_be_learned.tolist() == learnable
    # A selector gets the classes by number; for a matrix, "none of them" is one more class.
    none = [str(len(numbers))] if targets.has_label_matrix else []
    expected = [[str(numbers[label]) for label in labels] or none for labels in sets]
    rows = np.arange(len(sets) * 2.0).reshape(len(sets), 2)
    target_stats = ClassStats.from_matrix(rows, targets.for_stats())
    stats = ClassStats.from_matrix(rows, expected)
    present = [at for at, size in enumerate(target_stats.class_docs) if size]
    assert [str(target_stats.classes[at]) for at in present] == list(stats.classes)
    assert [target_stats.class_sums(at).tolist() for at in present] == [
        stats.class_sums(at).tolist() for at in range(len(stats.classes))
    ]
    assert target_stats.n_documents == stats.n_documents


def test_lists_of_0_and_1_are_a_matrix_and_other_lists_are_not() -> None:
    matrix = Targets.of([[0, 1], [1, 0]], 2)
    assert (matrix.multilabel, matrix.has_label_matrix) == (True, True)
    label_sets: list[Any] = [[[0, 2], [1, 0]], [[0], [1]], [["0", "1"], ["1", "0"]], [(0, 1), (1,)]]
    for labels in label_sets:
        targets = Targets.of(labels, 2)
        assert (targets.multilabel, targets.has_label_matrix) == (True, False)
    single_labels: list[Any] = [[0, 1], np.array([[0], [1]])]
    for labels in single_labels:
        targets = Targets.of(labels, 2)
        assert (targets.multilabel, targets.has_label_matrix) == (False, False)


def test_numbers_are_of_one_type() -> None:
    assert [*map(type, Targets.of([1, 2.5, 3], 3).classes)] == [float, float, float]
    assert [*map(type, Targets.of(np.array([1, 2], np.int8), 2).classes)] == [int, int]
    assert [*map(type, Targets.of([True, False], 2).classes)] == [bool, bool]
    assert [*map(type, Targets.of(np.array([True, False]), 2).classes)] == [bool, bool]
    assert Targets.of([2**70, 1], 2).classes == (1, 2**70)


def test_labels_of_mixed_types_raise() -> None:
    with pytest.raises(InputError, match="mixed kinds"):
        Targets.of([True, 3], 2)
    with pytest.raises(InputError, match="mixed kinds"):
        Targets.of(["a", 3], 2)


def test_masked_labels_are_none() -> None:
    targets = Targets.of(np.ma.array([3, 4, 5, 3], mask=[False, False, True, False]), 4)
    assert (targets.classes, targets.multilabel) == ((3, 4), False)
    assert targets.usable.tolist() == [True, True, False, True]
