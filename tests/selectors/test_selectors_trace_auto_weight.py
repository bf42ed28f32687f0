"""TOFA's automatic weight: by hand, compared with its slow twin, its laws, and edge cases."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.trace_weight_twin import weight_of

from textsieve import ClassStats
from textsieve.selectors.trace import auto_weight, between_class_scatter, relative_noise, total_scatter

Rows = np.ndarray[Any, Any]
Labels = list[str | None]


def weight(rows: Rows, labels: Labels, k: int) -> float:
    """Return the automatic weight for these documents."""
    stats = ClassStats.from_matrix(rows, labels)
    return auto_weight(between_class_scatter(stats), total_scatter(stats), stats, k)


def drawn(seed: int, n_terms: int = 12) -> tuple[Rows, Labels]:
    """Return random documents of three classes, some of them unlabelled."""
    chance = np.random.default_rng(seed)
    rows = chance.integers(1, 5, (30, n_terms)) * (chance.random((30, n_terms)) < 0.3)
    labels: Labels = chance.choice(["a", "b", "c", ""], 30).tolist()
    return rows.astype(np.float64), ["a", "b", "c", *(label or None for label in labels[3:])]


# -- by hand ---------------------------------------------------------------------------------------------------------


def test_one_term_by_hand() -> None:
    """The term is in 1 of 2 documents of a, twice its share of 1/4 in all, so the noise is 1/2 x 1/2 x 2 / 2 = 1/4."""
    rows = np.array([[3.0], [0.0], [0.0], [0.0]])
    labels: Labels = ["a", "a", "b", "b"]
    assert relative_noise(ClassStats.from_matrix(rows, labels), np.array([0.5, 0.5])) == pytest.approx([0.25])
    assert weight(rows, labels, 1) == pytest.approx(0.8)


def test_unlabelled_documents_by_hand() -> None:
    """With 4 unlabelled documents, 3 of them with the term, it is as frequent in all as in a, so the noise is 1/8."""
    rows = np.array([[3.0], [0.0], [0.0], [0.0], [3.0], [3.0], [3.0], [0.0]])
    labels: Labels = ["a", "a", "b", "b", None, None, None, None]
    assert weight(rows, labels, 1) == pytest.approx(8 / 9)


def test_only_candidate_terms_count() -> None:
    """The factor p (1 - p) is 2/9; the first term is 3 times as frequent in a as in all, the second 3/2 times in b."""
    stats = ClassStats.from_matrix(np.array([[1, 0, 1], [0, 1, 1], [0, 0, 1]]), ["a", "b", "b"])
    assert relative_noise(stats, np.array([1, 2]) / 3) == pytest.approx([2 / 3, 1 / 6, 1 / 3])
    between, total = np.array([2.0, 1.0, 1.5]), np.array([2.0, 6.0, 5.0])  # best are the first and the second
    assert auto_weight(between, total, stats, 1) == pytest.approx(1 / (1 + (2 / 3 * 2 + 1 / 6 * 6) / 8))
    assert auto_weight(between, total, stats, 2) == pytest.approx(1 / (1 + (2 / 3 * 2 + 1 / 6 * 6 + 1 / 3 * 5) / 13))


def test_equal_terms_are_candidates_together() -> None:
    """Rounding may make the scores of equal terms slightly different."""
    stats = ClassStats.from_matrix(np.array([[1, 0, 1], [0, 1, 1], [0, 0, 1]]), ["a", "b", "b"])
    scatter = np.array([1.0, 1.0 + 1e-15, 0.5])
    assert auto_weight(scatter, scatter, stats, 1) == pytest.approx(1 / (1 + (2 / 3 + 1 / 6) / 2))


def test_other_shares_of_the_classes() -> None:
    """Balanced classes have p (1 - p) = 1/4 instead of 2/9."""
    stats = ClassStats.from_matrix(np.array([[1], [0], [0]]), ["a", "b", "b"])
    scatter = np.array([1.0])
    assert auto_weight(scatter, scatter, stats, 1) == pytest.approx(1 / (1 + 2 / 9 * 3))
    assert auto_weight(scatter, scatter, stats, 1, np.array([0.5, 0.5])) == pytest.approx(1 / (1 + 1 / 4 * 3))


@given(seed=st.integers(0, 10_000), k=st.integers(1, 12))
def test_the_weight_equals_that_of_the_twin(seed: int, k: int) -> None:
    rows, labels = drawn(seed)
    stats = ClassStats.from_matrix(rows, labels)
    between, total = between_class_scatter(stats), total_scatter(stats)
    assert auto_weight(between, total, stats, k) == pytest.approx(weight_of(rows, labels, between, total, k), rel=1e-12)


# -- the meaning of the noise ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.05, 0.4, 1.0])
def test_noise_is_the_expected_scatter_of_uninformative_terms(share: float) -> None:
    """Weights are independent of the class, so the expected scatter of their class means is the noise."""
    chance = np.random.default_rng(1)
    rows = chance.normal(3.0, 1.0, (60, 20_000)) * (chance.random((60, 20_000)) < share)
    stats = ClassStats.from_matrix(rows, ["a"] * 6 + ["b"] * 18 + ["c"] * 36)
    noise = relative_noise(stats, stats.class_docs / 60) * total_scatter(stats)
    assert noise.mean() == pytest.approx(between_class_scatter(stats).mean() * 59 / 60, rel=0.02)


def test_omega_is_about_classes_divided_by_documents() -> None:
    """With 200 labelled documents of 11 classes, ω is about 10/200."""
    chance = np.random.default_rng(2)
    rows = chance.random((200, 500)) < 0.3
    labels: Labels = [f"class {number % 11}" for number in range(200)]
    assert weight(rows.astype(np.int64), labels, 500) == pytest.approx(1 / 1.05, rel=1e-3)


# -- laws ------------------------------------------------------------------------------------------------------------


@given(seed=st.integers(0, 10_000), k=st.integers(1, 12), scale=st.sampled_from([1e-60, 1e-3, 7.0, 1e60]))
def test_scale_and_order_change_nothing(seed: int, k: int, scale: float) -> None:
    rows, labels = drawn(seed)
    original = weight(rows, labels, k)
    chance = np.random.default_rng(seed)
    terms, documents = chance.permutation(rows.shape[1]), chance.permutation(len(labels))
    renamed: Labels = [None if label is None else {"a": "z", "b": "y", "c": "x"}[label] for label in labels]
    assert 0.0 < original <= 1.0
    assert weight(rows * scale, labels, k) == pytest.approx(original, rel=1e-9)
    assert weight(rows[:, terms], labels, k) == pytest.approx(original, rel=1e-9)
    assert weight(rows[documents], [labels[at] for at in documents], k) == pytest.approx(original, rel=1e-9)
    assert weight(rows, renamed, k) == pytest.approx(original, rel=1e-9)


@pytest.mark.parametrize("times", [2, 10, 1000])
def test_more_documents_of_the_same_kind_divide_the_noise(times: int) -> None:
    rows, labels = drawn(3)
    once, often = (weight(np.tile(rows, (n, 1)), labels * n, 4) for n in (1, times))
    assert once < often < 1.0
    assert (1 / often - 1) * times == pytest.approx(1 / once - 1)


def test_fewer_labels_give_a_lower_weight() -> None:
    """Every document, every second, or every fourth one has a label."""
    chance = np.random.default_rng(4)
    rows = chance.poisson(0.3, (400, 50)).astype(np.float64)
    weights = [weight(rows, [f"{at // n % 5}" if at % n == 0 else None for at in range(400)], 10) for n in (1, 2, 4)]
    assert weights[0] > weights[1] > weights[2]


def test_unlabelled_copies_of_all_documents_change_nothing() -> None:
    rows, labels = drawn(5)
    assert weight(np.vstack([rows, rows]), labels + [None] * len(labels), 4) == pytest.approx(weight(rows, labels, 4))


# -- at the edges ----------------------------------------------------------------------------------------------------


def test_without_labels_the_weight_is_zero() -> None:
    rows, labels = drawn(6)
    assert weight(rows, [None] * len(labels), 4) == 0.0
    stats = ClassStats.zero(3)
    assert auto_weight(np.zeros(3), np.zeros(3), stats, 2) == 0.0


@pytest.mark.parametrize("label", ["a", None])
def test_uninformative_labels_give_weight_zero(label: str | None) -> None:
    """There is only one class; all documents have its label, or half of them."""
    rows = np.array([[1, 2], [1, 0], [1, 2], [1, 0]])
    assert weight(rows, ["a", "a", label, label], 1) == 0.0


def test_the_weight_is_between_0_and_1_for_one_term_and_for_all_terms() -> None:
    rows, labels = drawn(7, n_terms=1)
    assert 0.0 < weight(rows, labels, 1) < 1.0
    rows, labels = drawn(7)
    assert 0.0 < weight(rows, labels, 12) < 1.0


def test_terms_of_no_document_and_classes_of_one() -> None:
    rows = np.array([[1, 0, 0], [0, 2, 0], [0, 0, 0]])
    assert weight(rows, ["a", "b", None], 3) == pytest.approx(1 / (1 + 3 / 4))


def test_a_class_without_documents_counts_nothing() -> None:
    indicator = np.array([[1, 0, 0], [0, 0, 1], [1, 0, 0], [0, 0, 0]])
    rows = np.array([[1, 0], [1, 2], [0, 1], [3, 3]])
    with_empty = ClassStats.from_matrix(rows, indicator)
    assert auto_weight(between_class_scatter(with_empty), total_scatter(with_empty), with_empty, 1) == weight(
        rows, ["a", "c", "a", None], 1
    )


def test_huge_weights_and_zero_scatter() -> None:
    stats = ClassStats.from_matrix(
        np.array([[1e149, 1.0], [0.0, 2.0], [-1e149, 0.0], [5.0, 0.0]]), ["a", "a", "b", "b"]
    )
    assert 0.0 < auto_weight(between_class_scatter(stats), np.full(2, 1.7e308), stats, 2) < 1.0
    assert auto_weight(between_class_scatter(stats), np.zeros(2), stats, 2) == 1.0
