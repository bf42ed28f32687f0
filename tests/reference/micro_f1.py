"""Micro-F1 from its definition."""

from typing import Any


def micro_f1(predicted: Any, true: Any, weights: Any = None) -> float:
    """Return F1 over the labels of all documents (documents x classes, or documents for a single class)."""
    sample_weights = [1.0] * len(true) if weights is None else weights
    n_right = sum(weight * (p & t).sum() for p, t, weight in zip(predicted, true, sample_weights, strict=True))
    n_labels = sum(weight * (p.sum() + t.sum()) for p, t, weight in zip(predicted, true, sample_weights, strict=True))
    return float(2.0 * n_right / n_labels) if n_labels else 0.0
