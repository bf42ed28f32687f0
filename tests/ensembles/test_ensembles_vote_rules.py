"""Members are combined by vote and by mean: examples computed by hand, and the slow twin."""

import tracemalloc
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from tests.reference.subspace_grid_twin import decided

from textsieve.arrays import Ints
from textsieve.ensembles.vote_rules import (
    MemberOutput,
    VoteTally,
    abstains,
    one_column_per_class,
    running_decisions,
    tie_breakers,
)

ALL_SPEAK = np.zeros(1, np.bool_)


def counted_votes(outputs: Iterable[MemberOutput], n_documents: int, class_docs: Ints) -> VoteTally:
    """Return the tally of a whole ensemble."""
    votes = VoteTally(n_documents, class_docs)
    for scores, member_abstains in outputs:
        votes.add(scores, member_abstains)
    return votes


def tally(*scores: list[float], docs: list[int] | None = None) -> VoteTally:
    """Return the tally of one document, given the scores of each member; classes are of equal size without `docs`."""
    class_docs = np.array(docs or [1] * len(scores[0]))
    return counted_votes(((np.array([member_scores]), ALL_SPEAK) for member_scores in scores), 1, class_docs)


def test_most_votes_win_regardless_of_scores() -> None:
    counted = tally([1, 0, -9], [1, 0, -9], [-50, 99, -9])
    assert counted.votes.tolist() == [[2, 1, 0]]
    assert counted.decisions("vote").tolist() == [0]
    assert counted.decisions("mean").tolist() == [1]


def test_ties_go_to_the_class_with_more_documents_then_to_the_first() -> None:
    assert tally([1, 0, 0], [0, 3, 0], docs=[5, 6, 9]).decisions("vote").tolist() == [1]
    assert tally([1, 0, 0], [0, 3, 0], docs=[5, 5, 9]).decisions("vote").tolist() == [0]
    assert tally([1, 0, 9], [0, 1, 9]).decisions("vote").tolist() == [2], "both voted for the third"
    assert tally([0, 0, 0]).votes.tolist() == [[1, 0, 0]], "of equal scores the first"
    assert tally([0, 2, 2]).decisions("mean").tolist() == [1]


def test_tie_breakers_are_less_than_a_vote() -> None:
    assert tie_breakers(np.array([1, 3])).tolist() == [0.125, 0.375]
    assert tally([1, 0], docs=[1, 10**9]).decisions("vote").tolist() == [0]


def test_an_abstaining_member_has_no_vote_but_counts_in_the_mean() -> None:
    counted = VoteTally(2, np.array([1, 1, 1]))
    counted.add(np.array([[0.0, 1.0, 5.0]] * 2), np.array([True, False]))
    counted.add(np.array([[2.0, 1.0, 0.0]] * 2), np.array([False, True]))
    assert counted.votes.tolist() == [[1, 0, 0], [0, 0, 1]]
    assert counted.means.tolist() == [[1.0, 1.0, 2.5]] * 2
    assert counted.decisions("vote").tolist() == [0, 2]


def test_without_votes_the_most_frequent_class_wins() -> None:
    counted = counted_votes([(np.array([[1.0, 0.0]]), np.array([True]))] * 3, 1, np.array([4, 5]))
    assert counted.votes.tolist() == [[0, 0]]
    assert counted.decisions("vote").tolist() == [1]
    assert counted.decisions("mean").tolist() == [0]


def test_a_single_column_has_the_scores_of_the_second_class() -> None:
    assert one_column_per_class(np.array([[2.0], [-1.0], [0.0]])).tolist() == [[-2, 2], [1, -1], [0, 0]]
    assert one_column_per_class(np.array([2.0])).tolist() == [[-2, 2]]
    output = (np.array([[2.0], [-1.0], [0.0]]), np.zeros(3, np.bool_))
    assert counted_votes([output], 3, np.array([1, 1])).decisions("vote").tolist() == [1, 0, 0], "0 is not above 0"


def test_abstains_for_rows_without_its_terms() -> None:
    rows = csr_matrix([[0, 1, 2], [0, 0, 0], [3, 0, 0], [0, 0, 4]])
    terms = np.array([1, 2])
    assert abstains(rows, terms).tolist() == [False, True, True, False]
    assert abstains(rows, np.zeros(0, np.int64)).all()


@given(
    members=st.integers(1, 8),
    documents=st.integers(1, 5),
    classes=st.integers(2, 4),
    seed=st.integers(0, 1 << 20),
    combine=st.sampled_from(["vote", "mean"]),
)
def test_running_decisions_equal_those_of_smaller_ensembles(
    members: int, documents: int, classes: int, seed: int, combine: str
) -> None:
    random = np.random.default_rng(seed)
    scores = random.integers(-2, 3, (members, documents, classes)).astype(float)  # so few values that many are equal
    silent = random.random((members, documents)) < 0.3
    sizes, class_docs = list(range(1, members + 1)), random.integers(1, 4, classes)
    running = list(running_decisions(zip(scores, silent, strict=True), sizes, documents, class_docs, combine))
    for size, decisions in zip(sizes, running, strict=True):
        expected = [
            decided(scores[:size].tolist(), silent[:size].tolist(), document, class_docs.tolist(), combine)
            for document in range(documents)
        ]
        assert decisions.tolist() == expected
    some = [size for size in sizes if size % 3 == 1]
    some_decisions = running_decisions(zip(scores, silent, strict=True), some, documents, class_docs, combine)
    assert [decisions.tolist() for decisions in some_decisions] == [running[size - 1].tolist() for size in some]


def test_no_more_members_are_consumed_than_needed() -> None:
    consumed = []

    def outputs() -> object:
        for number in range(10):
            consumed.append(number)
            yield np.zeros((1, 2)), ALL_SPEAK

    assert len(list(running_decisions(outputs(), [2, 4], 1, np.array([1, 1]), "vote"))) == 2  # type: ignore[arg-type]
    assert consumed == [0, 1, 2, 3]


@pytest.mark.parametrize("combine", ["vote", "mean"])
def test_running_decisions_need_constant_memory(combine: str) -> None:
    documents, classes, random = 400, 20, np.random.default_rng(0)
    scores, silent = random.random((documents, classes)), np.zeros(documents, np.bool_)
    tracemalloc.start()
    outputs, class_docs = ((scores, silent) for _ in range(1000)), np.ones(classes, np.int64)
    for _ in running_decisions(outputs, [500, 1000], documents, class_docs, combine):
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * scores.nbytes, "and not 1,000 times as much"
