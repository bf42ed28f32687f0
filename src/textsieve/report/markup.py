"""Text and tables as HTML. All that is not written here is escaped: a class may be called anything.

Tables can be sorted by their columns (the page's script does it): a header is a button, so that it works without a
mouse, and each cell has what it is sorted by, beside what it shows.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

Order = Literal["ascending", "descending"]


class Column(NamedTuple):
    """A title, whether numbers stand below it, and in which order they are wanted first."""

    title: str
    is_number: bool = False
    first: Order = "ascending"


class Cell(NamedTuple):
    """What is shown, and the number that it is sorted by, if it is one."""

    text: str
    value: float | None = None


class Line(NamedTuple):
    """A row of a table, and whether it is the one to look at."""

    cells: Sequence[Cell]
    is_best: bool = False


def escaped(text: object) -> str:
    """Text that can be nothing but text, in a page and in an attribute."""
    return html.escape(str(text), quote=True)


def table(name: str, caption: str, columns: Sequence[Column], lines: Sequence[Line], *, sortable: bool = False) -> str:
    """A table in a box of its own, so that a wide one does not make the page wide, and what it is above the box."""
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
    """Names and what they are, as a list."""
    listed = "".join(f"<div><dt>{escaped(name)}</dt><dd>{escaped(text)}</dd></div>" for name, text in pairs)
    return f"<dl>{listed}</dl>"
