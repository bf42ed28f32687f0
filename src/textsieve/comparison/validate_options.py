"""Find invalid options of selectors and classifiers before a long run, by trying them on four documents.

Most options are checked only when they are used. So each variant is used once on documents from which anything can
learn, and errors are reported with the name of the variant. A user's own estimator may need more documents and is not
tried.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from ..categorizer_settings import Settings
from ..errors import InputError, MissingPackage, NothingSelected, UnfitDocuments
from ..settings import is_whole
from ..stats import ClassStats
from ..training import check_settings
from ..training.plan import TrainingPlan
from ..training.ranking import fitted_selector
from ..training.targets import Targets
from .variants import Variant

_ROWS = csr_matrix(np.array([[1, 2, 0], [2, 0, 1], [0, 1, 3], [0, 3, 1]], np.int32))
_LABELS = ("a", "a", "b", "b")
_PREFIXES = ("selector_options: ", "classifier_options: ")
"""Prefixes of messages about an option, which are replaced by the name of the variant."""


def try_selector(variant: Variant, settings: Settings) -> None:
    """Raise `InputError` for a selector that could not be used with any documents."""
    with told_as("selectors", variant.name):
        check_settings(settings)
        training = TrainingPlan.of(settings, 1)
        with _quietly():
            rows = _ROWS.astype(np.float64)
            fitted_selector(training.selector, ClassStats.from_matrix(rows, list(_LABELS)), 2, lambda: [rows])


def try_classifier(variant: Variant, settings: Settings) -> None:
    """Raise `InputError` for a classifier that could not be used with any documents."""
    with told_as("classifiers", variant.name):
        check_settings(settings)
        if isinstance(settings.classifier, str):
            training = replace(TrainingPlan.of(_for_three_terms(settings), 1), projection=None)
            rows, targets = _documents_for(settings.class_weight)
            with _quietly():
                training.fit_counts(rows, targets)


@contextmanager
def told_as(kind: str, name: str) -> Iterator[None]:
    """Prefix errors with the name of the variant; ignore errors that only say that four documents are too few."""
    try:
        yield
    except (NothingSelected, UnfitDocuments):
        return
    except MissingPackage:
        raise
    except (InputError, TypeError, ValueError) as problem:
        raise InputError(f"{kind}: {name}: {without_prefix(str(problem))}") from problem


def without_prefix(message: str) -> str:
    """Return an error message without the name of the setting that holds options in a `Categorizer`."""
    for prefix in _PREFIXES:
        message = message.removeprefix(prefix)
    return message


def _for_three_terms(settings: Settings) -> Settings:
    """Return the settings with the number of terms of ensemble members limited to the terms that there are."""
    options = dict(settings.classifier_options or {})
    if is_whole(options.get("n_terms")) and options["n_terms"] > 0:
        options["n_terms"] = min(options["n_terms"], _ROWS.shape[1])
    return replace(settings, classifier_options=options or None)


def _documents_for(class_weight: Any) -> tuple[csr_matrix, Targets]:
    """Return documents that include all classes with a weight, so that the weights are checked."""
    labels = list(_LABELS)
    if isinstance(class_weight, Mapping) and all(isinstance(label, str) for label in class_weight):
        labels = [*class_weight, *labels]
    return _ROWS[np.arange(len(labels)) % _ROWS.shape[0]], Targets.of(labels, len(labels))


@contextmanager
def _quietly() -> Iterator[None]:
    """Suppress warnings, which would only be about these few documents."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
