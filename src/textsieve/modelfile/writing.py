"""Write a model file atomically: a reader always sees either the whole old model or the whole new one."""

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..archive import pack
from ..errors import InputError
from ..files import check_writable, replacing
from ..prediction import Model
from ..text.preparation import AS_IT_IS
from ..text.words import stop_words_of
from .layout import ARRAYS, KIND, PREPARED, UNPREPARED, check_model, restored, restored_calibration
from .reading import MOST_BYTES


def write(model: Model, path: str | os.PathLike[str]) -> None:
    """Write the model to a file, replacing an existing one."""
    name = os.fspath(path)
    data = encode(model)
    if len(data) > MOST_BYTES:
        raise InputError(f"The model has {len(data):,} bytes; a file has no more than {MOST_BYTES:,}. Use fewer terms.")
    check_writable(name, what="a model")
    try:
        with replacing(name) as file:
            file.write(data)
    except FileNotFoundError as problem:
        raise InputError(f"{name} can't be written: there is no such folder; make it first.") from problem
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise InputError(f"{name} can't be written: {reason}. What was there is as it was.") from problem


def encode(model: Model) -> bytes:
    """Return the model as bytes; equal models give equal bytes."""
    if callable(model.strip_accents):
        raise InputError(
            f"strip_accents is the function {getattr(model.strip_accents, '__name__', 'given')!r}, and a model file "
            "holds no code; use 'ascii', 'unicode' or None, or strip the accents of documents beforehand."
        )
    check_model(model, "This")
    is_plain = model.preparation == AS_IT_IS
    header = {
        "labels": model.labels,
        "classes": model.classes,
        "reading": {
            "lowercase": model.lowercase,
            "strip_accents": model.strip_accents,
            "ngram_range": model.ngram_range,
            "stop_words": sorted(stop_words_of(model.stop_words)) if model.needs_stop_words else None,
            **({} if is_plain else {"preparation": model.preparation.to_dict()}),
        },
        "weighting": {"tf": model.tf, "norm": model.norm},
        "scorer": {"kind": model.scorer.kind, **model.scorer.header()},
        "ranks": model.ranks,
        "calibration": None if model.calibration is None else model.calibration.method,
        "settings": model.settings,
        "about": model.about,
        **({} if model.fallback is None else {"fallback": model.fallback}),
    }
    arrays = _arrays(model)
    restored(header, arrays, len(model.terms), "This")  # never write a model that could not be read
    restored_calibration(header, arrays, "This")
    older_kind = KIND._replace(version=UNPREPARED if is_plain else PREPARED)
    return pack(older_kind if model.fallback is None else KIND, header, arrays)


def _arrays(model: Model) -> dict[str, NDArray[Any]]:
    arrays = {
        "terms": np.frombuffer(_encode_terms(model.terms), np.uint8),
        "idf": model.idf,
        "thresholds": model.thresholds,
        "class_docs": np.array(model.class_docs, np.int64),
        **dict.fromkeys(("calibration_starts", "calibration_knots", "calibration_values")),
        **({} if model.calibration is None else model.calibration.arrays()),
    }
    assert arrays.keys() == ARRAYS.keys()
    scorer_arrays = model.scorer.arrays()
    assert not scorer_arrays.keys() & arrays.keys()
    return {name: array for name, array in arrays.items() if array is not None} | scorer_arrays


def _encode_terms(terms: tuple[str, ...]) -> bytes:
    if any("\n" in term for term in terms):
        raise InputError("A term has a line feed in it, which separates terms in a model file.")
    try:
        return "\n".join(terms).encode()
    except UnicodeEncodeError as problem:
        raise InputError(f"A term can't be written as UTF-8: {problem}.") from problem
