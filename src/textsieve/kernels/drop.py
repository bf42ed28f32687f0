"""Drop documents one after the other if their associates are classified no worse without them (Wilson and Martinez).

Each document has up to k + 1 nearest neighbours among the documents that have not been dropped, nearest first. Its
*associates* are the documents that have it among their neighbours. A *slot* is a position in the array of all
neighbours: slot d x (k + 1) + i holds neighbour i of document d. The slots that hold the same neighbour form a doubly
linked list, so that the associates of a document are found without a search.

When a document is dropped, each of its associates needs another neighbour. The associate takes the next document in
its own *waiting list*, a longer list of near documents from an earlier search. When the list is used up, the index is
searched again.

A document is classified by its first k neighbours: it gets the most frequent class, and of equally frequent ones the
class that occurs first, starting from the nearest. A document without neighbours counts as wrongly classified.
"""

from typing import NamedTuple

import numpy as np

from ..arrays import Bytes, Int32s, Ints
from .jit import kernel
from .neighbours import Index, Workspace, search, workspace


class State(NamedTuple):
    """Which documents have been dropped, and the neighbours of each document."""

    labels: Int32s  # (n_documents,)
    groups: Int32s  # (n_documents,) the document's number, or -1 once it is dropped; see `kernels.neighbours`
    waiting: Int32s  # (n_documents, length) waiting lists: the documents that were nearest at the last search
    n_waiting: Int32s  # (n_documents,) the length of each waiting list
    complete: Bytes  # (n_documents,) 1 if the waiting list has all documents with a cosine above 0
    cursors: Int32s  # (n_documents,) how much of the waiting list is used up
    near: Int32s  # (n_documents, k + 1) the neighbours, nearest first
    n_near: Int32s  # (n_documents,) the number of neighbours
    heads: Ints  # (n_documents,) the first slot that holds the document, or -1
    nexts: Ints  # (n_slots,) the next slot that holds the same neighbour, or -1
    previous: Ints  # (n_slots,) the previous slot that holds the same neighbour, or -1


@kernel
def link(state: State, slot: int, neighbour: int) -> None:
    """Insert a slot at the front of the linked list of slots that hold a neighbour."""
    next_slot = state.heads[neighbour]
    state.nexts[slot], state.previous[slot] = next_slot, -1
    if next_slot >= 0:
        state.previous[next_slot] = slot
    state.heads[neighbour] = slot


@kernel
def unlink(state: State, slot: int, neighbour: int) -> None:
    """Remove a slot from the linked list of slots that hold a neighbour."""
    previous_slot, next_slot = state.previous[slot], state.nexts[slot]
    if previous_slot >= 0:
        state.nexts[previous_slot] = next_slot
    else:
        state.heads[neighbour] = next_slot
    if next_slot >= 0:
        state.previous[next_slot] = previous_slot


@kernel
def refill(index: Index, state: State, document: int, work: Workspace) -> None:
    """Search again for the documents nearest to a document, and replace its waiting list by the result.

    The new list begins with the present neighbours of the document, since these are the nearest ones that have not been
    dropped. So that part of the list counts as used up.
    """
    row = slice(index.indptr[document], index.indptr[document + 1])
    values = index.data[row].astype(np.float64)
    # `document` is its own group, so it does not find itself; False: only cosines above 0.
    size = search(index, index.indices[row], values, state.groups, document, False, work)
    state.waiting[document, :size] = work.documents[:size]
    state.n_waiting[document] = size
    state.complete[document] = size < work.documents.size  # the search found fewer than it could return
    state.cursors[document] = state.n_near[document]


@kernel
def add_next_neighbour(index: Index, state: State, document: int, work: Workspace) -> None:
    """Append the next neighbour of a document from its waiting list, if there is one.

    Dropped documents in the list are skipped.
    """
    while True:
        if state.cursors[document] == state.n_waiting[document]:
            if state.complete[document]:
                return
            refill(index, state, document, work)
            continue
        neighbour = state.waiting[document, state.cursors[document]]
        state.cursors[document] += 1
        if state.groups[neighbour] >= 0:  # it has not been dropped
            n_near = state.n_near[document]
            state.near[document, n_near] = neighbour
            state.n_near[document] = n_near + 1
            link(state, document * state.near.shape[1] + n_near, neighbour)
            return


@kernel
def add_first_neighbours(index: Index, state: State) -> None:
    """Give each document its first k + 1 neighbours."""
    work = workspace(index, state.waiting.shape[1])
    for document in range(state.labels.size):
        for _ in range(state.near.shape[1]):
            add_next_neighbour(index, state, document, work)


@kernel
def is_correct(state: State, document: int, without: int) -> bool:
    """Return whether a document is classified correctly by its first k neighbours other than `without` (-1: none).

    It has up to k + 1 neighbours, so that k can vote even if one is left out. Votes are counted by comparing all pairs
    of neighbours, since k is small.
    """
    near, labels = state.near[document], state.labels
    k = near.size - 1
    end, n_voters = 0, 0  # the voters are the first `end` neighbours other than `without`
    while end < state.n_near[document] and n_voters < k:
        n_voters += near[end] != without
        end += 1
    predicted, most_votes = -1, 0  # -1 equals no label, so without voters the result is False
    for position in range(end):
        if near[position] != without:
            label = labels[near[position]]
            votes = 0
            for other_position in range(end):
                votes += near[other_position] != without and labels[near[other_position]] == label
            if votes > most_votes:  # of equally frequent labels, the first one stays
                predicted, most_votes = label, votes
    return bool(predicted == labels[document])


@kernel
def misclassified(state: State) -> Bytes:
    """Return for each document 1 if its neighbours classify it wrongly, otherwise 0."""
    is_wrong = np.empty(state.labels.size, np.uint8)
    for document in range(is_wrong.size):
        is_wrong[document] = not is_correct(state, document, -1)  # -1: leave out no neighbour
    return is_wrong


@kernel
def is_droppable(state: State, document: int) -> bool:
    """Return whether a document may be dropped: as many of its associates, or more, are then classified correctly.

    Its associates are the documents that have it among their neighbours.
    """
    gain = 0  # correct without it, minus correct with it
    slot = state.heads[document]
    while slot >= 0:
        associate = slot // state.near.shape[1]
        gain += is_correct(state, associate, document)
        gain -= is_correct(state, associate, -1)  # -1: leave out no neighbour
        slot = state.nexts[slot]
    return gain >= 0


@kernel
def drop(index: Index, state: State, document: int, leaves_associates: bool, work: Workspace) -> None:
    """Drop a document; each document that had it as a neighbour gets its next nearest one instead.

    With `leaves_associates`, the dropped document also stops being an associate of its own neighbours.
    """
    width = state.near.shape[1]
    state.groups[document] = -1  # from here on, searches and waiting lists skip it
    while state.heads[document] >= 0:  # each round unlinks one slot that holds the document
        slot = state.heads[document]
        associate = slot // width
        near = state.near[associate]
        unlink(state, slot, document)
        last = state.n_near[associate] - 1
        # `slot - associate * width` is the dropped document's position among the associate's neighbours.
        for position in range(slot - associate * width, last):  # farther neighbours move up
            unlink(state, associate * width + position + 1, near[position + 1])
            near[position] = near[position + 1]
            link(state, associate * width + position, near[position])
        state.n_near[associate] = last
        add_next_neighbour(index, state, associate, work)
    if leaves_associates:
        for position in range(state.n_near[document]):
            unlink(state, document * width + position, state.near[document, position])
        state.n_near[document] = 0


@kernel
def sweep(index: Index, state: State, order: Ints, unconditional: bool, leaves_associates: bool) -> int:
    """Visit documents in the given order and drop those that are droppable, or with `unconditional` all of them.

    Returns the number of dropped documents. See `drop` for `leaves_associates`.
    """
    work = workspace(index, state.waiting.shape[1])
    n_dropped = 0
    for document in order:
        if state.groups[document] >= 0 and (unconditional or is_droppable(state, document)):
            drop(index, state, document, leaves_associates, work)
            n_dropped += 1
    return n_dropped
