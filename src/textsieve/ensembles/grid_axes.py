"""Which M (terms of a member) and L (members) a grid has.

Without a wish: M is 1 and then every tenth of the n terms; L is 1 and then every tenth of n/5. For n = 5000 that is 1,
500, 1000, ..., 5000 and 1, 100, 200, ..., 1000, as in the paper. Few terms do not mean that few members are enough, and
of many terms a fifth is more members than anybody waits for: L ends at no fewer than 50 and no more than 1,000.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..errors import InputError, shown
from .draws import size_of

FEWEST_MEMBERS, MOST_MEMBERS = 50, 1_000
STEPS = 10


def default_n_terms(n: int) -> list[int]:
    """1, and every tenth of the terms."""
    return _steps(n)


def default_n_estimators(n: int) -> list[int]:
    """1, and every tenth of a fifth of the terms."""
    return _steps(min(max(n // 5, FEWEST_MEMBERS), MOST_MEMBERS))


def _steps(most: int) -> list[int]:
    return sorted({1, *(max(round(most * step / STEPS), 1) for step in range(1, STEPS + 1))})


def axis(name: str, given: Any, n: int, *, most: int | None = None) -> list[int]:
    """The values of an axis, ascending, each once; shares (with a point, up to 1.0) are of the n terms."""
    values = _listed(given)
    if not values:
        raise InputError(f"{name}={shown(given)}; give at least one number.")
    return sorted({size_of(name, value, n, most) for value in values})


def _listed(given: Any) -> Sequence[Any]:
    """One number is an axis of one value."""
    if isinstance(given, np.ndarray):
        given = given.tolist()
    return list(given) if isinstance(given, Iterable) and not isinstance(given, str | bytes) else [given]
