"""Two things that make testors cheaper to count and to search, and leave them what they are.

- *Equal columns.* A minimal transversal never holds two columns that hit the same rows, and one of them can stand for
  the other. So only different columns are searched, and a set found stands for as many testors as the product of how
  many terms each of its columns has.
- *Parts.* If rows and columns fall into parts that share nothing, a testor is a testor of each part, put together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..stats.sums import Ints
from .transversals import Marks, packed, unpacked


class Part(NamedTuple):
    """A part of a basic matrix: its different columns, the columns it has, and which of the different ones each is."""

    patterns: Marks
    columns: Ints
    pattern_of: Ints

    @property
    def n_words(self) -> int:
        """About how many words a search looks at when it tries a column."""
        return int(len(self.patterns) * (self.patterns.shape[1] // 64 + 1))


def parts_of(basic: Marks) -> Iterator[Part]:
    """The parts of a basic matrix."""
    for rows, columns in _parts(basic):
        patterns, pattern_of = _different_columns(basic[np.ix_(rows, columns)])
        yield Part(patterns, columns, pattern_of)


def _parts(basic: Marks) -> Iterator[tuple[Ints, Ints]]:
    """The rows and columns of each part of a matrix: from a row to all that share a column with it, and so on."""
    bits, left = packed(basic), np.arange(len(basic))
    while len(left):
        reached = bits[left[0]]
        while True:
            touched = (bits[left] & reached).any(axis=1)
            wider = np.bitwise_or.reduce(bits[left[touched]], axis=0)
            if np.array_equal(wider, reached):
                break
            reached = wider
        yield left[touched], np.flatnonzero(unpacked(reached[None], basic.shape[1])[0])
        left = left[~touched]


def _different_columns(marks: Marks) -> tuple[Marks, Ints]:
    """The different columns, and for each column its number among them."""
    bits = packed(marks.T)
    order = np.lexsort(bits.T)
    is_new = np.concatenate([[True], (bits[order[1:]] != bits[order[:-1]]).any(axis=1)])
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(is_new) - 1
    return marks[:, order[is_new]], number
