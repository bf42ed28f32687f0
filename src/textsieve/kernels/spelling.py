"""Spelled words in their order, and cut out as text in one piece.

The order of UTF-8 bytes is the order of code points, so it is the order in which Python sorts strings. Eight bytes
at a time make a number; numpy sorts those, and only words that share their first eight bytes are compared further.
"""

import numpy as np

from .jit import Bytes, Codes, Ints, kernel

_1, _8 = np.uint64(1), np.uint64(8)


@kernel
def first_eight_bytes(spelling: Bytes, starts: Codes) -> Codes:
    """Each word's first eight bytes as a number, so that numbers compare as the words do."""
    keys = np.empty(starts.size - 1, np.uint64)
    for word in range(keys.size):
        stop = min(starts[word + 1], starts[word] + _8)
        key = np.uint64(0)
        for at in range(starts[word], stop):
            key = (key << _8) | np.uint64(spelling[at])
        missing = _8 - (stop - starts[word])
        keys[word] = np.uint64(0) if missing == _8 else key << (_8 * missing)
    return keys


@kernel
def comes_before(spelling: Bytes, starts: Codes, one: int, other: int) -> bool:
    """Whether a word sorts before another."""
    i, j = starts[one], starts[other]
    while i < starts[one + 1] and j < starts[other + 1]:
        if spelling[i] != spelling[j]:
            return bool(spelling[i] < spelling[j])
        i += _1
        j += _1
    return bool(i == starts[one + 1] and j < starts[other + 1])


@kernel
def sort_ties(order: Ints, keys: Codes, spelling: Bytes, starts: Codes, most: int) -> Ints:
    """Put words of equal keys in order, in place; gives the begin and end of the groups larger than `most`."""
    large = [0 for _ in range(0)]
    begin = 0
    while begin < order.size:
        end = begin + 1
        while end < order.size and keys[order[end]] == keys[order[begin]]:
            end += 1
        if end - begin > most:
            large.append(begin)
            large.append(end)
        else:
            for place in range(begin + 1, end):
                word = order[place]
                before = place - 1
                while before >= begin and comes_before(spelling, starts, word, order[before]):
                    order[before + 1] = order[before]
                    before -= 1
                order[before + 1] = word
        begin = end
    return np.array(large, np.int64)


@kernel
def join_spellings(words: Ints, lengths: Ints, spelling: Bytes, starts: Codes, joined: Bytes) -> int:
    """Write terms of `lengths` words each: a space between the words of a term, a line break after the term."""
    at = 0
    word = 0
    for length in lengths:
        for left in range(length, 0, -1):
            for source in range(starts[words[word]], starts[words[word] + 1]):
                joined[at] = spelling[source]
                at += 1
            joined[at] = 32 if left > 1 else 10
            at += 1
            word += 1
    return at
