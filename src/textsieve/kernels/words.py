r"""Words of UTF-8 text to numbers: the loop that the speed of the whole product rests on.

A *word* is a run of two or more word characters, what the regular expression `\b\w\w+\b` finds. The text of many
documents comes as one array of bytes in which 0xFF, a byte that UTF-8 never uses, ends each document; so the loop
needs no end test and no table of offsets.

- A table of 256 entries says what a byte is: 0 between words, `END` after a document, `WIDE` the first byte of a
  character beyond ASCII, and otherwise the byte to count it as (this is where ASCII is lower-cased). Characters
  beyond ASCII are decoded and looked up in a bitmap.
- The bytes of a word are shifted into one 64-bit *key*. Up to eight bytes the key **is** the word, and comparing
  keys is exact; a longer word's key is a hash, and its bytes are compared as well. The hash begins with the seed:
  words made to share a key would all have to be compared with one another, and the time would grow as a square.
- The table of known words is open-addressing, two 64-bit codes a slot: the key, and beside it, in the same cache
  line, the word's number (plus one; 0 is a free slot), a bit for "longer than eight bytes", and the place in the
  output where the word was last counted. If that place lies in the row of the current document, the count there
  goes up; nothing is sorted and nothing is reset between documents.
- An output entry is one 64-bit code: word number << 32 | count.

Nothing grows in here: arrays that change inside the compiled loop made it about a fifth slower. The kernel
stops before the word that finds no room, the caller makes room and calls again. All indices are unsigned: numba
tests signed ones for wrapping around, and unsigned and signed ones must not meet, or they become floats.
"""

import numpy as np

from .jit import Bytes, Codes, Ints, kernel

END, WIDE = 255, 128
"""The classes of bytes that are neither 0 nor the byte to count."""

POSITION, ROW, ROW_START, N_ENTRIES, N_WORDS, WORD_LENGTH, STATE_SIZE = range(7)
"""The places in `state`: what `count_words` needs to go on where it stopped, and the word that found no room."""

UNKNOWN = (1 << 32) - 1
"""The number, in a sequence, of a word that is not in the table."""

MOST_WORDS = (1 << 31) - 2

_0, _1, _2, _3, _4 = (np.uint64(n) for n in range(5))
_6, _7, _8, _12, _18, _32, _64 = (np.uint64(n) for n in (6, 7, 8, 12, 18, 32, 64))
_LOW_32 = np.uint64((1 << 32) - 1)
_LONG = np.uint64(1 << 31)
_NUMBER = np.uint64((1 << 31) - 1)
_ODD = np.uint64(0x9E3779B97F4A7C15)
_UNKNOWN = np.uint64(UNKNOWN << 32)
_LEAD_2, _LEAD_3, _LEAD_4, _TAIL = (np.uint64(n) for n in (0x1F, 0x0F, 0x07, 0x3F))
_FROM_3, _FROM_4 = np.uint64(0xE0), np.uint64(0xF0)


@kernel
def slot_shift(slots: Codes) -> np.uint64:
    """How far to shift a 64-bit hash so that what is left numbers a slot; slots come in a power of two."""
    bits = _0
    while (_2 << bits) < np.uint64(slots.size):
        bits += _1
    return _64 - bits


@kernel
def slot_of(key: np.uint64, shift: np.uint64, seed: np.uint64) -> np.uint64:
    """Where to start looking for a key. The seed differs between processes, so no text can aim at one slot."""
    mixed = (key ^ seed) * _ODD
    mixed ^= mixed >> _32
    return (mixed * _ODD) >> shift


@kernel
def folded_in(folded: np.uint64, eight_bytes: np.uint64) -> np.uint64:
    """The hash of a long word with its next eight bytes.

    Twice multiplied: else a change of their highest bits could be undone by the bytes after them, whatever the seed.
    """
    mixed = (folded ^ eight_bytes) * _ODD
    mixed ^= mixed >> _32
    return mixed * _ODD


@kernel
def spread_slots(slots: Codes, grown: Codes, seed: np.uint64) -> None:
    """Spread the used slots over more of them, which are all free."""
    mask = np.uint64(grown.size // 2) - _1
    shift = slot_shift(grown)
    for old in range(0, slots.size, 2):
        if slots[old + 1] != 0:
            slot = slot_of(slots[old], shift, seed)
            while grown[_2 * slot + _1] != 0:
                slot = (slot + _1) & mask
            grown[_2 * slot] = slots[old]
            grown[_2 * slot + _1] = slots[old + 1]


@kernel
def decode(text: Bytes, at: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The code point of the character beyond ASCII that begins at a place, and its width in bytes."""
    first = np.uint64(text[at])
    second = np.uint64(text[at + _1]) & _TAIL
    if first < _FROM_3:
        return (first & _LEAD_2) << _6 | second, _2
    third = np.uint64(text[at + _2]) & _TAIL
    if first < _FROM_4:
        return (first & _LEAD_3) << _12 | second << _6 | third, _3
    fourth = np.uint64(text[at + _3]) & _TAIL
    return (first & _LEAD_4) << _18 | second << _12 | third << _6 | fourth, _4


@kernel
def same_bytes(
    text: Bytes, start: np.uint64, length: np.uint64, classes: Bytes, spelling: Bytes, at: np.uint64
) -> bool:
    """Whether a word of the text is spelled like a known one."""
    for offset in range(length):
        byte = text[start + np.uint64(offset)]
        if byte < WIDE:
            byte = classes[byte]
        if byte != spelling[at + np.uint64(offset)]:
            return False
    return True


@kernel
def count_words(
    text: Bytes,
    classes: Bytes,
    wide_words: Bytes,
    slots: Codes,
    starts: Codes,
    spelling: Bytes,
    seed: np.uint64,
    n_stop: np.uint64,
    learn: bool,
    in_sequence: bool,
    entries: Codes,
    row_ends: Codes,
    state: Codes,
) -> bool:
    """Count the words of each document of `text`; True when all is done, False when an array is full.

    With `learn`, unknown words are added to the table, else passed over. Words with numbers under `n_stop` are left
    out. With `in_sequence`, an entry is written for every single word, in the order of the text and also for
    unknown ones: that is what n-grams are made of.
    """
    mask = np.uint64(slots.size // 2) - _1
    shift = slot_shift(slots)
    most_words = min(np.uint64(slots.size // 4), np.uint64(starts.size) - _1)
    most_entries = np.uint64(entries.size)
    most_bytes = np.uint64(spelling.size)
    end = np.uint64(text.size)
    p = state[POSITION]
    row = state[ROW]
    row_start = state[ROW_START]
    n_entries = state[N_ENTRIES]
    n_words = state[N_WORDS]
    while p < end:
        c = classes[text[p]]
        if c == 0:
            p += _1
            continue
        if c == END:
            row_ends[row] = n_entries
            row_start = n_entries
            row += _1
            p += _1
            continue

        start = p
        key, folded, length, continuation_bytes, fold_at = _0, seed, _0, _0, _8
        while c != 0:
            if c < WIDE:
                if length == fold_at:
                    folded = folded_in(folded, key)
                    key = _0
                    fold_at += _8
                key = (key << _8) | np.uint64(c)
                length += _1
                p += _1
            elif c == WIDE:
                point, width = decode(text, p)
                if not (wide_words[point >> _3] >> np.uint8(point & _7)) & 1:
                    if length == 0:
                        p += width
                    break
                continuation_bytes += width - _1
                stop = p + width
                while p < stop:
                    if length == fold_at:
                        folded = folded_in(folded, key)
                        key = _0
                        fold_at += _8
                    key = (key << _8) | np.uint64(text[p])
                    length += _1
                    p += _1
            else:
                break
            c = classes[text[p]]
        if length - continuation_bytes < _2:
            continue

        is_long = _0
        if length > _8:
            key = folded_in(folded, key) ^ length
            is_long = _LONG
        room = n_entries < most_entries
        slot = slot_of(key, shift, seed)
        while room:
            meta = slots[_2 * slot + _1]
            if meta == 0:
                if learn:
                    at = starts[n_words]
                    if n_words == most_words or at + length > most_bytes:
                        room = False
                        break
                    for offset in range(length):
                        byte = text[start + np.uint64(offset)]
                        spelling[at + np.uint64(offset)] = classes[byte] if byte < WIDE else byte
                    entries[n_entries] = (n_words << _32) | _1
                    n_words += _1
                    starts[n_words] = at + length
                    slots[_2 * slot] = key
                    slots[_2 * slot + _1] = (n_entries << _32) | is_long | n_words
                    n_entries += _1
                elif in_sequence:
                    entries[n_entries] = _UNKNOWN
                    n_entries += _1
                break
            if slots[_2 * slot] == key and (meta & _LONG) == is_long:
                number = (meta & _NUMBER) - _1
                if is_long == 0 or (
                    starts[number + _1] - starts[number] == length
                    and same_bytes(text, start, length, classes, spelling, starts[number])
                ):
                    if number < n_stop:
                        break
                    place = meta >> _32
                    if in_sequence:
                        entries[n_entries] = (number << _32) | _1
                        n_entries += _1
                    elif place >= row_start and place < n_entries and entries[place] >> _32 == number:
                        entries[place] += _1
                    else:
                        entries[n_entries] = (number << _32) | _1
                        slots[_2 * slot + _1] = (n_entries << _32) | (meta & _LOW_32)
                        n_entries += _1
                    break
            slot = (slot + _1) & mask
        if not room:
            state[WORD_LENGTH] = length
            p = start
            break
    state[POSITION] = p
    state[ROW] = row
    state[ROW_START] = row_start
    state[N_ENTRIES] = n_entries
    state[N_WORDS] = n_words
    return bool(p == end)


@kernel
def add_words(
    new_spelling: Bytes,
    new_starts: Codes,
    first: int,
    slots: Codes,
    starts: Codes,
    spelling: Bytes,
    n_words: np.uint64,
    seed: np.uint64,
    learn: bool,
    numbers: Ints,
) -> tuple[int, np.uint64]:
    """Look up the words of another list, from the `first`th on; `numbers` gets theirs.

    With `learn`, what is not there is added, else its number is -1.

    Gives how many words of the list are done, fewer than all when an array is full, and how many are known now.
    """
    mask = np.uint64(slots.size // 2) - _1
    shift = slot_shift(slots)
    most_words = min(np.uint64(slots.size // 4), np.uint64(starts.size) - _1)
    for word in range(first, new_starts.size - 1):
        begin = new_starts[word]
        length = new_starts[word + 1] - begin
        key, folded = _0, seed
        for offset in range(length):
            if offset & 7 == 0 and offset > 0:
                folded = folded_in(folded, key)
                key = _0
            key = (key << _8) | np.uint64(new_spelling[begin + np.uint64(offset)])
        is_long = _0
        if length > _8:
            key = folded_in(folded, key) ^ length
            is_long = _LONG
        slot = slot_of(key, shift, seed)
        while True:
            meta = slots[_2 * slot + _1]
            if meta == 0:
                if not learn:
                    numbers[word] = -1
                    break
                at = starts[n_words]
                if n_words == most_words or at + length > np.uint64(spelling.size):
                    return word, n_words
                for offset in range(length):
                    spelling[at + np.uint64(offset)] = new_spelling[begin + np.uint64(offset)]
                numbers[word] = n_words
                n_words += _1
                starts[n_words] = at + length
                slots[_2 * slot] = key
                slots[_2 * slot + _1] = is_long | n_words
                break
            if slots[_2 * slot] == key and (meta & _LONG) == is_long:
                number = (meta & _NUMBER) - _1
                at = starts[number]
                same = starts[number + _1] - at == length
                if same and is_long != 0:
                    for offset in range(length):
                        if spelling[at + np.uint64(offset)] != new_spelling[begin + np.uint64(offset)]:
                            same = False
                            break
                if same:
                    numbers[word] = number
                    break
            slot = (slot + _1) & mask
    return new_starts.size - 1, n_words
