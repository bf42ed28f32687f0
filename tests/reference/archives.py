"""The archives of the papers' corpora, unpacked once for all tests of a process."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from textsieve.corpus import Report
from textsieve.corpus.collections import archives, reuters
from textsieve.corpus.collections.archives import Member, read_tar
from textsieve.corpus.read_limits import NAMED_LIMITS, ReadLimits


@cache
def files_in(archive: Path) -> tuple[Member, ...]:
    """Return the files of an archive and their paths in it; read by the reader of collections, and kept in memory."""
    report = Report()
    found = tuple(read_tar(archive, lambda _: True, report, NAMED_LIMITS))
    assert not report.skipped
    return found


def read_archives_once(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Let collections in this folder take the files of an archive, and the stories of Reuters, from memory.

    Each name of a corpus still goes through its own filters, labels and texts.
    """
    read_stories = reuters._stories

    def files(path: Path, wanted: Callable[[str], bool], report: Report, limits: ReadLimits) -> Iterator[Member]:
        if path.parent != folder or limits != NAMED_LIMITS:
            return read_tar(path, wanted, report, limits)
        return (file for file in files_in(path) if wanted(file[0]))

    @cache
    def all_stories(paths: tuple[Path, ...]) -> tuple[reuters.Story, ...]:
        report = Report()
        found = tuple(read_stories(paths, report, NAMED_LIMITS))
        assert not report.skipped
        return found

    def stories(paths: tuple[Path, ...], report: Report, limits: ReadLimits) -> Iterator[reuters.Story]:
        is_known = limits == NAMED_LIMITS and all(path.parent == folder for path in paths)
        return iter(all_stories(paths)) if is_known else read_stories(paths, report, limits)

    patch.setattr(archives, "read_tar", files)
    patch.setattr(reuters, "_stories", stories)
