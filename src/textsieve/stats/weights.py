"""Class weights and sample weights.

**Class weights** are the weights in an average over classes: proportional to the number of documents of each class, or
the same for all classes (`class_shares`).

**Sample weights** say how many times each document counts: a document of weight 3 counts as three copies, and one of
weight 0 not at all. So documents of weight 0 are dropped first, and weights that are all 1 are treated as no weights.

With sample weights, a document count is a sum of weights. Sums of integers are exact, so they are stored as integers
and don't depend on the order of adding. Float sums would depend on it, and by rounding a class could get a smaller sum
than one of its terms. So weights that are not integers are rounded to multiples of a power of two, about 2^-50 of their
total. Then all sums of them are exact in 64-bit floats.
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
    """Return the share p_j of each class j, given its number of documents n_j: n_j / n, or 1 / c if "balanced".

    n is the sum of all n_j, and c the number of classes with documents. Shares sum to 1; a class without documents has
    share 0. Without any documents, all shares are 0.
    """
    require_class_weight(class_weight)
    class_weights = class_docs if class_weight is None else class_docs > 0
    return np.asarray(class_weights / (class_weights.sum() or 1))  # 1 avoids a division by 0


LARGEST_COUNT = (1 << 31) - 1
"""The largest integer document count; the product of two counts must fit into 64 bits."""

LARGEST_TOTAL_WEIGHT = 1e100
"""The largest sum of sample weights; weighted sums of squares then stay finite for all but absurd values."""

SMALLEST_TOTAL_WEIGHT = 1e-100
"""The smallest sum of sample weights; products of weights and values then stay above 0 for all but absurd values."""

_ALLOWED_TOTALS = f"use weights whose sum is from {SMALLEST_TOTAL_WEIGHT:g} to {LARGEST_TOTAL_WEIGHT:g}"

_WEIGHT_BITS = 50
"""Binary digits to which weights are rounded, counted from the first digit of the sum of all weights. The other 3 of a
float's 53 bits are a reserve.
"""


def check_weights(sample_weight: Any, n_documents: int) -> Floats | None:
    """Validate sample weights; return them as a new array of floats, or None if every document counts once.

    Weights that are not integers are rounded so that sums of them are exact.
    """
    if sample_weight is None:
        return None
    try:
        as_given = np.asarray(sample_weight)
        if as_given.dtype.kind in "USmM":  # numpy would convert text and dates to numbers
            raise TypeError(f"{as_given.dtype} is no type of numbers")
        weights = np.array(as_given, np.float64)
    except (TypeError, ValueError) as problem:
        raise InputError(
            setting="sample_weight", value=sample_weight, hint="give one number of 0 or more for each document, or None"
        ) from problem
    except OverflowError as problem:
        raise InputError(
            "sample_weight has a number that is too large for a 64-bit float", hint=_ALLOWED_TOTALS
        ) from problem
    if weights.shape != (n_documents,):
        raise InputError(
            f"sample_weight has the shape {weights.shape}, but there are {n_documents:,} documents",
            hint="give one number for each document",
        )
    invalid = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0.0)))
    if len(invalid):
        first = invalid[0]
        raise InputError(f"sample_weight[{first}] is {weights[first].item()!r}", hint="use finite numbers of 0 or more")
    if n_documents and not weights.any():
        raise InputError(
            "sample_weight is zero for every document", hint="give a weight above 0 to those that are to count"
        )
    total = float(weights.sum())
    if total > LARGEST_TOTAL_WEIGHT or 0.0 < total < SMALLEST_TOTAL_WEIGHT:  # 0.0 is the sum for no documents
        raise InputError(f"sample_weight has the sum {total:g}", hint=_ALLOWED_TOTALS)
    if (weights == 1.0).all():
        return None
    return weights if are_integers(weights) else round_counts(weights, total)


def are_integers(weights: Floats) -> bool:
    """Return whether all weights are integers whose sum is small enough to be stored as an integer count."""
    return bool((weights == np.floor(weights)).all()) and float(weights.sum()) <= LARGEST_COUNT


def round_counts(counts: Floats, total: float) -> Floats:
    """Round counts to multiples of a power of two, about 2^-50 of `total`, so that sums up to `total` are exact.

    Positive counts stay positive: they become at least one such step.
    """
    _, exponent = math.frexp(total)  # total < 2^exponent
    step = math.ldexp(1.0, exponent - _WEIGHT_BITS)
    return np.where(counts > 0.0, np.maximum(np.rint(counts / step), 1.0) * step, 0.0)


def drop_weightless(X: Any, y: Any, weights: Floats | None) -> tuple[Any, Any, Floats | None]:
    """Return documents, labels and weights without the documents of weight 0.

    The returned weights are None if some documents were dropped and all others have weight 1. (If all documents have
    weight 1, `check_weights` has returned None already.)
    """
    if weights is None or weights.all():
        return X, y, weights
    documents = np.flatnonzero(weights)
    labels = None if y is None else _take_labels(y, documents, len(weights))
    positive_weights = weights[documents]
    rows = X[documents] if hasattr(X, "shape") else [X[document] for document in documents.tolist()]
    return rows, labels, None if (positive_weights == 1.0).all() else positive_weights


def _take_labels(y: Any, documents: Ints, n_documents: int) -> Any:
    """Return the labels of some documents, in the form in which they were given: list, array, matrix or data frame.

    A value that can't be labels at all is returned unchanged, because `label_pairs` raises a better error for it.
    Raises `InputError` if there are not as many labels as documents.
    """
    if hasattr(y, "__array__") and not hasattr(y, "shape"):  # such as a pyarrow array
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
