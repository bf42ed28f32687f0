"""Ensembles of random subspaces on many splits, beside one classifier of all terms on the same ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import SVC

from textsieve import Rocchio
from textsieve.classifiers.svm import LinearSVM
from textsieve.ensembles.members import member_scores, subset
from textsieve.ensembles.vote_rules import VoteTally, for_each_class, knows_nothing

from .subspaces_data import Split

Floats = NDArray[np.float64]


class PairwiseSVM(ClassifierMixin, BaseEstimator):
    """LIBSVM, which lets each two classes fight it out, where other classifiers here set each against the rest.

    It is given the products of the documents: that is the linear kernel, and quicker than from sparse rows.
    """

    def __init__(self, *, C: float = 1.0) -> None:
        self.C = C

    def fit(self, X: Any, y: Any) -> Self:
        """Train on sparse rows."""
        self._rows = X
        self._svm = SVC(kernel="precomputed", C=self.C, break_ties=True).fit((X @ X.T).toarray(), y)
        self.classes_ = self._svm.classes_
        return self

    def decision_function(self, X: Any) -> Any:
        """The pairs that each class wins, and by how much where they are equal."""
        return self._svm.decision_function((X @ self._rows.T).toarray())

    def predict(self, X: Any) -> Any:
        """The class of each document."""
        return self.classes_[self.decision_function(X).argmax(axis=1)]


BASES: dict[str, Callable[[], Any]] = {
    "SVM, C = 100": lambda: LinearSVM(C=100.0),
    "SVM, C = 1": lambda: LinearSVM(C=1.0),
    "SVM, C = 0.1": lambda: LinearSVM(C=0.1),
    "pairwise SVM, C = 100": lambda: PairwiseSVM(C=100.0),
    "naive Bayes": MultinomialNB,
    "Rocchio": Rocchio,
}
"""By name."""


class Size(NamedTuple):
    """Terms of a member, and members."""

    n_terms: int
    n_members: int


class Outcome(NamedTuple):
    """Shares of test documents that were right, one a split."""

    size: Size
    vote: Floats
    mean: Floats
    member: Floats
    """Of the members, in the mean."""
    single: Floats


def right(base: Any, split: Split) -> float:
    """The share of test documents that one classifier of all terms puts into their class."""
    fitted = clone(base).fit(split.rows, split.numbers)
    return float(np.mean(fitted.predict(split.test_rows) == split.test_numbers))


def answers(base: Any, split: Split, size: Size) -> tuple[VoteTally, NDArray[np.int64]]:
    """The votes and scores of an ensemble, and what each member chose (members x documents; -1 if it knows no term)."""
    n = split.rows.shape[1]
    n_terms, tests = min(size.n_terms, n), split.test_rows
    tally, chosen = VoteTally(tests.shape[0], np.bincount(split.numbers)), np.full((size.n_members, tests.shape[0]), -1)
    said = member_scores(
        *(base, split.rows, split.numbers, split.n_classes, tests),
        n_terms=n_terms,
        n_members=size.n_members,
        seed=split.seed,
        n_jobs=-1,
    )
    for number, scores in enumerate(said):
        is_chosen = np.zeros(n, np.bool_)
        is_chosen[subset(n, n_terms, member=number, seed=split.seed)] = True
        is_silent = knows_nothing(tests.indptr, tests.indices, is_chosen)
        tally.add(scores, is_silent)
        chosen[number] = np.where(is_silent, -1, for_each_class(scores).argmax(axis=1))
    return tally, chosen


def tried(base: Any, splits: Iterable[Split], sizes: list[Size]) -> list[Outcome]:
    """An ensemble of each size on each split, and the single classifier."""
    found: list[list[tuple[float, float, float, float]]] = [[] for _ in sizes]
    for split in splits:
        single = right(base, split)
        for rows, size in zip(found, sizes, strict=True):
            tally, chosen = answers(base, split, size)
            vote, mean = (float(np.mean(tally.decisions(rule) == split.test_numbers)) for rule in ("vote", "mean"))
            rows.append((vote, mean, float(np.mean(chosen == split.test_numbers)), single))
    return [Outcome(size, *np.array(rows).T) for size, rows in zip(sizes, found, strict=True)]
