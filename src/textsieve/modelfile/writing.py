"""Write a model file atomically: a reader always sees either the whole old model or the whole new one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ..archive import Arrays, pack
from ..errors import InputError
from ..files import replacing
from ..prediction import Model
from ..writability import check_writable
from .arrays import arrays_of, check_model, is_sparse, restore_calibration, restore_scorer
from .header import KIND, MAX_BYTES, header_of
from .reading import ModelFile, open_model

if TYPE_CHECKING:
    from ..training.statistics import Statistics


def write(
    model: Model,
    path: str | os.PathLike[str],
    statistics: Statistics | None = None,
    *,
    instead_of: ModelFile | None = None,
) -> None:
    """Write a model, and the statistics with which it can be updated if they are given, replacing an existing file.

    If `instead_of` is given, raises `InputError` unless that file still has the model that was read from it. This is
    needed besides the lock (`locking`), which does not stop somebody from copying another model to the path.
    """
    name = os.fspath(path)
    data = encode(model, statistics)
    if len(data) > MAX_BYTES:
        raise InputError(
            f"the model has {len(data):,} bytes, and a model file may have {MAX_BYTES:,}",
            place=name,
            hint="use fewer terms" if statistics is None else "use fewer terms, or leave keep_stats out",
        )
    check_writable(name, what="a model")
    if instead_of is not None and not is_unchanged(instead_of):
        raise InputError(
            "this is another model than the one that was read; nothing was written", place=name, hint="Try again"
        )
    try:
        with replacing(name) as file:
            file.write(data)
    except FileNotFoundError as problem:
        raise InputError("can't be written: there is no such folder", place=name, hint="make it first") from problem
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise InputError(
            f"can't be written: {reason}", place=name, hint="An existing file there was not changed"
        ) from problem


def is_unchanged(file: ModelFile) -> bool:
    """Return whether a file still has the model and statistics that were read from it."""
    try:
        with open_model(file.path) as archive:
            return archive.digest == file.digest
    except InputError:
        return False


_IN_PLACE_OF_FUNCTIONS = {
    "strip_accents": "use 'ascii', 'unicode' or None, or strip the accents of documents beforehand",
    "analyzer": "use 'word', 'text', 'char' or 'char_wb', or rewrite documents beforehand so that these find the terms",
    "tokenizer": "use token_pattern or analyzer='text', or split documents beforehand and join their words by spaces, "
    r"with token_pattern='\S+'",
    "preprocessor": "use lowercase, strip_accents and tags, or prepare documents beforehand",
}
"""What to use in place of a function, for each setting that can be one."""


def _refuse_functions(model: Model) -> None:
    """Raise `InputError` if a setting of the model is a user's function."""
    functions = {
        "strip_accents": model.strip_accents,
        "analyzer": model.analysis.analyzer,
        "tokenizer": model.analysis.tokenizer,
        "preprocessor": model.preprocessor,
    }
    for name, function in functions.items():
        if callable(function):
            raise InputError(
                f"{name} is the function {getattr(function, '__name__', 'given')!r}, and a model file can't store code",
                hint=_IN_PLACE_OF_FUNCTIONS[name],
            )


def encode(model: Model, statistics: Statistics | None = None) -> bytes:
    """Return the model as bytes, with its statistics if they are given; equal models give equal bytes."""
    _refuse_functions(model)
    check_model(model, "model")
    section: dict[str, Any] | None = None
    statistics_arrays: Arrays = {}
    if statistics is not None:
        from .statistics import encode_statistics

        section, statistics_arrays = encode_statistics(statistics, model)
    header, arrays = header_of(model, section), arrays_of(model)
    restore_scorer(header, arrays, len(model.terms), "model")  # never write a model that could not be read
    restore_calibration(header, arrays, "model")
    return pack(KIND, header, arrays, statistics_arrays, compress=is_sparse(model))
