"""Check the input of a grid chart: numbers in rows and columns, and the values of the two axes."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from ..arrays import Floats
from ..errors import InputError, counted, shown
from ..settings import as_number
from .look import plain
from .scales import Domain, round_domain

MOST_CELLS = 250
"""The maximum number of cells along an axis; more would be too small to see."""

Marked = Literal["highest", "lowest"] | tuple[int, int] | None
Colours = Literal["all", "most"] | Domain


class Axis(NamedTuple):
    """The values of the rows or the columns as text, and whether they are numbers."""

    ticks: list[str]
    are_numbers: bool


class Cells(NamedTuple):
    """Numbers in rows (y) and columns (x); NaN where a number is missing."""

    values: Floats
    x: Axis
    y: Axis

    @property
    def present(self) -> Floats:
        """Return the numbers that are not missing."""
        return self.values[np.isfinite(self.values)]

    def domain(self, wanted: Colours) -> Domain:
        """Return the range of the colour scale; numbers outside it get the colour of the nearest end.

        "most" leaves out outliers: numbers that are further from the interquartile range than one and a half times its
        width. Otherwise one row far below the others would use up most of the colours.
        """
        low, high = float(self.present.min()), float(self.present.max())
        if isinstance(wanted, str):
            if wanted not in ("all", "most"):
                raise InputError(f"colours={wanted!r}; use 'all', 'most', or two numbers, the lower first.")
            if wanted == "most":
                first, third = np.quantile(self.present, (0.25, 0.75)).tolist()
                reach = 1.5 * (third - first)
                near = self.present[(self.present >= first - reach) & (self.present <= third + reach)]
                low, high = float(near.min()), float(near.max())
            return (low, high) if low < high else round_domain(low, high)
        low, high = map(as_number, wanted)
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            raise InputError(f"colours={shown(wanted)}; use 'all', 'most', or two numbers, the lower first.")
        return low, high

    def place(self, marked: Marked) -> tuple[int, int] | None:
        """Return the row and column of the cell to mark; of equal ones, the first in row order."""
        if marked is None:
            return None
        if isinstance(marked, str):
            if marked not in ("highest", "lowest"):
                raise InputError(f"marked={marked!r}; use 'highest', 'lowest', a row and a column, or None.")
            flat = np.nanargmax(self.values) if marked == "highest" else np.nanargmin(self.values)
            return int(flat) // self.values.shape[1], int(flat) % self.values.shape[1]
        row, column = marked
        if not (0 <= row < self.values.shape[0] and 0 <= column < self.values.shape[1]):
            raise InputError(f"marked={shown(marked)}: the grid has {_size(self.values)}, which are counted from 0.")
        return int(row), int(column)


def cells(values: Any, x: Sequence[Any], y: Sequence[Any]) -> Cells:
    """Return a grid of numbers; raise `InputError` if it can't be drawn."""
    try:
        numbers = np.asarray(values, np.float64)
    except (TypeError, ValueError) as problem:
        raise InputError(f"values={shown(values)}; give rows of numbers, all of the same length.") from problem
    if numbers.ndim != 2 or not numbers.size:
        raise InputError(f"values has the shape {numbers.shape}; give rows of numbers, at least one of at least one.")
    if numbers.shape != (len(y), len(x)):
        raise InputError(
            f"values has {_size(numbers)}, but y names {len(y):,} and x names {len(x):,}; give a row for each y, and "
            "a column for each x."
        )
    if max(numbers.shape) > MOST_CELLS:
        raise InputError(f"values has {_size(numbers)}; draw up to {MOST_CELLS} of each, and leave out the others.")
    if np.isinf(numbers).any():
        raise InputError("values has infinite numbers, which have no colour; use NaN for what is missing.")
    if np.isnan(numbers).all():
        raise InputError("values has no number, only NaN; there is nothing to draw.")
    return Cells(numbers, _axis("x", x), _axis("y", y))


def _axis(name: str, given: Sequence[Any]) -> Axis:
    values = np.asarray(given).tolist() if isinstance(given, np.ndarray) else list(given)
    are_numbers = all(np.isfinite(as_number(value)) for value in values)
    ticks = [_written(value) if are_numbers else plain(value) for value in values]
    for tick in ticks:
        if ticks.count(tick) > 1:
            raise InputError(f"{name} names {shown(tick)} twice; give each of its values once.")
    return Axis(ticks, are_numbers)


def _written(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{float(value):,.12g}"


def _size(values: Floats) -> str:
    return f"{counted(values.shape[0], 'row')} of {counted(values.shape[1], 'column')}"
