"""A slow, obvious twin of the neighbour search: every cosine, one product after the other, in Python's floats."""

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
    """Return training documents as they are stored: of length 1, with weights of 32 bits."""
    return [[float(np.float32(value)) for value in unit(row)] for row in rows]


def cosine(row: Row, other_row: Row) -> float:
    """Return the sum of products of two rows of length 1, added in the order of the columns."""
    total = 0.0
    for a, b in zip(row, other_row, strict=True):
        total += a * b
    return total


def nearest(query: Row, documents: Sequence[Row], k: int, *, everyone: bool = False) -> list[tuple[float, int]]:
    """Return the cosines and numbers of the k nearest documents, nearest first; all rows have length 1."""
    pairs = [(cosine(query, document), number) for number, document in enumerate(documents)]
    near = [pair for pair in pairs if everyone or pair[0] > 0.0]
    return sorted(near, key=lambda pair: (-pair[0], pair[1]))[:k]


def scores(
    query: Row, documents: Sequence[Row], classes: Sequence[Sequence[int]], n_classes: int, k: int, votes: str
) -> list[float]:
    """Return the score of each class: sums term by term, or the number of neighbours."""
    neighbours = sorted(document for _, document in nearest(query, documents, k))
    totals = [0.0] * n_classes
    if votes == "plain":
        for neighbour in neighbours:
            for class_number in classes[neighbour]:
                totals[class_number] += 1.0
        return totals
    for column, value in enumerate(query):
        sums = [0.0] * n_classes
        for neighbour in neighbours:
            for class_number in classes[neighbour]:
                sums[class_number] += documents[neighbour][column]
        for class_number in range(n_classes):
            totals[class_number] += value * sums[class_number]
    return totals


def right_by_size(documents: Sequence[Row], classes: Sequence[Sequence[int]], max_k: int, votes: str) -> list[int]:
    """Return, for k = 1, 2, ..., how many documents the k nearest of the others classify correctly."""
    n_classes = max(map(max, classes)) + 1
    sizes = [sum(number in labels for labels in classes) for number in range(n_classes)]
    most_frequent = sizes.index(max(sizes))
    n_correct = [0] * max_k
    for number, document in enumerate(documents):
        others = [pair for pair in nearest(document, documents, len(documents)) if pair[1] != number]
        for k in range(1, max_k + 1):
            totals = [0.0] * n_classes
            for cosine_of_neighbour, neighbour in others[:k]:
                for class_number in classes[neighbour]:
                    totals[class_number] += cosine_of_neighbour if votes == "weighted" else 1.0
            best = totals.index(max(totals)) if others else most_frequent
            n_correct[k - 1] += best in classes[number]
    return n_correct
