"""Find documents that are copies of each other, exactly or nearly.

Two texts are exact copies if they differ only in case and white space. They are near copies if they share at least
`MIN_SIMILARITY` of their distinct terms: the Jaccard similarity |A ∩ B| / |A ∪ B| of the sets A and B of their terms.
Texts with fewer than `MIN_TERMS` distinct terms are only compared exactly, because two different short texts often
share most of their words.

Comparing all pairs would take time quadratic in the number of documents. MinHash finds the pairs worth comparing in
linear time. Under a random order of all terms, the first term of A and the first of B are the same with a probability
equal to their similarity s. A signature has the first term under each of `N_BANDS` × `BAND_SIZE` orders. Two documents
become candidates if all `BAND_SIZE` terms of a band are equal, for at least one band. The probability of that is
1 - (1 - s^5)^20: 0.9996 for s = 0.8, and 0.05 for s = 0.3. The similarity of each candidate pair is then computed
exactly. In a band, many documents may have equal terms; each of them is only compared with the first and with the one
before it, so the time stays linear. Pairs that are similar are joined into groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from ..arrays import Floats, Ints

MIN_SIMILARITY = 0.8
"""The smallest Jaccard similarity of near copies."""
MIN_TERMS = 10
"""The smallest number of distinct terms of a document that is compared for near copies."""
N_BANDS, BAND_SIZE = 20, 5
"""The number of bands in a signature, and the number of terms in each."""
PAIRS_AT_ONCE = 20_000
"""The number of candidate pairs whose similarity is computed in one step, which limits the memory."""


class DuplicateGroup(NamedTuple):
    """Documents that are copies of each other."""

    documents: tuple[int, ...]
    """The numbers of the documents, ascending."""
    is_exact: bool
    """Whether all of them are exact copies; otherwise, each is at least a near copy of another one."""
    labels: tuple[tuple[str, ...], ...]
    """The distinct label sets of the documents that have labels, sorted."""

    @property
    def has_contradicting_labels(self) -> bool:
        """Return whether copies have different labels."""
        return len(self.labels) > 1


def find_duplicates(
    counts: csr_matrix, digests: Sequence[bytes], labels: Sequence[tuple[str, ...]]
) -> list[DuplicateGroup]:
    """Return the groups of copies: those with contradicting labels first, then the largest.

    `counts` has the terms of the documents (documents x terms), and `digests` has a digest of each text, which is equal
    for exact copies; an empty digest means that the document is empty and not compared.
    """
    first_of_digest: dict[bytes, int] = {}
    exact = np.array(
        [first_of_digest.setdefault(digest, number) if digest else number for number, digest in enumerate(digests)],
        np.int64,
    )
    first_copies = np.flatnonzero(exact == np.arange(len(exact)))
    near = first_copies[near_duplicates(counts[first_copies])]
    group_of = np.empty(len(exact), np.int64)
    group_of[first_copies] = near
    group_of = group_of[exact]
    groups = [_group(documents, exact, labels) for documents in _members(group_of)]
    return sorted(groups, key=lambda group: (not group.has_contradicting_labels, -len(group.documents)))


def _members(group_of: Ints) -> Iterable[Ints]:
    """Yield the documents of each group that has more than one, in the order of their first documents."""
    order = np.argsort(group_of, kind="stable")
    starts = np.flatnonzero(np.diff(group_of[order], prepend=-1))
    return (part for part in np.split(order, starts[1:]) if len(part) > 1)


def _group(documents: Ints, exact: Ints, labels: Sequence[tuple[str, ...]]) -> DuplicateGroup:
    numbers = documents.tolist()
    label_sets = sorted({tuple(sorted(labels[number])) for number in numbers if labels[number]})
    return DuplicateGroup(tuple(numbers), len(set(exact[documents].tolist())) == 1, tuple(label_sets))


def near_duplicates(counts: csr_matrix) -> Ints:
    """Return for each document the number of the first document of its group of near copies, often its own number."""
    n_documents = counts.shape[0]
    long_enough = np.flatnonzero(np.diff(counts.indptr) >= MIN_TERMS)
    rows = csr_matrix(counts[long_enough])
    rows.data = np.ones(rows.nnz, np.int32)
    pairs = _candidate_pairs(_signatures(rows))
    pairs = long_enough[pairs[_similarities(rows, pairs) >= MIN_SIMILARITY]]
    edges = csr_matrix((np.ones(len(pairs), np.int8), (pairs[:, 0], pairs[:, 1])), shape=(n_documents, n_documents))
    _, component = connected_components(edges, directed=False)
    first_of_component = np.full(n_documents, n_documents, np.int64)
    np.minimum.at(first_of_component, component, np.arange(n_documents))
    return np.asarray(first_of_component[component])


def _signatures(rows: csr_matrix) -> np.ndarray[tuple[int, int], np.dtype[np.uint32]]:
    """Return the signature of each document (documents x `N_BANDS` * `BAND_SIZE`); each has at least one term."""
    orders = np.random.default_rng(0)
    signatures = np.empty((rows.shape[0], N_BANDS * BAND_SIZE), np.uint32)
    for position in range(signatures.shape[1]):
        rank_of_term = orders.integers(0, 2**32, rows.shape[1], np.uint32)
        if rows.shape[0]:
            signatures[:, position] = np.minimum.reduceat(rank_of_term[rows.indices], rows.indptr[:-1])
    return signatures


def _candidate_pairs(signatures: np.ndarray[tuple[int, int], np.dtype[np.uint32]]) -> Ints:
    """Return pairs of documents that have a band in common (pairs x 2), the smaller number first."""
    pairs = [np.empty((0, 2), np.int64)]
    for first in range(0, signatures.shape[1], BAND_SIZE):
        band = np.ascontiguousarray(signatures[:, first : first + BAND_SIZE])
        order = np.lexsort(band.T)
        starts_bucket = np.ones(len(order), np.bool_)
        starts_bucket[1:] = (band[order[1:]] != band[order[:-1]]).any(axis=1)
        first_of_bucket = order[np.maximum.accumulate(np.where(starts_bucket, np.arange(len(order)), 0))]
        others = ~starts_bucket
        previous = order[np.flatnonzero(others) - 1]
        pairs += [np.stack([kind, order[others]], axis=1) for kind in (first_of_bucket[others], previous)]
    return np.unique(np.sort(np.concatenate(pairs), axis=1), axis=0)


def _similarities(rows: csr_matrix, pairs: Ints) -> Floats:
    """Return the Jaccard similarity of each pair of documents; the values of `rows` must be 1."""
    n_terms = np.diff(rows.indptr)
    similarities = np.empty(len(pairs))
    for begin in range(0, len(pairs), PAIRS_AT_ONCE):
        left, right = pairs[begin : begin + PAIRS_AT_ONCE].T
        shared = np.asarray(rows[left].multiply(rows[right]).sum(axis=1)).ravel()
        similarities[begin : begin + PAIRS_AT_ONCE] = shared / (n_terms[left] + n_terms[right] - shared)
    return similarities


def expected_leaks(groups: Iterable[DuplicateGroup], share: float) -> float:
    """Return how many held-out documents have a copy among the training documents, on average over random splits.

    `share` is the share of held-out documents. A document of a group of n is held out with this probability, and all
    n - 1 copies of it are held out too with the probability share^(n - 1).
    """
    return sum(len(group.documents) * share * (1 - share ** (len(group.documents) - 1)) for group in groups)
