"""Read a model file. A file that is damaged, hostile or something else is refused, by name, before it costs anything.

The file's own size is looked at first, then its first bytes, and its header; only then are the arrays read, and held
against the checksum and the sizes that the terms and classes call for, before terms and a model are made of them.
"""

import os
import stat
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

from ..archive import Arrays, Header, arrays_of, check_start, header_end, header_of, unpack
from ..errors import InputError, shown
from ..prediction import Model
from ..text.preparation import AS_IT_IS, Preparation
from .layout import (
    ARRAYS,
    FALLBACK_HEADER,
    HEADER,
    KIND,
    OPTIONAL,
    PREPARATION,
    PREPARED,
    PREPARED_READING,
    READING,
    UNPREPARED,
    WEIGHTING,
    Rule,
    check,
    check_model,
    restored,
    restored_calibration,
)

MOST_BYTES = 4 << 30
"""Of a model file."""


def read(path: str | os.PathLike[str]) -> Model:
    """The model that `write` wrote to this file."""
    return read_identified(path).model


class Identified(NamedTuple):
    """A model, the SHA-256 of its file, and the bytes of that."""

    model: Model
    digest: str
    n_bytes: int


def read_identified(path: str | os.PathLike[str]) -> Identified:
    """The same, with what tells the file from others."""
    name = os.fspath(path)
    header, data = _file_parts(name)
    model = _model(header, arrays_of(KIND, header, data, name), name)
    return Identified(model, sha256(data).hexdigest(), len(data))


def _file_parts(name: str) -> tuple[Header, bytes]:
    """The header of a file, and all that is in it, if it can be a model."""
    try:
        found = os.stat(name)
        if stat.S_ISDIR(found.st_mode):
            raise InputError(f"{name} is a folder; give the model file in it.")
        if not stat.S_ISREG(found.st_mode):
            raise InputError(f"{name} is not a file but a pipe or a device; copy the model to a file.")
        with open(name, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > MOST_BYTES:
                raise InputError(f"{name} has {size:,} bytes; a model has no more than {MOST_BYTES:,}.")
            start = file.read(16)
            check_start(KIND, start, size, name)
            file.seek(0)
            header = header_of(KIND, file.read(header_end(start)), size, name)
            check(_header_rules(header), name)
            file.seek(0)
            return header, file.read(size)
    except FileNotFoundError as problem:
        raise InputError(f"There is no file {name}; check the name, or train a model and save it there.") from problem
    except PermissionError as problem:
        raise InputError(f"{name} can't be read: you have no permission to; ask its owner for it.") from problem
    except (OSError, ValueError) as problem:
        if isinstance(problem, InputError):
            raise
        raise InputError(f"{name} can't be read: {problem}.") from problem


def decode(data: bytes, name: str = "This") -> Model:
    """The model that some bytes hold."""
    header, arrays = unpack(KIND, data, name)
    check(_header_rules(header), name)
    return _model(header, arrays, name)


def _model(header: Header, arrays: Arrays, name: str) -> Model:
    check(_array_rules(header, arrays), name)
    reading, weighting = header["reading"], header["weighting"]
    lengths = reading["ngram_range"]
    n_terms = _n_terms(arrays)
    scorer = restored(header, arrays, n_terms, name)  # first: it knows how many terms there can be
    model = Model(
        terms=_terms(arrays, name),
        classes=tuple(header["classes"]),
        class_docs=tuple(arrays["class_docs"].tolist()),
        labels=header["labels"],
        lowercase=reading["lowercase"],
        strip_accents=reading["strip_accents"],
        stop_words=_stop_words(reading["stop_words"], name),
        ngram_range=tuple(lengths) if isinstance(lengths, list) else lengths,
        tf=weighting["tf"],
        norm=weighting["norm"],
        idf=arrays.get("idf"),
        scorer=scorer,
        thresholds=arrays.get("thresholds"),
        settings=header["settings"],
        about=header["about"],
        ranks=header["ranks"],
        calibration=restored_calibration(header, arrays, name),
        preparation=Preparation(**reading["preparation"]) if "preparation" in reading else AS_IT_IS,
        fallback=header.get("fallback"),
    )
    check_model(model, name)
    return model


def _header_rules(header: Header) -> Iterator[Rule]:
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
    yield Rule(isinstance(header["scorer"], dict), f"its scorer is {shown(header['scorer'])}")
    yield Rule(isinstance(header["classes"], list) and len(header["classes"]) > 0, "it has no classes")


def _preparation_rules(reading: Header) -> Iterator[Rule]:
    """A preparation is as it is written: what is not done is not named. With forms, there are stop words, if none."""
    found = reading["preparation"]
    fits = isinstance(found, dict) and len(found) > 0 and set(found) <= PREPARATION
    yield Rule(fits and Preparation(**found).to_dict() == found, f"its preparation is {shown(found)}")
    fits = "normalise" not in found or reading["stop_words"] is not None
    yield Rule(fits, "it normalises words, and has no list of stop words")


def _array_rules(header: Header, arrays: Arrays) -> Iterator[Rule]:
    """A file has the arrays of a model; whether others are its scorer's, the scorer knows."""
    n_classes = len(header["classes"])
    yield Rule(set(ARRAYS) - OPTIONAL <= set(arrays), f"its arrays are {_listed(arrays)}, not {_listed(ARRAYS)}")
    for name, dtype in ARRAYS.items():
        array = arrays.get(name)
        fits = array is None or (array.ndim == 1 and array.dtype == dtype)
        yield Rule(fits, f"{name} is {getattr(array, 'dtype', '')} with {getattr(array, 'ndim', '')} dimensions")
    yield Rule(len(arrays["class_docs"]) == n_classes, "class_docs is not a number for each class")


def _n_terms(arrays: Arrays) -> int:
    spelled = arrays["terms"]
    return int(np.count_nonzero(spelled == ord("\n"))) + 1 if spelled.size else 0


def _terms(arrays: Arrays, name: str) -> tuple[str, ...]:
    try:
        text = arrays["terms"].tobytes().decode()
    except UnicodeDecodeError as problem:
        raise InputError(f"{name} is not a sound model: its terms are not UTF-8 ({problem}).") from problem
    return tuple(text.split("\n")) if text else ()


def _stop_words(words: Any, name: str) -> frozenset[str]:
    are_words = words is None or (isinstance(words, list) and all(isinstance(word, str) for word in words))
    check([Rule(are_words, f"stop_words is {shown(words)}")], name)
    return frozenset(words or ())


def _listed(names: Any) -> str:
    return shown(sorted(names)[:20], 200)
