"""How alike two choices of terms are.

- *Shared terms*: how many are in both; what tables of papers print.
- *Jaccard*: shared / in either. Large choices from few terms are alike by chance alone.
- *Kuncheva's index* (2007) takes that out: for two choices of k of n terms that share r, (r - k²/n) / (k - k²/n). It is
  1 for equal choices and about 0 for two that know nothing of each other. Of k terms here and l there, chance shares
  k l / n, and no two can share more than min(k, l): (r - k l / n) / (min(k, l) - k l / n), which for k = l is the same.
  Who keeps all terms, or none, has chosen nothing, and there is no index.

The *stability* of a selector is the mean over all pairs of folds; the folds of a cross-validation share most of their
documents, so it is that under small changes of the documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np


class Choice(NamedTuple):
    """Some terms, and how many there were to choose from."""

    terms: frozenset[str]
    n_seen: int


class Likeness(NamedTuple):
    """How alike two choices are, or the mean over several pairs; NaN where there is no such number."""

    shared: float
    jaccard: float
    kuncheva: float


def likeness(one: Choice, other: Choice) -> Likeness:
    """Of two choices; if they had not the same terms to choose from, the larger number of them counts."""
    shared = len(one.terms & other.terms)
    either = len(one.terms) + len(other.terms) - shared
    by_chance = len(one.terms) * len(other.terms) / max(one.n_seen, other.n_seen, 1)
    beyond_chance = min(len(one.terms), len(other.terms)) - by_chance
    return Likeness(
        float(shared),
        shared / either if either else float("nan"),
        (shared - by_chance) / beyond_chance if beyond_chance > 0 else float("nan"),
    )


def mean_likeness(pairs: Sequence[tuple[Choice, Choice]]) -> Likeness | None:
    """The mean over pairs; None if there are none."""
    if not pairs:
        return None
    found = np.array([likeness(*pair) for pair in pairs])
    means = [float(each[~np.isnan(each)].mean()) if (~np.isnan(each)).any() else float("nan") for each in found.T]
    return Likeness(*means)


def stability(choices: Sequence[Choice]) -> Likeness | None:
    """The mean over all pairs of the choices that one selector made of several folds."""
    return mean_likeness(list(combinations(choices, 2)))
