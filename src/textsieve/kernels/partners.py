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

Numbers = NDArray[np.int32]

_0, _1, _16, _64 = np.uint64(0), np.uint64(1), np.uint64(16), np.uint64(64)
_NOWHERE = np.uint64((1 << 64) - 1)


class Documents(NamedTuple):
    """(document, class) pairs, by class; those that have each term; and the documents' rows."""

    term_starts: Ints
    pairs: Numbers  # that have each term, ascending
    classes: Numbers  # of each pair
    documents: Ints  # of each pair
    starts: Ints
    columns: Numbers
    values: NDArray[Any]


class Rule(NamedTuple):
    """Which partners are in the list of a term: those with `min_co`; if `once`, only in the list of the rarer term."""

    once: bool
    min_co: int
    stride: int


class Lists(NamedTuple):
    """The partners of each term, by rank; and for each the number of its run within the list."""

    starts: Ints
    terms: NDArray[Any]
    runs: NDArray[Any]
    run_starts: Ints
    run_factors: NDArray[np.float32]


# -- documents to lists --------------------------------------------------------------------------------------------


class Scratch(NamedTuple):
    """Arrays with a number for each term, all 0 between two uses but for the last two."""

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
def count_partners(term: int, given: Documents, room: Scratch) -> int:
    """Write the partners of a term, itself among them, and their `co` and `cf`; gives how many there are.

    The numbers have to be set to 0 again by who reads them.
    """
    in_class, co, cf, of_class, partners = room
    size = _0
    at, end = given.term_starts[term], given.term_starts[term + 1]
    while at < end:
        number = given.classes[given.pairs[at]]
        found = _0
        while at < end and given.classes[given.pairs[at]] == number:
            document = given.documents[given.pairs[at]]
            for place in range(np.uint64(given.starts[document]), np.uint64(given.starts[document + 1])):
                if given.values[place] != 0:
                    other = np.uint64(given.columns[place])
                    of_class[found] = other
                    found += np.uint64(in_class[other] == 0)  # no branch: the processor could not guess it
                    in_class[other] += 1
            at += 1
        for place in range(_0, found):
            other = np.uint64(of_class[place])
            partners[size] = other
            size += np.uint64(cf[other] == 0)
            co[other] = max(co[other], in_class[other])
            cf[other] += 1
            in_class[other] = 0
    return int(size)


@kernel
def is_listed(term: int, other: int, co: int, rule: Rule, term_starts: Ints) -> bool:
    """Whether a partner is in the list of a term."""
    if co < rule.min_co or term == other:
        return False
    own, others = term_starts[term + 1] - term_starts[term], term_starts[other + 1] - term_starts[other]
    return not rule.once or own < others or (own == others and term < other)


@kernel
def measure_partners(first: int, last: int, given: Documents, rule: Rule, used: Bytes, sizes: Ints) -> None:
    """For some terms: how many partners are in each list; and which codes occur, listed or not."""
    room = scratch(sizes.size)
    for term in range(first, last):
        for place in range(count_partners(term, given, room)):
            other = room.partners[place]
            co, cf = room.co[other], room.cf[other]
            if other != term:
                used[cf * rule.stride + co] = 1
            sizes[term] += is_listed(term, other, co, rule, given.term_starts)
            room.co[other], room.cf[other] = 0, 0


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
    """Write the lists of some terms, by the rank of the partners' codes; gives how many runs of one rank there are.

    For each run its end within the term's list and its rank are written, and for each term how many it has.
    """
    room = scratch(n_runs.size)
    rank_of = np.empty(n_runs.size, np.int32)
    ends = np.empty(n_ranks, np.int64)
    run = 0
    for term in range(first, last):
        n_listed = 0
        ends[:] = 0
        for place in range(count_partners(term, given, room)):
            other = room.partners[place]
            co, cf = room.co[other], room.cf[other]
            if is_listed(term, other, co, rule, given.term_starts):
                room.partners[n_listed] = other
                rank_of[n_listed] = ranks[cf * rule.stride + co]
                ends[rank_of[n_listed]] += 1
                n_listed += 1
            room.co[other], room.cf[other] = 0, 0
        end = 0
        for rank in range(n_ranks):
            begin, end = end, end + ends[rank]
            ends[rank] = begin
            if begin < end:
                run_ends[run], run_ranks[run] = end, rank
                n_runs[term] += 1
                run += 1
        own = lists[list_starts[term] : list_starts[term + 1]]
        for place in range(n_listed):
            own[ends[rank_of[place]]] = room.partners[place]
            ends[rank_of[place]] += 1
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
) -> int:
    """Write for each value of the rows the largest factor that its term has with another of the row, or 0.

    A list is walked through until a term of the row comes. The longest lists have little else than rare terms at first,
    and are not; for them a row of `table` has the number of the run of each term, or the last one there is.
    """
    n_terms = slots.size
    none = np.uint64(np.iinfo(table.dtype).max)
    mark = np.zeros(n_terms, np.uint8)
    there, found = np.empty(n_terms, np.uint64), np.empty(n_terms, np.uint64)
    touched = 0
    for row in range(starts.size - 1):
        begin, end = np.uint64(starts[row]), np.uint64(starts[row + 1])
        size = _0
        for at in range(begin, end):
            term = np.uint64(columns[at])
            if values[at] != 0:
                there[size] = term
                size += _1
                mark[term] = 1
            first, last = np.uint64(lists.starts[term]), np.uint64(lists.starts[term + _1])
            if slots[term] < 0 and first < last:  # so that all these are on their way from memory at the same time
                touched += lists.terms[first] + lists.terms[min(first + _64, last - _1)]
        for at in range(begin, end):
            term = np.uint64(columns[at])
            if slots[term] >= 0:
                run_of = table[np.uint64(slots[term])]
                run = none
                for each in range(_0, size):
                    run = min(run, np.uint64(run_of[there[each]]))
                found[at - begin] = run if run != none else _NOWHERE
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
            found[at - begin] = place if place < last else _NOWHERE
        for at in range(begin, end):
            term = np.uint64(columns[at])
            mark[term] = 0
            place = found[at - begin]
            if place == _NOWHERE:
                factors[at] = 0.0
            else:
                run = place if slots[term] >= 0 else np.uint64(lists.runs[place])
                factors[at] = lists.run_factors[np.uint64(lists.run_starts[term]) + run]
    return touched


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
            first_run = np.uint64(lists.run_starts[term])
            for each in range(_0, size):
                place = found[each]
                factor = np.float64(lists.run_factors[first_run + np.uint64(lists.runs[place])])
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
