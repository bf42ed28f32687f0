"""Labels, as estimators take them that learn from documents: one a document or several, of at least two classes."""

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from ..errors import InputError
from .labels import LabelPairs, infinite_label, label_pairs, without_missing


def checked_labels(y: Any) -> Any:
    """Return labels as `label_pairs` takes them; raises ValueError for an array of measurements or infinite numbers."""
    if isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] == 1:
        y = column_or_1d(y, warn=True)
    if not (isinstance(y, np.ndarray) and y.ndim == 1):
        return y
    labels = without_missing(y)
    if y.dtype.kind == "f" and len(infinite := np.flatnonzero(np.isinf(y))):
        raise infinite_label(float(y[infinite[0]]), int(infinite[0]))
    known = y if labels is y else np.asarray(y)[[label is not None for label in labels]]
    check_classification_targets(known)
    return labels


def pairs_of(y: Any, n_documents: int, who: str) -> LabelPairs:
    """The pairs of document and class that there are to learn from."""
    if y is None:
        raise InputError(f"{who} requires y to be passed, but the target y is None.")
    pairs = label_pairs(checked_labels(y), n_documents)
    if len(pairs.classes) < 2:
        found = f"Only one class, {pairs.classes[0]!r}" if pairs.classes else "No document has a label"
        raise InputError(f"{found}: there is nothing to tell apart; give documents of at least two classes.")
    return pairs
