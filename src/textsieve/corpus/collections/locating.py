"""Where the files of collections are: in the folder that TEXTSIEVE_DATA names, then in the user's cache."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from ...errors import InputError
from .editions import File, Paths

FOLDER = "TEXTSIEVE_DATA"
MIRROR = "TEXTSIEVE_MIRROR"
PACKED = ".gz"
NEVER_PACKED = (".zip", ".mat")
"""Endings of files that are packed in themselves: with another around it, none is looked for."""


class Found(NamedTuple):
    """A file that is there."""

    place: str
    """The setting that led there, or "cache"."""
    paths: Paths


def cache_folder() -> Path:
    """Where downloaded files are kept."""
    from platformdirs import user_cache_path

    return user_cache_path("textsieve", appauthor=False) / "corpora"


def places() -> dict[str, Path]:
    """The folders that are looked through, in their order."""
    named = os.environ.get(FOLDER)
    return ({FOLDER: Path(named).expanduser()} if named else {}) | {"cache": cache_folder()}


def find(file: File) -> Found | None:
    """The file, or the folders that it was unpacked to; None if neither is there.

    A file anywhere goes before folders, and folders that are empty are taken for none: whether a file is whole shows
    when it is read, whether a folder is does not, and half of one would hide a sound file in the next place.
    """
    for place, folder in places().items():
        for name in _names(file):
            if os.path.isfile(folder / name):  # also if it may not be looked at
                return Found(place, (folder / name,))
    for place, folder in places().items():
        folders = tuple(folder / name for name in file.unpacked)
        if folders and all(map(_has_something, folders)):
            return Found(place, folders)
    return None


def _has_something(folder: Path) -> bool:
    """Whether it is a folder with anything in it, or one that may not be looked into."""
    try:
        return folder.is_dir() and any(folder.iterdir())
    except OSError:
        return True


def obtain(file: File, name: str, publisher: str) -> Paths:
    """The file, downloaded if it is not there; `name` is what it is needed for."""
    if found := find(file):
        return found.paths
    if mirror := os.environ.get(MIRROR):
        from .fetching import fetch

        return (fetch(file, mirror, cache_folder()),)
    raise InputError(
        f"{name}: {file.name} is neither in {_data_folder()} nor in {cache_folder()}; get it from {publisher} and put "
        f"it into one of them, or set {MIRROR} to the address of a folder that has it."
    )


def cached(problem: str, files: Iterable[Paths]) -> str:
    """What is to be said, if a problem is with files in the cache: they stay there, and are not downloaded again."""
    folder = cache_folder()
    bad = [path for paths in files for path in paths if str(path) in problem and path.is_relative_to(folder)]
    return f" It is in the cache: delete {' and '.join(map(str, bad))} first." if bad else ""


def _data_folder() -> str:
    """What is to be said of the folder that is looked through first."""
    named = os.environ.get(FOLDER)
    if not named:
        return f"a folder that {FOLDER} names (it is not set)"
    return f"{named} ({FOLDER}{'' if Path(named).expanduser().is_dir() else ', which names no folder'})"


def _names(file: File) -> Iterator[str]:
    """The names that a file may have, with and without the folder before it, packed or not."""
    for name in (file.name, *file.also):
        for each in dict.fromkeys([name, PurePosixPath(name).name]):
            yield each
            if each.endswith(PACKED):
                yield each.removesuffix(PACKED)
            elif not each.endswith(NEVER_PACKED):
                yield each + PACKED
