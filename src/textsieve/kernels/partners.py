"""Which terms occur with which: counted per class, listed for each term, and looked up for the terms of a document.

Counting goes term by term: the documents of a term, class by class, are walked through, and all their terms counted in
one array with a number for each term. So it takes as long as there are pairs of terms in the documents, and memory for
a few numbers for each term. No table of all pairs is made: the first pass only says how long the lists will be and
which pairs of numbers (co, cf) occur, the second counts again and writes the lists.

A code stands for a pair of numbers: cf x stride + co, where stride is larger than any co.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .jit import Bytes, Floats, Ints, kernel
from .prefetch import prefetch

Numbers = NDArray[np.int32]

_0, _1, _16, _32 = np.uint64(0), np.uint64(1), np.uint64(16), np.uint64(32)
_LONG = np.uint64(200)
_NOWHERE = np.uint64((1 << 64) - 1)
_FEW = 32


class Documents(NamedTuple):
    """(document, class) pairs, by class; those that have each column; and the documents' rows.

    Here columns have other numbers: their places by how many pairs have them, the most frequent first. It is they that
    are counted most of the time, and so the numbers that are added to lie together.
    """

    column_starts: Ints
    pairs: Numbers  # that have each column, ascending
    classes: Numbers  # of each pair
    documents: Ints  # of each pair
    starts: Ints
    places: Numbers  # of the columns of each document
    values: NDArray[Any]
    columns: Numbers  # by their place
    place_of: Numbers  # each column


class Rule(NamedTuple):
    """Which partners are in the list of a term: those with `min_co`; if `once`, only in the list of the rarer term."""

    once: bool
    min_co: int
    stride: int


class Lists(NamedTuple):
    """The partners of each term, and for each partner the rank of its factor among all factors, which fall."""

    starts: Ints
    terms: NDArray[Any]
    ranks: NDArray[Any]
    factors: NDArray[np.float32]  # by rank; the last is 0


# -- documents to lists --------------------------------------------------------------------------------------------


class Scratch(NamedTuple):
    """Arrays with a number for each place, all 0 between two uses but for the last two."""

    in_class: Numbers
    co: Numbers
    cf: Numbers
    of_class: Numbers
    partners: Numbers


@kernel
def scratch(n_terms: int) -> Scratch:
    """Room for counting."""
    return Scratch(
        np.zeros(n_terms, np.int32),
        np.zeros(n_terms, np.int32),
        np.zeros(n_terms, np.int32),
        np.empty(n_terms + 1, np.int32),
        np.empty(n_terms + 1, np.int32),
    )


@kernel
def count_partners(column: int, given: Documents, room: Scratch) -> int:
    """Write the partners of a column, itself among them, and their `co` and `cf`; gives how many there are.

    The numbers have to be set to 0 again by who reads them.
    """
    in_class, co, cf, of_class, partners = room
    size = _0
    at, end = given.column_starts[column], given.column_starts[column + 1]
    while at < end:
        number = given.classes[given.pairs[at]]
        found = _0
        while at < end and given.classes[given.pairs[at]] == number:
            document = given.documents[given.pairs[at]]
            for stored in range(np.uint64(given.starts[document]), np.uint64(given.starts[document + 1])):
                if given.values[stored] != 0:
                    place = np.uint64(given.places[stored])
                    of_class[found] = place
                    found += np.uint64(in_class[place] == 0)  # no branch: the processor could not guess it
                    in_class[place] += 1
            at += 1
        for each in range(_0, found):
            place = np.uint64(of_class[each])
            partners[size] = place
            size += np.uint64(cf[place] == 0)
            co[place] = max(co[place], in_class[place])
            cf[place] += 1
            in_class[place] = 0
    return int(size)


@kernel
def is_listed(place: int, other: int, co: int, rule: Rule) -> bool:
    """Whether a partner is in the list of a term, both given by place."""
    return place != other and co >= rule.min_co and (not rule.once or other < place)


@kernel
def measure_partners(first: int, last: int, given: Documents, rule: Rule, used: Bytes, sizes: Ints) -> None:
    """For some columns: how many partners are in each list; and which codes occur, listed or not."""
    room = scratch(sizes.size)
    for column in range(first, last):
        place = given.place_of[column]
        for at in range(count_partners(column, given, room)):
            other = room.partners[at]
            co, cf = room.co[other], room.cf[other]
            if other != place:
                used[cf * rule.stride + co] = 1
            sizes[column] += is_listed(place, other, co, rule)
            room.co[other], room.cf[other] = 0, 0


@kernel
def sort_partners(room: Scratch, size: int) -> None:
    """Let partners ascend; if they are many, looking at all places is quicker than sorting."""
    if size * _FEW < room.cf.size:
        room.partners[:size].sort()
        return
    size = 0
    for place in range(room.cf.size):
        if room.cf[place] > 0:
            room.partners[size] = place
            size += 1


@kernel
def write_partners(
    first: int,
    last: int,
    given: Documents,
    rule: Rule,
    ranks: Numbers,
    n_ranks: int,
    list_starts: Ints,
    lists: NDArray[Any],
    n_runs: Ints,
    run_ends: Numbers,
    run_ranks: Numbers,
) -> int:
    """Write the lists of some columns, by the rank of the partners' codes; gives how many runs of one rank there are.

    Of equal rank, frequent terms come first: it is they that documents have. For each run its end within the list and
    its rank are written, and for each column how many it has.
    """
    room = scratch(n_runs.size)
    rank_of = np.empty(n_runs.size, np.int32)
    ends = np.empty(n_ranks, np.int64)
    run = 0
    for column in range(first, last):
        found = count_partners(column, given, room)
        sort_partners(room, found)
        size = 0
        ends[:] = 0
        for at in range(found):
            other = room.partners[at]
            co, cf = room.co[other], room.cf[other]
            if is_listed(given.place_of[column], other, co, rule):
                room.partners[size] = other
                rank_of[size] = ranks[cf * rule.stride + co]
                ends[rank_of[size]] += 1
                size += 1
            room.co[other], room.cf[other] = 0, 0
        end = 0
        for rank in range(n_ranks):
            begin, end = end, end + ends[rank]
            ends[rank] = begin
            if begin < end:
                run_ends[run], run_ranks[run] = end, rank
                n_runs[column] += 1
                run += 1
        own = lists[list_starts[column] : list_starts[column + 1]]
        for at in range(size):
            own[ends[rank_of[at]]] = given.columns[room.partners[at]]
            ends[rank_of[at]] += 1
    return run


# -- factors of the terms of documents -----------------------------------------------------------------------------


@kernel
def best_factors(
    columns: Numbers,
    values: Floats,
    starts: Ints,
    lists: Lists,
    slots: Numbers,
    table: NDArray[Any],
    factors: Floats,
) -> None:
    """Write for each value of the rows the largest factor that its term has with another of the row, or 0.

    A list is walked through until a term of the row comes. The longest lists have little else than rare terms at first;
    for them a row of `table` has the rank of the factor with each term, and is used unless the row itself is long.
    """
    n_terms = slots.size
    none = np.uint64(lists.factors.size - 1)
    mark = np.zeros(n_terms, np.uint8)
    there, found = np.empty(n_terms, np.uint64), np.empty(n_terms, np.uint64)
    for row in range(starts.size - 1):
        begin, end = np.uint64(starts[row]), np.uint64(starts[row + 1])
        n_slots = table.shape[0] if end - begin <= _LONG else 0
        size = _0
        for at in range(begin, end):
            term = np.uint64(columns[at])
            if values[at] != 0:
                there[size] = term
                size += _1
                mark[term] = 1
            if slots[term] >= n_slots:  # 32 numbers come at a time; half of the lists are walked through no farther
                for step in range(4):
                    prefetch(lists.terms, np.uint64(lists.starts[term]) + np.uint64(step) * _32)
        for at in range(begin, end):
            term = np.uint64(columns[at])
            factors[at] = 0.0
            found[at - begin] = _NOWHERE
            if slots[term] < n_slots:
                rank_of = table[np.uint64(slots[term])]
                rank = none
                for each in range(_0, size):
                    rank = min(rank, np.uint64(rank_of[there[each]]))
                factors[at] = lists.factors[rank]
                continue
            place, last = np.uint64(lists.starts[term]), np.uint64(lists.starts[term + _1])
            while place + _16 <= last:
                hit = np.uint8(0)
                for step in range(16):
                    hit |= mark[np.uint64(lists.terms[place + np.uint64(step)])]
                if hit != 0:
                    break
                place += _16
            while place < last and mark[np.uint64(lists.terms[place])] == 0:
                place += _1
            if place < last:
                found[at - begin] = place
                prefetch(lists.ranks, place)
        for at in range(begin, end):
            mark[np.uint64(columns[at])] = 0
            if found[at - begin] != _NOWHERE:
                factors[at] = lists.factors[np.uint64(lists.ranks[found[at - begin]])]


@kernel
def mean_factors(columns: Numbers, values: Floats, starts: Ints, lists: Lists, factors: Floats) -> None:
    """Write for each value of the rows the mean of the factors that its term has with others of the row, or 0.

    A pair is in the list of one of its terms. The sums are exact, so it does not matter in which order they are made.
    """
    n_terms = lists.starts.size - 1
    mark = np.zeros(n_terms, np.uint8)
    places = np.zeros(n_terms, np.uint64)
    counts = np.zeros(n_terms, np.int64)
    found = np.empty(n_terms + 1, np.uint64)
    for row in range(starts.size - 1):
        begin, end = np.uint64(starts[row]), np.uint64(starts[row + 1])
        for at in range(begin, end):
            term = np.uint64(columns[at])
            mark[term] = values[at] != 0
            places[term] = at - begin
            counts[at - begin] = 0
            factors[at] = 0.0
        for at in range(begin, end):
            term = np.uint64(columns[at])
            if mark[term] == 0:
                continue
            size = _0
            for place in range(np.uint64(lists.starts[term]), np.uint64(lists.starts[term + _1])):
                found[size] = place
                size += np.uint64(mark[np.uint64(lists.terms[place])])  # no branch, as above
            total = 0.0
            for each in range(_0, size):
                place = found[each]
                factor = np.float64(lists.factors[np.uint64(lists.ranks[place])])
                total += factor
                other = places[np.uint64(lists.terms[place])]
                factors[begin + other] += factor
                counts[other] += 1
            factors[at] += total
            counts[at - begin] += np.int64(size)
        for at in range(begin, end):
            mark[np.uint64(columns[at])] = 0
            if counts[at - begin] > 0:
                factors[at] /= counts[at - begin]
