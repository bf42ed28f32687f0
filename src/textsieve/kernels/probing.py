"""Shares of minimal hitting sets from random walks down the tree of `mmcs.py`, where there are too many to list.

A walk takes one branch at each node, with a chance in proportion to how many terms the branch's column stands for, and
ends where there is none. So a node is reached with a chance p, and what is found there counts 1/p: then each set counts
1 on average (Knuth's estimate of the size of a tree), and a column's share is what counts with it by all that counts.
The set and what it counts are weighed by the terms that its columns stand for: of the branch taken these cancel, and
1/p times the weight is the product of the sums over the branches passed.

Such products differ by many orders of magnitude, so they are kept as logarithms, and the sums by the largest so far.
"""

import numpy as np

from .bits import bit, lowest
from .jit import Codes, Floats, Ints, kernel
from .mmcs import branch, spare_members

_ONE = np.uint64(1)


@kernel
def weight_of(columns: Codes, weights: Floats) -> float:
    """The sum of the weights of a set of columns."""
    total = 0.0
    for at in range(columns.size):
        left = columns[at]
        while left != 0:
            total += weights[at * 64 + lowest(left)]
            left &= left - _ONE
    return total


@kernel
def take_one(todo: Codes, candidates: Codes, weights: Floats, chance: float) -> np.int64:
    """The column of a branch, by chance; those before it become candidates again, as if they had been searched."""
    left_over = chance * weight_of(todo, weights)
    last = np.int64(-1)
    for at in range(todo.size):
        left = todo[at]
        while left != 0:
            if last >= 0:
                candidates[last >> 6] |= bit(last & 63)
            last = np.int64(at * 64) + lowest(left)
            left &= left - _ONE
            left_over -= weights[last]
            if left_over < 0:
                return last
    return last


@kernel
def probe_shares(
    columns: Codes,
    rows: Codes,
    full: Codes,
    weights: Floats,
    chances: Floats,
    members: Ints,
    hit: Codes,
    once: Codes,
    candidates: Codes,
    todo: Codes,
    closing: Codes,
) -> Floats:
    """The share of the hitting sets that hold each column; one walk for each row of `chances`, one chance a depth."""
    held, total, top = np.zeros(len(columns)), 0.0, -np.inf
    everything = candidates[0].copy()
    for walk in range(len(chances)):
        candidates[0] = everything
        depth, log_weight = 0, 0.0
        while True:
            branch(rows, full, depth, hit, candidates, todo, closing)
            n_here = weight_of(closing[depth], weights)
            if n_here > 0:
                if log_weight > top:
                    held *= np.exp(top - log_weight)
                    total *= np.exp(top - log_weight)
                    top = log_weight
                factor = np.exp(log_weight - top)
                total += factor * n_here
                for at in range(depth):
                    held[members[at]] += factor * n_here
                for at in range(closing.shape[1]):
                    left = closing[depth, at]
                    while left != 0:
                        column = at * 64 + lowest(left)
                        held[column] += factor * weights[column]
                        left &= left - _ONE
            n_below = weight_of(todo[depth], weights)
            if n_below == 0:
                break
            column = take_one(todo[depth], candidates[depth], weights, chances[walk, depth])
            log_weight += np.log(n_below)
            members[depth] = column
            for word in range(full.size):
                mine = columns[column, word]
                once[depth + 1, word] = (once[depth, word] & ~mine) | (mine & ~hit[depth, word])
                hit[depth + 1, word] = hit[depth, word] | mine
            depth += 1
            candidates[depth] = candidates[depth - 1]
            spare_members(columns, rows, members, depth, once, candidates)
    return held / total if total > 0 else held
