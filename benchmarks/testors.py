"""Typical testors: their union beside listing them all, MMCS beside LEX, and both beside a solver from PyPI.

`python -m benchmarks.testors` prints how LEX grows up to the largest size at which it ends within a minute; the run of
all comparisons gives it ten seconds.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from textsieve import ClassStats, TypicalTestors
from textsieve.selectors.testors.transversals import (
    count_transversals,
    minimal_rows,
    pack_bits,
    transversals,
    union_of_bits,
)

from .harness import Result, figure, seconds, timed, versus

Marks = NDArray[np.bool_]

N_CLASSES, N_CANDIDATES, N_TERMS = 103, 10_000, 40_000
BUDGET = 10.0
"""Seconds for LEX in the run of all comparisons."""
N_ROWS, SHARE = 30, 0.3
"""Of the matrices that grow column by column."""
RATE_SECONDS = 3.0
FAMILIES = ((40, 60, 0.2), (100, 40, 0.2), (100, 60, 0.3), (30, 200, 0.1), (100, 60, 0.5), (100, 100, 0.8))
"""Rows, columns, and the share of a row's columns that are marked."""


def generated(n_rows: int, n_columns: int, share: float) -> Marks:
    """Rows marked at random, none empty."""
    rows = np.random.default_rng(n_rows * n_columns).random((n_rows, n_columns)) < share
    rows[~rows.any(axis=1), 0] = True
    return rows


@cache
def many_candidates() -> ClassStats:
    """Classes whose mean documents have 10,000 terms each, of 40,000."""
    chance = np.random.default_rng(0)
    columns = [chance.choice(N_TERMS, N_CANDIDATES, replace=False) for _ in range(N_CLASSES)]
    places = np.repeat(np.arange(N_CLASSES), N_CANDIDATES), np.concatenate(columns)
    weights = chance.uniform(0.2, 1.0, N_CLASSES * N_CANDIDATES)
    return ClassStats.from_matrix(csr_array((weights, places), (N_CLASSES, N_TERMS)), np.arange(N_CLASSES))


class Grown(NamedTuple):
    """A matrix that LEX came to the end of, and how long it took."""

    rows: Marks
    n_testors: int
    spent: float


def growing(budget: float) -> Iterator[Grown]:
    """Matrices of more and more columns, as long as LEX ends within the budget."""
    for n_columns in range(20, 400, 5):
        rows = generated(N_ROWS, n_columns, SHARE)
        begin = time.perf_counter()
        found = count_transversals(rows, "lex", max_seconds=budget)
        if not found.complete:
            return
        yield Grown(rows, found.number, time.perf_counter() - begin)


def largest(budget: float) -> Grown:
    """The last of them."""
    count_transversals(generated(3, 5, 0.5), "lex")  # compiled before the clock starts
    return list(growing(budget))[-1]


def union_time(rows: Marks) -> float:
    """Seconds for the union alone."""
    union_of_bits(pack_bits(rows))  # compiled before the clock starts
    return float(np.median([timed(lambda: union_of_bits(pack_bits(rows)), loops=100) for _ in range(7)]))


def union_beside_lex(budget: float) -> Result:
    """The union at the largest size that LEX can do."""
    rows, n_testors, spent = largest(budget)
    ours = union_time(rows)
    job = f"union of {n_testors:,} testors: {N_ROWS} rows, {rows.shape[1]} terms, LEX ends within {budget:g} s"
    return Result(job, ours, spent, "listing them by LEX", target=1000)


def rate(rows: Marks, method: str) -> float:
    """Seconds for a million testors."""
    begin = time.perf_counter()
    found = count_transversals(rows, method, max_seconds=RATE_SECONDS)
    return (time.perf_counter() - begin) * 1e6 / found.number


def mmcs_beside_lex(n_rows: int, n_columns: int, share: float) -> Result:
    """Testors in a time."""
    rows = generated(n_rows, n_columns, share)
    for method in ("mmcs", "lex"):
        count_transversals(generated(3, 5, 0.5), method)
    why = "where most columns hit most rows LEX rarely goes astray" if share >= 0.5 else ""
    job = f"MMCS: a million testors of {n_rows} rows, {n_columns} terms, {share:.0%} marked"
    return Result(job, rate(rows, "mmcs"), rate(rows, "lex"), "LEX", target=10, why=why)


def mmcs_beside_hitman() -> list[Result]:
    """The first 2,000 minimal hitting sets, as tuples, beside python-sat's, if that is installed."""
    if find_spec("pysat") is None:
        return []
    hitman = import_module("pysat.examples.hitman")
    rows = generated(40, 60, 0.2)
    sets = [np.flatnonzero(row).tolist() for row in rows[minimal_rows(rows)]]

    def theirs() -> int:
        with hitman.Hitman(bootstrap_with=sets, htype="lbx", solver="g3") as solver:
            return sum(1 for _ in islice(solver.enumerate(), 2000))

    def ours() -> int:
        return sum(1 for _ in transversals(rows, limit=2000))

    return [versus("MMCS: the first 2,000 testors of 40 rows, 60 terms", ours, theirs, "python-sat's Hitman, lbx")]


def results() -> list[Result]:
    """The union of many terms, and listing."""
    stats = many_candidates()
    everything = TypicalTestors(epsilon=0.01, delta=0.15, scale="none")
    everything.fit_stats(stats)
    many = float(np.median([timed(lambda: everything.fit_stats(stats)) for _ in range(5)]))
    return [
        Result(f"union for {N_CLASSES} classes, {N_CANDIDATES:,} candidates each: `fit_stats`", many, limit=1.0),
        union_beside_lex(BUDGET),
        *(mmcs_beside_lex(*family) for family in FAMILIES),
        *mmcs_beside_hitman(),
    ]


def growth(budget: float = BUDGET) -> str:
    """How listing grows with the number of terms, and the union does not."""
    lines = [
        f"| terms ({N_ROWS} rows) | testors | LEX | MMCS | union | LEX / union |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    for method in ("lex", "mmcs"):
        count_transversals(generated(3, 5, 0.5), method)
    for rows, n_testors, spent in growing(budget):
        listing = timed(lambda rows=rows: count_transversals(rows))  # type: ignore[misc]
        once = union_time(rows)
        times = [seconds(each) for each in (spent, listing, once)]
        lines.append(f"| {rows.shape[1]} | {n_testors:,} | {' | '.join(times)} | {figure(spent / once)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(growth(60.0))
