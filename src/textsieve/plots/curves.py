"""Named curves over one axis, with their names beside their ends.

Each name stands in the right margin, as near to the end of its curve as the other names allow, after a piece of line in
the curve's colour and dash. So readers don't have to look up a legend, and even where curves end in the same point, as
all energy curves do, the pieces of line tell them apart. The names of reference lines stand in the same margin.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt
from numpy.typing import NDArray

from ..errors import InputError, shown
from .labels import GAP, Mark, mark_labels, names
from .look import HEIGHT, INK, SMALL, WIDTH, Chart, dressed, headed, plain
from .scales import Domain, log_ticks
from .series import Frame, Series, across, curve, rule, upwards

__all__ = ["Mark", "lines"]

Numbers = Sequence[float] | NDArray[Any]
Row = dict[str, Any]

FEW_POINTS = 25
"""Curves with at most this many points have symbols."""
THICK, THIN = 2.4, 1.3
_SYMBOL: dict[str, Any] = {"filled": True, "size": 55, "opacity": 1}


def lines(
    curves: Mapping[str, tuple[Numbers, Numbers]],
    *,
    x: str,
    y: str,
    title: str = "",
    caption: str = "",
    log_x: bool = False,
    rules: Mapping[str, float] | None = None,
    marks: Iterable[Mark] = (),
    points: bool | None = None,
    y_domain: Domain | None = None,
    y_format: str = "",
) -> Chart:
    """Draw named curves, each given as its x and its y; long curves are thinned to as many points as can be seen.

    Parameters
    ----------
    curves
        The x and the y of the points of each curve, by its name.
    x, y
        Titles of the axes.
    title, caption
        Text above the chart; the caption is in smaller letters.
    log_x
        Whether the x axis is logarithmic.
    rules
        Names and heights of horizontal reference lines.
    marks
        Points of curves to mark, with or without a label.
    points
        Whether each point of a curve has a symbol. None: only if no curve has many points.
    y_domain
        The minimum range of the y axis. None: the range of the curves.
    y_format
        The d3 format of the numbers on the y axis, such as ".0%".
    """
    if not curves:
        raise InputError("There is no curve to draw; give at least one.")
    series = [curve(number, name, given, log_x) for number, (name, given) in enumerate(curves.items())]
    x_domain = across(series, log_x)
    reference_lines = [
        rule(number, name, value, x_domain) for number, (name, value) in enumerate((rules or {}).items())
    ]
    height = max(HEIGHT, GAP * (len(series) + len(reference_lines)))
    frame = Frame(x_domain, upwards([*series, *reference_lines], y_domain), log_x, height)
    labelled_marks = mark_labels(
        _within(frame, marks, curves), {name: f"curve {n}" for n, name in enumerate(curves)}, frame
    )
    if points is None:
        points = all(len(line.x) <= FEW_POINTS for line in series)
    chart = _Layers([*series, *reference_lines], frame, *_axes(frame, x, y, y_format))
    layers = [
        *([chart.rules(reference_lines)] if reference_lines else []),
        *chart.curves(series, points),
        *chart.names(series, reference_lines, points),
        *(chart.marks(labelled_marks) if labelled_marks else []),
    ]
    layered_chart = alt.LayerChart(layer=layers, width=WIDTH, height=height, **headed(title, caption))
    return dressed(layered_chart)


def _within(frame: Frame, marks: Iterable[Mark], curves: Mapping[str, Any]) -> list[Mark]:
    """Return the marks as a list; raise `InputError` if one is on an unknown curve or outside the axes."""
    marks_list = list(marks)
    for mark in marks_list:
        if mark.curve not in curves:
            raise InputError(f"A mark is on the curve {shown(mark.curve)}; the curves are {shown(list(curves))}.")
        if not (frame.x[0] <= mark.x <= frame.x[1] and frame.y[0] <= mark.y <= frame.y[1]):
            raise InputError(f"{mark!r} is outside of the curves; use an x and a y that the axes show.")
    return marks_list


def _axes(frame: Frame, x: str, y: str, y_format: str) -> tuple[alt.X, alt.Y]:
    x_ticks: dict[str, Any] = {"values": log_ticks(frame.x)} if frame.log_x else {"tickCount": 8}
    y_format_option: dict[str, Any] = {"format": y_format} if y_format else {}
    return (
        alt.X(
            "x:Q",
            title=plain(x),
            scale=alt.Scale(type="log" if frame.log_x else "linear", domain=frame.x, nice=False, zero=False),
            axis=alt.Axis(**x_ticks, format=",.12~g", labelOverlap="greedy", labelFlush=False),
        ),
        alt.Y(
            "y:Q",
            title=plain(y),
            scale=alt.Scale(domain=frame.y, nice=False, zero=False),
            axis=alt.Axis(**y_format_option, tickCount=6),
        ),
    )


class _Layers:
    """The layers of one chart, which share axes, colours and dashes."""

    def __init__(self, series: Sequence[Series], frame: Frame, x: alt.X, y: alt.Y) -> None:
        keys, styles = [line.key for line in series], [line.style for line in series]
        self._frame, self._x, self._y = frame, x, y
        self._colour = alt.Color("key:N", legend=None, scale=alt.Scale(domain=keys, range=[s.colour for s in styles]))
        self._dash = alt.StrokeDash("key:N", legend=None, scale=alt.Scale(domain=keys, range=[s.dash for s in styles]))
        self._shape = alt.Shape("key:N", legend=None, scale=alt.Scale(domain=keys, range=[s.symbol for s in styles]))

    def rules(self, rules: Iterable[Series]) -> alt.Chart:
        """Return the reference lines: thin lines from edge to edge."""
        thin = self._of([row for line in rules for row in line.rows]).mark_line(strokeWidth=THIN)
        chart: alt.Chart = thin.encode(self._x, self._y, self._colour, self._dash)
        return chart

    def curves(self, curves: Iterable[Series], points: bool) -> list[alt.Chart]:
        """Return the curves, and with `points` their symbols."""
        rows = [row for line in curves for row in line.thinned(self._frame.log_x).rows]
        base = self._of(rows).encode(self._x, self._y, self._colour)
        lines = base.mark_line(strokeWidth=THICK, strokeJoin="round").encode(self._dash)
        return [lines, base.mark_point(**_SYMBOL).encode(self._shape)] if points else [lines]

    def names(self, curves: Sequence[Series], rules: Sequence[Series], points: bool) -> list[alt.Chart]:
        """Return the names in the margin, each after a piece of its line, with a symbol if its curve has symbols."""
        rows, dotted = names([*curves, *rules], self._frame), {line.key for line in curves if points}
        pieces: list[alt.Chart] = []
        for keys, width in (({line.key for line in curves}, THICK), ({line.key for line in rules}, THIN)):
            if not keys:
                continue
            base = self._of([row for row in rows if row["key"] in keys]).encode(self._y, self._colour)
            begin, end = alt.value(WIDTH + 12), alt.value(WIDTH + 44)
            pieces.append(base.mark_rule(strokeWidth=width).encode(self._dash, x=begin, x2=end))
            if keys & dotted:
                pieces.append(base.mark_point(**_SYMBOL).encode(self._shape, x=alt.value(WIDTH + 28)))
        letters: dict[str, Any] = {"align": "left", "baseline": "middle", "fontSize": SMALL, "color": INK}
        words = self._of(rows).mark_text(**letters).encode(self._y, text="text:N", x=alt.value(WIDTH + 51))
        return [*pieces, words]

    def marks(self, rows: list[Row]) -> list[alt.Chart]:
        """Return the marked points with their labels, outlined in white so that they can be read on top of a line."""
        base = self._of(rows).encode(self._x)
        words = base.encode(alt.Y("text_y:Q"), text="text:N")
        letters: dict[str, Any] = {"align": "left", "baseline": "middle", "dx": 8, "fontSize": SMALL}
        return [
            words.mark_text(**letters, stroke="white", strokeWidth=4, strokeJoin="round"),
            words.mark_text(**letters, color=INK),
            base.mark_point(filled=True, size=80, opacity=1).encode(self._y, self._colour),
        ]

    def _of(self, rows: list[Row]) -> alt.Chart:
        return alt.Chart(alt.InlineData(values=rows))
