"""What the page's files must not have: ways to make markup of text, other addresses, and what its policy forbids."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from importlib.resources import files

import pytest

ASSETS = {each.name: each.read_text() for each in files("textsieve.serve").joinpath("assets").iterdir()}
SCRIPTS = [name for name in sorted(ASSETS) if name.endswith(".js")]
DANGEROUS = (
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc|javascript:|localStorage"
)


class Attributes(HTMLParser):
    """All that elements say of themselves, and what is between the tags of scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [(tag, name, value or "") for name, value in [*attrs, ("", "")]]


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_make_no_markup_of_text(name: str) -> None:
    assert re.findall(DANGEROUS, ASSETS[name]) == []


@pytest.mark.parametrize("name", SCRIPTS)
def test_lines_are_as_short_as_those_of_python(name: str) -> None:
    assert [line for line in ASSETS[name].splitlines() if len(line) > 120] == []


@pytest.mark.parametrize("name", sorted(ASSETS))
def test_no_other_address(name: str) -> None:
    namespace = 'xmlns="http://www.w3.org/2000/svg"'
    assert re.findall(r"https?://|@import|\burl\(", ASSETS[name].replace(namespace, "")) == []


def test_the_page_keeps_to_its_policy() -> None:
    parser = Attributes()
    parser.feed(ASSETS["page.html"])
    assert [each for each in parser.found if each[1] == "style" or each[1].startswith("on") or each[0] == "style"] == []
    assert [value for tag, name, value in parser.found if tag == "script" and name == "src"] == ["page.js"]
    assert not re.search(r"<script[^>]*>[^<]", ASSETS["page.html"])


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_module_that_is_asked_for_is_there(name: str) -> None:
    assert set(re.findall(r'from "\./([^"]+)"', ASSETS[name])) <= set(SCRIPTS)
