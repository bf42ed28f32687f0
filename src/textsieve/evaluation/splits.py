"""Which documents are held out: every n-th of each class, by their order, so that the same documents always are.

The documents of a class are counted as they come. So a class is spread evenly over the parts, nothing is random, and a
stream can be split while it is read. A document with several labels counts for its first.
"""

from collections import Counter
from collections.abc import Hashable, Iterable

import numpy as np
from numpy.typing import NDArray


def held_out(classes: Iterable[Hashable], share: float) -> NDArray[np.bool_]:
    """Which documents are held out, so that about this share of each class is; a single document never is."""
    seen: Counter[Hashable] = Counter()
    chosen = []
    for label in classes:
        number = seen[label]
        seen[label] += 1
        chosen.append(int((number + 1) * share) > int(number * share))
    return np.array(chosen, np.bool_)


def folds(classes: Iterable[Hashable], n_folds: int) -> NDArray[np.int64]:
    """The fold of each document: the first of a class is in fold 0, the second in fold 1, and so on in turn."""
    seen: Counter[Hashable] = Counter()
    numbers = []
    for label in classes:
        numbers.append(seen[label] % n_folds)
        seen[label] += 1
    return np.array(numbers, np.int64)
