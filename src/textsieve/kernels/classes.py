"""One pass over the rows of some documents adds up all that is wanted of each term.

Whole numbers (counts) add up exactly in 64 bits. Other weights are added with their rounding errors kept beside the sum
(a square's own error by a fused multiply-add), so a sum is right to about 30 digits and its 53-bit head does not depend
on the order in any digit that matters. The errors' sum would be rounded too, and more the longer it gets: so the head
takes up what it can of it at every step, and what stays beside it is less than half of the head's last digit.

`seen` has a byte for each term, and is read eight at a time to find the few terms of a class among many.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .jit import Bytes, Floats, Ints, kernel
from .precise import fused
from .prefetch import prefetch

_0, _1, _2 = (np.uint64(n) for n in range(3))
_AHEAD = 8
_LINE = 64


@kernel
def _ask_for(documents: Ints, number: int, indptr: NDArray[Any], indices: NDArray[Any], data: NDArray[Any]) -> None:
    """Ask for the row of a document that comes soon: the documents of a class do not lie side by side."""
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
    """Add whole-number weights: `totals[t]` gets documents with the term, sum, and sum of squares."""
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
    """Add any weights: `totals[t]` gets documents with the term, sum and its error, sum of squares and its error."""
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
            error = fused(value, value, -square)
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
    """Add whole-number weights as `add_counts` does, each document so many times."""
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
    """Add a value and its rounding error to a sum and its error, which follow each other in a row."""
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
    """Add any weights as `add_weights` does, each document so many times; that need not be a whole number."""
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
            _add_precisely(row, 1, product, fused(repeats, value, -product))
            square = value * value
            product = repeats * square
            error = fused(repeats, square, -product) + repeats * fused(value, value, -square)
            _add_precisely(row, 3, product, error)


@kernel
def seen_terms(seen: Bytes, terms: Ints) -> int:
    """Write the terms that were seen, in ascending order, and forget them; gives their number."""
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
    """Move the totals of a class to the grand totals; writes its documents per term, gives its sums and their rests."""
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
    """Do the same for sums that come with their errors."""
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
