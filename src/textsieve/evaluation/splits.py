"""Which documents are held out: every n-th, class by class, by their order, so that the same documents always are.

Documents are counted one class after the other, in the order in which the classes first appear, and the count goes on
from class to class. So a class is spread evenly over the parts, small classes have their share of what is held out
(of four classes of three documents about every second has one, at a share of a fifth), and nothing is random. A
document with several labels counts for its first.
"""

from collections.abc import Hashable, Iterable

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def held_out(classes: Iterable[Hashable], share: float) -> NDArray[np.bool_]:
    """Which documents are held out, so that about this share of all is, and never all of a class.

    Classes of a single document, which is never held out, are left out of the count.
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
    """The fold of each document: 0, 1, ... in turn, class by class; the next class goes on where the last one ended."""
    by_class, n_documents = _by_class(classes)
    numbers = np.empty(n_documents, np.int64)
    numbers[np.concatenate([np.empty(0, np.int64), *by_class])] = np.arange(n_documents) % n_folds
    return numbers


def _by_class(classes: Iterable[Hashable]) -> tuple[list[Ints], int]:
    """The documents of each class, classes in the order in which they first appear; and how many there are in all."""
    found: dict[Hashable, list[int]] = {}
    n_documents = 0
    for label in classes:
        found.setdefault(label, []).append(n_documents)
        n_documents += 1
    return [np.array(documents, np.int64) for documents in found.values()], n_documents
