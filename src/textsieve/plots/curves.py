"""Named curves over one axis, with their names beside their ends.

A name stands in the right margin, as near to the end of its curve as the other names allow, behind a piece of line in
the curve's own colour and dash. So no legend has to be looked up, and where curves end in the same point (all energy
curves do) the pieces of line still tell them apart. Lines to compare with are named in the same margin.
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
"""Curves of no more points than that show them."""
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
    """Draw named curves, each given as its x and its y; long ones are thinned to what can be seen.

    Parameters
    ----------
    curves
        Names, and for each the x and the y of its points.
    x, y
        What the axes show.
    title, caption
        Above the chart, the caption in smaller letters.
    log_x
        Whether the x axis is logarithmic.
    rules
        Names and heights of horizontal lines to compare with.
    marks
        Points of curves that are marked, with a label or without.
    points
        Whether each point of a curve has a symbol. None: where no curve has many.
    y_domain
        What the y axis shows at the least. None: what the curves need.
    y_format
        How numbers are written on the y axis, as d3 has it, such as ".0%".
    """
    if not curves:
        raise InputError("There is no curve to draw; give at least one.")
    drawn = [curve(number, name, given, log_x) for number, (name, given) in enumerate(curves.items())]
    x_domain = across(drawn, log_x)
    ruled = [rule(number, name, value, x_domain) for number, (name, value) in enumerate((rules or {}).items())]
    height = max(HEIGHT, GAP * (len(drawn) + len(ruled)))
    frame = Frame(x_domain, upwards([*drawn, *ruled], y_domain), log_x, height)
    marked = mark_labels(_within(frame, marks, curves), {name: f"curve {n}" for n, name in enumerate(curves)}, frame)
    if points is None:
        points = all(len(each.x) <= FEW_POINTS for each in drawn)
    chart = _Layers([*drawn, *ruled], frame, *_axes(frame, x, y, y_format))
    layers = [
        *([chart.rules(ruled)] if ruled else []),
        *chart.curves(drawn, points),
        *chart.names(drawn, ruled, points),
        *(chart.marks(marked) if marked else []),
    ]
    layered = alt.LayerChart(layer=layers, width=WIDTH, height=height, **headed(title, caption))
    return dressed(layered)


def _within(frame: Frame, marks: Iterable[Mark], curves: Mapping[str, Any]) -> list[Mark]:
    """The marks, if each has its place in the chart."""
    known = list(marks)
    for mark in known:
        if mark.curve not in curves:
            raise InputError(f"A mark is on the curve {shown(mark.curve)}; the curves are {shown(list(curves))}.")
        if not (frame.x[0] <= mark.x <= frame.x[1] and frame.y[0] <= mark.y <= frame.y[1]):
            raise InputError(f"{mark!r} is outside of the curves; use an x and a y that the axes show.")
    return known


def _axes(frame: Frame, x: str, y: str, y_format: str) -> tuple[alt.X, alt.Y]:
    across: dict[str, Any] = {"values": log_ticks(frame.x)} if frame.log_x else {"tickCount": 8}
    upwards: dict[str, Any] = {"format": y_format} if y_format else {}
    return (
        alt.X(
            "x:Q",
            title=plain(x),
            scale=alt.Scale(type="log" if frame.log_x else "linear", domain=frame.x, nice=False, zero=False),
            axis=alt.Axis(**across, format=",.12~g", labelOverlap="greedy", labelFlush=False),
        ),
        alt.Y(
            "y:Q",
            title=plain(y),
            scale=alt.Scale(domain=frame.y, nice=False, zero=False),
            axis=alt.Axis(**upwards, tickCount=6),
        ),
    )


class _Layers:
    """The layers of one chart, which share axes, colours and dashes."""

    def __init__(self, series: Sequence[Series], frame: Frame, x: alt.X, y: alt.Y) -> None:
        keys, styles = [each.key for each in series], [each.style for each in series]
        self._frame, self._x, self._y = frame, x, y
        self._colour = alt.Color("key:N", legend=None, scale=alt.Scale(domain=keys, range=[s.colour for s in styles]))
        self._dash = alt.StrokeDash("key:N", legend=None, scale=alt.Scale(domain=keys, range=[s.dash for s in styles]))
        self._shape = alt.Shape("key:N", legend=None, scale=alt.Scale(domain=keys, range=[s.symbol for s in styles]))

    def rules(self, rules: Iterable[Series]) -> alt.Chart:
        """Thin lines from edge to edge."""
        thin = self._of([row for each in rules for row in each.rows]).mark_line(strokeWidth=THIN)
        drawn: alt.Chart = thin.encode(self._x, self._y, self._colour, self._dash)
        return drawn

    def curves(self, curves: Iterable[Series], points: bool) -> list[alt.Chart]:
        """The curves themselves, and their points if they are wanted."""
        rows = [row for each in curves for row in each.thinned(self._frame.log_x).rows]
        base = self._of(rows).encode(self._x, self._y, self._colour)
        drawn = base.mark_line(strokeWidth=THICK, strokeJoin="round").encode(self._dash)
        return [drawn, base.mark_point(**_SYMBOL).encode(self._shape)] if points else [drawn]

    def names(self, curves: Sequence[Series], rules: Sequence[Series], points: bool) -> list[alt.Chart]:
        """A piece of each line, with a symbol if its curve has them, and its name, in the margin."""
        rows, dotted = names([*curves, *rules], self._frame), {each.key for each in curves if points}
        pieces: list[alt.Chart] = []
        for keys, width in (({each.key for each in curves}, THICK), ({each.key for each in rules}, THIN)):
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
        """Points with their labels, on a white seam so that a line behind them does not matter."""
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
