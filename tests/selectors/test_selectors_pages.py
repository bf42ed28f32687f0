"""The numbers of docs/explanation/tofa.md; `tests/docs` runs its code."""

import re
from pathlib import Path

import numpy as np
import pytest

from textsieve import TOFA, OrthogonalCentroid

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "tofa.md"
TEXT = PAGE.read_text(encoding="utf-8")


def rows_under(title: str) -> list[list[str]]:
    """Return the rows of the table whose first line has this title."""
    table = re.search(rf"^\| {re.escape(title)}.*\n\|[-|: ]+\n((?:\|.*\n)+)", TEXT, re.MULTILINE)
    assert table is not None
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[1].splitlines()]


DOCUMENTS = rows_under("| class | goal")
WEIGHTS = np.array([[float(cell) for cell in row[2:]] for row in DOCUMENTS])
LABELS = [row[1] or None for row in DOCUMENTS]


def test_the_scores_of_the_page() -> None:
    table = rows_under("weight")
    assert [row[0] for row in table] == ["0", "1", "2"]
    for weight, *expected in table:
        scores = TOFA(weight=float(weight), k="all").fit(WEIGHTS[:4], LABELS[:4]).scores_
        assert scores == pytest.approx([float(cell) for cell in expected], abs=1e-12)


def test_the_document_without_a_label() -> None:
    assert LABELS[4] is None
    assert TOFA(weight=0.0, k="all").fit(WEIGHTS).scores_ == pytest.approx([1.36, 2.24, 0.96])
    assert TOFA(weight=0.5, k="all").fit(WEIGHTS, LABELS).scores_ == pytest.approx([1.18, 1.62, 0.48])
    text = " ".join(TEXT.split())
    assert "1.36, 2.24 and 0.96" in text
    assert "1.18, 1.62 and 0.48" in text


def test_the_projection_of_the_same_documents() -> None:
    """The means differ only along goal - ballot, with the eigenvalue 1 + 1."""
    projection = OrthogonalCentroid().fit(WEIGHTS[:4], LABELS[:4])
    assert projection.eigenvalues_ == pytest.approx([2.0])
    assert np.abs(projection.components_) == pytest.approx(np.array([[0.5**0.5, 0.5**0.5, 0.0]]))
