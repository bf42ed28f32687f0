"""The files of collections, as their publishers ship them, and where they are on this machine.

They are looked up in the folder that TEXTSIEVE_DATA names, then in the user's cache.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from ...errors import InputError

FOLDER = "TEXTSIEVE_DATA"
MIRROR = "TEXTSIEVE_MIRROR"
PACKED = ".gz"
NEVER_PACKED = (".zip", ".mat")
"""Extensions of files with built-in compression, for which no gzipped version is looked up."""


Paths = tuple[Path, ...]
"""The path of a file, or the paths of the folders that it was unpacked to."""


@dataclass(frozen=True, slots=True)
class File:
    """A file of a collection, as its publisher ships it."""

    name: str
    """Its path relative to the data folder; it is also found there without its own folder."""
    sha256: tuple[str, ...] = ()
    """Accepted checksums of a download, one for each way it is packed; local files are not checked."""
    also: tuple[str, ...] = ()
    """Alternative names."""
    unpacked: tuple[str, ...] = ()
    """The folders that it unpacks to, which replace the file if all of them exist."""
    part: str | None = None
    """The part that needs the file; None for both."""


class FileLocation(NamedTuple):
    """Where a file of a collection is."""

    place: str
    """The setting that names its folder, or "cache"."""
    paths: Paths


def cache_folder() -> Path:
    """Return the folder for downloaded files."""
    from platformdirs import user_cache_path

    return user_cache_path("textsieve", appauthor=False) / "corpora"


def places() -> dict[str, Path]:
    """Return the folders to search, in order."""
    named = os.environ.get(FOLDER)
    return ({FOLDER: Path(named).expanduser()} if named else {}) | {"cache": cache_folder()}


def find(file: File) -> FileLocation | None:
    """Return the location of a file, or of the folders that it was unpacked to; None if neither exists.

    A file in any place takes precedence over folders, and empty folders are ignored: reading shows whether a file is
    complete, but not whether a folder is, and an incomplete folder would hide a complete file in the next place.
    """
    for place, folder in places().items():
        for name in _names(file):
            if os.path.isfile(folder / name):  # true even if the file may not be read
                return FileLocation(place, (folder / name,))
    for place, folder in places().items():
        folders = tuple(folder / name for name in file.unpacked)
        if folders and all(map(_has_something, folders)):
            return FileLocation(place, folders)
    return None


def _has_something(folder: Path) -> bool:
    """Return whether a path is a nonempty folder, or one that may not be read."""
    try:
        return folder.is_dir() and any(folder.iterdir())
    except OSError:
        return True


def obtain(file: File, name: str, publisher: str) -> Paths:
    """Return the path of a file, downloading it if necessary; `name` is the corpus that needs it."""
    if location := find(file):
        return location.paths
    if mirror := os.environ.get(MIRROR):
        from .downloads import fetch

        return (fetch(file, mirror, cache_folder()),)
    raise InputError(
        f"{file.name} is neither in {_data_folder()} nor in {cache_folder()}; get it from {publisher} and put "
        f"it into one of them, or set {MIRROR} to the address of a folder that has it.",
        place=name,
    )


def with_cache_hint(problem: InputError, files: Iterable[Paths]) -> InputError:
    """Return the error with the hint to delete the file that it is about, if that is in the cache."""
    if problem.place is None:
        return problem
    place = Path(problem.place.source)
    advice = cache_hint(path for paths in files for path in paths if place.is_relative_to(path))
    if not advice:
        return problem
    hinted = problem.at(problem.place)
    hinted.hint = (*([problem.hint] if isinstance(problem.hint, str) else problem.hint), advice)
    return hinted


def cache_hint(paths: Iterable[Path]) -> str:
    """Return the hint to delete those files that are in the cache, or "": they would not be downloaded again."""
    folder = cache_folder()
    cached = [str(path) for path in paths if path.is_relative_to(folder)]
    return f"It is in the cache: delete {' and '.join(cached)} first." if cached else ""


def _data_folder() -> str:
    """Describe the folder that TEXTSIEVE_DATA names, for messages."""
    named = os.environ.get(FOLDER)
    if not named:
        return f"a folder that {FOLDER} names (it is not set)"
    return f"{named} ({FOLDER}{'' if Path(named).expanduser().is_dir() else ', which names no folder'})"


def _names(file: File) -> Iterator[str]:
    """Yield the names that a file may have: with and without its folder, compressed or not."""
    for name in (file.name, *file.also):
        for candidate in dict.fromkeys([name, PurePosixPath(name).name]):
            yield candidate
            if candidate.endswith(PACKED):
                yield candidate.removesuffix(PACKED)
            elif not candidate.endswith(NEVER_PACKED):
                yield candidate + PACKED
