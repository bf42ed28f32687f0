"""What the page shows one of at a time, as data for its script: overlap for a number of terms, what a combination got
right and wrong, and terms of a selector.

A page holds so many numbers and no more: of many classes and combinations the best combinations are in it, at least
one, and the file of results has them all.
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
"""Of all combinations that the page has the classes of."""
MOST_TERMS, LEAST_TERMS = 6_000, 5
"""Terms that are shown at once; but of each class some."""


def overlap_choices(found: Comparison) -> list[Data]:
    """For each number of terms, three tables of selectors with selectors; None where there is no number."""
    choices = []
    for size in dict.fromkeys(each.n_terms for each in found.overlaps):
        own = {each.selectors: each.likeness for each in found.overlaps if each.n_terms == size}
        names = list(dict.fromkeys(name for pair in own for name in pair))

        def cells(field: str, names: list[str] = names, own: dict[Any, Any] = own) -> list[list[float | None]]:
            found = {pair: getattr(each, field) for pair, each in own.items()}
            return [[_number(found.get((one, other), found.get((other, one)))) for other in names] for one in names]

        kept = [_n_chosen(found, name, size) for name in names]
        measures = {field: cells(field) for field in ("shared", "jaccard", "kuncheva")}
        choices.append({"size": size_text(size), "selectors": names, "kept": kept, **measures})
    return choices


def quality_choices(found: Comparison) -> list[Data]:
    """For combinations, the best first: of each class documents found, predicted, true, and who was taken for whom."""
    own: dict[Any, list[Row]] = {}
    for row in found.rows:
        own.setdefault(row.key[1:], []).append(row)
    choices: list[Data] = []
    left = MOST_NUMBERS
    for line in best_first(found):
        rows = own[line.selector, line.n_terms, line.classifier]
        choice: Data = {"name": condition_text(line), "classes": _added_classes(rows), "pairs": _added_pairs(rows)}
        left -= 3 * len(choice["classes"]) + 3 * len(choice["pairs"] or ())
        if left < 0 and choices:
            break
        choices.append(choice)
    return choices


def best_first(found: Comparison) -> list[Summary]:
    """Combinations with figures."""
    own = [line for line in found.summary if line.micro_f1 is not None]

    def place(line: Summary) -> tuple[bool, float]:
        assert line.micro_f1 is not None
        return not line.is_best, -line.micro_f1.value

    return sorted(own, key=place)


def term_choices(found: Comparison) -> list[Data]:
    """For each selector with each number of terms: where its terms are, and how many of them were chosen."""
    rankings = list(found.rankings)
    choices = []
    for each in found.selections:
        if each.fold != DESCRIBED_FOLD or each.selector == ALL:
            continue
        for number, ranking in enumerate(rankings):
            if ranking.selector == each.selector and ranking.n_terms in (None, each.n_terms):
                chosen = each.n_seen if each.terms is None else len(each.terms)
                size = size_text(each.n_terms)
                choices.append({"selector": each.selector, "size": size, "chosen": chosen, "ranking": number})
    return choices


def most_terms_of_a_class(found: Comparison) -> int:
    """How many terms of each class the page has, whatever the selector chose."""
    n_classes = len(found.header["classes"])
    return min(most_of_a_class(n_classes), max(MOST_TERMS // max(n_classes, 1), LEAST_TERMS))


def rankings_data(found: Comparison) -> list[Data]:
    """Of each ranking the first terms of each class, in the order of the classes: places, terms, scores."""
    numbers = {_key(label): number for number, label in enumerate(found.header["classes"])}
    most = most_terms_of_a_class(found)
    return [{"classes": _terms_by_class(each, numbers, most), "scored": _has_scores(each)} for each in found.rankings]


def _terms_by_class(ranking: Ranking, numbers: dict[Any, int], most: int) -> list[list[Any]]:
    found: list[list[Any]] = [[] for _ in numbers]
    for label, spoken in ranking.by_class:
        if _key(label) in numbers:
            found[numbers[_key(label)]] = [list(each) for each in spoken[:most]]
    return found


def _has_scores(ranking: Ranking) -> bool:
    return any(each.score is not None for _, spoken in ranking.by_class for each in spoken)


def _key(label: Any) -> Any:
    """Labels by what they are: 1 and True are two."""
    return type(label).__name__, label if not isinstance(label, list) else tuple(label)


def _added_classes(rows: Iterable[Row]) -> list[list[int]]:
    tables = [row.by_class for row in rows if row.by_class is not None]
    return [[sum(cells) for cells in zip(*own, strict=True)] for own in zip(*tables, strict=True)]


def _added_pairs(rows: Iterable[Row]) -> list[list[int]] | None:
    found: dict[tuple[int, int], int] = {}
    for row in rows:
        if row.confusion is None:
            return None
        for true, predicted, count in row.confusion:
            found[true, predicted] = found.get((true, predicted), 0) + count
    return [[*pair, count] for pair, count in sorted(found.items())]


def _n_chosen(found: Comparison, selector: str, size: Size) -> float | None:
    """The mean over folds, whether or not something could be learned from them."""
    own = [each for each in found.selections if (each.selector, each.n_terms) == (selector, size)]
    kept = [each.n_seen if each.terms is None else len(each.terms) for each in own]
    return sum(kept) / len(kept) if kept else None


def _number(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else round(value, 5)
