"""The probability of drawing none of some terms, in logarithms, with all digits.

M of n terms are drawn without replacement; that none of Q given ones is among them has the probability h = C(n-Q, M) /
C(n, M). The binomials have thousands of digits, and logarithms of factorials that nearly cancel are wrong by 1e-9 at n
= 10^6. With Stirling's log k! = (k + 1/2) log k - k + log(2π)/2 + d(k) and a = n - M - Q > 0 it can be put together
from summands that are as small as log h itself:

    log h = Q log(1 - M/n) + M log(1 - Q/n) + (a + 1/2) log(1 + MQ/(na)) + d(n-M) + d(n-Q) - d(n) - d(a).

For, (n-M)(n-Q) = na + MQ, so the powers of (n-M)/n, (n-Q)/n and a/n that Stirling gives can be sorted by Q, M and a;
and what is left of -k in the four factorials is 0. If a = 0 there is one set that will do, of C(n, M).
"""

from __future__ import annotations

import numpy as np

from ..stats.sums import Floats


def log_one_minus_exp(x: Floats) -> Floats:
    """The logarithm of 1 - e^x for x up to 0, with all digits where e^x is nearly 0 and where it is nearly 1."""
    with np.errstate(divide="ignore"):
        return np.where(x > -0.69, np.log(-np.expm1(np.maximum(x, -1.0))), np.log1p(-np.exp(x)))


def log_none(terms: Floats, drawn: Floats, important: Floats) -> Floats:
    """The logarithm of h, that none of the important terms is drawn; minus infinity if that cannot be."""
    left = terms - drawn - important
    spread = np.where(left > 0, left, 1.0)
    together = np.log1p(drawn * important / (terms * spread))
    stirling = _rest(terms - drawn) + _rest(terms - important) - _rest(terms) - _rest(spread)
    common = (
        important * log_without(np.where(left > 0, drawn, 0.0), terms)
        + drawn * log_without(np.where(left > 0, important, 0.0), terms)
        + (spread + 0.5) * together
        + stirling
    )
    single = -log_choose(terms, drawn)  # all that is not important is drawn: one set of so many
    return np.where(left > 0, np.minimum(common, 0.0), np.where(left == 0, single, -np.inf))


def log_choose(terms: Floats, drawn: Floats) -> Floats:
    """The logarithm of the number of sets."""
    inside = (drawn > 0) & (drawn < terms)
    n, k = np.where(inside, terms, 2.0), np.where(inside, drawn, 1.0)
    spread = -k * np.log(k / n) - (n - k) * log_without(k, n) + 0.5 * np.log(n / (2.0 * np.pi * k * (n - k)))
    return np.where(inside, spread + _rest(n) - _rest(k) - _rest(n - k), 0.0)


def log_without(part: Floats, whole: Floats) -> Floats:
    """log(1 - part/whole), from the difference where that is small."""
    with np.errstate(divide="ignore"):
        return np.where(2.0 * part > whole, np.log((whole - part) / whole), np.log1p(-np.minimum(part / whole, 0.5)))


def _rest(k: Floats) -> Floats:
    """d(k), what Stirling's formula leaves of log k!, for k from 1; 0 for others."""
    inverse = 1.0 / np.maximum(k, 1.0)
    square = inverse * inverse
    series = inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square * (1 / 1188)))))
    few = _FEW_RESTS[np.clip(k, 0, len(_FEW_RESTS) - 1).astype(np.int64)]
    return np.where(k < len(_FEW_RESTS), few, series)


def _first_rests(most: int) -> Floats:
    """d(0), d(1), ... by a sum whose terms fall by themselves: d(k) - d(k+1) = (k + 1/2) log(1 + 1/k) - 1."""
    x = 1.0 / most
    rests = [x / 12 - x**3 / 360 + x**5 / 1260 - x**7 / 1680]
    for k in range(most - 1, 0, -1):  # with log(1 + 1/k) as 2 atanh(1/(2k+1)), the first summand is the 1
        ratio = 1.0 / (2 * k + 1) ** 2
        rests.append(rests[-1] + sum(ratio**power / (2 * power + 1) for power in range(1, 40)))
    return np.array([0.0, *rests[::-1]])


_FEW_RESTS = _first_rests(30)
