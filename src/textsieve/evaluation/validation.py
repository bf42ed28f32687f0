"""Hold documents out, divide them into folds, and choose the number of terms from a learning curve.

**Held-out documents and folds.** Documents are sorted by class, in the order in which classes first occur. To hold out
a share of 1/n, every n-th document of this list is held out. For folds, the list is dealt to the folds in turn. Both
count through the whole list, and do not start again with each class. So each class is spread evenly, nothing is random,
and small classes contribute their share, too: if a fifth is held out of four classes with three documents each, two of
the classes have a held-out document. A class is never held out completely. A multilabel document counts for its first
label.

**The number of terms.** Scores near the best one may differ from it by chance only. So the smallest number of terms is
chosen whose mean score is within one standard error of the best (the one-standard-error rule of Breiman and others,
1984).
"""

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Ints


class CurvePoint(NamedTuple):
    """The mean score over the folds for a number of terms, and its standard error.

    Examples
    --------
    >>> from textsieve.evaluation import CurvePoint
    >>> CurvePoint(n_terms=100, score=0.91, error=0.01)
    CurvePoint(n_terms=100, score=0.91, error=0.01)
    """

    n_terms: int
    score: float
    error: float


def size_grid(most: int) -> list[int]:
    """Return the numbers of terms to try: those of 100, 200, 500, 1,000, ... that are below `most`, and then `most`.

    Examples
    --------
    >>> from textsieve.evaluation import size_grid
    >>> size_grid(1200)
    [100, 200, 500, 1000, 1200]
    """
    steps = (digit * 10**power for power in range(2, 9) for digit in (1, 2, 5))
    return [*(step for step in steps if step < most), most]


def smallest_within_one_error(curve: Sequence[CurvePoint]) -> int:
    """Return the smallest number of terms whose score is within one standard error of the best.

    `curve` has the points in ascending order of the number of terms.

    Examples
    --------
    >>> from textsieve.evaluation import CurvePoint, smallest_within_one_error
    >>> smallest_within_one_error([CurvePoint(100, 0.905, 0.01), CurvePoint(200, 0.91, 0.01)])
    100
    """
    best = max(curve, key=lambda point: point.score)
    return next(point.n_terms for point in curve if point.score >= best.score - best.error)


def held_out(classes: Iterable[Hashable], share: float) -> NDArray[np.bool_]:
    """Return which documents are held out, given the class of each: about this share, but never all of a class.

    The document of a class with a single document is not held out.

    Examples
    --------
    >>> from textsieve.evaluation import held_out
    >>> held_out(["sport"] * 4 + ["politics"] * 4, 0.25)
    array([False, False, False,  True, False, False, False,  True])
    """
    by_class, n_documents = _documents_by_class(classes)
    is_held_out = np.zeros(n_documents, np.bool_)
    n_before = 0  # the number of documents in earlier classes, without classes of a single document
    for documents in by_class:
        if len(documents) == 1:
            continue
        # Of the first i documents, floor(share * i) are held out. So document i is, if this number rises with it.
        n_held_out = np.floor(np.arange(n_before, n_before + len(documents) + 1) * share)
        n_before += len(documents)
        in_class = np.diff(n_held_out) > 0
        if in_class.all():  # a class is never held out completely
            in_class[0] = False
        is_held_out[documents] = in_class
    return is_held_out


def folds(classes: Iterable[Hashable], n_folds: int) -> Ints:
    """Return the fold of each document, given its class: 0, 1, ... in turn over the documents sorted by class.

    Examples
    --------
    >>> from textsieve.evaluation import folds
    >>> folds(["sport", "politics", "sport", "politics"], 2)
    array([0, 0, 1, 1])
    """
    by_class, n_documents = _documents_by_class(classes)
    sorted_by_class = np.concatenate([np.empty(0, np.int64), *by_class])  # the empty array is for no documents
    fold_of = np.empty(n_documents, np.int64)
    fold_of[sorted_by_class] = np.arange(n_documents) % n_folds
    return fold_of


def _documents_by_class(classes: Iterable[Hashable]) -> tuple[list[Ints], int]:
    """Return an array of document numbers for each class, in the order in which classes first occur.

    Also return the number of all documents, because `classes` can be iterated only once.
    """
    documents_of: dict[Hashable, list[int]] = {}
    n_documents = 0
    for label in classes:
        documents_of.setdefault(label, []).append(n_documents)
        n_documents += 1
    return [np.array(documents, np.int64) for documents in documents_of.values()], n_documents
