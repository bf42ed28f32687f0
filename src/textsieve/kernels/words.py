r"""Count the words of UTF-8 text: the loop on which the speed of the whole package depends.

A *word* is a run of two or more word characters, as the regular expression `\b\w\w+\b` matches it; for other token
patterns, the caller gives other tables of characters and another shortest length. The text of many documents is one
array of bytes in which 0xFF, a byte that never occurs in UTF-8, ends each document.

- First, `write_letters` copies the text. It replaces all bytes between words by 0, so that the loop that counts words
  needs to know nothing else about characters. A table of 256 entries classifies bytes: 0 between words, `END` after a
  document, `WIDE` for the first byte of a non-ASCII character, and otherwise the byte to count (which is how ASCII is
  lowercased). Non-ASCII characters are decoded and looked up in a bitmap.
- Words are read eight bytes at a time, and their ends are found by arithmetic. A loop over bytes would end at another
  byte for each word, which the processor can't predict.
- The first eight bytes of a word, as one number, are its *key*. Up to eight bytes, the key is the word itself, and
  comparing keys is exact. The key of a longer word is a hash, so its bytes are compared as well. The hash starts from a
  random seed: otherwise an attacker could send many words with the same key, which take quadratic time.
- Words are looked up in batches: `find_words` reads some words and prefetches their slots in the hash table, which is
  too large for the processor's fast caches.
- The hash table of known words uses open addressing, with two 64-bit codes per slot, next to each other in the same
  cache line. The first is the key. The second consists of the word's number plus one (0 marks a free slot), a bit for
  "longer than eight bytes", and the position in the output where the word was last counted. If that position lies in
  the row of the current document and holds the word, the count there is incremented. So nothing is sorted, and nothing
  is reset between documents. At most half of the slots are used.
- An output entry is one 64-bit code: word number << 32 | count.

No array grows in here, since that made the compiled loop about a fifth slower. The kernel stops before the word for
which there is no room; the caller makes room and calls again. All indices are unsigned: numba checks signed ones for
negative values, and mixing signed and unsigned integers gives floats.

`add_up_forms` replaces words by their *forms*, which are stems or lemmas, and adds up the counts of words with the same
form. Like the table of words, it remembers where each form was last written: the position is valid if it lies in the
current row and holds that form, so nothing is reset. There are never more entries than before, so they are replaced in
place.

The sorting kernels order words as Python sorts strings, because the order of UTF-8 bytes is that of code points. The
first eight bytes of each word form a number (`first_eight_bytes`). numpy sorts words by these numbers, and only words
with equal numbers are compared further (`sort_ties`).
"""

import numpy as np

from ..arrays import Bytes, Codes, Ints
from .jit import kernel, leading_zeros, prefetch

END, WIDE = 255, 128
"""Classes of bytes: the end of a document, and the first byte of a non-ASCII character (see above)."""

POSITION, ROW, ROW_START, N_ENTRIES, N_WORDS, WORD_LENGTH, STATE_SIZE = range(7)
"""Positions in `state` (uint64): where `count_words` continues, and the length of a word that found no room."""

PADDING = 8
"""How many more bytes than the text the array has to which `write_letters` writes."""

UNKNOWN = (1 << 32) - 1
"""The number, in a sequence, of a word that is not in the table."""

MAX_WORDS = (1 << 31) - 2
"""The largest number of words of a table, whose numbers have 31 bits."""

_0, _1, _2, _3, _4 = (np.uint64(n) for n in range(5))
_6, _7, _8, _12, _18, _32, _64 = (np.uint64(n) for n in (6, 7, 8, 12, 18, 32, 64))
_LOW_32 = np.uint64((1 << 32) - 1)
# The second code of a slot, `meta`: last entry << 32 | "longer than eight bytes" << 31 | word number + 1.
_LONG_BIT = np.uint64(1 << 31)
_NUMBER_BITS = np.uint64((1 << 31) - 1)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # odd, with well-mixed bits: 2^64 divided by the golden ratio
_UNKNOWN_ENTRY = np.uint64(UNKNOWN << 32)
_BATCH = 64  # how many words are looked up at once
_HIGH_BITS = np.uint64(0x8080808080808080)  # of each of eight bytes
_LOW_7_BITS = np.uint64(0x7F7F7F7F7F7F7F7F)
# UTF-8: the bits of a code point in the first byte of two, three or four, and in the other bytes; and the first bytes
# with which characters of three and of four bytes begin.
_LEAD_2, _LEAD_3, _LEAD_4, _TAIL = (np.uint64(n) for n in (0x1F, 0x0F, 0x07, 0x3F))
_FROM_3, _FROM_4 = np.uint64(0xE0), np.uint64(0xF0)


@kernel
def slot_shift(slots: Codes) -> np.uint64:
    """Return how far to shift a 64-bit hash to the right to get the number of a slot.

    There are 2^b slots, so the highest b bits of the hash are the number, and the shift is 64 - b.
    """
    bits = _0
    while (_2 << bits) < np.uint64(slots.size):  # a slot has two codes, so there are slots.size / 2 slots
        bits += _1
    return _64 - bits


@kernel
def slot_of(key: np.uint64, shift: np.uint64, seed: np.uint64) -> np.uint64:
    """Return the first slot to try for a key.

    The seed differs between processes, so nobody can prepare a text whose words all get the same slot.
    """
    mixed = (key ^ seed) * _MULTIPLIER
    mixed ^= mixed >> _32
    return (mixed * _MULTIPLIER) >> shift


@kernel
def fold_bytes(hash_so_far: np.uint64, eight_bytes: np.uint64) -> np.uint64:
    """Return the hash of a long word after its next eight bytes.

    It multiplies twice: otherwise later bytes could cancel a change in the highest bits, whatever the seed.
    """
    mixed = (hash_so_far ^ eight_bytes) * _MULTIPLIER
    mixed ^= mixed >> _32
    return mixed * _MULTIPLIER


@kernel
def copy_slots(slots: Codes, grown: Codes, seed: np.uint64) -> None:
    """Copy the used slots to `grown`, a larger hash table that is empty."""
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
def decode(text: Bytes, position: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return the code point of the non-ASCII character that begins at a position, and its width in bytes."""
    first = np.uint64(text[position])
    second = np.uint64(text[position + _1]) & _TAIL
    if first < _FROM_3:
        return (first & _LEAD_2) << _6 | second, _2
    third = np.uint64(text[position + _2]) & _TAIL
    if first < _FROM_4:
        return (first & _LEAD_3) << _12 | second << _6 | third, _3
    fourth = np.uint64(text[position + _3]) & _TAIL
    return (first & _LEAD_4) << _18 | second << _12 | third << _6 | fourth, _4


@kernel
def write_letters(text: Bytes, classes: Bytes, wide_words: Bytes, letters: Bytes, document_ends: Codes) -> None:
    """Write the bytes of words to `letters`, as they are counted, and 0 for all others; and where each document ends.

    `classes` (256,) and the bitmap `wide_words` say what is a word character (see above). `letters` has `PADDING` more
    bytes than the text. The first of these is a letter, so that a search for the next word always ends.
    """
    document = 0
    position, end = _0, np.uint64(text.size)
    while position < end:
        byte_class = classes[text[position]]
        if byte_class < WIDE:
            letters[position] = byte_class
            position += _1
        elif byte_class == END:
            letters[position] = 0
            document_ends[document] = position
            document += 1
            position += _1
        else:
            code_point, width = decode(text, position)
            is_letter = (wide_words[code_point >> _3] >> np.uint8(code_point & _7)) & 1
            for byte in range(position, position + width):
                letters[byte] = text[byte] if is_letter else 0
            position += width
    letters[end] = 1
    letters[end + _1 :] = 0


@kernel
def eight_bytes(text: Bytes, position: np.uint64) -> np.uint64:
    """Return the eight bytes from a position on as a number, whose highest byte is the first (one instruction)."""
    return (
        np.uint64(text[position]) << np.uint64(56)
        | np.uint64(text[position + _1]) << np.uint64(48)
        | np.uint64(text[position + _2]) << np.uint64(40)
        | np.uint64(text[position + _3]) << _32
        | np.uint64(text[position + _4]) << np.uint64(24)
        | np.uint64(text[position + np.uint64(5)]) << np.uint64(16)
        | np.uint64(text[position + _6]) << _8
        | np.uint64(text[position + _7])
    )


@kernel
def letter_bits(eight: np.uint64) -> np.uint64:
    """Return a number in which the highest bit of each byte says whether this byte of `eight` is not 0."""
    return (((eight & _LOW_7_BITS) + _LOW_7_BITS) | eight) & _HIGH_BITS


@kernel
def same_bytes(text: Bytes, start: np.uint64, spelling: Bytes, known_start: np.uint64, length: np.uint64) -> bool:
    """Return whether `length` bytes, at least eight, are the same in `text` from `start` and in `spelling`."""
    offset, last = _0, length - _8
    while offset < last:
        if eight_bytes(text, start + offset) != eight_bytes(spelling, known_start + offset):
            return False
        offset += _8
    return bool(eight_bytes(text, start + last) == eight_bytes(spelling, known_start + last))


@kernel
def n_characters(letters: Bytes, start: np.uint64, length: np.uint64) -> np.uint64:
    """Return the number of characters of a word, which is its bytes without the later ones of characters."""
    n = _0
    for position in range(start, start + length):
        n += np.uint64((letters[position] & np.uint8(0xC0)) != np.uint8(0x80))
    return n


@kernel
def find_words(
    letters: Bytes,
    position: np.uint64,
    min_length: np.uint64,
    slots: Codes,
    seed: np.uint64,
    begins: Codes,
    lengths: Codes,
    keys: Codes,
) -> tuple[int, np.uint64]:
    """Write where the next words from a position on begin, their lengths in bytes and their keys.

    Returns the number of words, up to the size of the arrays, and the position after the last one, which is that of the
    letter after all documents if there are no more words. The slots of the words are prefetched.
    """
    shift = slot_shift(slots)
    end = np.uint64(letters.size) - np.uint64(PADDING)
    n_words = 0
    while n_words < begins.size:
        bits = letter_bits(eight_bytes(letters, position))
        while bits == 0:
            position += _8
            bits = letter_bits(eight_bytes(letters, position))
        position += leading_zeros(bits) >> _3
        if position == end:
            break
        begin = position
        key = eight_bytes(letters, position)
        n_read = leading_zeros(letter_bits(key) ^ _HIGH_BITS) >> _3  # the number of letters before the first 0
        position += n_read
        if n_read < _8:
            key >>= _64 - (n_read << _3)
            # Only if a word has non-ASCII characters, it has fewer characters than bytes.
            if n_read < min_length or (key & _HIGH_BITS != 0 and n_characters(letters, begin, n_read) < min_length):
                continue  # by default, a single character is not a word
        else:
            hash_so_far = seed
            while n_read == _8:
                eight = eight_bytes(letters, position)
                n_read = leading_zeros(letter_bits(eight) ^ _HIGH_BITS) >> _3
                if n_read != 0:
                    hash_so_far = fold_bytes(hash_so_far, key)
                    key = eight >> (_64 - (n_read << _3))
                    position += n_read
            if position - begin > _8:
                key = fold_bytes(hash_so_far, key) ^ (position - begin)
        prefetch(slots, _2 * slot_of(key, shift, seed))
        begins[n_words], lengths[n_words], keys[n_words] = begin, position - begin, key
        n_words += 1
    return n_words, position


@kernel
def count_words(
    letters: Bytes,
    document_ends: Codes,
    slots: Codes,
    starts: Codes,
    spelling: Bytes,
    seed: np.uint64,
    min_length: np.uint64,
    n_stop: np.uint64,
    learn: bool,
    in_sequence: bool,
    entries: Codes,
    row_ends: Codes,
    state: Codes,
) -> bool:
    """Count the words of each document; return True when all is done, False when an array is full.

    - `letters` and `document_ends` are written by `write_letters`; a word has at least `min_length` characters, 1 or 2;
    - `slots` (2 x number of slots), `starts` (words + 1) and `spelling` are the table of known words: word w is spelled
      `spelling[starts[w] : starts[w + 1]]`;
    - `entries` and `row_ends` are the output: an entry is word number << 32 | count, and those of document d end at
      `row_ends[d]`;
    - `state` says where to continue if this is not the first call.

    With `learn`, unknown words are added to the table, otherwise they are skipped. Words with numbers below `n_stop`
    are stop words and left out. With `in_sequence`, an entry is written for every single word in the order of the text,
    including unknown ones, from which n-grams are counted.
    """
    mask = np.uint64(slots.size // 2) - _1
    shift = slot_shift(slots)
    # At most half of the slots are used, and a slot has two codes.
    max_words = min(np.uint64(slots.size // 4), np.uint64(starts.size) - _1)
    max_entries = np.uint64(entries.size)
    max_bytes = np.uint64(spelling.size)
    end = np.uint64(letters.size) - np.uint64(PADDING)
    position = state[POSITION]
    row = state[ROW]
    row_start = state[ROW_START]
    n_entries = state[N_ENTRIES]
    n_words = state[N_WORDS]
    begins, lengths, keys = np.empty(_BATCH, np.uint64), np.empty(_BATCH, np.uint64), np.empty(_BATCH, np.uint64)
    room = True
    while room and position < end:
        # While the words of a batch are read, the processor loads the slots of those before.
        n_batched, position = find_words(letters, position, min_length, slots, seed, begins, lengths, keys)
        for item in range(n_batched):
            begin, length, key = begins[item], lengths[item], keys[item]
            is_long = _0 if length <= _8 else _LONG_BIT
            while begin > document_ends[row]:  # end the documents before the word
                row_ends[row] = n_entries
                row_start = n_entries
                row += _1
            room = n_entries < max_entries
            slot = slot_of(key, shift, seed)
            while room:
                meta = slots[_2 * slot + _1]
                if meta == 0:  # a free slot: the word is unknown
                    if learn:
                        spelling_start = starts[n_words]
                        if n_words == max_words or spelling_start + length > max_bytes:
                            room = False
                            break
                        for offset in range(length):
                            spelling[spelling_start + np.uint64(offset)] = letters[begin + np.uint64(offset)]
                        entries[n_entries] = (n_words << _32) | _1
                        n_words += _1
                        starts[n_words] = spelling_start + length
                        slots[_2 * slot] = key
                        slots[_2 * slot + _1] = (n_entries << _32) | is_long | n_words
                        n_entries += _1
                    elif in_sequence:
                        entries[n_entries] = _UNKNOWN_ENTRY
                        n_entries += _1
                    break
                if slots[_2 * slot] == key and (meta & _LONG_BIT) == is_long:
                    number = (meta & _NUMBER_BITS) - _1
                    if is_long == 0 or (
                        starts[number + _1] - starts[number] == length
                        and same_bytes(letters, begin, spelling, starts[number], length)
                    ):
                        if number < n_stop:
                            break
                        last_entry = meta >> _32  # where the word was last counted, perhaps in another row or call
                        if in_sequence:
                            entries[n_entries] = (number << _32) | _1
                            n_entries += _1
                        elif (
                            last_entry >= row_start and last_entry < n_entries and entries[last_entry] >> _32 == number
                        ):
                            entries[last_entry] += _1
                        else:
                            entries[n_entries] = (number << _32) | _1
                            slots[_2 * slot + _1] = (n_entries << _32) | (meta & _LOW_32)
                            n_entries += _1
                        break
                slot = (slot + _1) & mask
            if not room:  # the next call starts with this word again
                state[WORD_LENGTH] = length
                position = begin
                break
    if position == end:
        row_ends[row:] = n_entries
    state[POSITION] = position
    state[ROW] = row
    state[ROW_START] = row_start
    state[N_ENTRIES] = n_entries
    state[N_WORDS] = n_words
    return bool(position == end)


@kernel
def key_of(spelling: Bytes, begin: np.uint64, length: np.uint64, seed: np.uint64) -> np.uint64:
    """Return the key of a word that is spelled from a position on."""
    key, hash_so_far = _0, seed
    for offset in range(length):
        if offset & 7 == 0 and offset > 0:
            hash_so_far = fold_bytes(hash_so_far, key)
            key = _0
        key = (key << _8) | np.uint64(spelling[begin + np.uint64(offset)])
    return key if length <= _8 else fold_bytes(hash_so_far, key) ^ length


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
    """Look up a list of words in the table, from position `first` of the list on, and write their numbers to `numbers`.

    Word w of the list is spelled `new_spelling[new_starts[w] : new_starts[w + 1]]`; for the table, see `count_words`.
    With `learn`, missing words are added, otherwise their number is -1. Returns how many words of the list are done,
    which is fewer than all if an array is full, and how many words the table has.
    """
    mask = np.uint64(slots.size // 2) - _1
    shift = slot_shift(slots)
    # At most half of the slots are used, and a slot has two codes.
    max_words = min(np.uint64(slots.size // 4), np.uint64(starts.size) - _1)
    n_new = new_starts.size - 1
    keys = np.empty(_BATCH, np.uint64)
    for word in range(first, n_new):
        if (word - first) % _BATCH == 0:  # prefetch the slots of the next words
            for ahead in range(word, min(word + _BATCH, n_new)):
                key = key_of(new_spelling, new_starts[ahead], new_starts[ahead + 1] - new_starts[ahead], seed)
                keys[ahead - word] = key
                prefetch(slots, _2 * slot_of(key, shift, seed))
        begin = new_starts[word]
        length = new_starts[word + 1] - begin
        key = keys[(word - first) % _BATCH]
        is_long = _0 if length <= _8 else _LONG_BIT
        slot = slot_of(key, shift, seed)
        while True:
            meta = slots[_2 * slot + _1]
            if meta == 0:  # a free slot: the word is not in the table
                if not learn:
                    numbers[word] = -1
                    break
                spelling_start = starts[n_words]  # after the spellings of all known words
                if n_words == max_words or spelling_start + length > np.uint64(spelling.size):
                    return word, n_words
                for offset in range(length):
                    spelling[spelling_start + np.uint64(offset)] = new_spelling[begin + np.uint64(offset)]
                numbers[word] = n_words
                n_words += _1
                starts[n_words] = spelling_start + length
                slots[_2 * slot] = key
                slots[_2 * slot + _1] = is_long | n_words  # n_words is now the word's number plus one
                break
            if slots[_2 * slot] == key and (meta & _LONG_BIT) == is_long:
                number = (meta & _NUMBER_BITS) - _1
                known_start = starts[number]
                is_same = starts[number + _1] - known_start == length
                if is_same and is_long != 0:  # the key of a short word is exact, that of a long one is a hash
                    for offset in range(length):
                        if spelling[known_start + np.uint64(offset)] != new_spelling[begin + np.uint64(offset)]:
                            is_same = False
                            break
                if is_same:
                    numbers[word] = number
                    break
            slot = (slot + _1) & mask
    return n_new, n_words


@kernel
def add_up_forms(entries: Codes, row_ends: Codes, forms: Ints, last_entries: Codes) -> int:
    """Replace the counts of words by the counts of their forms (stems, lemmas) in place; return the number of entries.

    `forms` maps word numbers to form numbers, -1: the word is dropped. `last_entries` has for each form the position of
    the entry that was last written for it, perhaps in another row or call.
    """
    n_entries = np.uint64(0)
    begin = np.uint64(0)
    for row in range(row_ends.size):
        row_start = n_entries
        for position in range(begin, row_ends[row]):
            form = forms[entries[position] >> _32]
            if form < 0:
                continue
            count = entries[position] & _LOW_32
            last_entry = last_entries[form]
            if last_entry >= row_start and last_entry < n_entries and entries[last_entry] >> _32 == np.uint64(form):
                entries[last_entry] += count
            else:
                last_entries[form] = n_entries
                entries[n_entries] = np.uint64(form) << _32 | count
                n_entries += _1
        begin = row_ends[row]
        row_ends[row] = n_entries
    return int(n_entries)


@kernel
def write_forms(sequence: Codes, forms: Ints) -> None:
    """Replace each word of a sequence by its form, or by the code for an unknown word if it has none (-1), in place.

    `forms` maps word numbers to form numbers. All words of the sequence must be in the table of words.
    """
    for position in range(sequence.size):
        form = forms[sequence[position] >> _32]
        sequence[position] = _UNKNOWN_ENTRY if form < 0 else np.uint64(form) << _32 | _1


@kernel
def first_eight_bytes(spelling: Bytes, starts: Codes) -> Codes:
    """Return the first eight bytes of each word as a number, so that numbers compare as words do.

    Shorter words are padded with 0.
    """
    keys = np.empty(starts.size - 1, np.uint64)
    for word in range(keys.size):
        stop = min(starts[word + 1], starts[word] + _8)
        key = np.uint64(0)
        for position in range(starts[word], stop):
            key = (key << _8) | np.uint64(spelling[position])
        missing = _8 - (stop - starts[word])
        # The key of an empty word can't be shifted, since a shift by 64 bits is undefined.
        keys[word] = np.uint64(0) if missing == _8 else key << (_8 * missing)
    return keys


@kernel
def comes_before(spelling: Bytes, starts: Codes, word: int, other_word: int) -> bool:
    """Return whether a word sorts before another one."""
    position, other_position = starts[word], starts[other_word]
    while position < starts[word + 1] and other_position < starts[other_word + 1]:
        if spelling[position] != spelling[other_position]:
            return bool(spelling[position] < spelling[other_position])
        position += _1
        other_position += _1
    return bool(position == starts[word + 1] and other_position < starts[other_word + 1])


@kernel
def sort_ties(order: Ints, keys: Codes, spelling: Bytes, starts: Codes, max_size: int) -> Ints:
    """Sort words with equal keys (the first eight bytes) in place, by insertion; `order` is already sorted by key.

    Returns the begin and end, in turn, of each group of more than `max_size` words, which is left unsorted.
    """
    large_groups = [0 for _ in range(0)]  # an empty list of integers, for numba
    begin = 0
    while begin < order.size:
        end = begin + 1
        while end < order.size and keys[order[end]] == keys[order[begin]]:
            end += 1
        if end - begin > max_size:
            large_groups.append(begin)
            large_groups.append(end)
        else:
            for position in range(begin + 1, end):
                word = order[position]
                previous = position - 1
                while previous >= begin and comes_before(spelling, starts, word, order[previous]):
                    order[previous + 1] = order[previous]
                    previous -= 1
                order[previous + 1] = word
        begin = end
    return np.array(large_groups, np.int64)


@kernel
def join_spellings(words: Ints, lengths: Ints, spelling: Bytes, starts: Codes, joined: Bytes) -> int:
    """Write the spellings of terms to `joined`, with a space between the words of a term and a line break after it.

    `words` has the words of all terms, `lengths` the number of words of each term. Returns the number of bytes written.
    """
    written = 0
    word = 0
    for length in lengths:
        for n_left in range(length, 0, -1):
            for source in range(starts[words[word]], starts[words[word] + 1]):
                joined[written] = spelling[source]
                written += 1
            joined[written] = 32 if n_left > 1 else 10  # a space, or a line break after the last word
            written += 1
            word += 1
    return written
