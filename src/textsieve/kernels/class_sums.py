"""Sum the weights of each term within classes: the loops that fill and merge the table of statistics.

Integer counts add up exactly in 64 bits. Sums of other weights use double-double arithmetic: each sum is a float64
*value* and a *rest*, the rounding error of the value. Knuth's TwoSum computes the rounding error of an addition, and a
fused multiply-add that of a product. (In TwoSum, `absorbed` is the part of the added number that is in the rounded
sum.) So a sum is correct to about 30 digits, and its value doesn't depend on the order of the documents in any digit
that matters. After each addition, as much of the rest as possible is moved to the value, so that the rest stays below
half a unit in the value's last place and hardly loses digits itself.

Documents are rows of CSR arrays: row d has the terms `indices[indptr[d] : indptr[d + 1]]` with the weights `data` at
the same positions. Weights of 0 may be stored and are skipped.

Classes are summed one after the other, in the same array of totals. While the documents of a class are added, `seen`
has a byte for each term, which is set to 1 if the class has the term. Then `seen_terms` lists these terms, and a
`drain_` kernel reads their totals and resets them for the next class. `seen_terms` skips eight terms at a time, since a
class usually has few of all terms. A *cell* of the table is a class and a term that occurs in it.

`merge_cells` adds the cells of two tables class by class in one walk over both, without intermediate keys or copies. It
adds values and rests exactly as `stats.table.Sums.plus` does, so both give the same bits.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Bytes, Floats, Ints
from .jit import fma, kernel, prefetch

_0, _1, _2 = (np.uint64(n) for n in range(3))

_ROWS_AHEAD = 8
"""Rows are prefetched this many documents before they are added."""

_CACHE_LINE = 64
"""Bytes that the processor fetches at a time."""


@kernel
def _prefetch_row(documents: Ints, turn: int, indptr: NDArray[Any], indices: NDArray[Any], data: NDArray[Any]) -> None:
    """Load the row of `documents[turn]` into the processor's cache, or that of the last one if there are fewer.

    The documents of a class are not adjacent in memory, so the processor can't guess which row is next.
    """
    document = documents[min(turn, documents.size - 1)]
    begin, end = indptr[document], indptr[document + 1]
    for position in range(begin, end, _CACHE_LINE // indices.itemsize):
        prefetch(indices, position)
    for position in range(begin, end, _CACHE_LINE // data.itemsize):
        prefetch(data, position)


@kernel
def add_counts(
    documents: Ints,
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: NDArray[Any],
    totals: Ints,
    seen: Bytes,
) -> None:
    """Add the integer counts of some documents to the totals of their terms, and mark the terms in `seen`.

    `totals` (n_terms, 4) has in row t the number of documents with term t, the sum and the sum of squares of its
    counts; the fourth column is unused and aligns the rows. Indices are unsigned, since numba tests signed ones for
    negative values.
    """
    for turn in range(documents.size):
        _prefetch_row(documents, turn + _ROWS_AHEAD, indptr, indices, data)
        document = documents[turn]
        for position in range(np.uint64(indptr[document]), np.uint64(indptr[document + 1])):
            value = np.int64(data[position])
            if value != 0:
                term = np.uint64(indices[position])
                seen[term] = 1
                row = totals[term]
                row[_0] += 1
                row[_1] += value
                row[_2] += value * value


@kernel
def add_weights(
    documents: Ints,
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: NDArray[Any],
    totals: Floats,
    seen: Bytes,
) -> None:
    """Add the float weights of some documents to the totals of their terms, and mark the terms in `seen`.

    `totals` (n_terms, 5) has in row t the number of documents with term t, the sum of its weights and the rest of the
    sum, the sum of their squares and its rest.
    """
    for turn in range(documents.size):
        _prefetch_row(documents, turn + _ROWS_AHEAD, indptr, indices, data)
        document = documents[turn]
        for position in range(np.uint64(indptr[document]), np.uint64(indptr[document + 1])):
            value = np.float64(data[position])
            if value == 0:
                continue
            term = np.uint64(indices[position])
            seen[term] = 1
            row = totals[term]
            row[0] += 1.0

            # TwoSum: `total` plus its rounding error is exactly row[1] + value. The error is added to the rest, and
            # then as much of the rest as possible is moved to row[1]. `_add_precisely` has the same steps.
            total = row[1] + value
            absorbed = total - row[1]
            rest = row[2] + ((row[1] - (total - absorbed)) + (value - absorbed))
            row[1] = total + rest
            row[2] = rest - (row[1] - total)

            square = value * value
            error = fma(value, value, -square)  # the rounding error of the square
            total = row[3] + square
            absorbed = total - row[3]
            rest = row[4] + (((row[3] - (total - absorbed)) + (square - absorbed)) + error)
            row[3] = total + rest
            row[4] = rest - (row[3] - total)


@kernel
def add_repeated_counts(
    doc_weights: Ints,
    documents: Ints,
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: NDArray[Any],
    totals: Ints,
    seen: Bytes,
) -> None:
    """Add integer counts as `add_counts` does, but count document d `doc_weights[d]` times."""
    for document in documents:
        doc_weight = doc_weights[document]
        for position in range(indptr[document], indptr[document + 1]):
            value = np.int64(data[position])
            if value != 0:
                term = indices[position]
                seen[term] = 1
                totals[term, 0] += doc_weight
                totals[term, 1] += doc_weight * value
                totals[term, 2] += doc_weight * value * value


@kernel
def _add_precisely(row: Floats, column: int, value: float, error: float) -> None:
    """Add a value with its rounding error to the sum `row[column]` and its rest `row[column + 1]` (TwoSum)."""
    total = row[column] + value
    absorbed = total - row[column]
    rest = row[column + 1] + (((row[column] - (total - absorbed)) + (value - absorbed)) + error)
    row[column] = total + rest
    row[column + 1] = rest - (row[column] - total)


@kernel
def add_repeated_weights(
    doc_weights: Floats,
    documents: Ints,
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: NDArray[Any],
    totals: Floats,
    seen: Bytes,
) -> None:
    """Add float weights as `add_weights` does, but count document d `doc_weights[d]` times, which may be a fraction."""
    for document in documents:
        doc_weight = doc_weights[document]
        for position in range(indptr[document], indptr[document + 1]):
            value = np.float64(data[position])
            if value == 0:
                continue
            term = indices[position]
            seen[term] = 1
            row = totals[term]
            row[0] += doc_weight
            # Columns 1 and 2 have the sum of the weights and its rest, columns 3 and 4 those of the squares.
            product = doc_weight * value
            _add_precisely(row, 1, product, fma(doc_weight, value, -product))
            square = value * value
            product = doc_weight * square
            # The rounding error of the product, and that of the square times the weight.
            error = fma(doc_weight, square, -product) + doc_weight * fma(value, value, -square)
            _add_precisely(row, 3, product, error)


@kernel
def seen_terms(seen: Bytes, terms: Ints) -> int:
    """Write the marked terms to `terms` in ascending order, clear the marks, and return the number of terms.

    The size of `seen` is a multiple of 8.
    """
    size = 0
    for group, eight_marks in enumerate(seen.view(np.uint64)):
        if eight_marks != 0:
            for term in range(8 * group, 8 * group + 8):
                if seen[term]:
                    seen[term] = 0
                    terms[size] = term
                    size += 1
    return size


@kernel
def drain_counts(terms: Ints, totals: Ints, grand_totals: Ints, doc_freq: NDArray[Any]) -> tuple[Floats, Floats]:
    """Move the totals of a class's terms to the grand totals of all classes, and reset them to 0.

    Writes the document frequency of each term to `doc_freq`; returns the sums of its counts and their rests. The rest
    of a sum up to 2^53 is 0.
    """
    values, rests = np.empty(terms.size), np.empty(terms.size)
    for cell in range(terms.size):
        term = np.uint64(terms[cell])
        doc_freq[cell] = totals[term, _0]
        values[cell] = totals[term, _1]
        rests[cell] = totals[term, _1] - np.int64(values[cell])
        for column in (_0, _1, _2):
            grand_totals[term, column] += totals[term, column]
            totals[term, column] = 0
    return values, rests


@kernel
def drain_weights(terms: Ints, totals: Floats, grand_totals: Floats, doc_freq: NDArray[Any]) -> tuple[Floats, Floats]:
    """Do the same as `drain_counts` for the totals of `add_weights`; TwoSum keeps the rounding errors of sums."""
    values, rests = np.empty(terms.size), np.empty(terms.size)
    for cell in range(terms.size):
        row, grand = totals[terms[cell]], grand_totals[terms[cell]]
        doc_freq[cell] = row[0]
        values[cell] = row[1] + row[2]
        rests[cell] = row[2] - (values[cell] - row[1])
        grand[0] += row[0]
        for column in (1, 3):  # the sum of the weights and that of their squares; the next column has the rest
            total = grand[column] + row[column]
            absorbed = total - grand[column]
            grand[column + 1] += ((grand[column] - (total - absorbed)) + (row[column] - absorbed)) + row[column + 1]
            grand[column] = total
        row[:] = 0.0
    return values, rests


@kernel
def align(left: Ints, right: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the union of two ascending arrays of keys, and the positions of the keys of each array in the union."""
    keys = np.empty(left.size + right.size, np.int64)
    left_positions, right_positions = np.empty(left.size, np.int64), np.empty(right.size, np.int64)
    size, i, j = 0, 0, 0
    while i < left.size or j < right.size:
        # The smaller of the two next keys comes next; if they are equal, it is taken from both arrays.
        take_left = j == right.size or (i < left.size and left[i] <= right[j])
        take_right = i == left.size or (j < right.size and right[j] <= left[i])
        if take_left:
            keys[size] = left[i]
            left_positions[i] = size
            i += 1
        if take_right:
            keys[size] = right[j]
            right_positions[j] = size
            j += 1
        size += 1
    return keys[:size].copy(), left_positions, right_positions


@kernel
def _plus(value: float, rest: float, other: float, other_rest: float) -> tuple[float, float]:
    """Return the sum of two numbers, each given as value and rest, as a value and the smallest possible rest."""
    added = value + other
    absorbed = added - value
    new_rest = (value - (added - absorbed)) + (other - absorbed) + (rest + other_rest)
    total = added + new_rest
    return total, new_rest - (total - added)


@kernel
def merge_cells(
    class_numbers: Ints,
    class_starts: Ints,
    terms: Ints,
    doc_freq: NDArray[Any],
    values: Floats,
    rests: Floats,
    other_class_numbers: Ints,
    other_class_starts: Ints,
    other_terms: Ints,
    other_doc_freq: NDArray[Any],
    other_values: Floats,
    other_rests: Floats,
    merged_class_starts: Ints,
    merged_terms: Ints,
    merged_doc_freq: NDArray[Any],
    merged_values: Floats,
    merged_rests: Floats,
) -> None:
    """Merge the cells of two tables, and write them to the `merged_` arrays.

    In each table, class c has the cells `class_starts[c]` to `class_starts[c + 1]`; a cell has a term (ascending in a
    class), its document frequency (of the same dtype in both tables), and its sum as value and rest. For each merged
    class, `class_numbers` and `other_class_numbers` have its number in either table, or -1 if the table doesn't have
    the class. The caller sets `merged_class_starts[0]` to 0.
    """
    merged_cell = 0
    for merged_class in range(class_numbers.size):
        # If a table doesn't have the class, its cells end where they begin.
        cell = class_starts[max(class_numbers[merged_class], 0)]
        cell_end = class_starts[class_numbers[merged_class] + 1] if class_numbers[merged_class] >= 0 else cell
        other_cell = other_class_starts[max(other_class_numbers[merged_class], 0)]
        other_cell_end = (
            other_class_starts[other_class_numbers[merged_class] + 1]
            if other_class_numbers[merged_class] >= 0
            else other_cell
        )
        while cell < cell_end or other_cell < other_cell_end:
            # The smaller of the two next terms comes next; if they are equal, from both tables.
            has_term = other_cell == other_cell_end or (cell < cell_end and terms[cell] <= other_terms[other_cell])
            other_has_term = cell == cell_end or (
                other_cell < other_cell_end and other_terms[other_cell] <= terms[cell]
            )
            # `documents` is the number of documents of the class with the term.
            documents, value, rest = doc_freq.dtype.type(0), 0.0, 0.0
            if has_term:
                documents, value, rest = doc_freq[cell], values[cell], rests[cell]
                merged_terms[merged_cell] = terms[cell]
                cell += 1
            if other_has_term:
                value, rest = _plus(value, rest, other_values[other_cell], other_rests[other_cell])
                documents += other_doc_freq[other_cell]
                merged_terms[merged_cell] = other_terms[other_cell]
                other_cell += 1
            merged_doc_freq[merged_cell], merged_values[merged_cell], merged_rests[merged_cell] = documents, value, rest
            merged_cell += 1
        merged_class_starts[merged_class + 1] = merged_cell
