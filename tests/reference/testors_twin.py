"""Typical testors by the letter of their definition: every set of columns is tried, every class by its documents."""

from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations
from typing import Any

Row = frozenset[int]
Testor = tuple[int, ...]


def minimal_transversals(rows: Sequence[Iterable[int]], n_columns: int) -> list[Testor]:
    """All sets of columns that hit every row and have no part that does, smaller sets first."""
    wanted = [set(row) for row in rows]
    found: list[Testor] = []
    for size in range(n_columns + 1):
        for columns in combinations(range(n_columns), size):
            if all(row & set(columns) for row in wanted) and not any(set(each) <= set(columns) for each in found):
                found.append(columns)
    return found


def means(rows: Any, label_sets: Sequence[Iterable[Hashable]], scale: str) -> dict[Any, list[float]]:
    """The mean document of each class, by its largest weight if that is wanted and above 0."""
    classes = sorted({label for labels in label_sets for label in labels})  # type: ignore[type-var]
    found = {}
    for label in classes:
        own = [row for row, labels in zip(rows, label_sets, strict=True) if label in set(labels)]
        mean = [sum(float(row[term]) for row in own) / len(own) for term in range(len(rows[0]))]
        largest = max(mean)
        found[label] = [weight / largest for weight in mean] if scale == "max" and largest > 0 else mean
    return found


def class_rows(of_class: dict[Any, list[float]], label: Any, epsilon: float, delta: float) -> dict[Any, Row]:
    """The row of a class against each other: the terms that weigh enough, and enough more than there."""
    own = of_class[label]
    return {
        other: frozenset(
            term
            for term, weight in enumerate(own)
            if weight != 0 and weight >= epsilon and weight - theirs[term] >= delta
        )
        for other, theirs in of_class.items()
        if other != label
    }


def class_testors(of_class: dict[Any, list[float]], label: Any, epsilon: float, delta: float) -> list[Testor]:
    """The typical testors of a class; empty rows are dropped, and a class with no others has none."""
    rows = [row for row in class_rows(of_class, label, epsilon, delta).values() if row]
    return minimal_transversals(rows, len(of_class[label])) if rows else []


def pairs_not_told_apart(of_class: dict[Any, list[float]], epsilon: float, delta: float) -> list[tuple[Any, Any]]:
    """The class and the other of every empty row."""
    return [
        (label, other)
        for label in of_class
        for other, row in class_rows(of_class, label, epsilon, delta).items()
        if not row
    ]


def share(testors: Sequence[Testor], term: int) -> float:
    """The share of the testors that hold a term."""
    return sum(term in testor for testor in testors) / len(testors) if testors else 0.0
