"""Grids of numbers: the cells, the framed cell, missing numbers, and grids that cannot be drawn."""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from textsieve import InputError
from textsieve.plots import Chart, save, surface_plot

VALUES = [[0.1, 0.2, 0.35], [0.5, np.nan, 0.4]]
HOSTILE = "</script><b>& \"'\x00"


def drawn(values: Any = VALUES, **settings: Any) -> Chart:
    usual: dict[str, Any] = {"x": [100, 200, 1000], "y": [1, 500], "x_title": "L", "y_title": "M"}
    return surface_plot(values, **usual | settings)


def layers(chart: Chart, mark: str) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Return the layers of that mark, with their rows."""
    spec = chart.to_dict()
    return [
        (layer, spec["datasets"][layer["data"]["name"]]) for layer in spec["layer"] if layer["mark"]["type"] == mark
    ]


def texts_of(chart: Chart, path: Path) -> list[str]:
    save(chart, path)
    root = ElementTree.fromstring(path.read_text(encoding="utf-8"))
    return [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]


def test_each_number_is_in_its_cell() -> None:
    (_, rows), *_ = layers(drawn(), "rect")
    assert {(row["y"], row["x"]): row["value"] for row in rows} == {
        ("1", "100"): 0.1,
        ("1", "200"): 0.2,
        ("1", "1,000"): 0.35,
        ("500", "100"): 0.5,
        ("500", "1,000"): 0.4,
    }


def test_the_axes_have_the_values_that_were_given(tmp_path: Path) -> None:
    texts = texts_of(drawn(title="T", caption="C.", value_title="accuracy", value_format=".1%"), tmp_path / "x.svg")
    for expected in ("100", "200", "1,000", "1", "500", "L", "M", "T", "accuracy", "50.0%", "35.0%"):
        assert expected in texts
    assert "C. Framed: the highest, 50.0%, at M = 500 and L = 100." in texts


def test_numbers_go_upwards_and_names_downwards() -> None:
    def order(y: list[Any]) -> list[str]:
        domain: list[str] = drawn(y=y).to_dict()["layer"][0]["encoding"]["y"]["scale"]["domain"]
        return domain

    assert order([1, 500]) == ["500", "1"]
    assert order([0.25, 1.0]) == ["1", "0.25"]
    assert order(["IG", "CHI"]) == ["IG", "CHI"]


@pytest.mark.parametrize(
    ("marked", "place"),
    [("highest", ("500", "100")), ("lowest", ("1", "100")), ((0, 2), ("1", "1,000")), ((1, 1), ("500", "200"))],
)
def test_one_cell_is_framed(marked: Any, place: tuple[str, str]) -> None:
    frames = [rows for layer, rows in layers(drawn(marked=marked), "rect") if layer["mark"].get("fill", 0) is None]
    assert len(frames) == 2
    assert [[(row["y"], row["x"]) for row in rows] for rows in frames] == [[place], [place]]


def test_no_cell_is_framed_if_none_is_wanted() -> None:
    assert len(layers(drawn(marked=None), "rect")) == 1
    assert "title" not in drawn(marked=None).to_dict()


def test_the_first_of_equal_cells_is_framed() -> None:
    _, frame = layers(drawn([[0.0, 1.0, 1.0], [1.0, 1.0, 0.5]]), "rect")[-1]
    assert [(row["y"], row["x"]) for row in frame] == [("1", "200")]


def test_missing_numbers_have_a_cross() -> None:
    ((_, rows),) = layers(drawn(), "point")
    assert [(row["y"], row["x"]) for row in rows] == [("500", "200")]
    assert layers(drawn([[1, 2, 3], [4, 5, 6]]), "point") == []


def test_digits_have_contrast_on_their_colour() -> None:
    by_colour = {layer["mark"]["color"]: {row["value"] for row in rows} for layer, rows in layers(drawn(), "text")}
    assert by_colour == {"black": {0.35, 0.5, 0.4}, "white": {0.1, 0.2}}


@pytest.mark.parametrize(("n", "are_written"), [(1, True), (11, True), (40, False)])
def test_digits_are_written_where_there_is_room(n: int, are_written: bool) -> None:
    chart = drawn(np.arange(n * n).reshape(n, n) / (n * n), x=range(n), y=range(n), value_format=".1%")
    assert bool(layers(chart, "text")) == are_written
    labels = chart.to_dict()["layer"][0]["encoding"]["x"]["axis"]["values"]
    assert labels == [str(number) for number in range(0, n, 2 if n == 40 else 1)]


def test_long_names_are_vertical() -> None:
    names = [f"the method number {number}" for number in range(8)]
    axis = drawn(np.eye(8), x=names, y=names).to_dict()["layer"][0]["encoding"]["x"]["axis"]
    assert axis["labelAngle"] == -90
    assert axis["values"] == names


def test_outliers_do_not_use_up_the_colours() -> None:
    values = np.array([[0.1] * 3, *[[0.50, 0.51, 0.52]] * 5])

    def colours(**settings: Any) -> Any:
        chart = drawn(values, y=range(6), value_format=".0%", **settings).to_dict()
        return chart["layer"][0]["encoding"]["color"]["scale"]["domain"], " ".join(chart["title"]["subtitle"])

    assert colours()[0] == [0.1, 0.52]
    domain, caption = colours(colours="most")
    assert domain == [0.5, 0.52]
    assert caption == "Framed: the highest, 52%, at M = 1 and L = 1,000. 50% and what is below have one colour."
    assert "51% and what is above have one colour" in colours(colours=(0, 0.51))[1]


@pytest.mark.parametrize("values", [[[0.5]], [[0.0]], [[-3]]])
def test_a_single_cell_can_be_drawn(values: list[list[float]], tmp_path: Path) -> None:
    chart = drawn(values, x=[1], y=[1])
    assert chart.to_dict()["layer"][0]["encoding"]["color"]["legend"] is None
    assert f"{values[0][0]:.3g}" in texts_of(chart, tmp_path / "x.svg")


def test_text_is_escaped(tmp_path: Path) -> None:
    chart = drawn(np.eye(2), x=[HOSTILE, "b"], y=[HOSTILE, "b"], title=HOSTILE, x_title=HOSTILE, value_title=HOSTILE)
    written = HOSTILE.replace("\x00", "�")
    assert texts_of(chart, tmp_path / "x.svg").count(written) == 5, "title, axis, legend, and a name at either axis"
    save(chart, tmp_path / "x.html")
    assert "<b>" not in (tmp_path / "x.html").read_text(encoding="utf-8").partition('id="chart"')[2]


@pytest.mark.parametrize(
    ("values", "settings", "message"),
    [
        ([1, 2], {}, "values has the shape (2,); give at least one row"),
        ([[]], {}, "values has the shape (1, 0)"),
        ([["a"]], {}, "values=[['a']]; give rows of numbers"),
        ([[1, 2], [3]], {}, "give rows of numbers, all of the same length"),
        ([[1, 2]], {}, "values has 1 row of 2 columns, but y has 2 values and x has 3"),
        ([[1, 2, np.inf], [1, 2, 3]], {}, "infinite numbers"),
        (np.full((2, 3), np.nan), {}, "values has only NaN"),
        (np.zeros((1, 251)), {"x": range(251), "y": [1]}, "draw up to 250 of each"),
        (VALUES, {"y": [5, 5]}, "y has '5' twice"),
        (VALUES, {"x": ["a", "b", "a "]}, "x has 'a' twice"),
        (VALUES, {"marked": "best"}, "marked='best'; use 'highest', 'lowest'"),
        (VALUES, {"marked": (2, 0)}, "marked=(2, 0): the grid has 2 rows of 3 columns"),
        (VALUES, {"colours": "few"}, "colours='few'; use 'all', 'most', or two numbers"),
        (VALUES, {"colours": (1, 0)}, "colours=(1, 0); use 'all', 'most', or two numbers"),
        (VALUES, {"value_format": "percent"}, "value_format='percent'; use one such as '.1%'"),
    ],
)
def test_invalid_grids_raise_an_error(values: Any, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        drawn(values, **settings)
