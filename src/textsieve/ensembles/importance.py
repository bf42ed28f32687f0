"""How many terms are important, from their scores: by what they hold of the sum, or by the knee.

Scores from the best to the worst add up to a curve that rises ever less, from 0 to their sum. `energy` goes along it up
to a share of the sum. The knee is where it is farthest above the straight line between its ends. There its slope, the
next score, falls to that of the line, the mean: so the terms before the knee are those with at least the mean score.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError, shown
from ..selectors.trace import terms_for_energy
from ..settings import as_number
from ..stats.sums import Floats


def important_terms(scores: ArrayLike, way: Literal["energy", "knee"] = "energy", level: float = 0.8) -> int:
    """How many terms are important, from their scores: a selector's `scores_`.

    Scores of 0 and below, also minus infinity as of terms that a `Cascade` dropped, count nothing.

    Parameters
    ----------
    scores : array
        One number for each term.
    way : "energy" or "knee"
        The fewest terms that hold a share of the sum of all scores; or those with at least the mean score.
    level : float
        The share, for "energy".
    """
    if way not in WAYS:
        raise InputError(f"way={shown(way)}; use {' or '.join(map(repr, WAYS))}.")
    if not 0.0 < as_number(level) <= 1.0:
        raise InputError(f"level={shown(level)}; use a share above 0.0 and up to 1.0, for example 0.8.")
    return WAYS[way](_best_first(scores), float(level))


def _best_first(scores: ArrayLike) -> Floats:
    """The scores above 0, as shares of the largest; the best first."""
    given = np.asarray(scores)
    if given.dtype.kind not in "iuf" or given.ndim != 1:
        raise InputError(f"scores={shown(scores)}; give one number for each term, for example a selector's scores_.")
    if np.isnan(given).any() or np.isposinf(given).any():
        raise InputError("scores has NaN or infinity, of which there is no share; give numbers.")
    positive = given[given > 0].astype(np.float64)
    if not len(positive):
        raise InputError(f"None of {given.size:,} scores is above 0, so no term is important; give other scores.")
    return np.sort(positive / positive.max())[::-1]


def _knee(sorted_scores: Floats, level: float) -> int:
    """How many scores are at least the mean, but for its rounding; equal scores are all of them."""
    return int(np.count_nonzero(sorted_scores >= sorted_scores.mean() * (1.0 - 1e-12)))


WAYS: dict[str, Callable[[Floats, float], int]] = {"energy": terms_for_energy, "knee": _knee}
"""How the important terms are told from the others."""
