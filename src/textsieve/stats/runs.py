"""Documents in runs, so that the table that counts are added up in stays in proportion to the matrix.

The table has a row for each group (`kernels/groups.py`): one for each kind of group, that is a class and whether its
documents were seen before, and one more for every 32,767 documents or so. With millions of documents and terms the rows
of the second sort would need more memory than all else. So documents are taken in runs that need few of them, each run
with a table of its own, and what the runs give is merged. Whole numbers add up to the same whichever way.

Each run needs the rows of the first sort again, so there are at least half as many of the second: then all runs
together have at most three times as many rows as one table would have, or fit well into memory.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from .labels import LabelPairs
from .sums import Ints

CELLS = 1 << 25
"""A table of so many cells, 256 MB, fits into memory, unless the matrix is much smaller."""


def run_bounds(pairs_before: Ints, n_kinds: int, most_rows: int, most_documents: int) -> list[int]:
    """The documents with which runs begin and end.

    `pairs_before` says how many pairs of document and group come before each document, and at its end how many there
    are; `most_rows` is how many rows the table should have, and `most_documents` how many documents a group has.
    """
    more_rows = max(most_rows - n_kinds, n_kinds // 2, 1)
    n_documents, most_pairs = len(pairs_before) - 1, more_rows * most_documents
    bounds = [0]
    while bounds[-1] < n_documents:
        end = int(np.searchsorted(pairs_before, pairs_before[bounds[-1]] + most_pairs, side="right")) - 1
        bounds.append(max(end, bounds[-1] + 1))
    return bounds


def runs_of(labels: LabelPairs, bounds: list[int]) -> Iterator[tuple[slice, LabelPairs]]:
    """The documents of each run, and their labels; all classes are classes of each run."""
    for begin, end in pairwise(bounds):
        kept = np.flatnonzero((labels.documents >= begin) & (labels.documents < end))
        class_starts = np.searchsorted(kept, labels.class_starts)
        yield slice(begin, end), LabelPairs(labels.classes, labels.documents[kept] - begin, class_starts, end - begin)
