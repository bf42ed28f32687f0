"""The sets of a family that contain no other of it.

A set can only contain one that is no larger. So sets are visited by size, and each is compared with the minimal ones
found so far, which are all that is needed: what contains a set contains a minimal one. Two sets that differ mostly do
so in the first words, where the comparison ends. Of equal sets the first stays.
"""

import numpy as np

from .bits import size
from .jit import Codes, Ints, kernel


@kernel
def minimal_sets(sets: Codes) -> Ints:
    """The numbers of the minimal sets, smallest set first; `sets` has one set of bits a row."""
    sizes = np.empty(len(sets), np.int64)
    for number in range(len(sets)):
        sizes[number] = size(sets[number])
    found = np.empty(len(sets), np.int64)
    n_found = 0
    for number in np.argsort(sizes, kind="mergesort"):
        is_minimal = True
        for earlier in range(n_found):
            other = found[earlier]
            word = 0
            while word < sets.shape[1] and (sets[other, word] & ~sets[number, word]) == 0:
                word += 1
            if word == sets.shape[1]:
                is_minimal = False
                break
        if is_minimal:
            found[n_found] = number
            n_found += 1
    return found[:n_found]
