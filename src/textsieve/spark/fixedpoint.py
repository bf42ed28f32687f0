"""Represent sums of weights as integers, so that they don't depend on the order in which machines finish.

A float sum depends on the order of its summands, and in a cluster the order is not fixed: a task that is repeated after
a machine was lost finishes later than before. Integers have the same sum in any order, and Spark adds them exactly or
reports an overflow. So a sum x is sent as four integers, its *limbs*,

    x = n_0 + n_1 2^-31 + n_2 2^-62 + n_3 2^-93,

of which the last three are below 2^32, so that 2^31 of them can be added in 64 bits. On a worker, the sum of a part is
a float and its rounding error (`stats.sums`), which have 106 binary digits together. The limbs hold all digits of
weights of at least 2^-38, which have 24 digits, and of squares of weights of at least 2^-22. Digits below 2^-93 are
dropped.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats, Ints
from ..errors import InputError
from ..stats.sums import Sums

N_LIMBS = 4
_BITS = 31
_MASK = (1 << _BITS) - 1
_MOST = float(1 << 61)


def limbs_of(sums: Sums) -> tuple[Ints, ...]:
    """Return the limbs of sums."""
    of_value, of_rest = _limbs(sums.value), _limbs(sums.rest)
    return tuple(limb + limb_of_rest for limb, limb_of_rest in zip(of_value, of_rest, strict=True))


def _limbs(values: Floats) -> list[Ints]:
    """Split numbers into limbs, all with the sign of the number; each step is exact."""
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
    """Return the sums that limbs represent, also after any number of limbs were added."""
    carried = list(limbs)
    for place in range(N_LIMBS - 1, 0, -1):
        carried[place - 1] = carried[place - 1] + (carried[place] >> _BITS)
        carried[place] = carried[place] & _MASK
    sums = Sums.of_whole(carried[0])
    for place in range(1, N_LIMBS):
        part = carried[place].astype(np.float64) * 2.0 ** (-_BITS * place)
        sums = sums.plus(Sums(part, np.zeros(len(part))))
    return sums
