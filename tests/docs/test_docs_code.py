"""The code on the documentation pages runs, and prints what the pages show."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import pytest

from tests.docs.running import DOCS, ROOT, check_page
from tests.terminals import Runner

FOLDERS = ("tutorials", "how-to", "explanation", "gallery")
PAGES = sorted([*(DOCS.glob("*.md")), *(page for folder in FOLDERS for page in (DOCS / folder).glob("*.md"))])
SLOW = {"explanation/projections.md", "explanation/subspaces.md", "tutorials/compare-selectors.md"}
"""Pages that take more than ten seconds."""
PINNED = {"tutorials/compare-selectors.md"}
"""Pages whose output depends on the versions of the packages whose docstrings they use: those in constraints.txt."""
UNCONVERTED = {
    "explanation/drop.md",
    "explanation/forward.md",
    "explanation/knn.md",
    "explanation/knnfp.md",
    "explanation/small-models.md",
    "explanation/svm-weights.md",
    "explanation/tcfp.md",
    "explanation/testors.md",
    "how-to/check.md",
    "how-to/corpora.md",
    "how-to/evaluate.md",
    "how-to/notebooks.md",
    "how-to/predict.md",
    "how-to/serve.md",
    "how-to/spark-ml.md",
    "how-to/spark.md",
    "how-to/suggest.md",
    "how-to/thresholds.md",
}
"""Pages whose code needs what no block makes; each has a test of its own elsewhere.

The test of such a page must fail. When it passes, take the page off this list.
"""


def has_pinned_versions() -> bool:
    """Return whether the packages that the corpus `docstrings` is made of have the versions of constraints.txt."""
    pinned = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line)
    return all(version(name) == pinned[name] for name in ("numpy", "scipy", "scikit-learn"))


def cases() -> list[object]:
    made: list[object] = []
    for page in PAGES:
        name = page.relative_to(DOCS).as_posix()
        marks = [pytest.mark.slow] if name in SLOW | UNCONVERTED else []
        if name in PINNED:
            marks.append(pytest.mark.skipif(not has_pinned_versions(), reason="shows results of other versions"))
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
