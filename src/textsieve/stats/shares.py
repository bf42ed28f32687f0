"""How much each class counts where classes are averaged: as its documents, or each alike."""

from typing import Any, Literal

import numpy as np

from ..errors import InputError, shown
from .sums import Counts, Floats

ClassWeight = Literal["balanced"] | None


def require_class_weight(class_weight: Any) -> None:
    """Refuse what is neither."""
    if not (class_weight is None or (isinstance(class_weight, str) and class_weight == "balanced")):
        raise InputError(f"class_weight={shown(class_weight)}; use 'balanced', or None.")


def class_shares(class_docs: Counts, class_weight: ClassWeight) -> Floats:
    """The share of each class, given its documents; they add up to 1, and a class without documents has none."""
    require_class_weight(class_weight)
    counts = class_docs if class_weight is None else class_docs > 0
    return np.asarray(counts / (counts.sum() or 1))
