"""Evaluate one size of ensemble on held-out documents, compared with one classifier on all terms.

Each repetition draws a share of the documents at random for testing, without regard to classes, as the paper does; the
seed determines which. A class may then have no training document, and its test documents count as errors. Whatever is
learned before the ensemble (selected terms, weights) is passed as `prepare` and fitted to the training documents of
each repetition only; fitted beforehand, it would have seen the test documents.

The predictions of each member for each test document are kept, to measure how much members differ (`agreement`).
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

from ..arrays import Floats, Ints
from ..errors import InputError
from ..estimators import arrays_as_output
from ..settings import as_number, is_whole
from .agreement import MeasuredDiversity, measured_diversity
from .members import member_classifier, member_scores, refuse_averages_of_cosines, seed_of, size_of, subset
from .vote_rules import COMBINATIONS, Said, VoteTally, for_each_class, knows_nothing, require_combination

Progress = Callable[[str, int, int | None], None]
"""A function that is called with the stage, how much of it is done, and its total."""

STAGE = "members trained"


class RandomSplit(NamedTuple):
    """The training and test documents of a repetition, and the seed of its ensembles."""

    train: Ints
    test: Ints
    seed: int


def random_splits(n_documents: int, *, test_share: float, repeats: int, random_state: Any) -> list[RandomSplit]:
    """Return a random split into training and test documents, and a seed, for each repetition.

    The same `random_state` gives the same splits.
    """
    if not 0.0 < as_number(test_share) < 1.0:
        raise InputError(
            setting="test_share", value=test_share, hint="use a share of the documents above 0.0 and below 1.0"
        )
    if not (is_whole(repeats) and repeats >= 1):
        raise InputError(setting="repeats", value=repeats, hint="use a number of repetitions from 1")
    if n_documents < 2:
        raise InputError(f"There are {n_documents} documents; give some to train on and some to test.")
    n_test = min(max(round(test_share * n_documents), 1), n_documents - 1)
    splits, seed = [], seed_of(random_state)
    for number in range(repeats):
        random = np.random.default_rng([seed, number])
        order = random.permutation(n_documents)
        splits.append(RandomSplit(np.sort(order[n_test:]), np.sort(order[:n_test]), int(random.integers(1 << 31))))
    return splits


class Repetition:
    """The prepared documents of one split, and the members trained on them."""

    def __init__(
        self, estimator: Any, X: csr_matrix, y: NDArray[Any], split: RandomSplit, prepare: Any, n_jobs: int | None
    ) -> None:
        self._estimator, self._seed, self._n_jobs = estimator, split.seed, n_jobs
        self._X, self._X_test = prepared(X, y, split, prepare)
        self._classes, self._numbers = np.unique(y[split.train], return_inverse=True)
        self._y_test = y[split.test]

    @property
    def n(self) -> int:
        """Return the number of terms."""
        return int(self._X.shape[1])

    @property
    def class_docs(self) -> Ints:
        """Return the number of training documents of each class; classes without any are unknown."""
        return np.bincount(self._numbers)

    @property
    def n_tested(self) -> int:
        """Return the number of test documents."""
        return len(self._y_test)

    def is_right(self, numbers: Ints) -> NDArray[np.bool_]:
        """Return for each test document whether the class with the given number is correct."""
        return np.asarray(self._classes[numbers] == self._y_test)

    @property
    def true_numbers(self) -> Ints:
        """Return the class number of each test document; -1 if its class had no training document."""
        places = np.minimum(np.searchsorted(self._classes, self._y_test), len(self._classes) - 1)
        return np.where(self.is_right(places), places, -1)

    def said(self, n_terms: int, n_members: int) -> Iterator[Said]:
        """Yield the scores of each member for the test documents, and a mask of those with none of its terms.

        A member has `n_terms` terms, or all if there are fewer.
        """
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
    X: Any, y: Any, splits: list[RandomSplit], *, estimator: Any, prepare: Any, n_jobs: int | None
) -> Iterator[Repetition]:
    """Return an iterator over the repetitions, each created on demand."""
    base = member_classifier(estimator)
    for number, split in enumerate(splits, 1):
        _require_two_classes(y[split.train], number)
    return (Repetition(base, X, y, split, prepare, n_jobs) for split in splits)


def checked_documents(X: Any, y: Any) -> tuple[csr_matrix, NDArray[Any]]:
    """Return the documents as sparse rows, and one label for each; raise an error if they are invalid."""
    X, y = check_X_y(X, y, accept_sparse="csr", dtype=None)
    check_classification_targets(y)
    return csr_matrix(X), y


def prepared(X: csr_matrix, y: NDArray[Any], split: RandomSplit, prepare: Any) -> tuple[csr_matrix, csr_matrix]:
    """Return the training and test rows of a repetition; `prepare` is fitted to the training rows only."""
    train, test = X[split.train], X[split.test]
    if prepare is not None:
        fitted = clone(prepare)
        with arrays_as_output():
            train = csr_matrix(fitted.fit_transform(train, y[split.train]))
            test = csr_matrix(fitted.transform(test))
    for rows in (train, test):
        rows.eliminate_zeros()  # a document has a term only if its weight is not 0
    return train, test


def _require_two_classes(y: NDArray[Any], number: int) -> None:
    if len(np.unique(y)) < 2:
        raise InputError(
            f"All documents to train on in repetition {number} are of the class {y.tolist()[0]!r}; give more documents "
            "of other classes, or test fewer."
        )


def teller(progress: Progress | None, total: int) -> Callable[[int], None]:
    """Return a function that takes a number of newly trained members and reports the total to `progress`."""
    done = 0

    def tell(more: int) -> None:
        nonlocal done
        done += more
        if progress is not None:
            progress(STAGE, done, total)

    return tell


SILENT = -1
"""The answer of a member that has no term of the document."""


class SubspaceTrial(NamedTuple):
    """The results of each repetition."""

    n_terms: int
    n_estimators: int
    accuracy: Floats
    """The accuracy of the ensemble."""
    single: Floats
    """The accuracy of one classifier on all terms."""
    answers: list[Ints]
    """Members x test documents: the number of the class that each member chose, or `SILENT`."""
    true: list[Ints]
    """The class number of each test document; `SILENT` if its class had no training document."""
    splits: tuple[RandomSplit, ...]
    by_rule: dict[str, Floats]
    """The accuracy of the same members combined by "vote" and by "mean"."""

    @property
    def diversity(self) -> list[MeasuredDiversity]:
        """Return how much the members of each repetition differ on test documents of known classes."""
        measured = []
        for answers, true in zip(self.answers, self.true, strict=True):
            known = true != SILENT
            if len(answers) > 1 and known.any():
                measured.append(measured_diversity(answers[:, known].T, true[known]))
        return measured

    @property
    def gain(self) -> tuple[float, float]:
        """Return the mean gain in accuracy over the single classifier, and its standard error.

        The standard error is NaN for one repetition.
        """
        gains = self.accuracy - self.single
        error = float(gains.std(ddof=1) / np.sqrt(len(gains))) if len(gains) > 1 else float("nan")
        return float(gains.mean()), error


def subspace_trial(
    X: Any,
    y: Any,
    *,
    n_terms: float,
    n_estimators: float,
    estimator: Any = None,
    combine: str = "vote",
    prepare: Any = None,
    test_share: float = 0.2,
    repeats: int = 5,
    random_state: Any = 0,
    n_jobs: int | None = -1,
    progress: Progress | None = None,
) -> SubspaceTrial:
    """Evaluate an ensemble of `n_estimators` members with `n_terms` terms each.

    The parameters are those of `subspace_grid`.
    """
    require_combination(combine)
    refuse_averages_of_cosines(member_classifier(estimator), combine)
    X, y = checked_documents(X, y)
    splits = random_splits(X.shape[0], test_share=test_share, repeats=repeats, random_state=random_state)
    results: list[tuple[dict[str, float], float, Ints, Ints]] = []
    for repetition in repetitions(X, y, splits, estimator=estimator, prepare=prepare, n_jobs=n_jobs):
        if not results:
            size = (
                size_of("n_terms", n_terms, repetition.n, repetition.n),
                size_of("n_estimators", n_estimators, repetition.n),
            )
            report = teller(progress, len(splits) * size[1])
        results.append(_evaluated(repetition, *size, report))
    accuracies, single, answers, true = zip(*results, strict=True)
    by_rule = {rule: np.array([of_split[rule] for of_split in accuracies]) for rule in COMBINATIONS}
    return SubspaceTrial(*size, by_rule[combine], np.array(single), list(answers), list(true), tuple(splits), by_rule)


def _evaluated(
    documents: Repetition, n_terms: int, n_members: int, report: Callable[[int], None]
) -> tuple[dict[str, float], float, Ints, Ints]:
    tally = VoteTally(documents.n_tested, documents.class_docs)
    answers = np.full((n_members, documents.n_tested), SILENT)
    for number, (scores, is_silent) in enumerate(documents.said(n_terms, n_members)):
        tally.add(scores, is_silent)
        answers[number] = np.where(is_silent, SILENT, for_each_class(scores).argmax(axis=1))
        report(1)
    ((single_scores, _),) = documents.said(documents.n, 1)
    by_rule = {rule: float(documents.is_right(tally.decisions(rule)).mean()) for rule in COMBINATIONS}
    single = documents.is_right(for_each_class(single_scores).argmax(axis=1))
    return by_rule, float(single.mean()), answers, documents.true_numbers
