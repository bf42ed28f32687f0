"""Repetitions of an experiment: documents to train on and to test, and what members of an ensemble say of the latter.

Each repetition takes a share of the documents at random, without a look at the classes, as the paper does, for testing;
the seed decides which. A class may then have no document to train on, and its test documents are errors. What is
learned from documents before the ensemble (which terms, how they are weighted) is handed in as `prepare`, and fitted to
the training documents of each repetition alone; done beforehand, it would have seen the test documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_X_y

from ..errors import InputError, shown
from ..estimators import arrays_as_output
from ..settings import as_number, is_whole
from .base import member_classifier
from .combining import Ints, Said, knows_nothing
from .draws import seed_of, subset
from .members import member_scores

Progress = Callable[[str, int, int | None], None]
"""Told the stage, what is done of it, and how much it is in all."""

STAGE = "members trained"


class Split(NamedTuple):
    """Which documents are trained on and which are tested, and the seed of the ensembles that are."""

    train: Ints
    test: Ints
    seed: int


def random_splits(n_documents: int, *, test_share: float, repeats: int, random_state: Any) -> list[Split]:
    """Documents to train on and to test, at random, and a seed for each repetition; the same for the same state."""
    if not 0.0 < as_number(test_share) < 1.0:
        raise InputError(f"test_share={shown(test_share)}; use a share of the documents above 0.0 and below 1.0.")
    if not (is_whole(repeats) and repeats >= 1):
        raise InputError(f"repeats={shown(repeats)}; use a number of repetitions from 1.")
    if n_documents < 2:
        raise InputError(f"There are {n_documents} documents; give some to train on and some to test.")
    n_test = min(max(round(test_share * n_documents), 1), n_documents - 1)
    splits, seed = [], seed_of(random_state)
    for number in range(repeats):
        random = np.random.default_rng([seed, number])
        order = random.permutation(n_documents)
        splits.append(Split(np.sort(order[n_test:]), np.sort(order[:n_test]), int(random.integers(1 << 31))))
    return splits


class Repetition:
    """Documents of one split, prepared, and the members that are trained on them."""

    def __init__(
        self, estimator: Any, X: csr_matrix, y: NDArray[Any], split: Split, prepare: Any, n_jobs: int | None
    ) -> None:
        self._estimator, self._seed, self._n_jobs = estimator, split.seed, n_jobs
        self._X, self._X_test = prepared(X, y, split, prepare)
        self._classes, self._numbers = np.unique(y[split.train], return_inverse=True)
        self._y_test = y[split.test]

    @property
    def n(self) -> int:
        """How many terms there are."""
        return int(self._X.shape[1])

    @property
    def class_docs(self) -> Ints:
        """How many documents each class has to train on; classes that have none are not known."""
        return np.bincount(self._numbers)

    @property
    def n_tested(self) -> int:
        """How many documents are tested."""
        return len(self._y_test)

    def is_right(self, numbers: Ints) -> NDArray[np.bool_]:
        """For each test document, whether the class of this number is its own."""
        return np.asarray(self._classes[numbers] == self._y_test)

    @property
    def true_numbers(self) -> Ints:
        """The number of each test document's class; -1 for one that had no document to train on."""
        places = np.minimum(np.searchsorted(self._classes, self._y_test), len(self._classes) - 1)
        return np.where(self.is_right(places), places, -1)

    def said(self, n_terms: int, n_members: int) -> Iterator[Said]:
        """What each member of so many terms (or all, if there are fewer) says of the test documents, one by one."""
        n_terms = min(n_terms, self.n)
        if n_terms == self.n and "random_state" not in self._estimator.get_params():
            yield from repeat(next(self._trained(n_terms, 1)), n_members)
        else:
            yield from self._trained(n_terms, n_members)

    def _trained(self, n_terms: int, n_members: int) -> Iterator[Said]:
        rows = self._X_test
        scores_of_all = member_scores(
            *(self._estimator, self._X, self._numbers, len(self._classes), rows),
            n_terms=n_terms,
            n_members=n_members,
            seed=self._seed,
            n_jobs=self._n_jobs,
        )
        for number, scores in enumerate(scores_of_all):
            is_chosen = np.zeros(self.n, np.bool_)
            is_chosen[subset(self.n, n_terms, member=number, seed=self._seed)] = True
            yield scores, knows_nothing(rows.indptr, rows.indices, is_chosen)


def repetitions(
    X: Any, y: Any, splits: list[Split], *, estimator: Any, prepare: Any, n_jobs: int | None
) -> Iterator[Repetition]:
    """One repetition after the other, each made when it is asked for."""
    base = member_classifier(estimator)
    for number, split in enumerate(splits, 1):
        _require_two_classes(y[split.train], number)
    return (Repetition(base, X, y, split, prepare, n_jobs) for split in splits)


def checked_documents(X: Any, y: Any) -> tuple[csr_matrix, NDArray[Any]]:
    """Documents as sparse rows, and one label for each."""
    X, y = check_X_y(X, y, accept_sparse="csr", dtype=None)
    check_classification_targets(y)
    return csr_matrix(X), y


def prepared(X: csr_matrix, y: NDArray[Any], split: Split, prepare: Any) -> tuple[csr_matrix, csr_matrix]:
    """The rows of a repetition's documents to train on and to test; nothing is learned from the latter."""
    train, test = X[split.train], X[split.test]
    if prepare is not None:
        fitted = clone(prepare)
        with arrays_as_output():
            train = csr_matrix(fitted.fit_transform(train, y[split.train]))
            test = csr_matrix(fitted.transform(test))
    for rows in (train, test):
        rows.eliminate_zeros()  # a document has a term if that has a weight
    return train, test


def _require_two_classes(y: NDArray[Any], number: int) -> None:
    if len(np.unique(y)) < 2:
        raise InputError(
            f"All documents to train on in repetition {number} are of the class {y.tolist()[0]!r}; give more documents "
            "of other classes, or test fewer."
        )


def teller(progress: Progress | None, total: int) -> Callable[[int], None]:
    """Told of some more members, it tells how many there are by now."""
    done = 0

    def tell(more: int) -> None:
        nonlocal done
        done += more
        if progress is not None:
            progress(STAGE, done, total)

    return tell
