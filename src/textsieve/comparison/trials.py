"""Settings that can't be used with any documents, found on four of them: better now than after hours.

Most settings of a selector or a classifier are checked where they are used. So each variant is used once on documents
that anybody can learn from; what goes wrong there is told under the variant's name. An estimator of the user's own may
need more documents than that, and is not tried.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from ..errors import InputError, MissingPackage, NothingChosen, UnfitDocuments
from ..settings import is_whole
from ..stats import ClassStats
from ..training import check_settings
from ..training.ranking import fitted_selector
from ..training.recipe import Recipe
from ..training.targets import Targets
from .variants import Variant

Settings = Mapping[str, Any]

_ROWS = csr_matrix(np.array([[1, 2, 0], [2, 0, 1], [0, 1, 3], [0, 3, 1]], np.int32))
_LABELS = ("a", "a", "b", "b")
_PREFIXES = ("selector_options: ", "classifier_options: ")
"""Of messages about an option; here it is the variant that has it."""


def try_selector(variant: Variant, settings: Settings) -> None:
    """Refuse a selector that could not be used with any documents."""
    with told_as("selectors", variant.name):
        check_settings(settings)
        recipe = Recipe.of(settings, 1)
        with _quietly():
            rows = _ROWS.astype(np.float64)
            fitted_selector(recipe.selector, ClassStats.from_matrix(rows, list(_LABELS)), 2, lambda: [rows])


def try_classifier(variant: Variant, settings: Settings) -> None:
    """Refuse a classifier that could not be used with any documents."""
    with told_as("classifiers", variant.name):
        check_settings(settings)
        if isinstance(settings["classifier"], str):
            recipe = replace(Recipe.of(_for_three_terms(settings), 1), projection=None)
            rows, targets = _documents_for(settings["class_weight"])
            with _quietly():
                recipe.fit_counts(rows, targets)


@contextmanager
def told_as(kind: str, name: str) -> Iterator[None]:
    """Have what is wrong told under the name of a variant; that there is nothing to learn from so few, not at all."""
    try:
        yield
    except (NothingChosen, UnfitDocuments):
        return
    except MissingPackage:
        raise
    except (InputError, TypeError, ValueError) as problem:
        raise InputError(f"{kind}: {name}: {without_prefix(str(problem))}") from problem


def without_prefix(message: str) -> str:
    """What is wrong with an option, without the name of the setting that holds options elsewhere."""
    for prefix in _PREFIXES:
        message = message.removeprefix(prefix)
    return message


def _for_three_terms(settings: Settings) -> dict[str, Any]:
    """The same settings, but for members of an ensemble that want more terms than there are."""
    options = dict(settings["classifier_options"] or {})
    if is_whole(options.get("n_terms")) and options["n_terms"] > 0:
        options["n_terms"] = min(options["n_terms"], _ROWS.shape[1])
    return {**settings, "classifier_options": options or None}


def _documents_for(class_weight: Any) -> tuple[csr_matrix, Targets]:
    """Documents of the classes that have a weight, so that the factors are looked at."""
    labels = list(_LABELS)
    if isinstance(class_weight, Mapping) and all(isinstance(label, str) for label in class_weight):
        labels = [*class_weight, *labels]
    return _ROWS[np.arange(len(labels)) % _ROWS.shape[0]], Targets.of(labels, len(labels))


@contextmanager
def _quietly() -> Iterator[None]:
    """What is odd about these few documents is nobody's concern."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
