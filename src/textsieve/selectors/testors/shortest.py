"""The shortest testors of a class: the smallest vocabularies that distinguish it from the others.

The testors are the transversals of a boolean matrix: sets of columns (terms) with a mark in every row (other class).
The search tries sizes 1, 2, 3, ... and abandons branches that cannot finish within the size. So the first size with a
transversal is the smallest, and all transversals found then have that size.

The matrix may fall into *parts* that share neither rows nor columns, and columns with marks in the same rows have the
same *pattern* (`shares.py` explains both). Each part is searched separately, for sets of patterns. These are then
expanded to sets of columns, and those of all parts are combined, the heaviest first.
"""

from __future__ import annotations

import heapq
from math import fsum
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Bools, Floats
from .shares import Part, split_into_parts
from .transversals import Testor, Transversals

MAX_COMPARED = 1000
"""The largest number of shortest sets of patterns of a part that are compared to find the heaviest.

If the caller wants more testors than this, it is the number of testors wanted.
"""

WeightedSets = list[tuple[float, Testor]]
"""Pairs of a weight and a set of columns, the heaviest first; the weight of a set is the sum over its columns."""


class Shortest(NamedTuple):
    """The shortest testors of a class.

    Attributes
    ----------
    testors : some or all of the shortest testors, the heaviest first
    size : the number of terms of each testor; 0 if no term distinguishes the class from any other, so that it has no
        testor
    proved : whether the search has ruled out shorter testors; if not, it was stopped, and the testors are short but
        perhaps not the shortest
    heaviest : whether no omitted testor is heavier than those in `testors`; False if that is not known, because there
        were too many to compare or the search was stopped
    indistinguishable_from : the classes that no term distinguishes this one from; it is distinguished from all others
    """

    testors: list[Testor]
    size: int
    proved: bool
    heaviest: bool = True
    indistinguishable_from: tuple[Any, ...] = ()


def shortest_transversals(basic: Bools, weights: Floats, limit: int, most_steps: int) -> Shortest:
    """Return the sets with the fewest columns that hit every row, at most `limit`, the heaviest first.

    `basic` is a basic matrix (see `contrast.py`). `weights` has a weight for each column; the weight of a set is the
    sum over its columns. The search tries at most `most_steps` columns in total, over all parts of the matrix.
    """
    heaviest_testors: WeightedSets = [(0.0, ())]  # of the parts so far; before the first part, the empty set
    proved = heaviest = True
    for part in split_into_parts(basic):
        search = _search_shortest(part.patterns, max(limit, MAX_COMPARED), most_steps)
        most_steps = search.steps_left
        part_testors = _heaviest_testors(part, search.sets, weights, limit)
        heaviest_testors = _heaviest_unions(heaviest_testors, part_testors, limit)
        proved &= search.is_proved
        heaviest &= search.has_all
    testors = [testor for _, testor in heaviest_testors]
    # The weights so far have rounding errors that depend on the parts; sort by the exact sums.
    testors.sort(key=lambda testor: (-fsum(weights[list(testor)].tolist()), testor))
    return Shortest(testors, len(testors[0]), proved, heaviest)


def _heaviest_testors(part: Part, pattern_sets: list[Testor], weights: Floats, limit: int) -> WeightedSets:
    """Return the `limit` heaviest testors of a part, given its shortest sets of patterns.

    A set of patterns gives one testor for each way to take a column of each of its patterns.
    """
    # The columns of each pattern as sets of one column, the heaviest first.
    columns_of: dict[int, WeightedSets] = {pattern: [] for patterns in pattern_sets for pattern in patterns}
    for column, pattern in zip(part.columns.tolist(), part.pattern_of.tolist(), strict=True):
        if pattern in columns_of:
            columns_of[pattern].append((float(weights[column]), (column,)))
    for columns in columns_of.values():
        columns.sort(key=_heaviest_first)
    # Keep the `limit` sets of patterns whose heaviest testor, which has the heaviest column of every pattern, weighs
    # most. The others cannot contribute, because each of these `limit` sets has a testor at least as heavy.
    pattern_sets = heapq.nsmallest(
        limit, pattern_sets, key=lambda patterns: -fsum(columns_of[pattern][0][0] for pattern in patterns)
    )
    testors: WeightedSets = []
    for patterns in pattern_sets:
        combinations: WeightedSets = [(0.0, ())]
        for pattern in patterns:
            combinations = _heaviest_unions(combinations, columns_of[pattern], limit)
        testors += combinations
    return heapq.nsmallest(limit, testors, key=_heaviest_first)


def _heaviest_first(weighted_set: tuple[float, Testor]) -> tuple[float, Testor]:
    """Return the key that sorts sets by decreasing weight, and sets of equal weight by their columns."""
    return -weighted_set[0], weighted_set[1]


def _heaviest_unions(left: WeightedSets, right: WeightedSets, limit: int) -> WeightedSets:
    """Return the `limit` heaviest unions of one set from each list.

    A pair (i, j) stands for the union of set i of `left` and set j of `right`. Both lists begin with the heaviest set,
    so (0, 0) is the heaviest pair, and (i, j) is at least as heavy as (i, j + 1) and (i + 1, j). The heap has the pairs
    that may be next: when (i, j) is taken from it, (i, j + 1) is added, and for j = 0 also (i + 1, 0). So the heaviest
    pair that is left is always on the heap, and each pair is added once.
    """
    if len(left) == 1 and not left[0][1]:  # the empty set alone
        return right[:limit]
    unions: WeightedSets = []
    heap = [(-(left[0][0] + right[0][0]), 0, 0)]
    while heap and len(unions) < limit:
        negative_weight, i, j = heapq.heappop(heap)  # the smallest is the heaviest
        unions.append((-negative_weight, tuple(sorted(left[i][1] + right[j][1]))))
        if j + 1 < len(right):
            heapq.heappush(heap, (-(left[i][0] + right[j + 1][0]), i, j + 1))
        if j == 0 and i + 1 < len(left):
            heapq.heappush(heap, (-(left[i + 1][0] + right[0][0]), i + 1, 0))
    return unions


class _ShortestSets(NamedTuple):
    """The shortest transversals of a part, and what is known about them."""

    sets: list[Testor]
    steps_left: int  # how many columns the searches of other parts may still try
    is_proved: bool  # whether shorter sets are ruled out
    has_all: bool  # whether these are all sets of their size


def _search_shortest(patterns: Bools, limit: int, most_steps: int) -> _ShortestSets:
    """Return the shortest sets of patterns that hit all rows of a part, at most `limit`.

    `patterns` has the distinct columns of the part (rows x patterns). The search tries size after size, and at most
    `most_steps` columns; if these are not enough, the result is a short set that was found greedily.
    """
    in_all_rows = np.flatnonzero(patterns.all(axis=0)).tolist()  # at most one, because patterns are distinct
    if in_all_rows:
        return _ShortestSets([(pattern,) for pattern in in_all_rows], most_steps, is_proved=True, has_all=True)
    # A minimal set has at most as many members as there are rows, because each member hits a row that no other does.
    for size in range(2, min(patterns.shape) + 1):
        search = Transversals(patterns, limit=limit, most_members=size, most_steps=most_steps)
        sets = list(search)
        most_steps = search.steps_left or 0  # never None here, because the number of steps is limited
        if sets:  # smaller sizes are ruled out, even if the steps did not suffice to find all sets of this size
            return _ShortestSets(sets, most_steps, is_proved=True, has_all=search.complete)
        if not search.complete:  # there are no steps left to rule out this size
            break
    return _ShortestSets([_greedy_transversal(patterns)], most_steps, is_proved=False, has_all=False)


def _greedy_transversal(patterns: Bools) -> Testor:
    """Return a short transversal, found greedily.

    Add the column that hits most of the remaining rows until all are hit, then drop redundant columns.
    """
    members: list[int] = []
    unhit = np.ones(len(patterns), np.bool_)
    while unhit.any():
        members.append(int(patterns[unhit].sum(axis=0).argmax()))
        unhit &= ~patterns[:, members[-1]]
    for member in members[::-1]:
        others = [other for other in members if other != member]
        if patterns[:, others].any(axis=1).all():
            members = others
    return tuple(sorted(members))
