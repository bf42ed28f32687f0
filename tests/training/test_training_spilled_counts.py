"""Counts in a temporary file come back as they were, in any columns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix, random_array, vstack

from textsieve.training import spilled_counts
from textsieve.training.spilled_counts import SpilledCounts

N_COLUMNS = 7


def batch(n_rows: int, n_columns: int, largest: int, seed: int) -> csr_matrix:
    generator = np.random.default_rng(seed)
    counts = csr_matrix(random_array((n_rows, n_columns), density=0.4, rng=generator))
    counts.data = generator.integers(1, largest + 1, counts.nnz).astype(np.int32)
    counts.sort_indices()
    return counts


@given(
    st.lists(st.tuples(st.integers(0, 5), st.sampled_from([1, 255, 256, 70_000])), min_size=1, max_size=6),
    st.permutations(range(N_COLUMNS)),
    st.integers(0, N_COLUMNS),
)
def test_counts_come_back_in_the_given_columns(
    batches: list[tuple[int, int]], order: list[int], n_columns: int
) -> None:
    # The vocabulary grows: the first batches have fewer columns.
    parts = [batch(n_rows, number + 1, largest, number) for number, (n_rows, largest) in enumerate(batches)]
    parts.append(batch(3, N_COLUMNS, 9, 99))
    spilled = SpilledCounts()
    for part in parts:
        spilled.append(part)
    columns = np.array(order[:n_columns], np.int64)
    dense = [np.pad(part.toarray(), ((0, 0), (0, N_COLUMNS - part.shape[1]))) for part in parts]
    read = list(spilled.read(columns))
    assert (vstack(read).toarray() == np.vstack(dense)[:, columns]).all()
    assert all((np.diff(row.indices) > 0).all() for rows in read for row in rows)


def test_two_passes_may_overlap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spilled_counts, "BLOCK_VALUES", 1)
    spilled, parts = SpilledCounts(), [batch(20, 9, 9, seed) for seed in range(30)]
    for part in parts:
        spilled.append(part)
    pairs = list(zip(spilled.read(np.arange(9)), spilled.read(np.arange(9)[::-1]), strict=True))
    assert len(pairs) == 30
    for part, (first, second) in zip(parts, pairs, strict=True):
        assert (first.toarray() == part.toarray()).all()
        assert (second.toarray() == part.toarray()[:, ::-1]).all()
