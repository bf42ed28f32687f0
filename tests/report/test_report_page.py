"""What the page says, without a browser: findings, problems, what is left out, and files that can't be written."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from tests.reference.report_cases import HOSTILE, compared, of_many_classes, renamed

from textsieve import InputError, extras
from textsieve.comparison import Comparison, read_comparison
from textsieve.report import check_report, choices, report_page, write_report
from textsieve.report.findings import findings


@pytest.fixture(scope="module")
def found() -> Comparison:
    return compared()


def data_of(page: str) -> Any:
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(text)


def with_p(found: Comparison, best: int, as_good: tuple[int, ...]) -> Comparison:
    """The same comparison with another best, and others that are as good."""
    lines = [
        replace(line, is_best=place == best, p_overall=None if place == best else 0.2 if place in as_good else 0.01)
        for place, line in enumerate(found.summary)
    ]
    other = Comparison(found.header, found.conditions, found.rows, found.selections, found.rankings)
    other.__dict__["summary"] = lines
    return other


def test_the_best_the_fewest_and_the_fastest(found: Comparison) -> None:
    names = [(line.selector, line.n_terms, line.classifier) for line in found.summary]
    best, fewer = names.index(("ig", 9, "nb")), names.index(("ocfs", 4, "svm"))
    said = findings(with_p(found, best, (fewer,)))
    assert [each.what for each in said[:2]] == ["ig, 9 terms, nb", "ocfs, 4 terms, svm"]
    assert "1 of 13 others is as good, within chance." in said[0].about
    assert "p = 0.20" in said[1].about
    alone = findings(with_p(found, best, ()))
    assert "All others are worse by more than chance." in alone[0].about
    assert alone[1].about == "It is the best itself; with fewer terms, all are worse by more than chance."
    assert alone[2].what == "ig, 9 terms, nb"
    smallest = findings(with_p(found, names.index(("ig", 2, "nb")), ()))
    assert smallest[1].about == "It is the best itself; fewer terms were not tried."
    assert findings(with_p(found, names.index(("all", "all", "nb")), ()))[0].what == "all terms, nb"


def test_one_file_of_one_megabyte_with_the_settings_of_the_run(found: Comparison) -> None:
    page = report_page(found)
    assert len(page) < 1_300_000
    text = unescape(re.sub(r"<[^>]*>", " ", page.partition('<script type="application/json"')[0]))
    for word in (found.header["fingerprint"], found.header["versions"]["scikit-learn"], found.header["begun"][:10]):
        assert word in text
    for name in found.header["settings"]:
        assert name in text
    assert "60 documents · 3 classes · 14 combinations · tested on 2 folds in turn" in text


def test_the_policy_names_the_scripts(found: Comparison) -> None:
    page = report_page(found)
    policy = unescape(re.findall(r'Content-Security-Policy" content="([^"]*)"', page)[0])
    assert policy.startswith("default-src 'none'; ")
    assert len(re.findall(r"'sha256-[\w+/=]{44}'", policy)) == 2
    assert "unsafe-eval" not in policy
    assert not re.findall(r"<(?:link|img|iframe)\b|\bsrc=|@import|url\(", page.partition('id="data"')[0])


def test_names_are_escaped(tmp_path: Path) -> None:
    page = report_page(renamed(tmp_path, {"boat": HOSTILE, "deck": HOSTILE, "ig": HOSTILE}))
    assert "<img src=x" not in page
    assert page.count("</script>") == 3
    assert HOSTILE in data_of(page)["classes"]


def test_of_a_file_it_is_the_same_page(tmp_path: Path) -> None:
    first = compared(results=tmp_path / "x.jsonl")
    assert report_page(read_comparison(tmp_path / "x.jsonl")) == report_page(first)


def test_a_file_without_rankings_is_shown_without_them(found: Comparison) -> None:
    page = report_page(Comparison(found.header, found.conditions, found.rows, found.selections))
    assert 'id="energy"' not in page
    assert 'id="terms"' not in page
    assert 'id="quality"' in page


def test_a_class_that_could_not_be_learned_is_said(found: Comparison) -> None:
    rows = [replace(row, missing_classes=("moon", 7)) for row in found.rows]
    page = report_page(Comparison(found.header, found.conditions, rows, found.selections, found.rankings))
    assert "Tested, but in some fold without a document to learn from: moon, 7." in page


def test_seconds_of_different_threads_are_not_compared(found: Comparison) -> None:
    n_own = len(found.rows) // 2
    rows = [replace(row, threads=1 + (place >= n_own), cores=2) for place, row in enumerate(found.rows)]
    mixed = Comparison(found.header, found.conditions, rows, found.selections, found.rankings)
    assert [each.title for each in findings(with_p(mixed, 0, (len(found.summary) - 1,)))] == [
        "Best micro-F1",
        "Fewest terms, as good",
    ]
    page = report_page(mixed)
    assert "Seconds can be compared only where the threads, which the table names, are the same." in page
    assert ">threads</button>" in page
    torn = [replace(row, threads=1 + row.fold, cores=2) for row in found.rows]
    without = report_page(Comparison(found.header, found.conditions, torn, found.selections, found.rankings))
    assert data_of(without)["panels"]["times"] == []
    assert 'id="times"' not in without
    same = report_page(Comparison(found.header, found.conditions, found.rows, found.selections, found.rankings))
    assert "Measured with 1 thread on " in same


def test_how_documents_were_split_is_said() -> None:
    drawn = compared(selectors="ig", n_terms="3", classifiers="nb", folds=None, test_share=0.3, repeats=3, seed=0)
    page = report_page(drawn)
    assert "tested on a share of 0.3, drawn 3 times" in page
    assert "corrected t-test on splits" in page


def test_of_too_much_the_best_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    many = of_many_classes(60)
    assert len(choices.quality_choices(many)) == 2
    monkeypatch.setattr(choices, "MOST_NUMBERS", 10)
    (only,) = choices.quality_choices(many)
    assert only["name"].startswith("ig, 60 terms")
    assert "1 more combination is in the file of results." in report_page(many)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("x.txt", "a report is a page; give the name of a file that ends in .html or .htm"),
        ("no/x.html", "no/x.html can't be written: there is no folder no; make it first."),
        ("folder.html", "folder.html is a folder; give the name of a file in it."),
    ],
)
def test_where_it_can_not_be_written(
    name: str, said: str, found: Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(InputError) as told:
        write_report(found, name)
    assert said in str(told.value)


def test_without_the_packages_that_draw(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(extras, "is_installed", lambda name: name != "altair")
    with pytest.raises(InputError, match=r"a report needs altair; pip install 'textsieve\[plots\]'"):
        check_report(tmp_path / "x.html")


def test_only_the_first_terms_of_a_class_are_there_and_it_is_said(
    found: Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "The first {} of each class are here; others that were chosen are neither shown nor searched."
    assert said.format(30) in unescape(report_page(found))
    monkeypatch.setattr(choices, "MOST_TERMS", 2 * len(found.header["classes"]))
    monkeypatch.setattr(choices, "LEAST_TERMS", 1)
    page = report_page(found)
    assert said.format(2) in unescape(page)
    assert max(len(own) for each in data_of(page)["rankings"] for own in each["classes"]) == 2


def test_a_selector_shares_all_terms_with_itself_even_if_nothing_was_learned(found: Comparison) -> None:
    other = Comparison(found.header, found.conditions, found.rows, found.selections, found.rankings)
    other.__dict__["summary"] = [replace(line, n_kept=None) for line in found.summary]
    assert [each["kept"] for each in choices.overlap_choices(other)] == [[2, 2], [4, 4], [9, 9]]
