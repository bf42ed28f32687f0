"""Energy curves: the share of the sum of all scores that the best 1, 2, 3, ... terms have.

A few terms have most of the energy, so the axis of terms is logarithmic. If a level is given, each curve has a point
where it reaches the level. The number of terms at that point is written after the name of the curve, because the points
of several curves are often so close that labels beside them would overlap.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arrays import Floats
from ..errors import InputError, counted, shown
from ..settings import as_number
from .curves import Mark, lines
from .style import Chart

TITLE = "Energy: how much of all scores the best terms hold"


def energy_plot(
    curves: Mapping[str, Floats],
    *,
    level: float | None = None,
    enough: Mapping[str, int] | None = None,
    caption: str = "",
) -> Chart:
    """Draw named energy curves, each given as the shares of its best 1, 2, 3, ... terms.

    `level` is a share to mark, such as 0.8. `enough` has the number of terms with which a curve reaches the level, by
    the name of the curve. Callers that know it exactly give it, because a curve that they have rounded may reach the
    level one term earlier or later.
    """
    check_level(level)
    for name, energy in curves.items():
        if not (len(energy) and np.min(energy) >= 0.0 and np.max(energy) <= 1.0):
            raise InputError(f"curves[{name!r}] is {shown(energy)}", hint="give shares from 0 to 1, at least one")
    n_terms: dict[str, int] = {}  # with which each curve reaches the level
    if level is not None:
        n_terms = {name: _count_terms(energy, level) for name, energy in curves.items()} | dict(enough or {})
    named = {_name_with_terms(name, n_terms.get(name)): energy for name, energy in curves.items()}
    brackets = "" if level is None else f"In brackets: how many of the best terms hold {_percent(level)}."
    # Points have no symbols, but if all curves are single points, there is nothing else to see.
    all_are_points = all(len(energy) == 1 for energy in curves.values())
    return lines(
        {name: (np.arange(1, len(energy) + 1), energy) for name, energy in named.items()},
        x="number of terms",
        y="share of all scores",
        title=TITLE,
        caption=f"{caption} {brackets}",
        log_x=True,
        rules={} if level is None else {_percent(level): level},
        marks=[Mark(_name_with_terms(name, n), n, float(curves[name][n - 1])) for name, n in n_terms.items()],
        points=all_are_points,
        y_domain=(0.0, 1.0),
        y_format=".0%",
    )


def check_level(level: Any) -> None:
    """Raise `InputError` if the level is not a share; None means no level."""
    if level is not None and not 0.0 < as_number(level) <= 1.0:
        raise InputError(
            setting="level", value=level, hint="use a share above 0.0 and up to 1.0, for example 0.8, or None"
        )


def _count_terms(energy: Floats, level: float) -> int:
    """Return how many of the best terms reach a level, or the number of all terms if these don't reach it.

    `energy` ascends, and its element 0 is the share of one term.
    """
    return min(int(np.searchsorted(energy, level)) + 1, len(energy))


def _name_with_terms(name: str, n_terms: int | None) -> str:
    """Return the name of a curve, followed by its number of terms in brackets if it is known."""
    return name if n_terms is None else f"{name} ({counted(n_terms, 'term')})"


def _percent(level: float) -> str:
    """Return a share as a percentage with at most four digits."""
    return f"{100 * level:.4g}%"
