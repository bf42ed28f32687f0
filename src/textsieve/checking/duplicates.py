"""Find documents that are copies of each other, exactly or nearly.

Two texts are exact copies if they differ only in case and white space. They are near copies if they share at least
`MIN_SIMILARITY` of their distinct terms: the Jaccard similarity |A ∩ B| / |A ∪ B| of the sets A and B of their terms.
Texts with fewer than `MIN_TERMS` distinct terms are only compared exactly, because two different short texts often
share most of their words.

Comparing all pairs would take time quadratic in the number of documents. MinHash finds the pairs worth comparing in
linear time. Sort all terms into a random order: then the first term of A and the first term of B are the same with a
probability equal to the similarity s of A and B. The *signature* of a document has its first term in each of `N_BANDS`
× `BAND_SIZE` such orders, divided into bands of `BAND_SIZE` terms. Two documents become a candidate pair if they have
the same terms in at least one whole band. The probability of that is 1 - (1 - s^5)^20: 0.9996 for s = 0.8, and 0.05 for
s = 0.3. The similarity of each candidate pair is then computed exactly, and pairs that are similar are joined into
groups.

Many documents may have the same terms in a band. Each of them is compared only with the first of them and with the one
before it, so the time stays linear.
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
    # The first exact copy of each document, often the document itself.
    first_exact = np.array(
        [first_of_digest.setdefault(digest, number) if digest else number for number, digest in enumerate(digests)],
        np.int64,
    )
    # Only one of several exact copies is compared for near copies; the others join the group of that one.
    distinct = np.flatnonzero(first_exact == np.arange(len(first_exact)))
    group_of = np.empty(len(first_exact), np.int64)
    group_of[distinct] = distinct[near_duplicates(counts[distinct])]
    group_of = group_of[first_exact]
    groups = [_group(documents, first_exact, labels) for documents in _members(group_of)]
    return sorted(groups, key=lambda group: (not group.has_contradicting_labels, -len(group.documents)))


def _members(group_of: Ints) -> Iterable[Ints]:
    """Yield the documents of each group that has more than one, given the number of each document's group.

    For example, `[0, 1, 0, 3]` yields only `[0, 2]`, the documents of group 0.
    """
    by_group = np.argsort(group_of, kind="stable")
    starts = np.flatnonzero(np.diff(group_of[by_group], prepend=-1))  # where the next group begins
    return (documents for documents in np.split(by_group, starts[1:]) if len(documents) > 1)


def _group(documents: Ints, first_exact: Ints, labels: Sequence[tuple[str, ...]]) -> DuplicateGroup:
    """Return the group of some documents; `first_exact` has the first exact copy of every document."""
    numbers = documents.tolist()
    is_exact = len(np.unique(first_exact[documents])) == 1
    label_sets = sorted({tuple(sorted(labels[number])) for number in numbers if labels[number]})
    return DuplicateGroup(tuple(numbers), is_exact, tuple(label_sets))


def near_duplicates(counts: csr_matrix) -> Ints:
    """Return for each document the first document of its group of near copies: itself if it has no earlier copy."""
    n_documents = counts.shape[0]
    long_enough = np.flatnonzero(np.diff(counts.indptr) >= MIN_TERMS)
    rows = csr_matrix(counts[long_enough])
    rows.data = np.ones(rows.nnz, np.int32)  # for the similarity, it only matters which terms a document has
    pairs = _candidate_pairs(_signatures(rows))
    pairs = long_enough[pairs[_similarities(rows, pairs) >= MIN_SIMILARITY]]
    # A group is a connected component of the graph whose edges are the similar pairs.
    edges = csr_matrix((np.ones(len(pairs), np.int8), (pairs[:, 0], pairs[:, 1])), shape=(n_documents, n_documents))
    _, group_of = connected_components(edges, directed=False)
    first_of_group = np.full(n_documents, n_documents, np.int64)
    np.minimum.at(first_of_group, group_of, np.arange(n_documents))  # the smallest document number in each group
    return np.asarray(first_of_group[group_of])


def _signatures(rows: csr_matrix) -> np.ndarray[tuple[int, int], np.dtype[np.uint32]]:
    """Return the signatures (documents x `N_BANDS` * `BAND_SIZE`) of documents that have at least one term each.

    A random order of the terms is a random number for each term, and an entry is the smallest number of the document's
    terms.
    """
    generator = np.random.default_rng(0)
    signatures = np.empty((rows.shape[0], N_BANDS * BAND_SIZE), np.uint32)
    for position in range(signatures.shape[1]):
        number_of_term = generator.integers(0, 2**32, rows.shape[1], np.uint32)
        if rows.shape[0]:
            signatures[:, position] = np.minimum.reduceat(number_of_term[rows.indices], rows.indptr[:-1])
    return signatures


def _candidate_pairs(signatures: np.ndarray[tuple[int, int], np.dtype[np.uint32]]) -> Ints:
    """Return the candidate pairs of documents (pairs x 2), the smaller number first.

    For each band, documents with the same terms in it are a *bucket*. In its bucket, a document is paired with the
    first document and with the one before it.
    """
    pairs = [np.empty((0, 2), np.int64)]
    for first_column in range(0, signatures.shape[1], BAND_SIZE):
        band = np.ascontiguousarray(signatures[:, first_column : first_column + BAND_SIZE])
        order = np.lexsort(band.T)  # documents of the same bucket follow each other
        starts_bucket = np.ones(len(order), np.bool_)
        starts_bucket[1:] = (band[order[1:]] != band[order[:-1]]).any(axis=1)
        # For each position in `order`, the position where its bucket starts: the last start up to there.
        bucket_starts = np.maximum.accumulate(np.where(starts_bucket, np.arange(len(order)), 0))
        others = np.flatnonzero(~starts_bucket)  # positions of the documents that are not the first of their bucket
        partners = order[bucket_starts[others]], order[others - 1]
        pairs += [np.stack([partner, order[others]], axis=1) for partner in partners]
    return np.unique(np.sort(np.concatenate(pairs), axis=1), axis=0)


def _similarities(rows: csr_matrix, pairs: Ints) -> Floats:
    """Return the Jaccard similarity of each pair of documents; `rows` has a 1 for each term of a document."""
    n_terms = np.diff(rows.indptr)
    similarities = np.empty(len(pairs))
    for begin in range(0, len(pairs), PAIRS_AT_ONCE):
        left, right = pairs[begin : begin + PAIRS_AT_ONCE].T
        shared = np.asarray(rows[left].multiply(rows[right]).sum(axis=1)).ravel()
        similarities[begin : begin + PAIRS_AT_ONCE] = shared / (n_terms[left] + n_terms[right] - shared)
    return similarities


def expected_leaks(groups: Iterable[DuplicateGroup], share: float) -> float:
    """Return how many held-out documents have a copy among the training documents, on average over random splits.

    `share` is the share of held-out documents. A document is held out with this probability. If its group has n
    documents, all n - 1 copies of it are held out, too, with the probability share^(n - 1); otherwise, one of them is a
    training document.
    """
    return sum(len(group.documents) * share * (1 - share ** (len(group.documents) - 1)) for group in groups)
