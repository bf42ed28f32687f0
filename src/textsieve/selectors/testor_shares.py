"""What share of the testors of a class hold each term.

Different columns and parts (`testor_parts.py`) leave the count exact: a set of different columns counts as many times
as it stands for testors, and the share of the testors that hold a term is its share in its own part.

If a part has too many even so, its shares are estimated from random walks (`kernels/probing.py`), always the same ones.
A term that no testor does without is alone in a row, and that row is a part of its own; so in a part that was sampled
every share is above 0 and below 1, and is kept so.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np

from ..kernels.probing import probe_shares
from ..stats.sums import Floats, Ints
from .testor_parts import Part, parts_of
from .transversals import Listing, Marks, SearchArrays, listing

SHARE_WORK = 1 << 28
"""About how many words are looked at for the shares of a class."""
_LEAST_WALKS = _LEAST_STEPS = 200
_EXACT = 2.0**53
"""Whole numbers up to here are exact as floats."""


class Shares(NamedTuple):
    """The share of the testors that hold each column, and whether all testors were looked at."""

    values: Floats
    exact: bool


def shares_of_testors(basic: Marks, limit: int, work: int = SHARE_WORK) -> Shares:
    """The share of the minimal transversals that hold each column of a basic matrix.

    Of a part with more than `limit` different ones, or more than can be found by looking at `work` words, the shares
    are estimated from `limit` random walks, or as many as the work allows.
    """
    values, exact = np.zeros(basic.shape[1]), True
    for part in parts_of(basic):
        own_work = work * len(part.patterns) // len(basic)
        n_terms = np.bincount(part.pattern_of)
        found = listing(part.patterns, limit, max(_LEAST_STEPS, own_work // (4 * part.n_words)))
        if found.complete:
            of_term = _counted(found, n_terms)
        else:
            exact = False
            of_term = _sampled(part, n_terms, _n_walks(part, limit, own_work))
        values[part.columns] = np.maximum(of_term, np.finfo(np.float64).tiny)[part.pattern_of]
    return Shares(values, exact)


def _counted(found: Listing, n_terms: Ints) -> Floats:
    """The share of the testors that hold a term of each pattern; a set stands for a product of numbers of terms."""
    holders = np.repeat(np.arange(len(found.sizes)), found.sizes)
    weights = _products(found, n_terms)
    held = np.bincount(found.members, weights[holders], len(n_terms))
    return np.asarray(held / n_terms / weights.sum())


def _products(found: Listing, n_terms: Ints) -> Floats:
    """How many testors each set stands for, as whole numbers, so that equal shares are equal to the last bit.

    If their sum is too large to be exact, all are cut by the same power of two.
    """
    starts, factors = np.cumsum(found.sizes) - found.sizes, n_terms[found.members]
    logs = np.add.reduceat(np.log2(factors), starts)
    if np.exp2(np.minimum(logs, 60.0)).sum() < _EXACT / 2:
        return np.multiply.reduceat(factors, starts).astype(np.float64)
    products = [prod(each.tolist()) for each in np.split(factors, starts[1:])]
    cut = max(sum(products).bit_length() - 53, 0)
    return np.array([float(each >> cut) for each in products])


def _n_walks(part: Part, limit: int, work: int) -> int:
    """As many walks as the work allows; one looks at all words for every member of a set."""
    n_members = 2 * len(part.patterns).bit_length()
    return min(limit, max(_LEAST_WALKS, work // (n_members * part.n_words)))


def _sampled(part: Part, n_terms: Ints, n_walks: int) -> Floats:
    """The same, from random walks; within what half a walk more or less would give."""
    arrays = SearchArrays.of(part.patterns)
    chances = np.random.default_rng(0).random((n_walks, len(arrays.members)))
    of_pattern = probe_shares(
        *(arrays.columns, arrays.rows, arrays.full, n_terms.astype(np.float64), chances, arrays.members),
        *(arrays.hit, arrays.once, arrays.candidates, arrays.todo, arrays.closing),
    )
    half = 0.5 / n_walks
    return np.asarray(np.clip(of_pattern, half, 1.0 - half) / n_terms)
