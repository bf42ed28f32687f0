"""How good random subspaces are, and where they gain on one classifier; writes docs/subspaces-results.md.

What the paper printed is in `studies.subspace`; this goes beyond it, and has terms chosen from the documents
to learn from alone.

Three steps, on splits of their own. A *search* tries many weightings, classifiers and sizes on some splits, and what it
finds is corrected for how many were tried. A *check* measures what the search found, and the paper's size with every
weighting, on fresh splits. The rest (sizes, other readings, other collections) looks at what the check left open.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from studies.preparations import CUT, N_TERMS, WEIGHTINGS, chosen_terms

from textsieve.ensembles import (
    SubspaceGrid,
    coverage,
    diversity,
    important_terms,
    measured_diversity,
    subspace_grid,
    usability,
)
from textsieve.ensembles.grid import plot_grid

from .subspaces_data import (
    OTHERS,
    READINGS,
    Split,
    brown_documents,
    other_documents,
    splits,
    weighing_terms,
)
from .subspaces_found import Differing, Setting, candidates
from .subspaces_pages import (
    PAPER,
    check_in_words,
    check_table,
    diversity_section,
    grid_section,
    in_short,
    others_table,
    readings_in_words,
    readings_table,
    search_in_words,
    search_table,
)
from .subspaces_statistics import interval
from .subspaces_trials import BASES, Outcome, Size, answers, tried

DOCS = Path(__file__).parents[1] / "docs"
TRAIN, TEST, OTHERS_TEST = 400, 100, 1_000
SEARCH_SEED, CHECK_SEED, SIDE_SEED = 7, 2010, 44
N_SEARCH, N_CHECK, N_SIDE, N_GRID = 10, 20, 10, 5

SMALL = Size(500, 100)
MIDDLE = Size(2_000, 50)
NOT_WITH_LARGE_C = ("tf, length 1", "tf-idf, length 1")
SEARCHED_BASES: dict[str, tuple[str, ...]] = {
    "SVM, C = 100": tuple(name for name in WEIGHTINGS if name not in NOT_WITH_LARGE_C),
    "SVM, C = 1": ("counts", "tf, length 1", "log tf, length 1", "ltc"),
    "SVM, C = 0.1": ("binary", "ltc"),
    "naive Bayes": ("counts", "counts / their largest", "binary", "ltc"),
    "Rocchio": ("counts", "binary", "ltc", "loglog, smooth idf"),
    "pairwise SVM, C = 100": ("counts", "ltc", CUT),
}
"""Which weightings are tried with which base. Counts of length 1 are nearly all frequent words: with C = 100 the
descent takes many times as long on them."""
SLOW = ("pairwise SVM, C = 100",)
"""Searched at the middle size alone."""
Wanted = tuple[str, str, Size]
FIXED: list[Wanted] = [
    *((weighting, "SVM, C = 100", PAPER) for weighting in ("counts", "binary", "ltc", "loglog, smooth idf", CUT)),
    ("counts", "SVM, C = 100", Size(500, 400)),
]
"""What is checked whatever the search finds: the paper's size, and where the grid of counts is best, or nearly."""


def pipeline(weighting: str) -> Callable[[], Any]:
    """What makes a fresh pipeline of terms and weights."""
    return lambda: WEIGHTINGS[weighting](chosen_terms())


def brown_splits(weighting: str, n_splits: int, seed: int, *, reading: str = "words") -> Iterator[Split]:
    """Four fifths of Brown to train on, a fifth to test."""
    sizes = {"n_train": TRAIN, "n_test": TEST}
    return splits(brown_documents(reading), pipeline(weighting), n_splits=n_splits, seed=seed, **sizes)


# -- the search, and the check ---------------------------------------------------------------------------------------


def search() -> list[Setting]:
    """Many settings, on a few splits."""
    found = []
    for base, weightings in SEARCHED_BASES.items():
        sizes = [MIDDLE] if base in SLOW else [SMALL, MIDDLE]
        for weighting in weightings:
            outcomes = tried(BASES[base](), brown_splits(weighting, N_SEARCH, SEARCH_SEED), sizes)
            found += [Setting(weighting, base, each) for each in outcomes]
            say(f"{weighting}, {base}: {[str(interval(each.vote - each.single)) for each in outcomes]}")
    return found


def check(wanted: list[Wanted]) -> list[Setting]:
    """Settings on fresh splits."""
    found = []
    for weighting, base in dict.fromkeys(each[:2] for each in wanted):
        sizes = list(dict.fromkeys(size for *both, size in wanted if both == [weighting, base]))
        outcomes = tried(BASES[base](), brown_splits(weighting, N_CHECK, CHECK_SEED), sizes)
        found += [Setting(weighting, base, each) for each in outcomes]
        say(f"check {weighting}, {base}: {[str(interval(each.vote - each.single)) for each in outcomes]}")
    return found


def found_by(searched: list[Setting]) -> list[Wanted]:
    """What the search found, and is not checked anyway, with that many terms."""
    fixed = [(weighting, base, size.n_terms) for weighting, base, size in FIXED]
    wanted = [(each.weighting, each.base, each.outcome.size) for each in candidates(searched)]
    return [each for each in wanted if (each[0], each[1], each[2].n_terms) not in fixed]


def weighing() -> dict[tuple[str, str], float]:
    """On how many terms the length of a document rests, by weighting and reading."""
    pairs = [(weighting, "words") for weighting in WEIGHTINGS]
    pairs += [(weighting, reading) for reading in READINGS for weighting in ("counts", "ltc")]
    return {
        (weighting, reading): weighing_terms(next(brown_splits(weighting, 1, SEARCH_SEED, reading=reading)).rows)
        for weighting, reading in dict.fromkeys(pairs)
    }


# -- sizes -----------------------------------------------------------------------------------------------------------


GRID_WEIGHTINGS = ("counts", "ltc")
GRID_MEMBERS = (1, *range(100, 1_001, 100))
GRID_TERMS = (1, 500, 1_000, 2_000, 3_000, 4_000, N_TERMS)


def grid(weighting: str) -> SubspaceGrid:
    """The paper's grid, on as many splits as there."""
    documents = brown_documents()
    found = subspace_grid(
        *(documents.counts, documents.numbers),
        n_terms=GRID_TERMS,
        n_estimators=GRID_MEMBERS if weighting == GRID_WEIGHTINGS[0] else GRID_MEMBERS[:5],
        prepare=WEIGHTINGS[weighting](chosen_terms()),
        repeats=N_GRID,
        random_state=SIDE_SEED,
    )
    say(str(found))
    return found


def differing(weighting: str) -> tuple[int, list[Differing]]:
    """Sizes of members, with 100 of them; and how many terms are important."""
    each_split = list(brown_splits(weighting, N_GRID, SIDE_SEED))
    documents, n = brown_documents(), each_split[0].rows.shape[1]
    important = important_terms(chosen_terms().fit(documents.counts, documents.numbers).scores_, "knee")
    found = []
    for n_terms in (50, 500, 1_000, 2_000, 3_000, 4_500):
        measured, votes = [], []
        for split in each_split:
            tally, chosen = answers(BASES["SVM, C = 100"](), split, Size(n_terms, 100))
            measured.append(measured_diversity(chosen.T, split.test_numbers))
            votes.append(float(np.mean(tally.decisions("vote") == split.test_numbers)))
        means = (np.mean([getattr(each, name) for each in measured]) for name in MEASURES)
        accuracy, disagreement, kappa, q_statistic = map(float, means)
        predicted = (float(way(n, n_terms, 100, important)) for way in (usability, coverage, diversity))
        found.append(Differing(n_terms, accuracy, float(np.mean(votes)), disagreement, kappa, q_statistic, *predicted))
        say(str(found[-1]))
    return important, found


MEASURES = ("accuracy", "disagreement", "kappa", "q_statistic")


# -- what else it may depend on --------------------------------------------------------------------------------------


def readings() -> list[tuple[str, str, Outcome]]:
    """Brown's words taken in other ways."""
    found = []
    for reading in READINGS:
        for weighting in ("counts", "ltc"):
            each_split = brown_splits(weighting, N_SIDE, SIDE_SEED, reading=reading)
            found += [(reading, weighting, each) for each in tried(BASES["SVM, C = 100"](), each_split, [MIDDLE])]
            say(f"{reading}, {weighting}: {interval(found[-1][2].vote - found[-1][2].single)}")
    return found


def others() -> list[tuple[str, str, str, Outcome]]:
    """Other collections, with as few documents to train on."""
    found, how = [], {"n_splits": N_SIDE, "seed": SIDE_SEED, "n_train": TRAIN, "n_test": OTHERS_TEST}
    for name in OTHERS:
        for weighting in ("counts", "ltc"):
            each_split = list(splits(other_documents(name), pipeline(weighting), **how))
            size = Size(round(0.4 * min(split.rows.shape[1] for split in each_split)), 100)
            for base in ("SVM, C = 100", "naive Bayes"):
                found += [(name, weighting, base, each) for each in tried(BASES[base](), each_split, [size])]
                say(f"{name}, {weighting}, {base}: {size} {interval(found[-1][3].vote - found[-1][3].single)}")
    return found


# -- the page --------------------------------------------------------------------------------------------------------


def say(line: str) -> None:
    """What was measured, while it goes on."""
    print(time.strftime("%H:%M:%S"), line, flush=True)


PARTS: dict[str, Callable[[], Any]] = {
    "weighing": weighing,
    "search": search,
    "fixed": lambda: check(FIXED),
    "grids": lambda: [grid(weighting) for weighting in GRID_WEIGHTINGS],
    "differing": lambda: [differing(weighting) for weighting in GRID_WEIGHTINGS],
    "readings": readings,
    "others": others,
}

HOW = f"""Written by `make subspaces`. Brown, 500 texts of 15 genres; {TRAIN} at random to train on, {TEST} to test.
Terms in less than 1 % of the training documents are left out, then information gain keeps {N_TERMS:,} (`Cascade`);
terms, idf and classifiers see the training documents alone. A gain is that of an ensemble of M terms a member and L
members over a single classifier of the same kind and of all terms, on the same splits. Numbers are points of accuracy,
± half of a 95 % interval of the mean over splits. Splits share documents: the interval is about other splits of these
texts. *Other documents* is the half width after Nadeau and Bengio (2003), for other texts of the kind. What the paper
printed, Table I and Figures 2 and 3, is beside what we measure of it in [papers/subspace.md](papers/subspace.md)."""

SEARCHED = f"""{N_SEARCH} splits. *Weighing* is on how many terms the length of a document rests, (Σ w²)² / Σ w⁴ in
the mean: k for k equal weights. *Single* is the accuracy of one classifier of all terms; gains follow. A pairwise SVM
is LIBSVM's, where each two classes are told apart and pairs vote; the others tell a class from the rest. The linear SVM
has the squared hinge loss, as liblinear."""

CHECKED = f"""{N_CHECK} splits of other seeds than the search and the grid: the paper's size with its SVM, fewer terms
where the grid, below, is best, and every setting that gained in the search by its own interval. *Member* is the mean
accuracy of the members. Before the search, rough trials of 4 or 5 splits and about 50 settings, on other seeds again,
chose which weightings and bases were worth a place in it. Two things were settled when the first rows of the check were
known already: that counts with fewer terms are checked, after the grid, and that a setting's own interval, not Holm's,
admits it to the check."""

WHY = """What it looks like: the SVM's ensemble gains where the length of a document rests on few terms (*weighing*
above: counts, and tf-idf without a logarithm), and most with few terms a member, n/10 and not the paper's n/2.5. A
single SVM leans on the few; a member that has not drawn them must use others, and the vote of many such is better.
*Other words* and *other collections*, below, fit in with that: the gain shrinks without stop words, and counts gain
elsewhere too. Where weights are even (logarithms, presence, counts by their largest) there is little to repair:
members lose by the terms that they do not have about what the vote brings back. And a better weighting does for a
single SVM what the vote does for counts. Naive Bayes hardly gains, Rocchio with counts alone; LIBSVM's pairs show no
clear gain either, in fewer trials.

With rows of length 1, a member's rows are shorter by about the root of M/n, as if its C were C · M/n: with C = 1 or
0.1 and few terms members are held back, and lose much. A large C, as the paper's, is right for ensembles for that
reason alone."""

GRIDS = f"""Half of the paper's grid, with other weights than [its figure](papers/subspace.md) has there.
{N_GRID} splits; linear SVM, C = 100, vote. All L of a row are the first so many of the same members. M = 5,000 is the
single SVM."""

DIFFERING = f"""100 members, {N_GRID} splits: the mean accuracy of members and that of their vote, how much they differ
on the test documents, and the probabilities of `ensembles.theory`, for as many important terms as have at least the
mean information gain. The probabilities are about terms drawn, and know nothing of accuracy."""

READ = f"""{N_SIDE} splits, {MIDDLE.n_members} members of {MIDDLE.n_terms:,} terms, linear SVM, C = 100. Bold where the
interval is off 0, without any correction."""

ELSEWHERE = f"""{TRAIN} documents to train on and {OTHERS_TEST:,} others to test, {N_SIDE} splits, 100 members of 0.4 n
terms; bold as above. Such splits share few documents."""


def page(found: dict[str, Any]) -> str:
    """All that was measured."""
    fixed, counts_grid = found["fixed"], found["grids"][0]
    checked = [*fixed, *found["found"]]
    caption = f"Brown, 15 genres; {GRID_WEIGHTINGS[0]} of {counts_grid.n:,} terms by DF and IG; linear SVM, C = 100."
    plot_grid(counts_grid, DOCS / "subspaces-grid.svg", caption=caption)
    parts = [
        *("# Random subspaces, measured", HOW, in_short(found["search"], checked)),
        *("## Where ensembles gain: the search", SEARCHED, search_table(found["search"], found["weighing"])),
        search_in_words(found["search"]),
        *("## The check", CHECKED, check_table(checked), check_in_words(checked), WHY),
        *("## Sizes", GRIDS, "![Accuracy over M and L](subspaces-grid.svg)"),
        *(grid_section(name, each) for name, each in zip(GRID_WEIGHTINGS, found["grids"], strict=True)),
        *("## How much members differ", DIFFERING),
        *(diversity_section(name, *each) for name, each in zip(GRID_WEIGHTINGS, found["differing"], strict=True)),
        *(
            "## Other words",
            READ,
            readings_table(found["readings"], found["weighing"]),
            readings_in_words(found["readings"]),
        ),
        *("## Other collections", ELSEWHERE, others_table(found["others"])),
    ]
    return "\n\n".join(parts)


def main() -> None:
    """Measure, and write the page."""
    found: dict[str, Any] = {name: part() for name, part in PARTS.items()}
    found["found"] = check(found_by(found["search"]))
    (DOCS / "subspaces-results.md").write_text(page(found) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
