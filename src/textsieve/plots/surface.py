"""A surface seen from above: numbers over a grid as cells, whose colour and, where there is room, digits say how much.

The colours are viridis: equal steps of the numbers look like equal steps, to eyes that see few colours too, and from
dark to light they stay in order on grey paper. Letters in a cell are white on dark and black on light. Cells stand side
by side whatever the steps of the axes, each at the value that it was measured at: between M = 1, 500, 1000 nothing is
made up. What is missing is white, with a cross.
"""

import math
from collections.abc import Sequence
from typing import Any

import altair as alt

from ..errors import InputError
from .cells import Cells, Colours, Marked, cells
from .look import FONT, GREY, HEIGHT, INK, SMALL, TEXT, WIDTH, Chart, dressed, headed, plain
from .scales import Domain

Row = dict[str, Any]

WIDEST, HIGHEST = 110, 70
"""A cell has no more pixels than that, however few there are."""
LETTER = 0.6
"""About the mean width of a digit, as a share of the size of the letters."""
SMALLEST_LETTERS = 9
LIGHT = 0.45
"""From this share of the way through the colours on, black can be read better than white."""


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
    """Draw numbers over a grid, and mark one of them.

    Parameters
    ----------
    values
        A row for each y, a column for each x; NaN where nothing is known.
    x, y
        What stands at the columns and at the rows, in this order: numbers, in any steps, or names. Numbers at the rows
        are drawn upwards, names downwards.
    x_title, y_title, value_title
        What the axes and the colours show.
    title, caption
        Above the chart, the caption in smaller letters, and after it what the marked cell is.
    value_format
        How the numbers are written, in a way that d3 and Python share, such as ".1%" or ",.0f".
    colours
        What the colours span: "all" numbers; "most" of them, if a few far from the others would take all colours; or
        two numbers. What is beyond has the colour of that end, which is said above the chart.
    marked
        The cell with a frame: "highest", "lowest", a row and a column (from 0), or None.
    """
    grid = cells(values, x, y)
    try:
        format(1.0, value_format)
    except ValueError as problem:
        raise InputError(f"value_format={value_format!r}; use one such as '.1%', '.3g' or ',.0f'.") from problem
    place, span = grid.place(marked), grid.domain(colours)
    drawn = _Grid(grid, span, value_format, place)
    layers = [
        drawn.cells(plain(x_title), plain(y_title), plain(value_title)),
        *drawn.missing(),
        *drawn.digits(),
        *([] if place is None else drawn.frame()),
    ]
    about = "" if place is None else _about(grid, place, value_format, marked, (y_title, x_title))
    said = [caption, about, _beyond(grid, span, value_format)]
    size: dict[str, Any] = {"width": drawn.width * len(grid.x.ticks), "height": drawn.height * len(grid.y.ticks)}
    return dressed(alt.LayerChart(layer=layers, **size, **headed(title, " ".join(filter(None, said)))))


def _about(grid: Cells, place: tuple[int, int], value_format: str, marked: Marked, titles: tuple[str, str]) -> str:
    """The marked cell in words."""
    value, ticks = grid.values[place], (grid.y.ticks[place[0]], grid.x.ticks[place[1]])
    written = "no number" if value != value else format(value, value_format)
    what = f"the {marked}, " if isinstance(marked, str) else ""
    at = " and ".join(f"{title} = {tick}" if title else tick for title, tick in zip(titles, ticks, strict=True))
    return f"Framed: {what}{written}, at {at}."


def _beyond(grid: Cells, span: Domain, value_format: str) -> str:
    """Where the colours end, if there are numbers beyond it."""
    beyond = {"below": (grid.present < span[0]).any(), "above": (grid.present > span[1]).any()}
    said = [
        f"{format(end, value_format)} and what is {side} have one colour."
        for (side, there), end in zip(beyond.items(), span, strict=True)
        if there
    ]
    return " ".join(said)


class _Grid:
    """The layers of one chart, which share axes."""

    def __init__(self, grid: Cells, domain: Domain, value_format: str, place: tuple[int, int] | None) -> None:
        self._grid, self._domain, self._format, self._place = grid, domain, value_format, place
        self.width = min(WIDTH / len(grid.x.ticks), WIDEST)
        self.height = min(HEIGHT / len(grid.y.ticks), HIGHEST)
        self._rows = [self._row(row, column) for row in range(len(grid.y.ticks)) for column in range(len(grid.x.ticks))]

    def _row(self, row: int, column: int) -> Row:
        value = float(self._grid.values[row, column])
        at: Row = {
            "x": self._grid.x.ticks[column],
            "y": self._grid.y.ticks[row],
            "marked": (row, column) == self._place,
        }
        if value != value:
            return at | {"value": None}
        share = (value - self._domain[0]) / (self._domain[1] - self._domain[0])
        return at | {"value": value, "text": format(value, self._format), "is_light": share >= LIGHT}

    def cells(self, x_title: str, y_title: str, value_title: str) -> alt.Chart:
        """The cells that have a number, in their colours; and the axes, which only this layer has."""
        rows = [row for row in self._rows if row["value"] is not None]
        seam: dict[str, Any] = {"stroke": "white", "strokeWidth": 1} if min(self.width, self.height) >= 8 else {}
        colour = alt.Color("value:Q", scale=alt.Scale(scheme="viridis", domain=self._domain, clamp=True), legend=None)
        if len({row["value"] for row in rows}) > 1:
            colour = colour.legend(**self._legend(value_title))
        drawn: alt.Chart = (
            alt.Chart(alt.InlineData(values=rows))
            .mark_rect(**seam)
            .encode(
                self._x.axis(title=x_title, **self._x_labels()),
                self._y.axis(title=y_title, **_labels(self._grid.y.ticks, SMALL + 2, self.height)),
                colour,
            )
        )
        return drawn

    def missing(self) -> list[alt.Chart]:
        """A cross where there is no number."""
        rows = [row for row in self._rows if row["value"] is None]
        if not rows:
            return []
        size = (min(self.width, self.height, 40) * 0.4) ** 2
        cross: dict[str, Any] = {"shape": "M-1,-1L1,1M-1,1L1,-1", "strokeWidth": 1, "stroke": GREY, "size": size / 4}
        return [alt.Chart(alt.InlineData(values=rows)).mark_point(**cross).encode(self._x, self._y)]

    def digits(self) -> list[alt.Chart]:
        """The numbers, if there is room for all of them; white where the cell is dark."""
        rows = [row for row in self._rows if row["value"] is not None]
        longest = max(len(row["text"]) for row in rows)
        size = int(min((self.width - 5) / (LETTER * longest), self.height - 5, SMALL))
        if size < SMALLEST_LETTERS:
            return []
        drawn = []
        for is_light, colour in ((True, "black"), (False, "white")):
            if of_colour := [row for row in rows if row["is_light"] == is_light]:
                words = alt.Chart(alt.InlineData(values=of_colour)).mark_text(fontSize=size, font=FONT, color=colour)
                drawn.append(words.encode(self._x, self._y, text="text:N"))
        return drawn

    def frame(self) -> list[alt.Chart]:
        """A frame around the marked cell, black on a white seam, so that it is seen on every colour."""
        rows = [row for row in self._rows if row["marked"]]
        thick = max(1.0, min(3.0, min(self.width, self.height) / 8))
        base = alt.Chart(alt.InlineData(values=rows)).encode(self._x, self._y)
        return [
            base.mark_rect(fill=None, stroke="white", strokeWidth=2.4 * thick, strokeJoin="miter"),
            base.mark_rect(fill=None, stroke=INK, strokeWidth=thick, strokeJoin="miter"),
        ]

    @property
    def _x(self) -> alt.X:
        return alt.X("x:O", scale=alt.Scale(domain=self._grid.x.ticks, paddingInner=0, paddingOuter=0))

    @property
    def _y(self) -> alt.Y:
        ticks = self._grid.y.ticks[::-1] if self._grid.y.are_numbers else self._grid.y.ticks
        return alt.Y("y:O", scale=alt.Scale(domain=ticks, paddingInner=0, paddingOuter=0))

    def _x_labels(self) -> dict[str, Any]:
        """Numbers lie, so many of them as fit; names that do not fit stand on end."""
        ticks, are_numbers = self._grid.x
        wide = LETTER * SMALL * max(map(len, ticks)) + 4
        if are_numbers or wide <= self.width:
            return {"labelAngle": 0, **_labels(ticks, wide, self.width)}
        return {"labelAngle": -90, **_labels(ticks, SMALL + 2, self.width)}

    def _legend(self, title: str) -> dict[str, Any]:
        letters = {"labelFont": FONT, "labelFontSize": SMALL, "labelColor": INK, "titleFont": FONT}
        high = self.height * len(self._grid.y.ticks)
        return {
            **letters,
            "title": title or None,
            "titleFontSize": TEXT,
            "titleFontWeight": "normal",
            "titleColor": INK,
            "format": self._format,
            "gradientLength": max(high - 30, 60),
            "gradientThickness": 18,
            "offset": 24,
        }


def _labels(ticks: list[str], needed: float, room: float) -> dict[str, Any]:
    """Every tick of an axis has its label, or every second, third, ..., as far as they would touch."""
    return {"values": ticks[:: math.ceil(needed / room)], "labelOverlap": False, "labelLimit": 180, "domain": False}
