"""The files of a collection, in archives (tar or zip, packed or not) or in folders, one after the other."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ..batch import Report
from ..streams import cannot_read, open_bytes
from . import archives
from .archives import TOO_LARGE, Member, is_zip, members_of_tar, members_of_zip


def last_part(name: str) -> str:
    """The name of a file without its folders; pathlib interns each, and a table of the whole process grows."""
    return name.rpartition("/")[2]


def members(paths: Iterable[Path], wanted: Callable[[str], bool], report: Report) -> Iterator[Member]:
    """The files whose path is wanted, in the order of the archives; those of a folder in the order of their names.

    Hidden files, which some systems leave behind, are passed over and counted.
    """

    def is_wanted(name: str) -> bool:
        if not wanted(name):
            return False
        if hidden := last_part(name).startswith("."):
            report.skip("hidden files")
        return not hidden

    for path in paths:
        if path.is_dir():
            yield from _of_folder(path, is_wanted, report)
        elif is_zip(path):
            yield from members_of_zip(path, is_wanted, report)
        else:
            yield from members_of_tar(path, is_wanted, report)


def _of_folder(folder: Path, wanted: Callable[[str], bool], report: Report) -> Iterator[Member]:
    for above, folders, files in os.walk(folder, onerror=_refuse):
        folders.sort()
        for name in sorted(files):
            path = Path(above, name)
            inside = path.relative_to(folder.parent).as_posix()
            if not wanted(inside):
                continue
            with open_bytes(path) as file:
                data = file.read(archives.MOST_BYTES + 1)
            if len(data) > archives.MOST_BYTES:
                report.skip(TOO_LARGE)
            else:
                yield inside, data


def _refuse(problem: OSError) -> None:
    raise cannot_read(problem.filename, problem) from problem
