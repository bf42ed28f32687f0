"""Join the words of proper names in a text, as `text.names` defines them, in one pass from left to right.

The text is an array of characters: uint8 if it is ASCII, uint32 code points otherwise. `kinds` has the kinds of each
code point, as bits. At the start of each line, the line is scanned up to its first lowercase letter: in a line without
one, such as a heading, capital letters don't mark names.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Bytes, Codes
from .jit import kernel

LETTER, UPPERCASE, LOWERCASE, SENTENCE_MARK, BLANK, HYPHEN, LINE_END = (1 << bit for bit in range(7))
"""The kinds of characters, as bits; a character can be of several kinds. UPPERCASE includes title case."""

_8 = np.uint64(8)

_MAX_LINK_BYTES = 8
"""Link words are compared as one 64-bit number of up to eight ASCII letters."""


@kernel
def has_lowercase(text: NDArray[Any], begin: int, kinds: Bytes) -> bool:
    """Return whether the line that begins at `begin` has a lowercase letter."""
    for position in range(begin, text.size):
        kind = kinds[text[position]]
        if kind & LOWERCASE:
            return True
        if kind & LINE_END:
            return False
    return False


@kernel
def is_link(text: NDArray[Any], begin: int, end: int, links: Codes) -> bool:
    """Return whether the word from `begin` to `end` may link the parts of a name, such as "of".

    `links` has the allowed words, each with its ASCII letters shifted into one number.
    """
    if end - begin > _MAX_LINK_BYTES:
        return False
    code = np.uint64(0)
    for position in range(begin, end):
        if text[position] > 127:
            return False
        code = code << _8 | np.uint64(text[position])
    is_match = False
    for link in links:
        is_match |= code == link
    return is_match


@kernel
def is_hyphenated(text: NDArray[Any], end: int, kinds: Bytes) -> bool:
    """Return whether a hyphen or apostrophe joins the word that ends before `end` to the next one."""
    return end + 1 < text.size and kinds[text[end]] & HYPHEN != 0 and kinds[text[end + 1]] & LETTER != 0


@kernel
def join(text: NDArray[Any], begin: int, end: int, kinds: Bytes, joiner: int) -> None:
    """Replace all characters between the words of the name from `begin` to `end` by the joiner."""
    for position in range(begin, end):
        if not kinds[text[position]] & LETTER:
            text[position] = joiner


@kernel
def join_in_place(
    text: NDArray[Any], kinds: Bytes, links: Codes, joiner: int, max_capitals: int, max_links: int
) -> bool:
    """Join the words of each name in place; return whether there is a name.

    A name has 2 to `max_capitals` capitalised words, between which there are blanks or hyphens and up to `max_links`
    link words. A name doesn't begin with the first word of a sentence, which is capitalised anyway. A single letter
    counts as a capitalised word only if another word is attached to it, as in "D'Arcy".
    """
    # A possible name goes from `name_begin` (-1: none) to `name_end` and has `n_capitals` capitalised words; `n_links`
    # counts the links after that.
    any_name = False
    name_begin, name_end, n_capitals, n_links = -1, 0, 0, 0
    begins_sentence = True  # whether the next word begins a sentence
    gap_is_blank = False  # whether there are only blanks so far between the last word and the next one
    has_hyphen = False  # whether a hyphen attaches the next word to the last one
    line_is_empty = False  # whether this line has only blanks so far; not needed in the first line
    capitals_mark_names = has_lowercase(text, 0, kinds)  # whether this line has a lowercase letter
    position = 0
    while position < text.size:
        kind = kinds[text[position]]
        if not kind & LETTER:
            if kind & LINE_END:
                begins_sentence |= line_is_empty  # a sentence begins after an empty line
                line_is_empty = True
                capitals_mark_names = has_lowercase(text, position + 1, kinds)
            elif not kind & BLANK:
                line_is_empty = False
                begins_sentence |= kind & SENTENCE_MARK != 0
            gap_is_blank &= kind & BLANK != 0
            position += 1
            continue
        begin = position  # a word goes from `begin` to `position`; `kind` is that of its first letter
        while position < text.size and kinds[text[position]] & LETTER:
            position += 1
        continues = gap_is_blank or has_hyphen  # `has_hyphen` is that of the word before; the next line updates it
        has_hyphen = is_hyphenated(text, position, kinds)
        is_capitalised = capitals_mark_names and (position - begin > 1 or has_hyphen) and kind & UPPERCASE != 0
        if name_begin >= 0:
            if continues and is_capitalised:
                n_capitals += 1
                n_links = 0
                name_end = position
            elif continues and n_links < max_links and is_link(text, begin, position, links):
                n_links += 1
            else:  # the possible name has ended
                if 1 < n_capitals <= max_capitals:
                    join(text, name_begin, name_end, kinds, joiner)
                    any_name = True
                name_begin = -1
        if name_begin < 0 and is_capitalised and not begins_sentence:
            name_begin, name_end, n_capitals, n_links = begin, position, 1, 0
        begins_sentence &= has_hyphen  # a word attached to the first word of a sentence counts as part of it
        gap_is_blank, line_is_empty = True, False  # until a character after the word says otherwise
    if name_begin >= 0 and 1 < n_capitals <= max_capitals:  # the text ends with a name
        join(text, name_begin, name_end, kinds, joiner)
        any_name = True
    return any_name
