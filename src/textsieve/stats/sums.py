"""Sums with twice the digits of a float: the value, and the rest that did not fit into it.

The scores subtract large numbers that nearly agree (a mean of squares and a squared mean). With 53 bits that loses all
digits when weights are near 1e6 and vary by 1e-3; with 106 it does not. The trick is Knuth's sum, which gives the
rounding error of an addition exactly.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Counts = NDArray[Any]
"""Numbers of documents: int64, or float64 where documents have weights that are not whole numbers."""


class Sums(NamedTuple):
    """Many sums: values, and what their rounding left out."""

    value: Floats
    rest: Floats

    @classmethod
    def zeros(cls, size: int) -> "Sums":
        """Sums of nothing."""
        return cls(np.zeros(size), np.zeros(size))

    @classmethod
    def of_whole(cls, numbers: Ints) -> "Sums":
        """Whole numbers, also those above 2^53."""
        value = numbers.astype(np.float64)
        return cls(value, (numbers - value.astype(np.int64)).astype(np.float64))

    @classmethod
    def normalised(cls, value: Floats, rest: Floats) -> "Sums":
        """Let the value take up what it can of the rest."""
        total = value + rest
        return cls(total, rest - (total - value))

    def at(self, places: Any) -> "Sums":
        """The sums at some places."""
        return Sums(self.value[places], self.rest[places])

    def plus(self, other: "Sums") -> "Sums":
        """Add."""
        value = self.value + other.value
        part = value - self.value
        rest = (self.value - (value - part)) + (other.value - part) + (self.rest + other.rest)
        return Sums.normalised(value, rest)

    def minus(self, other: "Sums") -> "Sums":
        """Subtract."""
        return self.plus(Sums(-other.value, -other.rest))
