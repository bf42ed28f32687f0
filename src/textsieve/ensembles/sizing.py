"""How many terms a member, and how many members: the sizes whose worst of three probabilities is best.

Usability, coverage and diversity (see `theory`) pull apart: with more members L, coverage rises and the other two fall;
with more terms M, usability and coverage rise, and diversity rises to M = n/2 and falls after it. Asked for is the
(M, L) with the largest min(usability, coverage, diversity) among all with M L up to a cost, what training takes.

For each M the best L is where the rising coverage meets the smaller of the falling two; that is found by halving, for
all M at once, so nothing between the steps of a grid is missed. One member with all terms would always win: it is
usable, covers everything, and has no other to be like. It is no ensemble, so L is 2 at least.

**A flat top.** With thousands of terms the three are 1.0 to all digits over a wide region, and which of these sizes
fails once in 10^100 or 10^120 times says nothing. So of all sizes whose worst probability is within `within` of the
best, the cheapest is taken, then that with fewer terms. For each M that is the smallest L with enough coverage, if the
other two are enough there: they only fall. The cheapest are few members with nearly all terms. That members should
differ by more than a term, the three do not ask; who wants them smaller settles `n_terms`, as by a grid search, and
learns how many members that takes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, shown
from ..settings import as_number, is_whole
from ..stats.sums import Floats, Ints
from .chances import log_one_minus_exp, log_without
from .theory import coverage, diversity, log_diversity, log_usability, usability

COST_OF_A_TERM = 160
"""The paper's 400 members of 2,000 terms, of 5,000 terms: 160 times each term."""

MOST_TERMS = 1_000_000
"""Up to this many terms, sizes are suggested."""

LARGEST_COST = 2**53

WITHIN = 1e-6
"""What the worst probability may be below the best that can be had, for less cost."""

NEVER = 1e-45
"""A probability that two members are alike that does not count for 10^14 of them either."""

_STEPS = (0.5, 0.8, 1.0, 1.25, 2.0)


class Sizes(NamedTuple):
    """Sizes of an ensemble, and its three probabilities."""

    n_terms: int
    n_estimators: int
    usability: float
    coverage: float
    diversity: float

    @property
    def cost(self) -> int:
        """Terms of all members."""
        return self.n_terms * self.n_estimators

    @property
    def worst(self) -> float:
        """The smallest of the three."""
        return min(self.usability, self.coverage, self.diversity)


@dataclass(frozen=True)
class Suggestion:
    """The sizes that are suggested for an ensemble, and their neighbours."""

    n: int
    n_important: int
    n_terms: int
    n_estimators: int
    usability: float
    coverage: float
    diversity: float
    neighbours: tuple[Sizes, ...]
    """Half to twice as many terms and members, the suggested ones among them; some may cost more than was allowed."""

    def __str__(self) -> str:
        """A table for a person."""
        titles = ("", "terms", "members", "cost", "usability", "coverage", "diversity")
        chosen = (self.n_terms, self.n_estimators)
        table = [titles] + [
            (
                "*" if row[:2] == chosen else "",
                *(f"{number:,}" for number in (*row[:2], row.cost)),
                *(f"{share:.6f}" for share in row[2:]),
            )
            for row in self.neighbours
        ]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = ["  ".join(map(str.rjust, row, widths)).rstrip() for row in table]
        said = f"{self.n_estimators:,} members of {self.n_terms:,} terms"
        return "\n".join([f"{said}, for {self.n_important:,} important terms of {self.n:,}", *lines])


def suggest(
    n: int,
    Q: int,
    *,
    cost: int | None = None,
    n_terms: int | float | None = None,
    n_estimators: int | None = None,
    within: float = WITHIN,
) -> Suggestion:
    """Find the sizes of an ensemble: the cheapest whose worst probability is as good as any.

    Parameters
    ----------
    n : int
        How many terms there are.
    Q : int
        How many of them are important; see `important_terms`.
    cost : int or None
        The most terms of all members together, M x L. None is 160 n, as much as the paper's ensemble has.
    n_terms : int, float or None
        The terms of a member, if they are settled: a number, or a share of all.
    n_estimators : int or None
        The members, if they are settled: at least 2.
    within : float
        How much the worst probability may be below the best one that these limits allow, for less cost. 0 is the best
        that a float can tell.
    """
    usability(n, 1, 1, Q)  # refuses what cannot be
    if np.ndim(n) or np.ndim(Q):
        raise InputError(f"n={shown(n)}, Q={shown(Q)}; give one number each, sizes are suggested for one ensemble.")
    n, Q = int(n), int(Q)
    if n > MOST_TERMS:
        raise InputError(f"n={n:,}; every M is tried, so n is up to {MOST_TERMS:,} here: select terms first.")
    limit = COST_OF_A_TERM * n if cost is None else cost
    if not is_whole(limit) or not 2 <= limit <= LARGEST_COST:
        raise InputError(f"cost={shown(cost)}; use a whole number of terms of all members, from 2 to 2^53, or None.")
    if not 0.0 <= as_number(within) < 1.0:
        raise InputError(f"within={shown(within)}; use a number from 0.0 to below 1.0, for example 1e-6.")
    sizes, members = _allowed_terms(n, n_terms), _allowed_members(n_estimators)
    fewest, most = (2, int(limit)) if members is None else (members, members)
    sizes = sizes[sizes <= limit // fewest]
    if not len(sizes):
        asked = f"{fewest:,} members" + (f" of n_terms={n_terms!r}" if n_terms is not None else "")
        raise InputError(f"{asked} cost more than cost={limit:,}; allow more, or fewer terms or members.")
    M, L = _cheapest(n, Q, sizes, fewest, np.minimum(limit // sizes, most), float(within))
    own, *neighbours = _rows(n, Q, [(M, L), *_near(n, M, L)])
    return Suggestion(n, Q, *own, tuple(neighbours))


def _allowed_terms(n: int, n_terms: Any) -> Ints:
    if n_terms is None:
        return np.arange(1, n + 1)
    if is_whole(n_terms) and 1 <= n_terms <= n:
        return np.array([int(n_terms)])
    if isinstance(n_terms, float | np.floating) and 0.0 < n_terms <= 1.0:
        return np.array([max(1, round(float(n_terms) * n))])
    raise InputError(
        f"n_terms={shown(n_terms)}; use a number from 1 to n={n:,}, a share above 0.0 and up to 1.0, or None."
    )


def _allowed_members(n_estimators: Any) -> int | None:
    if n_estimators is None or (is_whole(n_estimators) and n_estimators >= 2):
        return None if n_estimators is None else int(n_estimators)
    raise InputError(f"n_estimators={shown(n_estimators)}; use a whole number from 2, or None.")


# -- the search ------------------------------------------------------------------------------------------------------


def _cheapest(n: int, Q: int, sizes: Ints, fewest: int, most: Ints, within: float) -> tuple[int, int]:
    """The cheapest sizes whose worst probability is near the best there is."""
    log_usable, log_distinct = log_usability(n, sizes, 1, Q), _log_distinct(n, Q, sizes)
    log_missed = log_without(sizes.astype(np.float64), np.array(float(n)))

    def falling(L: Ints) -> Floats:
        pairs = L * (L - 1.0) / 2.0
        return np.minimum(L * log_usable, pairs * log_distinct)

    def rising(L: Ints) -> Floats:
        return np.asarray(Q * log_one_minus_exp(L * log_missed))

    met = _smallest(lambda L: rising(L) >= falling(L), fewest, most)
    before = np.maximum(met - 1, fewest)
    worst = np.maximum(np.minimum(rising(met), falling(met)), np.minimum(rising(before), falling(before)))
    least = float(np.exp(worst.max())) * (1.0 - within)
    enough = _smallest(lambda L: np.exp(rising(L)) >= least, fewest, most)
    suits = np.exp(np.minimum(rising(enough), falling(enough))) >= least
    costs = np.where(suits, sizes * enough, np.iinfo(np.int64).max)
    at = int(costs.argmin())  # the first, and so with the fewest terms, of equals
    return int(sizes[at]), int(enough[at])


def _log_distinct(n: int, Q: int, sizes: Ints) -> Floats:
    """The logarithm of diversity of two members, for many sizes; 0 where no number of members can make it count."""
    low, high = 1, max(n // 2, 1)  # it rises up to there, and falls in the same way
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if log_diversity(n, middle, 2, Q) > -NEVER else (middle + 1, high)
    fewer = np.minimum(sizes, n - sizes)  # drawn or left out
    found, some = np.zeros(len(sizes)), fewer <= low
    once, places = np.unique(fewer[some], return_inverse=True)
    found[some] = log_diversity(n, n - once, 2, Q)[places]
    return found


def _smallest(holds: Callable[[Ints], Any], fewest: int, most: Ints) -> Ints:
    """For each size the smallest L for which something holds that, once it does, does for all larger; or the most."""
    low, high = np.full(len(most), fewest, np.int64), most.astype(np.int64)
    while (low < high).any():
        middle = (low + high) // 2
        held = holds(middle)
        low, high = np.where(held, low, np.minimum(middle + 1, high)), np.where(held, middle, high)
    return low


def _near(n: int, M: int, L: int) -> list[tuple[int, int]]:
    terms = sorted({min(max(round(M * step), 1), n) for step in _STEPS})
    members = sorted({max(round(L * step), 1) for step in _STEPS})
    return [(m, each) for m in terms for each in members]


def _rows(n: int, Q: int, sizes: list[tuple[int, int]]) -> list[Sizes]:
    M, L = np.array(sizes).T
    three = (probability(n, M, L, Q).tolist() for probability in (usability, coverage, diversity))
    return [Sizes(*pair, *shares) for pair, *shares in zip(sizes, *three, strict=True)]
