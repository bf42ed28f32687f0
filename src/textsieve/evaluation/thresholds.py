"""From scores to sets of labels: the threshold of a class at which F1 is best on documents that were held out.

With the documents sorted by score, taking the best i of them gives F1 = 2 hits / (i + members), so one pass over the
sorted scores finds the best i; the threshold is half-way between the last score that is in and the first that is out.
Equal scores are in or out together. Of several cuts of the same F1 the one with fewer documents is taken.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def best_f1_threshold(scores: Floats, is_member: NDArray[np.bool_], weights: Floats | None = None) -> float:
    """Return the threshold (score >= it: in the class) with the best F1; just above all scores without a member.

    `weights` says how many times each document counts.
    """
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    times = np.ones(len(scores)) if weights is None else weights[order]
    hits = np.cumsum(times * is_member[order])
    n_members = float(hits[-1]) if len(hits) else 0.0
    if n_members == 0:
        return float(np.nextafter(ordered[0], np.inf)) if len(ordered) else 0.0
    f1 = 2.0 * hits / (np.cumsum(times) + n_members)
    is_cut = np.append(ordered[1:] < ordered[:-1], True)
    last = int(np.argmax(np.where(is_cut, f1, -1.0)))
    if last + 1 == len(ordered):
        return float(ordered[last])
    between = 0.5 * ordered[last] + 0.5 * ordered[last + 1]
    return float(between if between > ordered[last + 1] else ordered[last])
