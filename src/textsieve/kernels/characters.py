r"""Count the character n-grams of UTF-8 text, and write them with marks; replace hyphens outside of words by spaces.

The text of many documents is one array of bytes, as in `kernels.words`: 0xFF ends each document. NUL is written as the
two bytes 0xC0 0x80, which do not occur in UTF-8 otherwise. So no character begins with the byte 0, two n-grams of up to
eight bytes never have the same key, and the class 0 of a byte can mean "white space".

Counting takes two steps:

1. `write_runs` writes the text once more, as *runs*: stretches of text within which n-grams are formed. A run is a
   whole document, in which two or more white-space characters in a row became one space; or, with `padded`, a word
   between white space with a space on both sides. A run ends with `RUN_END`, or with 0xFF at the end of a document.
2. `count_characters` looks up the n-grams that begin at each character, from short to long, in a table of words
   (`kernels.words`): the spelling of an n-gram is a "word" that may have spaces. The key of an n-gram is extended by
   the bytes of its last character, so that a lookup takes the same time for any length. There are millions of
   different n-grams, and their table is larger than the processor's cache. So n-grams are looked up in batches: while
   the keys of a batch are computed, its slots are loaded into the cache.
"""

import numpy as np

from ..arrays import Bytes, Codes
from .jit import kernel, prefetch
from .words import (
    END,
    N_ENTRIES,
    N_WORDS,
    POSITION,
    ROW,
    ROW_START,
    WIDE,
    WORD_LENGTH,
    decode,
    fold_bytes,
    slot_of,
    slot_shift,
)

RUN_END = 254
"""The byte that ends a run within a document; like 0xFF, it does not occur in UTF-8."""

N_DONE = WORD_LENGTH + 1
"""A position in `state`: of the n-grams that begin at `state[POSITION]`, those of up to `state[N_DONE]` characters were
counted before room ran out."""

STATE_SIZE = N_DONE + 1

_0, _1, _2, _3, _4 = (np.uint64(n) for n in range(5))
_7, _8, _32 = np.uint64(7), np.uint64(8), np.uint64(32)
_LOW_32 = np.uint64((1 << 32) - 1)
_LONG_BIT = np.uint64(1 << 31)  # see `kernels.words` for the codes of a slot
_NUMBER_BITS = np.uint64((1 << 31) - 1)
_SPACE = 32
_BATCH = 64  # how many n-grams are looked up at once


@kernel
def width_of(first_byte: int) -> np.uint64:
    """Return the number of bytes of the character that begins with this byte."""
    if first_byte < 0x80:
        return _1
    if first_byte < 0xE0:
        return _2
    return _3 if first_byte < 0xF0 else _4


@kernel
def is_in(code_point: np.uint64, bitmap: Bytes) -> bool:
    """Return whether a code point is in a set, given as a bitmap with one bit for each code point."""
    return bool((bitmap[code_point >> _3] >> np.uint8(code_point & _7)) & 1)


@kernel
def is_token_character(text: Bytes, position: np.uint64, classes: Bytes, wide: Bytes) -> bool:
    """Return whether the character at a position belongs to tokens; False at the end of a document.

    `classes` (256,) says so for ASCII bytes, the bitmap `wide` for other characters; see `kernels.words`.
    """
    byte_class = classes[text[position]]
    if byte_class == WIDE:
        code_point, _ = decode(text, position)
        return is_in(code_point, wide)
    return bool(byte_class != 0 and byte_class != END)


@kernel
def write_runs(text: Bytes, classes: Bytes, wide: Bytes, padded: bool, runs: Bytes) -> int:
    """Write the runs of all documents to `runs`, and return their size in bytes.

    `classes` and the bitmap `wide` distinguish characters from white space; ASCII is lowercased by `classes`. `runs`
    needs room for the size of the text, or for two and a half times as much if `padded`: the two bytes of a document
    `a` (the letter and 0xFF) become the five bytes ` a `, `RUN_END` and 0xFF.
    """
    position, written = _0, _0
    end = np.uint64(text.size)
    while position < end:
        if text[position] == END:
            runs[written] = END
            written += _1
            position += _1
            continue
        # First the white space before the next word, if there is any; it begins at `start`.
        start = position
        n_spaces = 0
        while text[position] != END and not is_token_character(text, position, classes, wide):
            position += width_of(text[position])
            n_spaces += 1
        if padded:
            if text[position] == END:  # the document ends with white space
                continue
            runs[written] = _SPACE
            written += _1
        elif n_spaces > 1:
            runs[written] = _SPACE
            written += _1
        elif n_spaces == 1:  # a single white-space character stays as it is
            while start < position:
                runs[written] = text[start]
                written += _1
                start += _1
        # Then the word.
        while is_token_character(text, position, classes, wide):
            byte = text[position]
            if byte < WIDE:
                runs[written] = classes[byte]
                written += _1
                position += _1
            else:
                stop = position + width_of(byte)
                while position < stop:
                    runs[written] = text[position]
                    written += _1
                    position += _1
        if padded:
            runs[written] = _SPACE
            runs[written + _1] = RUN_END
            written += _2
    return int(written)


@kernel
def is_spelled(
    runs: Bytes, begin: np.uint64, length: np.uint64, starts: Codes, spelling: Bytes, number: np.uint64
) -> bool:
    """Return whether the n-gram at `begin` of `runs`, with `length` bytes, equals the known n-gram with this number."""
    known_begin = starts[number]
    if starts[number + _1] - known_begin != length:
        return False
    is_same = True
    offset = _0
    while is_same and offset < length:
        is_same = spelling[known_begin + offset] == runs[begin + offset]
        offset += _1
    return bool(is_same)


@kernel
def count_characters(
    runs: Bytes,
    min_n: int,
    max_n: int,
    padded: bool,
    slots: Codes,
    starts: Codes,
    spelling: Bytes,
    seed: np.uint64,
    learn: bool,
    entries: Codes,
    row_ends: Codes,
    state: Codes,
) -> bool:
    """Count the n-grams of `min_n` to `max_n` characters of each document; return False if an array is full.

    `runs` are those of `write_runs`. If they are `padded`, a run with fewer than `min_n` characters counts as a whole.
    The other arguments are those of `kernels.words.count_words`, with n-grams in place of words.
    """
    mask = np.uint64(slots.size // 2) - _1
    shift = slot_shift(slots)
    max_words = min(np.uint64(slots.size // 4), np.uint64(starts.size) - _1)
    max_entries = np.uint64(entries.size)
    max_bytes = np.uint64(spelling.size)
    end = np.uint64(runs.size)
    position = state[POSITION]
    row = state[ROW]
    row_start = state[ROW_START]
    n_entries = state[N_ENTRIES]
    n_words = state[N_WORDS]
    n_done = int(state[N_DONE])
    # A batch has n-grams of one document only. For each n-gram:
    begins = np.empty(_BATCH, np.uint64)  # where it begins in `runs`
    lengths = np.empty(_BATCH, np.uint64)  # its number of bytes
    keys = np.empty(_BATCH, np.uint64)
    sizes = np.empty(_BATCH, np.int64)  # its number of characters
    room = True
    while room and position < end:
        # Collect a batch. Of the n-grams that begin at `position`, those of up to `n_done` characters are done.
        n_batched = 0
        while n_batched < _BATCH and position < end and runs[position] != END:
            if runs[position] == RUN_END:
                position += _1
                continue
            begins_padded_run = padded and (position == 0 or runs[position - _1] >= RUN_END)
            stop = position
            key, hash_so_far, length, next_fold = _0, seed, _0, _8
            n = 0
            while n < max_n and runs[stop] < RUN_END:
                next_stop = stop + width_of(runs[stop])
                while stop < next_stop:
                    if length == next_fold:
                        hash_so_far = fold_bytes(hash_so_far, key)
                        key = _0
                        next_fold += _8
                    key = (key << _8) | np.uint64(runs[stop])
                    length += _1
                    stop += _1
                n += 1
                # Skip n-grams that are already counted, and those that are too short, except a whole padded run.
                if n <= n_done or (n < min_n and not (begins_padded_run and runs[stop] >= RUN_END)):
                    continue
                if n_batched == _BATCH:  # the next batch continues with this n-gram
                    n_done = n - 1
                    break
                full_key = key if length <= _8 else fold_bytes(hash_so_far, key) ^ length
                prefetch(slots, _2 * slot_of(full_key, shift, seed))
                begins[n_batched] = position
                lengths[n_batched] = length
                sizes[n_batched] = n
                keys[n_batched] = full_key
                n_batched += 1
            else:  # no break: all n-grams that begin at the position are in the batch
                position += width_of(runs[position])
                n_done = 0

        # Look the n-grams up, and count them, as `count_words` does with words.
        for item in range(n_batched):
            key, length = keys[item], lengths[item]
            is_long = _0 if length <= _8 else _LONG_BIT
            room = n_entries < max_entries
            slot = slot_of(key, shift, seed)
            while room:
                meta = slots[_2 * slot + _1]
                if meta == 0:
                    if learn:
                        spelling_start = starts[n_words]
                        if n_words == max_words or spelling_start + length > max_bytes:
                            room = False
                            break
                        for offset in range(length):
                            spelling[spelling_start + np.uint64(offset)] = runs[begins[item] + np.uint64(offset)]
                        entries[n_entries] = (n_words << _32) | _1
                        n_words += _1
                        starts[n_words] = spelling_start + length
                        slots[_2 * slot] = key
                        slots[_2 * slot + _1] = (n_entries << _32) | is_long | n_words
                        n_entries += _1
                    break
                if slots[_2 * slot] == key and (meta & _LONG_BIT) == is_long:
                    number = (meta & _NUMBER_BITS) - _1
                    if is_long == 0 or is_spelled(runs, begins[item], length, starts, spelling, number):
                        last_entry = meta >> _32
                        if last_entry >= row_start and last_entry < n_entries and entries[last_entry] >> _32 == number:
                            entries[last_entry] += _1
                        else:
                            entries[n_entries] = (number << _32) | _1
                            slots[_2 * slot + _1] = (n_entries << _32) | (meta & _LOW_32)
                            n_entries += _1
                        break
                slot = (slot + _1) & mask
            if not room:  # the next call starts with this n-gram again
                state[WORD_LENGTH] = length
                position = begins[item]
                n_done = sizes[item] - 1
                break

        if room and position < end and runs[position] == END:
            row_ends[row] = n_entries
            row_start = n_entries
            row += _1
            position += _1
    state[POSITION] = position
    state[ROW] = row
    state[ROW_START] = row_start
    state[N_ENTRIES] = n_entries
    state[N_WORDS] = n_words
    state[N_DONE] = n_done
    return bool(position == end)


@kernel
def blank_outer_joiners(text: Bytes, classes: Bytes, wide: Bytes, word_classes: Bytes, wide_words: Bytes) -> None:
    """Replace joiners (hyphens and apostrophes) by spaces, in place, unless they are between two word characters.

    `classes` and `wide` tell which characters belong to tokens, including joiners; `word_classes` and `wide_words` tell
    which are word characters. Several joiners in a row stay if there are word characters on both sides.
    """
    position = _0
    # If `has_run`, a run of joiners begins at `run_start` and goes on up to `position`. `follows_word` says whether the
    # last character that is not a joiner is a word character.
    run_start, has_run, follows_word = _0, False, False
    end = np.uint64(text.size)
    while position < end:
        width = _1 if text[position] == END else width_of(text[position])
        is_word = is_token_character(text, position, word_classes, wide_words)
        is_joiner = not is_word and is_token_character(text, position, classes, wide)
        if is_joiner:
            if not has_run:
                run_start, has_run = position, True
        else:
            if has_run and not (is_word and follows_word):
                while run_start < position:
                    text[run_start] = _SPACE
                    run_start += _1
            has_run, follows_word = False, is_word
        position += width


@kernel
def write_marks(
    ngrams: Bytes, ends: Codes, space_mark: Bytes, inner_mark: Bytes, marked: Bytes, marked_ends: Codes
) -> int:
    """Write n-grams with marks to `marked`, and where they end to `marked_ends`; return how many bytes are written.

    Each n-gram is followed by a line break; n-gram i and its line break end before `ends[i]`. At the beginning and at
    the end of an n-gram, a space is replaced by `space_mark`; where there is no space, `inner_mark` is added. Both
    marks have three bytes. So " th" becomes "▁th…" with the marks "▁" and "…". An n-gram that is nothing but a space
    becomes one `space_mark`.
    """
    begin, written = _0, _0
    for ngram in range(ends.size):
        stop = ends[ngram] - _1  # where the line break is
        begins_with_space, ends_with_space = ngrams[begin] == _SPACE, ngrams[stop - _1] == _SPACE
        is_space = begins_with_space and stop - begin == _1
        for byte in space_mark if begins_with_space else inner_mark:
            marked[written] = byte
            written += _1
        # Copy the n-gram without the spaces that are replaced; of a single space, nothing is left to copy.
        for position in range(
            begin + _1 if begins_with_space else begin, stop - _1 if ends_with_space and not is_space else stop
        ):
            marked[written] = ngrams[position]
            written += _1
        if not is_space:
            for byte in space_mark if ends_with_space else inner_mark:
                marked[written] = byte
                written += _1
        marked[written] = ngrams[stop]  # the line break
        written += _1
        marked_ends[ngram] = written
        begin = ends[ngram]
    return int(written)
