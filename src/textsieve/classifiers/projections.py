"""Documents projected on each term: what TCFP and k-NNFP learn from (Ko and Seo 2004, Akkus and Guvenir 1996).

The projection on a term is the list of its weights, sorted, each with the document that has it; documents that do not
have the term, also those with a stored 0, are not in it. It is as large as the documents are.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..kernels import projections as kernels
from ..text.rows import Rows
from ..text.tally import for_all

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Numbers = NDArray[np.int32]

MOST = 1e150
"""Weights are smaller than this, so that their sums are finite."""

_TERMS = 1 << 9
"""Terms that a thread does at a time."""


class Projections(NamedTuple):
    """For each term the documents that have it, and its weights in them."""

    starts: Ints
    weights: Floats
    members: Numbers  # places in the list of documents


def place_by_term(rows: Rows, documents: Ints) -> Projections:
    """Some rows, given by number, term by term, in the order given; a row may be there several times."""
    starts, columns = rows.starts.astype(np.int64, copy=False), rows.columns.astype(np.int32, copy=False)
    sizes = np.zeros(rows.n_columns, np.int64)
    kernels.count_by_term(documents, starts, columns, rows.values, sizes)
    term_starts = np.concatenate([[0], np.cumsum(sizes)])
    weights, members = np.empty(term_starts[-1]), np.empty(term_starts[-1], np.int32)
    kernels.write_by_term(documents, starts, columns, rows.values, term_starts.copy(), weights, members)
    return Projections(term_starts, weights, members)


def project(rows: Rows, documents: Ints, threads: int) -> Projections:
    """The same, sorted by weight and then by place."""
    found = place_by_term(rows, documents)
    for_ranges(lambda first, last: kernels.sort_by_weight(first, last, *found), rows.n_columns, threads)
    return found


def for_ranges(task: Any, n_terms: int, threads: int, size: int = _TERMS) -> None:
    """Do a task for ranges of terms, given by the first and the end of each, several at a time."""
    for_all(lambda at: task(at * size, min((at + 1) * size, n_terms)), -(-n_terms // size), threads)


def require_weights(values: NDArray[Any], who: str) -> None:
    """Refuse training documents with weights that are below 0 or beyond all measure."""
    least, most = float(values.min(initial=0)), float(values.max(initial=0))
    if least < 0:
        raise InputError(
            f"Negative values in data passed to {who}: {least:g}; weights are 0 or more, such as TermWeighter's."
        )
    if not most < MOST:
        raise InputError(f"{who}: a weight of {most:g}; use weights below {MOST:g}.")
