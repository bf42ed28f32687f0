"""Drop documents one after the other if their associates are classified no worse without them.

Each document has its k + 1 nearest neighbours among the kept documents, nearest first. Its associates are the documents
that have it among their neighbours. The position of a neighbour in a document's list is a slot, and the slots that
contain the same neighbour form a doubly linked list, so neighbours change without copying. The next neighbour comes
from a longer list that was computed beforehand; when that is used up, the kept documents are searched again.

A document is classified by its first k neighbours: it gets the most frequent class, and of equally frequent ones the
class that occurs first, starting from the nearest. A document without neighbours counts as wrongly classified.
"""

from typing import NamedTuple

import numpy as np

from ..arrays import Bytes, Int32s, Ints
from .jit import kernel
from .neighbours import Index, Workspace, search, workspace


class State(NamedTuple):
    """Which documents are kept, and the neighbours of each."""

    labels: Int32s
    groups: Int32s  # the document's own number; -1 once it is dropped
    lists: Int32s  # documents x so many: the nearest of those that were kept when the list was made
    ends: Int32s  # how many are in the list
    complete: Bytes  # whether all are in the list that could be
    cursors: Int32s  # how many of the list were looked at
    near: Int32s  # documents x (k + 1): the neighbours
    n_near: Int32s
    heads: Ints  # the first slot in which a document stands; -1: none
    nexts: Ints  # the slot after a slot
    befores: Ints  # the slot before a slot


@kernel
def link(state: State, slot: int, neighbour: int) -> None:
    """Record that a neighbour occupies a slot."""
    head = state.heads[neighbour]
    state.nexts[slot], state.befores[slot] = head, -1
    if head >= 0:
        state.befores[head] = slot
    state.heads[neighbour] = slot


@kernel
def unlink(state: State, slot: int, neighbour: int) -> None:
    """Record that a neighbour no longer occupies a slot."""
    before, after = state.befores[slot], state.nexts[slot]
    if before >= 0:
        state.nexts[before] = after
    else:
        state.heads[neighbour] = after
    if after >= 0:
        state.befores[after] = before


@kernel
def refill(index: Index, state: State, document: int, room: Workspace) -> None:
    """Search for the documents nearest to a document anew; its neighbours are the first of them."""
    own = slice(index.starts[document], index.starts[document + 1])
    values = index.values[own].astype(np.float64)
    size = search(index, index.columns[own], values, state.groups, document, False, room)
    state.lists[document, :size] = room.documents[:size]
    state.ends[document] = size
    state.complete[document] = size < room.documents.size
    state.cursors[document] = state.n_near[document]


@kernel
def take_next(index: Index, state: State, document: int, room: Workspace) -> None:
    """Give a document its next neighbour, if there is one."""
    while True:
        if state.cursors[document] == state.ends[document]:
            if state.complete[document]:
                return
            refill(index, state, document, room)
            continue
        neighbour = state.lists[document, state.cursors[document]]
        state.cursors[document] += 1
        if state.groups[neighbour] >= 0:
            place = state.n_near[document]
            state.near[document, place] = neighbour
            state.n_near[document] = place + 1
            link(state, document * state.near.shape[1] + place, neighbour)
            return


@kernel
def settle(index: Index, state: State) -> None:
    """Give each document its first neighbours."""
    room = workspace(index, state.lists.shape[1])
    for document in range(state.labels.size):
        for _ in range(state.near.shape[1]):
            take_next(index, state, document, room)


@kernel
def is_right(state: State, document: int, without: int) -> bool:
    """Return whether its neighbours classify a document correctly, optionally without one of them (-1: with all)."""
    near, labels = state.near[document], state.labels
    k = near.size - 1
    end, n_voters = 0, 0
    while end < state.n_near[document] and n_voters < k:
        n_voters += near[end] != without
        end += 1
    judged, most = -1, 0
    for place in range(end):
        if near[place] != without:
            label = labels[near[place]]
            votes = 0
            for other in range(end):
                votes += near[other] != without and labels[near[other]] == label
            if votes > most:
                judged, most = label, votes
    return bool(judged == labels[document])


@kernel
def misjudged(state: State) -> Bytes:
    """Return which documents their neighbours classify wrongly."""
    wrong = np.empty(state.labels.size, np.uint8)
    for document in range(wrong.size):
        wrong[document] = not is_right(state, document, -1)
    return wrong


@kernel
def can_go(state: State, document: int) -> bool:
    """Return whether at least as many of a document's associates are classified correctly without it as with it."""
    gain = 0
    slot = state.heads[document]
    while slot >= 0:
        associate = slot // state.near.shape[1]
        gain += is_right(state, associate, document)
        gain -= is_right(state, associate, -1)
        slot = state.nexts[slot]
    return gain >= 0


@kernel
def drop(index: Index, state: State, document: int, leaves: bool, room: Workspace) -> None:
    """Drop a document; documents with it as a neighbour get their next one. If it leaves, it is no longer an
    associate.
    """
    width = state.near.shape[1]
    state.groups[document] = -1
    while state.heads[document] >= 0:
        slot = state.heads[document]
        associate = slot // width
        near = state.near[associate]
        unlink(state, slot, document)
        last = state.n_near[associate] - 1
        for place in range(slot - associate * width, last):  # those behind it move up
            unlink(state, associate * width + place + 1, near[place + 1])
            near[place] = near[place + 1]
            link(state, associate * width + place, near[place])
        state.n_near[associate] = last
        take_next(index, state, associate, room)
    if leaves:
        for place in range(state.n_near[document]):
            unlink(state, document * width + place, state.near[document, place])
        state.n_near[document] = 0


@kernel
def sweep(index: Index, state: State, order: Ints, unconditional: bool, leave: bool) -> int:
    """Visit documents in an order and drop those that can go, or all of them; return how many were dropped."""
    room = workspace(index, state.lists.shape[1])
    n_dropped = 0
    for document in order:
        if state.groups[document] >= 0 and (unconditional or can_go(state, document)):
            drop(index, state, document, leave, room)
            n_dropped += 1
    return n_dropped
