"""Energy curves have the points and labels that were computed by hand."""

from typing import Any

import numpy as np
import pytest

from textsieve import InputError
from textsieve.plots import energy_plot

CURVES = {"λ = 0": np.array([0.25, 0.5, 0.75, 1.0]), "λ = 1": np.array([0.8, 0.9, 0.95, 1.0])}


def rows(chart: Any, mark: str) -> list[dict[str, Any]]:
    spec = chart.to_dict()
    datasets = [spec["datasets"][layer["data"]["name"]] for layer in spec["layer"] if layer["mark"]["type"] == mark]
    return [row for dataset in datasets for row in dataset]


def test_each_point_is_the_share_of_the_first_terms() -> None:
    drawn = rows(energy_plot(CURVES), "line")
    assert [(row["x"], row["y"]) for row in drawn if row["key"] == "curve 0"] == list(
        zip([1, 2, 3, 4], [0.25, 0.5, 0.75, 1.0], strict=True)
    )
    assert {row["text"] for row in rows(energy_plot(CURVES), "text")} == {"λ = 0", "λ = 1"}
    scale = energy_plot(CURVES).to_dict()["layer"][0]["encoding"]
    assert scale["x"]["scale"]["type"] == "log"
    assert scale["y"]["scale"]["domain"] == [0, 1]


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        (0.8, {"λ = 0": (4, 1.0), "λ = 1": (1, 0.8)}),
        (0.75, {"λ = 0": (3, 0.75), "λ = 1": (1, 0.8)}),
        (0.91, {"λ = 0": (4, 1.0), "λ = 1": (3, 0.95)}),
        (1, {"λ = 0": (4, 1.0), "λ = 1": (4, 1.0)}),
    ],
)
def test_the_level_is_marked_where_a_curve_reaches_it(level: float, expected: dict[str, tuple[int, float]]) -> None:
    chart = energy_plot(CURVES, level=level, caption="12 documents.")
    points = {row["key"]: (row["x"], row["y"]) for row in rows(chart, "point")}
    assert points == {f"curve {n}": point for n, point in enumerate(expected.values())}
    texts = {row["text"] for row in rows(chart, "text") if row["text"]}
    enough = [f"{name} ({n} term{'s' * (n > 1)})" for name, (n, _) in expected.items()]
    assert texts == {*enough, f"{100 * level:g}%"}
    (caption,) = chart.to_dict()["title"]["subtitle"]
    assert caption == f"12 documents. In brackets: how many of the best terms hold {100 * level:g}%."


def test_a_curve_that_falls_short_is_marked_at_its_end() -> None:
    (point,) = rows(energy_plot({"a": np.array([0.1, 0.2])}, level=0.9), "point")
    assert (point["x"], point["y"]) == (2, 0.2)


def test_a_curve_of_one_term_is_a_point() -> None:
    assert rows(energy_plot({"a": np.array([1.0])}), "point")[0]["y"] == 1


@pytest.mark.parametrize("level", [0, -0.1, 1.01, np.nan, True, "half"])
def test_invalid_levels_raise_an_error(level: Any) -> None:
    with pytest.raises(InputError, match=r"use a share above 0\.0 and up to 1\.0"):
        energy_plot(CURVES, level=level)


@pytest.mark.parametrize("curve", [[], [0.5, 1.5], [-0.1, 1.0], [np.nan, 1.0]])
def test_curves_outside_0_to_1_raise_an_error(curve: list[float]) -> None:
    with pytest.raises(InputError, match=r"curves\['a'\] is .*; give shares from 0 to 1"):
        energy_plot({"a": np.array(curve)})
