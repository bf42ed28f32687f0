"""The code on the documentation pages runs, and prints what the pages show."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.running import DOCS, blocks_of, check_page
from tests.terminals import Runner

FOLDERS = ("tutorials", "how-to", "reference", "explanation", "gallery")
PAGES = sorted([*DOCS.glob("*.md"), *(page for folder in FOLDERS for page in (DOCS / folder).rglob("*.md"))])
WITH_BLOCKS = [page for page in PAGES if blocks_of(page.read_text(encoding="utf-8"))]


@pytest.mark.every_case
@pytest.mark.parametrize("page", WITH_BLOCKS, ids=[page.relative_to(DOCS).as_posix() for page in WITH_BLOCKS])
def test_the_code_of_a_page_prints_what_the_page_shows(page: Path, tmp_path: Path, runner: Runner) -> None:
    check_page(page, tmp_path, runner)
