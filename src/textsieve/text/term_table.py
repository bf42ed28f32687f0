"""Number the terms of documents: single words or n-grams.

A `TermTable` counts slices of documents, takes over the terms of other tables, and spells its terms. Terms are numbered
in the order in which they first occur, whatever the slices and threads: the new terms of a thread are taken over slice
by slice, in the order of the documents.

N-grams are stored as a tree (`GramTree`): the parent of an n-gram is the n-gram without its last word, and the number
of a parent is lower than those of its children.
"""

from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Codes, Ints
from ..errors import InputError
from ..kernels import ngrams, words
from .reading import Reading
from .word_table import FEW_ENTRIES, SEED, FormTable, Slice, SliceCounts, WordTable, doubled_slots, room, spelled_out
from .words import WORD, Forms, byte_classes

_32, _LOW_32 = np.uint64(32), np.uint64((1 << 32) - 1)


class GramTree:
    """A hash table with open addressing over pairs of parent and word; see `kernels.ngrams`."""

    def __init__(self) -> None:
        self.slots: Codes = np.zeros(2 << 13, np.uint64)
        self.nodes: Codes = np.empty(1 << 12, np.uint64)
        self.size = 0
        self.entries: Codes = np.empty(FEW_ENTRIES, np.uint64)

    def reader(self) -> "GramTree":
        """Return a tree for another thread that shares the n-grams but has its own record of where each was last
        counted.
        """
        other = copy(self)
        other.slots = self.slots.copy()
        other.entries = np.empty(FEW_ENTRIES, np.uint64)
        return other

    def count(self, sequences: SliceCounts, ngram_range: tuple[int, int], *, learn: bool) -> SliceCounts:
        """Count the n-grams of documents given as sequences of words."""
        row_ends = np.empty_like(sequences.row_ends)
        state = np.zeros(words.STATE_SIZE, np.uint64)
        state[words.N_WORDS] = self.size
        shortest = ngram_range[0]
        longest = min(ngram_range[1], int(np.diff(sequences.row_ends, prepend=np.uint64(0)).max(initial=1)))
        while True:
            done = ngrams.count_grams(
                *sequences, shortest, longest, self.slots, self.nodes, SEED, learn, self.entries, row_ends, state
            )
            self.size = int(state[words.N_WORDS])
            n_entries = int(state[words.N_ENTRIES])
            if done:
                return SliceCounts(self.entries[:n_entries].copy(), row_ends)
            self._make_room(longest)
            self.entries = room(self.entries, n_entries + longest)

    def absorb(self, other: "GramTree", first: int, last: int, word_numbers: Ints, numbers: Ints) -> None:
        """Take over the n-grams `first` to `last` of another tree, and write their numbers in this one."""
        while True:
            first, size = ngrams.add_nodes(
                other.nodes, first, last, word_numbers, numbers, self.slots, self.nodes, np.uint64(self.size), SEED
            )
            self.size = int(size)
            if first == last:
                return
            self._make_room(1)

    def add(self, sequences: SliceCounts) -> Ints:
        """Return the numbers of whole sequences of words, adding new ones; -1 for an empty sequence."""
        numbers = np.empty(sequences.row_ends.size, np.int64)
        done = 0
        while True:
            done, size = ngrams.add_ngrams(
                *sequences, done, self.slots, self.nodes, np.uint64(self.size), SEED, numbers
            )
            self.size = int(size)
            if done == numbers.size:
                return numbers
            self._make_room(int(sequences.row_ends[done] - (sequences.row_ends[done - 1] if done else np.uint64(0))))

    def _make_room(self, n_nodes: int) -> None:
        if self.size + n_nodes > words.MAX_WORDS:
            raise InputError(f"More than {words.MAX_WORDS:,} different n-grams; count in smaller parts.")
        while 4 * (self.size + n_nodes) > self.slots.size:
            self.slots = doubled_slots(self.slots)
        self.nodes = room(self.nodes, self.size + n_nodes)

    def _parents_and_words(self) -> tuple[Ints, Ints]:
        """Return the number of each n-gram's parent (-1 for a single word) and of its last word."""
        nodes = self.nodes[: self.size]
        return (nodes >> _32).astype(np.int64) - 1, (nodes & _LOW_32).astype(np.int64)

    def depths(self, first: int = 0) -> Ints:
        """Return how many words each n-gram has, from number `first` on."""
        depths = np.ones(self.size - first, np.int64)
        ancestors = self.nodes[first : self.size] >> _32  # plus one; 0 is none
        while len(has_one := np.flatnonzero(ancestors)):
            depths[has_one] += 1
            ancestors[has_one] = self.nodes[ancestors[has_one] - np.uint64(1)] >> _32
        return depths

    def ranks(self, word_ranks: Ints) -> Ints:
        """Return the rank of each n-gram in the order in which Python sorts their words joined by spaces.

        A space sorts before every word character, so this is the order of a depth-first walk that visits children by
        their last words. The rank of an n-gram is that of its parent, plus one, plus the sizes of the subtrees of its
        earlier siblings.
        """
        parents, last_words = self._parents_and_words()
        depths = self.depths()
        deepest = int(depths.max(initial=1))
        sizes = np.ones(self.size, np.int64)
        for depth in range(deepest, 1, -1):
            level = np.flatnonzero(depths == depth)
            sizes += np.bincount(parents[level], sizes[level], self.size).astype(np.int64)
        by_family = np.argsort((parents + 1) << 32 | word_ranks[last_words])
        before = np.cumsum(sizes[by_family]) - sizes[by_family]
        family = parents[by_family]
        first_child = np.flatnonzero(np.diff(family, prepend=-2))
        before -= np.repeat(before[first_child], np.diff(first_child, append=self.size))
        places = np.empty(self.size, np.int64)
        places[by_family] = before
        for depth in range(2, deepest + 1):
            level = np.flatnonzero(depths == depth)
            places[level] += places[parents[level]] + 1
        return places

    def words_of(self, numbers: Ints) -> tuple[Ints, Ints]:
        """Return the words of some n-grams in one array, and the number of words of each."""
        parents, last_words = self._parents_and_words()
        n_words = self.depths()[numbers]
        flat = np.empty(int(n_words.sum()), np.int64)
        places = np.cumsum(n_words) - 1  # of the last words, and then of those before
        at = numbers.copy()
        while len(left := np.flatnonzero(at >= 0)):
            flat[places[left]] = last_words[at[left]]
            at[left] = parents[at[left]]
            places[left] -= 1
        return flat, n_words


class TermTable:
    """Terms and their numbers, for one range of n-gram lengths and one list of stop words.

    With `fold_ascii`, the letters A to Z are lowercased. With `forms`, words count as their forms. With `joins_names`,
    words can be names.
    """

    def __init__(
        self,
        ngram_range: tuple[int, int] = (1, 1),
        stop_words: Iterable[str] = (),
        *,
        fold_ascii: bool = True,
        forms: Forms | None = None,
        joins_names: bool = False,
    ) -> None:
        self.ngram_range = ngram_range
        self._classes = byte_classes(fold_ascii, joins_names)
        self._terms_are_any_text = joins_names or forms is not None
        words = WordTable(sorted(word for word in stop_words if WORD.fullmatch(word)))
        self._words = words if forms is None else FormTable(forms, words)
        self._grams = None if ngram_range == (1, 1) else GramTree()

    @classmethod
    def for_reading(cls, reading: Reading, ngram_range: tuple[int, int], stop_words: Iterable[str]) -> "TermTable":
        """Return an empty table for documents that are read in this way."""
        return cls(ngram_range, stop_words, fold_ascii=reading.kernels_fold, **reading.words_are)

    @property
    def size(self) -> int:
        """Return how many numbers are in use, including those of stop words and of n-grams that are too short."""
        return self._words.size if self._grams is None else self._grams.size

    @property
    def sizes(self) -> tuple[int, int]:
        """Return the numbers of known words and n-grams, which `absorb` needs after each slice."""
        return self._words.size, 0 if self._grams is None else self._grams.size

    # -- counting ------------------------------------------------------------------------------------------------

    def count(self, documents: Slice, *, learn: bool) -> SliceCounts:
        """Count the terms of some documents; with `learn`, add unknown ones."""
        if self._grams is None:
            return self._words.count(documents, self._classes, learn=learn, in_sequence=False)
        sequences = self._words.count(documents, self._classes, learn=learn, in_sequence=True)
        return self._grams.count(sequences, self.ngram_range, learn=learn)

    # -- one table a thread --------------------------------------------------------------------------------------

    def reader(self) -> "TermTable":
        """Return a table for another thread that counts these terms."""
        other = copy(self)
        other._words = self._words.reader()
        other._grams = None if self._grams is None else self._grams.reader()
        return other

    def take_back(self, readers: Iterable["TermTable"]) -> None:
        """Take back readers that have finished, so that later ones can reuse what they learned."""
        for reader in readers:
            self._words.take_back(reader._words)

    def empty_twin(self) -> "TermTable":
        """Return a table with the same settings and no terms, for a thread to learn into before `absorb`."""
        other = copy(self)
        other._words = self._words.empty_twin()
        other._grams = None if self._grams is None else GramTree()
        return other

    def absorb(self, others: Sequence["TermTable"], slices: Iterable[tuple[int, tuple[int, int]]]) -> list[Ints]:
        """Take over the terms of other tables; return for each table the numbers of its terms in this one.

        `slices` names, in the order of the documents, the table that counted a slice and that table's `sizes` right
        after it.
        """
        word_numbers = [np.arange(other._words.size) for other in others]  # right for the stop words already
        gram_numbers = [np.empty(other.size, np.int64) for other in others]
        largest = max((other._words for other in others), key=lambda words: words.size, default=self._words)
        self._words.reserve(self._words.size + largest.size, int(largest.starts[largest.size]))
        done = [(other._words.n_stop, 0) for other in others]
        for owner, (n_words, n_grams) in slices:
            letters, starts = others[owner]._words.spellings()
            first_word, first_gram = done[owner]
            word_numbers[owner][first_word:n_words] = self._words.add(letters, starts[first_word : n_words + 1])
            theirs = others[owner]._grams
            if self._grams is not None and theirs is not None:
                self._grams.absorb(theirs, first_gram, n_grams, word_numbers[owner], gram_numbers[owner])
            done[owner] = n_words, n_grams
        return word_numbers if self._grams is None else gram_numbers

    # -- terms ---------------------------------------------------------------------------------------------------

    def add_terms(self, terms: Sequence[str]) -> Ints:
        """Return the number of each term, adding new ones; -1 for a string that can't occur as a term."""
        if self._terms_are_any_text:
            return self._add_as_spelled(terms)
        encoded, starts = spelled_out(terms, b"\xff")
        documents = Slice(encoded.tobytes(), len(terms), wide=True)
        as_written = byte_classes(False)
        runs = self._words.count(documents, as_written, learn=True, in_sequence=True)
        word_numbers = (runs.entries >> np.uint64(32)).astype(np.int64)
        ends = runs.row_ends.astype(np.int64)
        # A string is a term if its words, and one space between two of them, are all there is to it.
        n_words = np.diff(ends, prepend=0)
        n_spaces = _sums_up_to(starts[1:].astype(np.int64), encoded == ord(" "))
        n_bytes = _sums_up_to(ends, self._words.lengths()[word_numbers]) + n_spaces
        possible = (n_words >= self.ngram_range[0]) & (n_words <= self.ngram_range[1])
        possible &= (n_spaces == n_words - 1) & (n_bytes == np.diff(starts.astype(np.int64)) - 1)
        numbers = np.full(len(terms), -1, np.int64)
        if self._grams is None:
            numbers[possible] = word_numbers[ends[possible] - 1]
        else:
            numbers[possible] = self._grams.add(runs)[possible]
        return numbers

    def _add_as_spelled(self, terms: Sequence[str]) -> Ints:
        """Do the same as `add_terms` for forms and names, which need not look like words."""
        split = [[term] if self._grams is None else term.split(" ") for term in terms]
        possible = np.array([self.ngram_range[0] <= len(words) <= self.ngram_range[1] for words in split], np.bool_)
        runs = [words for words, can_be in zip(split, possible.tolist(), strict=True) if can_be]
        word_numbers = self._words.add(*spelled_out([word for words in runs for word in words]))
        numbers = np.full(len(terms), -1, np.int64)
        if self._grams is None:
            numbers[possible] = np.where(word_numbers < self._words.n_stop, -1, word_numbers)
        else:
            ends = np.cumsum([len(words) for words in runs], dtype=np.uint64)
            numbers[possible] = self._grams.add(
                SliceCounts(word_numbers.astype(np.uint64) << np.uint64(32) | np.uint64(1), ends)
            )
        return numbers

    def countable(self, first: int = 0) -> NDArray[np.bool_]:
        """Return which numbers from `first` on are terms, not stop words or n-grams that are too short."""
        if self._grams is None:
            return np.arange(first, self.size) >= self._words.n_stop
        return self._grams.depths(first) >= self.ngram_range[0]

    def in_order(self, numbers: Ints) -> Ints:
        """Return the given numbers in the order in which Python sorts their terms."""
        ranks = self._words.ranks()
        if self._grams is not None:
            ranks = self._grams.ranks(ranks)
        of_rank = np.full(self.size, -1, np.int64)
        of_rank[ranks[numbers]] = numbers
        return of_rank[of_rank >= 0]

    def spelled(self, numbers: Ints) -> list[str]:
        """Return the terms with these numbers."""
        if self._grams is None:
            return self._words.joined(numbers, np.ones(numbers.size, np.int64))
        return self._words.joined(*self._grams.words_of(numbers))


def _sums_up_to(ends: Ints, values: NDArray[Any]) -> Ints:
    """Return the sums of consecutive stretches of the values, each up to its end."""
    running = np.zeros(len(values) + 1, np.int64)
    np.cumsum(values, out=running[1:])
    return np.diff(running[ends], prepend=0)
