"""Class weights: how much a document of each class counts when a classifier is trained.

The setting `class_weight` is None, a dictionary with a factor for some classes (the others have the factor 1), or a
*rule*, "balanced" or "sqrt", that computes the factors from the class sizes (`rule_factors`).

The classifiers of scikit-learn know only the rule "balanced", and some of them ignore sample weights when they compute
class sizes. So they get the factors of a rule as a dictionary (`factors_by_class`). With multilabel documents, each
class is trained against the rest, and a rule takes the class and the rest as the two classes.
"""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_class_weight

from ..arrays import Counts, Floats
from ..errors import InputError
from ..registry import CLASS_WEIGHT_RULES


def is_rule(class_weight: Any) -> TypeGuard[str]:
    """Return whether class weights are a rule, which computes the factors from the class sizes."""
    return isinstance(class_weight, str) and class_weight in CLASS_WEIGHT_RULES


def rule_factors(rule: str, sizes: Counts) -> Floats:
    """Return the factor w_j of the documents of each class j, from the sizes n_j of all classes.

    The size of a class is its number of documents, or the sum of their sample weights; n is the sum of all sizes.
    Factors are proportional to 1/n_j for "balanced" and to 1/√n_j for "sqrt". They are scaled so that all documents
    together weigh n:

    - "balanced": w_j = (n / n_j) / c for c classes, so that all classes have the same total weight;
    - "sqrt": w_j = (n / √n_j) / Σ_i √n_i, so that the total weight of a class is proportional to √n_j.
    """
    if rule == "sqrt":
        roots = np.sqrt(sizes)
        return np.asarray(sizes.sum() / (roots * roots.sum()))
    return np.asarray(sizes.sum() / (sizes * len(sizes)))


def class_factors(
    class_weight: Any, classes: NDArray[Any], numbers: NDArray[np.integer], sample_weight: Floats | None = None
) -> Floats:
    """Return the factor of each class for a setting `class_weight`; raise `InputError` if the setting is invalid.

    `numbers` has the class of each document, as a position in `classes`, and `sample_weight` its weight. Every class
    has documents.
    """
    if is_rule(class_weight):
        return rule_factors(class_weight, np.bincount(numbers, sample_weight))
    require_rule_or_factors(class_weight)
    try:
        # scikit-learn needs y only for its own rule "balanced", which does not get here.
        factors: Floats = compute_class_weight(class_weight, classes=classes, y=classes)  # 1 for classes not given
    except ValueError as problem:  # for example, the dictionary has a factor for a class that does not exist
        raise InputError(f"{problem}", setting="class_weight", value=class_weight) from problem
    if not (np.isfinite(factors) & (factors > 0)).all():
        raise InputError(setting="class_weight", value=class_weight, hint="use factors above 0")
    return factors


def factors_by_class(
    rule: str, classes: NDArray[Any], numbers: NDArray[np.integer], sample_weight: Floats | None = None
) -> dict[Any, float]:
    """Return the factors of a rule as a dictionary; the other parameters are those of `class_factors`."""
    factors = class_factors(rule, classes, numbers, sample_weight)
    return dict(zip(classes.tolist(), factors.tolist(), strict=True))


def weight_against_rest(class_weight: Any, number: int) -> Any:
    """Return the class weights for training one class (1) against the rest (0), given those for all classes.

    A dictionary has factors by class number: for class 3, `{3: 5.0}` becomes `{0: 1.0, 1: 5.0}`. A rule and None are
    returned unchanged.
    """
    return {0: 1.0, 1: class_weight.get(number, 1.0)} if isinstance(class_weight, dict) else class_weight


def require_rule_or_factors(class_weight: Any) -> None:
    """Raise `InputError` unless class weights are a rule, a dictionary of factors, or None."""
    if not (class_weight is None or isinstance(class_weight, dict) or is_rule(class_weight)):
        rules = ", ".join(map(repr, CLASS_WEIGHT_RULES))
        hint = f"use {rules}, a factor for each class such as {{'spam': 5.0}}, or None"
        raise InputError(setting="class_weight", value=class_weight, hint=hint)
