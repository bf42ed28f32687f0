"""Two ascending lists of keys to one, and where the entries of each are in it."""

import numpy as np

from .jit import Ints, kernel


@kernel
def align(one: Ints, other: Ints) -> tuple[Ints, Ints, Ints]:
    """The keys of both lists, each once, and the places in it of the first list's keys and of the second's."""
    keys = np.empty(one.size + other.size, np.int64)
    places, other_places = np.empty(one.size, np.int64), np.empty(other.size, np.int64)
    size, i, j = 0, 0, 0
    while i < one.size or j < other.size:
        take_one = j == other.size or (i < one.size and one[i] <= other[j])
        take_other = i == one.size or (j < other.size and other[j] <= one[i])
        if take_one:
            keys[size] = one[i]
            places[i] = size
            i += 1
        if take_other:
            keys[size] = other[j]
            other_places[j] = size
            j += 1
        size += 1
    return keys[:size].copy(), places, other_places
