"""Curves as one panel of a page, as wide as the page allows.

Unlike the charts of `curves.lines`, a panel has no title and no names of curves: the page shows titles, and names in a
legend that several panels share. A curve has the same style in every panel, which a number determines that the caller
gives it. Points have tooltips.

Intervals are vertical bars. Those of several curves at the same x would hide each other, so the curves of a panel with
intervals are drawn a few pixels beside each other.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import altair as alt

from ..errors import InputError
from .style import (
    FEW_POINTS,
    GREY,
    Chart,
    DataRow,
    Domain,
    Style,
    apply_style,
    clean_text,
    curve_style,
    log_domain,
    log_ticks,
    round_domain,
)

PANEL_HEIGHT = 250
FEW_TICKS = 6
"""The x axis labels the x values themselves if there are at most this many, or else round numbers."""
RULE_DASH = [6, 4]
CURVE_OFFSET = 8
"""The horizontal distance between curves with intervals, in pixels."""
AXIS_PADDING = 12
"""The distance of the first and the last point from the ends of the x axis, in pixels."""
CAP_WIDTH = 7
"""The width of the short lines at the ends of an interval, in pixels."""


class Point(NamedTuple):
    """A point of a curve, and half the width of its interval, if it has one."""

    x: float
    y: float
    half_width: float | None = None

    @property
    def ends(self) -> tuple[float, float]:
        """Return the ends of the interval, which are both y if there is none."""
        half_width = self.half_width or 0.0
        return self.y - half_width, self.y + half_width


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
    rules: Mapping[str, Point] | None = None,
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
        Names of horizontal reference lines, which are grey, and points at their height, whose x is not used. Their
        intervals are grey bands.
    """
    rows = [_row(name, point, y_format) for name, points in curves.items() for point in points]
    # Reference lines reach across the panel, so their x is not drawn.
    rule_rows = [_row(name, point, y_format) for name, point in (rules or {}).items()]
    if not rows:
        raise InputError("There is no curve to draw", hint="give at least one")
    padding: float = AXIS_PADDING
    if _have_intervals(rows):  # leave room for curves that are drawn beside each other
        padding += max(map(abs, _offsets(len(curves))))
    x_axis = _x_axis(rows, x_domain or _domain([row["x"] for row in rows], log=True), clean_text(x), padding)
    y_domain = y_domain or _domain([row[end] for row in (*rows, *rule_rows) for end in ("low", "high")], log=log_y)
    for row in (*rows, *rule_rows):  # an interval may reach beyond the axis
        row["low"], row["high"] = max(row["low"], y_domain[0]), min(row["high"], y_domain[1])
    y_axis = _y_axis(y_domain, clean_text(y), y_format, log=log_y)
    tooltips = [
        alt.Tooltip("name:N", title="of"),
        alt.Tooltip("y_text:N", title=clean_text(y)),
        alt.Tooltip("x_text:N", title=clean_text(x)),
    ]
    curve_layers = _curve_layers(rows, numbers, x_axis, y_axis, tooltips)
    rule_layers = _rule_layers(rule_rows, y_axis, tooltips[:2]) if rule_rows else []  # without the tooltip of x
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
        "low": float(point.ends[0]),
        "high": float(point.ends[1]),
        "x_text": f"{point.x:,.0f}",
        "y_text": format(point.y, y_format)
        + ("" if point.half_width is None else f" ± {format(point.half_width, y_format)}"),
    }


def _domain(values: Sequence[float], *, log: bool) -> Domain:
    """Return a domain that contains all values, for a logarithmic or a linear axis; a linear one has round ends."""
    low, high = min(values), max(values)
    return log_domain(low, high) if log else round_domain(low, high)


def _x_axis(rows: list[DataRow], domain: Domain, title: str, padding: float) -> alt.X:
    """Return the logarithmic x axis, padded at its ends; it labels the x values of the points if these are few."""
    x_values = sorted({row["x"] for row in rows})
    ticks = x_values if len(x_values) <= FEW_TICKS else log_ticks(domain)
    return alt.X(
        "x:Q",
        title=title,
        scale=alt.Scale(type="log", domain=domain, nice=False, padding=padding),
        axis=alt.Axis(values=ticks, format=",.12~g", labelOverlap="greedy", labelSeparation=6, grid=False),
    )


YAxis = Callable[[str], alt.Y]
"""A function that returns the y axis for a field of the data: "y", "low" or "high"."""


def _y_axis(domain: Domain, title: str, y_format: str, *, log: bool) -> YAxis:
    """Return the linear or logarithmic y axis; it uses `y_format` only for percentages."""
    options: dict[str, Any] = {"format": y_format} if y_format.endswith("%") else {}
    scale = alt.Scale(domain=domain, nice=False, zero=False)
    if log:
        options = {"values": log_ticks(domain), "format": ",.12~g"}
        scale = alt.Scale(type="log", domain=domain, nice=False)
    axis = alt.Axis(**options, tickCount=5, labelOverlap="greedy", domain=False, ticks=False)
    return lambda field: alt.Y(f"{field}:Q", title=title, scale=scale, axis=axis)


def _curve_layers(
    rows: list[DataRow], numbers: Mapping[str, int], x: alt.X, y: YAxis, tooltips: list[alt.Tooltip]
) -> list[alt.Chart]:
    """Return the layers of the curves: their intervals, then lines, then points, of which the last are drawn on top.

    If there are many points, they are invisible, but have tooltips.
    """
    names = list(dict.fromkeys(row["name"] for row in rows))
    style_of = {clean_text(name): curve_style(number) for name, number in numbers.items()}
    styles: list[Style] = [style_of[name] for name in names]
    colours = [style.colour for style in styles]
    dashes = [style.dash for style in styles]
    symbols = [style.symbol for style in styles]
    colour = alt.Color("name:N", legend=None, scale=alt.Scale(domain=names, range=colours))
    dash = alt.StrokeDash("name:N", legend=None, scale=alt.Scale(domain=names, range=dashes))
    shape = alt.Shape("name:N", legend=None, scale=alt.Scale(domain=names, range=symbols))
    n_points = max(sum(row["name"] == name for row in rows) for name in names)  # of the curve with most points
    opacity = 1 if n_points <= FEW_POINTS else 0
    if not _have_intervals(rows):
        base = alt.Chart(alt.InlineData(values=rows)).encode(x, y("y"), colour)
        points = base.mark_point(filled=True, size=60, opacity=opacity)
        return [_mark_lines(base).encode(dash), points.encode(shape, tooltip=tooltips)]
    intervals, lines, symbols_of_points = [], [], []
    for name, offset in zip(names, _offsets(len(names)), strict=True):
        base = alt.Chart(alt.InlineData(values=[row for row in rows if row["name"] == name])).encode(x, y("y"), colour)
        intervals += _interval_layers(base, y, offset)
        lines.append(_mark_lines(base, offset).encode(dash))
        points = base.mark_point(filled=True, size=60, opacity=opacity, xOffset=offset)
        symbols_of_points.append(points.encode(shape, tooltip=tooltips))
    return [*intervals, *lines, *symbols_of_points]


def _offsets(n_curves: int) -> list[float]:
    """Return how many pixels each curve with intervals is moved to the right: -8, 0 and 8 for three curves."""
    return [CURVE_OFFSET * (place - (n_curves - 1) / 2) for place in range(n_curves)]


def _have_intervals(rows: list[DataRow]) -> bool:
    """Return whether some point or reference line has an interval."""
    return any(row["low"] < row["high"] for row in rows)


def _mark_lines(base: alt.Chart, offset: float = 0.0) -> alt.Chart:
    """Return the lines of the curves in `base`, moved `offset` pixels to the right."""
    lines: alt.Chart = base.mark_line(strokeWidth=2.2, strokeJoin="round", xOffset=offset)
    return lines


def _interval_layers(base: alt.Chart, y: YAxis, offset: float) -> list[alt.Chart]:
    """Return the intervals of a curve as vertical bars, and the short lines at their ends."""
    bars = base.mark_rule(strokeWidth=1.6, opacity=0.75, xOffset=offset).encode(y("low"), alt.Y2("high:Q"))
    caps = base.mark_tick(orient="horizontal", size=CAP_WIDTH, thickness=1.6, opacity=0.75, xOffset=offset)
    return [bars, *(caps.encode(y(end)) for end in ("low", "high"))]


def _rule_layers(rows: list[DataRow], y: YAxis, tooltips: list[alt.Tooltip]) -> list[alt.Chart]:
    """Return the reference lines as grey dashed lines across the panel, and their intervals as bands below them."""
    base = alt.Chart(alt.InlineData(values=rows))
    lines = base.mark_rule(strokeWidth=1.6, strokeDash=RULE_DASH, color=GREY).encode(y("y"), tooltip=tooltips)
    if not _have_intervals(rows):
        return [lines]
    return [base.mark_rect(color=GREY, opacity=0.16).encode(y("low"), alt.Y2("high:Q")), lines]
