"""`LinearSVM` on many terms and documents beside scikit-learn's `LinearSVC`, and what the default costs besides it.

python -m benchmarks.svm_training        prints the table
"""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.svm import LinearSVC

from textsieve import Categorizer, TermCounter, TermWeighter
from textsieve.classifiers import LinearSVM

from .harness import Result, table, versus
from .newsgroups import newsgroups
from .streaming import repeated_documents

N_DOCUMENTS = 100_000

SVM: dict[str, Any] = {"C": 0.5, "tol": 0.01}
"""The cost and the tolerance of both SVMs; those of `LinearSVM` by default."""

FORMER_DEFAULT: dict[str, Any] = {
    "analyzer": "word",
    "char_ngram_range": None,
    "n_terms": 10_000,
    "max_size": None,
    "class_weight": None,
    "probabilities": None,
}
"""The default before models dropped coefficients and had probabilities."""


def _weigh(texts: list[str]) -> csr_matrix:
    """Return the weights of all words."""
    return csr_matrix(TermWeighter(tf="log").fit_transform(TermCounter().fit_transform(texts)))


def _beside_liblinear(job: str, texts: list[str], groups: list[str], **repeats: Any) -> Result:
    """Time `LinearSVM` beside `LinearSVC` with the same cost and tolerance, both on 64-bit floats."""
    weights = _weigh(texts).astype(np.float64)
    return versus(
        f"{job}, {weights.shape[1]:,} terms: `LinearSVM.fit`, two threads",
        lambda: LinearSVM(n_jobs=2, **SVM).fit(weights, groups),
        lambda: LinearSVC(dual=True, random_state=0, **SVM).fit(weights, groups),
        "LinearSVC, same C and tol",
        target=10.0,
        **repeats,
    )


def results() -> list[Result]:
    """Time the SVM on 20 Newsgroups and on more documents, and the default beside the former default."""
    texts, groups = newsgroups()
    more_texts, more_groups = map(list, zip(*islice(repeated_documents(np.inf), N_DOCUMENTS), strict=True))
    return [
        _beside_liblinear("20 Newsgroups", texts, groups),
        _beside_liblinear(f"{N_DOCUMENTS:,} documents", more_texts, more_groups, repeats=3, their_repeats=1),
        versus(
            "20 Newsgroups: `Categorizer().fit`; aim: at most 1.5 times the former default",
            lambda: Categorizer().fit(texts, groups),
            lambda: Categorizer(**FORMER_DEFAULT).fit(texts, groups),
            "former default: 10,000 words, no probabilities",
            target=1 / 1.5,
            why="it trains three times to drop coefficients, and again without a fold for probabilities",
        ),
    ]


if __name__ == "__main__":
    print(table(results()))
