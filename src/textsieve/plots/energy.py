"""Energy curves: the share of all scores that the best 1, 2, 3, ... terms hold.

Most of it is in few terms, so the axis of terms is logarithmic. Where a level is given, each curve has a point where it
reaches it, and how many terms that takes stands behind the curve's name: curves of different weights reach it so near
each other that words beside the points could not be told apart.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import InputError, counted, shown
from .curves import Mark, lines
from .look import Chart
from .scales import Floats

TITLE = "Energy: how much of all scores the best terms hold"


def energy_plot(curves: Mapping[str, Floats], *, level: float | None = None, caption: str = "") -> Chart:
    """Draw named energy curves, each the shares of its best 1, 2, 3, ... terms; `level` is one to mark, such as 0.8."""
    _check_level(level)
    for name, energy in curves.items():
        if not (len(energy) and np.min(energy) >= 0.0 and np.max(energy) <= 1.0):
            raise InputError(f"curves[{name!r}] is {shown(energy)}; give shares from 0 to 1, at least one.")
    named = {_named(name, energy, level): energy for name, energy in curves.items()}
    brackets = "" if level is None else f"In brackets: how many of the best terms hold {_percent(level)}."
    return lines(
        {name: (np.arange(1, len(energy) + 1), energy) for name, energy in named.items()},
        x="number of terms",
        y="share of all scores",
        title=TITLE,
        caption=f"{caption} {brackets}",
        log_x=True,
        rules={} if level is None else {_percent(level): level},
        marks=() if level is None else [_reached(name, energy, level) for name, energy in named.items()],
        points=False if any(len(energy) > 1 for energy in curves.values()) else None,
        y_domain=(0.0, 1.0),
        y_format=".0%",
    )


def _check_level(level: Any) -> None:
    is_number = isinstance(level, float | int | np.number) and not isinstance(level, bool)
    if level is not None and not (is_number and 0.0 < level <= 1.0):
        raise InputError(f"level={shown(level)}; use a share above 0.0 and up to 1.0, for example 0.8, or None.")


def _terms_for(energy: Floats, level: float) -> int:
    """How many terms it takes to reach a level; all, if they do not."""
    return min(int(np.searchsorted(energy, level)) + 1, len(energy))


def _named(name: str, energy: Floats, level: float | None) -> str:
    return name if level is None else f"{name} ({counted(_terms_for(energy, level), 'term')})"


def _reached(name: str, energy: Floats, level: float) -> Mark:
    enough = _terms_for(energy, level)
    return Mark(name, enough, float(energy[enough - 1]))


def _percent(level: float) -> str:
    return f"{100 * level:.4g}%"
