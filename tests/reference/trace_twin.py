"""Slow twins of the trace scores, from their definition: in fractions, in two passes of floats, and as matrices.

Each document has a collection of labels, which is empty if it has none. The between-class scatter is a sum over
(document, class) pairs, the scatter of all documents a sum over documents.
"""

from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = Sequence[Sequence[float]]
LabelSets = Sequence[Iterable[Hashable]]
Floats = NDArray[np.float64]


def mean_of(values: Sequence[Fraction]) -> Fraction:
    """Return the mean."""
    return sum(values, Fraction(0)) / len(values)


def members(rows: Any, label_sets: LabelSets) -> list[list[Any]]:
    """Return the rows of each class, in the order of the classes."""
    classes = {label for labels in label_sets for label in labels}
    return [
        [row for row, labels in zip(rows, label_sets, strict=True) if label in set(labels)]
        for label in sorted(classes)  # type: ignore[type-var]
    ]


def between(rows: Rows, label_sets: LabelSets, *, balanced: bool = False) -> list[Fraction]:
    """Return the diagonal of S_b: the sum over classes of p_j (m_j - m)^2, where m is the sum of p_j m_j."""
    class_rows = members(rows, label_sets)
    n_pairs = sum(map(len, class_rows))
    shares = [Fraction(1, len(class_rows)) if balanced else Fraction(len(group), n_pairs) for group in class_rows]
    scatter = []
    for term in range(len(rows[0])):
        class_means = [mean_of([Fraction(row[term]) for row in group]) for group in class_rows]
        pairs = list(zip(shares, class_means, strict=True))
        mean = sum((share * class_mean for share, class_mean in pairs), Fraction(0))
        scatter.append(sum((share * (class_mean - mean) ** 2 for share, class_mean in pairs), Fraction(0)))
    return scatter


def total(rows: Rows) -> list[Fraction]:
    """Return the diagonal of C: the mean over documents of (x - m)^2."""
    scatter = []
    for term in range(len(rows[0])):
        values = [Fraction(row[term]) for row in rows]
        mean = mean_of(values)
        scatter.append(mean_of([(value - mean) ** 2 for value in values]))
    return scatter


def trace_scores(rows: Rows, label_sets: LabelSets, weight: float, *, balanced: bool = False) -> list[Fraction]:
    """Return the diagonal of S = weight S_b + (1 - weight) C."""
    exact_weight = Fraction(weight)
    scatters = zip(between(rows, label_sets, balanced=balanced), total(rows), strict=True)
    return [exact_weight * s_b + (1 - exact_weight) * c for s_b, c in scatters]


def assert_trace_scores(
    scores: Any, rows: Rows, label_sets: LabelSets, weight: float, *, balanced: bool = False, relative: float = 1e-9
) -> None:
    """Assert that scores are right up to a relative error of the two scatters that they are a mixture of.

    A rounding error of 2^-98 of the largest square is allowed, too, since squares may cancel completely.
    """
    scatters = between(rows, label_sets, balanced=balanced), total(rows)
    assert len(scores) == len(rows[0])
    for term, (score, s_b, c) in enumerate(zip(np.asarray(scores).tolist(), *scatters, strict=True)):
        exact = Fraction(weight) * s_b + (1 - Fraction(weight)) * c
        largest_square = max(Fraction(row[term]) ** 2 for row in rows)
        magnitude = abs(Fraction(weight)) * s_b + abs(1 - Fraction(weight)) * c
        rounding = largest_square * Fraction(2) ** -98 * (abs(Fraction(weight)) + abs(1 - Fraction(weight)))
        assert abs(Fraction(score) - exact) <= Fraction(relative) * magnitude + rounding, (term, score, float(exact))


def plain_scores(rows: Floats, label_sets: LabelSets, weight: float, *, balanced: bool = False) -> Floats:
    """Return the same as `trace_scores`, in two passes of plain 64-bit floats."""
    c = ((rows - rows.mean(axis=0)) ** 2).mean(axis=0)
    class_rows = [np.array(group) for group in members(rows, label_sets)]
    sizes = np.array([1 if balanced else len(group) for group in class_rows])
    class_means = np.array([group.mean(axis=0) for group in class_rows])
    shares = (sizes / sizes.sum())[:, None]
    mean = (shares * class_means).sum(axis=0)
    s_b = (shares * (class_means - mean) ** 2).sum(axis=0)
    return np.asarray(weight * s_b + (1 - weight) * c, np.float64)


def trace_matrix(rows: Floats, label_sets: LabelSets, weight: float) -> Floats:
    """Return S (terms x terms) as sums of outer products."""
    d = rows.shape[1]
    c, s_b = np.zeros((d, d)), np.zeros((d, d))
    for row in rows:
        c += np.outer(row - rows.mean(axis=0), row - rows.mean(axis=0)) / len(rows)
    class_rows = [np.array(group) for group in members(rows, label_sets)]
    mean = np.concatenate(class_rows).mean(axis=0)
    for group in class_rows:
        difference = group.mean(axis=0) - mean
        s_b += len(group) / sum(map(len, class_rows)) * np.outer(difference, difference)
    return np.asarray(weight * s_b + (1 - weight) * c)


def largest_trace(matrix: Floats, p: int) -> float:
    """Return the largest tr(W' S W) of all W that select p coordinates, by trying all of them."""
    identity = np.eye(len(matrix))
    return max(
        float(np.trace(identity[:, list(selected)].T @ matrix @ identity[:, list(selected)]))
        for selected in combinations(range(len(matrix)), p)
    )


def fewest_terms(scores: Sequence[float], energy: float) -> int:
    """Return the smallest number of best terms whose scores are that share of the sum of all; at least 1.

    A share such as 1/3 may be rounded up as a float, so it is reduced by 2^-50, or one term more might be needed.
    """
    best_first = sorted(map(Fraction, scores), reverse=True)
    needed = Fraction(energy) * sum(best_first) * (1 if energy == 1 else 1 - Fraction(2) ** -50)
    return next(p for p in range(1, len(scores) + 1) if sum(best_first[:p]) >= needed)
