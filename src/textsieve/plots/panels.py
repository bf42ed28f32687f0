"""Curves as one panel of a page, as wide as the page allows.

The page has the title, and a legend that several panels share; `lines` writes these into the chart instead. Therefore
each curve has a number, which gives it the same style in every panel. Points have tooltips.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import altair as alt

from ..errors import InputError
from .look import GREY, Chart, DataRow, Style, curve_style, dressed, plain
from .scales import Domain, log_domain, log_ticks, round_domain

PANEL_HEIGHT = 250
FEW_POINTS = 25
"""Curves with at most this many points show symbols."""
FEW_TICKS = 6
"""The x axis labels the x values themselves if there are at most this many, or else round numbers."""
RULE_DASH = [6, 4]


class Point(NamedTuple):
    """A point of a curve, and additional text for its tooltip."""

    x: float
    y: float
    more: str = ""


def panel(
    curves: Mapping[str, Sequence[Point]],
    *,
    numbers: Mapping[str, int],
    x: str,
    y: str,
    about: str,
    log_y: bool = False,
    x_domain: Domain | None = None,
    y_domain: Domain | None = None,
    y_format: str = ".3f",
    rules: Mapping[str, float] | None = None,
) -> Chart:
    """Draw curves over a logarithmic x axis.

    Parameters
    ----------
    curves
        The points of each curve, by its name.
    numbers
        The number of each curve, by its name; it determines the style.
    x, y
        Titles of the axes.
    about
        A sentence about the panel, for screen readers.
    log_y
        Whether the y axis is logarithmic too.
    x_domain, y_domain
        The ranges of the axes, which several panels may share. None: the range of the curves.
    y_format
        The format of y in tooltips, and on the axis if it is a percentage.
    rules
        Names and heights of horizontal reference lines, which are grey.
    """
    rows = [_row(name, point, y_format) for name, points in curves.items() for point in points]
    rule_rows = [_row(name, Point(0, height), y_format) for name, height in (rules or {}).items()]
    if not rows:
        raise InputError("There is no curve to draw; give at least one.")
    x_range = x_domain or _domain([row["x"] for row in rows], log=True)
    y_range = y_domain or _domain([row["y"] for row in (*rows, *rule_rows)], log=log_y)
    layers = _Panel(rows, rule_rows, numbers, _axes(rows, x_range, y_range, log_y, (x, y, y_format)), (x, y)).layers()
    chart = alt.LayerChart(
        layer=layers,
        width="container",
        height=PANEL_HEIGHT,
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
        description=plain(about),
    )
    return dressed(chart, background="transparent", padding=4)


def _row(name: str, point: Point, y_format: str) -> DataRow:
    return {
        "name": plain(name),
        "x": float(point.x),
        "y": float(point.y),
        "x_text": f"{point.x:,.0f}",
        "y_text": " ".join(filter(None, (format(point.y, y_format), point.more))),
    }


def _domain(values: Sequence[float], *, log: bool) -> Domain:
    low, high = min(values), max(values)
    return log_domain(low, high) if log else round_domain(low, high)


def _axes(
    rows: list[DataRow], x_range: Domain, y_range: Domain, log_y: bool, titles: tuple[str, str, str]
) -> tuple[alt.X, alt.Y]:
    sizes = sorted({row["x"] for row in rows})
    ticks = sizes if len(sizes) <= FEW_TICKS else log_ticks(x_range)
    y_options: dict[str, Any] = {"format": titles[2]} if titles[2].endswith("%") else {}
    if log_y:
        y_options = {"values": log_ticks(y_range), "format": ",.12~g"}
    return (
        alt.X(
            "x:Q",
            title=plain(titles[0]),
            scale=alt.Scale(type="log", domain=x_range, nice=False, padding=12),
            axis=alt.Axis(values=ticks, format=",.12~g", labelOverlap="greedy", labelSeparation=6, grid=False),
        ),
        alt.Y(
            "y:Q",
            title=plain(titles[1]),
            scale=alt.Scale(type="log", domain=y_range, nice=False)
            if log_y
            else alt.Scale(domain=y_range, nice=False, zero=False),
            axis=alt.Axis(**y_options, tickCount=5, labelOverlap="greedy", domain=False, ticks=False),
        ),
    )


class _Panel:
    """The layers of one panel, which share axes and styles."""

    def __init__(
        self,
        rows: list[DataRow],
        rule_rows: list[DataRow],
        numbers: Mapping[str, int],
        axes: tuple[alt.X, alt.Y],
        titles: tuple[str, str],
    ) -> None:
        self._rows, self._rule_rows, self._axes = rows, rule_rows, axes
        names = list(dict.fromkeys(row["name"] for row in rows))
        by_name = {plain(name): curve_style(number) for name, number in numbers.items()}
        styles: list[Style] = [by_name[name] for name in names]
        colours, dashes, symbols = (list(column) for column in zip(*styles, strict=True))
        self._colour = alt.Color("name:N", legend=None, scale=alt.Scale(domain=names, range=colours))
        self._dash = alt.StrokeDash("name:N", legend=None, scale=alt.Scale(domain=names, range=dashes))
        self._shape = alt.Shape("name:N", legend=None, scale=alt.Scale(domain=names, range=symbols))
        self._tooltips = [
            alt.Tooltip("name:N", title="of"),
            alt.Tooltip("y_text:N", title=plain(titles[1])),
            alt.Tooltip("x_text:N", title=plain(titles[0])),
        ]

    def layers(self) -> list[alt.Chart]:
        """Return the layers from bottom to top: reference lines, curves, points with tooltips."""
        x, y = self._axes
        base = alt.Chart(alt.InlineData(values=self._rows)).encode(x, y, self._colour)
        line = base.mark_line(strokeWidth=2.2, strokeJoin="round").encode(self._dash)
        return [*([self._rules()] if self._rule_rows else []), line, self._points(base)]

    def _points(self, base: alt.Chart) -> alt.Chart:
        counts = [sum(row["name"] == name for row in self._rows) for name in {row["name"] for row in self._rows}]
        are_visible = max(counts) <= FEW_POINTS
        points: alt.Chart = base.mark_point(filled=True, size=60, opacity=1 if are_visible else 0)
        return points.encode(self._shape, tooltip=self._tooltips)

    def _rules(self) -> alt.Chart:
        chart: alt.Chart = (
            alt.Chart(alt.InlineData(values=self._rule_rows))
            .mark_rule(strokeWidth=1.6, strokeDash=RULE_DASH, color=GREY)
            .encode(self._axes[1], tooltip=self._tooltips[:2])
        )
        return chart
