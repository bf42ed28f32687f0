"""Write a model file atomically: a reader always sees either the whole old model or the whole new one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ..archive import Arrays, pack
from ..errors import InputError
from ..files import check_writable, mode_of, replacing
from ..prediction import Model
from .arrays import arrays_of, check_model, is_sparse, restore_calibration, restore_scorer
from .header import ALL_TERMS_KIND, KIND, MAX_BYTES, header_of
from .reading import ModelFile, open_model

if TYPE_CHECKING:
    from ..training.full_statistics import FullStatistics
    from ..training.statistics import Statistics


def write(
    model: Model,
    path: str | os.PathLike[str],
    statistics: Statistics | FullStatistics | None = None,
    *,
    instead_of: ModelFile | None = None,
) -> None:
    """Write a model, and the statistics with which it can be updated if they are given, replacing an existing file.

    Statistics of all terms are written to a file of their own, next to the model: see `statistics_file`.

    If `instead_of` is given, raises `InputError` unless that file still has the model that was read from it. This is
    needed besides the lock (`locking`), which does not stop somebody from copying another model to the path.
    """
    name = os.fspath(path)
    section, arrays, statistics_data = _encode_statistics(statistics, model)
    data = _pack_model(model, section, arrays)
    if len(data) > MAX_BYTES:
        raise InputError(
            f"the model has {len(data):,} bytes, and a model file may have {MAX_BYTES:,}",
            place=name,
            hint="use fewer terms" if statistics is None else "use fewer terms, or leave keep_stats out",
        )
    check_writable(name, what="a model")
    if statistics_data is not None:
        check_writable(statistics_path(name), what="statistics")
    if instead_of is not None and not is_unchanged(instead_of):
        raise InputError(
            "this is another model than the one that was read; nothing was written", place=name, hint="Try again"
        )
    try:
        if statistics_data is not None:
            _finish_interrupted_write(name)
            mode = mode_of(statistics_path(name))
            with replacing(new_statistics_path(name), mode=mode) as file:
                file.write(statistics_data)
        with replacing(name) as file:
            file.write(data)
        if statistics_data is not None:
            _publish_statistics(name)
    except FileNotFoundError as problem:
        raise InputError("can't be written: there is no such folder", place=name, hint="make it first") from problem
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise InputError(
            f"can't be written: {reason}", place=name, hint="An existing file there was not changed"
        ) from problem


def statistics_path(model_path: str) -> str:
    """Return the path of the file with the statistics of all terms of a model; links to one model share it."""
    return f"{os.path.realpath(model_path)}.stats"


def new_statistics_path(model_path: str) -> str:
    """Return the path under which new statistics wait until the model is replaced."""
    return f"{statistics_path(model_path)}.new"


def _publish_statistics(model_path: str) -> None:
    """Replace the statistics of the old model by those that wait for the new one."""
    os.replace(new_statistics_path(model_path), statistics_path(model_path))


def _finish_interrupted_write(model_path: str) -> None:
    """Rename statistics that still wait although their model is in place, because its process was killed in between.

    Otherwise the new statistics would replace the only ones that belong to the model, before the model is replaced.
    """
    waiting = new_statistics_path(model_path)
    if not (os.path.isfile(waiting) and os.path.isfile(model_path)):
        return
    from .statistics_file import KIND as STATISTICS_KIND

    try:
        with open_model(model_path) as model, open_model(waiting, STATISTICS_KIND) as statistics:
            section = model.header.get("statistics") or {}
            belong = section.get("digest") == statistics.digest
    except InputError:  # one of them is no such file, so they do not belong together
        return
    if belong:
        _publish_statistics(model_path)


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


def encode(model: Model, statistics: Statistics | FullStatistics | None = None) -> bytes:
    """Return the model as bytes, with its statistics if they are given; equal models give equal bytes.

    Of the statistics of all terms, which are in a file of their own, the model only has the digest.
    """
    section, arrays, _ = _encode_statistics(statistics, model)
    return _pack_model(model, section, arrays)


def _encode_statistics(
    statistics: Statistics | FullStatistics | None, model: Model
) -> tuple[dict[str, Any] | None, Arrays, bytes | None]:
    """Return what a model file has of the statistics, a section and arrays, and the file of their own if they need one.

    The modules are imported only now, since most models have no statistics.
    """
    if statistics is None:
        return None, {}, None
    from ..training.full_statistics import FullStatistics
    from .statistics import encode_statistics

    if not isinstance(statistics, FullStatistics):
        return *encode_statistics(statistics, model), None
    from .statistics_file import digest_of, encode_full

    data = encode_full(statistics)
    return {"kind": ALL_TERMS_KIND, "digest": digest_of(data)}, {}, data


def _pack_model(model: Model, section: dict[str, Any] | None, statistics_arrays: Arrays) -> bytes:
    """Return the bytes of a model file, given the section and the arrays of its statistics."""
    _refuse_functions(model)
    check_model(model, "model")
    header, arrays = header_of(model, section), arrays_of(model)
    restore_scorer(header, arrays, len(model.terms), "model")  # never write a model that could not be read
    restore_calibration(header, arrays, "model")
    return pack(KIND, header, arrays, statistics_arrays, compress=is_sparse(model))
