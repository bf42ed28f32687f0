"""The JSON header of a model file: its keys, and the rules that it must satisfy.

| key | content |
|---|---|
| `multilabel` | whether a document may have several labels |
| `has_label_matrix` | whether the model predicts labels as an indicator matrix (documents x classes) |
| `classes` | the classes, sorted |
| `fallback_class` | the number of the class for documents without a selected term; null for the most frequent class |
| `reading` | how a text is read: see `text.preparation` for its key `preparation`, and below for `analysis` |
| `weighting` | how counts become weights |
| `scorer` | the kind of the scorer, and its settings |
| `ranks` | the number of labels of each document, or null if labels are assigned by thresholds or the best score |
| `calibration` | the method of the probabilities, or null |
| `settings` | the settings with which the model was trained; `{"not_stored": "OCFS(k=5)"}` stands for an object |
| `about` | when, from which sources (`modelfile.sources`) and with which packages it was trained, and its quality |
| `statistics` | null, or a description of the statistics for `update`: see `modelfile.statistics` |

Among the `settings` are the title, description and examples that the owner of the model gave. Readers of the web page
see them, so they are checked (`presentation`). Predicting needs no other setting, so the others are not.

Stop words affect predictions only if terms may be n-grams or are normalised words (`Model.needs_stop_words`), and only
then are they stored. They are stored as words, not as the name of a list, because a named list may change with the
library that provides it.

The key `analysis` in `reading` has those of the settings `analyzer`, `token_pattern` and `char_ngram_range` that differ
from the defaults of `text.analysis.Analysis`. It is missing if none does, so that versions without these settings can
read the model. If terms can contain line feeds (`Analysis.may_have_line_feeds`), line feeds and backslashes in them are
escaped by a backslash, because line feeds separate terms.

A token pattern is a regular expression. Some regular expressions take longer than the age of the universe, for a
document or even for the short texts on which a pattern is checked. A time limit stops them, but only in the main
thread. So a service, which predicts in other threads, reads only models whose pattern is one of a few that take linear
time (`only_fast_patterns`; `words.token_rule` knows these patterns).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from math import isfinite
from typing import Any, NamedTuple

from ..archive import Header, Kind
from ..categorizer_settings import ObjectDescription
from ..corpus.named_corpora import is_corpus_name
from ..errors import InputError, shown
from ..evaluation.confidence import ConfidenceRow
from ..prediction import Model
from ..presentation import check_presentation
from ..settings import is_whole
from ..strict_json import are_classes
from ..text.analysis import WORDS, Analysis
from ..text.choices import MAX_CHARACTERS
from ..text.preparation import SETTINGS, Preparation
from ..text.reading import Reading
from ..text.stop_words import stop_words_of
from ..text.weights import NORMS, TERM_FREQUENCIES
from ..text.words import ACCENTS, token_rule
from .sources import CORPUS, KINDS

KIND = Kind("textsieve.Model", 1, "a textsieve model", compressed_version=2)

MAX_BYTES = 8 << 30
"""The largest size of a model file."""

MAX_WORDS = 1000
"""The largest number of words in a term that a header may declare."""

KEYS = {
    *("format", "version", "checksum"),
    *("multilabel", "has_label_matrix", "classes", "fallback_class", "reading", "weighting", "scorer", "ranks"),
    *("calibration", "settings", "about", "statistics"),
}
READING = {"lowercase", "strip_accents", "ngram_range", "stop_words", "preparation"}
ANALYSIS = {"analyzer", "token_pattern", "char_ngram_range"}
WEIGHTING = {"tf", "norm"}
STATISTICS = {"kind", "multilabel", "n_documents", "n_unlabelled", "checksum"}

STATISTICS_KINDS = ("class_sums", "votes")
"""Kinds of statistics: `ClassStats` for naive Bayes and Rocchio, and the table of votes for TCFP."""

ALL_TERMS_KIND = "all_terms"
"""The kind of statistics that are in a file of their own, which its digest identifies: see `statistics`."""

MAX_SOURCE_NAME = 4096
"""The largest number of characters in the path of a source; systems allow no longer paths."""

MAX_DOCUMENTS = (1 << 31) - 1
"""The largest number of documents that statistics count."""


class Rule(NamedTuple):
    """A condition on a file, and the problem to report if it does not hold."""

    holds: bool
    problem: str


def check_rules(rules: Iterable[Rule], name: str) -> None:
    """Raise `InputError` for the first broken rule of the file `name`.

    Rules are generated one by one, so the code of a rule may rely on those before it.
    """
    for rule in rules:
        if not rule.holds:
            raise InputError(f"not a sound model: {rule.problem}.", place=name)


# -- from and to a model -----------------------------------------------------------------------------------------


def header_of(model: Model, statistics: Mapping[str, Any] | None) -> Header:
    """Return the header for a model; `statistics` describes the statistics in the file, if there are any."""
    return {
        "multilabel": model.multilabel,
        "has_label_matrix": model.has_label_matrix,
        "classes": model.classes,
        "fallback_class": model.fallback,
        "reading": {
            "lowercase": model.lowercase,
            "strip_accents": model.strip_accents,
            "ngram_range": model.ngram_range,
            "stop_words": sorted(stop_words_of(model.stop_words)) if model.needs_stop_words else None,
            "preparation": model.preparation.to_dict(),
            **({} if model.analysis == WORDS else {"analysis": model.analysis.to_dict()}),
        },
        "weighting": {"tf": model.tf, "norm": model.norm},
        "scorer": {"kind": model.scorer.kind, **model.scorer.stored_settings()},
        "ranks": model.ranks,
        "calibration": None if model.calibration is None else model.calibration.method,
        "settings": _mark_descriptions(model.settings),
        "about": model.about,
        "statistics": statistics,
    }


NOT_STORED = "not_stored"


def _mark_descriptions(value: Any) -> Any:
    """Return settings for the header, with an object of the single key `NOT_STORED` for each `ObjectDescription`."""
    if isinstance(value, ObjectDescription):
        return {NOT_STORED: str(value)}
    if isinstance(value, dict):
        return {name: _mark_descriptions(item) for name, item in value.items()}
    return value


def _restore_descriptions(settings: Any) -> Any:
    """Return settings from a header, with each `ObjectDescription` restored (the inverse of `_mark_descriptions`).

    A description may be the value of a setting, or of an option in a setting such as `selector_options`, but is never
    nested any deeper.
    """
    if not isinstance(settings, dict):
        return settings  # `field_rules` rejects them

    def restore(value: Any) -> Any:
        if isinstance(value, dict) and value.keys() == {NOT_STORED} and isinstance(value[NOT_STORED], str):
            return ObjectDescription(value[NOT_STORED])
        return value

    def restore_options(value: Any) -> Any:
        return {name: restore(item) for name, item in value.items()} if isinstance(value, dict) else value

    return {name: restore_options(restore(value)) for name, value in settings.items()}


def fields_of(header: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a `Model` that are stored in its header, by name."""
    reading, weighting = header["reading"], header["weighting"]
    return {
        "classes": tuple(header["classes"]),
        "multilabel": header["multilabel"],
        "has_label_matrix": header["has_label_matrix"],
        "lowercase": reading["lowercase"],
        "strip_accents": reading["strip_accents"],
        "ngram_range": _as_tuple(reading["ngram_range"]),
        "stop_words": frozenset(reading["stop_words"] or ()),
        "tf": weighting["tf"],
        "norm": weighting["norm"],
        "ranks": header["ranks"],
        "settings": _restore_descriptions(header["settings"]),
        "about": header["about"],
        "preparation": Preparation(**reading["preparation"]),
        "analysis": _stored_analysis(reading),
        "fallback": header["fallback_class"],
    }


def _as_tuple(value: Any) -> Any:
    """Return a list from JSON as a tuple, and other values unchanged."""
    return tuple(value) if isinstance(value, list) else value


def _stored_analysis(reading: Mapping[str, Any]) -> Analysis:
    """Return the `Analysis` that a section `reading` describes; its keys were checked, but values may be invalid."""
    return Analysis(**{name: _as_tuple(value) for name, value in reading.get("analysis", {}).items()})


# -- rules -------------------------------------------------------------------------------------------------------


def check_header(header: Mapping[str, Any], name: str, *, only_fast_patterns: bool = False) -> None:
    """Raise `InputError` if a header is not that of a model.

    With `only_fast_patterns`, also raise it for a token pattern that may take very long, before the pattern is used.
    """
    check_rules(_key_rules(header), name)
    if only_fast_patterns:
        _require_fast_pattern(_stored_analysis(header["reading"]).token_pattern, name)
    check_rules(field_rules(fields_of(header)), name)


def _require_fast_pattern(pattern: object, name: str) -> None:
    """Raise `InputError` unless a token pattern takes linear time."""
    if isinstance(pattern, str) and token_rule(pattern) is None:
        raise InputError(
            f"the model has the token pattern {shown(pattern)}, which may take very long for some documents, and a "
            "service can't stop it",
            place=name,
            hint=r"use \w+, \S+, \b\w[\w'-]*\b or the default pattern, or the analyzer text; or predict with textsieve "
            "predict",
        )


def _key_rules(header: Mapping[str, Any]) -> Iterator[Rule]:
    """Yield the rules for the keys of the header, and for the types on which `fields_of` relies."""
    yield Rule(set(header) == KEYS, f"its header has {list_names(header)}, not {list_names(KEYS)}")
    for part, keys, optional in (("reading", READING, {"analysis"}), ("weighting", WEIGHTING, set[str]())):
        section = header[part]
        has_keys = isinstance(section, dict) and set(section) - optional == keys
        yield Rule(has_keys, f"{part} is {shown(section)}")
    if "analysis" in header["reading"]:
        analysis = header["reading"]["analysis"]
        is_valid = isinstance(analysis, dict) and set() < set(analysis) <= ANALYSIS
        # `to_dict` writes only the settings that differ from the defaults, so others in the file are an error.
        is_valid = is_valid and set(_stored_analysis(header["reading"]).to_dict()) == set(analysis)
        yield Rule(is_valid, f"its analysis is {shown(analysis)}")
    preparation, stop_words = header["reading"]["preparation"], header["reading"]["stop_words"]
    is_valid = isinstance(preparation, dict) and set(preparation) <= set(SETTINGS)
    # `to_dict` writes only the settings that change something, so others in the file are an error.
    is_valid = is_valid and Preparation(**preparation).to_dict() == preparation
    yield Rule(is_valid, f"its preparation is {shown(preparation)}")
    is_valid = stop_words is None or (
        isinstance(stop_words, list) and all(isinstance(word, str) for word in stop_words)
    )
    yield Rule(is_valid, f"stop_words is {shown(stop_words)}")
    is_valid = "normalise" not in preparation or stop_words is not None
    yield Rule(is_valid, "it normalises words, and has no list of stop words")
    yield Rule(isinstance(header["scorer"], dict), f"its scorer is {shown(header['scorer'])}")
    yield Rule(isinstance(header["classes"], list) and len(header["classes"]) > 0, "it has no classes")
    if header["statistics"] is not None:
        yield from _statistics_rules(header["statistics"])


def _statistics_rules(section: Any) -> Iterator[Rule]:
    """Yield the rules for the description of the statistics."""
    if isinstance(section, dict) and section.get("kind") == ALL_TERMS_KIND:
        is_digest = set(section) == {"kind", "digest"} and re.fullmatch("[0-9a-f]{64}", str(section["digest"]))
        yield Rule(bool(is_digest), f"its statistics are {shown(section)}")
        return
    yield Rule(isinstance(section, dict) and set(section) == STATISTICS, f"its statistics are {shown(section)}")
    yield Rule(section["kind"] in STATISTICS_KINDS, f"the kind of its statistics is {shown(section['kind'])}")
    yield Rule(
        isinstance(section["multilabel"], bool), f"multilabel of its statistics is {shown(section['multilabel'])}"
    )
    for name in ("n_documents", "n_unlabelled"):
        is_count = is_whole(section[name]) and 0 <= section[name] <= MAX_DOCUMENTS
        yield Rule(is_count, f"{name} of its statistics is {shown(section[name])}")
    has_enough = section["n_unlabelled"] <= section["n_documents"]
    yield Rule(has_enough, "its statistics have more unlabelled documents than documents")


def list_names(names: Iterable[str]) -> str:
    """Return at most 20 of the names, sorted, as text for a message."""
    return shown(sorted(names)[:20], 200)


def field_rules(fields: Mapping[str, Any]) -> Iterator[Rule]:
    """Yield the rules for those fields of a `Model` that are not arrays; `fields` has their values by name."""
    for name, allowed in (
        ("tf", tuple(TERM_FREQUENCIES)),
        ("norm", tuple(NORMS)),
        ("strip_accents", (*ACCENTS, None)),
    ):
        value = fields[name]
        yield Rule(value in allowed, f"{name} is {shown(value)}, none of {', '.join(map(str, allowed))}")
    for name in ("multilabel", "has_label_matrix", "lowercase"):
        yield Rule(isinstance(fields[name], bool), f"{name} is {shown(fields[name])}, not true or false")
    yield Rule(fields["multilabel"] or not fields["has_label_matrix"], "it has a label matrix, but is not multilabel")
    for fault in fields["preparation"].faults():
        reason = f", and {fault.problem}" if fault.problem else ""
        yield Rule(False, f"its preparation has {fault.setting}={shown(fault.value)}{reason}")
    ngram_range = fields["ngram_range"]
    longest = MAX_CHARACTERS if fields["analysis"].counts_only_characters else MAX_WORDS
    is_range = _is_ngram_range(ngram_range, longest)
    yield Rule(is_range, f"ngram_range is {shown(ngram_range)}, not two numbers from 1 up to {longest:,}")
    yield from _analysis_rules(fields["analysis"], fields["preparation"])
    is_compatible = not fields["preparation"].names or ngram_range == (1, 1)
    yield Rule(is_compatible, f"it joins names, and its ngram_range is {shown(ngram_range)}")
    yield Rule(isinstance(fields["settings"], dict), "its settings are no JSON object")
    try:
        check_presentation(fields["settings"])
    except InputError as problem:
        yield Rule(False, f"its setting {str(problem).removesuffix('.')}")
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
    is_number = ranks is None or (is_whole(ranks) and 1 <= ranks < 1 << 31)
    yield Rule(is_number, f"ranks is {shown(ranks)}, not a number of classes")


def _analysis_rules(analysis: Analysis, preparation: Preparation) -> Iterator[Rule]:
    """Yield the rules for how texts are split into terms."""
    if analysis == WORDS:
        return
    yield Rule(isinstance(analysis.analyzer, str), f"analyzer is {shown(analysis.analyzer)}, not a name")
    lengths = analysis.char_ngram_range
    is_range = lengths is None or _is_ngram_range(lengths, MAX_CHARACTERS)
    yield Rule(is_range, f"char_ngram_range is {shown(lengths)}, not two numbers from 1 up to {MAX_CHARACTERS:,}")
    try:
        analysis.checked()
        reading = Reading(
            lowercase=False,
            strip_accents=None,
            encoding="utf-8",
            decode_error="strict",
            preparation=preparation,
            analysis=analysis,
        )
        reading.check_words()
    except InputError as problem:
        yield Rule(False, str(problem).removesuffix("."))
    has_effect = analysis == analysis.effective()
    yield Rule(has_effect, f"its analysis {shown(analysis.to_dict())} has a setting without effect")


def _is_ngram_range(value: object, longest: int) -> bool:
    """Return whether a value is a pair of numbers from 1 up to `longest`, the smaller one first."""
    if not (isinstance(value, tuple) and len(value) == 2 and all(map(is_whole, value))):
        return False
    return bool(1 <= value[0] <= value[1] <= longest)


# -- about -------------------------------------------------------------------------------------------------------
# Predicting doesn't need `about`, but people and programs read it. So the values of known keys are checked; other keys
# may have any value.

Check = Callable[[Any], bool]
"""Returns whether a value is valid."""


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
    """Return whether a value is a finite float or a 64-bit integer."""
    return (isinstance(value, float) and isfinite(value)) or (is_whole(value) and abs(value) < 1 << 63)


def _is_count(value: object) -> bool:
    """Return whether a value is a 64-bit integer of 0 or more."""
    return is_whole(value) and 0 <= value < 1 << 63


def _is_label(value: object) -> bool:
    """Return whether a value can be the label of a class."""
    return _is_text(value) or isinstance(value, bool | int | float)


def _are_versions(value: object) -> bool:
    """Return whether a value maps names of packages to versions."""
    return isinstance(value, dict) and all(_is_text(name) and _is_text(version) for name, version in value.items())


def _object_with(needed: Mapping[str, Check], optional: Mapping[str, Check]) -> Check:
    """Return a check for a JSON object that has all needed keys, and valid values of needed and optional keys."""

    def is_valid_object(value: object) -> bool:
        return (
            isinstance(value, dict)
            and all(name in value and is_valid(value[name]) for name, is_valid in needed.items())
            and all(name not in value or is_valid(value[name]) for name, is_valid in optional.items())
        )

    return is_valid_object


def _list_of(is_valid: Check) -> Check:
    """Return a check for a list of valid values."""
    return lambda value: isinstance(value, list) and all(map(is_valid, value))


def _or_none(is_valid: Check) -> Check:
    """Return a check for a valid value or None."""
    return lambda value: value is None or is_valid(value)


def _is_point(value: object) -> bool:
    """Return whether a value is a point of a curve: a number of terms, a score, and its standard error."""
    return isinstance(value, list) and len(value) == 3 and _is_count(value[0]) and all(map(_is_number, value[1:]))


def _is_share(value: object) -> bool:
    """Return whether a value is a point of a curve: a share of the coefficients, and the score of a model with them."""
    return isinstance(value, list) and len(value) == 2 and all(map(_is_number, value))


def _is_source_name(value: object) -> bool:
    """Return whether a value can be a path, or the name of a corpus."""
    return _is_text(value) and isinstance(value, str) and 0 < len(value) <= MAX_SOURCE_NAME and "\0" not in value


def _are_read_options(value: object) -> bool:
    """Return whether a value maps names of options for reading to texts, numbers, truth values, or lists of these."""
    return isinstance(value, dict) and all(
        _is_text(name) and all(map(_is_read_value, option if isinstance(option, list) else [option]))
        for name, option in value.items()
    )


def _is_read_value(value: object) -> bool:
    """Return whether a value can be that of an option for reading, or one of several."""
    return _is_text(value) or isinstance(value, bool) or _is_count(value)


_SOURCE_FIELDS = _object_with(
    {
        "kind": lambda value: isinstance(value, str) and value in KINDS,
        "name": _is_source_name,
        "documents": _or_none(_is_count),
        "digest": _or_none(lambda value: isinstance(value, str) and bool(re.fullmatch("[0-9a-f]{32}", value))),
    },
    {
        "reading": _are_read_options,
        "usual": _are_read_options,
        "corrections": lambda value: isinstance(value, bool),
    },
)


def _is_source(value: object) -> bool:
    """Return whether a value is a source.

    A source of the kind "corpus" must have the name of a corpus, because any other name would be opened as a path, and
    "-" as standard input.
    """
    if not isinstance(value, dict) or not _SOURCE_FIELDS(value):
        return False
    return value["kind"] != CORPUS or is_corpus_name(value["name"])


_CLASS_ROW = _object_with(
    {
        "label": _is_label,
        **dict.fromkeys(("precision", "recall", "f1"), _is_number),
        **dict.fromkeys(("documents", "predicted"), _is_count),
    },
    {},
)
_HELD_OUT = _object_with(
    {
        "documents": _is_count,
        **dict.fromkeys(("share", "accuracy", "micro_f1", "macro_f1"), _is_number),
        "classes": _list_of(_CLASS_ROW),
    },
    dict.fromkeys(("unlabelled", "without_known_terms", "untested_classes"), _is_count),
)
_CONFIDENCE = _object_with(
    {
        "documents": _is_number,
        "rows": _list_of(_object_with(dict.fromkeys(ConfidenceRow._fields, _is_number), {})),
    },
    {},
)
_ABOUT: dict[str, Check] = {
    "trained": _is_text,
    "versions": _are_versions,
    **dict.fromkeys(("n_documents", "n_unlabelled", "n_terms_seen"), _is_count),
    "n_tuned_on": _or_none(_is_count),
    "held_out": _or_none(_HELD_OUT),
    "curve": _or_none(_list_of(_is_point)),
    "updated": _object_with(
        {"documents": _is_count, "times": _is_count, "last": _is_text}, {"since_thresholds": _is_count}
    ),
    "confidence": _or_none(_CONFIDENCE),
    "coefficients": _object_with(
        {
            "kept": _is_count,
            "trained": lambda value: _is_count(value) and value > 0,
            "curve": _or_none(_list_of(_is_share)),
        },
        {},
    ),
    "testors": _object_with(dict.fromkeys(("epsilon", "delta"), _is_number), {}),
    "sources": _list_of(_is_source),
}
"""The check of each known key of `about`."""
