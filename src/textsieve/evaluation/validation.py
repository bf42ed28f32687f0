"""Hold documents out, divide them into folds, and choose the number of terms from a learning curve.

**Held-out documents and folds** are taken by position: every n-th document, class by class in the order in which
classes first occur, with one count that continues from class to class. So each class is spread evenly over the parts,
small classes contribute their share (of four classes with three documents, about every second has one at a share of a
fifth), and nothing is random. A multilabel document counts for its first label.

**The number of terms.** Numbers near the best differ by chance only. So the smallest is chosen whose mean score is
within one standard error of the best (the rule of Breiman and others, 1984).
"""

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Ints


class CurvePoint(NamedTuple):
    """The mean score over the folds for a number of terms, and its standard error."""

    n_terms: int
    score: float
    error: float


def size_grid(most: int) -> list[int]:
    """Return 100, 200, 500, 1,000, ... up to and including `most`."""
    steps = (digit * 10**power for power in range(2, 9) for digit in (1, 2, 5))
    return [*(step for step in steps if step < most), most]


def smallest_within_one_error(curve: Sequence[CurvePoint]) -> int:
    """Return the smallest number of terms whose score is within one standard error of the best."""
    best = max(curve, key=lambda point: point.score)
    return next(point.n_terms for point in curve if point.score >= best.score - best.error)


def held_out(classes: Iterable[Hashable], share: float) -> NDArray[np.bool_]:
    """Return which documents are held out: about this share of all, but never all documents of a class.

    Classes with a single document are skipped, and the document is not held out.
    """
    by_class, n_documents = _by_class(classes)
    chosen = np.zeros(n_documents, np.bool_)
    counted = 0
    for documents in by_class:
        if len(documents) == 1:
            continue
        passed = np.floor(np.arange(counted, counted + len(documents) + 1) * share)
        counted += len(documents)
        is_chosen = np.diff(passed) > 0
        is_chosen[0] &= not is_chosen.all()
        chosen[documents] = is_chosen
    return chosen


def folds(classes: Iterable[Hashable], n_folds: int) -> Ints:
    """Return the fold of each document: 0, 1, ... in turn, class by class, continuing from class to class."""
    by_class, n_documents = _by_class(classes)
    numbers = np.empty(n_documents, np.int64)
    numbers[np.concatenate([np.empty(0, np.int64), *by_class])] = np.arange(n_documents) % n_folds
    return numbers


def _by_class(classes: Iterable[Hashable]) -> tuple[list[Ints], int]:
    """Return the documents of each class, in the order in which classes first occur, and the number of documents."""
    found: dict[Hashable, list[int]] = {}
    n_documents = 0
    for label in classes:
        found.setdefault(label, []).append(n_documents)
        n_documents += 1
    return [np.array(documents, np.int64) for documents in found.values()], n_documents
