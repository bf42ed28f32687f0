"""The code on the documentation pages runs, and prints what the pages show."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.running import DOCS, check_page
from tests.terminals import Runner

FOLDERS = ("tutorials", "how-to", "explanation", "gallery")
PAGES = sorted([*(DOCS.glob("*.md")), *(page for folder in FOLDERS for page in (DOCS / folder).glob("*.md"))])
SLOW = {"explanation/projections.md", "explanation/subspaces.md"}
"""Pages that take more than ten seconds."""
UNCONVERTED = {
    "explanation/drop.md",
    "explanation/forward.md",
    "explanation/knn.md",
    "explanation/knnfp.md",
    "explanation/small-models.md",
    "explanation/svm-weights.md",
    "explanation/tcfp.md",
    "explanation/testors.md",
}
"""Pages whose code needs what no block makes; each has a test of its own elsewhere.

The test of such a page must fail. When it passes, take the page off this list.
"""


def cases() -> list[object]:
    made: list[object] = []
    for page in PAGES:
        name = page.relative_to(DOCS).as_posix()
        marks = [pytest.mark.slow] if name in SLOW | UNCONVERTED else []
        if name in UNCONVERTED:
            marks.append(pytest.mark.xfail(reason="not yet in the format of tests/docs/running.py", strict=True))
        made.append(pytest.param(page, id=name, marks=marks))
    return made


@pytest.mark.every_case
@pytest.mark.parametrize("page", cases())
def test_the_code_of_a_page_prints_what_the_page_shows(page: Path, tmp_path: Path, runner: Runner) -> None:
    check_page(page, tmp_path, runner)


def test_exceptions_are_pages() -> None:
    assert {page.relative_to(DOCS).as_posix() for page in PAGES} >= SLOW | UNCONVERTED
