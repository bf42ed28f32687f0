"""What a model keeps of its training, as JSON can hold it: the settings, when and with what, and how good it was.

From the same input comes the same: no seconds, no number of threads, and the date can be fixed.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import numpy as np

from ..errors import shown
from ..evaluation import Report


def storable(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as JSON can hold them; an estimator of the user's own is only named.

    The number of threads is left out: no result depends on it, and where the model is loaded may be another machine.
    """
    stored = {name: _plain(value) for name, value in settings.items() if name != "n_jobs"}
    if isinstance(settings["class_weight"], Mapping):
        stored["class_weight"] = [[_plain(label), float(each)] for label, each in settings["class_weight"].items()]
    if not (settings["stop_words"] is None or isinstance(settings["stop_words"], str)):
        stored["stop_words"] = "a list"
    return stored


def measures_of(report: Report, n_labelled: float) -> dict[str, Any]:
    """A report as a model keeps it, and what share of the labelled documents it is on.

    The confusion of many classes would be larger than the model.
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


def when_and_with_what(normalise: str | None) -> dict[str, Any]:
    """When a model was trained, and with which versions; stems and lemmas may differ between those of a package."""
    of_words = {"stem": ("PyStemmer",), "lemma": ("simplemma",)}.get(normalise or "", ())
    packages = ("textsieve", "numpy", "scipy", "scikit-learn", "numba", *of_words)
    versions = {"python": platform.python_version()} | {name: version(name) for name in packages}
    return {"trained": now(), "versions": versions}


def now() -> str:
    """The time, or the one that reproducible builds set."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH")
    moment = datetime.fromtimestamp(int(fixed), UTC) if fixed else datetime.now(UTC)
    return moment.isoformat(timespec="seconds")
