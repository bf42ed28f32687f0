"""Sums with twice the digits of a float: the value, and the rest that did not fit into it.

The scores subtract large numbers that nearly agree (a mean of squares and a squared mean). With 53 bits that loses all
digits when weights are near 1e6 and vary by 1e-3; with 106 it does not. The trick is Knuth's sum, which gives the
rounding error of an addition exactly.
"""

from typing import Any, NamedTuple

import numpy as np

from ..arrays import Floats, Ints


class Sums(NamedTuple):
    """An array of sums: values, and the rests that rounding cut off."""

    value: Floats
    rest: Floats

    @classmethod
    def zeros(cls, size: int) -> "Sums":
        """Return sums of 0."""
        return cls(np.zeros(size), np.zeros(size))

    @classmethod
    def of_whole(cls, numbers: Ints) -> "Sums":
        """Return the sums for integers, including those above 2^53."""
        value = numbers.astype(np.float64)
        return cls(value, (numbers - value.astype(np.int64)).astype(np.float64))

    @classmethod
    def normalised(cls, value: Floats, rest: Floats) -> "Sums":
        """Return the same sums with rests as small as possible."""
        total = value + rest
        return cls(total, rest - (total - value))

    def at(self, places: Any) -> "Sums":
        """Return the sums at some positions."""
        return Sums(self.value[places], self.rest[places])

    def plus(self, other: "Sums") -> "Sums":
        """Return the sum of both."""
        value = self.value + other.value
        part = value - self.value
        rest = (self.value - (value - part)) + (other.value - part) + (self.rest + other.rest)
        return Sums.normalised(value, rest)

    def minus(self, other: "Sums") -> "Sums":
        """Return the difference of both."""
        return self.plus(Sums(-other.value, -other.rest))
