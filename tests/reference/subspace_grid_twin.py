"""Slow twin of grids of ensembles: every member is trained by itself, and votes are counted one by one."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import clone

from textsieve.ensembles.members import subset

Scores = list[list[float]]


def documents(n_classes: int = 3, n: int = 60, n_terms: int = 30, seed: int = 0) -> tuple[csr_matrix, NDArray[Any]]:
    """Return counts that differ a little between classes, and labels; some documents have few terms."""
    random = np.random.default_rng(seed)
    y = random.integers(0, n_classes, n)
    lean = random.random((n_classes, n_terms)) * 0.25
    X = (random.random((n, n_terms)) < lean[y]) * random.integers(1, 4, (n, n_terms))
    return csr_matrix(X.astype(float)), np.array([f"class {number}" for number in y])


def all_scores(
    estimator: Any, X: csr_matrix, y: Any, X_test: csr_matrix, *, n_terms: int, n_members: int, seed: int
) -> tuple[list[Scores], list[list[bool]]]:
    """Return the scores of each member (documents x classes), and which documents have none of its terms."""
    scores, silent = [], []
    for member in range(n_members):
        columns = subset(X.shape[1], n_terms, member=member, seed=seed)
        trained = clone(estimator).fit(X[:, columns], y)
        outputs = trained.decision_function(X_test[:, columns])
        scores.append([[-output, output] for output in outputs] if outputs.ndim == 1 else outputs.tolist())
        silent.append([X_test[row, columns].count_nonzero() == 0 for row in range(X_test.shape[0])])
    return scores, silent


def decided(scores: list[Scores], silent: list[list[bool]], document: int, class_docs: list[int], combine: str) -> int:
    """Return the number of the class that an ensemble predicts for a document."""
    n_classes, votes = len(scores[0][document]), [0] * len(scores[0][document])
    means = [0.0] * n_classes
    for member, of_member in enumerate(scores):
        own = of_member[document]
        if not silent[member][document]:
            votes[own.index(max(own))] += 1
        means = [sum_so_far + score for sum_so_far, score in zip(means, own, strict=True)]
    means = [total / len(scores) for total in means]
    if combine == "mean":
        return means.index(max(means))
    return max(range(n_classes), key=lambda number: (votes[number], class_docs[number], -number))


def accuracy(
    estimator: Any,
    X: csr_matrix,
    y: NDArray[Any],
    train: Any,
    test: Any,
    *,
    n_terms: int,
    n_members: int,
    seed: int,
    combine: str,
) -> float:
    """Return the accuracy of an ensemble on the test documents."""
    classes, class_docs = np.unique(y[train], return_counts=True)
    scores_and_silent = all_scores(
        estimator, X[train], y[train], X[test], n_terms=n_terms, n_members=n_members, seed=seed
    )
    right = [
        classes[decided(*scores_and_silent, document, class_docs.tolist(), combine)] == y[test][document]
        for document in range(len(test))
    ]
    return float(np.mean(right))
