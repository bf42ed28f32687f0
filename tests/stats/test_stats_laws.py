"""Laws of merging: for any split and order of the documents, the merged table is the table of all documents."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.stats_cases import Case, any_weights, cancelling, cases, near_a_million
from tests.reference.stats_twin import assert_is_twin, exact_sums, twin

from textsieve import ClassStats, InputError

WEIGHTS = {"any": any_weights, "near a million": near_a_million, "cancelling": cancelling}


def stats_of(case: Case) -> ClassStats:
    return ClassStats.from_matrix(case.matrix(), case.label_sets)


def same(stats: ClassStats, other: ClassStats) -> bool:
    return stats.to_bytes() == other.to_bytes()


def assert_close(stats: ClassStats, other: ClassStats) -> None:
    """Assert that counts are equal, and sums equal up to a relative error of 1e-12."""
    assert (stats.classes, stats.n_documents) == (other.classes, other.n_documents)
    for counts, others in zip(_counts(stats), _counts(other), strict=True):
        assert counts.tolist() == others.tolist()
    for sums, others in (
        (stats.precise_sums, other.precise_sums),
        (stats.precise_squares, other.precise_squares),
        (stats.cells.sums, other.cells.sums),
    ):
        np.testing.assert_allclose(sums.value, others.value, rtol=1e-12, atol=0)
        for exact, other_exact in zip(exact_sums(sums), exact_sums(others), strict=True):
            assert abs(exact - other_exact) <= 1e-12 * abs(exact)


def _counts(stats: ClassStats) -> list[Any]:
    cells = stats.cells
    return [stats.class_docs, stats.doc_freq, cells.class_starts, cells.terms, cells.doc_freq]


def split(case: Case, data: st.DataObject) -> list[Case]:
    """Draw a split of the documents: any order, any number of parts, some of them empty."""
    order = data.draw(st.permutations(range(len(case.rows))))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(order)), max_size=4)))
    return [case.part(order[start:end]) for start, end in pairwise([0, *cuts, len(order)])]


def widened(*parts: Case) -> list[ClassStats]:
    """Return the statistics of each part, with empty columns, so that all have the same number of terms."""
    n_terms = max(part.rows.shape[1] for part in parts)
    return [stats_of(part).spread(np.arange(part.rows.shape[1]), n_terms) for part in parts]


@given(cases(), cases())
def test_merge_is_commutative(first: Case, second: Case) -> None:
    left, right = widened(first, second)
    assert same(left + right, right + left)


@given(cases(), cases(labels=("b", "d", "aa")), cases(labels=("z",)))
def test_merge_is_associative(first: Case, second: Case, third: Case) -> None:
    left, middle, right = widened(first, second, third)
    assert same((left + middle) + right, left + (middle + right))


@given(cases())
def test_zero_is_the_unit(case: Case) -> None:
    stats = stats_of(case)
    assert same(stats + ClassStats.zero(), stats)
    assert same(ClassStats.zero() + stats, stats)
    assert same(stats + ClassStats.zero(case.rows.shape[1]), stats)
    assert same(ClassStats() + stats, stats)


def test_zero_with_a_number_of_terms() -> None:
    assert ClassStats.zero().n_terms == 0
    assert ClassStats.zero(4).doc_freq.tolist() == [0, 0, 0, 0]
    assert ClassStats.zero().spread(np.arange(0), 4).n_terms == 4


def test_tables_of_other_terms_are_not_merged() -> None:
    narrow, wide = ClassStats.from_matrix([[1, 2]], ["a"]), ClassStats.from_matrix([[1, 2, 3]], ["b"])
    for first, second in ((narrow, wide), (wide, narrow)):
        with pytest.raises(InputError, match=f"have {first.n_terms} and {second.n_terms} terms"):
            first.merge(second)
        with pytest.raises(InputError, match=r"table.spread\(np.arange\(2\), 3\) widens"):
            first + second
    with pytest.raises(InputError, match="not the same terms"):
        narrow + ClassStats.zero(3)
    assert same(narrow.spread(np.arange(2), 3) + wide, ClassStats.from_matrix([[1, 2, 0], [1, 2, 3]], ["a", "b"]))
    updated = ClassStats.from_matrix([[1, 2]], ["a"]).update([[1, 2, 3]], ["b"])
    assert updated.n_terms == 3, "a counter may learn terms between updates"


@given(cases(), st.data())
def test_any_split_of_counts_gives_the_same_bytes(case: Case, data: st.DataObject) -> None:
    parts = split(case, data)
    merged, updated = ClassStats.zero(), ClassStats.zero()
    for part in parts:
        merged = merged + stats_of(part)
        updated.update(part.matrix(), part.label_sets)
    assert same(merged, stats_of(case))
    assert same(updated, stats_of(case))


@pytest.mark.parametrize("values", WEIGHTS.values(), ids=WEIGHTS)
@given(data=st.data())
def test_any_split_of_weights_gives_the_same_sums(values: Any, data: st.DataObject) -> None:
    case = data.draw(cases(values))
    merged, updated = ClassStats.zero(), ClassStats.zero()
    for part in split(case, data):
        merged = merged + stats_of(part)
        updated.update(part.matrix(), part.label_sets)
    assert_close(merged, stats_of(case))
    assert_close(updated, stats_of(case))


@given(st.lists(cases(max_terms=9, labels=("a", "b", "c", "d", "e")), max_size=12))
def test_updates_with_more_and_fewer_columns(batches: list[Case]) -> None:
    """Batches differ in columns and classes; the table equals that of the rows padded with zeros."""
    width = max((case.rows.shape[1] for case in batches), default=0)
    padded = [np.pad(case.rows, ((0, 0), (0, width - case.rows.shape[1]))) for case in batches]
    rows = [row for part in padded for row in part.tolist()]
    stats = ClassStats()
    for case in batches:
        assert stats.update(case.matrix(), case.label_sets) is stats
    assert_is_twin(stats, twin(rows, [labels for case in batches for labels in case.label_sets], width))


@given(cases(), cases(labels=("c", "d")))
def test_merging_changes_neither_table(first: Case, second: Case) -> None:
    left, right = widened(first, second)
    before = left.to_bytes(), right.to_bytes()
    both = left + right
    both.update(first.matrix(), first.label_sets)
    assert (left.to_bytes(), right.to_bytes()) == before


@given(cases(), cases())
def test_a_copy_is_independent(first: Case, second: Case) -> None:
    stats = stats_of(first)
    copy = stats.copy()
    before = stats.to_bytes()
    copy.update(second.matrix(), second.label_sets)
    assert stats.to_bytes() == before
    after = copy.to_bytes()
    stats.update(first.matrix(), first.label_sets)
    assert copy.to_bytes() == after


def test_the_order_of_documents_does_not_change_badly_scaled_sums() -> None:
    rng = np.random.default_rng(0)
    weights = 1e6 + 1e-3 * rng.standard_normal((2000, 3))
    labels = rng.integers(0, 4, 2000)
    whole = ClassStats.from_matrix(weights, labels)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(2000)
        stats = ClassStats()
        for part in np.array_split(order, 7 + seed):
            stats.update(weights[part], labels[part])
        assert_close(stats, whole)
    expected = twin(weights.tolist(), [(int(label),) for label in labels], 3)
    assert_is_twin(whole, expected, relative=1e-28)


def test_many_small_updates_are_not_quadratic_in_their_number() -> None:
    """Small tables wait for others of similar size, so few merges involve the large table."""
    stats = ClassStats.from_matrix(np.ones((1, 5000)), ["a"])
    for number in range(300):
        stats.update(np.eye(1, 10, number % 10), ["ab"[number % 2]])
        assert len(stats._parts) <= 12
    assert stats.n_documents == 301
    assert stats.doc_freq[:11].tolist() == [31] * 10 + [1]


@pytest.mark.parametrize("width", [1, 100])
def test_an_update_with_labels_of_another_type_raises_at_once(width: int) -> None:
    stats = ClassStats.from_matrix(np.ones((3, 50)), ["a", "b", "a"])
    stats.update(np.ones((1, 1)))
    before = stats.copy().to_bytes()
    with pytest.raises(InputError, match=r"mixed kinds: some .* the text 'a', some .* the int 1"):
        stats.update(np.ones((2, width)), [1, 2])
    assert stats.to_bytes() == before


def test_merging_labels_of_two_types_raises() -> None:
    texts, numbers = ClassStats.from_matrix([[1]], ["a"]), ClassStats.from_matrix([[1]], [1])
    before = texts.to_bytes()
    with pytest.raises(InputError, match="mixed kinds"):
        texts + numbers
    assert texts.to_bytes() == before


def test_only_tables_can_be_added() -> None:
    with pytest.raises(TypeError):
        ClassStats.zero() + 1  # type: ignore[operator]


def test_an_update_that_raises_changes_nothing() -> None:
    stats = ClassStats.from_matrix([[1, 2]], ["a"])
    before = stats.to_bytes()
    with pytest.raises(InputError, match="2 documents but 1 labels"):
        stats.update([[1, 2], [3, 4]], ["a"])
    assert stats.to_bytes() == before


def test_renaming_classes_keeps_the_statistics() -> None:
    """Numbering labels first and renaming the classes afterwards gives the same table as the names themselves."""
    rows, numbers, names = np.arange(12.0).reshape(4, 3), [0, 1, 1, 2], ["boat", "cook", "moon"]
    by_number = ClassStats.from_matrix(rows, numbers)
    assert by_number.renamed(names) == ClassStats.from_matrix(rows, [names[number] for number in numbers])
    assert by_number.classes == (0, 1, 2)
