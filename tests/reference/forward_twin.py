"""Forward selection, the slow way: the error of least squares, worked out anew for each set of terms that is tried."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LabelSets = Sequence[Sequence[Any]]


def explained(rows: Any, label_sets: LabelSets, terms: Sequence[int], ridge: float) -> float:
    """By how much the error of telling the classes from some terms is smaller than without any.

    Each class has its own linear function with an intercept, an error that counts 1 / root of the class's size, and a
    price for weights: rows of their own, which want the weights to be 0.
    """
    table = np.asarray(rows, np.float64)[:, list(terms)]
    centred = table - table.mean(axis=0)
    priced = np.vstack([centred, np.sqrt(ridge) * np.eye(len(terms))])
    total = 0.0
    for label in sorted({label for labels in label_sets for label in labels}):
        member = np.array([float(label in labels) for labels in label_sets])
        wanted = np.concatenate([member - member.mean(), np.zeros(len(terms))])
        weights = np.linalg.lstsq(priced, wanted, rcond=None)[0]
        saved = (wanted**2).sum() - ((wanted - priced @ weights) ** 2).sum()
        total += saved / np.sqrt(member.sum())
    return total


def gains(rows: Any, label_sets: LabelSets, chosen: Sequence[int], ridge: float = 1.0) -> Floats:
    """What each term would add to those chosen; minus infinity for these."""
    before = explained(rows, label_sets, chosen, ridge)
    n_terms = np.asarray(rows).shape[1]
    return np.array(
        [
            -np.inf if term in chosen else explained(rows, label_sets, [*chosen, term], ridge) - before
            for term in range(n_terms)
        ]
    )


def check_order(rows: Any, label_sets: LabelSets, order: Sequence[int], noise: float, ridge: float = 1.0) -> None:
    """Each term of an order adds as much as any, up to a part of the largest gain of all."""
    first = gains(rows, label_sets, [], ridge).max()
    for place, term in enumerate(order):
        adding = gains(rows, label_sets, order[:place], ridge)
        assert adding[term] >= adding.max() - noise * first, (place, term, adding)
