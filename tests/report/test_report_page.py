"""The content of the page, without a browser: findings, problems, limits, and files that can't be written."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import altair as alt
import pytest
from tests.reference.report_cases import HOSTILE, compared, of_many_classes, renamed

from textsieve import InputError, extras
from textsieve.comparison import Comparison, read_comparison
from textsieve.comparison.findings import find_best
from textsieve.report import check_report, report_page, write_report
from textsieve.report import page as page_module


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compared()


@pytest.fixture(scope="module")
def page(comparison: Comparison) -> str:
    return report_page(comparison)


def data_of(page: str) -> Any:
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(text)


def with_p(comparison: Comparison, best: int, as_good: tuple[int, ...]) -> Comparison:
    """Return the same comparison with another best, and others that are not significantly worse."""
    summaries = [
        replace(summary, is_best=place == best, p_overall=None if place == best else 0.2 if place in as_good else 0.01)
        for place, summary in enumerate(comparison.summary)
    ]
    other = Comparison(
        comparison.header, comparison.conditions, comparison.rows, comparison.selections, comparison.rankings
    )
    other.__dict__["summary"] = summaries
    return other


def test_findings_are_the_best_the_fewest_terms_and_the_fastest(comparison: Comparison) -> None:
    names = [(line.selector, line.n_terms, line.classifier) for line in comparison.summary]
    best, fewer = names.index(("ig", 9, "nb")), names.index(("ocfs", 4, "svm"))
    findings = find_best(with_p(comparison, best, (fewer,)).summary)
    assert [finding.combination for finding in findings[:2]] == ["ig, 9 terms, nb", "ocfs, 4 terms, svm"]
    assert "1 of 13 others is not significantly worse." in findings[0].about
    assert "p = 0.20" in findings[1].about
    (alone,) = find_best(with_p(comparison, best, ()).summary)
    assert "All others are significantly worse. All with fewer terms are significantly worse." in alone.about
    assert alone.about.endswith(" to select, train and predict.")
    (smallest,) = find_best(with_p(comparison, names.index(("ig", 2, "nb")), ()).summary)
    assert "Fewer terms were not tried." in smallest.about
    assert (
        find_best(with_p(comparison, names.index(("all", "all", "nb")), ()).summary)[0].combination == "all terms, nb"
    )


def test_one_file_of_one_megabyte_with_the_settings_of_the_run(comparison: Comparison, page: str) -> None:
    assert len(page) < 1_300_000
    text = unescape(re.sub(r"<[^>]*>", " ", page.partition('<script type="application/json"')[0]))
    for word in (
        comparison.header["fingerprint"],
        comparison.header["versions"]["scikit-learn"],
        comparison.header["started"][:10],
    ):
        assert word in text
    for name in comparison.header["settings"]:
        assert name in text
    assert "60 documents · 3 classes · 14 combinations · tested on 2 folds in turn" in text


def test_all_panels_follow_the_schema_of_vega_lite(page: str) -> None:
    panels = [panel for group in data_of(page)["panels"].values() for panel in group]
    assert len(panels) > 5
    for panel in panels:
        alt.LayerChart.from_dict(panel["chart"], validate=True)


def test_the_policy_allows_only_the_two_scripts(page: str) -> None:
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


def test_a_file_of_results_gives_the_same_page(tmp_path: Path) -> None:
    first = compared(results=tmp_path / "x.jsonl")
    assert report_page(read_comparison(tmp_path / "x.jsonl")) == report_page(first)


def test_a_page_with_few_test_documents_says_why_there_are_no_probabilities(comparison: Comparison) -> None:
    page = report_page(comparison)
    assert "need at least 40 test documents with a selected term in each fold." in page
    assert 'class="confidence"' not in page


def test_a_comparison_without_rankings_has_no_sections_about_them(comparison: Comparison) -> None:
    page = report_page(Comparison(comparison.header, comparison.conditions, comparison.rows, comparison.selections))
    assert 'id="energy"' not in page
    assert 'id="terms"' not in page
    assert 'id="quality"' in page


def test_classes_without_training_documents_are_a_problem(comparison: Comparison) -> None:
    rows = [replace(row, missing_classes=("moon", 7)) for row in comparison.rows]
    page = report_page(
        Comparison(comparison.header, comparison.conditions, rows, comparison.selections, comparison.rankings)
    )
    assert "Classes without training documents in some fold: moon, 7." in page


def test_no_combination_has_two_findings(comparison: Comparison) -> None:
    """The best may have the fewest terms or be the fastest, and another may be both."""
    titles = set()
    for best in range(len(comparison.summary)):
        for other in range(len(comparison.summary)):
            findings = find_best(with_p(comparison, best, (other,)).summary)
            combinations = [finding.combination for finding in findings]
            assert len(set(combinations)) == len(combinations)
            titles.add(tuple(finding.title for finding in findings))
    assert ("Best micro-F1",) in titles
    assert ("Best micro-F1", "Fewest terms and fastest, not significantly worse") in titles


@pytest.mark.slow
def test_seconds_of_different_threads_are_not_compared(comparison: Comparison) -> None:
    n_own = len(comparison.rows) // 2
    rows = [replace(row, threads=1 + (place >= n_own), cores=2) for place, row in enumerate(comparison.rows)]
    mixed = Comparison(comparison.header, comparison.conditions, rows, comparison.selections, comparison.rankings)
    (finding,) = find_best(with_p(mixed, 0, (len(comparison.summary) - 1,)).summary)
    assert finding.title == "Best micro-F1"
    assert "to select, train and predict" not in finding.about
    page = report_page(mixed)
    assert "Seconds are comparable only between combinations with the same threads; a mixture has none." in page
    assert ">threads</button>" in page
    torn = [replace(row, threads=1 + row.fold, cores=2) for row in comparison.rows]
    without = report_page(
        Comparison(comparison.header, comparison.conditions, torn, comparison.selections, comparison.rankings)
    )
    assert data_of(without)["panels"]["times"] == []
    assert 'id="times"' not in without
    same = report_page(
        Comparison(
            comparison.header, comparison.conditions, comparison.rows, comparison.selections, comparison.rankings
        )
    )
    assert "Measured with 1 thread on " in same


def test_the_page_describes_the_split() -> None:
    drawn = compared(selectors="ig", n_terms="3", classifiers="nb", folds=None, test_share=0.3, repeats=3, seed=0)
    page = report_page(drawn)
    assert "tested on a random share of 0.3, drawn 3 times" in page
    assert "corrected t-test on splits" in page


def test_a_large_page_has_only_the_best_combinations(monkeypatch: pytest.MonkeyPatch) -> None:
    many = of_many_classes(60)
    assert len(page_module.combination_data(many)) == 2
    monkeypatch.setattr(page_module, "MAX_NUMBERS", 10)
    (only,) = page_module.combination_data(many)
    assert only["name"].startswith("ig, 60 terms, nb")
    assert "The results file has 1 more combination." in report_page(many)


def test_the_page_has_examples_of_the_worst_mistakes_of_the_best_combination(comparison: Comparison, page: str) -> None:
    page = unescape(page)
    assert comparison.examples is not None
    pairs = page_module.example_pairs(comparison)
    assert 0 < len(pairs) <= 6  # of three classes
    counts = [pair.n_documents for pair in pairs]
    assert counts == sorted(counts, reverse=True)
    for pair in pairs:
        n_true = sum(row.by_class[["boat", "cook", "moon"].index(pair.label)][2] for row in _best_rows(comparison))
        assert pair.share == f"{pair.n_documents / n_true:.1%}"
        for document in pair.documents:
            assert document.place in page
            assert document.text in page


def _best_rows(comparison: Comparison) -> list[Any]:
    assert comparison.best is not None
    return comparison.rows_of(comparison.best)


def test_names_of_options_are_listed_with_the_settings(page: str) -> None:
    assert "<dt>information gain</dt><dd><code>ig</code></dd>" in page
    assert "<dt>multinomial naive Bayes</dt><dd><code>nb</code></dd>" in page


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("x.txt", "a report is an HTML page; give the name of a file that ends in .html or .htm"),
        ("no/x.html", "no/x.html: can't be written: there is no folder no; make it first."),
        ("folder.html", "folder.html: this is a folder; give the name of a file in it."),
    ],
)
def test_unwritable_reports_raise_an_error(
    name: str, words: str, comparison: Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(InputError) as caught:
        write_report(comparison, name)
    assert words in str(caught.value)


def test_a_report_without_altair_raises_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(extras, "is_installed", lambda name: name != "altair")
    with pytest.raises(InputError, match=r"a report needs altair; pip install 'textsieve\[plots\]'"):
        check_report(tmp_path / "x.html")


def test_the_page_has_the_first_terms_of_a_class_and_a_note_about_it(
    comparison: Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = "Only the first {} terms of each class are listed and searched."
    assert note.format(30) in unescape(report_page(comparison))
    monkeypatch.setattr(page_module, "MAX_TERMS", 2 * len(comparison.header["classes"]))
    monkeypatch.setattr(page_module, "MIN_CLASS_TERMS", 1)
    page = report_page(comparison)
    assert note.format(2) in unescape(page)
    assert max(len(own) for ranking in data_of(page)["rankings"] for own in ranking["classes"]) == 2


def test_ngrams_of_characters_are_shown_with_marks(comparison: Comparison) -> None:
    settings = comparison.header["settings"] | {"analyzer": "char_wb"}
    marked = page_module.ranking_data(replace(comparison, header={**comparison.header, "settings": settings}))
    for ranking, with_marks in zip(page_module.ranking_data(comparison), marked, strict=True):
        for rows, marked_rows in zip(ranking["classes"], with_marks["classes"], strict=True):
            assert marked_rows == [[rank, f"…{term}…", score] for rank, term, score in rows]
    assert any(marked[0]["classes"])


def test_a_selector_shares_all_terms_with_itself_even_without_figures(comparison: Comparison) -> None:
    other = Comparison(
        comparison.header, comparison.conditions, comparison.rows, comparison.selections, comparison.rankings
    )
    other.__dict__["summary"] = [replace(summary, n_selected=None) for summary in comparison.summary]
    assert [table["selected"] for table in page_module.overlap_data(other)] == [[2, 2], [4, 4], [9, 9]]
