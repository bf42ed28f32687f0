"""The slow twin of typical testors, from their definition: it tries every set of columns."""

from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations
from typing import Any

Row = frozenset[int]
Testor = tuple[int, ...]


def minimal_transversals(rows: Sequence[Iterable[int]], n_columns: int) -> list[Testor]:
    """Return all sets of columns that hit every row and have no proper subset that does, smaller sets first."""
    row_sets = [set(row) for row in rows]
    transversals: list[Testor] = []
    for size in range(n_columns + 1):
        for columns in combinations(range(n_columns), size):
            hits_all = all(row & set(columns) for row in row_sets)
            if hits_all and not any(set(smaller) <= set(columns) for smaller in transversals):
                transversals.append(columns)
    return transversals


def means(rows: Any, label_sets: Sequence[Iterable[Hashable]], scale: str) -> dict[Any, list[float]]:
    """Return the mean document of each class; with scale "max", divided by its largest weight if that is above 0."""
    classes = sorted({label for labels in label_sets for label in labels})  # type: ignore[type-var]
    class_means = {}
    for label in classes:
        members = [row for row, labels in zip(rows, label_sets, strict=True) if label in set(labels)]
        mean = [sum(float(row[term]) for row in members) / len(members) for term in range(len(rows[0]))]
        largest = max(mean)
        class_means[label] = [weight / largest for weight in mean] if scale == "max" and largest > 0 else mean
    return class_means


def class_rows(class_means: dict[Any, list[float]], label: Any, epsilon: float, delta: float) -> dict[Any, Row]:
    """Return the row of a class against each other class.

    It marks the terms whose weight is at least epsilon, and exceeds that in the other class by at least delta.
    """
    return {
        other: frozenset(
            term
            for term, weight in enumerate(class_means[label])
            if weight != 0 and weight >= epsilon and weight - other_mean[term] >= delta
        )
        for other, other_mean in class_means.items()
        if other != label
    }


def class_testors(class_means: dict[Any, list[float]], label: Any, epsilon: float, delta: float) -> list[Testor]:
    """Return the typical testors of a class; empty rows are dropped, and without other rows there are none."""
    rows = [row for row in class_rows(class_means, label, epsilon, delta).values() if row]
    return minimal_transversals(rows, len(class_means[label])) if rows else []


def indistinguishable_pairs(class_means: dict[Any, list[float]], epsilon: float, delta: float) -> list[tuple[Any, Any]]:
    """Return the pairs (class, other) whose row is empty."""
    return [
        (label, other)
        for label in class_means
        for other, row in class_rows(class_means, label, epsilon, delta).items()
        if not row
    ]


def share(testors: Sequence[Testor], term: int) -> float:
    """Return the share of the testors that contain a term."""
    return sum(term in testor for testor in testors) / len(testors) if testors else 0.0
