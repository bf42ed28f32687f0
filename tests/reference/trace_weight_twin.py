"""The slow twin of TOFA's automatic weight: one document and one class at a time."""

from collections.abc import Sequence
from typing import Any

import numpy as np


def relative_noise_of(
    rows: np.ndarray[Any, Any], labels: Sequence[Any], term: int, class_shares: dict[Any, float]
) -> float:
    """Return the noise of a term's between-class scatter relative to its variance; the label None means no label."""
    frequency = np.mean(rows[:, term] != 0)
    noise = 0.0
    for name, share in class_shares.items():
        class_values = rows[[label == name for label in labels], term]
        if frequency > 0:
            relative_frequency = np.mean(class_values != 0) / frequency
            noise += share * (1 - share) * relative_frequency / len(class_values)
    return noise


def weight_of(
    rows: np.ndarray[Any, Any],
    labels: Sequence[Any],
    between: np.ndarray[Any, Any],
    total: np.ndarray[Any, Any],
    k: int,
) -> float:
    """Return the weight for selecting k terms, with classes weighted by their number of documents."""
    labelled = [label for label in labels if label is not None]
    if not labelled or max(between) <= 0:
        return 0.0
    shares = {name: labelled.count(name) / len(labelled) for name in set(labelled)}
    noise = scatter = 0.0
    for term in range(rows.shape[1]):
        if any(sum(values > values[term] * (1 + 1e-9)) < k for values in (between, total)):
            noise += relative_noise_of(rows, labels, term, shares) * total[term]
            scatter += total[term]
    return 1 / (1 + noise / scatter)
