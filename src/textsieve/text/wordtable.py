"""The different words of some texts and their numbers: the arrays that the kernels fill, and the room they need.

Numbers go up in the order in which the words were first seen.
"""

import os
from collections.abc import Sequence
from copy import copy
from mmap import mmap
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..kernels import spelling, words
from .words import wide_words

Bytes = NDArray[np.uint8]
Codes = NDArray[np.uint64]
Ints = NDArray[np.int64]
Number = TypeVar("Number", bound=np.number)

SEED = np.uint64(int.from_bytes(os.urandom(8), "little"))
"""Where a key is looked for first differs from process to process, so that no text can be made to collide."""

FEW_ENTRIES = 1 << 12
_FEW_TIES = 64
_LARGE = 1 << 19
_NO_BITMAP = np.zeros(0, np.uint8)


class Slice(NamedTuple):
    """The UTF-8 text of some documents, each followed by 0xFF; `wide` if there are characters beyond ASCII."""

    text: bytes
    n_documents: int
    wide: bool


class Counted(NamedTuple):
    """The counts of a slice of documents: entries (number << 32 | count), and where each document's end."""

    entries: Codes
    row_ends: Codes


def fresh(size: int, kind: type[Number]) -> NDArray[Number]:
    """An array of zeros. A large one comes straight from the operating system and goes back there when it is dropped;
    from the heap it would stay with the thread that made it.
    """
    n_bytes = size * np.dtype(kind).itemsize
    return np.zeros(size, kind) if n_bytes < _LARGE else np.frombuffer(mmap(-1, n_bytes), kind)


def room(array: NDArray[Number], least: int) -> NDArray[Number]:
    """The array, or a copy of at least twice its size if it has not `least` places."""
    if array.size >= least:
        return array
    grown = fresh(max(2 * array.size, least), array.dtype.type)
    grown[: array.size] = array
    return grown


def doubled_slots(slots: Codes) -> Codes:
    """The used slots, spread over twice as many."""
    grown = fresh(2 * slots.size, np.uint64)
    words.spread_slots(slots, grown, SEED)
    return grown


def spelled_out(terms: Sequence[str], after_each: bytes = b"") -> tuple[Bytes, Codes]:
    """The bytes of many terms in one array, and where each begins."""
    encoded = [term.encode("utf-8", "surrogatepass") + after_each for term in terms]
    starts = np.zeros(len(encoded) + 1, np.uint64)
    starts[1:] = np.cumsum([len(term) for term in encoded], dtype=np.uint64)
    return np.frombuffer(b"".join(encoded), np.uint8), starts


def spelled_as_lines(words: Sequence[str]) -> tuple[Bytes, Codes]:
    """The same for words without line breaks, which can be encoded all at once: four times as fast."""
    lines = np.frombuffer("\n".join([*words, ""]).encode(), np.uint8)
    is_end = lines == ord("\n")
    starts = np.zeros(len(words) + 1, np.uint64)
    starts[1:] = np.flatnonzero(is_end) - np.arange(len(words))
    return lines[~is_end], starts


class WordTable:
    """An open-addressing table over the spellings of words; see `kernels.words`. Stop words have the lowest numbers."""

    def __init__(self, stop_words: Sequence[str] = ()) -> None:
        self.slots: Codes = np.zeros(2 << 13, np.uint64)
        self.starts: Codes = np.zeros(1 << 12, np.uint64)
        self.spelling: Bytes = np.empty(1 << 16, np.uint8)
        self.size = 0
        self.entries: Codes = np.empty(FEW_ENTRIES, np.uint64)
        self.add(*spelled_out(stop_words))
        self.n_stop = self.size

    def reader(self) -> "WordTable":
        """A table that shares the words but notes on its own where it last counted each: one for each thread."""
        other = copy(self)
        other.slots = self.slots.copy()
        other.entries = np.empty(FEW_ENTRIES, np.uint64)
        return other

    def take_back(self, reader: "WordTable") -> None:
        """Take back a reader that is done; here, nothing that it knows is worth keeping."""

    def empty_twin(self) -> "WordTable":
        """A table with the stop words of this one, and no others."""
        return self.beginning(self.n_stop)

    def beginning(self, n_words: int) -> "WordTable":
        """A table with the first words of this one, and no others; stop words are among them."""
        other = WordTable()
        letters, starts = self.spellings()
        other.add(letters, starts[: n_words + 1])
        other.n_stop = self.n_stop
        return other

    def count(self, documents: Slice, classes: Bytes, *, learn: bool, in_sequence: bool) -> Counted:
        """Count the words of some documents, or write them down `in_sequence`."""
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
                return Counted(self.entries[:n_entries].copy(), row_ends)
            self._make_room(int(state[words.WORD_LENGTH]))
            self.entries = room(self.entries, n_entries + 1)

    def add(self, new_spelling: Bytes, new_starts: Codes) -> Ints:
        """The numbers of the words spelled, which are added where they are new."""
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
        """The numbers of the words spelled; -1 where they are not known."""
        numbers = np.empty(new_starts.size - 1, np.int64)
        words.add_words(
            new_spelling, new_starts, 0, self.slots, self.starts, self.spelling,
            np.uint64(self.size), SEED, False, numbers,
        )  # fmt: skip
        return numbers

    def reserve(self, n_words: int, n_bytes: int) -> None:
        """Make room for so many words in all, of so many bytes, in one go."""
        n_slots = self.slots.size
        while n_slots < 4 * n_words:
            n_slots *= 2
        if n_slots > self.slots.size:
            grown = fresh(n_slots, np.uint64)
            words.spread_slots(self.slots, grown, SEED)
            self.slots = grown
        self.starts = room(self.starts, n_words + 2)
        self.spelling = room(self.spelling, n_bytes)

    def _make_room(self, n_bytes: int) -> None:
        """Make room for one more word, of that many bytes."""
        if self.size >= words.MOST_WORDS:
            raise InputError(f"More than {words.MOST_WORDS:,} different words; count in smaller parts.")
        if 4 * self.size >= self.slots.size:
            self.slots = doubled_slots(self.slots)
        self.starts = room(self.starts, self.size + 2)
        self.spelling = room(self.spelling, int(self.starts[self.size]) + n_bytes)

    def spellings(self) -> tuple[Bytes, Codes]:
        """The bytes of all words, and where each begins."""
        return self.spelling, self.starts[: self.size + 1]

    def lengths(self) -> Ints:
        """How many bytes each word has."""
        starts = self.starts[: self.size + 1].astype(np.int64)
        return starts[1:] - starts[:-1]

    def ranks(self) -> Ints:
        """The place of each word among all of them, sorted as Python sorts strings."""
        letters, starts = self.spellings()
        keys = spelling.first_eight_bytes(letters, starts)
        order = np.argsort(keys)  # equal keys are put in order next
        large = spelling.sort_ties(order, keys, letters, starts, _FEW_TIES)
        for begin, end in large.reshape(-1, 2).tolist():
            group = order[begin:end].tolist()
            group.sort(key=lambda word: letters[starts[word] : starts[word + 1]].tobytes())
            order[begin:end] = group
        ranks = np.empty(self.size, np.int64)
        ranks[order] = np.arange(self.size)
        return ranks

    def joined(self, runs: Ints, n_words: Ints) -> list[str]:
        """The terms made of `n_words` words each, whose numbers follow one another in `runs`."""
        if n_words.size == 0:
            return []
        letters, starts = self.spellings()
        joined = np.empty(int(self.lengths()[runs].sum()) + runs.size, np.uint8)
        spelling.join_spellings(runs, n_words, letters, starts, joined)
        return joined[:-1].tobytes().decode("utf-8").split("\n")
