"""Sets as bits: element i of a set is bit i % 64 of word i // 64."""

import numpy as np

from .jit import Codes, kernel

Word = np.uint64

_PAIRS = Word(0x5555555555555555)
_FOURS = Word(0x3333333333333333)
_BYTES = Word(0x0F0F0F0F0F0F0F0F)
_SUM = Word(0x0101010101010101)
_ONE, _TWO, _FOUR, _TOP = Word(1), Word(2), Word(4), Word(56)


@kernel
def ones(word: Word) -> np.int64:
    """How many bits of a word are set: counted in pairs, fours and bytes, and the bytes added up by a product."""
    word = word - ((word >> _ONE) & _PAIRS)
    word = (word & _FOURS) + ((word >> _TWO) & _FOURS)
    word = (word + (word >> _FOUR)) & _BYTES
    return np.int64((word * _SUM) >> _TOP)


@kernel
def lowest(word: Word) -> np.int64:
    """The place of the lowest bit that is set, of a word that has one."""
    return ones((word & (~word + _ONE)) - _ONE)


@kernel
def bit(place: int | np.int64) -> Word:
    """The word with this one bit, 0 to 63."""
    return _ONE << Word(place)


@kernel
def size(words: Codes) -> np.int64:
    """How many elements a set has."""
    total = np.int64(0)
    for at in range(words.size):
        total += ones(words[at])
    return total
