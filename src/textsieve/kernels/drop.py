"""Dropping documents one after the other, each only if its associates are judged no worse without it.

Every document has its k + 1 nearest neighbours among those still kept, the nearest first; its associates are the
documents that have it among theirs. A place of a document among its neighbours is a slot, and the slots in which the
same neighbour stands are linked in both directions, so that neighbours come and go without any list being copied. The
next neighbour comes from a longer list that was made beforehand; where that is used up, the document is searched for
anew among those still kept.

A document is judged by its first k neighbours: the class that most of them have; of equals, the one that is met first
from the nearest outwards. One that has no neighbour is judged wrong.
"""

from typing import NamedTuple

import numpy as np

from .jit import Bytes, Ints, kernel
from .neighbours import Index, Numbers, Workspace, search, workspace


class State(NamedTuple):
    """Who is kept, and who is near whom."""

    labels: Numbers
    groups: Numbers  # the document's own number; -1 once it is dropped
    lists: Numbers  # documents x so many: the nearest of those that were kept when the list was made
    ends: Numbers  # how many are in the list
    complete: Bytes  # whether all are in the list that could be
    cursors: Numbers  # how many of the list were looked at
    near: Numbers  # documents x (k + 1): the neighbours
    n_near: Numbers
    heads: Ints  # the first slot in which a document stands; -1: none
    nexts: Ints  # the slot after a slot
    befores: Ints  # the slot before a slot


@kernel
def link(state: State, slot: int, neighbour: int) -> None:
    """Note that a neighbour stands in a slot."""
    head = state.heads[neighbour]
    state.nexts[slot], state.befores[slot] = head, -1
    if head >= 0:
        state.befores[head] = slot
    state.heads[neighbour] = slot


@kernel
def unlink(state: State, slot: int, neighbour: int) -> None:
    """Note that a neighbour no longer stands in a slot."""
    before, after = state.befores[slot], state.nexts[slot]
    if before >= 0:
        state.nexts[before] = after
    else:
        state.heads[neighbour] = after
    if after >= 0:
        state.befores[after] = before


@kernel
def refill(index: Index, state: State, document: int, room: Workspace) -> None:
    """Make a new list of the documents nearest to a document; its neighbours are the first of it."""
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
    """Whether a document's neighbours judge it right, if one of them were gone (-1: none)."""
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
    """Which documents their neighbours judge wrong."""
    wrong = np.empty(state.labels.size, np.uint8)
    for document in range(wrong.size):
        wrong[document] = not is_right(state, document, -1)
    return wrong


@kernel
def can_go(state: State, document: int) -> bool:
    """Whether at least as many of a document's associates are judged right without it as with it."""
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
    """Drop a document; who had it as a neighbour takes the next. If it leaves, it is nobody's associate any more."""
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
    """Visit documents in an order, and drop those that can go, or all of them; gives how many went."""
    room = workspace(index, state.lists.shape[1])
    n_dropped = 0
    for document in order:
        if state.groups[document] >= 0 and (unconditional or can_go(state, document)):
            drop(index, state, document, leave, room)
            n_dropped += 1
    return n_dropped
