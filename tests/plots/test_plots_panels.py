"""Panels: curves have the style of their number, a panel is as wide as the page, and it has a description."""

from typing import Any

import pytest

from textsieve import InputError
from textsieve.plots import Point, curve_style, panel
from textsieve.plots.style import _COLOURS, DARK_COLOURS

CURVES = {"first": [Point(10, 0.5), Point(100, 0.7)], "second": [Point(10, 0.6)]}
WITH_INTERVALS = {"first": [Point(10, 0.5, 0.1), Point(100, 0.7, 0.01)], "second": [Point(10, 0.6)]}


def drawn(curves: dict[str, list[Point]] = CURVES, **more: Any) -> dict[str, Any]:
    chart = panel(curves, numbers={"first": 0, "second": 4}, x="terms", y="F1", about="F1 of terms", **more)
    spec: dict[str, Any] = chart.to_dict()
    return spec


def layer(chart: dict[str, Any], place: int) -> dict[str, Any]:
    layers = chart["layer"]
    assert isinstance(layers, list)
    wanted: dict[str, object] = layers[place]
    return wanted


def test_curves_have_the_style_of_their_number() -> None:
    encoding = layer(drawn(), 0)["encoding"]
    assert isinstance(encoding, dict)
    assert encoding["color"]["scale"] == {
        "domain": ["first", "second"],
        "range": [curve_style(0).colour, curve_style(4).colour],
    }


def test_a_panel_is_as_wide_as_the_page_and_has_a_description() -> None:
    chart = drawn()
    assert chart["width"] == "container"
    assert chart["description"] == "F1 of terms"


def test_points_have_tooltips() -> None:
    def texts(curves: dict[str, list[Point]]) -> list[str]:
        return [row["y_text"] for rows in drawn(curves)["datasets"].values() for row in rows]

    assert texts(CURVES) == ["0.500", "0.700", "0.600"]
    assert texts(WITH_INTERVALS) == ["0.500 ± 0.100", "0.700 ± 0.010", "0.600"]


def test_intervals_are_bars_below_curves_that_are_drawn_beside_each_other() -> None:
    layers = drawn(WITH_INTERVALS)["layer"]
    kinds = [part["mark"]["type"] for part in layers]
    assert kinds == ["rule", "tick", "tick"] * 2 + ["line"] * 2 + ["point"] * 2
    offsets = [part["mark"]["xOffset"] for part in layers]
    assert offsets == [-4.0] * 3 + [4.0] * 3 + [-4.0, 4.0] * 2
    bar = layers[0]["encoding"]
    assert (bar["y"]["field"], bar["y2"]["field"]) == ("low", "high")
    low, high = layers[0]["encoding"]["y"]["scale"]["domain"]
    assert low <= 0.4
    assert high >= 0.71
    assert all("xOffset" not in part["mark"] or part["mark"]["xOffset"] == 0 for part in drawn()["layer"])


def test_an_interval_ends_at_the_end_of_the_axis() -> None:
    datasets = drawn({"first": [Point(10, 0.98, 0.1)]}, y_domain=(0.5, 1.0))["datasets"]
    ((row,),) = datasets.values()
    assert (row["low"], row["high"]) == (pytest.approx(0.88), 1.0)


def test_the_interval_of_a_reference_line_is_a_band() -> None:
    band, line, *_ = drawn(rules={"all terms": Point(0, 0.8, 0.05)})["layer"]
    assert (band["mark"]["type"], line["mark"]["type"]) == ("rect", "rule")
    assert (band["encoding"]["y"]["field"], band["encoding"]["y2"]["field"]) == ("low", "high")


def test_rules_are_below_all_curves() -> None:
    chart = drawn(rules={"all terms": Point(0, 0.8)})
    mark = layer(chart, 0)["mark"]
    assert isinstance(mark, dict)
    assert mark["type"] == "rule"
    scale = layer(chart, 1)["encoding"]["y"]["scale"]
    assert scale["domain"][1] >= 0.8


def test_a_panel_without_curves_raises_an_error() -> None:
    with pytest.raises(InputError, match="There is no curve to draw"):
        panel({}, numbers={}, x="", y="", about="")


def test_every_colour_has_a_replacement_in_dark_mode() -> None:
    assert set(_COLOURS) <= set(DARK_COLOURS)
    assert len(set(DARK_COLOURS.values())) == len(DARK_COLOURS)
