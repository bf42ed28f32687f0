"""The probabilities that an ensemble of random subspaces is usable, covers the important terms, and is diverse.

Of n terms Q are important. Each of L members draws M terms without replacement, independently of the others (Gangeh,
Kamel and Duin, equations 2, 3 and 5). C(n, k) is the number of sets of k out of n terms. With h = C(n-Q, M) / C(n, M),
the probability that a member draws no important term,

    usability   every member has an important term               (1 - h)^L
    coverage    every important term is in some member           (1 - (1 - M/n)^L)^Q
    diversity   no two members have the same important terms     (1 - s)^(L(L-1)/2)

where s is the probability that two members have the same important terms. A member has exactly a given set of j
important terms, and no other important term, with probability g_j = C(n-Q, M-j) / C(n, M). There are C(Q, j) such sets,
so s is the sum over j of C(Q, j) g_j². The paper divides by C(n, M) once, not squared, and starts at j = 1: its sum
exceeds 1 by hundreds of orders of magnitude, and leaves out the case that both members have no important term.

**Exact or not.** `bounds` returns lower and upper bounds of the true coverage and diversity. Where failure is rare,
they nearly coincide with the formulas.

- Usability is exact, since members are independent.
- The formula of coverage treats terms as independent. In fact a member that has one term has less room for others:
  samples without replacement are negatively associated, so the true coverage is at most what the formula gives. It is
  at least 1 - Q (1 - M/n)^L.
- The formula of diversity treats pairs of members as independent, so the true diversity can be larger or smaller. It is
  at least 1 - s L(L-1)/2, since each of the L(L-1)/2 pairs is alike with probability s. It is at most (1 - s)^(L/2),
  with L/2 rounded down: members 1 and 2, 3 and 4, and so on are pairs without a common member. So these pairs are
  independent, and in each of them the members must differ.

All results are computed as logarithms (`log_usability` and so on). The logarithm of a probability near 1 is nearly
minus the probability of failure, so it stays precise where failure is rare.

**Drawing no important term.** h can't be computed from the two binomials, because they have thousands of digits, nor
precisely from the logarithms of factorials, because their rounding errors add up to 1e-9 at n = 10^6. With Stirling's
log k! = (k + 1/2) log k - k + log(2π)/2 + d(k), where d(k) is a small remainder, and with a = n - M - Q > 0, log h is a
sum of numbers about as small as itself, so no digits are lost:

    log h = Q log(1 - M/n) + M log(1 - Q/n) + (a + 1/2) log(1 + MQ/(na)) + d(n-M) + d(n-Q) - d(n) - d(a),

because (n-M)(n-Q) = na + MQ, and the terms -k of the four factorials cancel. If a = 0, only one of the C(n, M) sets
has no important term: that of all unimportant terms.

**Two members alike.** In s = Σ C(Q, j) g_j², the summand of j + 1 is that of j times (Q-j)/(j+1) ((M-j)/(n-Q-M+j+1))².
This ratio falls with j, so there is one largest summand. The others follow from it by products of ratios, and those far
from it don't matter. s is the same for n - M as for M, since members with the same important terms also leave out the
same ones. So an M above n/2 is replaced by n - M. Then s is close to 1 only if h is, and 1 - s is computed from small
numbers: (1 - h)(1 + h) minus the summands from j = 1 on.

**s falls as M grows to n/2**, so diversity rises. Suppose that each of two members has r terms that the other lacks.
They have the same important terms if none of these 2r terms is important. The probability of that, C(n-Q, 2r) / C(n,
2r), falls with r, and with a larger M, r tends to be larger: r has the probability C(M, r) C(n-M, r) / C(n, M). Divide
this probability for M + 1 by that for M: the quotient is (n-M-r) / (M+1-r), times a factor that does not depend on r.
It rises with r as long as M + 1 < n - M.
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
    # `where` computes both formulas for all x, and takes the first if x > -0.69, that is if e^x is above about 1/2.
    with np.errstate(divide="ignore"):  # at or near x = 0, both formulas may be minus infinity
        return np.where(x > -0.69, np.log(-np.expm1(x)), np.log1p(-np.exp(x)))


def log_draws_none(n: Floats, M: Floats, Q: Floats) -> Floats:
    """Return log h, where h is the probability that M terms drawn from n contain none of Q given terms.

    It is minus infinity if h is 0. The module's docstring derives the formula, with a = n - M - Q.
    """
    a = n - M - Q
    # The formula holds where a > 0. Elsewhere it gets numbers for which it is defined, and its result is not used.
    has_positive_a = a > 0
    positive_a = np.where(has_positive_a, a, 1.0)
    remainders = (
        _stirling_remainder(n - M)
        + _stirling_remainder(n - Q)
        - _stirling_remainder(n)
        - _stirling_remainder(positive_a)
    )
    log_h = (
        Q * log_complement(np.where(has_positive_a, M, 0.0), n)
        + M * log_complement(np.where(has_positive_a, Q, 0.0), n)
        + (positive_a + 0.5) * np.log1p(M * Q / (n * positive_a))
        + remainders
    )
    return np.where(has_positive_a, np.minimum(log_h, 0.0), np.where(a == 0, -log_choose(n, M), -np.inf))


def log_choose(n: Floats, k: Floats) -> Floats:
    """Return the logarithm of the binomial coefficient C(n, k), by Stirling's formula; 0 if k is 0 or n."""
    # The formula has log 0 where k is 0 or n. There it gets other numbers, and its result is not used.
    is_inside = (k > 0) & (k < n)
    n, k = np.where(is_inside, n, 2.0), np.where(is_inside, k, 1.0)
    log_leading = -k * np.log(k / n) - (n - k) * log_complement(k, n) + 0.5 * np.log(n / (2.0 * np.pi * k * (n - k)))
    log_binomial = log_leading + _stirling_remainder(n) - _stirling_remainder(k) - _stirling_remainder(n - k)
    return np.where(is_inside, log_binomial, 0.0)


def log_complement(part: Floats, total: Floats) -> Floats:
    """Return log(1 - part/total), accurate both where part is small and where it is nearly the total."""
    # `where` computes both formulas everywhere; `minimum` keeps the second one finite where it is not used. Where part
    # is the total, the result is log 0, minus infinity.
    with np.errstate(divide="ignore"):
        return np.where(2.0 * part > total, np.log((total - part) / total), np.log1p(-np.minimum(part / total, 0.5)))


def _stirling_remainder(k: Floats) -> Floats:
    """Return d(k), the remainder of Stirling's formula for log k!, for k from 1; 0 for other k.

    For large k it is a series in 1/k, which is not accurate enough for small k; these are in a table.
    """
    inverse = 1.0 / np.maximum(k, 1.0)
    square = inverse * inverse
    series = inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square * (1 / 1188)))))
    tabulated = _FIRST_REMAINDERS[np.clip(k, 0, len(_FIRST_REMAINDERS) - 1).astype(np.int64)]
    return np.where(k < len(_FIRST_REMAINDERS), tabulated, series)


def _first_remainders(most: int) -> Floats:
    """Return the remainders d(0), d(1), ..., d(most) of Stirling's formula for log k!; d(0) is set to 0.

    They come from the recurrence d(k) - d(k+1) = (k + 1/2) log(1 + 1/k) - 1, summed as a series without cancellation.
    """
    x = 1.0 / most
    remainders = [x / 12 - x**3 / 360 + x**5 / 1260 - x**7 / 1680]
    for k in range(most - 1, 0, -1):  # log(1 + 1/k) = 2 atanh(1/(2k+1)); the first summand of the series cancels the 1
        ratio = 1.0 / (2 * k + 1) ** 2
        remainders.append(remainders[-1] + sum(ratio**power / (2 * power + 1) for power in range(1, 40)))
    return np.array([0.0, *remainders[::-1]])


_FIRST_REMAINDERS = _first_remainders(30)


# -- two members with the same important terms -------------------------------------------------------------------------

_MAX_SUMMANDS = 1 << 20
"""The maximum number of summands in memory at a time."""

_NEGLIGIBLE = 40.0
"""Summands whose logarithm is lower than the largest one's by more than this do not change the sum."""


def log_pair_differs(n: Floats, M: Floats, Q: Floats) -> Floats:
    """Return log(1 - s), where 1 - s is the probability that two members do not have the same important terms.

    It is the same for n - M as for M, because members with the same important terms also leave out the same ones. So it
    is computed for the smaller of the two.
    """
    n, M, Q = np.broadcast_arrays(n, np.minimum(M, n - M), Q)
    result = np.full(n.shape, -np.inf)  # the value where members have all terms (now M = 0), and never differ
    can_differ = M > 0
    flat_n, flat_M, flat_Q = n[can_differ], M[can_differ], Q[can_differ]
    log_differs = np.empty(len(flat_n))
    start = 0
    while start < len(flat_n):  # so many entries at a time that they have at most _MAX_SUMMANDS summands together
        n_summands = 2 * _reach(flat_n[start:], flat_Q[start:]) + 1
        part = slice(start, min(len(flat_n), start + max(1, _MAX_SUMMANDS // n_summands)))
        log_differs[part] = _log_pair_differs(flat_n[part], flat_M[part], flat_Q[part])
        start = part.stop
    result[can_differ] = log_differs
    return result


def _log_pair_differs(n: Floats, M: Floats, Q: Floats) -> Floats:
    """Return log(1 - s) for vectors of n, M and Q, with M up to n/2; the module's docstring defines s, j, g and h.

    The summand of j = 0 is h²: both members have no important term. It is kept apart from the others, because 1 - h²
    can be computed accurately where h is close to 1.
    """
    best_j = _largest_summand(n, M, Q)
    # A member has exactly j given important terms if the n - M terms that it leaves out contain none of these, and if
    # its other M - j terms contain none of the other Q - j important terms.
    log_g = log_draws_none(n, n - M, best_j) + log_draws_none(n - best_j, M - best_j, Q - best_j)
    largest = np.exp(log_choose(Q, best_j) + 2.0 * log_g)
    log_h = log_draws_none(n, M, Q)
    h = np.exp(log_h)
    steps = np.arange(1.0, _reach(n, Q) + 1.0)
    above, below = _relative_summands(n, M, Q, best_j, steps), _relative_summands(n, M, Q, best_j, -steps)
    below_without_zero = np.where(best_j[:, None] == steps, 0.0, below)  # best_j steps below best_j is j = 0
    is_zero_best = best_j == 0
    sum_from_one = largest * (np.where(is_zero_best, 0.0, 1.0) + above.sum(1) + below_without_zero.sum(1))
    s = np.where(is_zero_best, largest + sum_from_one, sum_from_one + h * h)
    # Where h is large, s may be so close to 1 that 1 - s would lose its digits. There 1 - s is (1 - h)(1 + h), which is
    # 1 - h², minus the sum over j from 1. That sum is at most (1 - h)², so the subtraction is accurate.
    one_minus_s = -np.expm1(log_h) * (1.0 + h) - sum_from_one
    is_h_large = h > 0.5
    return np.where(is_h_large, np.log(np.where(is_h_large, one_minus_s, 1.0)), np.log1p(-np.where(is_h_large, 0.0, s)))


def _relative_summands(n: Floats, M: Floats, Q: Floats, best_j: Floats, steps: Floats) -> Floats:
    """Return summands of s divided by the largest, that of `best_j`: an array of (entries of n, M and Q) x steps.

    `steps` are 1, 2, ... for the summands of larger j, or -1, -2, ... for those of smaller j; summands that don't exist
    are 0. The quotients are products of the ratios of neighbouring summands.
    """
    is_upwards = steps[0] > 0
    j = best_j[:, None] + (steps - 1.0 if is_upwards else steps)  # the ratios are of summand j + 1 to summand j
    n, M, Q = n[:, None], M[:, None], Q[:, None]
    least_j = np.maximum(0.0, M + Q - n)  # a member leaves out at most n - M of the important terms
    # Summands exist for j from least_j to min(Q, M). Steps that lead beyond this range stop where the ratio is 0, so
    # that all further products are 0: upwards at min(Q, M), downwards just below least_j.
    j = np.clip(j, least_j - 1.0, np.minimum(Q, M))
    # The ratio of g of j + 1 to g of j. The divisor is below 1 only for j < least_j, where the ratio is not used.
    g_ratio = (M - j) / np.maximum(n - Q - M + j + 1.0, 1.0)
    numerator, denominator = (Q - j) * g_ratio * g_ratio, j + 1.0
    if is_upwards:
        return np.asarray(np.cumprod(numerator / denominator, axis=1))
    is_below_least = least_j > j  # there is no summand of this j
    ratios = np.where(is_below_least, 0.0, denominator / np.where(is_below_least, 1.0, numerator))
    return np.asarray(np.cumprod(ratios, axis=1))


def _largest_summand(n: Floats, M: Floats, Q: Floats) -> Floats:
    """Return the j of the largest summand of s, by bisection: the smallest j whose next summand is not larger."""
    low, high = np.maximum(0.0, M + Q - n), np.minimum(Q, M)
    while (low < high).any():
        middle = np.floor((low + high) / 2.0)
        g_ratio = (M - middle) / (n - Q - M + middle + 1.0)  # g of middle + 1 to g of middle
        rises = (Q - middle) * g_ratio * g_ratio > middle + 1.0  # the next summand is larger
        low = np.where((low < high) & rises, middle + 1.0, low)
        high = np.where((low < high) & ~rises, middle, high)
    return low


def _reach(n: Floats, Q: Floats) -> int:
    """Return how many summands on each side of the largest one have to be added; those farther away are negligible.

    From each summand to the next, the difference of their logarithms falls by at least c = 4/(Q + 2) + 8/(n - Q + 2).
    So k steps away from the largest summand, the logarithm is lower by about c k²/2. That reaches `_NEGLIGIBLE` at
    k = √(2 `_NEGLIGIBLE` / c); two steps are added because of the "about". The result is enough for all entries of n
    and Q.
    """
    curvature = 4.0 / (Q + 2.0) + 8.0 / (n - Q + 2.0)
    return int(np.ceil(np.sqrt(2.0 * _NEGLIGIBLE / curvature.min()))) + 2


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

    Examples
    --------
    >>> from textsieve.ensembles import usability
    >>> round(float(usability(n=10_000, M=4_000, L=100, Q=20)), 4)
    0.9964
    """
    return _float_or_array(np.exp(log_usability(n, M, L, Q)))


def coverage(n: ArrayLike, M: ArrayLike, L: ArrayLike, Q: ArrayLike) -> Any:
    """Return the probability that each of the Q important terms is in at least one of L members.

    The formula treats terms as independent, so the result is never below the true probability; `bounds` gives the
    possible error. The parameters are those of `usability`.

    Examples
    --------
    >>> from textsieve.ensembles import coverage
    >>> round(float(coverage(n=10_000, M=4_000, L=100, Q=20)), 4)
    1.0
    """
    return _float_or_array(np.exp(log_coverage(n, M, L, Q)))


def diversity(n: ArrayLike, M: ArrayLike, L: ArrayLike, Q: ArrayLike) -> Any:
    """Return the probability that no two of L members have the same important terms; approximate.

    The formula treats pairs of members as independent; `bounds` gives the possible error. With one member there is no
    pair, so the result is 1. The parameters are those of `usability`.

    Examples
    --------
    >>> from textsieve.ensembles import diversity
    >>> round(float(diversity(n=10_000, M=4_000, L=100, Q=20)), 4)
    0.9897
    """
    return _float_or_array(np.exp(log_diversity(n, M, L, Q)))


def expected_difference(n: ArrayLike, M: ArrayLike, Q: ArrayLike) -> Any:
    """Return the expected number of important terms that one of two members has and the other does not; exact.

    Each of the Q terms is in exactly one of them with probability 2 (M/n) (1 - M/n).

    Examples
    --------
    >>> from textsieve.ensembles import expected_difference
    >>> float(expected_difference(n=10_000, M=4_000, Q=20))
    9.6
    """
    n, M, _, Q = _check_numbers(n, M, L=1, Q=Q)  # the result does not depend on L
    return _float_or_array(2.0 * Q * (M / n) * ((n - M) / n))


class ProbabilityBounds(NamedTuple):
    """Bounds between which the true coverage and diversity lie; floats, or arrays for arrays of sizes."""

    least_coverage: Any
    most_coverage: Any
    least_diversity: Any
    most_diversity: Any


def bounds(n: ArrayLike, M: ArrayLike, L: ArrayLike, Q: ArrayLike) -> ProbabilityBounds:
    """Return bounds of the true coverage and diversity, which hold although terms and pairs are not independent.

    The parameters are those of `usability`. The lower bound of coverage is 1 minus the sum over the important terms of
    the probability that no member has the term, and that of diversity 1 minus the sum over the pairs of members of the
    probability that they have the same important terms; both are at least 0. The upper bound of coverage is the formula
    of `coverage`. That of diversity is the probability that L/2 pairs without a common member all differ, and 0 if
    there are more members than possible sets of important terms.

    Examples
    --------
    >>> from textsieve.ensembles import bounds
    >>> probabilities = bounds(n=10_000, M=4_000, L=100, Q=20)
    >>> round(float(probabilities.least_diversity), 2), round(float(probabilities.most_diversity), 4)
    (0.99, 0.9999)
    """
    n, M, L, Q = _check_numbers(n, M, L, Q)
    log_missed = L * log_complement(M, n)  # the logarithm of the probability that no member has a given term
    log_differs = log_pair_differs(n, M, Q)
    expected_same = L * (L - 1.0) / 2.0 * -np.expm1(log_differs)
    has_too_many_members = np.exp2(np.minimum(Q, 1000.0)) < L  # more than the 2^Q sets of important terms; no overflow
    most_diversity = np.where(has_too_many_members, 0.0, np.exp(_times(np.floor(L / 2.0), log_differs)))
    return ProbabilityBounds(
        least_coverage=_float_or_array(np.maximum(1.0 - Q * np.exp(log_missed), 0.0)),
        most_coverage=_float_or_array(np.exp(Q * log_one_minus_exp(log_missed))),
        least_diversity=_float_or_array(np.where(has_too_many_members, 0.0, np.maximum(1.0 - expected_same, 0.0))),
        most_diversity=_float_or_array(most_diversity),
    )


# -- their logarithms ------------------------------------------------------------------------------------------------


def log_usability(n: ArrayLike, M: ArrayLike, L: ArrayLike, Q: ArrayLike) -> Floats:
    """Return the logarithm of `usability`."""
    n, M, L, Q = _check_numbers(n, M, L, Q)
    return np.asarray(L * log_one_minus_exp(log_draws_none(n, M, Q)))


def log_coverage(n: ArrayLike, M: ArrayLike, L: ArrayLike, Q: ArrayLike) -> Floats:
    """Return the logarithm of `coverage`."""
    n, M, L, Q = _check_numbers(n, M, L, Q)
    return np.asarray(Q * log_one_minus_exp(L * log_complement(M, n)))


def log_diversity(n: ArrayLike, M: ArrayLike, L: ArrayLike, Q: ArrayLike) -> Floats:
    """Return the logarithm of `diversity`."""
    n, M, L, Q = _check_numbers(n, M, L, Q)
    return _times(L * (L - 1.0) / 2.0, log_pair_differs(n, M, Q))


# -- input and output ------------------------------------------------------------------------------------------------


def _times(factor: Floats, logarithm: Floats) -> Floats:
    """Return factor x logarithm, but 0 where the factor is 0, even if the logarithm is minus infinity."""
    factor, logarithm = np.broadcast_arrays(factor, logarithm)
    return np.where(factor > 0, factor * np.where(factor > 0, logarithm, 0.0), 0.0)


def _float_or_array(result: Any) -> Any:
    """Return a result as a float if it is a scalar, and as an array otherwise."""
    return float(result) if np.ndim(result) == 0 else np.asarray(result)


class _Parameter(NamedTuple):
    """The rules for one of the four numbers."""

    name: str
    meaning: str
    is_invalid: Callable[[Ints, Ints], Any]  # of n and the values of the parameter
    allowed: str


_PARAMETERS = (
    _Parameter("n", "terms in all", lambda n, value: (value < 1) | (value > LARGEST), f"from 1 to {LARGEST:,}"),
    _Parameter("M", "terms of a member", lambda n, value: (value < 1) | (value > n), "from 1 to n"),
    _Parameter("L", "members", lambda n, value: value < 1, "from 1"),
    _Parameter("Q", "important terms", lambda n, value: (value < 1) | (value > n), "from 1 to n"),
)


def _check_numbers(n: ArrayLike, M: ArrayLike, L: ArrayLike, Q: ArrayLike) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the four numbers or arrays as floats with integer values, not yet broadcast.

    Raise `InputError` if one is invalid or if the arrays cannot be broadcast together.
    """
    arrays = [_as_integers(parameter, value) for parameter, value in zip(_PARAMETERS, (n, M, L, Q), strict=True)]
    try:
        np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError as problem:
        shapes = ", ".join(f"{rule.name} {array.shape}" for rule, array in zip(_PARAMETERS, arrays, strict=True))
        raise InputError(
            f"The arrays can't be broadcast together: {shapes}",
            hint="for a surface over M and L, give M[:, None] and L",
        ) from problem
    for (name, meaning, is_invalid, allowed), array in zip(_PARAMETERS, arrays, strict=True):
        all_n, values = np.broadcast_arrays(arrays[0], array)
        invalid = np.asarray(is_invalid(all_n, values))
        if invalid.any():
            first = np.unravel_index(int(invalid.argmax()), invalid.shape)
            given_n = "" if name == "n" else f" with n={int(all_n[first]):,}"
            raise InputError(f"{name}={int(values[first]):,} {meaning}{given_n}", hint=f"use whole numbers {allowed}")
    float_n, float_M, float_L, float_Q = (array.astype(np.float64) for array in arrays)
    return float_n, float_M, float_L, float_Q


def _as_integers(parameter: _Parameter, value: ArrayLike) -> Ints:
    """Return the value of a parameter as an array; raise `InputError` if it is not of an integer type."""
    array = np.asarray(value)
    if array.dtype.kind not in "iu":
        raise InputError(f"{parameter.name}={shown(value)} {parameter.meaning}", hint="use whole numbers below 2^63")
    return array
