"""Documents and splits for the study of random subspaces.

Terms are chosen and weighted by what the training documents of a split say, and by nothing else; how they are, is in
`studies.preparations`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from textsieve import TermCounter

from .corpora import webkb
from .newsgroups import newsgroups
from .trace_corpora import brown

Ints = NDArray[np.int64]


class Documents(NamedTuple):
    """Counts, and the number of each document's class."""

    counts: csr_matrix
    numbers: Ints
    n_classes: int


class Split(NamedTuple):
    """Prepared rows to train on and to test, with the numbers of their classes, and a seed for ensembles."""

    rows: csr_matrix
    numbers: Ints
    n_classes: int
    test_rows: csr_matrix
    test_numbers: Ints
    seed: int


def _documents(counts: Any, labels: list[str]) -> Documents:
    classes, numbers = np.unique(labels, return_inverse=True)
    return Documents(csr_matrix(counts), numbers, len(classes))


@cache
def brown_documents(reading: str = "words") -> Documents:
    """Brown's 500 texts and 15 genres, read in one of the ways."""
    texts, genres = brown()
    return _documents(READINGS[reading](texts), genres)


def _tokens(texts: list[str]) -> Any:
    """Every token of the tagged corpus, punctuation marks too: a mark is given a name that is a word."""
    named = {
        mark: f"mark{number}" for number, mark in enumerate(sorted({mark for text in texts for mark in _marks(text)}))
    }
    spelled = (" ".join(named.get(token, token) for token in text.split()) for text in texts)
    return TermCounter(dtype=np.int32).fit_transform(list(spelled))


def _marks(text: str) -> set[str]:
    return {token for token in text.split() if not re.search(r"\w", token)}


READINGS: dict[str, Callable[[list[str]], Any]] = {
    "words": lambda texts: TermCounter(dtype=np.int32).fit_transform(texts),
    "words with their capitals": lambda texts: TermCounter(dtype=np.int32, lowercase=False).fit_transform(texts),
    "words and punctuation marks": _tokens,
    "words without stop words": lambda texts: TermCounter(dtype=np.int32, stop_words="english").fit_transform(texts),
}


@cache
def other_documents(name: str) -> Documents:
    """Another collection."""
    texts, labels = OTHERS[name]()
    return _documents(TermCounter(dtype=np.int32).fit_transform(texts), labels)


def _bodies() -> tuple[list[str], list[str]]:
    return newsgroups("train:subject-only")


OTHERS: dict[str, Callable[[], tuple[list[str], list[str]]]] = {"20 Newsgroups": _bodies, "WebKB": webkb}


def weighing_terms(rows: csr_matrix) -> float:
    """On how many terms the length of a document rests, in the mean: (Σ w²)² / Σ w⁴, k for k equal weights."""
    squares = rows.multiply(rows).tocsr()
    sums, of_squares = (
        np.asarray(each.sum(axis=1), np.float64).ravel() for each in (squares, squares.multiply(squares))
    )
    return float(np.mean(sums[sums > 0] ** 2 / of_squares[sums > 0]))


def splits(
    documents: Documents, prepare: Callable[[], Any], *, n_splits: int, seed: int, n_train: int, n_test: int
) -> Iterator[Split]:
    """So many documents to train on and to test, at random, again and again; prepared by a fresh pipeline."""
    n_documents = len(documents.numbers)
    for number in range(n_splits):
        random = np.random.default_rng([seed, number])
        order = random.permutation(n_documents)
        train, test = np.sort(order[:n_train]), np.sort(order[n_train : n_train + n_test])
        pipeline = prepare()
        rows = csr_matrix(pipeline.fit_transform(documents.counts[train], documents.numbers[train]))
        test_rows = csr_matrix(pipeline.transform(documents.counts[test]))
        for each in (rows, test_rows):
            each.eliminate_zeros()
        classes, numbers = np.unique(documents.numbers[train], return_inverse=True)
        places = np.minimum(np.searchsorted(classes, documents.numbers[test]), len(classes) - 1)
        test_numbers = np.where(classes[places] == documents.numbers[test], places, -1)
        yield Split(rows, numbers, len(classes), test_rows, test_numbers, int(random.integers(1 << 31)))
