"""Charts of curves draw the given points, and curves that cannot be drawn raise an error."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textsieve import InputError
from textsieve.plots import Mark, lines
from textsieve.plots.curves import MAX_POINTS, separate, thin_indices

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


def test_short_curves_are_left_as_they_are() -> None:
    assert thin_indices(np.arange(1.0, 501.0), log=True).tolist() == list(range(500))


@pytest.mark.parametrize("n", [501, 502, 7_000, 1_000_003])
@pytest.mark.parametrize("log", [False, True])
def test_long_curves_keep_their_ends_and_few_points(n: int, log: bool) -> None:
    indices = thin_indices(np.arange(1.0, n + 1), log=log)
    assert indices[0] == 0
    assert indices[-1] == n - 1
    assert (np.diff(indices) > 0).all()
    assert 200 < len(indices) <= MAX_POINTS


def test_thinning_is_even_on_the_axis_that_is_drawn() -> None:
    x = np.arange(1.0, 1_000_001)
    steps = np.diff(x[thin_indices(x, log=False)])
    assert steps.max() / steps.min() < 1.01
    logs = np.diff(np.log(x[thin_indices(x, log=True)]))
    assert logs[200:].max() / logs[200:].min() < 1.1
    assert thin_indices(x, log=True)[:10].tolist() == list(range(10)), "none of the first is left out"


def test_points_at_the_same_position_keep_the_ends() -> None:
    assert thin_indices(np.full(1000, 3.0), log=False).tolist() == [0, 999]


@given(st.lists(st.floats(0, 400), max_size=15))
def test_names_stand_apart_in_their_order_and_within_the_margin(wanted: list[float]) -> None:
    places = separate(sorted(wanted), 20, 400)
    assert len(places) == len(wanted)
    assert all(-1e-9 <= place <= 400 + 1e-9 for place in places)
    assert all(b - a >= 20 - 1e-9 for a, b in pairwise(places))


def test_names_with_enough_room_are_not_moved() -> None:
    assert separate([10, 50, 300], 20, 400) == [10, 50, 300]
    assert separate([100, 100, 100], 20, 400) == [80, 100, 120]
    assert separate([0, 0, 0], 20, 400) == [0, 20, 40]
    assert separate([400, 400], 20, 400) == [380, 400]
    assert separate([], 20, 400) == []
