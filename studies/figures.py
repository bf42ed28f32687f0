"""The figures of a paper, drawn of what was measured here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .judging import Outcome

if TYPE_CHECKING:
    from textsieve.plots import Chart


def has_picture(outcome: Outcome) -> bool:
    """Whether it is a figure, and enough was measured to draw it."""
    if not outcome.item.is_figure:
        return False
    return bool(_rows(outcome) if outcome.item.picture == "surface" else _curves_and_rules(outcome)[0])


def draw(outcome: Outcome) -> Chart:
    """The figure of an item."""
    return surface_of(outcome) if outcome.item.picture == "surface" else curves_of(outcome)


def curves_of(outcome: Outcome) -> Chart:
    """A curve for each row over its columns; rows of a single column, or of one that is no number, as lines."""
    from textsieve.plots import lines

    item = outcome.item
    curves, rules = _curves_and_rules(outcome)
    return lines(
        curves,
        x=item.over or item.columns,
        y=item.unit.name,
        title=f"Figure {item.name[6:]}: {item.title}",
        log_x=item.log_x,
        rules=rules,
        y_domain=(0.0, max(max(y) for _, y in curves.values()) or 1.0) if item.unit.from_zero else None,
    )


def _curves_and_rules(outcome: Outcome) -> tuple[dict[str, tuple[list[float], list[float]]], dict[str, float]]:
    rows = _rows(outcome)
    places = rows.pop(outcome.item.over, None)
    curves: dict[str, tuple[list[float], list[float]]] = {}
    rules: dict[str, float] = {}
    for row, points in rows.items():
        over = {column: _along(column, places) for column in points if _along(column, places) is not None}
        if len(over) > 1 or (over and len(points) == 1 and len(rows) == 1):
            seen = {column: x for column, x in over.items() if x > 0 or not outcome.item.log_x}
            if seen:
                curves[row] = (list(seen.values()), [points[column] for column in seen])
        for column, value in points.items():
            if column not in over or row not in curves:
                rules[f"{row}, {column}" if len(points) > 1 else row] = value
    return curves, rules


def surface_of(outcome: Outcome) -> Chart:
    """A grid of colours."""
    from textsieve.plots import surface_plot

    item, rows = outcome.item, _rows(outcome)
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


def _along(column: Any, places: Mapping[Any, float] | None) -> Any:
    """Where a column stands along the axis: by its number, or by that of the row that says it."""
    if places is not None:
        return places.get(column)
    return None if isinstance(column, str) else column


def _rows(outcome: Outcome) -> dict[str, dict[Any, float]]:
    """The numbers of the paper's rows; other preparations would hide them, and other units have no place."""
    found: dict[str, dict[Any, float]] = {}
    for each in outcome.numbers:
        is_drawn = each.condition.unit in (None, outcome.item.unit) or each.condition.row == outcome.item.over
        if is_drawn and isinstance(each.measured.value, float | int):
            found.setdefault(each.condition.row, {})[each.condition.column] = float(each.measured.value)
    return found


def _number(row: str) -> Any:
    """Of "L = 100" the number."""
    _, _, number = row.partition(" = ")
    return float(number.replace(",", "")) if number else row


def _title(row: str) -> str:
    name, equals, _ = row.partition(" = ")
    return name if equals else ""
