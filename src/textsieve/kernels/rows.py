"""Counted entries (number << 32 | count) to the rows of a sparse matrix, each row in the order of its columns.

A row is sorted by radix, eight bits of the column a pass: three passes for up to 16 million columns, and no
comparison that the processor could guess wrong. Rows of a few entries are sorted by insertion.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .jit import Codes, Ints, kernel

_32 = np.uint64(32)
_BYTE = np.uint64(255)
_LOW_32 = np.uint64((1 << 32) - 1)
_FEW = 48


@kernel
def add_totals(entries: Codes, numbers: Ints, doc_freq: Ints, occurrences: Ints) -> None:
    """Add to each term the number of entries (documents) it has, and the sum of its counts."""
    for entry in entries:
        number = numbers[entry >> _32]
        doc_freq[number] += 1
        occurrences[number] += np.int64(entry & _LOW_32)


@kernel
def row_sizes(entries: Codes, row_ends: Codes, columns: Ints) -> Ints:
    """How many entries of each row have a column."""
    sizes = np.zeros(row_ends.size, np.int64)
    begin = np.uint64(0)
    for row in range(row_ends.size):
        for at in range(begin, row_ends[row]):
            sizes[row] += columns[entries[at] >> _32] >= 0
        begin = row_ends[row]
    return sizes


@kernel
def sort_by_column(row: Codes, spare: Codes, tally: Ints, passes: int) -> Codes:
    """Sort column << 32 | count by column; the sorted row is one of the two arrays."""
    if row.size <= _FEW:
        for place in range(1, row.size):
            code = row[place]
            before = place - 1
            while before >= 0 and row[before] > code:
                row[before + 1] = row[before]
                before -= 1
            row[before + 1] = code
        return row
    for number in range(passes):
        shift = np.uint64(32 + 8 * number)
        tally[:] = 0
        for code in row:
            tally[(code >> shift) & _BYTE] += 1
        begin = 0
        for byte in range(256):
            begin, tally[byte] = begin + tally[byte], begin
        for code in row:
            byte = (code >> shift) & _BYTE
            spare[tally[byte]] = code
            tally[byte] += 1
        row, spare = spare, row
    return row


@kernel
def write_rows(
    entries: Codes,
    row_ends: Codes,
    columns: Ints,
    passes: int,
    indices: NDArray[Any],
    data: NDArray[Any],
) -> None:
    """Write the entries that have a column to their place in a matrix, row by row, sorted by column."""
    longest = np.uint64(0)
    begin = np.uint64(0)
    for end in row_ends:
        longest = max(longest, end - begin)
        begin = end
    row = np.empty(np.int64(longest), np.uint64)
    spare = np.empty(np.int64(longest), np.uint64)
    tally = np.empty(256, np.int64)
    written = 0
    begin = np.uint64(0)
    for end in row_ends:
        size = 0
        for at in range(begin, end):
            column = columns[entries[at] >> _32]
            if column >= 0:
                row[size] = np.uint64(column) << _32 | (entries[at] & _LOW_32)
                size += 1
        for code in sort_by_column(row[:size], spare[:size], tally, passes):
            indices[written] = code >> _32
            data[written] = code & _LOW_32
            written += 1
        begin = end
