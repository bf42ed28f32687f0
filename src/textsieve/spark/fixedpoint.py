"""Sums of weights that do not depend on the order in which machines finish: as whole numbers.

A float sum depends on the order of its summands, and in a cluster nobody knows the order; a task that is done again
after a machine was lost comes later than before. Whole numbers add up to the same in any order, and Spark adds them
exactly or says that they do not fit. So a sum x leaves a machine as four whole numbers, its *limbs*,

    x = n_0 + n_1 2^-31 + n_2 2^-62 + n_3 2^-93,

of which the last three are below 2^32, so that 2^31 of them can be added in 64 bits. Where a part has been added up,
its sum is a float and what rounding left out of it (`stats.sums`), 106 digits; for weights from 2^-38 on, which have
24 digits, all of them are among the limbs, and so are those of their squares from 2^-22 on. What is smaller than 2^-93
is dropped.
"""

from __future__ import annotations

import numpy as np

from ..errors import InputError
from ..stats.sums import Floats, Ints, Sums

N_LIMBS = 4
_BITS = 31
_MASK = (1 << _BITS) - 1
_MOST = float(1 << 61)


def limbs_of(sums: Sums) -> tuple[Ints, ...]:
    """The limbs of sums."""
    of_value, of_rest = _limbs(sums.value), _limbs(sums.rest)
    return tuple(one + other for one, other in zip(of_value, of_rest, strict=True))


def _limbs(values: Floats) -> list[Ints]:
    """Cut numbers into limbs, all of the number's own sign; each step is exact."""
    if not (np.abs(values) < _MOST).all():
        raise InputError("A sum of weights is above 2^61, which is more than Spark is given to add up.")
    sign, left = np.sign(values).astype(np.int64), np.abs(values)
    limbs = []
    for _ in range(N_LIMBS):
        whole = np.floor(left)
        limbs.append(sign * whole.astype(np.int64))
        left = (left - whole) * float(1 << _BITS)
    return limbs


def sums_of(limbs: tuple[Ints, ...]) -> Sums:
    """The sums that limbs stand for, after any number of them were added."""
    carried = list(limbs)
    for place in range(N_LIMBS - 1, 0, -1):
        carried[place - 1] = carried[place - 1] + (carried[place] >> _BITS)
        carried[place] = carried[place] & _MASK
    found = Sums.of_whole(carried[0])
    for place in range(1, N_LIMBS):
        part = carried[place].astype(np.float64) * 2.0 ** (-_BITS * place)
        found = found.plus(Sums(part, np.zeros(len(part))))
    return found
