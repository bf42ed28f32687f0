"""Votes, shared among what they are due to: in parts that add up to whole votes exactly."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_UNITS = float(1 << 30)


def shared_votes(voters: NDArray[np.integer], amounts: Floats) -> Floats:
    """One vote of each voter, shared in proportion to its amounts, which are above 0.

    Parts are whole multiples of 2^-30; what is left over by rounding goes to the first of a voter's: so the parts of a
    voter add up to 1 exactly, and any votes to their number.
    """
    if not len(voters):
        return amounts
    totals = np.bincount(voters, amounts)
    units = np.rint(amounts / totals[voters] * _UNITS)
    known, firsts = np.unique(voters, return_index=True)
    units[firsts] += _UNITS - np.bincount(voters, units)[known]
    return np.asarray(units / _UNITS)
