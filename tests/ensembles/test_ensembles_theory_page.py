"""The numbers of docs/research/subspaces-theory.md are correct, and its code runs."""

import math
import re
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from textsieve.ensembles import bounds, coverage, diversity, expected_difference, suggest, usability

from ..reference import subspace_twin as twin

PAGE = (Path(__file__).parents[2] / "docs" / "research" / "subspaces-theory.md").read_text()
RUNS = 4_000


def whole(cell: str) -> int:
    return int(cell.replace(",", ""))


def rows_of(name: str) -> list[list[str]]:
    """Return the rows of the table below a comment, without its header."""
    lines = re.search(rf"<!-- table: {name} -->\n((?:\|.*\n)+)", PAGE)
    assert lines is not None
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1].splitlines()[2:]]


def test_the_table_of_brown() -> None:
    rows = rows_of("brown")
    assert len(rows) == 6
    for important, paper, members, suggested, worst, apart, suggested_apart in rows:
        q = whole(important)
        own = [probability(5_000, 2_000, 400, q) for probability in (usability, coverage, diversity)]
        assert [float(cell) for cell in paper.split(" / ")] == pytest.approx(own, abs=1.01e-6)
        assert suggest(5_000, q, n_terms=2_000).n_estimators == whole(members)
        free = suggest(5_000, q)
        assert [whole(cell) for cell in suggested.split(" x ")] == [free.n_terms, free.n_estimators]
        assert float(worst) == pytest.approx(min(free.usability, free.coverage, free.diversity), abs=1.01e-6)
        assert whole(apart) == round(expected_difference(5_000, 2_000, q))
        assert whole(suggested_apart) == round(expected_difference(5_000, free.n_terms, q))


def test_the_table_of_simulations() -> None:
    """Simulations are within four standard errors of the true probabilities, where fractions can be computed."""
    true = (twin.usability, twin.true_coverage, twin.true_diversity)
    for *sizes, usable, covered, covered_bounds, diverse, diverse_bounds in rows_of("simulation"):
        n, m, members, q = map(whole, sizes)
        computed = bounds(n, m, members, q)
        limits = [float(cell) for cell in [*covered_bounds.split(" to "), *diverse_bounds.split(" to ")]]
        assert limits == pytest.approx(list(computed), abs=0.0006)
        formulas = (usability, coverage, diversity)
        for cell, formula, probability in zip((usable, covered, diverse), formulas, true, strict=True):
            predicted, seen = map(float, cell.split(" / "))
            assert predicted == pytest.approx(formula(n, m, members, q), abs=0.0006)
            if n <= 200:
                exact = float(probability(n, m, members, q))
                assert abs(seen - exact) <= 4 * math.sqrt(exact * (1 - exact) / RUNS) + 0.0005


def largest_gap(n: int, formula: Callable[..., float], true: Callable[..., Any], important: list[int]) -> float:
    """Return the largest difference between a formula and the true probability."""
    drawn = sorted({max(1, round(n * share)) for share in (0.02, 0.05, 0.1, 0.2, 0.4, 0.5, 0.6, 0.8, 0.9, 0.95)})
    return max(
        abs(formula(n, m, members, q) - float(true(n, m, members, q)))
        for m, members, q in product(drawn, (2, 3, 5, 10, 20), important)
    )


@pytest.mark.slow
def test_the_table_of_errors_of_the_formulas() -> None:
    for n, covering, at_covering, differing, at_differing in rows_of("off"):
        important = sorted({max(1, round(int(n) * share)) for share in (0.05, 0.1, 0.25, 0.5, 1)})
        gap = largest_gap(int(n), coverage, twin.true_coverage, important)
        assert gap == pytest.approx(float(covering), abs=0.0006)
        m, members, q = map(int, at_covering.split(", "))
        assert abs(coverage(int(n), m, members, q) - twin.true_coverage(int(n), m, members, q)) == pytest.approx(gap)
        gap = largest_gap(int(n), diversity, twin.true_diversity, [q for q in important if q <= 20])
        assert gap == pytest.approx(float(differing), abs=0.0006)
        m, members, q = map(int, at_differing.split(", "))
        assert abs(diversity(int(n), m, members, q) - twin.true_diversity(int(n), m, members, q)) == pytest.approx(gap)


def test_the_sums_of_the_printed_formula() -> None:
    assert f"{float(twin.printed_sum(20, 8, 5)):,.1f}" == "4,423.7"
    assert "that sum is 4,423.7" in PAGE
    first = float(twin.ratio(20, 8, 5, 0) ** 2)
    assert f"the same sum is {float(twin.same(20, 8, 5)) - first:.4f}" in PAGE
    assert f"With it, s is {float(twin.same(20, 8, 5)):.4f}" in PAGE
    assert f"the first summand is {float(twin.ratio(20, 1, 5, 0) ** 2)} of s = {float(twin.same(20, 1, 5)):.3f}" in PAGE
    assert f"`C(5000, 2000)` has {len(str(math.comb(5000, 2000))):,} digits" in PAGE


def test_the_example_prints_what_the_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(block, "subspaces-theory.md", "exec"), {})
    (shown,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert capsys.readouterr().out == shown
