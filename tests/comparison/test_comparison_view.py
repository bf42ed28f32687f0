"""One view of a comparison feeds the terminal, the report and `str`: all show the same cells, notes and problems."""

from __future__ import annotations

import math
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from tests.reference.report_cases import compared, renamed

from textsieve import ForwardSelection, compare
from textsieve.cli.compare import print_tables
from textsieve.comparison import Comparison
from textsieve.comparison.view import TableCell, TableColumn, TableRow, ViewTable, _mean_count_cell
from textsieve.plots import panel
from textsieve.report import report_page


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compared(selectors="ocfs,ig,all,ig(min_score=9)")


def table_of_page(page: str, name: str) -> list[list[str]]:
    (table,) = re.findall(rf'<table id="{name}".*?</table>', page, re.DOTALL)
    rows = re.findall(r"<tr.*?</tr>", table, re.DOTALL)
    cells = [re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL) for row in rows]
    return [[unescape(re.sub(r"<[^>]*>", "", cell)) for cell in row] for row in cells]


def texts_of(table: ViewTable) -> list[list[str]]:
    return [[column.title for column in table.columns], *([cell.text for cell in row.cells] for row in table.rows)]


def test_the_report_has_the_tables_notes_and_findings_of_the_view(comparison: Comparison) -> None:
    page, view = report_page(comparison), comparison.with_full_names().view
    for table in (view.conditions, view.ranks, view.stability):
        assert table_of_page(page, table.name) == texts_of(table)
    text = unescape(re.sub(r"<[^>]*>", " ", page.partition('id="data"')[0]))
    for sentence in (view.conditions.note, view.timing_note, *view.problems, *view.notes, *view.facts):
        assert sentence in text
    for finding in view.findings:
        assert finding.combination in text
        assert finding.about in text


def test_the_terminal_has_the_tables_of_the_view(comparison: Comparison, capsys: pytest.CaptureFixture[str]) -> None:
    print_tables(comparison, "results.jsonl")
    printed, view = capsys.readouterr().out, comparison.view
    lines = [line.split() for line in printed.splitlines()]
    for table in (view.quality, view.cost, view.ranks, view.overlap, view.stability):
        for texts in texts_of(table):
            assert " ".join(texts).split() in lines
    for sentence in (view.quality.note, *view.problems, *view.notes):
        assert sentence in printed


@pytest.mark.parametrize(("mean", "text"), [(9.0, "9"), (9.5, "9.5"), (1234 + 1 / 3, "1,234.3"), (math.nan, "–")])
def test_a_mean_number_of_shared_terms_has_a_decimal_unless_it_is_whole(mean: float, text: str) -> None:
    assert _mean_count_cell(mean).text == text


def test_str_has_all_tables_and_sentences(comparison: Comparison) -> None:
    lines = [line.split() for line in str(comparison).splitlines()]
    view = comparison.view
    expected = [
        *(" ".join(texts).split() for texts in texts_of(view.quality)),
        *(sentence.split() for sentence in (view.quality.note, *view.problems, *view.notes)),
    ]
    for table in (view.cost, view.ranks, view.overlap, view.stability):
        expected += [[], table.title.split(), *(" ".join(texts).split() for texts in texts_of(table))]
    assert lines == expected


def test_a_note_lists_selections_that_leave_many_documents_without_a_term() -> None:
    texts = [*["goal striker"] * 10, *["vote law"] * 10, *["rare"] * 5]
    labels = [*["sport"] * 10, *["politics"] * 15]
    comparison = compare(texts, labels, selectors="ig", n_terms=(1, 2, 5), classifiers=("nb", "svm"), folds=5)
    assert [(summary.unknown, summary.documents) for summary in comparison.summary[:2]] == [(15, 25)] * 2
    (note,) = [note for note in comparison.view.notes if note.startswith("Test documents without a selected term")]
    assert note.endswith("the same label: 15 of 25 (60 %) with ig, 1 term; 15 of 25 (60 %) with ig, 2 terms.")
    for shown in (str(comparison), comparison._repr_html_(), report_page(comparison)):
        assert "15 of 25 (60 %) with" in shown


def test_a_note_names_selectors_that_selected_the_same_terms(comparison: Comparison) -> None:
    texts, labels = ["the aa bb cc", "the aa bb ee", "the gg hh ii", "the gg hh kk"] * 5, ["x", "x", "y", "y"] * 5
    found = compare(
        texts,
        labels,
        selectors=[ForwardSelection(candidates=3), "ocfs", "df"],
        n_terms=(3, 4),
        classifiers="nb",
        folds=2,
    )
    (note,) = [note for note in found.view.notes if "the same terms" in note]
    assert note == "ForwardSelection(candidates=3) and ocfs selected the same terms at 3 terms and 4 terms."
    assert not [note for note in comparison.view.notes if "the same terms" in note]


def test_the_view_is_computed_once_and_each_chart_is_drawn_once(
    comparison: Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert comparison.view is comparison.view
    drawn: list[str] = []

    def note(*args: Any, about: str, **settings: Any) -> Any:
        drawn.append(about)
        return panel(*args, about=about, **settings)

    monkeypatch.setattr("textsieve.report.charts.panel", note)
    report_page(comparison)
    assert len(drawn) == len(set(drawn)) == 2 * 2 + 2 * 3 + 1  # measures and classifiers, classifiers and steps, energy


def test_the_quality_table_has_numbers_of_terms_in_order_and_the_best_first(comparison: Comparison) -> None:
    rows = comparison.view.quality.rows
    assert [row.cells[0].text for row in rows] == ["2"] * 6 + ["4"] * 6 + ["9"] * 6 + ["all"] * 2
    assert [row.cells[-1].text for row in rows].count("best") == 4
    for start in (0, 6, 12, 18):
        assert rows[start].cells[-1].text == "best"


def test_the_table_of_conditions_has_the_best_first_and_those_without_figures_last(comparison: Comparison) -> None:
    rows = comparison.view.conditions.rows
    place = [column.key for column in comparison.view.conditions.columns].index("micro_f1")
    values = [row.cells[place].value for row in rows]
    measured = [value for value in values if value is not None]
    assert measured == sorted(measured, reverse=True)
    assert values == [*measured, *[None] * (len(values) - len(measured))]
    assert None in values
    assert [row.is_best for row in rows] == [True] + [False] * (len(rows) - 1)


def test_names_of_methods_are_spelled_out(comparison: Comparison) -> None:
    full = comparison.with_full_names()
    assert [(summary.selector, summary.classifier) for summary in full.summary[-2:]] == [
        ("information gain (min_score=9)", "linear SVM"),
        ("information gain (min_score=9)", "multinomial naive Bayes"),
    ]
    assert {summary.selector for summary in full.summary} >= {"orthogonal centroids (OCFS)", "information gain", "all"}
    for short, spelled in zip(comparison.summary, full.summary, strict=True):
        assert (short.micro_f1, short.p_overall, short.n_terms) == (
            spelled.micro_f1,
            spelled.p_overall,
            spelled.n_terms,
        )
    assert {selection.selector for selection in full.selections} == {
        "orthogonal centroids (OCFS)",
        "information gain",
        "all",
    }
    assert {ranking.selector for ranking in full.rankings} == {"orthogonal centroids (OCFS)", "information gain"}
    assert comparison.examples is not None
    assert full.examples is not None
    assert full.examples.pairs == comparison.examples.pairs


def test_names_stay_if_two_methods_would_get_the_same(tmp_path: Path) -> None:
    both = renamed(tmp_path, {"ocfs": "information gain"})
    assert both.with_full_names() is both
    assert "information gain" in report_page(both)


def test_each_interval_is_drawn_on_the_same_axis() -> None:
    columns = (TableColumn("micro_f1", "F1"), TableColumn("interval", "± F1", interval_of="micro_f1"))
    rows = [
        TableRow((TableCell("", mean), TableCell("", half_width)))
        for mean, half_width in ((0.8, 0.2), (0.5, 0.1), (None, None), (0.6, 0.0))
    ]
    drawings = ViewTable("x", "X", columns, tuple(rows)).draw_intervals()
    numbers = [re.findall(r"--\w+:([\d.]+)", drawing) for drawing in drawings]
    assert numbers == [["0.3333", "0.6667", "1.0000"], ["0.0000", "0.1667", "0.3333"], [], ["0.3333"] * 3]
    assert ViewTable("x", "X", columns[:1], ()).draw_intervals() == []


def test_intervals_are_joined_to_their_means() -> None:
    columns = (TableColumn("f1", "F1"), TableColumn("f1_interval", "± F1", interval_of="f1"), TableColumn("p", "p"))
    cells = (TableCell("0.812", 0.8123), TableCell("0.020", 0.0203), TableCell("best", 2.0))
    failed = (TableCell("–"), TableCell("–"), TableCell("–"))
    joined = ViewTable("x", "X", columns, (TableRow(cells), TableRow(failed))).join_intervals()
    assert texts_of(joined) == [["F1", "p"], ["0.812 ±0.020", "best"], ["–", "–"]]
    assert joined.rows[0].cells[0].value == 0.8123
    assert texts_of(joined.only("p")) == [["p"], ["best"], ["–"]]
