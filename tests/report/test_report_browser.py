"""The report in a real browser loads nothing else, draws, sorts and searches; in dark mode, on phones and on paper."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys
from tests.browser import Browser
from tests.colours import COLOURS, contrast
from tests.reference.report_cases import HOSTILE, compared, of_many_classes, renamed

from textsieve import compare
from textsieve.comparison import Comparison
from textsieve.comparison.summary import best_first
from textsieve.report import page as page_module
from textsieve.report import write_report

READY = "document.querySelectorAll('.chart').length === document.querySelectorAll('.chart[data-drawn]').length"
LABELS = """
return [...document.querySelectorAll(".chart")].map((chart) =>
  (chart.matches("[role=graphics-document]") ? chart : chart.querySelector("[role=graphics-document]"))?.ariaLabel)
"""


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compared()


@pytest.fixture(scope="module")
def page(comparison: Comparison, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "page.html"
    write_report(comparison, path)
    return path


def opened(browser: Browser, page: Path) -> Browser:
    """Open the page, wait until all charts are drawn, and return the browser."""
    browser.open(page)
    assert browser.all("nav a"), "its script did not run"
    browser.wait(READY)
    return browser


def contrasts(browser: Browser, selector: str, field: str = "color") -> list[float]:
    """Return the contrasts of letters or lines with their background."""
    script = COLOURS + (
        "return [...document.querySelectorAll(arguments[0])].filter((element) => element.getClientRects().length)"
        ".map((node) => [parse(getComputedStyle(node)[arguments[1]]), groundOf(node.closest('svg') ?? node)])"
    )
    return [contrast(*pair) for pair in browser.run(script, selector, field)]


def test_the_page_loads_nothing_and_logs_no_errors(browser: Browser, page: Path) -> None:
    opened(browser, page)
    assert browser.requests() == [page.as_uri()]
    assert browser.complaints() == []


def test_charts_are_drawn(browser: Browser, page: Path) -> None:
    opened(browser, page)
    panels = {name: browser.texts(f"#{name} figcaption") for name in ("quality", "times", "energy")}
    assert panels == {
        "quality": ["linear SVM", "multinomial naive Bayes"],
        "times": ["selection", "training", "prediction"],
        "energy": [],
    }
    for chart in range(len(browser.all("#quality .chart"))):
        inside = f"#quality figure:nth-child({chart + 1}) svg"
        assert len(browser.all(f"{inside} .mark-line path")) == 2, "a line for each selector"
        assert len(browser.all(f"{inside} .mark-symbol path")) == 2 * 3
        assert len(browser.all(f"{inside} .mark-rule.role-mark line")) == 1 + 2 * 3, "for all terms, and intervals"
        assert len(browser.all(f"{inside} .mark-rect.role-mark path")) == 1 + 2 * 2 * 3, "its band, and their ends"
    assert len(browser.all("#energy svg .mark-line path")) == 2
    assert browser.texts("#quality .legend li") == ["orthogonal centroids (OCFS)", "information gain", "all terms"]
    labels = browser.run(LABELS)
    assert labels[:2] == [
        f"micro-F1 against the number of terms, {name}" for name in ("linear SVM", "multinomial naive Bayes")
    ]
    assert len(labels) == 2 + 3 + 1
    assert all(labels)


def test_a_selector_has_one_colour_everywhere(browser: Browser, page: Path) -> None:
    opened(browser, page)

    def colours(selector: str) -> list[str]:
        stroke = "return [...document.querySelectorAll(arguments[0])].map((line) => getComputedStyle(line).stroke)"
        strokes: list[str] = browser.run(stroke, selector)
        return strokes

    in_legend = colours("#quality .legend .swatch path[stroke]")[:2]
    assert len(set(in_legend)) == 2
    for name in ("#quality figure:first-child", "#times figure:first-child", "#energy"):
        assert colours(f"{name} svg .mark-line path") == in_legend


def test_controls_select_the_drawn_charts(browser: Browser, page: Path, comparison: Comparison) -> None:
    opened(browser, page)
    heights = browser.run("return [...document.querySelectorAll('#quality .mark-symbol path')].map((e) => e.ariaLabel)")
    browser.choose("#quality [name=measure]", "macro-F1")
    browser.wait(READY)
    others = browser.run("return [...document.querySelectorAll('#quality .mark-symbol path')].map((e) => e.ariaLabel)")
    assert len(heights) == len(others) == 2 * 2 * 3
    assert heights != others
    assert "macro-F1" in browser.texts("#quality figure:first-child svg text")
    browser.choose("#quality [name=classifier]", "multinomial naive Bayes")
    browser.wait(READY)
    assert browser.texts("#quality figcaption") == ["multinomial naive Bayes"]
    browser.choose("#times [name=classifier]", "multinomial naive Bayes")
    browser.wait(READY)
    assert "Seconds of selection against the number of terms, multinomial naive Bayes" in browser.run(LABELS)
    assert browser.complaints() == []


def test_the_table_has_the_numbers_of_the_comparison(browser: Browser, page: Path, comparison: Comparison) -> None:
    opened(browser, page)
    titles = browser.texts("#conditions thead th")
    rows = browser.run(
        "return [...document.querySelectorAll('#conditions tbody tr')].map((row) => "
        "[...row.cells].map((cell) => [cell.textContent, cell.dataset.value ?? null]))"
    )
    assert len(rows) == len(comparison.summary) == 2 * 3 * 2 + 2
    summaries = best_first(comparison.with_full_names().summary)
    for line, cells in zip(summaries, rows, strict=True):
        shown = dict(zip(titles, cells, strict=True))
        assert shown["selector"][0] == line.selector
        assert shown["classifier"][0] == line.classifier
        assert line.micro_f1 is not None
        assert line.macro_f1 is not None
        assert float(shown["micro-F1"][1]) == line.micro_f1.value
        assert shown["macro-F1"][0] == f"{line.macro_f1.value:.3f}"
        assert float(shown["± micro-F1"][1]) == line.micro_f1.half_width
        assert float(shown["training, s"][1]) == line.training_seconds
        assert float(shown["model, kB"][1]) * 1000 == pytest.approx(line.model_bytes)
    assert browser.texts("#conditions tr.best td:nth-child(2)") == [summaries[0].selector]


def column(browser: Browser, title: str) -> list[float]:
    place = browser.texts("#conditions thead th").index(title) + 1
    values = browser.run(
        "return [...document.querySelectorAll(`#conditions td:nth-child(${arguments[0]})`)]"
        ".map((element) => element.dataset.value ?? null)",
        place,
    )
    return [math.nan if value is None else float(value) for value in values]


def test_a_click_on_a_title_sorts(browser: Browser, page: Path) -> None:
    opened(browser, page)
    places = browser.texts("#conditions thead th")
    button = browser.all("#conditions thead button")[places.index("micro-F1")]
    head = f"#conditions thead th:nth-child({places.index('micro-F1') + 1})"
    assert browser.one(head).get_attribute("aria-sort") == "descending", "from the beginning"
    assert column(browser, "micro-F1") == sorted(column(browser, "micro-F1"), reverse=True)
    button.click()
    assert browser.one(head).get_attribute("aria-sort") == "ascending"
    assert column(browser, "micro-F1") == sorted(column(browser, "micro-F1"))
    browser.all("#conditions thead button")[places.index("terms")].click()
    assert browser.one(head).get_attribute("aria-sort") == "none"
    assert column(browser, "terms") == sorted(column(browser, "terms")), "by number, not as text"
    assert browser.texts("#copied") == ["Sorted by terms."]


def test_the_keyboard_sorts_too(browser: Browser, page: Path) -> None:
    opened(browser, page)
    button = browser.all("#conditions thead button")[1]
    browser.run("arguments[0].focus()", button)
    button.send_keys(Keys.ENTER)
    assert browser.texts("#conditions td:nth-child(2)") == sorted(browser.texts("#conditions td:nth-child(2)"))
    button.send_keys(Keys.SPACE)
    assert browser.texts("#conditions td:nth-child(2)")[0] == "orthogonal centroids (OCFS)"
    assert browser.all("#conditions thead th")[1].get_attribute("aria-sort") == "descending"


def test_combinations_without_figures_are_sorted_last(browser: Browser, tmp_path: Path) -> None:
    write_report(compared(selectors="ig(min_score=9),ocfs", classifiers="nb"), tmp_path / "x.html")
    opened(browser, tmp_path / "x.html")
    button = browser.all("#conditions thead button")[browser.texts("#conditions thead th").index("micro-F1")]
    for _ in range(2):
        button.click()
        values = column(browser, "micro-F1")
        assert [math.isnan(value) for value in values] == [False] * 3 + [True] * 3
    assert any("keeps none of the" in problem for problem in browser.texts("section.problem li"))
    assert browser.complaints() == []


def test_the_table_is_copied_as_csv(browser: Browser, page: Path, comparison: Comparison) -> None:
    opened(browser, page)
    browser.run("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    browser.one("#copy").click()
    browser.wait("window.copied")
    lines = browser.run("return window.copied").splitlines()
    assert lines[0].startswith("terms,selector,classifier,selected,micro-F1,± micro-F1")
    assert len(lines) == 1 + len(comparison.summary)
    assert comparison.best is not None
    assert comparison.best.micro_f1 is not None
    assert repr(comparison.best.micro_f1.value) in lines[1]
    browser.wait("document.getElementById('copied').textContent.startsWith('Copied 14 rows')")


def test_the_overlap_of_a_number_of_terms_is_shown(browser: Browser, page: Path, comparison: Comparison) -> None:
    opened(browser, page)
    shared = {overlap.n_terms: overlap.measures for overlap in comparison.overlaps}
    for place, size in enumerate((2, 4, 9)):
        browser.choose("#overlap [name=size]", str(place))
        browser.choose("#overlap [name=index]", "shared")
        assert browser.texts("#overlap .matrix .caption") == [f"Shared terms of two selectors, {size} terms"]
        cells = browser.texts("#overlap .matrix tbody tr:first-child td")
        n_shared = shared[size].shared
        assert cells == [str(size), f"{n_shared:.0f}" if n_shared.is_integer() else f"{n_shared:.1f}"]
        browser.choose("#overlap [name=index]", "jaccard")
        assert browser.texts("#overlap .matrix tbody tr:first-child td")[1] == f"{shared[size].jaccard:.2f}"


def test_the_confusion_of_a_combination_is_shown(browser: Browser, page: Path, comparison: Comparison) -> None:
    opened(browser, page)
    comparison = comparison.with_full_names()
    names = browser.texts("#classes [name=combination] option")
    best = next(line for line in comparison.summary if line.is_best)
    assert names[0].startswith("all terms" if best.selector == "all" else best.selector)
    for place, text in ((0, names[0]), (len(names) - 1, names[-1])):
        browser.choose("#classes [name=combination]", str(place))
        cells = browser.run(
            "return [...document.querySelectorAll('#classes .matrix tbody tr')].map((row) => "
            "[...row.querySelectorAll('td')].map((cell) => Number(cell.textContent)))"
        )
        right = [sum(row[0] for row in rows) for rows in _classes_of(comparison, text)]
        assert [cells[number][number] for number in range(3)] == right
        assert [sum(row) for row in cells] == [sum(row[2] for row in rows) for rows in _classes_of(comparison, text)]


def _classes_of(comparison: Comparison, text: str) -> list[list[tuple[int, int, int]]]:
    """Return the counts of each class in each fold."""
    ((selector, terms, classifier),) = re.findall(r"^(?:([^,]+), )?(\w+) terms?, ([^,]+)$", text)
    size: Any = terms if terms == "all" else int(terms)
    key = (selector or "all", size, classifier)
    rows = [row for row in comparison.rows if row.key[1:] == key]
    assert len(rows) == 2
    return [list(counts) for counts in zip(*(row.by_class or () for row in rows), strict=True)]


def test_probabilities_of_a_combination_are_shown(browser: Browser, tmp_path: Path) -> None:
    more = compared(90, selectors="all", n_terms="9", classifiers="nb,rocchio")
    write_report(more, tmp_path / "x.html")
    browser.size(360)
    opened(browser, tmp_path / "x.html")
    assert "fitted on the other half" in browser.texts("#probabilities .note")[0]
    names = browser.texts("#probabilities [name=combination] option")
    views = more.with_full_names().view.confidence
    assert names == [combination for combination, _ in views]
    shown = (
        "return [...document.querySelectorAll('#probabilities tbody tr')].filter((row) => row.getClientRects().length)"
        ".map((row) => [...row.cells].map((cell) => cell.textContent).filter(Boolean))"
    )
    for place, (_, confidence) in enumerate(views):
        browser.choose("#probabilities [name=combination]", str(place))
        bands = [
            [
                f"{band.min_probability:g} to {band.max_probability:g}",
                str(band.documents),
                *([f"{band.accuracy:.1%}"] if band.documents else []),
            ]
            for band in confidence.bands()
        ]
        rows = [
            [f"{row.min_probability:g}", *([f"{row.accuracy:.1%}"] if row.share else []), f"{row.share:.1%}"]
            for row in confidence.rows()
        ]
        assert browser.run(shown) == bands + rows
        assert browser.run(
            "return [...document.querySelectorAll('.confidence .scroll')].every((e) => e.scrollWidth <= e.clientWidth)"
        ), "the tables fit a phone"
    assert browser.complaints() == []


def test_multilabel_documents_have_a_table_of_classes(browser: Browser, tmp_path: Path) -> None:
    multilabel = compared(multilabel=True)
    write_report(multilabel, tmp_path / "x.html")
    opened(browser, tmp_path / "x.html")
    assert browser.all("#classes .matrix, #probabilities") == []
    rows = browser.run(
        "return [...document.querySelectorAll('#classes .by-class tbody tr')].map((row) => "
        "[...row.cells].map((cell) => cell.textContent))"
    )
    assert [row[0] for row in rows] == multilabel.header["classes"]
    (counts, *_) = (
        combination["classes"] for combination in browser.run("return JSON.parse(data.textContent).combinations")
    )
    n_correct, n_predicted, n_true = counts[0]
    f1 = 2 * n_correct / (n_predicted + n_true)
    assert rows[0][1:] == [str(n_true), f"{n_correct / n_predicted:.3f}", f"{n_correct / n_true:.3f}", f"{f1:.3f}"]
    assert "accuracy" in browser.texts("#conditions thead th")


def test_the_search_looks_for_terms_and_classes(browser: Browser, page: Path) -> None:
    opened(browser, page)
    assert browser.texts("#terms .card h3") == ["boat", "cook", "moon"]
    all_terms = browser.texts("#terms .term")
    assert len(all_terms) == 9
    box = browser.one("#terms [name=search]")
    wanted = all_terms[0][:3].upper()
    box.send_keys(wanted)
    assert browser.texts("#terms .term") == [term for term in all_terms if wanted.lower() in term.lower()]
    assert f"match “{wanted}”" in browser.texts("#terms .shown")[0]
    box.clear()
    box.send_keys("moon")
    assert browser.texts("#terms .card h3") == ["moon"]
    box.send_keys("x")
    assert browser.texts("#terms .card") == []
    assert "0 match" in browser.texts("#terms .shown")[0]


def test_a_search_shows_how_many_terms_it_covers(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_module, "MAX_TERMS", 3)
    monkeypatch.setattr(page_module, "MIN_CLASS_TERMS", 1)
    page = tmp_path / "few.html"
    write_report(compared(), page)
    opened(browser, page)
    browser.one("#terms [name=search]").send_keys("nowhere")
    assert "selected 9 terms, 3 of which were searched; 0 match" in browser.texts("#terms .shown")[0]


def test_the_terms_of_a_selector_and_a_number_are_shown(browser: Browser, page: Path, comparison: Comparison) -> None:
    opened(browser, page)
    selected = {
        (selection.selector, selection.n_terms): selection.terms
        for selection in comparison.with_full_names().selections
        if selection.fold == 0
    }
    for selector in ("orthogonal centroids (OCFS)", "information gain"):
        for size in (2, 9):
            browser.choose("#terms [name=selector]", selector)
            browser.choose("#terms [name=size]", str(size))
            places = [int(rank.rstrip(".")) for rank in browser.texts("#terms .card li span:first-child")]
            shown = dict(zip(places, browser.texts("#terms .term"), strict=True))
            assert tuple(shown[place] for place in sorted(shown)) == selected[selector, size]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_letters_and_lines_have_contrast_in_light_and_dark_mode(dark: bool, browser: Browser, page: Path) -> None:
    browser.look(dark=dark)
    opened(browser, page)
    ground = browser.run(COLOURS + "return groundOf(document.querySelector('#quality'))")
    assert (max(ground) < 60) == dark
    letters = "h1, h2, h3, p, td, th, label, select, input, dt, dd, a, button, .legend li, .card span"
    assert min(contrasts(browser, letters)) >= 4.5
    assert min(contrasts(browser, ".chart svg text", "fill")) >= 4.5
    assert min(contrasts(browser, ".chart svg .mark-line path", "stroke")) >= 3
    assert min(contrasts(browser, ".legend .swatch path[stroke]", "stroke")) >= 3


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_numbers_have_contrast_on_every_shade(dark: bool, browser: Browser, page: Path, tmp_path: Path) -> None:
    before, begin, rest = page.read_text(encoding="utf-8").partition('<script type="application/json" id="data">')
    data, end, after = rest.partition("</script>")
    held = json.loads(data)
    shares = [[(10 * row + column) / 100 for column in range(11)] for row in range(11)]
    measures = dict.fromkeys(("shared", "jaccard", "kuncheva"), shares)
    held["overlap"][-1] |= {"selectors": list("abcdefghijk"), "selected": [9] * 11, **measures}
    (tmp_path / "x.html").write_text(before + begin + json.dumps(held) + end + after, encoding="utf-8")
    browser.look(dark=dark)
    opened(browser, tmp_path / "x.html")
    assert browser.complaints() == []
    browser.choose("#overlap [name=index]", "jaccard")
    shades = browser.run(
        "return [...document.querySelectorAll('#overlap .matrix td')].map((e) => e.style.backgroundColor)"
    )
    assert len(set(shades)) > 90
    assert min(contrasts(browser, "#overlap .matrix td")) >= 4.5


@pytest.mark.parametrize("width", [360, 768])
def test_a_narrow_window_is_not_scrolled_sideways(width: int, browser: Browser, page: Path, tmp_path: Path) -> None:
    browser.size(width)
    opened(browser, page)
    assert browser.run("return [document.documentElement.scrollWidth, innerWidth]") == [width, width]
    wide = browser.run("return document.getElementById('conditions').parentElement.scrollWidth")
    assert wide > width or width > 360, "the table is wider, in a box of its own"
    charts = browser.run(
        "return [...document.querySelectorAll('.chart svg')].map((e) => e.getBoundingClientRect().right)"
    )
    assert max(charts) <= width


def test_the_printed_page_is_light_and_has_all_rows(browser: Browser, page: Path) -> None:
    browser.look(dark=True, media="print")
    opened(browser, page)
    assert browser.run(COLOURS + "return groundOf(document.body)") == [255, 255, 255]
    assert min(contrasts(browser, "h1, h2, td, th, p, .chart svg text")) >= 4.5
    shown = browser.run(
        "return [...document.querySelectorAll('select, input, nav, #copy')]"
        ".filter((element) => element.getClientRects().length).length"
    )
    assert shown == 0
    for box in ("#conditions", "#classes .by-class table", "#classes .matrix table"):
        assert browser.run(
            "const box = document.querySelector(arguments[0]).parentElement;"
            "return box.scrollHeight <= box.clientHeight + 1 && getComputedStyle(box).overflowX === 'visible'",
            box,
        ), "all rows are there"
    arrows = browser.run("return getComputedStyle(document.querySelector('th button'), '::after').content")
    assert arrows in ("none", "normal")


def test_hostile_names_are_only_text(browser: Browser, tmp_path: Path) -> None:
    hostile = renamed(tmp_path, {"boat": HOSTILE, "deck": f"{HOSTILE}deck", "ocfs": f"{HOSTILE}ocfs"})
    write_report(hostile, tmp_path / "x.html")
    opened(browser, tmp_path / "x.html")
    assert browser.run("return window.hacked ?? null") is None
    assert browser.all("img") == []
    assert browser.complaints() == []
    assert browser.requests() == [(tmp_path / "x.html").as_uri()]
    assert HOSTILE in browser.texts("#terms .card h3")
    assert f"{HOSTILE}ocfs" in browser.texts("#conditions td")
    assert f"{HOSTILE}ocfs" in browser.texts("#quality .legend li")
    browser.choose("#terms [name=selector]", "information gain")
    assert f"{HOSTILE}deck" in browser.texts("#terms .term")
    assert any(HOSTILE in text for text in browser.texts("#classes .matrix th"))


def test_the_matrix_of_many_classes_has_those_with_most_mistakes(browser: Browser, tmp_path: Path) -> None:
    write_report(of_many_classes(120), tmp_path / "x.html")
    opened(browser, tmp_path / "x.html")
    assert len(browser.all("#classes .matrix tbody tr")) == 30
    assert "The 30 of 120 classes with the most mistakes" in browser.texts("#classes .matrix .caption")[0]
    assert browser.texts("#classes .matrix thead th")[-1] == "any other class"
    assert len(browser.all("#classes .by-class tbody tr")) == 120
    assert len(browser.all("#terms .card")) == 120
    assert browser.run("return document.documentElement.scrollWidth === innerWidth")
    assert browser.complaints() == []


@pytest.mark.parametrize(
    "wanted",
    [
        {"selectors": "ig", "n_terms": "5", "classifiers": "nb"},
        {"selectors": "all", "classifiers": "nb"},
        {"selectors": "mi,testors", "n_terms": "0.5,all", "classifiers": "nb"},
        {"selectors": "ig(min_score=9)", "classifiers": "nb"},
        {"selectors": "ig", "classifiers": "nb", "folds": None, "test_share": 0.3, "repeats": 3},
    ],
    ids=["one size", "all terms", "no energy", "nothing", "drawn at random"],
)
def test_pages_with_little_to_show_have_no_errors(wanted: dict[str, Any], browser: Browser, tmp_path: Path) -> None:
    write_report(compared(**wanted), tmp_path / "x.html")
    opened(browser, tmp_path / "x.html")
    assert browser.complaints() == []
    assert browser.texts("h1") == ["Comparison on texts"]
    assert browser.all("#conditions tbody tr")


def shown_rows(browser: Browser, selector: str) -> int:
    """Return the number of elements that are not hidden."""
    script = "return [...document.querySelectorAll(arguments[0])].filter((row) => row.getClientRects().length).length"
    n_shown: int = browser.run(script, selector)
    return n_shown


def test_long_tables_and_lists_say_how_much_more_there_is_and_show_it(browser: Browser, tmp_path: Path) -> None:
    write_report(of_many_classes(40), tmp_path / "x.html")
    opened(browser, tmp_path / "x.html")
    rows, button = "#classes .by-class tbody tr", browser.one("#classes .by-class .more")
    assert (button.text, button.get_attribute("aria-expanded")) == ("Show all 40 rows", "false")
    assert shown_rows(browser, rows) == 12
    browser.run("arguments[0].click()", button)
    assert shown_rows(browser, rows) == 40
    assert (button.text, button.get_attribute("aria-expanded")) == ("Show fewer", "true")
    assert shown_rows(browser, "#terms .card") == 12
    browser.run("arguments[0].click()", browser.one("#terms > .more"))
    assert shown_rows(browser, "#terms .card") == 40
    browser.one("#terms [name=search]").send_keys("class 001")
    assert shown_rows(browser, "#terms .card") == 1
    assert browser.all("#terms > .more") == []
    assert browser.complaints() == []


def test_short_tables_have_no_button(browser: Browser, page: Path) -> None:
    opened(browser, page)
    assert browser.all(".more") == []
    assert shown_rows(browser, "#conditions tbody tr") == 14


def test_wide_tables_show_on_which_side_they_continue(browser: Browser, page: Path) -> None:
    browser.size(360)
    opened(browser, page)
    frame = "document.getElementById('conditions').closest('.frame')"
    browser.wait(f"{frame}.dataset.more === 'right'")
    assert browser.run(f"return getComputedStyle({frame}, '::after').content") != "none"
    browser.run(f"{frame}.firstElementChild.scrollLeft = 40")
    browser.wait(f"{frame}.dataset.more === 'left right'")
    browser.run(f"{frame}.firstElementChild.scrollLeft = 1e6")
    browser.wait(f"{frame}.dataset.more === 'left'")
    browser.size(1280)
    browser.wait("document.getElementById('ranks').closest('.frame').dataset.more === ''")


def test_examples_of_mistakes_can_be_opened(browser: Browser, page: Path, comparison: Comparison) -> None:
    opened(browser, page)
    assert comparison.examples is not None
    pairs = [pair for pair in comparison.examples.pairs if pair.documents]
    assert len(browser.all(".examples details")) == len(pairs)
    assert browser.texts(".examples details:first-child .text") == [document.text for document in pairs[0].documents]
    last = browser.all(".examples details")[-1]
    assert last.get_attribute("open") is None
    browser.run("arguments[0].querySelector('summary').click()", last)
    assert last.get_attribute("open") is not None


def test_hostile_documents_are_only_text(browser: Browser, tmp_path: Path) -> None:
    texts = [f"{HOSTILE} same words {number}" for number in range(20)]
    wanted: dict[str, Any] = {"selectors": "ig", "n_terms": "2", "classifiers": "nb", "folds": 2, "n_jobs": 1}
    write_report(compare(texts, ["a", "b"] * 10, **wanted), tmp_path / "x.html")
    opened(browser, tmp_path / "x.html")
    assert browser.run("return window.hacked ?? null") is None
    assert any(text.startswith(HOSTILE) for text in browser.texts(".examples .text"))
    assert browser.complaints() == []


def test_the_drawing_of_an_interval_lies_in_its_cell(browser: Browser, page: Path) -> None:
    opened(browser, page)
    outside = browser.run(
        "return [...document.querySelectorAll('#conditions .interval')].filter((drawing) => {"
        "const box = drawing.getBoundingClientRect(), line = drawing.querySelector('span').getBoundingClientRect();"
        "return line.left < box.left - 0.5 || line.right > box.right + 0.5; }).length"
    )
    assert outside == 0
    assert len(browser.all("#conditions .interval")) == 14


def test_the_table_and_the_names_of_selectors_fit_a_window_of_1280(browser: Browser, tmp_path: Path) -> None:
    found = compared(selectors="forward,ocfs,tofa,ig", classifiers="svm,logistic", n_terms="10,1000", n=200)
    write_report(found, tmp_path / "page.html")
    browser.size(1280)
    opened(browser, tmp_path / "page.html")
    widths = (
        "const box = document.querySelector('#conditions').parentElement; return [box.scrollWidth, box.clientWidth]"
    )
    assert len(set(browser.run(widths))) == 1, "it needs no sideways scrolling"
    is_cut = (
        "return [...document.querySelectorAll('#overlap .heat th, #overlap .heat th span')].filter((node) =>"
        " node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight + 1)"
        ".filter((node) => getComputedStyle(node).overflow === 'hidden').map((node) => node.textContent)"
    )
    assert browser.run(is_cut) == []
    assert "orthogonal centroids (OCFS)" in browser.texts("#overlap .heat tbody th")
