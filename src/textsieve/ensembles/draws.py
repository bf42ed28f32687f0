"""Which terms each member of an ensemble gets.

Member i draws its terms from a generator of its own, of the seed and i: so the subsets do not depend on the number of
threads, and a smaller ensemble is the beginning of a larger one. A subset is the beginning of a permutation of all
terms: so smaller subsets of a member are parts of its larger ones, and a comparison of sizes is not disturbed by luck.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_random_state

from ..errors import InputError, counted, shown
from ..settings import as_number, is_whole

Ints = NDArray[np.int64]


def subset(n: int, size: int, *, member: int, seed: int) -> Ints:
    """The terms of a member, ascending: `size` of the numbers 0 to n - 1."""
    drawn = np.random.Generator(np.random.PCG64([seed, member])).permutation(n)[:size]
    return np.sort(drawn)


def seed_of(random_state: Any) -> int:
    """The seed that a setting stands for: a whole number as it is, what else scikit-learn takes by a number drawn."""
    if is_whole(random_state):
        if random_state < 0:
            raise InputError(f"random_state={random_state}; use a whole number from 0, or None.")
        return int(random_state)
    try:
        drawn = check_random_state("a truth value" if isinstance(random_state, bool) else random_state)
    except ValueError:
        raise InputError(f"random_state={shown(random_state)}; use a whole number from 0, or None.") from None
    return int(drawn.randint(1 << 31))


def size_of(name: str, value: Any, n: int, most: int | None = None) -> int:
    """A number of terms or members from a setting: a whole number as it is, a share above 0.0 and up to 1.0 of n."""
    limit = "" if most is None else f" up to {most:,}"
    if is_whole(value) and value >= 1 and (most is None or value <= most):
        return int(value)
    if isinstance(value, float | np.floating) and 0.0 < as_number(value) <= 1.0:
        return max(1, round(float(value) * n))
    raise InputError(
        f"{name}={shown(value)}; there are {counted(n, 'term')}: use a whole number from 1{limit}, or a share of them "
        "above 0.0 and up to 1.0."
    )
