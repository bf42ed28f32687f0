"""Sum small integer counts for each group of documents and each term, in one pass in matrix order.

Memory access takes the time here, not arithmetic. So three measures save memory access:

- **Reading.** Documents are read in the order in which they are stored. Reading them group by group takes three to five
  times as long, even with prefetching.
- **Totals.** The totals of a term in a group are one 64-bit number with three fields: 15 bits for the number of
  documents, 21 for the sum, 28 for the sum of squares. Adding a value below 64 adds a number that depends on the value
  only, with one load and one store. No field overflows as long as a group has at most 32,767 documents.
- **Transport.** A value and its term are packed into one *entry* of 32 bits (6 and 26) and appended to a list of the
  group. When the list is full, its entries are added to the totals of the group, which then stay in the processor's
  cache.

Packing has no branches and is vectorised; on the way it checks that the columns of a row ascend, before any of its
values is added. Zero, negative and large values are rare, and rows that contain one are packed separately
(`_pack_any`). Zeros are left out. A negative or large value is packed as 0, which counts the document but adds nothing
to the sums; the value itself goes to the array `listed`, and the caller adds it.

**Groups.** A document can be in several groups (see `document_groups`). It is packed for its first group, and its
packed entries are copied for the others.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Codes, Floats, Int32s, Ints
from .csr import UNSOUND, row_state
from .jit import kernel


@kernel
def sorted_by_class(class_numbers: NDArray[Any], documents: Ints, n_classes: int) -> tuple[Ints, Ints]:
    """Return the documents sorted by class, in stable order, and where each class starts.

    Pair i means that `documents[i]` has the class `class_numbers[i]`.
    """
    starts = np.zeros(n_classes + 1, np.int64)
    for class_number in class_numbers:
        starts[np.uint64(class_number) + np.uint64(1)] += 1
    for class_number in range(n_classes):
        starts[class_number + 1] += starts[class_number]
    next_positions = starts[:-1].copy()
    ordered = np.empty(class_numbers.size, np.int64)
    for pair in range(class_numbers.size):
        class_number = np.uint64(class_numbers[pair])
        ordered[np.uint64(next_positions[class_number])] = documents[pair]
        next_positions[class_number] += 1
    return ordered, starts


Entries = NDArray[np.uint32]

MAX_DOCUMENTS = (1 << 15) - 1
"""The largest number of documents of a group."""

MAX_TERMS = 1 << 26
"""The largest number of terms of a matrix."""

TOO_MANY = -3
"""The error code if too many values, or too large ones, would have to be listed."""

_PACKED_END = np.uint64(1 << 6)  # values from 1 to below this are packed
_LISTED_END = np.int64(1 << 20)  # other values are listed, if their absolute value is below this
# An entry: 26 bits for the term, 6 for the value.
_VALUE_SHIFT = np.uint32(26)
_TERM_BITS = np.uint32(MAX_TERMS - 1)
# The totals of a term: 15 bits for documents, 21 for the sum, 28 for the sum of squares.
_SUM_SHIFT, _SQUARES_SHIFT = np.uint64(15), np.uint64(36)
_DOCUMENTS_FIELD, _SUM_FIELD = np.uint64((1 << 15) - 1), np.uint64((1 << 21) - 1)
_1 = np.uint64(1)

_BLOCK_TERMS = 2048
"""The number of terms whose sums are read from the table at a time."""


@kernel
def _pack(indices: NDArray[Any], data: NDArray[Any], begin: Any, size: int, entries: Entries, target: Any) -> bool:
    """Pack the `size` values from `begin` on into the entries from `target` on; return whether this was possible.

    It is possible if the columns ascend and all values are from 1 to 63. The row is not passed as slices, since
    creating them would take as long as packing the row.
    """
    is_unusual: Any = False
    for offset in range(size):
        value = data[begin + np.uint64(offset)]
        is_unusual |= np.uint64(value) - _1 >= _PACKED_END - _1  # one test: 0 - 1 is a large unsigned number
        entries[target + np.uint64(offset)] = (
            np.uint32(indices[begin + np.uint64(offset)]) | np.uint32(value) << _VALUE_SHIFT
        )
    for offset in range(size - 1):
        is_unusual |= indices[begin + np.uint64(offset)] >= indices[begin + np.uint64(offset) + _1]
    return not is_unusual


@kernel
def _pack_any(
    terms: NDArray[Any], values: NDArray[Any], entries: Entries, document: int, listed: Ints, n_listed: int
) -> tuple[int, int]:
    """Pack the values of a row, whatever they are, and list those that can't be packed.

    Returns the number of entries and the number of listed values. Instead of the number of entries, it returns TOO_MANY
    if `listed` is full or a value is too large to be listed. Zeros are left out.
    """
    size = 0
    for offset in range(terms.size):
        value = np.int64(values[offset])
        if value == 0:
            continue
        is_small = 0 < value < np.int64(_PACKED_END)
        if not is_small:
            if n_listed == listed.shape[0] or value >= _LISTED_END or value <= -_LISTED_END:
                return TOO_MANY, n_listed
            listed[n_listed, 0], listed[n_listed, 1], listed[n_listed, 2] = document, terms[offset], value
            n_listed += 1
        entries[size] = np.uint32(terms[offset]) | np.uint32(value if is_small else 0) << _VALUE_SHIFT
        size += 1
    return size, n_listed


@kernel
def _packed_additions() -> Codes:
    """Return the number (three fields) that each packed value adds to a total: 1 document, the value and its square.

    The packed value 0 stands for a value that is listed, so it adds a document only.
    """
    additions = np.empty(_PACKED_END, np.uint64)
    for value in range(additions.size):
        number = np.uint64(value)
        additions[value] = _1 + (number << _SUM_SHIFT) + ((number * number) << _SQUARES_SHIFT)
    return additions


@kernel
def _add_list(entries: Entries, begin: int, end: int, additions: Codes, totals: Codes) -> np.uint64:
    """Add the entries `begin` to `end` to the totals of their group, whose size is a multiple of 8.

    For a long list, all totals are first read in order, which loads them into the cache faster than random access does.
    The bits that were read are returned, only because the compiler would otherwise remove the reading.
    """
    any_bits = np.uint64(0)
    if end - begin > totals.size // 8:
        for term in range(0, totals.size, 8):  # one of the eight totals in each cache line is enough
            any_bits |= totals[term]
    for position in range(np.uint64(begin), np.uint64(end)):
        entry = entries[position]
        totals[np.uint64(entry & _TERM_BITS)] += additions[np.uint64(entry >> _VALUE_SHIFT)]
    return any_bits


@kernel
def add_rows(
    group_starts: Ints,
    groups: Int32s,
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: NDArray[Any],
    n_terms: int,
    table: Codes,
    entries: Entries,
    list_starts: Ints,
    listed: Ints,
) -> int:
    """Add all documents (CSR rows) to the rows of their groups in the table.

    The shape of the table is (n_groups, n_terms rounded up to a multiple of 8). Returns the number of listed values, or
    an error code below 0 (UNSOUND, UNORDERED or TOO_MANY). The list of group g is in `entries` at
    `list_starts[g]` to `list_starts[g + 1]`, with room for at least the longest row. A row of `listed` has the
    document, term and value. A document is packed for its first group, and its packed entries are copied for the
    others.
    """
    additions = _packed_additions()
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
        # Packing checks that columns ascend, so if the first and the last one are in range, all are.
        if not (indices[begin] >= 0 and indices[end - 1] < n_terms):
            return UNSOUND
        packed = np.uint64(0)  # where the packed entries of the document are
        for position in range(group_starts[document], group_starts[document + 1]):
            group = np.uint64(groups[position])
            if ends[group] + size > list_starts[group + _1]:  # the list is full: empty it
                _add_list(entries, list_starts[group], ends[group], additions, table[group])
                ends[group] = list_starts[group]
            target = np.uint64(ends[group])
            if position > group_starts[document]:  # not its first group
                for offset in range(size):
                    entries[target + np.uint64(offset)] = entries[packed + np.uint64(offset)]
            elif not _pack(indices, data, np.uint64(begin), size, entries, target):
                # Either the columns don't ascend, which is an error, or some value is 0, negative or large.
                state = row_state(indices[begin:end], n_terms)
                if state != 0:
                    return state
                room = entries[target : target + np.uint64(size)]
                # From here on, `size` is without zeros, also for the document's other groups.
                size, n_listed = _pack_any(indices[begin:end], data[begin:end], room, document, listed, n_listed)
                if size < 0:
                    return TOO_MANY
            packed = target
            ends[group] += size
    for number in range(ends.size):
        _add_list(entries, list_starts[number], ends[number], additions, table[number])
    return n_listed


@kernel
def add_to_totals(group_row: Codes, totals: Ints) -> None:
    """Add the three fields of a row of the table to `totals` (3, n_terms): documents, sums and sums of squares."""
    doc_freq, sums, squares = totals[0], totals[1], totals[2]
    for term in range(doc_freq.size):
        doc_freq[term] += np.int64(group_row[term] & _DOCUMENTS_FIELD)
        sums[term] += np.int64((group_row[term] >> _SUM_SHIFT) & _SUM_FIELD)
        squares[term] += np.int64(group_row[term] >> _SQUARES_SHIFT)


@kernel
def move_filled_cells(
    table: Codes, rows: Ints, n_terms: int, begin: int, cell_terms: Ints, cell_doc_freq: Ints, cell_sums: Floats
) -> int:
    """Write the sums over some rows of the table, the groups of a class, to the cells from `begin` on.

    Returns where the cells end. Each term is written to the next free cell, and overwritten by the next term if no
    document of the class has it, so there is no branch to mispredict.
    """
    cell: Any = np.uint64(begin)
    if rows.size == 1:  # no sums over groups are needed
        row = table[rows[0]]
        for term in range(n_terms):
            cell_terms[cell] = term
            cell_doc_freq[cell] = np.int64(row[term] & _DOCUMENTS_FIELD)
            cell_sums[cell] = np.float64(np.int64((row[term] >> _SUM_SHIFT) & _SUM_FIELD))
            cell += np.uint64(row[term] != 0)
        return int(cell)
    doc_freq, sums = np.empty(_BLOCK_TERMS, np.int64), np.empty(_BLOCK_TERMS, np.int64)
    for first in range(0, n_terms, _BLOCK_TERMS):  # in blocks, whose sums stay in the processor's cache
        size = min(_BLOCK_TERMS, n_terms - first)
        doc_freq[:size], sums[:size] = 0, 0
        for group in rows:
            block = table[group, first : first + size]
            for offset in range(size):
                doc_freq[offset] += np.int64(block[offset] & _DOCUMENTS_FIELD)
                sums[offset] += np.int64((block[offset] >> _SUM_SHIFT) & _SUM_FIELD)
        for offset in range(size):
            cell_terms[cell] = first + offset
            cell_doc_freq[cell] = doc_freq[offset]
            cell_sums[cell] = np.float64(sums[offset])
            cell += np.uint64(doc_freq[offset] != 0)
    return int(cell)
