"""Number the terms of documents: single words or n-grams.

A `TermTable` counts slices of documents, adds the terms of other tables, and spells its terms. Terms are numbered in
the order in which they first occur, however documents are split into slices and threads: each thread numbers the terms
of its slices in a table of its own, and these are added to the common table slice by slice, in the order of the
documents.

N-grams are stored as a tree (`NgramTree`): the parent of an n-gram is the n-gram without its last word, and the number
of a parent is lower than those of its children.
"""

from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ..arrays import Bytes, Codes, Ints
from ..errors import InputError
from ..kernels import ngrams, words
from .analysis import WORDS, Analysis
from .reading import Reading
from .tokens import SPACE_MARK
from .word_table import (
    FEW_ENTRIES,
    SEED,
    AnySlice,
    CharacterTable,
    FormTable,
    Slice,
    SliceCounts,
    SpelledTable,
    TokenClasses,
    WordTable,
    doubled_slots,
    encode_terms,
    split_terms,
    with_room,
)
from .words import NOT_SPACE, Forms, TokenRule

NOT_SPACES = TokenRule(NOT_SPACE, min_length=1)
"""The rule for texts that are split at white space only."""

_32, _LOW_32 = np.uint64(32), np.uint64((1 << 32) - 1)


class NgramTree:
    """A tree of n-grams, which are its nodes, with a hash table to look them up; see `kernels.ngrams` for the arrays.

    The parent of `the red house` is `the red`, whose parent is `the`, which has none. A node is stored as the code
    (number of its parent + 1, or 0 if it has none) << 32 | number of its last word.
    """

    def __init__(self) -> None:
        self.slots: Codes = np.zeros(2 << 13, np.uint64)  # two codes for each slot
        self.nodes: Codes = np.empty(1 << 12, np.uint64)
        self.size = 0
        self.entries: Codes = np.empty(FEW_ENTRIES, np.uint64)

    def reader(self) -> "NgramTree":
        """Return a tree with which another thread counts the same n-grams.

        It shares the n-grams, but has its own slots, which record where each n-gram was last counted.
        """
        other = copy(self)
        other.slots = self.slots.copy()
        other.entries = np.empty(FEW_ENTRIES, np.uint64)
        return other

    def count(self, sequences: SliceCounts, ngram_range: tuple[int, int], *, learn: bool) -> SliceCounts:
        """Count the n-grams of documents given as sequences of words; with `learn`, add unknown n-grams."""
        row_ends = np.empty_like(sequences.row_ends)
        state = np.zeros(words.STATE_SIZE, np.uint64)
        state[words.N_WORDS] = self.size  # for this kernel, the number of n-grams
        min_n = ngram_range[0]
        # No n-gram is longer than the longest document, counted in words. The kernel makes sure that there is room for
        # `max_n` more n-grams, those that begin at the same word, so a huge `max_n` would take much memory.
        longest_document = int(np.diff(sequences.row_ends, prepend=np.uint64(0)).max(initial=1))
        max_n = min(ngram_range[1], longest_document)
        while True:  # the kernel stops when an array is full, and continues from `state` when there is more room
            done = ngrams.count_ngrams(
                *sequences, min_n, max_n, self.slots, self.nodes, SEED, learn, self.entries, row_ends, state
            )
            self.size = int(state[words.N_WORDS])
            n_entries = int(state[words.N_ENTRIES])
            if done:
                return SliceCounts(self.entries[:n_entries].copy(), row_ends)
            self._make_room(max_n)
            self.entries = with_room(self.entries, n_entries + max_n)

    def absorb(self, other: "NgramTree", first: int, last: int, word_numbers: Ints, numbers: Ints) -> None:
        """Add the n-grams of another tree with numbers from `first` to before `last`.

        `word_numbers` maps the other tree's word numbers to those of this tree. `numbers` gets, at the number of each
        added n-gram in the other tree, its number in this tree.
        """
        while True:  # the kernel stops when an array is full, and returns the n-gram to continue with
            first, size = ngrams.add_nodes(
                other.nodes, first, last, word_numbers, numbers, self.slots, self.nodes, np.uint64(self.size), SEED
            )
            self.size = int(size)
            if first == last:
                return
            self._make_room(1)

    def add(self, sequences: SliceCounts) -> Ints:
        """Return the number of each sequence of words as one n-gram, adding new n-grams; -1 for an empty sequence."""
        numbers = np.empty(sequences.row_ends.size, np.int64)
        n_done = 0
        while True:  # the kernel stops when an array is full, and returns how many sequences are done
            n_done, size = ngrams.add_ngrams(
                *sequences, n_done, self.slots, self.nodes, np.uint64(self.size), SEED, numbers
            )
            self.size = int(size)
            if n_done == numbers.size:
                return numbers
            # The next sequence can add a node for each of its words.
            begin = sequences.row_ends[n_done - 1] if n_done else np.uint64(0)
            self._make_room(int(sequences.row_ends[n_done] - begin))

    def _make_room(self, n_nodes: int) -> None:
        """Make room for `n_nodes` more nodes."""
        if self.size + n_nodes > words.MAX_WORDS:
            raise InputError(f"More than {words.MAX_WORDS:,} different n-grams", hint="count in smaller parts")
        while 4 * (self.size + n_nodes) > self.slots.size:  # a slot has two codes; at most half of the slots are used
            self.slots = doubled_slots(self.slots)
        self.nodes = with_room(self.nodes, self.size + n_nodes)

    def _parents_and_words(self) -> tuple[Ints, Ints]:
        """Return the number of each n-gram's parent (-1 for a single word) and of its last word."""
        nodes = self.nodes[: self.size]
        return (nodes >> _32).astype(np.int64) - 1, (nodes & _LOW_32).astype(np.int64)

    def depths(self, first: int = 0) -> Ints:
        """Return the number of words of each n-gram, from number `first` on."""
        depths = np.ones(self.size - first, np.int64)
        # The next ancestor of each n-gram that is not counted yet: its number plus one, or 0 if there is none. In each
        # round, all n-grams go up one level.
        ancestors = self.nodes[first : self.size] >> _32
        while len(with_ancestor := np.flatnonzero(ancestors)):
            depths[with_ancestor] += 1
            ancestors[with_ancestor] = self.nodes[ancestors[with_ancestor] - np.uint64(1)] >> _32
        return depths

    def ranks(self, word_ranks: Ints) -> Ints:
        """Return the rank of each n-gram in the order in which Python sorts their words joined by spaces.

        `word_ranks` has the rank of each word. A space sorts before every word character, so this is the order of a
        depth-first walk that visits the children of a node by their last words: `a`, `a b`, `a b c`, `a d`, `b`. So the
        rank of an n-gram is that of its parent, plus one, plus the sizes of the subtrees of its earlier siblings.
        """
        parents, last_words = self._parents_and_words()
        depths = self.depths()
        deepest = int(depths.max(initial=1))
        sizes = np.ones(self.size, np.int64)  # of the subtrees, added up from the deepest level
        for depth in range(deepest, 1, -1):
            level = np.flatnonzero(depths == depth)
            sizes += np.bincount(parents[level], sizes[level], self.size).astype(np.int64)
        order = np.argsort((parents + 1) << 32 | word_ranks[last_words])  # siblings are adjacent, sorted by last word
        sizes_before = np.cumsum(sizes[order]) - sizes[order]  # the subtrees of all nodes before each node in `order`
        # Subtract what is before the first sibling: then `sizes_before` has the subtrees of earlier siblings only.
        sorted_parents = parents[order]
        first_siblings = np.flatnonzero(np.diff(sorted_parents, prepend=-2))  # parents are -1 or more, so -2 differs
        n_siblings = np.diff(first_siblings, append=self.size)
        sizes_before -= np.repeat(sizes_before[first_siblings], n_siblings)
        ranks = np.empty(self.size, np.int64)
        ranks[order] = sizes_before
        for depth in range(2, deepest + 1):  # from the top: parents have their final rank before their children
            level = np.flatnonzero(depths == depth)
            ranks[level] += ranks[parents[level]] + 1
        return ranks

    def words_of(self, numbers: Ints) -> tuple[Ints, Ints]:
        """Return the word numbers of some n-grams in one array, and the number of words of each n-gram."""
        parents, last_words = self._parents_and_words()
        n_words = self.depths()[numbers]
        ngram_words = np.empty(int(n_words.sum()), np.int64)
        # Each n-gram is written backwards, from its last word up to the root: in each round, `nodes` has the next node
        # of each n-gram (-1: none is left), and `positions` where its last word goes.
        positions = np.cumsum(n_words) - 1
        nodes = numbers.copy()
        while len(unfinished := np.flatnonzero(nodes >= 0)):
            ngram_words[positions[unfinished]] = last_words[nodes[unfinished]]
            nodes[unfinished] = parents[nodes[unfinished]]
            positions[unfinished] -= 1
        return ngram_words, n_words


class CountingTable(Protocol):
    """A table that counts terms and gives them numbers: a `TermTable`, or a `CombinedTable` of two of them."""

    @property
    def size(self) -> int:
        """Return how many numbers are in use, including those of stop words and of n-grams that are too short."""

    @property
    def sizes(self) -> Any:
        """Return what `absorb` needs to know about the size of this table after each slice."""

    def count(self, documents: AnySlice, *, learn: bool) -> SliceCounts:
        """Count the terms of some documents; with `learn`, add unknown terms."""

    def reader(self) -> Self:
        """Return a table with which another thread counts these terms, without adding any."""

    def return_readers(self, readers: Iterable[Self]) -> None:
        """Accept readers that have finished, so that later slices can reuse what they learned."""

    def empty_copy(self) -> Self:
        """Return a table with the same settings and no terms, for a thread that learns terms for `absorb`."""

    def absorb(self, others: Sequence[Self], slices: Iterable[tuple[int, Any]]) -> list[Ints]:
        """Add the terms of other tables; return for each of them the numbers that its terms have in this table.

        `slices` has a pair for each slice of documents, in the order of the documents: the position in `others` of the
        table that counted the slice, and the `sizes` of that table just after it had counted the slice. So new
        terms are added slice by slice, in the order of the documents.
        """

    def add_terms(self, terms: Sequence[str]) -> Ints:
        """Return the number of each term, adding new ones; -1 for a string that can't occur as a term."""

    def is_term(self, first: int = 0) -> NDArray[np.bool_]:
        """Return for each number from `first` on whether it is that of a term, not of a stop word or short n-gram."""

    def sort_numbers(self, numbers: Ints) -> Ints:
        """Return the given numbers in the order in which Python sorts their terms."""

    def spell(self, numbers: Ints) -> list[str]:
        """Return the terms with these numbers as strings."""


class TermTable:
    """A table of terms and their numbers, for one range of n-gram lengths and one list of stop words.

    With `lowercase_ascii`, the letters A to Z are lowercased. With `forms`, words count as their normal forms. With
    `joins_names`, words can be names. If terms are not n-grams of words, there is no `NgramTree`, and each term is one
    "word" of the table of words: a word, an n-gram of characters, or a term that was listed in Python. For n-grams of
    characters, `character_rule` matches the characters that are not white space.
    """

    def __init__(
        self,
        ngram_range: tuple[int, int] = (1, 1),
        stop_words: Iterable[str] = (),
        *,
        lowercase_ascii: bool = True,
        forms: Forms | None = None,
        joins_names: bool = False,
        analysis: Analysis = WORDS,
        is_split_by_kernels: bool = True,
        character_rule: TokenRule = NOT_SPACES,
    ) -> None:
        self.ngram_range = ngram_range
        self._ngrams: NgramTree | None = None
        self._words: WordTable
        rule = analysis.rule
        if not is_split_by_kernels or rule is None:
            rule = character_rule
            self._words = (
                CharacterTable(ngram_range, padded=analysis.is_padded)
                if analysis.counts_only_characters
                else SpelledTable()
            )
            self._terms_are_any_text = True
        else:
            # Leave out stop words that no token can equal. With the analyzer "text", only `SPACE_MARK` is left out: it
            # is the break at which n-grams end, and must not be dropped as a stop word.
            if rule.splits_scripts:
                matchable = sorted(word for word in stop_words if word != SPACE_MARK)
            else:
                matchable = sorted(word for word in stop_words if analysis.pattern.fullmatch(word))
            word_table = WordTable(matchable)
            self._words = word_table if forms is None else FormTable(forms, word_table)
            self._ngrams = None if tuple(ngram_range) == (1, 1) else NgramTree()
            # Then `add_terms` adds terms as they are spelled, instead of splitting them by the rule: a form or a name
            # need not look like a word, and the analyzer "text" may split a term into several tokens.
            self._terms_are_any_text = joins_names or forms is not None or rule.splits_scripts
        self._tokens = TokenClasses.of(
            rule, lowercase=lowercase_ascii, joins_names=joins_names, breaks=self._ngrams is not None
        )

    @classmethod
    def for_reading(cls, reading: Reading, ngram_range: tuple[int, int], stop_words: Iterable[str]) -> "TermTable":
        """Return a table without terms, for documents that are read as `reading` says."""
        return cls(
            ngram_range,
            stop_words,
            lowercase_ascii=reading.kernels_lowercase,
            forms=None if reading.forms is None else reading.forms.of_new_words,
            joins_names=reading.joins_names,
            analysis=reading.analysis,
            is_split_by_kernels=reading.is_split_by_kernels,
        )

    @property
    def size(self) -> int:
        """Return how many numbers are in use, including those of stop words and of n-grams that are too short."""
        return self._words.size if self._ngrams is None else self._ngrams.size

    @property
    def sizes(self) -> tuple[int, int]:
        """Return the number of known words and of known n-grams; `absorb` needs what they were after each slice."""
        return self._words.size, 0 if self._ngrams is None else self._ngrams.size

    # -- counting ------------------------------------------------------------------------------------------------

    def count(self, documents: AnySlice, *, learn: bool) -> SliceCounts:
        """Count the terms of some documents; with `learn`, add unknown terms."""
        if self._ngrams is None:
            return self._words.count(documents, self._tokens, learn=learn, in_sequence=False)
        sequences = self._words.count(documents, self._tokens, learn=learn, in_sequence=True)
        if self._tokens.rule.splits_scripts:
            _end_ngrams_at_breaks(sequences, self._words)
        return self._ngrams.count(sequences, self.ngram_range, learn=learn)

    # -- one table per thread ------------------------------------------------------------------------------------

    def reader(self) -> "TermTable":
        """Return a table with which another thread counts these terms, without adding any."""
        other = copy(self)
        other._words = self._words.reader()
        other._ngrams = None if self._ngrams is None else self._ngrams.reader()
        return other

    def return_readers(self, readers: Iterable["TermTable"]) -> None:
        """Accept readers that have finished, so that later slices can reuse what they learned."""
        for reader in readers:
            self._words.return_reader(reader._words)

    def empty_copy(self) -> "TermTable":
        """Return a table with the same settings and no terms, for a thread that learns terms for `absorb`."""
        other = copy(self)
        other._words = self._words.empty_copy()
        other._ngrams = None if self._ngrams is None else NgramTree()
        return other

    def absorb(self, others: Sequence["TermTable"], slices: Iterable[tuple[int, Any]]) -> list[Ints]:
        """Add the terms of other tables; return for each of them the numbers that its terms have in this table.

        `slices` has a pair for each slice of documents, in the order of the documents: the position in `others` of the
        table that counted the slice, and the `sizes` of that table just after it had counted the slice. So new
        terms are added slice by slice, in the order of the documents.
        """
        # For each other table, the number in this one of each of its words. At first, that is the number in the other
        # table: right for stop words, which are the first words of all tables; the other numbers are overwritten.
        word_numbers = [np.arange(other._words.size) for other in others]
        ngram_numbers = [np.empty(other.size, np.int64) for other in others]
        # Most words of the largest table are new; making room for them at once is faster than growing step by step.
        largest = max((other._words for other in others), key=lambda words: words.size, default=self._words)
        self._words.reserve(self._words.size + largest.size, int(largest.starts[largest.size]))
        absorbed = [(other._words.n_stop, 0) for other in others]  # how many words and n-grams of each are done
        for index, (n_words, n_ngrams) in slices:
            spelling, starts = others[index]._words.spellings()
            first_word, first_ngram = absorbed[index]
            word_numbers[index][first_word:n_words] = self._words.add(spelling, starts[first_word : n_words + 1])
            other_ngrams = others[index]._ngrams
            if self._ngrams is not None and other_ngrams is not None:
                self._ngrams.absorb(other_ngrams, first_ngram, n_ngrams, word_numbers[index], ngram_numbers[index])
            absorbed[index] = n_words, n_ngrams
        return word_numbers if self._ngrams is None else ngram_numbers

    # -- terms ---------------------------------------------------------------------------------------------------

    def add_terms(self, terms: Sequence[str]) -> Ints:
        """Return the number of each term, adding new ones; -1 for a string that can't occur as a term."""
        if self._terms_are_any_text:
            return self._add_as_spelled(terms)
        encoded, starts = encode_terms(terms, terminator=b"\xff")
        documents = Slice(encoded.tobytes(), len(terms), wide=True)  # each term is a document of its own
        as_written = TokenClasses.of(self._tokens.rule, lowercase=False)
        sequences = self._words.count(documents, as_written, learn=True, in_sequence=True)
        word_numbers = (sequences.entries >> _32).astype(np.int64)
        ends = sequences.row_ends.astype(np.int64)
        # A string is a term if it consists of words with one space between each two of them: then its n words and n - 1
        # spaces have as many bytes as the string without its terminator. Stop words are not in `sequences`, so a string
        # with one is no term.
        n_words = np.diff(ends, prepend=0)
        n_spaces = _segment_sums(starts[1:].astype(np.int64), encoded == ord(" "))
        n_bytes = _segment_sums(ends, self._words.lengths()[word_numbers]) + n_spaces
        is_term = (n_words >= self.ngram_range[0]) & (n_words <= self.ngram_range[1])
        is_term &= (n_spaces == n_words - 1) & (n_bytes == np.diff(starts.astype(np.int64)) - 1)
        numbers = np.full(len(terms), -1, np.int64)
        if self._ngrams is None:
            numbers[is_term] = word_numbers[ends[is_term] - 1]
        else:
            numbers[is_term] = self._ngrams.add(sequences)[is_term]
        return numbers

    def _add_as_spelled(self, terms: Sequence[str]) -> Ints:
        """Do the same as `add_terms`, but don't check that terms consist of words: stems and names may look different.

        A single stop word gets -1. N-grams are not checked for stop words.
        """
        if self._ngrams is None:
            word_numbers = self._words.add(*encode_terms(terms))
            return np.where(word_numbers < self._words.n_stop, -1, word_numbers)
        term_words = [term.split(" ") for term in terms]
        is_term = np.array([self.ngram_range[0] <= len(words) <= self.ngram_range[1] for words in term_words], np.bool_)
        possible_words = [words for words, is_possible in zip(term_words, is_term.tolist(), strict=True) if is_possible]
        word_numbers = self._words.add(*encode_terms([word for words in possible_words for word in words]))
        ends = np.cumsum([len(words) for words in possible_words], dtype=np.uint64)
        entries = word_numbers.astype(np.uint64) << _32 | np.uint64(1)  # each word with a count of 1
        numbers = np.full(len(terms), -1, np.int64)
        numbers[is_term] = self._ngrams.add(SliceCounts(entries, ends))
        return numbers

    def is_term(self, first: int = 0) -> NDArray[np.bool_]:
        """Return for each number from `first` on whether it is that of a term, not of a stop word or short n-gram."""
        if self._ngrams is None:
            return np.arange(first, self.size) >= self._words.n_stop
        return self._ngrams.depths(first) >= self.ngram_range[0]

    def sort_numbers(self, numbers: Ints) -> Ints:
        """Return the given numbers in the order in which Python sorts their terms."""
        # The order of the tree is right only if a space sorts before all characters of words.
        if self._ngrams is not None and self._words.has_control_characters():
            terms = self.spell(numbers)
            return numbers[sorted(range(len(terms)), key=terms.__getitem__)]
        ranks = self._words.ranks()
        if self._ngrams is not None:
            ranks = self._ngrams.ranks(ranks)
        # Sort by rank: write each number to the position of its rank, and read those that were written.
        number_of_rank = np.full(self.size, -1, np.int64)
        number_of_rank[ranks[numbers]] = numbers
        return number_of_rank[number_of_rank >= 0]

    def joined(self, numbers: Ints) -> tuple[Bytes, Codes]:
        """Return the spellings of the terms with these numbers in one array, with a line break after each.

        Returns also where each line break ends.
        """
        if self._ngrams is None:
            return self._words.joined(numbers, np.ones(numbers.size, np.int64))
        return self._words.joined(*self._ngrams.words_of(numbers))

    def spell(self, numbers: Ints) -> list[str]:
        """Return the terms with these numbers as strings."""
        return split_terms(*self.joined(numbers)) if numbers.size else []


def _end_ngrams_at_breaks(sequences: SliceCounts, table: WordTable) -> None:
    """Replace the breaks in sequences of words, in place, by unknown words, at which n-grams end.

    A break is the word `SPACE_MARK`, which `kernels.tokens` writes into texts.
    """
    (number,) = table.find(*encode_terms([SPACE_MARK]))
    if number >= 0:  # otherwise there was no break in any text
        sequences.entries[sequences.entries >> _32 == np.uint64(number)] = np.uint64(words.UNKNOWN << 32)


def _segment_sums(ends: Ints, values: NDArray[Any]) -> Ints:
    """Return the sum of each segment of the values; segments follow each other, and segment i ends at `ends[i]`."""
    cumulative = np.zeros(len(values) + 1, np.int64)
    np.cumsum(values, out=cumulative[1:])
    return np.diff(cumulative[ends], prepend=0)
