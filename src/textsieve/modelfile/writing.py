"""Write a model file atomically, and lock it: a reader always sees either the whole old model or the whole new one.

A process holds the lock (`locked`) while it changes a model that can be updated, from reading the model to writing it.
The lock is on an empty file next to the model, such as `news.sieve.lock` for `news.sieve`, and is taken by the library
`filelock`. The operating system releases it if the process is killed. The file is removed before the lock is released.
If another process opened the file just before, and locks it after that, `filelock` notices that the file is gone, and
tries again.

Only a model with statistics or sources can be updated. So a process that writes a model without statistics takes the
lock only if it would replace a model with statistics or sources, or if there is a lock file already.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from ..archive import Arrays, pack
from ..errors import InputError
from ..files import check_writable, mode_of, replacing, unwritable
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

    Statistics of all terms are written to a file of their own, next to the model: see `statistics`.

    If `instead_of` is given, raises `InputError` unless that file still has the model that was read from it. This is
    needed besides the lock (`locked`), which does not stop somebody from copying another model to the path.
    """
    name = os.fspath(path)
    encoded_statistics = _encode_statistics(statistics, model)
    data = _pack_model(model, encoded_statistics)
    if len(data) > MAX_BYTES:
        raise InputError(
            f"the model has {len(data):,} bytes, and a model file may have {MAX_BYTES:,}",
            place=name,
            hint="use fewer terms" if statistics is None else "use fewer terms, or leave keep_stats out",
        )
    check_writable(name, what="a model")
    own_file = encoded_statistics.own_file
    if own_file is not None:
        check_writable(statistics_path(name), what="statistics")
    if instead_of is not None and not is_unchanged(instead_of):
        raise InputError(
            "this is another model than the one that was read; nothing was written", place=name, hint="Try again"
        )
    try:
        if own_file is not None:
            _finish_interrupted_write(name)
            mode = mode_of(statistics_path(name))
            with replacing(new_statistics_path(name), mode=mode) as file:
                file.write(own_file)
        with replacing(name) as file:
            file.write(data)
        if own_file is not None:
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
    """Rename the statistics that a killed process has left under their temporary name, if their model is in place.

    `write` uses the temporary name for the next statistics. Without this step it would overwrite the only statistics
    that belong to the present model, before that model is replaced.
    """
    waiting = new_statistics_path(model_path)
    if not (os.path.isfile(waiting) and os.path.isfile(model_path)):
        return
    from .statistics import FILE_KIND

    try:
        with open_model(model_path) as model, open_model(waiting, FILE_KIND) as statistics:
            section = model.header.get("statistics") or {}
            belong_together = section.get("digest") == statistics.digest
    except InputError:  # one of the files is not sound, so they do not belong together
        return
    if belong_together:
        _publish_statistics(model_path)


def is_unchanged(file: ModelFile) -> bool:
    """Return whether a file still has the model and statistics that were read from it."""
    try:
        with open_model(file.path) as archive:
            return archive.digest == file.digest
    except InputError:
        return False


_FUNCTION_HINTS = {
    "strip_accents": "use 'ascii', 'unicode' or None, or strip the accents of documents beforehand",
    "analyzer": "use 'word', 'text', 'char' or 'char_wb', or rewrite documents beforehand so that these find the terms",
    "tokenizer": "use token_pattern or analyzer='text', or split documents beforehand and join their words by spaces, "
    r"with token_pattern='\S+'",
    "preprocessor": "use lowercase, strip_accents and tags, or prepare documents beforehand",
}
"""What to do instead of giving a function, for each setting that may be a function."""


def _require_no_functions(model: Model) -> None:
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
                hint=_FUNCTION_HINTS[name],
            )


def encode(model: Model, statistics: Statistics | FullStatistics | None = None) -> bytes:
    """Return the model as bytes, with its statistics if they are given; equal models give equal bytes.

    Of the statistics of all terms, which are in a file of their own, the model only has the digest.
    """
    return _pack_model(model, _encode_statistics(statistics, model))


class EncodedStatistics(NamedTuple):
    """Statistics as they are stored: what the model file has of them, and the bytes of their own file."""

    section: dict[str, Any] | None
    """The section `statistics` of the header; None for a model without statistics."""
    arrays: Arrays
    own_file: bytes | None
    """The file with the statistics of all terms; None for other statistics, which the model file contains."""


def _encode_statistics(statistics: Statistics | FullStatistics | None, model: Model) -> EncodedStatistics:
    """Return the statistics of a model as they are stored.

    The modules are imported only now, since most models have no statistics.
    """
    if statistics is None:
        return EncodedStatistics(None, {}, None)
    from ..training.full_statistics import FullStatistics
    from .statistics import digest_of, encode_full, encode_statistics

    if not isinstance(statistics, FullStatistics):
        section, arrays = encode_statistics(statistics, model)
        return EncodedStatistics(section, arrays, None)
    own_file = encode_full(statistics)
    return EncodedStatistics({"kind": ALL_TERMS_KIND, "digest": digest_of(own_file)}, {}, own_file)


def _pack_model(model: Model, statistics: EncodedStatistics) -> bytes:
    """Return the bytes of a model file."""
    _require_no_functions(model)
    check_model(model, "model")
    header, arrays = header_of(model, statistics.section), arrays_of(model)
    restore_scorer(header, arrays, len(model.terms), "model")  # never write a model that could not be read
    restore_calibration(header, arrays, "model")
    return pack(KIND, header, arrays, statistics.arrays, compress=is_sparse(model))


LOCK_SECONDS = 0.2
"""Seconds to try to get the lock: enough for a second attempt, and too little to wait for another process."""


@contextmanager
def locked(path: str) -> Iterator[None]:
    """Hold the lock of a model file inside this context; raise `InputError` if another process holds it.

    The lock file is created, and removed at the end.
    """
    from filelock import FileLock, Timeout  # its import takes longer than reading a model

    lock_path = _lock_path(path)
    folder = os.path.dirname(lock_path)
    if not os.path.isdir(folder):  # filelock would create it
        raise unwritable(path, f"there is no folder {folder}", "make it first")
    _check_lock_file(lock_path)
    lock = FileLock(lock_path, timeout=LOCK_SECONDS)
    try:
        lock.acquire()
    except Timeout as problem:
        raise InputError(
            "the model is being written or updated by another process", place=path, hint="try again when that is done"
        ) from problem
    except (OSError, NotImplementedError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise InputError(f"can't be locked: {lock_path}: {reason}.", place=path) from problem
    try:
        yield
    finally:
        with suppress(OSError):  # Windows removes no open file
            os.unlink(lock_path)
        lock.release()


def may_be_updated(path: str) -> bool:
    """Return whether another process might be updating the model at a path.

    That is possible if there is a lock file, or a model with statistics or sources.
    """
    if os.path.lexists(_lock_path(path)):
        return True
    try:
        with open_model(path) as archive:
            about = archive.header.get("about")
            return archive.header.get("statistics") is not None or (isinstance(about, dict) and "sources" in about)
    except InputError:  # there is no model at the path
        return False


def _lock_path(path: str) -> str:
    """Return the path of the lock file; links to one model share it."""
    return f"{os.path.realpath(path)}.lock"


def _check_lock_file(path: str) -> None:
    """Raise `InputError` for a file that textsieve did not create, since it would be removed with the lock."""
    try:
        status = os.lstat(path)
    except OSError:
        return  # there is no such file
    if stat.S_ISLNK(status.st_mode):
        what = "a link"
    elif not stat.S_ISREG(status.st_mode):
        what = "a pipe or a device"
    elif status.st_size > 0:
        what = f"a file of {status.st_size:,} bytes"
    else:
        return
    raise InputError(
        f"this is {what}, and textsieve uses the name for an empty lock file", place=path, hint="move it away"
    )
