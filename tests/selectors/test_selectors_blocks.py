"""Scores are computed in blocks of terms, and the score of a term does not depend on the other terms.

Scores stay accurate, however uneven the class sizes are.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse
from tests.reference import selectors_twin as exact

from textsieve import ClassStats
from textsieve.kernels.term_scores import block_ends, block_size
from textsieve.selectors.chi import chi_square, chi_square_of_class
from textsieve.selectors.information import information_gain
from textsieve.selectors.trace import between_class_scatter
from textsieve.stats.table import Cells, Sums, Table, Totals

Score = Callable[[ClassStats], NDArray[np.float64]]
N_TERMS = 7000


@pytest.fixture(scope="module")
def stats() -> ClassStats:
    numbers = np.random.default_rng(0)
    X = sparse.random_array((400, N_TERMS), density=0.05, rng=numbers, data_sampler=lambda size: np.ones(size))
    often = sparse.csr_array((numbers.random((400, 20)) < np.linspace(0.2, 1.0, 20)).astype(np.float64))
    return ClassStats.from_matrix(sparse.csr_array(sparse.hstack([X, often])), numbers.integers(0, 5, 400) ** 2)


@pytest.mark.parametrize("score", [information_gain, chi_square, between_class_scatter])
def test_a_score_does_not_depend_on_other_terms(score: Score, stats: ClassStats) -> None:
    cells = stats.cells
    assert block_size(stats.n_terms, len(stats.classes), len(cells.terms)) < stats.n_terms / 2
    parts = np.array_split(np.arange(stats.n_terms), 11)
    alone = np.concatenate([score(stats.take(part)) for part in parts])
    assert score(stats).tolist() == alone.tolist()


def test_chi_square_is_the_weighted_mean_over_classes(stats: ClassStats) -> None:
    shares = stats.class_docs / stats.n_pairs
    expected = sum(
        share * chi_square_of_class(stats.class_doc_freq(number), stats.pair_doc_freq, int(size), stats.n_pairs)
        for number, (share, size) in enumerate(zip(shares, stats.class_docs, strict=True))
    )
    np.testing.assert_allclose(chi_square(stats), expected, rtol=1e-12)


def test_the_gain_of_frequent_and_rare_terms_is_that_of_its_definition(stats: ClassStats) -> None:
    n, df = stats.n_pairs, stats.pair_doc_freq
    shares = stats.class_docs / n
    gain = np.full(stats.n_terms, -(shares * np.log2(shares)).sum())
    for number, size in enumerate(stats.class_docs):
        inside = stats.class_doc_freq(number)
        for count, total in ((inside, df), (size - inside, n - df)):
            share = np.divide(count, total, out=np.zeros(len(df)), where=total > 0)
            gain += total / n * share * np.log2(share, out=np.zeros(len(df)), where=share > 0)
    np.testing.assert_allclose(information_gain(stats), gain, rtol=1e-9, atol=1e-14)


def test_any_number_of_terms_fits_into_blocks() -> None:
    starts, terms = np.array([0, 3, 3, 5]), np.array([0, 4, 9, 3, 4])
    begins = starts[:-1]
    assert block_ends(starts, terms, begins, 4).tolist() == [1, 3, 4]
    assert block_ends(starts, terms, block_ends(starts, terms, begins, 4), 10).tolist() == [3, 3, 5]
    assert block_size(0, 0, 0) == 1
    assert block_size(10**7, 10**4, 10**6) >= 10**6


# -- digits --------------------------------------------------------------------------------------------------------

Counts = Sequence[int]
UNEVEN: list[tuple[Counts, Counts]] = [
    ((200_000, 1, 1), (5, 0, 0)),
    ((200_000, 1, 1), (100_000, 1, 0)),
    ((200_000, 1, 1), (200_000, 0, 0)),
    ((200_000, 2, 2), (100_001, 1, 1)),
    ((3, 809_437), (0, 22)),
    ((2_589_094, 6), (7057, 0)),
    ((2_582_623, 4, 5066, 5, 4), (402_552, 0, 789, 1, 1)),
    ((1_394_944, 55_872, 832, 1344), (566_697, 22_698, 338, 546)),
    ((10**7, 1, 3), (9 * 10**6, 0, 0)),
    ((10**8, 1, 1), (1, 0, 0)),
]


def stats_of_counts(sizes: Counts, with_term: Counts) -> ClassStats:
    """Return the statistics of one term, given the sizes of the classes and its document frequency in each."""
    filled = np.array([count for count in with_term if count], np.int64)
    starts = np.concatenate([[0], np.cumsum(np.array(with_term) > 0)])
    total_sums = Sums.from_integers(filled.sum(keepdims=True))
    totals = Totals(np.zeros(1, np.int64), filled.sum(keepdims=True), total_sums, total_sums)
    cells = Cells(starts, np.zeros(len(filled), np.int64), filled, Sums.from_integers(filled))
    return ClassStats(Table(tuple(range(len(sizes))), sum(sizes), 1, np.array(sizes), totals, cells))


def exact_chi_square(sizes: Counts, with_term: Counts) -> Fraction:
    n, df = sum(sizes), sum(with_term)
    class_scores = (
        (size, exact.chi_square_of_cell(a, df - a, size - a, n - size - df + a))
        for size, a in zip(sizes, with_term, strict=True)
    )
    return sum((Fraction(size, n) * score for size, score in class_scores), Fraction(0))


def exact_gain(sizes: Counts, with_term: Counts) -> Fraction:
    n = sum(sizes)
    without = [size - count for size, count in zip(sizes, with_term, strict=True)]
    left = sum(Fraction(sum(part), n) * exact.entropy(part) for part in (with_term, without) if sum(part))
    return exact.entropy(sizes) - left


def exact_scatter(sizes: Counts, with_term: Counts, shares: Sequence[Fraction]) -> Fraction:
    means = [Fraction(count, size) for size, count in zip(sizes, with_term, strict=True)]
    mean = sum((share * class_mean for share, class_mean in zip(shares, means, strict=True)), Fraction(0))
    return sum((share * (class_mean - mean) ** 2 for share, class_mean in zip(shares, means, strict=True)), Fraction(0))


def assert_accurate_scores(sizes: Counts, with_term: Counts) -> None:
    stats, n, c = stats_of_counts(sizes, with_term), sum(sizes), len(sizes)
    alike, by_size = [Fraction(1, c)] * c, [Fraction(size, n) for size in sizes]
    for scores, expected in (
        (chi_square(stats), exact_chi_square(sizes, with_term)),
        (information_gain(stats), exact_gain(sizes, with_term)),
        (between_class_scatter(stats), exact_scatter(sizes, with_term, by_size)),
        (between_class_scatter(stats, "balanced"), exact_scatter(sizes, with_term, alike)),
    ):
        error = abs(Fraction(float(scores[0])) - expected)
        assert error <= Fraction(1, 10**12) * expected + Fraction(1, 10**40), (float(scores[0]), float(expected))


@pytest.mark.parametrize(("sizes", "with_term"), UNEVEN, ids=str)
def test_scores_of_uneven_classes_are_accurate(sizes: Counts, with_term: Counts) -> None:
    assert_accurate_scores(sizes, with_term)


@st.composite
def uneven_counts(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Draw class sizes from 1 to 9 million, and a term's document frequencies: 0, 1, all, or about a common share."""
    sizes = [draw(st.integers(1, 9)) * 10 ** draw(st.integers(0, 6)) for _ in range(draw(st.integers(2, 6)))]
    share = draw(st.fractions(0, 1))
    counts = []
    for size in sizes:
        near = min(max(int(size * share) + draw(st.integers(-1, 2)), 0), size)
        counts.append(draw(st.sampled_from([0, 1, size, near, near, near])))
    return sizes, counts


@given(uneven_counts().filter(lambda case: any(case[1])))
def test_scores_of_random_uneven_classes_are_accurate(case: tuple[list[int], list[int]]) -> None:
    assert_accurate_scores(*case)
