"""Two stages of selection against each alone: OCFS picks candidates, information gain picks among them."""

from __future__ import annotations

from statistics import mean
from typing import NamedTuple

import numpy as np

from textsieve import OCFS, Cascade, InformationGain
from textsieve.selectors import TermSelector
from textsieve.training.counted_documents import CountedDocuments

from .trace_folds import Fold, Score, all_labelled

STAGES = ((5_000, 500), (1_000, 100))
"""Candidates, and how many of them are kept."""
NAMES = ("OCFS", "information gain", "OCFS, then information gain")


class Compared(NamedTuple):
    """The three ways in one fold."""

    corpus: str
    candidates: int
    kept: int
    scores: dict[str, Score]


def selectors(candidates: int, kept: int) -> dict[str, TermSelector]:
    """The three ways to keep so many terms."""
    ocfs, gain = OCFS(k=kept), InformationGain(k=kept)
    return dict(zip(NAMES, (ocfs, gain, Cascade([OCFS(k=candidates), InformationGain(k=kept)])), strict=True))


def compared(corpus: str, documents: CountedDocuments) -> list[Compared]:
    """All folds in which there are more terms than candidates."""
    return [
        Compared(corpus, *stages, {name: scored(fold, each) for name, each in selectors(*stages).items()})
        for fold in all_labelled(corpus, documents)
        for stages in STAGES
        if fold.stats.n_terms > stages[0]
    ]


def scored(fold: Fold, selector: TermSelector) -> Score:
    """How good the terms are that a selector keeps."""
    return fold.score(np.flatnonzero(selector.fit_stats(fold.stats).get_support()))


def table(all_compared: list[Compared]) -> str:
    """Micro- and macro-F1 of the three, and how far the third is ahead of the better one of the others."""
    lines = [
        f"| micro-F1 / macro-F1 | terms | {' | '.join(NAMES)} | ahead of OCFS | ahead of information gain |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for candidates, kept in STAGES:
        for corpus in dict.fromkeys(each.corpus for each in all_compared):
            own = [each.scores for each in all_compared if each[:3] == (corpus, candidates, kept)]
            if own:
                cells = [f"{_mean(own, name, 0):.1f} / {_mean(own, name, 1):.1f}" for name in NAMES]
                ahead = [_ahead(own, other) for other in NAMES[:2]]
                lines.append(f"| {corpus} | {kept} of {candidates:,} | {' | '.join([*cells, *ahead])} |")
    return "\n".join(lines)


def _mean(scores: list[dict[str, Score]], name: str, which: int) -> float:
    return 100 * mean(each[name][which] for each in scores)


def _ahead(scores: list[dict[str, Score]], other: str) -> str:
    found = []
    for which in (0, 1):
        apart = [100 * (each[NAMES[2]][which] - each[other][which]) for each in scores]
        found.append(f"{mean(apart):+.2f} ± {np.std(apart, ddof=1) / np.sqrt(len(apart)):.2f}")
    return " / ".join(found)
