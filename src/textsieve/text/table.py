"""The terms seen so far and their numbers: what the kernels need, and the room they need it in.

A `TermTable` counts slices of documents, takes over the terms of another table, and spells its terms. Numbers go up
in the order in which terms were first seen, whatever the slices and the threads: a thread's new terms of a slice are
taken over slice by slice, in the order of the documents.
"""

import os
from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..kernels import grams, spelling, words
from .words import WORD, byte_classes, wide_words

Codes = NDArray[np.uint64]
Ints = NDArray[np.int64]

_SEED = np.uint64(int.from_bytes(os.urandom(8), "little"))
_FEW_TIES = 64
_NO_BITMAP = np.zeros(0, np.uint8)

Number = TypeVar("Number", bound=np.number)


class Counted(NamedTuple):
    """The counts of a slice of documents: entries (term number << 32 | count), and where each document's end."""

    entries: Codes
    row_ends: Codes


class Slice(NamedTuple):
    """The UTF-8 text of some documents, each followed by 0xFF; `wide` if there are characters beyond ASCII."""

    text: bytes
    n_documents: int
    wide: bool


def _room(array: NDArray[Number], least: int) -> NDArray[Number]:
    """The array, or a copy of at least twice its size if it has not `least` places."""
    if array.size >= least:
        return array
    grown = np.empty(max(2 * array.size, least), array.dtype)
    grown[: array.size] = array
    return grown


class _Words:
    """The single words: an open-addressing table over their spellings."""

    def __init__(self) -> None:
        self.slots: Codes = np.zeros(2 << 13, np.uint64)
        self.starts: Codes = np.zeros(1 << 12, np.uint64)
        self.spelling: NDArray[np.uint8] = np.empty(1 << 16, np.uint8)
        self.size = 0

    def make_room(self, n_bytes: int) -> None:
        """Make room for one more word, of that many bytes."""
        if self.size >= words.MOST_WORDS:
            raise InputError(f"More than {words.MOST_WORDS:,} different words; count in smaller parts.")
        if 4 * self.size >= self.slots.size:
            self.slots = words.doubled_slots(self.slots, _SEED)
        self.starts = _room(self.starts, self.size + 2)
        self.spelling = _room(self.spelling, int(self.starts[self.size]) + n_bytes)

    def add(self, new_spelling: NDArray[np.uint8], new_starts: Codes) -> Ints:
        """The numbers of the words spelled, which are added where they are new."""
        numbers = np.empty(new_starts.size - 1, np.int64)
        done = 0
        while True:
            done, size = words.add_words(
                new_spelling, new_starts, done, self.slots, self.starts, self.spelling,
                np.uint64(self.size), _SEED, numbers,
            )  # fmt: skip
            self.size = int(size)
            if done == numbers.size:
                return numbers
            self.make_room(int(new_starts[done + 1] - new_starts[done]))

    def spellings(self) -> tuple[NDArray[np.uint8], Codes]:
        """The bytes of all words, and where each begins."""
        return self.spelling, self.starts[: self.size + 1]


class _Grams:
    """The runs of words: an open-addressing table over pairs of parent and word."""

    def __init__(self) -> None:
        self.slots: Codes = np.zeros(2 << 13, np.uint64)
        self.nodes: Codes = np.empty(1 << 12, np.uint64)
        self.size = 0

    def make_room(self, n_nodes: int) -> None:
        """Make room for that many more nodes."""
        if self.size + n_nodes > words.MOST_WORDS:
            raise InputError(f"More than {words.MOST_WORDS:,} different n-grams; count in smaller parts.")
        while 4 * (self.size + n_nodes) > self.slots.size:
            self.slots = words.doubled_slots(self.slots, _SEED)
        self.nodes = _room(self.nodes, self.size + n_nodes)

    def add(self, others: Codes, first: int, last: int, word_numbers: Ints, numbers: Ints) -> None:
        """Take over the nodes `first` to `last` of another tree; `numbers` gets the numbers they have here."""
        while True:
            first, size = grams.add_nodes(
                others,
                first,
                last,
                word_numbers,
                numbers,
                self.slots,
                self.nodes,
                np.uint64(self.size),
                _SEED,
            )
            self.size = int(size)
            if first == last:
                return
            self.make_room(1)

    def add_runs(self, runs: Counted, numbers: Ints) -> None:
        """Add whole runs of words; `numbers` gets theirs."""
        done = 0
        while True:
            done, size = grams.add_runs(*runs, done, self.slots, self.nodes, np.uint64(self.size), _SEED, numbers)
            self.size = int(size)
            if done == numbers.size:
                return
            self.make_room(int(runs.row_ends[done] - (runs.row_ends[done - 1] if done else 0)))


class TermTable:
    """Terms and their numbers, for one range of n-gram lengths and one list of stop words.

    With `fold_ascii` the capitals A to Z count as their small letters.
    """

    def __init__(
        self,
        ngram_range: tuple[int, int] = (1, 1),
        stop_words: Iterable[str] = (),
        *,
        fold_ascii: bool = True,
    ) -> None:
        self.ngram_range = ngram_range
        self._classes = byte_classes(fold_ascii)
        self._words = _Words()
        self._words.add(*_spelled(sorted(word for word in stop_words if WORD.fullmatch(word))))
        self._n_stop = self._words.size
        self._grams = None if ngram_range == (1, 1) else _Grams()
        self._entries: Codes = np.empty(1 << 12, np.uint64)

    @property
    def size(self) -> int:
        """How many numbers are given out. Stop words, and runs that are too short, have one too."""
        return self._words.size if self._grams is None else self._grams.size

    @property
    def sizes(self) -> tuple[int, int]:
        """How many words and how many runs of words are known: what `absorb` wants to know of each slice."""
        return self._words.size, 0 if self._grams is None else self._grams.size

    def count(self, documents: Slice, *, learn: bool) -> Counted:
        """Count the terms of some documents; unknown ones are added if the table is to learn."""
        counted = self._count_words(documents, self._classes, learn=learn, in_sequence=self._grams is not None)
        return counted if self._grams is None else self._count_grams(counted, self._grams, learn)

    def _count_words(self, documents: Slice, classes: NDArray[np.uint8], *, learn: bool, in_sequence: bool) -> Counted:
        text = np.frombuffer(documents.text, np.uint8)
        bitmap = wide_words() if documents.wide else _NO_BITMAP
        row_ends = np.empty(documents.n_documents, np.uint64)
        state = np.zeros(words.STATE_SIZE, np.uint64)
        state[words.N_WORDS] = self._words.size
        table = self._words
        while True:
            done = words.count_words(
                text, classes, bitmap, table.slots, table.starts, table.spelling,
                _SEED, np.uint64(self._n_stop), learn, in_sequence, self._entries, row_ends, state,
            )  # fmt: skip
            table.size = int(state[words.N_WORDS])
            if done:
                break
            table.make_room(int(state[words.WORD_LENGTH]))
            self._entries = _room(self._entries, int(state[words.N_ENTRIES]) + 1)
        return Counted(self._entries[: int(state[words.N_ENTRIES])].copy(), row_ends)

    def _count_grams(self, sequences: Counted, tree: _Grams, learn: bool) -> Counted:
        row_ends = np.empty_like(sequences.row_ends)
        state = np.zeros(words.STATE_SIZE, np.uint64)
        state[words.N_WORDS] = tree.size
        shortest, longest = self.ngram_range
        while not grams.count_grams(
            sequences.entries, sequences.row_ends, shortest, longest, tree.slots, tree.nodes,
            _SEED, learn, self._entries, row_ends, state,
        ):  # fmt: skip
            tree.size = int(state[words.N_WORDS])
            tree.make_room(longest)
            self._entries = _room(self._entries, int(state[words.N_ENTRIES]) + longest)
        tree.size = int(state[words.N_WORDS])
        return Counted(self._entries[: int(state[words.N_ENTRIES])].copy(), row_ends)

    def empty_twin(self) -> "TermTable":
        """A table with the same settings and no terms: a thread learns into it, and `absorb` collects."""
        other = copy(self)
        other._words = _Words()
        bytes_, starts = self._words.spellings()
        other._words.add(bytes_, starts[: self._n_stop + 1])
        other._grams = None if self._grams is None else _Grams()
        other._entries = np.empty(1 << 12, np.uint64)
        return other

    def reader(self) -> "TermTable":
        """A table that shares these terms but notes on its own where it last counted each: one for each thread."""
        other = copy(self)
        other._words = copy(self._words)
        other._words.slots = self._words.slots.copy()
        if self._grams is not None:
            other._grams = copy(self._grams)
            other._grams.slots = self._grams.slots.copy()
        other._entries = np.empty(1 << 12, np.uint64)
        return other

    def absorb(self, others: Sequence["TermTable"], slices: Iterable[tuple[int, tuple[int, int]]]) -> list[Ints]:
        """Take over the terms of other tables; gives, for each table, the number here of each of its terms.

        `slices` names, in the order of the documents, the table that counted a slice and that table's `sizes`
        right after it.
        """
        word_numbers = [np.empty(other._words.size, np.int64) for other in others]
        gram_numbers = [np.empty(other.size, np.int64) for other in others]
        for other, numbers in zip(others, word_numbers, strict=True):
            numbers[: other._n_stop] = np.arange(other._n_stop)
        done = [(other._n_stop, 0) for other in others]
        for owner, (n_words, n_grams) in slices:
            spelled, starts = others[owner]._words.spellings()
            first_word, first_gram = done[owner]
            word_numbers[owner][first_word:n_words] = self._words.add(spelled, starts[first_word : n_words + 1])
            theirs = others[owner]._grams
            if self._grams is not None and theirs is not None:
                self._grams.add(theirs.nodes, first_gram, n_grams, word_numbers[owner], gram_numbers[owner])
            done[owner] = n_words, n_grams
        return word_numbers if self._grams is None else gram_numbers

    def add_terms(self, terms: Sequence[str]) -> Ints:
        """The number of each term, which is added where it is new; -1 for a string that no text can give."""
        encoded, starts = _spelled(terms, b"\xff")
        documents = Slice(encoded.tobytes(), len(terms), wide=True)
        runs = self._count_words(documents, byte_classes(False), learn=True, in_sequence=True)
        found = (runs.entries >> np.uint64(32)).astype(np.int64)
        ends = runs.row_ends.astype(np.int64)
        # A string is a term if its words and one space between two of them are all there is to it.
        word_starts = self._words.spellings()[1].astype(np.int64)
        bytes_in_words = _sums_up_to(ends, np.diff(word_starts)[found])
        spaces = _sums_up_to(starts[1:].astype(np.int64), encoded == ord(" "))
        n_words = np.diff(ends, prepend=0)
        lengths = np.diff(starts).astype(np.int64) - 1
        possible = (n_words >= self.ngram_range[0]) & (n_words <= self.ngram_range[1])
        possible &= (spaces == n_words - 1) & (bytes_in_words + spaces == lengths)
        numbers = np.full(len(terms), -1, np.int64)
        if self._grams is None:
            numbers[possible] = found[ends[possible] - 1]
        else:
            self._grams.add_runs(runs, numbers)
            numbers[~possible] = -1
        return numbers

    def countable(self) -> NDArray[np.bool_]:
        """Which numbers are terms: not stop words, and not shorter runs than asked for."""
        if self._grams is None:
            return np.arange(self.size) >= self._n_stop
        return self._depths() >= self.ngram_range[0]

    def in_order(self, numbers: Ints) -> Ints:
        """The same terms, sorted as Python sorts strings."""
        ranks = np.empty(self._words.size, np.int64)
        ranks[self._sorted_words()] = np.arange(self._words.size)
        if self._grams is None:
            return numbers[np.argsort(ranks[numbers])]
        # A space sorts before every word character, so joined words sort as the list of them does.
        columns = self._words_of(numbers)
        sort_keys = np.where(columns >= 0, ranks[columns], -1)
        return numbers[np.lexsort(sort_keys.T[::-1])]

    def spelled(self, numbers: Ints) -> list[str]:
        """The terms with these numbers."""
        if numbers.size == 0:
            return []
        if self._grams is None:
            flat, lengths = numbers, np.ones(numbers.size, np.int64)
        else:
            columns = self._words_of(numbers)
            lengths = (columns >= 0).sum(axis=1)
            flat = columns[columns >= 0]
        bytes_, starts = self._words.spellings()
        sizes = (starts[flat + 1] - starts[flat]).astype(np.int64)
        joined = np.empty(int(sizes.sum()) + flat.size, np.uint8)
        spelling.join_spellings(flat, lengths, bytes_, starts, joined)
        return joined[:-1].tobytes().decode("utf-8").split("\n")

    def _sorted_words(self) -> Ints:
        bytes_, starts = self._words.spellings()
        keys = spelling.first_eight_bytes(bytes_, starts)
        order = np.argsort(keys, kind="stable")
        large = spelling.sort_ties(order, keys, bytes_, starts, _FEW_TIES)
        for begin, end in large.reshape(-1, 2).tolist():
            group = order[begin:end].tolist()
            group.sort(key=lambda word: bytes_[starts[word] : starts[word + 1]].tobytes())
            order[begin:end] = group
        return order

    def _depths(self) -> Ints:
        return (self._words_of(np.arange(self.size)) >= 0).sum(axis=1)

    def _words_of(self, numbers: Ints) -> Ints:
        """A row a term: the numbers of its words, -1 after the last."""
        assert self._grams is not None
        nodes = self._grams.nodes[: self._grams.size]
        words_backwards = np.full((numbers.size, self.ngram_range[1]), -1, np.int64)
        at = numbers + 1
        for column in range(self.ngram_range[1]):
            left = np.flatnonzero(at)
            node = nodes[at[left] - 1]
            words_backwards[left, column] = (node & np.uint64(0xFFFFFFFF)).astype(np.int64)
            at[left] = (node >> np.uint64(32)).astype(np.int64)
        depths = (words_backwards >= 0).sum(axis=1)
        columns = depths[:, None] - 1 - np.arange(self.ngram_range[1])
        rows = np.arange(numbers.size)[:, None]
        return np.asarray(np.where(columns >= 0, words_backwards[rows, columns], -1))


def _spelled(terms: Sequence[str], after_each: bytes = b"") -> tuple[NDArray[np.uint8], Codes]:
    encoded = [term.encode("utf-8", "surrogatepass") + after_each for term in terms]
    starts = np.zeros(len(encoded) + 1, np.uint64)
    starts[1:] = np.cumsum([len(word) for word in encoded], dtype=np.uint64)
    return np.frombuffer(b"".join(encoded), np.uint8), starts


def _sums_up_to(ends: Ints, values: NDArray[Any]) -> Ints:
    """The sums of consecutive stretches of the values, each up to its end."""
    running = np.zeros(len(values) + 1, np.int64)
    np.cumsum(values, out=running[1:])
    return np.diff(running[ends], prepend=0)
