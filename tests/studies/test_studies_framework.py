"""The framework for papers: verdicts, claims, pages, the command, and the results file that a run resumes."""

from __future__ import annotations

import json
import platform
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, Self
from zlib import crc32

import numpy as np
import pytest
from click.testing import CliRunner, Result
from studies.__main__ import align_tables, command
from studies.claim_texts import measured_text, verdict_text
from studies.documents import Collection, members_of
from studies.judging import JudgedClaim, judge
from studies.measurements import Estimate, MeanOf, Measurement, ReportStep, Scope, Value, group_by
from studies.pages import numbers_of, part_text, problems_of, remark_of, tables_of
from studies.paper import ACCURACY, RATIO, SECONDS, TERMS, WORDS_SHARED, Cell, Claim, Item, Paper, Tolerance, Unit
from studies.prediction import PredictionSeconds
from studies.reproduction import PAPERS, QUICK, find_items, recall, reproduce
from studies.results_file import made_today
from studies.selection import SelectionSeconds
from studies.sentences import names_in
from studies.testor_counts import SecondsOfTestors

from textsieve import InputError
from textsieve.comparison.json_lines import decode_line, encode_line, open_to_append
from textsieve.corpus.collections import local_files


@dataclass(frozen=True)
class Known(Measurement):
    """A measurement whose value is given; the class records which measurements were requested."""

    value: Value | None = 1.0
    half_width: float | None = None
    problem: str | None = None
    interrupts: bool = False
    asked: ClassVar[list[Any]] = []

    @classmethod
    def measure_all(
        cls, requested: Sequence[Self], scope: Scope, report_step: ReportStep
    ) -> Iterator[tuple[Self, Estimate]]:
        """Yield the given values one by one."""
        for measurement in requested:
            report_step("known")
            if measurement.interrupts:
                raise KeyboardInterrupt
            cls.asked.append(measurement)
            yield measurement, Estimate(measurement.value, measurement.half_width, measurement.problem)


@pytest.fixture(autouse=True)
def nothing_was_asked() -> None:
    """Forget the requests of earlier tests."""
    Known.asked.clear()


def outcome_of(item: Item) -> Any:
    """Measure and judge an item."""
    estimates: dict[Any, Estimate] = {}
    for cell in item.all_cells:
        known = cell.measurement
        assert isinstance(known, Known)
        estimates[known] = Estimate(known.value, known.half_width, known.problem)
    return judge(item, estimates)


def row(name: str, *values: Value | None, columns: Sequence[Any] = (1, 10, 100)) -> tuple[Cell, ...]:
    """Return the values in the first columns."""
    return tuple(Cell(name, column, Known(value)) for column, value in zip(columns, values, strict=False))


# -- verdicts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    ("distance", "verdict"), [(0, "agrees"), (2, "agrees"), (2.001, "close"), (5, "close"), (5.001, "differs")]
)
def test_verdicts_at_the_limits(distance: float, sign: int, verdict: str) -> None:
    assert Tolerance(2, 5).judge(50, 50 + sign * distance) == verdict
    assert Tolerance(0.02, 0.05, is_share=True).judge(-200, -200 + 2 * sign * distance) == verdict


def test_rounding_errors_do_not_miss_a_limit() -> None:
    assert abs(0.34 - 0.32) > 0.02
    assert Tolerance(0.02, 0.05).judge(0.32, 0.34) == "agrees"
    assert 0.75 - 0.7 > 0.05
    assert Tolerance(0.02, 0.05).judge(0.7, 0.75) == "close"


def test_the_tolerance_for_a_printed_zero_is_absolute() -> None:
    tolerance = Tolerance(0.1, 0.25, is_share=True)
    assert [tolerance.judge(0, value) for value in (0.1, 0.25, 0.3)] == ["agrees", "close", "differs"]


def judged(printed: Any, value: Any, **more: Any) -> Any:
    """Return the verdict on a number in a table of accuracies."""
    (cell,) = outcome_of(Item("table1", "", ACCURACY, (Cell("a", 1, Known(value), printed, **more),))).cells
    return cell.verdict


def test_the_tolerance_of_a_cell_replaces_that_of_its_unit() -> None:
    assert judged(50.0, 53.0) == "close"
    assert judged(50.0, 53.0, tolerance=Tolerance(3, 4)) == "agrees"
    assert judged(50.0, 53.0, unit=TERMS) == "agrees"
    assert judged(50.0, 50.0, unit=SECONDS) is None
    assert judged(None, 50.0) is judged(50.0, None) is None


def test_lists_of_terms_are_judged_by_the_share_of_missing_terms() -> None:
    printed = ("drive", "File", "edu", "card")
    assert WORDS_SHARED[:2] == (0.25, 0.6)
    given = [("card", "edu", "file", "x", "y"), ("card", "edu"), ("card",)]
    assert [judged(printed, terms) for terms in given] == ["agrees", "close", "differs"]
    assert judged((">", "3"), 4.0) is judged(3.0, ("word",)) is None


# -- claims ------------------------------------------------------------------------------------------------------------


def claimed(*rows: tuple[Cell, ...], unit: Any = ACCURACY, than: str = "b", **claim: Any) -> Any:
    """Return a judged claim about row a and another, by default b."""
    conditions = tuple(cell for cells in rows for cell in cells)
    item = Item("figure1", "", unit, conditions, claims=(Claim("so", "a", than, **claim),))
    (judged_claim,) = outcome_of(item).claims
    return judged_claim


def test_a_claim_agrees_if_ahead_in_every_column_and_is_close_if_ahead_in_the_mean() -> None:
    b = row("b", 1.0, 2.0, 3.0)
    claims = [claimed(row("a", *a), b) for a in ((2.0, 3.0, 4.0), (1.0, 3.0, 4.0), (1.0, 2.0, 3.0), (0.0, 3.0, 3.5))]
    assert [(claim.verdict, claim.ahead, claim.of) for claim in claims] == [
        ("agrees", 3, 3),
        ("close", 2, 3),
        ("differs", 0, 3),
        ("close", 2, 3),
    ]
    assert claimed(row("a", 0.0, 3.0, 1.0), b).verdict == "differs"
    assert claims[3].value == pytest.approx(0.5 / 3)


def test_a_ratio_above_one_is_ahead() -> None:
    b = row("b", 2.0, 4.0)
    assert claimed(row("a", 3.0, 8.0), b, how="ratio").value == pytest.approx(1.75)
    assert claimed(row("a", 3.0, 8.0), b, how="ratio").verdict == "agrees"
    assert claimed(row("a", 1.0, 2.0), b, how="ratio").verdict == "differs"
    assert claimed(row("a", 1.0, 8.0), b, how="ratio").verdict == "close"
    relative = claimed(row("a", 3.0, 5.0), b, how="relative")
    assert (relative.value, relative.verdict) == (pytest.approx(0.375), "agrees")


def test_a_printed_difference_or_ratio_is_judged_by_its_tolerance() -> None:
    assert (RATIO.agrees, RATIO.close, RATIO.is_factor) == (1.25, 1.6, True)
    ratios = [
        claimed(row("a", value), row("b", 2.0), how="ratio", by=2.0, unit=SECONDS).verdict
        for value in (5.0, 3.2, 5.1, 3.1, 6.4, 6.5, 2.0)
    ]
    assert ratios == ["agrees", "agrees", "close", "close", "close", "differs", "differs"]
    assert claimed(row("a", 3.1), row("b", 1.0), how="ratio", by=2.0, unit=ACCURACY).verdict == "close"
    differences = [claimed(row("a", value), row("b", 50.0), by=3.0) for value in (51.0, 50.9, 58.1)]
    assert [claim.verdict for claim in differences] == ["agrees", "close", "differs"]
    assert claimed(row("a", 50.9), row("b", 50.0), by=3.0, tolerance=Tolerance(3, 4)).verdict == "agrees"
    assert claimed(row("a", 49.9), row("b", 50.0), by=3.0).verdict == "differs", "near, but on the other side"


def test_a_ratio_of_numbers_that_are_not_positive_differs() -> None:
    assert RATIO.judge(2.0, 0.0) == RATIO.judge(2.0, -2.0) == "differs"
    assert RATIO.judge(2.0, 2.5) == RATIO.judge(2.5, 2.0) == "agrees"


def test_a_claim_may_compare_a_row_with_a_number() -> None:
    item = Item("figure1", "", ACCURACY, row("a", 5.0, 6.0), claims=(Claim("so", "a", 4.0),))
    (claim,) = outcome_of(item).claims
    assert (claim.value, claim.ahead, claim.verdict) == (1.5, 2, "agrees")


def test_derived_measurements_are_not_stored(paper: Callable[..., Paper], tmp_path: Path) -> None:
    parts = (Known(1.0), Known(4.0))
    paper(Item("table1", "", ACCURACY, (Cell("mean", 1, MeanOf(parts)), Cell("one", 1, parts[0]))))
    (reproduction,) = reproduce("ocfs", results=tmp_path / "r.jsonl")
    assert Known.asked == list(parts)
    assert [cell.estimate.value for cell in reproduction.items[0].cells] == [2.5, 1.0]
    assert len((tmp_path / "r.jsonl").read_text(encoding="utf-8").splitlines()) == 3


def test_a_claim_is_about_its_columns_or_about_all_that_both_rows_have() -> None:
    a, b = row("a", 5.0, 1.0, 1.0), row("b", 4.0, 2.0, 2.0)
    assert claimed(a, b, columns=(1,)).verdict == "agrees"
    assert claimed(a, row("b", 3.0, columns=("all",)), than_column="all").value == pytest.approx(7 / 3 - 3)
    assert claimed(a, b[:2]).of == 2
    nothing = claimed(a, row("b", None, None, None))
    assert (nothing.value, nothing.verdict) == (None, None)
    assert (measured_in(nothing, ACCURACY), verdict_text(nothing)) == ("-", "not measured")


@pytest.mark.parametrize(
    ("how", "by", "value"), [("difference", 1.0, -0.5), ("ratio", 1.1, 0.95), ("ratio", 0.9, 1.05)]
)
def test_a_small_lead_of_the_wrong_row_differs(how: Any, by: float, value: float) -> None:
    a, b = (row("a", value), row("b", 1.0)) if how == "ratio" else (row("a", 50 + value), row("b", 50.0))
    assert claimed(a, b, how=how, by=by).verdict == "differs"
    no_difference = 1.0 if how == "ratio" else 0.0
    assert claimed(a, b, how=how, by=no_difference).verdict == "agrees", "no side is the other side of it"


def test_a_lead_may_be_compared_with_that_in_other_columns() -> None:
    a, b = row("a", 8.0, 9.0, 12.0), row("b", 4.0, 6.0, 10.0)
    claim = claimed(a, b, columns=(1, 10), more_than_at=(100, 1_000), how="relative")
    assert (claim.verdict, claim.ahead, claim.of) == ("agrees", 2, 2)
    assert (claim.value, claim.elsewhere) == (pytest.approx(0.75), pytest.approx(0.2))
    expected = "a against b: +75.0% at terms 1, 10, and +20.0% at terms 100, a larger difference in 2 of 2"
    assert measured_in(claim, ACCURACY) == expected
    less = claimed(a, b, columns=(100,), more_than_at=(1, 10), how="ratio")
    assert measured_in(less, ACCURACY) == "a against b: 1.20 times at terms 100, and 1.75 times at terms 1, 10"
    assert verdict_text(less) == "differs"


@pytest.mark.parametrize("how", ["relative", "ratio"])
def test_a_claim_without_comparable_numbers_is_shown_as_not_measured(how: Any) -> None:
    a = row("a", 8.0, 9.0)
    nothing = [
        claimed(a, row("b", 4.0), columns=(1,), more_than_at=(10,), how=how),
        claimed(a, row("b", 4.0, 0.0), columns=(1,), more_than_at=(10,), how=how),
        claimed(a, row("b", 0.0, 0.0), how=how),
        claimed(a, row("b", float("nan"), None), how=how),
    ]
    assert [(claim.value, claim.verdict) for claim in nothing] == [(None, None)] * 4
    assert claimed(a, row("b", 0.0, 3.0), how=how).of == 1
    nowhere_ahead = claimed(row("a", 8.0, 0.0), row("b", 4.0, 2.0), columns=(1,), more_than_at=(10,), how="ratio")
    assert nowhere_ahead.verdict is None


def measured_in(judged: JudgedClaim, unit: Unit) -> str:
    """Return what was measured for a claim about an item of a unit."""
    return measured_text(judged, Item("table1", "", unit, ()))


def test_claims_are_described_in_words() -> None:
    a, b = row("a", 5.0, 6.0), row("b", 4.0, 4.0)
    assert measured_in(claimed(a, b), ACCURACY) == "a against b: +1.50, higher in 2 of 2"
    assert measured_in(claimed(a, b, columns=(1,), how="ratio"), SECONDS) == "a against b: 1.25 times"
    assert "+37.5%" in measured_in(claimed(a, b, how="relative"), ACCURACY)
    printed = claimed(a, b, columns=(1,), how="ratio", by=2.0)
    assert measured_in(printed, SECONDS) == "a against b: 1.25 times (paper: 2.00 times)"
    assert verdict_text(printed) == "close"


def test_two_columns_of_one_row_are_named() -> None:
    same = claimed(row("a", 5.0, 6.0), columns=(10,), than_column=1, than="a")
    assert measured_in(same, ACCURACY) == "a at terms 10 against a at terms 1: +1.00"


def test_a_difference_of_zero_has_no_minus() -> None:
    relative = claimed(row("a", 4.0), row("b", 4.0001), how="relative")
    assert measured_in(claimed(row("a", 4.0), row("b", 4.0001)), ACCURACY) == "a against b: +0.00"
    assert measured_in(relative, ACCURACY) == "a against b: +0.0%"
    assert measured_in(claimed(row("a", 4.0), row("b", 4.01)), ACCURACY) == "a against b: -0.01"


# -- tables and remarks ------------------------------------------------------------------------------------------------


ITEM = Item(
    "table2",
    "a table",
    ACCURACY,
    (
        Cell("a", 1_000, Known(51.234, 0.5), 50.0),
        Cell("b", 1_000, Known(1_234.0), 5_000.0, unit=TERMS),
        Cell("a", 0.25, Known(None, problem="too few"), 40.0),
        Cell("b", "all", Known(("x", "y")), ("x", "z|")),
    ),
    trials=(Cell("c", 1_000, Known(7.0)),),
    remark="It is {a | 1,000} with { b|1,000 } terms, and {c | 1,000}.",
)


def test_a_table_shows_printed_numbers_beside_measured_ones() -> None:
    own, trials = tables_of(outcome_of(ITEM))
    assert own == [
        ["accuracy, %", "1,000", "0.25", "all"],
        ["a", "51.23 ±0.50 (50.00 =)", "- (40.00)", ""],
        ["b", "1,234 (5,000 ≠)", "", "x y (x z| ≈)"],
    ]
    assert trials == [["accuracy, %", "1,000"], ["c", "7.00"]]
    assert problems_of(outcome_of(ITEM)) == ["a, 0.25: too few"]


def test_a_remark_shows_the_numbers_of_the_cells_that_it_names() -> None:
    assert remark_of(outcome_of(ITEM), Scope()) == "It is 51.23 with 1,234 terms, and 7.00."


def test_a_remark_that_names_no_cell_raises_an_error() -> None:
    with pytest.raises(KeyError, match=r"d \| 1"):
        remark_of(outcome_of(Item("table1", "", ACCURACY, row("a", 1.0), remark="{d | 1}")), Scope())


def test_verdicts_are_counted_without_those_of_trials() -> None:
    trials = (Cell("c", 1, Known(1.0), 1.0),)
    item = Item("table1", "", ACCURACY, (Cell("a", 1, Known(1.0), 9.0),), trials=trials)
    assert outcome_of(item).verdicts == {"differs": 1}


def test_claims_about_trials_are_shown_and_not_counted() -> None:
    claims = (Claim("own", "a", "b"), Claim("other", "c", "a"), Claim("others", "a", "c"), Claim("number", "b", 0.5))
    item = Item("table1", "", ACCURACY, (*row("a", 2.0), *row("b", 1.0)), trials=row("c", 3.0), claims=claims)
    outcome = outcome_of(item)
    assert [claim.is_counted for claim in outcome.claims] == [True, False, False, True]
    assert outcome.verdicts == {"agrees": 2}
    assert measured_in(outcome.claims[1], ACCURACY).endswith("+1.00")
    assert [verdict_text(claim) for claim in outcome.claims[:2]] == ["agrees", "(agrees)"]


# -- every paper -------------------------------------------------------------------------------------------------------


@pytest.fixture
def paper(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Paper]:
    """Return a function that replaces the first paper by one with the given items."""

    def replace_paper(*items: Item) -> Paper:
        replacement = Paper("ocfs", "A paper", "How it was\n  set.", items)
        monkeypatch.setitem(sys.modules, "studies.papers.ocfs", SimpleNamespace(PAPER=replacement))
        return replacement

    return replace_paper


FIGURE = Item("figure3", "curves", ACCURACY, (*row("a", 1.0, 2.0, 3.0), *row("b", 2.0, 2.5, 4.0)))


def test_items_come_in_the_order_of_the_paper(paper: Callable[..., Paper]) -> None:
    paper(ITEM, FIGURE)
    (asked,) = find_items(["ocfs:figure3", "ocfs:table2"])
    assert [item.name for item in asked.items] == ["table2", "figure3"]
    assert asked.is_whole
    (part,) = find_items(["ocfs:figure3"])
    assert not part.is_whole
    assert find_items(["ocfs:figure3", "ocfs"])[0].is_whole


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nothing", r"no paper 'nothing'; use ocfs, testors, tofa, tcfp, subspace"),
        ("ocfs:table9", r"ocfs has no item 'table9'; use ocfs, or one of ocfs:table2, ocfs:figure3\."),
        ("", r"no paper ''"),
    ],
)
def test_unknown_names_raise_an_error(paper: Callable[..., Paper], name: str, message: str) -> None:
    paper(ITEM, FIGURE)
    with pytest.raises(InputError, match=message):
        reproduce(name)


def test_equal_measurements_are_measured_once(paper: Callable[..., Paper]) -> None:
    paper(FIGURE, Item("figure4", "again", ACCURACY, row("c", 1.0, 2.0)))
    (reproduction,) = reproduce("ocfs")
    assert sorted(measurement.value for measurement in Known.asked) == [1.0, 2.0, 2.5, 3.0, 4.0]
    assert [cell.estimate.value for cell in reproduction.items[1].cells] == [1.0, 2.0]
    assert reproduction.paths == ()


# -- the file of numbers -----------------------------------------------------------------------------------------------


def measured(path: Path, **settings: Any) -> tuple[int, Any]:
    """Run, and return the number of measurements and the results."""
    Known.asked.clear()
    (reproduction,) = reproduce("ocfs", results=path, **settings)
    return len(Known.asked), [cell.estimate for outcome in reproduction.items for cell in outcome.cells]


def test_a_run_resumes_its_results_file(paper: Callable[..., Paper], tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    paper(ITEM)
    first = measured(path)
    assert first[0] == 5
    assert measured(path) == (0, first[1])
    paper(ITEM, FIGURE)
    assert measured(path)[0] == 5, "only what is new"


def test_a_page_names_the_versions_and_commits_that_measured_its_numbers(
    paper: Callable[..., Paper], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "r.jsonl"
    for commit, item in (("11111111", ITEM), ("22222222", FIGURE)):
        monkeypatch.setattr("studies.results_file.current_commit", lambda commit=commit: commit)
        paper(item)
        measured(path)
    paper(ITEM, FIGURE)
    measured(path)
    (reproduction,) = reproduce("ocfs", results=path, output=tmp_path)
    assert reproduction.provenance.commits == ("11111111", "22222222")
    page = Path(reproduction.paths[0]).read_text(encoding="utf-8")
    assert f"Measured with python {platform.python_version()}, textsieve {version('textsieve')}, " in page
    assert " at commits 11111111, 22222222." in page
    (only_table,) = recall(["ocfs:table2"], path)
    assert only_table.provenance.commits == ("11111111",)


@pytest.mark.parametrize(("commit", "words"), [("11111111", " at commit 11111111 on 20"), (None, " on 20")])
def test_a_page_of_one_run_names_versions_commit_and_date(
    monkeypatch: pytest.MonkeyPatch, commit: str | None, words: str
) -> None:
    monkeypatch.setattr("studies.results_file.current_commit", lambda: commit)
    made = made_today()
    assert re.fullmatch(r"Measured with python [^;]+ on \d{4}-\d{2}-\d{2}\.", made)
    assert f"numba {version('numba')}{words}" in made


def test_a_file_is_recalled_without_measuring_anything(paper: Callable[..., Paper], tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    paper(ITEM)
    (reproduction,) = reproduce("ocfs", results=path)
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    old = encode_line(other_versions(decode_line(header.encode()))).decode().rstrip()
    path.write_text("\n".join([old, *lines, ""]), encoding="utf-8")
    Known.asked.clear()
    (recalled,) = recall(["ocfs"], path)
    assert Known.asked == []
    assert recalled.items == reproduction.items
    assert recalled.provenance.versions["numpy"] == "0.1"
    paper(ITEM, FIGURE)
    with pytest.raises(InputError, match=r"r\.jsonl has no number for Known\("):
        recall(["ocfs"], path)


def test_an_interrupted_run_loses_no_results(paper: Callable[..., Paper], tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    paper(Item("table1", "", ACCURACY, (*row("a", 1.0, 2.0), Cell("b", 1, Known(3.0, interrupts=True)))))
    with pytest.raises(KeyboardInterrupt):
        reproduce("ocfs", results=path)
    paper(Item("table1", "", ACCURACY, row("a", 1.0, 2.0, 3.0)))
    assert measured(path) == (1, [Estimate(1.0), Estimate(2.0), Estimate(3.0)])


@pytest.mark.parametrize("n_lost", [2, 7])
def test_an_unfinished_last_line_is_dropped(paper: Callable[..., Paper], tmp_path: Path, n_lost: int) -> None:
    path = tmp_path / "r.jsonl"
    paper(ITEM)
    whole = measured(path)[1]
    path.write_bytes(path.read_bytes()[:-n_lost])
    assert measured(path) == (1, whole)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len([json.loads(line) for line in lines]) == 6
    assert measured(path)[0] == 0


def test_an_unfinished_header_is_written_again(paper: Callable[..., Paper], tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text('{"file": "textsie', encoding="utf-8")
    paper(ITEM)
    assert measured(path)[0] == 5
    assert measured(path)[0] == 0


def other_versions(line: dict[str, Any]) -> dict[str, Any]:
    """Return a header with old versions."""
    return line | {"versions": line["versions"] | {"numpy": "0.1"}}


def other_format(line: dict[str, Any]) -> dict[str, Any]:
    """Return a header of a later format."""
    return line | {"file": "textsieve studies 9"}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (other_versions, r"by other versions \(numpy: '0\.1' there, '[\d.]+' here\)"),
        (other_format, "in another format, or its first line is damaged"),
    ],
)
def test_results_with_another_header_are_refused(
    paper: Callable[..., Paper], tmp_path: Path, change: Any, reason: str
) -> None:
    path = tmp_path / "r.jsonl"
    paper(ITEM)
    measured(path)
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    header = encode_line(change(decode_line(header.encode()))).decode().rstrip()
    path.write_text("\n".join([header, *lines]) + '\n{"measurement": "torn', encoding="utf-8")
    before = path.read_bytes()
    with pytest.raises(InputError, match=rf"r\.jsonl: these numbers were measured {reason}; delete the file, or name"):
        reproduce("ocfs", results=path)
    assert path.read_bytes() == before


def test_another_scope_is_refused_but_not_another_number_of_threads(
    paper: Callable[..., Paper], tmp_path: Path
) -> None:
    path = tmp_path / "r.jsonl"
    paper(ITEM)
    measured(path, scope=Scope(n_jobs=1))
    assert measured(path, scope=Scope(n_jobs=2))[0] == 0
    for scope in (QUICK, Scope(every=2), Scope(repetitions=3)):
        with pytest.raises(InputError, match=r"of another part \((every|repetitions): (1|None) there, \d+ here\)"):
            reproduce("ocfs", results=path, scope=scope)


def test_two_runs_do_not_write_to_one_file(paper: Callable[..., Paper], tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    paper(ITEM)
    with open_to_append(str(tmp_path / "r.jsonl")), pytest.raises(InputError, match="another run is writing to it"):
        reproduce("ocfs", results=tmp_path / "r.jsonl")


@dataclass(frozen=True)
class Timed(Known):
    """A measurement of seconds, whose value is the number of earlier requests."""

    is_of_seconds: ClassVar[bool] = True


def test_seconds_of_other_threads_are_measured_again(paper: Callable[..., Paper], tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    paper(Item("table1", "", SECONDS, (Cell("a", 1, Timed(3.0)), Cell("b", 1, Known(4.0)))))
    assert measured(path, scope=Scope(n_jobs=1))[0] == 2
    assert measured(path, scope=Scope(n_jobs=1))[0] == 0
    assert measured(path, scope=Scope(n_jobs=2))[0] == 1, "only the seconds"
    assert [measured(path, scope=Scope(n_jobs=n_jobs))[0] for n_jobs in (1, 2)] == [0, 0], "both are remembered"


@pytest.mark.parametrize("kind", [SelectionSeconds, PredictionSeconds, SecondsOfTestors])
def test_measurements_of_time_are_marked(kind: type[Measurement]) -> None:
    assert kind.is_of_seconds
    assert not Measurement.is_of_seconds


@pytest.mark.parametrize(
    "content",
    ['{"my": "precious data"}', "line one\nline two, the most important", "not JSON\n", "null\n", "{", "\n"],
)
def test_a_file_of_another_kind_is_refused_and_unchanged(
    paper: Callable[..., Paper], tmp_path: Path, content: str
) -> None:
    path = tmp_path / "notes.json"
    paper(ITEM)
    path.write_text(content, encoding="utf-8")
    if content == "{":  # an unfinished header may be overwritten, because it has no results
        assert measured(path)[0] == 5
        return
    with pytest.raises(InputError, match=r"notes\.json: the file exists, and is not a results file of studies; choose"):
        reproduce("ocfs", results=path)
    assert path.read_text(encoding="utf-8") == content
    assert Known.asked == []


@pytest.mark.parametrize(
    "line",
    [
        '{"foo": 1}',
        '{"measurement": "x"}',
        '{"measurement": "x", "value": NaN, "half_width": null, "problem": null}',
        '{"measurement": "x", "value": 1e400, "half_width": null, "problem": null}',
        '{"measurement": "x", "value": 1.0, "half_width": Infinity, "problem": null}',
        '{"measurement": "x", "value": 1.0, "half_width": null, "problem": null, "machine": null}',
        '{"measurement": "x", "value": 1.0, "half_width": null, "problem": null, "more": 1}',
        '{"measurement": "x", "value": ' + "[" * 1000 + "]" * 1000 + ', "half_width": null, "problem": null}',
        '{"measurement": "x", "value": {"a": 1}, "half_width": null, "problem": null}',
        '{"measurement": "x", "value": "abc", "half_width": null, "problem": null}',
        '{"measurement": "x", "value": [1], "half_width": null, "problem": null}',
        '{"measurement": "x", "value": true, "half_width": null, "problem": null}',
        '{"measurement": "x", "value": 1.0, "half_width": "wide", "problem": null}',
        '{"measurement": "x", "value": null, "half_width": null, "problem": 3}',
        '{"measurement": ["x"], "value": 1.0, "half_width": null, "problem": null}',
    ],
)
def test_the_error_for_a_damaged_line_names_it(paper: Callable[..., Paper], tmp_path: Path, line: str) -> None:
    path = tmp_path / "r.jsonl"
    paper(Item("table1", "", ACCURACY, row("a", 1.0)))
    measured(path)
    own, body = path.read_bytes(), line[:-1].encode()
    for wrong in (body + b', "checksum": "%08x"}\n' % crc32(body), line.encode() + b"\n", b"no JSON\n"):
        path.write_bytes(own + wrong)
        with pytest.raises(InputError, match=r"r\.jsonl: line 3: damaged: .* Remove this line and run the same"):
            reproduce("ocfs", results=path)
        assert path.read_bytes() == own + wrong


# -- pages -------------------------------------------------------------------------------------------------------------


def test_a_page_for_the_paper_and_a_picture_for_its_figure(paper: Callable[..., Paper], tmp_path: Path) -> None:
    paper(ITEM, FIGURE)
    (reproduction,) = reproduce("ocfs", output=tmp_path / "new" / "pages")
    assert [Path(path).name for path in reproduction.paths] == ["ocfs.md", "ocfs-figure3.svg"]
    page = Path(reproduction.paths[0]).read_text(encoding="utf-8")
    for part in (
        "# A paper, reproduced\n",
        "`python -m studies ocfs`",
        "How it was set.",
        "| table2 | 1 | 1 | 1 |",
        "## Table 2: a table",
        "| a | 51.23 ±0.50 (50.00 =) | - (40.00) |  |",
        "x y (x z\\| ≈)",
        "Other preparations:\n\n| accuracy, % | 1,000 |",
        "- a, 0.25: too few",
        "It is 51.23 with 1,234 terms, and 7.00.",
        "![curves](ocfs-figure3.svg)",
    ):
        assert part in page, part
    assert "A part only" not in page
    assert Path(reproduction.paths[1]).read_text(encoding="utf-8").startswith("<svg")


def test_a_page_of_one_item_is_named_after_it(paper: Callable[..., Paper], tmp_path: Path) -> None:
    paper(ITEM, FIGURE)
    (reproduction,) = reproduce("ocfs:table2", output=tmp_path, scope=QUICK)
    assert [Path(path).name for path in reproduction.paths] == ["ocfs-table2-part.md"]
    page = Path(reproduction.paths[0]).read_text(encoding="utf-8")
    assert "`python -m studies ocfs:table2`" in page
    assert "**A part only**: one document in 20 of each class, and at most 1 fold or repetition. Verdicts" in page
    assert "It is 51.23" not in page, "which is said of the whole"


def test_a_surface_has_its_rows_as_numbers(paper: Callable[..., Paper], tmp_path: Path) -> None:
    rows = (*row("M = 1", 1.0, 2.0), *row("M = 1,000", 2.0, 0.5))
    paper(Item("figure1", "", ACCURACY, rows, trials=row("M = 1, other", 9.5), picture="surface", marked="lowest"))
    (reproduction,) = reproduce("ocfs", output=tmp_path)
    drawn = Path(reproduction.paths[1]).read_text(encoding="utf-8")
    assert "1,000" in drawn
    assert "Framed: the lowest, 0.5" in drawn
    assert "other" not in drawn


def test_files_of_a_quick_run_never_replace_those_of_a_full_run(paper: Callable[..., Paper], tmp_path: Path) -> None:
    paper(ITEM, FIGURE)
    (whole,), (part,) = (reproduce("ocfs", output=tmp_path, scope=scope) for scope in (Scope(), QUICK))
    assert not {*whole.paths} & {*part.paths}
    assert [Path(path).name for path in part.paths] == ["ocfs-part.md", "ocfs-figure3-part.svg"]
    assert "(ocfs-figure3-part.svg)" in Path(part.paths[0]).read_text(encoding="utf-8")


def test_a_missing_package_for_drawing_is_reported_before_anything_is_measured(
    paper: Callable[..., Paper], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paper(FIGURE)
    monkeypatch.setitem(sys.modules, "textsieve.plots", None)
    with pytest.raises(ImportError):
        reproduce("ocfs", output=tmp_path)
    assert Known.asked == []
    reproduce("ocfs")


def test_a_figure_without_a_picture(paper: Callable[..., Paper], tmp_path: Path) -> None:
    paper(Item("figure1", "", ACCURACY, row("a", 1.0), picture="none"))
    (reproduction,) = reproduce("ocfs", output=tmp_path)
    assert [Path(path).name for path in reproduction.paths] == ["ocfs.md"]


@pytest.mark.parametrize("picture", ["curves", "surface"])
@pytest.mark.parametrize("value", [None, 0.0])
def test_a_figure_without_enough_numbers_is_not_drawn(
    paper: Callable[..., Paper], tmp_path: Path, value: float | None, picture: Any
) -> None:
    rows = (*row("M = 1", value, value), *row("M = 2", value, value))
    paper(Item("figure1", "", SECONDS, rows, picture=picture))
    (reproduction,) = reproduce("ocfs", output=tmp_path)
    page = Path(reproduction.paths[0]).read_text(encoding="utf-8")
    assert len(reproduction.paths) == (1 if value is None else 2)
    assert ("figure1.svg" in page) == (value is not None)


def test_points_at_zero_are_left_out_on_a_logarithmic_axis(paper: Callable[..., Paper], tmp_path: Path) -> None:
    columns = ("low", "middle", "high")
    rows = (*row("terms", 0.0, 10.0, 20.0, columns=columns), *row("a", 1.0, 2.0, 3.0, columns=columns))
    paper(Item("figure1", "", ACCURACY, rows, over="terms"))
    (reproduction,) = reproduce("ocfs", output=tmp_path)
    assert len(reproduction.paths) == 2


# -- a part of it ------------------------------------------------------------------------------------------------------


def test_a_scope_limits_repetitions() -> None:
    assert Scope().is_full
    assert Scope(n_jobs=1).is_full
    assert not Scope(every=2).is_full
    assert not Scope(repetitions=5).is_full
    assert [Scope().limit(20), Scope(repetitions=3).limit(20), Scope(repetitions=30).limit(20)] == [20, 3, 20]


def test_a_scope_is_described_in_words() -> None:
    assert Scope().in_words == "everything"
    assert Scope(every=2).in_words == "one document in 2 of each class"
    assert Scope(repetitions=1).in_words == "at most 1 fold or repetition"
    assert (
        Scope(every=20, repetitions=3).in_words
        == "one document in 20 of each class, and at most 3 folds or repetitions"
    )


@pytest.mark.parametrize(
    "given", [{"every": 0}, {"every": -2}, {"every": 1.5}, {"repetitions": 0}, {"repetitions": -1}]
)
def test_an_empty_scope_raises_an_error(given: dict[str, Any]) -> None:
    ((name, value),) = given.items()
    with pytest.raises(InputError, match=f"{name}={value}; use a number from 1, or (1|None) for all of it"):
        Scope(**given)


def test_a_quick_run_has_documents_of_every_class(tmp_path: Path) -> None:
    sizes = {"many": 40, "some": 9, "one": 1}
    lines = [f"{name},word{number} {name}" for name, size in sizes.items() for number in range(size)]
    path = tmp_path / "small.csv"
    path.write_text("\n".join(["topic,body", *lines]) + "\n", encoding="utf-8")
    collection = Collection(str(path), folds=2)
    whole, part = (collection.documents(scope) for scope in (Scope(), Scope(every=4, repetitions=1)))
    assert (len(whole.folds), len(part.folds)) == (2, 1)
    members = members_of(part.labels)
    all_of_fold, of_part = whole.folds[0], part.folds[0]
    in_all = np.union1d(all_of_fold.train, all_of_fold.test)
    assert {name: len(np.intersect1d(in_all, own)) for name, own in members.items()} == sizes
    assert not np.intersect1d(of_part.train, of_part.test).size
    assert len(of_part.train) < len(all_of_fold.train) / 2
    for name, own in members.items():
        n_tested = len(np.intersect1d(all_of_fold.test, own))
        assert len(np.intersect1d(of_part.test, own)) == -(-n_tested // 4), name


def test_measurements_are_grouped_by_attributes() -> None:
    first, second, third = Known(1.0, 0.5), Known(2.0, 0.5), Known(1.0, 0.25)
    assert group_by([first, second, third], "half_width") == {(0.5,): [first, second], (0.25,): [third]}


# -- the command -------------------------------------------------------------------------------------------------------


def run(*arguments: object, exit_code: int = 0) -> Result:
    """Run the command."""
    result = CliRunner().invoke(command, [*map(str, arguments)], prog_name="python -m studies")
    assert result.exit_code == exit_code, result.output
    assert "Traceback" not in result.output
    return result


def test_the_command_prints_and_writes(paper: Callable[..., Paper], tmp_path: Path) -> None:
    paper(ITEM, FIGURE)
    output = run("ocfs", "-o", tmp_path / "out").stdout
    for part in ("Table 2: a table", "51.23 ±0.50 (50.00 =)", "a, 0.25: too few", "Figure 3: curves", "Written: "):
        assert part in output, part
    assert "| a           | 51.23 ±0.50 (50.00 =) | - (40.00) |" in output, "columns are aligned"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "ocfs-figure3.svg",
        "ocfs.md",
        "studies.jsonl",
    ]
    Known.asked.clear()
    run("ocfs", "-o", tmp_path / "out")
    assert Known.asked == []
    quick = " ".join(run("ocfs", "-o", tmp_path / "out", "--quick").stdout.split())
    assert quick.count("**A part only**: one document in 20 of each class, and at most 1 fold or repetition.") == 1
    assert "It is 51.23 with" not in quick
    assert len(Known.asked) == 10
    assert "A part only" not in output
    assert "It is 51.23 with" in output
    assert (tmp_path / "out" / "studies-quick.jsonl").exists()


def test_recorded_numbers_of_a_folder_are_written_without_measuring(
    paper: Callable[..., Paper], tmp_path: Path
) -> None:
    """A folder has a results file for each paper; it may have a derived number without its parts."""
    results = tmp_path / "results"
    results.mkdir()
    mean = Cell("mean", 1_000, MeanOf((Known(8.0), Known(10.0)), are_draws=False))
    paper(ITEM, FIGURE, Item("table9", "derived", ACCURACY, (mean,)))
    run("ocfs", "-o", tmp_path / "out", "--results", results)
    page = (tmp_path / "out" / "ocfs.md").read_text(encoding="utf-8")
    (path,) = results.iterdir()
    assert path.name == "ocfs.jsonl"
    kept = [line for line in path.read_text(encoding="utf-8").splitlines() if "value=8.0" not in line]
    Known.asked.clear()
    run("ocfs", "-o", tmp_path / "again", "--results", results, "--recorded")
    assert (tmp_path / "again" / "ocfs.md").read_text(encoding="utf-8") == page
    path.write_text("\n".join(kept) + "\n", encoding="utf-8")
    error = run("ocfs", "-o", tmp_path / "out", "--results", results, "--recorded", exit_code=1).stderr
    assert "has no number for Known(value=8.0" in error
    derived = encode_line({"measurement": mean.measurement.key, **Estimate(9.0)._asdict()}).decode()
    path.write_text("\n".join(kept) + "\n" + derived, encoding="utf-8")
    run("ocfs", "-o", tmp_path / "derived", "--results", results, "--recorded")
    assert "| mean | 9.00 |" in (tmp_path / "derived" / "ocfs.md").read_text(encoding="utf-8")
    assert Known.asked == []


def test_tables_are_aligned_and_text_is_not_changed() -> None:
    page = "# A title\n\n| a | long name |\n| --- | ---: |\n| x \\| y | 1 |\n\nText | with a bar.\n"
    aligned = (
        "# A title\n\n| a      | long name |\n| ------ | --------: |\n| x \\| y |         1 |\n\nText | with a bar.\n"
    )
    assert align_tables(page) == aligned


def test_the_command_prints_json(paper: Callable[..., Paper], tmp_path: Path) -> None:
    paper(ITEM, FIGURE)
    (whole,) = json.loads(run("ocfs:table2", "-o", tmp_path, "--results", tmp_path / "other.jsonl", "--json").stdout)
    assert (whole["paper"], whole["is_part"], whole["measured"]) == ("ocfs", False, "everything")
    (part,) = json.loads(run("ocfs:table2", "-o", tmp_path, "--quick", "--json").stdout)
    assert (part["is_part"], part["measured"][:18]) == (True, "one document in 20")
    assert whole["files"] == [str(tmp_path / "ocfs-table2.md")]
    (item,) = whole["items"]
    assert (item["item"], item["unit"], item["claims"]) == ("table2", "accuracy, %", [])
    numbers = {(number["row"], number["column"]): number for number in item["numbers"]}
    first = numbers["a", 1_000]
    assert (first["value"], first["half_width"], first["printed"], first["verdict"]) == (51.234, 0.5, 50.0, "agrees")
    assert numbers["b", 1_000]["unit"] == "terms"
    assert (numbers["a", 0.25]["value"], numbers["a", 0.25]["problem"]) == (None, "too few")
    assert numbers["b", "all"]["value"] == ["x", "y"]
    assert numbers["c", 1_000]["verdict"] is None
    assert (tmp_path / "other.jsonl").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "error: There is no paper 'nothing'; use ocfs, testors"),
        (["ocfs:table9"], "error: ocfs has no item 'table9'; use ocfs, or one of ocfs:table2"),
        (["ocfs", "--results", "-"], "--results - is standard output, and results are stored in a file"),
        ([], "Missing argument 'PAPER...'"),
    ],
)
def test_unknown_names_exit_with_code_2(
    paper: Callable[..., Paper], tmp_path: Path, arguments: list[str], message: str
) -> None:
    paper(ITEM)
    assert message in run(*arguments, "-o", tmp_path / "out", exit_code=2).stderr
    assert not (tmp_path / "out").exists()


def test_a_folder_that_can_not_be_created_raises_an_error(paper: Callable[..., Paper], tmp_path: Path) -> None:
    paper(ITEM)
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert "is a file" in run("ocfs", "-o", tmp_path / "file", exit_code=2).stderr
    assert "Not a directory" in run("ocfs", "-o", tmp_path / "file" / "in", exit_code=1).stderr
    assert "there is no folder" in run("ocfs", "-o", tmp_path, "--results", tmp_path / "no" / "r", exit_code=1).stderr
    assert Known.asked == []


def test_an_interrupted_command_says_how_to_resume(paper: Callable[..., Paper], tmp_path: Path) -> None:
    paper(Item("table1", "", ACCURACY, (*row("a", 1.0), Cell("b", 1, Known(3.0, interrupts=True)))))
    error = run("ocfs", "-o", tmp_path, exit_code=130).stderr
    assert "run the same command again to resume" in error
    assert str(tmp_path / "studies.jsonl") in error


def test_a_missing_corpus_raises_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").mkdir()
    monkeypatch.setenv(local_files.DATA_VARIABLE, str(tmp_path / "data"))
    monkeypatch.setenv(local_files.MIRROR_VARIABLE, "http://127.0.0.1:1")
    monkeypatch.setattr(local_files, "cache_folder", lambda: tmp_path / "cache")
    others_have_counted_with_other_threads = ("--jobs", 3)
    arguments = ("subspace:figure2", "--quick", *others_have_counted_with_other_threads)
    error = run(*arguments, "-o", tmp_path / "out", exit_code=1).stderr
    assert "brown" in error
    assert local_files.DATA_VARIABLE in error


@pytest.mark.parametrize("name", PAPERS)
def test_each_paper_is_sound(name: str) -> None:
    (request,) = find_items([name])
    names = [item.name for item in request.items]
    assert len(set(names)) == len(names) > 0
    for item in request.items:
        places = [cell.place for cell in item.all_cells]
        assert len(set(places)) == len(places), item.name
        rows = {row for row, _ in places}
        for claim in item.claims:
            assert claim.row in rows, (item.name, claim.text)
            assert claim.than in rows or isinstance(claim.than, float), (item.name, claim.text)
            has_there = any((claim.row, column) in places for column in claim.more_than_at)
            assert has_there or not claim.more_than_at, (item.name, claim.text)
            for column in claim.columns:
                assert (claim.row, column) in places, (item.name, claim.text)
            assert claim.than_column is None or (claim.than, claim.than_column) in places, (item.name, claim.text)
        estimates = {cell.measurement: Estimate(1.0) for cell in item.all_cells}
        judged = judge(item, estimates)
        assert "{" not in remark_of(judged, Scope()), "each place that a remark names is there"
        assert set(names_in(item.remark)) <= set(numbers_of(judged)), "also in sentences that are not chosen"
    assert ("members" in part_text(request.paper, QUICK)) == (name == "subspace")
