"""A heat map: numbers over a grid as cells, with colours and, where there is room, digits.

The colours are viridis: equal steps of the numbers look like equal steps, also to colour-blind readers, and they range
from dark to light, so that their order survives printing in grey. Digits are white on dark cells and black on light
ones. All cells have the same size, whatever the steps of the axes, and each shows the value measured there: nothing is
interpolated between rows such as 1, 500 and 1000. Missing values are white, with a cross.
"""

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import altair as alt
import numpy as np

from ..arrays import Floats
from ..errors import InputError, counted, shown
from ..settings import as_number
from .style import (
    FONT,
    GREY,
    HEIGHT,
    INK,
    SMALL,
    TEXT,
    WIDTH,
    Chart,
    DataRow,
    Domain,
    apply_style,
    clean_text,
    round_domain,
    title_properties,
)

MAX_CELLS = 250
"""The maximum number of cells along an axis; more would be too small to see."""

Marked = Literal["highest", "lowest"] | tuple[int, int] | None
Colours = Literal["all", "most"] | Domain

MAX_CELL_WIDTH, MAX_CELL_HEIGHT = 110, 70
"""The maximum size of a cell in pixels, however few cells there are."""
DIGIT_WIDTH = 0.6
"""The approximate width of a digit, and the mean width of a letter, as a share of the font size."""
MIN_FONT_SIZE = 9
LIGHT = 0.45
"""Digits are black from this share of the colour scale on, where black is easier to read than white."""


# -- input -------------------------------------------------------------------------------------------------------


class Axis(NamedTuple):
    """The values of the rows or the columns as text, and whether they are numbers."""

    ticks: list[str]
    are_numbers: bool


class Grid(NamedTuple):
    """Numbers in rows (y) and columns (x); NaN where a number is missing."""

    values: Floats
    x: Axis
    y: Axis

    @property
    def present(self) -> Floats:
        """Return the numbers that are not missing."""
        return self.values[np.isfinite(self.values)]

    def domain(self, colours: Colours) -> Domain:
        """Return the range of the colour scale; numbers outside it get the colour of the nearest end.

        "most" leaves out outliers: numbers that are further from the interquartile range than one and a half times its
        width. Otherwise one row far below the others would use up most of the colours.
        """
        if colours == "all" or colours == "most":
            values = self.present
            if colours == "most":
                first_quartile, third_quartile = np.quantile(values, (0.25, 0.75)).tolist()
                margin = 1.5 * (third_quartile - first_quartile)
                values = values[(values >= first_quartile - margin) & (values <= third_quartile + margin)]
            low, high = float(values.min()), float(values.max())
            return (low, high) if low < high else round_domain(low, high)
        # Any other text is invalid, and handled like limits that are no numbers, which `as_number` turns into NaN.
        low, high = (math.nan, math.nan) if isinstance(colours, str) else map(as_number, colours)
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            hint = "use 'all', 'most', or two numbers, the lower first"
            raise InputError(setting="colours", value=colours, hint=hint)
        return low, high

    def find_marked(self, marked: Marked) -> tuple[int, int] | None:
        """Return the row and column of the cell to mark, or None; if several are equal, the first in row order.

        Raise `InputError` if there is no such cell.
        """
        if marked is None:
            return None
        if isinstance(marked, str):
            if marked not in ("highest", "lowest"):
                raise InputError(
                    setting="marked", value=marked, hint="use 'highest', 'lowest', a row and a column, or None"
                )
            find = np.nanargmax if marked == "highest" else np.nanargmin
            row, column = divmod(int(find(self.values)), self.values.shape[1])  # from the position in row order
            return row, column
        row, column = marked
        if not (0 <= row < self.values.shape[0] and 0 <= column < self.values.shape[1]):
            raise InputError(
                f"the grid has {_shape_text(self.values)}, which are counted from 0", setting="marked", value=marked
            )
        return int(row), int(column)


def check_grid(values: Any, x: Sequence[Any], y: Sequence[Any]) -> Grid:
    """Return a grid of numbers; raise `InputError` if it can't be drawn."""
    try:
        numbers = np.asarray(values, np.float64)
    except (TypeError, ValueError) as problem:
        raise InputError(
            setting="values", value=values, hint="give rows of numbers, all of the same length"
        ) from problem
    if numbers.ndim != 2 or not numbers.size:
        raise InputError(f"values has the shape {numbers.shape}", hint="give at least one row with at least one number")
    if numbers.shape != (len(y), len(x)):
        raise InputError(
            f"values has {_shape_text(numbers)}, but y has {len(y):,} values and x has {len(x):,}",
            hint="give a row for each y, and a column for each x",
        )
    if max(numbers.shape) > MAX_CELLS:
        raise InputError(
            f"values has {_shape_text(numbers)}", hint=f"draw up to {MAX_CELLS} of each, and leave out the others"
        )
    if np.isinf(numbers).any():
        raise InputError("values has infinite numbers, which have no colour", hint="use NaN for missing numbers")
    if np.isnan(numbers).all():
        raise InputError("values has only NaN, so there is nothing to draw.")
    return Grid(numbers, _axis("x", x), _axis("y", y))


def _axis(name: str, axis_values: Sequence[Any]) -> Axis:
    """Return an axis from the values of its rows or columns, which must be different; `name` is "x" or "y"."""
    values = axis_values.tolist() if isinstance(axis_values, np.ndarray) else list(axis_values)
    are_numbers = all(np.isfinite(as_number(value)) for value in values)
    ticks = [_number_text(value) if are_numbers else clean_text(value) for value in values]
    for tick in ticks:
        if ticks.count(tick) > 1:
            raise InputError(f"{name} has {shown(tick)} twice", hint="give each of its values once")
    return Axis(ticks, are_numbers)


def _number_text(value: Any) -> str:
    """Return a number with thousands separators and at most 12 significant digits."""
    return f"{value:,}" if isinstance(value, int) else f"{float(value):,.12g}"


def _shape_text(values: Floats) -> str:
    """Return the shape of a grid as text: "3 rows of 4 columns"."""
    return f"{counted(values.shape[0], 'row')} of {counted(values.shape[1], 'column')}"


# -- the chart ---------------------------------------------------------------------------------------------------


def surface_plot(
    values: Any,
    *,
    x: Sequence[Any],
    y: Sequence[Any],
    x_title: str,
    y_title: str,
    value_title: str = "",
    title: str = "",
    caption: str = "",
    value_format: str = ".3g",
    colours: Colours = "all",
    marked: Marked = "highest",
) -> Chart:
    """Draw numbers over a grid as a heat map, and mark one of them.

    Parameters
    ----------
    values
        A row for each y, a column for each x; NaN where a value is missing.
    x, y
        The values of the columns and of the rows: numbers, in any steps, or names. If the y are numbers, the first row
        is at the bottom; if they are names, it is at the top.
    x_title, y_title, value_title
        Titles of the axes and of the colour legend.
    title, caption
        Text above the chart; the caption is in smaller letters, followed by a sentence about the marked cell.
    value_format
        The format of the numbers, valid for both d3 and Python, such as ".1%" or ",.0f".
    colours
        The range of the colour scale: "all" numbers; "most" of them, if a few outliers would use up the colours; or two
        numbers. Numbers outside the range get the colour of its nearest end, and the caption says so.
    marked
        The cell that gets a frame: "highest", "lowest", a row and a column (from 0), or None.
    """
    grid = check_grid(values, x, y)
    try:
        format(1.0, value_format)
    except ValueError as problem:
        raise InputError(
            setting="value_format", value=value_format, hint="use one such as '.1%', '.3g' or ',.0f'"
        ) from problem
    cell, domain = grid.find_marked(marked), grid.domain(colours)
    drawing = _GridLayers(grid, domain, value_format, cell)
    layers = [
        drawing.cells(clean_text(x_title), clean_text(y_title), clean_text(value_title)),
        *drawing.missing(),
        *drawing.digits(),
        *([] if cell is None else drawing.frame()),
    ]
    about_cell = "" if cell is None else _describe_cell(grid, cell, value_format, marked, (y_title, x_title))
    sentences = [caption, about_cell, _describe_ends(grid, domain, value_format)]
    size: dict[str, Any] = {
        "width": drawing.cell_width * len(grid.x.ticks),
        "height": drawing.cell_height * len(grid.y.ticks),
    }
    return apply_style(
        alt.LayerChart(layer=layers, **size, **title_properties(title, " ".join(filter(None, sentences))))
    )


def _describe_cell(
    grid: Grid, cell: tuple[int, int], value_format: str, marked: Marked, titles: tuple[str, str]
) -> str:
    """Return a sentence about the marked cell; `titles` are those of the y axis and the x axis."""
    value, ticks = grid.values[cell], (grid.y.ticks[cell[0]], grid.x.ticks[cell[1]])
    number = "no number" if np.isnan(value) else format(value, value_format)
    kind = f"the {marked}, " if isinstance(marked, str) else ""
    position = " and ".join(f"{title} = {tick}" if title else tick for title, tick in zip(titles, ticks, strict=True))
    return f"Framed: {kind}{number}, at {position}."


def _describe_ends(grid: Grid, domain: Domain, value_format: str) -> str:
    """Return a sentence about each end of the colour scale that numbers exceed."""
    low, high = (format(end, value_format) for end in domain)
    sentences = []
    if (grid.present < domain[0]).any():
        sentences.append(f"{low} and what is below have one colour.")
    if (grid.present > domain[1]).any():
        sentences.append(f"{high} and what is above have one colour.")
    return " ".join(sentences)


class _GridLayers:
    """The layers of a heat map, which share axes: cells, missing numbers, digits and the frame of the marked cell.

    `cell_width` and `cell_height` are in pixels.
    """

    def __init__(self, grid: Grid, domain: Domain, value_format: str, marked: tuple[int, int] | None) -> None:
        self._grid, self._domain, self._format, self._marked = grid, domain, value_format, marked
        self.cell_width = min(WIDTH / len(grid.x.ticks), MAX_CELL_WIDTH)
        self.cell_height = min(HEIGHT / len(grid.y.ticks), MAX_CELL_HEIGHT)
        self._rows = [self._row(row, column) for row in range(len(grid.y.ticks)) for column in range(len(grid.x.ticks))]

    def _row(self, row: int, column: int) -> DataRow:
        """Return a cell as a row of the chart's data."""
        value = float(self._grid.values[row, column])
        cell: DataRow = {
            "x": self._grid.x.ticks[column],
            "y": self._grid.y.ticks[row],
            "marked": (row, column) == self._marked,
        }
        if math.isnan(value):
            return cell | {"value": None}
        share = (value - self._domain[0]) / (self._domain[1] - self._domain[0])
        return cell | {"value": value, "text": format(value, self._format), "is_light": share >= LIGHT}

    def cells(self, x_title: str, y_title: str, value_title: str) -> alt.Chart:
        """Return the coloured cells of the numbers, with the axes, which only this layer has."""
        rows = [row for row in self._rows if row["value"] is not None]
        # A border would cover too much of small cells.
        has_border = min(self.cell_width, self.cell_height) >= 8
        border: dict[str, Any] = {"stroke": "white", "strokeWidth": 1} if has_border else {}
        colour = alt.Color("value:Q", scale=alt.Scale(scheme="viridis", domain=self._domain, clamp=True), legend=None)
        if len({row["value"] for row in rows}) > 1:  # a single number needs no legend
            colour = colour.legend(**self._legend(value_title))
        chart: alt.Chart = (
            alt.Chart(alt.InlineData(values=rows))
            .mark_rect(**border)
            .encode(
                self._x.axis(title=x_title, **self._x_labels()),
                self._y.axis(title=y_title, **_labels(self._grid.y.ticks, SMALL + 2, self.cell_height)),
                colour,
            )
        )
        return chart

    def missing(self) -> list[alt.Chart]:
        """Return a cross for each missing number."""
        rows = [row for row in self._rows if row["value"] is None]
        if not rows:
            return []
        # The cross is a fifth as wide as the smaller side of a cell, and at most 8 pixels. Vega's size of a symbol is
        # the square of its width in pixels; a path from -1 to 1 is drawn as wide as the square root of the size.
        width = 0.2 * min(self.cell_width, self.cell_height, 40)
        cross: dict[str, Any] = {"shape": "M-1,-1L1,1M-1,1L1,-1", "strokeWidth": 1, "stroke": GREY, "size": width**2}
        return [alt.Chart(alt.InlineData(values=rows)).mark_point(**cross).encode(self._x, self._y)]

    def digits(self) -> list[alt.Chart]:
        """Return the numbers as text, black on light cells and white on dark ones; none if they don't all fit."""
        rows = [row for row in self._rows if row["value"] is not None]
        max_length = max(len(row["text"]) for row in rows)
        # The longest number must fit into a cell with a margin of 5 pixels.
        font_size = int(min((self.cell_width - 5) / (DIGIT_WIDTH * max_length), self.cell_height - 5, SMALL))
        if font_size < MIN_FONT_SIZE:
            return []
        charts = []
        for is_light, colour in ((True, "black"), (False, "white")):
            if cells := [row for row in rows if row["is_light"] == is_light]:
                base = alt.Chart(alt.InlineData(values=cells))
                text = base.mark_text(fontSize=font_size, font=FONT, color=colour)
                charts.append(text.encode(self._x, self._y, text="text:N"))
        return charts

    def frame(self) -> list[alt.Chart]:
        """Return a frame around the marked cell, black with a white border, so that it is visible on every colour."""
        rows = [row for row in self._rows if row["marked"]]
        thickness = max(1.0, min(3.0, min(self.cell_width, self.cell_height) / 8))
        base = alt.Chart(alt.InlineData(values=rows)).encode(self._x, self._y)
        return [
            base.mark_rect(fill=None, stroke="white", strokeWidth=2.4 * thickness, strokeJoin="miter"),
            base.mark_rect(fill=None, stroke=INK, strokeWidth=thickness, strokeJoin="miter"),
        ]

    @property
    def _x(self) -> alt.X:
        """Return the x encoding, with the columns side by side and no gaps."""
        return alt.X("x:O", scale=alt.Scale(domain=self._grid.x.ticks, paddingInner=0, paddingOuter=0))

    @property
    def _y(self) -> alt.Y:
        """Return the y encoding; Vega puts the first row on top, so numbers are reversed to rise upwards."""
        ticks = self._grid.y.ticks[::-1] if self._grid.y.are_numbers else self._grid.y.ticks
        return alt.Y("y:O", scale=alt.Scale(domain=ticks, paddingInner=0, paddingOuter=0))

    def _x_labels(self) -> dict[str, Any]:
        """Return the settings of the labels at the x axis.

        Numbers are horizontal, as many of them as fit. Names that don't fit are vertical.
        """
        ticks, are_numbers = self._grid.x
        label_width = DIGIT_WIDTH * SMALL * max(map(len, ticks)) + 4
        if are_numbers or label_width <= self.cell_width:
            return {"labelAngle": 0, **_labels(ticks, label_width, self.cell_width)}
        return {"labelAngle": -90, **_labels(ticks, SMALL + 2, self.cell_width)}

    def _legend(self, title: str) -> dict[str, Any]:
        """Return the settings of the colour legend, which is nearly as high as the grid."""
        height = self.cell_height * len(self._grid.y.ticks)
        return {
            "labelFont": FONT,
            "labelFontSize": SMALL,
            "labelColor": INK,
            "titleFont": FONT,
            "title": title or None,
            "titleFontSize": TEXT,
            "titleFontWeight": "normal",
            "titleColor": INK,
            "format": self._format,
            "gradientLength": max(height - 30, 60),
            "gradientThickness": 18,
            "offset": 24,
        }


def _labels(ticks: list[str], label_size: float, cell_size: float) -> dict[str, Any]:
    """Return settings that label every tick of an axis, or every second, third, ... if the labels would touch.

    `label_size` and `cell_size` are the sizes of a label and of a cell along the axis, in pixels.
    """
    return {
        "values": ticks[:: math.ceil(label_size / cell_size)],
        "labelOverlap": False,
        "labelLimit": 180,
        "domain": False,
    }
