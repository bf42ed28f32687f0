"""Test whether one condition is significantly better than another.

All conditions are tested on the same documents, so they are compared document by document: the *sign test* uses the
documents on which one made fewer mistakes than the other. If both were equally good, each would win such a document
with probability 1/2; p is the probability of a result that is at least as uneven (exact, two-sided). A mistake is a
label too many or too few. With one label per document this is McNemar's exact test.

If documents are tested several times (random splits, repeated folds), these tests are not independent, and documents
can't be counted. Then the folds are compared: the *corrected resampled t-test* of the differences in micro-F1, with the
variance below.

Comparing many conditions with the best finds some difference by chance. *Holm's* correction keeps the probability of
even one false finding at the level: the smallest p is multiplied by the number of comparisons, the next one by one
fewer, and so on, and each is at least as large as the one before.

p ignores two things. The best condition was picked on the same documents, so it is slightly overestimated. And the
folds of a cross-validation are tested with models that share most of their training documents: p is about these
documents and models, not about another sample of them. For means over folds, the *interval* takes this into account: it
is Student's with the variance of Nadeau and Bengio (2003), s² (1/k + tested/trained), instead of s²/k, which is far too
narrow.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, t

Mistakes = NDArray[np.uint8]
"""The number of mistakes on each document."""

LEVEL = 0.95


def sign_test(one: Mistakes, other: Mistakes) -> float:
    """Return p for the mistakes of two conditions on the same documents."""
    wins, losses = int((one < other).sum()), int((one > other).sum())
    return min(1.0, 2.0 * float(binom.cdf(min(wins, losses), wins + losses, 0.5)))


def chance_of_lead(best: Mistakes, other: Mistakes) -> float:
    """Return p if the best wins more documents than it loses, else 1: the best by F1 may lose more documents."""
    return sign_test(best, other) if (best < other).sum() > (best > other).sum() else 1.0


def chance_of_mean_lead(leads: Sequence[float], tested_to_trained: float) -> float:
    """Return p of the differences in folds that share test documents: Student's, with Nadeau and Bengio's variance."""
    mean, n = float(np.mean(leads)), len(leads)
    if n < 2 or mean <= 0.0:
        return 1.0
    spread = float(np.sqrt(np.var(leads, ddof=1) * (1 / n + tested_to_trained)))
    return 2.0 * float(t.sf(mean / spread, n - 1)) if spread > 0.0 else 0.0


def holm(values: Sequence[float]) -> list[float]:
    """Return the p-values after Holm's correction for multiple comparisons."""
    order = np.argsort(values, kind="stable")
    corrected = np.array(values, np.float64)[order] * np.arange(len(values), 0, -1)
    result = np.empty(len(values))
    result[order] = np.minimum(np.maximum.accumulate(corrected), 1.0)
    return result.tolist()


def half_width(values: Sequence[float], tested_to_trained: float) -> float | None:
    """Return half the width of the interval around the mean over folds; None for a single fold."""
    n = len(values)
    if n < 2:
        return None
    variance = float(np.var(values, ddof=1)) * (1 / n + tested_to_trained)
    return float(t.ppf((1 + LEVEL) / 2, n - 1)) * float(np.sqrt(variance))
