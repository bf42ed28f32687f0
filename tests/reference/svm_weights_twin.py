"""The slow twin of `WeightSelection`: scikit-learn's LinearSVC for each class, on dense rows of length 1."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import LinearSVC

Floats = NDArray[np.float64]


def class_weights(
    rows: Any, label_sets: Sequence[Sequence[Any]], C: float = 0.2, sample_weight: Any = None
) -> dict[Any, Floats]:
    """Return the weight of each term for each class, that is, against all other labelled documents."""
    labelled = [position for position, labels in enumerate(label_sets) if labels]
    table = np.asarray(rows, np.float64)[labelled]
    lengths = np.sqrt((table**2).sum(axis=1))
    table = table / np.where(lengths > 0, lengths, 1.0)[:, None]
    sizes = np.ones(len(labelled)) if sample_weight is None else np.asarray(sample_weight, np.float64)[labelled]
    weights = {}
    for label in sorted({label for labels in label_sets for label in labels}):
        is_member = [label in label_sets[position] for position in labelled]
        weights[label] = np.zeros(table.shape[1])
        if not all(is_member):
            svm: Any = LinearSVC(C=C, tol=1e-9, max_iter=1_000_000, random_state=0)
            weights[label] = svm.fit(table, is_member, sample_weight=sizes).coef_[0]
    return weights


def scores(rows: Any, label_sets: Sequence[Sequence[Any]], C: float = 0.2, sample_weight: Any = None) -> Floats:
    """Return the sum over the classes of each term's squared weights."""
    weights = class_weights(rows, label_sets, C, sample_weight)
    return np.asarray(sum(np.square(of_class) for of_class in weights.values()))
