"""Write the tables of docs/research/subspaces-theory.md into the page: `python -m benchmarks.subspace_theory`.

In the page, a comment with its name precedes each table. The table of important terms needs the Brown corpus in the
folder that TEXTSIEVE_DATA names; without it, the table is left unchanged.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from textsieve import Cascade, DocumentFrequency, InformationGain, TermCounter
from textsieve.ensembles import (
    bounds,
    coverage,
    diversity,
    expected_difference,
    important_terms,
    suggest,
    usability,
)

PAGE = Path(__file__).parents[1] / "docs" / "research" / "subspaces-theory.md"
RUNS = 4_000
"""The number of simulated ensembles for each row of a table."""
SIMULATED = (
    (20, 8, 4, 5),
    (40, 4, 30, 30),
    (60, 10, 6, 12),
    (60, 24, 8, 6),
    (200, 20, 20, 15),
    (200, 100, 6, 8),
    (5_000, 30, 10, 500),
    (5_000, 500, 80, 500),
    (5_000, 2_000, 20, 500),
    (5_000, 4_975, 3, 500),
)
"""n, M, L and Q: the number of terms, the terms of a member, the members, and the important terms."""
PAPER = (2_000, 400)
"""M and L of the paper."""
N = 5_000


def simulate(n: int, m: int, members: int, q: int, *, runs: int = RUNS, seed: int = 0) -> tuple[float, float, float]:
    """Return usability, coverage and diversity: the shares of random ensembles that have each property.

    Only the important terms are simulated: first their number in each member, then which of them a member has.
    """
    random = np.random.default_rng(seed)
    n_with_property = np.zeros(3)
    for _ in range(runs):
        counts = random.hypergeometric(q, n - q, m, members)
        random_ranks = random.random((members, q)).argsort(axis=1).argsort(axis=1)
        has_term = random_ranks < counts[:, None]  # members x important terms
        is_usable, is_covered = has_term.any(axis=1).all(), has_term.any(axis=0).all()
        is_diverse = len({row.tobytes() for row in has_term}) == members
        n_with_property += np.array([is_usable, is_covered, is_diverse])
    usable, covered, diverse = (n_with_property / runs).tolist()
    return usable, covered, diverse


def table(titles: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table of numbers."""
    return "\n".join(f"| {' | '.join(row)} |" for row in [titles, ["---:"] * len(titles), *rows])


def simulation_table() -> str:
    """Return a table of predicted probabilities, of simulated shares, and of bounds."""
    rows = []
    for sizes in SIMULATED:
        limits, shares = bounds(*sizes), simulate(*sizes)
        predicted = [probability(*sizes) for probability in (usability, coverage, diversity)]
        cells = [f"{value:.3f} / {share:.3f}" for value, share in zip(predicted, shares, strict=True)]
        spans = [f"{low:.3f} to {high:.3f}" for low, high in (limits[:2], limits[2:])]
        rows.append([*(f"{number:,}" for number in sizes), cells[0], cells[1], spans[0], cells[2], spans[1]])
    return table(["n", "M", "L", "Q", "usability", "coverage", "bounds", "diversity", "bounds"], rows)


def suggestion_table() -> str:
    """Return a table of the paper's sizes and of the suggested sizes, by the number of important terms."""
    rows = []
    for q in (10, 50, 250, 500, 1_250, 2_500):
        at_paper = [probability(N, *PAPER, q) for probability in (usability, coverage, diversity)]
        with_paper_terms, suggested = suggest(N, q, n_terms=PAPER[0]), suggest(N, q)
        worst = min(suggested.usability, suggested.coverage, suggested.diversity)
        rows.append(
            [
                f"{q:,}",
                " / ".join(_digits(value) for value in at_paper),
                f"{with_paper_terms.n_estimators:,}",
                f"{suggested.n_terms:,} x {suggested.n_estimators:,}",
                _digits(worst),
                f"{expected_difference(N, PAPER[0], q):.0f}",
                f"{expected_difference(N, suggested.n_terms, q):.0f}",
            ]
        )
    titles = ["Q", "2,000 x 400", "L for M = 2,000", "suggested", "its worst", "differ, M = 2,000", "differ, suggested"]
    return table(titles, rows)


def _digits(probability: float) -> str:
    """Return six digits; a probability below 1 is never rounded up to 1."""
    return "1" if probability == 1.0 else f"{min(probability, 0.999999):.6f}"


def important_terms_table() -> str:
    """Return a table: how many of the 5,000 terms with the largest information gain on Brown are important."""
    from .newsgroups import labelled

    texts, genres = labelled("brown")
    selector = Cascade([DocumentFrequency(min_df=0.01), InformationGain(k=N)])
    scores = np.sort(selector.fit(TermCounter().fit_transform(texts), genres).scores_)[::-1][:N]
    ways: list[tuple[str, int]] = [
        *((f"energy, level {level:g}", important_terms(scores, "energy", level)) for level in (0.5, 0.6, 0.8, 0.9)),
        ("knee", important_terms(scores, "knee")),
    ]
    return table(["way", "Q"], [[name, f"{number:,}"] for name, number in ways])


TABLES: dict[str, Callable[[], str]] = {
    "simulation": simulation_table,
    "brown": suggestion_table,
    "important": important_terms_table,
}


def replace_table(page: str, name: str, new_table: str) -> str:
    """Return the page with the table under the comment of this name replaced."""
    return re.sub(rf"(<!-- table: {name} -->\n)(\|.*\n)*", lambda match: f"{match[1]}{new_table}\n", page)


def main() -> None:
    """Write all tables; that of important terms only if TEXTSIEVE_DATA is set."""
    page = PAGE.read_text()
    for name, make_table in TABLES.items():
        if name != "important" or "TEXTSIEVE_DATA" in os.environ:
            page = replace_table(page, name, make_table())
    PAGE.write_text(page)
    largest_error = 0.5 / math.sqrt(RUNS)
    print(f"{PAGE.name}: {RUNS:,} ensembles for a row; a share has a standard error of {largest_error:.4f} at the most")


if __name__ == "__main__":
    main()
