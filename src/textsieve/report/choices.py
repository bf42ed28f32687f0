"""Data for the page's script, for the parts of which the page shows one at a time.

These are the overlap for a number of terms, the correct and wrong predictions of a combination, and the terms of a
selector.

The amount of data is limited: with many classes and combinations, the page has only the best combinations, at least
one. The file of results has all of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ..comparison import Comparison, Row
from ..comparison.outcome import size_text
from ..comparison.plan import ALL, Size
from ..comparison.rankings import DESCRIBED_FOLD, Ranking, most_of_a_class
from ..comparison.summary import Summary
from .findings import condition_text

Data = dict[str, Any]

MOST_NUMBERS = 200_000
"""The maximum number of numbers in the page, over all combinations."""
MOST_TERMS, LEAST_TERMS = 6_000, 5
"""The maximum number of terms shown at once, and the minimum for each class, which has priority."""


def overlap_choices(found: Comparison) -> list[Data]:
    """Return, for each number of terms, three tables of selectors by selectors; None where a number is undefined."""
    choices = []
    for size in dict.fromkeys(overlap.n_terms for overlap in found.overlaps):
        likenesses = {overlap.selectors: overlap.likeness for overlap in found.overlaps if overlap.n_terms == size}
        names = list(dict.fromkeys(name for pair in likenesses for name in pair))

        def cells(
            field: str, names: list[str] = names, likenesses: dict[Any, Any] = likenesses
        ) -> list[list[float | None]]:
            values = {pair: getattr(likeness, field) for pair, likeness in likenesses.items()}
            return [
                [_number(values.get((row, column), values.get((column, row)))) for column in names] for row in names
            ]

        n_selected = [_mean_n_selected(found, name, size) for name in names]
        measures = {field: cells(field) for field in ("shared", "jaccard", "kuncheva")}
        choices.append({"size": size_text(size), "selectors": names, "kept": n_selected, **measures})
    return choices


def quality_choices(found: Comparison) -> list[Data]:
    """Return the predictions of each combination, the best first.

    For each class they have the numbers of correctly predicted, predicted and true documents, and for single-label
    documents the confusion matrix.
    """
    rows_of: dict[Any, list[Row]] = {}
    for row in found.rows:
        rows_of.setdefault(row.key[1:], []).append(row)
    choices: list[Data] = []
    numbers_left = MOST_NUMBERS
    for line in best_first(found):
        rows = rows_of[line.selector, line.n_terms, line.classifier]
        choice: Data = {"name": condition_text(line), "classes": _added_classes(rows), "pairs": _added_pairs(rows)}
        numbers_left -= 3 * len(choice["classes"]) + 3 * len(choice["pairs"] or ())
        if numbers_left < 0 and choices:
            break
        choices.append(choice)
    return choices


def best_first(found: Comparison) -> list[Summary]:
    """Return the combinations that were measured, the best first."""
    measured = [line for line in found.summary if line.micro_f1 is not None]

    def sort_key(line: Summary) -> tuple[bool, float]:
        assert line.micro_f1 is not None
        return not line.is_best, -line.micro_f1.value

    return sorted(measured, key=sort_key)


def term_choices(found: Comparison) -> list[Data]:
    """Return, for each selector and number of terms in the first fold, the index of its ranking and its number of
    terms.
    """
    rankings = list(found.rankings)
    choices = []
    for selection in found.selections:
        if selection.fold != DESCRIBED_FOLD or selection.selector == ALL:
            continue
        for number, ranking in enumerate(rankings):
            if ranking.selector == selection.selector and ranking.n_terms in (None, selection.n_terms):
                n_selected = selection.n_seen if selection.terms is None else len(selection.terms)
                size = size_text(selection.n_terms)
                choices.append({"selector": selection.selector, "size": size, "chosen": n_selected, "ranking": number})
    return choices


def most_terms_of_a_class(found: Comparison) -> int:
    """Return the maximum number of terms of each class on the page, for any selector."""
    n_classes = len(found.header["classes"])
    return min(most_of_a_class(n_classes), max(MOST_TERMS // max(n_classes, 1), LEAST_TERMS))


def rankings_data(found: Comparison) -> list[Data]:
    """Return the first terms of each class in each ranking, in the order of the classes: ranks, terms, scores."""
    numbers = {_key(label): number for number, label in enumerate(found.header["classes"])}
    most = most_terms_of_a_class(found)
    return [
        {"classes": _terms_by_class(ranking, numbers, most), "scored": _has_scores(ranking)}
        for ranking in found.rankings
    ]


def _terms_by_class(ranking: Ranking, numbers: dict[Any, int], most: int) -> list[list[Any]]:
    by_class: list[list[Any]] = [[] for _ in numbers]
    for label, terms in ranking.by_class:
        if _key(label) in numbers:
            by_class[numbers[_key(label)]] = [list(term) for term in terms[:most]]
    return by_class


def _has_scores(ranking: Ranking) -> bool:
    return any(term.score is not None for _, terms in ranking.by_class for term in terms)


def _key(label: Any) -> Any:
    """Return a key that distinguishes labels of different types, such as 1 and True."""
    return type(label).__name__, label if not isinstance(label, list) else tuple(label)


def _added_classes(rows: Iterable[Row]) -> list[list[int]]:
    tables = [row.by_class for row in rows if row.by_class is not None]
    return [[sum(cells) for cells in zip(*class_rows, strict=True)] for class_rows in zip(*tables, strict=True)]


def _added_pairs(rows: Iterable[Row]) -> list[list[int]] | None:
    counts: dict[tuple[int, int], int] = {}
    for row in rows:
        if row.confusion is None:
            return None
        for true, predicted, count in row.confusion:
            counts[true, predicted] = counts.get((true, predicted), 0) + count
    return [[*pair, count] for pair, count in sorted(counts.items())]


def _mean_n_selected(comparison: Comparison, selector: str, size: Size) -> float | None:
    """Return the mean number of selected terms over all folds, even those on which no classifier could be trained."""
    selections = [
        selection for selection in comparison.selections if (selection.selector, selection.n_terms) == (selector, size)
    ]
    sizes = [selection.n_seen if selection.terms is None else len(selection.terms) for selection in selections]
    return sum(sizes) / len(sizes) if sizes else None


def _number(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else round(value, 5)
