"""Energy curves: the share of the sum of all scores that the best 1, 2, 3, ... terms have.

A few terms have most of the energy, so the axis of terms is logarithmic. If a level is given, each curve has a point
where it reaches the level, and the number of terms at that point is written after the curve's name: curves of different
weights reach the level so near each other that labels beside the points would be hard to tell apart.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arrays import Floats
from ..errors import InputError, counted, shown
from ..settings import as_number
from .curves import Mark, lines
from .look import Chart

TITLE = "Energy: how much of all scores the best terms hold"


def energy_plot(
    curves: Mapping[str, Floats],
    *,
    level: float | None = None,
    enough: Mapping[str, int] | None = None,
    caption: str = "",
) -> Chart:
    """Draw named energy curves, each given as the shares of its best 1, 2, 3, ... terms.

    `level` is a share to mark, such as 0.8. `enough` has the number of terms of each curve that reach it, if it is
    known more exactly than from the curves, which are rounded.
    """
    check_level(level)
    for name, energy in curves.items():
        if not (len(energy) and np.min(energy) >= 0.0 and np.max(energy) <= 1.0):
            raise InputError(f"curves[{name!r}] is {shown(energy)}; give shares from 0 to 1, at least one.")
    known = enough or {}
    reached = (
        {} if level is None else {name: known.get(name, _terms_for(energy, level)) for name, energy in curves.items()}
    )
    named = {_named(name, reached.get(name)): energy for name, energy in curves.items()}
    brackets = "" if level is None else f"In brackets: how many of the best terms hold {_percent(level)}."
    return lines(
        {name: (np.arange(1, len(energy) + 1), energy) for name, energy in named.items()},
        x="number of terms",
        y="share of all scores",
        title=TITLE,
        caption=f"{caption} {brackets}",
        log_x=True,
        rules={} if level is None else {_percent(level): level},
        marks=[Mark(_named(name, n), n, float(curves[name][n - 1])) for name, n in reached.items()],
        points=False if any(len(energy) > 1 for energy in curves.values()) else None,
        y_domain=(0.0, 1.0),
        y_format=".0%",
    )


def check_level(level: Any) -> None:
    """Raise `InputError` if the level is not a share; None means no level."""
    if level is not None and not 0.0 < as_number(level) <= 1.0:
        raise InputError(
            setting="level", value=level, hint="use a share above 0.0 and up to 1.0, for example 0.8, or None"
        )


def _terms_for(energy: Floats, level: float) -> int:
    """Return the number of terms that reach a level, or the number of all terms if they don't."""
    return min(int(np.searchsorted(energy, level)) + 1, len(energy))


def _named(name: str, n_terms: int | None) -> str:
    return name if n_terms is None else f"{name} ({counted(n_terms, 'term')})"


def _percent(level: float) -> str:
    return f"{100 * level:.4g}%"
