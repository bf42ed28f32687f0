"""Text and tables as HTML. All text from outside is escaped: a class may have any name.

The page's script sorts tables by a column: each header is a button, which also works with the keyboard, and each
cell has the value that it is sorted by, beside the text that it shows.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

Order = Literal["ascending", "descending"]


class Column(NamedTuple):
    """A title, whether the column has numbers, and the order of the first sort."""

    title: str
    is_number: bool = False
    first: Order = "ascending"


class Cell(NamedTuple):
    """The text of a cell, and the number to sort by, if it is a number."""

    text: str
    value: float | None = None


class Line(NamedTuple):
    """A row of a table, and whether it is highlighted as the best."""

    cells: Sequence[Cell]
    is_best: bool = False


def escaped(text: object) -> str:
    """Return the text escaped for HTML content and attributes."""
    return html.escape(str(text), quote=True)


def table(name: str, caption: str, columns: Sequence[Column], lines: Sequence[Line], *, sortable: bool = False) -> str:
    """Return a table with its caption above it, in a box that scrolls, so that a wide table doesn't widen the page."""
    heads = "".join(_head(column, sortable=sortable) for column in columns)
    rows = "".join(_row(line, columns) for line in lines)
    return (
        f'<p class="caption" id="{name}-caption">{escaped(caption)}</p>'
        f'<div class="scroll" role="region" tabindex="0" aria-labelledby="{name}-caption">'
        f'<table id="{name}" aria-labelledby="{name}-caption"{" class=sortable" if sortable else ""}>'
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _head(column: Column, *, sortable: bool) -> str:
    about = ' class="number"' if column.is_number else ""
    if not sortable:
        return f'<th scope="col"{about}>{escaped(column.title)}</th>'
    return (
        f'<th scope="col" aria-sort="none" data-first="{column.first}"{about}>'
        f'<button type="button">{escaped(column.title)}</button></th>'
    )


def _row(line: Line, columns: Sequence[Column]) -> str:
    cells = "".join(_cell(cell, column) for cell, column in zip(line.cells, columns, strict=True))
    return f"<tr{' class=best' if line.is_best else ''}>{cells}</tr>"


def _cell(cell: Cell, column: Column) -> str:
    about = ' class="number"' if column.is_number else ""
    if cell.value is not None and math.isfinite(cell.value):
        about += f' data-value="{cell.value!r}"'
    return f"<td{about}>{escaped(cell.text)}</td>"


def facts(pairs: Sequence[tuple[str, str]]) -> str:
    """Return names and values as an HTML description list."""
    listed = "".join(f"<div><dt>{escaped(name)}</dt><dd>{escaped(text)}</dd></div>" for name, text in pairs)
    return f"<dl>{listed}</dl>"
