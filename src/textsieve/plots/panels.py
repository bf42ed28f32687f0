"""Curves as one panel of a page, as wide as the page allows.

Unlike the charts of `curves.lines`, a panel has no title and no names of curves: the page has these, in a legend that
several panels share. So each curve has a number, which gives it the same style in every panel. Points have tooltips.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import altair as alt

from ..errors import InputError
from .scales import Domain, log_domain, log_ticks, round_domain
from .style import FEW_POINTS, GREY, Chart, DataRow, Style, apply_style, clean_text, curve_style

PANEL_HEIGHT = 250
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
        The ranges of the axes, which several panels may share. None: the range of the curves, and for y also of the
        reference lines.
    y_format
        The format of y in tooltips, and on the axis if it is a percentage.
    rules
        Names and heights of horizontal reference lines, which are grey.
    """
    rows = [_row(name, point, y_format) for name, points in curves.items() for point in points]
    # Reference lines reach across the panel, so their x is not drawn.
    rule_rows = [_row(name, Point(0, height), y_format) for name, height in (rules or {}).items()]
    if not rows:
        raise InputError("There is no curve to draw", hint="give at least one")
    x_axis = _x_axis(rows, x_domain or _domain([row["x"] for row in rows], log=True), clean_text(x))
    y_domain = y_domain or _domain([row["y"] for row in (*rows, *rule_rows)], log=log_y)
    y_axis = _y_axis(y_domain, clean_text(y), y_format, log=log_y)
    tooltips = [
        alt.Tooltip("name:N", title="of"),
        alt.Tooltip("y_text:N", title=clean_text(y)),
        alt.Tooltip("x_text:N", title=clean_text(x)),
    ]
    curve_layers = _curve_layers(rows, numbers, x_axis, y_axis, tooltips)
    rule_layers = [_rule_layer(rule_rows, y_axis, tooltips[:2])] if rule_rows else []  # without the tooltip of x
    chart = alt.LayerChart(
        layer=[*rule_layers, *curve_layers],
        width="container",
        height=PANEL_HEIGHT,
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
        description=clean_text(about),
    )
    return apply_style(chart, background="transparent", padding=4)


def _row(name: str, point: Point, y_format: str) -> DataRow:
    """Return a point as a row of the chart's data, with the texts of its tooltip."""
    return {
        "name": clean_text(name),
        "x": float(point.x),
        "y": float(point.y),
        "x_text": f"{point.x:,.0f}",
        "y_text": " ".join(filter(None, (format(point.y, y_format), point.more))),
    }


def _domain(values: Sequence[float], *, log: bool) -> Domain:
    """Return a domain that contains all values, for a logarithmic or a linear axis; a linear one has round ends."""
    low, high = min(values), max(values)
    return log_domain(low, high) if log else round_domain(low, high)


def _x_axis(rows: list[DataRow], domain: Domain, title: str) -> alt.X:
    """Return the logarithmic x axis; it labels the x values of the points if these are few."""
    x_values = sorted({row["x"] for row in rows})
    ticks = x_values if len(x_values) <= FEW_TICKS else log_ticks(domain)
    return alt.X(
        "x:Q",
        title=title,
        scale=alt.Scale(type="log", domain=domain, nice=False, padding=12),
        axis=alt.Axis(values=ticks, format=",.12~g", labelOverlap="greedy", labelSeparation=6, grid=False),
    )


def _y_axis(domain: Domain, title: str, y_format: str, *, log: bool) -> alt.Y:
    """Return the linear or logarithmic y axis; it uses `y_format` only for percentages."""
    options: dict[str, Any] = {"format": y_format} if y_format.endswith("%") else {}
    scale = alt.Scale(domain=domain, nice=False, zero=False)
    if log:
        options = {"values": log_ticks(domain), "format": ",.12~g"}
        scale = alt.Scale(type="log", domain=domain, nice=False)
    axis = alt.Axis(**options, tickCount=5, labelOverlap="greedy", domain=False, ticks=False)
    return alt.Y("y:Q", title=title, scale=scale, axis=axis)


def _curve_layers(
    rows: list[DataRow], numbers: Mapping[str, int], x: alt.X, y: alt.Y, tooltips: list[alt.Tooltip]
) -> list[alt.Chart]:
    """Return the curves, and above them their points, which are invisible if there are many, but have tooltips."""
    names = list(dict.fromkeys(row["name"] for row in rows))
    style_of = {clean_text(name): curve_style(number) for name, number in numbers.items()}
    styles: list[Style] = [style_of[name] for name in names]
    colours, dashes, symbols = (list(column) for column in zip(*styles, strict=True))
    colour = alt.Color("name:N", legend=None, scale=alt.Scale(domain=names, range=colours))
    dash = alt.StrokeDash("name:N", legend=None, scale=alt.Scale(domain=names, range=dashes))
    shape = alt.Shape("name:N", legend=None, scale=alt.Scale(domain=names, range=symbols))
    base = alt.Chart(alt.InlineData(values=rows)).encode(x, y, colour)
    lines = base.mark_line(strokeWidth=2.2, strokeJoin="round").encode(dash)
    most_points = max(sum(row["name"] == name for row in rows) for name in names)
    points = base.mark_point(filled=True, size=60, opacity=1 if most_points <= FEW_POINTS else 0)
    return [lines, points.encode(shape, tooltip=tooltips)]


def _rule_layer(rows: list[DataRow], y: alt.Y, tooltips: list[alt.Tooltip]) -> alt.Chart:
    """Return the reference lines as grey dashed lines across the panel."""
    rules = alt.Chart(alt.InlineData(values=rows)).mark_rule(strokeWidth=1.6, strokeDash=RULE_DASH, color=GREY)
    layer: alt.Chart = rules.encode(y, tooltip=tooltips)
    return layer
