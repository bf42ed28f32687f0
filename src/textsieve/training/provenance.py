"""What a model file records about its training: settings, date, versions and measured quality, as JSON values.

The same input gives the same record: it contains neither durations nor the number of threads, and the date can be
fixed.
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

from ..errors import shown
from ..evaluation import Report


def storable(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as JSON values; a user's own estimator is only named.

    The number of threads is left out: no result depends on it, and the model may be loaded on another machine.
    """
    stored = {name: _plain(value) for name, value in settings.items() if name != "n_jobs"}
    if isinstance(settings["class_weight"], Mapping):
        stored["class_weight"] = [[_plain(label), float(each)] for label, each in settings["class_weight"].items()]
    if not (settings["stop_words"] is None or isinstance(settings["stop_words"], str)):
        stored["stop_words"] = "a list"
    return stored


def measures_of(report: Report, n_labelled: float) -> dict[str, Any]:
    """Return a report as a model stores it, and the share of the labelled documents that it covers.

    The confusion matrix is left out, because with many classes it would be larger than the model.
    """
    untested = sum(not report.true[label] for label in report.classes)
    return {"share": report.documents / n_labelled, "untested_classes": untested} | report.by_class()


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return shown(value, 200)


def provenance(normalise: str | None) -> dict[str, Any]:
    """Return when a model was trained and with which versions; stems and lemmas can differ between versions of a
    package.
    """
    of_words = {"stem": ("PyStemmer",), "lemma": ("simplemma",)}.get(normalise or "", ())
    packages = ("textsieve", "numpy", "scipy", "scikit-learn", "numba", *of_words)
    versions = {"python": platform.python_version()} | {name: _version_of(name) for name in packages}
    return {"trained": now(), "versions": versions}


@cache
def _version_of(package: str) -> str:
    """Return the version of an installed package; reading it from disk took 4 ms of each training."""
    return version(package)


def now() -> str:
    """Return the time, or the one set for reproducible builds."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH")
    moment = datetime.fromtimestamp(int(fixed), UTC) if fixed else datetime.now(UTC)
    return moment.isoformat(timespec="seconds")
