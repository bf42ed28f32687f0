r"""Count the words of UTF-8 text: the loop on which the speed of the whole package depends.

A *word* is a run of two or more word characters, as the regular expression `\b\w\w+\b` matches it. The text of many
documents is one array of bytes in which 0xFF, a byte that never occurs in UTF-8, ends each document. So the loop needs
neither a bounds check nor a table of offsets.

- A table of 256 entries classifies bytes: 0 between words, `END` after a document, `WIDE` for the first byte of a
  non-ASCII character, and otherwise the byte to count (which is how ASCII is lowercased). Non-ASCII characters are
  decoded and looked up in a bitmap.
- The bytes of a word are shifted into a 64-bit *key*. Up to eight bytes, the key is the word itself, and comparing keys
  is exact. The key of a longer word is a hash, so its bytes are compared as well. The hash starts from a random seed:
  otherwise an attacker could send many words with the same key, which take quadratic time.
- The hash table of known words uses open addressing, with two 64-bit codes per slot: the key, and next to it in the
  same cache line the word's number (plus one; 0 marks a free slot), a bit for "longer than eight bytes", and the
  position in the output where the word was last counted. If that position lies in the row of the current document, the
  count there is incremented; nothing is sorted and nothing is reset between documents.
- An output entry is one 64-bit code: word number << 32 | count.

No array grows in here, since that made the compiled loop about a fifth slower. The kernel stops before the word for
which there is no room; the caller makes room and calls again. All indices are unsigned: numba checks signed ones for
negative values, and mixing signed and unsigned integers gives floats.

`add_up_forms` replaces words by their normal forms (stems, for instance) and adds up the counts of equal forms. Like
the table of words, it remembers where each form was last written: the position is valid if it lies in the current row
and holds that form, so nothing is reset. There are never more entries than before, so they are replaced in place.

The sorting kernels order words as Python sorts strings, because the order of UTF-8 bytes is that of code points. Eight
bytes at a time form a number; numpy sorts these, and only words with the same first eight bytes are compared further.
"""

import numpy as np

from ..arrays import Bytes, Codes, Ints
from .jit import kernel

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
    """Return how far to shift a 64-bit hash to get the number of a slot; the number of slots is a power of two."""
    bits = _0
    while (_2 << bits) < np.uint64(slots.size):
        bits += _1
    return _64 - bits


@kernel
def slot_of(key: np.uint64, shift: np.uint64, seed: np.uint64) -> np.uint64:
    """Return the first slot to try for a key. The seed differs between processes, so no text can target one slot."""
    mixed = (key ^ seed) * _ODD
    mixed ^= mixed >> _32
    return (mixed * _ODD) >> shift


@kernel
def folded_in(folded: np.uint64, eight_bytes: np.uint64) -> np.uint64:
    """Return the hash of a long word after its next eight bytes.

    It multiplies twice: otherwise later bytes could cancel a change in the highest bits, whatever the seed.
    """
    mixed = (folded ^ eight_bytes) * _ODD
    mixed ^= mixed >> _32
    return mixed * _ODD


@kernel
def spread_slots(slots: Codes, grown: Codes, seed: np.uint64) -> None:
    """Copy the used slots to a larger table of free slots."""
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
    """Return the code point of the non-ASCII character that begins at a position, and its width in bytes."""
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
    """Return whether a word of the text has the spelling of a known one."""
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
    """Count the words of each document of `text`; return True when all is done, False when an array is full.

    With `learn`, unknown words are added to the table, otherwise they are skipped. Words with numbers below `n_stop`
    are left out. With `in_sequence`, an entry is written for every single word in the order of the text, including
    unknown ones, from which n-grams are counted.
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
    """Look up the words of another list from number `first` on, and write their numbers.

    With `learn`, missing words are added, otherwise their number is -1. Returns how many words of the list are done,
    which is fewer than all if an array is full, and how many words are known.
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


@kernel
def add_up_forms(entries: Codes, row_ends: Codes, forms: Ints, places: Codes) -> int:
    """Replace the counts of words by those of their forms (-1: no form) in place; return the number of entries."""
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
    """Replace each word of a sequence by its form, or by the code for an unknown word, in place."""
    for at in range(sequence.size):
        form = forms[sequence[at] >> _32]
        sequence[at] = _UNKNOWN if form < 0 else np.uint64(form) << _32 | _1


@kernel
def first_eight_bytes(spelling: Bytes, starts: Codes) -> Codes:
    """Return the first eight bytes of each word as a number; the numbers compare as the words do."""
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
    """Return whether a word sorts before another."""
    i, j = starts[one], starts[other]
    while i < starts[one + 1] and j < starts[other + 1]:
        if spelling[i] != spelling[j]:
            return bool(spelling[i] < spelling[j])
        i += _1
        j += _1
    return bool(i == starts[one + 1] and j < starts[other + 1])


@kernel
def sort_ties(order: Ints, keys: Codes, spelling: Bytes, starts: Codes, most: int) -> Ints:
    """Sort words of equal keys in place; return the begin and end of each group larger than `most`, which is left
    unsorted.
    """
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
    """Write terms of `lengths` words each, with a space between the words of a term and a line break after the term."""
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
