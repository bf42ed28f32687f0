"""The probability that two members of an ensemble have the same important terms.

Of n terms Q are important, and both members draw M. A given set of j important terms is all that a member has of them
with probability g_j = C(n-Q, M-j) / C(n, M): none of the set falls among the n - M terms that are left out, and then
none of the Q - j others among the M - j that are drawn beside it. There are C(Q, j) such sets, so both have the same
with probability

    s = sum over j of C(Q, j) g_j^2.

The next summand is (Q-j)/(j+1) ((M-j)/(n-Q-M+j+1))^2 times the one before. That ratio falls with j, so there is one
largest summand, from which the others follow by products, and those far from it do not matter. Drawing all but M terms
gives the same s, for what both leave out is the same too; so M is at the most n/2. Then s is near 1 only if h = g_0, to
draw no important term, is; and 1 - s is added up from what is then small, (1 - h)(1 + h) less the summands from j = 1.

s falls as M grows to n/2. Two members that differ in d terms each have the same important terms with a probability that
falls with d, C(n-Q, 2d) / C(n, 2d). And d itself has the probabilities C(M, d) C(n-M, d) / C(n, M), whose ratio for
M + 1 and M is, but for a factor, (n-M-d) / (M+1-d): rising with d as long as M + 1 < n - M. So larger M have larger d.
"""

from __future__ import annotations

import numpy as np

from ..stats.sums import Floats
from .chances import log_choose, log_none

_CELLS = 1 << 20
"""Summands that are held at a time."""

_LAST_BIT = 40.0
"""What is below the largest summand by more than this, in logarithms, does not change the sum."""


def log_distinct(terms: Floats, drawn: Floats, important: Floats) -> Floats:
    """log(1 - s): that two members do not have the same important terms.

    It depends on how many are drawn or left out, whichever is less: what is left out of both is the same too.
    """
    terms, drawn, important = np.broadcast_arrays(terms, np.minimum(drawn, terms - drawn), important)
    found = np.full(terms.shape, -np.inf)  # nothing is left out, or nothing is drawn
    some = drawn > 0
    n, m, q = terms[some], drawn[some], important[some]
    distinct = np.empty(len(n))
    start = 0
    while start < len(n):
        end = min(len(n), start + max(1, _CELLS // (2 * _reach(n[start:], q[start:]) + 1)))
        distinct[start:end] = _log_distinct_in_rows(n[start:end], m[start:end], q[start:end])
        start = end
    found[some] = distinct
    return found


def _log_distinct_in_rows(n: Floats, m: Floats, q: Floats) -> Floats:
    best = _largest_summand(n, m, q)
    log_given = log_none(n, n - m, best) + log_none(n - best, m - best, q - best)
    at_best = np.exp(log_choose(q, best) + 2.0 * log_given)
    log_without_any = log_none(n, m, q)
    none = np.exp(log_without_any)
    steps = np.arange(1.0, _reach(n, q) + 1.0)
    up, down = _products(n, m, q, best, steps), _products(n, m, q, best, -steps)
    ends_at_none = (best[:, None] == steps) & (n - m - q >= 0)[:, None]
    with_some = at_best * (np.where(best > 0, 1.0, 0.0) + up.sum(1) + np.where(ends_at_none, 0.0, down).sum(1))
    same = np.where(best > 0, with_some + none * none, at_best + with_some)
    # with_some is at the most (1 - h)^2: it can be taken from (1 - h)(1 + h) without loss if h is not small
    complement = -np.expm1(log_without_any) * (1.0 + none) - with_some
    mostly_none = none > 0.5
    return np.where(
        mostly_none, np.log(np.where(mostly_none, complement, 1.0)), np.log1p(-np.where(mostly_none, 0.0, same))
    )


def _products(n: Floats, m: Floats, q: Floats, best: Floats, steps: Floats) -> Floats:
    """The summands beside the best one, as shares of it: upwards, or downwards for steps below 0."""
    upwards = steps[0] > 0
    j = best[:, None] + (steps - 1.0 if upwards else steps)
    n, m, q = n[:, None], m[:, None], q[:, None]
    j = np.clip(j, np.maximum(0.0, m + q - n) - 1.0, np.minimum(q, m))
    ratio = (m - j) / np.maximum(n - q - m + j + 1.0, 1.0)
    above, below = (q - j) * ratio * ratio, j + 1.0
    if upwards:
        return np.asarray(np.cumprod(above / below, axis=1))
    beneath = np.maximum(m + q - n, 0.0) > j  # there is no summand to step down to
    return np.asarray(np.cumprod(np.where(beneath, 0.0, below / np.where(beneath, 1.0, above)), axis=1))


def _largest_summand(n: Floats, m: Floats, q: Floats) -> Floats:
    """The j with the largest summand: the first whose ratio to the next is not above 1, by halving."""
    low, high = np.maximum(0.0, m + q - n), np.minimum(q, m)
    while (low < high).any():
        middle = np.floor((low + high) / 2.0)
        ratio = (m - middle) / (n - q - m + middle + 1.0)
        rises = (q - middle) * ratio * ratio > middle + 1.0
        low = np.where((low < high) & rises, middle + 1.0, low)
        high = np.where((low < high) & ~rises, middle, high)
    return low


def _reach(n: Floats, q: Floats) -> int:
    """How far from the largest summand others matter: logarithms bend by at least 4/Q + 8/(n - Q) a step."""
    bend = 4.0 / (q + 2.0) + 8.0 / (n - q + 2.0)
    return int(np.ceil(np.sqrt(2.0 * _LAST_BIT / bend.min()))) + 2
