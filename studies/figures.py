"""Draw the figures of a paper from measured numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .judging import JudgedItem

if TYPE_CHECKING:
    from textsieve.plots import Chart


def has_picture(judged: JudgedItem) -> bool:
    """Return whether the item is a figure, and enough was measured to draw it."""
    if not judged.item.is_figure:
        return False
    return bool(_rows(judged) if judged.item.picture == "surface" else _curves_and_rules(judged)[0])


def draw(judged: JudgedItem) -> Chart:
    """Return the chart of a figure."""
    return surface_of(judged) if judged.item.picture == "surface" else curves_of(judged)


def curves_of(judged: JudgedItem) -> Chart:
    """Return a chart with a curve for each row; a single value of a row is a horizontal line."""
    from textsieve.plots import lines

    item = judged.item
    curves, rules = _curves_and_rules(judged)
    return lines(
        curves,
        x=item.over or item.columns,
        y=item.unit.name,
        title=f"Figure {item.name[6:]}: {item.title}",
        log_x=item.log_x,
        rules=rules,
        y_domain=(0.0, max(max(y) for _, y in curves.values()) or 1.0) if item.unit.from_zero else None,
    )


def _curves_and_rules(judged: JudgedItem) -> tuple[dict[str, tuple[list[float], list[float]]], dict[str, float]]:
    """Return the points of each curve, and the values of horizontal lines (rules), by name.

    A row is a curve if it has several points, or is the only row. Values without a horizontal position are rules.
    """
    rows = _rows(judged)
    row_of_positions = rows.pop(judged.item.over, None)
    curves: dict[str, tuple[list[float], list[float]]] = {}
    rules: dict[str, float] = {}
    for row, values in rows.items():
        positions = {
            column: x for column in values if (x := _horizontal_position(column, row_of_positions)) is not None
        }
        if len(positions) > 1 or (positions and len(values) == 1 and len(rows) == 1):
            # A logarithmic axis has no place for 0.
            drawn = {column: x for column, x in positions.items() if x > 0 or not judged.item.log_x}
            if drawn:
                curves[row] = (list(drawn.values()), [values[column] for column in drawn])
        for column, value in values.items():
            if column not in positions or row not in curves:
                rules[f"{row}, {column}" if len(values) > 1 else row] = value
    return curves, rules


def surface_of(judged: JudgedItem) -> Chart:
    """Return a chart with rows and columns as a grid of colours."""
    from textsieve.plots import surface_plot

    item, rows = judged.item, _rows(judged)
    columns = list(dict.fromkeys(column for points in rows.values() for column in points))
    values = [[points.get(column, np.nan) for column in columns] for points in rows.values()]
    return surface_plot(
        values,
        x=columns,
        y=[_number(row) for row in rows],
        x_title=item.columns,
        y_title=_title(next(iter(rows))),
        value_title=item.unit.name,
        title=f"Figure {item.name[6:]}: {item.title}",
        colours="most" if len(rows) > 2 else "all",
        marked=item.marked,
    )


def _horizontal_position(column: Any, row_of_positions: Mapping[Any, float] | None) -> Any:
    """Return the number of a column, or its number in the row that `Item.over` names; None if it has none."""
    if row_of_positions is not None:
        return row_of_positions.get(column)
    return None if isinstance(column, str) else column


def _rows(judged: JudgedItem) -> dict[str, dict[Any, float]]:
    """Return the measured numbers by row and column, without those of other preparations and other units.

    The row of horizontal positions (`Item.over`) is included whatever its unit.
    """
    rows: dict[str, dict[Any, float]] = {}
    for judged_cell in judged.cells:
        cell, value = judged_cell.cell, judged_cell.estimate.value
        is_drawn = cell.unit in (None, judged.item.unit) or cell.row == judged.item.over
        if is_drawn and isinstance(value, float | int):
            rows.setdefault(cell.row, {})[cell.column] = float(value)
    return rows


def _number(row: str) -> Any:
    """Return the number in a row such as "L = 100", or the row if it has none."""
    _, _, number = row.partition(" = ")
    return float(number.replace(",", "")) if number else row


def _title(row: str) -> str:
    """Return "L" for the row "L = 100"."""
    name, equals, _ = row.partition(" = ")
    return name if equals else ""
