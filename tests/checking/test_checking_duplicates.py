"""Copies of documents: found by MinHash, compared with the similarities of all pairs."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from textsieve.checking import check
from textsieve.checking.duplicates import (
    MIN_SIMILARITY,
    MIN_TERMS,
    DuplicateGroup,
    expected_leaks,
    find_duplicates,
    near_duplicates,
)


def rows_of(term_sets: list[set[int]], n_terms: int = 60) -> csr_matrix:
    """Return a matrix with the given terms in each row."""
    indices = [sorted(terms) for terms in term_sets]
    indptr = np.cumsum([0, *map(len, indices)])
    flat = np.array([term for terms in indices for term in terms], np.int32)
    return csr_matrix((np.ones(len(flat), np.int32), flat, indptr), shape=(len(term_sets), n_terms))


def slow_groups(term_sets: list[set[int]]) -> list[int]:
    """Return the first document of each document's group, by comparing all pairs."""
    first = list(range(len(term_sets)))
    for left, right in combinations(range(len(term_sets)), 2):
        terms, others = term_sets[left], term_sets[right]
        if min(len(terms), len(others)) >= MIN_TERMS and len(terms & others) >= MIN_SIMILARITY * len(terms | others):
            joined = min(first[left], first[right])
            first = [joined if number in (first[left], first[right]) else number for number in first]
    return first


@st.composite
def collections(draw: Any) -> list[set[int]]:
    """Draw documents, of which some are equal to others but for one or two terms."""
    documents: list[set[int]] = []
    for _ in range(draw(st.integers(0, 12))):
        if documents and draw(st.booleans()):
            source = documents[draw(st.integers(0, len(documents) - 1))]
            changed = draw(st.sets(st.integers(0, 59), max_size=2))
            documents.append(source ^ changed)
        else:
            documents.append(draw(st.sets(st.integers(0, 59), min_size=8, max_size=40)))
    return documents


@given(collections())
def test_near_copies_are_those_of_all_pairs_or_fewer(documents: list[set[int]]) -> None:
    fast, slow = near_duplicates(rows_of(documents)).tolist(), slow_groups(documents)
    # MinHash may miss a pair just above the limit, with a probability below 0.001, but never joins other documents.
    assert all(slow[number] == slow[first] for number, first in enumerate(fast))
    for left, right in combinations(range(len(documents)), 2):
        terms, others = documents[left], documents[right]
        if min(len(terms), len(others)) >= MIN_TERMS and len(terms & others) >= 0.95 * len(terms | others):
            assert fast[left] == fast[right]


def test_a_chain_of_near_copies_is_one_group() -> None:
    steps = [set(range(start, start + 20)) for start in range(4)]  # neighbours share 19 of 21 terms, the ends 17 of 23
    assert near_duplicates(rows_of(steps)).tolist() == [0, 0, 0, 0]
    assert near_duplicates(rows_of([steps[0], steps[3]])).tolist() == [0, 1]


def test_groups_with_different_labels_come_first_then_the_largest() -> None:
    words = [set(range(start, start + 12)) for start in (0, 20, 40)]
    documents = [words[0], words[1], words[1], words[1], words[2], words[2]]
    digests = [bytes([min(terms)]) for terms in documents]
    labels = [("a",), ("a",), (), ("a",), ("a",), ("b",)]
    assert find_duplicates(rows_of(documents), digests, labels) == [
        DuplicateGroup((4, 5), True, (("a",), ("b",))),
        DuplicateGroup((1, 2, 3), True, (("a",),)),
    ]


def test_short_texts_are_copies_only_if_they_are_equal_but_for_case_and_white_space() -> None:
    texts = ["Thank you", "thank  YOU ", "thank you all", "", "  "]
    result = check(texts, ["a", "a", "b", "b", "b"])
    assert [group.documents for group in result.duplicates] == [(0, 1)]


@pytest.mark.parametrize("share", [0.2, 0.5])
def test_expected_leaks_equal_the_mean_over_many_splits(share: float) -> None:
    groups = [DuplicateGroup((0, 1), True, ()), DuplicateGroup((2, 3, 4, 5), True, ())]
    random = np.random.default_rng(0)
    counts = []
    for _ in range(20_000):
        is_held_out = random.random(6) < share
        counts.append(
            sum(
                int(is_held_out[list(group.documents)].sum())
                for group in groups
                if not is_held_out[list(group.documents)].all()
            )
        )
    assert expected_leaks(groups, share) == pytest.approx(np.mean(counts), abs=0.03)
