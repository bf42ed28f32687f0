"""Scores are worked out in blocks of terms: what a term gets does not depend on which others are there."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from textsieve import ClassStats
from textsieve.kernels.blocks import block_ends, block_size
from textsieve.selectors.chi import chi_square, chi_square_of_class
from textsieve.selectors.information import information_gain
from textsieve.selectors.trace import between_class_scatter

Score = Callable[[ClassStats], NDArray[np.float64]]
N_TERMS = 7000


@pytest.fixture(scope="module")
def stats() -> ClassStats:
    numbers = np.random.default_rng(0)
    X = sparse.random_array((400, N_TERMS), density=0.05, rng=numbers, data_sampler=lambda size: np.ones(size))
    often = sparse.csr_array((numbers.random((400, 20)) < np.linspace(0.2, 1.0, 20)).astype(np.float64))
    return ClassStats.from_matrix(sparse.csr_array(sparse.hstack([X, often])), numbers.integers(0, 5, 400) ** 2)


@pytest.mark.parametrize("score", [information_gain, chi_square, between_class_scatter])
def test_terms_in_blocks_score_as_they_do_alone(score: Score, stats: ClassStats) -> None:
    cells = stats.cells
    assert block_size(stats.n_terms, len(stats.classes), len(cells.terms)) < stats.n_terms / 2
    parts = np.array_split(np.arange(stats.n_terms), 11)
    alone = np.concatenate([score(stats.take(part)) for part in parts])
    assert score(stats).tolist() == alone.tolist()


def test_the_mean_of_chi_square_is_that_of_its_classes(stats: ClassStats) -> None:
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


def test_blocks_end_where_terms_do() -> None:
    starts, terms = np.array([0, 3, 3, 5]), np.array([0, 4, 9, 3, 4])
    begins = starts[:-1]
    assert block_ends(starts, terms, begins, 4).tolist() == [1, 3, 4]
    assert block_ends(starts, terms, block_ends(starts, terms, begins, 4), 10).tolist() == [3, 3, 5]
    assert block_size(0, 0, 0) == 1
    assert block_size(10**7, 10**4, 10**6) >= 10**6
