"""The shortest testors of a class: the smallest vocabularies that distinguish it from the others.

The search tries sizes 1, 2, 3, ... and abandons branches that cannot finish within the size. So the first size with a
transversal is the smallest, and all transversals found then have that size. Parts and distinct columns (`shares.py`)
are searched separately. Their results are combined in order of decreasing weight with a heap: given two sorted lists,
the sums of pairs come out in order if the two neighbours of each pair are pushed after it is popped.
"""

from __future__ import annotations

import heapq
from math import fsum
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Floats
from .shares import Part, parts_of
from .transversals import Marks, Testor, Transversals

LOOKED_AT = 1000
"""The number of distinct shortest sets of a part that are compared to find the heaviest."""

Weighed = list[tuple[float, Testor]]
"""Pairs of a weight and a set, the heaviest first."""


class Shortest(NamedTuple):
    """The shortest testors of a class.

    Attributes
    ----------
    testors : some or all of the shortest testors, the heaviest first
    size : the number of terms of each testor; 0 if no term distinguishes the class from any other, so that it has no
        testor
    proved : whether the search has ruled out shorter testors; if not, it was stopped, and the testors are short but
        perhaps not the shortest
    heaviest : whether no omitted testor is heavier than those in `testors`; False if there were too many to compare
    not_told_from : the classes that no term distinguishes this one from; it is distinguished from all others
    """

    testors: list[Testor]
    size: int
    proved: bool
    heaviest: bool = True
    not_told_from: tuple[Any, ...] = ()


def shortest_transversals(basic: Marks, weights: Floats, limit: int, most_steps: int) -> Shortest:
    """Return the minimal transversals with the fewest columns, at most `limit`, the heaviest first.

    The search tries at most `most_steps` columns in total.
    """
    heaviest_testors: Weighed = [(0.0, ())]
    proved = heaviest = True
    for part in parts_of(basic):
        sets, most_steps, is_proved, is_every = _shortest_patterns(part.patterns, max(limit, LOOKED_AT), most_steps)
        heaviest_testors = _heaviest_pairs(heaviest_testors, _terms_of(part, sets, weights, limit), limit)
        proved &= is_proved
        heaviest &= is_every
    testors = [testor for _, testor in heaviest_testors]
    testors.sort(key=lambda testor: (-fsum(weights[list(testor)].tolist()), testor))
    return Shortest(testors, len(testors[0]), proved, heaviest)


def _terms_of(part: Part, sets: list[Testor], weights: Floats, limit: int) -> Weighed:
    """Return the heaviest testors of a part, given its sets of distinct columns."""
    by_pattern: dict[int, Weighed] = {pattern: [] for members in sets for pattern in members}
    for column, pattern in zip(part.columns.tolist(), part.pattern_of.tolist(), strict=True):
        if pattern in by_pattern:
            by_pattern[pattern].append((float(weights[column]), (column,)))
    for candidates in by_pattern.values():
        candidates.sort(key=_heaviest_first)
    sets = heapq.nsmallest(limit, sets, key=lambda members: -fsum(by_pattern[pattern][0][0] for pattern in members))
    testors: Weighed = []
    for members in sets:
        combinations: Weighed = [(0.0, ())]
        for pattern in members:
            combinations = _heaviest_pairs(combinations, by_pattern[pattern], limit)
        testors += combinations
    return heapq.nsmallest(limit, testors, key=_heaviest_first)


def _heaviest_first(weighed: tuple[float, Testor]) -> tuple[float, Testor]:
    return -weighed[0], weighed[1]


def _heaviest_pairs(left: Weighed, right: Weighed, limit: int) -> Weighed:
    """Return the heaviest unions of one set from each list."""
    if len(left) == 1 and not left[0][1]:
        return right[:limit]
    pairs: Weighed = []
    heap = [(-(left[0][0] + right[0][0]), 0, 0)]
    while heap and len(pairs) < limit:
        weight, i, j = heapq.heappop(heap)
        pairs.append((-weight, tuple(sorted(left[i][1] + right[j][1]))))
        if j + 1 < len(right):
            heapq.heappush(heap, (-(left[i][0] + right[j + 1][0]), i, j + 1))
        if j == 0 and i + 1 < len(left):
            heapq.heappush(heap, (-(left[i + 1][0] + right[0][0]), i + 1, 0))
    return pairs


def _shortest_patterns(patterns: Marks, limit: int, most_steps: int) -> tuple[list[Testor], int, bool, bool]:
    """Return the shortest sets, the steps left, and two booleans.

    The first boolean says whether shorter sets are ruled out, the second whether these are all sets of that size.
    """
    if len(in_all_rows := np.flatnonzero(patterns.all(axis=0)).tolist()):  # at most one, because columns are distinct
        return [(pattern,) for pattern in in_all_rows], most_steps, True, True
    for size in range(2, min(patterns.shape) + 1):
        search = Transversals(patterns, limit=limit, most_members=size, most_steps=most_steps)
        sets = list(search)
        most_steps = search.steps_left or 0
        if sets:
            return sets, most_steps, True, search.complete
        if not search.complete:
            break
    return [_greedy_transversal(patterns)], most_steps, False, False


def _greedy_transversal(patterns: Marks) -> Testor:
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
