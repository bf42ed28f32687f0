"""Number the distinct words of texts, in hash tables that the kernels fill and whose arrays grow as needed.

`WordTable` numbers words as they are written: 0, 1, 2, ... in the order in which they first occur.

`FormTable` numbers the *forms* of words instead: their stems or lemmas, so that `cat` and `cats` are counted together.
Computing a form is slow, so it is done once for each distinct word. For that, a `FormTable` contains a `WordTable` of
the words as written, including the stop words, and the number of each word's form. The word table counts a slice of
documents; then new words get their forms, and the counts of words with the same form are added up. So the loop over the
text is the same as without forms. Forms are numbered in the order of first use, because words are.

`CharacterTable` numbers n-grams of characters. `SpelledTable` numbers terms that come from Python code, such as a
user's tokenizer. In both, a "word" can contain any character, even NUL. If NUL were stored as the byte 0, a short word
would have the same key with and without a NUL before it (see `kernels.words`). So NUL is stored as the two bytes
`NUL_BYTES`; when words are sorted or converted to strings, these become NUL again.

Several threads count known terms at once, each with its own *reader* of the table. A reader adds no terms. Some readers
are kept and reused for later documents:

- those of a table with few words, because copying its slots can take longer than counting a document;
- those of a `FormTable`, because they remember the forms of all words that they have seen, in their own table of words
  as written. So a stream of predictions looks up the form of a frequent word once, not in every batch. A reader with
  too many words keeps the first half, since frequent words come early.
"""

import mmap
import os
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import copy
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..arrays import Bytes, Codes, Ints
from ..errors import InputError
from ..kernels import characters, words
from ..kernels import tokens as token_kernels
from .tokens import GRAM_LENGTHS, ascii_kinds, character_kinds
from .words import Forms, TokenRule, byte_classes, wide_characters

Number = TypeVar("Number", bound=np.number)

SEED = np.uint64(int.from_bytes(os.urandom(8), "little"))
"""The seed of the hash tables. It is random, so that nobody can prepare texts whose words all get the same slot."""

FEW_ENTRIES = 1 << 12
"""The initial size of an array of entries (see `SliceCounts`)."""

MAX_IDLE_BYTES = 1 << 22
"""The largest size of a reader of a `WordTable` that is kept for later use."""

NUL_BYTES = b"\xc0\x80"
"""How NUL is written in texts and spellings where it can be a part of terms, instead of as the byte 0.

UTF-8 has no such bytes. The first one tells the kernels that the character has two bytes, whose code point is 0.
"""

_SMALL_GROUP = 64  # up to this many words with the same first eight bytes are sorted by a kernel
_HUGE_PAGE_BYTES = 1 << 21
_LARGE_BYTES = 1 << 19  # arrays of this size or more come directly from the operating system
# Takes the place of the bitmap for ASCII text, where the kernel never reads it. It is read-only like other bitmaps,
# because numba would compile the kernel again for a writable array.
_NO_BITMAP = np.frombuffer(b"", np.uint8)


class Slice(NamedTuple):
    """The UTF-8 text of some documents, each followed by 0xFF; `wide` says whether it has non-ASCII characters."""

    text: bytes
    n_documents: int
    wide: bool


class TermSlice(NamedTuple):
    """Some documents as lists of terms: the UTF-8 text of all terms, and where each term begins in it.

    The terms of document d end before term number `row_ends[d]`, the first term of the next document.
    """

    spelling: Bytes
    starts: Codes
    row_ends: Codes


AnySlice = Slice | TermSlice


class TokenClasses(NamedTuple):
    """A rule for tokens, and the tables by which kernels find them in texts."""

    rule: TokenRule
    classes: Bytes  # (256,) see `words.byte_classes`
    joins_names: bool = False
    breaks: bool = False
    """Whether breaks are written into the text where n-grams of words end; see `kernels.tokens`."""

    @classmethod
    def of(cls, rule: TokenRule, *, lowercase: bool, joins_names: bool = False, breaks: bool = False) -> "TokenClasses":
        """Return the tables for a rule; with `lowercase`, ASCII is lowercased."""
        return cls(rule, byte_classes(lowercase, joins_names, rule.characters), joins_names, breaks)

    def text_and_bitmap(self, documents: Slice) -> tuple[Bytes, Bytes]:
        """Return the text of a slice as kernels read it, and the bitmap of the token characters beyond ASCII.

        In the text, joiners that are not inside a word, such as the hyphen of `pre-`, are replaced by spaces. If the
        rule splits scripts, the text is rewritten with a space after each token.
        """
        text = np.frombuffer(documents.text, np.uint8)
        bitmap = wide_characters(self.rule.characters) if documents.wide else _NO_BITMAP
        if self.rule.has_joiners:
            text = text.copy()
            wide_words = wide_characters() if documents.wide else _NO_BITMAP
            characters.blank_outer_joiners(text, self.classes, bitmap, byte_classes(lowercase=False), wide_words)
        if self.rule.splits_scripts:
            text = self._with_separated_tokens(text, wide=documents.wide)
        text.flags.writeable = False
        return text, bitmap

    def _with_separated_tokens(self, text: Bytes, *, wide: bool) -> Bytes:
        """Return the text with a space after each token of the analyzer "text"; `wide`: not all of it is ASCII."""
        # In ASCII, a token has at least one byte and is followed by a space, and there are no units (see `tokens`).
        growth = token_kernels.max_growth(*GRAM_LENGTHS) if wide else 2
        written = np.empty(growth * text.size, np.uint8)
        units = np.empty(text.size // 3 + 2 if wide else 0, np.uint64)  # a unit has at least three bytes
        kinds = character_kinds(self.joins_names) if wide else ascii_kinds(self.joins_names)
        size = token_kernels.write_tokens(text, kinds, *GRAM_LENGTHS, self.breaks, units, written)
        return written[:size]


class SliceCounts(NamedTuple):
    """The counts of a slice of documents. An entry is the code term number << 32 | count.

    The entries of document d end at `row_ends[d]`, where those of the next document begin. There is an entry for each
    distinct term of a document. But if words are listed *in sequence*, there is an entry with a count of 1 for each
    word of the text, in order; n-grams of words are then counted in this sequence.
    """

    entries: Codes
    row_ends: Codes


def allocate_zeros(size: int, dtype: type[Number]) -> NDArray[Number]:
    """Return an array of zeros.

    A large one is allocated directly by the operating system (`mmap`), which gets its memory back when the array is
    freed. In the heap, the memory would stay with the thread that allocated it. Linux is asked for huge pages: a table
    is filled in random order, and with small pages, the first access to each page takes longer than filling it.
    """
    n_bytes = size * np.dtype(dtype).itemsize
    if n_bytes < _LARGE_BYTES:
        return np.zeros(size, dtype)
    if not hasattr(mmap, "MADV_HUGEPAGE"):  # not Linux
        return np.frombuffer(mmap.mmap(-1, n_bytes), dtype)
    memory = mmap.mmap(-1, n_bytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if n_bytes >= _HUGE_PAGE_BYTES:
        with suppress(OSError):  # a kernel without huge pages
            memory.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(memory, dtype)


def with_room(array: NDArray[Number], min_size: int) -> NDArray[Number]:
    """Return the array, or, if it has fewer than `min_size` elements, a copy with at least twice its size."""
    if array.size >= min_size:
        return array
    grown = allocate_zeros(max(2 * array.size, min_size), array.dtype.type)
    grown[: array.size] = array
    return grown


def doubled_slots(slots: Codes) -> Codes:
    """Return a hash table with twice as many slots and the same content."""
    grown = allocate_zeros(2 * slots.size, np.uint64)
    words.copy_slots(slots, grown, SEED)
    return grown


def encode_terms(terms: Sequence[str], terminator: bytes = b"") -> tuple[Bytes, Codes]:
    """Return the UTF-8 bytes of all terms in one array, each followed by the terminator, and where each term begins.

    For `a`, `bc` and no terminator, this is `abc` and the begins 0, 1, 3, of which the last is the total number of
    bytes. The terminator is one byte, or empty. NUL is written as `NUL_BYTES`.
    """
    text = "\n".join([*terms, ""])
    starts = np.zeros(len(terms) + 1, np.uint64)
    # If no term has a line break, all terms can be encoded at once, which is faster. The line breaks between them are
    # then replaced by the terminator, or removed.
    if text.count("\n") == len(terms):
        lines = np.frombuffer(_encoded(text), np.uint8)
        is_end = lines == ord("\n")
        if terminator:
            starts[1:] = np.flatnonzero(is_end) + 1
            return np.where(is_end, np.frombuffer(terminator, np.uint8), lines), starts
        # A term ends where its line break is, minus the line breaks of the terms before, which are removed, too.
        starts[1:] = np.flatnonzero(is_end) - np.arange(len(terms))
        return lines[~is_end], starts
    encoded = [_encoded(term) + terminator for term in terms]
    starts[1:] = np.cumsum([len(term) for term in encoded], dtype=np.uint64)
    return np.frombuffer(b"".join(encoded), np.uint8), starts


def _encoded(text: str) -> bytes:
    """Return a text as UTF-8, with `NUL_BYTES` for NUL."""
    return text.encode("utf-8", "surrogatepass").replace(b"\0", NUL_BYTES)


class WordTable:
    """A table of words and their numbers, with a hash table to look them up; see `kernels.words` for the arrays.

    Word w is spelled `spelling[starts[w] : starts[w + 1]]`. Stop words have the lowest numbers, below `n_stop`.
    """

    def __init__(self, stop_words: Sequence[str] = ()) -> None:
        self.slots: Codes = np.zeros(2 << 13, np.uint64)  # two codes for each slot
        self.starts: Codes = np.zeros(1 << 12, np.uint64)
        self.spelling: Bytes = np.empty(1 << 16, np.uint8)
        self.size = 0
        self.entries: Codes = np.empty(FEW_ENTRIES, np.uint64)
        self._idle_readers: deque[WordTable] = deque(maxlen=os.cpu_count())
        self.add(*encode_terms(stop_words))
        self.n_stop = self.size

    def reader(self) -> "WordTable":
        """Return a table with which another thread counts the same words: an idle reader, or a new one."""
        try:
            while (idle := self._idle_readers.pop()).size != self.size:  # discard readers without the newest words
                pass
        except IndexError:  # no idle reader is left
            return self._new_reader()
        return idle

    def _new_reader(self) -> "WordTable":
        """Return a new reader. It shares the spellings, but has its own slots, to which counting writes."""
        other = copy(self)
        other.slots = self.slots.copy()
        other.entries = np.empty(FEW_ENTRIES, np.uint64)
        other._idle_readers = deque()
        return other

    def return_reader(self, reader: "WordTable") -> None:
        """Keep a reader that has finished for later use, unless it is large."""
        if reader.slots.nbytes + reader.entries.nbytes <= MAX_IDLE_BYTES:
            self._idle_readers.append(reader)

    def empty_copy(self) -> "WordTable":
        """Return a table with only the stop words of this one."""
        return self.first_words(self.n_stop)

    def first_words(self, n_words: int) -> "WordTable":
        """Return a table with only the first `n_words` words of this one, which include the stop words."""
        other = WordTable()
        spelling, starts = self.spellings()
        other.add(spelling, starts[: n_words + 1])
        other.n_stop = self.n_stop
        return other

    def count(self, documents: AnySlice, tokens: TokenClasses, *, learn: bool, in_sequence: bool) -> SliceCounts:
        """Count the words of some documents, or list them `in_sequence` (see `SliceCounts`).

        With `learn`, unknown words are added; otherwise they are not counted, or are listed as `kernels.words.UNKNOWN`.
        """
        assert isinstance(documents, Slice)
        text, bitmap = tokens.text_and_bitmap(documents)
        letters = np.empty(text.size + words.PADDING, np.uint8)
        document_ends = np.empty(documents.n_documents, np.uint64)
        words.write_letters(text, tokens.classes, bitmap, letters, document_ends)
        row_ends = np.empty(documents.n_documents, np.uint64)
        state = np.zeros(words.STATE_SIZE, np.uint64)

        def count_some() -> bool:
            return words.count_words(
                letters, document_ends, self.slots, self.starts, self.spelling, SEED,
                np.uint64(tokens.rule.min_length), np.uint64(self.n_stop), learn, in_sequence,
                self.entries, row_ends, state,
            )  # fmt: skip

        return self._count_all(count_some, state, row_ends)

    def _count_all(self, count_some: Callable[[], bool], state: Codes, row_ends: Codes) -> SliceCounts:
        """Call a counting kernel until it returns True, which means that it is done; return the counts.

        If it returns False, an array is full: make room and call it again; it continues from `state`.
        """
        state[words.N_WORDS] = self.size
        while True:
            is_done = count_some()
            self.size = int(state[words.N_WORDS])
            n_entries = int(state[words.N_ENTRIES])
            if is_done:
                return SliceCounts(self.entries[:n_entries].copy(), row_ends)
            self._make_room(int(state[words.WORD_LENGTH]))
            self.entries = with_room(self.entries, n_entries + 1)

    def add(self, new_spelling: Bytes, new_starts: Codes) -> Ints:
        """Return the numbers of the given words, adding new ones; for the arguments, see `encode_terms`."""
        numbers = np.empty(new_starts.size - 1, np.int64)
        n_done = 0
        while True:  # the kernel stops when an array is full, and returns how many words are done
            n_done, size = words.add_words(
                new_spelling, new_starts, n_done, self.slots, self.starts, self.spelling,
                np.uint64(self.size), SEED, True, numbers,  # True: learn
            )  # fmt: skip
            self.size = int(size)
            if n_done == numbers.size:
                return numbers
            self._make_room(int(new_starts[n_done + 1] - new_starts[n_done]))

    def find(self, new_spelling: Bytes, new_starts: Codes) -> Ints:
        """Return the numbers of the given words, -1 for unknown ones; for the arguments, see `encode_terms`."""
        numbers = np.empty(new_starts.size - 1, np.int64)
        words.add_words(
            new_spelling, new_starts, 0, self.slots, self.starts, self.spelling,
            np.uint64(self.size), SEED, False, numbers,  # 0: from the first word on; False: don't learn
        )  # fmt: skip
        return numbers

    def reserve(self, n_words: int, n_bytes: int) -> None:
        """Make room for `n_words` words, whose spellings have `n_bytes` bytes, including the words in the table."""
        n_codes = self.slots.size
        while n_codes < 4 * n_words:  # a slot has two codes, and at most half of the slots are used
            n_codes *= 2
        if n_codes > self.slots.size:
            grown = allocate_zeros(n_codes, np.uint64)
            words.copy_slots(self.slots, grown, SEED)
            self.slots = grown
        self.starts = with_room(self.starts, n_words + 2)  # n_words + 1 are needed, one is spare
        self.spelling = with_room(self.spelling, n_bytes)

    def _make_room(self, n_bytes: int) -> None:
        """Make room for one more word with `n_bytes` bytes."""
        if self.size >= words.MAX_WORDS:
            raise InputError(f"More than {words.MAX_WORDS:,} different words", hint="count in smaller parts")
        if 4 * self.size >= self.slots.size:  # half of the slots, which have two codes each, are used
            self.slots = doubled_slots(self.slots)
        self.starts = with_room(self.starts, self.size + 2)  # with the new word, and where it ends
        self.spelling = with_room(self.spelling, int(self.starts[self.size]) + n_bytes)

    def spellings(self) -> tuple[Bytes, Codes]:
        """Return the bytes of all words, and where each word begins; the last element is where the last word ends."""
        return self.spelling, self.starts[: self.size + 1]

    def lengths(self) -> Ints:
        """Return the number of bytes of each word."""
        starts = self.starts[: self.size + 1].astype(np.int64)
        return starts[1:] - starts[:-1]

    def has_control_characters(self) -> bool:
        """Return whether a word has a character that sorts before the space, such as NUL.

        Then n-grams, whose words are joined by spaces, can't be sorted word by word.
        """
        used = self.spelling[: int(self.starts[self.size])]
        return bool(((used < ord(" ")) | (used == NUL_BYTES[0])).any())

    def ranks(self) -> Ints:
        """Return the rank of each word in the order in which Python sorts strings."""
        ranks = np.empty(self.size, np.int64)
        ranks[sorted_spellings(*self.spellings())] = np.arange(self.size)
        return ranks

    def joined(self, term_words: Ints, n_words: Ints) -> tuple[Bytes, Codes]:
        """Return the spellings of terms in one array, with a space between words and a line break after each term.

        Returns also where each line break ends. `term_words` has the word numbers of all terms, one term after the
        other, and `n_words` the number of words of each term.
        """
        n_bytes = self.lengths()[term_words] + 1  # with a space or a line break after each word
        joined = np.empty(int(n_bytes.sum()), np.uint8)
        words.join_spellings(term_words, n_words, *self.spellings(), joined)
        ends = np.cumsum(n_bytes)[np.cumsum(n_words) - 1].astype(np.uint64)
        return joined, ends

    def spell_terms(self, term_words: Ints, n_words: Ints) -> list[str]:
        """Return terms as strings, with spaces between their words; for the arguments, see `joined`."""
        return split_terms(*self.joined(term_words, n_words)) if n_words.size else []


def sorted_spellings(spelling: Bytes, starts: Codes) -> Ints:
    """Return the numbers of words in the order in which Python sorts strings; word w begins at `starts[w]`."""
    spelling, starts = _with_plain_nul(spelling, starts)
    keys = words.first_eight_bytes(spelling, starts)
    order = np.argsort(keys)
    # Words with equal keys are not sorted yet: small groups of them are sorted by a kernel, large ones by Python.
    large_groups = words.sort_ties(order, keys, spelling, starts, _SMALL_GROUP)
    for begin, end in large_groups.reshape(-1, 2).tolist():
        group = order[begin:end].tolist()
        group.sort(key=lambda word: spelling[starts[word] : starts[word + 1]].tobytes())
        order[begin:end] = group
    return order


def _with_plain_nul(spelling: Bytes, starts: Codes) -> tuple[Bytes, Codes]:
    """Return spellings with the byte 0 for `NUL_BYTES`, so that bytes sort as strings do, and where each begins."""
    used = spelling[: int(starts[-1])]
    is_nul = used == NUL_BYTES[0]
    if not is_nul.any():
        return spelling, starts
    # The first of the two bytes becomes 0, and the second is removed.
    is_kept = np.append(True, ~is_nul[:-1])
    n_kept_before = np.append(0, np.cumsum(is_kept)).astype(np.uint64)
    return np.where(is_nul, np.uint8(0), used)[is_kept], n_kept_before[starts]


def split_terms(joined: Bytes, ends: Codes) -> list[str]:
    """Return terms as strings, given their spellings with a line break after each, and where each line break ends."""
    text = joined[:-1].tobytes().replace(NUL_BYTES, b"\0").decode("utf-8", "surrogatepass")
    terms = text.split("\n")
    if len(terms) == ends.size:
        return terms
    # Some terms contain line breaks: cut the text where terms end, counted in characters instead of bytes. Only the
    # later bytes of a character have the highest bits 10.
    n_characters_up_to = np.cumsum((joined & 0xC0) != 0x80)
    character_ends = n_characters_up_to[ends.astype(np.int64) - 1]
    return [text[begin : end - 1] for begin, end in pairwise([0, *character_ends.tolist()])]


class CharacterTable(WordTable):
    """A table of n-grams of characters and their numbers.

    With `padded`, n-grams are formed within each word with a space on both sides, otherwise in the whole text.
    """

    def __init__(self, ngram_range: tuple[int, int], *, padded: bool) -> None:
        super().__init__()
        self._ngram_range = ngram_range
        self._padded = padded

    def empty_copy(self) -> "CharacterTable":
        """Return a table without n-grams."""
        return CharacterTable(self._ngram_range, padded=self._padded)

    def count(self, documents: AnySlice, tokens: TokenClasses, *, learn: bool, in_sequence: bool) -> SliceCounts:
        """Count the n-grams of some documents; with `learn`, add unknown n-grams. `in_sequence` must be False."""
        assert isinstance(documents, Slice)
        assert not in_sequence
        text, bitmap = tokens.text_and_bitmap(documents)
        # The parts of texts in which n-grams are formed: whole texts or padded words. See `write_runs` for the size.
        runs = np.empty(text.size * 5 // 2 if self._padded else text.size, np.uint8)
        runs = runs[: characters.write_runs(text, tokens.classes, bitmap, self._padded, runs)]
        row_ends = np.empty(documents.n_documents, np.uint64)
        state = np.zeros(characters.STATE_SIZE, np.uint64)
        min_n, max_n = self._ngram_range
        # An n-gram has no more characters than the text has bytes. Without `learn`, only known n-grams are counted, and
        # these have no more characters than the longest one has bytes.
        max_n = min(max_n, runs.size if learn else int(self.lengths().max(initial=1)))

        def count_some() -> bool:
            return characters.count_characters(
                runs, min_n, max_n, self._padded, self.slots, self.starts, self.spelling, SEED,
                learn, self.entries, row_ends, state,
            )  # fmt: skip

        return self._count_all(count_some, state, row_ends)


class SpelledTable(WordTable):
    """A table of terms that were listed in Python; it counts `TermSlice`s."""

    def __init__(self) -> None:
        super().__init__()
        self._last_entries: Codes = np.empty(0, np.uint64)

    def _new_reader(self) -> "SpelledTable":
        """Return a table with which another thread counts the same terms."""
        other = copy(self)
        other._last_entries = np.empty(0, np.uint64)  # the only array to which a reader writes
        other._idle_readers = deque()
        return other

    def empty_copy(self) -> "SpelledTable":
        """Return a table without terms."""
        return SpelledTable()

    def count(self, documents: AnySlice, tokens: TokenClasses, *, learn: bool, in_sequence: bool) -> SliceCounts:
        """Count the terms of some documents; with `learn`, add unknown terms. `in_sequence` must be False."""
        assert isinstance(documents, TermSlice)
        assert not in_sequence
        spelled = documents.spelling, documents.starts
        numbers = self.add(*spelled) if learn else self.find(*spelled)
        # The kernel that adds up the counts of words with the same form is used to add up occurrences of the same term:
        # the "word" number i is occurrence i, which is counted once, and its "form" is the number of the term.
        entries = np.arange(numbers.size, dtype=np.uint64) << np.uint64(32) | np.uint64(1)
        row_ends = documents.row_ends.copy()
        self._last_entries = with_room(self._last_entries, self.size)
        n_entries = words.add_up_forms(entries, row_ends, numbers, self._last_entries)
        return SliceCounts(entries[:n_entries].copy(), row_ends)


MAX_READER_WORDS = 1 << 18
"""The largest number of words that a reader keeps from one slice of documents to the next."""


class FormTable(WordTable):
    """A hash table of the forms (stems or lemmas) of words and their numbers.

    `_written` is a table of the words as written, and `_form_numbers` has the number of each word's form: -1 for stop
    words, which are not counted, and in a reader also for words whose form is not in the table.
    """

    def __init__(self, forms: Forms, stop_words: WordTable) -> None:
        super().__init__()
        self._forms = forms
        self._written = stop_words  # words of texts are added to it
        self._form_numbers = np.full(stop_words.size, -1, np.int64)
        self._last_entries: Codes = np.empty(0, np.uint64)

    def _new_reader(self) -> "FormTable":
        """Return a reader that shares the forms, but has its own table of words as written."""
        other = self.empty_copy()
        # Even the slots are shared: a reader only looks forms up, and counts in its own table of words as written.
        other.slots, other.starts, other.spelling, other.size = self.slots, self.starts, self.spelling, self.size
        return other

    def return_reader(self, reader: WordTable) -> None:
        """Keep a reader that has finished, with the words it has seen, for later use."""
        self._idle_readers.append(reader)

    def empty_copy(self) -> "FormTable":
        """Return a table with the same stop words and no forms."""
        return FormTable(self._forms, self._written.empty_copy())

    def count(self, documents: AnySlice, tokens: TokenClasses, *, learn: bool, in_sequence: bool) -> SliceCounts:
        """Count the forms of the words of some documents, or list them `in_sequence`; see `WordTable.count`."""
        if not learn:  # this is a reader, which may be reused for an endless stream
            self._drop_late_words()
        # Words as written are always added, so that the form of each is looked up once.
        counts = self._written.count(documents, tokens, learn=True, in_sequence=in_sequence)
        self._add_forms_of_new_words(learn=learn)
        if in_sequence:
            words.write_forms(counts.entries, self._form_numbers)
            return counts
        self._last_entries = with_room(self._last_entries, self.size)
        n_entries = words.add_up_forms(*counts, self._form_numbers, self._last_entries)
        return SliceCounts(counts.entries[:n_entries].copy(), counts.row_ends)

    def _add_forms_of_new_words(self, *, learn: bool) -> None:
        """Set the form numbers of the words that the last slice added; with `learn`, add unknown forms."""
        new_words = np.arange(len(self._form_numbers), self._written.size)
        if not len(new_words):
            return
        spelled = self._written.spell_terms(new_words, n_words=np.ones(len(new_words), np.int64))
        encoded = encode_terms(self._forms(spelled))
        numbers: Ints = self.add(*encoded) if learn else self.find(*encoded)
        self._form_numbers = np.concatenate([self._form_numbers, numbers])

    def _drop_late_words(self) -> None:
        """If there are too many words as written, keep those that came first, which include most frequent words."""
        if self._written.size > self._written.n_stop + MAX_READER_WORDS:
            n_words = self._written.n_stop + MAX_READER_WORDS // 2
            self._written = self._written.first_words(n_words)
            self._form_numbers = self._form_numbers[:n_words].copy()
