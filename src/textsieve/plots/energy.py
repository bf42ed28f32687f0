"""Energy curves: the share of all scores that the best 1, 2, 3, ... terms hold.

Most of it is in few terms, so the axis of terms is logarithmic. Where a level is given, each curve has a point where it
reaches it, and how many terms that takes stands behind the curve's name: curves of different weights reach it so near
each other that words beside the points could not be told apart.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import InputError, counted, shown
from ..settings import as_number
from .curves import Mark, lines
from .look import Chart
from .scales import Floats

TITLE = "Energy: how much of all scores the best terms hold"


def energy_plot(
    curves: Mapping[str, Floats],
    *,
    level: float | None = None,
    enough: Mapping[str, int] | None = None,
    caption: str = "",
) -> Chart:
    """Draw named energy curves, each the shares of its best 1, 2, 3, ... terms; `level` is one to mark, such as 0.8.

    `enough` says how many terms reach it, if that is known better than the curves, which are rounded, can tell.
    """
    check_level(level)
    for name, energy in curves.items():
        if not (len(energy) and np.min(energy) >= 0.0 and np.max(energy) <= 1.0):
            raise InputError(f"curves[{name!r}] is {shown(energy)}; give shares from 0 to 1, at least one.")
    known = enough or {}
    reached = {} if level is None else {name: known.get(name, _terms_for(each, level)) for name, each in curves.items()}
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
    """Refuse what is no share; None is no level."""
    if level is not None and not 0.0 < as_number(level) <= 1.0:
        raise InputError(f"level={shown(level)}; use a share above 0.0 and up to 1.0, for example 0.8, or None.")


def _terms_for(energy: Floats, level: float) -> int:
    """How many terms it takes to reach a level; all, if they do not."""
    return min(int(np.searchsorted(energy, level)) + 1, len(energy))


def _named(name: str, n_terms: int | None) -> str:
    return name if n_terms is None else f"{name} ({counted(n_terms, 'term')})"


def _percent(level: float) -> str:
    return f"{100 * level:.4g}%"
