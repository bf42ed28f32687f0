"""The archives of the papers' corpora, unpacked once for all tests of a process."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from textsieve.corpus import Report
from textsieve.corpus.bounds import NAMED_LIMITS, ReadLimits
from textsieve.corpus.collections import archives, reuters
from textsieve.corpus.collections.archives import Member, members_of_tar


@cache
def files_in(archive: Path) -> tuple[Member, ...]:
    """Return the files of an archive and their paths in it; read by the reader of collections, and kept in memory."""
    report = Report()
    found = tuple(members_of_tar(archive, lambda _: True, report, NAMED_LIMITS))
    assert not report.skipped
    return found


def read_archives_once(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Let collections in this folder take the files of an archive, and the stories of Reuters, from memory.

    Each name of a corpus still goes through its own filters, labels and texts.
    """
    read_stories = reuters._stories

    def files(path: Path, wanted: Callable[[str], bool], report: Report, bounds: ReadLimits) -> Iterator[Member]:
        if path.parent != folder or bounds != NAMED_LIMITS:
            return members_of_tar(path, wanted, report, bounds)
        return (file for file in files_in(path) if wanted(file[0]))

    @cache
    def all_stories(paths: tuple[Path, ...]) -> tuple[reuters.Story, ...]:
        report = Report()
        found = tuple(read_stories(paths, report, NAMED_LIMITS))
        assert not report.skipped
        return found

    def stories(paths: tuple[Path, ...], report: Report, bounds: ReadLimits) -> Iterator[reuters.Story]:
        is_known = bounds == NAMED_LIMITS and all(path.parent == folder for path in paths)
        return iter(all_stories(paths)) if is_known else read_stories(paths, report, bounds)

    patch.setattr(archives, "members_of_tar", files)
    patch.setattr(reuters, "_stories", stories)
