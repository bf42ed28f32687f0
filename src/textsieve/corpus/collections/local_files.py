"""The files of collections, as their publishers ship them, and where they are on this machine.

A file is looked up in the folder that the environment variable TEXTSIEVE_DATA names, and then in the user's cache.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from ...errors import InputError

DATA_VARIABLE = "TEXTSIEVE_DATA"
"""The environment variable that names the folder with the files of collections."""
MIRROR_VARIABLE = "TEXTSIEVE_MIRROR"
"""The environment variable with the address from which missing files are downloaded."""
PACKED = ".gz"
NEVER_PACKED = (".zip", ".mat")
"""Extensions of files with built-in compression, for which no gzipped version is looked up."""


Paths = tuple[Path, ...]
"""The path of a file, or the paths of the folders that it was unpacked to."""


@dataclass(frozen=True, slots=True)
class File:
    """A file of a collection, as its publisher ships it."""

    name: str
    """Its path relative to the data folder, such as rcv1/topics.gz; it may also be in the data folder itself."""
    sha256: tuple[str, ...] = ()
    """Accepted checksums of a download, one for each way it is packed; files that are already here are not checked."""
    also: tuple[str, ...] = ()
    """Other names under which it is looked up, because some publishers use them."""
    unpacked: tuple[str, ...] = ()
    """The folders that it unpacks to, which replace the file if all of them exist."""
    part: str | None = None
    """The part that needs the file; None for both."""


class FileLocation(NamedTuple):
    """Where a file of a collection is."""

    origin: str
    """The name of the environment variable that names its folder, or "cache"."""
    paths: Paths


def cache_folder() -> Path:
    """Return the folder for downloaded files."""
    from platformdirs import user_cache_path

    return user_cache_path("textsieve", appauthor=False) / "corpora"


def _search_folders() -> dict[str, Path]:
    """Return the folders to search, by origin, in the order in which they are searched."""
    data_folder = os.environ.get(DATA_VARIABLE)
    return ({DATA_VARIABLE: Path(data_folder).expanduser()} if data_folder else {}) | {"cache": cache_folder()}


def find(file: File) -> FileLocation | None:
    """Return the location of a file, or of the folders that it was unpacked to; None if neither exists.

    A file takes precedence over unpacked folders, even if the file is in the cache and the folders are in the data
    folder: reading shows whether a file is complete, but not whether a folder is. Empty folders are ignored.
    """
    for origin, folder in _search_folders().items():
        for name in _possible_names(file):
            if os.path.isfile(folder / name):  # true even if the file may not be read
                return FileLocation(origin, (folder / name,))
    for origin, folder in _search_folders().items():
        unpacked_folders = tuple(folder / name for name in file.unpacked)
        if unpacked_folders and all(map(_is_nonempty, unpacked_folders)):
            return FileLocation(origin, unpacked_folders)
    return None


def _is_nonempty(folder: Path) -> bool:
    """Return whether a path is a nonempty folder, or one that may not be read, so that reading it raises the error."""
    try:
        return folder.is_dir() and any(folder.iterdir())
    except OSError:
        return True


def obtain(file: File, name: str, publisher: str) -> Paths:
    """Return the paths of a file or of its unpacked folders; download the file if it is not here.

    `name` and `publisher` are those of the corpus that needs it, for the error.
    """
    if location := find(file):
        return location.paths
    if mirror := os.environ.get(MIRROR_VARIABLE):
        from .downloads import fetch

        return (fetch(file, mirror, cache_folder()),)
    raise InputError(
        f"{file.name} is neither in {_describe_data_folder()} nor in {cache_folder()}",
        place=name,
        hint=f"get it from {publisher} and put it into one of them, or set {MIRROR_VARIABLE} to the address of a "
        "folder that has it",
    )


def with_cache_hint(problem: InputError, files: Iterable[Paths]) -> InputError:
    """Return the error with the hint to delete the file that it is about, if that is in the cache."""
    if problem.place is None:
        return problem
    place = Path(problem.place.source)
    hint_to_delete = cache_hint(path for paths in files for path in paths if place.is_relative_to(path))
    if not hint_to_delete:
        return problem
    hint = (problem.hint,) if isinstance(problem.hint, str) else problem.hint
    return problem.with_fields(hint=(*hint, ". " if problem.hint else "", hint_to_delete))


def cache_hint(paths: Iterable[Path]) -> str:
    """Return the hint to delete the files in the cache, so that they are downloaded again; "" if none is there."""
    folder = cache_folder()
    cached = [str(path) for path in paths if path.is_relative_to(folder)]
    return f"It is in the cache: delete {' and '.join(cached)} first." if cached else ""


def _describe_data_folder() -> str:
    """Describe the folder that TEXTSIEVE_DATA names, for messages."""
    folder = os.environ.get(DATA_VARIABLE)
    if not folder:
        return f"a folder that {DATA_VARIABLE} names (it is not set)"
    return f"{folder} ({DATA_VARIABLE}{'' if Path(folder).expanduser().is_dir() else ', which names no folder'})"


def _possible_names(file: File) -> Iterator[str]:
    """Yield the names that a file may have: with and without its folder, compressed or not."""
    for name in (file.name, *file.also):
        for candidate in dict.fromkeys([name, PurePosixPath(name).name]):
            yield candidate
            if candidate.endswith(PACKED):
                yield candidate.removesuffix(PACKED)
            elif not candidate.endswith(NEVER_PACKED):
                yield candidate + PACKED
