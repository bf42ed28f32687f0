"""Slow twins of the trace projections: dense matrices from their definition, one document or class at a time."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
LabelSets = Sequence[Iterable[Hashable]]


def total_scatter(rows: Matrix) -> Matrix:
    """Return C, to which every document contributes once."""
    mean = sum(rows) / len(rows)
    return np.asarray(sum(np.outer(row - mean, row - mean) for row in rows) / len(rows))


def centroids(rows: Matrix, label_sets: LabelSets) -> dict[Any, tuple[int, Matrix]]:
    """Return the size and the mean of each class; a document counts once for each of its labels."""
    members: dict[Any, list[Matrix]] = {}
    for row, labels in zip(rows, label_sets, strict=True):
        for label in labels:
            members.setdefault(label, []).append(row)
    return {
        label: (len(members[label]), np.asarray(sum(members[label])) / len(members[label])) for label in sorted(members)
    }


def shares(classes: dict[Any, tuple[int, Matrix]], class_weight: str | None) -> list[float]:
    """Return the share p_j of each class."""
    n = sum(size for size, _ in classes.values())
    return [1 / len(classes) if class_weight == "balanced" else size / n for size, _ in classes.values()]


def centred(rows: Matrix, label_sets: LabelSets, class_weight: str | None = None) -> Matrix:
    """Return a column for each class: sqrt(p_j)(m_j - m)."""
    classes = centroids(rows, label_sets)
    class_shares = shares(classes, class_weight)
    class_means = [mean for _, mean in classes.values()]
    mean = sum(share * class_mean for share, class_mean in zip(class_shares, class_means, strict=True))
    columns = [
        np.sqrt(share) * (class_mean - mean) for share, class_mean in zip(class_shares, class_means, strict=True)
    ]
    return np.array(columns).T


def between_scatter(rows: Matrix, label_sets: LabelSets, class_weight: str | None = None) -> Matrix:
    """Return S_b."""
    if not any(map(len, map(list, label_sets))):
        return np.zeros((rows.shape[1], rows.shape[1]))
    columns = centred(rows, label_sets, class_weight)
    return columns @ columns.T


def scatter(rows: Matrix, label_sets: LabelSets, weight: float, class_weight: str | None = None) -> Matrix:
    """Return S = weight S_b + (1 - weight) C."""
    return weight * between_scatter(rows, label_sets, class_weight) + (1 - weight) * total_scatter(rows)


def eigen(matrix: Matrix) -> tuple[Matrix, Matrix]:
    """Return the eigenvalues, descending, and the eigenvectors as columns."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    return values[::-1], vectors[:, ::-1]


def best_selection(matrix: Matrix, k: int) -> float:
    """Return the largest trace that selecting k terms can reach."""
    return float(np.sort(np.diag(matrix))[::-1][:k].sum())


def eigenvalues_over_documents(rows: Matrix, label_sets: LabelSets, weight: float) -> Matrix:
    """Return the nonzero eigenvalues of S, descending, computed within the span of the documents, which are few."""
    centred_rows = rows - rows.mean(axis=0)
    squares, vectors = np.linalg.eigh(centred_rows @ centred_rows.T)
    is_nonzero = squares > 1e-10 * squares[-1]
    span = (centred_rows.T @ vectors[:, is_nonzero]) / np.sqrt(squares[is_nonzero])
    between, total = span.T @ centred(rows, label_sets), centred_rows @ span
    return eigen(weight * between @ between.T + (1 - weight) / len(rows) * total.T @ total)[0]
