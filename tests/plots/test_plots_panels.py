"""Panels: curves have the style of their number, a panel is as wide as the page, and it has a description."""

from typing import Any

import pytest

from textsieve import InputError
from textsieve.plots import Point, curve_style, panel
from textsieve.plots.style import _COLOURS, DARK_COLOURS

CURVES = {"first": [Point(10, 0.5), Point(100, 0.7, "± 0.01")], "second": [Point(10, 0.6)]}


def drawn(**more: Any) -> dict[str, Any]:
    chart = panel(CURVES, numbers={"first": 0, "second": 4}, x="terms", y="F1", about="F1 of terms", **more)
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
    datasets = drawn()["datasets"]
    assert isinstance(datasets, dict)
    (rows,) = datasets.values()
    assert rows[1] == {"name": "first", "x": 100.0, "y": 0.7, "x_text": "100", "y_text": "0.700 ± 0.01"}


def test_rules_are_below_all_curves() -> None:
    chart = drawn(rules={"all terms": 0.8})
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
