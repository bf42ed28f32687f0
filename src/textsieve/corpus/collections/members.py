"""Stream the files of a collection from archives (tar or zip, compressed or not) or folders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ..batch import Report
from ..bounds import ReadLimits
from ..folders import walk
from ..streams import read_document
from .archives import Member, is_zip, members_of_tar, members_of_zip


def last_part(name: str) -> str:
    """Return the name of a file without its folders.

    pathlib is not used: it would intern each name in a process-wide table that only grows.
    """
    return name.rpartition("/")[2]


def members(
    paths: Iterable[Path], wanted: Callable[[str], bool], report: Report, bounds: ReadLimits
) -> Iterator[Member]:
    """Yield the files for whose path `wanted` is true.

    Files of an archive come in its order, those of a folder sorted by name. Hidden files, which some systems leave
    behind, are skipped and counted.
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


def _of_folder(folder: Path, wanted: Callable[[str], bool], report: Report, bounds: ReadLimits) -> Iterator[Member]:
    for file in walk(folder, report, follow_links=bounds.follow_links):
        if wanted(name := f"{folder.name}/{file.name}"):
            yield name, read_document(file.path, bounds)
