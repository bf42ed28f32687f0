"""Find the documents nearest to a query by cosine, exactly, without computing most of the products.

All rows have length 1, so a cosine is the sum of products over the shared terms. For the rare terms of the query, the
products are added up posting by posting, in an array with an entry for each document. Terms that more than a fifth of
the documents contain would cost many additions and say little, so their sum is only bounded: by the Cauchy-Schwarz
inequality, it is at most (length of the query's frequent part) x (length of the document's frequent part). The k
largest sums give a cosine that the k best documents reach at least, and only the few documents whose bound reaches it
are computed in full.

Final comparisons always use full sums, added in the order of the terms. So equal documents have equal cosines, the
result is the same as that of computing all cosines, and of equally near documents those with lower numbers come first.

A document takes part in a search unless its group is -1 (it was removed) or the group of the query. If each document is
a group of its own, no document finds itself; if classes are the groups, each document finds its nearest enemy.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Bytes, Floats, Int32s, Ints
from .jit import kernel

Weights = NDArray[np.float32]
Whole = int | np.signedinteger[Any]

SHARE = 5
"""A term is frequent if more than one in so many documents have it."""

_SLACK = 1e-9  # far more than sums of products of rows of length 1 are rounded by
_0, _1 = np.uint64(0), np.uint64(1)


class Index(NamedTuple):
    """Documents of length 1 by term (documents ascend) and by document (terms ascend), and the lengths for the
    bounds.
    """

    term_starts: Ints
    documents: Int32s
    weights: Weights
    starts: Ints
    columns: Int32s
    values: Weights
    frequent: Bytes  # 1 for frequent terms
    frequent_parts: Floats  # the length of each document's frequent part


class Workspace(NamedTuple):
    """The arrays with which a thread searches. Between searches, sums and query are 0."""

    sums: Floats  # of each document
    query: Floats  # the query's weight of each term
    cosines: Floats  # of the best
    documents: Int32s  # the best


@kernel
def workspace(index: Index, k: int) -> Workspace:
    """Allocate the arrays for searches of up to k documents."""
    return Workspace(np.zeros(index.starts.size - 1), np.zeros(index.frequent.size), np.empty(k), np.empty(k, np.int32))


@kernel
def rows_of(term_starts: Ints, documents: Int32s, weights: Weights, starts: Ints) -> tuple[Int32s, Weights]:
    """Transpose postings to rows whose starts are known; return columns and values."""
    columns, values = np.empty(documents.size, np.int32), np.empty(documents.size, np.float32)
    ends = starts[:-1].copy()
    for term in range(term_starts.size - 1):
        for place in range(term_starts[term], term_starts[term + 1]):
            document = documents[place]
            columns[ends[document]] = term
            values[ends[document]] = weights[place]
            ends[document] += 1
    return columns, values


@kernel
def lengths_of_parts(starts: Ints, columns: Int32s, values: Weights, is_selected: Bytes) -> Floats:
    """Return the length of each row over some of the terms."""
    lengths = np.zeros(starts.size - 1)
    for row in range(lengths.size):
        for at in range(starts[row], starts[row + 1]):
            if is_selected[columns[at]]:
                lengths[row] += np.float64(values[at]) * np.float64(values[at])
    return np.sqrt(lengths)


# -- the best so far, as a heap with the worst of them on top ------------------------------------------------------


@kernel
def is_nearer(cosine: float, document: Whole, other_cosine: float, other: Whole) -> bool:
    """Return whether one document precedes another among neighbours."""
    return bool(cosine > other_cosine or (cosine == other_cosine and document < other))


@kernel
def sink(cosines: Floats, documents: Int32s, size: int, cosine: float, document: Whole) -> None:
    """Put a document on top of the heap and move it down until all below it are nearer."""
    place = 0
    while 2 * place + 1 < size:
        below = 2 * place + 1
        if below + 1 < size and is_nearer(cosines[below], documents[below], cosines[below + 1], documents[below + 1]):
            below += 1
        if not is_nearer(cosine, document, cosines[below], documents[below]):
            break
        cosines[place], documents[place] = cosines[below], documents[below]
        place = below
    cosines[place], documents[place] = cosine, document


@kernel
def keep_best(cosines: Floats, documents: Int32s, size: int, cosine: float, document: Whole) -> int:
    """Add a document to the heap if there is room or it is nearer than the worst; return the size of the heap."""
    if size == cosines.size:
        if is_nearer(cosine, document, cosines[0], documents[0]):
            sink(cosines, documents, size, cosine, document)
        return size
    place = size
    while place > 0 and is_nearer(cosines[(place - 1) // 2], documents[(place - 1) // 2], cosine, document):
        cosines[place], documents[place] = cosines[(place - 1) // 2], documents[(place - 1) // 2]
        place = (place - 1) // 2
    cosines[place], documents[place] = cosine, document
    return size + 1


@kernel
def sort_best(cosines: Floats, documents: Int32s, size: int) -> None:
    """Sort the heap, nearest first."""
    for last in range(size - 1, 0, -1):
        cosine, document = cosines[last], documents[last]
        cosines[last], documents[last] = cosines[0], documents[0]
        sink(cosines, documents, last, cosine, document)


# -- one search ----------------------------------------------------------------------------------------------------


@kernel
def full_cosine(index: Index, query: Floats, document: Whole) -> float:
    """Return the cosine of a document with the query: all products, added in the order of the terms."""
    total = 0.0
    for at in range(np.uint64(index.starts[document]), np.uint64(index.starts[document + 1])):
        total += query[np.uint64(index.columns[at])] * np.float64(index.values[at])
    return total


@kernel
def add_rare(index: Index, columns: Int32s, values: Floats, room: Workspace) -> float:
    """Spread the query and add up the products of its rare terms; return the length of its frequent part, or -1
    without one.
    """
    sums, query = room.sums, room.query
    squares, any_frequent = 0.0, False
    for at in range(columns.size):
        term, value = np.uint64(columns[at]), values[at]
        query[term] = value
        if index.frequent[term]:
            squares += value * value
            any_frequent = any_frequent or value != 0.0
        else:
            for place in range(np.uint64(index.term_starts[term]), np.uint64(index.term_starts[term + _1])):
                sums[np.uint64(index.documents[place])] += value * np.float64(index.weights[place])
    return np.sqrt(squares) if any_frequent else -1.0


@kernel
def best_of_sums(index: Index, columns: Int32s, groups: Int32s, own: int, room: Workspace) -> int:
    """Find the best documents for a query with rare terms only, where the sums are the cosines; reset the sums to 0."""
    size = 0
    for at in range(columns.size):
        term = np.uint64(columns[at])
        if index.frequent[term]:
            continue  # with a weight of 0
        for place in range(np.uint64(index.term_starts[term]), np.uint64(index.term_starts[term + _1])):
            document = np.uint64(index.documents[place])
            cosine, room.sums[document] = room.sums[document], 0.0
            if cosine > 0.0 and groups[document] >= 0 and groups[document] != own:
                size = keep_best(room.cosines, room.documents, size, cosine, np.int64(document))
    return size


@kernel
def raise_to_bounds(sums: Floats, part: float, frequent_parts: Floats) -> None:
    """Add to each sum the most that frequent terms can contribute."""
    for document in range(np.uint64(sums.size)):
        sums[document] += part * frequent_parts[document] + _SLACK


@kernel
def best_of_bounds(index: Index, part: float, groups: Int32s, own: int, room: Workspace) -> int:
    """Find the best documents from the sums over rare terms and the length of the query's frequent part; reset the
    sums to 0.
    """
    sums, cosines, documents, k = room.sums, room.cosines, room.documents, room.cosines.size
    n_first, least = 0, 0.0
    for document in range(np.uint64(sums.size)):
        if sums[document] > least and groups[document] >= 0 and groups[document] != own:
            n_first = keep_best(cosines, documents, n_first, sums[document], np.int64(document))
            if n_first == k:
                least = cosines[0]
    raise_to_bounds(sums, part, index.frequent_parts)
    size = 0
    for place in range(n_first):
        first = np.int64(documents[place])  # places up to here are free for the best of the full cosines
        sums[first] = -1.0
        cosine = full_cosine(index, room.query, first)
        if cosine > 0.0:
            size = keep_best(cosines, documents, size, cosine, first)
    least = cosines[0] if size == k else 0.0
    for document in range(np.uint64(sums.size)):
        if sums[document] >= least and groups[document] >= 0 and groups[document] != own:
            cosine = full_cosine(index, room.query, np.int64(document))
            if cosine > 0.0:
                size = keep_best(cosines, documents, size, cosine, np.int64(document))
                if size == k:
                    least = cosines[0]
    sums[:] = 0.0
    return size


@kernel
def best_of_all(index: Index, groups: Int32s, own: int, room: Workspace) -> int:
    """Find the best of all documents, including those whose cosine is 0 or less."""
    size = 0
    for document in range(room.sums.size):
        if groups[document] >= 0 and groups[document] != own:
            cosine = full_cosine(index, room.query, document)
            size = keep_best(room.cosines, room.documents, size, cosine, document)
    return size


@kernel
def search(
    index: Index, columns: Int32s, values: Floats, groups: Int32s, own: int, everyone: bool, room: Workspace
) -> int:
    """Find the documents nearest to a row, nearest first; return how many there are.

    Documents whose cosine is 0 or less are left out, unless `everyone` is set.
    """
    part = add_rare(index, columns, values, room)
    if part >= 0.0:
        size = best_of_bounds(index, part, groups, own, room)
    else:
        size = best_of_sums(index, columns, groups, own, room)
    if everyone and size < room.cosines.size:
        size = best_of_all(index, groups, own, room)
    for at in range(columns.size):
        room.query[np.uint64(columns[at])] = 0.0
    sort_best(room.cosines, room.documents, size)
    return size


# -- many searches -------------------------------------------------------------------------------------------------


@kernel
def nearest(
    index: Index,
    columns: Int32s,
    values: Floats,
    starts: Ints,
    owns: Int32s,
    groups: Int32s,
    everyone: bool,
    documents: Int32s,
    cosines: Floats,
) -> None:
    """Write the documents nearest to each row (-1: no more) and their cosines; the rows are starts[0] to starts[-1]."""
    room = workspace(index, documents.shape[1])
    documents[:] = -1
    cosines[:] = 0.0
    for row in range(starts.size - 1):
        own = slice(starts[row], starts[row + 1])
        size = search(index, columns[own], values[own], groups, owns[row], everyone, room)
        documents[row, :size] = room.documents[:size]
        cosines[row, :size] = room.cosines[:size]


class Ballot(NamedTuple):
    """The arrays with which a thread counts votes. Between counts, places and slots are -1 and parts are 0."""

    places: Int32s  # of each term among the query's values
    slots: Int32s  # of each class among those of the neighbours
    voted: Int32s  # the class of each slot
    parts: Floats  # values of the query x slots: the neighbours' weights, added up


@kernel
def ballot(n_terms: int, n_classes: int, most_values: int, most_slots: int) -> Ballot:
    """Allocate the arrays for votes."""
    return Ballot(
        np.full(n_terms, -1, np.int32),
        np.full(n_classes, -1, np.int32),
        np.empty(most_slots, np.int32),
        np.zeros((most_values, most_slots)),
    )


@kernel
def add_votes(
    index: Index,
    columns: Int32s,
    values: Floats,
    neighbours: Int32s,
    class_starts: Ints,
    classes: Int32s,
    count: Ballot,
    scores: Floats,
) -> None:
    """Add the votes of the neighbours, in ascending order, to the scores of their classes, term by term."""
    for at in range(columns.size):
        count.places[np.uint64(columns[at])] = at
    n_slots = 0
    for neighbour in neighbours:
        for pair in range(class_starts[neighbour], class_starts[neighbour + 1]):
            if count.slots[classes[pair]] < 0:
                count.slots[classes[pair]] = n_slots
                count.voted[n_slots] = classes[pair]
                n_slots += 1
            slot = count.slots[classes[pair]]
            for at in range(np.uint64(index.starts[neighbour]), np.uint64(index.starts[neighbour + 1])):
                place = count.places[np.uint64(index.columns[at])]
                if place >= 0:
                    count.parts[place, slot] += np.float64(index.values[at])
    for at in range(columns.size):
        count.places[np.uint64(columns[at])] = -1
        for slot in range(n_slots):
            scores[count.voted[slot]] += values[at] * count.parts[at, slot]
            count.parts[at, slot] = 0.0
    for slot in range(n_slots):
        count.slots[count.voted[slot]] = -1


@kernel
def vote(
    index: Index,
    columns: Int32s,
    values: Floats,
    starts: Ints,
    class_starts: Ints,
    classes: Int32s,
    k: int,
    weighted: bool,
    scores: Floats,
) -> None:
    """Write the scores of all rows, whose values are starts[0] to starts[-1]."""
    groups = np.zeros(index.starts.size - 1, np.int32)
    room = workspace(index, k)
    n_classes = scores.shape[1]
    most_labels = np.diff(class_starts).max()
    count = ballot(index.frequent.size, n_classes, np.diff(starts).max(), min(n_classes, k * most_labels))
    scores[:] = 0.0
    for row in range(starts.size - 1):
        own = slice(starts[row], starts[row + 1])
        size = search(index, columns[own], values[own], groups, -1, False, room)
        neighbours = room.documents[:size]
        if weighted:
            neighbours.sort()
            add_votes(index, columns[own], values[own], neighbours, class_starts, classes, count, scores[row])
        else:
            for neighbour in neighbours:
                for pair in range(class_starts[neighbour], class_starts[neighbour + 1]):
                    scores[row, classes[pair]] += 1.0


@kernel
def judge_sizes(
    index: Index,
    first: int,
    last: int,
    class_starts: Ints,
    classes: Int32s,
    n_classes: int,
    most_frequent: int,
    weighted: bool,
    right: Ints,
) -> None:
    """Count, for each number of neighbours from 1 to the size of `right`, the documents that their neighbours classify
    correctly.

    A document is not its own neighbour. It is classified correctly if the class with the best score is one of its own.
    """
    groups = np.arange(index.starts.size - 1).astype(np.int32)
    room = workspace(index, right.size)
    scores = np.zeros(n_classes)
    for document in range(first, last):
        own = slice(index.starts[document], index.starts[document + 1])
        values = index.values[own].astype(np.float64)
        size = search(index, index.columns[own], values, groups, document, False, room)
        best = most_frequent
        for place in range(right.size):
            if place < size:
                neighbour = room.documents[place]
                if place == 0:
                    best = classes[class_starts[neighbour]]
                for pair in range(class_starts[neighbour], class_starts[neighbour + 1]):
                    one = classes[pair]
                    scores[one] += room.cosines[place] if weighted else 1.0
                    if scores[one] > scores[best] or (scores[one] == scores[best] and one < best):
                        best = one
            for pair in range(class_starts[document], class_starts[document + 1]):
                right[place] += classes[pair] == best
        for neighbour in room.documents[:size]:
            for pair in range(class_starts[neighbour], class_starts[neighbour + 1]):
                scores[classes[pair]] = 0.0
