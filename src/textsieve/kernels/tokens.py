"""Rewrite UTF-8 text with a space after each token of the analyzer "text", so that `count_words` can count them.

`text.tokens` explains what tokens are: words, symbols, and *grams*, which are n-grams of the *units* of a run of
characters of scripts without spaces. The text of many documents is one array of bytes, and 0xFF ends each document (see
`kernels.words`). The grams of a document are written after its words. If n-grams of words are counted (`breaks`), a
*break*, which is the token `BREAK`, is written in place of each run and before each gram. N-grams of words end there.
"""

import numpy as np

from ..arrays import Bytes, Codes
from .jit import kernel
from .words import END, decode

OTHER, WORD, EXTENDER, SYMBOL, UNIT, SYLLABLE = range(6)
"""The kinds of characters, numbered as in `text.tokens`; kernels don't import the packages that use them."""

BREAK = (0xE2, 0x96, 0x81)
"""The UTF-8 bytes of the token that ends a sequence of words: `text.tokens.SPACE_MARK`, never a token of a text."""

_0, _1, _2 = np.uint64(0), np.uint64(1), np.uint64(2)
_BREAK_1, _BREAK_2, _BREAK_3 = (np.uint8(byte) for byte in BREAK)
_SPACE = np.uint8(32)


@kernel
def kind_at(text: Bytes, position: np.uint64, kinds: Bytes) -> tuple[int, np.uint64]:
    """Return the kind of the character at a position, and its width in bytes; `OTHER` at the end of a document."""
    byte = text[position]
    if byte < 128:
        return int(kinds[byte]), _1
    if byte == END:
        return OTHER, _1
    code_point, width = decode(text, position)
    return int(kinds[code_point]), width


@kernel
def write_bytes(text: Bytes, begin: np.uint64, end: np.uint64, tokens: Bytes, written: np.uint64) -> np.uint64:
    """Copy a part of the text to `tokens`, and return how many bytes are written then."""
    while begin < end:
        tokens[written] = text[begin]
        written += _1
        begin += _1
    return written


@kernel
def write_break(tokens: Bytes, written: np.uint64) -> np.uint64:
    """Write a break and a space, and return how many bytes are written then."""
    tokens[written] = _BREAK_1
    tokens[written + _1] = _BREAK_2
    tokens[written + _2] = _BREAK_3
    written += np.uint64(3)
    tokens[written] = _SPACE
    return written + _1


@kernel
def write_grams(
    text: Bytes, units: Codes, n_units: int, shortest: int, longest: int, breaks: bool, tokens: Bytes,
    written: np.uint64,
) -> np.uint64:  # fmt: skip
    """Write the grams of a run, and return how many bytes are written then.

    Unit u begins at `units[u]`, and the last one ends at `units[n_units]`. Grams have `shortest` to `longest` units.
    """
    shortest = min(shortest, n_units)  # a run of fewer units counts as a whole
    for first in range(n_units):
        for last in range(first + shortest, min(first + longest, n_units) + 1):
            if breaks:
                written = write_break(tokens, written)
            written = write_bytes(text, units[first], units[last], tokens, written)
            tokens[written] = _SPACE
            written += _1
    return written


@kernel
def write_words(
    text: Bytes, begin: np.uint64, kinds: Bytes, breaks: bool, tokens: Bytes, written: np.uint64
) -> tuple[np.uint64, np.uint64, bool]:
    """Write the words and symbols of the document that begins at `begin`.

    Returns where the document ends, how many bytes are written then, and whether the document has units or syllables,
    of which grams consist.
    """
    # The flags say whether the last character is part of a word, and whether it is part of a run without spaces. An
    # extender continues either; in a run it is skipped here, since `write_document_grams` writes the run.
    position = begin
    in_word, in_run, has_grams = False, False, False
    while text[position] != END:
        kind, width = kind_at(text, position, kinds)
        if kind in (WORD, SYLLABLE) or (kind == EXTENDER and in_word):
            written = write_bytes(text, position, position + width, tokens, written)
            in_word, in_run = True, False
            has_grams = has_grams or kind == SYLLABLE
        elif not (kind == EXTENDER and in_run):
            if in_word:
                tokens[written] = _SPACE
                written += _1
                in_word = False
            if kind == SYMBOL:
                written = write_bytes(text, position, position + width, tokens, written)
                tokens[written] = _SPACE
                written += _1
            if kind == UNIT and not in_run and breaks:
                written = write_break(tokens, written)
            in_run = kind == UNIT
            has_grams = has_grams or in_run
        position += width
    if in_word:
        tokens[written] = _SPACE
        written += _1
    return position, written, has_grams


@kernel
def write_document_grams(
    text: Bytes,
    begin: np.uint64,
    kinds: Bytes,
    shortest: int,
    longest: int,
    breaks: bool,
    units: Codes,
    tokens: Bytes,
    written: np.uint64,
) -> np.uint64:
    """Write the grams of the document that begins at `begin`, and return how many bytes are written then.

    A run consists of characters of scripts without spaces, or of Hangul syllables. Each of them begins a unit, to which
    the extenders after it belong. `units` has room for where the units of a run begin, and where the last one ends.
    """
    position, word_begin = begin, begin  # if `in_word`, the current word begins at `word_begin`
    in_word = False
    while text[position] != END:
        kind, width = kind_at(text, position, kinds)
        if kind not in (UNIT, SYLLABLE):
            if kind == WORD and not in_word:
                word_begin = position
            in_word = kind == WORD or (kind == EXTENDER and in_word)
            position += width
            continue
        run_begin, run_kind = position, kind
        if kind == SYLLABLE and not in_word:
            word_begin = position
        n_units = 0
        while kind in (run_kind, EXTENDER):  # an extender belongs to the unit before it
            if kind == run_kind:
                units[n_units] = position
                n_units += 1
            position += width
            kind, width = kind_at(text, position, kinds)
        units[n_units] = position
        if run_kind == UNIT:
            written = write_grams(text, units, n_units, shortest, longest, breaks, tokens, written)
            in_word = False
            continue
        # Syllables are also part of a word, which `write_words` has written. A whole word of two syllables, without
        # other letters before or after them, is the same as their bigram, which must not count twice.
        is_whole_word = word_begin == run_begin and kind != WORD
        if n_units > 2 or (n_units == 2 and not is_whole_word):
            written = write_grams(text, units, n_units, 2, 2, breaks, tokens, written)  # 2, 2: bigrams only
        in_word = True  # letters that follow belong to the same word
    return written


@kernel
def write_tokens(
    text: Bytes, kinds: Bytes, shortest: int, longest: int, breaks: bool, units: Codes, tokens: Bytes
) -> int:
    """Write the tokens of all documents to `tokens`, and return their size in bytes.

    `kinds` has the kind of each code point, or at least of ASCII if the text has no other characters. Grams have
    `shortest` to `longest` units. `units` needs room for all units of a run, and one more; for `tokens`, see
    `max_growth`.
    """
    position, written = _0, _0
    end = np.uint64(text.size)
    while position < end:
        begin = position
        position, written, has_grams = write_words(text, begin, kinds, breaks, tokens, written)
        if has_grams:
            written = write_document_grams(text, begin, kinds, shortest, longest, breaks, units, tokens, written)
        tokens[written] = END
        written += _1
        position += _1
    return int(written)


def max_growth(shortest: int, longest: int) -> int:
    """Return an upper bound of the size of the tokens, for each byte of text.

    A unit has b >= 3 bytes. Of the grams of n units, at most n contain it, and one begins at it. Besides its units, a
    gram takes five bytes: a break of three bytes and two spaces. So for each length n from `shortest` to `longest`, a
    unit needs at most n b + 5 bytes, and in addition four for a break and a space before its run. Divided by b, that is
    at most n + 2 for each length, plus 2. A Hangul syllable is in a word and in two bigrams: 3 b + 6 bytes, less than 6
    for each byte. Any other character needs at most one space more than its own bytes.
    """
    lengths = range(shortest, longest + 1)
    return max(sum(lengths) + 2 * len(lengths) + 2, 6)
