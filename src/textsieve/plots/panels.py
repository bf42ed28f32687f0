"""Curves as one panel of a page, as wide as the page gives it room.

What `lines` writes beside its curves stands in the page here: title, and a legend that several panels share. So a curve
has a number, and by it the same look in every panel. Points say what they are when they are pointed at.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import altair as alt

from ..errors import InputError
from .look import GREY, Chart, Style, curve_style, dressed, plain
from .scales import Domain, log_domain, log_ticks, round_domain

Row = dict[str, Any]

PANEL_HEIGHT = 250
FEW_POINTS = 25
"""Curves of no more points than that show them."""
FEW_TICKS = 6
"""No more numbers than that stand at the axis as they are; of more the round ones."""
RULE_DASH = [6, 4]


class Point(NamedTuple):
    """A point of a curve, and more that is to be told of it."""

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
    """Draw curves over a logarithmic axis.

    Parameters
    ----------
    curves
        Names, and the points of each.
    numbers
        The number of each name, which settles its look.
    x, y
        What the axes show.
    about
        The panel in a sentence, for those who do not see it.
    log_y
        Whether the y axis is logarithmic, too.
    x_domain, y_domain
        What the axes show, such as several panels have in common. None: what the curves need.
    y_format
        How y is written where a point is told; at the axis, if these are percents.
    rules
        Names and heights of horizontal lines to compare with, which are grey.
    """
    rows = [_row(name, point, y_format) for name, points in curves.items() for point in points]
    ruled = [_row(name, Point(0, height), y_format) for name, height in (rules or {}).items()]
    if not rows:
        raise InputError("There is no curve to draw; give at least one.")
    across = x_domain or _domain([row["x"] for row in rows], log=True)
    upwards = y_domain or _domain([row["y"] for row in (*rows, *ruled)], log=log_y)
    layers = _Panel(rows, ruled, numbers, _axes(rows, across, upwards, log_y, (x, y, y_format)), (x, y)).layers()
    drawn = alt.LayerChart(
        layer=layers,
        width="container",
        height=PANEL_HEIGHT,
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
        description=plain(about),
    )
    return dressed(drawn, background="transparent", padding=4)


def _row(name: str, point: Point, y_format: str) -> Row:
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
    rows: list[Row], across: Domain, upwards: Domain, log_y: bool, titles: tuple[str, str, str]
) -> tuple[alt.X, alt.Y]:
    sizes = sorted({row["x"] for row in rows})
    ticks = sizes if len(sizes) <= FEW_TICKS else log_ticks(across)
    up: dict[str, Any] = {"format": titles[2]} if titles[2].endswith("%") else {}
    if log_y:
        up = {"values": log_ticks(upwards), "format": ",.12~g"}
    return (
        alt.X(
            "x:Q",
            title=plain(titles[0]),
            scale=alt.Scale(type="log", domain=across, nice=False, padding=12),
            axis=alt.Axis(values=ticks, format=",.12~g", labelOverlap="greedy", labelSeparation=6, grid=False),
        ),
        alt.Y(
            "y:Q",
            title=plain(titles[1]),
            scale=alt.Scale(type="log", domain=upwards, nice=False)
            if log_y
            else alt.Scale(domain=upwards, nice=False, zero=False),
            axis=alt.Axis(**up, tickCount=5, labelOverlap="greedy", domain=False, ticks=False),
        ),
    )


class _Panel:
    """The layers of one panel, which share axes and looks."""

    def __init__(
        self,
        rows: list[Row],
        ruled: list[Row],
        numbers: Mapping[str, int],
        axes: tuple[alt.X, alt.Y],
        titles: tuple[str, str],
    ) -> None:
        self._rows, self._ruled, self._axes = rows, ruled, axes
        names = list(dict.fromkeys(row["name"] for row in rows))
        by_name = {plain(name): curve_style(number) for name, number in numbers.items()}
        styles: list[Style] = [by_name[name] for name in names]
        colours, dashes, symbols = (list(each) for each in zip(*styles, strict=True))
        self._colour = alt.Color("name:N", legend=None, scale=alt.Scale(domain=names, range=colours))
        self._dash = alt.StrokeDash("name:N", legend=None, scale=alt.Scale(domain=names, range=dashes))
        self._shape = alt.Shape("name:N", legend=None, scale=alt.Scale(domain=names, range=symbols))
        self._told = [
            alt.Tooltip("name:N", title="of"),
            alt.Tooltip("y_text:N", title=plain(titles[1])),
            alt.Tooltip("x_text:N", title=plain(titles[0])),
        ]

    def layers(self) -> list[alt.Chart]:
        """Rules below, then curves, then what is pointed at."""
        x, y = self._axes
        base = alt.Chart(alt.InlineData(values=self._rows)).encode(x, y, self._colour)
        line = base.mark_line(strokeWidth=2.2, strokeJoin="round").encode(self._dash)
        return [*([self._rules()] if self._ruled else []), line, self._points(base)]

    def _points(self, base: alt.Chart) -> alt.Chart:
        counts = [sum(row["name"] == name for row in self._rows) for name in {row["name"] for row in self._rows}]
        are_seen = max(counts) <= FEW_POINTS
        points: alt.Chart = base.mark_point(filled=True, size=60, opacity=1 if are_seen else 0)
        return points.encode(self._shape, tooltip=self._told)

    def _rules(self) -> alt.Chart:
        drawn: alt.Chart = (
            alt.Chart(alt.InlineData(values=self._ruled))
            .mark_rule(strokeWidth=1.6, strokeDash=RULE_DASH, color=GREY)
            .encode(self._axes[1], tooltip=self._told[:2])
        )
        return drawn
