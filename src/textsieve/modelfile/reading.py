"""Read a model file. A damaged or hostile file, or another kind of file, raises `InputError`.

The size of the file and its first bytes are checked first, then its header, which has the names, types and shapes of
all arrays. The arrays are only read if the header is that of a model, so a large file of another kind costs little
memory. Then the checksum and the values of the arrays are checked, and the `Model` is created. The statistics for
`update` are not read here, but by `statistics.read_statistics`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from ..archive import Archive, Kind, archive_in, open_archive
from ..errors import InputError
from ..prediction import Model
from .arrays import (
    check_declared,
    check_model,
    count_terms,
    decode_idf,
    decode_terms,
    restore_calibration,
    restore_scorer,
    strongest_first,
)
from .header import ALL_TERMS_KIND, KIND, MAX_BYTES, fields_of


class ModelFile(NamedTuple):
    """Facts about a model file at the time when it was read."""

    path: str
    digest: str
    """Identifies the model and its statistics: the SHA-256 of the header, which has the checksums of all arrays."""
    n_bytes: int
    has_statistics: bool
    """Whether the model can be updated."""
    has_statistics_file: bool = False
    """Whether its statistics are those of all terms, which are in a file of their own: see `statistics`."""


class StoredModel(NamedTuple):
    """A model and the file that it was read from."""

    model: Model
    file: ModelFile


def read(path: str | os.PathLike[str]) -> Model:
    """Return the model that `write` wrote to this file."""
    return read_stored(path).model


def read_stored(path: str | os.PathLike[str], *, only_fast_patterns: bool = False) -> StoredModel:
    """Return the model in a file, and facts about the file.

    With `only_fast_patterns`, raise `InputError` for a model whose token pattern may take very long for a document.
    """
    with open_model(os.fspath(path)) as archive:
        return StoredModel(_model(archive, only_fast_patterns=only_fast_patterns), describe(archive))


def decode(data: bytes, name: str = "model") -> Model:
    """Return the model in the bytes of a model file; `name` is the file's name in errors."""
    return _model(archive_in(KIND, data, name))


@contextmanager
def open_model(path: str, kind: Kind = KIND) -> Iterator[Archive]:
    """Open a model file, or a file of another kind, and read its header; raise `InputError` if it can't be read.

    Errors of the operating system inside the context, where arrays are read, are also raised as `InputError`; others
    are not changed.
    """
    try:
        with ExitStack() as stack:
            try:
                archive = stack.enter_context(open_archive(kind, path, max_bytes=MAX_BYTES))
            except InputError:
                raise
            except ValueError as problem:  # for example, the path has a NUL character
                raise InputError(f"can't be read: {problem}.", place=path) from problem
            yield archive
    except FileNotFoundError as problem:
        raise InputError(
            "there is no such file", place=path, hint="check the name, or train a model and save it there"
        ) from problem
    except PermissionError as problem:
        raise InputError("can't be read: you have no permission", place=path, hint="ask its owner for it") from problem
    except OSError as problem:
        raise InputError(f"can't be read: {problem.strerror or problem}.", place=path) from problem


def describe(archive: Archive) -> ModelFile:
    """Return the facts about a model file, after its header was checked."""
    section = archive.header["statistics"]
    has_file = section is not None and section["kind"] == ALL_TERMS_KIND
    return ModelFile(archive.name, archive.digest, archive.n_bytes, section is not None, has_file)


def _model(archive: Archive, *, only_fast_patterns: bool = False) -> Model:
    """Return the model in an archive; raise `InputError` if it is not sound."""
    names = check_declared(archive, only_fast_patterns=only_fast_patterns)
    header, arrays, name = archive.header, archive.read(names), archive.name
    # The scorer checks the number of terms, so it is restored before the terms are decoded.
    scorer = restore_scorer(header, arrays, count_terms(arrays), name)
    fields = fields_of(header)
    model = Model(
        **fields,
        terms=decode_terms(arrays, name, fields["analysis"]),
        class_docs=tuple(arrays["class_docs"].tolist()),
        idf=decode_idf(arrays),
        scorer=scorer,
        thresholds=arrays.get("thresholds"),
        calibration=restore_calibration(header, arrays, name),
    )
    check_model(model, name)
    return strongest_first(model)
