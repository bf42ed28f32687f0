"""The page of the study of random subspaces: tables, and sentences that follow from them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from textsieve.ensembles import SubspaceGrid

from ..papers.subspace import BEST, PRINTED_ENSEMBLE, PRINTED_GAIN
from .trials import ALPHA, RULES, Setting, Size, candidates, corrected, interval

PAPER = Size(*BEST)
"""The paper's best size: M = n/2.5 and L = n/12.5."""

EffectiveTerms = dict[tuple[str, str], float]
"""The effective number of terms of a document (`trials.effective_terms`), by weighting and reading."""


class MemberDiversity(NamedTuple):
    """How much members of one size differ, in the mean over splits, and the theory's probabilities for their terms."""

    n_terms: int
    accuracy: float
    vote: float
    disagreement: float
    kappa: float
    q_statistic: float
    usability: float
    coverage: float
    diversity: float


def table(head: list[str], rows: list[list[str]], n_words: int) -> str:
    """Return a Markdown table whose first `n_words` columns are words."""
    marks = ["---"] * n_words + ["---:"] * (len(head) - n_words)
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, marks, *rows])


def bold(text: str, is_bold: bool) -> str:
    """Return the text, in bold if `is_bold`."""
    return f"**{text}**" if is_bold else text


def probability_text(probability: float) -> str:
    """Return a probability with three digits."""
    return "< 0.001" if probability < 0.001 else f"{probability:.3f}"


# -- the search --------------------------------------------------------------------------------------------------------


def search_table(settings: list[Setting], effective: EffectiveTerms) -> str:
    """Return a row for each weighting and base, with the gains of all sizes and rules; significant ones are bold."""
    probabilities = corrected(settings)
    sizes = list(dict.fromkeys(setting.size for setting in settings))
    head = ["base", "weights", "effective terms", "single", *(f"{size}, {rule}" for size in sizes for rule in RULES)]
    rows = []
    for base, weighting in dict.fromkeys((setting.base, setting.weighting) for setting in settings):
        positions = [
            position
            for position, setting in enumerate(settings)
            if (setting.base, setting.weighting) == (base, weighting)
        ]
        gains = {
            (settings[position].size, rule): bold(
                str(settings[position].gain(rule)), probabilities[position, rule] < ALPHA
            )
            for position in positions
            for rule in RULES
        }
        cells = [gains.get((size, rule), "") for size in sizes for rule in RULES]
        single = f"{100 * settings[positions[0]].single.mean():.1f}"
        rows.append([base, weighting, f"{effective[weighting, 'words']:.0f}", single, *cells])
    return table(head, rows, 2)


def search_in_words(settings: list[Setting]) -> str:
    """Return a paragraph on how many gains were tried, and how many are significant."""
    probabilities = corrected(settings)
    gains = {(position, rule): setting.gain(rule) for position, setting in enumerate(settings) for rule in RULES}
    n_uncorrected = sum(gain.mean > 0 and gain.p < ALPHA for gain in gains.values())
    wins = sum(gain.mean > 0 and probabilities[key] < ALPHA for key, gain in gains.items())
    losses = sum(gain.mean < 0 and probabilities[key] < ALPHA for key, gain in gains.items())
    best = max(settings, key=lambda setting: float(setting.single.mean()))
    return (
        f"The search tried {len(gains)} gains in {len(settings)} settings. {n_uncorrected} of them are above 0 by "
        f"their own interval. With Holm's correction for all {len(gains)}, the number above 0 is {wins}, and the "
        f"number below 0 is {losses} (bold). The best single classifier is {best.base} on {best.weighting}, "
        f"{100 * best.single.mean():.1f}."
    )


# -- the check ---------------------------------------------------------------------------------------------------------


def check_table(settings: list[Setting]) -> str:
    """Return a row for each setting: accuracies, the gain of each rule, and its p-value with Holm's correction."""
    probabilities = corrected(settings)
    head = ["base", "weights", "M", "L", "single", "member", "vote", "gain, vote", "other documents", "p, Holm"]
    rows = []
    for position, setting in enumerate(settings):
        vote, mean = (setting.gain(rule) for rule in RULES)
        p_vote, p_mean = (probabilities[position, rule] for rule in RULES)
        rows.append(
            [
                *(setting.base, setting.weighting, f"{setting.size.n_terms:,}", f"{setting.size.n_members:,}"),
                interval(setting.single).level(),
                f"{100 * setting.members.mean():.1f}",
                interval(setting.by_rule["vote"]).level(),
                *(bold(str(vote), p_vote < ALPHA), f"± {vote.wide:.2f}", probability_text(p_vote)),
                *(bold(str(mean), p_mean < ALPHA), probability_text(p_mean)),
            ]
        )
    return table([*head, "gain, mean", "p, Holm"], rows, 2)


def check_in_words(settings: list[Setting]) -> str:
    """Return a paragraph on the gains that are significant on fresh splits, and on the best accuracy."""
    probabilities = corrected(settings)
    gains = {(position, rule): setting.gain(rule) for position, setting in enumerate(settings) for rule in RULES}

    def describe(keys: list[tuple[int, str]]) -> str:
        """Return the settings with these positions and rules as text, with their gains."""
        texts = (
            f"{settings[position].base} on {settings[position].weighting} ({settings[position].size}, {rule}: "
            f"{gains[position, rule]})"
            for position, rule in keys
        )
        return "; ".join(texts) or "none"

    wins = [key for key, gain in gains.items() if gain.mean > 0 and probabilities[key] < ALPHA]
    losses = [key for key, gain in gains.items() if gain.mean < 0 and probabilities[key] < ALPHA]
    wins_by_wide_interval = [key for key in wins if gains[key].mean > gains[key].wide]
    accuracies = {
        (position, way): 100 * float(values.mean())
        for position, setting in enumerate(settings)
        for way, values in {**setting.by_rule, "alone": setting.single}.items()
    }
    best, way = max(accuracies, key=lambda key: accuracies[key])
    return (
        f"**Significant gains**, with the correction for all {len(gains)} of this table: {describe(wins)}. "
        f"**Significant losses**: {describe(losses)}. With the interval for other documents of the kind, and without "
        f"correction, {len(wins_by_wide_interval)} of the gains are above 0. The best accuracy of the table is "
        f"{accuracies[best, way]:.1f} ({settings[best].base} on {settings[best].weighting}, {way}); the paper has "
        f"{PRINTED_ENSEMBLE}."
    )


# -- sizes -------------------------------------------------------------------------------------------------------------


def grid_section(weighting: str, grid: SubspaceGrid) -> str:
    """Return the grid as a table, and a paragraph on how much of it is noise."""
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
    """Return a paragraph on the best size, and on how many sizes do not differ from it."""
    best = grid.best
    best_accuracy = grid.accuracy[:, *grid.best_cell]
    others = [
        (row, column)
        for row, n_terms in enumerate(grid.n_terms)
        for column, n_members in enumerate(grid.n_estimators)
        if n_terms > 1 and n_members > 1 and (row, column) != grid.best_cell
    ]
    leads = {position: interval(best_accuracy - grid.accuracy[:, *position]) for position in others}
    alike = [position for position, lead in leads.items() if lead.mean <= lead.half]
    steps = [
        100 * abs(grid.mean[row, column] - grid.mean[row, column + 1])
        for row, n_terms in enumerate(grid.n_terms)
        for column in range(1, len(grid.n_estimators) - 1)
        if 1 < n_terms < grid.n
    ]
    lead_over_paper = leads.get((grid.n_terms.index(PAPER.n_terms), grid.n_estimators.index(PAPER.n_members)))
    lead = "is the paper's" if lead_over_paper is None else f"is ahead of the paper's by {lead_over_paper.level()}"
    single = interval(best_accuracy - grid.accuracy[:, -1, 0])
    return (
        f"The best size, M = {best.n_terms:,} and L = {best.n_estimators:,} with {100 * best.accuracy:.1f} %, {lead} "
        f"(M = n/2.5 = {PAPER.n_terms:,}, L = n/12.5 = {PAPER.n_members}), and ahead of a single SVM on all terms by "
        f"{single.level()}. As the best of {grid.mean.size} sizes it owes part of that to luck. Of the {len(others)} "
        f"other sizes with more than one term and member, {len(alike)} do not differ from it by the intervals of "
        f"{len(grid.accuracy)} splits. 100 more or fewer members change the accuracy by {np.mean(steps):.2f} points in "
        f"the mean, and by at most {np.max(steps):.1f}; a test document is {100 / len(grid.splits[0].test):g} points."
    )


def diversity_section(weighting: str, n_important: int, diversities: list[MemberDiversity]) -> str:
    """Return a table of how much members differ, by their number of terms."""
    head = ["M", "member", "vote", "disagreement", "κ", "Q statistic", "usable", "covered", "all differ"]
    rows = [
        [
            f"{size.n_terms:,}",
            *(f"{100 * share:.1f}" for share in (size.accuracy, size.vote)),
            *(f"{number:.3f}" for number in (size.disagreement, size.kappa, size.q_statistic)),
            *(f"{number:.4f}" for number in (size.usability, size.coverage, size.diversity)),
        ]
        for size in diversities
    ]
    return f"{weighting}; {n_important:,} important terms:\n\n{table(head, rows, 0)}"


# -- other words and collections ---------------------------------------------------------------------------------------


def readings_table(settings: list[tuple[str, Setting]], effective: EffectiveTerms) -> str:
    """Return a table of the gains on Brown, with a row for each reading and weighting."""
    head = ["terms are", "weights", "effective terms", "single", "gain, vote", "gain, mean"]
    rows = [
        [reading, setting.weighting, f"{effective[setting.weighting, reading]:.0f}", *_gains(setting)]
        for reading, setting in settings
    ]
    return table(head, rows, 2)


def readings_in_words(settings: list[tuple[str, Setting]]) -> str:
    """Return a sentence with the gains of counts under each reading, from the smallest to the largest."""
    gains = sorted((setting.gain("vote"), name) for name, setting in settings if setting.weighting == "counts")
    return f"With counts the vote gains, in order: {'; '.join(f'{name} {gain}' for gain, name in gains)}."


def others_table(settings: list[tuple[str, Setting]]) -> str:
    """Return a table of the gains on other collections, with a row for each setting."""
    head = ["collection", "base", "weights", "M", "single", "gain, vote", "gain, mean"]
    rows = [
        [name, setting.base, setting.weighting, f"{setting.size.n_terms:,}", *_gains(setting)]
        for name, setting in settings
    ]
    return table(head, rows, 3)


def _gains(setting: Setting) -> list[str]:
    """Return the accuracy of the single classifier, and the gain by each rule; bold if its interval excludes 0."""
    gains = [setting.gain(rule) for rule in RULES]
    return [f"{100 * setting.single.mean():.1f}", *(bold(str(gain), abs(gain.mean) > gain.half) for gain in gains)]


def in_short(searched: list[Setting], checked: list[Setting]) -> str:
    """Return a paragraph on the results of search and check, compared with the paper's gain."""
    of_svm = [setting for setting in checked if setting.base == "SVM, C = 100"]
    at_paper = [setting for setting in of_svm if setting.size == PAPER]
    gains = ", ".join(f"{setting.weighting} {setting.gain('vote')}" for setting in at_paper)
    smaller = ", ".join(
        f"{setting.weighting} with {setting.size} {setting.gain('vote')}" for setting in of_svm if setting.size != PAPER
    )
    best_single = max(at_paper, key=lambda setting: float(setting.single.mean()))
    best_vote = max(at_paper, key=lambda setting: float(setting.by_rule["vote"].mean()))
    single, vote = 100 * best_single.single.mean(), 100 * best_vote.by_rule["vote"].mean()
    return (
        f"The paper reports {PRINTED_GAIN:+.2f} for the vote of {PAPER} over a single SVM. Here, with this size and "
        f"its SVM, the gain depends on the weights: {gains}. With fewer terms for each member it is larger: {smaller}. "
        f"At the paper's size the single SVM is best with {best_single.weighting} ({single:.1f}), the vote with "
        f"{best_vote.weighting} ({vote:.1f}). Of {len(searched)} settings in the search, {len(candidates(searched))} "
        "seemed to gain; they were checked on fresh splits."
    )
