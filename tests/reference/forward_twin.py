"""The slow twin of forward selection: it solves the least-squares problem anew for each set of terms."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LabelSets = Sequence[Sequence[Any]]


def error_reduction(rows: Any, label_sets: LabelSets, terms: Sequence[int], ridge: float) -> float:
    """Return by how much some terms reduce the squared error of predicting the classes.

    Each class has its own linear function with an intercept, and the error of a class is weighted by one over the
    square root of its size. The ridge penalty is written as additional rows whose targets are 0.
    """
    table = np.asarray(rows, np.float64)[:, list(terms)]
    centred = table - table.mean(axis=0)
    with_penalty = np.vstack([centred, np.sqrt(ridge) * np.eye(len(terms))])
    total = 0.0
    for label in sorted({label for labels in label_sets for label in labels}):
        is_member = np.array([float(label in labels) for labels in label_sets])
        targets = np.concatenate([is_member - is_member.mean(), np.zeros(len(terms))])
        weights = np.linalg.lstsq(with_penalty, targets, rcond=None)[0]
        reduction = (targets**2).sum() - ((targets - with_penalty @ weights) ** 2).sum()
        total += reduction / np.sqrt(is_member.sum())
    return total


def gains(rows: Any, label_sets: LabelSets, selected: Sequence[int], ridge: float = 1.0) -> Floats:
    """Return what each term would add to the selected ones; minus infinity for the selected ones themselves."""
    before = error_reduction(rows, label_sets, selected, ridge)
    n_terms = np.asarray(rows).shape[1]
    return np.array(
        [
            -np.inf if term in selected else error_reduction(rows, label_sets, [*selected, term], ridge) - before
            for term in range(n_terms)
        ]
    )


def check_order(rows: Any, label_sets: LabelSets, order: Sequence[int], noise: float, ridge: float = 1.0) -> None:
    """Assert that each term of an order adds most at its position, up to `noise` times the first gain."""
    first_gain = gains(rows, label_sets, [], ridge).max()
    for position, term in enumerate(order):
        term_gains = gains(rows, label_sets, order[:position], ridge)
        assert term_gains[term] >= term_gains.max() - noise * first_gain, (position, term, term_gains)
