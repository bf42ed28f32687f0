"""Join the words of proper names in a text, as `text.names` defines them, in one pass from left to right.

The text is an array of characters: bytes if it is ASCII, code points otherwise. Each line is first scanned up to its
first lowercase letter; in a line without one, capital letters mean nothing.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Bytes, Codes
from .jit import kernel

LETTER, CAPITAL, SMALL, SENTENCE_MARK, BLANK, HYPHEN, LINE_END = (1 << bit for bit in range(7))
"""What a character can be; several of them at once."""

_8 = np.uint64(8)
_LONGEST_LINK = 8


@kernel
def has_small_letter(text: NDArray[Any], begin: int, kinds: Bytes) -> bool:
    """Return whether the line that begins here has a lowercase letter."""
    for at in range(begin, text.size):
        kind = kinds[text[at]]
        if kind & SMALL:
            return True
        if kind & LINE_END:
            return False
    return False


@kernel
def is_link(text: NDArray[Any], begin: int, end: int, links: Codes) -> bool:
    """Return whether a word may link the parts of a name."""
    if end - begin > _LONGEST_LINK:
        return False
    code = np.uint64(0)
    for at in range(begin, end):
        if text[at] > 127:
            return False
        code = code << _8 | np.uint64(text[at])
    is_link = False
    for link in links:
        is_link |= code == link
    return is_link


@kernel
def is_hung_on(text: NDArray[Any], end: int, kinds: Bytes) -> bool:
    """Return whether a hyphen joins another run of letters to the one that ends here."""
    return end + 1 < text.size and kinds[text[end]] & HYPHEN != 0 and kinds[text[end + 1]] & LETTER != 0


@kernel
def join(text: NDArray[Any], begin: int, end: int, kinds: Bytes, joiner: int) -> None:
    """Replace all characters between the words of a name by the joiner."""
    for at in range(begin, end):
        if not kinds[text[at]] & LETTER:
            text[at] = joiner


@kernel
def join_in_place(
    text: NDArray[Any], kinds: Bytes, links: Codes, joiner: int, most_capitals: int, most_links: int
) -> bool:
    """Join the words of each name in place; return whether there is a name."""
    any_name = False
    name_begin, name_end, n_capitals, n_links = -1, 0, 0, 0
    begins_sentence, gap_is_blank, line_is_empty, hangs = True, False, False, False
    capitals_count = has_small_letter(text, 0, kinds)
    at = 0
    while at < text.size:
        kind = kinds[text[at]]
        if not kind & LETTER:
            if kind & LINE_END:
                begins_sentence |= line_is_empty
                line_is_empty = True
                capitals_count = has_small_letter(text, at + 1, kinds)
            elif not kind & BLANK:
                line_is_empty = False
                begins_sentence |= kind & SENTENCE_MARK != 0
            gap_is_blank &= kind & BLANK != 0
            at += 1
            continue
        begin = at
        while at < text.size and kinds[text[at]] & LETTER:
            at += 1
        goes_on = gap_is_blank or hangs
        hangs = is_hung_on(text, at, kinds)
        is_capitalised = capitals_count and (at - begin > 1 or hangs) and kind & CAPITAL != 0
        if name_begin >= 0:
            if goes_on and is_capitalised:
                n_capitals += 1
                n_links = 0
                name_end = at
            elif goes_on and n_links < most_links and is_link(text, begin, at, links):
                n_links += 1
            else:
                if 1 < n_capitals <= most_capitals:
                    join(text, name_begin, name_end, kinds, joiner)
                    any_name = True
                name_begin = -1
        if name_begin < 0 and is_capitalised and not begins_sentence:
            name_begin, name_end, n_capitals, n_links = begin, at, 1, 0
        begins_sentence &= hangs
        gap_is_blank, line_is_empty = True, False
    if name_begin >= 0 and 1 < n_capitals <= most_capitals:
        join(text, name_begin, name_end, kinds, joiner)
        any_name = True
    return any_name
