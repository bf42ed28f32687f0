"""Charts of curves draw the given points, and curves that cannot be drawn raise an error."""

from typing import Any

import numpy as np
import pytest

from textsieve import InputError
from textsieve.plots import Mark, lines
from textsieve.plots.style import clean_text, curve_style

LABELS: dict[str, Any] = {"x": "terms", "y": "F1"}
SMALL: dict[str, Any] = {"a": ([1, 10, 100], [0.2, 0.5, 0.8]), "b": ([1, 10, 100], [0.3, 0.4, 0.8])}


def layers(chart: Any, mark: str) -> list[list[dict[str, Any]]]:
    """Return the rows of the layers that are drawn with a kind of mark."""
    spec = chart.to_dict()
    return [spec["datasets"][layer["data"]["name"]] for layer in spec["layer"] if layer["mark"]["type"] == mark]


def words(chart: Any) -> list[str]:
    return [row["text"] for rows in layers(chart, "text") for row in rows]


def test_points_are_those_given_in_the_order_of_x() -> None:
    (rows,) = layers(lines({"a": ([10, 1, 100], [0.5, 0.2, 0.8])}, **LABELS), "line")
    assert [(row["x"], row["y"]) for row in rows] == [(1, 0.2), (10, 0.5), (100, 0.8)]


def test_long_curves_are_thinned_and_show_no_points() -> None:
    chart = lines({"a": (np.arange(1, 10_001), np.linspace(0, 1, 10_000))}, log_x=True, **LABELS)
    (rows,) = layers(chart, "line")
    assert len(rows) <= 500
    assert (rows[0]["x"], rows[-1]["x"], rows[-1]["y"]) == (1, 10_000, 1)
    assert layers(chart, "point") == []
    assert len(layers(lines(SMALL, **LABELS), "point")) == 2, "of the curves, and in the margin"
    assert layers(lines(SMALL, points=False, **LABELS), "point") == []


@pytest.mark.slow
def test_many_long_curves_can_be_drawn() -> None:
    chart = lines({str(n): (np.arange(1, 3001), np.arange(3000) + n) for n in range(30)}, **LABELS)
    assert sum(map(len, layers(chart, "line"))) > 5000
    assert chart.to_dict()["height"] == 600, "so that the names have room"


def test_each_line_has_a_name_and_higher_lines_are_named_above() -> None:
    chart = lines(SMALL, rules={"IG": 0.1}, **LABELS)
    assert words(chart) == ["a", "b", "IG"], "a and b end in one point, and a is higher on its way"
    (named,) = layers(chart, "text")
    assert [row["y"] for row in named] == sorted((row["y"] for row in named), reverse=True)
    ruled, _ = layers(chart, "line")
    assert [(row["x"], row["y"]) for row in ruled] == [(1, 0.1), (100, 0.1)]


def test_a_rule_may_have_the_name_of_a_curve() -> None:
    assert sorted(words(lines(SMALL, rules={"a": 0.5}, **LABELS))) == ["a", "a", "b"]


def test_long_names_are_shortened() -> None:
    long = "name " * 30
    chart = lines({long: ([1, 2], [3, 4]), "n" * 48: ([1, 2], [1, 2])}, **LABELS)
    assert words(chart) == [("name " * 10)[:47] + "…", "n" * 48]


def test_axes_have_titles_ticks_and_formats() -> None:
    chart = lines(SMALL, log_x=True, y_domain=(0, 1), y_format=".0%", title="T", caption="c", **LABELS)
    encoding = chart.to_dict()["layer"][0]["encoding"]
    assert encoding["x"]["scale"] == {"type": "log", "domain": [1, 100], "nice": False, "zero": False}
    assert (encoding["x"]["title"], encoding["y"]["title"]) == ("terms", "F1")
    assert encoding["y"]["scale"]["domain"] == [0, 1]
    assert encoding["y"]["axis"]["format"] == ".0%"
    assert chart.to_dict()["title"] == {"text": ["T"], "subtitle": ["c"]}


def test_no_point_is_outside_of_the_axes() -> None:
    chart = lines({"a": ([0, 1], [-0.35, 2.0])}, y_domain=(0, 1), **LABELS)
    low, high = chart.to_dict()["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert low <= -0.35
    assert high >= 2.0


def test_labels_of_points_do_not_cover_each_other() -> None:
    marks = [Mark("a", 10, 0.5, "10 terms"), Mark("b", 12, 0.5, "12 terms"), Mark("b", 90, 0.5, "90 terms")]
    chart = lines(SMALL, log_x=True, marks=marks, **LABELS)
    rows = {row["text"]: row for rows in layers(chart, "text") for row in rows if "text_y" in row}
    assert rows["10 terms"]["text_y"] < rows["12 terms"]["text_y"] < 0.5
    assert rows["90 terms"]["text_y"] == rows["12 terms"]["text_y"]
    assert (rows["10 terms"]["x"], rows["10 terms"]["y"]) == (10, 0.5)


def test_styles_repeat_after_42_curves() -> None:
    pairs = [(style.colour, tuple(style.dash)) for style in map(curve_style, range(42))]
    assert len(set(pairs)) == 42
    assert len({colour for colour, _ in pairs[:7]}) == 7


def test_text_is_on_one_line_and_can_be_written() -> None:
    assert clean_text("a\n b\tc") == "a b c"
    assert clean_text("x\x00y\ud800z\ufffe") == "x�y�z�"
    assert clean_text("λ 𝛌 é") == "λ 𝛌 é"


BAD: list[tuple[dict[str, Any], str]] = [
    ({"curves": {}}, "There is no curve"),
    ({"curves": {"a": ([], [])}}, r"curves\['a'\] has x of shape \(0,\)"),
    ({"curves": {"a": ([1, 2], [1])}}, r"x of shape \(2,\) and y of \(1,\)"),
    ({"curves": {"a": ([[1]], [[1]])}}, r"shape \(1, 1\)"),
    ({"curves": {"a": [1, 2, 3]}}, r"curves\['a'\] is \[1, 2, 3\]; give two rows"),
    ({"curves": {"a": (["x"], [1])}}, "give two rows of numbers"),
    ({"curves": {"a": ([1, 2], [1, np.nan])}}, "y=nan; leave such points out"),
    ({"curves": {"a": ([1, np.inf], [1, 1])}}, "x=inf; leave"),
    ({"curves": {"a": ([0, 1], [1, 1])}, "log_x": True}, "x=0, and a logarithmic axis begins above 0"),
    ({"rules": {"r": np.nan}}, r"rules\['r'\]=nan; use a number"),
    ({"rules": {"r": "high"}}, r"rules\['r'\]='high'; use a number"),
    ({"y_domain": (1, 0)}, r"y_domain=\(1, 0\); use two numbers, the lower first"),
    ({"marks": [Mark("c", 1, 1, "")]}, r"on the curve 'c'; the curves are \['a', 'b'\]"),
    ({"marks": [Mark("a", 500, 0.5, "far")]}, "outside of the curves"),
    ({"marks": [Mark("a", 10, np.nan, "")]}, "outside of the curves"),
]


@pytest.mark.parametrize(("changed", "message"), BAD, ids=[message for _, message in BAD])
def test_invalid_curves_raise_an_error(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        lines(**{"curves": SMALL, **LABELS, **changed})


@pytest.mark.parametrize("log_x", [False, True])
def test_a_single_point_can_be_drawn(log_x: bool) -> None:
    chart = lines({"a": ([5], [0.5])}, log_x=log_x, **LABELS)
    low, high = chart.to_dict()["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert low < 5 < high
    assert layers(chart, "point")[0][0]["x"] == 5
