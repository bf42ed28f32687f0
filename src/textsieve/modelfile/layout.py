"""The layout of a model file, and the rules that a model must satisfy to be written and read.

The header says how a text is read (`reading`), weighted (`weighting`) and scored (`scorer`), which classes there are
and what is predicted (`labels`), with which settings the model was trained (`settings`), and when, with what and how
well (`about`). The arrays are listed below; a scorer adds its own. The file contains nothing of the training documents
but the selected terms.

Version 2 is written for a model that prepares texts in a way that version 1 does not know. It has one more key in
`reading`, `preparation`: see `text.preparation`. Version 3 is written for a model whose fallback class, for documents
without a selected term, is not the most frequent one. It has one more key in the header, `fallback`, the number of
that class, and `preparation` if texts are prepared. Every other model is written as version 1. So an older release
reads all files for which it gives the same predictions, and rejects the others.

Stop words only matter if n-grams or normalised words are terms. They are written only then, as words, because a named
list may change with the library that provides it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..archive import ArchiveHeader, Kind, Specs, are_classes
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
"""Older versions, written for models that don't need a newer one."""

LABELS = ("one", "several", "matrix")

ARRAYS: dict[str, type[np.generic]] = {
    "terms": np.uint8,  # UTF-8, separated by line feeds
    "idf": np.float64,  # absent if the weighting has no idf
    "thresholds": np.float64,  # absent unless a multilabel model uses thresholds
    "class_docs": np.int64,
    "calibration_starts": np.int64,  # absent without probabilities, like the next two
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
"""The largest number of words in a term."""

_WRONG_CUT = "thresholds or ranks are there for one label a document, or are missing for several"


class HeaderRule(NamedTuple):
    """A condition, and the message if it does not hold."""

    holds: bool
    otherwise: str


def check(rules: Iterable[HeaderRule], name: str) -> None:
    """Raise `InputError` for the first broken rule; `name` is the name of the model in the message.

    Rules may rely on those before them.
    """
    for rule in rules:
        if not rule.holds:
            raise InputError(f"{name} is not a sound model: {rule.otherwise}.")


def check_model(model: Model, name: str) -> None:
    """Raise `InputError` for a model whose parts don't fit together; allocates nothing larger than the model."""
    rules = _setting_rules(vars(model)), _class_rules(model), _term_rules(model), _number_rules(model)
    check(chain(*rules), name)


def check_head(head: ArchiveHeader, name: str) -> None:
    """Raise `InputError` if the header, or the names, types or shapes of arrays, are not those of a model.

    A file is checked this way before its arrays are read.
    """
    header, specs = head.header, head.specs
    check(chain(_header_rules(header), _array_rules(header, specs)), name)
    check(_setting_rules(fields_of(header)), name)
    n_terms = _declared_terms(header, specs, name)
    check(_size_rules(specs, n_terms), name)


def fields_of(header: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a `Model` that are stored in its header, by name."""
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
    """Return the number of terms of a file's scorer, after checking the headers of scorer and calibration."""
    n_classes = len(header["classes"])
    with _unsound(name):
        kind, settings, own = _scorer_parts(header, specs)
        n_terms = kind.declared_terms(settings, own, n_classes)
        curves = _own_calibration(specs)
        if header["calibration"] is not None or curves:
            Calibration.check_declared(header["calibration"], curves, n_classes)
    return n_terms


def _own_calibration(arrays: Mapping[str, Any]) -> dict[str, Any]:
    return {array_name: array for array_name, array in arrays.items() if array_name.startswith("calibration_")}


def _scorer_parts(
    header: Mapping[str, Any], arrays: Mapping[str, Any]
) -> tuple[type[Scorer], dict[str, Any], dict[str, Any]]:
    """Return the class of a file's scorer, its settings, and its arrays: those not common to all models."""
    settings = {key: value for key, value in header["scorer"].items() if key != "kind"}
    scorer_arrays = {key: array for key, array in arrays.items() if key not in ARRAYS}
    return scorer_type(header["scorer"].get("kind")), settings, scorer_arrays


@contextmanager
def _unsound(name: str) -> Iterator[None]:
    """Add the name of the file to an `InputError` of its scorer or its calibration."""
    try:
        yield
    except InputError as problem:
        raise InputError(f"{name} is not a sound model: {problem}.") from problem


def _header_rules(header: Mapping[str, Any]) -> Iterator[HeaderRule]:
    """Yield the rules for the header: it has exactly the parts of a model's header."""
    version = header["version"]
    names = HEADER if version <= PREPARED else FALLBACK_HEADER
    yield HeaderRule(set(header) == names, f"its header has {_listed(header)}, not {_listed(names)}")
    yield HeaderRule("fallback" not in header or header["fallback"] is not None, "its fallback is no class")
    readings = {UNPREPARED: [READING], PREPARED: [PREPARED_READING]}.get(version, [READING, PREPARED_READING])
    for part, allowed in (("reading", readings), ("weighting", [WEIGHTING])):
        section = header[part]
        yield HeaderRule(isinstance(section, dict) and set(section) in allowed, f"{part} is {shown(section)}")
    if "preparation" in header["reading"]:
        yield from _preparation_rules(header["reading"])
    words = header["reading"]["stop_words"]
    are_words = words is None or (isinstance(words, list) and all(isinstance(word, str) for word in words))
    yield HeaderRule(are_words, f"stop_words is {shown(words)}")
    yield HeaderRule(isinstance(header["scorer"], dict), f"its scorer is {shown(header['scorer'])}")
    yield HeaderRule(isinstance(header["classes"], list) and len(header["classes"]) > 0, "it has no classes")


def _preparation_rules(reading: Mapping[str, Any]) -> Iterator[HeaderRule]:
    """Yield the rules for `preparation`, which has only active settings.

    Models with normal forms always store a stop-word list, possibly empty.
    """
    preparation = reading["preparation"]
    fits = isinstance(preparation, dict) and len(preparation) > 0 and set(preparation) <= PREPARATION
    yield HeaderRule(
        fits and Preparation(**preparation).to_dict() == preparation, f"its preparation is {shown(preparation)}"
    )
    fits = "normalise" not in preparation or reading["stop_words"] is not None
    yield HeaderRule(fits, "it normalises words, and has no list of stop words")


def _array_rules(header: Mapping[str, Any], specs: Specs) -> Iterator[HeaderRule]:
    """Yield the rules for the arrays common to all models; the scorer checks its own."""
    n_classes = len(header["classes"])
    yield HeaderRule(set(ARRAYS) - OPTIONAL <= set(specs), f"its arrays are {_listed(specs)}, not {_listed(ARRAYS)}")
    for name, dtype in ARRAYS.items():
        if name in specs:
            actual_dtype, n_dimensions = specs[name].dtype, len(specs[name].shape)
            yield HeaderRule(
                n_dimensions == 1 and actual_dtype == dtype, f"{name} is {actual_dtype} with {n_dimensions} dimensions"
            )
    yield HeaderRule(specs["class_docs"].size == n_classes, "class_docs is not a number for each class")
    fits = "thresholds" not in specs or specs["thresholds"].size == n_classes
    yield HeaderRule(fits, "thresholds is not a number for each class")
    n_cuts = ("thresholds" in specs) + (header["ranks"] is not None)
    yield HeaderRule(n_cuts == (header["labels"] != "one"), _WRONG_CUT)


def _size_rules(specs: Specs, n_terms: int) -> Iterator[HeaderRule]:
    """Yield the rules for sizes that depend on the number of terms.

    A term has at least one byte, and terms are separated by line feeds.
    """
    n_bytes = specs["terms"].size
    fits = n_bytes >= 2 * n_terms - 1 if n_terms else n_bytes == 0
    yield HeaderRule(fits, f"its scorer is for {n_terms:,} terms, and terms has {n_bytes:,} bytes")
    fits = "idf" not in specs or specs["idf"].size == n_terms
    yield HeaderRule(fits, f"idf is not a number for each of {n_terms:,} terms")


def _listed(names: Any) -> str:
    return shown(sorted(names)[:20], 200)


def _setting_rules(fields: Mapping[str, Any]) -> Iterator[HeaderRule]:
    """Yield the rules for the fields of a model that are not arrays."""
    for name, allowed in (
        ("labels", LABELS),
        ("tf", tuple(TERM_FREQUENCIES)),
        ("norm", tuple(NORMS)),
        ("strip_accents", (*ACCENTS, None)),
    ):
        value = fields[name]
        yield HeaderRule(value in allowed, f"{name} is {shown(value)}, none of {', '.join(map(str, allowed))}")
    yield HeaderRule(
        isinstance(fields["lowercase"], bool), f"lowercase is {shown(fields['lowercase'])}, not true or false"
    )
    for fault in fields["preparation"].faults():
        yield HeaderRule(False, f"its preparation has {fault}")
    lengths = fields["ngram_range"]
    yield HeaderRule(
        _is_range(lengths), f"ngram_range is {shown(lengths)}, not two numbers from 1 up to {MOST_WORDS:,}"
    )
    has_unigrams_only = not fields["preparation"].names or lengths == (1, 1)
    yield HeaderRule(has_unigrams_only, f"it joins names, and its ngram_range is {shown(lengths)}")
    yield HeaderRule(isinstance(fields["settings"], dict), "its settings are no JSON object")
    yield HeaderRule(isinstance(fields["about"], dict), "what it says about itself is no JSON object")
    for fault in faults(fields["about"]):
        yield HeaderRule(False, f"what it says about itself is not what textsieve writes: {fault}")
    classes, fallback, ranks = fields["classes"], fields["fallback"], fields["ranks"]
    yield HeaderRule(len(classes) > 0, "it has no classes")
    yield HeaderRule(are_classes(classes), "its classes are not all text or all numbers, sorted, each once")
    for label in classes:
        if isinstance(label, str) and not is_text(label):
            yield HeaderRule(False, f"its class {shown(label)} has half of a UTF-16 pair, which can't be written")
    known = fallback is None or (is_whole(fallback) and 0 <= fallback < len(classes))
    yield HeaderRule(known, f"fallback is {shown(fallback)}, not the number of one of {len(classes):,} classes")
    fits = ranks is None or (is_whole(ranks) and 1 <= ranks < 1 << 31)
    yield HeaderRule(fits, f"ranks is {shown(ranks)}, not a number of classes")


def _class_rules(model: Model) -> Iterator[HeaderRule]:
    yield HeaderRule(len(model.class_docs) == len(model.classes), "class_docs is not a number for each class")
    sound = all(is_whole(n) and 0 <= n < 1 << 63 for n in model.class_docs)
    yield HeaderRule(sound, "class_docs has what is no number of documents")


def _term_rules(model: Model) -> Iterator[HeaderRule]:
    yield HeaderRule(all(model.terms), "it has a term that is empty")
    yield HeaderRule(len(set(model.terms)) == len(model.terms), "it has a term twice")


def _number_rules(model: Model) -> Iterator[HeaderRule]:
    n_terms, n_classes = len(model.terms), len(model.classes)
    outputs = (1, 2) if model.labels == "one" and n_classes == 2 else (n_classes,)
    n_outputs = model.scorer.n_outputs
    yield HeaderRule(n_outputs in outputs, f"its scorer has {n_outputs} outputs (intercepts) for {n_classes} classes")
    if model.idf is not None:
        yield _shape_rule("idf", model.idf, np.float64, (n_terms,))
        fits = bool(((model.idf >= 0.0) & (model.idf <= MOST_IDF)).all())  # also rejects NaN
        yield HeaderRule(fits, f"an idf is not finite, or not from 0 to {MOST_IDF:g}")
    n_cuts = (model.thresholds is not None) + (model.ranks is not None)
    yield HeaderRule(n_cuts == (model.labels != "one"), _WRONG_CUT)
    if model.thresholds is not None:
        yield _shape_rule("thresholds", model.thresholds, np.float64, (n_classes,))
        yield HeaderRule(not np.isnan(model.thresholds).any(), "a threshold is NaN")


def _shape_rule(name: str, array: NDArray[Any], dtype: type[np.generic], *shapes: tuple[int, ...]) -> HeaderRule:
    allowed = " or ".join(map(str, shapes))
    fits = array.shape in shapes and array.dtype == dtype
    return HeaderRule(fits, f"{name} is {array.dtype} of shape {array.shape}, not {np.dtype(dtype)} of {allowed}")


def _is_range(value: object) -> bool:
    if not (isinstance(value, tuple) and len(value) == 2 and all(map(is_whole, value))):
        return False
    return bool(1 <= value[0] <= value[1] <= MOST_WORDS)
