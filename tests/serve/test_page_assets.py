"""The files of the page contain no unsafe code, no addresses of other sites, and nothing that its policy forbids."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from importlib.resources import files

import pytest

ASSETS = {file.name: file.read_text() for file in files("textsieve.serve").joinpath("assets").iterdir()}
SCRIPTS = [name for name in sorted(ASSETS) if name.endswith(".js")]
DANGEROUS = (
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc|javascript:|localStorage"
)


class Attributes(HTMLParser):
    """Collects the tags and attributes of all elements."""

    def __init__(self) -> None:
        super().__init__()
        self.attributes: list[tuple[str, str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in [*attrs, ("", "")]]


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_never_insert_markup(name: str) -> None:
    assert re.findall(DANGEROUS, ASSETS[name]) == []


@pytest.mark.parametrize("name", SCRIPTS)
def test_lines_have_at_most_120_characters(name: str) -> None:
    assert [line for line in ASSETS[name].splitlines() if len(line) > 120] == []


@pytest.mark.parametrize("name", sorted(ASSETS))
def test_assets_load_nothing_from_other_sites(name: str) -> None:
    namespace = 'xmlns="http://www.w3.org/2000/svg"'
    assert re.findall(r"https?://|@import|\burl\(", ASSETS[name].replace(namespace, "")) == []


def test_the_page_obeys_its_content_policy() -> None:
    parser = Attributes()
    parser.feed(ASSETS["page.html"])
    assert [
        attribute
        for attribute in parser.attributes
        if attribute[1] == "style" or attribute[1].startswith("on") or attribute[0] == "style"
    ] == []
    assert [value for tag, name, value in parser.attributes if tag == "script" and name == "src"] == ["page.js"]
    assert not re.search(r"<script[^>]*>[^<]", ASSETS["page.html"])


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_imported_module_exists(name: str) -> None:
    assert set(re.findall(r'from "\./([^"]+)"', ASSETS[name])) <= set(SCRIPTS)
