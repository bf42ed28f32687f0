"""Write a model file, so that whoever looks finds the old model or the new one, whole, and never something between.

The bytes go to a new file in the same folder, which takes the place of the old one in one step when all of it is on
the disk. A process that is killed before leaves the old file as it was, and at worst a file `.textsieve-*.part` beside
it.
"""

import os
import secrets
import stat
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..archive import pack
from ..errors import InputError
from ..prediction import Model
from ..text.words import stop_words_of
from .layout import ARRAYS, KIND, check_model, restored, restored_calibration
from .reading import MOST_BYTES


def write(model: Model, path: str | os.PathLike[str]) -> None:
    """Write the model to a file, in place of what was there."""
    name = os.fspath(path)
    data = encode(model)
    if len(data) > MOST_BYTES:
        raise InputError(f"The model has {len(data):,} bytes; a file has no more than {MOST_BYTES:,}. Use fewer terms.")
    if os.path.isdir(name):
        raise InputError(f"{name} is a folder; give the name of a file in it.")
    if os.path.exists(name) and not os.path.isfile(name):  # such as /dev/null, which a file would take the place of
        raise InputError(f"{name} is a device or a pipe, and a model is written to a file; give the name of one.")
    try:
        replace_file(name, data)
    except FileNotFoundError as problem:
        raise InputError(f"{name} can't be written: there is no such folder; make it first.") from problem
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise InputError(f"{name} can't be written: {reason}. What was there is as it was.") from problem


def encode(model: Model) -> bytes:
    """The model as bytes; equal models give equal bytes."""
    if callable(model.strip_accents):
        raise InputError(
            f"strip_accents is the function {getattr(model.strip_accents, '__name__', 'given')!r}, and a model file "
            "holds no code; use 'ascii', 'unicode' or None, or strip the accents of documents beforehand."
        )
    check_model(model, "This")
    header = {
        "labels": model.labels,
        "classes": model.classes,
        "reading": {
            "lowercase": model.lowercase,
            "strip_accents": model.strip_accents,
            "ngram_range": model.ngram_range,
            "stop_words": sorted(stop_words_of(model.stop_words)) if model.ngram_range[1] > 1 else None,
        },
        "weighting": {"tf": model.tf, "norm": model.norm},
        "scorer": {"kind": model.scorer.kind, **model.scorer.header()},
        "ranks": model.ranks,
        "calibration": None if model.calibration is None else model.calibration.method,
        "settings": model.settings,
        "about": model.about,
    }
    arrays = _arrays(model)
    restored(header, arrays, len(model.terms), "This")  # what could not be read is not written
    restored_calibration(header, arrays, "This")
    return pack(KIND, header, arrays)


def _arrays(model: Model) -> dict[str, NDArray[Any]]:
    arrays = {
        "terms": np.frombuffer(_spelled(model.terms), np.uint8),
        "idf": model.idf,
        "thresholds": model.thresholds,
        "class_docs": np.array(model.class_docs, np.int64),
        **dict.fromkeys(("calibration_starts", "calibration_knots", "calibration_values")),
        **({} if model.calibration is None else model.calibration.arrays()),
    }
    assert arrays.keys() == ARRAYS.keys()
    own = model.scorer.arrays()
    assert not own.keys() & arrays.keys()
    return {name: array for name, array in arrays.items() if array is not None} | own


def _spelled(terms: tuple[str, ...]) -> bytes:
    if any("\n" in term for term in terms):
        raise InputError("A term has a line feed in it, which separates terms in a model file.")
    try:
        return "\n".join(terms).encode()
    except UnicodeEncodeError as problem:
        raise InputError(f"A term can't be written as UTF-8: {problem}.") from problem


def replace_file(path: str, data: bytes) -> None:
    """Put the bytes in the place of the file in one step; a link stays a link to it."""
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    part = os.path.join(folder, f".textsieve-{secrets.token_hex(8)}.part")
    new = open(part, "xb")  # noqa: SIM115, what fails before this leaves nothing to remove
    try:
        with new:
            new.write(data)
            new.flush()
            with suppress(FileNotFoundError):
                os.chmod(part, stat.S_IMODE(os.stat(target).st_mode))
            os.fsync(new.fileno())
        os.replace(part, target)
    except BaseException:
        with suppress(OSError):  # what went wrong before is what is to be told
            os.unlink(part)
        raise
    _settle(folder)


def _settle(folder: str) -> None:
    """Have the new name on the disk too, where the file system can do that; the file is whole either way."""
    if hasattr(os, "O_DIRECTORY"):
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
