"""Context factors of TCFP: how strongly two terms reinforce each other.

For two terms t and u, co(t, u) is the largest number of documents of any single class that contain both; cf is the
number of classes that have such a document; and max_co is the largest co of all pairs. Then

    f(t, u) = 1 / (1 + ln cf) x (1 + ln co(t, u)) / (1 + ln max_co).

The factor is at most 1. It is large for terms that often occur together, and in few classes (Ko and Seo 2004, formula
7). It is symmetric: f(t, u) = f(u, t). A pair that never occurs together has no factor. A multilabel document counts
in each of its classes.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats, Int32s, Ints
from ..errors import InputError, Setting
from ..kernels import cooccurrence as kernels
from ..stats.labels import LabelPairs
from ..text.csr import CSR
from .tcfp_scorer import Partners, partner_type
from .vote_table import for_ranges, place_by_term

MOST_CODES = 1 << 31
"""The largest possible number of pairs (co, cf)."""

_TERMS = 1 << 6


def context_factor(co: Ints, cf: Ints, max_co: int) -> Floats:
    """Return the context factors f for arrays of co and cf, all at least 1."""
    return np.asarray((1.0 + np.log(co)) / ((1.0 + np.log(cf)) * (1.0 + np.log(max_co))))


def partners_of(rows: CSR, pairs: LabelPairs, context: str, min_co: int, threads: int) -> Partners:
    """Return the lists of partners of each term, in the format of `TCFPScorer`.

    Pairs that occur together in fewer than `min_co` documents of every class are left out.
    """
    n_terms, class_docs = rows.n_columns, np.diff(pairs.class_starts)
    stride = int(class_docs.max(initial=0)) + 1
    n_codes = stride * (len(class_docs) + 1)
    if n_codes > MOST_CODES:
        raise InputError(
            f"{len(class_docs):,} classes, the largest of {stride - 1:,} documents, are too many for context",
            hint=("use ", Setting("context", None)),
        )
    documents, rule = _documents(rows, pairs), kernels.PartnerRule(context == "mean", min_co, stride)
    sizes, used = np.zeros(n_terms, np.int64), np.zeros(n_codes, np.uint8)
    for_ranges(
        lambda first, last: kernels.measure_partners(first, last, documents, rule, used, sizes),
        *(n_terms, threads, _TERMS),
    )
    codes = np.flatnonzero(used)
    cf, co = codes // stride, codes % stride
    factors = context_factor(co, cf, int(co.max(initial=1))).astype(np.float32)
    rising, order = np.unique(factors, return_inverse=True)
    falling, ranks = rising[::-1], np.zeros(n_codes, np.int32)
    ranks[codes] = len(rising) - 1 - order
    starts = np.concatenate([[0], np.cumsum(sizes)])
    terms = np.empty(starts[-1], partner_type(n_terms))
    n_runs = np.zeros(n_terms, np.int64)
    runs: dict[int, tuple[Int32s, Int32s]] = {}

    def write(first: int, last: int) -> None:
        capacity = int(np.minimum(sizes[first:last], len(falling)).sum())
        ends, numbers = np.empty(capacity, np.int32), np.empty(capacity, np.int32)
        size = kernels.write_partners(
            *(first, last, documents, rule, ranks, len(falling)), *(starts, terms, n_runs, ends, numbers)
        )
        runs[first] = ends[:size].copy(), numbers[:size].copy()

    for_ranges(write, n_terms, threads, _TERMS)
    ends, numbers = (np.concatenate([runs[first][part] for first in sorted(runs)]) for part in (0, 1))
    run_starts = np.concatenate([[0], np.cumsum(n_runs)])
    return Partners(starts, terms, run_starts, ends, falling[numbers])


def _documents(rows: CSR, pairs: LabelPairs) -> kernels.DocumentPairs:
    projections = place_by_term(rows, pairs.documents)
    classes = np.repeat(np.arange(len(pairs.classes), dtype=np.int32), np.diff(pairs.class_starts))
    columns = np.argsort(-np.diff(projections.starts), kind="stable").astype(np.int32)
    place_of = np.empty(rows.n_columns, np.int32)
    place_of[columns] = np.arange(rows.n_columns)
    starts, places = rows.indptr.astype(np.int64, copy=False), place_of[rows.indices]
    return kernels.DocumentPairs(
        *(
            projections.starts,
            projections.members,
            classes,
            pairs.documents,
            starts,
            places,
            rows.data,
            columns,
            place_of,
        )
    )
