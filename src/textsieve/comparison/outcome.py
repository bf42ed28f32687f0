"""What a comparison came to: its rows, and what is read off them."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

from ..errors import counted
from .overlap import Choice, Likeness, mean_likeness, stability
from .plan import Condition, Size
from .rankings import Ranking
from .results import Results, read_results
from .rows import Row, Selection
from .summary import Mean, Rank, Summary, average_ranks, summaries
from .variants import Variant


class Overlap(NamedTuple):
    """How alike the terms of two selectors are: the mean over the folds."""

    n_terms: Size
    selectors: tuple[str, str]
    likeness: Likeness


class Stability(NamedTuple):
    """How alike the terms are that a selector chooses of different folds: the mean over pairs of folds."""

    n_terms: Size
    selector: str
    likeness: Likeness


@dataclass(frozen=True, eq=False)
class Comparison:
    """What was measured.

    Attributes
    ----------
    header : what the rows are comparable by: corpus, classes, split, settings, versions
    rows : a `Row` for each condition and fold
    selections : the terms that were chosen, a `Selection` for each selector, number of terms and fold
    rankings : how the selectors ranked them in the first fold, a `Ranking` each
    """

    header: Mapping[str, Any]
    conditions: Sequence[Condition]
    rows: Sequence[Row]
    selections: Sequence[Selection]
    rankings: Sequence[Ranking] = ()

    @cached_property
    def summary(self) -> list[Summary]:
        """A line for each condition: means over the folds, and p against the best."""
        return summaries(self.conditions, self.rows, overlapping=self.header["split"].get("overlapping", False))

    @cached_property
    def ranks(self) -> list[Rank]:
        """Selectors with classifiers by their average rank, the best first."""
        return average_ranks(self.conditions, self.rows)

    @cached_property
    def overlaps(self) -> list[Overlap]:
        """For each number of terms, how alike the choices of each two selectors are."""
        found = []
        for size, choices in self._choices().items():
            for one, other in combinations(choices, 2):
                pairs = [(choices[one][fold], choices[other][fold]) for fold in choices[one] if fold in choices[other]]
                if (likeness := mean_likeness(pairs)) is not None:
                    found.append(Overlap(size, (one, other), likeness))
        return found

    @cached_property
    def stabilities(self) -> list[Stability]:
        """For each number of terms and selector, how alike its choices of different folds are; none without folds."""
        return [
            Stability(size, selector, likeness)
            for size, choices in self._choices().items()
            for selector, by_fold in choices.items()
            if (likeness := stability(list(by_fold.values()))) is not None
        ]

    def _choices(self) -> dict[Size, dict[str, dict[int, Choice]]]:
        """Choices by number of terms, selector and fold; to keep all terms is no choice."""
        found: dict[Size, dict[str, dict[int, Choice]]] = {}
        for each in self.selections:
            if each.terms is not None:
                choice = Choice(frozenset(each.terms), each.n_seen)
                found.setdefault(each.n_terms, {}).setdefault(each.selector, {})[each.fold] = choice
        return found

    def to_dict(self) -> dict[str, Any]:
        """All but the chosen terms, as JSON can hold it."""
        return {
            **self.header,
            "summary": [line.to_dict() for line in self.summary],
            "ranks": [rank._asdict() for rank in self.ranks],
            "overlap": [
                {"n_terms": each.n_terms, "selectors": list(each.selectors), **_plain(each.likeness)}
                for each in self.overlaps
            ],
            "stability": [
                {"n_terms": each.n_terms, "selector": each.selector, **_plain(each.likeness)}
                for each in self.stabilities
            ],
            "rows": [row.to_dict() for row in self.rows],
        }

    def __str__(self) -> str:
        """A line for each condition, for a person."""
        head = ("terms", "selector", "classifier", "micro-F1", "macro-F1", "p")
        table = [head, *(_cells(line) for line in self.summary)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in table]
        return "\n".join(lines)

    def __repr__(self) -> str:
        """How much was measured."""
        corpus, n_conditions = self.header.get("corpus"), len(self.conditions)
        return f"<Comparison of {counted(n_conditions, 'condition')} on {corpus}: {counted(len(self.rows), 'row')}>"


def read_comparison(path: str | os.PathLike[str]) -> Comparison:
    """What is in a file of results, without its documents: all conditions that were measured on all folds."""
    results = read_results(os.fspath(path))
    folds = range(results.header["split"]["folds"])
    keys = dict.fromkeys(key[1:] for key in results.rows)
    whole = [key for key in keys if all((fold, *key) in results.rows for fold in folds)]
    conditions = [Condition(Variant(selector, selector), size, Variant(each, each)) for selector, size, each in whole]
    return comparison_of(results, conditions, len(folds))


def comparison_of(results: Results, conditions: Sequence[Condition], n_folds: int) -> Comparison:
    """The results of some conditions, in their order."""
    rows = [results.rows[fold, *each.key] for each in conditions for fold in range(n_folds)]
    chosen = dict.fromkeys((each.selector.name, each.n_terms) for each in conditions)
    keys = [(fold, *each) for each in chosen for fold in range(n_folds)]
    selections = [results.selections[key] for key in keys if key in results.selections]
    names = dict.fromkeys(each.selector.name for each in conditions)
    rankings = [each for each in results.rankings.values() if each.selector in names]
    return Comparison(results.header, conditions, rows, selections, rankings)


def _cells(line: Summary) -> tuple[str, ...]:
    if line.micro_f1 is None or line.macro_f1 is None:
        return (size_text(line.n_terms), line.selector, line.classifier, "-", "-", str(line.problem))
    shown = (mean_text(line.micro_f1), mean_text(line.macro_f1), p_text(line))
    return (size_text(line.n_terms), line.selector, line.classifier, *shown)


def size_text(size: Size) -> str:
    """A number of terms as it was asked for."""
    return f"{size:,}" if isinstance(size, int) else f"{size:g}" if isinstance(size, float) else size


def mean_text(mean: Mean) -> str:
    """A mean and half of its interval."""
    return f"{mean.value:.3f}" + ("" if mean.half_width is None else f" ±{mean.half_width:.3f}")


def p_text(line: Summary) -> str:
    """How sure it is that the best of the same number of terms is better."""
    if line.is_best_in_size:
        return "best"
    if line.p_in_size is None:
        return ""
    return "<0.001" if line.p_in_size < 0.001 else f"{line.p_in_size:.3f}"


def _plain(likeness: Likeness) -> dict[str, float | None]:
    return {name: None if math.isnan(value) else value for name, value in likeness._asdict().items()}
