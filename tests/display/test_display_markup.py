"""Building blocks of HTML: all text is escaped, tables say that they continue, and rules stay inside `.textsieve`."""

from __future__ import annotations

import re

import pytest

from textsieve.display import (
    COLOURS,
    MAX_ROWS,
    Column,
    Html,
    bar,
    card,
    colour_css,
    element,
    escape,
    facts,
    interval,
    notebook_html,
    signed_bar,
    table,
)

HOSTILE = "</style><script>window.hacked = 'yes'</script>\" onload=\"x"


def test_text_is_escaped_and_markup_is_not() -> None:
    assert escape("<b> & \"'") == "&lt;b&gt; &amp; &quot;&#x27;"
    assert escape(element("b", "<")) == "<b>&lt;</b>"
    assert isinstance(escape(3), Html)
    assert escape("\ud800").encode() == b"?"


@pytest.mark.parametrize(
    "content",
    [
        element("p", HOSTILE, title=HOSTILE),
        card(HOSTILE, HOSTILE, subtitle=HOSTILE),
        facts([(HOSTILE, HOSTILE)]),
        table([HOSTILE, Column(HOSTILE, is_number=True)], [(HOSTILE, HOSTILE)], title=HOSTILE),
        Html(notebook_html(HOSTILE).partition("</style>")[2]),
    ],
    ids=["element", "card", "facts", "table", "whole"],
)
def test_no_block_lets_hostile_text_through(content: Html) -> None:
    assert "<script" not in content
    assert 'onload="' not in content
    assert "&lt;script&gt;" in content


def test_a_long_table_scrolls_and_says_how_long_it_is() -> None:
    short, long = (table(["x"], [(number,) for number in range(n)], title="Rows") for n in (12, 13))
    assert '<div class="scroll">' in short
    assert "Rows<" in short
    assert '<div class="scroll long" tabindex="0">' in long
    assert "Rows (13)" in long
    huge = table(["x"], [("y",)] * (MAX_ROWS + 1_500))
    assert huge.count("<td") == MAX_ROWS
    assert "and 1,500 more" in huge


def test_the_best_row_is_marked() -> None:
    assert table(["x"], [("a",), ("b",)], best_row=1).count('<tr class="best"><td>b') == 1


@pytest.mark.parametrize(("share", "drawn"), [(0.5, "0.5000"), (7, "1.0000"), (-1, "0.0000"), (float("nan"), "0.0000")])
def test_bars_stay_in_their_cells(share: float, drawn: str) -> None:
    assert f"--share:{drawn}" in bar(share)
    assert f"--at:{drawn}" in interval(0, share, 1)


def test_signed_bars_grow_to_their_side() -> None:
    assert 'class="split for" style="--share:0.2500"' in signed_bar(0.25)
    assert 'class="split against" style="--share:0.2500"' in signed_bar(-0.25)


def test_facts_without_a_value_are_left_out() -> None:
    assert facts([("a", ""), ("b", None), ("c", 0)]).count("<dt>") == 1


def test_every_rule_of_the_style_is_about_textsieve_alone() -> None:
    style = notebook_html("").partition("<style>")[2].partition("</style>")[0]
    without_media = re.sub(r"@media[^{]*\{", "", re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL))
    selectors = [selector for rule in re.findall(r"([^{}]+)\{", without_media) for selector in rule.split(",")]
    assert len(selectors) > 40
    for selector in selectors:
        assert ".textsieve" in selector, selector


def test_every_colour_has_a_light_and_a_dark_value() -> None:
    css = colour_css(".x", has_notebook_themes=True)
    light, *_ = css.partition("@media")
    for name, (light_value, dark_value) in COLOURS.items():
        assert f"--{name}:{light_value}" in light
        assert f"--{name}:{dark_value}" in css
    assert "@media screen and (prefers-color-scheme: dark){.x{color-scheme:dark;" in css
    assert '[data-jp-theme-light="false"] .x,.vscode-dark .x' in css


def test_colours_in_the_style_are_defined() -> None:
    names = set(re.findall(r"var\(--([\w-]+)\)", notebook_html("")))
    set_by_elements = {"share", "strength", "low", "high", "at", "cover"}
    assert names - set_by_elements <= set(COLOURS)
