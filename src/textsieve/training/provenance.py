"""The record of the training that a model file contains: settings, date, versions, measured quality, as JSON values.

The same training with the same versions gives the same record, except for the date, which the environment variable
SOURCE_DATE_EPOCH can fix. So the record contains neither durations nor the number of threads.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from typing import Any

import numpy as np

from ..categorizer_settings import ObjectDescription
from ..errors import shown
from ..evaluation import Report


def settings_as_json(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as JSON values, with an `ObjectDescription` for each object that JSON can't hold.

    The number of threads is left out: no result depends on it, and the model may be loaded on another machine.
    """
    stored = {name: _as_json(value) for name, value in settings.items() if name != "n_jobs"}
    class_weight, stop_words = settings["class_weight"], settings["stop_words"]
    if isinstance(class_weight, Mapping):  # labels may be numbers, which can't be keys in JSON
        stored["class_weight"] = [[_as_json(label), float(factor)] for label, factor in class_weight.items()]
    if not (stop_words is None or isinstance(stop_words, str)):  # predicting takes the words from `Model.stop_words`
        stored["stop_words"] = ObjectDescription("a list")
    return stored


def measures_as_json(report: Report, n_labelled: float) -> dict[str, Any]:
    """Return a report on held-out documents as JSON values, with their share of all `n_labelled` documents.

    The confusion matrix is left out, because with many classes it would be larger than the model.
    """
    n_untested = sum(report.true[label] == 0 for label in report.classes)  # classes without a held-out document
    return {"share": report.documents / n_labelled, "untested_classes": n_untested} | report.by_class()


def _as_json(value: Any) -> Any:
    """Return a value of a setting as a JSON value, or its description."""
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(name): _as_json(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_as_json(item) for item in value]
    return ObjectDescription(shown(value, 200))


def provenance(normalise: str | None) -> dict[str, Any]:
    """Return the time of training and the versions of the packages that affect the model.

    `normalise` is the setting. Stems and lemmas can differ between versions of the package that computes them, so a
    model with stems or lemmas records the version of that package, too.
    """
    normalisers = {"stem": ("PyStemmer",), "lemma": ("simplemma",)}.get(normalise or "", ())
    packages = ("textsieve", "numpy", "scipy", "scikit-learn", "numba", *normalisers)
    versions = {"python": platform.python_version()} | {name: _version_of(name) for name in packages}
    return {"trained": now(), "versions": versions}


@cache
def _version_of(package: str) -> str:
    """Return the version of an installed package; cached, because reading it from disk takes 4 ms."""
    return version(package)


def now() -> str:
    """Return the current time in UTC, or that of SOURCE_DATE_EPOCH, which is set for reproducible builds."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH")
    moment = datetime.fromtimestamp(int(fixed), UTC) if fixed else datetime.now(UTC)
    return moment.isoformat(timespec="seconds")
