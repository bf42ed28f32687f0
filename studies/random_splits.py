"""Documents that are parted at random, again and again: what is learned from, and what is tested.

The seed is one for all, so that whatever is measured on the same documents is measured on the same splits, and five
splits are the first five of twenty.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from textsieve.arrays import Ints
from textsieve.comparison.significance import half_width
from textsieve.ensembles.trial import RandomSplit, prepared, random_splits

from .documents import Collection
from .measurements import Measured, Scope
from .preparations import Preparation

SEED = 1964
TEST_SHARE = 0.2


class Rows(NamedTuple):
    """Prepared documents to learn from and to test, with the numbers of their classes."""

    train: csr_matrix
    train_numbers: Ints
    test: csr_matrix
    test_numbers: Ints


@lru_cache(maxsize=2)
def counts_of(collection: Collection, scope: Scope) -> tuple[csr_matrix, Ints]:
    """The counts of all documents that the scope has, and the numbers of their classes."""
    counted = collection.documents(scope).counted
    kept = np.sort(np.concatenate([members[:: scope.every] for members in counted.targets.members]))
    return csr_matrix(counted.counts[kept]), counted.targets.first[kept]


def splits_of(n_documents: int, repeats: int) -> list[RandomSplit]:
    """The splits of so many documents."""
    return random_splits(n_documents, test_share=TEST_SHARE, repeats=repeats, random_state=SEED)


def prepared_splits(collection: Collection, preparation: Preparation, repeats: int, scope: Scope) -> Iterator[Rows]:
    """One split after the other, prepared."""
    counts, numbers = counts_of(collection, scope)
    pipeline = preparation.pipeline(counts, numbers)
    for split in splits_of(len(numbers), scope.some(repeats)):
        yield rows_of(counts, numbers, split, pipeline)


def rows_of(counts: csr_matrix, numbers: Ints, split: RandomSplit, pipeline: Any) -> Rows:
    """The documents of a split, prepared by a copy of the pipeline that is fitted to those to learn from."""
    train, test = prepared(counts, numbers, split, pipeline)
    return Rows(train, numbers[split.train], test, numbers[split.test])


def mean_over(shares: NDArray[Any] | list[float], factor: float = 100.0) -> Measured:
    """The mean over splits and half of its interval, in points of a hundred."""
    values = [factor * float(each) for each in shares]
    return Measured(float(np.mean(values)), half_width(values, TEST_SHARE / (1 - TEST_SHARE)))
