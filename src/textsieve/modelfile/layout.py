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
from contextlib import contextmanager
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..archive import Head, Kind, Specs, are_classes
from ..classifiers.scorer import Scorer, scorer_type
from ..errors import InputError, shown
from ..evaluation.calibration import Calibration
from ..prediction import Model
from ..settings import is_whole
from ..text.preparation import AS_IT_IS, SETTINGS, Preparation
from ..text.weights import MOST_IDF, NORMS, TERM_FREQUENCIES
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

_WRONG_CUT = "thresholds or ranks are there for one label a document, or are missing for several"


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
    """Raise `InputError` for a model whose parts don't fit together; allocates nothing larger than the model."""
    rules = _setting_rules(vars(model)), _class_rules(model), _term_rules(model), _number_rules(model)
    check(chain(*rules), name)


def check_head(head: Head, name: str) -> None:
    """Raise `InputError` for a header, or names, types or shapes of arrays, that are not a model's.

    A file is checked this way before its arrays are read.
    """
    header, specs = head.header, head.specs
    check(chain(_header_rules(header), _array_rules(header, specs)), name)
    check(_setting_rules(fields_of(header)), name)
    n_terms = _declared_terms(header, specs, name)
    check(_size_rules(specs, n_terms), name)


def fields_of(header: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a `Model` that its header has, by name."""
    reading, weighting = header["reading"], header["weighting"]
    lengths = reading["ngram_range"]
    return {
        "classes": tuple(header["classes"]),
        "labels": header["labels"],
        "lowercase": reading["lowercase"],
        "strip_accents": reading["strip_accents"],
        "ngram_range": tuple(lengths) if isinstance(lengths, list) else lengths,
        "stop_words": frozenset(reading["stop_words"] or ()),
        "tf": weighting["tf"],
        "norm": weighting["norm"],
        "ranks": header["ranks"],
        "settings": header["settings"],
        "about": header["about"],
        "preparation": Preparation(**reading["preparation"]) if "preparation" in reading else AS_IT_IS,
        "fallback": header.get("fallback"),
    }


def restored_calibration(
    header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], name: str
) -> Calibration | None:
    """Return the calibration of a file, or None if it has none."""
    own = _own_calibration(arrays)
    if header["calibration"] is None and not own:
        return None
    with _unsound(name):
        return Calibration.restore(header["calibration"], own, len(header["classes"]))


def restored(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], n_terms: int, name: str) -> Scorer:
    """Return the scorer of a file."""
    with _unsound(name):
        kind, settings, own = _scorer_parts(header, arrays)
        return kind.restore(settings, own, n_terms, len(header["classes"]))


def _declared_terms(header: Mapping[str, Any], specs: Specs, name: str) -> int:
    """Return how many terms the scorer of a file has, after checking what its header says of scorer and calibration."""
    n_classes = len(header["classes"])
    with _unsound(name):
        kind, settings, own = _scorer_parts(header, specs)
        n_terms = kind.declared_terms(settings, own, n_classes)
        curves = _own_calibration(specs)
        if header["calibration"] is not None or curves:
            Calibration.check_declared(header["calibration"], curves, n_classes)
    return n_terms


def _own_calibration(arrays: Mapping[str, Any]) -> dict[str, Any]:
    return {each: array for each, array in arrays.items() if each.startswith("calibration_")}


def _scorer_parts(
    header: Mapping[str, Any], arrays: Mapping[str, Any]
) -> tuple[type[Scorer], dict[str, Any], dict[str, Any]]:
    """Return the class of a file's scorer, its settings, and its arrays: all that are not common to all models."""
    settings = {each: value for each, value in header["scorer"].items() if each != "kind"}
    own = {each: array for each, array in arrays.items() if each not in ARRAYS}
    return scorer_type(header["scorer"].get("kind")), settings, own


@contextmanager
def _unsound(name: str) -> Iterator[None]:
    """Name the file in an error of its scorer or its calibration."""
    try:
        yield
    except InputError as problem:
        raise InputError(f"{name} is not a sound model: {problem}.") from problem


def _header_rules(header: Mapping[str, Any]) -> Iterator[Rule]:
    """A header has the parts of a model's, and no others."""
    version = header["version"]
    names = HEADER if version <= PREPARED else FALLBACK_HEADER
    yield Rule(set(header) == names, f"its header has {_listed(header)}, not {_listed(names)}")
    yield Rule("fallback" not in header or header["fallback"] is not None, "its fallback is no class")
    readings = {UNPREPARED: [READING], PREPARED: [PREPARED_READING]}.get(version, [READING, PREPARED_READING])
    for part, allowed in (("reading", readings), ("weighting", [WEIGHTING])):
        found = header[part]
        yield Rule(isinstance(found, dict) and set(found) in allowed, f"{part} is {shown(found)}")
    if "preparation" in header["reading"]:
        yield from _preparation_rules(header["reading"])
    words = header["reading"]["stop_words"]
    are_words = words is None or (isinstance(words, list) and all(isinstance(word, str) for word in words))
    yield Rule(are_words, f"stop_words is {shown(words)}")
    yield Rule(isinstance(header["scorer"], dict), f"its scorer is {shown(header['scorer'])}")
    yield Rule(isinstance(header["classes"], list) and len(header["classes"]) > 0, "it has no classes")


def _preparation_rules(reading: Mapping[str, Any]) -> Iterator[Rule]:
    """A preparation names only what is done; models with normal forms always store a list of stop words."""
    found = reading["preparation"]
    fits = isinstance(found, dict) and len(found) > 0 and set(found) <= PREPARATION
    yield Rule(fits and Preparation(**found).to_dict() == found, f"its preparation is {shown(found)}")
    fits = "normalise" not in found or reading["stop_words"] is not None
    yield Rule(fits, "it normalises words, and has no list of stop words")


def _array_rules(header: Mapping[str, Any], specs: Specs) -> Iterator[Rule]:
    """A file has the arrays that all models have; which others there are, its scorer knows."""
    n_classes = len(header["classes"])
    yield Rule(set(ARRAYS) - OPTIONAL <= set(specs), f"its arrays are {_listed(specs)}, not {_listed(ARRAYS)}")
    for name, dtype in ARRAYS.items():
        if name in specs:
            found, n_dimensions = specs[name].dtype, len(specs[name].shape)
            yield Rule(n_dimensions == 1 and found == dtype, f"{name} is {found} with {n_dimensions} dimensions")
    yield Rule(specs["class_docs"].size == n_classes, "class_docs is not a number for each class")
    fits = "thresholds" not in specs or specs["thresholds"].size == n_classes
    yield Rule(fits, "thresholds is not a number for each class")
    n_cuts = ("thresholds" in specs) + (header["ranks"] is not None)
    yield Rule(n_cuts == (header["labels"] != "one"), _WRONG_CUT)


def _size_rules(specs: Specs, n_terms: int) -> Iterator[Rule]:
    """Arrays have a size that suits the number of terms; a term has a byte or more, and a line feed before the next."""
    n_bytes = specs["terms"].size
    fits = n_bytes >= 2 * n_terms - 1 if n_terms else n_bytes == 0
    yield Rule(fits, f"its scorer is for {n_terms:,} terms, and terms has {n_bytes:,} bytes")
    fits = "idf" not in specs or specs["idf"].size == n_terms
    yield Rule(fits, f"idf is not a number for each of {n_terms:,} terms")


def _listed(names: Any) -> str:
    return shown(sorted(names)[:20], 200)


def _setting_rules(fields: Mapping[str, Any]) -> Iterator[Rule]:
    """Rules for the fields of a model that are no arrays, by name."""
    for name, allowed in (
        ("labels", LABELS),
        ("tf", tuple(TERM_FREQUENCIES)),
        ("norm", tuple(NORMS)),
        ("strip_accents", (*ACCENTS, None)),
    ):
        value = fields[name]
        yield Rule(value in allowed, f"{name} is {shown(value)}, none of {', '.join(map(str, allowed))}")
    yield Rule(isinstance(fields["lowercase"], bool), f"lowercase is {shown(fields['lowercase'])}, not true or false")
    for fault in fields["preparation"].faults():
        yield Rule(False, f"its preparation has {fault}")
    lengths = fields["ngram_range"]
    yield Rule(_is_range(lengths), f"ngram_range is {shown(lengths)}, not two numbers from 1 up to {MOST_WORDS:,}")
    alone = not fields["preparation"].names or lengths == (1, 1)
    yield Rule(alone, f"it joins names, and its ngram_range is {shown(lengths)}")
    yield Rule(isinstance(fields["settings"], dict), "its settings are no JSON object")
    yield Rule(isinstance(fields["about"], dict), "what it says about itself is no JSON object")
    for fault in faults(fields["about"]):
        yield Rule(False, f"what it says about itself is not what textsieve writes: {fault}")
    classes, fallback, ranks = fields["classes"], fields["fallback"], fields["ranks"]
    yield Rule(len(classes) > 0, "it has no classes")
    yield Rule(are_classes(classes), "its classes are not all text or all numbers, sorted, each once")
    for label in classes:
        if isinstance(label, str) and not is_text(label):
            yield Rule(False, f"its class {shown(label)} has half of a UTF-16 pair, which can't be written")
    known = fallback is None or (is_whole(fallback) and 0 <= fallback < len(classes))
    yield Rule(known, f"fallback is {shown(fallback)}, not the number of one of {len(classes):,} classes")
    fits = ranks is None or (is_whole(ranks) and 1 <= ranks < 1 << 31)
    yield Rule(fits, f"ranks is {shown(ranks)}, not a number of classes")


def _class_rules(model: Model) -> Iterator[Rule]:
    yield Rule(len(model.class_docs) == len(model.classes), "class_docs is not a number for each class")
    sound = all(is_whole(n) and 0 <= n < 1 << 63 for n in model.class_docs)
    yield Rule(sound, "class_docs has what is no number of documents")


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
        fits = bool(((model.idf >= 0.0) & (model.idf <= MOST_IDF)).all())  # NaN is neither
        yield Rule(fits, f"an idf is not finite, or not from 0 to {MOST_IDF:g}")
    n_cuts = (model.thresholds is not None) + (model.ranks is not None)
    yield Rule(n_cuts == (model.labels != "one"), _WRONG_CUT)
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
