"""Small whole numbers added up for each group of documents and each term, in one pass in the order of the matrix.

What takes time is memory, not arithmetic. So three things are kept small:

- **The reading.** Documents are read one after the other, as they lie. Reading them group by group instead takes
  three to five times as long, also when the processor is told beforehand what will be wanted.
- **The places that are added to.** All of a term in a group is one 64-bit number of three fields: 15 bits for the
  documents, 21 for the sum, 28 for the sum of squares. A value below 64 adds a number that depends on the value
  alone, one load and one store. No field runs over as long as a group has at most 32,767 documents.
- **The way between.** A value and its term are packed into 32 bits (6 and 26), which go to the end of a list of the
  group. When the list is full it is added up, and what is added to stays in the processor's cache meanwhile.

Packing has no branches, so many values are packed at a time; that a row is in order is checked on the way, and before
anything is added. Values that are 0, negative or large are rare: their document is packed with care, 0 is left out,
and the others are packed as "a document, but its value is elsewhere" and listed.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .groups import Groups
from .jit import Codes, Floats, Ints, kernel
from .soundness import UNSOUND, row_state

Entries = NDArray[np.uint32]

MOST_DOCUMENTS = (1 << 15) - 1
MOST_TERMS = 1 << 26
TOO_MANY = -3
"""Too many values, or too large ones, would have to be listed."""

_END = np.uint64(1 << 6)
_LARGE = np.int64(1 << 20)
_VALUE = np.uint32(26)
_TERM = np.uint32(MOST_TERMS - 1)
_SUM, _SQUARES = np.uint64(15), np.uint64(36)
_DOCUMENTS_FIELD, _SUM_FIELD = np.uint64((1 << 15) - 1), np.uint64((1 << 21) - 1)
_1 = np.uint64(1)


@kernel
def _pack(indices: NDArray[Any], data: NDArray[Any], begin: Any, size: int, entries: Entries, place: Any) -> bool:
    """Pack a row; False if its columns do not ascend, or some value is not from 1 to 63.

    The row is not given as slices, which would take as long to make as the row to pack.
    """
    odd: Any = False
    for at in range(size):
        value = data[begin + np.uint64(at)]
        odd |= np.uint64(value) - _1 >= _END - _1
        entries[place + np.uint64(at)] = np.uint32(indices[begin + np.uint64(at)]) | np.uint32(value) << _VALUE
    for at in range(size - 1):
        odd |= indices[begin + np.uint64(at)] >= indices[begin + np.uint64(at) + _1]
    return not odd


@kernel
def _pack_with_care(
    terms: NDArray[Any], values: NDArray[Any], entries: Entries, document: int, listed: Ints, n_listed: int
) -> tuple[int, int]:
    """Pack any values, and list what does not fit; gives the number of entries, and that of all values listed."""
    size = 0
    for at in range(terms.size):
        value = np.int64(values[at])
        if value == 0:
            continue
        small = 0 < value < np.int64(_END)
        if not small:
            if n_listed == listed.shape[0] or value >= _LARGE or value <= -_LARGE:
                return TOO_MANY, n_listed
            listed[n_listed, 0], listed[n_listed, 1], listed[n_listed, 2] = document, terms[at], value
            n_listed += 1
        entries[size] = np.uint32(terms[at]) | np.uint32(value if small else 0) << _VALUE
        size += 1
    return size, n_listed


@kernel
def _additions() -> Codes:
    """What each value adds to the three fields; that of 0 is a document whose value is elsewhere."""
    added = np.empty(_END, np.uint64)
    for value in range(added.size):
        number = np.uint64(value)
        added[value] = _1 + (number << _SUM) + ((number * number) << _SQUARES)
    return added


@kernel
def _add(entries: Entries, begin: int, end: int, added: Codes, into: Codes) -> np.uint64:
    """Add up a list. What a long one adds to is read from end to end before, which is faster than here and there."""
    any_of_it = np.uint64(0)
    if end - begin > into.size // 8:
        for term in range(0, into.size, 8):
            any_of_it |= into[term]
    for at in range(np.uint64(begin), np.uint64(end)):
        entry = entries[at]
        into[np.uint64(entry & _TERM)] += added[np.uint64(entry >> _VALUE)]
    return any_of_it  # or the reading would be left out


@kernel
def add_rows(
    starts: Ints,
    groups: Groups,
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: NDArray[Any],
    n_terms: int,
    table: Codes,
    entries: Entries,
    list_starts: Ints,
    listed: Ints,
) -> int:
    """Add all documents to the rows of their groups in the table; gives how many values were listed, or what is wrong.

    `list_starts` says which part of `entries` each group's list has: room for the longest row at least. A listed value
    is a document, a term and the value.
    """
    added = _additions()
    ends = list_starts[:-1].copy()
    n_listed = 0
    n_values = min(indices.size, data.size)
    for document in range(indptr.size - 1):
        begin: Any = np.int64(indptr[document])
        end: Any = np.int64(indptr[document + 1])
        if not 0 <= begin <= end <= n_values:
            return UNSOUND
        size = end - begin
        if size == 0:
            continue
        if not (indices[begin] >= 0 and indices[end - 1] < n_terms):
            return UNSOUND
        first = np.uint64(0)
        for at in range(starts[document], starts[document + 1]):
            group = np.uint64(groups[at])
            if ends[group] + size > list_starts[group + _1]:
                _add(entries, list_starts[group], ends[group], added, table[group])
                ends[group] = list_starts[group]
            place = np.uint64(ends[group])
            if at > starts[document]:
                for number in range(size):
                    entries[place + np.uint64(number)] = entries[first + np.uint64(number)]
            elif not _pack(indices, data, np.uint64(begin), size, entries, place):
                state = row_state(indices[begin:end], n_terms)
                if state != 0:
                    return state
                room = entries[place : place + np.uint64(size)]
                size, n_listed = _pack_with_care(indices[begin:end], data[begin:end], room, document, listed, n_listed)
                if size < 0:
                    return TOO_MANY
            first = place
            ends[group] += size
    for number in range(ends.size):
        _add(entries, list_starts[number], ends[number], added, table[number])
    return n_listed


@kernel
def add_to_totals(row: Codes, totals: Ints) -> None:
    """Add documents, sums and sums of squares of a row of the table to those of all documents."""
    doc_freq, sums, squares = totals[0], totals[1], totals[2]
    for term in range(doc_freq.size):
        doc_freq[term] += np.int64(row[term] & _DOCUMENTS_FIELD)
        sums[term] += np.int64((row[term] >> _SUM) & _SUM_FIELD)
        squares[term] += np.int64(row[term] >> _SQUARES)


@kernel
def take_filled(
    table: Codes, rows: Ints, n_terms: int, begin: int, cell_terms: Ints, cell_doc_freq: Ints, cell_sums: Floats
) -> int:
    """Move what some rows of the table have together to the cells from `begin` on; gives where the cells end.

    Each term is written to where the next cell goes, and stays there if it is filled: there is nothing to guess.
    """
    place: Any = np.uint64(begin)
    if rows.size == 1:
        row = table[rows[0]]
        for term in range(n_terms):
            cell_terms[place] = term
            cell_doc_freq[place] = np.int64(row[term] & _DOCUMENTS_FIELD)
            cell_sums[place] = np.float64(np.int64((row[term] >> _SUM) & _SUM_FIELD))
            place += np.uint64(row[term] != 0)
        return int(place)
    doc_freq, sums = np.zeros(n_terms, np.int64), np.zeros(n_terms, np.int64)
    for number in rows:
        row = table[number]
        for term in range(n_terms):
            doc_freq[term] += np.int64(row[term] & _DOCUMENTS_FIELD)
            sums[term] += np.int64((row[term] >> _SUM) & _SUM_FIELD)
    for term in range(n_terms):
        cell_terms[place] = term
        cell_doc_freq[place] = doc_freq[term]
        cell_sums[place] = np.float64(sums[term])
        place += np.uint64(doc_freq[term] != 0)
    return int(place)
