"""Loops over the CSR arrays (data, indices, indptr) of sparse matrices: build, check, select columns, multiply.

Row r of a matrix has the columns `indices[indptr[r] : indptr[r + 1]]` and the values `data` at the same positions.
`indices` and `indptr` are int32 or int64.

`write_rows` turns counted entries (uint64 codes: term number << 32 | count) into rows whose columns ascend. Each row is
radix-sorted by eight bits of the column per pass, so up to 16 million columns take three passes without a branch that
the processor could mispredict. Rows with few entries are sorted by insertion.

`multiply_rows`, `score_rows` and `score_rows_sparsely` add the products of a row in the order of its columns, so
results don't depend on how rows are distributed over threads. The inner loop of the first two runs over outputs (the
columns of the dense factor), which the compiler can vectorise without changing the order of any sum. The eigen-solver
(`projections.krylov`) multiplies by blocks of eight columns, whose sums stay in registers.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Codes, Floats, Ints
from .jit import kernel

_32 = np.uint64(32)
_BYTE = np.uint64(255)
_LOW_32 = np.uint64((1 << 32) - 1)

_INSERTION_SORT_SIZE = 48
"""Rows with up to this many entries are sorted by insertion."""


@kernel
def add_totals(entries: Codes, term_numbers: Ints, doc_freq: Ints, occurrences: Ints) -> None:
    """Add the entries of some documents to the totals of their terms: document frequency and number of occurrences.

    Each document has one entry for each of its terms. `term_numbers` maps the entries' term numbers to those of the
    totals.
    """
    for entry in entries:
        term = term_numbers[entry >> _32]
        doc_freq[term] += 1
        occurrences[term] += np.int64(entry & _LOW_32)


@kernel
def row_sizes(entries: Codes, row_ends: Codes, columns: Ints) -> Ints:
    """Return the number of entries of each row whose term has a column.

    Row r ends at `row_ends[r]`, where the next begins. `columns` maps term numbers to columns, -1: none.
    """
    sizes = np.zeros(row_ends.size, np.int64)
    begin = np.uint64(0)
    for row in range(row_ends.size):
        for position in range(begin, row_ends[row]):
            sizes[row] += columns[entries[position] >> _32] >= 0
        begin = row_ends[row]
    return sizes


@kernel
def sort_by_column(row: Codes, spare: Codes, byte_counts: Ints, passes: int) -> Codes:
    """Sort codes (column << 32 | count) by column, and return the sorted row, which is in `row` or in `spare`.

    `spare` has the size of the row, `byte_counts` the size 256; both are overwritten. Short rows are sorted by
    insertion. Others are radix-sorted in `passes` passes, one for each byte of a column, lowest first. In each pass,
    `byte_counts` first has the number of codes with each byte, then where to write the next code with this byte.
    """
    if row.size <= _INSERTION_SORT_SIZE:
        for position in range(1, row.size):
            code = row[position]
            previous = position - 1
            while previous >= 0 and row[previous] > code:
                row[previous + 1] = row[previous]
                previous -= 1
            row[previous + 1] = code
        return row
    for digit in range(passes):
        shift = np.uint64(32 + 8 * digit)
        byte_counts[:] = 0
        for code in row:
            byte_counts[(code >> shift) & _BYTE] += 1
        begin = 0
        for byte in range(256):  # from counts to begins
            begin, byte_counts[byte] = begin + byte_counts[byte], begin
        for code in row:
            byte = (code >> shift) & _BYTE
            spare[byte_counts[byte]] = code
            byte_counts[byte] += 1
        row, spare = spare, row
    return row


def radix_passes(n_columns: int) -> int:
    """Return the number of passes that sort columns below `n_columns`: one for each byte of `n_columns`, at least 1."""
    return max(1, (n_columns.bit_length() + 7) // 8)


@kernel
def write_rows(
    entries: Codes,
    row_ends: Codes,
    columns: Ints,
    passes: int,
    indices: NDArray[Any],
    data: NDArray[Any],
) -> None:
    """Write the entries whose term has a column as CSR rows sorted by column.

    See `row_sizes` for `row_ends` and `columns`, and `sort_by_column` for `passes`.
    """
    longest = np.uint64(0)
    begin = np.uint64(0)
    for end in row_ends:
        longest = max(longest, end - begin)
        begin = end
    row = np.empty(np.int64(longest), np.uint64)
    spare = np.empty(np.int64(longest), np.uint64)
    byte_counts = np.empty(256, np.int64)
    written = 0
    begin = np.uint64(0)
    for end in row_ends:
        size = 0
        for position in range(begin, end):
            column = columns[entries[position] >> _32]
            if column >= 0:
                row[size] = np.uint64(column) << _32 | (entries[position] & _LOW_32)
                size += 1
        for code in sort_by_column(row[:size], spare[:size], byte_counts, passes):
            indices[written] = code >> _32
            data[written] = code & _LOW_32
            written += 1
        begin = end


@kernel
def take_columns(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: NDArray[Any],
    new_columns: NDArray[np.int32],
    new_indptr: Ints,
    new_indices: NDArray[np.int32],
    new_data: NDArray[Any],
) -> None:
    """Write the CSR arrays of the selected columns.

    `new_columns` has the new number of each column, -1 if it is not selected. To avoid a branch, every value is
    written, but the next value overwrites it if its column is not selected. For this, the new arrays need room for one
    value more than the selected columns have.
    """
    written = 0
    new_indptr[0] = 0
    for row in range(new_indptr.size - 1):
        for position in range(indptr[row], indptr[row + 1]):
            column = new_columns[indices[position]]
            new_indices[written] = column
            new_data[written] = data[position]
            written += column >= 0
        new_indptr[row + 1] = written


UNSOUND, UNORDERED = -1, -2
"""States of an invalid row: UNSOUND if a column or the row's begin or end is out of range, UNORDERED if its columns do
not ascend strictly. Columns of UNORDERED rows are not checked for their range.
"""


@kernel
def row_state(columns: NDArray[Any], n_columns: int) -> int:
    """Return 0 if the columns of a row ascend strictly and are 0 to below `n_columns`, else UNSOUND or UNORDERED."""
    if columns.size == 0:
        return 0
    is_unordered = False
    for position in range(columns.size - 1):
        is_unordered |= columns[position] >= columns[position + 1]
    if is_unordered:
        return UNORDERED
    # Columns ascend, so the first and the last one tell whether all are in range.
    return 0 if columns[0] >= 0 and columns[columns.size - 1] < n_columns else UNSOUND


@kernel
def rows_state(indptr: NDArray[Any], indices: NDArray[Any], n_values: int, n_columns: int) -> int:
    """Return UNSOUND if any row is, else UNORDERED if any row is, else 0; `n_values` is the size of `data`."""
    result = 0
    for row in range(indptr.size - 1):
        begin, end = np.int64(indptr[row]), np.int64(indptr[row + 1])
        if not 0 <= begin <= end <= min(indices.size, n_values):
            return UNSOUND
        state = row_state(indices[begin:end], n_columns)
        if state == UNSOUND:
            return UNSOUND
        result = min(result, state)  # `state` is 0 or UNORDERED, which is below 0
    return result


@kernel
def all_within(data: NDArray[Any], limit: float) -> bool:
    """Return whether all numbers are above -limit and below limit, and none is NaN."""
    outside = False
    for position in range(data.size):
        outside |= not abs(np.float64(data[position])) < limit  # not `>=`, which is false for NaN
    return not outside


@kernel
def _multiply_by_eight(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: Floats,
    rows: Ints,
    block: Floats,
    begin: int,
    end: int,
    products: Floats,
) -> None:
    """Do the same as `multiply_rows` for a block of eight columns, with the eight sums of a row in registers."""
    for output_row in range(begin, end):
        row = rows[output_row]
        sum_0 = sum_1 = sum_2 = sum_3 = sum_4 = sum_5 = sum_6 = sum_7 = 0.0
        for position in range(indptr[row], indptr[row + 1]):
            value = data[position]
            factors = block[indices[position]]
            sum_0 += value * factors[0]
            sum_1 += value * factors[1]
            sum_2 += value * factors[2]
            sum_3 += value * factors[3]
            sum_4 += value * factors[4]
            sum_5 += value * factors[5]
            sum_6 += value * factors[6]
            sum_7 += value * factors[7]
        product = products[output_row]
        product[0], product[1], product[2], product[3] = sum_0, sum_1, sum_2, sum_3
        product[4], product[5], product[6], product[7] = sum_4, sum_5, sum_6, sum_7


@kernel
def multiply_rows(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: Floats,
    rows: Ints,
    block: Floats,
    begin: int,
    end: int,
    products: Floats,
) -> None:
    """Write the products of the rows `rows[begin:end]` of a CSR matrix with a dense block.

    `block` (n_columns, width) has a row for each column of the matrix; `products` (rows.size, width) gets a row for
    each of `rows`.
    """
    width = block.shape[1]
    if width == 8:
        _multiply_by_eight(indptr, indices, data, rows, block, begin, end, products)
        return
    for output_row in range(begin, end):
        row = rows[output_row]
        product = products[output_row]
        for output in range(width):
            product[output] = 0.0
        for position in range(indptr[row], indptr[row + 1]):
            value = data[position]
            factors = block[indices[position]]
            for output in range(width):
                product[output] += value * factors[output]


@kernel
def score_rows(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    coefficients: NDArray[np.float32],
    intercepts: Floats,
    scores: Floats,
) -> None:
    """Write the linear scores of CSR rows: the product of each row with the coefficients, plus the intercepts.

    `coefficients` is (n_columns, n_outputs) and float32, `scores` is (n_rows, n_outputs). Products are computed in
    float64. `indptr` may be a slice of the `indptr` of a matrix, so it need not start at 0.
    """
    n_outputs = intercepts.size
    for row in range(indptr.size - 1):
        begin, end = indptr[row], indptr[row + 1]
        totals = scores[row]
        if begin == end:
            totals[:] = intercepts
            continue
        value = np.float64(data[begin])  # the first product is written, the others are added
        factors = coefficients[indices[begin]]
        for output in range(n_outputs):
            totals[output] = value * np.float64(factors[output])
        for position in range(begin + 1, end):
            value = np.float64(data[position])
            factors = coefficients[indices[position]]
            for output in range(n_outputs):
                totals[output] += value * np.float64(factors[output])
        for output in range(n_outputs):
            totals[output] += intercepts[output]


@kernel
def score_rows_sparsely(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    term_indptr: Ints,
    outputs: NDArray[np.int32],
    coefficients: Floats,
    intercepts: Floats,
    scores: Floats,
) -> None:
    """Write the linear scores of CSR rows, like `score_rows`, but with coefficients that are stored sparsely.

    Column i has the coefficients `coefficients[term_indptr[i] : term_indptr[i + 1]]`, and `outputs` has the output to
    which each of them belongs.
    """
    for row in range(indptr.size - 1):
        totals = scores[row]
        totals[:] = 0.0
        for position in range(indptr[row], indptr[row + 1]):
            value = np.float64(data[position])
            column = indices[position]
            for entry in range(term_indptr[column], term_indptr[column + 1]):
                totals[outputs[entry]] += value * coefficients[entry]
        for output in range(intercepts.size):
            totals[output] += intercepts[output]
