"""The code on the documentation pages runs, and prints what the pages show."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.running import DOCS, blocks_of, check_page
from tests.terminals import Runner

FOLDERS = ("tutorials", "how-to", "reference", "explanation", "gallery")
PAGES = sorted([*DOCS.glob("*.md"), *(page for folder in FOLDERS for page in (DOCS / folder).rglob("*.md"))])
CODE = {"python", "console"}
SLOW: set[str] = set()
"""Pages that take more than ten seconds."""


def cases() -> list[object]:
    """Return the pages with code, those that take long marked as slow."""
    pages = {page.relative_to(DOCS).as_posix(): page for page in PAGES}
    with_code = {
        name: page
        for name, page in pages.items()
        if CODE & {block.language for block in blocks_of(page.read_text("utf-8"))}
    }
    assert with_code.keys() >= SLOW
    return [
        pytest.param(page, id=name, marks=[pytest.mark.slow] if name in SLOW else [])
        for name, page in with_code.items()
    ]


@pytest.mark.every_case
@pytest.mark.parametrize("page", cases())
def test_the_code_of_a_page_prints_what_the_page_shows(page: Path, tmp_path: Path, runner: Runner) -> None:
    check_page(page, tmp_path, runner)
