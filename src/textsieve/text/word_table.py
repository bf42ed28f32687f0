"""Number the distinct words of texts: the arrays that the kernels fill, growing as needed.

Words are numbered in the order in which they first occur.

`FormTable` counts normal forms (stems, for instance) instead of words, and computes the form of each distinct word
once. It contains a table of the words as written, including the stop words. That table counts a slice of documents;
then new words get their forms, and counts are added up by form. So the loop over the text is the same as without forms.
Forms are numbered in the order of first use, because words are.

A reader of a `FormTable` learns words as written, but no forms. It is reused for later slices, so that a stream of
predictions looks up the form of a frequent word once, not in every batch. A reader with too many words keeps the first
half, since frequent words come early.
"""

import os
from collections import deque
from collections.abc import Sequence
from copy import copy
from mmap import mmap
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..arrays import Bytes, Codes, Ints
from ..errors import InputError
from ..kernels import words
from .words import Forms, wide_words

Number = TypeVar("Number", bound=np.number)

SEED = np.uint64(int.from_bytes(os.urandom(8), "little"))
"""Where a key is looked for first differs from process to process, so that no text can be made to collide."""

FEW_ENTRIES = 1 << 12
_FEW_TIES = 64
_LARGE = 1 << 19
_NO_BITMAP = np.zeros(0, np.uint8)


class Slice(NamedTuple):
    """The UTF-8 text of some documents, each followed by 0xFF; `wide` if there are non-ASCII characters."""

    text: bytes
    n_documents: int
    wide: bool


class SliceCounts(NamedTuple):
    """The counts of a slice of documents: entries (number << 32 | count), and where those of each document end."""

    entries: Codes
    row_ends: Codes


def fresh(size: int, kind: type[Number]) -> NDArray[Number]:
    """Return an array of zeros.

    A large one comes directly from the operating system and is returned there when it is freed; from the heap, it would
    stay with the thread that created it.
    """
    n_bytes = size * np.dtype(kind).itemsize
    return np.zeros(size, kind) if n_bytes < _LARGE else np.frombuffer(mmap(-1, n_bytes), kind)


def room(array: NDArray[Number], least: int) -> NDArray[Number]:
    """Return the array, or a copy of at least twice its size if it has fewer than `least` entries."""
    if array.size >= least:
        return array
    grown = fresh(max(2 * array.size, least), array.dtype.type)
    grown[: array.size] = array
    return grown


def doubled_slots(slots: Codes) -> Codes:
    """Return the used slots in a table of twice the size."""
    grown = fresh(2 * slots.size, np.uint64)
    words.copy_slots(slots, grown, SEED)
    return grown


def spelled_out(terms: Sequence[str], after_each: bytes = b"") -> tuple[Bytes, Codes]:
    """Return the bytes of many terms in one array, and where each begins."""
    encoded = [term.encode("utf-8", "surrogatepass") + after_each for term in terms]
    starts = np.zeros(len(encoded) + 1, np.uint64)
    starts[1:] = np.cumsum([len(term) for term in encoded], dtype=np.uint64)
    return np.frombuffer(b"".join(encoded), np.uint8), starts


def spelled_as_lines(words: Sequence[str]) -> tuple[Bytes, Codes]:
    """Return the same as `spelled_out` for words without line breaks, four times as fast, since all are encoded at
    once.
    """
    lines = np.frombuffer("\n".join([*words, ""]).encode(), np.uint8)
    is_end = lines == ord("\n")
    starts = np.zeros(len(words) + 1, np.uint64)
    starts[1:] = np.flatnonzero(is_end) - np.arange(len(words))
    return lines[~is_end], starts


class WordTable:
    """A hash table with open addressing over the spellings of words; see `kernels.words`. Stop words have the lowest
    numbers.
    """

    def __init__(self, stop_words: Sequence[str] = ()) -> None:
        self.slots: Codes = np.zeros(2 << 13, np.uint64)
        self.starts: Codes = np.zeros(1 << 12, np.uint64)
        self.spelling: Bytes = np.empty(1 << 16, np.uint8)
        self.size = 0
        self.entries: Codes = np.empty(FEW_ENTRIES, np.uint64)
        self.add(*spelled_out(stop_words))
        self.n_stop = self.size

    def reader(self) -> "WordTable":
        """Return a table for another thread that shares the words but has its own record of where each was last
        counted.
        """
        other = copy(self)
        other.slots = self.slots.copy()
        other.entries = np.empty(FEW_ENTRIES, np.uint64)
        return other

    def take_back(self, reader: "WordTable") -> None:
        """Take back a reader that has finished; there is nothing to reuse."""

    def empty_twin(self) -> "WordTable":
        """Return a table with only the stop words of this one."""
        return self.beginning(self.n_stop)

    def beginning(self, n_words: int) -> "WordTable":
        """Return a table with only the first words of this one, which include the stop words."""
        other = WordTable()
        letters, starts = self.spellings()
        other.add(letters, starts[: n_words + 1])
        other.n_stop = self.n_stop
        return other

    def count(self, documents: Slice, classes: Bytes, *, learn: bool, in_sequence: bool) -> SliceCounts:
        """Count the words of some documents, or list them `in_sequence`."""
        text = np.frombuffer(documents.text, np.uint8)
        bitmap = wide_words() if documents.wide else _NO_BITMAP
        row_ends = np.empty(documents.n_documents, np.uint64)
        state = np.zeros(words.STATE_SIZE, np.uint64)
        state[words.N_WORDS] = self.size
        while True:
            done = words.count_words(
                text, classes, bitmap, self.slots, self.starts, self.spelling, SEED,
                np.uint64(self.n_stop), learn, in_sequence, self.entries, row_ends, state,
            )  # fmt: skip
            self.size = int(state[words.N_WORDS])
            n_entries = int(state[words.N_ENTRIES])
            if done:
                return SliceCounts(self.entries[:n_entries].copy(), row_ends)
            self._make_room(int(state[words.WORD_LENGTH]))
            self.entries = room(self.entries, n_entries + 1)

    def add(self, new_spelling: Bytes, new_starts: Codes) -> Ints:
        """Return the numbers of the given words, adding new ones."""
        numbers = np.empty(new_starts.size - 1, np.int64)
        done = 0
        while True:
            done, size = words.add_words(
                new_spelling, new_starts, done, self.slots, self.starts, self.spelling,
                np.uint64(self.size), SEED, True, numbers,
            )  # fmt: skip
            self.size = int(size)
            if done == numbers.size:
                return numbers
            self._make_room(int(new_starts[done + 1] - new_starts[done]))

    def find(self, new_spelling: Bytes, new_starts: Codes) -> Ints:
        """Return the numbers of the given words, -1 for unknown ones."""
        numbers = np.empty(new_starts.size - 1, np.int64)
        words.add_words(
            new_spelling, new_starts, 0, self.slots, self.starts, self.spelling,
            np.uint64(self.size), SEED, False, numbers,
        )  # fmt: skip
        return numbers

    def reserve(self, n_words: int, n_bytes: int) -> None:
        """Make room for so many words in total, with so many bytes, at once."""
        n_slots = self.slots.size
        while n_slots < 4 * n_words:
            n_slots *= 2
        if n_slots > self.slots.size:
            grown = fresh(n_slots, np.uint64)
            words.copy_slots(self.slots, grown, SEED)
            self.slots = grown
        self.starts = room(self.starts, n_words + 2)
        self.spelling = room(self.spelling, n_bytes)

    def _make_room(self, n_bytes: int) -> None:
        """Make room for one more word with that many bytes."""
        if self.size >= words.MAX_WORDS:
            raise InputError(f"More than {words.MAX_WORDS:,} different words; count in smaller parts.")
        if 4 * self.size >= self.slots.size:
            self.slots = doubled_slots(self.slots)
        self.starts = room(self.starts, self.size + 2)
        self.spelling = room(self.spelling, int(self.starts[self.size]) + n_bytes)

    def spellings(self) -> tuple[Bytes, Codes]:
        """Return the bytes of all words, and where each begins."""
        return self.spelling, self.starts[: self.size + 1]

    def lengths(self) -> Ints:
        """Return the number of bytes of each word."""
        starts = self.starts[: self.size + 1].astype(np.int64)
        return starts[1:] - starts[:-1]

    def ranks(self) -> Ints:
        """Return the rank of each word in the order in which Python sorts strings."""
        letters, starts = self.spellings()
        keys = words.first_eight_bytes(letters, starts)
        order = np.argsort(keys)  # equal keys are put in order next
        large = words.sort_ties(order, keys, letters, starts, _FEW_TIES)
        for begin, end in large.reshape(-1, 2).tolist():
            group = order[begin:end].tolist()
            group.sort(key=lambda word: letters[starts[word] : starts[word + 1]].tobytes())
            order[begin:end] = group
        ranks = np.empty(self.size, np.int64)
        ranks[order] = np.arange(self.size)
        return ranks

    def joined(self, runs: Ints, n_words: Ints) -> list[str]:
        """Return the terms of `n_words` words each, whose word numbers follow one another in `runs`."""
        if n_words.size == 0:
            return []
        letters, starts = self.spellings()
        joined = np.empty(int(self.lengths()[runs].sum()) + runs.size, np.uint8)
        words.join_spellings(runs, n_words, letters, starts, joined)
        return joined[:-1].tobytes().decode("utf-8").split("\n")


MOST_READ = 1 << 18
"""Words that a reader keeps from one slice of documents to the next."""


class FormTable(WordTable):
    """Normal forms and their numbers; see `WordTable`. Stop words are compared as written and have no forms."""

    def __init__(self, forms: Forms, stop_words: WordTable) -> None:
        super().__init__()
        self._forms = forms
        self._written = stop_words
        self._form_numbers = np.full(stop_words.size, -1, np.int64)
        self._places: Codes = np.empty(0, np.uint64)
        self._idle: deque[FormTable] = deque(maxlen=os.cpu_count())

    def reader(self) -> "FormTable":
        """Return a table that shares the forms and reads words on its own: an idle one, or a new one."""
        try:
            while (idle := self._idle.pop()).size != self.size:  # it has not heard of the newest forms
                pass
        except IndexError:  # another thread may have taken the last one
            other = self.empty_twin()
            other.slots, other.starts, other.spelling, other.size = self.slots, self.starts, self.spelling, self.size
            return other
        return idle

    def take_back(self, reader: WordTable) -> None:
        """Keep a reader that has finished for later use."""
        assert isinstance(reader, FormTable)
        self._idle.append(reader)

    def empty_twin(self) -> "FormTable":
        """Return a table with the same stop words and no forms."""
        return FormTable(self._forms, self._written.empty_twin())

    def count(self, documents: Slice, classes: Bytes, *, learn: bool, in_sequence: bool) -> SliceCounts:
        """Count the forms of some documents, or list them `in_sequence`."""
        if not learn:
            self._forget_some()
        counted = self._written.count(documents, classes, learn=True, in_sequence=in_sequence)
        self._look_at_new_words(learn=learn)
        if in_sequence:
            words.write_forms(counted.entries, self._form_numbers)
            return counted
        self._places = room(self._places, self.size)
        n_entries = words.add_up_forms(*counted, self._form_numbers, self._places)
        return SliceCounts(counted.entries[:n_entries].copy(), counted.row_ends)

    def _look_at_new_words(self, *, learn: bool) -> None:
        """Look up the forms of the words that were added last."""
        new = np.arange(len(self._form_numbers), self._written.size)
        if not len(new):
            return
        spelled = spelled_as_lines(self._forms(self._written.joined(new, np.ones(len(new), np.int64))))
        numbers: Ints = self.add(*spelled) if learn else self.find(*spelled)
        self._form_numbers = np.concatenate([self._form_numbers, numbers])

    def _forget_some(self) -> None:
        """Keep half of the words if there are too many, since an endless stream has ever new ones."""
        if self._written.size > self._written.n_stop + MOST_READ:
            n_kept = self._written.n_stop + MOST_READ // 2
            self._written = self._written.beginning(n_kept)
            self._form_numbers = self._form_numbers[:n_kept].copy()
