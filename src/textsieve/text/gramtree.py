"""The different runs of words and their numbers, as a tree: a run is its parent, one word shorter, and its last word.

Numbers go up in the order in which the runs were first seen; a parent's is lower than its children's.
"""

from copy import copy

import numpy as np

from ..errors import InputError
from ..kernels import grams, words
from .wordtable import FEW_ENTRIES, SEED, Codes, Counted, Ints, doubled_slots, room

_32, _LOW_32 = np.uint64(32), np.uint64((1 << 32) - 1)


class GramTree:
    """An open-addressing table over pairs of parent and word; see `kernels.grams`."""

    def __init__(self) -> None:
        self.slots: Codes = np.zeros(2 << 13, np.uint64)
        self.nodes: Codes = np.empty(1 << 12, np.uint64)
        self.size = 0
        self.entries: Codes = np.empty(FEW_ENTRIES, np.uint64)

    def reader(self) -> "GramTree":
        """A tree that shares the runs but notes on its own where it last counted each: one for each thread."""
        other = copy(self)
        other.slots = self.slots.copy()
        other.entries = np.empty(FEW_ENTRIES, np.uint64)
        return other

    def count(self, sequences: Counted, ngram_range: tuple[int, int], *, learn: bool) -> Counted:
        """Count the runs in documents that are given as sequences of words."""
        row_ends = np.empty_like(sequences.row_ends)
        state = np.zeros(words.STATE_SIZE, np.uint64)
        state[words.N_WORDS] = self.size
        shortest = ngram_range[0]
        longest = min(ngram_range[1], int(np.diff(sequences.row_ends, prepend=np.uint64(0)).max(initial=1)))
        while True:
            done = grams.count_grams(
                *sequences, shortest, longest, self.slots, self.nodes, SEED, learn, self.entries, row_ends, state
            )
            self.size = int(state[words.N_WORDS])
            n_entries = int(state[words.N_ENTRIES])
            if done:
                return Counted(self.entries[:n_entries].copy(), row_ends)
            self._make_room(longest)
            self.entries = room(self.entries, n_entries + longest)

    def absorb(self, other: "GramTree", first: int, last: int, word_numbers: Ints, numbers: Ints) -> None:
        """Take over the runs `first` to `last` of another tree; `numbers` gets the numbers they have here."""
        while True:
            first, size = grams.add_nodes(
                other.nodes, first, last, word_numbers, numbers, self.slots, self.nodes, np.uint64(self.size), SEED
            )
            self.size = int(size)
            if first == last:
                return
            self._make_room(1)

    def add(self, sequences: Counted) -> Ints:
        """The numbers of whole sequences of words, which are added where they are new; -1 for an empty one."""
        numbers = np.empty(sequences.row_ends.size, np.int64)
        done = 0
        while True:
            done, size = grams.add_runs(*sequences, done, self.slots, self.nodes, np.uint64(self.size), SEED, numbers)
            self.size = int(size)
            if done == numbers.size:
                return numbers
            self._make_room(int(sequences.row_ends[done] - (sequences.row_ends[done - 1] if done else np.uint64(0))))

    def _make_room(self, n_nodes: int) -> None:
        if self.size + n_nodes > words.MOST_WORDS:
            raise InputError(f"More than {words.MOST_WORDS:,} different n-grams; count in smaller parts.")
        while 4 * (self.size + n_nodes) > self.slots.size:
            self.slots = doubled_slots(self.slots)
        self.nodes = room(self.nodes, self.size + n_nodes)

    def _parents_and_words(self) -> tuple[Ints, Ints]:
        """The number of each run's parent, -1 for a single word, and of its last word."""
        nodes = self.nodes[: self.size]
        return (nodes >> _32).astype(np.int64) - 1, (nodes & _LOW_32).astype(np.int64)

    def depths(self, first: int = 0) -> Ints:
        """How many words each run has, from the `first` on."""
        depths = np.ones(self.size - first, np.int64)
        ancestors = self.nodes[first : self.size] >> _32  # plus one; 0 is none
        while len(has_one := np.flatnonzero(ancestors)):
            depths[has_one] += 1
            ancestors[has_one] = self.nodes[ancestors[has_one] - np.uint64(1)] >> _32
        return depths

    def ranks(self, word_ranks: Ints) -> Ints:
        """The place of each run among all of them, sorted as Python sorts their words joined by spaces.

        A space sorts before every word character, so that is the order of a walk through the tree that visits a run
        before its children and the children by their last words. A run's place is its parent's, plus one, plus
        the sizes of its elder siblings' subtrees.
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
        """The words of some runs, one run after the other, and how many each has."""
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
