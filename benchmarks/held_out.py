"""20 Newsgroups as paper 003 has it: body and subject, 10,000 terms by chi-square, ltc weights, 4,000 held out."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from textsieve import ChiSquare, TermCounter, TermWeighter

from .newsgroups import newsgroups

N_TERMS = 10_000
N_HELD_OUT = 4_000
PARTS = ("train:subject-only", "test:subject-only")


class Split(NamedTuple):
    """Rows and groups of the documents to learn from, and of those to predict."""

    rows: csr_matrix
    groups: Any
    test_rows: csr_matrix
    test_groups: Any


@cache
def held_out() -> Split:
    """The documents of both parts, shuffled; terms and idf come from those to learn from alone."""
    texts, groups = (one + other for one, other in zip(*map(newsgroups, PARTS), strict=True))
    counts = TermCounter().fit_transform(texts).tocsr()
    labels = np.array(groups)
    order = np.random.default_rng(0).permutation(len(labels))
    test, train = order[:N_HELD_OUT], order[N_HELD_OUT:]
    terms = ChiSquare(k=N_TERMS).fit(counts[train], labels[train])
    weighter = TermWeighter(tf="log", idf="plain", norm="l2").fit(terms.transform(counts[train]))
    rows, test_rows = (csr_matrix(weighter.transform(terms.transform(counts[part]))) for part in (train, test))
    return Split(rows, labels[train], test_rows, labels[test])
