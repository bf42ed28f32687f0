"""Notebook displays in a real browser: readable in light and dark mode, harmless, and the notebook keeps its style."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser import Browser
from tests.colours import readability
from tests.display.test_display_objects import hostile_objects
from textsieve.display import Column, card, page_html, table

PAGE = """<!DOCTYPE html><meta charset="utf-8"><body data-jp-theme-light="{is_light}">
<style>body {{ margin: 1rem; background: {ground}; color: {ink}; }}
.jp-RenderedHTMLCommon tbody tr:nth-child(odd) {{ background: #ff0000; }}
.jp-RenderedHTMLCommon td {{ text-align: right; }}</style>
<p id="own">A paragraph of the notebook</p><table><tr><td id="cell">its cell</td></tr></table>
<div class="jp-RenderedHTMLCommon">{content}</div></body>"""


@pytest.fixture(scope="module")
def displays() -> list[str]:
    """Return the HTML of all objects, with hostile texts."""
    return [displayed._repr_html_() for displayed in hostile_objects().values()]


def write_page(folder: Path, displays: list[str], *, is_dark: bool) -> Path:
    ground, ink = ("#111111", "#eeeeee") if is_dark else ("#ffffff", "#111111")
    content = "".join(displays)
    page = PAGE.format(is_light=str(not is_dark).lower(), ground=ground, ink=ink, content=content)
    (folder / "x.html").write_text(page, encoding="utf-8")
    return folder / "x.html"


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
def test_letters_have_contrast_in_the_theme_of_the_notebook(
    is_dark: bool, browser: Browser, displays: list[str], tmp_path: Path
) -> None:
    browser.look(dark=not is_dark)  # the theme of the notebook decides, not that of the system
    browser.open(write_page(tmp_path, displays, is_dark=is_dark))
    assert min(readability(browser).values()) >= 4.5
    assert browser.run("return getComputedStyle(document.querySelector('.textsieve')).colorScheme") == (
        "dark" if is_dark else "light"
    )


def test_hostile_texts_do_not_run(browser: Browser, displays: list[str], tmp_path: Path) -> None:
    page = write_page(tmp_path, displays, is_dark=False)
    browser.open(page)
    assert browser.run("return window.hacked ?? null") is None
    assert browser.all(".textsieve img, .textsieve script") == []
    assert browser.requests() == [page.as_uri()]
    assert browser.complaints() == []


def test_the_notebook_keeps_its_style_and_the_display_its_own(
    browser: Browser, displays: list[str], tmp_path: Path
) -> None:
    def style(selector: str, name: str) -> str:
        value: str = browser.run(
            "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]", selector, name
        )
        return value

    browser.open(write_page(tmp_path, [], is_dark=False))
    before = [style(selector, "font") + style(selector, "padding") for selector in ("#own", "#cell")]
    browser.open(write_page(tmp_path, displays, is_dark=False))
    assert [style(selector, "font") + style(selector, "padding") for selector in ("#own", "#cell")] == before
    assert style(".textsieve tbody tr", "backgroundColor") == "rgba(0, 0, 0, 0)"
    assert style(".textsieve tbody td", "textAlign") == "left"


def test_a_narrow_window_is_not_scrolled_sideways(browser: Browser, displays: list[str], tmp_path: Path) -> None:
    browser.size(700)
    browser.open(write_page(tmp_path, displays, is_dark=False))
    assert browser.run("return document.documentElement.scrollWidth") == 700


def test_words_are_not_squeezed_on_a_phone(browser: Browser, tmp_path: Path) -> None:
    rows = [("electronics", "7,000", "0.123", "hardware", "a text of several words " * 6)] * 3
    columns: list[Column | str] = [
        "class",
        Column("documents", is_number=True),
        Column("share", is_number=True),
        "taken for",
        "text",
    ]
    (tmp_path / "x.html").write_text(page_html("A table", card("A table", table(columns, rows))), encoding="utf-8")
    browser.size(360)
    browser.open(tmp_path / "x.html")
    width, wide = browser.run("return [document.documentElement.scrollWidth, innerWidth]")
    assert width == wide, "the table scrolls, not the page"
    lines = browser.run("""
      const lineHeight = parseFloat(getComputedStyle(document.querySelector('td')).lineHeight);
      const linesOf = (cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return Math.round(range.getBoundingClientRect().height / lineHeight);
      };
      return [...document.querySelectorAll('tbody tr:first-child td')].map(linesOf);
    """)
    assert lines[:4] == [1, 1, 1, 1]
    assert lines[4] < 12
