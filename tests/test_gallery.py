"""Each script of the gallery runs and draws a picture, and the committed page and pictures fit the scripts."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import textsieve
from tests.depth import need
from textsieve.corpus import Corpus

DOCS = Path(__file__).parents[1] / "docs"
GALLERY = DOCS / "gallery"
EXPLANATION = DOCS / "explanation"
SCRIPTS = sorted(path.stem for path in (GALLERY / "scripts").glob("*.py"))
EXPLAINED = sorted(path.stem for path in (EXPLANATION / "pictures").glob("*.svg"))
MAX_BYTES = 100_000
SLOW = {"accuracy_by_bytes", "accuracy_by_terms", "subspace_grid", "updates_over_time"}
"""Scripts that take more than five seconds, even with few documents."""
SLOW_PAGES = {"calibration", "small-models"}
KEPT = {"scipy.stats", "scipy.optimize", "scipy.signal", "numpy.lib", "sklearn.utils", "sklearn.metrics"}
"""The classes of `docstrings` that scripts get, among them those that they name themselves."""


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Return a function that imports a module of the gallery's folder."""
    need("altair", "vl_convert")
    monkeypatch.syspath_prepend(str(GALLERY))
    return import_module


@pytest.fixture
def few_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let scripts read every third document of some classes of `docstrings`, and files as they are."""
    read = textsieve.read

    def read_few(path: str, **options: Any) -> Corpus:
        if path != "docstrings":
            return read(path, **options)
        texts, labels = read(path).load()
        pairs = [(str(text), label) for text, label in zip(texts, labels, strict=True) if label in KEPT][::3]
        return Corpus.from_texts([text for text, _ in pairs], [label for _, label in pairs])

    monkeypatch.setattr(textsieve, "read", read_few)


def check_picture(svg: str) -> None:
    """Assert that a text is an SVG picture of some size, with colours for dark mode and nothing from elsewhere."""
    root = ElementTree.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert float(root.attrib["width"]) >= 300
    assert len(list(root.iter())) > 20
    assert "prefers-color-scheme:dark" in svg.replace(" ", "")
    assert set(re.findall(r"https?://[^\s\"')]+", svg)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
        "http://www.w3.org/1999/xhtml",
    }
    assert len(svg.encode()) < MAX_BYTES


def some_slow(names: list[str], slow: set[str]) -> list[Any]:
    assert slow <= set(names)
    return [pytest.param(name, marks=[pytest.mark.slow] if name in slow else []) for name in names]


@pytest.mark.every_case
@pytest.mark.parametrize("name", some_slow(SCRIPTS, SLOW))
@pytest.mark.usefixtures("few_documents")
def test_a_script_draws_its_picture(name: str, tmp_path: Path, module: Callable[[str], Any]) -> None:
    check_picture(module("make_gallery").run_script(name, tmp_path))


@pytest.mark.every_case
@pytest.mark.parametrize("name", some_slow(EXPLAINED, SLOW_PAGES))
@pytest.mark.usefixtures("few_documents")
def test_a_picture_is_drawn_from_the_code_of_its_page(
    name: str, tmp_path: Path, module: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    drawing = module("explanation_pictures")
    monkeypatch.setattr(drawing, "PICTURES", tmp_path)
    (path,) = drawing.draw_all([name])
    assert path == tmp_path / f"{name}.svg"
    check_picture(module("dark_mode").in_both_modes(path.read_text(encoding="utf-8")))


def test_the_page_has_all_scripts_as_they_are(module: Callable[[str], Any]) -> None:
    gallery = module("make_gallery")
    assert sorted(gallery.ORDER) == SCRIPTS
    assert gallery.page() == (GALLERY / "index.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("folder", [GALLERY, EXPLANATION], ids=["gallery", "explanation"])
def test_each_committed_picture_is_on_a_page(folder: Path) -> None:
    shown = {
        (page.parent / name).relative_to(folder).as_posix()
        for page in folder.glob("*.md")
        for name in re.findall(r"!\[[^]]+\]\(([^)]+\.svg)\)", page.read_text(encoding="utf-8"))
    }
    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*.svg")} == shown
    for name in shown:
        check_picture((folder / name).read_text(encoding="utf-8"))


def test_a_picture_without_a_background_raises(module: Callable[[str], Any]) -> None:
    with pytest.raises(ValueError, match="no white background"):
        module("dark_mode").in_both_modes('<svg width="10" height="10"></svg>')
