"""Data for the page's script: the tables that the reader selects, one at a time.

These are the overlap of selected terms for a number of terms, the correct and wrong predictions of a combination (of
selector, number of terms and classifier), and the terms of a selector.

The amount of data is limited: with many classes and combinations, the page has the predictions of the best
combinations only, at least of one. The file of results has the predictions of all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ..comparison import Comparison, Row
from ..comparison.examples import sum_confusion
from ..comparison.findings import combination_text
from ..comparison.outcome import Overlap
from ..comparison.plan import ALL, Size, size_text
from ..comparison.rankings import DESCRIBED_FOLD, FoldRanking, max_class_terms
from ..comparison.schema import class_key
from ..comparison.summary import Summary, best_first
from ..comparison.view import label_text
from ..evaluation.confusions import ExampleDocument
from ..text.analysis import display_term

Data = dict[str, Any]

MAX_NUMBERS = 200_000
"""The page has at most this many numbers about predictions, over all combinations, unless the best alone has more."""
MAX_TERMS, MIN_CLASS_TERMS = 6_000, 5
"""The maximum number of terms shown at once; but each class may show at least `MIN_CLASS_TERMS`."""


def overlap_data(comparison: Comparison) -> list[Data]:
    """Return three tables for each number of terms: shared terms, Jaccard and Kuncheva index of each pair of selectors.

    Undefined numbers are None.
    """
    tables = []
    for size in dict.fromkeys(overlap.n_terms for overlap in comparison.overlaps):
        overlaps = [overlap for overlap in comparison.overlaps if overlap.n_terms == size]
        names = list(dict.fromkeys(name for overlap in overlaps for name in overlap.selectors))
        tables.append(
            {
                "size": size_text(size),
                "selectors": names,
                "selected": [_mean_n_selected(comparison, name, size) for name in names],
                **{measure: _pair_table(names, overlaps, measure) for measure in ("shared", "jaccard", "kuncheva")},
            }
        )
    return tables


def _pair_table(names: list[str], overlaps: list[Overlap], measure: str) -> list[list[float | None]]:
    """Return a measure as a symmetric table, with a row and a column for each selector; the diagonal is None."""
    values = {overlap.selectors: _rounded(getattr(overlap.measures, measure)) for overlap in overlaps}
    return [[values.get((row, column), values.get((column, row))) for column in names] for row in names]


def combination_data(comparison: Comparison) -> list[Data]:
    """Return the predictions of the best combinations, the best first: as many as `MAX_NUMBERS` allows, at least one.

    "classes" has, for each class, the numbers of correctly predicted, predicted and true documents. "pairs" has the
    confusion matrix of single-label documents, as rows of true class, predicted class and number of documents.
    """
    rows_of: dict[Any, list[Row]] = {}
    for row in comparison.rows:
        rows_of.setdefault(row.key[1:], []).append(row)  # the key without the fold
    combinations: list[Data] = []
    numbers_left = MAX_NUMBERS
    for summary in measured_best_first(comparison):
        rows = rows_of[summary.selector, summary.n_terms, summary.classifier]
        combination: Data = {
            "name": combination_text(summary),
            "classes": _sum_classes(rows),
            "pairs": None if (counts := sum_confusion(rows)) is None else _confusion_rows(counts),
        }
        numbers_left -= 3 * len(combination["classes"]) + 3 * len(combination["pairs"] or ())
        if numbers_left < 0 and combinations:  # the first combination is added even if it is too large
            break
        combinations.append(combination)
    return combinations


class ConfusedPairView(NamedTuple):
    """A pair of classes that the best combination confuses, and example documents, for the template."""

    label: str
    predicted: str
    n_documents: int
    share: str
    """Their share of the documents with this label, as text."""
    documents: tuple[ExampleDocument, ...]


def example_pairs(comparison: Comparison) -> list[ConfusedPairView]:
    """Return the pairs of classes that the best combination confuses most and that have example documents."""
    best, examples = comparison.best, comparison.examples
    if best is None or examples is None:
        return []
    names = [label_text(label) for label in comparison.header["classes"]]
    rows = comparison.rows_of(best)
    counts, by_class = sum_confusion(rows) or {}, _sum_classes(rows)
    return [
        ConfusedPairView(
            names[true],
            names[predicted],
            n_documents := counts[true, predicted],
            f"{n_documents / max(by_class[true][2], 1):.1%}",
            documents,
        )
        for true, predicted, documents in examples.pairs
        if documents
    ]


def measured_best_first(comparison: Comparison) -> list[Summary]:
    """Return the combinations that were measured, the best first."""
    return best_first(summary for summary in comparison.summary if summary.micro_f1 is not None)


def selection_data(comparison: Comparison) -> list[Data]:
    """Return all selections of terms in the first fold.

    A selection has the selector, the requested and the actual number of terms, and the index of the ranking that has
    the terms.
    """
    return [
        {
            "selector": selection.selector,
            "size": size_text(selection.n_terms),
            "selected": selection.n_selected,
            "ranking": index,
        }
        for selection in comparison.selections
        if selection.fold == DESCRIBED_FOLD and selection.selector != ALL
        for index, ranking in enumerate(comparison.rankings)
        if ranking.selector == selection.selector and ranking.n_terms in (None, selection.n_terms)
    ]


def max_terms_per_class(comparison: Comparison) -> int:
    """Return the maximum number of terms that the page has for each class and selector."""
    n_classes = len(comparison.header["classes"])
    return min(max_class_terms(n_classes), max(MAX_TERMS // max(n_classes, 1), MIN_CLASS_TERMS))


def ranking_data(comparison: Comparison) -> list[Data]:
    """Return the first terms of each class in each ranking, as rows of rank, term and score."""
    class_indices = {class_key(label): index for index, label in enumerate(comparison.header["classes"])}
    max_terms = max_terms_per_class(comparison)
    analyzer = comparison.header["settings"].get("analyzer")
    return [
        {"classes": _terms_by_class(ranking, class_indices, max_terms, analyzer)} for ranking in comparison.rankings
    ]


def _terms_by_class(
    ranking: FoldRanking, class_indices: dict[Any, int], max_terms: int, analyzer: object
) -> list[list[Any]]:
    """Return a list for each class, in the order of `class_indices`, with its first terms in the form for display.

    A class that the header of the results does not have is ignored.
    """
    by_class: list[list[Any]] = [[] for _ in class_indices]
    for label, terms in ranking.by_class:
        if class_key(label) in class_indices:
            by_class[class_indices[class_key(label)]] = [
                [rank, display_term(term, analyzer), score] for rank, term, score in terms[:max_terms]
            ]
    return by_class


def _sum_classes(rows: Iterable[Row]) -> list[list[int]]:
    """Return the numbers of documents of each class, summed over the folds."""
    tables = [row.by_class for row in rows if row.by_class is not None]
    return [[sum(counts) for counts in zip(*class_rows, strict=True)] for class_rows in zip(*tables, strict=True)]


def _confusion_rows(counts: Mapping[tuple[int, int], int]) -> list[list[int]]:
    """Return the confusion matrix as sorted rows of true class, predicted class and number of documents."""
    return [[*pair, count] for pair, count in sorted(counts.items())]


def _mean_n_selected(comparison: Comparison, selector: str, size: Size) -> float | None:
    """Return the mean number of selected terms over all folds, even those on which no classifier could be trained."""
    numbers = [
        selection.n_selected
        for selection in comparison.selections
        if (selection.selector, selection.n_terms) == (selector, size)
    ]
    return sum(numbers) / len(numbers) if numbers else None


def _rounded(value: float) -> float | None:
    """Return a number with five decimals, or None for NaN, which JSON does not have."""
    return None if math.isnan(value) else round(value, 5)
