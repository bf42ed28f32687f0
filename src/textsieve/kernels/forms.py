"""Counts of words to counts of their normal forms: what a row has of several words with one form is added up.

The place of a form in the output is kept for the next word with that form, as the words' own table keeps it: a place
is good if it lies in the current row and holds that form, so that nothing is reset between rows, and what is in
`places` at first does not matter. There are never more entries than before, so they are written over the old ones.
"""

import numpy as np

from .jit import Codes, Ints, kernel
from .words import UNKNOWN

_1, _32 = np.uint64(1), np.uint64(32)
_LOW_32 = np.uint64((1 << 32) - 1)
_UNKNOWN = np.uint64(UNKNOWN << 32)


@kernel
def add_up_forms(entries: Codes, row_ends: Codes, forms: Ints, places: Codes) -> int:
    """Write, in place, the count of each form (-1: none) for that of each word; gives how many entries there are."""
    n_entries = np.uint64(0)
    begin = np.uint64(0)
    for row in range(row_ends.size):
        row_start = n_entries
        for at in range(begin, row_ends[row]):
            form = forms[entries[at] >> _32]
            if form < 0:
                continue
            count = entries[at] & _LOW_32
            place = places[form]
            if place >= row_start and place < n_entries and entries[place] >> _32 == np.uint64(form):
                entries[place] += count
            else:
                places[form] = n_entries
                entries[n_entries] = np.uint64(form) << _32 | count
                n_entries += _1
        begin = row_ends[row]
        row_ends[row] = n_entries
    return int(n_entries)


@kernel
def write_forms(sequence: Codes, forms: Ints) -> None:
    """Write, in place, the form of each word of a sequence, or that it is unknown."""
    for at in range(sequence.size):
        form = forms[sequence[at] >> _32]
        sequence[at] = _UNKNOWN if form < 0 else np.uint64(form) << _32 | _1
