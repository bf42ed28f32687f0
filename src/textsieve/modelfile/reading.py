"""Read a model file. A damaged or hostile file, or another kind of file, raises `InputError` before it costs memory.

The size of the file and its first bytes are checked first, then its header, which has the names, types and shapes of
all arrays. The arrays are only read if the header fits a model. Their checksum and values are checked before terms and
a `Model` are created from them.
"""

import os
from hashlib import sha256
from typing import NamedTuple

import numpy as np

from ..archive import ArchiveHeader, Arrays, arrays_of, head_of, read_file
from ..errors import InputError
from ..prediction import Model
from .layout import KIND, check_head, check_model, fields_of, restored, restored_calibration

MOST_BYTES = 4 << 30
"""The largest size of a model file."""


def read(path: str | os.PathLike[str]) -> Model:
    """Return the model that `write` wrote to this file."""
    return read_identified(path).model


class Identified(NamedTuple):
    """A model, the SHA-256 of its file, and the size of the file in bytes."""

    model: Model
    digest: str
    n_bytes: int


def read_identified(path: str | os.PathLike[str]) -> Identified:
    """Return the model in a file, the SHA-256 of the file and its size."""
    name = os.fspath(path)
    try:
        head, data = read_file(KIND, name, max_bytes=MOST_BYTES, check=lambda head: check_head(head, name))
    except InputError:
        raise
    except FileNotFoundError as problem:
        raise InputError(f"There is no file {name}; check the name, or train a model and save it there.") from problem
    except PermissionError as problem:
        raise InputError(f"{name} can't be read: you have no permission to; ask its owner for it.") from problem
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise InputError(f"{name} can't be read: {reason}.") from problem
    return Identified(_model(head, arrays_of(head, data, name), name), sha256(data).hexdigest(), len(data))


def decode(data: bytes, name: str = "This") -> Model:
    """Return the model encoded in some bytes."""
    head = head_of(KIND, data, name)
    check_head(head, name)
    return _model(head, arrays_of(head, data, name), name)


def _model(head: ArchiveHeader, arrays: Arrays, name: str) -> Model:
    scorer = restored(head.header, arrays, _n_terms(arrays), name)  # first: it checks the number of terms
    model = Model(
        **fields_of(head.header),
        terms=_terms(arrays, name),
        class_docs=tuple(arrays["class_docs"].tolist()),
        idf=arrays.get("idf"),
        scorer=scorer,
        thresholds=arrays.get("thresholds"),
        calibration=restored_calibration(head.header, arrays, name),
    )
    check_model(model, name)
    return model


def _n_terms(arrays: Arrays) -> int:
    text_bytes = arrays["terms"]
    return int(np.count_nonzero(text_bytes == ord("\n"))) + 1 if text_bytes.size else 0


def _terms(arrays: Arrays, name: str) -> tuple[str, ...]:
    try:
        text = arrays["terms"].tobytes().decode()
    except UnicodeDecodeError as problem:
        raise InputError(f"{name} is not a sound model: its terms are not UTF-8 ({problem}).") from problem
    return tuple(text.split("\n")) if text else ()
