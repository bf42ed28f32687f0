"""Sum small integer counts for each group of documents and each term, in one pass in matrix order.

Memory access takes the time here, not arithmetic. So three things are kept small:

- **Reading.** Documents are read in the order in which they are stored. Reading them group by group takes three to five
  times as long, even with prefetching.
- **Totals.** The totals of a term in a group are one 64-bit number with three fields: 15 bits for the number of
  documents, 21 for the sum, 28 for the sum of squares. Adding a value below 64 adds a number that depends on the value
  only, with one load and one store. No field overflows as long as a group has at most 32,767 documents.
- **Transport.** A value and its term are packed into 32 bits (6 and 26) and appended to a list of the group. When the
  list is full, it is added up while the totals of the group stay in the processor's cache.

Packing has no branches and is vectorised; on the way it checks that each row is in order, before anything is added.
Zero, negative and large values are rare: their documents are packed separately. Zeros are left out, and the others are
packed as "a document whose value is elsewhere" and listed.

**Groups.** A document belongs to one group in each of its classes: for its first class, to a group of documents that
occur for the first time; for the others, to a group of documents seen before. So the groups of the first kind contain
each document once, and their sums give the totals over all documents without another pass. Documents without a class
have groups of their own.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Codes, Floats, Ints
from .csr import UNSOUND, row_state
from .jit import kernel

Groups = NDArray[np.int32]


@kernel
def sorted_by_class(numbers: NDArray[Any], documents: Ints, n_classes: int) -> tuple[Ints, Ints]:
    """Return the documents sorted by class, in stable order, and where each class starts."""
    starts = np.zeros(n_classes + 1, np.int64)
    for number in numbers:
        starts[np.uint64(number) + np.uint64(1)] += 1
    for number in range(n_classes):
        starts[number + 1] += starts[number]
    places = starts[:-1].copy()
    ordered = np.empty(numbers.size, np.int64)
    for at in range(numbers.size):
        number = np.uint64(numbers[at])
        ordered[np.uint64(places[number])] = documents[at]
        places[number] += 1
    return ordered, starts


@kernel
def group_documents(
    documents: Ints, class_starts: Ints, n_documents: int, most: int
) -> tuple[Ints, Groups, Ints, NDArray[np.bool_]]:
    """Return the groups of each document (as starts and numbers), the class of each group, and whether it is of the
    first kind.

    Groups of documents without a class have the number of classes as their class.
    """
    n_classes = class_starts.size - 1
    starts = np.zeros(n_documents + 1, np.int64)
    for document in documents:
        starts[np.uint64(document) + np.uint64(1)] += 1
    for document in range(n_documents):
        starts[document + 1] = starts[document] + max(starts[document + 1], 1)
    places = starts[:-1].copy()
    groups = np.empty(starts[n_documents], np.int32)
    most_groups = 2 * (n_classes + 1) + starts[n_documents] // most
    class_of, is_first = np.empty(most_groups, np.int64), np.empty(most_groups, np.bool_)
    n_groups = 0
    current, left = np.zeros(2, np.int32), np.zeros(2, np.int64)  # of documents seen before, and of those that were not
    for number in range(n_classes + 1):
        left[:] = 0
        begin = class_starts[number] if number < n_classes else 0
        end = class_starts[number + 1] if number < n_classes else n_documents
        for at in range(begin, end):
            document = np.uint64(documents[at] if number < n_classes else at)
            place = places[document]
            first = np.int64(place == starts[document])
            if number == n_classes and not first:
                continue
            if left[first] == 0:
                current[first], left[first] = n_groups, most
                class_of[n_groups], is_first[n_groups] = number, first == 1
                n_groups += 1
            left[first] -= 1
            groups[place] = current[first]
            places[document] = place + 1
    return starts, groups, class_of[:n_groups], is_first[:n_groups]


@kernel
def group_sizes(starts: Ints, groups: Groups, row_sizes: NDArray[np.int32], n_groups: int) -> Ints:
    """Return how many values the documents of each group have."""
    sizes = np.zeros(n_groups, np.int64)
    for document in range(row_sizes.size):
        for at in range(starts[document], starts[document + 1]):
            sizes[groups[at]] += row_sizes[document]
    return sizes


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
    """Pack a row; return False if its columns don't ascend or some value is not between 1 and 63.

    The row is not passed as slices, since creating them would take as long as packing the row.
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
    """Pack any values and list those that don't fit; return the number of entries and the number of listed values."""
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
    """Return what each value adds to the three fields; the entry for 0 is a document whose value is elsewhere."""
    added = np.empty(_END, np.uint64)
    for value in range(added.size):
        number = np.uint64(value)
        added[value] = _1 + (number << _SUM) + ((number * number) << _SQUARES)
    return added


@kernel
def _add(entries: Entries, begin: int, end: int, added: Codes, into: Codes) -> np.uint64:
    """Add up a list. The totals for a long list are first read from end to end, which is faster than random access."""
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
    """Add all documents to the rows of their groups in the table; return the number of listed values, or an error code.

    `list_starts` has the part of `entries` for each group's list, with room for at least the longest row. A listed
    value consists of document, term and value.
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
    """Add the documents, sums and sums of squares of a row of the table to the totals of all documents."""
    doc_freq, sums, squares = totals[0], totals[1], totals[2]
    for term in range(doc_freq.size):
        doc_freq[term] += np.int64(row[term] & _DOCUMENTS_FIELD)
        sums[term] += np.int64((row[term] >> _SUM) & _SUM_FIELD)
        squares[term] += np.int64(row[term] >> _SQUARES)


@kernel
def take_filled(
    table: Codes, rows: Ints, n_terms: int, begin: int, cell_terms: Ints, cell_doc_freq: Ints, cell_sums: Floats
) -> int:
    """Move the sum of some rows of the table to the cells from `begin` on; return where the cells end.

    Each term is written to the next free cell and overwritten by the next one if it is empty, so there is no branch to
    mispredict.
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
