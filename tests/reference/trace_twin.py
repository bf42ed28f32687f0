"""The trace scores by the letter of their definition: in fractions, in two passes of plain floats, and as matrices.

Labels are a collection for each document, empty if it has none. The between-class scatter runs over pairs of document
and class, the scatter of all documents over documents, each once.
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
    """The sum by the number."""
    return sum(values, Fraction(0)) / len(values)


def members(rows: Any, label_sets: LabelSets) -> list[list[Any]]:
    """The rows of each class that has some."""
    classes = {label for labels in label_sets for label in labels}
    return [
        [row for row, labels in zip(rows, label_sets, strict=True) if label in set(labels)]
        for label in sorted(classes)  # type: ignore[type-var]
    ]


def between(rows: Rows, label_sets: LabelSets, *, balanced: bool = False) -> list[Fraction]:
    """The diagonal of S_b: the sum over classes of p_j (m_j - m)^2, where m is the sum over classes of p_j m_j."""
    of_classes = members(rows, label_sets)
    n_pairs = sum(map(len, of_classes))
    shares = [Fraction(1, len(of_classes)) if balanced else Fraction(len(each), n_pairs) for each in of_classes]
    scatter = []
    for term in range(len(rows[0])):
        means = [mean_of([Fraction(row[term]) for row in each]) for each in of_classes]
        mean = sum((share * each for share, each in zip(shares, means, strict=True)), Fraction(0))
        apart = (share * (each - mean) ** 2 for share, each in zip(shares, means, strict=True))
        scatter.append(sum(apart, Fraction(0)))
    return scatter


def total(rows: Rows) -> list[Fraction]:
    """The diagonal of C: the mean over documents of (x - m)^2."""
    scatter = []
    for term in range(len(rows[0])):
        values = [Fraction(row[term]) for row in rows]
        mean = mean_of(values)
        scatter.append(mean_of([(value - mean) ** 2 for value in values]))
    return scatter


def trace_scores(rows: Rows, label_sets: LabelSets, weight: float, *, balanced: bool = False) -> list[Fraction]:
    """The diagonal of S = weight S_b + (1 - weight) C."""
    of_classes, of_all, share = between(rows, label_sets, balanced=balanced), total(rows), Fraction(weight)
    return [share * one + (1 - share) * other for one, other in zip(of_classes, of_all, strict=True)]


def assert_trace_scores(
    found: Any, rows: Rows, label_sets: LabelSets, weight: float, *, balanced: bool = False, relative: float = 1e-9
) -> None:
    """Scores are right to 1e-9 of the two parts that they are mixed from.

    What is left of a difference of equal squares is allowed too: 2^-98 of the largest square.
    """
    parts = between(rows, label_sets, balanced=balanced), total(rows)
    assert len(found) == len(rows[0])
    for term, (score, of_classes, of_all) in enumerate(zip(np.asarray(found).tolist(), *parts, strict=True)):
        exact = Fraction(weight) * of_classes + (1 - Fraction(weight)) * of_all
        largest = max(Fraction(row[term]) ** 2 for row in rows)
        size = abs(Fraction(weight)) * of_classes + abs(1 - Fraction(weight)) * of_all
        nothing = largest * Fraction(2) ** -98 * (abs(Fraction(weight)) + abs(1 - Fraction(weight)))
        assert abs(Fraction(score) - exact) <= Fraction(relative) * size + nothing, (term, score, float(exact))


def plain_scores(rows: Floats, label_sets: LabelSets, weight: float, *, balanced: bool = False) -> Floats:
    """The same in two passes of plain 64-bit floats."""
    of_all = ((rows - rows.mean(axis=0)) ** 2).mean(axis=0)
    of_classes = [np.array(each) for each in members(rows, label_sets)]
    sizes = np.array([1 if balanced else len(each) for each in of_classes])
    means = np.array([each.mean(axis=0) for each in of_classes])
    shares = (sizes / sizes.sum())[:, None]
    mean = (shares * means).sum(axis=0)
    scores = weight * (shares * (means - mean) ** 2).sum(axis=0) + (1 - weight) * of_all
    return np.asarray(scores, np.float64)


def trace_matrix(rows: Floats, label_sets: LabelSets, weight: float) -> Floats:
    """S itself, d x d: sums of outer products."""
    d = rows.shape[1]
    scatter, of_classes = np.zeros((d, d)), np.zeros((d, d))
    for row in rows:
        scatter += np.outer(row - rows.mean(axis=0), row - rows.mean(axis=0)) / len(rows)
    groups = [np.array(each) for each in members(rows, label_sets)]
    mean = np.concatenate(groups).mean(axis=0)
    for each in groups:
        apart = each.mean(axis=0) - mean
        of_classes += len(each) / sum(map(len, groups)) * np.outer(apart, apart)
    return np.asarray(weight * of_classes + (1 - weight) * scatter)


def largest_trace(matrix: Floats, p: int) -> float:
    """The largest tr(W' S W) of all W that pick p coordinates, each of them tried."""
    identity = np.eye(len(matrix))
    return max(
        float(np.trace(identity[:, list(picked)].T @ matrix @ identity[:, list(picked)]))
        for picked in combinations(range(len(matrix)), p)
    )


def fewest_terms(scores: Sequence[float], energy: float) -> int:
    """The smallest number of best terms whose scores are that share of all of them, in fractions; at least one.

    A share such as 1/3 is rounded to a float, perhaps upwards: a term that makes up for that alone is not taken.
    """
    best_first = sorted(map(Fraction, scores), reverse=True)
    wanted = Fraction(energy) * sum(best_first) * (1 if energy == 1 else 1 - Fraction(2) ** -50)
    return next(p for p in range(1, len(scores) + 1) if sum(best_first[:p]) >= wanted)
