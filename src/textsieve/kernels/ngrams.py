"""Number the n-grams of documents without creating strings.

The known n-grams form a tree. Each n-gram is a *node*, given by its parent (the n-gram without its last word; none for
a single word) and its last word. This pair is one 64-bit key, parent << 32 | word, so comparing keys is exact. In a
key, the parent is its number plus one, or 0 for none. The number of a parent is always lower than those of its
children.

The hash table `slots` has the layout of the table of words (`kernels.words`): a key and, next to it, the node's number
plus one and the position where the node was last counted. At most half of the slots are used. `nodes` has the key of
each node. A *sequence* has a code for each word of a text, in order: word number << 32 | count.
"""

import numpy as np

from ..arrays import Codes, Ints
from .jit import kernel
from .words import N_ENTRIES, N_WORDS, POSITION, ROW, ROW_START, UNKNOWN, slot_of, slot_shift

_0, _1, _2, _32 = (np.uint64(n) for n in (0, 1, 2, 32))
_LOW_32 = np.uint64((1 << 32) - 1)
_UNKNOWN = np.uint64(UNKNOWN)


@kernel
def count_ngrams(
    sequence: Codes,
    sequence_ends: Codes,
    min_n: int,
    max_n: int,
    slots: Codes,
    nodes: Codes,
    seed: np.uint64,
    learn: bool,
    entries: Codes,
    row_ends: Codes,
    state: Codes,
) -> bool:
    """Count the n-grams of `min_n` to `max_n` words of each document's sequence; return False if an array is full.

    The sequence of row r ends at `sequence_ends[r]`. With `learn`, new n-grams are added to the table, otherwise they
    are skipped. Entries, `row_ends` and `state` are those of `count_words`, with n-grams in place of words: if an array
    is full, the caller makes room and calls again.
    """
    mask = np.uint64(slots.size // 2) - _1
    shift = slot_shift(slots)
    max_nodes = min(np.uint64(slots.size // 4), np.uint64(nodes.size))
    room_needed = np.uint64(max_n)  # at most so many n-grams begin at one word
    word = state[POSITION]
    row = state[ROW]
    row_start = state[ROW_START]
    n_entries = state[N_ENTRIES]
    n_nodes = state[N_WORDS]
    n_rows = np.uint64(sequence_ends.size)
    while row < n_rows:
        end = sequence_ends[row]
        while word < end:
            if n_entries + room_needed > np.uint64(entries.size) or n_nodes + room_needed > max_nodes:
                state[POSITION] = word
                state[ROW] = row
                state[ROW_START] = row_start
                state[N_ENTRIES] = n_entries
                state[N_WORDS] = n_nodes
                return False
            # Walk down the tree, from the word at `word` to the n-grams that begin there.
            parent = _0
            for n in range(1, max_n + 1):
                position = word + np.uint64(n - 1)
                if position >= end or sequence[position] >> _32 == _UNKNOWN:
                    break  # n-grams end with the document and before an unknown word
                key = parent << _32 | sequence[position] >> _32
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
                if n < min_n:  # too short to count: only a step to longer n-grams
                    continue
                last_entry = meta >> _32
                number = parent - _1
                if last_entry >= row_start and last_entry < n_entries and entries[last_entry] >> _32 == number:
                    entries[last_entry] += _1
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
def add_ngrams(
    sequence: Codes, ends: Codes, first: int, slots: Codes, nodes: Codes, n_nodes: np.uint64, seed: np.uint64,
    numbers: Ints,
) -> tuple[int, np.uint64]:  # fmt: skip
    """Look up a list of n-grams, from position `first` on, add missing ones, and write their numbers to `numbers`.

    N-gram i consists of the words of `sequence` from `ends[i - 1]` (0 for the first) to before `ends[i]`; an empty one
    gets the number -1. Returns how many n-grams of the list are done, which is fewer than all if an array is full, and
    the number of nodes.
    """
    mask = np.uint64(slots.size // 2) - _1
    shift = slot_shift(slots)
    max_nodes = min(np.uint64(slots.size // 4), np.uint64(nodes.size))
    for ngram in range(first, ends.size):
        begin = _0 if ngram == 0 else ends[ngram - 1]
        if n_nodes + (ends[ngram] - begin) > max_nodes:
            return ngram, n_nodes
        parent = _0
        for position in range(begin, ends[ngram]):
            key = parent << _32 | sequence[position] >> _32
            slot = slot_of(key, shift, seed)
            while slots[_2 * slot + _1] != 0 and slots[_2 * slot] != key:
                slot = (slot + _1) & mask
            if slots[_2 * slot + _1] == 0:
                nodes[n_nodes] = key
                n_nodes += _1
                slots[_2 * slot] = key
                slots[_2 * slot + _1] = n_nodes
            parent = slots[_2 * slot + _1] & _LOW_32
        numbers[ngram] = np.int64(parent) - 1
    return ends.size, n_nodes


@kernel
def add_nodes(
    other_nodes: Codes,
    first: int,
    last: int,
    word_numbers: Ints,
    numbers: Ints,
    slots: Codes,
    nodes: Codes,
    n_nodes: np.uint64,
    seed: np.uint64,
) -> tuple[int, np.uint64]:
    """Look up the nodes of another tree from `first` to before `last`, and add those that are missing.

    `other_nodes` has the keys of the other tree. `word_numbers` maps the other tree's word numbers to those of this
    tree, and `numbers` gets the number in this tree of each node of the other one. Parents precede their children, so
    the new number of a parent is already known. Returns the node to continue with, which is below `last` if an array is
    full, and the number of nodes of this tree.
    """
    mask = np.uint64(slots.size // 2) - _1
    shift = slot_shift(slots)
    max_nodes = min(np.uint64(slots.size // 4), np.uint64(nodes.size))
    for node in range(first, last):
        key = np.uint64(word_numbers[other_nodes[node] & _LOW_32])
        parent = other_nodes[node] >> _32
        if parent != 0:
            key |= np.uint64(numbers[parent - _1] + 1) << _32
        slot = slot_of(key, shift, seed)
        while slots[_2 * slot + _1] != 0 and slots[_2 * slot] != key:
            slot = (slot + _1) & mask
        meta = slots[_2 * slot + _1]
        if meta == 0:
            if n_nodes == max_nodes:
                return node, n_nodes
            nodes[n_nodes] = key
            n_nodes += _1
            meta = n_nodes
            slots[_2 * slot] = key
            slots[_2 * slot + _1] = meta
        numbers[node] = (meta & _LOW_32) - _1
    return last, n_nodes
