"""Number the n-grams of documents without creating strings.

The known n-grams form a tree: a node is its parent (the n-gram without its last word; none for a single word) and its
last word. This pair is one 64-bit key, so comparing keys is exact. The hash table has the layout of the table of words.
The number of a parent is always lower than those of its children.
"""

import numpy as np

from ..arrays import Codes, Ints
from .jit import kernel
from .words import N_ENTRIES, N_WORDS, POSITION, ROW, ROW_START, UNKNOWN, slot_of, slot_shift

_0, _1, _2, _32 = (np.uint64(n) for n in (0, 1, 2, 32))
_LOW_32 = np.uint64((1 << 32) - 1)
_UNKNOWN = np.uint64(UNKNOWN)


@kernel
def count_grams(
    sequence: Codes,
    sequence_ends: Codes,
    shortest: int,
    longest: int,
    slots: Codes,
    nodes: Codes,
    seed: np.uint64,
    learn: bool,
    entries: Codes,
    row_ends: Codes,
    state: Codes,
) -> bool:
    """Count the n-grams of each document's sequence of words; return False when an array is full, as `count_words`
    does.
    """
    mask = np.uint64(slots.size // 2) - _1
    shift = slot_shift(slots)
    most_nodes = min(np.uint64(slots.size // 4), np.uint64(nodes.size))
    room_needed = np.uint64(longest)
    word = state[POSITION]
    row = state[ROW]
    row_start = state[ROW_START]
    n_entries = state[N_ENTRIES]
    n_nodes = state[N_WORDS]
    n_rows = np.uint64(sequence_ends.size)
    while row < n_rows:
        end = sequence_ends[row]
        while word < end:
            if n_entries + room_needed > np.uint64(entries.size) or n_nodes + room_needed > most_nodes:
                state[POSITION] = word
                state[ROW] = row
                state[ROW_START] = row_start
                state[N_ENTRIES] = n_entries
                state[N_WORDS] = n_nodes
                return False
            parent = _0
            for length in range(1, longest + 1):
                at = word + np.uint64(length - 1)
                if at >= end or sequence[at] >> _32 == _UNKNOWN:
                    break
                key = parent << _32 | sequence[at] >> _32
                slot = slot_of(key, shift, seed)
                while slots[_2 * slot + _1] != 0 and slots[_2 * slot] != key:
                    slot = (slot + _1) & mask
                meta = slots[_2 * slot + _1]
                if meta == 0:
                    if not learn:
                        break
                    nodes[n_nodes] = key
                    n_nodes += _1
                    meta = n_nodes
                    slots[_2 * slot] = key
                    slots[_2 * slot + _1] = meta
                parent = meta & _LOW_32
                if length < shortest:
                    continue
                place = meta >> _32
                number = parent - _1
                if place >= row_start and place < n_entries and entries[place] >> _32 == number:
                    entries[place] += _1
                else:
                    entries[n_entries] = number << _32 | _1
                    slots[_2 * slot + _1] = n_entries << _32 | parent
                    n_entries += _1
            word += _1
        row_ends[row] = n_entries
        row_start = n_entries
        row += _1
    state[N_ENTRIES] = n_entries
    state[N_WORDS] = n_nodes
    return True


@kernel
def add_runs(
    sequence: Codes, ends: Codes, first: int, slots: Codes, nodes: Codes, n_nodes: np.uint64, seed: np.uint64,
    numbers: Ints,
) -> tuple[int, np.uint64]:  # fmt: skip
    """Look up whole n-grams from number `first` on, add those that are missing, and write their numbers.

    Returns the n-gram to continue with, which is not the end if an array is full, and the number of nodes.
    """
    mask = np.uint64(slots.size // 2) - _1
    shift = slot_shift(slots)
    most_nodes = min(np.uint64(slots.size // 4), np.uint64(nodes.size))
    for run in range(first, ends.size):
        begin = _0 if run == 0 else ends[run - 1]
        if n_nodes + (ends[run] - begin) > most_nodes:
            return run, n_nodes
        parent = _0
        for at in range(begin, ends[run]):
            key = parent << _32 | sequence[at] >> _32
            slot = slot_of(key, shift, seed)
            while slots[_2 * slot + _1] != 0 and slots[_2 * slot] != key:
                slot = (slot + _1) & mask
            if slots[_2 * slot + _1] == 0:
                nodes[n_nodes] = key
                n_nodes += _1
                slots[_2 * slot] = key
                slots[_2 * slot + _1] = n_nodes
            parent = slots[_2 * slot + _1] & _LOW_32
        numbers[run] = np.int64(parent) - 1
    return ends.size, n_nodes


@kernel
def add_nodes(
    others: Codes,
    first: int,
    last: int,
    word_numbers: Ints,
    numbers: Ints,
    slots: Codes,
    nodes: Codes,
    n_nodes: np.uint64,
    seed: np.uint64,
) -> tuple[int, np.uint64]:
    """Look up the nodes `first` to `last` of another tree, add those that are missing, and write their numbers.

    `word_numbers` translates the other tree's words. Parents precede their children, so their new numbers are already
    known. Returns the node to continue with, which is below `last` if an array is full, and the number of nodes.
    """
    mask = np.uint64(slots.size // 2) - _1
    shift = slot_shift(slots)
    most_nodes = min(np.uint64(slots.size // 4), np.uint64(nodes.size))
    for at in range(first, last):
        key = np.uint64(word_numbers[others[at] & _LOW_32])
        parent = others[at] >> _32
        if parent != 0:
            key |= np.uint64(numbers[parent - _1] + 1) << _32
        slot = slot_of(key, shift, seed)
        while slots[_2 * slot + _1] != 0 and slots[_2 * slot] != key:
            slot = (slot + _1) & mask
        meta = slots[_2 * slot + _1]
        if meta == 0:
            if n_nodes == most_nodes:
                return at, n_nodes
            nodes[n_nodes] = key
            n_nodes += _1
            meta = n_nodes
            slots[_2 * slot] = key
            slots[_2 * slot + _1] = meta
        numbers[at] = (meta & _LOW_32) - _1
    return last, n_nodes
