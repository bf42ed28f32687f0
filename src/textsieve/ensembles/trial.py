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

from ..arrays import Bools, Floats, Ints
from ..errors import InputError
from ..estimators import arrays_as_output
from ..progress import Progress as Progress
from ..progress import progress_or_shown
from ..settings import as_number, is_whole
from .agreement import ABSTAINED, MeasuredDiversity, measured_diversity
from .members import (
    member_classifier,
    member_scores,
    random_states_of,
    refuse_averages_of_cosines,
    seed_of,
    size_of,
    subset,
)
from .vote_rules import (
    COMBINATIONS,
    MemberOutput,
    VoteTally,
    abstains,
    one_column_per_class,
    require_combination,
)

STAGE = "members trained"
"""The name of the stage that is reported to `progress`."""


class RandomSplit(NamedTuple):
    """The training and test documents of a repetition, and the seed of its ensembles.

    Examples
    --------
    >>> from textsieve.ensembles import random_splits
    >>> split = random_splits(10, test_share=0.2, repeats=1, random_state=0)[0]
    >>> len(split.train), len(split.test)
    (8, 2)
    """

    train: Ints
    test: Ints
    seed: int


def random_splits(n_documents: int, *, test_share: float, repeats: int, random_state: Any) -> list[RandomSplit]:
    """Return a random split into training and test documents, and a seed, for each repetition.

    The same `random_state` gives the same splits.

    Examples
    --------
    >>> from textsieve.ensembles import random_splits
    >>> splits = random_splits(10, test_share=0.2, repeats=3, random_state=0)
    >>> [len(split.test) for split in splits]
    [2, 2, 2]
    """
    if not 0.0 < as_number(test_share) < 1.0:
        raise InputError(
            setting="test_share", value=test_share, hint="use a share of the documents above 0.0 and below 1.0"
        )
    if not (is_whole(repeats) and repeats >= 1):
        raise InputError(setting="repeats", value=repeats, hint="use a number of repetitions from 1")
    if n_documents < 2:
        raise InputError(f"There are {n_documents} documents", hint="give some to train on and some to test")
    n_test = min(max(round(test_share * n_documents), 1), n_documents - 1)  # at least one document to test and to train
    splits, seed = [], seed_of(random_state)
    for number in range(repeats):
        random = np.random.default_rng([seed, number])
        order = random.permutation(n_documents)
        splits.append(RandomSplit(np.sort(order[n_test:]), np.sort(order[:n_test]), int(random.integers(1 << 31))))
    return splits


class Repetition:
    """The prepared documents of one split, and the training and scoring of members on them.

    The classes of the training documents are numbered in sorted order.
    """

    def __init__(
        self, estimator: Any, X: csr_matrix, y: NDArray[Any], split: RandomSplit, prepare: Any, n_jobs: int | None
    ) -> None:
        self._estimator, self._seed, self._n_jobs = estimator, split.seed, n_jobs
        self._X, self._X_test = _prepare_rows(X, y, split, prepare)
        self._classes, self._class_of = np.unique(y[split.train], return_inverse=True)
        self._y_test = y[split.test]

    @property
    def n(self) -> int:
        """Return the number of terms."""
        return int(self._X.shape[1])

    @property
    def class_docs(self) -> Ints:
        """Return the number of training documents of each class that has some."""
        return np.bincount(self._class_of)

    @property
    def n_test_documents(self) -> int:
        """Return the number of test documents."""
        return len(self._y_test)

    def is_correct(self, numbers: Ints) -> Bools:
        """Return which predictions are correct, given a class number for each test document."""
        return np.asarray(self._classes[numbers] == self._y_test)

    @property
    def true_numbers(self) -> Ints:
        """Return the class number of each test document; -1 if its class had no training document."""
        # For an unknown class, searchsorted returns the number of another class, or one too large.
        numbers = np.minimum(np.searchsorted(self._classes, self._y_test), len(self._classes) - 1)
        return np.where(self.is_correct(numbers), numbers, -1)

    def member_outputs(self, n_terms: int, n_members: int) -> Iterator[MemberOutput]:
        """Train members; yield for each its scores of the test documents, and for which documents it abstains.

        A member has `n_terms` terms, or all if there are fewer. Members with all terms are equal unless the classifier,
        or a step of it, has a `random_state`. Of equal members, only one is trained, and its output is yielded for each
        member.
        """
        n_terms = min(n_terms, self.n)
        if n_terms == self.n and not random_states_of(self._estimator):
            yield from repeat(next(self._trained_outputs(n_terms, n_members=1)), n_members)
        else:
            yield from self._trained_outputs(n_terms, n_members)

    def _trained_outputs(self, n_terms: int, n_members: int) -> Iterator[MemberOutput]:
        """Train each of the members; yield what `member_outputs` does."""
        scores_of_members = member_scores(
            *(self._estimator, self._X, self._class_of, len(self._classes), self._X_test),
            n_terms=n_terms,
            n_members=n_members,
            seed=self._seed,
            n_jobs=self._n_jobs,
        )
        for number, scores in enumerate(scores_of_members):
            yield scores, abstains(self._X_test, subset(self.n, n_terms, member=number, seed=self._seed))


def repetitions(
    X: Any, y: Any, splits: list[RandomSplit], *, estimator: Any, prepare: Any, n_jobs: int | None
) -> Iterator[Repetition]:
    """Return an iterator over the repetitions of all splits, each created on demand.

    Raises `InputError` at once if the training documents of a split are all of one class.
    """
    base = member_classifier(estimator)
    for number, split in enumerate(splits, 1):
        _require_two_classes(y[split.train], number)
    return (Repetition(base, X, y, split, prepare, n_jobs) for split in splits)


def validate_documents(X: Any, y: Any) -> tuple[csr_matrix, NDArray[Any]]:
    """Return the documents as sparse rows, and one label for each; raise an error if they are invalid."""
    X, y = check_X_y(X, y, accept_sparse="csr", dtype=None)
    check_classification_targets(y)
    return csr_matrix(X), y


def _prepare_rows(X: csr_matrix, y: NDArray[Any], split: RandomSplit, prepare: Any) -> tuple[csr_matrix, csr_matrix]:
    """Return the training and test rows of a repetition; `prepare` is fitted to the training rows only."""
    train, test = X[split.train], X[split.test]
    if prepare is not None:
        transformer = clone(prepare)
        with arrays_as_output():
            train = csr_matrix(transformer.fit_transform(train, y[split.train]))
            test = csr_matrix(transformer.transform(test))
    for rows in (train, test):
        rows.eliminate_zeros()  # a document has a term only if its weight is not 0
    return train, test


def _require_two_classes(y: NDArray[Any], number: int) -> None:
    """Raise `InputError` if the training labels `y` of the repetition with this number are all equal."""
    if len(np.unique(y)) < 2:
        raise InputError(
            f"All documents to train on in repetition {number} are of the class {y.tolist()[0]!r}",
            hint="give more documents of other classes, or test fewer",
        )


def progress_reporter(progress: Progress | None, total: int) -> Callable[[], None]:
    """Return a function to call after each trained member; it reports the number trained so far to `progress`."""
    on_progress, n_done = progress_or_shown(progress), 0

    def report() -> None:
        """Report one more trained member."""
        nonlocal n_done
        n_done += 1
        on_progress(STAGE, n_done, total)

    return report


class SubspaceTrial(NamedTuple):
    """The results of a trial, with an array entry or a list entry for each repetition.

    Examples
    --------
    >>> from textsieve.ensembles import subspace_trial
    >>> X = [[2, 0, 1, 0], [1, 1, 0, 0], [0, 2, 1, 1], [0, 1, 0, 2]] * 5
    >>> y = ["sport", "sport", "politics", "politics"] * 5
    >>> trial = subspace_trial(X, y, n_terms=2, n_estimators=5, repeats=2)
    >>> sorted(trial.by_rule)
    ['mean', 'vote']
    """

    n_terms: int
    n_estimators: int
    accuracy: Floats
    """The accuracy of the ensemble."""
    single: Floats
    """The accuracy of one classifier on all terms."""
    answers: list[Ints]
    """Members x test documents: the number of the class that each member chose, or -1 if it abstained."""
    true: list[Ints]
    """The class number of each test document; -1 if its class had no training document."""
    splits: tuple[RandomSplit, ...]
    by_rule: dict[str, Floats]
    """The accuracy of the same members combined by "vote" and by "mean"."""

    @property
    def diversity(self) -> list[MeasuredDiversity]:
        """Return how much the members of each repetition differ on test documents of known classes.

        Repetitions with a single member, or without such test documents, are left out.
        """
        measured = []
        for answers, true in zip(self.answers, self.true, strict=True):
            is_known = true >= 0
            if len(answers) > 1 and is_known.any():
                measured.append(measured_diversity(answers[:, is_known].T, true[is_known]))
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

    Examples
    --------
    >>> from textsieve.ensembles import subspace_trial
    >>> X = [[2, 0, 1, 0], [1, 1, 0, 0], [0, 2, 1, 1], [0, 1, 0, 2]] * 5
    >>> y = ["sport", "sport", "politics", "politics"] * 5
    >>> subspace_trial(X, y, n_terms=2, n_estimators=5, repeats=2).accuracy.round(2)
    array([1., 1.])
    """
    # Both raise `InputError` for invalid settings, before any member is trained.
    require_combination(combine)
    refuse_averages_of_cosines(member_classifier(estimator), combine)
    X, y = validate_documents(X, y)
    splits = random_splits(X.shape[0], test_share=test_share, repeats=repeats, random_state=random_state)
    results: list[_Evaluation] = []
    for repetition in repetitions(X, y, splits, estimator=estimator, prepare=prepare, n_jobs=n_jobs):
        if not results:  # fractions refer to the number of terms in the first repetition
            M = size_of("n_terms", n_terms, repetition.n, most=repetition.n)
            L = size_of("n_estimators", n_estimators, repetition.n)
            report = progress_reporter(progress, len(splits) * L)
        results.append(_evaluate(repetition, M, L, report))
    by_rule = {rule: np.array([result.accuracy_by_rule[rule] for result in results]) for rule in COMBINATIONS}
    return SubspaceTrial(
        M,
        L,
        accuracy=by_rule[combine],
        single=np.array([result.single_accuracy for result in results]),
        answers=[result.answers for result in results],
        true=[result.true_numbers for result in results],
        splits=tuple(splits),
        by_rule=by_rule,
    )


class _Evaluation(NamedTuple):
    """The results of one repetition."""

    accuracy_by_rule: dict[str, float]
    single_accuracy: float  # of one classifier on all terms
    answers: Ints  # members x test documents
    true_numbers: Ints


def _evaluate(repetition: Repetition, n_terms: int, n_members: int, report: Callable[[], None]) -> _Evaluation:
    """Train and test the members of one repetition, and one classifier on all terms."""
    tally = VoteTally(repetition.n_test_documents, repetition.class_docs)
    answers = np.full((n_members, repetition.n_test_documents), ABSTAINED)
    for number, (scores, member_abstains) in enumerate(repetition.member_outputs(n_terms, n_members)):
        tally.add(scores, member_abstains)
        answers[number] = np.where(member_abstains, ABSTAINED, one_column_per_class(scores).argmax(axis=1))
        report()
    # One member with all terms is the single classifier. It decides by its scores even where a member would abstain.
    [(single_scores, _)] = repetition.member_outputs(n_terms=repetition.n, n_members=1)
    accuracy_by_rule = {rule: float(repetition.is_correct(tally.decisions(rule)).mean()) for rule in COMBINATIONS}
    is_single_correct = repetition.is_correct(one_column_per_class(single_scores).argmax(axis=1))
    return _Evaluation(accuracy_by_rule, float(is_single_correct.mean()), answers, repetition.true_numbers)
