"""The terms seen so far and their numbers: single words, or runs of them, whichever are asked for.

A `TermTable` counts slices of documents, takes over the terms of other tables, and spells its terms. Numbers go up
in the order in which terms were first seen, whatever the slices and the threads: a thread's new terms are taken over
slice by slice, in the order of the documents.
"""

from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .documents import Reading
from .formtable import FormTable
from .gramtree import GramTree
from .words import WORD, Forms, byte_classes
from .wordtable import Counted, Ints, Slice, WordTable, spelled_out


class TermTable:
    """Terms and their numbers, for one range of n-gram lengths and one list of stop words.

    With `fold_ascii` the capitals A to Z count as their small letters. With `forms`, words count as these. With
    `joins_names`, words can be names.
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
        """An empty table for documents that are read in this way."""
        return cls(ngram_range, stop_words, fold_ascii=reading.kernels_fold, **reading.words_are)

    @property
    def size(self) -> int:
        """How many numbers are given out. Stop words, and runs that are too short, have one too."""
        return self._words.size if self._grams is None else self._grams.size

    @property
    def sizes(self) -> tuple[int, int]:
        """How many words and how many runs of words are known: what `absorb` wants to know of each slice."""
        return self._words.size, 0 if self._grams is None else self._grams.size

    # -- counting ------------------------------------------------------------------------------------------------

    def count(self, documents: Slice, *, learn: bool) -> Counted:
        """Count the terms of some documents; unknown ones are added if the table is to learn."""
        if self._grams is None:
            return self._words.count(documents, self._classes, learn=learn, in_sequence=False)
        sequences = self._words.count(documents, self._classes, learn=learn, in_sequence=True)
        return self._grams.count(sequences, self.ngram_range, learn=learn)

    # -- one table a thread --------------------------------------------------------------------------------------

    def reader(self) -> "TermTable":
        """A table for another thread that counts these terms."""
        other = copy(self)
        other._words = self._words.reader()
        other._grams = None if self._grams is None else self._grams.reader()
        return other

    def take_back(self, readers: Iterable["TermTable"]) -> None:
        """Take back readers that are done, with what the next ones are spared."""
        for reader in readers:
            self._words.take_back(reader._words)

    def empty_twin(self) -> "TermTable":
        """A table with the same settings and no terms: a thread learns into it, and `absorb` collects."""
        other = copy(self)
        other._words = self._words.empty_twin()
        other._grams = None if self._grams is None else GramTree()
        return other

    def absorb(self, others: Sequence["TermTable"], slices: Iterable[tuple[int, tuple[int, int]]]) -> list[Ints]:
        """Take over the terms of other tables; gives, for each table, the number here of each of its terms.

        `slices` names, in the order of the documents, the table that counted a slice and that table's `sizes`
        right after it.
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
        """The number of each term, which is added where it is new; -1 for a string that no text can give."""
        if self._terms_are_any_text:
            return self._add_as_spelled(terms)
        encoded, starts = spelled_out(terms, b"\xff")
        documents = Slice(encoded.tobytes(), len(terms), wide=True)
        as_written = byte_classes(False)
        runs = self._words.count(documents, as_written, learn=True, in_sequence=True)
        found = (runs.entries >> np.uint64(32)).astype(np.int64)
        ends = runs.row_ends.astype(np.int64)
        # A string is a term if its words, and one space between two of them, are all there is to it.
        n_words = np.diff(ends, prepend=0)
        n_spaces = _sums_up_to(starts[1:].astype(np.int64), encoded == ord(" "))
        n_bytes = _sums_up_to(ends, self._words.lengths()[found]) + n_spaces
        possible = (n_words >= self.ngram_range[0]) & (n_words <= self.ngram_range[1])
        possible &= (n_spaces == n_words - 1) & (n_bytes == np.diff(starts.astype(np.int64)) - 1)
        numbers = np.full(len(terms), -1, np.int64)
        if self._grams is None:
            numbers[possible] = found[ends[possible] - 1]
        else:
            numbers[possible] = self._grams.add(runs)[possible]
        return numbers

    def _add_as_spelled(self, terms: Sequence[str]) -> Ints:
        """The same, where a word need not look like one: it is a form, or a name, which has spaces."""
        split = [[term] if self._grams is None else term.split(" ") for term in terms]
        possible = np.array([self.ngram_range[0] <= len(words) <= self.ngram_range[1] for words in split], np.bool_)
        runs = [words for words, can_be in zip(split, possible.tolist(), strict=True) if can_be]
        found = self._words.add(*spelled_out([word for words in runs for word in words]))
        numbers = np.full(len(terms), -1, np.int64)
        if self._grams is None:
            numbers[possible] = np.where(found < self._words.n_stop, -1, found)
        else:
            ends = np.cumsum([len(words) for words in runs], dtype=np.uint64)
            numbers[possible] = self._grams.add(Counted(found.astype(np.uint64) << np.uint64(32) | np.uint64(1), ends))
        return numbers

    def countable(self, first: int = 0) -> NDArray[np.bool_]:
        """Which numbers from the `first` on are terms: not stop words, and not shorter runs than asked for."""
        if self._grams is None:
            return np.arange(first, self.size) >= self._words.n_stop
        return self._grams.depths(first) >= self.ngram_range[0]

    def in_order(self, numbers: Ints) -> Ints:
        """The same terms, sorted as Python sorts strings."""
        ranks = self._words.ranks()
        if self._grams is not None:
            ranks = self._grams.ranks(ranks)
        of_rank = np.full(self.size, -1, np.int64)
        of_rank[ranks[numbers]] = numbers
        return of_rank[of_rank >= 0]

    def spelled(self, numbers: Ints) -> list[str]:
        """The terms with these numbers."""
        if self._grams is None:
            return self._words.joined(numbers, np.ones(numbers.size, np.int64))
        return self._words.joined(*self._grams.words_of(numbers))


def _sums_up_to(ends: Ints, values: NDArray[Any]) -> Ints:
    """The sums of consecutive stretches of the values, each up to its end."""
    running = np.zeros(len(values) + 1, np.int64)
    np.cumsum(values, out=running[1:])
    return np.diff(running[ends], prepend=0)
