"""A table of votes as arrays for an archive, and back; what no documents can have voted is refused.

Reading trusts nothing: the kernels that go through a table look neither at where a term's entries begin nor at which
class an entry is of.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..archive import Specs
from ..errors import InputError, shown
from ..kernels.projections import Entries
from .projections import MOST, Ints
from .vote_table import VoteTable

DTYPES: dict[str, type[np.generic]] = {
    "class_docs": np.int64,
    "vote_starts": np.int64,  # the entries of term t are vote_starts[t] to vote_starts[t + 1]
    "vote_weights": np.float64,
    "vote_classes": np.int32,  # -1: what a document counts too often for the mean
    "vote_counts": np.int64,
}

MOST_DOCUMENTS = (1 << 31) - 1
"""So that sums of numbers of documents fit into 64 bits."""


def vote_arrays(table: VoteTable) -> dict[str, NDArray[Any]]:
    """The arrays of a table; whether a document had several classes is for the header."""
    return dict(zip(DTYPES, (table.class_docs, *table.entries), strict=True))


def declared_terms(specs: Specs, n_classes: int) -> int:
    """Return the number of terms of a stored table, from the types and shapes of its arrays.

    Raises `InputError` for arrays, types or shapes that are not those of a table for so many classes.
    """
    if set(specs) != set(DTYPES) or any(specs[name].dtype != dtype for name, dtype in DTYPES.items()):
        raise _damaged(f"an array is missing, is unknown, or is of another kind: {shown(sorted(specs), 200)}")
    class_docs, starts, *entries = (specs[name].shape for name in DTYPES)
    if class_docs != (n_classes,) or len(starts) != 1 or starts < (1,) or len(entries[0]) != 1 or len(set(entries)) > 1:
        raise _damaged("its arrays have other shapes")
    return starts[0] - 1


def votes_of(arrays: Mapping[str, NDArray[Any]], n_classes: int, *, several: bool) -> VoteTable:
    """Return the table of arrays that passed `declared_terms`; raise `InputError` if no documents can have it."""
    class_docs, *entries = (arrays[name] for name in DTYPES)
    table = VoteTable(tuple(range(n_classes)), class_docs, several, Entries(*entries))
    starts = table.entries.starts
    if starts[0] != 0 or starts[-1] != len(table.entries.weights) or (starts[1:] < starts[:-1]).any():
        raise _damaged("its arrays have other shapes")
    _require_votes(table)
    return table


def _require_votes(table: VoteTable) -> None:
    starts, weights, classes, counts = table.entries
    known = _within(classes, -1, len(table.classes) - 1) and _within(table.class_docs, 0, MOST_DOCUMENTS)
    if not (known and bool(((weights > 0) & (weights < MOST)).all())):
        raise _damaged("it has a weight, a class or a number of documents that can't be")
    if not (_within(counts[classes >= 0], 1, MOST_DOCUMENTS) and _within(counts[classes < 0], -MOST_DOCUMENTS, -1)):
        raise _damaged("it has a number of documents that can't be")
    if not _is_sorted(starts, weights, classes):
        raise _damaged("its entries are out of order")
    if counts.size and int(np.add.reduceat(counts, _first_of_weight(starts, weights)).min()) < 1:
        raise _damaged("a weight is of no document")


def _is_sorted(starts: Ints, weights: NDArray[Any], classes: NDArray[Any]) -> bool:
    """Whether the entries of each term ascend by weight and then by class, none twice."""
    ascends = (weights[1:] > weights[:-1]) | ((weights[1:] == weights[:-1]) & (classes[1:] > classes[:-1]))
    begins = np.zeros(len(weights) + 1, np.bool_)
    begins[starts] = True
    return bool((ascends | begins[1:-1]).all()) if len(weights) else True


def _first_of_weight(starts: Ints, weights: NDArray[Any]) -> Ints:
    """Where, within a term, another weight begins."""
    begins = np.ones(len(weights) + 1, np.bool_)
    begins[1:-1] = weights[1:] != weights[:-1]
    begins[starts] = True
    return np.flatnonzero(begins[:-1])


def _within(numbers: NDArray[Any], least: int, most: int) -> bool:
    return bool(((numbers >= least) & (numbers <= most)).all())


def _damaged(reason: str) -> InputError:
    return InputError(f"This table of votes is damaged: {reason}.")
