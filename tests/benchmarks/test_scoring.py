"""The explanations of the benchmark of selectors."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from scipy.sparse import csr_matrix

from benchmarks import scoring
from textsieve import ClassStats


@pytest.mark.parametrize(("seconds_of_fit", "expected"), [(3.0, "more than 1.5 times as fast"), (1.0, "give no bound")])
def test_a_bound_is_given_if_the_whole_takes_longer_than_its_part(
    seconds_of_fit: float, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter([seconds_of_fit] * 15 + [1.0] * 15)

    def timed(job: Callable[[], object]) -> float:
        return next(times)

    monkeypatch.setattr(scoring, "timed", timed)
    counts, groups = csr_matrix([[1, 0], [0, 1]]), ["a", "b"]
    assert expected in scoring._why_ocfs_is_bounded(counts, groups, ClassStats.from_matrix(counts, groups))
