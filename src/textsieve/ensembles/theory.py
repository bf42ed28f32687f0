"""Compute how likely an ensemble of random subspaces is usable, covers the important terms, and has no equal members.

Of n terms Q are important. Each of L members draws M terms without replacement, independently of the others (Gangeh,
Kamel and Duin, equations 2, 3 and 5). With h = C(n-Q, M) / C(n, M), the probability that a member draws no important
term,

    usability   every member has an important term               (1 - h)^L
    coverage    every important term is in some member           (1 - (1 - M/n)^L)^Q
    diversity   no two members have the same important terms     (1 - s)^(L(L-1)/2)

where s is the probability that two members have the same important terms. A given set of j important terms is exactly
what a member has of them with probability g_j = C(n-Q, M-j) / C(n, M), and there are C(Q, j) such sets, so s is the sum
over j of C(Q, j) g_j². The paper divides by C(n, M) once, not squared, and starts at j = 1: its sum exceeds 1 by
hundreds of digits, and leaves out two members that both have no important term.

**Exact or not.** Usability is exact, since members are independent. Coverage treats terms as independent. In fact a
member that has one term has less room for others: samples without replacement are negatively associated, so the true
coverage is at most what the formula gives, and at least 1 - Q (1 - M/n)^L. Diversity treats pairs of members as
independent. The truth can be on either side: it is at least 1 - s L(L-1)/2, and at most (1 - s) for each of L/2
disjoint pairs. `bounds` has both. Where failure is rare, all agree.

All results are computed as logarithms, which near 1 are minus the probability of failure: `log_usability` and so on.

**Drawing no important term.** The binomials have thousands of digits, and differences of logarithms of factorials are
wrong by 1e-9 at n = 10^6. With Stirling's log k! = (k + 1/2) log k - k + log(2π)/2 + d(k) and a = n - M - Q > 0, log h
is a sum of terms as small as itself:

    log h = Q log(1 - M/n) + M log(1 - Q/n) + (a + 1/2) log(1 + MQ/(na)) + d(n-M) + d(n-Q) - d(n) - d(a),

because (n-M)(n-Q) = na + MQ, and the terms -k of the four factorials cancel. If a = 0, one of C(n, M) sets will do.

**Two members alike.** In s = Σ C(Q, j) g_j², the next summand is (Q-j)/(j+1) ((M-j)/(n-Q-M+j+1))² times the one before.
This ratio falls with j, so there is one largest summand, from which the others follow by products, and those far from
it don't matter. Drawing n - M terms gives the same s, since the terms left out also agree, so M is at most n/2. Then s
is close to 1 only if h is, and 1 - s is computed from small numbers: (1 - h)(1 + h) minus the summands from j = 1 on.

s falls as M grows to n/2: two members that differ in d terms each have the same important terms with a probability that
falls with d, C(n-Q, 2d) / C(n, 2d). And d has the probabilities C(M, d) C(n-M, d) / C(n, M), whose ratio for M + 1 and
M is, up to a factor, (n-M-d) / (M+1-d), which rises with d as long as M + 1 < n - M. So a larger M gives a larger d.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, Ints
from ..errors import InputError, shown


def log_one_minus_exp(x: Floats) -> Floats:
    """Return log(1 - e^x) for x up to 0, accurate both where e^x is nearly 0 and where it is nearly 1."""
    with np.errstate(divide="ignore"):
        return np.where(x > -0.69, np.log(-np.expm1(np.maximum(x, -1.0))), np.log1p(-np.exp(x)))


def log_none(terms: Floats, drawn: Floats, important: Floats) -> Floats:
    """Return log h, where h is the probability that no important term is drawn; minus infinity if h is 0."""
    n_other = terms - drawn - important
    spread = np.where(n_other > 0, n_other, 1.0)
    together = np.log1p(drawn * important / (terms * spread))
    stirling = (
        _stirling_remainder(terms - drawn)
        + _stirling_remainder(terms - important)
        - _stirling_remainder(terms)
        - _stirling_remainder(spread)
    )
    common = (
        important * log_without(np.where(n_other > 0, drawn, 0.0), terms)
        + drawn * log_without(np.where(n_other > 0, important, 0.0), terms)
        + (spread + 0.5) * together
        + stirling
    )
    single = -log_choose(terms, drawn)  # only the set of all unimportant terms has none: one of C(n, M) sets
    return np.where(n_other > 0, np.minimum(common, 0.0), np.where(n_other == 0, single, -np.inf))


def log_choose(terms: Floats, drawn: Floats) -> Floats:
    """Return the logarithm of the binomial coefficient C(terms, drawn)."""
    inside = (drawn > 0) & (drawn < terms)
    n, k = np.where(inside, terms, 2.0), np.where(inside, drawn, 1.0)
    spread = -k * np.log(k / n) - (n - k) * log_without(k, n) + 0.5 * np.log(n / (2.0 * np.pi * k * (n - k)))
    return np.where(inside, spread + _stirling_remainder(n) - _stirling_remainder(k) - _stirling_remainder(n - k), 0.0)


def log_without(part: Floats, whole: Floats) -> Floats:
    """Return log(1 - part/whole), computed from the difference if that is small."""
    with np.errstate(divide="ignore"):
        return np.where(2.0 * part > whole, np.log((whole - part) / whole), np.log1p(-np.minimum(part / whole, 0.5)))


def _stirling_remainder(k: Floats) -> Floats:
    """Return d(k), the remainder of Stirling's formula for log k!, for k from 1; 0 for other k."""
    inverse = 1.0 / np.maximum(k, 1.0)
    square = inverse * inverse
    series = inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square * (1 / 1188)))))
    few = _FEW_REMAINDERS[np.clip(k, 0, len(_FEW_REMAINDERS) - 1).astype(np.int64)]
    return np.where(k < len(_FEW_REMAINDERS), few, series)


def _first_remainders(most: int) -> Floats:
    """Return d(0), d(1), ..., d(most).

    They come from the recurrence d(k) - d(k+1) = (k + 1/2) log(1 + 1/k) - 1, summed as a series without cancellation.
    """
    x = 1.0 / most
    remainders = [x / 12 - x**3 / 360 + x**5 / 1260 - x**7 / 1680]
    for k in range(most - 1, 0, -1):  # log(1 + 1/k) = 2 atanh(1/(2k+1)); the first summand of the series cancels the 1
        ratio = 1.0 / (2 * k + 1) ** 2
        remainders.append(remainders[-1] + sum(ratio**power / (2 * power + 1) for power in range(1, 40)))
    return np.array([0.0, *remainders[::-1]])


_FEW_REMAINDERS = _first_remainders(30)


_CELLS = 1 << 20
"""The maximum number of summands in memory at a time."""

_LAST_BIT = 40.0
"""Summands whose logarithm is lower than the largest one's by more than this do not change the sum."""


def log_distinct(terms: Floats, drawn: Floats, important: Floats) -> Floats:
    """Return log(1 - s), where 1 - s is the probability that two members do not have the same important terms.

    It depends on the smaller of the numbers of drawn terms and of terms left out: two members that agree in what they
    have also agree in what they leave out.
    """
    terms, drawn, important = np.broadcast_arrays(terms, np.minimum(drawn, terms - drawn), important)
    result = np.full(terms.shape, -np.inf)  # the value if all terms are drawn, or none
    is_drawn = drawn > 0
    n, m, q = terms[is_drawn], drawn[is_drawn], important[is_drawn]
    distinct = np.empty(len(n))
    start = 0
    while start < len(n):
        end = min(len(n), start + max(1, _CELLS // (2 * _reach(n[start:], q[start:]) + 1)))
        distinct[start:end] = _log_distinct_in_rows(n[start:end], m[start:end], q[start:end])
        start = end
    result[is_drawn] = distinct
    return result


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
    # with_some is at most (1 - h)^2, so subtracting it from (1 - h)(1 + h) loses no precision unless h is small
    complement = -np.expm1(log_without_any) * (1.0 + none) - with_some
    mostly_none = none > 0.5
    return np.where(
        mostly_none, np.log(np.where(mostly_none, complement, 1.0)), np.log1p(-np.where(mostly_none, 0.0, same))
    )


def _products(n: Floats, m: Floats, q: Floats, best: Floats, steps: Floats) -> Floats:
    """Return the summands next to the largest one, relative to it: upwards, or downwards for negative steps."""
    upwards = steps[0] > 0
    j = best[:, None] + (steps - 1.0 if upwards else steps)
    n, m, q = n[:, None], m[:, None], q[:, None]
    j = np.clip(j, np.maximum(0.0, m + q - n) - 1.0, np.minimum(q, m))
    ratio = (m - j) / np.maximum(n - q - m + j + 1.0, 1.0)
    above, below = (q - j) * ratio * ratio, j + 1.0
    if upwards:
        return np.asarray(np.cumprod(above / below, axis=1))
    beneath = np.maximum(m + q - n, 0.0) > j  # there is no lower summand
    return np.asarray(np.cumprod(np.where(beneath, 0.0, below / np.where(beneath, 1.0, above)), axis=1))


def _largest_summand(n: Floats, m: Floats, q: Floats) -> Floats:
    """Return the j of the largest summand: the first whose ratio to the next is not above 1, found by bisection."""
    low, high = np.maximum(0.0, m + q - n), np.minimum(q, m)
    while (low < high).any():
        middle = np.floor((low + high) / 2.0)
        ratio = (m - middle) / (n - q - m + middle + 1.0)
        rises = (q - middle) * ratio * ratio > middle + 1.0
        low = np.where((low < high) & rises, middle + 1.0, low)
        high = np.where((low < high) & ~rises, middle, high)
    return low


def _reach(n: Floats, q: Floats) -> int:
    """Return how far from the largest summand others matter.

    The logarithms of the summands curve by at least 4/Q + 8/(n - Q) per step.
    """
    bend = 4.0 / (q + 2.0) + 8.0 / (n - q + 2.0)
    return int(np.ceil(np.sqrt(2.0 * _LAST_BIT / bend.min()))) + 2


LARGEST = 10**9
"""The largest number of terms; with more, sums over j would need too much memory."""

# -- the three probabilities -----------------------------------------------------------------------------------------


def usability(n: ArrayLike, M: ArrayLike, L: ArrayLike, Q: ArrayLike) -> Any:
    """Return the probability that each of L members has at least one of the Q important terms; exact.

    Parameters
    ----------
    n, M, L, Q : integers, or integer arrays that can be broadcast together
        The numbers of all terms, of terms of a member, of members, and of important terms.

    Returns
    -------
    float, or an array of the broadcast shape
    """
    return _float_or_array(np.exp(log_usability(n, M, L, Q)))


def coverage(n: ArrayLike, M: ArrayLike, L: ArrayLike, Q: ArrayLike) -> Any:
    """Return the probability that all Q important terms are covered: none is missing from all L members.

    The formula treats terms as independent, so the result is never below the true probability; `bounds` gives the
    possible error. The parameters are those of `usability`.
    """
    return _float_or_array(np.exp(log_coverage(n, M, L, Q)))


def diversity(n: ArrayLike, M: ArrayLike, L: ArrayLike, Q: ArrayLike) -> Any:
    """Return the probability that no two of L members have the same important terms; approximate.

    The formula treats pairs of members as independent; `bounds` gives the possible error. With one member there is no
    pair, so the result is 1. The parameters are those of `usability`.
    """
    return _float_or_array(np.exp(log_diversity(n, M, L, Q)))


def expected_difference(n: ArrayLike, M: ArrayLike, Q: ArrayLike) -> Any:
    """Return the expected number of important terms that one of two members has and the other does not; exact.

    Each of the Q terms is in exactly one of them with probability 2 (M/n) (1 - M/n).
    """
    terms, drawn, _, important = _checked(n, M, 1, Q)
    return _float_or_array(2.0 * important * (drawn / terms) * ((terms - drawn) / terms))


class ProbabilityBounds(NamedTuple):
    """Guaranteed bounds of the true probabilities of coverage and diversity."""

    least_coverage: Any
    most_coverage: Any
    least_diversity: Any
    most_diversity: Any


def bounds(n: ArrayLike, M: ArrayLike, L: ArrayLike, Q: ArrayLike) -> ProbabilityBounds:
    """Return bounds of coverage and diversity that hold without independence. The parameters are those of `usability`.

    The lower bounds are 1 minus the sum of the probabilities that a term is missed, or that a pair is the same. The
    upper bound of coverage is the formula itself. That of diversity is the formula for L/2 disjoint pairs of members,
    and 0 if there are more members than possible sets of important terms.
    """
    terms, drawn, members, important = _checked(n, M, L, Q)
    missed = important * np.exp(members * log_without(drawn, terms))
    log_apart = log_distinct(terms, drawn, important)
    same = members * (members - 1.0) / 2.0 * -np.expm1(log_apart)
    too_many = members > np.exp2(np.minimum(important, 1000.0))
    pairs = np.floor(members / 2.0)
    most = np.where(too_many, 0.0, np.exp(_times(pairs, log_apart)))
    return ProbabilityBounds(
        _float_or_array(np.maximum(1.0 - missed, 0.0)),
        coverage(n, M, L, Q),
        _float_or_array(np.where(too_many, 0.0, np.maximum(1.0 - same, 0.0))),
        _float_or_array(most),
    )


# -- their logarithms ------------------------------------------------------------------------------------------------


def log_usability(n: ArrayLike, M: ArrayLike, L: ArrayLike, Q: ArrayLike) -> Floats:
    """Return the logarithm of `usability`."""
    terms, drawn, members, important = _checked(n, M, L, Q)
    return np.asarray(members * log_one_minus_exp(log_none(terms, drawn, important)))


def log_coverage(n: ArrayLike, M: ArrayLike, L: ArrayLike, Q: ArrayLike) -> Floats:
    """Return the logarithm of `coverage`."""
    terms, drawn, members, important = _checked(n, M, L, Q)
    return np.asarray(important * log_one_minus_exp(members * log_without(drawn, terms)))


def log_diversity(n: ArrayLike, M: ArrayLike, L: ArrayLike, Q: ArrayLike) -> Floats:
    """Return the logarithm of `diversity`."""
    terms, drawn, members, important = _checked(n, M, L, Q)
    return _times(members * (members - 1.0) / 2.0, log_distinct(terms, drawn, important))


# -- input and output ------------------------------------------------------------------------------------------------


def _times(factor: Floats, logarithm: Floats) -> Floats:
    """Return a multiple of a logarithm; 0 times log 0 is 0."""
    factor, logarithm = np.broadcast_arrays(factor, logarithm)
    return np.where(factor > 0, factor * np.where(factor > 0, logarithm, 0.0), 0.0)


def _float_or_array(result: Any) -> Any:
    """Return a float for a scalar, and an array otherwise."""
    return float(result) if np.ndim(result) == 0 else np.asarray(result)


_Limits = tuple[str, str, Callable[[Ints, Ints], Any], str]

_LIMITS: tuple[_Limits, ...] = (
    ("n", "terms in all", lambda n, given: (given < 1) | (given > LARGEST), f"from 1 to {LARGEST:,}"),
    ("M", "terms of a member", lambda n, given: (given < 1) | (given > n), "from 1 to n"),
    ("L", "members", lambda n, given: given < 1, "from 1"),
    ("Q", "important terms", lambda n, given: (given < 1) | (given > n), "from 1 to n"),
)
"""For each parameter: its name, its meaning, a test for invalid values, and the allowed range as text."""


def _checked(n: ArrayLike, M: ArrayLike, L: ArrayLike, Q: ArrayLike) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the four numbers or arrays as floats with integer values, not yet broadcast.

    Raise `InputError` if one is invalid or if the arrays cannot be broadcast together.
    """
    arrays = [_as_integers(name, what, given) for (name, what, *_), given in zip(_LIMITS, (n, M, L, Q), strict=True)]
    try:
        np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError as problem:
        shapes = ", ".join(f"{name} {array.shape}" for (name, *_), array in zip(_LIMITS, arrays, strict=True))
        raise InputError(
            f"The arrays do not go together: {shapes}; for a surface over M and L, give M[:, None] and L."
        ) from problem
    for (name, what, bad, allowed), array in zip(_LIMITS, arrays, strict=True):
        terms, given = np.broadcast_arrays(arrays[0], array)
        if (wrong := np.asarray(bad(terms, given))).any():
            place = np.unravel_index(int(wrong.argmax()), wrong.shape)
            of_n = "" if name == "n" else f" with n={int(terms[place]):,}"
            raise InputError(f"{name}={int(given[place]):,} {what}{of_n}; use whole numbers {allowed}.")
    terms, drawn, members, important = (array.astype(np.float64) for array in arrays)
    return terms, drawn, members, important


def _as_integers(name: str, what: str, given: ArrayLike) -> Ints:
    array = np.asarray(given)
    if array.dtype.kind not in "iu":
        raise InputError(f"{name}={shown(given)} {what}; use whole numbers below 2^63.")
    return array
