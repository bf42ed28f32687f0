"""The JSON header of a model file: what is in it, and the rules that it must satisfy.

| key | content |
|---|---|
| `multilabel` | whether a document may have several labels |
| `label_matrix` | whether the model predicts labels as an indicator matrix (documents x classes) |
| `classes` | the classes, sorted |
| `fallback_class` | the number of the class for documents without a selected term; null for the most frequent class |
| `reading` | how a text is read: see `text.preparation` for its key `preparation` |
| `weighting` | how counts become weights |
| `scorer` | the kind of the scorer, and its settings |
| `ranks`, `calibration` | the number of labels of each document, and the way to probabilities, or null |
| `settings` | the settings with which the model was trained |
| `about` | when, from how many documents and with which packages it was trained, and its measured quality |
| `statistics` | null, or a description of the statistics that `update` needs: see `statistics` |

Stop words only matter if n-grams or normalised words are terms. They are written only then, as words, because a named
list may change with the library that provides it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import isfinite
from typing import Any, NamedTuple

from ..archive import Header, Kind
from ..errors import InputError, shown
from ..prediction import Model
from ..settings import is_whole
from ..strict_json import are_classes
from ..text.preparation import SETTINGS, Preparation
from ..text.weights import NORMS, TERM_FREQUENCIES
from ..text.words import ACCENTS, stop_words_of

KIND = Kind("textsieve.Model", 1, "a textsieve model")

MAX_BYTES = 8 << 30
"""The largest size of a model file."""

MAX_WORDS = 1000
"""The largest number of words in a term."""

KEYS = {
    *("format", "version", "checksum"),
    *("multilabel", "label_matrix", "classes", "fallback_class", "reading", "weighting", "scorer", "ranks"),
    *("calibration", "settings", "about", "statistics"),
}
READING = {"lowercase", "strip_accents", "ngram_range", "stop_words", "preparation"}
WEIGHTING = {"tf", "norm"}
STATISTICS = {"kind", "multilabel", "n_documents", "n_unlabelled", "checksum"}

STATISTICS_KINDS = ("class_sums", "votes")
"""Kinds of statistics: `ClassStats` for naive Bayes and Rocchio, and the table of votes for TCFP."""

MAX_DOCUMENTS = (1 << 31) - 1
"""The largest number of documents that statistics count."""


class Rule(NamedTuple):
    """A condition that a file must satisfy, and the message if it does not."""

    holds: bool
    otherwise: str


def check_rules(rules: Iterable[Rule], name: str) -> None:
    """Raise `InputError` for the first broken rule; `name` is the name of the file in the message.

    Rules may rely on those before them.
    """
    for rule in rules:
        if not rule.holds:
            raise InputError(f"not a sound model: {rule.otherwise}.", place=name)


# -- from and to a model -----------------------------------------------------------------------------------------


def header_of(model: Model, statistics: Mapping[str, Any] | None) -> Header:
    """Return the header of a model's file; `statistics` describes the statistics in the file."""
    return {
        "multilabel": model.multilabel,
        "label_matrix": model.label_matrix,
        "classes": model.classes,
        "fallback_class": model.fallback,
        "reading": {
            "lowercase": model.lowercase,
            "strip_accents": model.strip_accents,
            "ngram_range": model.ngram_range,
            "stop_words": sorted(stop_words_of(model.stop_words)) if model.needs_stop_words else None,
            "preparation": model.preparation.to_dict(),
        },
        "weighting": {"tf": model.tf, "norm": model.norm},
        "scorer": {"kind": model.scorer.kind, **model.scorer.stored_settings()},
        "ranks": model.ranks,
        "calibration": None if model.calibration is None else model.calibration.method,
        "settings": model.settings,
        "about": model.about,
        "statistics": statistics,
    }


def fields_of(header: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a `Model` that are stored in its header, by name."""
    reading, weighting = header["reading"], header["weighting"]
    lengths = reading["ngram_range"]
    return {
        "classes": tuple(header["classes"]),
        "multilabel": header["multilabel"],
        "label_matrix": header["label_matrix"],
        "lowercase": reading["lowercase"],
        "strip_accents": reading["strip_accents"],
        "ngram_range": tuple(lengths) if isinstance(lengths, list) else lengths,
        "stop_words": frozenset(reading["stop_words"] or ()),
        "tf": weighting["tf"],
        "norm": weighting["norm"],
        "ranks": header["ranks"],
        "settings": header["settings"],
        "about": header["about"],
        "preparation": Preparation(**reading["preparation"]),
        "fallback": header["fallback_class"],
    }


# -- rules -------------------------------------------------------------------------------------------------------


def check_header(header: Mapping[str, Any], name: str) -> None:
    """Raise `InputError` if a header is not that of a model."""
    check_rules(_key_rules(header), name)
    check_rules(field_rules(fields_of(header)), name)


def _key_rules(header: Mapping[str, Any]) -> Iterator[Rule]:
    """Yield the rules for the parts of the header."""
    yield Rule(set(header) == KEYS, f"its header has {list_names(header)}, not {list_names(KEYS)}")
    for part, keys in (("reading", READING), ("weighting", WEIGHTING)):
        section = header[part]
        yield Rule(isinstance(section, dict) and set(section) == keys, f"{part} is {shown(section)}")
    preparation, words = header["reading"]["preparation"], header["reading"]["stop_words"]
    fits = isinstance(preparation, dict) and set(preparation) <= set(SETTINGS)
    fits = fits and Preparation(**preparation).to_dict() == preparation  # has active settings only
    yield Rule(fits, f"its preparation is {shown(preparation)}")
    are_words = words is None or (isinstance(words, list) and all(isinstance(word, str) for word in words))
    yield Rule(are_words, f"stop_words is {shown(words)}")
    fits = "normalise" not in preparation or words is not None
    yield Rule(fits, "it normalises words, and has no list of stop words")
    yield Rule(isinstance(header["scorer"], dict), f"its scorer is {shown(header['scorer'])}")
    yield Rule(isinstance(header["classes"], list) and len(header["classes"]) > 0, "it has no classes")
    if header["statistics"] is not None:
        yield from _statistics_rules(header["statistics"])


def _statistics_rules(section: Any) -> Iterator[Rule]:
    """Yield the rules for the description of the statistics."""
    yield Rule(isinstance(section, dict) and set(section) == STATISTICS, f"its statistics are {shown(section)}")
    yield Rule(section["kind"] in STATISTICS_KINDS, f"the kind of its statistics is {shown(section['kind'])}")
    yield Rule(
        isinstance(section["multilabel"], bool), f"multilabel of its statistics is {shown(section['multilabel'])}"
    )
    for name in ("n_documents", "n_unlabelled"):
        fits = is_whole(section[name]) and 0 <= section[name] <= MAX_DOCUMENTS
        yield Rule(fits, f"{name} of its statistics is {shown(section[name])}")
    fits = section["n_unlabelled"] <= section["n_documents"]
    yield Rule(fits, "its statistics have more unlabelled documents than documents")


def list_names(names: Iterable[str]) -> str:
    """Return names, sorted, for a message."""
    return shown(sorted(names)[:20], 200)


def field_rules(fields: Mapping[str, Any]) -> Iterator[Rule]:
    """Yield the rules for the fields of a model that are not arrays."""
    for name, allowed in (
        ("tf", tuple(TERM_FREQUENCIES)),
        ("norm", tuple(NORMS)),
        ("strip_accents", (*ACCENTS, None)),
    ):
        value = fields[name]
        yield Rule(value in allowed, f"{name} is {shown(value)}, none of {', '.join(map(str, allowed))}")
    for name in ("multilabel", "label_matrix", "lowercase"):
        yield Rule(isinstance(fields[name], bool), f"{name} is {shown(fields[name])}, not true or false")
    yield Rule(fields["multilabel"] or not fields["label_matrix"], "it has a label matrix, but is not multilabel")
    for fault in fields["preparation"].faults():
        reason = f", and {fault.problem}" if fault.problem else ""
        yield Rule(False, f"its preparation has {fault.setting}={shown(fault.value)}{reason}")
    lengths = fields["ngram_range"]
    yield Rule(_is_range(lengths), f"ngram_range is {shown(lengths)}, not two numbers from 1 up to {MAX_WORDS:,}")
    has_unigrams_only = not fields["preparation"].names or lengths == (1, 1)
    yield Rule(has_unigrams_only, f"it joins names, and its ngram_range is {shown(lengths)}")
    yield Rule(isinstance(fields["settings"], dict), "its settings are no JSON object")
    yield Rule(isinstance(fields["about"], dict), "about is no JSON object")
    for name, is_valid in _ABOUT.items():
        if name in fields["about"]:
            value = fields["about"][name]
            yield Rule(is_valid(value), f"about is not what textsieve writes: {name} is {shown(value)}")
    classes, fallback, ranks = fields["classes"], fields["fallback"], fields["ranks"]
    yield Rule(len(classes) > 0, "it has no classes")
    yield Rule(are_classes(classes), "its classes are not all text or all numbers, sorted, each once")
    for label in classes:
        if isinstance(label, str) and not _is_text(label):
            yield Rule(False, f"its class {shown(label)} has half of a UTF-16 pair, which can't be written")
    is_class = fallback is None or (is_whole(fallback) and 0 <= fallback < len(classes))
    yield Rule(is_class, f"its fallback class is {shown(fallback)}, not the number of one of {len(classes):,} classes")
    fits = ranks is None or (is_whole(ranks) and 1 <= ranks < 1 << 31)
    yield Rule(fits, f"ranks is {shown(ranks)}, not a number of classes")


def _is_range(value: object) -> bool:
    if not (isinstance(value, tuple) and len(value) == 2 and all(map(is_whole, value))):
        return False
    return bool(1 <= value[0] <= value[1] <= MAX_WORDS)


# -- about -------------------------------------------------------------------------------------------------------
# Predicting doesn't need it, but people and programs read it, so known keys must have the expected values. Unknown
# keys may have any value.

Check = Callable[[Any], bool]


def _is_text(value: object) -> bool:
    """Return whether a value is a text that can be encoded; JSON can contain lone surrogates, which can't."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_number(value: object) -> bool:
    return (isinstance(value, float) and isfinite(value)) or (is_whole(value) and abs(value) < 1 << 63)


def _is_count(value: object) -> bool:
    return is_whole(value) and 0 <= value < 1 << 63


def _is_label(value: object) -> bool:
    return _is_text(value) or isinstance(value, bool | int | float)


def _are_versions(value: object) -> bool:
    return isinstance(value, dict) and all(_is_text(name) and _is_text(version) for name, version in value.items())


def _has(needed: Mapping[str, Check], optional: Mapping[str, Check]) -> Check:
    """Return a check that an object has all needed keys, and that known keys have valid values."""

    def holds(value: object) -> bool:
        return (
            isinstance(value, dict)
            and all(name in value and is_valid(value[name]) for name, is_valid in needed.items())
            and all(name not in value or is_valid(value[name]) for name, is_valid in optional.items())
        )

    return holds


def _list_of(is_valid: Check) -> Check:
    return lambda value: isinstance(value, list) and all(map(is_valid, value))


def _or_none(is_valid: Check) -> Check:
    return lambda value: value is None or is_valid(value)


def _is_point(value: object) -> bool:
    """Return whether a value is a point of a curve: a number of terms, a score, and its standard error."""
    return isinstance(value, list) and len(value) == 3 and _is_count(value[0]) and all(map(_is_number, value[1:]))


_CLASS_ROW = _has(
    {
        "label": _is_label,
        **dict.fromkeys(("precision", "recall", "f1"), _is_number),
        **dict.fromkeys(("documents", "predicted"), _is_count),
    },
    {},
)
_HELD_OUT = _has(
    {
        "documents": _is_count,
        **dict.fromkeys(("share", "accuracy", "micro_f1", "macro_f1"), _is_number),
        "classes": _list_of(_CLASS_ROW),
    },
    dict.fromkeys(("unlabelled", "without_known_terms", "untested_classes"), _is_count),
)
_ABOUT: dict[str, Check] = {
    "trained": _is_text,
    "versions": _are_versions,
    **dict.fromkeys(("n_documents", "n_unlabelled", "n_terms_seen"), _is_count),
    "n_tuned_on": _or_none(_is_count),
    "held_out": _or_none(_HELD_OUT),
    "curve": _or_none(_list_of(_is_point)),
    "updated": _has({"documents": _is_count, "times": _is_count, "last": _is_text}, {"since_cut": _is_count}),
    "testors": _has(dict.fromkeys(("epsilon", "delta"), _is_number), {}),
}
"""The check of each known key."""
