"""The result of a comparison: its rows, and what can be computed from them, such as the overlap of selections.

How similar two selections are:

- *Shared terms*: how many are in both, as papers print it.
- *Jaccard*: shared / in either. Large selections from few terms are similar by chance.
- *Kuncheva's index* (2007) corrects for chance: for two selections of k of n terms that share r, (r - k²/n) / (k -
  k²/n). It is 1 for equal selections and about 0 for independent ones. For selections of k and l terms, chance shares k
  l / n and at most min(k, l) can be shared: (r - k l / n) / (min(k, l) - k l / n), which is the same for k = l. A
  selection of all terms, or of none, has no index.

The *stability* of a selector is the mean over all pairs of folds. The folds of a cross-validation share most of their
documents, so it measures stability under small changes of the documents.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from ..errors import counted
from .plan import Condition, Size
from .rankings import Ranking
from .results import Results, read_results
from .rows import Row, Selection
from .summary import Mean, Rank, Summary, average_ranks, summaries
from .variants import Variant


class Choice(NamedTuple):
    """A set of selected terms, and the number of terms to select from."""

    terms: frozenset[str]
    n_seen: int


class Likeness(NamedTuple):
    """The overlap of two selections, or the mean over several pairs; NaN where a measure is undefined."""

    shared: float
    jaccard: float
    kuncheva: float


def likeness(one: Choice, other: Choice) -> Likeness:
    """Return the overlap of two selections; if their numbers of terms to select from differ, the larger one is used."""
    shared = len(one.terms & other.terms)
    either = len(one.terms) + len(other.terms) - shared
    by_chance = len(one.terms) * len(other.terms) / max(one.n_seen, other.n_seen, 1)
    beyond_chance = min(len(one.terms), len(other.terms)) - by_chance
    return Likeness(
        float(shared),
        shared / either if either else float("nan"),
        (shared - by_chance) / beyond_chance if beyond_chance > 0 else float("nan"),
    )


def mean_likeness(pairs: Sequence[tuple[Choice, Choice]]) -> Likeness | None:
    """Return the mean overlap over pairs, or None if there are no pairs."""
    if not pairs:
        return None
    overlaps = np.array([likeness(*pair) for pair in pairs])
    means = [
        float(column[~np.isnan(column)].mean()) if (~np.isnan(column)).any() else float("nan") for column in overlaps.T
    ]
    return Likeness(*means)


def stability(choices: Sequence[Choice]) -> Likeness | None:
    """Return the mean overlap over all pairs of the selections that one selector made in different folds."""
    return mean_likeness(list(combinations(choices, 2)))


class Overlap(NamedTuple):
    """The overlap of the terms of two selectors: the mean over the folds."""

    n_terms: Size
    selectors: tuple[str, str]
    likeness: Likeness


class Stability(NamedTuple):
    """The overlap of the terms that a selector selects in different folds: the mean over pairs of folds."""

    n_terms: Size
    selector: str
    likeness: Likeness


@dataclass(frozen=True, eq=False)
class Comparison:
    """The result of a comparison.

    Attributes
    ----------
    header : what makes the rows comparable: corpus, classes, split, settings, versions
    rows : a `Row` for each condition and fold
    selections : the selected terms, a `Selection` for each selector, number of terms and fold
    rankings : the rankings of the selectors in the first fold, a `Ranking` each
    """

    header: Mapping[str, Any]
    conditions: Sequence[Condition]
    rows: Sequence[Row]
    selections: Sequence[Selection]
    rankings: Sequence[Ranking] = ()

    @cached_property
    def summary(self) -> list[Summary]:
        """Return a summary of each condition: means over the folds, and p against the best."""
        return summaries(self.conditions, self.rows, overlapping=self.header["split"].get("overlapping", False))

    @cached_property
    def ranks(self) -> list[Rank]:
        """Return the pairs of selector and classifier by their average rank, the best first."""
        return average_ranks(self.conditions, self.rows)

    @cached_property
    def overlaps(self) -> list[Overlap]:
        """Return the overlap of each two selectors, for each number of terms."""
        overlaps = []
        for size, choices in self._choices().items():
            for one, other in combinations(choices, 2):
                pairs = [(choices[one][fold], choices[other][fold]) for fold in choices[one] if fold in choices[other]]
                if (likeness := mean_likeness(pairs)) is not None:
                    overlaps.append(Overlap(size, (one, other), likeness))
        return overlaps

    @cached_property
    def stabilities(self) -> list[Stability]:
        """Return the stability of each selector for each number of terms; empty with a single fold."""
        return [
            Stability(size, selector, likeness)
            for size, choices in self._choices().items()
            for selector, by_fold in choices.items()
            if (likeness := stability(list(by_fold.values()))) is not None
        ]

    def _choices(self) -> dict[Size, dict[str, dict[int, Choice]]]:
        """Return the selections by number of terms, selector and fold, without those of all terms."""
        choices: dict[Size, dict[str, dict[int, Choice]]] = {}
        for selection in self.selections:
            if selection.terms is not None:
                choice = Choice(frozenset(selection.terms), selection.n_seen)
                choices.setdefault(selection.n_terms, {}).setdefault(selection.selector, {})[selection.fold] = choice
        return choices

    def to_dict(self) -> dict[str, Any]:
        """Return everything except the selected terms and the rankings, as JSON values."""
        return {
            **self.header,
            "summary": [line.to_dict() for line in self.summary],
            "ranks": [rank._asdict() for rank in self.ranks],
            "overlap": [
                {"n_terms": pair.n_terms, "selectors": list(pair.selectors), **_plain(pair.likeness)}
                for pair in self.overlaps
            ],
            "stability": [
                {"n_terms": pair.n_terms, "selector": pair.selector, **_plain(pair.likeness)}
                for pair in self.stabilities
            ],
            "rows": [row.to_dict() for row in self.rows],
        }

    def __str__(self) -> str:
        """Return a table with a line for each condition."""
        head = ("terms", "selector", "classifier", "micro-F1", "macro-F1", "p")
        table = [head, *(_cells(line) for line in self.summary)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in table]
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Return the number of conditions and rows, and the corpus."""
        corpus, n_conditions = self.header.get("corpus"), len(self.conditions)
        return f"<Comparison of {counted(n_conditions, 'condition')} on {corpus}: {counted(len(self.rows), 'row')}>"


def read_comparison(path: str | os.PathLike[str]) -> Comparison:
    """Read a results file, without its documents, and return all conditions that were measured on all folds."""
    results = read_results(os.fspath(path))
    folds = range(results.header["split"]["folds"])
    keys = dict.fromkeys(key[1:] for key in results.rows)
    whole = [key for key in keys if all((fold, *key) in results.rows for fold in folds)]
    conditions = [
        Condition(Variant(selector, selector), size, Variant(classifier, classifier))
        for selector, size, classifier in whole
    ]
    return comparison_of(results, conditions, len(folds))


def comparison_of(results: Results, conditions: Sequence[Condition], n_folds: int) -> Comparison:
    """Return the results of some conditions, in their order."""
    rows = [results.rows[fold, *condition.key] for condition in conditions for fold in range(n_folds)]
    selected = dict.fromkeys((condition.selector.name, condition.n_terms) for condition in conditions)
    keys = [(fold, *selection) for selection in selected for fold in range(n_folds)]
    selections = [results.selections[key] for key in keys if key in results.selections]
    names = dict.fromkeys(condition.selector.name for condition in conditions)
    rankings = [ranking for ranking in results.rankings.values() if ranking.selector in names]
    return Comparison(results.header, conditions, rows, selections, rankings)


def _cells(line: Summary) -> tuple[str, ...]:
    if line.micro_f1 is None or line.macro_f1 is None:
        return (size_text(line.n_terms), line.selector, line.classifier, "-", "-", str(line.problem))
    shown = (mean_text(line.micro_f1), mean_text(line.macro_f1), p_text(line))
    return (size_text(line.n_terms), line.selector, line.classifier, *shown)


def size_text(size: Size) -> str:
    """Return a number of terms as text, as it was requested."""
    return f"{size:,}" if isinstance(size, int) else f"{size:g}" if isinstance(size, float) else size


def mean_text(mean: Mean) -> str:
    """Return a mean and half the width of its interval, as text."""
    return f"{mean.value:.3f}" + ("" if mean.half_width is None else f" ±{mean.half_width:.3f}")


def p_text(line: Summary) -> str:
    """Return p against the best condition of the same number of terms, as text."""
    if line.is_best_in_size:
        return "best"
    if line.p_in_size is None:
        return ""
    return "<0.001" if line.p_in_size < 0.001 else f"{line.p_in_size:.3f}"


def _plain(likeness: Likeness) -> dict[str, float | None]:
    return {name: None if math.isnan(value) else value for name, value in likeness._asdict().items()}
