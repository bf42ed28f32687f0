"""Which M (terms of a member) and L (members) a grid has.

Without a wish: M is 1 and then every tenth of the n terms; L is 1 and then every tenth of n/5. For n = 5000 that is 1,
500, 1000, ..., 5000 and 1, 100, 200, ..., 1000, as in the paper. Few terms do not need few members, and many terms could
not pay for a fifth as many, so L ends at no fewer than 50 and no more than 1,000.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..errors import InputError, shown
from ..settings import as_number, is_whole

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
    found = set()
    for value in values:
        if is_whole(value) and value >= 1:
            number = int(value)
        elif not is_whole(value) and 0.0 < as_number(value) <= 1.0:
            number = max(1, round(float(value) * n))
        else:
            raise InputError(
                f"{name}={shown(given)}: {shown(value)}; use whole numbers from 1, or shares of the {n:,} terms above "
                "0.0 and up to 1.0."
            )
        if most is not None and number > most:
            raise InputError(f"{name}={shown(given)}: {number:,} is more than the {most:,} terms that there are.")
        found.add(number)
    return sorted(found)


def _listed(given: Any) -> Sequence[Any]:
    """One number is an axis of one value."""
    if isinstance(given, np.ndarray):
        given = given.tolist()
    return list(given) if isinstance(given, Iterable) and not isinstance(given, str | bytes) else [given]
