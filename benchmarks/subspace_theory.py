"""The tables of docs/subspaces-theory.md: `python -m benchmarks.subspace_theory` writes them anew into the page.

Each stands under a comment that names it. That of important terms needs Brown in the folder that TEXTSIEVE_DATA names,
and stays as it is without it.
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

PAGE = Path(__file__).parents[1] / "docs" / "subspaces-theory.md"
RUNS = 4_000
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
PAPER = (2_000, 400)
N = 5_000


def simulated(n: int, m: int, members: int, q: int, *, runs: int = RUNS, seed: int = 0) -> tuple[float, float, float]:
    """Usability, coverage and diversity as shares of ensembles that were drawn at random.

    How many important terms a member has is drawn first, and then which: the others need not be.
    """
    random = np.random.default_rng(seed)
    found = np.zeros(3)
    for _ in range(runs):
        counts = random.hypergeometric(q, n - q, m, members)
        has = random.random((members, q)).argsort(axis=1).argsort(axis=1) < counts[:, None]
        distinct = len({row.tobytes() for row in has}) == members
        found += np.array([has.any(axis=1).all(), has.any(axis=0).all(), distinct])
    usable, covered, diverse = (found / runs).tolist()
    return usable, covered, diverse


def table(titles: list[str], rows: list[list[str]]) -> str:
    """Markdown."""
    return "\n".join(f"| {' | '.join(row)} |" for row in [titles, ["---:"] * len(titles), *rows])


def against_simulation() -> str:
    """What is predicted, and what was seen."""
    rows = []
    for sizes in SIMULATED:
        limits, seen = bounds(*sizes), simulated(*sizes)
        predicted = [probability(*sizes) for probability in (usability, coverage, diversity)]
        cells = [f"{value:.3f} / {share:.3f}" for value, share in zip(predicted, seen, strict=True)]
        spans = [f"{low:.3f} to {high:.3f}" for low, high in (limits[:2], limits[2:])]
        rows.append([*(f"{number:,}" for number in sizes), cells[0], cells[1], spans[0], cells[2], spans[1]])
    return table(["n", "M", "L", "Q", "usability", "coverage", "bounds", "diversity", "bounds"], rows)


def for_brown() -> str:
    """The paper's sizes, and what the theory would take, for several numbers of important terms."""
    rows = []
    for q in (10, 50, 250, 500, 1_250, 2_500):
        own = [probability(N, *PAPER, q) for probability in (usability, coverage, diversity)]
        same_terms, free = suggest(N, q, n_terms=PAPER[0]), suggest(N, q)
        worst = min(free.usability, free.coverage, free.diversity)
        rows.append(
            [
                f"{q:,}",
                " / ".join(_digits(value) for value in own),
                f"{same_terms.n_estimators:,}",
                f"{free.n_terms:,} x {free.n_estimators:,}",
                _digits(worst),
                f"{expected_difference(N, PAPER[0], q):.0f}",
                f"{expected_difference(N, free.n_terms, q):.0f}",
            ]
        )
    titles = ["Q", "2,000 x 400", "L for M = 2,000", "suggested", "its worst", "differ, M = 2,000", "differ, suggested"]
    return table(titles, rows)


def _digits(probability: float) -> str:
    """Six digits; a one only if it is one to all digits of a float."""
    return "1" if probability == 1.0 else f"{min(probability, 0.999999):.6f}"


def important_on_brown() -> str:
    """How many of the 5,000 terms with the largest information gain are important."""
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
    "simulation": against_simulation,
    "brown": for_brown,
    "important": important_on_brown,
}


def written(page: str, name: str, made: str) -> str:
    """The page with the lines of a table under its comment replaced."""
    return re.sub(rf"(<!-- table: {name} -->\n)(\|.*\n)*", lambda found: f"{found[1]}{made}\n", page)


def main() -> None:
    """Write all tables that can be made."""
    page = PAGE.read_text()
    for name, make in TABLES.items():
        if name != "important" or "TEXTSIEVE_DATA" in os.environ:
            page = written(page, name, make())
    PAGE.write_text(page)
    widest = 0.5 / math.sqrt(RUNS)
    print(f"{PAGE.name}: {RUNS:,} ensembles for a row; a share has a standard error of {widest:.4f} at the most")


if __name__ == "__main__":
    main()
