"""The matrices of the trace family by their definition, dense, one document and one class at a time."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
LabelSets = Sequence[Iterable[Hashable]]


def total_scatter(rows: Matrix) -> Matrix:
    """C: every document once."""
    mean = sum(rows) / len(rows)
    return np.asarray(sum(np.outer(row - mean, row - mean) for row in rows) / len(rows))


def centroids(rows: Matrix, label_sets: LabelSets) -> dict[Any, tuple[int, Matrix]]:
    """The size and the mean of each class; a document counts once for each of its labels."""
    members: dict[Any, list[Matrix]] = {}
    for row, labels in zip(rows, label_sets, strict=True):
        for label in labels:
            members.setdefault(label, []).append(row)
    return {
        label: (len(members[label]), np.asarray(sum(members[label])) / len(members[label])) for label in sorted(members)
    }


def shares(classes: dict[Any, tuple[int, Matrix]], class_weight: str | None) -> list[float]:
    """How much each class counts."""
    n = sum(size for size, _ in classes.values())
    return [1 / len(classes) if class_weight == "balanced" else size / n for size, _ in classes.values()]


def centred(rows: Matrix, label_sets: LabelSets, class_weight: str | None = None) -> Matrix:
    """A column for each class: its mean minus that of all classes, times the root of its share."""
    classes = centroids(rows, label_sets)
    parts = shares(classes, class_weight)
    middle = sum(part * mean for part, (_, mean) in zip(parts, classes.values(), strict=True))
    columns = [np.sqrt(part) * (mean - middle) for part, (_, mean) in zip(parts, classes.values(), strict=True)]
    return np.array(columns).T


def between_scatter(rows: Matrix, label_sets: LabelSets, class_weight: str | None = None) -> Matrix:
    """S_b."""
    if not any(map(len, map(list, label_sets))):
        return np.zeros((rows.shape[1], rows.shape[1]))
    columns = centred(rows, label_sets, class_weight)
    return columns @ columns.T


def scatter(rows: Matrix, label_sets: LabelSets, weight: float, class_weight: str | None = None) -> Matrix:
    """S."""
    return weight * between_scatter(rows, label_sets, class_weight) + (1 - weight) * total_scatter(rows)


def eigen(matrix: Matrix) -> tuple[Matrix, Matrix]:
    """Eigenvalues, descending, and eigenvectors as columns."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    return values[::-1], vectors[:, ::-1]


def best_selection(matrix: Matrix, k: int) -> float:
    """The largest trace that picking k terms can reach."""
    return float(np.sort(np.diag(matrix))[::-1][:k].sum())


def eigenvalues_over_documents(rows: Matrix, label_sets: LabelSets, weight: float) -> Matrix:
    """The eigenvalues of S that are not 0, descending: S within the span of the documents, which are few."""
    apart = rows - rows.mean(axis=0)
    squares, vectors = np.linalg.eigh(apart @ apart.T)
    kept = squares > 1e-10 * squares[-1]
    span = (apart.T @ vectors[:, kept]) / np.sqrt(squares[kept])
    between, total = span.T @ centred(rows, label_sets), apart @ span
    return eigen(weight * between @ between.T + (1 - weight) / len(rows) * total.T @ total)[0]
