"""Oscillating search (Somol and Pudil 2000), whose time the paper `testors` quotes: a global search for terms.

A search starts with a set of terms and alternates two kinds of swings of depth o. A down-swing removes the term whose
loss costs least, o times, and then adds the term that gains most, o times; an up-swing adds first. A swing is accepted
if the criterion rises. After an accepted swing o is 1 again; after two failures in a row o grows by 1, and the search
ends if it exceeds the limit.

The criterion is a Bhattacharyya distance of classes in a multinomial model, as in the search for text categorization
that the paper refers to. Words that are not selected count together as one outcome, so that a single term has a
distance too, and another term never lowers it:

    J(S) = sum over pairs of classes i < j of 2 P(i) P(j) B(i, j)
    B(i, j) = -ln(sum over t in S of sqrt(p(t, i) p(t, j)) + sqrt(r(i) r(j)))

p(t, i) is the probability of term t in class i, with Laplace's prior, and r(i) that of all terms outside of S. The
search starts with the terms that have the largest J on their own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from .documents import Collection, CollectionMeasurement, Documents, Ints, members_of
from .measurements import Estimate, Scope, group_by
from .prediction import without_warnings
from .selection import estimator_of
from .testor_counts import compute_stats, fit_testors
from .variants import weigh

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

MAX_DEPTH = 2
MAX_SECONDS = 300.0
"""The limit of one search in processor time."""
QUICK_SECONDS = 2.0
SINGLE = "single"
RISE = 1e-12
"""The least rise of the criterion for which a swing is accepted."""


class ClassDistance:
    """The criterion J, for sets of terms.

    Parameters
    ----------
    counts
        An array of classes x terms: how often each term is in the documents of each class.
    shares
        The share of the documents in each class.
    """

    def __init__(self, counts: Any, shares: Any) -> None:
        smoothed = np.asarray(counts, np.float64) + 1.0
        self.probabilities: Floats = smoothed / smoothed.sum(axis=1, keepdims=True)
        self._first, self._second = np.triu_indices(len(smoothed), 1)
        self._pair_weights = 2.0 * np.asarray(shares)[self._first] * np.asarray(shares)[self._second]
        roots = np.sqrt(self.probabilities)
        self._products: Floats = np.ascontiguousarray((roots[self._first] * roots[self._second]).T)  # terms x pairs

    @property
    def n_terms(self) -> int:
        """Return the number of all terms."""
        return len(self._products)

    def of_set(self, selected: Bools) -> float:
        """Return J of the selected terms."""
        return float(self._of(*self._sums(selected)))

    def after(self, selected: Bools, candidates: Ints, sign: int) -> Floats:
        """Return J after each of the candidates is added (`sign` is 1) or removed (-1)."""
        affinity, rest = self._sums(selected)
        affinities = affinity + sign * self._products[candidates]
        return np.asarray(self._of(affinities, rest[:, None] - sign * self.probabilities[:, candidates]))

    def _sums(self, selected: Bools) -> tuple[Floats, Floats]:
        """Return the sum of products of each pair over the selected terms, and the probability of all other terms."""
        return self._products[selected].sum(axis=0), 1.0 - self.probabilities[:, selected].sum(axis=1)

    def _of(self, affinity: Floats, rest: Floats) -> Any:
        """Return J for sums of products (... x pairs) and probabilities of the terms outside (classes x ...)."""
        roots = np.sqrt(np.maximum(rest, 0.0))  # a rounding error may be below 0
        return -np.log(affinity + (roots[self._first] * roots[self._second]).T) @ self._pair_weights


class SearchResult(NamedTuple):
    """The terms of a search, the criterion before and after it, and what it took."""

    selected: Bools
    before: float
    after: float
    swings: int
    seconds: float
    """Processor time."""
    is_complete: bool
    """Whether the search ended by itself."""


def oscillating_search(
    distance: ClassDistance, n_terms: int, *, max_depth: int = MAX_DEPTH, max_seconds: float = MAX_SECONDS
) -> SearchResult:
    """Return `n_terms` terms with a large J."""
    begin = time.process_time()
    selected = best_single_terms(distance, n_terms)
    before = best = distance.of_set(selected)
    depth, failures, swings, is_down = 1, 0, 0, True
    while depth <= max_depth and time.process_time() - begin < max_seconds:
        tried = swing(distance, selected, depth, is_down=is_down)
        swings, is_down = swings + 1, not is_down
        value = distance.of_set(tried)
        if value > best + RISE:
            selected, best, depth, failures = tried, value, 1, 0
        elif failures == 1:
            depth, failures = depth + 1, 0
        else:
            failures = 1
    return SearchResult(selected, before, best, swings, time.process_time() - begin, depth > max_depth)


def best_single_terms(distance: ClassDistance, n_terms: int) -> Bools:
    """Return the terms with the largest J on their own."""
    selected = np.zeros(distance.n_terms, np.bool_)
    alone = distance.after(selected, np.arange(distance.n_terms), 1)
    selected[np.argsort(-alone, kind="stable")[:n_terms]] = True
    return selected


def swing(distance: ClassDistance, selected: Bools, depth: int, *, is_down: bool) -> Bools:
    """Return the terms after a swing: removed and then added, or the other way round, `depth` times each."""
    changed = selected.copy()
    for sign in (-1, 1) if is_down else (1, -1):
        for _ in range(depth):
            candidates = np.flatnonzero(changed == (sign < 0))
            if len(candidates):
                changed[candidates[distance.after(changed, candidates, sign).argmax()]] = sign > 0
    return changed


# -- measurements ------------------------------------------------------------------------------------------------------


def _estimate(result: SearchResult, value: float) -> Estimate:
    """Return an estimate, or the problem if the search did not end."""
    if result.is_complete:
        return Estimate(value)
    return Estimate(None, problem=f"not ended after {result.swings:,} swings in {result.seconds:.0f} seconds")


@dataclass(frozen=True)
class _OfAsManyTerms(CollectionMeasurement):
    """A measurement of a search in the first fold, for as many terms as testors select elsewhere."""

    collection: Collection
    """The documents that are searched."""
    as_many_as_in: Collection
    """The documents from which testors are selected, to have a number of terms."""
    epsilon: float
    delta: float

    def search(self, documents: Documents, scope: Scope) -> SearchResult:
        """Search for terms in the first fold of some documents."""
        testors = fit_testors(compute_stats(self.as_many_as_in.documents(scope)), self.epsilon, self.delta)
        n_terms = min(int(testors.support_.sum()), len(documents.columns(documents.folds[0])))
        most_seconds = MAX_SECONDS if scope.is_full else QUICK_SECONDS
        return oscillating_search(class_distance(documents)[0], n_terms, max_seconds=most_seconds)


@dataclass(frozen=True)
class SecondsOfSearch(_OfAsManyTerms):
    """The processor time of a search, from counts by class to terms; of one run."""

    is_of_seconds: ClassVar[bool] = True
    step: ClassVar[str] = "seconds of oscillating search"

    @classmethod
    def measure_on(
        cls, documents: Documents, measurements: Sequence[Self], scope: Scope
    ) -> Iterator[tuple[Self, Estimate]]:
        """Search anew for each measurement."""
        for measurement in measurements:
            result = measurement.search(documents, scope)
            yield measurement, _estimate(result, result.seconds)


@dataclass(frozen=True)
class SearchFigure(_OfAsManyTerms):
    """A figure of the terms that a search finds."""

    step: ClassVar[str] = "oscillating search"

    figure: str = "swings"
    """A key of `FIGURES`, or "micro_f1" of `classifier`."""
    classifier: str = ""
    selector: str = ""
    """A selector of as many terms, whose micro-F1 is returned instead; "single" has the terms of the largest J."""

    @classmethod
    def measure_on(
        cls, documents: Documents, measurements: Sequence[Self], scope: Scope
    ) -> Iterator[tuple[Self, Estimate]]:
        """Search once for all figures."""
        for group in group_by(measurements, "as_many_as_in", "epsilon", "delta").values():
            result = group[0].search(documents, scope)
            for measurement in group:
                if measurement.figure in FIGURES:
                    value = FIGURES[measurement.figure](result)
                else:
                    selected = select_as_many(documents, result.selected, measurement.selector)
                    value = accuracy_with(documents, selected, measurement.classifier)
                yield measurement, _estimate(result, value)


FIGURES: dict[str, Callable[[SearchResult], float]] = {
    "swings": lambda result: float(result.swings),
    "rise": lambda result: 100.0 * (result.after / result.before - 1.0),
}
"""Swings, and the rise of the criterion in percent."""


def class_distance(documents: Documents) -> tuple[ClassDistance, Ints]:
    """Return the criterion on the training documents of the first fold, and the columns of its terms."""
    fold, columns = documents.folds[0], documents.columns(documents.folds[0])
    counts = csr_matrix(documents.counts[fold.train][:, columns])
    members = members_of([fold.labels[position] for position in fold.train.tolist()]).values()
    sizes = np.array([len(of_class) for of_class in members], np.float64)
    sums = [np.asarray(counts[of_class].sum(axis=0)).ravel() for of_class in members]
    return ClassDistance(sums, sizes / sizes.sum()), columns


def select_as_many(documents: Documents, selected: Bools, selector: str) -> Bools:
    """Return as many terms by another selector in the first fold; the terms themselves without one."""
    if not selector:
        return selected
    if selector == SINGLE:
        return best_single_terms(class_distance(documents)[0], int(selected.sum()))
    fold = documents.folds[0]
    counts = csr_matrix(documents.counts[fold.train][:, documents.columns(fold)])
    estimator, _ = estimator_of(selector)
    fitted = estimator.set_params(k=int(selected.sum())).fit(counts, documents.targets(fold, fold.train))
    return np.asarray(fitted.get_support())


def accuracy_with(documents: Documents, selected: Bools, variant: str) -> float:
    """Return the accuracy of a classifier on the selected terms, for single-label documents; in the first fold."""
    fold = documents.folds[0]
    columns = documents.columns(fold)[selected]
    train, test = (csr_matrix(documents.counts[part][:, columns]) for part in (fold.train, fold.test))
    rows, test_rows = weigh(train, test, variant)
    classifier, _ = estimator_of(variant)
    with without_warnings():
        predicted = classifier.fit(rows, documents.targets(fold, fold.train)).predict(test_rows)
    return float(np.mean(predicted == np.array(documents.targets(fold, fold.test))))
