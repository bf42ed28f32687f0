"""Held-out documents and folds are spread evenly over classes, also small ones, and are never random."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textsieve.evaluation import folds, held_out

classes = st.lists(st.sampled_from("aabc"), max_size=60)
shares = st.floats(0.01, 0.99)


@given(classes, shares)
def test_about_the_share_of_each_class_and_of_all_is_held_out(labels: list[str], share: float) -> None:
    is_held_out = held_out(labels, share)
    assert is_held_out.dtype == np.bool_
    assert len(is_held_out) == len(labels)
    could_be = left = 0
    for label, size in Counter(labels).items():
        n_held = sum(is_held for is_held, own in zip(is_held_out.tolist(), labels, strict=True) if own == label)
        assert abs(n_held - size * share) <= 1 + 1e-9
        assert n_held < size
        could_be += size if size > 1 else 0
        left += n_held == size - 1
    assert -left - 1 - 1e-9 <= is_held_out.sum() - could_be * share <= 1e-9


@given(classes, shares)
def test_held_out_documents_equal_a_slow_computation(labels: list[str], share: float) -> None:
    expected: set[int] = set()
    counted = 0
    for label in dict.fromkeys(labels):
        own = [at for at, other in enumerate(labels) if other == label]
        if len(own) > 1:
            hit = [at for place, at in enumerate(own, counted) if int((place + 1) * share) > int(place * share)]
            expected.update(hit if len(hit) < len(own) else hit[1:])
            counted += len(own)
    assert np.flatnonzero(held_out(labels, share)).tolist() == sorted(expected)


@given(classes, shares)
def test_only_the_order_of_a_class_and_of_the_classes_matters(labels: list[str], share: float) -> None:
    order = list(dict.fromkeys(labels))
    by_class = sorted(range(len(labels)), key=lambda at: order.index(labels[at]))
    is_held_out = held_out(labels, share)
    assert is_held_out[by_class].tolist() == held_out([labels[at] for at in by_class], share).tolist()


def test_small_classes_have_their_share_of_what_is_held_out() -> None:
    labels = ["a", "b"] * 100 + [f"small {at % 100}" for at in range(400)]
    is_held_out = held_out(labels, 0.2)
    assert is_held_out[:200].sum() == 40
    assert is_held_out[200:].sum() == 80
    assert len({label for label, is_held in zip(labels, is_held_out, strict=True) if is_held}) == 82


def test_held_out_documents_by_hand() -> None:
    assert np.flatnonzero(held_out(["a"] * 15, 0.2)).tolist() == [4, 9, 14]
    assert np.flatnonzero(held_out(["a"] * 3 + ["b"] * 3, 0.2)).tolist() == [4]
    assert np.flatnonzero(held_out([0, 1] * 5, 0.2)).tolist() == [8, 9]
    assert not held_out(["a"], 0.99).any()
    assert held_out(["a", "a", "b", "c", "c"], 0.99).tolist() == [False, True, False, False, True]
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
    sizes = Counter(numbers.tolist())
    assert max(sizes[fold] for fold in range(n_folds)) - min(sizes[fold] for fold in range(n_folds)) <= 1


def test_folds_in_turn() -> None:
    assert folds(["a", "b", "a", "a", "b"], 2).tolist() == [0, 1, 1, 0, 0]
    assert folds("abcde", 3).tolist() == [0, 1, 2, 0, 1]
    assert folds([], 3).tolist() == []


@pytest.mark.parametrize("split", [lambda labels: held_out(labels, 0.3), lambda labels: folds(labels, 3)])
def test_labels_may_be_a_stream_of_anything(split: Callable[[Any], Any]) -> None:
    labels = ["x", 1, (2, 3), None] * 5
    assert split(iter(labels)).tolist() == split(labels).tolist()
