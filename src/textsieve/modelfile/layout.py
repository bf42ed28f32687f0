"""What is where in a model file, and what must hold of a model so that it can be written and read.

The header says how a text is read (`reading`), weighed (`weighting`) and scored (`scorer`), which classes there are and
what is predicted (`labels`), with which settings the model was trained (`settings`), and when, with what and how well
(`about`). The arrays are listed below; a scorer adds its own. Of the training documents there is nothing in it but the
selected terms.

Version 2 is written for a model that prepares texts in a way that version 1 does not know, and has one more key,
`preparation`, in `reading`: see `text.preparation`. Version 3 is written for a model that gives a document without a
selected term another class than the most frequent one; it has one more key in the header, `fallback`, the number of
that class, and `preparation` if texts are prepared. Every other model is written as version 1. So an older release
reads all files that it predicts the same with, and refuses the others.

Stop words only matter where runs of words or forms of words are terms, and are written only then, as words: a list
that is known by name may change with the library that has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..archive import Kind, are_classes
from ..classifiers.scorer import Scorer, scorer_type
from ..errors import InputError, shown
from ..evaluation.calibration import Calibration
from ..prediction import Model
from ..settings import is_whole
from ..text.preparation import SETTINGS
from ..text.weights import NORMS, TERM_FREQUENCIES
from ..text.words import ACCENTS
from .about import faults, is_text

KIND = Kind("textsieve.Model", 3, "a textsieve model")
UNPREPARED, PREPARED = 1, 2
"""Older versions, of models that have nothing newer."""

LABELS = ("one", "several", "matrix")

ARRAYS: dict[str, type[np.generic]] = {
    "terms": np.uint8,  # UTF-8, a line feed between two terms
    "idf": np.float64,  # absent if terms are weighed without
    "thresholds": np.float64,  # absent if labels are not cut by them
    "class_docs": np.int64,
    "calibration_starts": np.int64,  # absent without probabilities, as the next two
    "calibration_knots": np.float64,
    "calibration_values": np.float64,
}
OPTIONAL = {"idf", "thresholds", "calibration_starts", "calibration_knots", "calibration_values"}

HEADER = {
    *("format", "version", "checksum"),
    *("labels", "classes", "reading", "weighting", "scorer", "ranks", "calibration", "settings", "about"),
}
FALLBACK_HEADER = HEADER | {"fallback"}
READING = {"lowercase", "strip_accents", "ngram_range", "stop_words"}
PREPARED_READING = READING | {"preparation"}
PREPARATION = set(SETTINGS)
WEIGHTING = {"tf", "norm"}

MOST_WORDS = 1000
"""Of a term."""


class Rule(NamedTuple):
    """What must hold, and what is said if it does not."""

    holds: bool
    otherwise: str


def check(rules: Iterable[Rule], name: str) -> None:
    """Refuse what breaks a rule, by the name that it is known by. Rules may rely on those before them."""
    for rule in rules:
        if not rule.holds:
            raise InputError(f"{name} is not a sound model: {rule.otherwise}.")


def check_model(model: Model, name: str) -> None:
    """Refuse a model whose parts do not fit together; nothing larger than the model is made on the way."""
    check(chain(_setting_rules(model), _class_rules(model), _term_rules(model), _number_rules(model)), name)


def restored_calibration(
    header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], name: str
) -> Calibration | None:
    """How the scores of a file become probabilities, if they do."""
    own = {each: array for each, array in arrays.items() if each.startswith("calibration_")}
    if header["calibration"] is None and not own:
        return None
    try:
        return Calibration.restore(header["calibration"], own, len(header["classes"]))
    except InputError as problem:
        raise InputError(f"{name} is not a sound model: {problem}.") from problem


def restored(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], n_terms: int, name: str) -> Scorer:
    """The scorer of a file, from the part of its header and its arrays."""
    try:
        own = {each: array for each, array in arrays.items() if each not in ARRAYS}
        settings = {each: value for each, value in header["scorer"].items() if each != "kind"}
        kind = scorer_type(header["scorer"].get("kind"))
        return kind.restore(settings, own, n_terms, len(header["classes"]))
    except InputError as problem:
        raise InputError(f"{name} is not a sound model: {problem}.") from problem


def _setting_rules(model: Model) -> Iterator[Rule]:
    for name, value, allowed in (
        ("labels", model.labels, LABELS),
        ("tf", model.tf, tuple(TERM_FREQUENCIES)),
        ("norm", model.norm, tuple(NORMS)),
        ("strip_accents", model.strip_accents, (*ACCENTS, None)),
    ):
        yield Rule(value in allowed, f"{name} is {shown(value)}, none of {', '.join(map(str, allowed))}")
    yield Rule(isinstance(model.lowercase, bool), f"lowercase is {shown(model.lowercase)}, not true or false")
    for fault in model.preparation.faults():
        yield Rule(False, f"its preparation has {fault}")
    lengths = f"ngram_range is {shown(model.ngram_range)}, not two numbers from 1 up to {MOST_WORDS:,}"
    yield Rule(_is_range(model.ngram_range), lengths)
    alone = not model.preparation.names or model.ngram_range == (1, 1)
    yield Rule(alone, f"it joins names, and its ngram_range is {shown(model.ngram_range)}")
    yield Rule(isinstance(model.settings, dict), "its settings are no JSON object")
    yield Rule(isinstance(model.about, dict), "what it says about itself is no JSON object")
    for fault in faults(model.about):
        yield Rule(False, f"what it says about itself is not what textsieve writes: {fault}")


def _class_rules(model: Model) -> Iterator[Rule]:
    n_classes = len(model.classes)
    yield Rule(n_classes > 0, "it has no classes")
    yield Rule(are_classes(model.classes), "its classes are not all text or all numbers, sorted, each once")
    for label in model.classes:
        if isinstance(label, str) and not is_text(label):
            yield Rule(False, f"its class {shown(label)} has half of a UTF-16 pair, which can't be written")
    yield Rule(len(model.class_docs) == n_classes, "class_docs is not a number for each class")
    sound = all(is_whole(n) and 0 <= n < 1 << 63 for n in model.class_docs)
    yield Rule(sound, "class_docs has what is no number of documents")
    known = model.fallback is None or (is_whole(model.fallback) and 0 <= model.fallback < n_classes)
    yield Rule(known, f"fallback is {shown(model.fallback)}, not the number of one of {n_classes:,} classes")


def _term_rules(model: Model) -> Iterator[Rule]:
    yield Rule(all(model.terms), "it has a term that is empty")
    yield Rule(len(set(model.terms)) == len(model.terms), "it has a term twice")


def _number_rules(model: Model) -> Iterator[Rule]:
    n_terms, n_classes = len(model.terms), len(model.classes)
    outputs = (1, 2) if model.labels == "one" and n_classes == 2 else (n_classes,)
    n_outputs = model.scorer.n_outputs
    yield Rule(n_outputs in outputs, f"its scorer has {n_outputs} outputs (intercepts) for {n_classes} classes")
    if model.idf is not None:
        yield _shape_rule("idf", model.idf, np.float64, (n_terms,))
        yield Rule(bool(np.isfinite(model.idf).all()), "an idf is not finite")
    n_cuts = (model.thresholds is not None) + (model.ranks is not None)
    fits = n_cuts == (model.labels != "one")
    yield Rule(fits, "thresholds or ranks are there for one label a document, or are missing for several")
    ranks = model.ranks is None or (is_whole(model.ranks) and 1 <= model.ranks < 1 << 31)
    yield Rule(ranks, f"ranks is {shown(model.ranks)}, not a number of classes")
    if model.thresholds is not None:
        yield _shape_rule("thresholds", model.thresholds, np.float64, (n_classes,))
        yield Rule(not np.isnan(model.thresholds).any(), "a threshold is NaN")


def _shape_rule(name: str, array: NDArray[Any], dtype: type[np.generic], *shapes: tuple[int, ...]) -> Rule:
    allowed = " or ".join(map(str, shapes))
    fits = array.shape in shapes and array.dtype == dtype
    return Rule(fits, f"{name} is {array.dtype} of shape {array.shape}, not {np.dtype(dtype)} of {allowed}")


def _is_range(value: object) -> bool:
    if not (isinstance(value, tuple) and len(value) == 2 and all(map(is_whole, value))):
        return False
    return bool(1 <= value[0] <= value[1] <= MOST_WORDS)
