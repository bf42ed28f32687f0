"""The documentation site, opened as files in a browser without a network: nothing is missing, and the search works."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser import Browser
from tests.depth import absent
from tests.docs.running import ROOT
from textsieve.extras import is_installed

LOADED = re.compile(r"<(?:script|link|img|iframe)\b[^>]*?(?:src|href)=\"?((?:https?:)?//[^\s\">]+)")
PAGES = ("index.html", "reference/cli/train.html", "reference/api/selectors.html", "reference/http-api.html")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site, strictly, and return its folder."""
    if not all(map(is_installed, ("mkdocs", "mkdocs-material", "mkdocstrings-python"))):
        absent("the extra 'docs' is not installed")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_pages_load_nothing_from_other_hosts(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 50
    for page in pages:
        assert LOADED.findall(page.read_text(encoding="utf-8")) == [], page


def test_loading_from_other_hosts_is_noticed() -> None:
    assert LOADED.findall('<script defer src="https://example.org/x.js">') == ["https://example.org/x.js"]
    assert LOADED.findall("<link rel=stylesheet href=//example.org/x.css>") == ["//example.org/x.css"]
    assert LOADED.findall('<a href="https://example.org/">') == []


@pytest.mark.slow
def test_a_browser_requests_only_files(site: Path, browser: Browser) -> None:
    for page in PAGES:
        browser.open(site / page)
        assert {address.partition(":")[0] for address in browser.requests()} <= {"file", "data", "blob", "about"}
        assert browser.complaints() == []


@pytest.mark.slow
def test_the_search_works_without_a_server(site: Path, browser: Browser) -> None:
    browser.open(site / "index.html")
    browser.one("input.md-search__input").click()
    browser.press(*"typical testors")
    browser.wait("document.querySelectorAll('.md-search-result__item').length > 2")
    assert any("testors" in text.lower() for text in browser.texts(".md-search-result__item h1"))
    assert browser.complaints() == []


@pytest.mark.slow
@pytest.mark.parametrize(("dark", "scheme"), [(False, "default"), (True, "slate")])
def test_the_site_is_light_or_dark_like_the_system(dark: bool, scheme: str, site: Path, browser: Browser) -> None:
    browser.look(dark=dark)
    browser.open(site / "index.html")
    browser.wait(f"document.body.getAttribute('data-md-color-scheme') === '{scheme}'")


@pytest.mark.slow
def test_pages_fit_a_phone(site: Path, browser: Browser) -> None:
    browser.size(390)
    for page in PAGES:
        browser.open(site / page)
        assert browser.run("return document.documentElement.scrollWidth") <= 390
