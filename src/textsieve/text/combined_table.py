"""Number words and n-grams of characters together, for the setting `char_ngram_range`.

A `CombinedTable` has two `TermTable`s, which count the same documents: one counts words (or n-grams of words), the
other n-grams of characters. Each of the two numbers its own terms 0, 1, 2, ... The combined table gives all of them
*common numbers*, in the order of the documents in which the terms first occur, and in each document words first. So, as
for a `TermTable`, numbers don't depend on how documents are split into slices and threads.

The table of n-grams of characters stores them as they are in texts, with spaces. They get their marks
(`analysis.mark_ngram`) when they are converted to strings or sorted.
"""

from collections.abc import Iterable, Sequence
from copy import copy
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..arrays import Bytes, Codes, Ints
from ..kernels.characters import write_marks
from .analysis import INNER_MARK, Analysis, is_marked, unmark_ngram
from .reading import Reading
from .term_table import CountingTable, TermTable
from .tokens import SPACE_MARK
from .word_table import AnySlice, SliceCounts, sorted_spellings, split_terms, with_room
from .words import TokenRule

# An entry of `SliceCounts` is term number << 32 | count.
_32, _LOW_32 = np.uint64(32), np.uint64((1 << 32) - 1)

Value = TypeVar("Value", bound=np.generic)

Sizes = tuple[tuple[int, int], tuple[int, int], int]
"""The `sizes` of the table of words, those of the table of n-grams of characters, and how many common numbers exist."""

_SPACE_MARK, _INNER_MARK = (np.frombuffer(mark.encode(), np.uint8) for mark in (SPACE_MARK, INNER_MARK))
# N-grams of characters are formed in words of these characters: `SPACE_MARK` counts as white space.
_NOT_SPACE_OR_MARK = TokenRule(rf"[^\s{SPACE_MARK}]", min_length=1)


def table_for(reading: Reading, ngram_range: tuple[int, int], stop_words: Iterable[str]) -> CountingTable:
    """Return a table without terms, for documents that are read as `reading` says."""
    words = TermTable.for_reading(reading, ngram_range, stop_words)
    if reading.analysis.char_ngram_range is None:
        return words
    characters = TermTable(
        reading.analysis.char_ngram_range,
        lowercase_ascii=reading.kernels_lowercase,
        analysis=Analysis("char_wb"),
        character_rule=_NOT_SPACE_OR_MARK,
    )
    return CombinedTable(words, characters)


class CombinedTable:
    """A table of words and n-grams of characters.

    A *code* stands for a number in one of the two tables: 2 x the number + the index of the table, which is 0 for words
    and 1 for n-grams of characters. So 10 is word number 5, and 11 is n-gram number 5.
    """

    def __init__(self, words: TermTable, characters: TermTable) -> None:
        self._tables = words, characters
        self._common = [np.empty(0, np.int64), np.empty(0, np.int64)]  # by table: the common number of each number
        self._codes = np.empty(0, np.int64)  # the code of each common number, with room for more
        self._size = 0  # how many common numbers are in use
        self._n_numbered = [0, 0]  # how many numbers of each table have a common number

    @property
    def size(self) -> int:
        """Return how many common numbers are in use, including those of stop words and n-grams that are too short."""
        return self._size

    @property
    def sizes(self) -> Sizes:
        """Return the sizes of both tables, and of this one; `absorb` needs what they were after each slice."""
        words, characters = self._tables
        return words.sizes, characters.sizes, self.size

    # -- counting ------------------------------------------------------------------------------------------------

    def count(self, documents: AnySlice, *, learn: bool) -> SliceCounts:
        """Count the terms of some documents; with `learn`, add unknown terms."""
        parts = [table.count(documents, learn=learn) for table in self._tables]
        if learn:
            self._number_new_terms(parts)
        renumbered = [_renumbered(part, common) for part, common in zip(parts, self._common, strict=True)]
        return _join_rows(*renumbered)

    def _number_new_terms(self, parts: Sequence[SliceCounts]) -> None:
        """Give common numbers to the numbers that a slice added to the tables, by the row in which each first occurs.

        `parts` has the counts of the slice by the table of words, and those by the table of n-grams.
        """
        codes, rows = [], []
        for index, (part, table) in enumerate(zip(parts, self._tables, strict=True)):
            new_numbers = np.arange(self._n_numbered[index], table.size)
            codes.append(2 * new_numbers + index)
            rows.append(_first_rows(part, new_numbers))
        # The sort is stable: in a row, words come before n-grams, and the numbers of each table stay in order.
        self._append(np.concatenate(codes)[np.argsort(np.concatenate(rows), kind="stable")])

    def _append(self, codes: Ints) -> None:
        """Give the next common numbers to these codes, in their order.

        They must be the codes of all numbers of both tables that have no common number yet.
        """
        common_numbers = np.arange(self._size, self._size + codes.size)
        for index, table in enumerate(self._tables):
            self._common[index] = with_room(self._common[index], table.size)
            is_here = codes & 1 == index  # whether a code belongs to this table
            self._common[index][codes[is_here] >> 1] = common_numbers[is_here]
        self._n_numbered = [table.size for table in self._tables]
        self._codes = with_room(self._codes, self._size + codes.size)
        self._codes[self._size : self._size + codes.size] = codes
        self._size += codes.size

    # -- one table per thread ------------------------------------------------------------------------------------

    def reader(self) -> "CombinedTable":
        """Return a table with which another thread counts these terms, without adding any."""
        words, characters = self._tables
        other = copy(self)
        other._tables = words.reader(), characters.reader()
        return other

    def return_readers(self, readers: Iterable["CombinedTable"]) -> None:
        """Accept readers that have finished, so that later slices can reuse what they learned."""
        reader_list = list(readers)
        for index, table in enumerate(self._tables):
            table.return_readers(reader._tables[index] for reader in reader_list)

    def empty_copy(self) -> "CombinedTable":
        """Return a table with the same settings and no terms, for a thread that learns terms for `absorb`."""
        words, characters = self._tables
        return CombinedTable(words.empty_copy(), characters.empty_copy())

    def absorb(self, others: Sequence["CombinedTable"], slices: Iterable[tuple[int, Sizes]]) -> list[Ints]:
        """Add the terms of other tables; return for each of them the numbers that its terms have in this table.

        `slices` has a pair for each slice of documents, in the order of the documents: the position in `others` of the
        table that counted the slice, and the `sizes` of that table just after it had counted the slice.
        """
        slice_list = list(slices)
        words, characters = self._tables
        # First, each of the two tables adds the terms of its kind, and returns for each other table their new numbers.
        new_numbers = (
            words.absorb([other._tables[0] for other in others], [(which, sizes[0]) for which, sizes in slice_list]),
            characters.absorb(
                [other._tables[1] for other in others], [(which, sizes[1]) for which, sizes in slice_list]
            ),
        )
        # Then the new terms get common numbers here. `codes` has for each other table the codes of its terms here, in
        # the order of the common numbers that they have in the other table.
        codes = []
        for which, other in enumerate(others):
            other_codes = other._codes[: other.size]
            numbers = _values_of(other_codes, [new_numbers[0][which], new_numbers[1][which]])
            codes.append(2 * numbers + (other_codes & 1))
        self._append_new(codes, slice_list)
        return [_values_of(table_codes, self._common) for table_codes in codes]

    def _append_new(self, codes: Sequence[Ints], slices: Iterable[tuple[int, Sizes]]) -> None:
        """Give common numbers to those codes that have none yet, slice by slice.

        `codes` has for each other table the codes of its terms in this one; for `slices`, see `absorb`.
        """
        has_common = [np.arange(table.size) < n for table, n in zip(self._tables, self._n_numbered, strict=True)]
        new_codes = [np.empty(0, np.int64)]  # an empty array, because `concatenate` needs at least one
        n_done = [0] * len(codes)  # how many codes of each other table are done
        for which, (_, _, size) in slices:
            slice_codes = codes[which][n_done[which] : size]  # distinct, since a table has each term once
            n_done[which] = size
            is_new = np.empty(slice_codes.size, np.bool_)
            for index, table_has_common in enumerate(has_common):
                is_here = slice_codes & 1 == index
                numbers = slice_codes[is_here] >> 1
                is_new[is_here] = ~table_has_common[numbers]
                table_has_common[numbers] = True
            new_codes.append(slice_codes[is_new])
        self._append(np.concatenate(new_codes))

    # -- terms ---------------------------------------------------------------------------------------------------

    def add_terms(self, terms: Sequence[str]) -> Ints:
        """Return the number of each term, adding new ones; -1 for a string that can't occur as a term."""
        words, characters = self._tables
        is_ngram = np.fromiter(map(is_marked, terms), np.bool_, len(terms))
        # At first the number of each term in the table of its kind, -1: in neither; below, the common number.
        numbers = np.empty(len(terms), np.int64)
        numbers[~is_ngram] = words.add_terms([term for term in terms if not is_marked(term)])
        numbers[is_ngram] = characters.add_terms([unmark_ngram(term) for term in terms if is_marked(term)])
        new_codes = [
            2 * np.arange(n, table.size) + index
            for index, (n, table) in enumerate(zip(self._n_numbered, self._tables, strict=True))
        ]
        self._append(np.concatenate(new_codes))
        is_known = numbers >= 0
        numbers[is_known] = _values_of(2 * numbers[is_known] + is_ngram[is_known], self._common)
        return numbers

    def is_term(self, first: int = 0) -> NDArray[np.bool_]:
        """Return for each number from `first` on whether it is that of a term, not of a stop word or short n-gram."""
        return _values_of(self._codes[first : self._size], [table.is_term() for table in self._tables])

    def sort_numbers(self, numbers: Ints) -> Ints:
        """Return the given numbers in the order in which Python sorts their terms."""
        joined, ends, order = self._joined_by_kind(numbers)
        # Remove the line break after each spelling. `starts` then has where each begins, and where the last one ends.
        is_line_break = np.zeros(joined.size, np.bool_)
        is_line_break[ends.astype(np.int64) - 1] = True
        starts = np.concatenate([np.zeros(1, np.uint64), ends - np.arange(1, ends.size + 1, dtype=np.uint64)])
        return numbers[order[sorted_spellings(joined[~is_line_break], starts)]]

    def spell(self, numbers: Ints) -> list[str]:
        """Return the terms with these numbers as strings."""
        if not numbers.size:
            return []
        joined, ends, order = self._joined_by_kind(numbers)
        terms = split_terms(joined, ends)
        spelled = [""] * len(terms)
        for position, term in zip(order.tolist(), terms, strict=True):
            spelled[position] = term
        return spelled

    def _joined_by_kind(self, numbers: Ints) -> tuple[Bytes, Codes, Ints]:
        """Return the spellings of terms in one array, words before n-grams of characters, with a line break after each.

        Returns also where each line break ends, and the position in `numbers` of each spelled term.
        """
        codes = self._codes[numbers]
        is_ngram = codes & 1 == 1
        words, characters = self._tables
        joined, ends = words.joined(codes[~is_ngram] >> 1)
        ngrams, ngram_ends = _with_marks(*characters.joined(codes[is_ngram] >> 1))
        return (
            np.concatenate([joined, ngrams]),
            np.concatenate([ends, ngram_ends + np.uint64(joined.size)]),
            np.concatenate([np.flatnonzero(~is_ngram), np.flatnonzero(is_ngram)]),
        )


def _values_of(codes: Ints, table_values: Sequence[NDArray[Value]]) -> NDArray[Value]:
    """Return the value of each code; `table_values[i]` has the value of each number of table i (0: words)."""
    code_values = np.empty(codes.size, table_values[0].dtype)
    for index, values in enumerate(table_values):
        is_here = codes & 1 == index
        code_values[is_here] = values[codes[is_here] >> 1]
    return code_values


def _with_marks(joined: Bytes, ends: Codes) -> tuple[Bytes, Codes]:
    """Return the spellings of n-grams with marks, as `mark_ngram` writes them, and where each ends.

    `joined` and `ends` are the same without marks. Each spelling ends with a line break.
    """
    marked = np.empty(joined.size + 6 * ends.size, np.uint8)  # an n-gram gets at most two marks of three bytes
    marked_ends = np.empty_like(ends)
    size = write_marks(joined, ends, _SPACE_MARK, _INNER_MARK, marked, marked_ends)
    return marked[:size], marked_ends


def _first_rows(counts: SliceCounts, new_numbers: Ints) -> Ints:
    """Return, for each number that is new in a slice, the row of the slice in which it first occurs.

    New numbers ascend in the order of the text, so a number first occurs in the first row that has an entry of this
    number or of a higher one: if the highest numbers of the rows are 7, 6 and 9, number 8 first occurs in row 2.
    Numbers without entries, such as those of stop words, get a row in the same way, or the number of rows if no higher
    number has an entry.
    """
    numbers = (counts.entries >> _32).astype(np.int64)
    ends = counts.row_ends.astype(np.int64)
    begins = np.concatenate([[0], ends[:-1]])
    is_filled = begins < ends
    highest = np.full(ends.size, -1, np.int64)  # the highest number in each row; -1 for rows without entries
    if numbers.size:
        highest[is_filled] = np.maximum.reduceat(numbers, begins[is_filled])
    highest_so_far = np.maximum.accumulate(highest)  # in each row and all rows before it, so it never descends
    return np.searchsorted(highest_so_far, new_numbers)


def _renumbered(counts: SliceCounts, common: Ints) -> SliceCounts:
    """Return the counts of a table with common numbers; `common` has the common number of each number of the table."""
    numbers = common[counts.entries >> _32].astype(np.uint64)
    return counts._replace(entries=numbers << _32 | counts.entries & _LOW_32)


def _join_rows(first: SliceCounts, second: SliceCounts) -> SliceCounts:
    """Return counts in which each row has the entries of the first counts, then those of the second."""
    row_ends: Codes = first.row_ends + second.row_ends
    entries = np.empty(first.entries.size + second.entries.size, np.uint64)
    n_first = np.diff(first.row_ends, prepend=np.uint64(0)).astype(np.int64)  # the number of entries in each row
    n_second = np.diff(second.row_ends, prepend=np.uint64(0)).astype(np.int64)
    # In the joined entries, an entry of the first counts comes after the second counts' entries of all rows before its
    # own, and an entry of the second comes after the first counts' entries of all rows up to its own.
    n_second_before = np.cumsum(n_second) - n_second
    n_first_up_to = np.cumsum(n_first)
    entries[np.arange(first.entries.size) + np.repeat(n_second_before, n_first)] = first.entries
    entries[np.arange(second.entries.size) + np.repeat(n_first_up_to, n_second)] = second.entries
    return SliceCounts(entries, row_ends)
