"""The page of the study of random subspaces: tables of what was found, and sentences that follow from them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from studies.subspace import BEST, PRINTED_ENSEMBLE, PRINTED_GAIN

from textsieve.ensembles import SubspaceGrid

from .subspaces_found import ALPHA, RULES, Differing, Setting, adjusted, candidates
from .subspaces_statistics import Interval, interval
from .subspaces_trials import Floats, Outcome, Size

PAPER = Size(*BEST)
"""Its best size: M = n/2.5 and L = n/12.5."""
WAYS: dict[str, Callable[[Outcome], Floats]] = {**RULES, "alone": lambda each: each.single}


def table(head: list[str], rows: list[list[str]], n_words: int) -> str:
    """A table, of which the first columns have words."""
    marks = ["---"] * n_words + ["---:"] * (len(head) - n_words)
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, marks, *rows])


# -- the search ------------------------------------------------------------------------------------------------------


Weighing = dict[tuple[str, str], float]
"""On how many terms the length of a document rests, by weighting and reading."""


def search_table(found: list[Setting], weighing: Weighing) -> str:
    """A row a weighting and base; gains at both sizes by both rules. Bold if they stand the correction."""
    probabilities = adjusted(found)
    sizes = list(dict.fromkeys(each.outcome.size for each in found))
    head = ["base", "weights", "weighing", "single", *(f"{named(size)}, {rule}" for size in sizes for rule in RULES)]
    rows = []
    for base, weighting in dict.fromkeys((each.base, each.weighting) for each in found):
        own = [(place, each) for place, each in enumerate(found) if (each.base, each.weighting) == (base, weighting)]
        gains = {
            (each.outcome.size, rule): bold(str(each.gain(rule)), probabilities[place, rule] < ALPHA)
            for place, each in own
            for rule in RULES
        }
        cells = [gains.get((size, rule), "") for size in sizes for rule in RULES]
        weigh = f"{weighing[weighting, 'words']:.0f}"
        rows.append([base, weighting, weigh, f"{100 * own[0][1].outcome.single.mean():.1f}", *cells])
    return table(head, rows, 2)


def search_in_words(found: list[Setting]) -> str:
    """How many were tried, and how many stand the correction."""
    probabilities, gains = adjusted(found), {}
    for place, each in enumerate(found):
        for rule in RULES:
            gains[place, rule] = each.gain(rule)
    alone = sum(each.mean > 0 and each.p < ALPHA for each in gains.values())
    stands = [key for key, each in gains.items() if each.mean > 0 and probabilities[key] < ALPHA]
    loses = [key for key, each in gains.items() if each.mean < 0 and probabilities[key] < ALPHA]
    best = max(found, key=lambda each: float(each.outcome.single.mean()))
    level = 100 * best.outcome.single.mean()
    return (
        f"{len(gains)} gains in {len(found)} settings were looked at. {alone} of them are above 0 by their own "
        f"interval; with Holm's correction for all {len(gains)}, {len(stands)} are, and {len(loses)} are below 0 "
        f"(bold). The best single classifier is {best.base} on {best.weighting}, {level:.1f}."
    )


# -- the check -------------------------------------------------------------------------------------------------------


def check_table(found: list[Setting]) -> str:
    """A row a setting, with its accuracies, the gain by vote and by mean, and Holm's probability of the vote's."""
    probabilities = adjusted(found)
    head = ["base", "weights", "M", "L", "single", "member", "vote", "gain, vote", "other documents", "p, Holm"]
    rows = [
        [
            *(each.base, each.weighting, f"{each.outcome.size.n_terms:,}", f"{each.outcome.size.n_members:,}"),
            interval(each.outcome.single).level(),
            f"{100 * each.outcome.member.mean():.1f}",
            interval(each.outcome.vote).level(),
            bold(str(each.gain("vote")), probabilities[place, "vote"] < ALPHA),
            f"± {each.gain('vote').wide:.2f}",
            chance(probabilities[place, "vote"]),
            bold(str(each.gain("mean")), probabilities[place, "mean"] < ALPHA),
            chance(probabilities[place, "mean"]),
        ]
        for place, each in enumerate(found)
    ]
    return table([*head, "gain, mean", "p, Holm"], rows, 2)


def check_in_words(found: list[Setting]) -> str:
    """Which gains stand on fresh splits, which do not, and what is the best of all."""
    probabilities = adjusted(found)
    gains = {(place, rule): each.gain(rule) for place, each in enumerate(found) for rule in RULES}

    def listed(keys: list[tuple[int, str]]) -> str:
        names = (f"{found[place].base} on {found[place].weighting} ({named(found[place].outcome.size)}, {rule}: "
                 f"{gains[place, rule]})" for place, rule in keys)  # fmt: skip
        return "; ".join(names) or "none"

    stands = [key for key, gain in gains.items() if gain.mean > 0 and probabilities[key] < ALPHA]
    loses = [key for key, gain in gains.items() if gain.mean < 0 and probabilities[key] < ALPHA]
    elsewhere = [key for key in stands if gains[key].mean > gains[key].wide]
    levels = {
        (place, rule): 100 * float(way(each.outcome).mean())
        for place, each in enumerate(found)
        for rule, way in WAYS.items()
    }
    best, rule = max(levels, key=lambda key: levels[key])
    return (
        f"**Gains that stand** the correction for all {len(gains)} of this table: {listed(stands)}. **Losses that "
        f"do**: {listed(loses)}. With the interval for other documents of the kind {len(elsewhere)} of the gains would "
        f"still be above 0, before any correction. The best accuracy of the table is {levels[best, rule]:.1f} "
        f"({found[best].base} on {found[best].weighting}, {rule}); the paper has {PRINTED_ENSEMBLE}."
    )


# -- sizes -----------------------------------------------------------------------------------------------------------


def grid_section(weighting: str, grid: SubspaceGrid) -> str:
    """The grid as a table, and how much of it is noise."""
    head = ["M \\ L", *(f"{size:,}" for size in grid.n_estimators)]
    rows = [
        [
            f"{size:,}",
            *(bold(f"{100 * value:.1f}", (row, column) == grid.best_cell) for column, value in enumerate(values)),
        ]
        for row, (size, values) in enumerate(zip(grid.n_terms, grid.mean.tolist(), strict=True))
    ]
    return f"{weighting}:\n\n{table(head, rows, 0)}\n\n{grid_in_words(grid)}"


def grid_in_words(grid: SubspaceGrid) -> str:
    """Where the best is, and how many cells do not differ from it."""
    best, (row, column) = grid.best, grid.best_cell
    own = grid.accuracy[:, row, column]
    cells = [
        (i, j)
        for i, n_terms in enumerate(grid.n_terms)
        for j, n_members in enumerate(grid.n_estimators)
        if n_terms > 1 and n_members > 1 and (i, j) != (row, column)
    ]
    behind = {cell: interval(own - grid.accuracy[:, *cell]) for cell in cells}
    alike = [cell for cell, each in behind.items() if each.mean <= each.half]
    steps = [
        100 * abs(grid.mean[i, j] - grid.mean[i, j + 1])
        for i, n_terms in enumerate(grid.n_terms)
        for j in range(1, len(grid.n_estimators) - 1)
        if 1 < n_terms < grid.n
    ]
    at_paper = behind.get((grid.n_terms.index(PAPER.n_terms), grid.n_estimators.index(PAPER.n_members)))
    said = "is the paper's" if at_paper is None else f"is ahead of the paper's by {at_paper.level()}"
    single = interval(own - grid.accuracy[:, -1, 0])
    return (
        f"The best cell, M = {best.n_terms:,} and L = {best.n_estimators:,} with {100 * best.accuracy:.1f} %, {said} "
        f"(M = n/2.5 = {PAPER.n_terms:,}, L = n/12.5 = {PAPER.n_members}), and of a single SVM of all terms by "
        f"{single.level()}: as the best of {grid.mean.size} cells it owes some of that to luck. Of the {len(cells)} "
        f"other cells with more than one term and member, {len(alike)} cannot be told from it by the intervals of "
        f"{len(grid.accuracy)} splits. 100 members more or fewer change a cell by {np.mean(steps):.2f} points in the "
        f"mean, {np.max(steps):.1f} at the most; a test document is {100 / len(grid.splits[0].test):g} of a split."
    )


def diversity_section(weighting: str, important: int, found: list[Differing]) -> str:
    """What members are like, by their number of terms."""
    head = ["M", "member", "vote", "disagreement", "κ", "Q statistic", "usable", "covered", "all differ"]
    rows = [
        [
            f"{each.n_terms:,}",
            *(f"{100 * share:.1f}" for share in (each.accuracy, each.vote)),
            *(f"{number:.3f}" for number in (each.disagreement, each.kappa, each.q_statistic)),
            *(f"{number:.4f}" for number in (each.usability, each.coverage, each.diversity)),
        ]
        for each in found
    ]
    return f"{weighting}; {important:,} important terms:\n\n{table(head, rows, 0)}"


# -- the rest --------------------------------------------------------------------------------------------------------


def readings_table(found: list[tuple[str, str, Outcome]], weighing: Weighing) -> str:
    """Gains with Brown's words taken in other ways."""
    head = ["terms are", "weights", "weighing", "single", "gain, vote", "gain, mean"]
    rows = [
        [reading, weighting, f"{weighing[weighting, reading]:.0f}", *_gains(each)] for reading, weighting, each in found
    ]
    return table(head, rows, 2)


def readings_in_words(found: list[tuple[str, str, Outcome]]) -> str:
    """The gains with counts, from the least to the largest."""
    gains = sorted(
        (interval(each.vote - each.single), name) for name, weighting, each in found if weighting == "counts"
    )
    return f"With counts the vote gains, in order: {'; '.join(f'{name} {gain}' for gain, name in gains)}."


def others_table(found: list[tuple[str, str, str, Outcome]]) -> str:
    """Gains on other collections."""
    head = ["collection", "base", "weights", "M", "single", "gain, vote", "gain, mean"]
    rows = [[name, base, weighting, f"{each.size.n_terms:,}", *_gains(each)] for name, weighting, base, each in found]
    return table(head, rows, 3)


def _gains(each: Outcome) -> list[str]:
    gains: list[Interval] = [interval(way(each) - each.single) for way in RULES.values()]
    return [f"{100 * each.single.mean():.1f}", *(bold(str(gain), abs(gain.mean) > gain.half) for gain in gains)]


def chance(probability: float) -> str:
    """A probability with three digits."""
    return "< 0.001" if probability < 0.001 else f"{probability:.3f}"


def bold(text: str, is_bold: bool) -> str:
    """In bold, or as it is."""
    return f"**{text}**" if is_bold else text


def named(size: Size) -> str:
    """A size in few words."""
    return f"M = {size.n_terms:,}, L = {size.n_members:,}"


def in_short(searched: list[Setting], checked: list[Setting]) -> str:
    """What the page says, in a paragraph."""
    own = [each for each in checked if each.base == "SVM, C = 100" and each.outcome.size == PAPER]
    paper = {each.weighting: each for each in own}
    smaller = ", ".join(
        f"{each.weighting} with {named(each.outcome.size)} {each.gain('vote')}"
        for each in checked
        if each.base == "SVM, C = 100" and each.outcome.size != PAPER
    )
    each_gain = ", ".join(f"{name} {each.gain('vote')}" for name, each in paper.items())
    best_single = max(paper.values(), key=lambda each: float(each.outcome.single.mean()))
    best_vote = max(paper.values(), key=lambda each: float(each.outcome.vote.mean()))
    return (
        f"The paper reports {PRINTED_GAIN:+.2f} for the vote of {named(PAPER)} over a single SVM. Here, at this "
        f"size and with its SVM, the gain depends on the weights: {each_gain}. With "
        f"fewer terms a member it is larger: {smaller}. At the paper's size the single "
        f"SVM is best with {best_single.weighting} ({100 * best_single.outcome.single.mean():.1f}), the vote with "
        f"{best_vote.weighting} ({100 * best_vote.outcome.vote.mean():.1f}). Of {len(searched)} settings of the search "
        f"{len(candidates(searched))} seemed to gain, and were checked on fresh splits too."
    )
