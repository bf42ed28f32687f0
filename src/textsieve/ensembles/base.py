"""What the members of an ensemble are: a setting to a classifier."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from ..classifiers.named import CLASSIFIERS, classifier_of
from ..classifiers.rocchio import Rocchio
from ..classifiers.svm import LinearSVM
from ..errors import InputError, shown

ENSEMBLE = "subspace"


def refuse_averages_of_cosines(base: Any, combine: str, several: bool = False) -> None:
    """Refuse to average, or to cut at 0, scores for which each member has another length of a document."""
    if isinstance(base, Rocchio) and (combine == "mean" or several):
        raise InputError(
            "Rocchio compares by the cosine, and each member has another length of a document: its scores can't be "
            "averaged, nor cut at 0 for several labels; use combine='vote' with one label a document, or svm or nb."
        )


def member_classifier(estimator: Any, class_weight: Any = None, C: Any = 100.0) -> Any:
    """A fresh classifier of the kind that members are: None is the paper's, a linear SVM with this C."""
    is_name = isinstance(estimator, str)
    if estimator is None:
        base = LinearSVM(C=C)
    elif (is_name and estimator == ENSEMBLE) or type(estimator) is CLASSIFIERS[ENSEMBLE].make:
        raise InputError("estimator is an ensemble of random subspaces itself; use svm, nb or the like.")
    elif is_name and estimator in CLASSIFIERS:
        base = classifier_of(estimator, None)
    elif hasattr(estimator, "get_params") and not isinstance(estimator, type):
        base = clone(estimator)
    else:
        names = ", ".join(name for name in CLASSIFIERS if name != ENSEMBLE)
        raise InputError(f"estimator={shown(estimator)}; use None, one of {names}, or a classifier.")
    for name in ("fit", "predict"):
        if not hasattr(base, name):
            raise InputError(f"estimator={shown(base)} has no {name}; use a classifier.")
    if class_weight is not None:
        if "class_weight" not in base.get_params():
            raise InputError(f"class_weight={class_weight!r}: {type(base).__name__} has no class weights.")
        base.set_params(class_weight=class_weight)
    return base
