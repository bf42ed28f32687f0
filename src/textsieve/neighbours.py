"""Which documents are nearest to a row in angle: what `CosineKNN`, its scorer and `DROP` share.

Documents are scaled to length 1, so that the cosine is the sum of the products over common terms, added in the order of
the columns. They are kept by term (`Postings`), with 32 bits a weight: a term's documents ascend. A few queries are
answered with numpy alone; many by kernels, from an `Index` that has the documents both by term and by row. The results
are the same to the last bit.

A neighbour has a cosine above 0: documents that share no term are not near each other, however few there are. Of
documents that are equally near, the lower one comes first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .text.rows import Rows

if TYPE_CHECKING:
    from .kernels.neighbours import Index

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Numbers = NDArray[np.int32]

_SAFE = 1e-150, 1e150
"""Between these a length's square neither vanishes nor overflows."""

_SLICE = 1 << 8


class Postings(NamedTuple):
    """The weights of documents of length 1, term by term."""

    term_starts: Ints
    documents: Numbers
    weights: NDArray[np.float32]
    n_documents: int

    @property
    def n_terms(self) -> int:
        """How many terms there are."""
        return len(self.term_starts) - 1


class Matches(NamedTuple):
    """What documents have in common with a row, in the order of its terms."""

    places: Ints  # of the row's values
    documents: Numbers
    weights: NDArray[np.float32]


class Nearest(NamedTuple):
    """For each row the documents nearest to it, the nearest first (-1: no more), and their cosines."""

    documents: Numbers
    cosines: Floats


def unit_rows(rows: Rows) -> Rows:
    """The rows, scaled to length 1; a row of zeros stays. Squares are added in the order of the columns."""
    values = rows.values.astype(np.float64)
    row_of = np.repeat(np.arange(rows.n_rows), rows.sizes)
    with np.errstate(over="ignore"):
        lengths = np.sqrt(np.bincount(row_of, values * values, rows.n_rows))
    extreme = ~((lengths > _SAFE[0]) & (lengths < _SAFE[1]))
    if extreme.any():
        largest = np.zeros(rows.n_rows)
        np.maximum.at(largest, row_of, np.abs(values))
        values /= np.where(extreme & (largest > 0.0), largest, 1.0)[row_of]
        lengths = np.sqrt(np.bincount(row_of, values * values, rows.n_rows))
        lengths[lengths == 0.0] = 1.0
    columns = rows.columns.astype(np.int32, copy=False)
    return Rows(values / lengths[row_of], columns, rows.starts.astype(np.int64, copy=False), rows.n_columns)


def postings_of(rows: Rows) -> Postings:
    """The rows, scaled to length 1, by term."""
    matrix = unit_rows(rows).matrix().astype(np.float32).tocsc()
    return Postings(
        matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32, copy=False), matrix.data, rows.n_rows
    )


# -- one row, with numpy alone -------------------------------------------------------------------------------------


def matches(postings: Postings, columns: NDArray[Any]) -> Matches:
    """All postings of some terms."""
    sizes = postings.term_starts[columns + 1] - postings.term_starts[columns]
    places = np.repeat(np.arange(len(columns)), sizes)
    skipped = np.repeat(postings.term_starts[columns] - np.concatenate([[0], sizes.cumsum()[:-1]]), sizes)
    found = np.arange(len(places)) + skipped
    return Matches(places, postings.documents[found], postings.weights[found])


def cosines_of(postings: Postings, found: Matches, values: Floats) -> Floats:
    """The cosine of each document with a row of length 1."""
    # bincount adds one after the other, as the kernels do
    sums: Any = np.bincount(found.documents, values[found.places] * found.weights, postings.n_documents)
    return np.asarray(sums, np.float64)  # whole numbers if there is nothing to add


def nearest_of(cosines: Floats, k: int) -> Ints:
    """The k documents with the largest cosines above 0, ascending; of equals the lower ones."""
    near = np.flatnonzero(cosines > 0.0)
    if len(near) <= k:
        return near
    near_cosines = cosines[near]
    least = np.partition(near_cosines, -k)[-k]
    taken = near_cosines > least
    taken[np.flatnonzero(near_cosines == least)[: k - np.count_nonzero(taken)]] = True
    return np.asarray(near[taken])


# -- many rows, by kernels -----------------------------------------------------------------------------------------


def index_of(postings: Postings) -> Index:
    """What the kernels search."""
    from .kernels import neighbours as kernels

    term_starts, documents, weights = (frozen(each) for each in postings[:3])
    starts = np.concatenate([[0], np.cumsum(np.bincount(documents, minlength=postings.n_documents))]).astype(np.int64)
    columns, values = kernels.rows_of(term_starts, documents, weights, starts)
    frequent = (np.diff(term_starts) * kernels.SHARE > postings.n_documents).astype(np.uint8)
    parts = kernels.lengths_of_parts(starts, columns, values, frequent)
    rest = (frozen(each) for each in (starts, columns, values, frequent, parts))
    return kernels.Index(term_starts, documents, weights, *rest)


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """A view that can't be written to: arrays from a file are so, and kernels are compiled for one sort alone."""
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


def rows_in(index: Index) -> Rows:
    """The documents of an index, to be searched for themselves."""
    return Rows(index.values.astype(np.float64), index.columns, index.starts, len(index.frequent))


def nearest(
    index: Index,
    queries: Rows,
    k: int,
    *,
    threads: int,
    groups: Numbers | None = None,
    owns: Numbers | None = None,
    everyone: bool = False,
) -> Nearest:
    """The k documents nearest to each query, a row of length 1; groups say who takes part (see the kernels)."""
    from .kernels import neighbours as kernels
    from .text.tally import for_all

    n_documents = len(index.starts) - 1
    groups = np.zeros(n_documents, np.int32) if groups is None else groups
    owns = np.full(queries.n_rows, -1, np.int32) if owns is None else owns
    found = Nearest(np.empty((queries.n_rows, k), np.int32), np.empty((queries.n_rows, k)))

    def search(number: int) -> None:
        part = slice(number * _SLICE, (number + 1) * _SLICE)
        starts = queries.starts[part.start : part.stop + 1]
        kernels.nearest(
            *(index, queries.columns, queries.values, starts, owns[part], groups, everyone),
            *(found.documents[part], found.cosines[part]),
        )

    for_all(search, -(-queries.n_rows // _SLICE), threads)
    return found
