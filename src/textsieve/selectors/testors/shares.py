"""Compute the share of the testors of a class that contain each term.

Two reductions keep the count exact and make it cheaper:

- *Equal columns.* A minimal transversal never contains two columns that hit the same rows, and either can replace the
  other. So only distinct columns are searched, and a set of them represents as many testors as the product of the
  numbers of terms of its columns.
- *Parts.* If rows and columns fall into parts that share nothing, a testor is a combination of testors of all parts. So
  the share of a term is its share in its own part.

If a part still has too many testors, its shares are estimated from random walks (`probe_shares`), which are the same in
every run. A term that is in every testor is alone in a row, and that row is a part of its own. So in a sampled part all
shares are above 0 and below 1, and estimates are clipped accordingly.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import NamedTuple

import numpy as np

from ...arrays import Floats, Ints
from ...kernels.hitting_sets import probe_shares
from .transversals import Listing, Marks, SearchArrays, listing, packed, unpacked


class Part(NamedTuple):
    """A part of a basic matrix: its distinct columns (`patterns`), its columns, and the pattern of each column."""

    patterns: Marks
    columns: Ints
    pattern_of: Ints

    @property
    def n_words(self) -> int:
        """Return about how many 64-bit words a search reads when it tries a column."""
        return int(len(self.patterns) * (self.patterns.shape[1] // 64 + 1))


def parts_of(basic: Marks) -> Iterator[Part]:
    """Yield the parts of a basic matrix."""
    for rows, columns in _parts(basic):
        patterns, pattern_of = _distinct_columns(basic[np.ix_(rows, columns)])
        yield Part(patterns, columns, pattern_of)


def _parts(basic: Marks) -> Iterator[tuple[Ints, Ints]]:
    """Yield the rows and columns of each part of a matrix: the connected components of rows that share columns."""
    bits, remaining = packed(basic), np.arange(len(basic))
    while len(remaining):
        reached = bits[remaining[0]]
        while True:
            touched = (bits[remaining] & reached).any(axis=1)
            extended = np.bitwise_or.reduce(bits[remaining[touched]], axis=0)
            if np.array_equal(extended, reached):
                break
            reached = extended
        yield remaining[touched], np.flatnonzero(unpacked(reached[None], basic.shape[1])[0])
        remaining = remaining[~touched]


def _distinct_columns(marks: Marks) -> tuple[Marks, Ints]:
    """Return the distinct columns, and the number of each column among them."""
    bits = packed(marks.T)
    order = np.lexsort(bits.T)
    is_new = np.concatenate([[True], (bits[order[1:]] != bits[order[:-1]]).any(axis=1)])
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(is_new) - 1
    return marks[:, order[is_new]], number


SHARE_WORK = 1 << 28
"""About how many words are read to compute the shares of a class."""
_LEAST_WALKS = _LEAST_STEPS = 200
_EXACT = 2.0**53
"""Integers up to this one are exact as floats."""


class Shares(NamedTuple):
    """The share of the testors that contain each column, and whether it was computed from all testors."""

    values: Floats
    exact: bool


def shares_of_testors(basic: Marks, limit: int, work: int = SHARE_WORK) -> Shares:
    """Return the share of the minimal transversals that contain each column of a basic matrix.

    If a part has more than `limit` distinct transversals, or if listing them would read more than `work` words, its
    shares are estimated from `limit` random walks, or as many as `work` allows.
    """
    values, exact = np.zeros(basic.shape[1]), True
    for part in parts_of(basic):
        own_work = work * len(part.patterns) // len(basic)
        n_terms = np.bincount(part.pattern_of)
        transversals = listing(part.patterns, limit, max(_LEAST_STEPS, own_work // (4 * part.n_words)))
        if transversals.complete:
            pattern_shares = _counted(transversals, n_terms)
        else:
            exact = False
            pattern_shares = _estimated(part, n_terms, _n_walks(part, limit, own_work))
        values[part.columns] = np.maximum(pattern_shares, np.finfo(np.float64).tiny)[part.pattern_of]
    return Shares(values, exact)


def _counted(transversals: Listing, n_terms: Ints) -> Floats:
    """Return the share of the testors that contain a given term of each pattern, from a complete listing.

    A set of patterns represents as many testors as the product of the numbers of terms of its patterns.
    """
    set_numbers = np.repeat(np.arange(len(transversals.sizes)), transversals.sizes)
    weights = _products(transversals, n_terms)
    containing = np.bincount(transversals.members, weights[set_numbers], len(n_terms))
    return np.asarray(containing / n_terms / weights.sum())


def _products(transversals: Listing, n_terms: Ints) -> Floats:
    """Return how many testors each set represents, as integers, so that equal shares are bitwise equal.

    If their sum is too large to be exact, all are divided by the same power of two.
    """
    starts, factors = np.cumsum(transversals.sizes) - transversals.sizes, n_terms[transversals.members]
    logs = np.add.reduceat(np.log2(factors), starts)
    if np.exp2(np.minimum(logs, 60.0)).sum() < _EXACT / 2:
        return np.multiply.reduceat(factors, starts).astype(np.float64)
    products = [prod(counts.tolist()) for counts in np.split(factors, starts[1:])]
    shift = max(sum(products).bit_length() - 53, 0)
    return np.array([float(product >> shift) for product in products])


def _n_walks(part: Part, limit: int, work: int) -> int:
    """Return as many walks as the work allows, at most `limit`; a walk reads all words once per member of a set."""
    n_members = 2 * len(part.patterns).bit_length()
    return min(limit, max(_LEAST_WALKS, work // (n_members * part.n_words)))


def _estimated(part: Part, n_terms: Ints, n_walks: int) -> Floats:
    """Estimate the share of the testors that contain a term of each pattern from random walks.

    Estimates are clipped to stay half a walk away from 0 and 1.
    """
    arrays = SearchArrays.of(part.patterns)
    chances = np.random.default_rng(0).random((n_walks, len(arrays.members)))
    of_pattern = probe_shares(
        *(arrays.columns, arrays.rows, arrays.full, n_terms.astype(np.float64), chances, arrays.members),
        *(arrays.hit, arrays.once, arrays.candidates, arrays.todo, arrays.closing),
    )
    half = 0.5 / n_walks
    return np.asarray(np.clip(of_pattern, half, 1.0 - half) / n_terms)
