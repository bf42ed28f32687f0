"""Members of an ensemble: classifiers trained on some terms each, one after the other and several at a time.

All members learn from the same documents. A linear SVM of ours is trained from what they have in common (see
`classifiers.separation`), once for all of them; any other classifier is given the columns of its terms. What is
kept of a member is its linear form, if it has one, and the classifier itself if not.

What does not share anything with other classifiers is trained on threads. Others, such as liblinear, which draws random
numbers from one common source, are trained in processes; and where they have a seed, each member has one of its own. So
the members do not depend on how many are trained at a time.
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache, partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.naive_bayes import ComplementNB, MultinomialNB

from ..classifiers.fitting import as_argument, fit_each_class, weight_against_rest
from ..classifiers.linear_form import ALWAYS, Linear, NotLinear, checked_form, linear_form
from ..classifiers.rocchio import Rocchio
from ..classifiers.separation import Problem, Separable
from ..classifiers.svm import LinearSVM, against_the_rest, class_factors
from ..errors import InputError
from ..estimators import arrays_as_output
from ..kernels.linear import score_rows
from ..settings import n_threads
from ..stats.labels import LabelPairs, label_pairs
from ..stats.sums import Counts
from .combining import knows_nothing
from .draws import subset

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Result = TypeVar("Result")

_SHARE_NOTHING = (MultinomialNB, ComplementNB)
_AHEAD = 4


class Task(NamedTuple):
    """What members learn: the documents of each class that has some."""

    rows: csr_matrix
    labels: NDArray[Any]  # of these classes
    members: Sequence[Ints]
    numbers: Ints | None  # the class of each document, counted among these; None: it may have several, or none
    present: Ints  # the numbers of these classes among all
    class_docs: Counts  # of all classes
    weights: Floats | None = None  # how many times each document counts; None: once

    @property
    def one_output(self) -> bool:
        """Whether a single score speaks for the second of two classes."""
        return self.numbers is not None and len(self.labels) == 2

    @property
    def has_all(self) -> NDArray[np.bool_]:
        """Which of all classes have all documents."""
        has_all = np.zeros(len(self.class_docs), np.bool_)
        has_all[self.present] = [len(documents) == self.rows.shape[0] for documents in self.members]
        return has_all


def task_of(rows: csr_matrix, pairs: LabelPairs, *, keeps_unlabelled: bool, weights: Floats | None = None) -> Task:
    """Return what there is to learn; documents without a label are left out, or are in none of the classes."""
    class_docs = np.diff(pairs.class_starts)
    if weights is not None:
        numbers_of_pairs = np.repeat(np.arange(len(class_docs)), class_docs)
        class_docs = np.bincount(numbers_of_pairs, weights[pairs.documents], len(class_docs))
    present = np.flatnonzero(class_docs)
    if len(present) < 2:
        raise InputError("One class alone has documents: there is nothing to tell apart; give documents of another.")
    members = [pairs.of_class(number) for number in present.tolist()]
    labels_of = np.bincount(pairs.documents, minlength=rows.shape[0])
    if not keeps_unlabelled and not labels_of.all():
        labelled = np.flatnonzero(labels_of)
        place = np.cumsum(labels_of > 0) - 1
        rows, members, labels_of = rows[labelled], [place[each] for each in members], labels_of[labelled]
        weights = None if weights is None else weights[labelled]
    numbers = None
    if (labels_of == 1).all():
        numbers = np.empty(rows.shape[0], np.int64)
        for number, documents in enumerate(members):
            numbers[documents] = number
    return Task(rows, np.array(pairs.classes)[present], members, numbers, present, class_docs, weights)


class Member(NamedTuple):
    """A classifier of some terms."""

    terms: Ints
    form: Linear | None
    classifier: Any = None  # where there is no form
    unfinished: int = 0  # outputs whose weights were still moving

    def whole(self) -> Member:
        """As it is."""
        return self

    def lean(self) -> Member:
        """With the coefficients as they are kept, in 32 bits."""
        if self.form is None:
            return self
        coefficients: Any = self.form.coefficients.astype(np.float32)
        return self._replace(form=Linear(coefficients, self.form.intercepts))

    def knows_nothing_of(self, rows: csr_matrix) -> NDArray[np.bool_]:
        """Which documents have none of its terms."""
        is_chosen = np.zeros(rows.shape[1], np.bool_)
        is_chosen[self.terms] = True
        return knows_nothing(rows.indptr, rows.indices, is_chosen)

    def scores(self, rows: csr_matrix) -> Floats:
        """What it says of documents: a column a class, or a single one for two classes."""
        if self.form is None:
            return _told(self.classifier, rows[:, self.terms])
        coefficients = np.zeros((rows.shape[1], len(self.form.intercepts)), np.float32)
        coefficients[self.terms] = self.form.coefficients.T
        scores = np.empty((rows.shape[0], len(self.form.intercepts)))
        score_rows(rows.data, rows.indices, rows.indptr, coefficients, self.form.intercepts, scores)
        return scores


def train_members(
    estimator: Any,
    task: Task,
    *,
    n_terms: int,
    n_members: int,
    seed: int,
    n_jobs: int,
    then: Callable[[Member], Result],
) -> Iterator[Result]:
    """Train so many members; what `then` makes of each comes in the order of their numbers."""
    draw = partial(subset, task.rows.shape[1], n_terms, seed=seed)
    if type(estimator) is LinearSVM:
        train = _linear_svm(estimator, task, n_terms)
        return _in_order(lambda number: then(train(draw(member=number))), n_members, n_jobs)
    work = partial(_train_other, estimator, task, draw, seed)
    if isinstance(estimator, _SHARE_NOTHING):
        return _in_order(lambda number: then(work(number)), n_members, n_jobs)
    trained = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(work)(number) for number in range(n_members))
    return map(then, trained)


def member_scores(
    estimator: Any,
    X: csr_matrix,
    numbers: Ints,
    n_classes: int,
    X_test: csr_matrix,
    *,
    n_terms: int,
    n_members: int,
    seed: int,
    n_jobs: int | None,
) -> Iterator[Floats]:
    """Train members on documents of one class each, given by number, and give what each says of others.

    Scores are documents x classes; for two classes one column, which speaks for the second.
    """
    task = task_of(X, label_pairs(np.eye(n_classes, dtype=np.int8)[numbers], X.shape[0]), keeps_unlabelled=False)
    sizes = {"n_terms": n_terms, "n_members": n_members, "seed": seed, "n_jobs": n_threads(n_jobs)}
    unfinished = of_all = 0
    try:
        for scores, more in train_members(
            estimator, task, **sizes, then=lambda member: (member.scores(X_test), member.unfinished)
        ):
            unfinished, of_all = unfinished + more, of_all + scores.shape[1]
            yield scores
    finally:
        warn_of_unfinished(unfinished, of_all, stacklevel=3)


def warn_of_unfinished(unfinished: int, of_all: int, *, stacklevel: int) -> None:
    """Say if members were not trained to the end."""
    if unfinished:
        warnings.warn(
            f"{unfinished:,} of {of_all:,} problems had not converged; increase max_iter of the estimator, or decrease "
            "its C.",
            ConvergenceWarning,
            stacklevel=stacklevel + 1,
        )


def _in_order(work: Callable[[int], Result], n: int, n_jobs: int) -> Iterator[Result]:
    """The results for the numbers 0 to n - 1, several made at a time, and not many more than were asked for."""
    if n_jobs == 1:
        yield from map(work, range(n))
        return
    with ThreadPoolExecutor(n_jobs) as pool:
        waiting: deque[Future[Result]] = deque()
        try:
            for number in range(n):
                waiting.append(pool.submit(work, number))
                if len(waiting) > _AHEAD * n_jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:  # an error, or nobody wants the rest
                future.cancel()


# -- linear SVMs, from what they share ---------------------------------------------------------------------------


def _linear_svm(svm: LinearSVM, task: Task, n_terms: int) -> Callable[[Ints], Member]:
    """What trains a member on some terms."""
    svm.check_settings()
    documents = Separable(task.rows)
    problem, n_problems = _problems(svm, task)
    always = task.has_all[task.present]
    known = [number for number in range(n_problems) if task.numbers is not None or not always[number]]
    documents.make_ready(n_terms, len(known))

    def train(terms: Ints) -> Member:
        form = Linear(np.zeros((n_problems, len(terms))), np.full(n_problems, ALWAYS))
        if not known:
            return Member(terms, form)
        found = documents.separate(
            lambda number: problem(known[number]),
            len(known),
            terms=terms,
            tolerance=svm.tol,
            most_rounds=svm.max_iter,
            n_jobs=1,
        )
        form.coefficients[known], form.intercepts[known] = found.coefficients, found.intercepts
        return Member(terms, form, unfinished=found.unfinished)

    return train


def _problems(svm: LinearSVM, task: Task) -> tuple[Problem, int]:
    """A problem for each class, or one for two classes."""
    if task.numbers is not None:
        factors = class_factors(svm.class_weight, task.labels, task.labels[task.numbers], task.weights)
        return against_the_rest(task.numbers, factors, svm.C, task.weights)

    def membership(number: int) -> Ints:
        is_member = np.zeros(task.rows.shape[0], np.int64)
        is_member[task.members[number]] = 1
        return is_member

    @cache
    def factors_of(number: int) -> Floats:
        weight = weight_against_rest(_by_number(svm.class_weight, task.labels), number)
        return class_factors(weight, np.arange(2), membership(number), task.weights)

    def problem(number: int) -> tuple[Floats, Floats]:
        return against_the_rest(membership(number), factors_of(number), svm.C, task.weights)[0](0)

    return problem, len(task.labels)


def _by_number(class_weight: Any, labels: NDArray[Any]) -> Any:
    """Class weights under the numbers of the classes."""
    if not isinstance(class_weight, dict):
        return class_weight
    return {number: class_weight.get(label, 1.0) for number, label in enumerate(labels.tolist())}


# -- any other classifier ----------------------------------------------------------------------------------------


def _train_other(estimator: Any, task: Task, draw: Callable[..., Ints], seed: int, number: int) -> Member:
    terms = draw(member=number)
    rows = task.rows[:, terms]
    fresh = clone(estimator)
    own = fresh.get_params()
    seeds = np.random.Generator(np.random.PCG64([seed, number, 1]))
    for name in sorted(own):
        if name == "random_state" or name.endswith("__random_state"):
            fresh.set_params(**{name: int(seeds.integers(1 << 31))})
    if own.get("n_jobs") is not None:
        fresh.set_params(n_jobs=1)
    if task.numbers is None:
        weight = _by_number(own.get("class_weight"), task.labels)
        return Member(terms, fit_each_class(fresh, rows, task.members, weight, 1, sample_weight=task.weights))
    with arrays_as_output():
        fresh.fit(rows, task.labels[task.numbers], **as_argument(fresh, task.weights))
    if not hasattr(fresh, "classes_"):
        raise InputError(f"{type(fresh).__name__} has no classes_ after fit; use a classifier.")
    if len(fresh.classes_) != len(task.labels):
        raise InputError(f"{type(fresh).__name__} learned {len(fresh.classes_)} of {len(task.labels)} classes.")
    try:  # Rocchio divides by the length of a document, which does not change what it chooses
        return Member(terms, linear_form(fresh) if isinstance(fresh, Rocchio) else checked_form(fresh, rows))
    except NotLinear:
        return Member(terms, None, fresh)


def _told(classifier: Any, rows: csr_matrix) -> Floats:
    """The scores of a classifier that is not linear."""
    n_classes = len(classifier.classes_)
    for name in ("decision_function", "predict_proba"):
        if hasattr(classifier, name):
            with arrays_as_output():
                scores: Floats = np.asarray(getattr(classifier, name)(rows), np.float64)
            scores = scores[:, np.newaxis] if scores.ndim == 1 else scores
            if scores.shape[1] == n_classes or (scores.shape[1], n_classes) == (1, 2):  # and not one for each pair
                return scores
    with arrays_as_output():
        chosen = np.asarray(classifier.predict(rows))
    return np.asarray(chosen[:, np.newaxis] == classifier.classes_, np.float64)
