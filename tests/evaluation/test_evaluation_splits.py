"""Laws of holding documents out: even, the same always, nothing random."""

import math
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textsieve.evaluation import folds, held_out

classes = st.lists(st.sampled_from("aabc"), max_size=60)
shares = st.floats(0.01, 0.99)


@given(classes, shares)
def test_about_the_share_of_each_class_is_held_out(labels: list[str], share: float) -> None:
    chosen = held_out(labels, share)
    assert chosen.dtype == np.bool_
    assert len(chosen) == len(labels)
    for label, size in Counter(labels).items():
        n_held = sum(one for one, other in zip(chosen.tolist(), labels, strict=True) if other == label)
        assert n_held in (math.floor(size * share), math.floor(size * share + 1e-9))
        assert n_held < size


@given(classes, shares)
def test_a_longer_stream_holds_out_the_same(labels: list[str], share: float) -> None:
    chosen = held_out(labels, share).tolist()
    for end in range(len(labels)):
        assert held_out(labels[:end], share).tolist() == chosen[:end]


@given(classes, shares)
def test_documents_of_other_classes_do_not_matter(labels: list[str], share: float) -> None:
    chosen = held_out(labels, share)
    for label in set(labels):
        own = [one for one, other in zip(chosen.tolist(), labels, strict=True) if other == label]
        assert own == held_out([label] * labels.count(label), share).tolist()


def test_every_fifth() -> None:
    assert np.flatnonzero(held_out(["a"] * 15, 0.2)).tolist() == [4, 9, 14]
    assert np.flatnonzero(held_out([0, 1] * 5, 0.2)).tolist() == [8, 9]
    assert not held_out(["a"], 0.99).any()
    gaps = np.diff(np.flatnonzero(held_out(["a"] * 1000, 0.3)))
    assert set(gaps.tolist()) == {3, 4}


@given(classes, st.integers(2, 7))
def test_folds_are_even(labels: list[str], n_folds: int) -> None:
    numbers = folds(labels, n_folds)
    assert numbers.dtype == np.int64
    assert set(numbers.tolist()) <= set(range(n_folds))
    for label, size in Counter(labels).items():
        sizes = Counter(number for number, other in zip(numbers.tolist(), labels, strict=True) if other == label)
        counts = [sizes[fold] for fold in range(n_folds)]
        assert sum(counts) == size
        assert max(counts) - min(counts) <= 1
        assert all(before >= after for before, after in pairwise(counts))


def test_folds_in_turn() -> None:
    assert folds(["a", "b", "a", "a", "b"], 2).tolist() == [0, 0, 1, 0, 1]
    assert folds([], 3).tolist() == []


@pytest.mark.parametrize("split", [lambda labels: held_out(labels, 0.3), lambda labels: folds(labels, 3)])
def test_labels_may_be_a_stream_of_anything(split: Callable[[Any], Any]) -> None:
    labels = ["x", 1, (2, 3), None] * 5
    assert split(iter(labels)).tolist() == split(labels).tolist()
