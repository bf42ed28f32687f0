"""`textsieve compare --report`: the page, and errors before any work."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.reference.cli_cases import Run

from textsieve import extras
from textsieve.comparison import running
from textsieve.comparison.json_lines import encode_line
from textsieve.comparison.results import header_of

Ask = Callable[..., Any]
FEW = ("--selectors", "ocfs,ig", "--terms", "3,6", "--classifiers", "nb", "--folds", 2, "--jobs", 1)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to a temporary folder, where `compare` writes its results."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def nothing_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the test fail if anything is measured."""

    def measure(*_: Any) -> Any:
        raise AssertionError("something was measured")

    monkeypatch.setattr(running, "measure", measure)


@pytest.mark.slow
def test_the_report_is_written_and_its_name_printed(news: Path, run: Run, ask: Ask, tmp_path: Path) -> None:
    printed = run("compare", news, *FEW, "--report", "x.html").stdout
    assert printed.splitlines()[-1] == "The report is in x.html"
    page = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert f"Comparison on {news}" in page
    assert ask("compare", news, *FEW, "--report", "x.html")["report"] == "x.html"
    assert "report" not in ask("compare", news, *FEW)


def test_a_report_is_made_from_a_file_of_results(news: Path, run: Run, ask: Ask, tmp_path: Path) -> None:
    first = run("compare", news, *FEW, "--results", "x.jsonl", "--report", "first.html").stdout
    again = run("compare", "x.jsonl", "--report", "again.html").stdout
    assert again.splitlines()[:-1] == first.splitlines()[:-1]
    assert (tmp_path / "again.html").read_bytes() == (tmp_path / "first.html").read_bytes()
    assert len(ask("compare", "x.jsonl")["rows"]) == 8


def test_options_for_measuring_are_not_allowed_with_a_file_of_results(news: Path, run: Run, tmp_path: Path) -> None:
    run("compare", news, *FEW, "--results", "x.jsonl")
    for given in (["--terms", "5"], ["--test", news], ["--results", "y.jsonl"], ["--text", "body"], ["--jobs", "1"]):
        printed = " ".join(run("compare", "x.jsonl", *given, exit_code=2).stderr.split())
        assert f"x.jsonl has results, which are only shown, so {given[0]} has no meaning" in printed
    lines = (tmp_path / "x.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "x.jsonl").write_bytes(b"".join(lines[:3]))
    assert "no combination was measured on all folds yet" in run("compare", "x.jsonl", exit_code=1).stderr


@pytest.mark.parametrize(
    "change",
    [
        {"split": {"folds": 2}},
        {"split": {"folds": 2, "by": "moon"}},
        {"split": {"folds": 2, "by": "random"}},
        {"split": {"folds": 2, "by": "shuffled folds", "repeats": 0}},
        {"settings": None},
        {"versions": []},
        {"documents": "many"},
        {"fingerprint": 3},
        {"multilabel": "no"},
        {"corpus": None},
    ],
)
def test_a_damaged_header_raises_an_error(run: Run, tmp_path: Path, change: dict[str, Any]) -> None:
    whole = {"corpus": "x", "documents": 3, "multilabel": False, "classes": [], "settings": {}, "versions": {}}
    more = {"form": "texts", "started": "2026-01-01T00:00:00+00:00", "split": {"by": "folds", "folds": 2}}
    header = header_of("1", whole | more)
    (tmp_path / "x.jsonl").write_bytes(encode_line(header))
    assert "no combination was measured" in run("compare", "x.jsonl", exit_code=1).stderr
    (tmp_path / "x.jsonl").write_bytes(encode_line(header | change))
    printed = " ".join(run("compare", "x.jsonl", exit_code=1).stderr.split())
    assert "x.jsonl: line 1: damaged: " in printed
    assert "delete the file, or choose another" in printed


@pytest.mark.usefixtures("nothing_measured")
def test_unwritable_reports_raise_an_error_before_any_work(news: Path, run: Run, tmp_path: Path) -> None:
    def printed(report: str, *more: str) -> str:
        return run("compare", news, *FEW, "--report", report, *more, exit_code=1).stderr

    assert "there is no folder no; make it first" in printed("no/x.html")
    assert "a report is an HTML page; give the name of a file that ends in .html" in printed("x.pdf")
    assert "a report is an HTML page; give the name of a file that ends in .html" in printed(".")
    assert "x.html: is the file of results; give the report another name" in printed("x.html", "--results", "x.html")
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("nothing_measured")
def test_documents_are_not_overwritten(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "pages" / "sport" / "x.html"
    page.parent.mkdir(parents=True)
    page.write_text("mine", encoding="utf-8")
    (tmp_path / "table.html").write_text("text,label\na b,c\n", encoding="utf-8")
    for report in (page, page.with_name("new.html"), "pages/report.html"):
        printed = " ".join(run("compare", "pages", "--report", report, exit_code=1).stderr.split())
        assert "would be among the documents of pages; name a file elsewhere with --report" in printed
    assert [path.name for path in (tmp_path / "pages").rglob("*.html")] == ["x.html"]
    assert "would be overwritten" in run("compare", "table.html", "--report", "table.html", exit_code=1).stderr
    assert page.read_text(encoding="utf-8") == "mine"


@pytest.mark.usefixtures("nothing_measured")
def test_missing_packages_for_drawing_are_named(news: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "is_installed", lambda name: name != "altair")
    printed = run("compare", news, *FEW, "--report", "x.html", exit_code=1).stderr
    assert "--report needs altair; pip install 'textsieve[plots]'" in printed
