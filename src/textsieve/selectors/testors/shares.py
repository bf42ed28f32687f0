"""Compute the share of the testors of a class that contain each term.

The testors are the minimal transversals of a boolean matrix: the minimal sets of columns (terms) that have a mark in
every row (other class). Two reductions make counting them cheaper and keep the result exact:

- *Patterns.* Columns that hit the same rows have the same *pattern*. A minimal transversal never contains two such
  columns, and either can replace the other. So only distinct patterns are searched. A set of patterns stands for as
  many testors as the product of its numbers of columns: patterns of 2, 3 and 5 columns stand for 30 testors.
- *Parts.* If the matrix falls into parts that share neither rows nor columns, a testor of the whole is a combination of
  one testor of each part. So the share of a term is its share in its own part.

If a part still has too many testors, its shares are estimated from some of them, which are drawn by random walks
(`probe_shares`). Testors that are less likely to be drawn get larger weights, so that all testors count the same. The
random numbers are the same in every run.

The true shares in such a part are never 0 or 1, so estimates are kept away from both (`_estimate_shares`): each column
of a part is in some testor, and none is in every testor. A column in every testor would be alone in a row. No other row
has this column, because rows that contain another row are left out. So the row would be a part of its own, with a
single testor, and not be estimated.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import NamedTuple

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...kernels.hitting_sets import probe_shares
from .transversals import Listing, SearchArrays, list_transversals, pack_bits, unpack_bits


class Part(NamedTuple):
    """A part of a basic matrix (see `contrast.py`) that shares neither rows nor columns with the rest of the matrix."""

    patterns: Bools  # the distinct columns, as a matrix (rows x patterns)
    columns: Ints  # the numbers of the part's columns in the basic matrix
    pattern_of: Ints  # the number of the pattern of each of these columns

    @property
    def n_words(self) -> int:
        """Return about how many 64-bit words a search reads when it tries a column: all words of the packed matrix."""
        return int(len(self.patterns) * (self.patterns.shape[1] // 64 + 1))


def split_into_parts(basic: Bools) -> Iterator[Part]:
    """Yield the parts of a basic matrix."""
    for rows, columns in _connected_components(basic):
        patterns, pattern_of = _distinct_columns(basic[np.ix_(rows, columns)])
        yield Part(patterns, columns, pattern_of)


def _connected_components(basic: Bools) -> Iterator[tuple[Ints, Ints]]:
    """Yield the rows and columns of each connected component; rows are connected if they share a column."""
    bits, remaining_rows = pack_bits(basic), np.arange(len(basic))
    while len(remaining_rows):
        columns = bits[remaining_rows[0]]  # a bit set of columns; rows that share one add theirs, until none does
        while True:
            is_connected = (bits[remaining_rows] & columns).any(axis=1)
            all_columns = np.bitwise_or.reduce(bits[remaining_rows[is_connected]], axis=0)
            if np.array_equal(all_columns, columns):
                break
            columns = all_columns
        yield remaining_rows[is_connected], np.flatnonzero(unpack_bits(columns[None], basic.shape[1])[0])
        remaining_rows = remaining_rows[~is_connected]


def _distinct_columns(marks: Bools) -> tuple[Bools, Ints]:
    """Return the distinct columns of a matrix, and the number of each column among them."""
    bits = pack_bits(marks.T)  # for each column the rows that it hits
    order = np.lexsort(bits.T)  # sorts the columns, so that equal ones are adjacent
    # In this order, whether a column differs from the one before it.
    is_new = np.concatenate([[True], (bits[order[1:]] != bits[order[:-1]]).any(axis=1)])
    number_of = np.empty(len(order), np.int64)
    number_of[order] = np.cumsum(is_new) - 1
    return marks[:, order[is_new]], number_of


SHARE_WORK = 1 << 28
"""A limit of the work to compute the shares of a class: about how many 64-bit words may be read."""
_MIN_WALKS = _MIN_STEPS = 200
"""So many random walks and so many columns to try are always allowed for a part, even if that exceeds its work."""
_LARGEST_EXACT = 2.0**53
"""Integers up to this one are exact as floats."""


class Shares(NamedTuple):
    """The share of the testors that contain each column, and whether it is exact: False if any part was estimated."""

    values: Floats
    exact: bool


def shares_of_testors(basic: Bools, limit: int, work: int = SHARE_WORK) -> Shares:
    """Return the share of the minimal transversals that contain each column of a basic matrix.

    `work` is the number of 64-bit words that may be read, which is divided among the parts of the matrix in proportion
    to their rows. If a part has more than `limit` minimal sets of patterns, or if listing them would take more than a
    quarter of its work, its shares are estimated from random walks: `limit` of them, or as many as its work allows.
    """
    values, exact = np.zeros(basic.shape[1]), True
    for part in split_into_parts(basic):
        part_work = work * len(part.patterns) // len(basic)  # in proportion to its rows
        n_terms = np.bincount(part.pattern_of)  # of each pattern
        most_steps = max(_MIN_STEPS, part_work // (4 * part.n_words))  # a quarter of the work
        transversals = list_transversals(part.patterns, limit, most_steps)
        if transversals.complete:
            pattern_shares = _shares_in_listing(transversals, n_terms)
        else:
            exact = False
            pattern_shares = _estimate_shares(part, n_terms, _n_walks(part, limit, part_work))
        # Every column of a part is in some transversal, so no share may be rounded to 0. Columns without any mark are
        # in no part, and keep the share 0.
        values[part.columns] = np.maximum(pattern_shares, np.finfo(np.float64).tiny)[part.pattern_of]
    return Shares(values, exact)


def _shares_in_listing(transversals: Listing, n_terms: Ints) -> Floats:
    """Return for each pattern the share of all testors that contain a single term of it, the same for each term.

    `transversals` are all minimal sets of patterns, and `n_terms` has the number of terms of each pattern.
    """
    set_numbers = np.repeat(np.arange(len(transversals.sizes)), transversals.sizes)  # the set of each member
    n_testors = _n_testors(transversals, n_terms)  # of each set
    with_pattern = np.bincount(transversals.members, n_testors[set_numbers], len(n_terms))  # testors of each pattern
    # The testors with a pattern contain each of its terms equally often.
    return np.asarray(with_pattern / n_terms / n_testors.sum())


def _n_testors(transversals: Listing, n_terms: Ints) -> Floats:
    """Return how many testors each set of patterns stands for: the product of the numbers of terms of its patterns.

    The numbers are integers, so that equal shares are bitwise equal. If their sum is too large to be exact as a float,
    all are divided by the same power of two and rounded down.
    """
    # The members of all sets are in one array: where each set begins in it, and the number of terms of each member.
    starts, factors = np.cumsum(transversals.sizes) - transversals.sizes, n_terms[transversals.members]
    logs = np.add.reduceat(np.log2(factors), starts)  # of the product of each set; `reduceat` goes from start to start
    # If the sum of the products is certainly exact as a float, multiply with numpy; otherwise with Python's integers.
    # The logarithms are rounded, so only half of the limit is used. Logarithms are capped at 60, because `exp2` could
    # overflow; a single product of 2^60 exceeds the limit anyway.
    if np.exp2(np.minimum(logs, 60.0)).sum() < _LARGEST_EXACT / 2:
        return np.multiply.reduceat(factors, starts).astype(np.float64)
    products = [prod(counts.tolist()) for counts in np.split(factors, starts[1:])]
    shift = max(sum(products).bit_length() - 53, 0)  # then the sum has at most 53 bits
    return np.array([float(product >> shift) for product in products])


def _n_walks(part: Part, limit: int, work: int) -> int:
    """Return how many random walks the work allows, at most `limit`.

    A walk draws the members of a set one by one, and reads all words of the part for each of them.
    """
    n_members = 2 * len(part.patterns).bit_length()  # a guess at the size of a typical set
    return min(limit, max(_MIN_WALKS, work // (n_members * part.n_words)))


def _estimate_shares(part: Part, n_terms: Ints, n_walks: int) -> Floats:
    """Return the same as `_shares_in_listing`, estimated from random walks.

    The share of testors with a pattern is never 0 or 1, so the estimate is kept half a walk, 0.5 / `n_walks`, away from
    both. It is then divided by the number of terms of the pattern.
    """
    arrays = SearchArrays.of(part.patterns)
    # One number for each walk and each member that a set can have, from a fixed seed.
    random_numbers = np.random.default_rng(0).random((n_walks, len(arrays.members)))
    pattern_shares = probe_shares(
        arrays.columns,
        arrays.rows,
        arrays.full,
        n_terms.astype(np.float64),
        random_numbers,
        arrays.members,
        arrays.hit,
        arrays.once,
        arrays.candidates,
        arrays.todo,
        arrays.closing,
    )
    half_walk = 0.5 / n_walks
    return np.asarray(np.clip(pattern_shares, half_walk, 1.0 - half_walk) / n_terms)
