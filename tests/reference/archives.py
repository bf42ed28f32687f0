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
    """Return the paths and contents of the files in an archive; they stay in memory."""
    report = Report()
    files = tuple(read_tar(archive, lambda _: True, report, NAMED_LIMITS))
    assert not report.skipped
    return files


def read_archives_once(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Let collections in this folder read archives, and the stories of Reuters, from memory after the first time.

    Each named corpus still applies its own filters, and extracts its own labels and texts.
    """
    read_stories = reuters._stories

    def files(path: Path, wanted: Callable[[str], bool], report: Report, limits: ReadLimits) -> Iterator[Member]:
        if path.parent != folder or limits != NAMED_LIMITS:
            return read_tar(path, wanted, report, limits)
        return (file for file in files_in(path) if wanted(file[0]))

    @cache
    def all_stories(paths: tuple[Path, ...]) -> tuple[reuters.Story, ...]:
        report = Report()
        parsed_stories = tuple(read_stories(paths, report, NAMED_LIMITS))
        assert not report.skipped
        return parsed_stories

    def stories(paths: tuple[Path, ...], report: Report, limits: ReadLimits) -> Iterator[reuters.Story]:
        is_known = limits == NAMED_LIMITS and all(path.parent == folder for path in paths)
        return iter(all_stories(paths)) if is_known else read_stories(paths, report, limits)

    patch.setattr(archives, "read_tar", files)
    patch.setattr(reuters, "_stories", stories)
