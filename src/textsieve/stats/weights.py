"""Class weights and sample weights.

`class_shares` says how much each class counts where classes are averaged: in proportion to its documents, or all
equally.

**Sample weights** say how many times each document counts: a document of weight 3 counts as three copies, one of weight
0 as if it had been left out. So documents of weight 0 are dropped first, and weights that are all 1 are no weights.

Document counts become sums of weights. Sums of integers are exact, so they are stored as integers and don't depend on
the order. Sums of other weights would depend on it, and a class could seem to have fewer documents than one of its
terms. So these weights are rounded to multiples of a power of two, about 2^-50 of their total; then all their sums are
exact in 64-bit floats.
"""

import math
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
from scipy import sparse

from ..arrays import Counts, Floats, Ints
from ..errors import InputError

ClassWeight = Literal["balanced"] | None


def require_class_weight(class_weight: Any) -> None:
    """Raise `InputError` unless the class weight is "balanced" or None."""
    if not (class_weight is None or (isinstance(class_weight, str) and class_weight == "balanced")):
        raise InputError(setting="class_weight", value=class_weight, hint="use 'balanced', or None")


def class_shares(class_docs: Counts, class_weight: ClassWeight) -> Floats:
    """Return the share of each class, given its number of documents; shares sum to 1, and an empty class has 0."""
    require_class_weight(class_weight)
    counts = class_docs if class_weight is None else class_docs > 0
    return np.asarray(counts / (counts.sum() or 1))


MOST_DOCUMENTS = (1 << 31) - 1
"""Integer counts go up to here, so that the product of two counts fits into 64 bits."""

MOST_WEIGHT = 1e100
"""The largest total weight; weighted sums of squares stay finite for all but absurd values."""

LEAST_WEIGHT = 1e-100
"""The smallest total weight; products of weights and values stay above 0 for all but absurd values."""

_DIGITS = 50


def check_weights(sample_weight: Any, n_documents: int) -> Floats | None:
    """Return sample weights as a new array, or None if every document counts once."""
    if sample_weight is None:
        return None
    try:
        given = np.asarray(sample_weight)
        if given.dtype.kind in "USmM":  # numpy would make numbers of digits and of dates
            raise TypeError(f"{given.dtype} is no type of numbers")
        weights = np.array(given, np.float64)
    except (TypeError, ValueError) as problem:
        raise InputError(
            setting="sample_weight", value=sample_weight, hint="give one number of 0 or more for each document, or None"
        ) from problem
    except OverflowError as problem:
        raise InputError(
            "sample_weight has a number that is too large for a 64-bit float; use weights whose sum is from "
            f"{LEAST_WEIGHT:g} to {MOST_WEIGHT:g}."
        ) from problem
    if weights.shape != (n_documents,):
        raise InputError(
            f"sample_weight has the shape {weights.shape}, but there are {n_documents:,} documents; give one number "
            "for each document."
        )
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0.0)))
    if len(wrong):
        raise InputError(f"sample_weight[{wrong[0]}] is {weights[wrong[0]].item()!r}; use finite numbers of 0 or more.")
    if n_documents and not weights.any():
        raise InputError("sample_weight is zero for every document; give a weight above 0 to those that are to count.")
    total = float(weights.sum())
    if total > MOST_WEIGHT or 0.0 < total < LEAST_WEIGHT:
        raise InputError(
            f"sample_weight has the sum {total:g}; use weights whose sum is from {LEAST_WEIGHT:g} to {MOST_WEIGHT:g}."
        )
    if (weights == 1.0).all():
        return None
    return weights if are_whole(weights) else round_counts(weights, total)


def are_whole(weights: Floats) -> bool:
    """Return whether sums of these weights are stored as integers."""
    return bool((weights == np.floor(weights)).all()) and float(weights.sum()) <= MOST_DOCUMENTS


def round_counts(counts: Floats, total: float) -> Floats:
    """Round counts up to `total` to numbers whose sums are exact; positive counts stay positive."""
    step = math.ldexp(1.0, math.frexp(total)[1] - _DIGITS)
    return np.where(counts > 0.0, np.maximum(np.rint(counts / step), 1.0) * step, 0.0)


def drop_weightless(X: Any, y: Any, weights: Floats | None) -> tuple[Any, Any, Floats | None]:
    """Return documents, labels and weights without the documents of weight 0."""
    if weights is None or weights.all():
        return X, y, weights
    weighted = np.flatnonzero(weights)
    labels = None if y is None else _take_labels(y, weighted, len(weights))
    positive = weights[weighted]
    rows = X[weighted] if hasattr(X, "shape") else [X[document] for document in weighted.tolist()]
    return rows, labels, None if (positive == 1.0).all() else positive


def _take_labels(y: Any, documents: Ints, n_documents: int) -> Any:
    """Return the labels of some documents in their original form; invalid labels are returned unchanged."""
    if hasattr(y, "__array__") and not hasattr(y, "shape"):
        y = np.asarray(y)
    shape = getattr(y, "shape", None)
    if shape == () or isinstance(y, str | bytes) or (shape is None and not isinstance(y, Iterable)):
        return y
    labels = list(y) if shape is None else y
    n_labels = len(labels) if shape is None else shape[0]
    if n_labels != n_documents:
        raise InputError(f"There are {n_documents:,} documents but {n_labels:,} labels.")
    if hasattr(labels, "iloc"):
        return labels.iloc[documents]
    if sparse.issparse(labels):
        matrix: Any = labels
        return matrix.tocsr()[documents]
    return [labels[document] for document in documents.tolist()] if isinstance(labels, list) else labels[documents]
