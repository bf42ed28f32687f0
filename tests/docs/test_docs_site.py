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


@pytest.mark.slow
def test_the_site_has_no_programs(site: Path) -> None:
    assert list(site.rglob("*.py")) == []
    assert list(site.rglob("__pycache__")) == []


def test_loading_from_other_hosts_is_noticed() -> None:
    assert LOADED.findall('<script defer src="https://example.org/x.js">') == ["https://example.org/x.js"]
    assert LOADED.findall("<link rel=stylesheet href=//example.org/x.css>") == ["//example.org/x.css"]
    assert LOADED.findall('<a href="https://example.org/">') == []


@pytest.mark.slow
def test_tables_of_attributes_have_a_name_and_a_description(site: Path) -> None:
    page = (site / "reference" / "api" / "classifiers.html").read_text(encoding="utf-8")
    table = page.partition("Attributes:</span></p>")[2].partition("</table>")[0]
    assert re.findall(r"<th>(.*?)</th>", table) == ["Name", "Description"]
    assert all(re.findall(r"<p>(.*?)</p>", row) for row in table.split("<tr")[2:])


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


CONTRASTS = """
const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
function colour(...layers) {
  for (const layer of layers) { pixel.fillStyle = layer; pixel.fillRect(0, 0, 1, 1); }
  return [...pixel.getImageData(0, 0, 1, 1).data].slice(0, 3);
}
function luminance(channels) {
  const linear = channels.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}
const page = getComputedStyle(document.body).backgroundColor, contrasts = {};
const texts = ".highlight code, .highlight code span, .md-typeset p, .md-typeset p a, .md-typeset :not(pre) > code";
for (const element of document.querySelectorAll(texts)) {
  if (![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
  const back = getComputedStyle(element.closest("code") ?? element).backgroundColor;
  const tones = [luminance(colour(page, back, getComputedStyle(element).color)), luminance(colour(page, back))];
  const contrast = (Math.max(...tones) + 0.05) / (Math.min(...tones) + 0.05);
  const kind = `${element.tagName} ${element.className}`;
  contrasts[kind] = Math.min(contrast, contrasts[kind] ?? 21);
}
return contrasts;
"""


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
def test_texts_code_and_output_have_the_contrast_of_wcag_aa(dark: bool, site: Path, browser: Browser) -> None:
    browser.look(dark=dark)
    browser.size(1280)
    for page in ("how-to/check.html", "how-to/scikit-learn.html"):
        browser.open(site / page)
        contrasts = browser.run(CONTRASTS)
        assert {"SPAN go", "SPAN gp", "P ", "CODE "} & contrasts.keys()
        assert {kind: contrast for kind, contrast in contrasts.items() if contrast < 4.5} == {}


@pytest.mark.slow
@pytest.mark.parametrize(("width", "n_columns"), [(1440, 120), (1280, 100), (390, 40)])
def test_output_fits_and_the_copy_button_is_beside_it(width: int, n_columns: int, site: Path, browser: Browser) -> None:
    browser.size(width)
    browser.open(site / "how-to" / "check.html")
    browser.wait("document.querySelector('.md-code__nav')")
    columns, button, end_of_text, shadow = browser.run(
        """
        const code = document.querySelector(".highlight pre > code"), style = getComputedStyle(code);
        const probe = code.appendChild(document.createElement("span"));
        probe.style.position = "absolute";
        probe.textContent = "0".repeat(100);
        const columns = (100 * (code.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight))) /
          probe.getBoundingClientRect().width;
        probe.remove();
        const nav = document.querySelector(".md-code__nav");
        const button = nav.querySelector("button").getBoundingClientRect();
        const text = nav.parentElement.querySelector("code").getBoundingClientRect();
        return [columns, button.left, text.right, style.backgroundAttachment];
        """
    )
    assert columns >= n_columns
    assert button >= end_of_text
    assert "local" in shadow, "a shadow shows that there is more"
