"""Class weights: how much a mistake in each class counts, given by label, and wanted by the number of the class.

`None` has every document count alike, "balanced" every class, and a mapping has a factor for some classes; the others
have 1. "balanced" is left to the classifier, which knows how many documents each class has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..classifiers.from_stats import NAIVE_BAYES
from ..errors import InputError, shown
from .targets import Sizes


def weight_by_number(class_weight: Any, classifier: Any, sizes: Sizes) -> Any:
    """Class weights by the number of the class instead of its label."""
    if not isinstance(class_weight, Mapping):
        if class_weight not in (None, "balanced"):
            raise InputError(
                f"class_weight={shown(class_weight)}; use 'balanced', a factor for each class such as "
                "{'spam': 5.0}, or None."
            )
        return class_weight
    _require_factors(class_weight, sizes.classes)
    if not (isinstance(classifier, NAIVE_BAYES) or "class_weight" in classifier.get_params()):
        raise InputError(
            f"class_weight={shown(dict(class_weight))}: {type(classifier).__name__} has no class weights; use svm, "
            "logistic, nb or cnb."
        )
    numbers = range(len(sizes.classes)) if sizes.several else np.flatnonzero(sizes.class_docs).tolist()
    return {number: float(class_weight.get(sizes.classes[number], 1.0)) for number in numbers}


def _require_factors(class_weight: Mapping[Any, Any], classes: tuple[Any, ...]) -> None:
    """Refuse labels that are no class, and what is no factor."""
    unknown = [label for label in class_weight if label not in classes]
    if unknown:
        raise InputError(
            f"class_weight: there is no class {shown(unknown[0])}; classes are {shown(list(classes), 200)}."
        )
    for label, factor in class_weight.items():
        if isinstance(factor, bool) or not (isinstance(factor, float | int | np.number) and 0 < factor < np.inf):
            raise InputError(f"class_weight: the factor of {shown(label)} is {shown(factor)}; use a number above 0.")
