"""Sum the weights of each term within classes: the loops that fill and merge the table of statistics.

Integer counts add up exactly in 64 bits. For other weights, each sum is kept as a value and the rest that rounding cut
off (the rounding error of a square comes from a fused multiply-add). So a sum is correct to about 30 digits, and its
53-bit value doesn't depend on the order of documents in any digit that matters. The sum of rests would be rounded too,
and more so the longer it gets; therefore the value absorbs what it can of the rest in each step, and the rest stays
below half a unit in the last place.

`seen` has a byte for each term and is read eight bytes at a time, to find the few terms of a class among many.

`merge_cells` adds the cells of two tables class by class in one walk over both, without intermediate keys or copies. It
adds values and rests exactly as `Sums.plus` does, so both give the same bits.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Bytes, Floats, Ints
from .intrinsics import fma, prefetch
from .jit import kernel

_0, _1, _2 = (np.uint64(n) for n in range(3))
_AHEAD = 8
_LINE = 64


@kernel
def _ask_for(documents: Ints, number: int, indptr: NDArray[Any], indices: NDArray[Any], data: NDArray[Any]) -> None:
    """Prefetch the row of a document that comes soon; the documents of a class are not stored next to each other."""
    document = documents[min(number, documents.size - 1)]
    begin, end = indptr[document], indptr[document + 1]
    for at in range(begin, end, _LINE // indices.itemsize):
        prefetch(indices, at)
    for at in range(begin, end, _LINE // data.itemsize):
        prefetch(data, at)


@kernel
def add_counts(
    documents: Ints,
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: NDArray[Any],
    totals: Ints,
    seen: Bytes,
) -> None:
    """Add integer counts: `totals[t]` has the number of documents with term t, the sum and the sum of squares."""
    for number in range(documents.size):
        _ask_for(documents, number + _AHEAD, indptr, indices, data)
        document = documents[number]
        for at in range(np.uint64(indptr[document]), np.uint64(indptr[document + 1])):
            value = np.int64(data[at])
            if value != 0:
                term = np.uint64(indices[at])
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
    """Add float weights: `totals[t]` has the number of documents with term t, the sum and its rest, the sum of
    squares and its rest.
    """
    for number in range(documents.size):
        _ask_for(documents, number + _AHEAD, indptr, indices, data)
        document = documents[number]
        for at in range(np.uint64(indptr[document]), np.uint64(indptr[document + 1])):
            value = np.float64(data[at])
            if value == 0:
                continue
            term = np.uint64(indices[at])
            seen[term] = 1
            row = totals[term]
            row[0] += 1.0

            total = row[1] + value
            part = total - row[1]
            rest = row[2] + ((row[1] - (total - part)) + (value - part))
            row[1] = total + rest
            row[2] = rest - (row[1] - total)

            square = value * value
            error = fma(value, value, -square)
            total = row[3] + square
            part = total - row[3]
            rest = row[4] + (((row[3] - (total - part)) + (square - part)) + error)
            row[3] = total + rest
            row[4] = rest - (row[3] - total)


@kernel
def add_repeated_counts(
    times: Ints,
    documents: Ints,
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: NDArray[Any],
    totals: Ints,
    seen: Bytes,
) -> None:
    """Add integer counts as `add_counts` does, each document `times[document]` times."""
    for document in documents:
        repeats = times[document]
        for at in range(indptr[document], indptr[document + 1]):
            value = np.int64(data[at])
            if value != 0:
                term = indices[at]
                seen[term] = 1
                totals[term, 0] += repeats
                totals[term, 1] += repeats * value
                totals[term, 2] += repeats * value * value


@kernel
def _add_precisely(row: Floats, place: int, value: float, error: float) -> None:
    """Add a value and its rounding error to a sum and its rest, which are at `place` and `place + 1` of a row."""
    total = row[place] + value
    part = total - row[place]
    rest = row[place + 1] + (((row[place] - (total - part)) + (value - part)) + error)
    row[place] = total + rest
    row[place + 1] = rest - (row[place] - total)


@kernel
def add_repeated_weights(
    times: Floats,
    documents: Ints,
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: NDArray[Any],
    totals: Floats,
    seen: Bytes,
) -> None:
    """Add float weights as `add_weights` does, each document `times[document]` times, which may be a fraction."""
    for document in documents:
        repeats = times[document]
        for at in range(indptr[document], indptr[document + 1]):
            value = np.float64(data[at])
            if value == 0:
                continue
            term = indices[at]
            seen[term] = 1
            row = totals[term]
            row[0] += repeats
            product = repeats * value
            _add_precisely(row, 1, product, fma(repeats, value, -product))
            square = value * value
            product = repeats * square
            error = fma(repeats, square, -product) + repeats * fma(value, value, -square)
            _add_precisely(row, 3, product, error)


@kernel
def seen_terms(seen: Bytes, terms: Ints) -> int:
    """Write the terms that were seen in ascending order, reset `seen`, and return their number."""
    size = 0
    for group, any_of_eight in enumerate(seen.view(np.uint64)):
        if any_of_eight != 0:
            for term in range(8 * group, 8 * group + 8):
                if seen[term]:
                    seen[term] = 0
                    terms[size] = term
                    size += 1
    return size


@kernel
def drain_counts(terms: Ints, totals: Ints, grand: Ints, doc_freq: NDArray[Any]) -> tuple[Floats, Floats]:
    """Move the totals of a class to the grand totals; write its document frequencies, return its sums and their
    rests.
    """
    values, rests = np.empty(terms.size), np.empty(terms.size)
    for cell in range(terms.size):
        term = np.uint64(terms[cell])
        doc_freq[cell] = totals[term, _0]
        values[cell] = totals[term, _1]
        rests[cell] = totals[term, _1] - np.int64(values[cell])
        for part in (_0, _1, _2):
            grand[term, part] += totals[term, part]
            totals[term, part] = 0
    return values, rests


@kernel
def drain_weights(terms: Ints, totals: Floats, grand: Floats, doc_freq: NDArray[Any]) -> tuple[Floats, Floats]:
    """Do the same as `drain_counts` for sums with rests."""
    values, rests = np.empty(terms.size), np.empty(terms.size)
    for cell in range(terms.size):
        row, into = totals[terms[cell]], grand[terms[cell]]
        doc_freq[cell] = row[0]
        values[cell] = row[1] + row[2]
        rests[cell] = row[2] - (values[cell] - row[1])
        into[0] += row[0]
        for part in (1, 3):
            total = into[part] + row[part]
            of_row = total - into[part]
            into[part + 1] += ((into[part] - (total - of_row)) + (row[part] - of_row)) + row[part + 1]
            into[part] = total
        row[:] = 0.0
    return values, rests


@kernel
def align(one: Ints, other: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the union of two ascending lists of keys, and the positions in it of the keys of each list."""
    keys = np.empty(one.size + other.size, np.int64)
    places, other_places = np.empty(one.size, np.int64), np.empty(other.size, np.int64)
    size, i, j = 0, 0, 0
    while i < one.size or j < other.size:
        take_one = j == other.size or (i < one.size and one[i] <= other[j])
        take_other = i == one.size or (j < other.size and other[j] <= one[i])
        if take_one:
            keys[size] = one[i]
            places[i] = size
            i += 1
        if take_other:
            keys[size] = other[j]
            other_places[j] = size
            j += 1
        size += 1
    return keys[:size].copy(), places, other_places


@kernel
def _plus(value: float, rest: float, other: float, other_rest: float) -> tuple[float, float]:
    """Return the sum of two values with rests (Knuth's exact addition), normalised so that the rest is as small as
    possible.
    """
    added = value + other
    part = added - value
    left = (value - (added - part)) + (other - part) + (rest + other_rest)
    total = added + left
    return total, left - (total - added)


@kernel
def merge_cells(
    numbers: Ints,
    starts: Ints,
    terms: Ints,
    doc_freq: NDArray[Any],
    values: Floats,
    rests: Floats,
    other_numbers: Ints,
    other_starts: Ints,
    other_terms: Ints,
    other_doc_freq: NDArray[Any],
    other_values: Floats,
    other_rests: Floats,
    merged_starts: Ints,
    merged_terms: Ints,
    merged_doc_freq: NDArray[Any],
    merged_values: Floats,
    merged_rests: Floats,
) -> None:
    """Write the cells of two tables whose counts have the same type.

    For each merged class, `numbers` and `other_numbers` have its number in either table, or -1.
    """
    place = 0
    for merged_class in range(numbers.size):
        one = starts[max(numbers[merged_class], 0)]
        end = starts[numbers[merged_class] + 1] if numbers[merged_class] >= 0 else one
        other = other_starts[max(other_numbers[merged_class], 0)]
        other_end = other_starts[other_numbers[merged_class] + 1] if other_numbers[merged_class] >= 0 else other
        while one < end or other < other_end:
            take = other == other_end or (one < end and terms[one] <= other_terms[other])
            take_other = one == end or (other < other_end and other_terms[other] <= terms[one])
            documents, value, rest = doc_freq.dtype.type(0), 0.0, 0.0
            if take:
                documents, value, rest = doc_freq[one], values[one], rests[one]
                merged_terms[place] = terms[one]
                one += 1
            if take_other:
                value, rest = _plus(value, rest, other_values[other], other_rests[other])
                documents += other_doc_freq[other]
                merged_terms[place] = other_terms[other]
                other += 1
            merged_doc_freq[place], merged_values[place], merged_rests[place] = documents, value, rest
            place += 1
        merged_starts[merged_class + 1] = place
