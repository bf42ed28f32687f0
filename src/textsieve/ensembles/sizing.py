"""Suggest the size of an ensemble: the number of important terms, of terms of a member, and of members.

**Important terms** are determined from their scores, in one of two ways. "energy" takes the fewest best terms that hold
a given share of the sum of all scores. "knee" takes the terms up to the knee of the curve of cumulative scores. With
the best term first, this curve rises from 0 to the sum of all scores, ever less steeply. Its knee is the point that is
farthest above the straight line between its ends. Before it, the curve is steeper than the line, after it less steep.
The slope of the curve is the score of the next term, and that of the line is the mean score; so the terms before the
knee are those with at least the mean score.

**The best size.** The *worst probability* of a size (M terms of each of L members) is the smallest of its usability,
coverage and diversity (see `theory`). These pull in different directions: with more members, coverage rises and the
other two fall; with more terms, usability and coverage rise, and diversity rises up to M = n/2 and falls after it. The
best size is the one with the largest worst probability, of all (M, L) whose training cost M L is within a limit. For
each M, the best L is where the rising coverage meets the smaller of the falling two. Bisection finds this L for all M
at once, so that every size is considered, and not only those of a grid. L is at least 2: a single member with all terms
would always be best, as it is usable, covers everything and resembles no other member, but it is not an ensemble.

**The cheapest size.** With thousands of terms, many sizes have a worst probability of 1.0 to all digits, and it doesn't
matter whether a size fails once in 10^100 or in 10^120 times. So of all sizes whose worst probability is at least (1 -
`within`) times that of the best size, the cheapest is suggested, and of equally cheap ones the one with fewer terms.
For each M, the cheapest L is the smallest with enough coverage, if usability and diversity are sufficient there; a
larger L would only lower them.

The cheapest sizes are few members with nearly all terms, because the three probabilities don't demand that members
differ by more than a term. To get smaller members, set `n_terms`, for instance from a grid search; the suggestion then
gives the number of members needed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, Ints
from ..errors import InputError, Setting
from ..selectors.trace import terms_for_energy
from ..settings import as_number, is_whole
from .theory import coverage, diversity, log_complement, log_diversity, log_one_minus_exp, log_usability, usability


def important_terms(scores: ArrayLike, way: Literal["energy", "knee"] = "energy", level: float = 0.8) -> int:
    """Return the number of important terms, given their scores, such as a selector's `scores_`.

    Scores of 0 or less are ignored, including minus infinity for terms that a `Cascade` dropped.

    Parameters
    ----------
    scores : array
        One number for each term.
    way : "energy" or "knee"
        "energy" counts the fewest terms that hold a share of the sum of all scores; "knee" counts those with at least
        the mean score.
    level : float
        The share for "energy".

    Examples
    --------
    >>> from textsieve.ensembles import important_terms
    >>> important_terms([5.0, 3.0, 1.0, 0.5, 0.5], level=0.8)
    2
    """
    if way not in COUNTING_RULES:
        raise InputError(setting="way", value=way, hint=f"use {' or '.join(map(repr, COUNTING_RULES))}")
    if not 0.0 < as_number(level) <= 1.0:
        raise InputError(setting="level", value=level, hint="use a share above 0.0 and up to 1.0, for example 0.8")
    return COUNTING_RULES[way](_best_first(scores), float(level))


def _best_first(scores: ArrayLike) -> Floats:
    """Return the positive scores divided by the largest, the best first."""
    all_scores = np.asarray(scores)
    if all_scores.dtype.kind not in "iuf" or all_scores.ndim != 1:
        raise InputError(
            setting="scores", value=scores, hint="give one number for each term, for example a selector's scores_"
        )
    if np.isnan(all_scores).any() or np.isposinf(all_scores).any():
        raise InputError("scores has NaN or infinity, of which there is no share", hint="give finite numbers")
    positive = all_scores[all_scores > 0].astype(np.float64)
    if not len(positive):
        raise InputError(
            f"None of {all_scores.size:,} scores is above 0, so no term is important", hint="give other scores"
        )
    return np.sort(positive / positive.max())[::-1]


def _knee(sorted_scores: Floats, level: float) -> int:
    """Return how many scores are at least the mean, with a tolerance for rounding, so that equal scores all count.

    `level` is not used; it is there because all rules have the same parameters.
    """
    return int(np.count_nonzero(sorted_scores >= sorted_scores.mean() * (1.0 - 1e-12)))


COUNTING_RULES: dict[str, Callable[[Floats, float], int]] = {"energy": terms_for_energy, "knee": _knee}
"""Functions of descending scores and a level that return the number of important terms, by name."""


COST_OF_A_TERM = 160
"""The default cost per term: the paper uses 400 members with 2,000 of 5,000 terms, so each term is used 160 times."""

MAX_TERMS = 1_000_000
"""The largest number of terms for which `suggest` works."""

LARGEST_COST = 2**53
"""The largest allowed cost: up to here, floats represent all integers exactly."""

WITHIN = 1e-6
"""The default of `within`: the share by which the worst probability may be below the best one, for a lower cost."""

NEGLIGIBLE = 1e-45
"""If the probability that two members are alike is below this, they count as different.

It is so small that it makes no difference even for the pairs of 10^14 members.
"""

_NEIGHBOUR_FACTORS = (0.5, 0.8, 1.0, 1.25, 2.0)
"""The numbers of terms and of members of neighbouring sizes, divided by those of the suggested size."""


class EnsembleSizes(NamedTuple):
    """The size of an ensemble, and its three probabilities."""

    n_terms: int  # of each member
    n_estimators: int  # the number of members
    usability: float
    coverage: float
    diversity: float

    @property
    def cost(self) -> int:
        """Return the total number of terms of all members."""
        return self.n_terms * self.n_estimators

    @property
    def worst(self) -> float:
        """Return the smallest of the three probabilities."""
        return min(self.usability, self.coverage, self.diversity)


@dataclass(frozen=True)
class Suggestion:
    """The suggested size of an ensemble, and neighbouring sizes.

    Examples
    --------
    >>> from textsieve.ensembles import suggest
    >>> suggestion = suggest(n=10_000, Q=20)
    >>> round(suggestion.coverage, 6)
    0.999877
    """

    n: int  # the number of all terms
    n_important: int
    n_terms: int  # of each member
    n_estimators: int  # the number of members
    usability: float
    coverage: float
    diversity: float
    neighbours: tuple[EnsembleSizes, ...]
    """Sizes with half to twice as many terms and members, including the suggested one; some may exceed the limit."""

    def __str__(self) -> str:
        """Return the suggested size and its neighbours as a table in plain text; * marks the suggested one."""
        titles = ("", "terms", "members", "cost", "usability", "coverage", "diversity")
        suggested = (self.n_terms, self.n_estimators)
        table = [titles] + [
            (
                "*" if row[:2] == suggested else "",
                *(f"{number:,}" for number in (*row[:2], row.cost)),
                *(f"{share:.6f}" for share in row[2:]),
            )
            for row in self.neighbours
        ]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = ["  ".join(map(str.rjust, row, widths)).rstrip() for row in table]
        title = f"{self.n_estimators:,} members of {self.n_terms:,} terms"
        return "\n".join([f"{title}, for {self.n_important:,} important terms of {self.n:,}", *lines])


def suggest(
    n: int,
    Q: int,
    *,
    cost: int | None = None,
    n_terms: int | float | None = None,
    n_estimators: int | None = None,
    within: float = WITHIN,
) -> Suggestion:
    """Suggest the size of an ensemble: the cheapest whose worst probability is close to the best possible.

    Parameters
    ----------
    n : int
        The number of terms.
    Q : int
        The number of important terms; see `important_terms`.
    cost : int or None
        The maximum total number of terms of all members, M x L. None is 160 n, as for the paper's ensemble.
    n_terms : int, float or None
        The number of terms of a member, if it is fixed: a number, or a fraction of all terms.
    n_estimators : int or None
        The number of members, if it is fixed: at least 2.
    within : float
        By which share the worst probability may be below the best one that these limits allow, in exchange for lower
        cost. 0 demands the best, to the precision of a float.

    Examples
    --------
    >>> from textsieve.ensembles import suggest
    >>> suggestion = suggest(n=10_000, Q=20)
    >>> suggestion.n_terms, suggestion.n_estimators
    (5277, 16)
    """
    usability(n, M=1, L=1, Q=Q)  # raises InputError for invalid n or Q
    if np.ndim(n) or np.ndim(Q):
        raise InputError(
            (Setting("n", n), ", ", Setting("Q", Q)), hint="give one number each, sizes are suggested for one ensemble"
        )
    n, Q = int(n), int(Q)
    if n > MAX_TERMS:
        raise InputError(
            f"every M is tried, so n is up to {MAX_TERMS:,} here", setting="n", value=n, hint="select terms first"
        )
    limit = COST_OF_A_TERM * n if cost is None else cost
    if not is_whole(limit) or not 2 <= limit <= LARGEST_COST:
        raise InputError(
            setting="cost", value=cost, hint="use a whole number of terms of all members, from 2 to 2^53, or None"
        )
    if not 0.0 <= as_number(within) < 1.0:
        raise InputError(setting="within", value=within, hint="use a number from 0.0 to below 1.0, for example 1e-6")
    Ms, fixed_L = _allowed_terms(n, n_terms), _fixed_members(n_estimators)
    least_L, most_L = (2, int(limit)) if fixed_L is None else (fixed_L, fixed_L)
    Ms = Ms[Ms <= limit // least_L]  # those of which at least `least_L` members are within the limit
    if not len(Ms):
        of_terms = () if n_terms is None else (" of ", Setting("n_terms", n_terms))
        raise InputError(
            (f"{least_L:,} members", *of_terms, " cost more than ", Setting("cost", int(limit))),
            hint="allow more, or fewer terms or members",
        )
    M, L = _find_cheapest(n, Q, Ms, least_L, np.minimum(limit // Ms, most_L), float(within))
    suggested, *neighbours = _with_probabilities(n, Q, [(M, L), *_neighbouring_sizes(n, M, L)])
    return Suggestion(n, Q, *suggested, tuple(neighbours))


def _allowed_terms(n: int, n_terms: Any) -> Ints:
    """Return the numbers of terms of a member to try: all, or the one that the setting `n_terms` means."""
    if n_terms is None:
        return np.arange(1, n + 1)
    if is_whole(n_terms) and 1 <= n_terms <= n:
        return np.array([int(n_terms)])
    if isinstance(n_terms, float | np.floating) and 0.0 < n_terms <= 1.0:
        return np.array([max(1, round(float(n_terms) * n))])
    raise InputError(
        setting="n_terms",
        value=n_terms,
        hint=f"use a number from 1 to n={n:,}, a share above 0.0 and up to 1.0, or None",
    )


def _fixed_members(n_estimators: Any) -> int | None:
    """Return the setting `n_estimators`; raise `InputError` if it is neither None nor at least 2."""
    if n_estimators is None:
        return None
    if is_whole(n_estimators) and n_estimators >= 2:
        return int(n_estimators)
    raise InputError(setting="n_estimators", value=n_estimators, hint="use a whole number from 2, or None")


# -- the search ------------------------------------------------------------------------------------------------------


def _find_cheapest(n: int, Q: int, Ms: Ints, least_L: int, most_L: Ints, within: float) -> tuple[int, int]:
    """Return the (M, L) of the lowest cost M L whose worst probability is at least (1 - `within`) times the best.

    `Ms` are the M to try, in ascending order. L is from `least_L` to `most_L`, which has a limit for each M. All arrays
    have an entry for each M.
    """
    # For each M, the logarithms of the probabilities that a member is usable, and that two members are not alike. Those
    # of an ensemble are these times the number of members, or of pairs.
    log_usable, log_differs = log_usability(n, Ms, L=1, Q=Q), _log_pair_diversity(n, Q, Ms)
    log_missed = log_complement(Ms.astype(np.float64), np.array(float(n)))  # log P(a member lacks a term)

    def falling(L: Ints) -> Floats:
        """Return the logarithm of the smaller of usability and diversity, which fall as L grows."""
        n_pairs = L * (L - 1.0) / 2.0
        return np.minimum(L * log_usable, n_pairs * log_differs)

    def rising(L: Ints) -> Floats:
        """Return the logarithm of the coverage, which rises as L grows."""
        return np.asarray(Q * log_one_minus_exp(L * log_missed))

    # The best L of an M is the first where the rising coverage reaches the falling probability, or the L before it:
    # before the crossing the coverage is the smallest of the three, after it one of the other two is.
    crossing = _smallest_L(lambda L: rising(L) >= falling(L), least_L, most_L)
    before = np.maximum(crossing - 1, least_L)
    log_worst = np.maximum(np.minimum(rising(crossing), falling(crossing)), np.minimum(rising(before), falling(before)))
    min_probability = float(np.exp(log_worst.max())) * (1.0 - within)
    # The cheapest L of an M is the smallest with enough coverage, if the other two are sufficient there.
    cheapest_L = _smallest_L(lambda L: np.exp(rising(L)) >= min_probability, least_L, most_L)
    is_good_enough = np.exp(np.minimum(rising(cheapest_L), falling(cheapest_L))) >= min_probability
    costs = np.where(is_good_enough, Ms * cheapest_L, np.iinfo(np.int64).max)
    position = int(costs.argmin())  # of equal costs the first, which has the fewest terms
    return int(Ms[position]), int(cheapest_L[position])


def _log_pair_diversity(n: int, Q: int, Ms: Ints) -> Floats:
    """Return for each M the logarithm of the diversity of two members: the probability that they are not alike.

    Members are alike if they have the same important terms. Where the probability of that is negligible (see
    `NEGLIGIBLE`), the logarithm is set to 0, because computing it for every M would take long. Diversity rises up to
    M = n/2 and falls symmetrically after it. So bisection finds the smallest M at which it is negligible that members
    are alike, or n/2 if there is none. The logarithm is computed only for M up to this one, and from n minus this one
    on.
    """
    low, high = 1, max(n // 2, 1)  # the smallest such M is between them; at the end, both are equal to it
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if log_diversity(n, middle, L=2, Q=Q) > -NEGLIGIBLE else (middle + 1, high)
    smaller_part = np.minimum(Ms, n - Ms)  # the smaller of the numbers of terms drawn and left out
    log_diversities, is_small = np.zeros(len(Ms)), smaller_part <= low
    distinct, positions = np.unique(smaller_part[is_small], return_inverse=True)
    # Diversity is the same for n - M as for M, but M = 0 is not allowed.
    log_diversities[is_small] = log_diversity(n, n - distinct, L=2, Q=Q)[positions]
    return log_diversities


def _smallest_L(holds: Callable[[Ints], Any], least_L: int, most_L: Ints) -> Ints:
    """Return for each M the smallest L, from `least_L` on, for which a condition holds; `most_L` if it holds for none.

    `holds` takes an L for each M, and returns for each whether the condition holds. If it holds for an L, it must hold
    for all larger ones, because the search is a bisection.
    """
    low, high = np.full(len(most_L), least_L, np.int64), most_L.astype(np.int64)
    while (low < high).any():
        middle = (low + high) // 2
        is_enough = holds(middle)
        # Where low = high, the search has ended, and `minimum` keeps low from passing high.
        low, high = np.where(is_enough, low, np.minimum(middle + 1, high)), np.where(is_enough, middle, high)
    return low


def _neighbouring_sizes(n: int, M: int, L: int) -> list[tuple[int, int]]:
    """Return the pairs (M, L) with half to twice as many terms and members, including the given pair.

    M is at most n, and both are at least 1.
    """
    terms = sorted({min(max(round(M * factor), 1), n) for factor in _NEIGHBOUR_FACTORS})
    members = sorted({max(round(L * factor), 1) for factor in _NEIGHBOUR_FACTORS})
    return [(n_terms, n_members) for n_terms in terms for n_members in members]


def _with_probabilities(n: int, Q: int, sizes: list[tuple[int, int]]) -> list[EnsembleSizes]:
    """Return pairs (M, L) with their three probabilities."""
    M, L = np.array(sizes).T
    columns = (probability(n, M, L, Q).tolist() for probability in (usability, coverage, diversity))
    return [EnsembleSizes(*size, *probabilities) for size, *probabilities in zip(sizes, *columns, strict=True)]
