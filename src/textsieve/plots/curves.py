"""Named curves over one axis, with their names beside their ends.

Each name stands in the right margin, as near to the end of its curve as the other names allow, after a piece of line in
the curve's colour and dash. So readers don't have to look up a legend, and even where curves end in the same point, as
all energy curves do, the pieces of line tell them apart. The names of reference lines stand in the same margin.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Self

import altair as alt
import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from ..errors import InputError, shown
from .look import HEIGHT, INK, SMALL, WIDTH, Chart, DataRow, Style, curve_style, dressed, headed, plain, rule_style
from .scales import Domain, log_domain, log_ticks, round_domain, spread, thinned

Numbers = Sequence[float] | NDArray[Any]

FEW_POINTS = 25
"""Curves with at most this many points have symbols."""
THICK, THIN = 2.4, 1.3
_SYMBOL: dict[str, Any] = {"filled": True, "size": 55, "opacity": 1}
GAP = 20
"""The distance between names in the margin, in pixels."""
LETTER = 0.56 * SMALL
"""The approximate mean width of a letter, in pixels."""
LONGEST_NAME = 48
"""The maximum length of a name in letters; longer names are cut, or they would leave little room for the drawing."""


# -- input -------------------------------------------------------------------------------------------------------


class Mark(NamedTuple):
    """A marked point: its curve, its position, and the text beside it, if any."""

    curve: str
    x: float
    y: float
    text: str = ""


class Series(NamedTuple):
    """A line and its style; the key identifies it, even if two lines have the same name."""

    key: str
    name: str
    x: Floats
    y: Floats
    style: Style

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Return its points as rows of a chart's data."""
        return [{"key": self.key, "x": x, "y": y} for x, y in zip(self.x.tolist(), self.y.tolist(), strict=True)]

    def thinned(self, log_x: bool) -> Self:
        """Return the same line with no more points than can be seen."""
        indices = thinned(self.x, log=log_x)
        return self._replace(x=self.x[indices], y=self.y[indices])


class Frame(NamedTuple):
    """The domains of both axes, and the height of the drawing in pixels."""

    x: Domain
    y: Domain
    log_x: bool
    height: float

    def right(self, x: float) -> float:
        """Return the distance of an x from the left edge in pixels."""
        low, high, x = (np.log(value) if self.log_x else value for value in (*self.x, x))
        return float((x - low) / (high - low) * WIDTH)

    def down(self, y: float) -> float:
        """Return the distance of a y from the upper edge in pixels."""
        return (self.y[1] - y) / (self.y[1] - self.y[0]) * self.height

    def value_at(self, down: float) -> float:
        """Return the y that is `down` pixels below the upper edge."""
        return self.y[1] - down / self.height * (self.y[1] - self.y[0])


def _check_curve(number: int, name: str, given: Any, log_x: bool) -> Series:
    """Return a curve from its x and y, sorted by x."""
    try:
        x, y = (np.asarray(values, np.float64) for values in given)
    except (TypeError, ValueError) as problem:
        raise InputError(f"curves[{name!r}] is {shown(given)}; give two rows of numbers, x and y.") from problem
    if x.ndim != 1 or x.shape != y.shape or not len(x):
        raise InputError(f"curves[{name!r}] has x of shape {x.shape} and y of {y.shape}; give as many y as x, some.")
    for axis, values in (("x", x), ("y", y)):
        if not np.isfinite(values).all():
            raise InputError(f"curves[{name!r}] has {axis}={values[~np.isfinite(values)][0]}; leave such points out.")
    if log_x and x.min() <= 0:
        raise InputError(f"curves[{name!r}] has x={x.min():g}, and a logarithmic axis begins above 0; use log_x=False.")
    order = np.argsort(x, kind="stable")
    return Series(f"curve {number}", plain(name), x[order], y[order], curve_style(number))


def _check_rule(number: int, name: str, value: Any, x_domain: Domain) -> Series:
    """Return a horizontal reference line."""
    try:
        y = float(value)
    except (TypeError, ValueError):
        y = np.nan
    if not np.isfinite(y):
        raise InputError(f"rules[{name!r}]={shown(value)}; use a number.")
    return Series(f"rule {number}", plain(name), np.array(x_domain), np.array([y, y]), rule_style(number))


def _x_domain(curves: Iterable[Series], log_x: bool) -> Domain:
    """Return the x domain: from the first x to the last."""
    ends = [(float(line.x[0]), float(line.x[-1])) for line in curves]
    first, last = min(first for first, _ in ends), max(last for _, last in ends)
    if log_x:
        return log_domain(first, last)
    return (first, last) if first < last else (first - 0.5, last + 0.5)


def _y_domain(series: Iterable[Series], at_least: Domain | None) -> Domain:
    """Return the y domain: `at_least` if it contains all y, or else a domain that ends in round numbers."""
    heights = np.concatenate([line.y for line in series])
    if at_least is None:
        return round_domain(float(heights.min()), float(heights.max()))
    low, high = map(float, at_least)
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise InputError(setting="y_domain", value=at_least, hint="use two numbers, the lower first")
    if low <= heights.min() and heights.max() <= high:
        return low, high
    return round_domain(min(low, float(heights.min())), max(high, float(heights.max())))


# -- labels without overlaps -------------------------------------------------------------------------------------


def _place_names(series: Sequence[Series], frame: Frame) -> list[dict[str, Any]]:
    """Return the name of each line with its position, as near to the line's end as the other names allow.

    Where several lines end at the same height, the one with the higher mean is named above the others.
    """
    sorted_series = sorted(series, key=lambda line: (round(frame.down(line.y[-1])), frame.down(float(line.y.mean()))))
    positions = spread([frame.down(float(line.y[-1])) for line in sorted_series], GAP, frame.height)
    return [
        {"key": line.key, "text": _cut(line.name), "y": frame.value_at(position)}
        for line, position in zip(sorted_series, positions, strict=True)
    ]


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _place_marks(marks: Iterable[Mark], key_of: dict[str, str], frame: Frame) -> list[dict[str, Any]]:
    """Return points with a label below and to the right of each, in the first row where it covers no other label."""
    occupied: list[tuple[float, float, float]] = []
    rows = []
    for mark in sorted(marks, key=lambda mark: (-mark.x, mark.y)):
        text = plain(mark.text)
        left, row = frame.right(mark.x), frame.down(mark.y) + GAP - 4
        right = left + 12 + LETTER * len(text)
        while text and any(
            abs(row - other) < GAP - 4 and left < end and start < right for start, end, other in occupied
        ):
            row += GAP - 2
        if text:
            occupied.append((left, right, row))
        rows.append({"key": key_of[mark.curve], "text": text, "x": mark.x, "y": mark.y, "text_y": frame.value_at(row)})
    return rows


# -- the chart ---------------------------------------------------------------------------------------------------


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
    series = [_check_curve(number, name, given, log_x) for number, (name, given) in enumerate(curves.items())]
    x_domain = _x_domain(series, log_x)
    reference_lines = [
        _check_rule(number, name, value, x_domain) for number, (name, value) in enumerate((rules or {}).items())
    ]
    height = max(HEIGHT, GAP * (len(series) + len(reference_lines)))
    frame = Frame(x_domain, _y_domain([*series, *reference_lines], y_domain), log_x, height)
    labelled_marks = _place_marks(
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
        rows, dotted = _place_names([*curves, *rules], self._frame), {line.key for line in curves if points}
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

    def marks(self, rows: list[DataRow]) -> list[alt.Chart]:
        """Return the marked points with their labels, outlined in white so that they can be read on top of a line."""
        base = self._of(rows).encode(self._x)
        words = base.encode(alt.Y("text_y:Q"), text="text:N")
        letters: dict[str, Any] = {"align": "left", "baseline": "middle", "dx": 8, "fontSize": SMALL}
        return [
            words.mark_text(**letters, stroke="white", strokeWidth=4, strokeJoin="round"),
            words.mark_text(**letters, color=INK),
            base.mark_point(filled=True, size=80, opacity=1).encode(self._y, self._colour),
        ]

    def _of(self, rows: list[DataRow]) -> alt.Chart:
        return alt.Chart(alt.InlineData(values=rows))
