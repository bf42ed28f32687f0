"""`textsieve terms --energy-plot`: the curves in the file, and errors before any work."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from tests.reference.cli_cases import Run

import textsieve
from textsieve import extras

Ask = Callable[..., Any]


def texts_of(path: Path) -> list[str]:
    root = ElementTree.fromstring(path.read_text(encoding="utf-8"))
    return [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]


def enough(news: Path, weight: float, level: float) -> int:
    """Return the number of terms that reach the energy level, from a selector fitted by hand."""
    texts, labels = zip(*textsieve.read(news), strict=True)
    weights = textsieve.TermWeighter(idf="plain").fit_transform(textsieve.TermCounter().fit_transform(texts))
    return textsieve.TOFA(weight=weight).fit(weights, labels).n_terms_for(level)


def test_each_weight_has_a_curve(news: Path, tmp_path: Path, run: Run) -> None:
    printed = run("terms", news, "-k", 3, "--energy-plot", tmp_path / "x.svg").stdout
    assert printed.endswith(f"\nEnergy drawn to {tmp_path / 'x.svg'}\n")
    texts = texts_of(tmp_path / "x.svg")
    for weight in (0, 0.5, 1):
        assert f"λ = {weight:g} ({enough(news, weight, 0.8)} terms)" in texts
    assert "80%" in texts
    assert any(text.startswith("60 documents, ") for text in texts)


def test_weights_and_level_can_be_given_and_the_weight_of_the_selector_is_added(
    news: Path, tmp_path: Path, run: Run
) -> None:
    own = ("--selector", "tofa", "--selector-option", "weight=0.25")
    more = ("--energy-weights", "0, 0.75", "--energy-level", 0.6)
    run("terms", news, *own, *more, "--energy-plot", tmp_path / "x.svg")
    curve_names = {text for text in texts_of(tmp_path / "x.svg") if text.startswith("λ")}
    assert curve_names == {f"λ = {weight:g} ({enough(news, weight, 0.6)} terms)" for weight in (0, 0.25, 0.75)}


def test_json_names_the_file(news: Path, tmp_path: Path, ask: Ask) -> None:
    assert "energy_plot" not in ask("terms", news)
    outcome = ask("terms", news, "--energy-plot", tmp_path / "x.html")
    assert outcome["energy_plot"] == str(tmp_path / "x.html")
    assert (tmp_path / "x.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert outcome | {"energy_plot": 0} == ask("terms", news) | {"energy_plot": 0}, "and nothing else is changed"


def test_vectors_and_streams_can_be_drawn(
    news: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.svm"
    path.write_text("1 1:2 3:1\n2 2:1 3:1\n" * 5)
    run("terms", path, "--energy-plot", tmp_path / "vectors.svg")
    assert "λ = 1 (1 term)" in texts_of(tmp_path / "vectors.svg"), "the scores are 1 and 1/4"
    run("terms", news, "--energy-plot", tmp_path / "whole.svg")
    monkeypatch.setattr("textsieve.training.counted_documents.MAX_VALUES", 50)
    run("terms", news, "--energy-plot", tmp_path / "streamed.svg")
    assert texts_of(tmp_path / "streamed.svg") == texts_of(tmp_path / "whole.svg")


WRONG_USAGE = [
    (["--energy-plot", "x.svg", "--selector", "chi"], "only trace scores have an energy; use --selector ocfs or tofa"),
    (["--energy-plot", "x.svg", "--energy-weights", "0,1.5"], "1.5 has no energy: above weight 1"),
    (["--energy-plot", "x.svg", "--energy-weights", "0;1"], "'0;1'; use numbers with commas between them"),
    (["--energy-plot", "x.svg", "--energy-weights", "nan"], "nan is no weight"),
    (["--energy-plot", "x.svg", "--energy-level", "0"], "0"),
    (["--energy-weights", "0,1"], "--energy-weights is for --energy-plot; add that option"),
    (["--energy-level", "0.5"], "--energy-level is for --energy-plot; add that option"),
]


@pytest.fixture
def nothing_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    def read(*_: object, **__: object) -> None:
        pytest.fail("the documents are read although the plot cannot be written")

    monkeypatch.setattr("textsieve.cli.opening.read", read)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("options", "message"), WRONG_USAGE, ids=[" ".join(options) for options, _ in WRONG_USAGE])
def test_wrong_usage_exits_before_any_work(options: list[str], message: str, nothing_is_read: Path, run: Run) -> None:
    assert message in re.sub(r"\s+", " ", run("terms", "docstrings", *options, exit_code=2).stderr)
    assert not list(nothing_is_read.iterdir())


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("x.pdf", "'x.pdf' ends in '.pdf'; a chart is written to a file that ends in .svg, .png, .html, .json"),
        ("none/x.svg", "none/x.svg: can't be written: there is no folder none; make it first"),
        ("folder.svg", "folder.svg: this is a folder; give the name of a file in it"),
        ("x.json", "x.json: is read here, and would be overwritten"),
    ],
)
def test_unwritable_files_raise_an_error_before_any_work(
    file: str, message: str, nothing_is_read: Path, run: Run
) -> None:
    (nothing_is_read / "folder.svg").mkdir()
    (nothing_is_read / "x.json").write_text("{}")
    result = run("terms", "x.json", "--energy-plot", file, exit_code=1)
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert (nothing_is_read / "x.json").read_text() == "{}"


def test_a_missing_extra_is_named(nothing_is_read: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "is_installed", lambda name: name != "altair")
    result = run("terms", "docstrings", "--energy-plot", "x.svg", exit_code=1)
    assert result.stderr.startswith("error: --energy-plot needs altair; pip install 'textsieve[plots]', or ")
    assert not list(nothing_is_read.iterdir())


@pytest.mark.slow
def test_packages_for_drawing_are_not_imported_without_a_plot(news: Path) -> None:
    code = (
        "import sys, textsieve.cli\n"
        f"sys.argv = ['textsieve', 'terms', {str(news)!r}, '--jobs', '1']\n"
        "try: textsieve.cli.main()\n"
        "except SystemExit: pass\n"
        "print('LOADED', *sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "textsieve.training.ranking" in loaded
    assert not loaded & {"altair", "vl_convert", "textsieve.plots"}
