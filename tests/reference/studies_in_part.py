"""A paper with few points of each curve: the same items, rows and kinds of measurements, in less time."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from studies.measurements import Derived, Measurement, WhereLargest
from studies.paper import Cell, Item, Paper


def with_few_points(paper: Paper) -> Paper:
    """Return the paper with the first and the last point of each row of numbers.

    The best and the mean of a curve are taken over the same points.
    """
    return replace(paper, items=tuple(map(_thinned, paper)))


def _thinned(item: Item) -> Item:
    columns: dict[str, list[Any]] = {}
    for cell in item.all_cells:
        columns.setdefault(cell.row, []).append(cell.column)
    places = {(row, column) for row, own in columns.items() for column in _few_numbers(own)}

    def few(conditions: Sequence[Cell]) -> tuple[Cell, ...]:
        return tuple(
            replace(cell, measurement=_of_few(cell.measurement)) for cell in conditions if cell.place in places
        )

    return replace(item, cells=few(item.cells), trials=few(item.trials))


def _few_numbers(columns: list[Any]) -> Sequence[Any]:
    return columns if any(isinstance(column, str) for column in columns) else _few(columns)


def _of_few(what: Measurement) -> Measurement:
    if not isinstance(what, Derived):
        return what
    derived: Any = what
    changes = {"places": _few(what.places)} if isinstance(what, WhereLargest) else {}
    few: Measurement = replace(derived, parts=_few(what.parts), **changes)
    return few


def _few(values: Sequence[Any]) -> Sequence[Any]:
    return values if len(values) <= 2 else (values[0], values[-1])
