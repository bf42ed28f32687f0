"""Filled cells visited in blocks of terms, so that what is kept of a term, and the cells themselves, stay in the cache.

Cells lie class by class, and in each class by term. A score needs a look at all cells of a term before another look at
each of them. Block by block the second look costs little, and what is added up for the terms of a block fits into the
cache beside them. Each class comes in its order, so what is added up for a term does not depend on the blocks.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .jit import Ints, kernel

_TERMS = 2048
_CELLS = 16
"""Cells of a class in a block, on average and at least: to look for its end must not cost more than to visit it."""


@kernel
def block_size(n_terms: int, n_classes: int, n_cells: int) -> int:
    """How many terms a block has."""
    n_blocks = min(-(-n_terms // _TERMS), n_cells // (_CELLS * max(n_classes, 1)))
    return max(1, -(-n_terms // max(n_blocks, 1)))


@kernel
def block_ends(class_starts: Ints, terms: Ints, begins: Ints, limit: int) -> Ints:
    """Where in each class the cells of terms below `limit` end, given where to begin to look."""
    ends = np.empty_like(begins)
    for number in range(begins.size):
        rest = terms[begins[number] : class_starts[number + 1]]
        ends[number] = begins[number] + np.searchsorted(rest, limit)
    return ends


@kernel
def add_doc_freq(begins: Ints, ends: Ints, terms: Ints, cell_doc_freq: NDArray[Any], doc_freq: NDArray[Any]) -> None:
    """Add the documents of the cells of a block to those of their terms."""
    for number in range(begins.size):
        for cell in range(np.uint64(begins[number]), np.uint64(ends[number])):
            doc_freq[np.uint64(terms[cell])] += cell_doc_freq[cell]
