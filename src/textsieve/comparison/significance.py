"""Whether one condition is better than another, or was only luckier.

All conditions are tested on the same documents, so they are compared document by document: the *sign test* looks at
the documents on which one made fewer mistakes than the other. If both were equally good, either would win such a
document as a coin falls; p is the chance of a result that is at least as uneven (exact, two-sided). A mistake is a
label too many or too few. With one label a document this is McNemar's exact test.

Where documents are tested several times (random splits, repeated folds), these are not independent, and documents can't
be counted. Then the folds are looked at: the *corrected resampled t-test* of the leads in micro-F1, with the variance
below.

Who compares many conditions with the best finds some difference by chance. *Holm's* correction keeps the chance of even
one false finding at the level: the smallest p times the number of comparisons, the next one times one fewer, and so on,
and never less than the one before.

Two things p does not know. The best was picked on the same documents, so it is a little flattered. And the folds of a
cross-validation are tested with models that share most of their training documents: what p says is about these
documents and models, not about another draw of them. For means over folds the *interval* knows that: it is Student's
with the variance of Nadeau and Bengio (2003), s² (1/k + tested/trained), instead of s²/k, which is far too narrow.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, t

Mistakes = NDArray[np.uint8]
"""Of each document."""

LEVEL = 0.95


def sign_test(one: Mistakes, other: Mistakes) -> float:
    """The p of the mistakes of two conditions on the same documents."""
    wins, losses = int((one < other).sum()), int((one > other).sum())
    return min(1.0, 2.0 * float(binom.cdf(min(wins, losses), wins + losses, 0.5)))


def chance_of_lead(best: Mistakes, other: Mistakes) -> float:
    """The p of a lead of the best, and 1 where it has none: by F1 the best may be one that loses more documents."""
    return sign_test(best, other) if (best < other).sum() > (best > other).sum() else 1.0


def chance_of_mean_lead(leads: Sequence[float], tested_to_trained: float) -> float:
    """The p of leads in folds that share tested documents: Student's, with the variance of Nadeau and Bengio."""
    mean, n = float(np.mean(leads)), len(leads)
    if n < 2 or mean <= 0.0:
        return 1.0
    spread = float(np.sqrt(np.var(leads, ddof=1) * (1 / n + tested_to_trained)))
    return 2.0 * float(t.sf(mean / spread, n - 1)) if spread > 0.0 else 0.0


def holm(values: Sequence[float]) -> list[float]:
    """Each p corrected for that there are several."""
    order = np.argsort(values, kind="stable")
    corrected = np.array(values, np.float64)[order] * np.arange(len(values), 0, -1)
    found = np.empty(len(values))
    found[order] = np.minimum(np.maximum.accumulate(corrected), 1.0)
    return found.tolist()


def half_width(values: Sequence[float], tested_to_trained: float) -> float | None:
    """Half of the interval around the mean over folds; None for a single one."""
    n = len(values)
    if n < 2:
        return None
    variance = float(np.var(values, ddof=1)) * (1 / n + tested_to_trained)
    return float(t.ppf((1 + LEVEL) / 2, n - 1)) * float(np.sqrt(variance))
