"""Sentences on explanation and research pages say what the tables of results have that they are about."""

from __future__ import annotations

import re
from statistics import mean

import pytest

from tests.docs.running import DOCS

RESEARCH = DOCS / "research"
Table = dict[str, dict[str, float]]
"""The numbers of a table by row and column; cells without a number are left out."""


def text_of(page: str) -> str:
    """Return a page with single spaces instead of line breaks."""
    return " ".join((DOCS / page).read_text(encoding="utf-8").split())


def cells_of(line: str) -> list[str]:
    return [cell.strip().strip("*") for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def tables_of(page: str, section: str = "") -> list[list[list[str]]]:
    """Return the tables of a page, or of a section of it: for each the cells of its lines without the rule."""
    text = (RESEARCH / page).read_text(encoding="utf-8")
    if section:
        (text,) = [part for part in re.split(r"^## ", text, flags=re.MULTILINE) if part.startswith(section)]
    blocks = re.findall(r"(?:^\|.*\n?)+", text, re.MULTILINE)
    lines = [[cells_of(line) for line in block.splitlines()] for block in blocks]
    return [[table[0], *table[2:]] for table in lines]


def numbers_of(table: list[list[str]]) -> Table:
    """Return the numbers of a table, and leave out half-widths, marks and cells without a number."""
    numbers: Table = {}
    for name, *cells in table[1:]:
        found = {column: re.match(r"[-+]?[\d,]*\.?\d+", cell) for column, cell in zip(table[0][1:], cells, strict=True)}
        numbers[name] = {column: float(match[0].replace(",", "")) for column, match in found.items() if match}
    return numbers


def table_of(page: str, corner: str, column: str, section: str = "") -> Table:
    """Return the first table with a title in its corner and a column."""
    tables = tables_of(page, section)
    return next(numbers_of(table) for table in tables if table[0][0] == corner and column in table[0])


def rows_of(page: str, section: str) -> Table:
    """Return the numbers of all tables of a section that have rows and columns of numbers."""
    rows: Table = {}
    for table in tables_of(page, section):
        if table[0][0] != "the paper says":
            rows |= numbers_of(table)
    return rows


def leads(rows: Table, first: str, second: str) -> list[float]:
    """Return how far a row is ahead of another in each column that both have."""
    return [rows[first][column] - rows[second][column] for column in rows[first] if column in rows[second]]


def decimals(numbers: list[str]) -> list[float]:
    return [float(number) for number in numbers]


# -- forward selection -------------------------------------------------------------------------------------------------

FORMS = ("forward", "the same on", "the same, a class", "the same, λ")
OTHERS = ("OCFS", "information gain", "chi-square", "`f_classif`", "L1 `SelectFromModel`")


def test_the_variants_of_forward_selection() -> None:
    rows = table_of("forward-results.md", "terms", "100")
    text = text_of("research/forward-results.md")
    forms = [name for name in rows if name.startswith(FORMS)]
    assert len(forms) == 4
    for column in ("100", "200", "500"):
        assert max(rows, key=lambda name: rows[name][column]) in forms
        others = max(rows[name][column] for name in rows if name.startswith(OTHERS))
        assert min(rows[name][column] for name in forms) > others
    weights = rows["an SVM's weights, the longest first"]
    sentence = re.search(
        r"ahead of `forward` at 100 terms \((\S+) against (\S+)\) and at 200 \((\S+) against (\S+)\)", text
    )
    behind = re.search(r"behind it at 500 \((\S+) against (\S+)\)", text)
    assert sentence is not None
    assert behind is not None
    compared = [*decimals([*sentence.groups()]), *decimals([*behind.groups()])]
    assert compared == [row[column] for column in ("100", "200", "500") for row in (weights, rows["forward"])]
    assert compared[0] > compared[1]
    assert compared[2] > compared[3]
    assert compared[4] < compared[5]
    last = [row["2,000"] for name, row in rows.items() if not name.startswith("bi-normal")]
    assert "all rows but bi-normal separation are between .752 and .772" in text
    assert (min(last), max(last)) == (0.752, 0.772)
    assert "OCFS (.769) is ahead of `forward` (.767)" in text
    assert (rows["OCFS"]["2,000"], rows["forward"]["2,000"]) == (0.769, 0.767)


def test_weights_are_ahead_of_forward_in_both_figures_at_two_sizes_only() -> None:
    assert "ahead of `forward` in both figures at 5,000 and 20,000 only" in text_of("research/forward-results.md")
    both = [table_of("forward-results.md", figure, "100 (17)") for figure in ("mean accuracy", "mean macro-F1")]
    ahead = [size for size in both[0]["forward"] if all(rows["weights"][size] > rows["forward"][size] for rows in both)]
    assert [size.split()[0] for size in ahead] == ["5,000", "20,000"]


def test_what_pages_on_forward_selection_say_about_the_comparison_of_the_defaults() -> None:
    rows = table_of("defaults.md", "", "micro 100", "Selectors")
    selectors = [name for name in rows if name != "all terms"]
    for column in ("micro 100", "micro 500", "macro 100", "macro 500"):
        assert max(selectors, key=lambda name: rows[name][column]) == "forward"
    assert min(selectors, key=lambda name: rows[name]["rank, micro"]) == "forward"
    for size in ("1,000", "2,000"):
        for name in ("tofa", "ocfs"):
            assert rows[name][f"macro {size}"] > rows["forward"][f"macro {size}"]
    text = text_of("research/forward-results.md")
    assert "(2.76; TOFA 3.99, OCFS 4.07)" in text
    assert [rows[name]["rank, micro"] for name in ("forward", "tofa", "ocfs")] == [2.76, 3.99, 4.07]
    assert "1,000 terms (.770 and .767 against .764) and at 2,000 (.777 and .774 against .771)" in text
    order = ("ocfs", "tofa", "forward")
    assert [rows[name]["micro 1,000"] for name in order] == [0.770, 0.767, 0.764]
    assert [rows[name]["micro 2,000"] for name in order] == [0.777, 0.774, 0.771]
    assert "All terms (.766) are ahead of it at 1,000." in text
    assert rows["all terms"]["micro 1,000"] == 0.766 > rows["forward"]["micro 1,000"]
    assert "(by .003 to .006 in the mean)" in text_of("explanation/forward.md")


def test_what_the_page_on_defaults_says_about_17_corpora() -> None:
    assert "ahead of OCFS at 1,000 and 2,000 terms, too" in text_of("research/defaults.md")
    for figure in ("mean accuracy", "mean macro-F1"):
        rows = table_of("forward-results.md", figure, "100 (17)")
        for size in ("1,000 (17)", "2,000 (17)"):
            assert rows["forward"][size] > rows["ocfs"][size]


def test_what_the_explanation_of_forward_selection_says_about_17_corpora() -> None:
    rows = table_of("forward-results.md", "mean accuracy", "100 (17)")
    text = text_of("explanation/forward.md")
    assert "at 100 terms `forward` by .015, .023 and .019" in text
    leads = [rows["forward"]["100 (17)"] - rows[name]["100 (17)"] for name in ("ocfs", "chi", "ig")]
    assert [round(lead, 3) for lead in leads] == [0.015, 0.023, 0.019]
    assert "With all terms, the accuracy was higher than with any selection of up to 2,000." in text
    for size in ("100", "200", "500", "1,000", "2,000"):
        assert max(rows, key=lambda name: rows[name][f"{size} (17)"]) == "all terms"


# -- other methods -----------------------------------------------------------------------------------------------------


def test_the_range_of_the_weight_of_tofa() -> None:
    ranges = {}
    for corner in ("all labels", "a tenth of the labels"):
        table = next(table for table in tables_of("tofa-results.md") if table[0][0] == corner and "auto λ" in table[0])
        column = table[0].index("auto λ")
        found = [(float(row[column]), row[0], row[1]) for row in table[1:] if re.match(r"[\d.]+$", row[column])]
        ranges[corner] = min(found), max(found)
    text = text_of("explanation/tofa.md")
    assert "λ came out as 0.97 to 1," in text
    assert [f"{weight:.2f}" for weight, *_ in ranges["all labels"]] in (["0.96", "1.00"], ["0.97", "1.00"])  # .965
    assert "0.46 (Brown, 50 terms) to 0.99 (WebKB)" in text
    lowest, highest = ranges["a tenth of the labels"]
    assert (round(lowest[0], 2), *lowest[1:]) == (0.46, "Brown", "50")
    assert (round(highest[0], 2), highest[1]) == (0.99, "WebKB")


def test_seconds_of_tcfp_beside_those_of_naive_bayes() -> None:
    text = text_of("explanation/tcfp.md")
    assert "without it, TCFP takes about as long as naive Bayes" in text
    assert 'with `context="best"` about ten times as long' in text
    seconds = {name: row["mean"] for name, row in rows_of("papers/tcfp.md", "Table 5").items()}
    assert 1 / 2 < seconds["TCFP without context"] / seconds["NB"] < 2
    assert 6 < seconds["TCFP"] / seconds["NB"] < 15


CLASSIFIERS = ("kNN", "SVM")


def test_testors_beside_information_gain_on_reuters() -> None:
    text = text_of("explanation/testors.md")
    assert "testors have a better macro-F1 on average" in text
    assert "slightly worse with nearest neighbours, and slightly better with an SVM" in text
    macro, micro = (rows_of("papers/testors.md", figure) for figure in ("Figure 1:", "Figure 2:"))
    assert all(mean(leads(macro, f"TT, {name}", f"IG, {name}")) > 0 for name in CLASSIFIERS)
    assert -0.02 < mean(leads(micro, "TT, kNN", "IG, kNN")) < 0
    assert 0 < mean(leads(micro, "TT, SVM", "IG, SVM")) < 0.02


@pytest.mark.parametrize(("figure", "is_better"), [("Figure 1:", True), ("Figure 2:", False)])
def test_testors_beside_information_gain_in_turns(figure: str, is_better: bool) -> None:
    assert "a better macro-F1 than testors in most rows, and a worse micro-F1 in most" in text_of(
        "explanation/testors.md"
    )
    rows = rows_of("papers/testors.md", figure)
    in_turns = [name for name in rows if name.startswith("IG in turns")]
    compared = [lead for name in in_turns for lead in leads(rows, name, name.replace("IG in turns", "TT"))]
    assert len(compared) >= 15
    better = sum(lead > 0 if is_better else lead < 0 for lead in compared)
    assert better > len(compared) / 2


def test_the_two_kinds_of_calibration() -> None:
    rows = table_of("calibration-results.md", "probabilities", "log loss")
    shared, own = (
        next(row for name, row in rows.items() if name.startswith(f"one sigmoid for {which}"))
        for which in ("all", "each")
    )
    text = text_of("explanation/calibration.md")
    assert "the same log loss (.674 against .676)" in text
    assert (shared["log loss"], own["log loss"]) == (0.674, 0.676)
    assert "right (.791 against .784)" in text
    assert (own["accuracy"], shared["accuracy"]) == (0.791, 0.784)


def test_accuracies_of_projections() -> None:
    table = next(table for table in tables_of("projections-results.md") if table[0][0] == "terms")
    percent = [row[-1] for row in table[1:]]
    printed = re.findall(r"\} (0\.\d{4})$", (RESEARCH / "projections-results.md").read_text("utf-8"), re.MULTILINE)
    assert [f"{100 * float(accuracy):.1f}" for accuracy in printed] == percent
    text = text_of("explanation/projections.md")
    mentioned = re.findall(r"(\d\d\.\d) %", text.partition("## Is it worth it?")[2])
    assert mentioned == percent
    assert max(percent) == percent[0]
