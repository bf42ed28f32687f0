"""Named curves over one axis, with their names beside their ends.

Each name is in the right margin, as near to the end of its curve as the other names allow. Before the name is a short
piece of line in the colour and dash of the curve. So readers don't need a legend, and can tell curves apart even where
they end in the same point, as all energy curves do. The names of reference lines are in the same margin.

A curve of a million points looks no better than one of five hundred, so long curves are thinned.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Self

import altair as alt
import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from ..errors import InputError, shown
from .style import (
    FEW_POINTS,
    HEIGHT,
    INK,
    SMALL,
    WIDTH,
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
    rule_style,
    title_properties,
)

Numbers = Sequence[float] | NDArray[Any]

THICK, THIN = 2.4, 1.3
"""The widths of curves and of reference lines, in pixels."""
_SYMBOL: dict[str, Any] = {"filled": True, "size": 55, "opacity": 1}
GAP = 20
"""The minimum distance between names in the margin, in pixels."""
LABEL_HEIGHT = 16
"""The height of the label of a marked point, in pixels."""
CHARACTER_WIDTH = 0.56 * SMALL
"""The approximate mean width of a character, in pixels."""
MAX_POINTS = 500
"""The maximum number of points with which a curve is drawn."""
MAX_NAME_LENGTH = 48
"""The maximum number of characters of a name; longer names are cut to leave room for the drawing."""


# -- input -------------------------------------------------------------------------------------------------------


class Mark(NamedTuple):
    """A marked point: the name of its curve, its position, and the text beside it, if any."""

    curve: str
    x: float
    y: float
    text: str = ""


class Series(NamedTuple):
    """A curve or reference line: its points, in ascending x, and its style."""

    key: str
    """A unique key, such as "curve 0". A curve and a reference line may have the same name."""
    name: str
    x: Floats
    y: Floats
    style: Style

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Return the points as rows of a chart's data."""
        return [{"key": self.key, "x": x, "y": y} for x, y in zip(self.x.tolist(), self.y.tolist(), strict=True)]

    def thin(self, log_x: bool) -> Self:
        """Return the same line with as many points as can be seen (`thin_indices`)."""
        indices = thin_indices(self.x, log=log_x)
        return self._replace(x=self.x[indices], y=self.y[indices])


class Frame(NamedTuple):
    """The drawing area: the domains of both axes and its height in pixels; it converts between values and pixels."""

    x: Domain
    y: Domain
    log_x: bool
    height: float

    def x_to_pixels(self, x: float) -> float:
        """Return the distance of an x from the left edge in pixels."""
        left, right, position = (np.log(value) if self.log_x else value for value in (*self.x, x))
        return float((position - left) / (right - left) * WIDTH)

    def y_to_pixels(self, y: float) -> float:
        """Return the distance of a y from the upper edge in pixels."""
        return (self.y[1] - y) / (self.y[1] - self.y[0]) * self.height

    def pixels_to_y(self, pixels: float) -> float:
        """Return the y at a distance from the upper edge in pixels."""
        return self.y[1] - pixels / self.height * (self.y[1] - self.y[0])


def thin_indices(x: Floats, *, log: bool, max_points: int = MAX_POINTS) -> NDArray[np.int64]:
    """Return the indices of at most `max_points` points of an ascending x, with the first and the last.

    They are evenly distributed along the axis as drawn: on a logarithmic axis, evenly in the logarithm of x.
    """
    if len(x) <= max_points:
        return np.arange(len(x))
    positions = np.log(x) if log else x
    # One point less than `max_points`, because the last point is added below if it is not among them.
    indices = np.searchsorted(positions, np.linspace(positions[0], positions[-1], max_points - 1))
    return np.unique(np.append(np.minimum(indices, len(x) - 1), [0, len(x) - 1]))


def _check_curve(number: int, name: str, points: Any, log_x: bool) -> Series:
    """Return a curve, sorted by x; raise `InputError` if it can't be drawn.

    `number` determines its style, and `points` has two rows of numbers, x and y.
    """
    try:
        x, y = (np.asarray(values, np.float64) for values in points)
    except (TypeError, ValueError) as problem:
        raise InputError(f"curves[{name!r}] is {shown(points)}", hint="give two rows of numbers, x and y") from problem
    if x.ndim != 1 or x.shape != y.shape or not len(x):
        raise InputError(
            f"curves[{name!r}] has x of shape {x.shape} and y of {y.shape}", hint="give as many y as x, at least one"
        )
    for axis, values in (("x", x), ("y", y)):
        if not np.isfinite(values).all():
            value = values[~np.isfinite(values)][0]
            raise InputError(f"curves[{name!r}] has {axis}={value}", hint="leave such points out")
    if log_x and x.min() <= 0:
        raise InputError(
            f"curves[{name!r}] has x={x.min():g}, and a logarithmic axis begins above 0", hint="use log_x=False"
        )
    order = np.argsort(x, kind="stable")
    return Series(f"curve {number}", clean_text(name), x[order], y[order], curve_style(number))


def _check_rule(number: int, name: str, value: Any, x_domain: Domain) -> Series:
    """Return a horizontal reference line across the x domain; raise `InputError` if its height `value` is no number."""
    try:
        y = float(value)
    except (TypeError, ValueError):
        y = np.nan
    if not np.isfinite(y):
        raise InputError(f"rules[{name!r}]={shown(value)}", hint="use a number")
    return Series(f"rule {number}", clean_text(name), np.array(x_domain), np.array([y, y]), rule_style(number))


def _x_domain(curves: Iterable[Series], log_x: bool) -> Domain:
    """Return the x domain, from the smallest x of all curves to the largest; a single x is widened to both sides."""
    ends = [(float(line.x[0]), float(line.x[-1])) for line in curves]
    first, last = min(first for first, _ in ends), max(last for _, last in ends)
    if log_x:
        return log_domain(first, last)
    return (first, last) if first < last else (first - 0.5, last + 0.5)


def _y_domain(series: Iterable[Series], at_least: Domain | None) -> Domain:
    """Return the y domain: `at_least` if it contains all y, or else a larger domain that ends in round numbers.

    Without `at_least`, it is a domain with round ends around all y.
    """
    y = np.concatenate([line.y for line in series])
    y_min, y_max = float(y.min()), float(y.max())
    if at_least is None:
        return round_domain(y_min, y_max)
    low, high = map(float, at_least)
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise InputError(setting="y_domain", value=at_least, hint="use two numbers, the lower first")
    if low <= y_min and y_max <= high:
        return low, high
    return round_domain(min(low, y_min), max(high, y_max))


# -- labels without overlaps -------------------------------------------------------------------------------------


def _place_names(series: Sequence[Series], frame: Frame) -> list[dict[str, Any]]:
    """Return the name of each line with its position, as near to the line's end as the other names allow.

    Where several lines end at the same height, the one with the higher mean is named above the others.
    """

    def end_then_mean(line: Series) -> tuple[int, float]:
        """Return the distance of a line's end and of its mean from the upper edge, in pixels."""
        return round(frame.y_to_pixels(line.y[-1])), frame.y_to_pixels(float(line.y.mean()))

    from_top = sorted(series, key=end_then_mean)
    positions = separate([frame.y_to_pixels(float(line.y[-1])) for line in from_top], GAP, frame.height)
    return [
        {"key": line.key, "text": _shorten(line.name), "y": frame.pixels_to_y(position)}
        for line, position in zip(from_top, positions, strict=True)
    ]


def separate(positions: Sequence[float], gap: float, end: float) -> list[float]:
    """Return ascending positions from 0 to `end`, at least `gap` apart and as near as possible to the given ones.

    For example, `[100, 100, 100]` becomes `[80, 100, 120]` with a gap of 20. The given positions ascend. If there are
    too many of them for `end`, the result keeps the gap and goes beyond `end`.

    The gap is removed by subtracting `number * gap` from position number 0, 1, 2, ... The reduced positions of a valid
    result are only required not to descend. The nearest ones are found by isotonic regression: neighbours that descend
    are merged into a group, and all members of the group get its mean.
    """
    groups: list[tuple[float, int]] = []  # the mean reduced position and the size of each group, ascending
    for number, position in enumerate(positions):
        mean, size = position - number * gap, 1
        while groups and groups[-1][0] > mean:
            other_mean, other_size = groups.pop()
            mean, size = (mean * size + other_mean * other_size) / (size + other_size), size + other_size
        groups.append((mean, size))
    # The largest reduced position that is possible; 0 if there are too many positions for `end`.
    last = max(end - (len(positions) - 1) * gap, 0.0)
    reduced = [min(max(mean, 0.0), last) for mean, size in groups for _ in range(size)]
    return [position + number * gap for number, position in enumerate(reduced)]


def _shorten(name: str) -> str:
    """Return a name of at most `MAX_NAME_LENGTH` characters, with an ellipsis if it was cut."""
    return name if len(name) <= MAX_NAME_LENGTH else f"{name[: MAX_NAME_LENGTH - 1]}…"


class _LabelBox(NamedTuple):
    """The left and the right edge of a label, and the distance of its middle from the plot's upper edge, in pixels."""

    left: float
    right: float
    from_top: float

    def overlaps(self, other: Self) -> bool:
        """Return whether two labels overlap."""
        have_same_height = abs(self.from_top - other.from_top) < LABEL_HEIGHT
        return have_same_height and self.left < other.right and other.left < self.right


def _place_marks(marks: Iterable[Mark], key_of: dict[str, str], frame: Frame) -> list[dict[str, Any]]:
    """Return marked points with the positions of their labels; `key_of` has the key of each curve by its name.

    Marks are placed from right to left. A label is below its point and to the right, moved down in steps until it
    covers no label that was placed before.
    """
    placed_labels: list[_LabelBox] = []
    rows = []
    for mark in sorted(marks, key=lambda mark: (-mark.x, mark.y)):
        text = clean_text(mark.text)
        left, from_top = frame.x_to_pixels(mark.x), frame.y_to_pixels(mark.y) + LABEL_HEIGHT
        right = left + 12 + CHARACTER_WIDTH * len(text)  # with a margin between point and text, and after the text
        label = _LabelBox(left, right, from_top)
        if text:
            while any(map(label.overlaps, placed_labels)):
                label = label._replace(from_top=label.from_top + LABEL_HEIGHT + 2)
            placed_labels.append(label)
        label_y = frame.pixels_to_y(label.from_top)  # the label's position as a value of the y axis
        rows.append({"key": key_of[mark.curve], "text": text, "x": mark.x, "y": mark.y, "text_y": label_y})
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
        The minimum range of the y axis. None: the range of the curves and reference lines.
    y_format
        The d3 format of the numbers on the y axis, such as ".0%".
    """
    if not curves:
        raise InputError("There is no curve to draw", hint="give at least one")
    series = [_check_curve(number, name, xy, log_x) for number, (name, xy) in enumerate(curves.items())]
    x_domain = _x_domain(series, log_x)
    reference_lines = [
        _check_rule(number, name, value, x_domain) for number, (name, value) in enumerate((rules or {}).items())
    ]
    height = max(HEIGHT, GAP * (len(series) + len(reference_lines)))  # enough for all names in the margin
    frame = Frame(x_domain, _y_domain([*series, *reference_lines], y_domain), log_x, height)
    key_of = {name: line.key for name, line in zip(curves, series, strict=True)}
    labelled_marks = _place_marks(_check_marks(frame, marks, curves), key_of, frame)
    if points is None:
        points = all(len(line.x) <= FEW_POINTS for line in series)
    chart = _Layers([*series, *reference_lines], frame, *_axes(frame, x, y, y_format))
    layers = [
        *([chart.rules(reference_lines)] if reference_lines else []),
        *chart.curves(series, points),
        *chart.names(series, reference_lines, points),
        *(chart.marks(labelled_marks) if labelled_marks else []),
    ]
    layered_chart = alt.LayerChart(layer=layers, width=WIDTH, height=height, **title_properties(title, caption))
    return apply_style(layered_chart)


def _check_marks(frame: Frame, marks: Iterable[Mark], curves: Mapping[str, Any]) -> list[Mark]:
    """Return the marks as a list; raise `InputError` if one is on an unknown curve or outside of the axes."""
    marks_list = list(marks)
    for mark in marks_list:
        if mark.curve not in curves:
            raise InputError(
                f"A mark is on the curve {shown(mark.curve)}", hint=f"the curves are {shown(list(curves))}"
            )
        if not (frame.x[0] <= mark.x <= frame.x[1] and frame.y[0] <= mark.y <= frame.y[1]):
            raise InputError(f"{mark!r} is outside of the curves", hint="use an x and a y that the axes show")
    return marks_list


def _axes(frame: Frame, x: str, y: str, y_format: str) -> tuple[alt.X, alt.Y]:
    """Return the axes with the titles `x` and `y`."""
    x_ticks: dict[str, Any] = {"values": log_ticks(frame.x)} if frame.log_x else {"tickCount": 8}
    y_format_option: dict[str, Any] = {"format": y_format} if y_format else {}
    return (
        alt.X(
            "x:Q",
            title=clean_text(x),
            scale=alt.Scale(type="log" if frame.log_x else "linear", domain=frame.x, nice=False, zero=False),
            axis=alt.Axis(**x_ticks, format=",.12~g", labelOverlap="greedy", labelFlush=False),
        ),
        alt.Y(
            "y:Q",
            title=clean_text(y),
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
        lines = _chart([row for line in rules for row in line.rows]).mark_line(strokeWidth=THIN)
        chart: alt.Chart = lines.encode(self._x, self._y, self._colour, self._dash)
        return chart

    def curves(self, curves: Iterable[Series], points: bool) -> list[alt.Chart]:
        """Return the curves, and with `points` their symbols."""
        rows = [row for line in curves for row in line.thin(self._frame.log_x).rows]
        base = _chart(rows).encode(self._x, self._y, self._colour)
        lines = base.mark_line(strokeWidth=THICK, strokeJoin="round").encode(self._dash)
        return [lines, base.mark_point(**_SYMBOL).encode(self._shape)] if points else [lines]

    def names(self, curves: Sequence[Series], rules: Sequence[Series], points: bool) -> list[alt.Chart]:
        """Return the names of the curves and rules in the right margin.

        A short sample of the line is drawn before each name, as in a legend; with `points`, samples of curves have a
        symbol.
        """
        rows = _place_names([*curves, *rules], self._frame)
        pieces: list[alt.Chart] = []
        for lines, width, have_symbols in ((curves, THICK, points), (rules, THIN, False)):
            if not lines:
                continue
            keys = {line.key for line in lines}
            base = _chart([row for row in rows if row["key"] in keys]).encode(self._y, self._colour)
            # Right of the drawing: the sample from 12 to 44 pixels, its symbol in the middle, the name from 51 on.
            begin, end = alt.value(WIDTH + 12), alt.value(WIDTH + 44)
            pieces.append(base.mark_rule(strokeWidth=width).encode(self._dash, x=begin, x2=end))
            if have_symbols:
                pieces.append(base.mark_point(**_SYMBOL).encode(self._shape, x=alt.value(WIDTH + 28)))
        font: dict[str, Any] = {"align": "left", "baseline": "middle", "fontSize": SMALL, "color": INK}
        text = _chart(rows).mark_text(**font).encode(self._y, text="text:N", x=alt.value(WIDTH + 51))
        return [*pieces, text]

    def marks(self, rows: list[DataRow]) -> list[alt.Chart]:
        """Return the marked points with their labels, outlined in white so that they can be read on top of a line."""
        base = _chart(rows).encode(self._x)
        text = base.encode(alt.Y("text_y:Q"), text="text:N")
        font: dict[str, Any] = {"align": "left", "baseline": "middle", "dx": 8, "fontSize": SMALL}
        return [
            text.mark_text(**font, stroke="white", strokeWidth=4, strokeJoin="round"),
            text.mark_text(**font, color=INK),
            base.mark_point(filled=True, size=80, opacity=1).encode(self._y, self._colour),
        ]


def _chart(rows: list[DataRow]) -> alt.Chart:
    """Return a chart without marks, with these rows as its data."""
    return alt.Chart(alt.InlineData(values=rows))
