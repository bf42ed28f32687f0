"""Loops over the CSR arrays (data, indices, indptr) of sparse matrices: build, check, select columns, multiply.

`write_rows` turns counted entries (term number << 32 | count) into rows whose columns ascend. Each row is radix-sorted
by eight bits of the column per pass, so up to 16 million columns take three passes without a branch that the processor
could mispredict. Rows with few entries are sorted by insertion.

`multiply_rows` and `score_rows` add the products of a row in the order of its columns, whatever the thread, so results
don't depend on how rows are distributed. Their inner loop runs over outputs, which the compiler can vectorise without
changing the order of any sum. The eigen-solver multiplies by blocks of eight columns, whose sums stay in registers.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Codes, Floats, Ints
from .jit import kernel

_32 = np.uint64(32)
_BYTE = np.uint64(255)
_LOW_32 = np.uint64((1 << 32) - 1)
_FEW = 48


@kernel
def add_totals(entries: Codes, numbers: Ints, doc_freq: Ints, occurrences: Ints) -> None:
    """Add to each term its number of entries (documents) and the sum of its counts."""
    for entry in entries:
        number = numbers[entry >> _32]
        doc_freq[number] += 1
        occurrences[number] += np.int64(entry & _LOW_32)


@kernel
def row_sizes(entries: Codes, row_ends: Codes, columns: Ints) -> Ints:
    """Return for each row how many of its entries have a column."""
    sizes = np.zeros(row_ends.size, np.int64)
    begin = np.uint64(0)
    for row in range(row_ends.size):
        for at in range(begin, row_ends[row]):
            sizes[row] += columns[entries[at] >> _32] >= 0
        begin = row_ends[row]
    return sizes


@kernel
def sort_by_column(row: Codes, spare: Codes, tally: Ints, passes: int) -> Codes:
    """Sort codes (column << 32 | count) by column; the sorted row is returned in one of the two arrays."""
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
    """Write the entries that have a column as CSR rows sorted by column."""
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


@kernel
def take_columns(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: NDArray[Any],
    place: NDArray[np.int32],
    starts: Ints,
    columns: NDArray[np.int32],
    values: NDArray[Any],
) -> None:
    """Write the CSR arrays of the selected columns; `place` has the new number of each column, negative if not
    selected.
    """
    written = 0
    starts[0] = 0
    for row in range(starts.size - 1):
        for at in range(indptr[row], indptr[row + 1]):
            column = place[indices[at]]
            columns[written] = column
            values[written] = data[at]
            written += column >= 0
        starts[row + 1] = written


UNSOUND, UNORDERED = -1, -2
"""A row is not within the matrix; its columns do not ascend."""


@kernel
def row_state(row: NDArray[Any], n_columns: int) -> int:
    """Return 0 if the columns of a row ascend and are valid, otherwise UNSOUND or UNORDERED."""
    if row.size == 0:
        return 0
    disorder = False
    for at in range(row.size - 1):
        disorder |= row[at] >= row[at + 1]
    if disorder:
        return UNORDERED
    return 0 if row[0] >= 0 and row[row.size - 1] < n_columns else UNSOUND


@kernel
def rows_state(indptr: NDArray[Any], indices: NDArray[Any], n_values: int, n_columns: int) -> int:
    """Return 0 if the columns of all rows ascend and are valid, UNSOUND if some row is invalid, otherwise UNORDERED."""
    result = 0
    for number in range(indptr.size - 1):
        begin, end = np.int64(indptr[number]), np.int64(indptr[number + 1])
        if not 0 <= begin <= end <= min(indices.size, n_values):
            return UNSOUND
        state = row_state(indices[begin:end], n_columns)
        if state == UNSOUND:
            return UNSOUND
        result = min(result, state)
    return result


@kernel
def all_within(data: NDArray[Any], end: float) -> bool:
    """Return whether all numbers are between -end and end and none is NaN."""
    outside = False
    for at in range(data.size):
        outside |= not abs(np.float64(data[at])) < end
    return not outside


@kernel
def _multiply_by_eight(
    starts: NDArray[Any],
    columns: NDArray[Any],
    values: Floats,
    selected: Ints,
    block: Floats,
    begin: int,
    end: int,
    products: Floats,
) -> None:
    for place in range(begin, end):
        row = selected[place]
        sum_0 = sum_1 = sum_2 = sum_3 = sum_4 = sum_5 = sum_6 = sum_7 = 0.0
        for at in range(starts[row], starts[row + 1]):
            value = values[at]
            factors = block[columns[at]]
            sum_0 += value * factors[0]
            sum_1 += value * factors[1]
            sum_2 += value * factors[2]
            sum_3 += value * factors[3]
            sum_4 += value * factors[4]
            sum_5 += value * factors[5]
            sum_6 += value * factors[6]
            sum_7 += value * factors[7]
        product = products[place]
        product[0], product[1], product[2], product[3] = sum_0, sum_1, sum_2, sum_3
        product[4], product[5], product[6], product[7] = sum_4, sum_5, sum_6, sum_7


@kernel
def multiply_rows(
    starts: NDArray[Any],
    columns: NDArray[Any],
    values: Floats,
    selected: Ints,
    block: Floats,
    begin: int,
    end: int,
    products: Floats,
) -> None:
    """Write the products of the rows chosen[begin:end] with a block that has a row for each column."""
    width = block.shape[1]
    if width == 8:
        _multiply_by_eight(starts, columns, values, selected, block, begin, end, products)
        return
    for place in range(begin, end):
        row = selected[place]
        product = products[place]
        for output in range(width):
            product[output] = 0.0
        for at in range(starts[row], starts[row + 1]):
            value = values[at]
            factors = block[columns[at]]
            for output in range(width):
                product[output] += value * factors[output]


@kernel
def score_rows(
    values: NDArray[Any],
    columns: NDArray[Any],
    starts: NDArray[Any],
    coefficients: NDArray[np.float32],
    intercepts: Floats,
    scores: Floats,
) -> None:
    """Write the scores of all rows, whose values are starts[0] to starts[-1]."""
    n_outputs = intercepts.size
    for row in range(starts.size - 1):
        begin, end = starts[row], starts[row + 1]
        totals = scores[row]
        if begin == end:
            totals[:] = intercepts
            continue
        value = np.float64(values[begin])
        factors = coefficients[columns[begin]]
        for output in range(n_outputs):
            totals[output] = value * np.float64(factors[output])
        for at in range(begin + 1, end):
            value = np.float64(values[at])
            factors = coefficients[columns[at]]
            for output in range(n_outputs):
                totals[output] += value * np.float64(factors[output])
        for output in range(n_outputs):
            totals[output] += intercepts[output]
