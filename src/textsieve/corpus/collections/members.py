"""The files of a collection, in archives (tar or zip, packed or not) or in folders, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ..batch import Report
from ..bounds import Bounds
from ..folders import walk
from ..streams import read_document
from .archives import Member, is_zip, members_of_tar, members_of_zip


def last_part(name: str) -> str:
    """The name of a file without its folders; pathlib interns each, and a table of the whole process grows."""
    return name.rpartition("/")[2]


def members(paths: Iterable[Path], wanted: Callable[[str], bool], report: Report, bounds: Bounds) -> Iterator[Member]:
    """Yield the files whose path is wanted, in the order of an archive; those of a folder in the order of their names.

    Hidden files, which some systems leave behind, are skipped and counted.
    """

    def is_wanted(name: str) -> bool:
        if not wanted(name):
            return False
        if hidden := last_part(name).startswith("."):
            report.skip("hidden files")
        return not hidden

    for path in paths:
        if path.is_dir():
            yield from _of_folder(path, is_wanted, report, bounds)
        elif is_zip(path):
            yield from members_of_zip(path, is_wanted, report, bounds)
        else:
            yield from members_of_tar(path, is_wanted, report, bounds)


def _of_folder(folder: Path, wanted: Callable[[str], bool], report: Report, bounds: Bounds) -> Iterator[Member]:
    for file in walk(folder, report, follow_links=bounds.follow_links):
        if wanted(name := f"{folder.name}/{file.name}"):
            yield name, read_document(file.path, bounds)
