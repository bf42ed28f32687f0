"""Train the members of an ensemble: classifiers on random subsets of the terms, several at a time.

**Subsets.** Member i draws its terms from its own generator, seeded by the ensemble's seed and i. So the subsets don't
depend on the number of threads, and a smaller ensemble is the beginning of a larger one. A subset is the beginning of a
permutation of all terms, so a member's smaller subsets are contained in its larger ones, and sizes can be compared
without noise from different draws.

**Training.** All members learn from the same documents. Our linear SVM is trained from what the members have in common
(see `classifiers.separation`), computed once for all; any other classifier gets the columns of its terms. A member is
stored as its linear form if it has one, otherwise as the classifier itself. Classifiers without shared state are
trained on threads. Others, such as liblinear, which draws random numbers from a global source, are trained in
processes; if they have a seed, each member gets its own. So the members don't depend on how many are trained at a time.
"""

from __future__ import annotations

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
from sklearn.utils.validation import check_random_state

from ..arrays import Counts, Floats, Ints
from ..classifiers.fitting import as_argument, fit_each_class, weight_against_rest
from ..classifiers.linear_form import ALWAYS, Linear, NotLinear, checked_form, linear_form
from ..classifiers.rocchio import Rocchio
from ..classifiers.separation import Problem, SVMProblem
from ..classifiers.svm import LinearSVM, against_the_rest, class_factors
from ..errors import InputError, Setting, counted
from ..estimators import arrays_as_output
from ..kernels.csr import score_rows
from ..registry import CLASSIFIERS, classifier_of
from ..settings import as_number, is_whole, n_threads
from ..stats.labels import LabelPairs, label_pairs
from ..warning import warn
from .vote_rules import knows_nothing

ENSEMBLE = "subspace"


def refuse_averages_of_cosines(base: Any, combine: str, multilabel: bool = False) -> None:
    """Raise `InputError` if cosine scores would be averaged or compared with 0.

    Each member has its own length of a document, so their cosines are not comparable.
    """
    if isinstance(base, Rocchio) and (combine == "mean" or multilabel):
        raise InputError(
            "Rocchio compares by the cosine, and each member has another length of a document: its scores "
            "can't be averaged, nor cut at 0 for several labels",
            hint=("use ", Setting("combine", "vote"), " with one label a document, or svm or nb"),
        )


def member_classifier(estimator: Any, class_weight: Any = None, C: Any = 100.0) -> Any:
    """Return a new, untrained member; None is the paper's classifier, a linear SVM with this C."""
    is_name = isinstance(estimator, str)
    if estimator is None:
        base = LinearSVM(C=C)
    elif (is_name and estimator == ENSEMBLE) or type(estimator) is CLASSIFIERS[ENSEMBLE].estimator_class:
        raise InputError("estimator is an ensemble of random subspaces itself; use svm, nb or the like.")
    elif is_name and estimator in CLASSIFIERS:
        base = classifier_of(estimator, None)
    elif hasattr(estimator, "get_params") and not isinstance(estimator, type):
        base = clone(estimator)
    else:
        names = ", ".join(name for name in CLASSIFIERS if name != ENSEMBLE)
        raise InputError(setting="estimator", value=estimator, hint=f"use None, one of {names}, or a classifier")
    for name in ("fit", "predict"):
        if not hasattr(base, name):
            raise InputError(f"it has no {name}", setting="estimator", value=base, hint="use a classifier")
    if class_weight is not None:
        if "class_weight" not in base.get_params():
            raise InputError(f"{type(base).__name__} has no class weights", setting="class_weight", value=class_weight)
        base.set_params(class_weight=class_weight)
    return base


def subset(n: int, size: int, *, member: int, seed: int) -> Ints:
    """Return the terms of a member, ascending: `size` of the numbers 0 to n - 1."""
    drawn = np.random.Generator(np.random.PCG64([seed, member])).permutation(n)[:size]
    return np.sort(drawn)


def seed_of(random_state: Any) -> int:
    """Return the seed for a `random_state`.

    An integer is its own seed; from anything else that scikit-learn accepts, a seed is drawn.
    """
    if is_whole(random_state):
        if random_state < 0:
            raise InputError(setting="random_state", value=random_state, hint="use a whole number from 0, or None")
        return int(random_state)
    try:
        drawn = check_random_state("a truth value" if isinstance(random_state, bool) else random_state)
    except ValueError:
        raise InputError(
            setting="random_state", value=random_state, hint="use a whole number from 0, or None"
        ) from None
    return int(drawn.randint(1 << 31))


def size_of(name: str, value: Any, n: int, most: int | None = None) -> int:
    """Return a number of terms or members: an integer as it is, or a fraction of n above 0.0 and up to 1.0."""
    limit = "" if most is None else f" up to {most:,}"
    if is_whole(value) and value >= 1 and (most is None or value <= most):
        return int(value)
    if isinstance(value, float | np.floating) and 0.0 < as_number(value) <= 1.0:
        return max(1, round(float(value) * n))
    raise InputError(
        setting=name,
        value=value,
        hint=f"there are {counted(n, 'term')}: use a whole number from 1{limit}, or a share of them above 0.0 "
        "and up to 1.0",
    )


Result = TypeVar("Result")

_SHARE_NOTHING = (MultinomialNB, ComplementNB)
_AHEAD = 4


class Task(NamedTuple):
    """The training data of members: the documents of each class that has some."""

    rows: csr_matrix
    labels: NDArray[Any]  # the labels of the classes with documents
    members: Sequence[Ints]  # the documents of each of these classes
    numbers: Ints | None  # the class of each document, as a position in `labels`; None if documents are multilabel
    present: Ints  # the numbers of these classes among all classes
    class_docs: Counts  # the number of documents of each class, including empty ones
    weights: Floats | None = None  # the weight of each document; None: all count once

    @property
    def one_output(self) -> bool:
        """Return whether a member has a single score, which is positive for the second of two classes."""
        return self.numbers is not None and len(self.labels) == 2

    @property
    def has_all(self) -> NDArray[np.bool_]:
        """Return which of all classes contain every document."""
        has_all = np.zeros(len(self.class_docs), np.bool_)
        has_all[self.present] = [len(documents) == self.rows.shape[0] for documents in self.members]
        return has_all


def task_of(rows: csr_matrix, pairs: LabelPairs, *, keeps_unlabelled: bool, weights: Floats | None = None) -> Task:
    """Return the training task.

    Unlabelled documents are left out; with `keeps_unlabelled` they count as documents of no class.
    """
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
        position = np.cumsum(labels_of > 0) - 1
        rows, members, labels_of = (
            rows[labelled],
            [position[documents_of_class] for documents_of_class in members],
            labels_of[labelled],
        )
        weights = None if weights is None else weights[labelled]
    numbers = None
    if (labels_of == 1).all():
        numbers = np.empty(rows.shape[0], np.int64)
        for number, documents in enumerate(members):
            numbers[documents] = number
    return Task(rows, np.array(pairs.classes)[present], members, numbers, present, class_docs, weights)


class Member(NamedTuple):
    """A trained classifier on a subset of the terms."""

    terms: Ints
    form: Linear | None
    classifier: Any = None  # if it has no linear form
    unfinished: int = 0  # number of outputs whose training did not converge

    def whole(self) -> Member:
        """Return the member itself."""
        return self

    def lean(self) -> Member:
        """Return the member with its coefficients in 32 bits, as they are stored."""
        if self.form is None:
            return self
        coefficients: Any = self.form.coefficients.astype(np.float32)
        return self._replace(form=Linear(coefficients, self.form.intercepts))

    def knows_nothing_of(self, rows: csr_matrix) -> NDArray[np.bool_]:
        """Return which documents contain none of its terms."""
        is_chosen = np.zeros(rows.shape[1], np.bool_)
        is_chosen[self.terms] = True
        return knows_nothing(rows.indptr, rows.indices, is_chosen)

    def scores(self, rows: csr_matrix) -> Floats:
        """Return the scores of documents, with a column per class, or a single column for two classes."""
        if self.form is None:
            return _scores_of_nonlinear(self.classifier, rows[:, self.terms])
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
    """Train `n_members` members; yield the result of `then` for each, in the order of their numbers."""
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
    """Train members on single-label documents and yield the scores of each for the test documents.

    Classes are given by number. Scores are documents x classes; for two classes there is one column, positive for the
    second class.
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
        warn_of_unfinished(unfinished, of_all)


def warn_of_unfinished(unfinished: int, of_all: int) -> None:
    """Warn if the training of members did not converge."""
    if unfinished:
        warn(
            f"{unfinished:,} of {of_all:,} problems had not converged; increase max_iter of the estimator, or decrease "
            "its C.",
            ConvergenceWarning,
        )


def _in_order(work: Callable[[int], Result], n: int, n_jobs: int) -> Iterator[Result]:
    """Yield the results for 0 to n - 1 in order; several are computed at a time, and only a limited number ahead."""
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
            for future in waiting:  # after an error, or if the consumer has stopped
                future.cancel()


# -- linear SVMs, from shared computations -----------------------------------------------------------------------


def _linear_svm(svm: LinearSVM, task: Task, n_terms: int) -> Callable[[Ints], Member]:
    """Return a function that trains a member on a given subset of the terms."""
    svm.check_settings()
    documents = SVMProblem(task.rows)
    problem, n_problems = _problems(svm, task)
    always = task.has_all[task.present]
    known = [number for number in range(n_problems) if task.numbers is not None or not always[number]]
    documents.make_ready(n_terms, len(known))

    def train(terms: Ints) -> Member:
        form = Linear(np.zeros((n_problems, len(terms))), np.full(n_problems, ALWAYS))
        if not known:
            return Member(terms, form)
        separators = documents.separate(
            lambda number: problem(known[number]),
            len(known),
            terms=terms,
            tolerance=svm.tol,
            most_rounds=svm.max_iter,
            n_jobs=1,
        )
        form.coefficients[known], form.intercepts[known] = separators.coefficients, separators.intercepts
        return Member(terms, form, unfinished=separators.unfinished)

    return train


def _problems(svm: LinearSVM, task: Task) -> tuple[Problem, int]:
    """Return a function for the binary problem of each class, and the number of problems (one for two classes)."""
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
    """Return class weights keyed by class number."""
    if not isinstance(class_weight, dict):
        return class_weight
    return {number: class_weight.get(label, 1.0) for number, label in enumerate(labels.tolist())}


# -- any other classifier ----------------------------------------------------------------------------------------


def _train_other(estimator: Any, task: Task, draw: Callable[..., Ints], seed: int, number: int) -> Member:
    terms = draw(member=number)
    rows = task.rows[:, terms]
    classifier = clone(estimator)
    params = classifier.get_params()
    seeds = np.random.Generator(np.random.PCG64([seed, number, 1]))
    for name in sorted(params):
        if name == "random_state" or name.endswith("__random_state"):
            classifier.set_params(**{name: int(seeds.integers(1 << 31))})
    if params.get("n_jobs") is not None:
        classifier.set_params(n_jobs=1)
    if task.numbers is None:
        weight = _by_number(params.get("class_weight"), task.labels)
        return Member(terms, fit_each_class(classifier, rows, task.members, weight, 1, sample_weight=task.weights))
    with arrays_as_output():
        classifier.fit(rows, task.labels[task.numbers], **as_argument(classifier, task.weights))
    if not hasattr(classifier, "classes_"):
        raise InputError(f"{type(classifier).__name__} has no classes_ after fit; use a classifier.")
    if len(classifier.classes_) != len(task.labels):
        raise InputError(
            f"{type(classifier).__name__} learned {len(classifier.classes_)} of {len(task.labels)} classes."
        )
    try:  # Rocchio divides by the document length, which does not change the class it chooses
        return Member(
            terms, linear_form(classifier) if isinstance(classifier, Rocchio) else checked_form(classifier, rows)
        )
    except NotLinear:
        return Member(terms, None, classifier)


def _scores_of_nonlinear(classifier: Any, rows: csr_matrix) -> Floats:
    """Return the scores of a classifier that is not linear."""
    n_classes = len(classifier.classes_)
    for name in ("decision_function", "predict_proba"):
        if hasattr(classifier, name):
            with arrays_as_output():
                scores: Floats = np.asarray(getattr(classifier, name)(rows), np.float64)
            scores = scores[:, np.newaxis] if scores.ndim == 1 else scores
            # Some classifiers return a score for each pair of classes, which cannot be used.
            if scores.shape[1] == n_classes or (scores.shape[1], n_classes) == (1, 2):
                return scores
    with arrays_as_output():
        predictions = np.asarray(classifier.predict(rows))
    return np.asarray(predictions[:, np.newaxis] == classifier.classes_, np.float64)
