"""How likely an ensemble of random subspaces is usable, covers the important terms, and has no two members alike.

Of n terms Q are important. Each of L members draws M terms without replacement, on its own (Gangeh, Kamel and Duin,
equations 2, 3 and 5). With h = C(n-Q, M) / C(n, M), the probability that a member draws no important term,

    usability   every member has an important term         (1 - h)^L
    coverage    every important term is in some member     (1 - (1 - M/n)^L)^Q
    diversity   no two members have the same important terms     (1 - s)^(L(L-1)/2)

where s is the probability that two members have the same. A given set of j important terms is what a member has of them
with probability g_j = C(n-Q, M-j) / C(n, M), and there are C(Q, j) such sets, so s is the sum over j of C(Q, j) g_j^2.
The paper divides by C(n, M) once, not squared, and begins at j = 1: its sum exceeds 1 by hundreds of digits, and leaves
out two members that both have nothing.

**Exact or not.** Usability is exact: members are independent. Coverage takes terms as independent. They are not, for a
member that has one has less room for others: negatively associated, as all samples without replacement are, so
coverage is at the most what the formula says, and at least 1 - Q (1 - M/n)^L. Diversity takes pairs of members as
independent. They are not either, and the truth may be on both sides: at least 1 - s L(L-1)/2, and at the most (1 - s)
for each of L/2 pairs that share no member. `bounds` has both. Where failure is rare, all agree.

Everything is returned from its logarithm (see `chances` and `alike` for how it is had with all digits), which near 1 is
minus the probability of failing: those who need that have `log_usability` and so on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError, shown
from ..stats.sums import Floats, Ints
from .alike import log_distinct
from .chances import log_none, log_one_minus_exp, log_without

LARGEST = 10**9
"""The most terms; beyond, sums over j take too much room."""

# -- the three probabilities -----------------------------------------------------------------------------------------


def usability(n: ArrayLike, M: ArrayLike, L: ArrayLike, Q: ArrayLike) -> Any:
    """The probability that each of L members has at least one of the Q important terms; exact.

    Parameters
    ----------
    n, M, L, Q : whole numbers, or arrays of them that go together
        Terms in all, terms of a member, members, important terms.

    Returns
    -------
    float, or an array of the common shape of what was given
    """
    return _returned(np.exp(log_usability(n, M, L, Q)))


def coverage(n: ArrayLike, M: ArrayLike, L: ArrayLike, Q: ArrayLike) -> Any:
    """The probability that each of the Q important terms is in at least one of L members; never below the true one.

    Terms are taken as independent; `bounds` says how far that can be off. Parameters as of `usability`.
    """
    return _returned(np.exp(log_coverage(n, M, L, Q)))


def diversity(n: ArrayLike, M: ArrayLike, L: ArrayLike, Q: ArrayLike) -> Any:
    """The probability that no two of L members have the same important terms; approximate.

    Pairs of members are taken as independent; `bounds` says how far that can be off. With one member there is no pair,
    and nothing that could be the same. Parameters as of `usability`.
    """
    return _returned(np.exp(log_diversity(n, M, L, Q)))


def expected_difference(n: ArrayLike, M: ArrayLike, Q: ArrayLike) -> Any:
    """How many important terms one of two members has and the other has not, in the mean; exact.

    Each of the Q is in one and not in the other with probability 2 (M/n) (1 - M/n).
    """
    terms, drawn, _, important = _checked(n, M, 1, Q)
    return _returned(2.0 * important * (drawn / terms) * ((terms - drawn) / terms))


class Bounds(NamedTuple):
    """Between which values the true probabilities of coverage and diversity lie, for certain."""

    least_coverage: Any
    most_coverage: Any
    least_diversity: Any
    most_diversity: Any


def bounds(n: ArrayLike, M: ArrayLike, L: ArrayLike, Q: ArrayLike) -> Bounds:
    """Between which values coverage and diversity lie, whatever depends on what. Parameters as of `usability`.

    At least 1 minus the sum of the probabilities that a term is missed, or a pair is the same. At the most, for
    coverage, the formula itself; for diversity, that of L/2 pairs of members that share none, and 0 where there are
    more members than sets of important terms that they could have.
    """
    terms, drawn, members, important = _checked(n, M, L, Q)
    missed = important * np.exp(members * log_without(drawn, terms))
    log_apart = log_distinct(terms, drawn, important)
    same = members * (members - 1.0) / 2.0 * -np.expm1(log_apart)
    too_many = members > np.exp2(np.minimum(important, 1000.0))
    pairs = np.floor(members / 2.0)
    most = np.where(too_many, 0.0, np.exp(_times(pairs, log_apart)))
    return Bounds(
        _returned(np.maximum(1.0 - missed, 0.0)),
        coverage(n, M, L, Q),
        _returned(np.where(too_many, 0.0, np.maximum(1.0 - same, 0.0))),
        _returned(most),
    )


# -- their logarithms ------------------------------------------------------------------------------------------------


def log_usability(n: ArrayLike, M: ArrayLike, L: ArrayLike, Q: ArrayLike) -> Floats:
    """The logarithm of `usability`."""
    terms, drawn, members, important = _checked(n, M, L, Q)
    return np.asarray(members * log_one_minus_exp(log_none(terms, drawn, important)))


def log_coverage(n: ArrayLike, M: ArrayLike, L: ArrayLike, Q: ArrayLike) -> Floats:
    """The logarithm of `coverage`."""
    terms, drawn, members, important = _checked(n, M, L, Q)
    return np.asarray(important * log_one_minus_exp(members * log_without(drawn, terms)))


def log_diversity(n: ArrayLike, M: ArrayLike, L: ArrayLike, Q: ArrayLike) -> Floats:
    """The logarithm of `diversity`."""
    terms, drawn, members, important = _checked(n, M, L, Q)
    return _times(members * (members - 1.0) / 2.0, log_distinct(terms, drawn, important))


# -- what goes in and out --------------------------------------------------------------------------------------------


def _times(factor: Floats, logarithm: Floats) -> Floats:
    """A multiple of a logarithm; none of it is 0, also of log 0."""
    factor, logarithm = np.broadcast_arrays(factor, logarithm)
    return np.where(factor > 0, factor * np.where(factor > 0, logarithm, 0.0), 0.0)


def _returned(found: Any) -> Any:
    """A float for numbers, an array for arrays."""
    return float(found) if np.ndim(found) == 0 else np.asarray(found)


_Limits = tuple[str, str, Callable[[Ints, Ints], Any], str]

_LIMITS: tuple[_Limits, ...] = (
    ("n", "terms in all", lambda n, given: (given < 1) | (given > LARGEST), f"from 1 to {LARGEST:,}"),
    ("M", "terms of a member", lambda n, given: (given < 1) | (given > n), "from 1 to n"),
    ("L", "members", lambda n, given: given < 1, "from 1"),
    ("Q", "important terms", lambda n, given: (given < 1) | (given > n), "from 1 to n"),
)
"""What the numbers are called, and which of them cannot be."""


def _checked(n: ArrayLike, M: ArrayLike, L: ArrayLike, Q: ArrayLike) -> tuple[Floats, Floats, Floats, Floats]:
    """The four numbers, or arrays of them, as floats that hold whole numbers; not yet of one shape."""
    arrays = [_whole(name, what, given) for (name, what, *_), given in zip(_LIMITS, (n, M, L, Q), strict=True)]
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


def _whole(name: str, what: str, given: ArrayLike) -> Ints:
    array = np.asarray(given)
    if array.dtype.kind not in "iu":
        raise InputError(f"{name}={shown(given)} {what}; use whole numbers below 2^63.")
    return array
