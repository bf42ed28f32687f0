"""Count which terms occur together: per class, listed for each term, and looked up for the terms of a document.

Counting goes term by term: for each class, all terms of the documents that contain the term are counted in one array
with an entry for each term. So the time is proportional to the pairs of terms in the documents, and the memory to the
number of terms. There is no table of all pairs: the first pass determines the lengths of the lists and which pairs of
numbers (co, cf) occur, and the second counts again and writes the lists.

A code represents a pair of numbers: cf x stride + co, where stride is larger than any co.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Bytes, Floats, Int32s, Ints
from .intrinsics import prefetch
from .jit import kernel

_0, _1, _16, _32 = np.uint64(0), np.uint64(1), np.uint64(16), np.uint64(32)
_LONG = np.uint64(200)
_NOWHERE = np.uint64((1 << 64) - 1)
_FEW = 32


class DocumentPairs(NamedTuple):
    """The (document, class) pairs sorted by class, the pairs that contain each column, and the rows of the documents.

    Columns are renumbered by frequency, most frequent first. Most counting concerns frequent columns, so their counters
    lie next to each other in memory.
    """

    column_starts: Ints
    pairs: Int32s  # that have each column, ascending
    classes: Int32s  # of each pair
    documents: Ints  # of each pair
    starts: Ints
    places: Int32s  # of the columns of each document
    values: NDArray[Any]
    columns: Int32s  # by their place
    place_of: Int32s  # each column


class PartnerRule(NamedTuple):
    """Which partners a term lists: those with a `co` of at least `min_co`; with `once`, only the rarer term of a
    pair lists the other.
    """

    once: bool
    min_co: int
    stride: int


class Lists(NamedTuple):
    """The partners of each term, and the rank of each partner's factor among all factors in descending order."""

    starts: Ints
    terms: NDArray[Any]
    ranks: NDArray[Any]
    factors: NDArray[np.float32]  # by rank; the last is 0


# -- documents to lists --------------------------------------------------------------------------------------------


class Scratch(NamedTuple):
    """Working arrays with an entry for each column. All but the last two are 0 between uses."""

    in_class: Int32s
    co: Int32s
    cf: Int32s
    of_class: Int32s
    partners: Int32s


@kernel
def scratch(n_terms: int) -> Scratch:
    """Allocate the working arrays."""
    return Scratch(
        np.zeros(n_terms, np.int32),
        np.zeros(n_terms, np.int32),
        np.zeros(n_terms, np.int32),
        np.empty(n_terms + 1, np.int32),
        np.empty(n_terms + 1, np.int32),
    )


@kernel
def count_partners(column: int, given: DocumentPairs, room: Scratch) -> int:
    """Write the partners of a column, including itself, with their `co` and `cf`; return how many there are.

    The caller must reset the counters to 0.
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
def is_listed(place: int, other: int, co: int, rule: PartnerRule) -> bool:
    """Return whether a term lists a partner; both are given by their renumbered columns."""
    return place != other and co >= rule.min_co and (not rule.once or other < place)


@kernel
def measure_partners(first: int, last: int, given: DocumentPairs, rule: PartnerRule, used: Bytes, sizes: Ints) -> None:
    """Compute for some columns how many partners each list has, and which codes occur, listed or not."""
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
    """Sort partners in ascending order. For many partners, scanning all columns is faster than sorting."""
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
    given: DocumentPairs,
    rule: PartnerRule,
    ranks: Int32s,
    n_ranks: int,
    list_starts: Ints,
    lists: NDArray[Any],
    n_runs: Ints,
    run_ends: Int32s,
    run_ranks: Int32s,
) -> int:
    """Write the lists of some columns, sorted by the rank of the partners' codes; return the number of runs of equal
    rank.

    Within a rank, frequent terms come first, since documents are more likely to contain them. For each run, its end
    within the list and its rank are written, and for each column the number of its runs.
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
    columns: Int32s,
    values: Floats,
    starts: Ints,
    lists: Lists,
    slots: Int32s,
    table: NDArray[Any],
    factors: Floats,
) -> None:
    """Write for each value of the rows the largest factor of its term with another term of the row, or 0.

    A list is scanned until it reaches a term of the row. The longest lists begin with rare terms only; for them, a row
    of `table` has the rank of the factor with each term, which is used unless the row itself is long.
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
def mean_factors(columns: Int32s, values: Floats, starts: Ints, lists: Lists, factors: Floats) -> None:
    """Write for each value of the rows the mean factor of its term with the other terms of the row, or 0.

    A pair is in the list of one of its terms. The sums are exact, so their order doesn't matter.
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
