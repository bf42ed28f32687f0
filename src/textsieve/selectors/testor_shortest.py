"""The shortest testors of a class: the smallest vocabularies that set it apart.

Sizes are tried in turn, from one on; branches that cannot end within the size are left. So the first size with a
transversal is the smallest, and all that are found then are of that size. Parts and different columns
(`testor_parts.py`) are searched each for itself; what is found is put together from the heaviest down, with a heap:
of two lists in order, the sums of a pair come in order if after each pair its two neighbours are looked at.
"""

from __future__ import annotations

import heapq
from math import fsum
from typing import Any, NamedTuple

import numpy as np

from ..stats.sums import Floats
from .testor_parts import Part, parts_of
from .transversals import Marks, Testor, Transversals

LOOKED_AT = 1000
"""How many different shortest sets of a part are looked at to find the heaviest."""

Weighed = list[tuple[float, Testor]]
"""Sets and what they weigh, the heaviest first."""


class Shortest(NamedTuple):
    """The shortest testors of a class.

    `testors` are some or all of them, heavier terms first; `size` is how many terms each has. `proved` says whether the
    search has ruled out shorter ones; if not, it was given up, and the testors are short ones. `heaviest` says whether
    those that were not given are lighter or as heavy; if not, there were too many to look at all of them.
    `not_told_from` are the classes that no term sets this one apart from: all other classes it is told from. A class
    that is told from none has no testor, and the size 0.
    """

    testors: list[Testor]
    size: int
    proved: bool
    heaviest: bool = True
    not_told_from: tuple[Any, ...] = ()


def shortest_transversals(basic: Marks, weights: Floats, limit: int, most_steps: int) -> Shortest:
    """The minimal transversals with fewest columns, no more than `limit`, the heaviest first.

    The search tries no more than `most_steps` columns in all.
    """
    found: Weighed = [(0.0, ())]
    proved = heaviest = True
    for part in parts_of(basic):
        sets, most_steps, is_proved, is_every = _shortest_patterns(part.patterns, max(limit, LOOKED_AT), most_steps)
        found = _heaviest_pairs(found, _terms_of(part, sets, weights, limit), limit)
        proved &= is_proved
        heaviest &= is_every
    testors = [testor for _, testor in found]
    testors.sort(key=lambda testor: (-fsum(weights[list(testor)].tolist()), testor))
    return Shortest(testors, len(testors[0]), proved, heaviest)


def _terms_of(part: Part, sets: list[Testor], weights: Floats, limit: int) -> Weighed:
    """The heaviest testors of a part, from its sets of different columns."""
    by_pattern: dict[int, Weighed] = {at: [] for members in sets for at in members}
    for column, at in zip(part.columns.tolist(), part.pattern_of.tolist(), strict=True):
        if at in by_pattern:
            by_pattern[at].append((float(weights[column]), (column,)))
    for each in by_pattern.values():
        each.sort(key=_heavier)
    sets = heapq.nsmallest(limit, sets, key=lambda members: -fsum(by_pattern[at][0][0] for at in members))
    found: Weighed = []
    for members in sets:
        chosen: Weighed = [(0.0, ())]
        for at in members:
            chosen = _heaviest_pairs(chosen, by_pattern[at], limit)
        found += chosen
    return heapq.nsmallest(limit, found, key=_heavier)


def _heavier(weighed: tuple[float, Testor]) -> tuple[float, Testor]:
    return -weighed[0], weighed[1]


def _heaviest_pairs(left: Weighed, right: Weighed, limit: int) -> Weighed:
    """The heaviest of what one of each list make together."""
    if len(left) == 1 and not left[0][1]:
        return right[:limit]
    found: Weighed = []
    waiting = [(-(left[0][0] + right[0][0]), 0, 0)]
    while waiting and len(found) < limit:
        weight, i, j = heapq.heappop(waiting)
        found.append((-weight, tuple(sorted(left[i][1] + right[j][1]))))
        if j + 1 < len(right):
            heapq.heappush(waiting, (-(left[i][0] + right[j + 1][0]), i, j + 1))
        if j == 0 and i + 1 < len(left):
            heapq.heappush(waiting, (-(left[i + 1][0] + right[0][0]), i + 1, 0))
    return found


def _shortest_patterns(patterns: Marks, limit: int, most_steps: int) -> tuple[list[Testor], int, bool, bool]:
    """The sets, the steps that are left, whether none is shorter, and whether these are all."""
    if len(in_all_rows := np.flatnonzero(patterns.all(axis=0)).tolist()):  # one at most, as columns differ
        return [(at,) for at in in_all_rows], most_steps, True, True
    for size in range(2, min(patterns.shape) + 1):
        found = Transversals(patterns, limit=limit, most_members=size, most_steps=most_steps)
        sets = list(found)
        most_steps = found.steps_left or 0
        if sets:
            return sets, most_steps, True, found.complete
        if not found.complete:
            break
    return [_short(patterns)], most_steps, False, False


def _short(patterns: Marks) -> Testor:
    """A short one: the column that hits most of the rows left, again and again; then what is not needed goes."""
    members: list[int] = []
    left = np.ones(len(patterns), np.bool_)
    while left.any():
        members.append(int(patterns[left].sum(axis=0).argmax()))
        left &= ~patterns[:, members[-1]]
    for member in members[::-1]:
        others = [each for each in members if each != member]
        if patterns[:, others].any(axis=1).all():
            members = others
    return tuple(sorted(members))
