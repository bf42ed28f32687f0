"""TOFA's automatic weight, document by document and class by class."""

from collections.abc import Sequence
from typing import Any

import numpy as np


def relative_noise_of(
    rows: np.ndarray[Any, Any], labels: Sequence[Any], term: int, class_shares: dict[Any, float]
) -> float:
    """How much chance adds to a term's between-class scatter, in parts of its variance; None is no label."""
    share_of_all = np.mean(rows[:, term] != 0)
    noise = 0.0
    for name, share in class_shares.items():
        own = rows[[label == name for label in labels], term]
        if share_of_all > 0:
            times_as_often = np.mean(own != 0) / share_of_all
            noise += share * (1 - share) * times_as_often / len(own)
    return noise


def weight_of(
    rows: np.ndarray[Any, Any],
    labels: Sequence[Any],
    between: np.ndarray[Any, Any],
    total: np.ndarray[Any, Any],
    k: int,
) -> float:
    """The weight for keeping k terms, the classes counting as their documents."""
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
