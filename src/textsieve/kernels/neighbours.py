"""Find the documents nearest to a query by cosine, exactly, without computing most of the products.

All rows have length 1, so a cosine is the sum of products over the shared terms. For the rare terms of the query, the
products are added up posting by posting, in an array with an entry for each document. Terms that more than a fifth of
the documents contain would cost many additions and contribute little, so their sum is only bounded: by the
Cauchy-Schwarz inequality, it is at most (norm of the query's frequent part) x (norm of the document's frequent part).
The cosines of the k documents with the largest sums over rare terms are computed in full. The k best documents have at
least the lowest of these cosines. So of the other documents, only the few whose bound (sum over rare terms + bound for
frequent terms) reaches this lowest cosine are computed in full.

Final comparisons always use full sums, added in the order of the terms. So equal documents have equal cosines, the
result is the same as that of computing all cosines, and of equally near documents those with lower numbers come first.

A document takes part in a search unless its group is -1 (it was removed) or the query's *own group*. If each document
is a group of its own, no document finds itself; if the groups are the classes, each document finds its nearest enemy,
the nearest document of another class.

Queries are CSR rows (`indices`, `data`, `indptr`); all weights of queries are float64, those of documents float32.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Bytes, Floats, Int32s, Ints
from .jit import kernel

Weights = NDArray[np.float32]
Integer = int | np.signedinteger[Any]

SHARE = 5
"""A term is frequent if more than 1 / SHARE of the documents contain it."""

_SLACK = 1e-9  # added to bounds; far more than the rounding error of a cosine
_0, _1 = np.uint64(0), np.uint64(1)


class Index(NamedTuple):
    """Documents of length 1 as CSC arrays (the postings of each term), as CSR arrays, and the norms for the bounds."""

    term_indptr: Ints  # (n_terms + 1,)
    documents: Int32s  # of each posting, ascending within a term
    weights: Weights  # of each posting
    indptr: Ints  # (n_documents + 1,)
    indices: Int32s  # terms, ascending within a document
    data: Weights
    is_frequent: Bytes  # (n_terms,) 1 for frequent terms
    frequent_norms: Floats  # (n_documents,) the norm of each document over its frequent terms


class Workspace(NamedTuple):
    """The arrays with which a thread searches for k documents. Between searches, `sums` and `query` are 0."""

    sums: Floats  # (n_documents,) the products with the query that are added up so far
    query: Floats  # (n_terms,) the query as a dense vector
    cosines: Floats  # (k,) a heap of the best cosines, then sorted
    documents: Int32s  # (k,) their documents


@kernel
def workspace(index: Index, k: int) -> Workspace:
    """Allocate the arrays for searches of up to k documents."""
    return Workspace(
        np.zeros(index.indptr.size - 1), np.zeros(index.is_frequent.size), np.empty(k), np.empty(k, np.int32)
    )


@kernel
def rows_from_postings(term_indptr: Ints, documents: Int32s, weights: Weights, indptr: Ints) -> tuple[Int32s, Weights]:
    """Return the CSR arrays `indices` and `data` of postings (CSC arrays); `indptr` is given."""
    indices, data = np.empty(documents.size, np.int32), np.empty(documents.size, np.float32)
    next_positions = indptr[:-1].copy()
    for term in range(term_indptr.size - 1):
        for posting in range(term_indptr[term], term_indptr[term + 1]):
            document = documents[posting]
            indices[next_positions[document]] = term
            data[next_positions[document]] = weights[posting]
            next_positions[document] += 1
    return indices, data


@kernel
def norms_over(indptr: Ints, indices: Int32s, data: Weights, is_selected: Bytes) -> Floats:
    """Return the norm of each CSR row over the selected terms."""
    norms = np.zeros(indptr.size - 1)
    for row in range(norms.size):
        for position in range(indptr[row], indptr[row + 1]):
            if is_selected[indices[position]]:
                norms[row] += np.float64(data[position]) * np.float64(data[position])
    return np.sqrt(norms)


# -- the best documents so far, as a binary heap with the worst of them on top -------------------------------------


@kernel
def is_nearer(cosine: float, document: Integer, other_cosine: float, other: Integer) -> bool:
    """Return whether a document comes before another one among neighbours."""
    return bool(cosine > other_cosine or (cosine == other_cosine and document < other))


@kernel
def sift_down(cosines: Floats, documents: Int32s, size: int, cosine: float, document: Integer) -> None:
    """Replace the top of the heap, the worst document, by another one; move that down until its children are nearer."""
    node = 0
    while 2 * node + 1 < size:
        child = 2 * node + 1
        if child + 1 < size and is_nearer(cosines[child], documents[child], cosines[child + 1], documents[child + 1]):
            child += 1
        if not is_nearer(cosine, document, cosines[child], documents[child]):
            break
        cosines[node], documents[node] = cosines[child], documents[child]
        node = child
    cosines[node], documents[node] = cosine, document


@kernel
def push_best(cosines: Floats, documents: Int32s, size: int, cosine: float, document: Integer) -> int:
    """Add a document to the heap if there is room or it is nearer than the worst; return the size of the heap."""
    if size == cosines.size:
        if is_nearer(cosine, document, cosines[0], documents[0]):
            sift_down(cosines, documents, size, cosine, document)
        return size
    node = size  # the new document moves up from the end, past parents that are nearer than it
    while node > 0 and is_nearer(cosines[(node - 1) // 2], documents[(node - 1) // 2], cosine, document):
        cosines[node], documents[node] = cosines[(node - 1) // 2], documents[(node - 1) // 2]
        node = (node - 1) // 2
    cosines[node], documents[node] = cosine, document
    return size + 1


@kernel
def sort_best(cosines: Floats, documents: Int32s, size: int) -> None:
    """Sort the heap in place, nearest first (heapsort)."""
    for last in range(size - 1, 0, -1):
        cosine, document = cosines[last], documents[last]
        cosines[last], documents[last] = cosines[0], documents[0]
        sift_down(cosines, documents, last, cosine, document)


# -- one search ----------------------------------------------------------------------------------------------------


@kernel
def full_cosine(index: Index, query: Floats, document: Integer) -> float:
    """Return the cosine of a document with the query: all products, added in the order of the terms."""
    total = 0.0
    for position in range(np.uint64(index.indptr[document]), np.uint64(index.indptr[document + 1])):
        total += query[np.uint64(index.indices[position])] * np.float64(index.data[position])
    return total


@kernel
def add_rare_terms(index: Index, indices: Int32s, data: Floats, work: Workspace) -> float:
    """Write the query to `work.query`, and add the products of its rare terms to `work.sums`.

    Returns the norm of the query over its frequent terms, or -1 if it has none.
    """
    sums, query = work.sums, work.query
    squares, has_frequent = 0.0, False
    for position in range(indices.size):
        term, value = np.uint64(indices[position]), data[position]
        query[term] = value
        if index.is_frequent[term]:
            squares += value * value
            has_frequent = has_frequent or value != 0.0
        else:
            for posting in range(np.uint64(index.term_indptr[term]), np.uint64(index.term_indptr[term + _1])):
                sums[np.uint64(index.documents[posting])] += value * np.float64(index.weights[posting])
    return np.sqrt(squares) if has_frequent else -1.0


@kernel
def find_by_sums(index: Index, indices: Int32s, groups: Int32s, own_group: int, work: Workspace) -> int:
    """Write the best documents for a query without frequent terms to the heap of `work`; return how many there are.

    The sums over rare terms are the cosines then. They are reset to 0, so each document counts once.
    """
    size = 0
    for position in range(indices.size):
        term = np.uint64(indices[position])
        if index.is_frequent[term]:
            continue  # its weight in the query is 0
        for posting in range(np.uint64(index.term_indptr[term]), np.uint64(index.term_indptr[term + _1])):
            document = np.uint64(index.documents[posting])
            cosine, work.sums[document] = work.sums[document], 0.0
            if cosine > 0.0 and groups[document] >= 0 and groups[document] != own_group:
                size = push_best(work.cosines, work.documents, size, cosine, np.int64(document))
    return size


@kernel
def add_bounds(sums: Floats, query_norm: float, frequent_norms: Floats) -> None:
    """Add to each sum the largest possible contribution of frequent terms.

    `query_norm` is the norm of the query over frequent terms, `frequent_norms` (n_documents,) that of each document.
    """
    for document in range(np.uint64(sums.size)):
        sums[document] += query_norm * frequent_norms[document] + _SLACK


@kernel
def find_by_bounds(index: Index, query_norm: float, groups: Int32s, own_group: int, work: Workspace) -> int:
    """Write the best documents for a query with frequent terms to the heap of `work`; return how many there are.

    `query_norm` is the norm of the query over frequent terms; `work.sums` has the sums over rare terms. First, the
    cosines of the k documents with the largest sums are computed in full. Then each other document is computed in full
    if its bound is at least the lowest of the k best cosines so far. At the end, the sums are reset to 0.
    """
    sums, cosines, documents, k = work.sums, work.cosines, work.documents, work.cosines.size
    n_first, least = 0, 0.0  # a document must exceed `least` to be among the first k; `cosines[0]` is the worst of them
    for document in range(np.uint64(sums.size)):
        if sums[document] > least and groups[document] >= 0 and groups[document] != own_group:
            n_first = push_best(cosines, documents, n_first, sums[document], np.int64(document))
            if n_first == k:
                least = cosines[0]
    add_bounds(sums, query_norm, index.frequent_norms)
    size = 0
    for position in range(n_first):
        # The heap of full cosines is built in the same arrays; it overwrites only positions that have been read.
        document_number = np.int64(documents[position])
        sums[document_number] = -1.0  # so that it is not computed again below
        cosine = full_cosine(index, work.query, document_number)
        if cosine > 0.0:
            size = push_best(cosines, documents, size, cosine, document_number)
    least = cosines[0] if size == k else 0.0
    for document in range(np.uint64(sums.size)):
        if sums[document] >= least and groups[document] >= 0 and groups[document] != own_group:
            cosine = full_cosine(index, work.query, np.int64(document))
            if cosine > 0.0:
                size = push_best(cosines, documents, size, cosine, np.int64(document))
                if size == k:
                    least = cosines[0]
    sums[:] = 0.0
    return size


@kernel
def find_among_all(index: Index, groups: Int32s, own_group: int, work: Workspace) -> int:
    """Write the best of all documents, even with a cosine of 0 or less, to the heap of `work`; return how many."""
    size = 0
    for document in range(work.sums.size):
        if groups[document] >= 0 and groups[document] != own_group:
            cosine = full_cosine(index, work.query, document)
            size = push_best(work.cosines, work.documents, size, cosine, document)
    return size


@kernel
def search(
    index: Index, indices: Int32s, data: Floats, groups: Int32s, own_group: int, everyone: bool, work: Workspace
) -> int:
    """Write the documents nearest to a query and their cosines to `work`, nearest first; return how many there are.

    Documents whose cosine is 0 or less are left out, unless `everyone` is set. Documents of the group `own_group` are
    skipped.
    """
    query_norm = add_rare_terms(index, indices, data, work)
    if query_norm >= 0.0:
        size = find_by_bounds(index, query_norm, groups, own_group, work)
    else:  # the query has no frequent terms, so the sums over rare terms are the cosines
        size = find_by_sums(index, indices, groups, own_group, work)
    if everyone and size < work.cosines.size:  # fewer than k have a cosine above 0: start again with all
        size = find_among_all(index, groups, own_group, work)
    for position in range(indices.size):  # reset the query for the next search
        work.query[np.uint64(indices[position])] = 0.0
    sort_best(work.cosines, work.documents, size)
    return size


# -- many searches -------------------------------------------------------------------------------------------------


@kernel
def nearest(
    index: Index,
    indices: Int32s,
    data: Floats,
    indptr: Ints,
    own_groups: Int32s,
    groups: Int32s,
    everyone: bool,
    documents: Int32s,
    cosines: Floats,
) -> None:
    """Write the documents nearest to each query to `documents`, and their cosines to `cosines`, both (n_queries, k).

    If a query has fewer than k neighbours, -1 and a cosine of 0 follow them.

    `own_groups` (n_queries,) and `groups` (n_documents,) say which documents take part. `indptr` may be a slice of the
    `indptr` of a matrix. See `search` for `everyone`.
    """
    work = workspace(index, documents.shape[1])
    documents[:] = -1
    cosines[:] = 0.0
    for row in range(indptr.size - 1):
        query = slice(indptr[row], indptr[row + 1])
        size = search(index, indices[query], data[query], groups, own_groups[row], everyone, work)
        documents[row, :size] = work.documents[:size]
        cosines[row, :size] = work.cosines[:size]


class Ballot(NamedTuple):
    """The arrays with which a thread counts votes. Between counts, `positions` and `slots` are -1 and `sums` are 0.

    A slot is the number of a class among the classes of the neighbours.
    """

    positions: Int32s  # (n_terms,) the position of each term among the query's values, or -1
    slots: Int32s  # (n_classes,) the slot of each class, or -1
    slot_classes: Int32s  # (max_slots,) the class of each slot
    sums: Floats  # (max_values, max_slots) the sum of each query term's weights in the neighbours of the slot's class


@kernel
def ballot(n_terms: int, n_classes: int, max_values: int, max_slots: int) -> Ballot:
    """Allocate the arrays for votes."""
    return Ballot(
        np.full(n_terms, -1, np.int32),
        np.full(n_classes, -1, np.int32),
        np.empty(max_slots, np.int32),
        np.zeros((max_values, max_slots)),
    )


@kernel
def add_votes(
    index: Index,
    indices: Int32s,
    data: Floats,
    neighbours: Int32s,
    class_starts: Ints,
    classes: Int32s,
    tally: Ballot,
    scores: Floats,
) -> None:
    """Add the cosine of each neighbour with the query to the scores (n_classes,) of the neighbour's classes.

    The cosines are not added one by one. Instead, for each class and term of the query, the weights of the term in the
    neighbours of the class are added up, and the sum is multiplied by the query's weight. Explanations show these
    products as the contributions of the terms, so contributions add up to the scores. `neighbours` must ascend, so that
    sums are added in the same order as in `CosineKNN`'s scorer without kernels. The classes of document d are
    `classes[class_starts[d] : class_starts[d + 1]]`.
    """
    for position in range(indices.size):
        tally.positions[np.uint64(indices[position])] = position
    n_slots = 0
    for neighbour in neighbours:
        for pair in range(class_starts[neighbour], class_starts[neighbour + 1]):
            if tally.slots[classes[pair]] < 0:  # the first neighbour of this class
                tally.slots[classes[pair]] = n_slots
                tally.slot_classes[n_slots] = classes[pair]
                n_slots += 1
            slot = tally.slots[classes[pair]]
            for position in range(np.uint64(index.indptr[neighbour]), np.uint64(index.indptr[neighbour + 1])):
                query_position = tally.positions[np.uint64(index.indices[position])]
                if query_position >= 0:
                    tally.sums[query_position, slot] += np.float64(index.data[position])
    for position in range(indices.size):
        tally.positions[np.uint64(indices[position])] = -1
        for slot in range(n_slots):
            scores[tally.slot_classes[slot]] += data[position] * tally.sums[position, slot]
            tally.sums[position, slot] = 0.0
    for slot in range(n_slots):
        tally.slots[tally.slot_classes[slot]] = -1


@kernel
def vote(
    index: Index,
    indices: Int32s,
    data: Floats,
    indptr: Ints,
    class_starts: Ints,
    classes: Int32s,
    k: int,
    weighted: bool,
    scores: Floats,
) -> None:
    """Write the scores (n_rows, n_classes) of CSR rows: the votes of the k nearest documents for their classes.

    A vote is the cosine if `weighted`, otherwise 1. See `add_votes` for `class_starts` and `classes`.
    """
    groups = np.zeros(index.indptr.size - 1, np.int32)
    work = workspace(index, k)
    n_classes = scores.shape[1]
    max_labels = np.diff(class_starts).max()
    # Room for the longest query, and for all classes that k neighbours can have.
    tally = ballot(index.is_frequent.size, n_classes, np.diff(indptr).max(), min(n_classes, k * max_labels))
    scores[:] = 0.0
    for row in range(indptr.size - 1):
        query = slice(indptr[row], indptr[row + 1])
        # -1: the query has no group of its own; False: only cosines above 0.
        size = search(index, indices[query], data[query], groups, -1, False, work)
        neighbours = work.documents[:size]
        if weighted:
            neighbours.sort()  # by number, as `add_votes` requires
            add_votes(index, indices[query], data[query], neighbours, class_starts, classes, tally, scores[row])
        else:
            for neighbour in neighbours:
                for pair in range(class_starts[neighbour], class_starts[neighbour + 1]):
                    scores[row, classes[pair]] += 1.0


@kernel
def count_correct(
    index: Index,
    first: int,
    last: int,
    class_starts: Ints,
    classes: Int32s,
    n_classes: int,
    most_frequent: int,
    weighted: bool,
    n_correct: Ints,
) -> None:
    """Count, for each number of neighbours from 1 to `n_correct.size`, the documents that it classifies correctly.

    Only the documents from `first` to before `last` are classified. A document is not its own neighbour. It gets the
    class with the largest score (the first of equal ones), or the class `most_frequent` if it has no neighbours. This
    is correct if the document has that class. The counts are added to `n_correct`: element i is for i + 1 neighbours.
    """
    groups = np.arange(index.indptr.size - 1).astype(np.int32)
    work = workspace(index, n_correct.size)
    scores = np.zeros(n_classes)
    for document in range(first, last):
        row = slice(index.indptr[document], index.indptr[document + 1])
        values = index.data[row].astype(np.float64)
        # `document` is its own group, so it does not find itself; False: only cosines above 0.
        size = search(index, index.indices[row], values, groups, document, False, work)
        best = most_frequent
        for n_before in range(n_correct.size):  # add neighbours one by one: `n_before` have voted before
            if n_before < size:
                neighbour = work.documents[n_before]
                if n_before == 0:  # the fallback `most_frequent` got no vote: start from a class that gets one
                    best = classes[class_starts[neighbour]]
                # Scores only grow, so only a class whose score grows now can become the best.
                for pair in range(class_starts[neighbour], class_starts[neighbour + 1]):
                    label = classes[pair]
                    scores[label] += work.cosines[n_before] if weighted else 1.0
                    if scores[label] > scores[best] or (scores[label] == scores[best] and label < best):
                        best = label
            for pair in range(class_starts[document], class_starts[document + 1]):
                n_correct[n_before] += classes[pair] == best
        for neighbour in work.documents[:size]:
            for pair in range(class_starts[neighbour], class_starts[neighbour + 1]):
                scores[classes[pair]] = 0.0
