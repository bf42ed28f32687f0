"""Train the members of an ensemble: classifiers on random subsets of the terms, several at a time.

**Subsets.** Member i draws its terms with a random generator of its own, seeded by the ensemble's seed and i. So the
subsets don't depend on the number of threads, and the first members of a large ensemble are those of a small one. A
subset of M terms is the first M of a permutation of all terms. So the same member with fewer terms has a part of these
terms, and numbers of terms can be compared without noise from different draws.

**Training.** All members learn from the same documents. For `LinearSVM`, what members have in common is computed once
(see `svm_solvers`); any other classifier gets the columns of its terms. A member is stored as coefficients and
intercepts (its linear form) if it is linear, otherwise as the classifier itself.

`LinearSVM` and naive Bayes share no state between members, so these are trained on threads. Members of all other
classifiers are trained in processes, because they may share state: liblinear, for example, draws random numbers from a
global source. If a classifier has a `random_state`, each member gets its own seed. So the members don't depend on how
many are trained at a time.
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

from ..arrays import Bools, Counts, Floats, Ints
from ..classifiers.class_weights import (
    class_factors,
    factors_by_class,
    is_rule,
    require_rule_or_factors,
    weight_against_rest,
)
from ..classifiers.fitting import fit_each_class, sample_weight_argument
from ..classifiers.linear_form import CONSTANT_SCORE, Linear, NotLinear, linear_form, verified_linear_form
from ..classifiers.rocchio import Rocchio
from ..classifiers.svm import LinearSVM, one_against_rest, second_against_first
from ..errors import InputError, Setting, counted, warn
from ..estimators import arrays_as_output
from ..kernels.csr import score_rows
from ..registry import CLASSIFIERS, classifier_of
from ..settings import as_number, is_whole, n_threads
from ..stats.labels import LabelPairs, label_pairs
from ..svm_solvers import SignsAndCosts, SVMProblem
from .vote_rules import abstains

ENSEMBLE = "subspace"
"""The name of this ensemble in the registry."""

# -- settings --------------------------------------------------------------------------------------------------------


def refuse_averages_of_cosines(base: Any, combine: str, multilabel: bool = False) -> None:
    """Raise `InputError` if the scores of Rocchio, which are cosines, would be averaged or compared with 0.

    A cosine divides by the length of the document, which depends on the terms of the member. So the cosines of
    different members are not comparable.
    """
    if isinstance(base, Rocchio) and (combine == "mean" or multilabel):
        raise InputError(
            "Rocchio compares by the cosine, and each member has another length of a document: its scores "
            "can't be averaged, nor compared with 0 for multilabel documents",
            hint=("use ", Setting("combine", "vote"), " with single-label documents, or svm or nb"),
        )


def member_classifier(estimator: Any, class_weight: Any = None, C: Any = 100.0) -> Any:
    """Return the untrained classifier of members for the setting `estimator`: a classifier, its name or None.

    None is the paper's classifier, a linear SVM with the given C.
    """
    is_name = isinstance(estimator, str)
    if estimator is None:
        base = LinearSVM(C=C)
    elif (is_name and estimator == ENSEMBLE) or type(estimator) is CLASSIFIERS[ENSEMBLE].estimator_class:
        raise InputError("estimator is an ensemble of random subspaces itself", hint="use svm, nb or the like")
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
    require_rule_or_factors(class_weight)
    if class_weight is not None:
        if "class_weight" not in base.get_params():
            raise InputError(f"{type(base).__name__} has no class weights", setting="class_weight", value=class_weight)
        base.set_params(class_weight=class_weight)
    return base


def subset(n: int, size: int, *, member: int, seed: int) -> Ints:
    """Return the terms of the member with number `member`, ascending: `size` of the numbers 0 to n - 1."""
    permutation = np.random.Generator(np.random.PCG64([seed, member])).permutation(n)
    return np.sort(permutation[:size])


def seed_of(random_state: Any) -> int:
    """Return the seed for a `random_state`.

    An integer is its own seed; from anything else that scikit-learn accepts, a seed is drawn.
    """
    if is_whole(random_state):
        if random_state < 0:
            raise InputError(setting="random_state", value=random_state, hint="use a whole number from 0, or None")
        return int(random_state)
    try:
        # scikit-learn accepts a bool as an integer. In its place, pass a text, so that the error is raised.
        generator = check_random_state("a truth value" if isinstance(random_state, bool) else random_state)
    except ValueError:
        raise InputError(
            setting="random_state", value=random_state, hint="use a whole number from 0, or None"
        ) from None
    return int(generator.randint(1 << 31))


def size_of(name: str, value: Any, n: int, most: int | None = None) -> int:
    """Return the number of terms or members that a setting means, given the number n of all terms.

    An integer from 1 to `most` stands for itself, and a float above 0.0 and up to 1.0 for a fraction of n.
    """
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


# -- training data ---------------------------------------------------------------------------------------------------


class TrainingTask(NamedTuple):
    """The training data that all members share. Classes without documents are left out, except in `class_docs`."""

    rows: csr_matrix
    labels: NDArray[Any]  # the labels of the classes with documents
    documents_of: Sequence[Ints]  # the row numbers of the documents of each class in `labels`
    class_of: Ints | None  # the class of each document, as a position in `labels`; None if documents are multilabel
    present: Ints  # the numbers of the classes in `labels` among all classes
    class_docs: Counts  # of each class, also empty ones: the number of documents, or the sum of their weights
    weights: Floats | None = None  # the weight of each document; None: all count once

    @property
    def is_multilabel(self) -> bool:
        """Return whether some documents have several labels or none."""
        return self.class_of is None

    @property
    def has_one_output(self) -> bool:
        """Return whether a member has a single score, which is positive for the second of two classes."""
        return not self.is_multilabel and len(self.labels) == 2

    @property
    def contains_all(self) -> Bools:
        """Return which of all classes contain every document."""
        contains_all = np.zeros(len(self.class_docs), np.bool_)
        contains_all[self.present] = [len(documents) == self.rows.shape[0] for documents in self.documents_of]
        return contains_all


def training_task(
    rows: csr_matrix, pairs: LabelPairs, *, keeps_unlabelled: bool, weights: Floats | None = None
) -> TrainingTask:
    """Return the training data of documents, given as rows of term weights, with their labels and sample weights.

    Unlabelled documents are left out; with `keeps_unlabelled` they are kept as documents of no class. Raises
    `InputError` if fewer than two classes have documents.
    """
    class_docs = np.diff(pairs.class_starts)
    if weights is not None:
        class_of_pair = np.repeat(np.arange(len(class_docs)), class_docs)
        class_docs = np.bincount(class_of_pair, weights[pairs.documents], len(class_docs))  # sums of weights
    present = np.flatnonzero(class_docs)
    if len(present) < 2:
        raise InputError(
            "One class alone has documents: there is nothing to tell apart", hint="give documents of another"
        )
    documents_of = [pairs.of_class(number) for number in present.tolist()]
    n_labels = np.bincount(pairs.documents, minlength=rows.shape[0])
    if not keeps_unlabelled and not n_labels.all():
        labelled = np.flatnonzero(n_labels)
        new_number = np.cumsum(n_labels > 0) - 1  # the number of a labelled document among the labelled ones
        documents_of = [new_number[documents] for documents in documents_of]
        rows, n_labels = rows[labelled], n_labels[labelled]
        weights = None if weights is None else weights[labelled]
    class_of = None  # for multilabel documents
    if (n_labels == 1).all():
        class_of = np.empty(rows.shape[0], np.int64)
        for number, documents in enumerate(documents_of):
            class_of[documents] = number
    return TrainingTask(rows, np.array(pairs.classes)[present], documents_of, class_of, present, class_docs, weights)


# -- members ---------------------------------------------------------------------------------------------------------


class Member(NamedTuple):
    """A trained classifier on a subset of the terms."""

    terms: Ints  # the columns of its terms, ascending
    form: Linear | None  # its coefficients (outputs x its terms) and intercepts; None if it is not linear
    classifier: Any = None  # the trained classifier, if it is not linear
    n_unconverged: int = 0  # number of outputs whose training did not converge

    def in_float32(self) -> Member:
        """Return the member with float32 coefficients, as they are stored."""
        if self.form is None:
            return self
        coefficients: Any = self.form.coefficients.astype(np.float32)
        return self._replace(form=Linear(coefficients, self.form.intercepts))

    def abstains(self, rows: csr_matrix) -> Bools:
        """Return for which documents the member abstains, because they contain none of its terms."""
        return abstains(rows, self.terms)

    def scores(self, rows: csr_matrix) -> Floats:
        """Return the scores of documents, given as rows of all terms, with a column for each class.

        For two classes of single-label documents there may be one column, positive for the second class.
        """
        if self.form is None:
            return _scores_of_nonlinear(self.classifier, rows[:, self.terms])
        # The coefficients of all terms, 0 for those that the member does not have.
        coefficients = np.zeros((rows.shape[1], len(self.form.intercepts)), np.float32)
        coefficients[self.terms] = self.form.coefficients.T
        scores = np.empty((rows.shape[0], len(self.form.intercepts)))
        score_rows(rows.data, rows.indices, rows.indptr, coefficients, self.form.intercepts, scores)
        return scores


Result = TypeVar("Result")

_THREAD_SAFE = (MultinomialNB, ComplementNB)
"""Classifiers of scikit-learn that can be trained on several threads at the same time."""

_MAX_AHEAD = 4
"""How many results per thread may wait to be consumed."""


def train_members(
    estimator: Any,
    task: TrainingTask,
    *,
    n_terms: int,
    n_members: int,
    seed: int,
    n_jobs: int,
    then: Callable[[Member], Result],
) -> Iterator[Result]:
    """Train `n_members` members with `n_terms` terms each; yield `then(member)` for each, in order.

    If members are trained on threads, `then` is called on the thread that trained the member, so that it runs in
    parallel as well. If they are trained in processes, `then` is called in the calling process, when the result is
    consumed.
    """
    draw_terms = partial(subset, task.rows.shape[1], n_terms, seed=seed)
    if type(estimator) is LinearSVM:
        train_svm = _svm_trainer(estimator, task, n_terms)
        return _map_in_order(lambda number: then(train_svm(draw_terms(member=number))), n_members, n_jobs)
    train = partial(_train_other, estimator, task, draw_terms, seed)
    if isinstance(estimator, _THREAD_SAFE):
        return _map_in_order(lambda number: then(train(number)), n_members, n_jobs)
    # Other classifiers may share state between threads, so they are trained in processes.
    trained = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(train)(number) for number in range(n_members))
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

    `numbers` has the class number of each training document. Scores are test documents x classes. For two classes, a
    linear member gives a single column, positive for the second class, and another member may give two columns
    (`one_column_per_class` turns both into two).
    """
    pairs = label_pairs(np.eye(n_classes, dtype=np.int8)[numbers], X.shape[0])  # from one-hot rows
    task = training_task(X, pairs, keeps_unlabelled=False)
    settings = {"n_terms": n_terms, "n_members": n_members, "seed": seed, "n_jobs": n_threads(n_jobs)}
    n_unconverged = n_problems = 0
    try:
        for scores, n_more in train_members(
            estimator, task, **settings, then=lambda member: (member.scores(X_test), member.n_unconverged)
        ):
            n_unconverged, n_problems = n_unconverged + n_more, n_problems + scores.shape[1]  # a problem per column
            yield scores
    finally:  # also if the caller needs no more members and closes the iterator
        warn_of_unconverged(n_unconverged, n_problems)


def warn_of_unconverged(n_unconverged: int, n_problems: int) -> None:
    """Warn if the training of members did not converge."""
    if n_unconverged:
        warn(
            f"{n_unconverged:,} of {n_problems:,} problems had not converged; increase max_iter of the estimator, or "
            "decrease its C.",
            ConvergenceWarning,
        )


def _map_in_order(task: Callable[[int], Result], n_tasks: int, n_jobs: int) -> Iterator[Result]:
    """Yield task(0), task(1), ..., task(n_tasks - 1) in order; up to `n_jobs` run at a time.

    Only about `_MAX_AHEAD` tasks per thread are submitted before the caller takes the next result, so that few results
    wait in memory.
    """
    if n_jobs == 1:
        yield from map(task, range(n_tasks))
        return
    with ThreadPoolExecutor(n_jobs) as pool:
        waiting: deque[Future[Result]] = deque()
        try:
            for number in range(n_tasks):
                waiting.append(pool.submit(task, number))
                if len(waiting) > _MAX_AHEAD * n_jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:  # after an error, or if the consumer has stopped
                future.cancel()


# -- linear SVMs, from shared computations -----------------------------------------------------------------------


def _svm_trainer(svm: LinearSVM, task: TrainingTask, n_terms: int) -> Callable[[Ints], Member]:
    """Return a function that trains a member on a given subset of the terms; each subset has `n_terms` terms."""
    svm.check_settings()
    svm_problem = SVMProblem(task.rows)
    signs_and_costs, n_problems = _binary_problems(svm, task)
    contains_all = task.contains_all[task.present]
    # A class with every document can't be separated from the rest; it gets a constant score.
    solvable = [number for number in range(n_problems) if not (task.is_multilabel and contains_all[number])]
    svm_problem.precompute(n_terms, len(solvable))

    def train(terms: Ints) -> Member:
        """Train the member that has the given terms."""
        # Problems that are not solvable keep these numbers: no coefficients, and a constant score as intercept.
        form = Linear(np.zeros((n_problems, len(terms))), np.full(n_problems, CONSTANT_SCORE))
        if not solvable:
            return Member(terms, form)
        hyperplanes = svm_problem.solve(
            signs_and_costs=lambda number: signs_and_costs(solvable[number]),
            n_problems=len(solvable),
            terms=terms,
            tolerance=svm.tol,
            most_rounds=svm.max_iter,
            n_jobs=1,  # members are already trained in parallel
        )
        form.coefficients[solvable], form.intercepts[solvable] = hyperplanes.coefficients, hyperplanes.intercepts
        return Member(terms, form, n_unconverged=hyperplanes.n_unconverged)

    return train


def _binary_problems(svm: LinearSVM, task: TrainingTask) -> tuple[SignsAndCosts, int]:
    """Return a function from the number of a binary problem to its signs and costs, and the number of problems.

    There is a problem for each class against the rest; for single-label documents of two classes there is only one,
    that of the second class. A problem has a sign and a cost for each document: the sign is 1 if the document is in the
    class, and -1 otherwise.
    """
    if task.class_of is not None:
        factors = class_factors(svm.class_weight, task.labels, task.class_of, task.weights)
        return one_against_rest(task.class_of, factors, svm.C, task.weights)

    def is_member_of(number: int) -> Ints:
        """Return for each document 1 if it is in the class with this number, otherwise 0."""
        is_member = np.zeros(task.rows.shape[0], np.int64)
        is_member[task.documents_of[number]] = 1
        return is_member

    @cache  # the factors of a class are the same for all members of the ensemble
    def factors_of(number: int) -> Floats:
        """Return the factor of C for the documents outside the class with this number, and for those in it."""
        weight = weight_against_rest(_by_number(svm.class_weight, task.labels), number)
        return class_factors(weight, np.arange(2), is_member_of(number), task.weights)

    def signs_and_costs(number: int) -> tuple[Floats, Floats]:
        """Return the signs and costs of all documents for the class with this number against the rest."""
        return second_against_first(is_member_of(number), factors_of(number), svm.C, task.weights)

    return signs_and_costs, len(task.labels)


def _by_number(class_weight: Any, labels: NDArray[Any]) -> Any:
    """Return class weights with class numbers instead of labels as keys; classes that are not given get 1.

    A rule, such as "balanced", and None are returned as they are.
    """
    if not isinstance(class_weight, dict):
        return class_weight
    return {number: class_weight.get(label, 1.0) for number, label in enumerate(labels.tolist())}


# -- any other classifier ----------------------------------------------------------------------------------------


def random_states_of(estimator: Any) -> list[str]:
    """Return the names of the settings of an estimator, and of estimators inside of it, that are a `random_state`."""
    names = sorted(estimator.get_params())
    return [name for name in names if name == "random_state" or name.endswith("__random_state")]


def _train_other(estimator: Any, task: TrainingTask, draw_terms: Callable[..., Ints], seed: int, number: int) -> Member:
    """Train a copy of `estimator` on the columns of the terms of the member with a number; return the member."""
    terms = draw_terms(member=number)
    rows = task.rows[:, terms]
    classifier = clone(estimator)
    params = classifier.get_params()
    seeds = np.random.Generator(np.random.PCG64([seed, number, 1]))  # not the [seed, number] that draws terms
    for name in random_states_of(classifier):
        classifier.set_params(**{name: int(seeds.integers(1 << 31))})
    if params.get("n_jobs") is not None:  # members are already trained in parallel
        classifier.set_params(n_jobs=1)
    class_weight = params.get("class_weight")
    if task.class_of is None:
        weight = _by_number(class_weight, task.labels)
        form = fit_each_class(classifier, rows, task.documents_of, weight, n_jobs=1, sample_weight=task.weights)
        return Member(terms, form)
    if is_rule(class_weight):
        classifier.set_params(class_weight=factors_by_class(class_weight, task.labels, task.class_of, task.weights))
    with arrays_as_output():
        classifier.fit(rows, task.labels[task.class_of], **sample_weight_argument(classifier, task.weights))
    class_name = type(classifier).__name__
    if not hasattr(classifier, "classes_"):
        raise InputError(f"{class_name} has no classes_ after fit", hint="use a classifier")
    if len(classifier.classes_) != len(task.labels):
        raise InputError(f"{class_name} learned {len(classifier.classes_)} of {len(task.labels)} classes.")
    try:
        # Rocchio divides its scores by the length of the document. Its linear form does not, so it would not pass the
        # check, but the best class is the same.
        if isinstance(classifier, Rocchio):
            return Member(terms, linear_form(classifier))
        return Member(terms, verified_linear_form(classifier, rows))
    except NotLinear:
        return Member(terms, None, classifier)


def _scores_of_nonlinear(classifier: Any, rows: csr_matrix) -> Floats:
    """Return the scores of a classifier that is not linear, with a column for each class.

    For two classes there may be a single column, positive for the second class. The scores are the classifier's
    decision function or its probabilities, or else 1 for the predicted class and 0 for the others.
    """
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
