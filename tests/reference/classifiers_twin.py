"""Slow twins of classifiers: loops over dense rows, one document and one class at a time."""

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

Row = Sequence[float]


def svm_objective(
    rows: Sequence[Row], signs: Sequence[float], costs: Sequence[float], weights: Row, intercept: float
) -> float:
    """Return ½(|w|² + b²) + Σ C_i max(0, 1 - y_i (w·x_i + b))²; as in liblinear, the intercept is penalised as well."""
    total = 0.5 * (math.fsum(weight * weight for weight in weights) + intercept * intercept)
    for row, sign, cost in zip(rows, signs, costs, strict=True):
        margin = math.fsum([intercept, *(weight * value for weight, value in zip(weights, row, strict=True))])
        total += cost * max(0.0, 1.0 - sign * margin) ** 2
    return total


def rocchio_prototypes(
    rows: Sequence[Row], label_sets: Sequence[Iterable[Hashable]], beta: float, gamma: float
) -> dict[Hashable, list[float]]:
    """Return β x mean of the class - γ x mean of all other (document, class) pairs, scaled to length 1, per class."""
    pairs = [(row, label) for row, labels in zip(rows, label_sets, strict=True) for label in set(labels)]
    prototypes = {}
    for wanted in sorted({label for _, label in pairs}):  # type: ignore[type-var]
        prototype = []
        for column in range(len(rows[0])):
            own = [row[column] for row, label in pairs if label == wanted]
            others = [row[column] for row, label in pairs if label != wanted]
            prototype.append(beta * math.fsum(own) / len(own) - gamma * math.fsum(others) / max(len(others), 1))
        length = math.sqrt(math.fsum(value * value for value in prototype))
        prototypes[wanted] = [value / length for value in prototype] if length > 0 else prototype
    return prototypes


def class_weight_factors(class_weight: Any, labels: Iterable[Any], weights: Iterable[float] | None = None) -> Any:
    """Return the factor of each class for "balanced" and "sqrt"; other class weights are returned unchanged."""
    if class_weight not in ("balanced", "sqrt"):
        return class_weight
    labels = list(labels)
    sizes = dict.fromkeys(labels, 0.0)
    for label, weight in zip(labels, [1.0] * len(labels) if weights is None else weights, strict=True):
        sizes[label] += weight
    n, n_roots = 0.0, 0.0
    for label in sorted(sizes):
        n += sizes[label]
        n_roots += math.sqrt(sizes[label])
    if class_weight == "balanced":
        return {label: n / (size * len(sizes)) for label, size in sizes.items()}
    return {label: n / (math.sqrt(size) * n_roots) for label, size in sizes.items()}


def cosine(row: Row, unit: Row) -> float:
    """Return the cosine of a row with a row of length 1; 0 for a row of zeros."""
    length = math.sqrt(math.fsum(value * value for value in row))
    return math.fsum(value * other for value, other in zip(row, unit, strict=True)) / (length or 1.0)
