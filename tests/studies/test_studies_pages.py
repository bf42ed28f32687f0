"""The pages of a full run, as they are committed, are what the papers' data would write: no words of an older one."""

import re
from pathlib import Path

import pytest
from studies.pages import column_text, heading
from studies.paper import Item
from studies.reproduction import PAPERS, find_paper

PAGES = Path(__file__).parents[2] / "docs" / "papers"


def pieces(text: str) -> list[str]:
    """Words between the places of numbers, on one line."""
    return [piece.strip() for piece in re.split(r"\{[^{}]*\}|\n\n", " ".join(text.split("\n"))) if piece.strip()]


def on_one_line(text: str) -> str:
    return " ".join(text.split())


def words_of(item: Item) -> list[str]:
    """What has to be on the page, whatever was measured."""
    rows = [each.row.replace("|", r"\|") for each in item.all_cells]
    columns = [column_text(each.column) for each in item.all_cells]
    told = [piece for text in (item.stands_in, item.remark) for piece in pieces(text)]
    return [f"## {heading(item.name)}: {item.title}", *(claim.text for claim in item.claims), *rows, *columns, *told]


@pytest.mark.parametrize("name", PAPERS)
def test_a_page_has_all_words_of_its_paper(name: str) -> None:
    page = on_one_line((PAGES / f"{name}.md").read_text(encoding="utf-8"))
    paper = find_paper(name)
    wanted = [*pieces(paper.setting), *(words for item in paper for words in words_of(item))]
    assert len(wanted) > 50
    assert [words for words in wanted if on_one_line(words) not in page] == []


@pytest.mark.parametrize("name", PAPERS)
def test_a_page_has_its_figures_and_no_others_lie_there(name: str) -> None:
    page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    drawn = {f"{name}-{item.name}.svg" for item in find_paper(name) if item.is_figure}
    assert set(re.findall(r"\]\((\S+\.svg)\)", page)) == drawn
    assert {path.name for path in PAGES.glob(f"{name}-*.svg")} == drawn
    assert "A part only" not in page
