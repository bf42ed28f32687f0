"""What the testors of a class tell beyond their union: how many of them hold a term, and which are the shortest.

Two things make the count cheap, and leave it exact:

- *Equal columns.* A minimal transversal never holds two columns that hit the same rows, and one of them can stand for
  the other. So only different columns are searched, and a set found stands for as many testors as the product of how
  many terms each of its columns has.
- *Parts.* If rows and columns fall into parts that share nothing, a testor is a testor of each part, put together. So
  the share of the testors that hold a term is its share in its own part.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from typing import NamedTuple

import numpy as np

from ..stats.sums import Floats, Ints
from .transversals import Marks, Testor, Transversals, packed, unpacked

_LOOKED_AT = 1000
"""How many different shortest sets are looked at to find the heaviest."""


class Shares(NamedTuple):
    """The share of the testors that hold each column, and whether all testors were looked at."""

    values: Floats
    exact: bool


def shares_of_testors(basic: Marks, limit: int) -> Shares:
    """The share of the minimal transversals that hold each column of a basic matrix.

    If a part has more than `limit` different ones, its shares are those among the first `limit`; a column that none of
    these holds, though some other does, gets half of what a single one would give it.
    """
    values, exact = np.zeros(basic.shape[1]), True
    for rows, columns in _parts(basic):
        patterns, pattern_of = _different_columns(basic[np.ix_(rows, columns)])
        found = Transversals(patterns, limit=limit)
        of_pattern = _pattern_shares(list(found), np.bincount(pattern_of))
        if not found.complete:
            exact = False
            of_pattern = np.maximum(of_pattern, 0.5 / limit)
        values[columns] = np.maximum(of_pattern / np.bincount(pattern_of), np.finfo(np.float64).tiny)[pattern_of]
    return Shares(values, exact)


def _pattern_shares(sets: list[Testor], n_terms: Ints) -> Floats:
    """The share of the testors that hold some term of each pattern; a set stands for a product of numbers of terms."""
    sizes = np.array([len(each) for each in sets])
    holders, members = np.repeat(np.arange(len(sets)), sizes), np.concatenate([np.array(each) for each in sets])
    logs = np.bincount(holders, np.log(n_terms)[members], len(sets))
    weights = np.exp(logs - logs.max())  # the products themselves may be too large for a float
    return np.asarray(np.bincount(members, weights[holders], len(n_terms)) / weights.sum())


def _parts(basic: Marks) -> Iterator[tuple[Ints, Ints]]:
    """The rows and columns of each part of a matrix: from a row to all that share a column with it, and so on."""
    bits, left = packed(basic), np.arange(len(basic))
    while len(left):
        reached = bits[left[0]]
        while True:
            touched = (bits[left] & reached).any(axis=1)
            wider = np.bitwise_or.reduce(bits[left[touched]], axis=0)
            if np.array_equal(wider, reached):
                break
            reached = wider
        yield left[touched], np.flatnonzero(unpacked(reached[None], basic.shape[1])[0])
        left = left[~touched]


def _different_columns(marks: Marks) -> tuple[Marks, Ints]:
    """The different columns, and for each column its number among them."""
    bits = packed(marks.T)
    order = np.lexsort(bits.T)
    is_new = np.concatenate([[True], (bits[order[1:]] != bits[order[:-1]]).any(axis=1)])
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(is_new) - 1
    return marks[:, order[is_new]], number


class Shortest(NamedTuple):
    """The shortest testors of a class.

    `testors` are some or all of them, those with the heaviest terms first; `size` is how many terms each has; `proved`
    says whether the search has ruled out shorter ones. If it has not, it was given up, and the one testor is a short
    one.
    """

    testors: list[Testor]
    size: int
    proved: bool


def shortest_transversals(basic: Marks, weights: Floats, limit: int, most_steps: int) -> Shortest:
    """The minimal transversals with fewest columns: no more than `limit`, looking at no more than `most_steps` columns.

    Sizes are tried in turn, from one on; branches that cannot end within the size are left. So the first size with a
    transversal is the smallest, and all that are found then are of that size. Parts and equal columns are made use of.
    """
    testors: list[Testor] = [()]
    proved = True
    for rows, columns in _parts(basic):
        patterns, pattern_of = _different_columns(basic[np.ix_(rows, columns)])
        columns_of = [_heaviest_first(columns[pattern_of == at], weights) for at in range(patterns.shape[1])]
        sets, is_proved = _shortest_patterns(patterns, max(limit, _LOOKED_AT), most_steps)
        sets.sort(key=lambda members: (-sum(float(weights[columns_of[at][0]]) for at in members), members))
        of_part = islice((each for members in sets for each in product(*(columns_of[at] for at in members))), limit)
        testors = [tuple(sorted(one + other)) for one, other in islice(product(testors, list(of_part)), limit)]
        proved &= is_proved
    testors.sort(key=lambda testor: (-sum(weights[list(testor)].tolist()), testor))
    return Shortest(testors, len(testors[0]), proved)


def _heaviest_first(columns: Ints, weights: Floats) -> list[int]:
    order: list[int] = columns[np.argsort(-weights[columns], kind="stable")].tolist()
    return order


def _shortest_patterns(patterns: Marks, limit: int, most_steps: int) -> tuple[list[Testor], bool]:
    for size in range(1, min(patterns.shape) + 1):
        found = Transversals(patterns, limit=limit, most_members=size, most_steps=most_steps)
        sets = list(found)
        if sets:
            return sets, True
        if not found.complete:
            break
    return [_short(patterns)], False


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
