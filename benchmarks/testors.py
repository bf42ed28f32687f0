"""Typical testors: their union beside listing all of them, MMCS beside LEX, and MMCS beside python-sat's solver.

`python -m benchmarks.testors` prints the times of LEX up to the largest matrix that it finishes within a minute;
`make bench` gives it ten seconds.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache, partial
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
    union_of_minimal_rows,
)

from .harness import Result, figure, seconds, timed, versus

Marks = NDArray[np.bool_]

N_CLASSES, N_CANDIDATES, N_TERMS = 103, 10_000, 40_000
BUDGET = 10.0
"""Seconds for LEX in `make bench`."""
N_ROWS, SHARE = 30, 0.3
"""The rows, and the share of marked cells, of the matrices with a growing number of columns."""
RATE_SECONDS = 3.0
"""The time for which a method lists testors to measure its rate."""
SHAPES = ((40, 60, 0.2), (100, 40, 0.2), (100, 60, 0.3), (30, 200, 0.1), (100, 60, 0.5), (100, 100, 0.8))
"""Matrices for comparing MMCS and LEX: rows, columns, and the share of marked cells."""


def random_matrix(n_rows: int, n_columns: int, share: float) -> Marks:
    """Return a matrix with about this share of its cells marked at random, and no empty row."""
    rows = np.random.default_rng(n_rows * n_columns).random((n_rows, n_columns)) < share
    rows[~rows.any(axis=1), 0] = True
    return rows


@cache
def many_candidates() -> ClassStats:
    """Return the statistics of 103 classes, whose mean documents have 10,000 of 40,000 terms each."""
    generator = np.random.default_rng(0)
    columns = [generator.choice(N_TERMS, N_CANDIDATES, replace=False) for _ in range(N_CLASSES)]
    cells = np.repeat(np.arange(N_CLASSES), N_CANDIDATES), np.concatenate(columns)
    weights = generator.uniform(0.2, 1.0, N_CLASSES * N_CANDIDATES)
    return ClassStats.from_matrix(csr_array((weights, cells), (N_CLASSES, N_TERMS)), np.arange(N_CLASSES))


class ListedMatrix(NamedTuple):
    """A matrix whose testors LEX has listed completely, their number, and the seconds that it took."""

    rows: Marks
    n_testors: int
    seconds: float


def list_growing_matrices(budget: float) -> Iterator[ListedMatrix]:
    """Yield matrices with more and more columns, as long as LEX finishes within the budget."""
    for n_columns in range(20, 400, 5):
        rows = random_matrix(N_ROWS, n_columns, SHARE)
        begin = time.perf_counter()
        testors = count_transversals(rows, "lex", max_seconds=budget)
        if not testors.complete:
            return
        yield ListedMatrix(rows, testors.number, time.perf_counter() - begin)


def compile_kernels(*methods: str) -> None:
    """Let methods list the testors of a small matrix, so that their kernels are compiled before the clock starts."""
    for method in methods:
        count_transversals(random_matrix(3, 5, 0.5), method)


def time_union(rows: Marks) -> float:
    """Return the seconds to find the union of all testors, without listing them."""
    union_of_minimal_rows(pack_bits(rows))  # compiled before the clock starts
    return float(np.median([timed(lambda: union_of_minimal_rows(pack_bits(rows)), loops=100) for _ in range(7)]))


def union_beside_lex(budget: float) -> Result:
    """Time the union on the largest matrix that LEX finishes within the budget."""
    compile_kernels("lex")
    *_, (rows, n_testors, lex_seconds) = list_growing_matrices(budget)
    job = f"union of {n_testors:,} testors: {N_ROWS} rows, {rows.shape[1]} terms, LEX ends within {budget:g} s"
    return Result(job, time_union(rows), lex_seconds, "listing them by LEX", target=1000)


def seconds_per_million(rows: Marks, method: str) -> float:
    """Return the seconds that a method takes to list a million testors, from its rate in a few seconds."""
    begin = time.perf_counter()
    testors = count_transversals(rows, method, max_seconds=RATE_SECONDS)
    return (time.perf_counter() - begin) * 1e6 / testors.number


def mmcs_beside_lex(n_rows: int, n_columns: int, share: float) -> Result:
    """Compare the rates at which MMCS and LEX list testors."""
    rows = random_matrix(n_rows, n_columns, share)
    compile_kernels("mmcs", "lex")
    why = "where most columns hit most rows LEX rarely goes astray" if share >= 0.5 else ""
    job = f"MMCS: a million testors of {n_rows} rows, {n_columns} terms, {share:.0%} marked"
    ours, theirs = (seconds_per_million(rows, method) for method in ("mmcs", "lex"))
    return Result(job, ours, theirs, "LEX", target=10, why=why)


def mmcs_beside_hitman() -> list[Result]:
    """Time the first 2,000 minimal hitting sets beside python-sat's; return no result if that is not installed."""
    if find_spec("pysat") is None:
        return []
    hitman = import_module("pysat.examples.hitman")
    rows = random_matrix(40, 60, 0.2)
    sets = [np.flatnonzero(row).tolist() for row in rows[minimal_rows(rows)]]

    def theirs() -> int:
        with hitman.Hitman(bootstrap_with=sets, htype="lbx", solver="g3") as solver:
            return sum(1 for _ in islice(solver.enumerate(), 2000))

    def ours() -> int:
        return sum(1 for _ in transversals(rows, limit=2000))

    return [versus("MMCS: the first 2,000 testors of 40 rows, 60 terms", ours, theirs, "python-sat's Hitman, lbx")]


def results() -> list[Result]:
    """Time the union of many terms, and methods that list testors."""
    stats = many_candidates()
    selector = TypicalTestors(epsilon=0.01, delta=0.15, scale="none")
    selector.fit_stats(stats)
    fit_seconds = float(np.median([timed(lambda: selector.fit_stats(stats)) for _ in range(5)]))
    return [
        Result(f"union for {N_CLASSES} classes, {N_CANDIDATES:,} candidates each: `fit_stats`", fit_seconds, limit=1.0),
        union_beside_lex(BUDGET),
        *(mmcs_beside_lex(*shape) for shape in SHAPES),
        *mmcs_beside_hitman(),
    ]


def growth(budget: float = BUDGET) -> str:
    """Return a table: with more terms, listing takes far longer, and the union hardly."""
    lines = [
        f"| terms ({N_ROWS} rows) | testors | LEX | MMCS | union | LEX / union |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    compile_kernels("lex", "mmcs")
    for rows, n_testors, lex_seconds in list_growing_matrices(budget):
        mmcs_seconds = timed(partial(count_transversals, rows))
        union_seconds = time_union(rows)
        times = " | ".join(map(seconds, (lex_seconds, mmcs_seconds, union_seconds)))
        lines.append(f"| {rows.shape[1]} | {n_testors:,} | {times} | {figure(lex_seconds / union_seconds)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(growth(60.0))
