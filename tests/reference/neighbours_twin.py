"""Slow twin of nearest neighbours: every cosine, one product after the other, in Python floats."""

import math
from collections.abc import Sequence

import numpy as np

Row = Sequence[float]


def unit(row: Row) -> list[float]:
    """Return a row scaled to length 1; a row of zeros stays."""
    squares = 0.0
    for value in row:
        squares += value * value
    length = math.sqrt(squares) or 1.0
    return [value / length for value in row]


def kept(rows: Sequence[Row]) -> list[list[float]]:
    """Return training documents as they are stored: scaled to length 1, with float32 weights."""
    return [[float(np.float32(value)) for value in unit(row)] for row in rows]


def cosine(one: Row, other: Row) -> float:
    """Return the cosine of two rows of length 1; products are added in column order."""
    total = 0.0
    for a, b in zip(one, other, strict=True):
        total += a * b
    return total


def nearest(query: Row, documents: Sequence[Row], k: int, *, everyone: bool = False) -> list[tuple[float, int]]:
    """Return the cosines and numbers of the k nearest documents, the nearest first; all rows have length 1."""
    found = [(cosine(query, document), number) for number, document in enumerate(documents)]
    near = [each for each in found if everyone or each[0] > 0.0]
    return sorted(near, key=lambda each: (-each[0], each[1]))[:k]


def scores(
    query: Row, documents: Sequence[Row], classes: Sequence[Sequence[int]], n_classes: int, k: int, votes: str
) -> list[float]:
    """Return the score of each class: sums of products term by term, or the number of neighbours."""
    neighbours = sorted(number for _, number in nearest(query, documents, k))
    totals = [0.0] * n_classes
    if votes == "plain":
        for neighbour in neighbours:
            for number in classes[neighbour]:
                totals[number] += 1.0
        return totals
    for column, value in enumerate(query):
        sums = [0.0] * n_classes
        for neighbour in neighbours:
            for number in classes[neighbour]:
                sums[number] += documents[neighbour][column]
        for number in range(n_classes):
            totals[number] += value * sums[number]
    return totals


def right_by_size(documents: Sequence[Row], classes: Sequence[Sequence[int]], most: int, votes: str) -> list[int]:
    """Return for k = 1, 2, ... how many documents are classified correctly by their k nearest other documents."""
    n_classes = max(map(max, classes)) + 1
    sizes = [sum(number in own for own in classes) for number in range(n_classes)]
    most_frequent = sizes.index(max(sizes))
    right = [0] * most
    for number, document in enumerate(documents):
        others = [each for each in nearest(document, documents, len(documents)) if each[1] != number]
        for k in range(1, most + 1):
            totals = [0.0] * n_classes
            for near, neighbour in others[:k]:
                for one in classes[neighbour]:
                    totals[one] += near if votes == "weighted" else 1.0
            best = totals.index(max(totals)) if others else most_frequent
            right[k - 1] += best in classes[number]
    return right
