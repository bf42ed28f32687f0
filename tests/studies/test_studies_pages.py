"""The committed pages in docs/research/papers have the texts of the papers' modules, and no outdated ones."""

import re
from pathlib import Path

import pytest
from studies.pages import column_text, heading
from studies.paper import Item
from studies.reproduction import PAPERS, find_paper

PAGES = Path(__file__).parents[2] / "docs" / "research" / "papers"


def pieces(text: str) -> list[str]:
    """Return the texts between the numbers, each on one line."""
    return [piece.strip() for piece in re.split(r"\{[^{}]*\}|\n\n", " ".join(text.split("\n"))) if piece.strip()]


def on_one_line(text: str) -> str:
    return " ".join(text.split())


def words_of(item: Item) -> list[str]:
    """Return the texts that must be on the page, whatever was measured."""
    rows = [cell.row.replace("|", r"\|") for cell in item.all_cells]
    columns = [column_text(cell.column) for cell in item.all_cells]
    texts = [piece for text in (item.stands_in, item.remark) for piece in pieces(text)]
    return [f"## {heading(item.name)}: {item.title}", *(claim.text for claim in item.claims), *rows, *columns, *texts]


@pytest.mark.parametrize("name", PAPERS)
def test_a_page_has_all_texts_of_its_paper(name: str) -> None:
    page = on_one_line((PAGES / f"{name}.md").read_text(encoding="utf-8"))
    paper = find_paper(name)
    wanted = [*pieces(paper.setting), *(words for item in paper for words in words_of(item))]
    assert len(wanted) > 50
    assert [words for words in wanted if on_one_line(words) not in page] == []


@pytest.mark.parametrize("name", PAPERS)
def test_the_folder_has_the_figures_of_each_page_and_no_others(name: str) -> None:
    page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    drawn = {f"{name}-{item.name}.svg" for item in find_paper(name) if item.is_figure}
    assert set(re.findall(r"\]\((\S+\.svg)\)", page)) == drawn
    assert {path.name for path in PAGES.glob(f"{name}-*.svg")} == drawn
    assert "A part only" not in page
