"""Search for nearest documents by cosine, shared by `CosineKNN`, its scorer and `DROP`.

Documents are scaled to length 1. So the cosine of two documents is the sum, over the terms of both, of the products of
their weights. Products are added in the order of the columns. Documents are stored by term (`Postings`), with float32
weights, and the documents of each term ascend. A search for the neighbours of a few rows uses numpy alone. A search
for those of many rows uses compiled kernels and an `Index`, which has the documents both by term and by row. The
results are the same to the last bit.

A neighbour has a cosine above 0 (except with `everyone` in `nearest`), so documents that share no term are not
neighbours. Of equally near documents, the one with the lower number comes first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import CSR, Floats, Int32s, Ints

if TYPE_CHECKING:
    from .kernels.neighbours import Index


_SAFE_LENGTHS = 1e-150, 1e150
"""The range of lengths whose squares neither underflow nor overflow."""

_SLICE = 1 << 8
"""The number of queries that a thread searches at a time."""


class Postings(NamedTuple):
    """The weights of documents of length 1, term by term: the arrays of a CSC matrix of documents by terms."""

    term_indptr: Ints  # the postings of term t are at term_indptr[t] to term_indptr[t + 1]
    documents: Int32s  # the document of each posting
    weights: NDArray[np.float32]  # the weight of the term in this document
    n_documents: int

    @property
    def n_terms(self) -> int:
        """Return the number of terms."""
        return len(self.term_indptr) - 1


class Matches(NamedTuple):
    """The postings of all terms of a row, in the order of these terms."""

    places: Ints  # which of the row's terms each posting belongs to: 0 for the first, 1 for the second, ...
    documents: Int32s  # the document of each posting
    weights: NDArray[np.float32]  # the weight of the term in this document


class Nearest(NamedTuple):
    """The nearest documents of each query, nearest first, and their cosines."""

    documents: Int32s  # queries x k; -1 where a query has fewer neighbours
    cosines: Floats  # queries x k


def unit_rows(rows: CSR) -> CSR:
    """Return the rows scaled to length 1; rows of zeros stay as they are.

    Squares are added in the order of the columns. If they could overflow or underflow, the row is first divided by its
    largest absolute value.
    """
    values = rows.data.astype(np.float64)
    row_of = np.repeat(np.arange(rows.n_rows), rows.sizes)  # the row of each stored value
    with np.errstate(over="ignore"):
        lengths = np.sqrt(np.bincount(row_of, values * values, rows.n_rows))
    is_extreme = ~((lengths > _SAFE_LENGTHS[0]) & (lengths < _SAFE_LENGTHS[1]))
    if is_extreme.any():
        largest = np.zeros(rows.n_rows)
        np.maximum.at(largest, row_of, np.abs(values))
        values /= np.where(is_extreme & (largest > 0.0), largest, 1.0)[row_of]
        lengths = np.sqrt(np.bincount(row_of, values * values, rows.n_rows))
        lengths[lengths == 0.0] = 1.0  # rows of zeros, which count as extreme, stay as they are
    columns = rows.indices.astype(np.int32, copy=False)
    return CSR(values / lengths[row_of], columns, rows.indptr.astype(np.int64, copy=False), rows.n_columns)


def postings_of(rows: CSR) -> Postings:
    """Return the weights of the given rows, scaled to length 1 and sorted by term."""
    matrix = unit_rows(rows).matrix().astype(np.float32).tocsc()
    return Postings(
        matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32, copy=False), matrix.data, rows.n_rows
    )


# -- one row, with numpy alone -------------------------------------------------------------------------------------


def matches(postings: Postings, columns: NDArray[Any]) -> Matches:
    """Return the postings of the terms in some columns, one term after the other."""
    starts = postings.term_indptr[columns]
    sizes = postings.term_indptr[columns + 1] - starts
    places = np.repeat(np.arange(len(columns)), sizes)
    # The postings of the i-th term begin at match_starts[i] in the result, and at starts[i] in `postings`.
    match_starts = np.concatenate([[0], sizes.cumsum()[:-1]])
    positions = np.arange(len(places)) + np.repeat(starts - match_starts, sizes)
    return Matches(places, postings.documents[positions], postings.weights[positions])


def cosines_of(postings: Postings, matches: Matches, values: Floats) -> Floats:
    """Return the cosine of every document with a row of length 1; it is 0 for documents without common terms.

    `values` are the weights of the row's terms, and `matches` are the postings of these terms.
    """
    # bincount adds one by one, in order, as the kernels do.
    sums: Any = np.bincount(matches.documents, values[matches.places] * matches.weights, postings.n_documents)
    return np.asarray(sums, np.float64)  # bincount returns integers if there is nothing to add


def nearest_of(cosines: Floats, k: int) -> Ints:
    """Return the k documents with the largest cosines above 0, in ascending order of their numbers.

    If documents at the limit have equal cosines, those with lower numbers are selected.
    """
    candidates = np.flatnonzero(cosines > 0.0)
    if len(candidates) <= k:
        return candidates
    candidate_cosines = cosines[candidates]
    kth_largest = np.partition(candidate_cosines, -k)[-k]
    is_nearest = candidate_cosines > kth_largest
    n_left = k - np.count_nonzero(is_nearest)  # how many documents with exactly this cosine are selected, too
    is_nearest[np.flatnonzero(candidate_cosines == kth_largest)[:n_left]] = True
    return np.asarray(candidates[is_nearest])


# -- many rows, by kernels -----------------------------------------------------------------------------------------


def index_of(postings: Postings) -> Index:
    """Return the index that the kernels search.

    It has the documents twice, as postings of each term and as CSR rows. It also has the length of each document over
    its frequent terms alone, which limits what these terms can add to a cosine. So a search can rule out documents
    without computing their cosines.
    """
    from .kernels import neighbours as kernels

    term_indptr, documents, weights = (frozen(array) for array in postings[:3])
    document_sizes = np.bincount(documents, minlength=postings.n_documents)
    starts = np.concatenate([[0], np.cumsum(document_sizes)]).astype(np.int64)
    columns, values = kernels.rows_from_postings(term_indptr, documents, weights, starts)
    # A term is frequent if it is in more than 1 / SHARE of the documents.
    is_frequent = (np.diff(term_indptr) * kernels.SHARE > postings.n_documents).astype(np.uint8)
    frequent_norms = kernels.norms_over(starts, columns, values, is_frequent)
    other_arrays = (frozen(array) for array in (starts, columns, values, is_frequent, frequent_norms))
    return kernels.Index(term_indptr, documents, weights, *other_arrays)


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a contiguous read-only view.

    numba compiles a kernel once for writable and once for read-only arrays. The arrays of a loaded model are read-only.
    If all others are made read-only, too, kernels are compiled only once.
    """
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


def rows_in(index: Index) -> CSR:
    """Return the documents of an index as rows, to use them as queries."""
    return CSR(index.data.astype(np.float64), index.indices, index.indptr, len(index.is_frequent))


def nearest(
    index: Index,
    queries: CSR,
    k: int,
    *,
    threads: int,
    groups: Int32s | None = None,
    own_groups: Int32s | None = None,
    everyone: bool = False,
) -> Nearest:
    """Return the k documents nearest to each query; queries are rows of length 1.

    `groups` has the group of each document, or -1 to exclude the document from all searches. `own_groups` has the group
    of each query; documents of this group are excluded from its search. By default, no document is excluded. With
    `everyone`, a query with fewer than k neighbours also gets documents whose cosine is 0 or less.
    """
    from .kernels import neighbours as kernels
    from .threads import parallel_map

    n_documents = len(index.indptr) - 1
    groups = np.zeros(n_documents, np.int32) if groups is None else groups
    own_groups = np.full(queries.n_rows, -1, np.int32) if own_groups is None else own_groups
    result = Nearest(np.empty((queries.n_rows, k), np.int32), np.empty((queries.n_rows, k)))

    def search(slice_number: int) -> None:
        """Fill the results of one slice of the queries."""
        part = slice(slice_number * _SLICE, (slice_number + 1) * _SLICE)
        starts = queries.indptr[part.start : part.stop + 1]
        kernels.nearest(
            *(index, queries.indices, queries.data, starts, own_groups[part], groups, everyone),
            *(result.documents[part], result.cosines[part]),
        )

    n_slices = -(-queries.n_rows // _SLICE)  # rounded up
    parallel_map(search, n_slices, threads)
    return result
